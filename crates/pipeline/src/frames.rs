//! The stages over Arrow record batches: pages → records, classes, links; parts of archives → pages.
//!
//! - [`records`], [`classes`], [`links`]: a batch of pages → a batch of what they give. - [`PartFrames`]: a part of a WARC file → batches of pages.
//! - [`indexed_pages`]: rows of an index → the pages they name. - [`on_one_core`]: for engines, which run a task on each core.
//!
//! A batch of pages has the columns `url` and `body`, and may have `status` and `content_type`. What a page gives depends on nothing but the page and the
//! wrapper or model: any engine may cut the pages into batches as it likes. A page that cannot be read is a row with a reason in `skipped`.

use crate::columnar::{named, take, text};
use crate::export::json_line;
use crate::library::address;
use crate::{Error, Source, Stop};
use arrow_array::builder::{BinaryBuilder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use bytes::Bytes;
use pagekin_core::extract::{Applied, Record, batch};
use pagekin_core::model::Classifier;
use pagekin_core::page::paths::PathFinder;
use pagekin_core::page::{self, Limits, Notation, PathTable, links as page_links, robots};
use pagekin_core::pages::{Answer, Pages, RawPage, Reason, Skipped};
use pagekin_fetch::{ArchiveSlice, Base, Indexed, SlicePage};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Pages of a batch that this module makes, and their bytes.
const PAGES: usize = 256;
const BYTES: usize = 32 << 20;

/// Ranges of far-away files that one reader has under way; an engine has many readers.
const AT_ONCE: usize = 8;

thread_local! {
    static OWN: Option<rayon::ThreadPool> = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok();
}

/// Does this on one core. An engine runs a task on each; one that took them all would disturb the others. Each thread that asks has a core of its own, so that
/// tasks within one process do not wait for each other.
pub fn on_one_core<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    OWN.with(|pool| match pool {
        Some(pool) => pool.install(work),
        None => work(),
    })
}

/// One row a page: `url`, `class`, `attributes`, `record` (the line of JSON that the command writes), or `skipped`.
pub fn records(pages: &RecordBatch, applied: &[Applied]) -> Result<RecordBatch, Error> {
    let (pages, lost) = raw_pages(pages)?;
    let mut rows: Vec<(String, Result<Record, Skipped>)> =
        pages.iter().map(|page| page.url.to_string()).zip(batch::records(&pages, applied, false)).collect();
    rows.extend(lost.into_iter().map(|(url, skipped)| (url, Err(skipped))));
    let found = || rows.iter().map(|(_, row)| row.as_ref().ok());
    let lines = found().map(|record| record.map(json_line).transpose()).collect::<Result<StringArray, _>>();
    let lines = lines.map_err(|error| Error::Columns(error.to_string()))?;
    named(vec![
        ("url", false, Arc::new(rows.iter().map(|(url, _)| Some(url.as_str())).collect::<StringArray>())),
        ("class", true, Arc::new(found().map(|record| Some(record?.class.as_str())).collect::<StringArray>())),
        ("attributes", true, attributes(found())?),
        ("record", true, Arc::new(lines)),
        ("skipped", true, reasons(rows.iter().map(|(_, row)| row.as_ref().err()))),
    ])
}

fn attributes<'r>(records: impl Iterator<Item = Option<&'r Record>>) -> Result<ArrayRef, Error> {
    let mut map = MapBuilder::new(None, StringBuilder::new(), ListBuilder::new(StringBuilder::new()));
    for record in records {
        for (name, values) in record.iter().flat_map(|record| &record.attributes) {
            map.keys().append_value(name);
            values.iter().for_each(|value| map.values().values().append_value(value));
            map.values().append(true);
        }
        map.append(record.is_some()).map_err(|error| Error::Columns(error.to_string()))?;
    }
    Ok(Arc::new(map.finish()))
}

fn reasons<'s>(skipped: impl Iterator<Item = Option<&'s Skipped>>) -> ArrayRef {
    let told = |skipped: &Skipped| format!("{}: {}", skipped.reason, skipped.detail);
    Arc::new(skipped.map(|skipped| skipped.map(told)).collect::<StringArray>())
}

/// One row a page: `url`, `class` (null: unknown), `cost`, or `skipped`.
pub fn classes(pages: &RecordBatch, classifier: &Classifier) -> Result<RecordBatch, Error> {
    let (pages, lost) = raw_pages(pages)?;
    let found: Vec<_> = pages.par_iter().map(|page| classifier.classify(page)).collect();
    let mut rows: Vec<(String, _)> = pages.iter().map(|page| page.url.to_string()).zip(found).collect();
    rows.extend(lost.into_iter().map(|(url, skipped)| (url, Err(skipped))));
    let class =
        |row: &Result<pagekin_core::model::Classified, Skipped>| row.as_ref().ok()?.class.map(|class| class as i32);
    named(vec![
        ("url", false, Arc::new(rows.iter().map(|(url, _)| Some(url.as_str())).collect::<StringArray>())),
        ("class", true, Arc::new(rows.iter().map(|(_, row)| class(row)).collect::<Int32Array>())),
        ("cost", true, Arc::new(rows.iter().map(|(_, row)| Some(row.as_ref().ok()?.cost)).collect::<Float64Array>())),
        ("skipped", true, reasons(rows.iter().map(|(_, row)| row.as_ref().err()))),
    ])
}

/// One row a link: `url` of the page, `target`, `path` from the root of the page to the link, `text`.
pub fn links(pages: &RecordBatch) -> Result<RecordBatch, Error> {
    let (pages, _) = raw_pages(pages)?;
    let rows: Vec<[String; 4]> = pages.par_iter().flat_map_iter(links_of).collect();
    let column =
        |at: usize| -> ArrayRef { Arc::new(rows.iter().map(|row| Some(row[at].as_str())).collect::<StringArray>()) };
    named(vec![
        ("url", false, column(0)),
        ("target", false, column(1)),
        ("path", false, column(2)),
        ("text", false, column(3)),
    ])
}

fn links_of(raw: &RawPage) -> Vec<[String; 4]> {
    let Ok(document) = page::read(raw, &Limits::default()) else { return Vec::new() };
    let (mut table, mut finder) = (PathTable::default(), PathFinder::new(&document, Notation::TagClass));
    let links = page_links::links(&document, &raw.url).into_iter();
    let row = |link: page_links::Link| {
        let path = finder.path(&mut table, link.node);
        [raw.url.to_string(), link.url.into(), table.show(path), link.text.into()]
    };
    links.map(row).collect()
}

type Lost = Vec<(String, Skipped)>;

/// The pages of a batch, and rows that are none.
fn raw_pages(frame: &RecordBatch) -> Result<(Vec<RawPage>, Lost), Error> {
    let needed =
        |name: &str| frame.column_by_name(name).ok_or_else(|| Error::Columns(format!("there is no column `{name}`")));
    let (urls, bodies) = (needed("url")?, needed("body")?);
    let (status, kind) = (frame.column_by_name("status"), frame.column_by_name("content_type"));
    let (mut pages, mut lost) = (Vec::new(), Vec::new());
    for row in 0..frame.num_rows() {
        let written = text(urls.as_ref(), row).map_err(Error::Columns)?.unwrap_or_default();
        let status = status.and_then(|column| small(column.as_ref(), row)).unwrap_or(200);
        let Ok(url) = address(written) else {
            lost.push((written.to_owned(), no_page(Reason::OutOfScope, "its address is none of the web".to_owned())));
            continue;
        };
        let Some(body) = bytes(bodies.as_ref(), row)? else {
            lost.push((written.to_owned(), no_page(Reason::NotArchived, "it has no body".to_owned())));
            continue;
        };
        if !(200..300).contains(&status) {
            lost.push((written.to_owned(), no_page(Reason::Status, status.to_string())));
            continue;
        }
        let content_type = kind.and_then(|column| text(column.as_ref(), row).ok()?).map(str::to_owned);
        let robots = robots::of(std::iter::empty(), body);
        let body = Bytes::copy_from_slice(body);
        pages.push(RawPage { url, redirects: Vec::new(), status, content_type, body, robots });
    }
    Ok((pages, lost))
}

/// The address of such a row need not be one; the row has it as it was written.
fn no_page(reason: Reason, detail: String) -> Skipped {
    let nowhere = url::Url::parse("about:blank").expect("an address");
    Skipped::new(&nowhere, reason, detail)
}

fn small(column: &dyn Array, row: usize) -> Option<u16> {
    match column.data_type() {
        _ if column.is_null(row) => None,
        DataType::Int32 => u16::try_from(column.as_primitive::<Int32Type>().value(row)).ok(),
        DataType::Int64 => u16::try_from(column.as_primitive::<Int64Type>().value(row)).ok(),
        _ => None,
    }
}

fn bytes(column: &dyn Array, row: usize) -> Result<Option<&[u8]>, Error> {
    match column.data_type() {
        _ if column.is_null(row) => Ok(None),
        DataType::Binary => Ok(Some(column.as_binary::<i32>().value(row))),
        DataType::LargeBinary => Ok(Some(column.as_binary::<i64>().value(row))),
        DataType::BinaryView => Ok(Some(column.as_binary_view().value(row))),
        _ => Ok(text(column, row).map_err(Error::Columns)?.map(str::as_bytes)),
    }
}

/// Pages of a part of a WARC file, batch by batch: `url`, `status`, `content_type`, `body`, `archive`, `position`, `at` (microseconds since 1970).
pub struct PartFrames {
    part: ArchiveSlice,
    archive: String,
}

impl PartFrames {
    /// The records that begin at `from` or behind it, and before `to`.
    pub fn open(path: &Path, from: u64, to: u64) -> Result<Self, Error> {
        let part = ArchiveSlice::open(path, from, to, pagekin_fetch::Limits::default())?;
        Ok(Self { part, archive: path.to_string_lossy().into_owned() })
    }

    /// The next batch; none at the end.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        let (mut rows, mut size) = (Vec::new(), 0);
        while rows.len() < PAGES && size < BYTES {
            let Some(SlicePage { answer, position, at }) = self.part.next_page()? else { break };
            if let Answer::Page(page) = answer {
                size += page.body.len();
                rows.push((page, position as i64, at.as_microsecond()));
            }
        }
        if rows.is_empty() { Ok(None) } else { frame_of_pages(&self.archive, &rows).map(Some) }
    }
}

fn frame_of_pages(archive: &str, rows: &[(RawPage, i64, i64)]) -> Result<RecordBatch, Error> {
    let size = rows.iter().map(|(page, ..)| page.body.len()).sum();
    let mut bodies = BinaryBuilder::with_capacity(rows.len(), size);
    rows.iter().for_each(|(page, ..)| bodies.append_value(&page.body));
    let numbers =
        |of: fn(&(RawPage, i64, i64)) -> i64| Arc::new(rows.iter().map(|row| Some(of(row))).collect::<Int64Array>());
    named(vec![
        ("url", false, Arc::new(rows.iter().map(|(page, ..)| Some(page.url.as_str())).collect::<StringArray>())),
        ("status", false, Arc::new(rows.iter().map(|(page, ..)| Some(i32::from(page.status))).collect::<Int32Array>())),
        (
            "content_type",
            true,
            Arc::new(rows.iter().map(|(page, ..)| page.content_type.as_deref()).collect::<StringArray>()),
        ),
        ("body", false, Arc::new(bodies.finish())),
        ("archive", false, Arc::new(rows.iter().map(|_| Some(archive)).collect::<StringArray>())),
        ("position", false, numbers(|row| row.1)),
        ("at", false, numbers(|row| row.2)),
    ])
}

/// The pages that rows of an index name, read from the files below `base`; the columns are those of [`PartFrames`]. Rows whose record cannot be read are
/// left out.
pub async fn indexed_pages(rows: &RecordBatch, base: &str) -> Result<Option<RecordBatch>, Error> {
    let mut indexed = Indexed::default();
    take(rows, &|_| true, &mut indexed).map_err(Error::Columns)?;
    if indexed.is_empty() {
        return Ok(None);
    }
    let archive = indexed.archive(Base::parse(Some(base), Path::new(""))?, AT_ONCE)?;
    let source = Source::of_archive(archive, Stop::default());
    let answers = source.get(&source.urls()).await;
    let pages: Vec<(RawPage, i64, i64)> = answers
        .into_iter()
        .filter_map(|answer| match answer {
            Answer::Page(page) => Some((page, 0, 0)),
            Answer::Skipped(_) => None,
        })
        .collect();
    if pages.is_empty() { Ok(None) } else { frame_of_pages(base, &pages).map(Some) }
}
