//! Who answers pages as they were sent? The live site, archives in its place, or both.
//!
//! - [`Origin`]: answers, counts, and stops when told. - [`Archives`]: stored pages, counted as a live run is. What an interrupted
//!   run kept is in [`resume`](crate::resume).
//!
//! Does not know what the pages are for, nor browsers: it answers what the scripts of a page ask for, too.

use crate::Error;
use crate::index_file;
use crate::resume::Resumed;
use crate::source::SourceSettings;
use pagekin_core::pages::{Answer, Pages, Reason, Skipped};
use pagekin_fetch::{Archive, Drawn, Live, Part, PartRequest, Spent, Stats, Stop, Wishes};
use pagekin_store::PageRow;
use rustc_hash::FxHashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use url::Url;

/// Who answers. Live or stored, everything after it is the same.
pub enum Origin {
    Live(Box<Live>),
    Archives(Box<Archives>),
    /// What an interrupted run kept, and the live site for the rest.
    Resumed(Box<Resumed>),
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

impl Origin {
    pub fn open(settings: &SourceSettings, typed: &[Url]) -> Result<Self, Error> {
        if !settings.archives.is_empty() {
            let archive = settings.limited(index_file::open_archives(settings, typed)?);
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

    /// Why it gave up, if it did: what was fetched could not be kept.
    pub fn take_failure(&self) -> Option<Error> {
        self.live().and_then(Live::take_failure).map(Error::Fetch)
    }

    /// What the scripts of a page ask for.
    pub async fn part(&self, request: &PartRequest) -> Result<Part, Skipped> {
        match self {
            Self::Live(live) => live.part(request).await,
            Self::Archives(archives) => archives.archive.part(request),
            Self::Resumed(resumed) => resumed.part(request).await,
        }
    }

    /// Keeps what a browser made of a page, where pages are kept.
    pub async fn keep_drawn(&self, url: &Url, drawn: Drawn) -> Result<(), Skipped> {
        match self.live() {
            Some(live) => live.keep_drawn(url, drawn).await,
            None => Ok(()),
        }
    }

    /// Is the answer to this address what a browser made of it, kept by the run before?
    pub fn has_drawn(&self, url: &Url) -> bool {
        match self {
            Self::Live(_) => false,
            Self::Archives(archives) => archives.archive.has_drawn(url),
            Self::Resumed(resumed) => resumed.has_drawn(url),
        }
    }
}

impl Pages for Origin {
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

    fn held(&self) -> Vec<Url> {
        self.archive().map(Archive::urls).into_iter().flatten().collect()
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
