//! What does a page say of its own kind? Document → [`Words`]: title, heading, breadcrumbs, schema.org types.
//!
//! Raw material for the names of classes ([`naming`](super::naming)). Bounded in number and length, whatever the page holds.

use crate::page::{Document, NodeId, text};
use serde_json::Value;

/// The longest text kept, in bytes.
const LONG: usize = 80;

/// Breadcrumbs and types kept of one page.
const MOST: usize = 8;

/// The largest script of structured data read, in bytes, and how deep it is looked into.
const SCRIPT: usize = 256 * 1024;
const DEEP: usize = 6;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    pub title: String,
    /// The first `<h1>`, else the first `<h2>`.
    pub heading: String,
    /// From the top down, the page itself left out where it is a link no more.
    pub crumbs: Vec<String>,
    /// Names of schema.org types, such as `Recipe`.
    pub types: Vec<String>,
}

pub fn words(document: &Document) -> Words {
    let mut words = Words { title: short(&text::title(document)), ..Words::default() };
    let mut second = String::new();
    for node in document.descendants(Document::ROOT) {
        match document.name(node) {
            "" => continue,
            "h1" if words.heading.is_empty() => words.heading = text_of(document, node),
            "h2" if second.is_empty() => second = text_of(document, node),
            "script" => structured(document, node, &mut words.types),
            _ => {}
        }
        if words.crumbs.is_empty() && is_trail(document, node) {
            words.crumbs = trail(document, node);
        }
        if let Some(kind) = document.attribute(node, "itemtype") {
            add_type(&mut words.types, kind);
        }
    }
    if words.heading.is_empty() {
        words.heading = second;
    }
    words
}

fn short(text: &str) -> String {
    text[..text.floor_char_boundary(LONG)].trim().to_owned()
}

fn text_of(document: &Document, top: NodeId) -> String {
    let mut out = String::new();
    for piece in document.descendants(top).filter_map(|node| document.text(node)) {
        for word in piece[..piece.floor_char_boundary(4 * LONG)].split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        if out.len() > LONG {
            break;
        }
    }
    short(&out)
}

fn is_trail(document: &Document, node: NodeId) -> bool {
    ["class", "id", "aria-label", "itemtype"].iter().any(|name| {
        document.attribute(node, name).is_some_and(|value| value.to_ascii_lowercase().contains("breadcrumb"))
    })
}

fn trail(document: &Document, top: NodeId) -> Vec<String> {
    let links = document.descendants(top).filter(|&node| document.name(node) == "a");
    links.map(|node| text_of(document, node)).filter(|text| !text.is_empty()).take(MOST).collect()
}

/// `https://schema.org/Recipe` and `Recipe` are one.
fn add_type(types: &mut Vec<String>, kind: &str) {
    let name = kind.trim().trim_end_matches('/').rsplit(['/', '#', ':']).next().unwrap_or("");
    let plain = !name.is_empty() && name.len() <= LONG && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if plain && types.len() < MOST && !types.iter().any(|known| known == name) {
        types.push(name.to_owned());
    }
}

fn structured(document: &Document, script: NodeId, types: &mut Vec<String>) {
    if document.attribute(script, "type").is_none_or(|kind| !kind.trim().eq_ignore_ascii_case("application/ld+json")) {
        return;
    }
    for data in document.children(script).filter_map(|node| document.text(node)).filter(|text| text.len() <= SCRIPT) {
        if let Ok(value) = serde_json::from_str::<Value>(data) {
            collect(&value, DEEP, types);
        }
    }
}

/// The types of the things the page is about stand at the top; what they mention stands below.
fn collect(value: &Value, deep: usize, types: &mut Vec<String>) {
    if deep == 0 {
        return;
    }
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, deep - 1, types)),
        Value::Object(fields) => {
            match fields.get("@type") {
                Some(Value::String(kind)) => add_type(types, kind),
                Some(Value::Array(kinds)) => {
                    kinds.iter().filter_map(Value::as_str).for_each(|kind| add_type(types, kind))
                }
                _ => {}
            }
            if let Some(graph) = fields.get("@graph") {
                collect(graph, deep - 1, types);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Limits, read};
    use crate::pages::RawPage;
    use url::Url;

    fn of(html: &str) -> Words {
        let raw = RawPage {
            url: Url::parse("http://s/").unwrap(),
            redirects: Vec::new(),
            status: 200,
            content_type: Some("text/html; charset=utf-8".to_owned()),
            body: html.to_owned().into(),
            robots: Default::default(),
        };
        words(&read(&raw, &Limits::default()).unwrap())
    }

    #[test]
    fn reads_what_a_page_says_of_itself() {
        let words =
            of("<title>Alonso | F1</title><ol class='BreadCrumb'><li><a href=/>Home</a><li><a href=/d>Drivers</a></ol>
            <h1>Fernando  Alonso</h1><div itemscope itemtype='https://schema.org/Person'></div>
            <script type='application/ld+json'>{\"@graph\": [{\"@type\": [\"WebPage\", \"ItemPage\"]}]}</script>");
        assert_eq!((words.title.as_str(), words.heading.as_str()), ("Alonso | F1", "Fernando Alonso"));
        assert_eq!(words.crumbs, ["Home", "Drivers"]);
        assert_eq!(words.types, ["Person", "WebPage", "ItemPage"]);
    }

    #[test]
    fn what_a_page_can_make_this_keep_is_bounded() {
        let long = "é".repeat(5000);
        let many: String = (0..50).map(|n| format!("<i itemtype=T{n}></i><a href=x>{long}</a>")).collect();
        let words = of(&format!("<title>{long}</title><h1>{long}</h1><nav class=breadcrumbs>{many}</nav>"));
        assert!(words.title.len() <= LONG && words.heading.len() <= LONG);
        assert!(words.crumbs.len() <= MOST && words.types.len() <= MOST);
    }
}
