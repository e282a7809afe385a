//! Into which pieces does a page fall? Document, its leaves, the texts of the template → [`Piece`]s: a text as a person would copy it, where it
//! stands, and the label that belongs to it.
//!
//! - [`Known`]: what cuts a page: texts of the template, and paths whose texts begin with labels. - [`Piece`]: one text, whole.
//!
//! Inline elements do not cut a text, and neither do paragraphs, lists and headings that an author wrote into one element. Labels do: a text of
//! the template at the start of an element, in front of its neighbours, above a section, or behind a short value in a box of their own.

use super::super::leaves::{Leaves, Paths, Steps, word_of};
use super::super::template::{COLONS, inner_label};
use super::chrome::chrome;
use crate::page::dom::{Document, NodeId};
use rustc_hash::FxHashSet;

/// Longer texts of the template are sentences. Set by hand.
const LONGEST_LABEL: usize = 50;

/// A label stands behind values of this length together, at most, and so many. Set by hand.
const SHORT_BOX: usize = 60;
const FEW: usize = 2;

/// Texts longer than this are prose, which a text of the template within does not cut. Set by hand.
pub const PROSE: usize = 160;

#[derive(Debug, Clone, Default)]
pub struct Known {
    pub steps: Steps,
    /// Words of the texts of the template.
    pub anchors: FxHashSet<u64>,
    /// Paths whose texts begin with a label and a colon.
    pub colons: FxHashSet<u64>,
    /// Paths of values: a text of the template that stands there, too, is a value there (a team that a menu names).
    pub values: FxHashSet<u64>,
    /// Paths of elements that authors fill, in whatever order and looks: all that stands there is one text.
    pub authored: FxHashSet<u64>,
}

#[derive(Debug, Clone)]
pub struct Piece {
    /// The element that holds it.
    pub node: NodeId,
    pub path: u64,
    /// Word of its label; 0 is none.
    pub label: u64,
    /// The leaf that is, or begins with, the label.
    pub label_leaf: Option<u32>,
    /// Leaves, block by block.
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone)]
pub struct Block {
    pub node: NodeId,
    pub leaves: Vec<u32>,
}

impl Piece {
    pub fn first(&self) -> u32 {
        self.blocks.first().and_then(|block| block.leaves.first()).copied().unwrap_or(0)
    }

    pub fn leaves(&self) -> impl Iterator<Item = u32> + '_ {
        self.blocks.iter().flat_map(|block| block.leaves.iter().copied())
    }
}

/// What a page falls into, before labels are given to what stands around them.
enum Part {
    Label { word: u64, leaf: u32, node: NodeId, first: u32, last: u32, strong: bool },
    Piece { piece: Piece, heading: bool },
}

pub fn cut(document: &Document, page: &Leaves, known: &Known) -> Vec<Piece> {
    let mut cutter = Cutter { document, page, known, paths: Paths::new(document, &known.steps), parts: Vec::new() };
    let no_data = chrome(document);
    let kept: Vec<u32> =
        (0..page.list.len() as u32).filter(|&at| !no_data[page.list[at as usize].node as usize]).collect();
    let mut rest = &kept[..];
    while let Some(&first) = rest.first() {
        let block = cutter.block_of(first);
        let length = rest.iter().take_while(|&&at| cutter.block_of(at) == block).count();
        cutter.block(block, &rest[..length]);
        rest = &rest[length..];
    }
    let ranges = Ranges::of(document, page, &kept);
    labelled(document, cutter.parts, &ranges)
}

struct Cutter<'c> {
    document: &'c Document,
    page: &'c Leaves,
    known: &'c Known,
    paths: Paths<'c>,
    parts: Vec<Part>,
}

impl Cutter<'_> {
    /// The element that lays the text out.
    fn block_of(&self, leaf: u32) -> NodeId {
        let mut node = self.page.list[leaf as usize].node;
        while let Some(above) = self.document.parent(node) {
            node = above;
            if !is_inline(self.document.name(node)) {
                break;
            }
        }
        node
    }

    fn is_anchor(&self, leaf: u32) -> bool {
        let leaf = &self.page.list[leaf as usize];
        let is_value = || self.known.values.contains(&leaf.path) && !leaf.text.ends_with(COLONS);
        self.known.anchors.contains(&leaf.word) && !is_value()
    }

    fn block(&mut self, node: NodeId, leaves: &[u32]) {
        let length: usize = leaves.iter().map(|&at| self.page.list[at as usize].text.len()).sum();
        let worded: Vec<u32> = leaves.iter().copied().filter(|&at| self.page.list[at as usize].word != 0).collect();
        let (Some(&first), Some(&last)) = (worded.first(), worded.last()) else {
            return self.text(node, leaves, true);
        };
        if worded.iter().all(|&at| self.is_anchor(at)) {
            let (leaf, strong) = (&self.page.list[last as usize], self.is_strong(last));
            // An item of a list is none, and neither is a row of links.
            if !strong && self.is_item(node) {
                return self.text(node, leaves, true);
            }
            // A link leads elsewhere, and says nothing of its neighbours.
            let single = (first == last && (strong || !self.is_linked(last))) || leaf.text.ends_with(COLONS);
            let word = if length <= LONGEST_LABEL && single { leaf.word } else { 0 };
            return self.parts.push(Part::Label { word, leaf: last, node, first, last, strong });
        }
        self.segments(node, leaves, length > PROSE);
    }

    fn in_heading(&self, node: NodeId) -> bool {
        let mut above = std::iter::successors(self.document.parent(node), |&node| self.document.parent(node)).take(3);
        above.any(|node| is_heading(self.document.name(node)) || matches!(self.document.name(node), "dt" | "th"))
    }

    fn is_item(&self, node: NodeId) -> bool {
        let mut above = std::iter::successors(Some(node), |&node| self.document.parent(node)).take(2);
        above.any(|node| self.document.name(node) == "li")
    }

    /// Does the next text stand in the same kind of element? Labels look different from values.
    fn is_like_next(&self, leaves: &[u32], at: usize) -> bool {
        let text = &self.page.list[leaves[at] as usize];
        let next = leaves[at + 1..].iter().map(|&next| &self.page.list[next as usize]).find(|next| next.word != 0);
        !text.text.ends_with(COLONS) && next.is_some_and(|next| next.path == text.path && next.node != text.node)
    }

    /// Does it stand in the middle of a sentence: in an element of its own that is not made for labels, with words of the block before it and
    /// behind it?
    fn is_embedded(&self, block: NodeId, leaves: &[u32], at: usize) -> bool {
        let is_text = |leaf: &u32| {
            let leaf = &self.page.list[*leaf as usize];
            leaf.word != 0 && self.document.parent(leaf.node) == Some(block) && !leaf.text.ends_with(COLONS)
        };
        let neighbours = || Some((leaves[..at].last()?, leaves.get(at + 1)?));
        !is_text(&leaves[at])
            && !self.is_strong(leaves[at])
            && neighbours().is_some_and(|(before, behind)| is_text(before) && is_text(behind))
    }

    /// Cuts one block at its labels.
    fn segments(&mut self, node: NodeId, leaves: &[u32], prose: bool) {
        let mut label = self.label_behind(leaves);
        let mut own: Vec<u32> = Vec::new();
        let mut open = true;
        for (at, &leaf) in leaves.iter().enumerate() {
            let text = &self.page.list[leaf as usize];
            let first = leaves[..at].iter().all(|&before| self.page.list[before as usize].word == 0);
            let cuts = self.is_anchor(leaf)
                && text.text.len() <= LONGEST_LABEL
                && !self.is_like_next(leaves, at)
                && !self.is_embedded(node, leaves, at)
                && (!prose || first && self.is_strong(leaf) || text.text.ends_with(COLONS) && self.is_strong(leaf));
            // A link has a title, and a colon in that ends no label.
            let begins = self.known.colons.contains(&text.path) && !self.is_linked(leaf);
            let inner = if begins { inner_label(&text.text) } else { None };
            if cuts || inner.is_some() {
                self.segment(node, &own, label, open);
                own.clear();
                open = false;
                label = Some((inner.as_ref().map_or(text.word, |label| word_of(label)), leaf));
            }
            if !cuts {
                own.push(leaf);
            }
        }
        self.segment(node, &own, label, open);
    }

    /// The label at the end of a short block that holds one value and no other label.
    fn label_behind(&self, leaves: &[u32]) -> Option<(u64, u32)> {
        let worded: Vec<u32> = leaves.iter().copied().filter(|&at| self.page.list[at as usize].word != 0).collect();
        let (&last, values) = worded.split_last()?;
        let text = &self.page.list[last as usize];
        let alone = values.len() <= FEW && values.iter().all(|&at| !self.is_anchor(at)) && !text.text.ends_with(COLONS);
        (alone && self.is_anchor(last) && text.text.len() <= LONGEST_LABEL && !self.is_linked(last))
            .then_some((text.word, last))
    }

    fn segment(&mut self, node: NodeId, leaves: &[u32], label: Option<(u64, u32)>, open: bool) {
        if leaves.iter().all(|&at| self.page.list[at as usize].word == 0) {
            return;
        }
        match label {
            None => self.text(node, leaves, open),
            Some((word, leaf)) => {
                let path = self.paths.of(node);
                let blocks = vec![Block { node, leaves: leaves.to_vec() }];
                let piece = Piece { node, path, label: word, label_leaf: Some(leaf), blocks };
                self.parts.push(Part::Piece { piece, heading: false });
            }
        }
    }

    /// A block without a label: a further one of what its author wrote into the same element, or a piece of its own.
    fn text(&mut self, node: NodeId, leaves: &[u32], open: bool) {
        let authored = self.authored(node);
        let heading = is_heading(self.document.name(node)) && authored.is_none();
        let root = match authored {
            Some(authored) => authored,
            None if self.document.name(node) == "h1" => node,
            None => self.root(node),
        };
        let further = open && (root != node || self.document.name(root) != "h1");
        if let Some(Part::Piece { piece, heading: was_heading }) = self.parts.last_mut().filter(|_| further) {
            let follows = piece.label_leaf.is_none() && !*was_heading;
            let marked_off = heading && self.known.steps.has_mark(self.document, node);
            if follows && !marked_off && piece.node == root {
                piece.blocks.push(Block { node, leaves: leaves.to_vec() });
                return;
            }
        }
        if leaves.iter().all(|&at| self.page.list[at as usize].word == 0) {
            return;
        }
        let root = if heading { node } else { root };
        let path = if heading { self.heading_path(node, leaves) } else { self.paths.of(root) };
        let blocks = vec![Block { node, leaves: leaves.to_vec() }];
        let piece = Piece { node: root, path, label: 0, label_leaf: None, blocks };
        self.parts.push(Part::Piece { piece, heading });
    }

    /// A heading that is a link is another fact than one that is none.
    fn heading_path(&mut self, node: NodeId, leaves: &[u32]) -> u64 {
        let mut paths =
            leaves.iter().map(|&at| &self.page.list[at as usize]).filter(|leaf| leaf.word != 0).map(|leaf| leaf.path);
        let first = paths.next();
        match first {
            Some(first) if paths.all(|path| path == first) => first,
            _ => self.paths.of(node),
        }
    }

    /// The element around it that authors fill, if only what authors write stands between.
    fn authored(&mut self, node: NodeId) -> Option<NodeId> {
        if self.known.authored.is_empty() {
            return None;
        }
        let mut at = node;
        while is_flow(self.document.name(at)) {
            at = self.document.parent(at)?;
            if self.known.authored.contains(&self.paths.of(at)) {
                return Some(at);
            }
        }
        None
    }

    /// The element into which an author wrote this paragraph, list or heading.
    fn root(&self, node: NodeId) -> NodeId {
        let mut at = node;
        while is_flow(self.document.name(at)) && !self.known.steps.has_mark(self.document, at) {
            let Some(above) = self.document.parent(at) else { break };
            at = above;
        }
        at
    }

    /// An element that is made for labels, or a text that ends as one does.
    fn is_strong(&self, leaf: u32) -> bool {
        let text = &self.page.list[leaf as usize];
        let above = std::iter::successors(self.document.parent(text.node), |&node| self.document.parent(node)).take(3);
        let made = |node: NodeId| {
            matches!(
                self.document.name(node),
                "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "th" | "legend" | "caption" | "label" | "b" | "strong"
            )
        };
        let mut above = above.into_iter();
        text.text.ends_with(COLONS) || above.any(made) && (!self.is_linked(leaf) || self.in_heading(text.node))
    }

    fn is_linked(&self, leaf: u32) -> bool {
        let node = self.page.list[leaf as usize].node;
        let mut above = std::iter::successors(self.document.parent(node), |&node| self.document.parent(node)).take(3);
        above.any(|node| self.document.name(node) == "a" && self.document.attribute(node, "href").is_some())
    }
}

/// Which leaves stand below each element: the first and the last.
struct Ranges {
    of: Vec<(u32, u32)>,
}

impl Ranges {
    fn of(document: &Document, page: &Leaves, kept: &[u32]) -> Self {
        let mut of = vec![(u32::MAX, 0); document.len()];
        for &leaf in kept.iter().filter(|&&leaf| page.list[leaf as usize].word != 0) {
            let mut at = Some(page.list[leaf as usize].node);
            while let Some(node) = at {
                let (first, last) = &mut of[node as usize];
                (*first, *last) = ((*first).min(leaf), (*last).max(leaf));
                at = document.parent(node);
            }
        }
        Self { of }
    }

    /// The smallest element around a label that holds something else.
    fn scope(&self, document: &Document, node: NodeId, own: (u32, u32)) -> (u32, u32) {
        let above = std::iter::successors(Some(node), |&node| document.parent(node));
        above.map(|node| self.of[node as usize]).find(|range| *range != own && range.0 <= range.1).unwrap_or(own)
    }
}

/// Gives each label to what it stands for.
fn labelled(document: &Document, parts: Vec<Part>, ranges: &Ranges) -> Vec<Piece> {
    let mut given: Vec<Option<(u64, u32)>> = vec![None; parts.len()];
    for (at, part) in parts.iter().enumerate() {
        let Part::Label { word, leaf, node, first, last, strong } = part else { continue };
        if *word == 0 {
            continue;
        }
        let scope = ranges.scope(document, *node, (*first, *last));
        let behind = if *last == scope.1 { values_before(&parts, at, scope) } else { None };
        for one in behind.unwrap_or_else(|| values_after(document, &parts, at, scope, ranges, *strong)) {
            given[one] = Some((*word, *leaf));
        }
    }
    let pieces = parts.into_iter().zip(given).filter_map(|(part, given)| {
        let Part::Piece { mut piece, .. } = part else { return None };
        if let (None, Some((word, leaf))) = (piece.label_leaf, given) {
            (piece.label, piece.label_leaf) = (word, Some(leaf));
        }
        Some(piece)
    });
    pieces.collect()
}

/// The short values of a box whose last text is a label.
fn values_before(parts: &[Part], label: usize, scope: (u32, u32)) -> Option<Vec<usize>> {
    let mut values = Vec::new();
    let mut leaves = 0;
    for (at, part) in parts[..label].iter().enumerate().rev() {
        match part {
            Part::Piece { piece, .. } if piece.first() >= scope.0 => {
                leaves += piece.leaves().count();
                values.push(at);
            }
            Part::Label { first, .. } if *first >= scope.0 => return None,
            _ => break,
        }
    }
    (!values.is_empty() && values.len() <= FEW && leaves <= SHORT_BOX / 10).then_some(values)
}

/// What follows a label as far as it reaches: to the next label of its kind, or the end of the element around it.
fn values_after(
    document: &Document,
    parts: &[Part],
    label: usize,
    scope: (u32, u32),
    ranges: &Ranges,
    strong: bool,
) -> Vec<usize> {
    let mut values = Vec::new();
    let own_level = match &parts[label] {
        Part::Label { node, .. } => level(document, *node),
        Part::Piece { .. } => 0,
    };
    for (at, part) in parts.iter().enumerate().skip(label + 1) {
        match part {
            Part::Piece { piece, heading } if piece.first() <= scope.1 => {
                if *heading && level(document, piece.node) <= own_level {
                    break;
                }
                values.push(at);
            }
            Part::Label { first, last, node, .. } if *first <= scope.1 => {
                let own = ranges.scope(document, *node, (*first, *last));
                if own.0 <= scope.0 && own.1 >= scope.1 {
                    break;
                }
            }
            _ => break,
        }
        if !strong {
            break;
        }
    }
    values
}

/// 1 to 6 of a heading, 7 of what is none.
fn level(document: &Document, node: NodeId) -> u8 {
    let mut above = std::iter::successors(Some(node), |&node| document.parent(node)).take(2);
    let heading = above.find_map(|node| document.name(node).strip_prefix('h')?.parse().ok());
    heading.unwrap_or(7)
}

pub fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Elements that an author writes into a text.
pub fn is_flow(name: &str) -> bool {
    matches!(name, "p" | "ul" | "ol" | "li" | "blockquote" | "pre" | "h2" | "h3" | "h4" | "h5" | "h6" | "center")
        || is_inline(name)
}

pub fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "" | "a"
            | "abbr"
            | "acronym"
            | "b"
            | "bdi"
            | "bdo"
            | "big"
            | "br"
            | "cite"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "em"
            | "font"
            | "i"
            | "img"
            | "ins"
            | "kbd"
            | "label"
            | "mark"
            | "nobr"
            | "q"
            | "s"
            | "samp"
            | "small"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "sup"
            | "time"
            | "tt"
            | "u"
            | "var"
            | "wbr"
    )
}
