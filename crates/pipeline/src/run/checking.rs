//! Is what a run read true? The records of its kind, the rules and the reference its queue entry names → findings, and reports that are due.
//!
//! - [`CheckSpec`]: what is checked against what, as it stands in the queue. - [`Check`]: the same with the places of this process. - [`Judges`]: rules and references made ready, for all runs of a worker.
//! - [`Found`]: the findings that hold now, counted. - [`Due`]: a report that is to be written. - [`Publish`]: who writes it.
//!
//! Only records that are new, changed or were never checked against this are looked at, so a run that was interrupted here goes on here.
//! Knows nothing of HTML: a report is handed to [`Publish`].

use super::local::Local;
use crate::report::places::locate;
use crate::report::{Report, build, today};
use crate::stored_findings::{against, check_stored, material};
use crate::{Error, reference};
use pagekin_core::check::{Judge, Reference, listed, rules};
use pagekin_fetch::Stop;
use pagekin_store::findings::Part;
use pagekin_store::{Run, Store};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// A reference that changes while a worker is busy is read again after this time: reading a million rows takes seconds, so this costs
/// a hundredth at most.
const FRESH: Duration = Duration::from_secs(600);

/// References in memory: each may take a gigabyte.
const KEPT: usize = 2;

/// What stands above a report that nobody named.
pub const TITLE: &str = "What is not true";

/// Writes a report to a file, in the form its ending names.
pub type Publish = Arc<dyn Fn(&Path, &Report) -> Result<(), String> + Send + Sync>;

/// What the records of a run are held against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckSpec {
    /// Text of a rules file.
    pub rules: String,
    /// The name of what is known.
    pub reference: String,
    /// Names of reports that are written when the runs under way have ended: `.html`, `.json` or `.csv`.
    pub reports: Vec<String>,
}

/// The same with the places that the names are of here.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    rules: String,
    /// As [`reference::open`] takes it.
    reference: String,
    reports: Vec<PathBuf>,
}

/// The findings of a kind of pages that hold now.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Found {
    /// Findings of the data set.
    pub findings: usize,
    /// Of these, the ones that were first seen in this run.
    pub new_findings: usize,
    /// Findings by severity.
    pub severities: BTreeMap<String, usize>,
}

/// A report that is to be written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// The file.
    pub path: PathBuf,
    /// Without asking for the addresses of hosts.
    pub offline: bool,
}

impl CheckSpec {
    /// All mistakes of the rules, and columns that the reference at this place does not have; nothing is made ready.
    pub async fn tried(&self, place: &str) -> Result<(), Error> {
        let parsed = rules::parse(&self.rules).map_err(|troubles| Error::Rules(listed(&troubles)))?;
        let columns = reference::open(place).await?.columns;
        let wrong = |troubles: Vec<rules::Trouble>| Error::Rules(listed(&troubles));
        Judge::new(&parsed, Reference::new(columns)).map(drop).map_err(wrong)
    }

    /// Fails where this process was not given what is named.
    pub(super) fn here(&self, local: &Local) -> Result<Check, Error> {
        Ok(Check {
            rules: self.rules.clone(),
            reference: local.reference(&self.reference)?,
            reports: self.reports.iter().map(|name| local.report(name)).collect::<Result<_, _>>()?,
        })
    }
}

impl Check {
    pub(super) fn due(&self, offline: bool) -> Vec<Due> {
        self.reports.iter().map(|path| Due { path: path.clone(), offline }).collect()
    }
}

/// Runs of one worker share them: a large reference is read once, not once a site.
#[derive(Default)]
pub struct Judges(Mutex<Vec<Made>>);

struct Made {
    spec: Check,
    when: Instant,
    judge: Arc<Judge>,
    against: String,
}

impl Judges {
    /// Others who want one wait meanwhile, so that none is made twice.
    async fn of(&self, spec: &Check) -> Result<(Arc<Judge>, String), Error> {
        let mut kept = self.0.lock().await;
        kept.retain(|made| made.when.elapsed() < FRESH);
        let same = |made: &&Made| (&made.spec.rules, &made.spec.reference) == (&spec.rules, &spec.reference);
        if let Some(made) = kept.iter().find(same) {
            return Ok((made.judge.clone(), made.against.clone()));
        }
        let made = made(spec.clone()).await?;
        let found = (made.judge.clone(), made.against.clone());
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(made);
        Ok(found)
    }

    /// What is known may be another by the time it is needed again.
    pub async fn forget(&self) {
        self.0.lock().await.clear();
    }
}

async fn made(spec: Check) -> Result<Made, Error> {
    let known = reference::open(&spec.reference).await?;
    let make = move || {
        let parsed = rules::parse(&spec.rules)?;
        let against = against(&spec.rules, &known);
        let judge = Arc::new(Judge::new(&parsed, known)?);
        Ok(Made { spec, when: Instant::now(), judge, against })
    };
    let made: Result<Made, Vec<rules::Trouble>> = tokio::task::spawn_blocking(make).await.map_err(Error::Ended)?;
    made.map_err(|troubles| Error::Rules(listed(&troubles)))
}

/// Checks what the run read; what holds now is counted. None when it was interrupted.
pub(super) async fn checked(
    store: &Store,
    (judges, stop): (&Judges, &Stop),
    run: &Run,
    class: i64,
    spec: &Check,
) -> Result<Option<Found>, Error> {
    let (judge, against) = judges.of(spec).await?;
    let (done, _) = check_stored(store, &judge, &against, Part::Class(class), (Some(run), stop)).await?;
    if done.interrupted {
        return Ok(None);
    }
    let mut found = Found::default();
    for count in store.count_findings(class, run).await? {
        found.findings += count.findings;
        found.new_findings += count.new;
        found.severities.insert(count.severity, count.findings);
    }
    Ok(Some(found))
}

/// Writes reports of the whole database.
pub(super) async fn publish(store: &Store, publish: &Publish, due: BTreeSet<Due>) -> Result<(), Error> {
    for Due { path, offline } in due {
        let mut material = material(store, TITLE, &today(), None).await?;
        if !offline {
            let hosts: BTreeSet<String> =
                material.findings.iter().filter_map(|own| own.finding.url.host_str().map(str::to_owned)).collect();
            material.places = locate(&hosts.into_iter().collect::<Vec<_>>(), None).await;
        }
        publish(&path, &build(material, None)).map_err(|reason| Error::Report { path, reason })?;
    }
    Ok(())
}
