//! What does this address return, asked politely? Addresses → pages or reasons, from the live web.
//!
//! ```text
//! get ─► follow ─► hop: may it be asked? ─► asked before? ─► pace, tries ─► one request
//!                       (grounds, gate,      (kept)          (asking)       (client, ceiling)
//!                        address)
//! ```
//!
//! - [`Live`]: the fetcher; one a run.
//! - [`LiveSettings`], [`Stats`], [`Stop`]: how, how much, and when to end.
//!
//! Only `GET` and `HEAD` exist. Does not know what is on a page, nor which is worth asking for.

mod address;
mod asking;
mod ceiling;
mod client;
mod gate;
mod grounds;
mod pace;
mod response_cache;
pub(crate) mod retry;
pub mod robots;
mod run;
mod settings;
mod stats;
mod stop;

pub use address::is_at_home;
pub use ceiling::{Ceilings, Spent};
pub use settings::{LiveSettings, USER_AGENT};
pub use stats::Stats;
pub use stop::Stop;

use crate::error::Error;
use crate::follow::follow;
use crate::keys;
use futures::{StreamExt, stream};
use pagekin_core::pages::{Answer, Pages, Reason, Skipped};
use run::Run;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use url::Url;

/// Hosts asked at the same time in one batch; each gets its own share of requests.
const HOSTS_AT_ONCE: usize = 32;

/// Requests that an address may take before a budget could end in the middle of a batch: a try, two redirects, one more try.
const REQUESTS_EACH: u64 = 4;

/// Asks the live web. Every address is asked once a run, however often and wherever it is wanted.
pub struct Live(Arc<Run>);

impl Live {
    pub fn new(settings: LiveSettings) -> Result<Self, Error> {
        Ok(Self(Arc::new(Run::new(settings)?)))
    }

    pub(crate) fn run(&self) -> &Run {
        &self.0
    }

    /// What the run cost so far.
    pub fn stats(&self) -> Stats {
        let (noindex, nofollow) = self.0.wishes.counts();
        Stats { noindex, nofollow, ..self.0.counters.snapshot() }
    }

    /// What its page asks of robots is counted, and honoured as the settings say.
    pub fn heed(&self, mut answer: Answer) -> Answer {
        self.0.wishes.heed(&mut answer, !self.0.settings.ignore_nofollow);
        answer
    }

    /// From now on so many requests, until it is said again; none lifts the budget. Further ones are skipped.
    pub fn allow(&self, requests: Option<u64>) {
        self.0.ceiling.allow(requests);
    }

    /// What was used up, if something could not be asked for it.
    pub fn spent(&self) -> Option<Spent> {
        self.0.ceiling.spent()
    }

    /// Why the run ended early, if something broke: what was fetched could not be recorded. To be looked at after a
    /// batch; everything unanswered came back as interrupted.
    pub fn take_failure(&self) -> Option<Error> {
        self.0.asker.take_failure()
    }

    /// Like a page, but without the body. Not recorded: an archive would take it for an empty page.
    pub async fn head(&self, url: &Url) -> Answer {
        // The hops own the run: a borrow would hide from the compiler that the future can move between threads.
        let (run, asked) = (self.0.clone(), keys::stripped(url.clone()));
        let hop = async move |at: &Url| run.hop_head(&asked, at).await;
        self.until_stopped(url, follow(url, &self.0.settings.limits, hop)).await
    }

    async fn page(&self, url: &Url) -> Answer {
        let (run, asked) = (self.0.clone(), keys::stripped(url.clone()));
        let hop = async move |at: &Url| run.hop(&asked, at).await;
        self.heed(self.until_stopped(url, follow(url, &self.0.settings.limits, hop)).await)
    }

    async fn until_stopped(&self, url: &Url, answer: impl Future<Output = Answer>) -> Answer {
        let stop = &self.0.settings.stop;
        let interrupted = || Answer::Skipped(Skipped::new(url, Reason::Interrupted, "the run was stopped"));
        let answer = if stop.is_stopped() {
            interrupted()
        } else {
            // What is ready is given, even when the run was stopped in the same moment.
            tokio::select! {
                biased;
                answer = answer => answer,
                () = stop.stopped() => interrupted(),
            }
        };
        if let Answer::Skipped(skipped) = &answer {
            self.0.counters.add(|stats| *stats.skipped.entry(skipped.reason).or_default() += 1);
        }
        answer
    }
}

impl Pages for Live {
    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        // Where the budget may not last, who comes first must not depend on who answers first.
        if self.0.ceiling.left() < REQUESTS_EACH * urls.len() as u64 {
            return stream::iter(urls).then(|url| self.page(url)).collect().await;
        }
        let hosts = by_host(urls).into_iter().map(|indices| {
            let pages = indices.into_iter().map(|index| async move { (index, self.page(&urls[index]).await) });
            stream::iter(pages).buffer_unordered(self.0.settings.concurrency.max(1))
        });
        let mut answers: Vec<(usize, Answer)> = stream::iter(hosts).flatten_unordered(HOSTS_AT_ONCE).collect().await;
        answers.sort_unstable_by_key(|(index, _)| *index);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    async fn again(&self, urls: &[Url]) -> Vec<Answer> {
        urls.iter().for_each(|url| self.0.forget(url));
        self.get(urls).await
    }
}

/// The places in the batch, host by host, in the order the hosts first appear.
fn by_host(urls: &[Url]) -> Vec<Vec<usize>> {
    let mut order: FxHashMap<&str, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, url) in urls.iter().enumerate() {
        let group = *order.entry(url.host_str().unwrap_or("")).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(index);
    }
    groups
}
