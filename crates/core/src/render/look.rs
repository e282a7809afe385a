//! What of a page can scripts add to? Links and texts of a page as numbers, and what one look has over another.
//!
//! - [`Look`]: targets, link-paths and text leaves, hashed. - [`Gain`]: links and characters that a browser adds.

use crate::page::address::{Scope, ScopeKind, key};
use crate::page::{self, Document, Limits, NodeId, Origin, links, text};
use crate::pages::RawPage;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::fmt;
use std::hash::{Hash, Hasher};

/// A page with less text than this, and no more links than [`SHELL_LINKS`], may be an empty shell. Set by hand: room for
/// a title and a line that asks to switch scripts on.
const SHELL_TEXT: usize = 200;
const SHELL_LINKS: usize = 3;

#[derive(Debug, Clone, Default)]
pub struct Look {
    /// Pages of the site that it links to, by their key.
    targets: FxHashSet<u64>,
    /// Text leaves, with their characters.
    leaves: FxHashMap<u64, usize>,
    /// Link-paths, and paths of text leaves; sorted.
    pub(super) shape: Box<[u64]>,
    pub(super) scripts: bool,
}

/// None when it is no page that a browser would show.
pub fn look(raw: &RawPage) -> Option<Look> {
    let html = raw.content_type.as_deref().is_none_or(|kind| kind.to_ascii_lowercase().contains("html"));
    if !html || !raw.is_success() {
        return None;
    }
    let document = page::read(raw, &Limits::default()).ok()?;
    let scope = Scope::new(ScopeKind::Host, &raw.url);
    let own = key(&raw.url);
    let (mut look, mut shape) = (Look::default(), FxHashSet::default());
    for link in links::links(&document, &raw.url) {
        if link.origin == Origin::Anchor && scope.contains(&link.url) {
            let target = key(&link.url);
            if target != own {
                look.targets.insert(hash(&target));
            }
            shape.insert(path(&document, link.node, "a"));
        }
    }
    for leaf in text::leaves(&document) {
        look.leaves.insert(hash(&leaf.text), leaf.text.chars().count());
        shape.insert(path(&document, leaf.node, "text"));
    }
    let mut shape: Vec<u64> = shape.into_iter().collect();
    shape.sort_unstable();
    look.shape = shape.into();
    look.scripts = document.descendants(Document::ROOT).any(|node| document.name(node) == "script");
    Some(look)
}

impl Look {
    /// Hardly any text, hardly any link, and a script.
    pub fn is_shell(&self) -> bool {
        self.scripts && self.targets.len() <= SHELL_LINKS && self.text() < SHELL_TEXT
    }

    fn text(&self) -> usize {
        self.leaves.values().sum()
    }
}

/// What a browser shows of a page beyond what came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gain {
    /// Pages of the site that only the rendered page links to.
    pub links: usize,
    /// Characters of texts that only the rendered page has.
    pub text: usize,
    had_links: usize,
    had_text: usize,
}

impl Gain {
    pub fn of(plain: &Look, rendered: &Look) -> Self {
        let new = rendered.leaves.iter().filter(|(leaf, _)| !plain.leaves.contains_key(leaf));
        Self {
            links: rendered.targets.difference(&plain.targets).count(),
            text: new.map(|(_, characters)| characters).sum(),
            had_links: plain.targets.len(),
            had_text: plain.text(),
        }
    }

    /// More than decoration: one link on a page with few, a twentieth on others; or a tenth more text and at least some words.
    /// Clocks, counters, "share" and "accept" stay below. Set by hand.
    pub fn is_worth_it(&self) -> bool {
        self.links > self.had_links / 20 || self.text > 60 + self.had_text / 10
    }

    /// Anything at all: enough where something is known to be missing.
    pub fn is_any(&self) -> bool {
        self.links > 0 || self.text > 0
    }
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "scripts add {} links to {} and {} characters to {}",
            self.links, self.had_links, self.text, self.had_text
        )
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Names of the elements around a node; `kind` tells links from texts.
fn path(document: &Document, node: NodeId, kind: &str) -> u64 {
    let mut hasher = FxHasher::default();
    kind.hash(&mut hasher);
    let mut at = document.parent(node);
    while let Some(around) = at {
        document.name(around).hash(&mut hasher);
        at = document.parent(around);
    }
    hasher.finish()
}
