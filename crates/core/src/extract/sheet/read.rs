//! What does a page say, as the rules of a table read it? Document, slots → the values of each slot, and the rows of tables within the page.
//!
//! - [`Reader`]: the rules made ready. - [`Read`]: what one slot says.

use super::super::leaves::{Leaves, Steps, leaves, path_hash, word_of};
use super::super::wrapper::Slot;
use super::cut::{Known, Piece, cut};
use super::fields::{Mode, plain, values};
use super::learn::Cuts;
use super::rows::common;
use super::{Rule, Take};
use crate::page::dom::{Document, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

pub struct Reader {
    known: Known,
    /// Slots by the path of their pieces.
    of_path: FxHashMap<u64, Vec<Wanted>>,
}

struct Wanted {
    slot: usize,
    /// None: any.
    labels: Option<FxHashSet<u64>>,
    mode: Mode,
    skip: Vec<String>,
}

/// A value of a slot.
#[derive(Debug, Clone)]
pub struct Read {
    pub slot: usize,
    pub text: String,
    /// The element that holds it.
    pub node: NodeId,
    pub leaf: u32,
    pub label: Option<u32>,
}

impl Reader {
    /// None when no slot is a piece of a page.
    pub fn new(slots: &[Slot], cuts: &Cuts, steps: Steps) -> Option<Self> {
        let mut of_path: FxHashMap<u64, Vec<Wanted>> = FxHashMap::default();
        let rules = slots.iter().enumerate().flat_map(|(at, slot)| slot.pieces.iter().map(move |rule| (at, rule)));
        for (slot, rule) in rules {
            let labels = (!rule.any_label).then(|| labels(rule));
            of_path.entry(path_hash(&rule.path)).or_default().push(Wanted {
                slot,
                labels,
                mode: mode(&rule.take),
                skip: rule.skip.clone(),
            });
        }
        let anchors = cuts.anchors.iter().map(|text| word_of(text)).collect();
        let colons = cuts.colons.iter().map(|path| path_hash(path)).collect();
        let values = cuts.values.iter().map(|path| path_hash(path)).collect();
        let authored = cuts.authored.iter().map(|path| path_hash(path)).collect();
        (!of_path.is_empty()).then_some(Self { known: Known { steps, anchors, colons, values, authored }, of_path })
    }

    /// All values, in the order of the page; not those inside `tables`. `raw`: each text node is a value, whole.
    pub fn read(&self, document: &Document, tables: &FxHashSet<NodeId>, raw: bool) -> (Vec<Read>, Leaves) {
        let page = leaves(document, &self.known.steps);
        let mut found = Vec::new();
        for piece in cut(document, &page, &self.known) {
            let Some(wanted) = self.of_path.get(&piece.path) else { continue };
            if is_inside(document, piece.node, tables) {
                continue;
            }
            for wanted in
                wanted.iter().filter(|wanted| wanted.labels.as_ref().is_none_or(|labels| labels.contains(&piece.label)))
            {
                let mut texts = values(document, &page, &piece, &wanted.mode);
                if raw {
                    texts = nodes(&page, &piece, &wanted.mode, texts);
                }
                let read =
                    |(text, leaf)| Read { slot: wanted.slot, text, node: piece.node, leaf, label: piece.label_leaf };
                let own =
                    texts.into_iter().filter(|(text, _)| wanted.skip.is_empty() || !wanted.skip.contains(&plain(text)));
                found.extend(own.map(read));
            }
        }
        (found, page)
    }
}

/// The text nodes that values are made of.
fn nodes(page: &Leaves, piece: &Piece, mode: &Mode, texts: Vec<(String, u32)>) -> Vec<(String, u32)> {
    let whole = |leaf: u32| (page.list[leaf as usize].text.to_string(), leaf);
    match mode {
        Mode::Texts | Mode::Part(..) => texts.into_iter().map(|(_, leaf)| whole(leaf)).collect(),
        _ => piece.leaves().filter(|&leaf| page.list[leaf as usize].word != 0).map(whole).collect(),
    }
}

/// A rule for pieces without a label takes only those.
fn labels(rule: &Rule) -> FxHashSet<u64> {
    let own = rule.labels.iter().map(|label| word_of(label));
    if rule.labels.is_empty() { FxHashSet::from_iter([0]) } else { own.collect() }
}

fn mode(take: &Take) -> Mode {
    match take {
        Take::Whole => Mode::Whole,
        Take::Joined => Mode::Joined,
        Take::Items => Mode::Items,
        Take::Texts => Mode::Texts,
        Take::Part { path, nth } => Mode::Part(path_hash(path), *nth),
    }
}

fn is_inside(document: &Document, node: NodeId, tables: &FxHashSet<NodeId>) -> bool {
    !tables.is_empty()
        && std::iter::successors(Some(node), |&node| document.parent(node)).any(|node| tables.contains(&node))
}

/// One row: by column, its text.
pub type Row = BTreeMap<String, String>;

/// The rows of one table: a row begins with its first column, or where a column comes again in another element.
pub fn rows(document: &Document, slots: &[Slot], found: &[&Read]) -> Vec<Row> {
    let Some((first, last)) = found.first().zip(found.last()) else { return Vec::new() };
    let around = common(document, first.node, last.node);
    let item = |node: NodeId| {
        std::iter::successors(Some(node), |&at| document.parent(at)).take_while(|at| Some(*at) != around).last()
    };
    let lead = found.iter().map(|read| read.slot).min();
    let mut rows: Vec<(Row, Option<NodeId>)> = Vec::new();
    for read in found {
        let (own, column) = (item(read.node), slots[read.slot].name.rsplit('.').next().unwrap_or_default());
        let fresh =
            rows.last().is_none_or(|(row, node)| (row.contains_key(column) || Some(read.slot) == lead) && *node != own);
        if fresh {
            rows.push((Row::new(), own));
        }
        if let Some((row, node)) = rows.last_mut() {
            row.entry(column.to_owned())
                .and_modify(|text| *text = format!("{text}\n{}", read.text))
                .or_insert_with(|| read.text.clone());
            *node = own;
        }
    }
    rows.into_iter().map(|(row, _)| row).collect()
}
