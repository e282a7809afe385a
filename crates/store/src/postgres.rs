//! PostgreSQL: a pool of connections, and patience while the server restarts.
//!
//! - [`Postgres`]: statements sent together, without waiting for each answer; tried again after a lost connection. - [`tls`]: how the way
//!   there is encrypted. - [`value`]: how values are written.

mod tls;
mod value;

use crate::backend::{Dialect, Outcome, Statement};
use crate::stream::{BATCH, Found, Sender};
use crate::value::{Row, Value};
use crate::{Error, Result};
use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, Transaction};
use futures::{StreamExt, TryStreamExt, stream};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tls::Encryption;
use tokio_postgres::Config;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;

mod embedded {
    refinery::embed_migrations!("migrations/postgres");
}

/// Connections of one process: a writer, its heartbeat, the pace of hosts, and queries beside them.
const CONNECTIONS: usize = 8;

/// Rows of one statement under way: enough to hide the way to the server and back.
const AHEAD: usize = 64;

/// Between two tries to reach a server that is gone.
const PAUSE: Duration = Duration::from_millis(500);

/// What a query of this role could become: a role may take on each that it is a member of, in the middle of a query, too. So it is
/// asked who may, and not who has; a superuser is a member of every role.
const POWERFUL: &str = "SELECT rolname::text FROM pg_roles
    WHERE (rolsuper OR rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files'))
        AND pg_has_role(session_user, oid, 'MEMBER')
    ORDER BY rolname <> session_user, NOT rolsuper, rolname LIMIT 1";

/// Held while the schema is brought up to date, so that workers starting together do not do it twice. Any number does.
const MIGRATION: i64 = 0x0070_6167_656b_696e;

#[derive(Clone)]
pub struct Postgres {
    pool: Pool,
    url: Arc<str>,
    place: Arc<str>,
    patience: Duration,
}

enum Trouble {
    /// The server may come back.
    Passing(String),
    Lasting(Error),
}

impl Postgres {
    pub async fn open(url: &str, patience: Duration) -> Result<Self> {
        let opened = Self::connected(url, patience)?;
        opened.migrate().await?;
        Ok(opened)
    }

    /// No table is made; where ours are missing it is another's database.
    pub async fn open_to_read(url: &str, patience: Duration) -> Result<Self> {
        let opened = Self::connected(url, patience)?;
        let wrong = |reason: String| unreachable(&opened.place, &reason);
        let client = opened.pool.get().await.map_err(|error| wrong(told(&error)))?;
        let ours =
            "SELECT COUNT(*) FROM pg_tables WHERE tablename IN ('sites', 'runs', 'records', 'refinery_schema_history')";
        let found: i64 = client.query_one(ours, &[]).await.map_err(|error| wrong(worded(&error)))?.get(0);
        drop(client);
        if found < 4 {
            let hint = "`pagekin run URL` makes one; or give another";
            return Err(Error::Open {
                place: opened.place.to_string(),
                reason: "it is no database of pagekin".to_owned(),
                hint,
            });
        }
        Ok(opened)
    }

    /// As it is: no table of ours is made.
    pub fn connected(url: &str, patience: Duration) -> Result<Self> {
        // The scheme may be in capitals; who reads the address knows small letters only.
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let (address, encryption) = Encryption::of(rest).map_err(|reason| unreachable("postgres://…", &reason))?;
        let mut config: Config = format!("{}://{address}", scheme.to_ascii_lowercase()).parse().map_err(
            |error: tokio_postgres::Error| Error::Open {
                place: "postgres://…".to_owned(),
                reason: error.to_string(),
                hint: "such as postgres://user:password@host:5432/database",
            },
        )?;
        config.ssl_mode(encryption.mode);
        let place = place(&config);
        let tls = encryption.connector().map_err(|reason| unreachable(&place, &reason))?;
        let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let pool = Pool::builder(Manager::from_config(config, tls, manager))
            .max_size(CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| unreachable(&place, &error.to_string()))?;
        Ok(Self { pool, url: url.into(), place: place.into(), patience })
    }

    /// The same with connections of its own.
    pub fn apart(&self) -> Result<Self> {
        Self::connected(&self.url, self.patience)
    }

    pub fn place(&self) -> &str {
        &self.place
    }

    /// A server that cannot be reached at the start is a mistake in the address, not a restart: no patience here.
    async fn migrate(&self) -> Result<()> {
        let wrong = |reason: String| unreachable(&self.place, &reason);
        let mut client = self.pool.get().await.map_err(|error| wrong(told(&error)))?;
        client.execute("SELECT pg_advisory_lock($1)", &[&MIGRATION]).await.map_err(|error| wrong(error.to_string()))?;
        let done = embedded::migrations::runner().run_async(&mut **client).await;
        client
            .execute("SELECT pg_advisory_unlock($1)", &[&MIGRATION])
            .await
            .map_err(|error| wrong(error.to_string()))?;
        done.map(drop).map_err(|error| wrong(error.to_string()))
    }

    pub async fn transact(&self, statements: &[Statement]) -> Result<Vec<Outcome>> {
        self.patiently(|| async {
            let mut client = self.client().await?;
            match transacted(&mut client, statements).await {
                Ok(done) => done.map_err(Trouble::Lasting),
                Err(error) => Err(self.trouble(&error)),
            }
        })
        .await
    }

    async fn client(&self) -> std::result::Result<Object, Trouble> {
        self.pool.get().await.map_err(|error| match &error {
            PoolError::Backend(backend) if !is_passing(backend) => self.trouble(backend),
            _ => Trouble::Passing(told(&error)),
        })
    }

    fn trouble(&self, error: &tokio_postgres::Error) -> Trouble {
        if is_passing(error) {
            return Trouble::Passing(error.to_string());
        }
        let place = self.place.to_string();
        Trouble::Lasting(match error.code() {
            Some(&SqlState::DISK_FULL) => Error::Full { place },
            Some(code) if is_about_data(code) => Error::Data { place, reason: worded(error) },
            _ => Error::Failed { place, reason: worded(error), hint: "the server's log may say more" },
        })
    }

    async fn patiently<T, F: Future<Output = std::result::Result<T, Trouble>>>(
        &self,
        once: impl Fn() -> F,
    ) -> Result<T> {
        let mut since = None;
        loop {
            let reason = match once().await {
                Ok(done) => return Ok(done),
                Err(Trouble::Lasting(error)) => return Err(error),
                Err(Trouble::Passing(reason)) => reason,
            };
            let first = *since.get_or_insert_with(|| {
                tracing::warn!("the database `{}` does not answer ({reason}); waiting for it", self.place);
                Instant::now()
            });
            if first.elapsed() > self.patience {
                return Err(unreachable(&self.place, &reason));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Refuses queries that a person or a program wrote where they could do more than read: a superuser runs programs and reads files by
    /// a query, in a transaction that only reads, too, and whatever role is set for it can be set back in it.
    pub async fn only_reads(&self) -> Result<()> {
        let query = |error: tokio_postgres::Error| Error::Query(worded(&error));
        let client = self.patiently(|| self.client()).await?;
        match client.query_opt(POWERFUL, &[]).await.map_err(query)? {
            Some(row) => Err(Error::Powerful { role: row.try_get(0).map_err(query)? }),
            None => Ok(()),
        }
    }

    /// All rows of a query that only reads, if it ends within `limit`.
    pub async fn fetch(&self, sql: &str, values: &[Value], limit: Duration) -> Result<(Vec<String>, Vec<Row>)> {
        let query = |error: tokio_postgres::Error| match error.code() {
            Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => Error::ReadOnly,
            Some(&SqlState::QUERY_CANCELED) => Error::TooLong { seconds: limit.as_secs() },
            _ => Error::Query(worded(&error)),
        };
        let mut client = self.patiently(|| self.client()).await?;
        let transaction = client.build_transaction().read_only(true).start().await.map_err(query)?;
        let within = format!("SET LOCAL statement_timeout = {}", limit.as_millis());
        transaction.batch_execute(&within).await.map_err(query)?;
        let prepared = transaction.prepare_cached(sql).await.map_err(query)?;
        let names = prepared.columns().iter().map(|column| column.name().to_owned()).collect();
        let (rows, _) = one(&transaction, &prepared, values).await.map_err(query)?;
        Ok((names, rows))
    }

    /// Runs a definition of the schema, outside of any transaction.
    pub async fn define(&self, sql: &str) -> Result<()> {
        self.patiently(|| async {
            let client = self.client().await?;
            client.batch_execute(sql).await.map_err(|error| self.trouble(&error))
        })
        .await
    }

    pub fn stream(&self, sql: String, values: Vec<Value>, sender: Sender) {
        let own = self.clone();
        tokio::spawn(async move {
            if let Err(error) = own.streamed(&sql, &values, &sender).await {
                let _ = sender.send(Err(error)).await;
            }
        });
    }

    async fn streamed(&self, sql: &str, values: &[Value], sender: &Sender) -> Result<()> {
        let query = |error: tokio_postgres::Error| match error.code() {
            Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => Error::ReadOnly,
            _ => Error::Query(worded(&error)),
        };
        let mut client = self.patiently(|| self.client()).await?;
        let transaction = client.build_transaction().read_only(true).start().await.map_err(query)?;
        let prepared = transaction.prepare(sql).await.map_err(query)?;
        let names = prepared.columns().iter().map(|column| column.name().to_owned()).collect();
        if sender.send(Ok(Found::Columns(names))).await.is_err() {
            return Ok(());
        }
        let rows = transaction.query_raw(&prepared, values).await.map_err(query)?;
        let mut batches = std::pin::pin!(rows.try_chunks(BATCH));
        while let Some(batch) = batches.next().await {
            let batch = batch.map_err(|error| query(error.1))?;
            let read: std::result::Result<Vec<Row>, _> = batch.iter().map(read).collect();
            if sender.send(Ok(Found::Rows(read.map_err(query)?))).await.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }
}

type Under<'u> = Pin<Box<dyn Future<Output = std::result::Result<(Vec<Row>, u64), tokio_postgres::Error>> + Send + 'u>>;

async fn one(
    transaction: &Transaction<'_>,
    prepared: &tokio_postgres::Statement,
    values: &[Value],
) -> std::result::Result<(Vec<Row>, u64), tokio_postgres::Error> {
    let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
    if prepared.columns().is_empty() {
        return transaction.execute(prepared, &values).await.map(|affected| (Vec::new(), affected));
    }
    let rows = transaction.query(prepared, &values).await?;
    let affected = rows.len() as u64;
    rows.iter().map(read).collect::<std::result::Result<Vec<Row>, _>>().map(|rows| (rows, affected))
}

async fn transacted(
    client: &mut Object,
    statements: &[Statement],
) -> std::result::Result<Result<Vec<Outcome>>, tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    let mut outcomes = Vec::with_capacity(statements.len());
    for statement in statements {
        let prepared = transaction.prepare_cached(&Dialect::Postgres.sql(statement.sql)).await?;
        let mut each: Vec<Under> = Vec::with_capacity(statement.rows.len());
        for values in &statement.rows {
            each.push(Box::pin(one(&transaction, &prepared, values)));
        }
        let done: Vec<(Vec<Row>, u64)> = stream::iter(each).buffered(AHEAD).try_collect().await?;
        let affected = done.iter().map(|(_, affected)| affected).sum();
        if let Some(run) = statement.fence.filter(|_| affected == 0) {
            return Ok(Err(Error::TakenOver { run }));
        }
        outcomes.push(Outcome { rows: done.into_iter().flat_map(|(rows, _)| rows).collect(), affected });
    }
    transaction.commit().await?;
    Ok(Ok(outcomes))
}

fn read(row: &tokio_postgres::Row) -> std::result::Result<Row, tokio_postgres::Error> {
    (0..row.len()).map(|at| row.try_get::<_, Value>(at)).collect::<std::result::Result<Vec<Value>, _>>().map(Row)
}

/// Is the server restarting, or did two transactions stand in each other's way?
fn is_passing(error: &tokio_postgres::Error) -> bool {
    const CODES: [SqlState; 8] = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::CONNECTION_EXCEPTION,
        SqlState::CONNECTION_FAILURE,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    match error.code() {
        Some(code) => CODES.contains(code),
        None => error.is_closed() || std::error::Error::source(error).is_some_and(|cause| cause.is::<std::io::Error>()),
    }
}

/// A value that no column takes, breaks a rule of its table, or is too large for it (classes 22, 23 and 54).
fn is_about_data(code: &SqlState) -> bool {
    ["22", "23", "54"].iter().any(|class| code.code().starts_with(class))
}

/// What the server said; the client's own words only say that it said something.
fn worded(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => said.message().to_owned(),
        None => match std::error::Error::source(error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        },
    }
}

fn told(error: &PoolError) -> String {
    match error {
        PoolError::Backend(backend) => worded(backend),
        other => other.to_string(),
    }
}

fn unreachable(place: &str, reason: &str) -> Error {
    let hint = "check that the server runs, and host, port, name and password";
    Error::Open { place: place.to_owned(), reason: reason.to_owned(), hint }
}

/// Host and database; never the password.
fn place(config: &Config) -> String {
    let host = config.get_hosts().first().map_or_else(
        || "localhost".to_owned(),
        |host| match host {
            tokio_postgres::config::Host::Tcp(name) => name.clone(),
            tokio_postgres::config::Host::Unix(path) => path.display().to_string(),
        },
    );
    let port = config.get_ports().first().map_or(String::new(), |port| format!(":{port}"));
    let name = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("postgres://{host}{port}/{name}")
}
