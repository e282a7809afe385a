//! What does the page say to machines? Document → pairs of key and value from JSON-LD and `<meta>`.
//!
//! - [`pairs`]: `ld:offers.price`, `meta:og:title`, in the order of the page, each key's first value.
//!
//! Microdata and RDFa name visible texts; they are tokens of paths ([`leaves`](super::leaves)). What a page can make this cost is bounded.

use crate::page::dom::{Document, NodeId};
use serde_json::Value;

/// Bytes of JSON-LD read, pairs given, and levels gone down: bounds against hostile pages, set by hand.
const BYTES: usize = 256 * 1024;
const PAIRS: usize = 300;
const LEVELS: usize = 8;

/// Longer values are articles.
const LONGEST: usize = 2_000;

pub fn pairs(document: &Document) -> Vec<(String, String)> {
    let mut found = Found::default();
    let mut left = BYTES;
    for node in document.descendants(Document::ROOT) {
        match document.name(node) {
            "meta" => meta(document, node, &mut found),
            "script" if is_json_ld(document, node) => {
                for text in document.children(node).filter_map(|child| document.text(child)) {
                    if text.len() <= left {
                        left -= text.len();
                        found.json(text);
                    }
                }
            }
            _ => {}
        }
    }
    found.pairs
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
}
