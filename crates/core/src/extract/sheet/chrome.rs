//! Which parts of a page are not about its subject? Document → the elements whose texts are no data.
//!
//! By structure, whatever the language: links that the page itself calls its next, last or upper one, form controls, dialogs, what is hidden, and menus, heads, feet and asides of the site; those inside
//! `<main>` or `<article>` belong to the subject, but for menus above its heading. A form that holds a fair part of the page's text is the page.

use super::super::tables;
use super::cut::is_inline;
use crate::page::dom::{Document, NodeId};
use crate::page::text;

/// A form with this share of a page's text nodes is a frame around the page. Set by hand.
const FORM_SHARE: f64 = 0.3;

/// Beside a link that leads to the next page stand so many letters at most; where more do, it is a part of a text. Set by hand.
const FEW_LETTERS: usize = 40;

/// By node: is it, or is it inside, something that is no data?
pub fn chrome(document: &Document) -> Vec<bool> {
    let mut no_data = vec![false; document.len()];
    let mut inside = vec![false; document.len()];
    let texts = texts_below(document);
    let all = f64::from(texts.first().copied().unwrap_or(0)).max(1.0);
    let subject = document.descendants(Document::ROOT).any(|node| is_subject(document, node));
    let series = series(document);
    let headed = document.descendants(Document::ROOT).any(|node| document.name(node) == "h1");
    let title = text::title(document);
    // Has the subject's heading come?
    let mut in_text = false;
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
            || (name == "a" && is_of_series(document, node, &series))
            || (name == "form" && !large())
            || (is_menu(document, node, name) && above.1 && !in_text && !large())
            || (is_of_site(document, node, name) && !(above.1 || (!subject && large())));
        in_text |= above.1 && matches!(name, "h1" | "h2");
        let heads = || matches!(name, "h2" | "h3") && !headed && is_named(document, node, &title);
        let kept = name == "h1" || is_subject(document, node) || heads();
        no_data[node as usize] = (above.0 && !kept) || own;
    }
    no_data
}

/// Addresses of the pages before, behind and above this one, as its head tells them.
fn series(document: &Document) -> Vec<&str> {
    let relation = |node: NodeId| document.attribute(node, "rel").unwrap_or("").trim().to_ascii_lowercase();
    let moves = |node: &NodeId| {
        let relation = relation(*node);
        matches!(
            relation.as_str(),
            "prev" | "previous" | "next" | "up" | "home" | "start" | "first" | "last" | "index" | "contents" | "toc"
        )
    };
    let links = document.descendants(Document::ROOT).filter(|&node| document.name(node) == "link").filter(moves);
    links
        .filter_map(|node| document.attribute(node, "href"))
        .map(str::trim)
        .filter(|address| !address.is_empty())
        .collect()
}

/// Does a link lead to one of these, and stand for itself, with a few words beside it?
fn is_of_series(document: &Document, node: NodeId, series: &[&str]) -> bool {
    if series.is_empty() || !document.attribute(node, "href").is_some_and(|address| series.contains(&address.trim())) {
        return false;
    }
    let mut above = std::iter::successors(document.parent(node), |&node| document.parent(node));
    let block = above.find(|&node| !is_inline(document.name(node)));
    block.is_none_or(|block| length(document, block) <= length(document, node) + FEW_LETTERS)
}

fn length(document: &Document, node: NodeId) -> usize {
    document.descendants(node).filter_map(|below| document.text(below)).map(|text| text.trim().len()).sum()
}

/// Is it what the page's title says, or a part of that? A page without a heading of the first rank may show its name in the head of the site.
fn is_named(document: &Document, node: NodeId, title: &str) -> bool {
    let name = tables::text(document, node);
    name.contains(char::is_alphabetic) && title.contains(&name)
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

/// A way to other pages: above the heading of the subject it leads away, below that it may hold its tags.
fn is_menu(document: &Document, node: NodeId, name: &str) -> bool {
    name == "nav" || document.attribute(node, "role") == Some("navigation")
}

fn is_of_site(document: &Document, node: NodeId, name: &str) -> bool {
    let role = || document.attribute(node, "role").unwrap_or("");
    is_menu(document, node, name)
        || matches!(name, "header" | "footer" | "aside")
        || matches!(role(), "banner" | "contentinfo" | "complementary")
        // Before HTML had the element, its name was the id of a box.
        || document.attribute(node, "id") == Some("footer")
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
