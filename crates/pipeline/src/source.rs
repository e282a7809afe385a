//! Where do the pages of this run come from? Settings → the live site, or archives in its place, and a browser where it pays.
//!
//! - [`SourceSettings`]: as a user gives them. - [`Source`]: answers pages, counts, and stops when told. Who answers is in
//!   [`origin`](crate::origin), what a browser adds in [`rendering`](crate::rendering).
//!
//! Does not know what the pages are for.

use crate::Error;
use crate::kept_layouts::KeptLayouts;
use crate::origin::Origin;
use crate::rendering::{Counts, RenderSettings, Rendering};
use crate::resume::Resumed;
use pagekin_core::page::address::ScopeKind;
use pagekin_core::page::layout::Layout;
use pagekin_core::pages::{Answer, Pages, Reason, Skipped, not_drawn};
use pagekin_core::render::Mode;
use pagekin_fetch::{Archive, Ceilings, Limits, Live, LiveSettings, RemoteStats, Spent, Stats, Stop, WarcWriter};
use pagekin_store::PageRow;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Where pages come from, and how politely. What is serialised is what a run in a queue is told: no file, no program and nobody's address,
/// which belong to the process that works ([`Local`](crate::run::Local)).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceSettings {
    /// Answer from these instead of the network; none asks the live site.
    #[serde(skip)]
    pub archives: Vec<PathBuf>,
    /// Where the files are that an index among the archives names: a folder or an address; none is the folder of the index.
    #[serde(skip)]
    pub archive_base: Option<String>,
    /// Keep what was fetched.
    #[serde(skip)]
    pub save_archive: Option<PathBuf>,
    /// Go on with the run that `save_archive` was kept by: what is in it is not asked for again.
    #[serde(skip)]
    pub resume: bool,
    /// What an earlier run kept: unchanged pages are not sent again. The same file as `save_archive` is gone on with.
    #[serde(skip)]
    pub since: Option<PathBuf>,
    /// None is polite.
    pub delay: Option<Duration>,
    /// Requests under way at one host.
    pub concurrency: usize,
    /// Longest time for one request.
    pub timeout: Duration,
    /// Largest page, as sent and decoded.
    pub max_bytes: usize,
    /// As whom to ask.
    pub user_agent: String,
    /// Names may lead to private addresses. Of a run in a queue that is kept with its site.
    #[serde(skip)]
    pub allow_private: bool,
    /// Read the links of pages that ask that they are not followed.
    pub ignore_nofollow: bool,
    /// How far the site of an address goes that the user gave; nobody else is asked.
    #[serde(skip)]
    pub scope: ScopeKind,
    /// What the run may take in all.
    pub ceilings: Ceilings,
    /// Hosts asked at an address of the user's instead of that of the name server.
    #[serde(skip)]
    pub resolve: Vec<(String, SocketAddr)>,
    /// Where the jitter of pauses between further tries comes from.
    #[serde(skip)]
    pub seed: u64,
    /// When a browser is used, and which.
    pub render: RenderSettings,
    /// Ends what is under way.
    #[serde(skip)]
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
            render: RenderSettings::default(),
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

    /// Pages as servers sent them, or as browsers left them where that is kept.
    pub(crate) fn opened(&self, paths: &[PathBuf]) -> Result<Archive, Error> {
        Ok(self.limited(Archive::open(paths)?))
    }

    /// The same archive within the limits of this run, without what browsers left where nothing is to be rendered.
    pub(crate) fn limited(&self, archive: Archive) -> Archive {
        let archive = archive.with_limits(self.limits());
        if self.render.mode == Mode::Never { archive.without_drawn() } else { archive }
    }

    pub(crate) fn writer(&self) -> Result<Option<WarcWriter>, Error> {
        let Some(path) = &self.save_archive else { return Ok(None) };
        let going_on = self.resume || self.since.as_ref() == Some(path);
        let writer = if going_on { WarcWriter::append(path) } else { WarcWriter::create(path) };
        writer.map(Some).map_err(|error| match error {
            pagekin_fetch::warc::Error::Exists { path } => Error::ArchiveExists { path },
            error => Error::Fetch(error.into()),
        })
    }

    /// The writer goes first: it removes the rest of a record that a killed run left, so that reading meets no damage.
    pub(crate) fn resumed(&self, typed: &[Url], path: &PathBuf) -> Result<Resumed, Error> {
        let writer = self.writer()?;
        let kept = self.opened(std::slice::from_ref(path))?;
        let mut settings = self.live(typed, writer)?;
        // A page that is in the archive may still be where a redirect leads: then it is asked for on condition.
        settings.known.get_or_insert_with(|| Arc::new(kept.clone()) as _);
        Ok(Resumed::new(kept, Live::new(settings)?, self.stop.clone()))
    }
}

/// What an index of archives held of what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Addresses asked for.
    pub asked: u64,
    /// Of these, addresses of which the index has no record.
    pub absent: u64,
    /// What reading them took.
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

/// Answers pages. Live or stored, plain or rendered, everything after it is the same.
pub struct Source {
    origin: Origin,
    rendering: Option<Rendering>,
    /// Where things stand on pages of an archive that were drawn before.
    layouts: Option<KeptLayouts>,
}

impl Source {
    /// Opens the archives, or readies the client for the live site. `typed`: the addresses that the user gave.
    pub fn open(settings: &SourceSettings, typed: &[Url]) -> Result<Self, Error> {
        Self::around(Origin::open(settings, typed)?, settings, typed)
    }

    /// `typed`: the addresses the user gave, which are the first to be compared.
    pub(crate) fn around(origin: Origin, settings: &SourceSettings, typed: &[Url]) -> Result<Self, Error> {
        let rendering = Rendering::of(settings, typed, origin.archive().is_some())?;
        Ok(Self { origin, rendering, layouts: None })
    }

    /// An archive opened before; cheap, so that many runs can share it and count for themselves.
    pub fn of_archive(archive: Archive, stop: Stop) -> Self {
        Self { origin: Origin::of_archive(archive, stop), rendering: None, layouts: None }
    }

    /// The same, with somebody who draws its pages, each once if layouts are kept.
    pub fn of_archive_drawn(
        archive: Archive,
        settings: &SourceSettings,
        layouts: Option<KeptLayouts>,
    ) -> Result<Self, Error> {
        let source = Self::around(Origin::of_archive(archive, settings.stop.clone()), settings, &[])?;
        Ok(Self { layouts, ..source })
    }

    async fn draw(&self, urls: &[Url]) -> Vec<Result<Layout, Skipped>> {
        match &self.rendering {
            Some(rendering) => rendering.layouts(&self.origin, urls).await,
            None => not_drawn(urls),
        }
    }

    /// From now on remembers where in archives the pages stand that were answered.
    pub(crate) fn observing(self) -> Self {
        Self { origin: self.origin.observing(), ..self }
    }

    /// Those answered since the last time.
    pub(crate) fn observed(&self) -> Vec<PageRow> {
        self.origin.observed()
    }

    /// Every page of the archives, counted as they are read; none of a live site, which nobody has listed.
    pub fn all(&self) -> Option<(&Archive, impl Iterator<Item = Answer> + '_)> {
        self.origin.all()
    }

    /// What was asked so far.
    pub fn stats(&self) -> Stats {
        self.origin.stats()
    }

    /// What a browser did.
    pub fn rendered(&self) -> Counts {
        self.rendering.as_ref().map_or(Counts::default(), Rendering::counts)
    }

    /// What a browser would have shown, where there is none: a sentence for the user.
    pub fn render_hint(&self) -> Option<String> {
        self.rendering.as_ref().and_then(Rendering::hint)
    }

    /// Values that used to be there are missing: pages that needed no browser are compared again. False when there are none.
    pub(crate) fn doubt(&self) -> bool {
        self.rendering.as_ref().is_some_and(Rendering::doubt)
    }

    /// Links that were expected are missing: pages with scripts that were not compared will be. False when there are none.
    pub(crate) fn expect(&self) -> bool {
        self.rendering.as_ref().is_some_and(Rendering::expect)
    }

    /// From now on so many requests to the live site, until it is said again; none lifts the budget.
    pub(crate) fn allow(&self, requests: Option<usize>) {
        self.origin.allow(requests);
    }

    /// What the run used up, if something could not be asked for it.
    pub fn spent(&self) -> Option<Spent> {
        self.origin.spent()
    }

    /// The archives that pages come from; none of a live site.
    pub fn archive(&self) -> Option<&Archive> {
        self.origin.archive()
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
        self.origin.urls()
    }

    /// Pages that an interrupted run had kept, and that were not asked for again.
    pub fn resumed(&self) -> u64 {
        self.origin.resumed()
    }

    /// Why the source gave up, if it did: what was fetched could not be kept, or there is no browser though it was asked for.
    pub fn take_failure(&self) -> Option<Error> {
        self.origin.take_failure().or_else(|| self.rendering.as_ref()?.take_failure())
    }
}

impl Pages for Source {
    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        let answers = self.origin.get(urls).await;
        match &self.rendering {
            Some(rendering) => rendering.rendered(&self.origin, answers).await,
            None => answers,
        }
    }

    async fn again(&self, urls: &[Url]) -> Vec<Answer> {
        let answers = self.origin.again(urls).await;
        match &self.rendering {
            Some(rendering) => rendering.rendered(&self.origin, answers).await,
            None => answers,
        }
    }

    fn held(&self) -> Vec<Url> {
        self.origin.held()
    }

    async fn layouts(&self, urls: &[Url]) -> Vec<Result<Layout, Skipped>> {
        let Some(kept) = &self.layouts else { return self.draw(urls).await };
        let mut layouts: Vec<Option<Layout>> = urls.iter().map(|url| kept.get(url)).collect();
        let new = urls.iter().zip(&layouts).filter(|(_, layout)| layout.is_none());
        let new: Vec<Url> = new.map(|(url, _)| url.clone()).collect();
        let mut drawn = self.draw(&new).await.into_iter();
        for (url, layout) in new.iter().zip(drawn.as_slice()) {
            if let Some(Err(error)) = layout.as_ref().ok().map(|layout| kept.put(url, layout)) {
                tracing::warn!("a layout cannot be kept: {error}");
            }
        }
        let all = layouts.iter_mut().zip(urls).map(|(layout, url)| match layout.take() {
            Some(layout) => Ok(layout),
            None => drawn.next().unwrap_or_else(|| Err(Skipped::new(url, Reason::NotRendered, "it was not drawn"))),
        });
        all.collect()
    }
}
