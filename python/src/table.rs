//! How do tables cross the border? Record batches ↔ the Arrow C stream (`__arrow_c_stream__`), which pandas, polars, pyarrow, DuckDB and Spark read.
//!
//! - [`Table`]: rows of ours. - [`batches`]: rows of others. - [`mapped`]: rows of others → rows of ours.

use crate::error::{from_pagekin, raised};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch, RecordBatchIterator};
use arrow_schema::{DataType, SchemaRef};
use pagekin::{Error, frames};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use std::ffi::CStr;

const STREAM: &CStr = c"arrow_array_stream";

/// Rows under named, typed columns, readable by everything that takes Arrow.
#[pyclass(frozen)]
pub struct Table {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
}

impl Table {
    pub fn new(batch: RecordBatch) -> Self {
        Self { schema: batch.schema(), batches: vec![batch] }
    }
}

#[pymethods]
impl Table {
    /// The rows as a stream, as the Arrow PyCapsule interface has it.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema); // Other types may be asked for, and need not be given.
        let rows = RecordBatchIterator::new(self.batches.clone().into_iter().map(Ok), self.schema.clone());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(rows)), STREAM)
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Type and, where there is one, unit or currency of each column.
    #[getter]
    fn types(&self) -> Vec<(String, Option<String>)> {
        let note = |field: &arrow_schema::Field| field.metadata().values().next().cloned();
        self.schema.fields().iter().map(|field| (field.data_type().to_string(), note(field))).collect()
    }

    /// The first rows as texts, for people to look at; none where a cell is empty.
    fn head(&self, rows: usize) -> Vec<Vec<Option<String>>> {
        let all = self.batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row)));
        let cells = |(batch, row): (&RecordBatch, usize)| {
            batch.columns().iter().map(|column| cell(column.as_ref(), row)).collect()
        };
        all.take(rows).map(cells).collect()
    }
}

/// The record batches of anything that has `__arrow_c_stream__`.
#[allow(unsafe_code)]
pub fn batches(given: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    if !given.hasattr("__arrow_c_stream__")? {
        let name = given.get_type().name()?;
        return Err(raised(&format!(
            "a `{name}` is no table\n\nhint: give a data frame of pandas or polars, or a table of pyarrow"
        )));
    }
    let capsule = given.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds an ArrowArrayStream, as the Arrow PyCapsule interface says. It is moved out and leaves one that is released.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
    let told = |error: arrow_schema::ArrowError| {
        raised(&format!("the table cannot be read: {error}\n\nhint: hand it over as a table of pyarrow"))
    };
    ArrowArrayStreamReader::try_new(stream).map_err(told)?.collect::<Result<_, _>>().map_err(told)
}

/// What each batch gives, with the interpreter released. `one_core`: the caller is a task of an engine, which gave it no more.
pub fn mapped(
    py: Python<'_>,
    given: &Bound<'_, PyAny>,
    one_core: bool,
    read: impl Fn(&RecordBatch) -> Result<RecordBatch, Error> + Sync,
) -> PyResult<Vec<Table>> {
    let given = batches(given)?;
    let all = || given.iter().map(&read).collect::<Result<Vec<_>, _>>();
    let done = py.detach(|| if one_core { frames::on_one_core(all) } else { all() });
    Ok(done.map_err(from_pagekin)?.into_iter().map(Table::new).collect())
}

/// A cell as text; none where it is empty or of a type that has no text.
pub fn cell(column: &dyn Array, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).to_owned(),
        DataType::Utf8View => column.as_string_view().value(row).to_owned(),
        DataType::Boolean => column.as_boolean().value(row).to_string(),
        DataType::Int8 => column.as_primitive::<Int8Type>().value(row).to_string(),
        DataType::Int16 => column.as_primitive::<Int16Type>().value(row).to_string(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).to_string(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).to_string(),
        DataType::Float32 => column.as_primitive::<Float32Type>().value(row).to_string(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).to_string(),
        DataType::Date32 => date(column.as_primitive::<Date32Type>().value(row)),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary_opt()?;
            cell(dictionary.values().as_ref(), *dictionary.normalized_keys().get(row)?)?
        }
        _ => return None,
    })
}

/// Days since 1970-01-01 → `2010-11-18`.
fn date(days: i32) -> String {
    Date32Type::to_naive_date_opt(days).map_or_else(String::new, |date| date.to_string())
}
