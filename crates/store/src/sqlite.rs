//! SQLite: one file, one thread that writes to it, readers beside it (WAL).
//!
//! - [`Sqlite`]: hands work to the thread. Reading a whole table does not hold up writing: it has a connection of its own.
//! - [`Readers`]: connections that short queries share.

use crate::backend::{Dialect, Outcome, Statement};
use crate::stream::{BATCH, Found, Sender};
use crate::value::{Row, Value};
use crate::{Error, Result};
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, oneshot};

mod embedded {
    refinery::embed_migrations!("migrations/sqlite");
}

/// Another process may hold the file for as long as its longest transaction.
const BUSY: Duration = Duration::from_secs(30);

/// A new file is made ready in well under a second; a migration that fails for another reason fails again.
const HALF_MADE: Duration = Duration::from_secs(3);

/// Statements kept prepared: there are about forty.
const PREPARED: usize = 64;

/// Short queries at the same time: more only wait for each other's processor.
const READERS: usize = 4;

/// Steps of SQLite's machine between two looks at the clock: some milliseconds.
const STEPS: i32 = 20_000;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

#[derive(Clone)]
pub struct Sqlite {
    path: Arc<PathBuf>,
    jobs: mpsc::Sender<Job>,
    cpu: Arc<AtomicU64>,
    readers: Arc<Readers>,
}

/// Connections that are open and not in use.
struct Readers {
    free: Mutex<Vec<Connection>>,
    turns: Semaphore,
}

impl Readers {
    fn new() -> Self {
        Self { free: Mutex::default(), turns: Semaphore::new(READERS) }
    }

    fn take(&self, path: &Path) -> Result<Connection> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.map_or_else(|| reader(path), Ok)
    }

    fn give_back(&self, connection: Connection) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}

impl Sqlite {
    pub async fn open(path: &Path) -> Result<Self> {
        Self::with(path, opened_file).await
    }

    /// Neither makes nor changes anything.
    pub async fn open_to_read(path: &Path) -> Result<Self> {
        Self::with(path, opened_to_read).await
    }

    async fn with(path: &Path, open: fn(&Path) -> Result<Connection>) -> Result<Self> {
        let (jobs, waiting) = mpsc::channel::<Job>();
        let (path, cpu) = (Arc::new(path.to_owned()), Arc::new(AtomicU64::new(0)));
        let (opened, ready) = oneshot::channel();
        let (own, spent) = (path.clone(), cpu.clone());
        let thread = std::thread::Builder::new().name("sqlite".to_owned()).spawn(move || match open(&own) {
            Ok(mut connection) => {
                let _ = opened.send(Ok(()));
                for job in waiting {
                    job(&mut connection);
                    spent.store(thread_time(), Ordering::Relaxed);
                }
            }
            Err(error) => drop(opened.send(Err(error))),
        });
        thread.map_err(|error| cannot_open(&path, &error.to_string()))?;
        ready.await.map_err(|_| cannot_open(&path, "its thread ended"))??;
        Ok(Self { path, jobs, cpu, readers: Arc::new(Readers::new()) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn cpu_seconds(&self) -> f64 {
        Duration::from_nanos(self.cpu.load(Ordering::Relaxed)).as_secs_f64()
    }

    pub async fn transact(&self, statements: Vec<Statement>) -> Result<Vec<Outcome>> {
        let (answer, answered) = oneshot::channel();
        let path = self.path.clone();
        let job = move |connection: &mut Connection| {
            let done = transacted(connection, &statements).unwrap_or_else(|error| Err(failed(&path, error)));
            let _ = answer.send(done); // Nobody waits any more: it is done all the same.
        };
        let lost = || failed(&self.path, rusqlite::Error::InvalidQuery);
        self.jobs.send(Box::new(job)).map_err(|_| lost())?;
        answered.await.map_err(|_| lost())?
    }

    /// All rows of a query that only reads, if it ends within `limit`.
    pub async fn fetch(&self, sql: String, values: Vec<Value>, limit: Duration) -> Result<(Vec<String>, Vec<Row>)> {
        let ended = |why: String| Error::Query(format!("the reader ended: {why}"));
        let _turn = self.readers.turns.acquire().await.map_err(|error| ended(error.to_string()))?;
        let (path, readers) = (self.path.clone(), self.readers.clone());
        let work = move || {
            let mut connection = readers.take(&path)?;
            let found = fetched(&mut connection, &sql, &values, limit);
            readers.give_back(connection);
            found
        };
        tokio::task::spawn_blocking(work).await.map_err(|error| ended(error.to_string()))?
    }

    /// Runs a definition of the schema, by the thread that writes.
    pub async fn define(&self, sql: String) -> Result<()> {
        let (answer, answered) = oneshot::channel();
        let path = self.path.clone();
        let job = move |connection: &mut Connection| {
            let _ = answer.send(connection.execute_batch(&sql).map_err(|error| failed(&path, error)));
        };
        let lost = || failed(&self.path, rusqlite::Error::InvalidQuery);
        self.jobs.send(Box::new(job)).map_err(|_| lost())?;
        answered.await.map_err(|_| lost())?
    }

    /// Sends the rows as they are read, until nobody listens.
    pub fn stream(&self, sql: String, values: Vec<Value>, sender: Sender) {
        stream(self.path.as_ref().clone(), sql, values, sender);
    }
}

/// The same of any file, without a thread that writes.
pub fn stream(path: PathBuf, sql: String, values: Vec<Value>, sender: Sender) {
    tokio::task::spawn_blocking(move || {
        if let Err(error) = streamed(&path, &sql, &values, &sender) {
            let _ = sender.blocking_send(Err(error));
        }
    });
}

fn opened_file(path: &Path) -> Result<Connection> {
    let wrong = |error: rusqlite::Error| cannot_open(path, &error.to_string());
    made_private(path);
    let mut connection = Connection::open(path).map_err(wrong)?;
    connection.busy_timeout(BUSY).map_err(wrong)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    made_ready(&mut connection).map_err(|error| match error {
        Unready::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::DiskFull) => failed(path, error),
        Unready::Sqlite(error) => wrong(error),
        Unready::Migration(error) => cannot_open(path, &error.to_string()),
    })?;
    Ok(connection)
}

enum Unready {
    Sqlite(rusqlite::Error),
    Migration(refinery::Error),
}

/// Of those who open a new file together one makes it ready, and the others find it locked or half made. SQLite does not wait by itself
/// for a file that changes its journal, and refinery does not wait at all: who comes second tries again.
fn made_ready(connection: &mut Connection) -> std::result::Result<(), Unready> {
    let begun = Instant::now();
    loop {
        let error = match set_up(connection) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let passes = match &error {
            Unready::Sqlite(error) => {
                matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
            }
            Unready::Migration(_) => true,
        };
        let patience = if matches!(error, Unready::Sqlite(_)) { BUSY } else { HALF_MADE };
        if !passes || begun.elapsed() > patience {
            return Err(error);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn set_up(connection: &mut Connection) -> std::result::Result<(), Unready> {
    // A killed process loses nothing that was committed; without waiting for the disk at each commit a power cut may lose
    // the last of them, never the file.
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;")
        .map_err(Unready::Sqlite)?;
    embedded::migrations::runner().run(connection).map(drop).map_err(Unready::Migration)
}

/// Records may be nobody else's business. What cannot be made so is told when it is opened.
fn made_private(path: &Path) {
    use std::os::unix::fs::OpenOptionsExt;
    let _ = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
}

fn opened_to_read(path: &Path) -> Result<Connection> {
    let wrong = |error: rusqlite::Error| cannot_open(path, &error.to_string());
    let connection = reading(path).map_err(wrong)?;
    let ours =
        "SELECT COUNT(*) FROM sqlite_master WHERE name IN ('sites', 'runs', 'records', 'refinery_schema_history')";
    let found: i64 = connection.query_row(ours, [], |row| row.get(0)).map_err(wrong)?;
    if found < 4 {
        return Err(cannot_open(path, "it is no database of pagekin"));
    }
    Ok(connection)
}

/// For queries of strangers, too: no other file can be attached to it.
fn reader(path: &Path) -> Result<Connection> {
    let wrong = |error: rusqlite::Error| cannot_open(path, &error.to_string());
    let connection = reading(path).map_err(wrong)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0).map_err(wrong)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    Ok(connection)
}

fn fetched(
    connection: &mut Connection,
    sql: &str,
    values: &[Value],
    limit: Duration,
) -> Result<(Vec<String>, Vec<Row>)> {
    let began = Instant::now();
    let wrong = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => Error::TooLong { seconds: limit.as_secs() },
        _ => Error::Query(first_line(&error.to_string())),
    };
    connection.progress_handler(STEPS, Some(move || began.elapsed() > limit)).map_err(wrong)?;
    let found = all_rows(connection, sql, values, &wrong);
    connection.progress_handler(0, None::<fn() -> bool>).map_err(wrong)?;
    found
}

fn all_rows(
    connection: &Connection,
    sql: &str,
    values: &[Value],
    wrong: &dyn Fn(rusqlite::Error) -> Error,
) -> Result<(Vec<String>, Vec<Row>)> {
    let mut prepared = connection.prepare_cached(sql).map_err(wrong)?;
    if !prepared.readonly() {
        return Err(Error::ReadOnly);
    }
    let names: Vec<String> = prepared.column_names().map(str::to_owned).collect();
    let columns = names.len();
    let mut rows = prepared.query(rusqlite::params_from_iter(values)).map_err(wrong)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next().map_err(wrong)? {
        all.push(read(row, columns).map_err(wrong)?);
    }
    Ok((names, all))
}

/// A file that lies where nothing may be written, and that nobody writes to, is read as it is.
fn reading(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let open = |more: &str| -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(format!("file:{escaped}{more}"), flags)?;
        connection.busy_timeout(BUSY)?;
        connection.query_row("SELECT COUNT(*) FROM sqlite_master", [], |_| Ok(()))?;
        Ok(connection)
    };
    let waits = path.with_file_name(format!("{}-wal", path.file_name().unwrap_or_default().to_string_lossy()));
    open("").or_else(|error| if waits.exists() { Err(error) } else { open("?immutable=1") })
}

fn cannot_open(path: &Path, reason: &str) -> Error {
    let hint = if path.is_dir() {
        "it is a folder; give the name of a file"
    } else if path.parent().is_some_and(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        "make its folder first"
    } else {
        "check that it is a database of pagekin, of this version or an older one, and may be written"
    };
    Error::Open { place: path.display().to_string(), reason: first_line(reason), hint }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn failed(path: &Path, error: rusqlite::Error) -> Error {
    let place = path.display().to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Error::Full { place },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::Failed { place, reason: error.to_string(), hint: "another program holds it; end that one first" }
        }
        Some(ErrorCode::TooBig | ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch) => {
            Error::Data { place, reason: error.to_string() }
        }
        _ => Error::Failed { place, reason: error.to_string(), hint: "check the disk, and that the file is whole" },
    }
}

/// Takes the right to write at once: two who read first and write later would both have to give up.
fn transacted(connection: &mut Connection, statements: &[Statement]) -> rusqlite::Result<Result<Vec<Outcome>>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut outcomes = Vec::with_capacity(statements.len());
    for statement in statements {
        let mut prepared = transaction.prepare_cached(&Dialect::Sqlite.sql(statement.sql))?;
        let (columns, mut outcome) = (prepared.column_count(), Outcome::default());
        for values in &statement.rows {
            if columns == 0 {
                outcome.affected += prepared.execute(rusqlite::params_from_iter(values))? as u64;
                continue;
            }
            let mut rows = prepared.query(rusqlite::params_from_iter(values))?;
            while let Some(row) = rows.next()? {
                outcome.rows.push(read(row, columns)?);
                outcome.affected += 1;
            }
        }
        if let Some(run) = statement.fence.filter(|_| outcome.affected == 0) {
            return Ok(Err(Error::TakenOver { run }));
        }
        outcomes.push(outcome);
    }
    transaction.commit()?;
    Ok(Ok(outcomes))
}

fn read(row: &rusqlite::Row, columns: usize) -> rusqlite::Result<Row> {
    (0..columns).map(|at| row.get_ref(at).map(Value::from)).collect::<rusqlite::Result<Vec<Value>>>().map(Row)
}

fn streamed(path: &Path, sql: &str, values: &[Value], sender: &Sender) -> Result<()> {
    let query = |error: rusqlite::Error| Error::Query(first_line(&error.to_string()));
    let connection = reading(path).map_err(|error| cannot_open(path, &error.to_string()))?;
    let mut prepared = connection.prepare(sql).map_err(query)?;
    if !prepared.readonly() {
        return Err(Error::ReadOnly);
    }
    let names: Vec<String> = prepared.column_names().map(str::to_owned).collect();
    let columns = names.len();
    if sender.blocking_send(Ok(Found::Columns(names))).is_err() {
        return Ok(());
    }
    let mut rows = prepared.query(rusqlite::params_from_iter(values)).map_err(query)?;
    let mut batch = Vec::with_capacity(BATCH);
    while let Some(row) = rows.next().map_err(query)? {
        batch.push(read(row, columns).map_err(query)?);
        if batch.len() == BATCH && sender.blocking_send(Ok(Found::Rows(std::mem::take(&mut batch)))).is_err() {
            return Ok(());
        }
    }
    let _ = sender.blocking_send(Ok(Found::Rows(batch))); // Nobody listens any more: nothing to do.
    Ok(())
}

/// Nanoseconds of processor time of this thread.
fn thread_time() -> u64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    spent.tv_sec as u64 * 1_000_000_000 + spent.tv_nsec as u64
}
