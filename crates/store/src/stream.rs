//! What does a query give, however much it is? SQL → rows, as they are read.
//!
//! - [`Rows`]: names of the columns, then rows in batches; dropping it ends the query.
//!
//! Nothing can be changed through it: SQLite is opened read-only, PostgreSQL gets a read-only transaction.

use crate::backend::{Backend, Dialect};
use crate::value::{Row, Value};
use crate::{Error, Result, Store};
use tokio::sync::mpsc;

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
        self.streamed(sql.to_owned(), Vec::new()).await
    }

    /// A query of ours, in the text for both.
    pub async fn select(&self, sql: &str, values: Vec<Value>) -> Result<Rows> {
        let dialect = match self.backend() {
            Backend::Sqlite(_) => Dialect::Sqlite,
            Backend::Postgres(_) => Dialect::Postgres,
        };
        self.streamed(dialect.sql(sql), values).await
    }

    async fn streamed(&self, sql: String, values: Vec<Value>) -> Result<Rows> {
        Rows::of(|sender| match self.backend() {
            Backend::Sqlite(sqlite) => sqlite.stream(sql, values, sender),
            Backend::Postgres(postgres) => postgres.stream(sql, values, sender),
        })
        .await
    }
}
