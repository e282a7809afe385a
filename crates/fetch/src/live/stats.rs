//! What did the run cost? Counters that any task adds to, and a snapshot to read.

use pagekin_core::pages::Reason;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Distinct addresses that answered: pages and redirects, without robots.txt and further tries.
    pub downloads: u64,
    /// Everything sent: pages, redirects, robots.txt, further tries.
    pub requests: u64,
    /// Bytes of bodies as they came over the wire, content coding kept.
    pub bytes: u64,
    /// Requests that were further tries.
    pub retries: u64,
    /// Answers that said that nothing changed since the earlier run.
    pub not_modified: u64,
    /// Pages that ask not to be indexed.
    pub noindex: u64,
    /// Pages whose links were not read, because they ask for it.
    pub nofollow: u64,
    /// Answered with a reason instead of a page.
    pub skipped: BTreeMap<Reason, u64>,
}

/// The counters behind a [`Stats`].
#[derive(Debug, Default)]
pub struct Counters(Mutex<Stats>);

impl Counters {
    pub fn add<T>(&self, change: impl FnOnce(&mut Stats) -> T) -> T {
        // A panic elsewhere leaves plain numbers, which are still right.
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn snapshot(&self) -> Stats {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
