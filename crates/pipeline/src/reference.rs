//! Where does what is known come from? A name → rows: a CSV or TSV file, a Parquet file, or a table of a database.
//!
//! - [`open`]: whichever it is. - [`read`]: a file. All columns are text. An empty cell and a null are the same: a missing value.

use crate::{Error, columnar};
use pagekin_core::check::Reference;
use pagekin_store::foreign::{Table, cell as cell_of};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// `sqlite:FILE?TABLE`, `postgres://…?table=TABLE`, or the name of a file.
pub async fn open(name: &str) -> Result<Reference, Error> {
    let Some(table) = Table::parse(name) else { return read(Path::new(name)) };
    let table = table?;
    let told = |error: pagekin_store::Error| {
        let reason = error.to_string().lines().next().unwrap_or_default().to_owned();
        Error::ReferenceTable { table: table.table.clone(), reason }
    };
    let mut rows = table.rows(PATIENCE).await.map_err(told)?;
    let columns = rows.columns.len();
    let mut reference = Reference::new(rows.columns.clone());
    while let Some(some) = rows.next().await.map_err(told)? {
        for row in &some {
            let cells: Vec<String> = (0..columns).map(|at| cell_of(row, at)).collect();
            grown(Path::new(&table.table), reference.push(cells.iter().map(String::as_str)))?;
        }
    }
    Ok(reference)
}

/// By the ending of the file.
pub fn read(path: &Path) -> Result<Reference, Error> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
    match ending.as_str() {
        "csv" => separated(path, b','),
        "tsv" => separated(path, b'\t'),
        "parquet" => columnar::read_reference(path),
        _ => Err(Error::ReferenceKind { name: path.display().to_string() }),
    }
}

pub(crate) fn opened(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|error| Error::Reference { name: path.display().to_string(), reason: error.to_string() })
}

fn separated(path: &Path, by: u8) -> Result<Reference, Error> {
    let told = |error: csv::Error| Error::Reference { name: path.display().to_string(), reason: error.to_string() };
    let mut reader = csv::ReaderBuilder::new().delimiter(by).flexible(true).from_reader(opened(path)?);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let header = reader.byte_headers().map_err(told)?;
    // Spreadsheets begin a file with a mark.
    let names = header.iter().map(|name| text(name).trim_start_matches('\u{feff}').trim().to_owned());
    let mut reference = Reference::new(names.collect());
    if reference.columns.iter().all(String::is_empty) {
        let reason = "it has no header: no line with the names of its columns".to_owned();
        return Err(Error::Reference { name: path.display().to_string(), reason });
    }
    let mut row = csv::ByteRecord::new();
    while reader.read_byte_record(&mut row).map_err(told)? {
        let cells: Vec<_> = row.iter().map(String::from_utf8_lossy).collect();
        grown(path, reference.push(cells.iter().map(AsRef::as_ref)))?;
    }
    Ok(reference)
}

pub(crate) fn grown(path: &Path, fits: bool) -> Result<(), Error> {
    let reason = "a column holds more than 4 GB".to_owned();
    if fits { Ok(()) } else { Err(Error::Reference { name: path.display().to_string(), reason }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separated_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.csv");
        std::fs::write(&path, "\u{feff}code,name\r\nH1,\"Zenadol, forte\"\r\nH2\r\n").unwrap();
        let reference = read(&path).unwrap();
        assert_eq!((reference.columns.as_slice(), reference.rows()), (&["code".to_owned(), "name".to_owned()][..], 2));
        assert_eq!((reference.cell(0, 1), reference.cell(1, 1)), ("Zenadol, forte", ""));
    }

    #[test]
    #[cfg(feature = "parquet")]
    fn columns_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.parquet");
        let rows = [vec!["H1".to_owned(), "Zenadol".to_owned()], vec!["H2".to_owned(), String::new()]];
        std::fs::write(&path, crate::export::parquet_of_words(&["code", "name"], &rows).unwrap()).unwrap();
        let reference = read(&path).unwrap();
        assert_eq!((reference.cell(0, 1), reference.cell(1, 0), reference.cell(1, 1)), ("Zenadol", "H2", ""));
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("empty.csv");
        std::fs::write(&empty, "").unwrap();
        assert!(read(&empty).err().unwrap().to_string().contains("no header"));
        assert!(read(Path::new("list.xls")).err().unwrap().to_string().contains(".csv"));
        assert!(read(Path::new("no-such.csv")).err().unwrap().to_string().contains("no-such.csv"));
    }
}
