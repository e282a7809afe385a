//! How does what a person looks at become a file? A view of a data set, with its columns and their names → bytes, a page at a time.
//!
//! - [`Shown`]: a view and its columns. - [`Format`]: of the file. - [`ViewFile`]: gives the bytes, batch by batch.
//!
//! Memory holds one batch, but for Parquet, whose file is made whole; rows of xlsx go to temporary files.

use crate::Error;
use crate::export::{WordsFile, column, harmless};
use crate::xlsx::{Cell, Workbook};
use pagekin_core::extract::value::Typed;
use pagekin_store::Store;
use pagekin_store::screen::{SeenRecord, View};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Records read at a time.
const BATCH: usize = 1000;

#[derive(Debug, Clone)]
pub struct Shown {
    pub view: View,
    /// Attributes in the order they are shown, with the names they are shown under.
    pub columns: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Csv,
    JsonLines,
    Parquet,
    Xlsx,
}

impl Format {
    pub const ALL: [Self; 4] = [Self::Csv, Self::JsonLines, Self::Parquet, Self::Xlsx];

    /// The ending of a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
            Self::Xlsx => "xlsx",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::JsonLines => "application/jsonl",
            Self::Parquet => "application/vnd.apache.parquet",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        }
    }
}

pub struct ViewFile {
    store: Store,
    shown: Shown,
    format: Format,
    began: bool,
    ended: bool,
    parquet: Option<WordsFile<Vec<u8>>>,
    book: Option<Workbook>,
}

impl ViewFile {
    pub fn new(store: Store, shown: Shown, format: Format) -> Self {
        Self { store, shown, format, began: false, ended: false, parquet: None, book: None }
    }

    fn header(&self) -> Vec<String> {
        let columns = self.shown.columns.iter().map(|(_, name)| column(name));
        ["_url", "_record"].map(str::to_owned).into_iter().chain(columns).collect()
    }

    /// The next bytes of the file; none at its end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Error> {
        if self.ended {
            return Ok(None);
        }
        let view = View { limit: BATCH, ..self.shown.view.clone() };
        let records = self.store.view(&view).await?;
        self.ended = records.len() < BATCH;
        self.shown.view.after = records.last().and_then(|record| record.cursor.clone());
        let first = !std::mem::replace(&mut self.began, true);
        match self.format {
            Format::Csv => self.csv(first, &records).map(Some),
            Format::JsonLines => self.lines(&records).map(Some),
            Format::Parquet => self.parquet(first, &records).map(Some),
            Format::Xlsx => self.xlsx(first, &records).map(Some),
        }
    }

    fn cells(&self, record: &SeenRecord) -> Vec<String> {
        let mut cells = vec![record.url.clone(), record.nth.to_string()];
        cells.extend(self.shown.columns.iter().map(|(attribute, _)| joined(record, attribute)));
        cells
    }

    fn csv(&self, first: bool, records: &[SeenRecord]) -> Result<Vec<u8>, Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let wrong = |error: csv::Error| Error::Columns(error.to_string());
        if first {
            writer.write_record(self.header().iter().map(|name| harmless(name))).map_err(wrong)?;
        }
        for record in records {
            writer.write_record(self.cells(record).iter().map(|cell| harmless(cell))).map_err(wrong)?;
        }
        writer.into_inner().map_err(|error| Error::Columns(error.to_string()))
    }

    fn lines(&self, records: &[SeenRecord]) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        for record in records {
            let mut line = Map::new();
            line.insert("_url".to_owned(), json!(record.url));
            line.insert("_record".to_owned(), json!(record.nth));
            for (attribute, name) in &self.shown.columns {
                let values = record.attributes.get(attribute).map_or(Value::Null, |values| json!(values));
                line.insert(column(name), values);
            }
            serde_json::to_writer(&mut out, &line).map_err(Error::NotSpec)?;
            out.push(b'\n');
        }
        Ok(out)
    }

    fn parquet(&mut self, first: bool, records: &[SeenRecord]) -> Result<Vec<u8>, Error> {
        if first {
            self.parquet = Some(WordsFile::start(Vec::new(), &self.header())?);
        }
        let rows: Vec<Vec<String>> = records.iter().map(|record| self.cells(record)).collect();
        let Some(mut file) = self.parquet.take() else { return Ok(Vec::new()) };
        if !rows.is_empty() {
            file.write(&rows)?;
        }
        if self.ended {
            return file.finish();
        }
        self.parquet = Some(file);
        Ok(Vec::new())
    }

    fn xlsx(&mut self, first: bool, records: &[SeenRecord]) -> Result<Vec<u8>, Error> {
        if first {
            self.book = Some(Workbook::start(&[("records".to_owned(), self.header())])?);
        }
        let Some(mut book) = self.book.take() else { return Ok(Vec::new()) };
        for record in records {
            let own = [Cell::link(&record.url), Cell::Number(record.nth as f64, String::new())];
            let values = self.shown.columns.iter().map(|(attribute, _)| typed(record, attribute));
            book.write(0, own.into_iter().chain(values).collect())?;
        }
        let mut bytes = Vec::new();
        if self.ended {
            book.finish(&mut bytes)?;
        } else {
            self.book = Some(book);
        }
        Ok(bytes)
    }
}

/// One value is of its type, several are text.
fn typed(record: &SeenRecord, attribute: &str) -> Cell {
    let one = record.attributes.get(attribute).is_some_and(|values| values.len() == 1);
    let typed = record.evidence.get(attribute).and_then(|evidence| Typed::deserialize(evidence.get("type")?).ok());
    Cell::of(joined(record, attribute), typed.filter(|_| one).as_ref())
}

/// Several values of an attribute in one cell.
pub fn joined(record: &SeenRecord, attribute: &str) -> String {
    record.attributes.get(attribute).map(|values| values.join("; ")).unwrap_or_default()
}
