//! Which parts of a page are not about its subject? Document → the elements whose texts are no data.
//!
//! By structure, whatever the language: form controls, dialogs, what is hidden, and menus, heads, feet and asides of the site; those inside
//! `<main>` or `<article>` belong to the subject. A form that holds a fair part of the page's text is the page.

use crate::page::dom::{Document, NodeId};

/// A form with this share of a page's text nodes is a frame around the page. Set by hand.
const FORM_SHARE: f64 = 0.3;

/// By node: is it, or is it inside, something that is no data?
pub fn chrome(document: &Document) -> Vec<bool> {
    let mut no_data = vec![false; document.len()];
    let mut inside = vec![false; document.len()];
    let texts = texts_below(document);
    let all = f64::from(texts.first().copied().unwrap_or(0)).max(1.0);
    let subject = document.descendants(Document::ROOT).any(|node| is_subject(document, node));
    for node in document.descendants(Document::ROOT) {
        let above =
            document.parent(node).map_or((false, false), |above| (no_data[above as usize], inside[above as usize]));
        let name = document.name(node);
        if name.is_empty() {
            (no_data[node as usize], inside[node as usize]) = above;
            continue;
        }
        inside[node as usize] = above.1 || is_subject(document, node);
        let large = || f64::from(texts[node as usize]) >= all * FORM_SHARE;
        let own = is_control(document, node, name)
            || (name == "form" && !large())
            || (is_of_site(document, node, name) && !(above.1 || (!subject && large())));
        let kept = name == "h1" || is_subject(document, node);
        no_data[node as usize] = (above.0 && !kept) || own;
    }
    no_data
}

fn is_subject(document: &Document, node: NodeId) -> bool {
    matches!(document.name(node), "main" | "article") || document.attribute(node, "role") == Some("main")
}

fn is_control(document: &Document, node: NodeId, name: &str) -> bool {
    let said = |key: &str| document.attribute(node, key);
    let hidden = || {
        let style: String = said("style").unwrap_or("").chars().filter(|c| !c.is_whitespace()).collect();
        said("hidden").is_some() || style.to_ascii_lowercase().contains("display:none")
    };
    matches!(
        name,
        "select" | "option" | "button" | "textarea" | "dialog" | "noscript" | "svg" | "iframe" | "menu" | "object"
    ) || said("role").is_some_and(|role| {
        matches!(role, "search" | "dialog" | "alertdialog" | "menu" | "menubar" | "button" | "tablist")
    }) || hidden()
        || is_unseen(document, node)
        || said("rel").is_some_and(|rel| matches!(rel, "next" | "prev"))
}

/// Classes by which the common frameworks hide a text from all but screen readers.
fn is_unseen(document: &Document, node: NodeId) -> bool {
    let unseen = |class: &str| {
        matches!(
            class,
            "sr-only" | "visually-hidden" | "visuallyhidden" | "screen-reader-text" | "element-invisible" | "skip-link"
        )
    };
    document.attribute(node, "class").is_some_and(|classes| classes.split_ascii_whitespace().any(unseen))
}

fn is_of_site(document: &Document, node: NodeId, name: &str) -> bool {
    let role = || document.attribute(node, "role").unwrap_or("");
    matches!(name, "nav" | "header" | "footer" | "aside")
        || matches!(role(), "navigation" | "banner" | "contentinfo" | "complementary")
}

/// How many text nodes stand below each node.
fn texts_below(document: &Document) -> Vec<u32> {
    let mut below = vec![0u32; document.len()];
    let order: Vec<NodeId> = document.descendants(Document::ROOT).collect();
    for &node in order.iter().rev() {
        if document.text(node).is_some_and(|text| !text.trim().is_empty()) {
            below[node as usize] += 1;
        }
        if let Some(above) = document.parent(node) {
            below[above as usize] += below[node as usize];
        }
    }
    below
}
