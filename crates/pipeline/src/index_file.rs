//! Which records does an index of a web crawl name? Parquet files → an [`Archive`] that reads the records where they are.
//!
//! Columns are those of the columnar index of Common Crawl: `url`, `warc_filename`, `warc_record_offset`, `warc_record_length`; where they are there,
//! also `fetch_status`, `fetch_time` and `content_mime_detected` or `content_mime_type`. Only rows of the sites asked for are kept.

use crate::{Error, SourceSettings};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use pagekin_core::page::address::registrable;
use pagekin_fetch::{Archive, Base, Indexed, IndexedRecord};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::path::Path;
use url::Url;

/// Ranges of far-away files under way at a time. Such servers are made for many readers; one host of them is asked as a browser would.
const AT_ONCE: usize = 16;

const NEEDED: [&str; 4] = ["url", "warc_filename", "warc_record_offset", "warc_record_length"];
const FURTHER: [&str; 4] = ["fetch_status", "fetch_time", "content_mime_detected", "content_mime_type"];

/// WARC files, or indexes of such. `typed`: rows of other sites are left out; none takes all.
pub fn open_archives(settings: &SourceSettings, typed: &[Url]) -> Result<Archive, Error> {
    let is_index =
        |path: &&std::path::PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"));
    let (indexes, files): (Vec<_>, Vec<_>) = settings.archives.iter().partition(is_index);
    match (indexes.first(), files.first()) {
        (None, _) => Ok(Archive::open(&settings.archives)?),
        (Some(_), Some(file)) => Err(Error::MixedArchives { path: (*file).clone() }),
        (Some(first), None) => {
            let mut rows = Indexed::default();
            let wanted = Wanted::new(typed);
            for path in &indexes {
                read(path, &wanted, &mut rows)?;
            }
            if rows.is_empty() {
                let reason = format!("none of its rows is of the site; {} rows name no record", rows.left_out);
                return Err(Error::Index { path: (*first).clone(), reason });
            }
            Ok(rows.archive(Base::parse(settings.archive_base.as_deref(), first)?, AT_ONCE)?)
        }
    }
}

/// The sites whose rows are kept.
struct Wanted(Vec<String>);

impl Wanted {
    fn new(typed: &[Url]) -> Self {
        let mut sites: Vec<String> =
            typed.iter().filter_map(Url::host_str).map(|host| registrable(host).to_owned()).collect();
        sites.sort();
        sites.dedup();
        Self(sites)
    }

    fn contains(&self, url: &str) -> bool {
        let Some((_, rest)) = url.split_once("://") else { return false };
        let host = rest.split(['/', '?', '#']).next().unwrap_or("");
        let host = host.rsplit('@').next().unwrap_or("").split(':').next().unwrap_or("");
        let inside =
            |site: &String| host == site || host.strip_suffix(site.as_str()).is_some_and(|rest| rest.ends_with('.'));
        self.0.is_empty() || self.0.iter().any(inside)
    }
}

fn read(path: &Path, wanted: &Wanted, rows: &mut Indexed) -> Result<(), Error> {
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
        take(&batch.map_err(|error| told(error.to_string()))?, &|url| wanted.contains(url), rows).map_err(told)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_sites_are_left_out() {
        let typed = [Url::parse("https://www.example.org/1").unwrap()];
        let wanted = Wanted::new(&typed);
        for (url, expected) in [
            ("https://example.org/2", true),
            ("http://x.example.org:8080/", true),
            ("https://notexample.org/", false),
            ("https://example.org.evil.net/", false),
            ("mailto:x", false),
        ] {
            assert_eq!(wanted.contains(url), expected, "{url}");
        }
        assert!(Wanted::new(&[]).contains("http://any/"));
    }
}
