//! Where on the page does a value stand? Evidence of a record → the elements that hold its values.
//!
//! Evidence names the element by its path (`html/body/div#main/h1.title`) and the text by itself. Where the page has several of that path, the
//! text decides; where the path leads nowhere, the text alone does.

use pagekin_core::page::{Document, NodeId};
use serde_json::Value;
use std::collections::BTreeMap;

/// Elements with the names of the attributes that they hold.
pub type Marks = BTreeMap<NodeId, String>;

/// `evidence`: of a record, by attribute.
pub fn marks(document: &Document, evidence: &Value) -> Marks {
    let texts = texts(document);
    let mut marks = Marks::new();
    for (attribute, evidence) in evidence.as_object().into_iter().flatten() {
        let word = |key: &str| evidence[key].as_str().unwrap_or_default();
        if let Some(node) = place(document, &texts, word("path"), &squeezed(word("raw"))) {
            let names = marks.entry(node).or_default();
            if !names.is_empty() {
                names.push_str(", ");
            }
            names.push_str(attribute);
        }
    }
    marks
}

/// Elements that hold a text themselves, with it.
fn texts(document: &Document) -> Vec<(NodeId, String)> {
    let all = document.descendants(Document::ROOT);
    let text = |node: NodeId| {
        let text = squeezed(document.text(node)?);
        let parent =
            document.parent(node).filter(|parent| !matches!(document.name(*parent), "script" | "style" | "title"));
        parent.filter(|_| !text.is_empty()).map(|parent| (parent, text))
    };
    all.filter_map(text).collect()
}

fn place(document: &Document, texts: &[(NodeId, String)], path: &str, raw: &str) -> Option<NodeId> {
    if raw.is_empty() {
        return None;
    }
    let steps: Vec<&str> = path.split('/').collect();
    let along = |node: &NodeId| is_path(document, *node, &steps);
    let same = texts.iter().filter(|(_, text)| text == raw);
    let within = texts.iter().filter(|(_, text)| text.contains(raw));
    let found = same.clone().find(|(node, _)| along(node)).or_else(|| within.clone().find(|(node, _)| along(node)));
    // A text of a letter or two stands everywhere.
    let anywhere = || same.clone().chain(within.clone()).find(|_| raw.chars().count() > 2);
    found.or_else(anywhere).map(|(node, _)| *node)
}

/// Do the steps lead from the root to this element?
fn is_path(document: &Document, node: NodeId, steps: &[&str]) -> bool {
    let mut at = Some(node);
    for step in steps.iter().rev() {
        while at.is_some_and(|node| document.name(node).is_empty()) {
            at = at.and_then(|node| document.parent(node));
        }
        let Some(own) = at.filter(|node| is_step(document, *node, step)) else { return false };
        at = document.parent(own);
    }
    std::iter::successors(at, |node| document.parent(*node)).all(|node| document.name(node).is_empty())
}

/// `div#main.wide`: the element's name, then some of what its attributes say.
fn is_step(document: &Document, node: NodeId, step: &str) -> bool {
    let end = step.find(['.', '#', '@']).unwrap_or(step.len());
    let (name, mut rest) = step.split_at(end);
    if document.name(node) != name {
        return false;
    }
    while let Some(kind) = rest.chars().next() {
        let next = rest[1..].find(['.', '#', '@']).map_or(rest.len(), |at| at + 1);
        let (token, after) = (&rest[1..next], &rest[next..]);
        let attribute = match kind {
            '.' => "class",
            '#' => "id",
            _ => "itemprop",
        };
        let mut own = document.attributes(node).filter(|(name, _)| *name == attribute);
        if !own.any(|(_, value)| value.split_whitespace().any(|word| word == token)) {
            return false;
        }
        rest = after;
    }
    true
}

/// With one space where there were several.
pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::page::{Limits, parser};
    use serde_json::json;

    fn marked(html: &str, evidence: serde_json::Value) -> Vec<(String, String)> {
        let document = parser::parse(html, &Limits::default()).unwrap();
        let text = |node: NodeId| document.descendants(node).filter_map(|node| document.text(node)).collect::<String>();
        marks(&document, &evidence).into_iter().map(|(node, name)| (name, text(node))).collect()
    }

    #[test]
    fn the_path_tells_equal_texts_apart() {
        let html = "<body><p class=a>7</p><div id=x><p class='b c'>7</p></div><p>Juno &amp;\n Sons</p></body>";
        let evidence = json!({
            "points": {"path": "html/body/div#x/p.b", "raw": "7"},
            "team": {"path": "html/body/h1", "raw": "Juno & Sons"},
            "wins": {"path": "html/body/h2", "raw": "7"},
            "code": {"path": "sku", "raw": "absent"},
        });
        let found = marked(html, evidence);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.contains(&("team".to_owned(), "Juno &\n Sons".to_owned())), "{found:?}");
        assert!(found.contains(&("points".to_owned(), "7".to_owned())), "{found:?}");
    }

    #[test]
    fn several_values_may_stand_in_one_place() {
        let evidence =
            json!({"a": {"path": "html/body/p", "raw": "x y z"}, "b": {"path": "html/body/p", "raw": "x y z"}});
        assert_eq!(marked("<p>x y z</p>", evidence), [("a, b".to_owned(), "x y z".to_owned())]);
    }
}
