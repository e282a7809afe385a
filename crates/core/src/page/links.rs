//! Where does this page point? Document, address → links in document order, resolved, with place and words.
//!
//! - [`Link`]: one reference. - [`Origin`]: the element or data it stands in; the papers' link-paths are those of
//!   [`Origin::Anchor`]. - [`Rel`]: what the page says of the link.

use super::dom::{Document, NodeId};
use rustc_hash::FxHashMap;
use url::Url;

#[derive(Debug, Clone)]
pub struct Link {
    /// Without fragment.
    pub url: Url,
    pub node: NodeId,
    pub origin: Origin,
    pub rel: Rel,
    /// The anchor's text with white space folded; for an image link its `alt`; at most [`TEXT`] characters.
    pub text: Box<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// `<a href>`
    Anchor,
    /// `<area href>`, `<frame src>`, `<iframe src>`
    Embedded,
    /// `<link rel=next|prev|up|canonical|alternate href>` in the head
    Head,
    /// A `data-href` (or `data-url`, `data-link`) attribute, or the address in an `onclick`
    Scripted,
}

/// What `rel` says, as flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rel {
    pub next: bool,
    pub prev: bool,
    pub up: bool,
    pub nofollow: bool,
    pub canonical: bool,
    pub alternate: bool,
}

impl Rel {
    fn read(value: &str) -> Self {
        let mut rel = Self::default();
        for token in value.split_ascii_whitespace() {
            match token.to_ascii_lowercase().as_str() {
                "next" => rel.next = true,
                "prev" | "previous" => rel.prev = true,
                "up" | "index" | "contents" | "start" => rel.up = true,
                "nofollow" => rel.nofollow = true,
                "canonical" => rel.canonical = true,
                "alternate" => rel.alternate = true,
                _ => {}
            }
        }
        rel
    }
}

/// The longest anchor text kept: labels are short, and a link around a whole card is not its name.
pub const TEXT: usize = 120;

/// Attributes in which pages keep an address for their scripts.
const DATA_ATTRIBUTES: [&str; 4] = ["data-href", "data-url", "data-link", "data-target-url"];

/// The address relative links start from: `<base href>`, else the page's own.
pub fn base(document: &Document, url: &Url) -> Url {
    let base = document
        .descendants(Document::ROOT)
        .take_while(|&node| document.name(node) != "body")
        .find_map(|node| (document.name(node) == "base").then(|| document.attribute(node, "href")).flatten());
    base.and_then(|href| url.join(href.trim()).ok())
        .filter(|base| !base.cannot_be_a_base())
        .unwrap_or_else(|| url.clone())
}

/// All links of the page. Addresses that are not http(s) are left out.
pub fn links(document: &Document, url: &Url) -> Vec<Link> {
    let mut resolver = Resolver { base: base(document, url), known: FxHashMap::default() };
    let mut links = Vec::new();
    for node in document.descendants(Document::ROOT) {
        let Some(element) = document.element(node) else { continue };
        let found = match &*element.name {
            "a" => document.attribute(node, "href").map(|href| (Origin::Anchor, href)),
            "area" => document.attribute(node, "href").map(|href| (Origin::Embedded, href)),
            "frame" | "iframe" => document.attribute(node, "src").map(|src| (Origin::Embedded, src)),
            "link" => document.attribute(node, "href").map(|href| (Origin::Head, href)),
            _ => None,
        };
        match found {
            Some((origin, href)) => links.extend(link(document, &mut resolver, node, origin, href)),
            None => links.extend(scripted(document, &mut resolver, node)),
        }
    }
    links
}

fn link(document: &Document, resolver: &mut Resolver, node: NodeId, origin: Origin, href: &str) -> Option<Link> {
    let rel = Rel::read(document.attribute(node, "rel").unwrap_or(""));
    if origin == Origin::Head && !(rel.next || rel.prev || rel.up || rel.canonical || rel.alternate) {
        return None;
    }
    let url = resolver.resolve(href)?;
    let text = if origin == Origin::Anchor { anchor_text(document, node) } else { "".into() };
    Some(Link { url, node, origin, rel, text })
}

fn scripted(document: &Document, resolver: &mut Resolver, node: NodeId) -> Option<Link> {
    let element = document.element(node)?;
    if element.attributes.is_empty() {
        return None;
    }
    let href = DATA_ATTRIBUTES
        .iter()
        .find_map(|name| document.attribute(node, name))
        .or_else(|| document.attribute(node, "onclick").and_then(location_in_script))?;
    let url = resolver.resolve(href)?;
    Some(Link { url, node, origin: Origin::Scripted, rel: Rel::default(), text: anchor_text(document, node) })
}

/// The quoted address in `location.href='/x'`, `window.open("/x")` and the like.
fn location_in_script(script: &str) -> Option<&str> {
    let at = ["location", "window.open", "navigate"].iter().find_map(|word| script.find(word))?;
    let rest = &script[at..];
    let open = rest.find(['\'', '"'])?;
    let quote = rest.as_bytes()[open] as char;
    let inner = &rest[open + 1..];
    let inner = &inner[..inner.find(quote)?];
    inner.contains('/').then_some(inner).or_else(|| inner.contains('.').then_some(inner))
}

fn anchor_text(document: &Document, anchor: NodeId) -> Box<str> {
    let mut text = String::new();
    let mut image = None;
    for node in document.descendants(anchor) {
        if let Some(piece) = document.text(node) {
            fold_into(&mut text, piece);
        } else if image.is_none() && document.name(node) == "img" {
            image = document.attribute(node, "alt");
        }
        if text.len() > TEXT {
            break;
        }
    }
    if text.is_empty() {
        fold_into(&mut text, image.unwrap_or(""));
    }
    text.truncate(text.floor_char_boundary(TEXT));
    text.into()
}

/// Appends `piece` with runs of white space as one blank, and a blank between pieces.
pub(super) fn fold_into(text: &mut String, piece: &str) {
    for word in piece.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
}

struct Resolver {
    base: Url,
    known: FxHashMap<Box<str>, Option<Url>>,
}

impl Resolver {
    fn resolve(&mut self, href: &str) -> Option<Url> {
        let href = href.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_ascii_control());
        if let Some(known) = self.known.get(href) {
            return known.clone();
        }
        let url = self.base.join(href).ok().filter(|url| matches!(url.scheme(), "http" | "https")).map(|mut url| {
            url.set_fragment(None);
            url
        });
        self.known.insert(href.into(), url.clone());
        url
    }
}
