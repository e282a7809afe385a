//! What are runs doing right now? Events of the worker → the latest of each run, and a log in a file for each.
//!
//! - [`Watching`]: hears, remembers, writes down. - [`Doing`]: what one run is at.
//!
//! What it remembers is lost with the process; what is in the database and in the logs is not.

use pagekin::run::Event;
use pagekin::store::Run;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of a log that are shown.
const SHOWN: u64 = 64 * 1024;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Doing {
    pub stage: String,
    /// Pages looked at.
    pub looked: u64,
    /// Pages read, of so many.
    pub read: usize,
    pub of: usize,
    /// Seconds until all are read, at the pace so far.
    pub left: Option<f64>,
    #[serde(skip)]
    since: Option<(Instant, usize)>,
}

pub struct Watching {
    doing: Mutex<BTreeMap<i64, Doing>>,
    logs: PathBuf,
}

impl Watching {
    pub fn new(logs: PathBuf) -> Self {
        Self { doing: Mutex::default(), logs }
    }

    /// What a run of this process is at.
    pub fn doing(&self, run: i64) -> Option<Doing> {
        self.doing.lock().unwrap_or_else(PoisonError::into_inner).get(&run).cloned()
    }

    pub fn hear(&self, run: &Run, event: Event) {
        let mut all = self.doing.lock().unwrap_or_else(PoisonError::into_inner);
        let doing = all.entry(run.id).or_default();
        let line = match event {
            Event::Started { attempt } => Some(format!("begun, attempt {attempt}")),
            Event::Stage(stage) => {
                doing.stage = stage.to_owned();
                Some(stage.to_owned())
            }
            Event::Looked(pages) => {
                doing.looked = pages;
                None
            }
            Event::Reading { done, of } => {
                doing.reading(done, of, Instant::now());
                Some(format!("{done} of {of} pages read"))
            }
            Event::Drift(drift) => Some(format!("learned again: {} columns were no longer found", drift.len())),
            Event::Ended(summary) => {
                all.remove(&run.id);
                Some(ended(&summary))
            }
        };
        drop(all);
        if let Some(line) = line {
            self.write(run.id, &line);
        }
    }

    fn path(&self, run: i64) -> PathBuf {
        self.logs.join(format!("run-{run:06}.log"))
    }

    /// A log that cannot be written must not end a run.
    fn write(&self, run: i64, line: &str) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let path = self.path(run);
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(&self.logs)?;
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path)?;
            writeln!(file, "{} {}", clock(now.as_secs()), line.replace('\n', " "))
        };
        if let Err(error) = write() {
            tracing::warn!("cannot write the log `{}`: {error}", path.display());
        }
    }

    /// The end of a run's log.
    pub fn log(&self, run: i64) -> String {
        let read = || -> std::io::Result<String> {
            use std::io::{Read, Seek, SeekFrom};
            let mut file = std::fs::File::open(self.path(run))?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(SHOWN)))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        read().unwrap_or_default()
    }
}

impl Doing {
    fn reading(&mut self, done: usize, of: usize, now: Instant) {
        (self.read, self.of) = (done, of);
        let (since, at) = *self.since.get_or_insert((now, done));
        self.left = (done > at).then(|| (now - since).as_secs_f64() * (of - done) as f64 / (done - at) as f64);
    }
}

fn ended(summary: &pagekin::run::Summary) -> String {
    let error = summary.error.as_deref().and_then(|error| error.lines().next()).unwrap_or_default();
    format!(
        "{}: {} pages, {} records, {} requests, {:.1} s {error}",
        summary.state, summary.pages, summary.records, summary.requests, summary.seconds
    )
}

/// The time of day in so many seconds, UTC.
pub fn clock_in(seconds: f64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    clock(now.as_secs() + seconds.clamp(0.0, 1e9) as u64)
}

/// Seconds since 1970 as the time of a day, UTC.
fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_estimated_by_the_pace_so_far() {
        let (start, mut doing) = (Instant::now(), Doing::default());
        doing.reading(100, 500, start);
        assert_eq!(doing.left, None);
        doing.reading(200, 500, start + Duration::from_secs(10));
        assert!((doing.left.unwrap() - 30.0).abs() < 1e-6);
        assert_eq!(clock(3 * 3600 + 4 * 60 + 5), "03:04:05");
    }
}
