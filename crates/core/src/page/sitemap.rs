//! What does the site itself say of its pages? A sitemap, a feed or a list of addresses → [`Sitemap`].
//!
//! Takes the bytes behind an address, plain or gzip → gives the pages they name and the further maps: sitemap XML
//! (`urlset`, `sitemapindex`), RSS and Atom (the links of items; the next part of a feed is a further map), and text with
//! an address a line. [`in_robots`]: where robots.txt says the maps are.
//! - [`Sitemap`]: what was found. - [`UrlList`]: many addresses in little memory.
//!
//! Never fails: a file that is broken, cut off or something else gives what could be read. Entities other than XML's own
//! are not expanded; depth, size and number are bounded. Knows nothing of scope and does not drop repeats of pages.

use super::charset;
use encoding_rs::{UTF_16BE, UTF_16LE};
use flate2::read::MultiGzDecoder;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::io::Read as _;
use url::Url;

/// Pages taken from one file. The protocol allows 50,000; files are larger in practice.
pub const PAGES: usize = 1_000_000;

/// Further maps taken from one file: what the protocol allows.
pub const MAPS: usize = 50_000;

/// Bytes read of a file, unpacked; the protocol allows 50 MB.
pub const SIZE: usize = 64 * 1024 * 1024;

/// Bytes of all addresses of one file, and of each address on average once they are beyond a first part. Resolving and escaping can make
/// short ones long, and each is kept several times: 64 MB of addresses of 8 kB each were 5 GB. Titles in other scripts take some
/// 500 bytes, escaped.
const TEXT: usize = SIZE;
const FIRST: usize = 1024 * 1024;
const USUAL: usize = 1024;

/// The longest address, in bytes; the protocol allows 2,048 letters.
const ADDRESS: usize = 8 * 1024;

/// Open elements; sitemaps and feeds have five.
const DEPTH: usize = 64;

/// gzip in gzip: what a server makes that compresses a file already compressed.
const PACKED: usize = 2;

/// How far before its XML a file may have other text, such as a warning of the server's script.
const PREAMBLE: usize = 4 * 1024;

#[derive(Debug, Clone, Default)]
pub struct Sitemap {
    /// In the file's order, without fragments.
    pub pages: UrlList,
    /// Sitemaps of an index, and the next part of a feed; each once.
    pub maps: Vec<Url>,
}

/// Addresses in one buffer: each costs its letters and four bytes.
#[derive(Debug, Clone, Default)]
pub struct UrlList {
    text: String,
    ends: Vec<u32>,
}

impl UrlList {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The addresses as text, normalised as [`Url`] does it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.text[start as usize..end as usize])
    }

    pub fn iter(&self) -> impl Iterator<Item = Url> {
        self.texts().filter_map(|text| Url::parse(text).ok())
    }

    fn has_room(&self) -> bool {
        self.ends.len() < PAGES && self.text.len() < TEXT - ADDRESS && self.text.len() < FIRST + USUAL * self.ends.len()
    }

    fn push(&mut self, url: &Url) {
        if self.has_room() {
            self.text.push_str(url.as_str());
            self.ends.push(self.text.len() as u32);
        }
    }
}

/// Reads what stands at `url`.
pub fn read(bytes: &[u8], url: &Url) -> Sitemap {
    let unpacked = unpacked(bytes);
    let text = decoded(&unpacked[..unpacked.len().min(SIZE)]);
    let mut reading = Reading::new(url);
    match xml_in(&text) {
        Some(xml) => reading.read_xml(xml),
        None => reading.read_lines(&text),
    }
    reading.found
}

/// The maps that robots.txt names, each once. `base` is the address of robots.txt.
pub fn in_robots(text: &str, base: &Url) -> Vec<Url> {
    let mut reading = Reading::new(base);
    for line in text.trim_start_matches('\u{FEFF}').lines().flat_map(|line| line.split('\r')) {
        let line = line.split('#').next().unwrap_or("");
        if let Some((field, value)) = line.split_once(':')
            && ["sitemap", "site-map"].iter().any(|name| field.trim().eq_ignore_ascii_case(name))
        {
            reading.map(value);
        }
    }
    reading.found.maps
}

fn unpacked(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(bytes);
    for _ in 0..PACKED {
        if !bytes.starts_with(&[0x1F, 0x8B]) {
            break;
        }
        let mut inside = Vec::new();
        // An error ends a damaged file; what came before it is in the buffer.
        let _ = MultiGzDecoder::new(&*bytes).take(SIZE as u64).read_to_end(&mut inside);
        bytes = Cow::Owned(inside);
    }
    bytes
}

/// By byte order mark, by zeros, by what the XML declares, else UTF-8.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        [b'<', 0, ..] => return UTF_16LE.decode_without_bom_handling(bytes).0,
        [0, b'<', ..] => return UTF_16BE.decode_without_bom_handling(bytes).0,
        _ => {}
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(256)]);
    let declared = head.split_once("?>").and_then(|(declaration, _)| declaration.split_once("encoding"));
    let label = declared.and_then(|(_, value)| value.split(['"', '\'']).nth(1)).unwrap_or("utf-8").to_ascii_lowercase();
    // A declaration that could be read as ASCII is not UTF-16, whatever it says.
    let label = if label.starts_with("utf-16") || label.contains(';') { "utf-8" } else { &label };
    charset::decode(bytes, Some(&format!("charset={label}")), None)
}

/// The text from where its XML begins; none when it has none.
fn xml_in(text: &str) -> Option<&str> {
    let text = text.trim_ascii_start();
    let head = &text[..text.floor_char_boundary(PREAMBLE)];
    if text.starts_with('<') { Some(text) } else { head.find("<?xml").map(|start| &text[start..]) }
}

/// An element, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    /// An entry of a sitemap.
    Page,
    /// An entry of an index of sitemaps.
    Map,
    /// An entry of a feed.
    Item,
    /// What holds the entries of a feed.
    Feed,
    Loc,
    Link,
    Guid,
    Other,
}

impl Element {
    /// Prefixes are passed over: what an element means here follows from what it stands in.
    fn of(local: &str) -> Self {
        match local {
            "url" => Self::Page,
            "sitemap" => Self::Map,
            "item" | "entry" => Self::Item,
            "channel" | "feed" => Self::Feed,
            "loc" => Self::Loc,
            "link" => Self::Link,
            "guid" => Self::Guid,
            _ => Self::Other,
        }
    }

    /// Is the text of this element, within `parent`, an address?
    fn holds_address(self, parent: Option<Self>) -> bool {
        matches!(
            (parent, self),
            (Some(Self::Page | Self::Map), Self::Loc) | (Some(Self::Item), Self::Link | Self::Guid)
        )
    }
}

struct Reading<'u> {
    url: &'u Url,
    found: Sitemap,
    known_maps: FxHashSet<Url>,
    open: Vec<Element>,
    /// The level of the element whose text is being read, and the text.
    reading: Option<usize>,
    text: String,
    /// Whether the feed's item has named its page, and what else may be its address.
    linked: bool,
    guid: Option<Url>,
}

impl<'u> Reading<'u> {
    fn new(url: &'u Url) -> Self {
        Self {
            url,
            found: Sitemap::default(),
            known_maps: FxHashSet::default(),
            open: Vec::new(),
            reading: None,
            text: String::new(),
            linked: false,
            guid: None,
        }
    }

    fn read_lines(&mut self, text: &str) {
        for line in text.lines().map(str::trim).filter(|line| is_absolute(line)) {
            if !self.found.pages.has_room() {
                break;
            }
            self.page(line);
        }
    }

    fn read_xml(&mut self, xml: &str) {
        let mut reader = Reader::from_str(xml);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        while self.open.len() < DEPTH && self.found.pages.has_room() {
            match reader.read_event() {
                Ok(Event::Start(tag)) => self.start(&tag),
                Ok(Event::Empty(tag)) => {
                    self.start(&tag);
                    self.close_to(self.open.len() - 1);
                }
                Ok(Event::End(tag)) => self.end(Element::of(tag.local_name().as_ref())),
                Ok(Event::Text(text)) => self.add(&text),
                Ok(Event::CData(text)) => self.add(&text),
                Ok(Event::GeneralRef(reference)) => self.add_reference(&reference),
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        let (element, parent) = (Element::of(tag.local_name().as_ref()), self.open.last().copied());
        match (parent, element) {
            (_, Element::Item) => (self.linked, self.guid) = (false, None),
            (Some(parent @ (Element::Item | Element::Feed)), Element::Link) => self.link(parent, tag),
            _ => {}
        }
        let is_id = element == Element::Guid && attribute(tag, "isPermaLink").is_some_and(|value| value == "false");
        if self.reading.is_none() && element.holds_address(parent) && !is_id {
            self.reading = Some(self.open.len());
            self.text.clear();
        }
        self.open.push(element);
    }

    /// `<link href>` of Atom, which RSS borrows.
    fn link(&mut self, parent: Element, tag: &BytesStart<'_>) {
        let Some(href) = attribute(tag, "href") else { return };
        let rel = attribute(tag, "rel");
        match (parent, rel.as_deref().unwrap_or("alternate")) {
            (Element::Item, "alternate") => self.linked |= self.page(&href),
            (Element::Feed, "next") => self.map(&href),
            _ => {}
        }
    }

    /// An end tag closes the nearest element of its kind, and what was left open in it.
    fn end(&mut self, element: Element) {
        if let Some(level) = self.open.iter().rposition(|open| *open == element) {
            self.close_to(level);
        }
    }

    fn close_to(&mut self, level: usize) {
        if let Some(own) = self.reading.filter(|&own| own >= level) {
            self.reading = None;
            let text = std::mem::take(&mut self.text);
            self.address(own.checked_sub(1).map(|parent| self.open[parent]), self.open[own], &text);
            self.text = text;
        }
        if self.open[level..].contains(&Element::Item)
            && !self.linked
            && let Some(guid) = self.guid.take()
        {
            self.found.pages.push(&guid);
        }
        self.open.truncate(level);
    }

    fn address(&mut self, parent: Option<Element>, element: Element, text: &str) {
        match (parent, element) {
            (Some(Element::Map), _) => self.map(text),
            (_, Element::Guid) => self.guid = is_absolute(text.trim()).then(|| self.resolve(text)).flatten(),
            _ => self.linked |= self.page(text),
        }
    }

    fn add(&mut self, text: &str) {
        if self.reading.is_some() && self.text.len() <= ADDRESS {
            self.text.push_str(&text[..text.floor_char_boundary(ADDRESS + 1)]);
        }
    }

    fn add_reference(&mut self, reference: &BytesRef<'_>) {
        let mut letter = [0; 4];
        match (reference.resolve_char_ref(), resolve_xml_entity(reference)) {
            (Ok(Some(character)), _) => self.add(character.encode_utf8(&mut letter)),
            (_, Some(text)) => self.add(text),
            // More often an ampersand that was not escaped than an entity.
            _ => ["&", reference, ";"].iter().for_each(|piece| self.add(piece)),
        }
    }

    fn page(&mut self, written: &str) -> bool {
        let url = self.resolve(written);
        url.iter().for_each(|url| self.found.pages.push(url));
        url.is_some()
    }

    fn map(&mut self, written: &str) {
        if let Some(url) = self.resolve(written)
            && self.found.maps.len() < MAPS
            && self.known_maps.insert(url.clone())
        {
            self.found.maps.push(url);
        }
    }

    /// Whole addresses and those from the root; others are more often a mistake than an address.
    fn resolve(&self, written: &str) -> Option<Url> {
        let written = written.trim();
        if written.len() > ADDRESS || !(is_absolute(written) || written.starts_with('/')) {
            return None;
        }
        let mut url = Url::options().base_url(Some(self.url)).parse(written).ok()?;
        url.set_fragment(None);
        (matches!(url.scheme(), "http" | "https") && url.as_str().len() <= ADDRESS).then_some(url)
    }
}

fn is_absolute(written: &str) -> bool {
    let begins = |start: &str| written.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    begins("http://") || begins("https://")
}

/// The value of an attribute; as written when its references cannot be resolved.
fn attribute<'t>(tag: &'t BytesStart<'_>, name: &str) -> Option<Cow<'t, str>> {
    let mut attributes = tag.attributes();
    // Whether a name stands twice does not matter, and finding out takes long.
    let attribute = attributes.with_checks(false).flatten().find(|attribute| attribute.key.as_ref() == name)?;
    Some(attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or(attribute.value))
}
