//! What does a query give, however much it is? SQL → rows, as they are read.
//!
//! - [`Rows`]: names of the columns, then rows in batches; dropping it ends the query.
//!
//! Nothing can be changed through it: SQLite is opened read-only, PostgreSQL gets a read-only transaction, and what others wrote is
//! asked by roles only that can do nothing but read.

use crate::backend::Backend;
use crate::value::{Row, Value};
use crate::{Error, Result, Store};
use std::time::Duration;
use tokio::sync::mpsc;

/// Longer than this nobody waits for a page.
pub const QUICK: Duration = Duration::from_secs(20);

/// Rows handed over at a time.
pub const BATCH: usize = 256;

pub enum Found {
    Columns(Vec<String>),
    Rows(Vec<Row>),
}

pub type Sender = mpsc::Sender<Result<Found>>;

pub struct Rows {
    pub columns: Vec<String>,
    receiver: mpsc::Receiver<Result<Found>>,
}

impl Rows {
    /// What `start` sends.
    pub(crate) async fn of(start: impl FnOnce(Sender)) -> Result<Self> {
        let (sender, mut receiver) = mpsc::channel(4);
        start(sender);
        match receiver.recv().await.transpose()? {
            Some(Found::Columns(columns)) => Ok(Self { columns, receiver }),
            Some(Found::Rows(_)) | None => Err(Error::Query("the connection ended".to_owned())),
        }
    }

    /// The next batch; none at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<Row>>> {
        match self.receiver.recv().await.transpose()? {
            Some(Found::Rows(rows)) => Ok(Some(rows)),
            Some(Found::Columns(_)) | None => Ok(None),
        }
    }

    pub async fn all(mut self) -> Result<Vec<Row>> {
        let mut all = Vec::new();
        while let Some(rows) = self.next().await? {
            all.extend(rows);
        }
        Ok(all)
    }
}

impl Store {
    /// A query of the user's, in the database's own SQL.
    pub async fn query(&self, sql: &str) -> Result<Rows> {
        self.only_reads().await?;
        self.streamed(sql.to_owned(), Vec::new()).await
    }

    /// A query of ours, in the text for both.
    pub async fn select(&self, sql: &str, values: Vec<Value>) -> Result<Rows> {
        self.streamed(self.dialect().sql(sql), values).await
    }

    /// All rows of a query of ours that has few, if it ends within [`QUICK`].
    pub async fn fetch(&self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>> {
        self.fetch_as_is(self.dialect().sql(sql), values).await
    }

    /// The same of a text in the database's own SQL.
    pub(crate) async fn fetch_as_is(&self, sql: String, values: Vec<Value>) -> Result<Vec<Row>> {
        let found = match self.backend() {
            Backend::Sqlite(sqlite) => sqlite.fetch(sql, values, QUICK).await,
            Backend::Postgres(postgres) => postgres.fetch(&sql, &values, QUICK).await,
        };
        found.map(|(_, rows)| rows)
    }

    /// The first rows of a query of the user's, with the names of its columns, if it ends within `limit`.
    pub async fn query_within(&self, sql: &str, most: usize, limit: Duration) -> Result<(Vec<String>, Vec<Row>)> {
        self.only_reads().await?;
        // In a query of its own, so that what is too much is not read; the line end closes a comment.
        let sql = format!("SELECT * FROM (\n{}\n) AS asked LIMIT {most}", sql.trim().trim_end_matches(';'));
        match self.backend() {
            Backend::Sqlite(sqlite) => sqlite.fetch(sql, Vec::new(), limit).await,
            Backend::Postgres(postgres) => postgres.fetch(&sql, &[], limit).await,
        }
    }

    /// Can what asks do nothing but read?
    async fn only_reads(&self) -> Result<()> {
        match self.backend() {
            Backend::Sqlite(_) => Ok(()),
            Backend::Postgres(postgres) => postgres.only_reads().await,
        }
    }

    async fn streamed(&self, sql: String, values: Vec<Value>) -> Result<Rows> {
        Rows::of(|sender| match self.backend() {
            Backend::Sqlite(sqlite) => sqlite.stream(sql, values, sender),
            Backend::Postgres(postgres) => postgres.stream(sql, values, sender),
        })
        .await
    }
}
