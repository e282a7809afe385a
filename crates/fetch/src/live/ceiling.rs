//! How much may a run take in all? Every request is counted here before it is sent, whatever comes of it.
//!
//! - [`Ceilings`]: requests, bytes, time and disk that one run may take. - [`Ceiling`]: what is left of them, and of the budget of
//!   the stage under way. - [`Spent`]: which of them is used up, in words.
//!
//! A request is one try: pages, dead links, redirects, further tries and robots.txt count alike, so that no answer of a
//! server can make a run ask for more than was allowed.

use super::stats::{Counters, Stats};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What one run may take; none of it is without an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ceilings {
    /// 500,000: with 4 at once and answers of 200 ms that is seven hours.
    pub requests: u64,
    /// Of bodies as sent. 32 GiB: 500,000 pages of 64 kB, twice what real pages have packed.
    pub bytes: u64,
    /// 24 h: what is asked every day has to be done in a day.
    pub time: Duration,
    /// Written to disk before packing, temporary files included. 128 GiB: twice [`Self::bytes`] unpacked.
    pub disk: u64,
}

impl Default for Ceilings {
    fn default() -> Self {
        Self { requests: 500_000, bytes: 32 << 30, time: Duration::from_secs(24 * 3600), disk: 128 << 30 }
    }
}

/// Which allowance is used up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Spent {
    #[error("the budget of {0} requests is spent")]
    Budget(u64),
    #[error("{0} requests were sent, as many as one run may")]
    Requests(u64),
    #[error("{0} bytes came, as many as one run may load")]
    Bytes(u64),
    #[error("the run took {0:?}, as long as it may")]
    Time(Duration),
    #[error("{0} bytes were written to disk, as many as one run may")]
    Disk(u64),
}

pub struct Ceiling {
    of_run: Ceilings,
    began: Instant,
    counters: Arc<Counters>,
    stage: Mutex<Stage>,
}

#[derive(Default)]
struct Stage {
    /// The budget, and the number of requests at which it is used up.
    budget: Option<(u64, u64)>,
    disk: u64,
    /// The first that was met.
    spent: Option<Spent>,
}

impl Ceiling {
    pub fn new(of_run: Ceilings, counters: Arc<Counters>) -> Self {
        Self { of_run, began: Instant::now(), counters, stage: Mutex::default() }
    }

    /// From now on so many requests, until it is said again; none lifts the budget.
    pub fn allow(&self, requests: Option<u64>) {
        let sent = self.counters.snapshot().requests;
        let mut stage = self.stage();
        stage.budget = requests.map(|budget| (budget, sent.saturating_add(budget)));
        stage.spent = stage.spent.take().filter(|spent| !matches!(spent, Spent::Budget(_)));
    }

    /// Counts a request that is about to be sent, if it may be.
    pub fn count_request(&self) -> Result<(), Spent> {
        let mut stage = self.stage();
        let spent = self.counters.add(|stats| {
            let spent = self.spent_by(stats, &stage);
            stats.requests += u64::from(spent.is_none());
            spent
        });
        let Some(spent) = spent else { return Ok(()) };
        stage.spent.get_or_insert_with(|| spent.clone());
        Err(spent)
    }

    pub fn count_disk(&self, bytes: u64) {
        self.stage().disk += bytes;
    }

    fn spent_by(&self, stats: &Stats, stage: &Stage) -> Option<Spent> {
        let Ceilings { requests, bytes, time, disk } = self.of_run;
        match stage.budget {
            _ if stats.requests >= requests => Some(Spent::Requests(requests)),
            _ if stats.bytes >= bytes => Some(Spent::Bytes(bytes)),
            _ if stage.disk >= disk => Some(Spent::Disk(disk)),
            _ if self.began.elapsed() >= time => Some(Spent::Time(time)),
            Some((budget, end)) if stats.requests >= end => Some(Spent::Budget(budget)),
            _ => None,
        }
    }

    /// Requests that may still be sent.
    pub fn left(&self) -> u64 {
        let sent = self.counters.snapshot().requests;
        let end = self.stage().budget.map_or(u64::MAX, |(_, end)| end);
        end.min(self.of_run.requests).saturating_sub(sent)
    }

    /// What was used up, if a request could not be sent for it.
    pub fn spent(&self) -> Option<Spent> {
        self.stage().spent.clone()
    }

    /// A panic elsewhere leaves plain numbers, which are still right.
    fn stage(&self) -> std::sync::MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_with_its_stage_and_a_ceiling_with_the_run() {
        let ceilings = Ceilings { requests: 5, ..Ceilings::default() };
        let ceiling = Ceiling::new(ceilings, Arc::default());
        ceiling.allow(Some(2));
        assert!(ceiling.count_request().is_ok() && ceiling.count_request().is_ok());
        assert_eq!((ceiling.count_request(), ceiling.left()), (Err(Spent::Budget(2)), 0));
        assert_eq!(ceiling.spent(), Some(Spent::Budget(2)));
        ceiling.allow(None);
        assert_eq!((ceiling.spent(), ceiling.left()), (None, 3));
        assert!((0..3).all(|_| ceiling.count_request().is_ok()));
        ceiling.allow(Some(9));
        assert_eq!(ceiling.count_request(), Err(Spent::Requests(5)));
        ceiling.allow(None);
        assert_eq!(ceiling.spent(), Some(Spent::Requests(5)), "the run is over, whatever the stage");
    }

    #[test]
    fn bytes_disk_and_time_end_it_too() {
        let counters: Arc<Counters> = Arc::default();
        counters.add(|stats| stats.bytes = 10);
        let loaded = Ceiling::new(Ceilings { bytes: 10, ..Ceilings::default() }, counters);
        assert_eq!(loaded.count_request(), Err(Spent::Bytes(10)));
        let written = Ceiling::new(Ceilings { disk: 7, ..Ceilings::default() }, Arc::default());
        written.count_disk(7);
        assert_eq!(written.count_request(), Err(Spent::Disk(7)));
        let late = Ceiling::new(Ceilings { time: Duration::ZERO, ..Ceilings::default() }, Arc::default());
        assert_eq!(late.count_request(), Err(Spent::Time(Duration::ZERO)));
    }
}
