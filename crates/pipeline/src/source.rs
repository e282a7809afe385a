//! Where do the pages of this run come from? Settings → the live site, or archives in its place.
//!
//! - [`SourceSettings`]: as a user gives them. - [`Source`]: answers pages, counts, and stops when told.
//! - [`Archives`]: stored pages, counted as a live run is. What an interrupted run kept is in [`resume`](crate::resume).
//!
//! Does not know what the pages are for.

use crate::Error;
use crate::index_file;
use crate::resume::Resumed;
use pagekin_core::page::address::ScopeKind;
use pagekin_core::pages::{Answer, Pages, Reason, Skipped};
use pagekin_fetch::{
    Archive, Ceilings, Limits, Live, LiveSettings, RemoteStats, Spent, Stats, Stop, WarcWriter, Wishes,
};
use pagekin_store::PageRow;
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use url::Url;

#[derive(Debug, Clone)]
pub struct SourceSettings {
    /// Answer from these instead of the network; none asks the live site.
    pub archives: Vec<PathBuf>,
    /// Where the files are that an index among the archives names: a folder or an address; none is the folder of the index.
    pub archive_base: Option<String>,
    /// Keep what was fetched.
    pub save_archive: Option<PathBuf>,
    /// Go on with the run that `save_archive` was kept by: what is in it is not asked for again.
    pub resume: bool,
    /// What an earlier run kept: unchanged pages are not sent again. The same file as `save_archive` is gone on with.
    pub since: Option<PathBuf>,
    /// None is polite.
    pub delay: Option<Duration>,
    pub concurrency: usize,
    pub timeout: Duration,
    /// Largest page, as sent and decoded.
    pub max_bytes: usize,
    pub user_agent: String,
    pub allow_private: bool,
    /// Read the links of pages that ask that they are not followed.
    pub ignore_nofollow: bool,
    /// How far the site of an address goes that the user gave; nobody else is asked.
    pub scope: ScopeKind,
    /// What the run may take in all.
    pub ceilings: Ceilings,
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
            archive_base: None,
            save_archive: None,
            resume: false,
            since: None,
            delay: live.delay,
            concurrency: live.concurrency,
            timeout: live.timeout,
            max_bytes: live.max_bytes,
            user_agent: live.user_agent,
            allow_private: live.allow_private,
            ignore_nofollow: live.ignore_nofollow,
            scope: live.scope,
            ceilings: live.ceilings,
            resolve: Vec::new(),
            seed: live.seed,
            stop: live.stop,
        }
    }
}

impl SourceSettings {
    pub(crate) fn limits(&self) -> Limits {
        Limits { decoded: self.max_bytes, ..Limits::default() }
    }

    /// `typed`: the addresses the user gave; their sites are asked and no others, and they are asked whatever they look like.
    pub(crate) fn live(&self, typed: &[Url], writer: Option<WarcWriter>) -> Result<LiveSettings, Error> {
        let known = self.since.as_ref().map(|path| Archive::open(std::slice::from_ref(path))).transpose()?;
        Ok(LiveSettings {
            user_agent: self.user_agent.clone(),
            concurrency: self.concurrency,
            delay: self.delay,
            timeout: self.timeout,
            max_bytes: self.max_bytes,
            limits: self.limits(),
            seed: self.seed,
            allow_private: self.allow_private,
            ignore_nofollow: self.ignore_nofollow,
            scope: self.scope,
            ceilings: self.ceilings,
            resolve: self.resolve.clone(),
            known: known.map(|archive| Arc::new(archive) as _),
            recorder: writer.map(|writer| Arc::new(writer) as _),
            stop: self.stop.clone(),
            ..LiveSettings::starting_at(typed)
        })
    }

    fn writer(&self) -> Result<Option<WarcWriter>, Error> {
        let Some(path) = &self.save_archive else { return Ok(None) };
        let going_on = self.resume || self.since.as_ref() == Some(path);
        let writer = if going_on { WarcWriter::append(path) } else { WarcWriter::create(path) };
        writer.map(Some).map_err(|error| match error {
            pagekin_fetch::Error::ArchiveExists { path } => Error::ArchiveExists { path },
            error => Error::Fetch(error),
        })
    }

    /// The writer goes first: it removes the rest of a record that a killed run left, so that reading meets no damage.
    fn resumed(&self, typed: &[Url], path: &PathBuf) -> Result<Resumed, Error> {
        let writer = self.writer()?;
        let kept = Archive::open(std::slice::from_ref(path))?.with_limits(self.limits());
        let mut settings = self.live(typed, writer)?;
        // A page that is in the archive may still be where a redirect leads: then it is asked for on condition.
        settings.known.get_or_insert_with(|| Arc::new(kept.clone()) as _);
        Ok(Resumed::new(kept, Live::new(settings)?, self.stop.clone()))
    }
}

/// Answers pages. Live or stored, everything after it is the same.
pub enum Source {
    Live(Box<Live>),
    Archives(Box<Archives>),
    /// What an interrupted run kept, and the live site for the rest.
    Resumed(Box<Resumed>),
}

/// What an index of archives held of what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Addresses asked for.
    pub asked: u64,
    /// Of these, addresses of which the index has no record.
    pub absent: u64,
    #[serde(flatten)]
    pub remote: RemoteStats,
}

impl Coverage {
    /// In words.
    pub fn told(&self) -> String {
        let held = self.asked - self.absent;
        let share = 100.0 * held as f64 / self.asked.max(1) as f64;
        let RemoteStats { ranges, bytes, files, retries, truncated, unreadable, .. } = self.remote;
        let megabytes = bytes as f64 / 1e6;
        format!(
            "the index holds {held} of the {} addresses asked for ({share:.1} %), a sample of the site: a page that it lacks is not gone\n\
             read {ranges} records ({megabytes:.1} MB) of {files} files, {retries} asked for again, {truncated} cut off by the crawler, \
             {unreadable} unreadable",
            self.asked
        )
    }
}

pub struct Archives {
    archive: Archive,
    counted: Mutex<Stats>,
    wishes: Wishes,
    stop: Stop,
    /// Where pages that were answered stand, each once, for those who want to know.
    observed: Option<Mutex<Observed>>,
}

#[derive(Default)]
struct Observed {
    rows: Vec<PageRow>,
    seen: FxHashSet<Url>,
}

impl Source {
    pub fn open(settings: &SourceSettings, typed: &[Url]) -> Result<Self, Error> {
        if !settings.archives.is_empty() {
            let archive = index_file::open_archives(settings, typed)?.with_limits(settings.limits());
            return Ok(Self::of_archive(archive, settings.stop.clone()));
        }
        match (&settings.save_archive, settings.resume) {
            (Some(path), true) => Ok(Self::Resumed(Box::new(settings.resumed(typed, path)?))),
            (None, true) => Err(Error::NothingToResume),
            (_, false) => Ok(Self::Live(Box::new(Live::new(settings.live(typed, settings.writer()?)?)?))),
        }
    }

    /// An archive opened before; cheap, so that many runs can share it and count for themselves.
    pub fn of_archive(archive: Archive, stop: Stop) -> Self {
        let (counted, wishes) = (Mutex::default(), Wishes::default());
        Self::Archives(Box::new(Archives { archive, counted, wishes, stop, observed: None }))
    }

    /// From now on remembers where in archives the pages stand that were answered.
    pub(crate) fn observing(mut self) -> Self {
        if let Self::Archives(archives) = &mut self {
            archives.observed = Some(Mutex::default());
        }
        self
    }

    /// Those answered since the last time.
    pub(crate) fn observed(&self) -> Vec<PageRow> {
        let Self::Archives(archives) = self else { return Vec::new() };
        let Some(observed) = &archives.observed else { return Vec::new() };
        std::mem::take(&mut observed.lock().unwrap_or_else(PoisonError::into_inner).rows)
    }

    /// Every page of the archives, counted as they are read; none of a live site, which nobody has listed.
    pub fn all(&self) -> Option<(&Archive, impl Iterator<Item = Answer> + '_)> {
        let Self::Archives(archives) = self else { return None };
        let heeded = archives.archive.pages().map(|answer| archives.heed(answer));
        let counted = heeded.inspect(|answer| count(&mut archives.counted(), answer));
        Some((&archives.archive, counted.take_while(|_| !archives.stop.is_stopped())))
    }

    /// What was asked so far.
    pub fn stats(&self) -> Stats {
        match self {
            Self::Live(live) => live.stats(),
            Self::Archives(archives) => archives.stats(),
            Self::Resumed(resumed) => resumed.stats(),
        }
    }

    /// From now on so many requests to the live site, until it is said again; none lifts the budget.
    pub(crate) fn allow(&self, requests: Option<usize>) {
        if let Some(live) = self.live() {
            live.allow(requests.map(|requests| requests as u64));
        }
    }

    /// What the run used up, if something could not be asked for it.
    pub fn spent(&self) -> Option<Spent> {
        self.live().and_then(Live::spent)
    }

    fn live(&self) -> Option<&Live> {
        match self {
            Self::Live(live) => Some(live),
            Self::Archives(_) => None,
            Self::Resumed(resumed) => Some(resumed.live()),
        }
    }

    /// The archives that pages come from; none of a live site.
    pub fn archive(&self) -> Option<&Archive> {
        match self {
            Self::Archives(archives) => Some(&archives.archive),
            Self::Live(_) | Self::Resumed(_) => None,
        }
    }

    /// Does it hold a sample of a site, as the archives of web crawls do? That it lacks a page then says nothing about the page.
    pub fn is_sample(&self) -> bool {
        self.coverage().is_some()
    }

    /// How much of what was asked for an index of archives held; none of other sources.
    pub fn coverage(&self) -> Option<Coverage> {
        let remote = self.archive()?.remote()?;
        let stats = self.stats();
        let absent = stats.skipped.get(&Reason::NotArchived).copied().unwrap_or(0);
        Some(Coverage { asked: stats.downloads + stats.skipped.values().sum::<u64>(), absent, remote })
    }

    /// The pages of the archives, in file order; none of a live site, which has no list.
    pub fn urls(&self) -> Vec<Url> {
        match self {
            Self::Archives(archives) => archives.archive.urls().collect(),
            Self::Live(_) | Self::Resumed(_) => Vec::new(),
        }
    }

    /// Pages that an interrupted run had kept, and that were not asked for again.
    pub fn resumed(&self) -> u64 {
        match self {
            Self::Live(_) | Self::Archives(_) => 0,
            Self::Resumed(resumed) => resumed.pages(),
        }
    }

    /// Why the source gave up, if it did: what was fetched could not be kept.
    pub fn take_failure(&self) -> Option<Error> {
        self.live().and_then(Live::take_failure).map(Error::Fetch)
    }
}

impl Pages for Source {
    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        match self {
            Self::Live(live) => live.get(urls).await,
            Self::Archives(archives) => archives.get(urls).await,
            Self::Resumed(resumed) => resumed.get(urls).await,
        }
    }

    async fn again(&self, urls: &[Url]) -> Vec<Answer> {
        match self {
            Self::Live(live) => live.again(urls).await,
            Self::Archives(_) | Self::Resumed(_) => self.get(urls).await,
        }
    }
}

impl Archives {
    /// A panic elsewhere leaves plain numbers, which are still right.
    fn counted(&self) -> MutexGuard<'_, Stats> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody is asked for what a link leads to: links are read whatever the page asks, and that it asks is counted.
    fn heed(&self, mut answer: Answer) -> Answer {
        self.wishes.heed(&mut answer, false);
        answer
    }

    fn stats(&self) -> Stats {
        let (noindex, nofollow) = self.wishes.counts();
        let retries = self.archive.remote().map_or(0, |asked| asked.retries);
        Stats { noindex, nofollow, retries, ..self.counted().clone() }
    }

    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        if self.stop.is_stopped() {
            return interrupted(urls);
        }
        // Ranges of far-away files may take a while.
        let answers = tokio::select! {
            answers = self.archive.get(urls) => answers,
            () = self.stop.stopped() => return interrupted(urls),
        };
        let answers: Vec<Answer> = answers.into_iter().map(|answer| self.heed(answer)).collect();
        let mut counted = self.counted();
        answers.iter().for_each(|answer| count(&mut counted, answer));
        drop(counted);
        if let Some(observed) = &self.observed {
            self.observe(&mut observed.lock().unwrap_or_else(PoisonError::into_inner), &answers);
        }
        answers
    }

    fn observe(&self, observed: &mut Observed, answers: &[Answer]) {
        for answer in answers {
            let Answer::Page(page) = answer else { continue };
            let Some(listed) = self.archive.locate(&page.url) else { continue };
            if observed.seen.insert(page.url.clone()) {
                observed.rows.push(PageRow {
                    url: page.url.to_string(),
                    status: page.status,
                    hash: listed.digest.clone(),
                    content_type: page.content_type.clone(),
                    bytes: page.body.len(),
                    address: None,
                    fetched_at: listed.at,
                    archive: listed.path.to_string_lossy().into_owned(),
                    position: listed.position,
                });
            }
        }
    }
}

/// The answers of a run that was stopped.
pub(crate) fn interrupted(urls: &[Url]) -> Vec<Answer> {
    let stopped = |url| Answer::Skipped(Skipped::new(url, Reason::Interrupted, "the run was stopped"));
    urls.iter().map(stopped).collect()
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
