//! Which tables of a page are tables of data, and what are their columns? Document → [`Table`]s.
//!
//! - [`Table`]: a header row and rows of the same width. - [`Column`]: how a wrapper names one.
//!
//! A table of data has a first row of header cells only (its corner may be an empty cell), two columns or more, and rows below that are as wide (`colspan` and
//! `rowspan` count) and have no cell under two headers. Tables of labels and values (a header cell in each row), and those that
//! lay a page out, have no such row. Cells keep their rows: an empty cell is an empty value, so that the columns of one table
//! stay side by side.

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
    /// All headers of the table, where tables of one path differ; none: any.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub headers: Vec<String>,
}

impl Column {
    /// Is it one of the table with this path and these headers?
    pub fn is_of(&self, path: &str, headers: &[String]) -> bool {
        self.table == path && (self.headers.is_empty() || self.headers == headers)
    }
}

#[derive(Debug, Clone)]
pub struct Table {
    pub node: NodeId,
    /// As labels are written.
    pub headers: Vec<String>,
    /// The cells under each header.
    rows: Vec<Vec<Vec<NodeId>>>,
}

/// Longer headers are sentences. Set by hand.
const LONGEST_HEADER: usize = 40;

/// Rows below the header at least.
const FEWEST_ROWS: usize = 1;

/// Rows and tables read of one page: bounds against hostile pages, set by hand.
const MOST_ROWS: usize = 5_000;
const MOST_TABLES: usize = 50;

/// Columns of a table, and rows that one cell reaches down: a bound against hostile pages, set by hand.
const WIDEST: usize = 1_000;

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
    let (headers, grid) = headers(document, *first)?;
    let mut above: Vec<Option<(NodeId, usize)>> = vec![None; grid.len()];
    let rows: Vec<Vec<Vec<NodeId>>> =
        rest.iter().filter_map(|&row| under_headers(document, row, &grid, &mut above)).collect();
    (rows.len() >= FEWEST_ROWS && rows.len() * 2 > rest.len()).then_some(Table { node, headers, rows })
}

/// The headers, and of each column of the table the number of its header; none when the row is not one of headers.
fn headers(document: &Document, row: NodeId) -> Option<(Vec<String>, Vec<usize>)> {
    let cells = cells(document, row);
    let in_head = document.parent(row).is_some_and(|above| document.name(above) == "thead");
    // The corner above labels of rows, or above numbers of rows, is often no header cell.
    let is_corner = |at: usize, cell: NodeId| at == 0 && text(document, cell).is_empty();
    let mut numbered = cells.iter().enumerate();
    let all = numbered.all(|(at, &cell)| in_head || document.name(cell) == "th" || is_corner(at, cell));
    if cells.len() < 2 || !all {
        return None;
    }
    let headers: Vec<String> = cells.iter().map(|&cell| label_of(&text(document, cell))).collect();
    let short = headers.iter().all(|header| header.len() <= LONGEST_HEADER);
    let widths =
        cells.iter().enumerate().flat_map(|(at, &cell)| std::iter::repeat_n(at, span(document, cell, "colspan")));
    let grid: Vec<usize> = widths.take(WIDEST).collect();
    (short && headers.iter().filter(|header| !header.is_empty()).count() >= 2).then_some((headers, grid))
}

/// The cells of a row under each header, with those of rows above that reach down to it; none when it is not as wide as the headers,
/// or a cell stands under two of them.
fn under_headers(
    document: &Document,
    row: NodeId,
    grid: &[usize],
    above: &mut [Option<(NodeId, usize)>],
) -> Option<Vec<Vec<NodeId>>> {
    let cells = cells(document, row);
    let mut own = cells.iter().copied();
    let mut line: Vec<NodeId> = Vec::with_capacity(grid.len());
    while line.len() < grid.len() {
        let at = line.len();
        if let Some((cell, left)) = above[at] {
            above[at] = (left > 1).then_some((cell, left - 1));
            line.push(cell);
            continue;
        }
        let Some(cell) = own.next() else { break };
        let end = at + span(document, cell, "colspan");
        if end > grid.len() || grid[at..end].iter().any(|header| *header != grid[at]) {
            break;
        }
        let down = span(document, cell, "rowspan");
        above[at..end].fill((down > 1).then_some((cell, down - 1)));
        line.resize(end, cell);
    }
    if line.len() < grid.len() || own.next().is_some() || cells.iter().all(|&cell| document.name(cell) != "td") {
        above.fill(None);
        return None;
    }
    let mut under: Vec<Vec<NodeId>> = vec![Vec::new(); grid.last().map_or(0, |last| last + 1)];
    for (header, cell) in grid.iter().zip(line) {
        if under[*header].last() != Some(&cell) {
            under[*header].push(cell);
        }
    }
    Some(under)
}

fn cells(document: &Document, row: NodeId) -> Vec<NodeId> {
    document.children(row).filter(|&cell| matches!(document.name(cell), "td" | "th")).collect()
}

/// How many columns or rows a cell takes.
fn span(document: &Document, cell: NodeId, name: &str) -> usize {
    let said = document.attribute(cell, name).and_then(|span| span.trim().parse().ok());
    said.unwrap_or(1).clamp(1, WIDEST)
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

    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The number of a column.
    pub fn column(&self, header: &str) -> Option<usize> {
        self.headers.iter().position(|own| own == header)
    }

    pub fn values(&self, document: &Document, column: usize) -> Vec<String> {
        let joined = |cells: &Vec<NodeId>| {
            let texts = cells.iter().map(|&cell| text(document, cell)).filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join(" ")
        };
        self.rows.iter().map(|row| joined(&row[column])).collect()
    }
}
