//! How are tables within pages written beside a file of records? Records, the file → one file more for each table: the page, the number of the
//! row on it, and its columns.

use crate::files;
use crate::output::{bom, quoted};
use anyhow::Result;
use pagekin::export::rows_of_children;
use pagekin::extract::Record;
use std::path::{Path, PathBuf};

/// `drivers.csv` → `drivers.seasons.csv`.
pub fn write_csv(path: &Path, records: &[Record]) -> Result<()> {
    for (name, (columns, rows)) in rows_of_children(records) {
        files::write(&beside(path, &name), |out| {
            write!(out, "{}", bom())?;
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
    for (name, (columns, rows)) in rows_of_children(records) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

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
        let tables = rows_of_children(&[record]);
        let (columns, rows) = &tables["seasons"];
        assert_eq!(columns, &["_url", "_position", "year", "pos"]);
        assert_eq!(rows, &[vec!["http://s/1", "1", "1969", ""], vec!["http://s/1", "2", "1970", "8"]]);
        assert_eq!(beside(Path::new("a/drivers.csv"), "seasons"), Path::new("a/drivers.seasons.csv"));
    }
}
