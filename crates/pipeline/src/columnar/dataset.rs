//! How do records of a database become a Parquet file? Batches of [`Exported`] → [`ParquetFile`]; cells → columns of their type.

use super::packed_writer;
use crate::Error;
use crate::dataset::Exported;
use crate::export::column;
use crate::typed::{ColumnType, ColumnTypes, days, parts};
use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use pagekin_core::extract::value::Typed;
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

/// The column of a type. Its unit or currency stands in the metadata.
pub(super) fn field(of: &ColumnType, name: &str) -> Field {
    let (kind, note) = match of {
        ColumnType::Text => (DataType::Utf8, None),
        ColumnType::Number(unit) => (DataType::Float64, Some(("unit", unit)).filter(|(_, unit)| !unit.is_empty())),
        ColumnType::Money(currency) => (DataType::Float64, Some(("currency", currency))),
        ColumnType::Date => (DataType::Date32, None),
        ColumnType::Boolean => (DataType::Boolean, None),
    };
    let notes: HashMap<String, String> = note.map(|(key, text)| (key.to_owned(), text.clone())).into_iter().collect();
    Field::new(name, kind, true).with_metadata(notes)
}

/// A cell: its text, and what it is.
pub(super) type Cell = Option<(String, Option<Typed>)>;

pub(super) fn array(kind: &ColumnType, cells: impl Iterator<Item = Cell>) -> ArrayRef {
    let normal = |cell: Cell| match cell?.1? {
        Typed::Number(normal) | Typed::Money(normal) | Typed::Date(normal) | Typed::Boolean(normal) => Some(normal),
        _ => None,
    };
    match kind {
        ColumnType::Text => Arc::new(cells.map(|cell| cell.map(|(text, _)| text)).collect::<StringArray>()),
        ColumnType::Number(_) => {
            Arc::new(cells.map(|cell| parts(&normal(cell)?).0.parse().ok()).collect::<Float64Array>())
        }
        ColumnType::Money(_) => {
            Arc::new(cells.map(|cell| parts(&normal(cell)?).1.parse().ok()).collect::<Float64Array>())
        }
        ColumnType::Date => Arc::new(cells.map(|cell| days(&normal(cell)?)).collect::<Date32Array>()),
        ColumnType::Boolean => Arc::new(cells.map(|cell| Some(normal(cell)? == "true")).collect::<BooleanArray>()),
    }
}

/// Records of a database as a file, batch by batch.
pub struct ParquetFile<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
    attributes: Vec<(String, ColumnType)>,
    times: bool,
}

impl<W: Write + Send> ParquetFile<W> {
    /// A file with these attributes as columns; `times`: when each record was first seen and last changed, too.
    pub fn start(out: W, attributes: &[String], types: &ColumnTypes, times: bool) -> Result<Self, Error> {
        let text = |name: &str, null| Field::new(name, DataType::Utf8, null);
        let own_types =
            [DataType::Utf8, DataType::Utf8, DataType::Utf8, DataType::Int64, DataType::Float64, DataType::Boolean];
        let own = Exported::header(false).into_iter().zip(own_types);
        let mut fields: Vec<Field> = own.map(|(name, typed)| Field::new(name, typed, false)).collect();
        fields.extend(Exported::header(times).iter().skip(fields.len()).map(|name| text(name, true)));
        let attributes: Vec<(String, ColumnType)> =
            attributes.iter().map(|name| (name.clone(), types.of(name))).collect();
        fields.extend(attributes.iter().map(|(name, kind)| field(kind, &column(name))));
        let schema = Arc::new(Schema::new(fields));
        let writer = packed_writer(out, schema.clone())?;
        Ok(Self { writer, schema, attributes, times })
    }

    /// Adds records.
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

    /// Writes the end, and gives back what was written to.
    pub fn finish(self) -> Result<W, Error> {
        Ok(self.writer.into_inner()?)
    }
}
