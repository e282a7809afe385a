//! How does what was found look in columns? Rows → Arrow tables and Parquet files, and such files → rows.
//!
//! - [`WordsFile`], [`ParquetFile`]: files, batch by batch. - `table_of_…`: Arrow tables; `parquet_of_…`: the same as the bytes of a file.
//! - [`read_reference`]: what is known. - [`read_index`]: where the records of a crawl are.
//!
//! Packed with zstd. The same rows give the same bytes. Behind the feature `parquet`; a build without it has `without_parquet.rs` here.

mod dataset;
mod index;
mod reference;

pub use dataset::ParquetFile;
pub use index::read_index;
pub(crate) use index::{take, text};
pub use reference::read_reference;

use crate::Error;
use crate::change::Change;
use crate::export::{ChildRows, column, found_lines, rows_of_children};
use crate::typed::ColumnTypes;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use dataset::{array, field};
use pagekin_core::check::Finding;
use pagekin_core::discover::Entity;
use pagekin_core::extract::{Record, value};
use pagekin_core::hidden::Sought;
use pagekin_core::model::Classified;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Arc;
use url::Url;

impl From<ParquetError> for Error {
    fn from(error: ParquetError) -> Self {
        Self::Parquet(error.to_string())
    }
}

fn packed_writer<W: Write + Send>(out: W, schema: Arc<Schema>) -> Result<ArrowWriter<W>, ParquetError> {
    let packed = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    ArrowWriter::try_new(out, schema, Some(packed))
}

/// The Parquet file of [`table_of_entities`].
pub fn parquet(entities: &[Entity]) -> Result<Vec<u8>, Error> {
    packed_batch(&table_of_entities(entities)?)
}

/// One row an entity page.
pub fn table_of_entities(entities: &[Entity]) -> Result<RecordBatch, Error> {
    let confidence = Float64Array::from_iter_values(entities.iter().map(|entity| entity.confidence));
    named(vec![
        ("url", false, words(entities.iter().map(|entity| entity.url.as_str()))),
        ("confidence", false, Arc::new(confidence)),
        ("via", true, addresses(entities.iter().map(|entity| entity.via.as_ref()))),
        ("evidence", false, words(entities.iter().map(|entity| entity.evidence.as_str()))),
    ])
}

/// One row a change.
pub fn parquet_of_changes(changes: &[Change]) -> Result<Vec<u8>, Error> {
    packed(vec![
        ("url", false, words(changes.iter().map(|change| change.url.as_str()))),
        ("change", false, words(changes.iter().map(|change| change.change.name()))),
        ("via", true, addresses(changes.iter().map(|change| change.via.as_ref()))),
    ])
}

/// One row a template; pages found in one cell, one a line.
pub fn parquet_of_templates(templates: &[Sought]) -> Result<Vec<u8>, Error> {
    let count = |of: fn(&Sought) -> usize| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(templates.iter().map(|sought| of(sought) as u64)))
    };
    let pages: Vec<String> = templates.iter().map(found_lines).collect();
    packed(vec![
        ("template", false, words(templates.iter().map(|sought| sought.template.template.as_str()))),
        ("known", false, count(|sought| sought.template.known.len())),
        ("tried", false, count(|sought| sought.tried)),
        ("found", false, words(pages.iter().map(String::as_str))),
        ("ended", false, words(templates.iter().map(|sought| sought.ended.as_str()))),
    ])
}

/// Rows of text under these names.
pub fn parquet_of_words(names: &[&str], rows: &[Vec<String>]) -> Result<Vec<u8>, Error> {
    let column = |at: usize| words(rows.iter().map(move |row| row.get(at).map_or("", String::as_str)));
    packed(names.iter().enumerate().map(|(at, name)| (*name, false, column(at))).collect())
}

/// Rows of text under these names, batch by batch.
pub struct WordsFile<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
}

impl<W: Write + Send> WordsFile<W> {
    /// A file with these columns.
    pub fn start(out: W, names: &[String]) -> Result<Self, Error> {
        let fields = names.iter().map(|name| Field::new(name, DataType::Utf8, false)).collect::<Vec<_>>();
        let schema = Arc::new(Schema::new(fields));
        Ok(Self { writer: packed_writer(out, schema.clone())?, schema })
    }

    /// Adds rows.
    pub fn write(&mut self, rows: &[Vec<String>]) -> Result<(), Error> {
        let column = |at: usize| words(rows.iter().map(move |row| row.get(at).map_or("", String::as_str)));
        let columns = (0..self.schema.fields().len()).map(column).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(ParquetError::from)?;
        Ok(self.writer.write(&batch)?)
    }

    /// Writes the end, and gives back what was written to.
    pub fn finish(self) -> Result<W, Error> {
        Ok(self.writer.into_inner()?)
    }
}

/// One row a page.
pub fn parquet_of_classified(pages: &[Classified]) -> Result<Vec<u8>, Error> {
    let classes = pages.iter().map(|page| page.class).collect::<UInt32Array>();
    let cost = Float64Array::from_iter_values(pages.iter().map(|page| page.cost));
    packed(vec![
        ("url", false, words(pages.iter().map(|page| page.url.as_str()))),
        ("class", true, Arc::new(classes)),
        ("cost", false, Arc::new(cost)),
    ])
}

/// Bounds are null where rules contradict each other.
pub fn parquet_of_findings(findings: &[Finding]) -> Result<Vec<u8>, Error> {
    packed_batch(&table_of_findings(findings)?)
}

/// One row a finding.
pub fn table_of_findings(findings: &[Finding]) -> Result<RecordBatch, Error> {
    let text = |of: fn(&Finding) -> &str| words(findings.iter().map(of));
    let lower = findings.iter().map(|finding| finding.lower).collect::<Float64Array>();
    let upper = findings.iter().map(|finding| finding.upper).collect::<Float64Array>();
    named(vec![
        ("url", false, text(|finding| finding.url.as_str())),
        ("rule", false, text(|finding| &finding.rule)),
        ("conclusion", false, text(|finding| &finding.conclusion)),
        ("severity", false, text(|finding| finding.severity.name())),
        ("lower", true, Arc::new(lower)),
        ("upper", true, Arc::new(upper)),
        ("because", false, text(|finding| &finding.because)),
    ])
}

/// The Parquet file of [`table_of_records`].
pub fn parquet_of_records(records: &[Record]) -> Result<Vec<u8>, Error> {
    packed_batch(&table_of_records(records)?)
}

/// A column for each attribute, of the type that all its values have ([`typed`](crate::typed)); several values are joined by `; `, and an attribute
/// that a page does not have is null.
pub fn table_of_records(records: &[Record]) -> Result<RecordBatch, Error> {
    let mut types = ColumnTypes::default();
    let typed = |record: &Record, name: &str| record.evidence.get(name).and_then(|evidence| evidence.typed.clone());
    for record in records {
        for (name, values) in &record.attributes {
            types.see(name, values, typed(record, name).as_ref());
        }
    }
    let mut columns = vec![
        (Field::new("_url", DataType::Utf8, false), words(records.iter().map(|record| record.url.as_str()))),
        (Field::new("_class", DataType::Utf8, false), words(records.iter().map(|record| record.class.as_str()))),
    ];
    let names: BTreeSet<&String> = records.iter().flat_map(|record| record.attributes.keys()).collect();
    for name in names {
        let kind = types.of(name);
        let cell = |record: &Record| Some((record.attributes.get(name)?.join("; "), typed(record, name)));
        columns.push((field(&kind, &column(name)), array(&kind, records.iter().map(cell))));
    }
    batch(columns)
}

/// The same as columns, each of the type that all its values have; an empty cell is null.
pub fn tables_of_children(records: &[Record]) -> Result<BTreeMap<String, RecordBatch>, Error> {
    let table = |(name, (columns, rows)): (String, ChildRows)| Ok((name, table_of_child(&columns, &rows)?));
    rows_of_children(records).into_iter().map(table).collect()
}

fn table_of_child(columns: &[String], rows: &[Vec<String>]) -> Result<RecordBatch, Error> {
    let typed = |text: &str| value::typed(value::clean(text));
    let mut types = ColumnTypes::default();
    for row in rows {
        for (column, text) in columns.iter().zip(row).skip(2).filter(|(_, text)| !text.is_empty()) {
            types.see(column, std::slice::from_ref(text), typed(text).as_ref());
        }
    }
    let positions = rows.iter().map(|row| row[1].parse::<u32>().unwrap_or(0));
    let mut made: Vec<(Field, ArrayRef)> = vec![
        (Field::new("_url", DataType::Utf8, false), words(rows.iter().map(|row| row[0].as_str()))),
        (Field::new("_position", DataType::UInt32, false), Arc::new(UInt32Array::from_iter_values(positions))),
    ];
    for (at, name) in columns.iter().enumerate().skip(2) {
        let kind = types.of(name);
        let cell = |row: &Vec<String>| Some((row[at].clone(), typed(&row[at]))).filter(|(text, _)| !text.is_empty());
        made.push((field(&kind, &column(name)), array(&kind, rows.iter().map(cell))));
    }
    batch(made)
}

fn words<'r>(values: impl Iterator<Item = &'r str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn addresses<'r>(values: impl Iterator<Item = Option<&'r Url>>) -> ArrayRef {
    Arc::new(values.map(|url| url.map(Url::as_str)).collect::<StringArray>())
}

/// Name, whether it may be null, and values of each column.
fn packed(columns: Vec<(&str, bool, ArrayRef)>) -> Result<Vec<u8>, Error> {
    packed_batch(&named(columns)?)
}

pub(crate) fn named(columns: Vec<(&str, bool, ArrayRef)>) -> Result<RecordBatch, Error> {
    let field = |name: &str, null: bool, values: &ArrayRef| Field::new(name, values.data_type().clone(), null);
    batch(columns.into_iter().map(|(name, null, values)| (field(name, null, &values), values)).collect())
}

/// Columns as one table.
pub(crate) fn batch(columns: Vec<(Field, ArrayRef)>) -> Result<RecordBatch, Error> {
    let (fields, values): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), values).map_err(|error| Error::Columns(error.to_string()))
}

fn packed_batch(batch: &RecordBatch) -> Result<Vec<u8>, Error> {
    let mut writer = packed_writer(Vec::new(), batch.schema())?;
    writer.write(batch)?;
    Ok(writer.into_inner()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Kind;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    fn rows(bytes: Vec<u8>) -> Vec<String> {
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect()
    }

    #[test]
    fn a_label_of_a_page_never_takes_the_column_of_where_it_comes_from() {
        let label = |name: &str| (name.to_owned(), vec!["theirs".to_owned()]);
        let record = Record {
            url: Url::parse("http://s/1").unwrap(),
            class: "class-1".to_owned(),
            attributes: ["url", "class", "_url", "__url"].map(label).into(),
            children: Default::default(),
            evidence: Default::default(),
        };
        let told = rows(parquet_of_records(&[record]).unwrap()).remove(0);
        assert!(told.starts_with(r#"{_url: "http://s/1", _class: "class-1", "#), "{told}");
        let theirs = r#"___url: "theirs", __url: "theirs", class: "theirs", url: "theirs"}"#;
        assert!(told.ends_with(theirs), "{told}");
    }

    #[test]
    fn changes_have_columns_of_their_own() {
        let gone = Change { url: Url::parse("http://s/1").unwrap(), change: Kind::Gone, via: None };
        assert_eq!(rows(parquet_of_changes(&[gone]).unwrap()), [r#"{url: "http://s/1", change: "gone", via: null}"#]);
    }

    #[test]
    fn what_is_written_can_be_read_again() {
        let entity = |path: &str, via: Option<&str>| Entity {
            url: Url::parse(path).unwrap(),
            confidence: 0.5,
            via: via.map(|via| Url::parse(via).unwrap()),
            evidence: "alike".to_owned(),
        };
        let entities = [entity("http://s/1", Some("http://s/")), entity("http://s/2", None)];
        let bytes = parquet(&entities).unwrap();
        assert_eq!(bytes, parquet(&entities).unwrap());
        assert_eq!(
            rows(bytes),
            [
                r#"{url: "http://s/1", confidence: 0.5, via: "http://s/", evidence: "alike"}"#,
                r#"{url: "http://s/2", confidence: 0.5, via: null, evidence: "alike"}"#,
            ]
        );
        assert!(parquet(&[]).is_ok(), "nothing found is a file too");
    }
}
