//! Which pages did the run before keep, and which are still to be asked for? Its archive first, the live site for the rest.
//!
//! Methods are deterministic: given the same answers they ask for the same pages. So a run that starts anew with the
//! answers it already has goes on where it was interrupted.
//!
//! - [`Resumed`]: answers pages, and counts what came from where.
//!
//! Does not know what the pages are for, nor how the archive grows: the live fetcher records.

use crate::origin::interrupted;
use pagekin_core::pages::{Answer, Pages, Reason, Skipped};
use pagekin_fetch::{Archive, Live, Part, PartRequest, Stats, Stop};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use url::Url;

/// What a run kept, and the site for the rest.
pub struct Resumed {
    kept: Archive,
    live: Live,
    counted: Mutex<Counted>,
    stop: Stop,
}

#[derive(Default)]
struct Counted {
    /// Pages that were not asked for again.
    pages: u64,
    /// Reasons the archive gave; the live fetcher counts its own.
    skipped: BTreeMap<Reason, u64>,
}

impl Resumed {
    /// `live` records into the file that `kept` was read from.
    pub fn new(kept: Archive, live: Live, stop: Stop) -> Self {
        Self { kept, live, counted: Mutex::default(), stop }
    }

    /// The pages, in the order asked.
    pub async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        if self.stop.is_stopped() {
            return interrupted(urls);
        }
        let kept = self.kept.get(urls).await;
        let mut answers: Vec<Answer> = kept.into_iter().map(|answer| self.live.heed(answer)).collect();
        let missing: Vec<usize> = (0..answers.len()).filter(|&at| !is_final(&answers[at])).collect();
        self.count(&answers);
        let asked: Vec<Url> = missing.iter().map(|&at| urls[at].clone()).collect();
        for (at, answer) in missing.into_iter().zip(self.live.get(&asked).await) {
            answers[at] = answer;
        }
        answers
    }

    /// What the scripts of a page ask for: of the run before, or of the live site.
    pub async fn part(&self, request: &PartRequest) -> Result<Part, Skipped> {
        match self.kept.part(request) {
            Ok(part) if part.status != 429 && part.status < 500 => Ok(part),
            _ => self.live.part(request).await,
        }
    }

    /// Is the page kept as a browser left it?
    pub fn has_drawn(&self, url: &Url) -> bool {
        self.kept.has_drawn(url)
    }

    fn count(&self, answers: &[Answer]) {
        let mut counted = self.counted();
        for answer in answers.iter().filter(|answer| is_final(answer)) {
            match answer {
                Answer::Page(_) => counted.pages += 1,
                Answer::Skipped(skipped) => *counted.skipped.entry(skipped.reason).or_default() += 1,
            }
        }
    }

    /// A panic elsewhere leaves plain numbers, which are still right.
    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the live site was asked, and every page without an answer.
    pub fn stats(&self) -> Stats {
        let mut stats = self.live.stats();
        for (reason, count) in &self.counted().skipped {
            *stats.skipped.entry(*reason).or_default() += count;
        }
        stats
    }

    /// Pages that the run before had kept.
    pub fn pages(&self) -> u64 {
        self.counted().pages
    }

    /// The site.
    pub fn live(&self) -> &Live {
        &self.live
    }
}

/// Would the run before have gone on with this answer? A passing trouble may have been recorded between two tries, and
/// what is missing or cannot be read is no answer.
fn is_final(answer: &Answer) -> bool {
    match answer {
        Answer::Page(page) => page.status != 429 && page.status < 500,
        Answer::Skipped(skipped) => {
            !matches!(skipped.reason, Reason::NotArchived | Reason::Network | Reason::Interrupted)
        }
    }
}
