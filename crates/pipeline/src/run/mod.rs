//! Do it all; go on where it stopped; do it again next week. Samples → data set in a database.
//!
//! ```text
//! samples ─► plan ─► queue (store) ─► worker: claim ─► one run: discover or refresh ─► hidden ─► extract ─► check ─► done
//!                                        ▲ lease, heartbeat      pages in WARC files, everything else in the database
//! ```
//!
//! - [`plan()`]: which samples are one run. - [`spec`]: how it is done, as it stands in the queue. - [`worker`]: takes runs from the
//!   queue. - [`lease`]: says that it lives. - [`one`]: one run, stage by stage. - [`pages`]: where its pages come from and go to. - [`owner`]: who we are.
//! - [`local`]: programs, files and addresses of the process that works.
//! - [`absent`]: why a known page was not found. - [`expecting`]: did it go as expected?
//! - [`rows`]: what is kept of what stages give. - [`checking`]: is it true? - [`CheckSpec`]: against what.
//! - [`Event`]: what is heard of it while it goes on. - [`Summary`]: what came of it.
//!
//! A killed run goes on: pages it had kept are not asked for again, stages it had completed are not done again, and because
//! methods are deterministic the rest comes out as if nothing had happened. Prints nothing.

mod absent;
pub mod checking;
mod expecting;
mod lease;
pub mod local;
mod one;
pub mod owner;
mod pages;
pub mod plan;
mod rows;
pub mod spec;
mod worker;

pub use checking::{CheckSpec, Due, Found, Publish};
pub use local::Local;
pub use plan::{Planned, plan};
pub use spec::{HiddenSettings, RunSpec};
pub use worker::Worker;

use crate::RunStats;
use pagekin_core::complete::Completeness;
use pagekin_core::expect::Missed;
use pagekin_core::extract::drift::Drift;
use pagekin_core::page::left_out::links_left_out;
use pagekin_store::State;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What is heard while runs go on.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Somebody began to work on it.
    Started {
        /// 1 for the first who does.
        attempt: i64,
    },
    /// What is being done now.
    Stage(&'static str),
    /// Pages looked at so far.
    Looked(u64),
    /// Pages read so far, of so many.
    Reading {
        /// Read so far.
        done: usize,
        /// In all.
        of: usize,
    },
    /// What the wrapper no longer found; it was learned again.
    Drift(Vec<Drift>),
    /// It ended.
    Ended(Box<Summary>),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::Display, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Ended {
    /// It is done.
    Done,
    /// It is done, and not as expected: held back until somebody accepts it.
    Quarantined,
    /// It could not be done; it may be tried again.
    Failed,
    /// The user stopped it; the same command goes on.
    Interrupted,
    /// Another worker has it by now.
    #[serde(rename = "taken over")]
    #[strum(serialize = "taken over")]
    TakenOver,
}

/// What came of one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The number of the run.
    pub run: i64,
    /// Its site.
    pub site: String,
    /// What the kind of pages is called.
    pub class: String,
    /// The number of the data set.
    #[serde(skip)]
    pub class_id: Option<i64>,
    /// How it ended.
    pub state: Ended,
    /// Was the site asked anew, or only what changed?
    pub refreshed: bool,
    /// Pages of the kind.
    pub pages: usize,
    /// Of these, pages that no link reaches.
    pub unlinked: usize,
    /// Records of its pages.
    pub records: usize,
    /// Records that are new.
    pub new: usize,
    /// Records that changed.
    pub changed: usize,
    /// Records of pages that are missing or no longer linked.
    pub gone: usize,
    /// Of these, those of pages that were asked for and are not there.
    pub missing: usize,
    /// Those of pages that are there, and that no list shows any more.
    pub no_longer_linked: usize,
    /// Known pages that nobody looked at, because the run was cut or they did not answer; they stay current.
    pub not_seen: usize,
    /// Pages that were not read.
    pub skipped: usize,
    /// Pages that were loaded.
    pub downloads: u64,
    /// Requests of any kind.
    pub requests: u64,
    /// Pages that the site says have not changed.
    pub not_modified: u64,
    /// Pages that the run had kept before it was interrupted.
    pub resumed: u64,
    /// Bytes that were loaded.
    pub bytes: u64,
    /// Pages that ask not to be indexed.
    pub noindex: u64,
    /// Pages whose links were not read, because they ask for it.
    pub nofollow: u64,
    /// Pages that a browser opened, to compare or to read.
    pub rendered: u64,
    /// What a browser would have shown, where there is none.
    #[serde(skip)]
    pub render_hint: Option<String>,
    /// From start to end.
    pub seconds: f64,
    /// What is not true of it, where it was checked.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
    /// Reports that are written when the runs under way have ended.
    #[serde(skip)]
    pub reports: Vec<Due>,
    /// What the wrapper no longer found; it was learned again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<Drift>,
    /// How complete it believes it is, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completeness: Option<Completeness>,
    /// What is not as expected: the data before the run stays current until this one is accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<Missed>,
    /// What the run used up of what it may take, in words; what could not be asked for it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Summary {
    /// Is something of what it read not true?
    pub fn has_findings(&self) -> bool {
        self.found.as_ref().is_some_and(|found| found.findings > 0)
    }

    fn of(run: &pagekin_store::Run) -> Self {
        Self::empty(run.id, run.site.clone())
    }

    /// Of a run that another worker did; none while it is not over.
    pub(crate) fn of_another(line: &pagekin_store::run_list::RunLine) -> Option<Self> {
        let stats = line.stats.clone().unwrap_or_default();
        let state = match line.state {
            State::Done if !missed_in(&stats).is_empty() => Ended::Quarantined,
            State::Done => Ended::Done,
            State::Failed | State::Stopped => Ended::Failed,
            State::Queued | State::Running => return None,
        };
        let count = |name: &str| stats[name].as_u64().unwrap_or(0);
        Some(Self {
            state,
            class: line.class.clone().unwrap_or_default(),
            class_id: line.class_id,
            pages: count("pages") as usize,
            records: count("records") as usize,
            new: count("new") as usize,
            changed: count("changed") as usize,
            gone: count("gone") as usize,
            missing: count("missing") as usize,
            no_longer_linked: count("no_longer_linked") as usize,
            not_seen: count("not_seen") as usize,
            missed: missed_in(&stats),
            skipped: count("skipped") as usize,
            requests: count("requests"),
            seconds: stats["seconds"].as_f64().unwrap_or(0.0),
            error: line.error.clone(),
            ..Self::empty(line.id, line.site.clone())
        })
    }

    fn empty(run: i64, site: String) -> Self {
        Self {
            run,
            site,
            class: String::new(),
            class_id: None,
            state: Ended::Failed,
            refreshed: false,
            pages: 0,
            unlinked: 0,
            records: 0,
            new: 0,
            changed: 0,
            gone: 0,
            missing: 0,
            no_longer_linked: 0,
            not_seen: 0,
            skipped: 0,
            downloads: 0,
            requests: 0,
            not_modified: 0,
            resumed: 0,
            bytes: 0,
            noindex: 0,
            nofollow: 0,
            rendered: 0,
            render_hint: None,
            seconds: 0.0,
            found: None,
            reports: Vec::new(),
            drift: Vec::new(),
            completeness: None,
            missed: Vec::new(),
            spent: None,
            error: None,
        }
    }
}

/// What the stored summary of a run says that it missed.
pub(crate) fn missed_in(stats: &serde_json::Value) -> Vec<Missed> {
    stats.get("missed").and_then(|missed| serde_json::from_value(missed.clone()).ok()).unwrap_or_default()
}

/// The archives of a run in the folder for pages, the first one first.
pub fn archives(folder: &Path, line: &pagekin_store::run_list::RunLine) -> Vec<PathBuf> {
    pages::archives(folder, &line.site, line.id, line.attempt)
}

/// What all runs of a batch took together.
pub fn total(runs: &[Summary], seconds: f64) -> RunStats {
    let sum = |of: fn(&Summary) -> u64| runs.iter().map(of).sum::<u64>();
    RunStats {
        downloads: sum(|run| run.downloads) as usize,
        requests: sum(|run| run.requests),
        bytes: sum(|run| run.bytes),
        found: runs.iter().map(|run| run.records).sum(),
        seconds,
        cpu_seconds: crate::cpu_seconds(),
        peak_memory: crate::peak_memory(),
        retries: 0,
        not_modified: sum(|run| run.not_modified),
        resumed: sum(|run| run.resumed),
        noindex: sum(|run| run.noindex),
        nofollow: sum(|run| run.nofollow),
        rendered: sum(|run| run.rendered),
        links_left_out: links_left_out(),
        completeness: runs.first().filter(|_| runs.len() == 1).and_then(|run| run.completeness.clone()),
        skipped: Default::default(),
        stopped: None,
        spent: runs.iter().find_map(|run| run.spent.clone()),
        coverage: None,
        changes: None,
    }
}
