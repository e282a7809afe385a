//! What does the page say, leaf by leaf? Text leaves in document order, white space folded, invisible ones
//! (`script`, `style`, `template`, comments) left out.

use super::dom::{Document, Namespace, NodeId};
use super::links::fold_into;
use super::names::{Name, known};

#[derive(Debug, Clone)]
pub struct Leaf {
    /// The text node.
    pub node: NodeId,
    pub text: Box<str>,
}

/// Elements whose text a reader does not see.
const INVISIBLE: [Name; 5] = [known::SCRIPT, known::STYLE, known::TEMPLATE, known::NOFRAMES, known::HEAD];

pub fn leaves(document: &Document) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (node, text) in visible(document) {
        let text = folded(text);
        if !text.is_empty() {
            leaves.push(Leaf { node, text: text.into() });
        }
    }
    leaves
}

/// The visible text nodes as they stand in the source, blank ones too.
pub fn visible(document: &Document) -> impl Iterator<Item = (NodeId, &str)> {
    let mut at = Some(Document::ROOT);
    std::iter::from_fn(move || {
        while let Some(node) = at {
            if document.element_node(node).is_some_and(|element| INVISIBLE.contains(&element.name)) {
                at = document.after(node, Document::ROOT);
                continue;
            }
            at = document.following(node, Document::ROOT);
            if let Some(text) = document.text(node) {
                return Some((node, text));
            }
        }
        None
    })
}

/// A text as a reader sees it: runs of white space are one blank.
pub fn folded(text: &str) -> String {
    let text = text.trim();
    let mut folded = String::with_capacity(text.len());
    fold_into(&mut folded, text);
    folded
}

/// The text of the first `<title>` that is not SVG's.
pub fn title(document: &Document) -> String {
    let mut title = String::new();
    let is_title = |&node: &NodeId| {
        document.element_node(node).is_some_and(|one| one.name == known::TITLE && one.namespace == Namespace::Html)
    };
    if let Some(node) = document.descendants(Document::ROOT).find(is_title) {
        for child in document.children(node) {
            fold_into(&mut title, document.text(child).unwrap_or(""));
        }
    }
    title
}
