//! How are tables within pages written beside a file of records? Records, the file → one file more for each table: the page, the number of the
//! row on it, and its columns.

use crate::files;
use crate::output::quoted;
use anyhow::Result;
use pagekin::extract::Record;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Names of the columns, and rows of texts under them.
type Child = (Vec<String>, Vec<Vec<String>>);

/// `drivers.csv` → `drivers.seasons.csv`.
pub fn write_csv(path: &Path, records: &[Record]) -> Result<()> {
    for (name, (columns, rows)) in tables(records) {
        files::write(&beside(path, &name), |out| {
            for row in std::iter::once(&columns).chain(&rows) {
                let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
                write!(out, "{}\r\n", cells.join(","))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

pub fn write_parquet(path: &Path, records: &[Record]) -> Result<()> {
    for (name, (columns, rows)) in tables(records) {
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let bytes = pagekin::export::parquet_of_words(&columns, &rows)?;
        files::write(&beside(path, &name), |out| Ok(out.write_all(&bytes)?))?;
    }
    Ok(())
}

/// The file of a table; its name is a page's, so that only letters and digits of it are kept.
pub fn beside(path: &Path, table: &str) -> PathBuf {
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let table: String = table.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).take(80).collect();
    path.with_extension(format!("{table}.{ending}"))
}

fn tables(records: &[Record]) -> BTreeMap<String, Child> {
    let mut tables: BTreeMap<String, Child> = BTreeMap::new();
    let first = || vec!["_url".to_owned(), "_position".to_owned()];
    for (name, row) in records
        .iter()
        .flat_map(|record| &record.children)
        .flat_map(|(name, rows)| rows.iter().map(move |row| (name, row)))
    {
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
    fn rows_keep_their_cells_together() {
        let row = |cells: &[(&str, &str)]| {
            cells.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
        };
        let record = Record {
            url: "http://s/1".parse().unwrap(),
            class: "class-1".to_owned(),
            attributes: BTreeMap::new(),
            children: BTreeMap::from([(
                "seasons".to_owned(),
                vec![row(&[("year", "1969")]), row(&[("pos", "8"), ("year", "1970")])],
            )]),
            evidence: BTreeMap::new(),
        };
        let tables = tables(&[record]);
        let (columns, rows) = &tables["seasons"];
        assert_eq!(columns, &["_url", "_position", "year", "pos"]);
        assert_eq!(rows, &[vec!["http://s/1", "1", "1969", ""], vec!["http://s/1", "2", "1970", "8"]]);
        assert_eq!(beside(Path::new("a/drivers.csv"), "seasons"), Path::new("a/drivers.seasons.csv"));
    }
}
