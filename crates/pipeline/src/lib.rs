//! The flow from a sample page to records: the one crate that knows the thinking (`core`), the world (`fetch`) and what is kept
//! (`store`).
//!
//! ```text
//! SourceSettings ─► Source ─┐
//!                           ├─► discover_job ─► Discovery, RunStats
//! samples, Settings ────────┤
//!                           └─► refresh_job ─► Refresh, RunStats
//! Learned ──────────────────────┘
//! ```
//!
//! [`Site`] is the short way: a sample, a few options, and one method for each stage. What it stands on:
//!
//! - [`source`]: where pages come from, the live site or archives. - [`rendering`]: which of them a browser opens. - [`KeptLayouts`]: where
//!   things stand on pages drawn before. - [`resume`]: both, for a run that was interrupted.
//! - [`job`]: one discovery, or one refresh, from start to end. - [`learned`]: what a run learned, as text.
//! - [`hidden`]: pages that no link reaches; its types are in [`templates`].
//! - [`modelled`]: site models: made, written, read, used.
//! - [`change`]: a refresh as rows. - [`export`]: rows as columns.
//! - [`records`]: one extraction, from pages to records.
//! - [`findings`]: one check, from records to findings. - [`mod@reference`]: what records are checked against.
//! - [`stored_findings`]: the same of a database, with history.
//! - [`find_sites`]: sites that a search service knows and that are worth a run.
//! - [`report`]: what there is to tell of findings.
//! - [`run`]: all of it, kept in a database, resumable, repeatable, shared.
//! - [`watch`]: again when it is due, and who is told.
//! - [`dataset`]: records of a database as files. - [`view`]: what a person looks at, as a file. - [`about`], [`data_package`]: what a reader of these has
//!   to know. - [`privacy`]: what of people is kept, and what is shown.
//! - [`preview`]: what a run would give. - [`stored_page`]: a page as it was read. - [`snapshot`]: the same, harmless to look at. - [`marks`]: where
//!   values stand on it. - [`proof`]: what can be shown to somebody who doubts it. - `frames`: the stages over Arrow record batches, for
//!   engines that bring their own machines.
//! - [`cost`]: what a run took: downloads, requests, bytes, time, memory.
//!
//! Two heavy parts are features, on unless one says otherwise: `parquet` (Arrow tables, Parquet files, `frames`) and `postgres`.
//!
//! What `cli`, `web`, `eval` and others need of the crates below is re-exported here. Prints nothing.

#![warn(missing_docs)]

pub mod about;
pub mod change;
#[cfg(feature = "parquet")]
mod columnar;
#[cfg(not(feature = "parquet"))]
#[path = "without_parquet.rs"]
mod columnar;
pub mod cost;
pub mod data_package;
pub mod dataset;
mod digest;
pub mod export;
pub mod find_sites;
pub mod findings;
#[cfg(feature = "parquet")]
pub mod frames;
mod groups;
pub mod hidden;
mod index_file;
pub mod job;
mod kept_layouts;
pub mod learned;
mod library;
pub mod marks;
pub mod modelled;
mod origin;
pub mod preview;
pub mod privacy;
pub mod proof;
pub mod records;
pub mod reference;
mod relearn;
pub mod rendering;
pub mod report;
pub mod resume;
pub mod run;
pub mod snapshot;
pub mod source;
pub mod stored_findings;
pub mod stored_page;
pub mod typed;
pub mod view;
pub mod watch;
pub mod xlsx;

pub use library::{Records, Site, typed_address};

pub use cost::{RunStats, cpu_seconds, peak_memory, reset_peak_memory};
pub use findings::{CheckStats, Checked, check_job};
pub use job::{discover_job, learn_job, refresh_job};
pub use kept_layouts::KeptLayouts;
pub use modelled::{classify_all_job, classify_job, model_all_job, model_job};
pub use records::{ExtractSettings, Extracted, extract_job};
pub use rendering::RenderSettings;
pub use source::{Source, SourceSettings};

pub use pagekin_core::hidden as templates;
pub use pagekin_core::{check, complete, discover, expect, extract, features, model, page, pages, render, site};
pub use pagekin_fetch::live::is_at_home as is_private;
pub use pagekin_fetch::{Archive, Ceilings, Listing, RemoteStats, Stats, Stop, keys};
pub use pagekin_store as store;
pub use url::Url;

use std::path::PathBuf;

/// Why a run could not be done. The messages are those of the stage that failed.
#[allow(missing_docs, reason = "the message of each says it")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Fetch(#[from] pagekin_fetch::Error),
    #[error(transparent)]
    Render(#[from] pagekin_render::Error),
    #[error(transparent)]
    Discover(#[from] pagekin_core::discover::Error),
    #[error(transparent)]
    Hidden(#[from] pagekin_core::hidden::Error),
    #[error(transparent)]
    Model(#[from] pagekin_core::model::Error),
    #[error(transparent)]
    Extract(#[from] pagekin_core::extract::Error),
    #[error("another `watch run` took over: {0}\n\nhint: this machine did not answer for a minute; run it again")]
    LostLock(String),
    #[error(transparent)]
    Store(#[from] pagekin_store::Error),
    #[error("cannot make the folder for pages `{path}`: {source}\n\nhint: give another folder for pages", path = path.display())]
    Pages { path: PathBuf, source: std::io::Error },
    #[error(
        "the settings of the run cannot be read: {0}\n\nhint: it was queued by another version of pagekin; queue it again"
    )]
    NotSpec(serde_json::Error),
    #[error("the {what} `{name}` of the run was not given to whoever works on it\n\nhint: {hint}")]
    NotGiven { what: &'static str, name: String, hint: &'static str },
    #[error("the domain file is wrong:\n{0}\n\nhint: docs/stages/extract.md says what it may hold")]
    Domain(String),
    #[error("cannot use the rules:\n{0}\n\nhint: docs/stages/check.md says what a rules file may hold")]
    Rules(String),
    #[error("cannot write the report `{path}`: {reason}\n\nhint: `pagekin report` writes it again", path = path.display())]
    Report { path: PathBuf, reason: String },
    #[error("`{text}` is no address: {reason}\n\nhint: give it whole, such as https://example.org/drivers/2")]
    Address { text: String, reason: String },
    #[error("cannot use the index `{path}`: {reason}\n\nhint: it needs the columns url, warc_filename, warc_record_offset and warc_record_length", path = path.display())]
    Index { path: PathBuf, reason: String },
    #[error("indexes and archives cannot be mixed: `{path}`\n\nhint: give `.parquet` files only, or WARC files only", path = path.display())]
    MixedArchives { path: PathBuf },
    #[error("cannot start a thread: {0}\n\nhint: the system allows no more; work on fewer sites at a time")]
    Thread(std::io::Error),
    #[error("work was ended from outside: {0}\n\nhint: run it again")]
    Ended(tokio::task::JoinError),
    #[error("class {0} of the run is gone\n\nhint: it was deleted from the database; run the sample again")]
    NoClass(i64),
    #[error(
        "no index page shows any known page: {0}\n\nhint: open it in a browser; a run that begins anew discovers it again"
    )]
    Blank(String),
    #[error("cannot write records: {0}\n\nhint: check the folder and the free disk space")]
    Write(std::io::Error),
    #[error("no page to begin with: {0}\n\nhint: open the address in a browser, and give one that shows a page")]
    NoSample(String),
    #[error("cannot remove `{path}`, which holds pages that are not to be kept: {source}\n\nhint: remove it by hand", path = path.display())]
    Dropped { path: PathBuf, source: std::io::Error },
    #[error(
        "this cannot be proved: {0}\n\nhint: run the sample again with `--recheck`, so that its pages are fetched and kept"
    )]
    Unproved(String),
    #[error("there is no record of `{0}`\n\nhint: give the address as `pagekin export` has it in `url`")]
    NoRecord(String),
    #[error("there is no run {0}\n\nhint: `pagekin query \"SELECT id, state, started_at FROM runs\"` lists them")]
    NoRun(i64),
    #[error("`{path}` is there already\n\nhint: choose another name with `--out`", path = path.display())]
    ProofExists { path: PathBuf },
    #[error("cannot verify `{path}`: {reason}\n\nhint: give a `.wacz` file, a folder that `pagekin prove` wrote, or a WARC file", path = path.display())]
    Unverifiable { path: PathBuf, reason: String },
    #[error(
        "the time-stamp authority at `{host}` gave no time stamp: {reason}\n\nhint: its address has to answer RFC 3161 requests over HTTP"
    )]
    Timestamp { host: String, reason: String },
    #[error(
        "cannot hash columns: {0}\n\nhint: `head -c 32 /dev/urandom | base64 > key.txt`, and name the file as `key_file` under [privacy]"
    )]
    PrivacyKey(String),
    #[error("cannot write columns: {0}\n\nhint: choose other columns")]
    Columns(String),
    #[error("cannot make a spreadsheet: {0}\n\nhint: write `.csv` instead")]
    Spreadsheet(String),
    #[error("cannot make a Parquet file: {0}\n\nhint: write `.jsonl` or `.csv` instead")]
    Parquet(String),
    #[error("cannot read records: {0}\n\nhint: give lines of records, as `pagekin extract` writes them")]
    Records(std::io::Error),
    #[error("cannot read the reference `{name}`: {reason}\n\nhint: check that it exists and is what its ending says")]
    Reference { name: String, reason: String },
    #[error(
        "cannot read the table `{table}` of the reference: {reason}\n\nhint: check the names of database and table, such as sqlite:FILE?TABLE or postgres://user@host/name?table=TABLE"
    )]
    ReferenceTable { table: String, reason: String },
    #[error(
        "cannot tell what kind of reference `{name}` is\n\nhint: let it end in .csv, .tsv or .parquet, or name a table: sqlite:FILE?TABLE, postgres://…?table=TABLE"
    )]
    ReferenceKind { name: String },
    #[error(
        "the search service is not described well: {reason}\n\nhint: docs/stages/find_sites.md says what the file may hold"
    )]
    Engine { reason: String },
    #[error("cannot use the GeoIP file `{path}`: {reason}\n\nhint: give a country database in the format `.mmdb`")]
    GeoIp { path: PathBuf, reason: String },
    #[error("archive `{path}` is there already\n\nhint: go on with it, or choose another name")]
    ArchiveExists { path: PathBuf },
    #[error("there is no archive to go on with\n\nhint: going on needs the archive that the run before kept")]
    NothingToResume,
    #[error("it is not what a run learned: {0}\n\nhint: give a file with what `pagekin discover` learned")]
    NotLearned(serde_json::Error),
    #[error("it is no site model: {0}\n\nhint: give a model that `pagekin model` wrote as JSON")]
    NotModel(serde_json::Error),
    #[error(
        "it is a site model of version {0}, and this program reads version {known}\n\n\
         hint: take a newer pagekin, or make the model again with `pagekin model`",
        known = pagekin_core::model::VERSION
    )]
    ModelVersion(u64),
    #[error("only archives have all their pages at hand\n\nhint: give an archive, or an entry page alone")]
    NoArchive,
    #[error(
        "it is of version {0}, and this program reads version {known}\n\n\
         hint: take a newer pagekin, or learn the site again with `pagekin discover`",
        known = pagekin_core::discover::refresh::VERSION
    )]
    LearnedVersion(u64),
}
