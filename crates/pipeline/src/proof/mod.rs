//! What can be shown to somebody who doubts it? A record, or a run → a small web archive with the pages as they were answered, what was read from
//! them and where, digests of all of it, and the word of a time-stamp authority.
//!
//! ```text
//! record ─► excerpt (WARC records of its page) ─┐
//! run ────► its archives, its statement ────────┴─► package ─► folder or .wacz ─► verify
//!                                     timestamp ────► token beside the archive
//! ```
//!
//! - [`prove_record`], [`prove_run`]: a [`Proof`]. - [`package`]: how it is written. - [`statement`]: what a run says of itself. - [`verify`]: is it as it was
//!   written? - [`timestamp`], [`der`]: since when.
//!
//! The form is WACZ 1.1.1, which replay tools open; what they do not know stands in its folder `proof`. The same pages give the same bytes, but for the
//! word of the authority.

mod der;
pub mod package;
pub mod statement;
pub mod timestamp;
pub mod verify;

use crate::digest::Sha256;
use crate::marks::marks;
use crate::snapshot::snapshot;
use crate::{Error, stored_page};
use package::{Page, Parts};
use pagekin_core::page::{self, Limits};
use pagekin_fetch::{Archive, Excerpt};
use pagekin_store::Store;
use pagekin_store::dataset::{Choice, Found};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use url::Url;

/// What is to be proved.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    /// Its page.
    pub url: String,
    /// Among the records of its page, from 0.
    pub nth: i64,
    /// Which data set it is of.
    pub choice: Choice,
    /// Only the value of this column is marked.
    pub column: Option<String>,
}

/// A proof, before it is written.
pub struct Proof {
    /// What goes into the package.
    pub parts: Parts,
    /// Pages in it.
    pub pages: usize,
}

/// Of one record: the page it was read from as it was answered, and every value in its place.
pub async fn prove_record(store: &Store, subject: &Subject) -> Result<Proof, Error> {
    let found = found(store, subject).await?;
    let url: Url = found.url.parse().map_err(|error: url::ParseError| Error::Unproved(error.to_string()))?;
    let kept = store.page_kept(found.class_id, &found.url).await?;
    let kept = kept.filter(|kept| Path::new(&kept.archive).is_file()).ok_or_else(|| {
        let told = "the page of the record is not kept: its archive is gone, or was dropped after it was read";
        Error::Unproved(told.to_owned())
    })?;
    let archive = Archive::open_with_index(&[PathBuf::from(&kept.archive)])?;
    let records = archive.excerpt(&url);
    if records.is_empty() {
        return Err(Error::Unproved(format!("the archive `{}` does not hold the page any more", kept.archive)));
    }
    let marked = marked(store, &found, &url, subject.column.as_deref()).await?;
    let said = json!({
        "what": "a record, and the page it was read from",
        "site": found.site, "class": found.class, "url": found.url, "record": found.nth,
        "attributes": found.attributes, "evidence": found.evidence, "confidence": found.confidence,
        "read_in_run": found.read_run, "gone": found.gone,
        "page": {
            "fetched_at": kept.fetched_at, "status": kept.status, "payload_digest": kept.hash,
            "server": kept.address,
            "run_archive": archive_name(&kept.archive), "position": kept.position,
            "warc_records": records.iter().map(|own| json!({
                "id": own.id, "url": own.url.as_str(), "date": own.at.to_string(), "payload_digest": own.digest,
            })).collect::<Vec<_>>(),
        },
        "made_with": MADE_WITH,
    });
    let title = format!("{} of {}: {}", found.class, found.site, found.url);
    let mut parts = Parts::of(title, &records, vec![page_of(&records, &url, &found.url)]);
    parts.proof.push(("record.json".to_owned(), pretty(&said)));
    parts.proof.extend(marked.map(|html| ("marked.html".to_owned(), html.into_bytes())));
    Ok(Proof { parts, pages: 1 })
}

/// Bytes of archives that are packed, in memory: more is handed over as it is.
const LARGEST_RUN: u64 = 1 << 30;

pub(crate) const MADE_WITH: &str = concat!("pagekin ", env!("CARGO_PKG_VERSION"));

fn pretty(value: &Value) -> Vec<u8> {
    crate::export::json_pretty(value).unwrap_or_default().into_bytes()
}

fn archive_name(path: &str) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The record; an error where there is none, or several kinds of pages have one.
pub async fn found(store: &Store, subject: &Subject) -> Result<Found, Error> {
    let mut all = store.records_at(&subject.url, subject.nth, &subject.choice).await?;
    let several: Vec<String> = all.iter().map(|own| format!("`{}` of {}", own.class, own.site)).collect();
    match all.len() {
        0 => Err(Error::NoRecord(subject.url.clone())),
        1 => Ok(all.remove(0)),
        _ => Err(Error::Unproved(format!("it is a record of {}; name one with `--class`", several.join(" and ")))),
    }
}

/// The page, harmless to look at, with the values framed where they stand; none where it cannot be read.
async fn marked(store: &Store, found: &Found, url: &Url, column: Option<&str>) -> Result<Option<String>, Error> {
    let mut evidence = found.evidence.clone();
    if let (Some(column), Some(all)) = (column, evidence.as_object_mut()) {
        if !all.contains_key(column) {
            return Err(Error::Unproved(format!("the record has no column `{column}`")));
        }
        all.retain(|name, _| name == column);
    }
    let Some(raw) = stored_page::stored_page(store, found.class_id, url).await? else { return Ok(None) };
    let drawn = move || page::read(&raw, &Limits::default()).ok().map(|own| snapshot(&own, &marks(&own, &evidence)));
    tokio::task::spawn_blocking(drawn).await.map_err(Error::Ended)
}

/// The page as a list of pages shows it: the last answer of its chain that a server gave.
fn page_of(records: &[Excerpt], url: &Url, title: &str) -> Page {
    let answer = records.iter().rev().find(|own| own.status.is_some());
    let at = answer.map(|own| own.at).unwrap_or_default();
    Page { url: answer.map_or_else(|| url.to_string(), |own| own.url.to_string()), at, title: title.to_owned() }
}

/// Of a run, also of one in which nothing changed: all that it was answered, and what it said of itself when it ended.
pub async fn prove_run(store: &Store, folder: &Path, run: i64) -> Result<Proof, Error> {
    let line = store.run_line(run).await?.ok_or(Error::NoRun(run))?;
    let archives = crate::run::archives(folder, &line);
    let Some(first) = archives.first() else {
        let told = format!("run {run} left no archive in `{}`", folder.display());
        return Err(Error::Unproved(told));
    };
    let size: u64 = archives.iter().filter_map(|path| path.metadata().ok()).map(|own| own.len()).sum();
    if size > LARGEST_RUN {
        let told = format!(
            "run {run} kept {size} bytes, too many for one file; give `{}` and what lies beside it",
            first.display()
        );
        return Err(Error::Unproved(told));
    }
    let archive = Archive::open(&archives)?;
    let page = |url: Url| {
        let at = archive.locate(&url)?.at;
        Some(Page { url: url.to_string(), at, title: url.to_string() })
    };
    let pages: Vec<Page> = archive.urls().filter_map(page).collect();
    let mut files = Vec::new();
    for path in &archives {
        files.push((archive_name(&path.to_string_lossy()), std::fs::read(path).map_err(Error::Write)?));
    }
    let mut parts = Parts::of_files(format!("run {run} of {}", line.site), files, &archive, pages.clone())?;
    let said = statement::beside(first);
    if let Ok(said) = std::fs::read(&said) {
        parts.proof.push(("run.json".to_owned(), said));
    }
    for path in &archives {
        if let Ok(token) = std::fs::read(statement::token_beside(path)) {
            parts.proof.push((format!("{}.tsr", archive_name(&path.to_string_lossy())), token));
        }
    }
    Ok(Proof { parts, pages: pages.len() })
}

impl Proof {
    /// Names of the archives in it, with their SHA-256.
    pub fn digests(&self) -> Vec<(String, String)> {
        self.parts.archives.iter().map(|(name, bytes)| (name.clone(), Sha256::of(bytes))).collect()
    }

    /// Has an authority say that the archives in it are there now. What it said before stays.
    pub async fn stamped(&mut self, authority: &Url) -> Result<Vec<timestamp::Stamp>, Error> {
        let mut stamps = Vec::new();
        for (name, bytes) in &self.parts.archives {
            let (token, stamp) = timestamp::fetched(authority, &Sha256::bytes(bytes)).await?;
            let own = format!("{name}.tsr");
            self.parts.proof.retain(|(known, _)| *known != own);
            self.parts.proof.push((own, token));
            stamps.push(stamp);
        }
        Ok(stamps)
    }
}
