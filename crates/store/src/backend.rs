//! How is a statement run? Statements in one text for both databases → rows.
//!
//! - [`Statement`]: SQL with `$1`, `$2`, and the values of one row or many. - [`Outcome`]: what came of it.
//! - [`Backend`]: the database behind a [`Store`]. - [`Dialect`]: what the two write differently.
//!
//! Statements handed over together are one transaction, and every one of them may be run again without harm: after a lost
//! connection nobody knows whether it was done.

use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::value::{Row, Value};
use crate::{Result, Run, Store};

#[derive(Clone)]
pub enum Backend {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

#[derive(Debug, Clone)]
pub struct Statement {
    pub sql: &'static str,
    /// Run once for each.
    pub rows: Vec<Vec<Value>>,
    /// It has to find a row, or nothing of the transaction is done: this run is somebody else's by now.
    pub fence: Option<i64>,
}

impl Statement {
    pub fn new(sql: &'static str, values: Vec<Value>) -> Self {
        Self::many(sql, vec![values])
    }

    pub fn many(sql: &'static str, rows: Vec<Vec<Value>>) -> Self {
        Self { sql, rows, fence: None }
    }

    /// Whatever stands behind it in a transaction is done by the one who works on the run, or not at all. `further`: it got
    /// further by that.
    pub fn fence(run: &Run, further: bool) -> Self {
        let sql = "UPDATE runs SET tries = CASE WHEN $3 THEN 0 ELSE tries END
            WHERE id = $1 AND attempt = $2 AND state = 'running'";
        Self { fence: Some(run.id), ..Self::new(sql, vec![run.id.into(), run.attempt.into(), further.into()]) }
    }
}

/// Of all rows of one statement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    pub rows: Vec<Row>,
    pub affected: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// Words in braces and how each database says them. `{url}` is what a key takes in place of an address.
    fn words(self) -> [(&'static str, &'static str); 8] {
        match self {
            Self::Sqlite => [
                ("{now_ms}", "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"),
                ("{greatest}", "MAX"),
                ("{skip_locked}", ""),
                ("{url}", "url"),
                ("{template}", "template"),
                ("{samples}", "samples"),
                ("{json}", "TEXT"),
                ("{real}", "REAL"),
            ],
            Self::Postgres => [
                ("{now_ms}", "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"),
                ("{greatest}", "GREATEST"),
                ("{skip_locked}", "FOR UPDATE SKIP LOCKED"),
                ("{url}", "md5(url)"),
                ("{template}", "md5(template)"),
                ("{samples}", "md5(samples)"),
                ("{json}", "JSONB"),
                ("{real}", "DOUBLE PRECISION"),
            ],
        }
    }

    pub fn sql(self, text: &str) -> String {
        let text = self.words().iter().fold(text.to_owned(), |sql, (word, meant)| sql.replace(word, meant));
        if self == Self::Sqlite { text.replace('$', "?") } else { text }
    }
}

impl Backend {
    pub fn place(&self) -> String {
        match self {
            Self::Sqlite(sqlite) => sqlite.path().display().to_string(),
            Self::Postgres(postgres) => postgres.place().to_owned(),
        }
    }

    pub fn apart(&self) -> Result<Self> {
        Ok(match self {
            Self::Sqlite(sqlite) => Self::Sqlite(sqlite.clone()),
            Self::Postgres(postgres) => Self::Postgres(postgres.apart()?),
        })
    }

    pub fn cpu_seconds(&self) -> Option<f64> {
        match self {
            Self::Sqlite(sqlite) => Some(sqlite.cpu_seconds()),
            Self::Postgres(_) => None,
        }
    }
}

impl Store {
    /// All or nothing, in this order.
    pub async fn transact(&self, statements: Vec<Statement>) -> Result<Vec<Outcome>> {
        match &self.backend {
            Backend::Sqlite(sqlite) => sqlite.transact(statements).await,
            Backend::Postgres(postgres) => postgres.transact(&statements).await,
        }
    }

    /// All or nothing, and nothing when the run was taken over.
    pub(crate) async fn transact_of(&self, run: &Run, further: bool, statements: Vec<Statement>) -> Result<()> {
        let fenced = std::iter::once(Statement::fence(run, further)).chain(statements).collect();
        self.transact(fenced).await.map(drop)
    }

    pub async fn one(&self, sql: &'static str, values: Vec<Value>) -> Result<Outcome> {
        let done = self.transact(vec![Statement::new(sql, values)]).await?;
        Ok(done.into_iter().next().unwrap_or_default())
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match self.backend {
            Backend::Sqlite(_) => Dialect::Sqlite,
            Backend::Postgres(_) => Dialect::Postgres,
        }
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.backend
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_dialects_know_the_same_words() {
        let names = |dialect: Dialect| dialect.words().map(|(word, _)| word);
        assert_eq!(names(Dialect::Sqlite), names(Dialect::Postgres));
    }

    #[test]
    fn one_text_serves_both() {
        let sql = "SELECT {greatest}($1, $2) {skip_locked}";
        assert_eq!(Dialect::Sqlite.sql(sql), "SELECT MAX(?1, ?2) ");
        assert_eq!(Dialect::Postgres.sql(sql), "SELECT GREATEST($1, $2) FOR UPDATE SKIP LOCKED");
    }
}
