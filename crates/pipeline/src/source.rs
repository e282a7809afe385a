//! Where do the pages of this run come from? Settings → the live site, or archives in its place.
//!
//! - [`SourceSettings`]: as a user gives them. - [`Source`]: answers pages, counts, and stops when told.
//! - [`Archives`]: stored pages, counted as a live run is.
//!
//! Does not know what the pages are for.

use crate::Error;
use pagekin_core::pages::{Answer, Pages, Reason, Skipped};
use pagekin_fetch::{Archive, Limits, Live, LiveSettings, Stats, Stop, WarcWriter};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use url::Url;

#[derive(Debug, Clone)]
pub struct SourceSettings {
    /// Answer from these instead of the network; none asks the live site.
    pub archives: Vec<PathBuf>,
    /// Keep what was fetched.
    pub save_archive: Option<PathBuf>,
    /// What an earlier run kept: unchanged pages are not sent again. The same file as `save_archive` is gone on with.
    pub since: Option<PathBuf>,
    pub delay: Duration,
    pub concurrency: usize,
    pub timeout: Duration,
    /// Largest page, as sent and decoded.
    pub max_bytes: usize,
    pub user_agent: String,
    pub allow_private: bool,
    /// Hosts asked at an address of the user's instead of that of the name server.
    pub resolve: Vec<(String, SocketAddr)>,
    /// Where the jitter of pauses between further tries comes from.
    pub seed: u64,
    pub stop: Stop,
}

impl Default for SourceSettings {
    /// The defaults of the live fetcher, which gives the reasons.
    fn default() -> Self {
        let live = LiveSettings::default();
        Self {
            archives: Vec::new(),
            save_archive: None,
            since: None,
            delay: live.delay,
            concurrency: live.concurrency,
            timeout: live.timeout,
            max_bytes: live.max_bytes,
            user_agent: live.user_agent,
            allow_private: live.allow_private,
            resolve: Vec::new(),
            seed: live.seed,
            stop: live.stop,
        }
    }
}

impl SourceSettings {
    fn limits(&self) -> Limits {
        Limits { decoded: self.max_bytes, ..Limits::default() }
    }

    /// `typed`: the addresses the user gave; their hosts may be private, and they are asked whatever they look like.
    fn live(&self, typed: &[Url]) -> Result<LiveSettings, Error> {
        let known = self.since.as_ref().map(|path| Archive::open(std::slice::from_ref(path))).transpose()?;
        let writer = self.writer()?;
        Ok(LiveSettings {
            user_agent: self.user_agent.clone(),
            concurrency: self.concurrency,
            delay: self.delay,
            timeout: self.timeout,
            max_bytes: self.max_bytes,
            limits: self.limits(),
            seed: self.seed,
            allow_private: self.allow_private,
            resolve: self.resolve.clone(),
            known: known.map(|archive| Arc::new(archive) as _),
            recorder: writer.map(|writer| Arc::new(writer) as _),
            stop: self.stop.clone(),
            ..LiveSettings::starting_at(typed)
        })
    }

    fn writer(&self) -> Result<Option<WarcWriter>, Error> {
        let Some(path) = &self.save_archive else { return Ok(None) };
        let going_on = self.since.as_ref() == Some(path);
        Ok(Some(if going_on { WarcWriter::append(path)? } else { WarcWriter::create(path)? }))
    }
}

/// Answers pages. Live or stored, everything after it is the same.
pub enum Source {
    Live(Box<Live>),
    Archives(Archives),
}

pub struct Archives {
    archive: Archive,
    counted: Mutex<Stats>,
    stop: Stop,
}

impl Source {
    pub fn open(settings: &SourceSettings, typed: &[Url]) -> Result<Self, Error> {
        if settings.archives.is_empty() {
            return Ok(Self::Live(Box::new(Live::new(settings.live(typed)?)?)));
        }
        let archive = Archive::open(&settings.archives)?.with_limits(settings.limits());
        Ok(Self::of_archive(archive, settings.stop.clone()))
    }

    /// An archive opened before; cheap, so that many runs can share it and count for themselves.
    pub fn of_archive(archive: Archive, stop: Stop) -> Self {
        Self::Archives(Archives { archive, counted: Mutex::default(), stop })
    }

    /// What was asked so far.
    pub fn stats(&self) -> Stats {
        match self {
            Self::Live(live) => live.stats(),
            Self::Archives(archives) => archives.counted().clone(),
        }
    }

    /// Why the source gave up, if it did: what was fetched could not be kept.
    pub fn take_failure(&self) -> Option<Error> {
        match self {
            Self::Live(live) => live.take_failure().map(Error::Fetch),
            Self::Archives(_) => None,
        }
    }
}

impl Pages for Source {
    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        match self {
            Self::Live(live) => live.get(urls).await,
            Self::Archives(archives) => archives.get(urls).await,
        }
    }
}

impl Archives {
    /// A panic elsewhere leaves plain numbers, which are still right.
    fn counted(&self) -> MutexGuard<'_, Stats> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        if self.stop.is_stopped() {
            let stopped = |url| Answer::Skipped(Skipped::new(url, Reason::Interrupted, "the run was stopped"));
            return urls.iter().map(stopped).collect();
        }
        let answers = self.archive.get(urls).await;
        let mut counted = self.counted();
        answers.iter().for_each(|answer| count(&mut counted, answer));
        drop(counted);
        answers
    }
}

/// As the live fetcher counts, except that bytes are those of decoded bodies.
fn count(stats: &mut Stats, answer: &Answer) {
    match answer {
        Answer::Page(page) => {
            stats.downloads += 1;
            stats.requests += 1 + page.redirects.len() as u64;
            stats.bytes += page.body.len() as u64;
        }
        Answer::Skipped(skipped) => {
            stats.requests += 1;
            *stats.skipped.entry(skipped.reason).or_default() += 1;
        }
    }
}
