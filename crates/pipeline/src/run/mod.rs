//! Do it all; go on where it stopped; do it again next week. Samples → data set in a database.
//!
//! ```text
//! samples ─► plan ─► queue (store) ─► worker: claim ─► one run: discover or refresh ─► hidden ─► extract ─► check ─► done
//!                                        ▲ lease, heartbeat      pages in WARC files, everything else in the database
//! ```
//!
//! - [`plan`]: which samples are one run. - [`spec`]: how it is done, as it stands in the queue. - [`worker`]: takes runs from the
//!   queue. - [`lease`]: says that it lives. - [`one`]: one run, stage by stage. - [`pages`]: where its pages come from and go to. - [`owner`]: who we are.
//! - [`rows`]: what is kept of what stages give. - [`checking`]: is it true? - [`CheckSpec`]: against what.
//! - [`Event`]: what is heard of it while it goes on. - [`Summary`]: what came of it.
//!
//! A killed run goes on: pages it had kept are not asked for again, stages it had completed are not done again, and because
//! methods are deterministic the rest comes out as if nothing had happened. Prints nothing.

pub mod checking;
mod lease;
mod one;
pub mod owner;
mod pages;
pub mod plan;
mod rows;
pub mod spec;
mod worker;

pub use checking::{CheckSpec, Due, Found, Publish};
pub use plan::{Planned, plan};
pub use spec::{HiddenSettings, RunSpec};
pub use worker::Worker;

use crate::RunStats;
use pagekin_core::extract::drift::Drift;
use pagekin_core::page::left_out::links_left_out;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What is heard while runs go on.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Started {
        attempt: i64,
    },
    /// What is being done now.
    Stage(&'static str),
    /// Pages looked at so far.
    Looked(u64),
    /// Pages read so far, of so many.
    Reading {
        done: usize,
        of: usize,
    },
    /// What the wrapper no longer found; it was learned again.
    Drift(Vec<Drift>),
    Ended(Box<Summary>),
}

/// What came of one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    pub run: i64,
    pub site: String,
    pub class: String,
    #[serde(skip)]
    pub class_id: Option<i64>,
    /// `done`, `failed`, `interrupted` or `taken over`.
    pub state: &'static str,
    /// Was the site asked anew, or only what changed?
    pub refreshed: bool,
    /// Pages of the kind.
    pub pages: usize,
    /// Of these, pages that no link reaches.
    pub unlinked: usize,
    pub records: usize,
    pub new: usize,
    pub changed: usize,
    pub gone: usize,
    pub skipped: usize,
    pub downloads: u64,
    pub requests: u64,
    pub not_modified: u64,
    /// Pages that the run had kept before it was interrupted.
    pub resumed: u64,
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
    /// What the run used up of what it may take, in words; what could not be asked for it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Summary {
    pub fn has_findings(&self) -> bool {
        self.found.as_ref().is_some_and(|found| found.findings > 0)
    }

    fn of(run: &pagekin_store::Run) -> Self {
        Self::empty(run.id, run.site.clone())
    }

    /// Of a run that another worker did; none while it is not over.
    pub(crate) fn of_another(line: &pagekin_store::run_list::RunLine) -> Option<Self> {
        let state = match line.state.as_str() {
            "done" => "done",
            "failed" | "stopped" => "failed",
            _ => return None,
        };
        let stats = line.stats.clone().unwrap_or_default();
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
            state: "failed",
            refreshed: false,
            pages: 0,
            unlinked: 0,
            records: 0,
            new: 0,
            changed: 0,
            gone: 0,
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
            spent: None,
            error: None,
        }
    }
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
        missing: None,
        skipped: Default::default(),
        stopped: None,
        spent: runs.iter().find_map(|run| run.spent.clone()),
        coverage: None,
        changes: None,
    }
}
