//! Where is it kept, and how do I get it back? What stages hand over ↔ SQL, in SQLite or PostgreSQL.
//!
//! ```text
//! run ─► runs (queue, lease, stage) ─► pages, entities, templates, wrappers, records, skipped ─► query, export
//! ```
//!
//! - [`Store`]: one database; the same calls on both kinds.
//! - [`runs`]: who does what, and how far it is. - [`kept`]: what a run found. - [`records`]: records and their history.
//! - [`quarantine`]: runs that were not as expected, held back until somebody accepts them.
//! - [`watches`]: what is run again. - [`hosts`]: pace and locks that all who share the database keep.
//! - [`findings`]: what contradicts what is known, and since when. - [`foreign`]: tables of other databases.
//! - [`forget`]: what must not be kept any more.
//! - [`run_list`], [`screen`], [`reviews`]: what people look at and decide. - [`order`]: indexes for the orders they choose.
//! - [`addresses`]: what is known of a site. - [`dataset`]: records for export. - [`stream`]: rows of any query, read-only.
//! - [`backend`], [`sqlite`], [`postgres`], [`value`]: how a statement is run; one text for both databases. PostgreSQL is behind the
//!   feature `postgres`, which is on unless one says otherwise.
//!
//! The only crate with SQL in it. Knows nothing of the network, nor of how pages are found or read. Bodies of pages stay in
//! WARC files: the table `pages` says where.

pub mod addresses;
pub mod backend;
pub mod dataset;
pub mod findings;
pub mod foreign;
pub mod forget;
pub mod hosts;
pub mod kept;
pub mod order;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(not(feature = "postgres"))]
#[path = "without_postgres.rs"]
mod postgres;
pub mod quarantine;
pub mod records;
pub mod renderings;
pub mod reviews;
pub mod run_list;
pub mod runs;
pub mod screen;
mod sqlite;
pub mod stream;
pub mod value;
pub mod watches;

pub use backend::{Outcome, Statement};
pub use kept::{Absence, Class, EntityRow, IndexRow, PageRow, SkippedRow, TemplateRow};
pub use records::{Change, ChangeKind, RecordRow};
pub use renderings::RenderingRow;
pub use runs::{NewRun, Run, State};
pub use stream::Rows;
pub use value::{Row, Value};
pub use watches::Watch;

use backend::Backend;
use std::path::PathBuf;
use std::time::Duration;

/// How long a database that does not answer is waited for: a restart takes seconds, a failover minutes.
pub const PATIENCE: Duration = Duration::from_secs(600);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot open the database `{place}`: {reason}\n\nhint: {hint}")]
    Open { place: String, reason: String, hint: &'static str },
    #[error(
        "the database `{place}` cannot be written: the disk is full\n\n\
         hint: nothing that was stored is lost; make room and run the same command again"
    )]
    Full { place: String },
    #[error("the database `{place}` failed: {reason}\n\nhint: {hint}")]
    Failed { place: String, reason: String, hint: &'static str },
    #[error(
        "the database `{place}` does not take what was read: {reason}\n\n\
         hint: other sites are not touched by it; look at the page that holds such values"
    )]
    Data { place: String, reason: String },
    #[error("the query failed: {0}\n\nhint: docs/stages/store.md lists tables, views and columns")]
    Query(String),
    #[error(
        "the query takes longer than {seconds} s\n\n\
         hint: ask for less: another word, one more facet, or the order of addresses"
    )]
    TooLong { seconds: u64 },
    #[error(
        "a query is answered to a role that can do nothing but read, and this one is, or can become, `{role}`: as every superuser, it can read \
         files of the server and run programs on it\n\n\
         hint: ask as a role that only reads: CREATE ROLE reader LOGIN PASSWORD '…' IN ROLE pg_read_all_data"
    )]
    Powerful { role: String },
    #[error("the query would change the database\n\nhint: `pagekin query` only reads")]
    ReadOnly,
    #[error(
        "run {run} was taken over by another worker\n\n\
         hint: its lease ran out; a machine that sleeps or swaps loses its runs to others"
    )]
    TakenOver { run: i64 },
    #[error(
        "run {run} cannot be accepted: {reason}\n\nhint: `pagekin query \"SELECT id, quarantine FROM runs\"` lists those that are held"
    )]
    NotHeld { run: i64, reason: String },
    #[error("what is stored in `{column}` cannot be read: {reason}\n\nhint: it was changed by another program")]
    Stored { column: &'static str, reason: String },
}

pub type Result<T> = std::result::Result<T, Error>;

/// A database, opened and brought up to date.
#[derive(Clone)]
pub struct Store {
    backend: Backend,
}

impl Store {
    /// `postgres://…`, or the path of a SQLite file, with or without `sqlite:` before it. Made where it is missing.
    pub async fn open(url: &str) -> Result<Self> {
        Self::with_patience(url, PATIENCE).await
    }

    /// To read only: nothing is made or brought up to date, and what is no database of pagekin is refused.
    pub async fn open_to_read(url: &str) -> Result<Self> {
        let backend = if is_postgres(url) {
            Backend::Postgres(postgres::Postgres::open_to_read(url, PATIENCE).await?)
        } else {
            Backend::Sqlite(sqlite::Sqlite::open_to_read(&sqlite_path(url)).await?)
        };
        Ok(Self { backend })
    }

    pub async fn with_patience(url: &str, patience: Duration) -> Result<Self> {
        let backend = if is_postgres(url) {
            Backend::Postgres(postgres::Postgres::open(url, patience).await?)
        } else {
            Backend::Sqlite(sqlite::Sqlite::open(&sqlite_path(url)).await?)
        };
        Ok(Self { backend })
    }

    /// The same database by connections of its own, where it has any: for whoever must not wait for others.
    pub fn apart(&self) -> Result<Self> {
        Ok(Self { backend: self.backend.apart()? })
    }

    /// For people: without a password.
    pub fn place(&self) -> String {
        self.backend.place()
    }

    /// Processor time spent in the database, where it is this process's own.
    pub fn cpu_seconds(&self) -> Option<f64> {
        self.backend.cpu_seconds()
    }
}

pub fn is_postgres(url: &str) -> bool {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    ["postgres", "postgresql"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// The file behind a URL that is not PostgreSQL's.
pub fn sqlite_path(url: &str) -> PathBuf {
    PathBuf::from(url.strip_prefix("sqlite:").unwrap_or(url))
}
