//! How does the data set leave the database? Stored records → JSON lines, CSV or Parquet, as they are read.
//!
//! - [`Wanted`]: which records. - [`Dataset`]: the columns, then records in batches. - [`Exported`]: one record.
//! - [`ParquetFile`]: batches of records as a file; the same records give the same bytes.
//!
//! Memory holds one batch. Sorted by site, class, address.

use crate::Error;
use crate::export::column;
use crate::privacy::Guard;
use crate::typed::{ColumnType, ColumnTypes, array};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use pagekin_core::extract::{self, value::Typed};
use pagekin_store::dataset::Choice;
use pagekin_store::{Row, Rows, Store};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub site: Option<String>,
    pub class: Option<String>,
    /// Records of pages that are gone too.
    pub gone: bool,
    /// When each was first seen and last changed.
    pub times: bool,
    /// What of people is not shown.
    pub guard: Guard,
}

impl Wanted {
    pub fn choice(&self) -> Choice {
        Choice { site: self.site.clone(), class: self.class.clone(), class_id: None, gone: self.gone }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exported {
    pub site: String,
    pub class: String,
    pub url: String,
    /// Among the records of its page, from 0.
    pub record: i64,
    pub attributes: BTreeMap<String, Vec<String>>,
    /// Tables within the page, by name: rows, each with the texts of its columns.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub children: BTreeMap<String, Vec<BTreeMap<String, String>>>,
    pub confidence: f64,
    /// No link is known that leads to its page.
    pub unlinked: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_seen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_at: Option<String>,
    pub evidence: serde_json::Value,
}

pub struct Dataset {
    /// Names of all attributes, sorted.
    pub attributes: Vec<String>,
    /// Names of the tables within pages, and of their columns, sorted.
    pub children: BTreeMap<String, Vec<String>>,
    /// Attributes that are left out for the sake of people.
    pub left_out: Vec<String>,
    times: bool,
    guard: Guard,
    rows: Rows,
}

impl Dataset {
    pub async fn open(store: &Store, wanted: &Wanted) -> Result<Self, Error> {
        let choice = wanted.choice();
        let (mut attributes, mut children) = (Vec::new(), BTreeMap::<String, Vec<String>>::new());
        let names = store.attribute_names(&choice).await?.into_iter();
        let (left_out, kept): (Vec<String>, Vec<String>) = names.partition(|name| wanted.guard.leaves_out(name));
        for name in kept {
            match name.split_once('.') {
                Some((table, column)) => children.entry(table.to_owned()).or_default().push(column.to_owned()),
                None => attributes.push(name),
            }
        }
        let rows = store.chosen_records(&choice).await?;
        Ok(Self { attributes, children, left_out, times: wanted.times, guard: wanted.guard.clone(), rows })
    }

    /// Of which type each attribute is; all records are read for it.
    pub async fn types(mut self) -> Result<ColumnTypes, Error> {
        let mut types = ColumnTypes::default();
        while let Some(records) = self.next().await? {
            for record in &records {
                for (name, values) in &record.attributes {
                    types.see(name, values, record.typed(name).as_ref());
                }
            }
        }
        Ok(types)
    }

    /// The next records; none at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<Exported>>, Error> {
        let Some(rows) = self.rows.next().await? else { return Ok(None) };
        rows.iter().map(|row| exported(row, self.times, &self.guard)).collect::<Result<_, _>>().map(Some)
    }
}

fn exported(row: &Row, times: bool, guard: &Guard) -> Result<Exported, Error> {
    let (mut flat, mut evidence) = (row.parsed(4, "attributes")?, row.parsed(10, "evidence")?);
    guard.show(&mut flat, &mut evidence);
    let (attributes, children) = extract::nested(flat);
    Ok(Exported {
        site: row.text(0),
        class: row.text(1),
        url: row.text(2),
        record: row.int(3),
        attributes,
        children,
        confidence: row.real(5),
        unlinked: row.int(6) != 0,
        gone: row.int(7) != 0,
        first_seen: row.maybe_text(8).filter(|_| times),
        changed_at: row.maybe_text(9).filter(|_| times),
        evidence,
    })
}

impl Exported {
    /// Names of the columns that are not attributes; [`column`] names those that are.
    pub fn header(times: bool) -> Vec<&'static str> {
        let mut header = vec!["_site", "_class", "_url", "_record", "_confidence", "_unlinked"];
        header.extend(["_first_seen", "_changed_at"].iter().filter(|_| times));
        header
    }

    /// What the first value of an attribute is.
    pub(crate) fn typed(&self, attribute: &str) -> Option<Typed> {
        Typed::deserialize(self.evidence.get(attribute)?.get("type")?).ok()
    }

    /// Several values of an attribute in one cell; none where it has none.
    pub fn cell(&self, attribute: &str) -> Option<String> {
        self.attributes.get(attribute).map(|values| values.join("; "))
    }

    pub fn cells(&self, attributes: &[String], times: bool) -> Vec<String> {
        let mut cells = vec![
            self.site.clone(),
            self.class.clone(),
            self.url.clone(),
            self.record.to_string(),
            self.confidence.to_string(),
            self.unlinked.to_string(),
        ];
        let dates = [&self.first_seen, &self.changed_at].into_iter().filter(|_| times);
        cells.extend(dates.map(|date| date.clone().unwrap_or_default()));
        cells.extend(attributes.iter().map(|name| self.cell(name).unwrap_or_default()));
        cells
    }
}

pub struct ParquetFile<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
    attributes: Vec<(String, ColumnType)>,
    times: bool,
}

impl<W: Write + Send> ParquetFile<W> {
    pub fn start(out: W, attributes: &[String], types: &ColumnTypes, times: bool) -> Result<Self, Error> {
        let text = |name: &str, null| Field::new(name, DataType::Utf8, null);
        let own_types =
            [DataType::Utf8, DataType::Utf8, DataType::Utf8, DataType::Int64, DataType::Float64, DataType::Boolean];
        let own = Exported::header(false).into_iter().zip(own_types);
        let mut fields: Vec<Field> = own.map(|(name, typed)| Field::new(name, typed, false)).collect();
        fields.extend(Exported::header(times).iter().skip(fields.len()).map(|name| text(name, true)));
        let attributes: Vec<(String, ColumnType)> =
            attributes.iter().map(|name| (name.clone(), types.of(name))).collect();
        fields.extend(attributes.iter().map(|(name, kind)| kind.field(&column(name))));
        let schema = Arc::new(Schema::new(fields));
        let packed = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
        let writer = ArrowWriter::try_new(out, schema.clone(), Some(packed))?;
        Ok(Self { writer, schema, attributes, times })
    }

    pub fn write(&mut self, records: &[Exported]) -> Result<(), Error> {
        let text = |of: &dyn Fn(&Exported) -> Option<String>| -> ArrayRef {
            Arc::new(records.iter().map(of).collect::<StringArray>())
        };
        let mut columns: Vec<ArrayRef> = vec![
            text(&|one| Some(one.site.clone())),
            text(&|one| Some(one.class.clone())),
            text(&|one| Some(one.url.clone())),
            Arc::new(records.iter().map(|one| Some(one.record)).collect::<Int64Array>()),
            Arc::new(records.iter().map(|one| Some(one.confidence)).collect::<Float64Array>()),
            Arc::new(records.iter().map(|one| Some(one.unlinked)).collect::<BooleanArray>()),
        ];
        if self.times {
            columns.extend([text(&|one| one.first_seen.clone()), text(&|one| one.changed_at.clone())]);
        }
        let cell = |one: &Exported, name: &str| Some((one.cell(name)?, one.typed(name)));
        columns
            .extend(self.attributes.iter().map(|(name, kind)| array(kind, records.iter().map(|one| cell(one, name)))));
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(ParquetError::from)?;
        Ok(self.writer.write(&batch)?)
    }

    pub fn finish(self) -> Result<W, Error> {
        Ok(self.writer.into_inner()?)
    }
}
