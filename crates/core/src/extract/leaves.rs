//! Which texts does a page show, and where does each stand? Document → leaves, each with the hash of its path.
//!
//! - [`Leaf`]: one visible text node, whole, white space folded. - [`Leaves`]: those of a page, in document order, with its
//!   `<title>`. - [`Steps`]: which classes and ids a path is made of; the others differ from page to page and are left out.
//! - [`Paths`]: the same paths, only of the nodes that are asked for.
//!
//! A path is the element names from the root with the classes, ids and `itemprop`s kept, no places among siblings: an
//! optional block before it does not change it. Texts of `<b>` and `<font>` stay apart from their neighbours, because
//! that is how labels are told from values. Does not know other pages: which tokens to keep is learned in
//! [`learn`](mod@super::learn).

use crate::page::dom::{Document, NodeId};
use crate::page::text;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Leaves read of one page: a bound against hostile pages, set by hand.
pub const MOST: usize = 20_000;

/// Bytes kept of one text: a bound against hostile pages, set by hand.
const LONGEST: usize = 16 * 1024;

#[derive(Debug, Clone)]
pub struct Leaf {
    pub node: NodeId,
    /// The whole text node, white space folded.
    pub text: Box<str>,
    /// Hash of the path of its parent.
    pub path: u64,
    /// Hash of [`label_of`] the text; 0 when it is punctuation only.
    pub word: u64,
}

#[derive(Debug, Clone, Default)]
pub struct Leaves {
    pub list: Vec<Leaf>,
    pub title: String,
}

/// The tokens (`.class`, `#id`, `@itemprop`) that belong to a path.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    tokens: FxHashSet<u64>,
}

impl Steps {
    pub fn new<'t>(tokens: impl IntoIterator<Item = &'t str>) -> Self {
        Self { tokens: tokens.into_iter().map(|token| xxh3_64(token.as_bytes())).collect() }
    }

    fn step(&self, document: &Document, node: NodeId, above: u64) -> u64 {
        let mut step = xxh3_64(document.name(node).as_bytes());
        each_token(document, node, |kind, token| step = step.wrapping_add(self.known(kind, token)));
        mixed(above, step)
    }

    /// The hash of a token that belongs to a path; 0 of another.
    fn known(&self, kind: char, token: &str) -> u64 {
        let hash = token_hash(kind, token);
        if self.tokens.contains(&hash) { hash } else { 0 }
    }

    pub fn knows(&self, kind: char, token: &str) -> bool {
        self.known(kind, token) != 0
    }

    /// Does an element carry a class, id or `itemprop` that belongs to a path?
    pub fn has_mark(&self, document: &Document, node: NodeId) -> bool {
        let mut found = false;
        each_token(document, node, |kind, token| found |= self.known(kind, token) != 0);
        found
    }

    /// The path of a node, as a person reads it: `html/body/div#main/h1.title`.
    pub fn written(&self, document: &Document, node: NodeId) -> String {
        let mut steps: Vec<String> = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at {
            if !document.name(node).is_empty() {
                steps.push(self.written_step(document, node));
            }
            at = document.parent(node);
        }
        steps.reverse();
        steps.join("/")
    }

    fn written_step(&self, document: &Document, node: NodeId) -> String {
        let mut tokens: Vec<String> = Vec::new();
        each_token(document, node, |kind, token| {
            if self.tokens.contains(&token_hash(kind, token)) {
                tokens.push(format!("{kind}{token}"));
            }
        });
        tokens.sort();
        document.name(node).to_owned() + &tokens.concat()
    }
}

/// The hash of a path as [`Steps::written`] wrote it. Names of elements and tokens hold no `/`.
pub fn path_hash(written: &str) -> u64 {
    let mut above = 0;
    for step in written.split('/') {
        let mut hash = 0u64;
        for part in split_tokens(step) {
            hash = hash.wrapping_add(xxh3_64(part.as_bytes()));
        }
        above = mixed(above, hash);
    }
    above
}

/// `div#main.box` → `div`, `#main`, `.box`.
fn split_tokens(step: &str) -> impl Iterator<Item = &str> {
    let marks = step.char_indices().filter(|(at, c)| *at > 0 && matches!(c, '.' | '#' | '@')).map(|(at, _)| at);
    let mut ends: Vec<usize> = marks.collect();
    ends.push(step.len());
    let mut start = 0;
    ends.into_iter().map(move |end| {
        let part = &step[start..end];
        start = end;
        part
    })
}

fn token_hash(kind: char, token: &str) -> u64 {
    let mut bytes = [0u8; 72];
    bytes[0] = kind as u8;
    bytes[1..=token.len()].copy_from_slice(token.as_bytes());
    xxh3_64(&bytes[..=token.len()])
}

fn mixed(above: u64, step: u64) -> u64 {
    (above.rotate_left(5) ^ step).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// Classes, id and `itemprop` of an element, as far as they can be part of a written path.
pub fn each_token<'d>(document: &'d Document, node: NodeId, mut found: impl FnMut(char, &'d str)) {
    for (kind, value) in document.marks(node) {
        tokens(value).for_each(|token| found(kind, token));
    }
}

fn tokens(value: &str) -> impl Iterator<Item = &str> {
    let plain = |token: &&str| token.len() <= 64 && !token.contains(['.', '#', '@', '/']);
    value.split_ascii_whitespace().filter(plain)
}

/// Room for the different classes, ids and `itemprop`s of a page. Set by hand.
const SUMS: usize = 256;

/// The paths of a page's nodes, worked out as they are asked for, each once.
pub struct Paths<'d> {
    document: &'d Document,
    steps: &'d Steps,
    /// By node; 0 is not known yet.
    known: Vec<u64>,
    /// What a class, id or `itemprop` adds to a step, by its hash: on a page the same ones come again and again.
    sums: FxHashMap<u64, u64>,
    above: Vec<NodeId>,
}

impl<'d> Paths<'d> {
    pub fn new(document: &'d Document, steps: &'d Steps) -> Self {
        let sums = FxHashMap::with_capacity_and_hasher(SUMS, Default::default());
        Self { document, steps, known: vec![0; document.len()], sums, above: Vec::new() }
    }

    /// Of a node, or of the element around a text: the same as [`leaves`] gives.
    pub fn of(&mut self, node: NodeId) -> u64 {
        let (mut at, mut path) = (Some(node), 0);
        while let Some(own) = at {
            if self.known[own as usize] != 0 {
                path = self.known[own as usize];
                break;
            }
            self.above.push(own);
            at = self.document.parent(own);
        }
        while let Some(own) = self.above.pop() {
            let name = self.document.name(own);
            if !name.is_empty() {
                path = mixed(path, xxh3_64(name.as_bytes()).wrapping_add(self.sum(own)));
            }
            self.known[own as usize] = path;
        }
        path
    }

    fn sum(&mut self, node: NodeId) -> u64 {
        let mut all = 0u64;
        for (kind, value) in self.document.marks(node) {
            let sum = || tokens(value).map(|token| self.steps.known(kind, token)).fold(0, u64::wrapping_add);
            let key = xxh3_64_with_seed(value.as_bytes(), kind.into());
            all = all.wrapping_add(*self.sums.entry(key).or_insert_with(sum));
        }
        all
    }
}

/// The visible texts of a page with their paths.
pub fn leaves(document: &Document, steps: &Steps) -> Leaves {
    let mut paths = vec![0u64; document.len()];
    for node in document.descendants(Document::ROOT) {
        let above = document.parent(node).map_or(0, |parent| paths[parent as usize]);
        let element = !document.name(node).is_empty();
        paths[node as usize] = if element { steps.step(document, node, above) } else { above };
    }
    let mut list = text::leaves(document);
    list.truncate(MOST);
    let list = list.into_iter().map(|leaf| {
        let text = shortened(&leaf.text);
        let text: Box<str> = if text.len() < leaf.text.len() { text.into() } else { leaf.text };
        Leaf { node: leaf.node, path: paths[leaf.node as usize], word: word_of(&text), text }
    });
    Leaves { list: list.collect(), title: text::title(document) }
}

/// As much of a text as is kept.
pub fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// A text as a label: without the punctuation around it, in lower case.
pub fn label_of(text: &str) -> String {
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// The hash of [`label_of`]; 0 of a text without a letter or digit.
pub fn word_of(text: &str) -> u64 {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() {
        return 0;
    }
    // Nearly all texts are short and ASCII, and there are hundreds on a page: no allocation for them.
    let mut lower = [0u8; 128];
    if bare.is_ascii() && bare.len() <= lower.len() {
        let lower = &mut lower[..bare.len()];
        lower.copy_from_slice(bare.as_bytes());
        lower.make_ascii_lowercase();
        return xxh3_64(lower);
    }
    xxh3_64(bare.to_lowercase().as_bytes())
}
