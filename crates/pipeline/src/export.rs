//! How do other programs get what was found? Rows → lines of JSON, cells of CSV, and with the feature `parquet` Arrow tables and Parquet files.
//!
//! Columns are those of a line of JSON: `url`, `confidence`, `via` (may be null) and `evidence` of entities; `url`, `change`
//! and `via` of changes; `url`, `class` (null when unknown) and `cost` of classified pages. Does not know files.

use pagekin_core::extract::Record;
use pagekin_core::hidden::Sought;
use serde::Serialize;
use std::collections::BTreeMap;

pub use crate::columnar::WordsFile;
#[cfg(feature = "parquet")]
pub use crate::columnar::{
    parquet, parquet_of_changes, parquet_of_classified, parquet_of_findings, parquet_of_records, parquet_of_templates,
    parquet_of_words, table_of_entities, table_of_findings, table_of_records, tables_of_children,
};

/// The column of an attribute. Columns that say where a record comes from begin with one `_`; a name of a page never does.
pub fn column(attribute: &str) -> String {
    if attribute.starts_with('_') { format!("_{attribute}") } else { attribute.to_owned() }
}

/// A cell of CSV that a spreadsheet shows and does not run: what begins like a formula gets a `'`, and what would move the cursor
/// of a terminal is shown as a replacement. Numbers stay numbers.
pub fn harmless(text: &str) -> String {
    let shown = |c: char| if c.is_control() && !matches!(c, '\n' | '\t' | '\r') { '\u{fffd}' } else { c };
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let mark = if formula && text.parse::<f64>().is_err() { "'" } else { "" };
    mark.chars().chain(text.chars().map(shown)).collect()
}

/// As JSON in one line, harmless to a terminal.
pub fn json_line(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value).map(escaped)
}

/// As JSON over many lines, harmless to a terminal.
pub fn json_pretty(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(value).map(escaped)
}

/// Escapes the controls that JSON lets through and a terminal obeys (U+007F to U+009F).
fn escaped(text: String) -> String {
    if !text.contains(|c: char| matches!(c, '\u{7f}'..='\u{9f}')) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\u{7f}'..='\u{9f}' => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The pages that were found by a template, one a line.
pub fn found_lines(sought: &Sought) -> String {
    sought.found.iter().map(|found| found.url.as_str()).collect::<Vec<_>>().join("\n")
}

/// Names of the columns of a table within pages, and its rows: the page, the number of the row on it, and the texts of its columns.
pub type ChildRows = (Vec<String>, Vec<Vec<String>>);

/// The tables within the pages of these records, by name.
pub fn rows_of_children(records: &[Record]) -> BTreeMap<String, ChildRows> {
    let mut tables: BTreeMap<String, ChildRows> = BTreeMap::new();
    let first = || vec!["_url".to_owned(), "_position".to_owned()];
    let rows = records.iter().flat_map(|record| &record.children);
    for (name, row) in rows.flat_map(|(name, rows)| rows.iter().map(move |row| (name, row))) {
        let (columns, _) = tables.entry(name.clone()).or_insert_with(|| (first(), Vec::new()));
        for column in row.keys() {
            if !columns[2..].contains(column) {
                columns.push(column.clone());
            }
        }
    }
    for record in records {
        for (name, rows) in &record.children {
            let Some((columns, all)) = tables.get_mut(name) else { continue };
            for (at, row) in rows.iter().enumerate() {
                let cells = columns[2..].iter().map(|column| row.get(column).cloned().unwrap_or_default());
                all.push([record.url.to_string(), (at + 1).to_string()].into_iter().chain(cells).collect());
            }
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_harmless_and_numbers_are_numbers() {
        for (text, expected) in [
            ("=cmd()", "'=cmd()"),
            ("+49 30 1", "'+49 30 1"),
            ("-2.5", "-2.5"),
            ("-x", "'-x"),
            ("＝1", "'＝1"),
            ("fine", "fine"),
            ("a\u{1b}[2J\u{9b}", "a\u{fffd}[2J\u{fffd}"),
        ] {
            assert_eq!(harmless(text), expected);
        }
    }
}
