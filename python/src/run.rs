//! The whole job: samples → discover, hidden pages, records, kept in a database; the records come back.

use crate::error::raised;
use crate::job::{News, Stop, runtime, watched};
use crate::options::Options;
use crate::records::Records;
use crate::session::{addresses, json};
use pagekin::dataset::{Dataset, Exported, Wanted};
use pagekin::extract::Record;
use pagekin::run::{Ended, Event, Local, RunSpec, Summary, Worker, plan};
use pagekin::store::{Store, is_postgres, sqlite_path};
use pagekin::{Error, Stats, Url};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// After so long without a sign of life others take a run over.
const LEASE: Duration = Duration::from_secs(30);

/// Sites at the same time.
const AT_ONCE: usize = 8;

/// The records of all samples' kinds, and a summary of each run as JSON. Without a database in the options, one that is forgotten.
#[pyfunction]
#[pyo3(signature = (samples, options, stop, progress=None))]
pub fn run(
    py: Python<'_>,
    samples: Vec<String>,
    options: &str,
    stop: &Stop,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Records, String)> {
    let options = Options::parse(options)?;
    let spec = options.spec()?;
    let samples = addresses(&samples)?;
    let forgotten = tempfile::tempdir()
        .map_err(|error| raised(&format!("cannot make a temporary folder: {error}\n\nhint: set `TMPDIR`")))?;
    let db = options.db.clone().unwrap_or_else(|| forgotten.path().join("run.db").to_string_lossy().into_owned());
    let (runtime, latest) = (runtime()?, Mutex::new(News::default()));
    let news = || std::mem::take(&mut *latest.lock().unwrap_or_else(PoisonError::into_inner));
    let job = Job { db: &db, spec: &spec, stop: &stop.0, latest: &latest };
    let (records, summaries) = watched(py, progress.as_ref(), &stop.0, news, || runtime.block_on(job.run(&samples)))?;
    if let Some(error) = summaries.iter().find_map(|one| one.error.as_deref().filter(|_| one.state == Ended::Failed)) {
        return Err(raised(error));
    }
    Ok((Records::new(records.into_iter().map(record).collect::<PyResult<_>>()?, Vec::new()), json(&summaries)?))
}

struct Job<'j> {
    db: &'j str,
    spec: &'j RunSpec,
    stop: &'j pagekin::Stop,
    latest: &'j Mutex<News>,
}

impl Job<'_> {
    async fn run(&self, samples: &[Url]) -> Result<(Vec<Exported>, Vec<Summary>), Error> {
        let store = Store::open(self.db).await?;
        let batch = format!("python-{}-{:?}", std::process::id(), std::time::Instant::now());
        for one in plan(samples, false) {
            store.enqueue(&one.new_run(self.spec, Some(&batch))?).await?;
        }
        let (pages, stop) = (pages(self.db), self.stop.clone());
        let local = Local::of(&self.spec.source);
        let worker = Worker { store: store.clone(), pages, at_once: AT_ONCE, lease: LEASE, stop, publish: None, local };
        let summaries = worker.work(Some(&batch), false, &|_, event| self.heard(&event)).await?;
        let mut records = Vec::new();
        for one in summaries.iter().filter(|one| one.state != Ended::Failed) {
            let wanted = Wanted { site: Some(one.site.clone()), class: Some(one.class.clone()), ..Wanted::default() };
            let mut data = Dataset::open(&store, &wanted).await?;
            while let Some(some) = data.next().await? {
                records.extend(some);
            }
        }
        Ok((records, summaries))
    }

    fn heard(&self, event: &Event) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let downloads = match event {
            Event::Stage(stage) => {
                latest.stage = Some(stage);
                return;
            }
            Event::Looked(pages) => *pages,
            Event::Reading { done, .. } => *done as u64,
            _ => return,
        };
        latest.stats = Some(Stats { downloads, ..Stats::default() });
    }
}

/// Beside a SQLite file, so that moving both moves everything.
fn pages(db: &str) -> PathBuf {
    let beside = if is_postgres(db) { PathBuf::from("pagekin-pages") } else { sqlite_path(db).with_extension("pages") };
    std::path::absolute(&beside).unwrap_or_else(|_| Path::new(&beside).to_owned())
}

fn record(stored: Exported) -> PyResult<Record> {
    let url = Url::parse(&stored.url).map_err(|error| raised(&error.to_string()))?;
    let evidence = serde_json::from_value(stored.evidence).map_err(|error| raised(&error.to_string()))?;
    Ok(Record { url, class: stored.class, attributes: stored.attributes, children: stored.children, evidence })
}
