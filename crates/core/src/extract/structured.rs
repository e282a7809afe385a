//! What does the page say to machines? Document → pairs of key and value from JSON-LD, `<meta>`, and the attributes of
//! microdata and RDFa.
//!
//! - [`pairs`]: `ld:offers.price`, `meta:og:title`, `item:offers.availability`, `rdfa:birthDate`, in the order of the page, each
//!   key's first value. - [`Sources`]: which of them to look for.
//!
//! Microdata and RDFa that name visible texts give none: those are leaves, and are named after them ([`naming`](super::naming)).
//! What a page can make this cost is bounded.

use super::naming::local;
use crate::page::dom::{Document, NodeId};
use serde_json::Value;

/// Bytes of JSON-LD read, pairs given, and levels gone down: bounds against hostile pages, set by hand.
const BYTES: usize = 256 * 1024;
const PAIRS: usize = 300;
const LEVELS: usize = 8;

/// Longer values are articles. Set by hand.
const LONGEST: usize = 2_000;

/// Levels that are gone up for the item that a property belongs to: a bound against hostile pages, set by hand.
const ABOVE: usize = 12;

/// Where to look.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sources {
    pub json_ld: bool,
    pub meta: bool,
    /// Microdata and RDFa.
    pub items: bool,
}

impl Sources {
    pub const ALL: Self = Self { json_ld: true, meta: true, items: true };

    /// Those that these keys come from.
    pub fn of<'k>(keys: impl Iterator<Item = &'k str>) -> Self {
        let mut sources = Self::default();
        for key in keys {
            sources.json_ld |= key.starts_with("ld:");
            sources.meta |= key.starts_with("meta:");
            sources.items |= key.starts_with("item:") || key.starts_with("rdfa:");
        }
        sources
    }

    pub fn any(self) -> bool {
        self.json_ld || self.meta || self.items
    }
}

pub fn pairs(document: &Document) -> Vec<(String, String)> {
    pairs_of(document, Sources::ALL)
}

pub fn pairs_of(document: &Document, sources: Sources) -> Vec<(String, String)> {
    let mut found = Found::default();
    let mut left = BYTES;
    for node in document.descendants(Document::ROOT) {
        match document.name(node) {
            "" => {}
            "meta" if sources.meta => meta(document, node, &mut found),
            "script" if sources.json_ld && is_json_ld(document, node) => {
                for text in document.children(node).filter_map(|child| document.text(child)) {
                    if text.len() <= left {
                        left -= text.len();
                        found.json(text);
                    }
                }
            }
            "meta" | "script" => {}
            name if sources.items => item(document, node, name, &mut found),
            _ => {}
        }
    }
    found.pairs
}

/// A property whose value stands in an attribute.
fn item(document: &Document, node: NodeId, element: &str, found: &mut Found) {
    let mut kind = None;
    for (name, value) in document.attributes(node) {
        match name {
            "itemprop" => kind = Some(("item", "itemscope", "itemprop", value)),
            "property" if kind.is_none() => kind = Some(("rdfa", "typeof", "property", value)),
            _ => {}
        }
    }
    let Some((kind, scope, naming, names)) = kind else { return };
    let plain = |names: &str| names.split_ascii_whitespace().next().map(|name| local(name).to_owned());
    let Some(name) = plain(names).filter(|name| !name.is_empty() && name.len() <= 40) else { return };
    if document.attribute(node, scope).is_some() {
        return;
    }
    let Some(value) = attribute_value(document, node, element) else { return };
    let above = std::iter::successors(document.parent(node), |&node| document.parent(node)).take(ABOVE);
    let item = above.into_iter().find(|&node| document.attribute(node, scope).is_some());
    let of = item.and_then(|node| plain(document.attribute(node, naming)?)).filter(|of| of.len() <= 40);
    found.add(of.map_or_else(|| format!("{kind}:{name}"), |of| format!("{kind}:{of}.{name}")), value);
}

/// The attribute that the standards of microdata and RDFa take a value from; none when it is the text.
fn attribute_value<'d>(document: &'d Document, node: NodeId, element: &str) -> Option<&'d str> {
    let own = match element {
        "time" => "datetime",
        "img" | "audio" | "video" | "source" | "iframe" | "embed" | "track" => "src",
        "a" | "area" | "link" => "href",
        "data" | "meter" => "value",
        "object" => "data",
        _ => "resource",
    };
    document.attribute(node, "content").or_else(|| document.attribute(node, own))
}

fn is_json_ld(document: &Document, node: NodeId) -> bool {
    document.attribute(node, "type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"))
}

/// Names that say something of the page's subject: those with a namespace (`og:title`, `product:price:amount`).
fn meta(document: &Document, node: NodeId, found: &mut Found) {
    let name = ["property", "name", "itemprop"].iter().find_map(|key| document.attribute(node, key));
    if let (Some(name), Some(content)) = (name, document.attribute(node, "content")) {
        let of_subject = name.contains(':') || document.attribute(node, "itemprop").is_some();
        if of_subject && name.len() <= 60 {
            found.add(format!("meta:{}", name.to_lowercase()), content);
        }
    }
}

#[derive(Default)]
struct Found {
    pairs: Vec<(String, String)>,
}

impl Found {
    fn add(&mut self, key: String, value: &str) {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let known = self.pairs.iter().any(|(own, _)| *own == key);
        if !value.is_empty() && value.len() <= LONGEST && !known && self.pairs.len() < PAIRS {
            self.pairs.push((key, value));
        }
    }

    fn json(&mut self, text: &str) {
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            self.value("ld:", &value, LEVELS);
        }
    }

    fn value(&mut self, key: &str, value: &Value, levels: usize) {
        match value {
            Value::Object(map) if levels > 0 => {
                for (name, inner) in map.iter().filter(|(name, _)| !name.starts_with("@context") && name.len() <= 40) {
                    let dot = if key.ends_with(':') { "" } else { "." };
                    let inner_key = if name == "@graph" { key.to_owned() } else { format!("{key}{dot}{name}") };
                    self.value(&inner_key, inner, levels - 1);
                }
            }
            Value::Array(list) if levels > 0 => {
                list.iter().take(20).for_each(|inner| self.value(key, inner, levels - 1))
            }
            Value::String(text) => self.add(key.to_owned(), text),
            Value::Number(number) => self.add(key.to_owned(), &number.to_string()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::parser::{Limits, parse};

    #[test]
    fn json_ld_and_meta() {
        let page = r#"<meta property="og:title" content="A  b"><meta name=viewport content=x>
            <script type="application/ld+json">{"@type":"Product","name":"A","offers":{"price":12.5},"x":[{"y":"z"}]}</script>
            <script type="application/ld+json">{broken</script>"#;
        let pairs = pairs(&parse(page, &Limits::default()).unwrap());
        let of = |key: &str| pairs.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str());
        assert_eq!((of("meta:og:title"), of("ld:offers.price"), of("ld:x.y")), (Some("A b"), Some("12.5"), Some("z")));
        assert_eq!(of("meta:viewport"), None);
    }

    #[test]
    fn attributes_of_microdata_and_rdfa() {
        let page = r#"<div itemscope><h1 itemprop=name>A</h1><img itemprop="image" src="/a.png"><time itemprop=releaseDate
            datetime=2010-11-18>last week</time><div itemprop=offers itemscope><link itemprop=availability href="http://schema.org/InStock">
            <span itemprop=price content=12.50>12 and a half</span></div></div>
            <p vocab="http://schema.org/" typeof=Person><span property="schema:birthDate" content="1943-07-20">July</span>
            <a property="v:url" href="/x">x</a></p>"#;
        let document = parse(page, &Limits::default()).unwrap();
        let pairs = pairs(&document);
        let of = |key: &str| pairs.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str());
        assert_eq!((of("item:image"), of("item:releaseDate")), (Some("/a.png"), Some("2010-11-18")));
        assert_eq!(
            (of("item:offers.price"), of("item:offers.availability")),
            (Some("12.50"), Some("http://schema.org/InStock"))
        );
        assert_eq!((of("rdfa:birthDate"), of("rdfa:url")), (Some("1943-07-20"), Some("/x")));
        assert_eq!(of("item:name"), None, "it is a text that everybody sees");
        assert!(pairs_of(&document, Sources::of(["ld:name"].into_iter())).is_empty());
    }
}
