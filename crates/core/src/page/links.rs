//! Where does this page point? Document, address → links in document order, resolved, with place and words.
//!
//! - [`Link`]: one reference. - [`Origin`]: the element or data it stands in; the papers' link-paths are those of
//!   [`Origin::Anchor`]. - [`Rel`]: what the page says of the link.
//!
//! What a page can make this cost is bounded: long addresses, and links beyond a total size, are left out and counted ([`crate::page::left_out::links_left_out`]).

use super::dom::{Document, NodeId};
use super::embedded;
use super::forward;
use super::names::{Name, known};
use super::posted::Posted;
use crate::page::left_out::count_left_out;
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
    /// For [`Origin::Data`], where in the script's data the address stands: `json:props.items[].href`.
    pub data_path: Option<Box<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// `<a href>`
    Anchor,
    /// `<area href>`, `<frame src>`, `<iframe src>`, `<meta http-equiv=refresh>`
    Embedded,
    /// `<link rel=next|prev|up|canonical|alternate href>` in the head
    Head,
    /// A `data-href` (or `data-url`, `data-link`) attribute, the address in an `onclick`, the value of an `<option>`
    Scripted,
    /// A string in the data of a `<script>`; see [`super::embedded`]
    Data,
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
            let is = |words: &[&str]| words.iter().any(|word| token.eq_ignore_ascii_case(word));
            rel.next |= is(&["next"]);
            rel.prev |= is(&["prev", "previous"]);
            rel.up |= is(&["up", "index", "contents", "start"]);
            rel.nofollow |= is(&["nofollow"]);
            rel.canonical |= is(&["canonical"]);
            rel.alternate |= is(&["alternate"]);
        }
        rel
    }
}

/// The longest anchor text kept: labels are short, and a link around a whole card is not its name.
pub const TEXT: usize = 120;

/// How much of an element, in bytes and nodes, is looked through for its text.
const READ: usize = 16 * 1024;

/// The longest address taken from a page, in bytes; what servers accept is mostly 8 KiB.
const ADDRESS: usize = 8 * 1024;

/// The bytes of all addresses of one page: so many, and so many for each byte of the page, but not more than the last. A page whose base
/// is long makes each short link long, and all addresses of a site are kept: 20 kB of such a page were 8 MB of addresses. No real page is
/// near it (`tests/page_links.rs`).
pub const ADDRESSES: usize = 256 * 1024;
pub const ADDRESSES_A_BYTE: usize = 4;
const MOST_ADDRESSES: usize = 64 * 1024 * 1024;

/// The distinct addresses remembered while a page is read, so that repeated ones are resolved once.
const REMEMBERED: usize = 4096;

/// Attributes in which pages keep an address for their scripts, the most telling first.
const DATA_ATTRIBUTES: [Name; 4] = [known::DATA_HREF, known::DATA_URL, known::DATA_LINK, known::DATA_TARGET_URL];

/// The address relative links start from: the first `<base href>` outside templates, else the page's own.
pub fn base(document: &Document, url: &Url) -> Url {
    let mut at = Some(Document::ROOT);
    while let Some(node) = at {
        if document.is(node, known::BASE)
            && let Some(href) = document.attribute_named(node, known::HREF)
        {
            let base = (href.len() <= ADDRESS).then(|| url.join(href.trim()).ok()).flatten();
            return base.filter(|base| !base.cannot_be_a_base()).unwrap_or_else(|| url.clone());
        }
        let inside = !document.is(node, known::TEMPLATE);
        at = if inside { document.following(node, Document::ROOT) } else { document.after(node, Document::ROOT) };
    }
    url.clone()
}

/// Every `<a href>`, whatever its address: the elements whose paths are a page's link-paths.
pub fn anchors(document: &Document) -> impl Iterator<Item = NodeId> {
    document
        .descendants(Document::ROOT)
        .filter(|&node| document.is(node, known::A) && document.attribute_named(node, known::HREF).is_some())
}

/// All links of the page, those in the data of scripts last. Addresses that are not http(s) are left out, and so are links that
/// only look like links (see [`Posted`]). A page that asks for it ([`Document::nofollow`]) has none.
pub fn links(document: &Document, url: &Url) -> Vec<Link> {
    if document.nofollow() {
        return Vec::new();
    }
    let left = (ADDRESSES + ADDRESSES_A_BYTE * document.bytes()).min(MOST_ADDRESSES);
    let mut resolver = Resolver { base: base(document, url), known: FxHashMap::default(), left, left_out: 0 };
    let (mut links, mut scripts, mut forms) = (Vec::new(), Vec::new(), Vec::new());
    for node in document.descendants(Document::ROOT) {
        let Some(element) = document.element_node(node) else { continue };
        let found = match element.name {
            known::A => document.attribute_named(node, known::HREF).map(|href| (Origin::Anchor, href)),
            known::AREA => document.attribute_named(node, known::HREF).map(|href| (Origin::Embedded, href)),
            known::FRAME | known::IFRAME => {
                document.attribute_named(node, known::SRC).map(|src| (Origin::Embedded, src))
            }
            known::LINK => document.attribute_named(node, known::HREF).map(|href| (Origin::Head, href)),
            known::META => refresh(document, node).map(|href| (Origin::Embedded, href)),
            known::OPTION => choice(document, node).map(|href| (Origin::Scripted, href)),
            known::SCRIPT => {
                scripts.push(node);
                None
            }
            known::FORM => {
                forms.push(node);
                None
            }
            _ => None,
        };
        let found = found.and_then(|(origin, href)| link(document, &mut resolver, node, origin, href));
        links.extend(found.or_else(|| scripted(document, &mut resolver, node)));
    }
    if links.is_empty() {
        links.extend(scripts.iter().filter_map(|&node| sent_on(document, &mut resolver, node)));
    }
    count_left_out(resolver.left_out);
    links.extend(embedded::of_scripts(document, &scripts, url, &resolver.base));
    let posted = Posted::of(document, &forms, url, &resolver.base);
    links.retain(|link| !posted.acts(&link.url, link.rel));
    links
}

fn link<'d>(
    document: &'d Document,
    resolver: &mut Resolver<'d>,
    node: NodeId,
    origin: Origin,
    href: &'d str,
) -> Option<Link> {
    let rel = Rel::read(document.attribute_named(node, known::REL).unwrap_or(""));
    if origin == Origin::Head && !(rel.next || rel.prev || rel.up || rel.canonical || rel.alternate) {
        return None;
    }
    let url = resolver.resolve(href)?;
    let named = matches!(origin, Origin::Anchor | Origin::Scripted);
    let text = if named { anchor_text(document, node) } else { "".into() };
    Some(Link { url, node, origin, rel, text, data_path: None })
}

/// Where `<meta http-equiv=refresh>` sends on to.
fn refresh(document: &Document, node: NodeId) -> Option<&str> {
    let kind = document.attribute_named(node, known::HTTP_EQUIV)?;
    if !kind.trim().eq_ignore_ascii_case("refresh") {
        return None;
    }
    forward::target(document.attribute_named(node, known::CONTENT)?)
}

/// The value of an `<option>` that is an address: a menu to jump by.
fn choice(document: &Document, node: NodeId) -> Option<&str> {
    let value = document.attribute_named(node, known::VALUE)?.trim();
    let starts = ["/", "./", "../", "http://", "https://"].iter().any(|start| value.starts_with(start));
    let path = value.split(['?', '#']).next().unwrap_or("");
    let ends = [".html", ".htm", ".php", ".asp", ".aspx", ".jsp", ".shtml"].iter().any(|end| path.ends_with(end));
    let address = (starts || ends) && value.len() > 1 && !value.contains(char::is_whitespace);
    address.then_some(value)
}

/// A page without a link may send on by a script: `location.replace("/x")`.
fn sent_on<'d>(document: &'d Document, resolver: &mut Resolver<'d>, node: NodeId) -> Option<Link> {
    let mut pieces = document.descendants(node).filter_map(|piece| document.text(piece));
    let url = resolver.resolve(pieces.find_map(location_in_script)?)?;
    Some(Link { url, node, origin: Origin::Scripted, rel: Rel::default(), text: "".into(), data_path: None })
}

fn scripted<'d>(document: &'d Document, resolver: &mut Resolver<'d>, node: NodeId) -> Option<Link> {
    let href = DATA_ATTRIBUTES
        .iter()
        .find_map(|&name| document.attribute_named(node, name))
        .or_else(|| document.attribute_named(node, known::ONCLICK).and_then(location_in_script))
        .or_else(|| document.attribute_named(node, known::HREF).and_then(opened))?;
    let url = resolver.resolve(href)?;
    let text = anchor_text(document, node);
    Some(Link { url, node, origin: Origin::Scripted, rel: Rel::default(), text, data_path: None })
}

/// The address in `href="javascript:window.open('/x')"`.
fn opened(href: &str) -> Option<&str> {
    let script = href.trim_start();
    let scheme = script.get(..11).is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"));
    if scheme { location_in_script(&script[11..]) } else { None }
}

/// The quoted address in `location.href='/x'`, `window.open("/x")` and the like.
fn location_in_script(script: &str) -> Option<&str> {
    let at = ["location", "window.open", "navigate"].iter().find_map(|word| script.find(word))?;
    let rest = &script[at..];
    let open = rest.find(['\'', '"'])?;
    let quote = rest.as_bytes()[open] as char;
    let inner = &rest[open + 1..];
    let inner = &inner[..inner.find(quote)?];
    inner.contains(['/', '.']).then_some(inner)
}

fn anchor_text(document: &Document, anchor: NodeId) -> Box<str> {
    let mut text = String::new();
    let mut image = None;
    let mut left = READ;
    for node in document.descendants(anchor) {
        if let Some(piece) = document.text(node) {
            let piece = &piece[..piece.floor_char_boundary(left)];
            left -= piece.len();
            fold_into(&mut text, piece);
        } else if image.is_none() && document.is(node, known::IMG) {
            image = document.attribute_named(node, known::ALT);
        }
        left = left.saturating_sub(1);
        if text.len() > TEXT || left == 0 {
            break;
        }
    }
    if text.is_empty() {
        let alt = image.unwrap_or("");
        fold_into(&mut text, &alt[..alt.floor_char_boundary(READ)]);
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

/// Relative addresses → whole ones.
struct Resolver<'d> {
    base: Url,
    known: FxHashMap<&'d str, Option<Url>>,
    /// Bytes of addresses still to give.
    left: usize,
    /// Links that were too long, or for which nothing was left.
    left_out: u64,
}

impl<'d> Resolver<'d> {
    fn resolve(&mut self, href: &'d str) -> Option<Url> {
        let href = href.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_ascii_control());
        if href.len() > ADDRESS {
            self.left_out += u64::from(!href.starts_with("data:") && !href.starts_with("javascript:"));
            return None;
        }
        let url = match self.known.get(href) {
            Some(known) => known.clone()?,
            None => self.resolve_new(href)?,
        };
        match self.left.checked_sub(url.as_str().len()) {
            Some(left) => self.left = left,
            None => {
                self.left_out += 1;
                return None;
            }
        }
        Some(url)
    }

    fn resolve_new(&mut self, href: &'d str) -> Option<Url> {
        let url = self.base.join(href).ok().filter(|url| matches!(url.scheme(), "http" | "https")).map(|mut url| {
            url.set_fragment(None);
            url
        });
        let url = url.filter(|url| url.as_str().len() <= ADDRESS);
        if self.known.len() < REMEMBERED {
            self.known.insert(href, url.clone());
        }
        url
    }
}
