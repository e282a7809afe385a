//! Which records does a Parquet file of a columnar index name? Its rows → [`Indexed`].
//!
//! - [`read_index`]: a file. - [`take`]: one batch of rows.

use crate::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use pagekin_fetch::{Indexed, IndexedRecord};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::path::Path;

const NEEDED: [&str; 4] = ["url", "warc_filename", "warc_record_offset", "warc_record_length"];
const FURTHER: [&str; 4] = ["fetch_status", "fetch_time", "content_mime_detected", "content_mime_type"];

/// Rows whose address is not `wanted` are left out.
pub fn read_index(path: &Path, wanted: &dyn Fn(&str) -> bool, rows: &mut Indexed) -> Result<(), Error> {
    let told = |reason: String| Error::Index { path: path.to_owned(), reason };
    let file = File::open(path).map_err(|error| told(error.to_string()))?;
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options);
    let reader = reader.map_err(|error| told(error.to_string()))?;
    let names: Vec<&str> = NEEDED.into_iter().chain(FURTHER).collect();
    if let Some(missing) = NEEDED.iter().find(|name| reader.schema().column_with_name(name).is_none()) {
        return Err(told(format!("it has no column `{missing}`")));
    }
    let mask = ProjectionMask::columns(reader.parquet_schema(), names.iter().copied());
    let batches = reader.with_projection(mask).build().map_err(|error| told(error.to_string()))?;
    for batch in batches {
        take(&batch.map_err(|error| told(error.to_string()))?, wanted, rows).map_err(told)?;
    }
    Ok(())
}

/// The rows of a batch.
pub(crate) fn take(batch: &RecordBatch, wanted: &dyn Fn(&str) -> bool, rows: &mut Indexed) -> Result<(), String> {
    let needed = |name: &str| batch.column_by_name(name).ok_or_else(|| format!("it has no column `{name}`"));
    let (url, file) = (needed("url")?, needed("warc_filename")?);
    let (offset, length) = (needed("warc_record_offset")?, needed("warc_record_length")?);
    let (status, time) = (batch.column_by_name("fetch_status"), batch.column_by_name("fetch_time"));
    let kind = batch.column_by_name("content_mime_detected").or_else(|| batch.column_by_name("content_mime_type"));
    for row in 0..batch.num_rows() {
        let (Some(url), Some(file)) = (text(url.as_ref(), row)?, text(file.as_ref(), row)?) else { continue };
        let (Some(offset), Some(length)) = (number(offset.as_ref(), row)?, number(length.as_ref(), row)?) else {
            continue;
        };
        if !wanted(url) {
            continue;
        }
        let status = status.and_then(|column| number(column.as_ref(), row).ok()?).unwrap_or(200);
        let kind = kind.and_then(|column| text(column.as_ref(), row).ok()?);
        rows.push(&IndexedRecord {
            url,
            file,
            offset: u64::try_from(offset).unwrap_or(u64::MAX),
            length: u64::try_from(length).unwrap_or(u64::MAX),
            status: u16::try_from(status).unwrap_or(0),
            html: kind.is_none_or(|kind| matches!(kind, "text/html" | "application/xhtml+xml")),
            at: time.and_then(|column| microseconds(column.as_ref(), row)).unwrap_or(0),
        });
    }
    Ok(())
}

pub(crate) fn text(column: &dyn Array, row: usize) -> Result<Option<&str>, String> {
    if column.is_null(row) {
        return Ok(None);
    }
    match column.data_type() {
        DataType::Utf8 => Ok(Some(column.as_string::<i32>().value(row))),
        DataType::LargeUtf8 => Ok(Some(column.as_string::<i64>().value(row))),
        DataType::Utf8View => Ok(Some(column.as_string_view().value(row))),
        other => Err(format!("a column that should hold text holds {other}")),
    }
}

fn number(column: &dyn Array, row: usize) -> Result<Option<i64>, String> {
    if column.is_null(row) {
        return Ok(None);
    }
    match column.data_type() {
        DataType::Int16 => Ok(Some(column.as_primitive::<Int16Type>().value(row).into())),
        DataType::Int32 => Ok(Some(column.as_primitive::<Int32Type>().value(row).into())),
        DataType::Int64 => Ok(Some(column.as_primitive::<Int64Type>().value(row))),
        DataType::UInt64 => Ok(i64::try_from(column.as_primitive::<UInt64Type>().value(row)).ok()),
        other => Err(format!("a column that should hold whole numbers holds {other}")),
    }
}

fn microseconds(column: &dyn Array, row: usize) -> Option<i64> {
    match column.data_type() {
        _ if column.is_null(row) => None,
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            column.as_primitive::<TimestampMillisecondType>().value(row).checked_mul(1000)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            Some(column.as_primitive::<TimestampMicrosecondType>().value(row))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            Some(column.as_primitive::<TimestampNanosecondType>().value(row) / 1000)
        }
        _ => None,
    }
}
