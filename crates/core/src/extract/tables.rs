//! Which tables of a page are tables of data, and what are their columns? Document → [`Table`]s.
//!
//! - [`Table`]: a header row and rows of as many cells. - [`Column`]: how a wrapper names one.
//!
//! A table of data has a first row of header cells only, two columns or more, and rows below that have as many cells. Tables
//! of labels and values (a header cell in each row), and those that lay a page out, have no such row. Cells keep their
//! rows: an empty cell is an empty value, so that the columns of one table stay side by side.

use super::leaves::{Steps, label_of};
use crate::page::dom::{Document, NodeId};
use serde::{Deserialize, Serialize};

/// A column of a wrapper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Path of the table.
    pub table: String,
    /// As labels are written.
    pub header: String,
}

#[derive(Debug, Clone)]
pub struct Table {
    pub node: NodeId,
    /// As labels are written.
    pub headers: Vec<String>,
    pub rows: Vec<Vec<NodeId>>,
}

/// Longer headers are sentences. Set by hand.
const LONGEST_HEADER: usize = 40;

/// Rows below the header at least: one row may be a label and its value.
const FEWEST_ROWS: usize = 2;

/// Rows and tables read of one page: bounds against hostile pages, set by hand.
const MOST_ROWS: usize = 5_000;
const MOST_TABLES: usize = 50;

/// Those that hold no table themselves.
pub fn tables(document: &Document) -> Vec<Table> {
    tables_where(document, |_| true)
}

/// Only those whose element is asked for.
pub fn tables_where(document: &Document, mut asked: impl FnMut(NodeId) -> bool) -> Vec<Table> {
    let named = document.descendants(Document::ROOT).filter(|&node| document.name(node) == "table" && asked(node));
    named.filter_map(|node| table(document, node)).take(MOST_TABLES).collect()
}

fn table(document: &Document, node: NodeId) -> Option<Table> {
    let mut rows: Vec<NodeId> = Vec::new();
    for below in document.descendants(node).filter(|&below| below != node) {
        match document.name(below) {
            "table" => return None,
            "tr" if rows.len() < MOST_ROWS => rows.push(below),
            _ => {}
        }
    }
    let (first, rest) = rows.split_first()?;
    let headers = headers(document, *first)?;
    let rows: Vec<Vec<NodeId>> = rest
        .iter()
        .map(|&row| cells(document, row))
        .filter(|cells| {
            cells.len() == headers.len()
                && cells.iter().any(|&cell| document.name(cell) == "td")
                && single(document, cells)
        })
        .collect();
    (rows.len() >= FEWEST_ROWS && rows.len() * 2 > rest.len()).then_some(Table { node, headers, rows })
}

/// None when the row is not one of headers.
fn headers(document: &Document, row: NodeId) -> Option<Vec<String>> {
    let cells = cells(document, row);
    let in_head = document.parent(row).is_some_and(|above| document.name(above) == "thead");
    let all = cells.iter().all(|&cell| in_head || document.name(cell) == "th");
    if cells.len() < 2 || !all || !single(document, &cells) {
        return None;
    }
    let headers: Vec<String> = cells.iter().map(|&cell| label_of(&text(document, cell))).collect();
    let short = headers.iter().all(|header| header.len() <= LONGEST_HEADER);
    (short && headers.iter().filter(|header| !header.is_empty()).count() >= 2).then_some(headers)
}

fn cells(document: &Document, row: NodeId) -> Vec<NodeId> {
    document.children(row).filter(|&cell| matches!(document.name(cell), "td" | "th")).collect()
}

fn single(document: &Document, cells: &[NodeId]) -> bool {
    cells.iter().all(|&cell| document.attribute(cell, "colspan").is_none_or(|span| span.trim() == "1"))
}

/// All text of a cell, white space folded.
pub fn text(document: &Document, cell: NodeId) -> String {
    let mut words: Vec<&str> = Vec::new();
    for node in document.descendants(cell) {
        if let Some(text) = document.text(node) {
            words.extend(text.split_whitespace());
        }
    }
    words.join(" ")
}

impl Table {
    pub fn written(&self, document: &Document, steps: &Steps) -> String {
        steps.written(document, self.node)
    }

    /// The number of a column.
    pub fn column(&self, header: &str) -> Option<usize> {
        self.headers.iter().position(|own| own == header)
    }

    pub fn values(&self, document: &Document, column: usize) -> Vec<String> {
        self.rows.iter().map(|row| text(document, row[column])).collect()
    }
}
