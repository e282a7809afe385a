//! How does what a person looks at become a file? A view of a data set, with its columns and their names → bytes, a page at a time.
//!
//! - [`Shown`]: a view and its columns. - [`Format`]: of the file. - [`ViewFile`]: gives the bytes, batch by batch.
//!
//! Tables within the pages stand in the lines of JSON and on sheets of their own in xlsx; CSV and Parquet have one table, so that each of those
//! is a file of its own ([`Shown::only`]).
//!
//! Memory holds one batch, but for Parquet, whose file is made whole; rows of xlsx go to temporary files.

use crate::Error;
use crate::about::About;
use crate::columnar::WordsFile;
use crate::export::{column, harmless};
use crate::privacy::Guard;
use crate::xlsx::{Cell, Workbook};
use pagekin_core::extract::value::Typed;
use pagekin_store::Store;
use pagekin_store::dataset::Choice;
use pagekin_store::screen::{SeenRecord, View};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::io::Write;

/// Records read at a time.
const BATCH: usize = 1000;

/// A view and its columns.
#[derive(Debug, Clone)]
pub struct Shown {
    /// Which records, in which order.
    pub view: View,
    /// Attributes in the order they are shown, with the names they are shown under.
    pub columns: Vec<(String, String)>,
    /// Tables within the pages, with their columns.
    pub children: Vec<(String, Vec<String>)>,
    /// The rows of this table, instead of the records.
    pub only: Option<String>,
    /// What of people is not shown.
    pub guard: Guard,
}

impl Shown {
    /// The columns of the table that is asked for instead of the records.
    fn only(&self) -> Option<&(String, Vec<String>)> {
        let only = self.only.as_ref()?;
        self.children.iter().find(|(table, _)| table == only)
    }
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A table as text.
    Csv,
    /// An object a line.
    JsonLines,
    /// Columns.
    Parquet,
    /// A spreadsheet.
    Xlsx,
}

impl Format {
    /// All of them.
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

    /// By the ending of a file.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// As HTTP names it.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::JsonLines => "application/jsonl",
            Self::Parquet => "application/vnd.apache.parquet",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        }
    }
}

/// A file being made of a view.
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
    /// Nothing is read yet.
    pub fn new(store: Store, shown: Shown, format: Format) -> Self {
        Self { store, shown, format, began: false, ended: false, parquet: None, book: None }
    }

    fn header(&self) -> Vec<String> {
        match self.shown.only() {
            Some((_, columns)) => child_header(columns),
            None => {
                let columns = self.shown.columns.iter().map(|(_, name)| column(name));
                ["_url", "_record"].map(str::to_owned).into_iter().chain(columns).collect()
            }
        }
    }

    /// The next bytes of the file; none at its end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Error> {
        if self.ended {
            return Ok(None);
        }
        // What a value is, and where it stood, is needed for cells with a type and for what is masked.
        let bare = self.format != Format::Xlsx && !self.shown.guard.shows_less();
        let view = View { limit: BATCH, bare, ..self.shown.view.clone() };
        let mut records = self.store.view(&view).await?;
        for record in &mut records {
            self.shown.guard.show(&mut record.attributes, &mut record.evidence);
        }
        self.ended = records.len() < BATCH;
        self.shown.view.after = records.last().and_then(|record| record.cursor.clone());
        let first = !std::mem::replace(&mut self.began, true);
        match self.format {
            Format::Csv => self.csv(first, &records).map(Some),
            Format::JsonLines => self.lines(&records).map(Some),
            Format::Parquet => self.parquet(first, &records).map(Some),
            Format::Xlsx => {
                let of_class = Choice { class_id: Some(self.shown.view.class), ..Choice::default() };
                let about = if self.ended { About::of(&self.store, &of_class).await? } else { About::default() };
                self.xlsx(first, &records, &about).map(Some)
            }
        }
    }

    /// The rows of a record: one, or those of the table that is asked for.
    fn rows(&self, record: &SeenRecord) -> Vec<Vec<String>> {
        if let Some((table, columns)) = self.shown.only() {
            return child_rows(record, table, columns);
        }
        let mut cells = vec![record.url.clone(), record.nth.to_string()];
        cells.extend(self.shown.columns.iter().map(|(attribute, _)| joined(record, attribute)));
        vec![cells]
    }

    fn csv(&self, first: bool, records: &[SeenRecord]) -> Result<Vec<u8>, Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let wrong = |error: csv::Error| Error::Columns(error.to_string());
        if first {
            writer.write_record(self.header().iter().map(|name| harmless(name))).map_err(wrong)?;
        }
        for row in records.iter().flat_map(|record| self.rows(record)) {
            writer.write_record(row.iter().map(|cell| harmless(cell))).map_err(wrong)?;
        }
        writer.into_inner().map_err(|error| Error::Columns(error.to_string()))
    }

    fn lines(&self, records: &[SeenRecord]) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        if self.shown.only().is_some() {
            let header = self.header();
            for row in records.iter().flat_map(|record| self.rows(record)) {
                let line: Map<String, Value> = header.iter().cloned().zip(row.into_iter().map(Value::from)).collect();
                writeln!(out, "{}", Value::Object(line)).map_err(Error::Write)?;
            }
            return Ok(out);
        }
        for record in records {
            let mut line = Map::new();
            line.insert("_url".to_owned(), json!(record.url));
            line.insert("_record".to_owned(), json!(record.nth));
            for (attribute, name) in &self.shown.columns {
                let values = record.attributes.get(attribute).map_or(Value::Null, |values| json!(values));
                line.insert(column(name), values);
            }
            for (table, columns) in &self.shown.children {
                let row = |row: Vec<String>| {
                    let cells = columns.iter().zip(row.into_iter().skip(3)).filter(|(_, text)| !text.is_empty());
                    Value::Object(cells.map(|(name, text)| (name.clone(), text.into())).collect())
                };
                let rows: Vec<Value> = child_rows(record, table, columns).into_iter().map(row).collect();
                line.insert(column(table), json!(rows));
            }
            writeln!(out, "{}", Value::Object(line)).map_err(Error::Write)?;
        }
        Ok(out)
    }

    fn parquet(&mut self, first: bool, records: &[SeenRecord]) -> Result<Vec<u8>, Error> {
        if first {
            self.parquet = Some(WordsFile::start(Vec::new(), &self.header())?);
        }
        let rows: Vec<Vec<String>> = records.iter().flat_map(|record| self.rows(record)).collect();
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

    fn sheets(&self) -> Vec<(String, Vec<String>)> {
        let first = self.shown.only.clone().unwrap_or_else(|| "records".to_owned());
        let children = self.shown.children.iter().filter(|_| self.shown.only.is_none());
        let sheet = |(table, columns): &(String, Vec<String>)| (table.clone(), child_header(columns));
        std::iter::once((first, self.header())).chain(children.map(sheet)).collect()
    }

    fn write_record(&self, book: &mut Workbook, record: &SeenRecord) -> Result<(), Error> {
        let count = |number: f64| Cell::Number(number, String::new());
        let tables: Vec<(usize, &(String, Vec<String>))> = match self.shown.only() {
            Some(only) => vec![(0, only)],
            None => (1..).zip(&self.shown.children).collect(),
        };
        if self.shown.only.is_none() {
            let own = [Cell::link(&record.url), count(record.nth as f64)];
            let values = self.shown.columns.iter().map(|(attribute, _)| typed(record, attribute));
            book.write(0, own.into_iter().chain(values).collect())?;
        }
        for (at, (table, columns)) in tables {
            for (position, row) in (1..).zip(child_rows(record, table, columns)) {
                let own = [Cell::link(&record.url), count(record.nth as f64), count(f64::from(position))];
                book.write(at, own.into_iter().chain(row.into_iter().skip(3).map(Cell::of_text)).collect())?;
            }
        }
        Ok(())
    }

    fn xlsx(&mut self, first: bool, records: &[SeenRecord], about: &About) -> Result<Vec<u8>, Error> {
        if first {
            self.book = Some(Workbook::start(&self.sheets())?);
        }
        let Some(mut book) = self.book.take() else { return Ok(Vec::new()) };
        for record in records {
            self.write_record(&mut book, record)?;
        }
        let mut bytes = Vec::new();
        if self.ended {
            book.finish(about, &mut bytes)?;
        } else {
            self.book = Some(book);
        }
        Ok(bytes)
    }
}

fn child_header(columns: &[String]) -> Vec<String> {
    let own = ["_url", "_record", "_position"].map(str::to_owned).into_iter();
    own.chain(columns.iter().map(|name| column(name))).collect()
}

/// The rows of a table within the page: address, number of the record, place of the row from 1, then its cells.
fn child_rows(record: &SeenRecord, table: &str, columns: &[String]) -> Vec<Vec<String>> {
    let values: Vec<Option<&Vec<String>>> =
        columns.iter().map(|column| record.attributes.get(&format!("{table}.{column}"))).collect();
    let rows = values.iter().flatten().map(|values| values.len()).max().unwrap_or(0);
    let row = |at: usize| {
        let own = [record.url.clone(), record.nth.to_string(), (at + 1).to_string()].into_iter();
        own.chain(values.iter().map(|own| own.and_then(|own| own.get(at)).cloned().unwrap_or_default())).collect()
    };
    (0..rows).map(row).collect()
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
