//! Where does the data of this page point? Document, address → addresses of pages of the same site that stand in its
//! scripts as data: JSON-LD, JSON, and literals given to a name (`window.__DATA__ = {…}`).
//!
//! Takes what a browser's scripts would build links from → gives [`Link`]s of [`Origin::Data`], each with the keys that
//! lead to it as its place; [`data`] reads the data. Nothing is run, and an address glued together by code is not seen.
//!
//! What a page can make this cost is bounded: [`SCRIPTS`] bytes of scripts are read, [`LINKS`] links given.

mod data;

use super::address::{Scope, ScopeKind};
use super::dom::{Document, NodeId};
use super::file_names::file_ending;
use super::links::{self, Link, Origin, Rel};
use super::names::known;
use data::Place;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Links given of one page: as many as a page of data holds, and room.
const LINKS: usize = 5_000;

/// Bytes of scripts read of one page.
const SCRIPTS: usize = 2 * 1024 * 1024;

/// The longest address in data, in bytes. Longer strings that begin with a slash are mostly pictures in base 64.
const ADDRESS: usize = 2 * 1024;

/// Keys whose addresses are pictures, scripts and the like, whatever their endings.
const NO_PAGE_KEYS: [&str; 14] = [
    "@context",
    "@type",
    "image",
    "images",
    "logo",
    "icon",
    "src",
    "srcset",
    "poster",
    "thumbnail",
    "thumbnailurl",
    "contenturl",
    "embedurl",
    "encodingformat",
];

/// First parts of a path that scripts ask for data.
const ENDPOINTS: [&str; 2] = ["api", "ajax"];

/// Parts of a path that belong to the machinery of a site, wherever they stand.
const MACHINERY: [&str; 7] = ["graphql", "wp-json", "wp-admin", "wp-includes", "wp-content", "_next", "_nuxt"];

/// All addresses in the page's data, in the order of its source, each once in each place.
pub fn embedded_links(document: &Document, url: &Url) -> Vec<Link> {
    // From node to node as they lie in memory: walking the tree would take longer than reading the scripts.
    let is_script = |&node: &NodeId| document.is(node, known::SCRIPT) && document.parent(node).is_some();
    let scripts: Vec<NodeId> = (0..document.len() as NodeId).filter(is_script).collect();
    let links = of_scripts(document, &scripts, url, url);
    if links.is_empty() {
        return links;
    }
    // Of the base, addresses from the root need the host only; looking for it is another walk.
    let base = links::base(document, url);
    if base.origin() == url.origin() { links } else { of_scripts(document, &scripts, url, &base) }
}

pub(super) fn of_scripts(document: &Document, scripts: &[NodeId], url: &Url, base: &Url) -> Vec<Link> {
    let scope = Scope::new(ScopeKind::Domain, url);
    let endpoint = first_part(url.path());
    let mut finder = Finder { url, base, scope, endpoint, links: Vec::new(), known: FxHashSet::default() };
    let mut left = SCRIPTS;
    for &node in scripts {
        let Some(kind) = Kind::of(document, node) else { continue };
        for text in document.children(node).filter_map(|child| document.text(child)) {
            let text = &text[..text.floor_char_boundary(left)];
            left -= text.len();
            finder.read(node, kind, text);
        }
    }
    finder.links
}

/// What a script holds.
#[derive(Clone, Copy)]
enum Kind {
    JsonLd,
    Json,
    Script,
}

impl Kind {
    /// None for scripts from elsewhere, templates and what else is put into the element.
    fn of(document: &Document, script: NodeId) -> Option<Self> {
        if document.attribute_named(script, known::SRC).is_some() {
            return None;
        }
        let written = document.attribute_named(script, known::TYPE).unwrap_or("");
        let essence = written.split(';').next().unwrap_or("").trim();
        let is = |end: &str| essence.len() >= end.len() && ends_with_ignore_case(essence, end);
        if is("ld+json") {
            Some(Self::JsonLd)
        } else if is("/json") || is("+json") {
            Some(Self::Json)
        } else {
            (essence.is_empty() || is("javascript") || is("ecmascript") || essence == "module").then_some(Self::Script)
        }
    }
}

fn ends_with_ignore_case(text: &str, end: &str) -> bool {
    text.len().checked_sub(end.len()).and_then(|at| text.get(at..)).is_some_and(|own| own.eq_ignore_ascii_case(end))
}

struct Finder<'u> {
    url: &'u Url,
    base: &'u Url,
    scope: Scope,
    /// The first part of the page's own path: below `/api/` there are pages when the page is there itself.
    endpoint: &'u str,
    links: Vec<Link>,
    /// Hashes of address and place.
    known: FxHashSet<u64>,
}

impl Finder<'_> {
    fn read(&mut self, node: NodeId, kind: Kind, text: &str) {
        let found = &mut |address: &str, place: &Place<'_>| self.take(node, address, place);
        match kind {
            Kind::JsonLd => data::json(text, "ld:", found),
            Kind::Json => data::json(text, "json:", found),
            Kind::Script if may_hold_addresses(text) => data::literals(text, found),
            Kind::Script => {}
        }
    }

    fn take(&mut self, node: NodeId, written: &str, place: &Place<'_>) {
        let written = written.trim_ascii();
        if self.links.len() >= LINKS || !is_address(written) || is_one_of(&NO_PAGE_KEYS, place.key()) {
            return;
        }
        let place = place.to_string();
        if !self.known.insert(xxh3_64_with_seed(written.as_bytes(), xxh3_64_with_seed(place.as_bytes(), 0))) {
            return;
        }
        if let Some(url) = self.resolve(&without_entities(written)) {
            let (rel, data_path) = (Rel::default(), Some(place.into()));
            self.links.push(Link { url, node, origin: Origin::Data, rel, text: "".into(), data_path });
        }
    }

    fn resolve(&self, written: &str) -> Option<Url> {
        let mut url = self.base.join(written).ok()?;
        url.set_fragment(None);
        let own = url.host_str() == self.url.host_str() && matches!(url.scheme(), "http" | "https");
        ((own || self.scope.contains(&url)) && self.may_be_page(&url)).then_some(url)
    }

    fn may_be_page(&self, url: &Url) -> bool {
        let first = first_part(url.path());
        file_ending(url.path()).is_none()
            && (first == self.endpoint || !is_one_of(&ENDPOINTS, first))
            && !url.path().split('/').any(|part| is_one_of(&MACHINERY, part))
    }
}

fn first_part(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or("")
}

fn is_one_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|own| own.eq_ignore_ascii_case(word))
}

/// A slash that begins a string, or ends a scheme: most scripts have none.
fn may_hold_addresses(script: &str) -> bool {
    let bytes = script.as_bytes();
    memchr::memchr_iter(b'/', bytes).any(|at| at > 0 && matches!(bytes[at - 1], b'"' | b'\'' | b'`' | b'\\' | b':'))
        || memchr::memmem::find(bytes, b"u002").is_some()
}

/// Does this look like an address, whole and of the web or from the root? Not a pattern for addresses, not a text.
fn is_address(written: &str) -> bool {
    let strange =
        |byte: u8| byte <= b' ' || matches!(byte, b'<' | b'>' | b'"' | b'{' | b'}' | b'|' | b'\\' | b'^' | b'*');
    let pattern = written.contains("/:") || written.contains(char::REPLACEMENT_CHARACTER);
    if written.len() > ADDRESS || written.bytes().any(strange) || pattern {
        return false;
    }
    match written.strip_prefix('/') {
        Some(rest) => {
            rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '~' | '?' | '%' | '/' | '@'))
        }
        None => written.contains("://"),
    }
}

/// Data written by a template for HTML has its ampersands escaped, although scripts are not read that way.
fn without_entities(written: &str) -> Cow<'_, str> {
    if written.contains("&amp;") { written.replace("&amp;", "&").into() } else { written.into() }
}
