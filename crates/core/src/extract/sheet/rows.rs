//! Which fields are columns of one table within the page? Fields that come several times on a page → groups that share their rows.
//!
//! - [`Rows`]: a table: its fields, and the element around its rows.
//!
//! Rows are what repeats in one element: fields whose texts stand in the same one belong together. A list of paragraphs is one text, and a list that
//! stands alone is a field with several values.

use super::fields::{Field, Mode, Pages, skip_fixed};
use crate::page::dom::{Document, NodeId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
pub struct Rows {
    /// Numbers of the fields.
    pub fields: Vec<usize>,
}

/// The tables among these fields. Lists of paragraphs become one text.
pub fn rows(pages: &Pages, fields: &mut [Field], left: &[usize]) -> Vec<Rows> {
    let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for &at in left.iter().filter(|&&at| fields[at].many) {
        if let Some(path) = container(pages, &fields[at]) {
            groups.entry(path).or_default().push(at);
        }
    }
    let mut tables = Vec::new();
    let groups: Vec<Vec<usize>> = groups.into_values().flat_map(|group| interleaved(fields, group)).collect();
    for group in groups {
        if group.len() > 1 {
            tables.push(Rows { fields: group });
        } else if is_text(pages, &fields[group[0]]) {
            fields[group[0]].mode = Mode::Joined;
            fields[group[0]].many = false;
        } else {
            skip_fixed(&mut fields[group[0]], &pages.titles);
        }
    }
    tables.sort_by_key(|table| table.fields[0]);
    tables
}

/// Columns of one table take turns, row by row, each with most of the others; sections of a text stand behind each other, and are none of one
/// table.
fn interleaved(fields: &[Field], group: Vec<usize>) -> Vec<Vec<usize>> {
    let mut tables: Vec<Vec<usize>> = Vec::new();
    for at in group {
        let belongs = |table: &&mut Vec<usize>| {
            table.iter().filter(|&&other| take_turns(&fields[at], &fields[other])).count() * 2 > table.len()
        };
        match tables.iter_mut().find(belongs) {
            Some(table) => table.push(at),
            None => tables.push(vec![at]),
        }
    }
    tables
}

/// Of the pages that have several pieces of both, this share tells whether they take turns. Set by hand.
const TURNS: f64 = 0.5;

fn take_turns(one: &Field, other: &Field) -> bool {
    let both = || one.cells.iter().zip(&other.cells).filter(|(one, other)| !one.is_empty() && !other.is_empty());
    let turns = |rows: usize| {
        let pages = both().filter(|(one, other)| one.len().min(other.len()) >= rows && one.len().max(other.len()) > 1);
        pages.fold((0, 0), |(pages, turns), (one, other)| {
            let meet = one[0].piece <= other[other.len() - 1].piece && other[0].piece <= one[one.len() - 1].piece;
            (pages + 1, turns + usize::from(meet))
        })
    };
    let (pages, turns) = Some(turns(2)).filter(|(pages, _)| *pages > 0).unwrap_or_else(|| turns(1));
    pages > 0 && turns as f64 >= f64::from(pages) * TURNS
}

/// The path of the element that holds all pieces of a field, on most pages.
fn container(pages: &Pages, field: &Field) -> Option<u64> {
    let mut times: FxHashMap<u64, usize> = FxHashMap::default();
    for (page, cells) in field.cells.iter().enumerate().filter(|(_, cells)| cells.len() > 1) {
        let document = &pages.class.documents[page];
        let node = |at: usize| pages.pieces[page][cells[at].piece as usize].node;
        if let Some(common) = common(document, node(0), node(cells.len() - 1)) {
            let mut paths = super::super::leaves::Paths::new(document, &pages.class.template.steps);
            *times.entry(paths.of(common)).or_default() += 1;
        }
    }
    times.into_iter().max_by_key(|(path, times)| (*times, *path)).map(|(path, _)| path)
}

/// The lowest element that holds both.
pub fn common(document: &Document, one: NodeId, other: NodeId) -> Option<NodeId> {
    let above = |node| std::iter::successors(Some(node), |&at| document.parent(at));
    let holds: Vec<NodeId> = above(other).collect();
    let own = above(one).find(|node| holds.contains(node));
    if one == other { document.parent(one) } else { own }
}

/// Are its pieces paragraphs?
fn is_text(pages: &Pages, field: &Field) -> bool {
    let Some((page, cell)) = field.sample() else { return false };
    let document = &pages.class.documents[page];
    let name = document.name(pages.pieces[page][cell.piece as usize].node);
    field.mode == Mode::Whole && (field.is_prose() || matches!(name, "p" | "blockquote" | "pre"))
}
