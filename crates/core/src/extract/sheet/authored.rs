//! Which elements do authors fill? Pages of a class → paths of elements whose paragraphs, lists and headings come in another order on each page.
//!
//! Such an element holds one text, whatever classes an editor gave to its parts. Where the headings are those of the template, it holds sections
//! instead, each a fact of its own.

use super::super::class::Class;
use super::super::leaves::{Leaves, Paths};
use super::cut::{is_flow, is_heading, is_inline};
use crate::page::dom::{Document, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// So many elements of a path tell what it is, and this share of them has an order of its own. Set by hand.
const FEWEST: usize = 5;
const DIFFERENT: f64 = 0.4;

/// Of the children of such an element, this share is what authors write, and at most this share of its texts is template. Set by hand.
const FLOW: f64 = 0.6;
const MOST_TEMPLATE: f64 = 0.15;

/// Where more of the headings are template, they are labels of sections. Set by hand.
const MOST_TEMPLATE_HEADINGS: f64 = 0.2;

/// Letters that such an element holds on average. Set by hand.
const LENGTH: usize = 250;

#[derive(Default)]
struct Seen {
    elements: usize,
    orders: FxHashSet<u64>,
    texts: usize,
    template: usize,
    headings: usize,
    template_headings: usize,
    length: usize,
}

pub fn paths(class: &Class, anchors: &FxHashSet<u64>) -> FxHashSet<u64> {
    let mut seen: FxHashMap<u64, Seen> = FxHashMap::default();
    for (document, page) in class.documents.iter().zip(&class.pages) {
        let mut paths = Paths::new(document, &class.template.steps);
        for (node, texts) in fillable(document, page) {
            let one = seen.entry(paths.of(node)).or_default();
            one.elements += 1;
            one.orders.insert(order(document, node));
            one.texts += texts.len();
            one.template += texts.iter().filter(|&&at| anchors.contains(&page.list[at].word)).count();
            let headings = texts.iter().filter(|&&at| is_headed(document, page.list[at].node));
            one.headings += headings.clone().count();
            one.template_headings += headings.filter(|&&at| anchors.contains(&page.list[at].word)).count();
            one.length += texts.iter().map(|&at| page.list[at].text.len()).sum::<usize>();
        }
    }
    let is_authored = |one: &Seen| {
        one.elements >= FEWEST
            && one.orders.len() as f64 >= one.elements as f64 * DIFFERENT
            && one.template as f64 <= one.texts as f64 * MOST_TEMPLATE
            && one.template_headings as f64 <= one.headings as f64 * MOST_TEMPLATE_HEADINGS
            && one.length >= one.elements * LENGTH
    };
    seen.into_iter().filter(|(_, one)| is_authored(one)).map(|(path, _)| path).collect()
}

/// Is it the text of a heading, or of a paragraph that is nothing but bold?
fn is_headed(document: &Document, node: NodeId) -> bool {
    let mut above = std::iter::successors(document.parent(node), |&node| document.parent(node)).take(3);
    above.any(|node| is_heading(document.name(node)) || matches!(document.name(node), "b" | "strong"))
}

/// Elements whose children are mostly what authors write, with the numbers of the texts that stand in those.
fn fillable(document: &Document, page: &Leaves) -> Vec<(NodeId, Vec<usize>)> {
    let mut texts: FxHashMap<NodeId, Vec<usize>> = FxHashMap::default();
    for (at, leaf) in page.list.iter().enumerate().filter(|(_, leaf)| leaf.word != 0) {
        let mut node = leaf.node;
        while let Some(above) = document.parent(node).filter(|_| is_flow(document.name(node))) {
            node = above;
        }
        texts.entry(node).or_default().push(at);
    }
    let mostly = |node: NodeId| {
        let blocks = document.children(node).filter(|&child| !is_inline(document.name(child)));
        let (all, flow) =
            blocks.fold((0, 0), |(all, flow), child| (all + 1, flow + usize::from(is_flow(document.name(child)))));
        all > 1 && f64::from(flow as u32) >= f64::from(all) * FLOW
    };
    let mut found: Vec<(NodeId, Vec<usize>)> = texts.into_iter().filter(|(node, _)| mostly(*node)).collect();
    found.sort_unstable();
    found
}

/// Which blocks follow each other, however many of a kind.
fn order(document: &Document, node: NodeId) -> u64 {
    let mut names: Vec<&str> = document
        .children(node)
        .map(|child| document.name(child))
        .filter(|name| !is_inline(name))
        .map(|name| if is_heading(name) { "h" } else { name })
        .collect();
    if names.iter().all(|name| *name == "p") {
        return names.len() as u64;
    }
    names.dedup();
    names.iter().fold(0, |hash, name| xxh3_64_with_seed(name.as_bytes(), hash))
}
