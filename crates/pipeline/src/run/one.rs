//! One run, stage by stage: what the queue says → what the database holds afterwards.
//!
//! ```text
//! "" ─► discovering ─► discovered ─► sought ─► done         the first time
//! "" ─► refreshing ──────────────────────────► done         a class that is known: its index pages are asked again
//! ```
//!
//! A stage that was completed is not done again. One that was not is begun anew with the pages already kept, and comes out the
//! same. [`absence`]: known pages that it did not find. [`expected`]: did it go as expected? What a refresh learned is stored at its end only: until then the next try starts from what was known before.

mod absence;
mod expected;

use super::absent::is_missing;
use super::checking::{self, Check, Judges};
use super::expecting::{Noted, spot_checks};
use super::local::Local;
use super::pages::{self, RunPages};
use super::spec::RunSpec;
use super::{Event, Summary, plan, rows};
use crate::hidden::hidden_job;
use crate::privacy::{Guard, KeepPages};
use crate::proof::statement;
use crate::records::{apply_job, wrappers_job};
use crate::{Error, ExtractSettings, discover_job, learn_job, learned, refresh_job};
use pagekin_core::discover::refresh::{Learned, Refresh};
use pagekin_core::discover::{self, Discovery};
use pagekin_core::extract::{self, Record, wrapper};
use pagekin_core::pages::{Reason, Skipped};
use pagekin_core::site;
use pagekin_fetch::{Listing, Stop};
use pagekin_store::{Absence, Class, EntityRow, Run, Store};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;
use url::Url;

/// Pages read between two times that records are stored.
const READ: usize = 256;

/// How often rows of pages are stored while a method asks.
const FLUSH: Duration = Duration::from_millis(500);

/// Pages found without a link that a search begins from besides the samples: what more of them link to, these mostly do as well.
const HANDED_BACK: usize = 16;

/// Names of stages, as they stand in `runs.stage`.
mod stage {
    pub const DISCOVERING: &str = "discovering";
    pub const DISCOVERED: &str = "discovered";
    pub const SOUGHT: &str = "sought";
    pub const REFRESHING: &str = "refreshing";
    pub const DONE: &str = "done";
}

/// How a run ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Done,
    Interrupted,
}

pub struct One<'o> {
    pub store: &'o Store,
    pub run: &'o Run,
    pub hear: &'o (dyn Fn(Event) + Sync),
    pub spec: RunSpec,
    guard: Guard,
    judges: &'o Judges,
    /// What records are held against.
    check: Option<Check>,
    timestamp: Option<Url>,
    address_bytes: usize,
    pages: RunPages,
    stop: Stop,
    noted: Noted,
    pub summary: Summary,
}

/// What a run has of the process that does it.
#[derive(Clone, Copy)]
pub struct Workplace<'o> {
    /// Where archives are written.
    pub folder: &'o Path,
    /// What else it may use of this machine.
    pub local: &'o Local,
    pub judges: &'o Judges,
    /// Bytes of addresses that may be kept of its site.
    pub address_bytes: usize,
}

/// Does the run; what is known of it is in the summary, however it ended. `stop`: of this run alone.
pub async fn run(
    store: &Store,
    workplace: &Workplace<'_>,
    run: &Run,
    stop: &Stop,
    hear: &(dyn Fn(Event) + Sync),
) -> (Result<End, Error>, Summary) {
    // Boxed: as one type the whole run is too deep for compilers of programs that use it.
    match Box::pin(opened(store, workplace, run, stop.clone(), hear)).await {
        Ok((mut one, class)) => {
            let ended = Box::pin(one.go(class)).await;
            let ended = match (ended, one.pages.flush(store, run).await) {
                (Ok(end), flushed) => flushed.map(|()| end),
                (failed, _) => failed,
            };
            one.count();
            let ended = match ended {
                Ok(End::Done) => one.left_behind(workplace.folder).await.map(|()| End::Done),
                other => other,
            };
            (ended, one.summary)
        }
        Err(error) => (Err(error), Summary::of(run)),
    }
}

/// The source, and the class if it is known from an earlier run.
async fn opened<'o>(
    store: &'o Store,
    workplace: &Workplace<'o>,
    run: &'o Run,
    stop: Stop,
    hear: &'o (dyn Fn(Event) + Sync),
) -> Result<(One<'o>, Option<(Class, Learned)>), Error> {
    let (mut spec, local) = (RunSpec::parse(&run.settings)?, workplace.local);
    spec.source.allow_private = run.private;
    let check = spec.check.as_ref().map(|check| check.here(local)).transpose()?;
    let timestamp = spec.timestamp.as_deref().map(|name| local.timestamp(name)).transpose()?;
    let source = local.source(&spec, spec.source(stop.clone()))?;
    let guard = local.privacy(&spec.privacy).ready()?;
    let class = known_class(store, run, &spec).await?;
    let (mut known, mut noted): (Vec<Url>, Noted) = Default::default();
    if let Some((_, learned)) = &class {
        known.extend(learned.indexes.iter().map(|index| index.url.clone()));
        known.extend(learned.entities.iter().map(|entity| entity.url.clone()).filter(|_| spec.recheck));
        if spec.extract && spec.expect.by_earlier_runs() {
            noted.spots = spot_checks(run, learned.entities.iter().map(|entity| &entity.url));
            known.extend(noted.spots.iter().cloned());
        }
    }
    let pages = RunPages::open(store, workplace.folder, run, &source, &known).await?;
    let summary = Summary { refreshed: class.is_some(), ..Summary::of(run) };
    let Workplace { judges, address_bytes, .. } = *workplace;
    let one =
        One { store, run, hear, spec, guard, judges, check, timestamp, address_bytes, pages, stop, noted, summary };
    Ok((one, class))
}

/// Which class is refreshed; none is to be discovered. Archives do not change: they are always gone through anew.
async fn known_class(store: &Store, run: &Run, spec: &RunSpec) -> Result<Option<(Class, Learned)>, Error> {
    if !(run.stage.is_empty() || run.stage == stage::REFRESHING) || spec.anew || !spec.archives.is_empty() {
        return Ok(None);
    }
    let class = match run.class_id {
        Some(id) => store.class(id).await?,
        None => store.class_of(run.site_id, &run.samples).await?,
    };
    let Some(class) = class else { return Ok(None) };
    let learned = class.learned.as_deref().map(learned::parse).transpose()?;
    Ok(learned.filter(|learned| learned.complete && !learned.indexes.is_empty()).map(|learned| (class, learned)))
}

impl One<'_> {
    async fn go(&mut self, known: Option<(Class, Learned)>) -> Result<End, Error> {
        if let Some(end) = self.held_before().await? {
            return Ok(end);
        }
        let end = match known {
            _ if self.run.stage == stage::DONE => self.told_again().await?,
            Some((class, learned)) => self.again(&class, &learned).await?,
            None => self.anew().await?,
        };
        if end == End::Done {
            self.reached(stage::DONE).await?;
        }
        Ok(end)
    }

    /// It was killed after the last stage: there is nothing left to ask, only to be counted.
    async fn told_again(&mut self) -> Result<End, Error> {
        let id = self.run.class_id.unwrap_or_default();
        let class = self.store.class(id).await?.ok_or(Error::NoClass(id))?;
        self.finished(&class, &[]).await
    }

    async fn reached(&self, stage: &str) -> Result<(), Error> {
        self.pages.flush(self.store, self.run).await?;
        Ok(self.store.reached(self.run, stage).await?)
    }

    /// While `job` asks for pages, what it got is stored as it comes.
    async fn storing<T>(&self, job: impl Future<Output = T>) -> Result<T, Error> {
        let mut job = std::pin::pin!(job);
        loop {
            tokio::select! {
                done = &mut job => {
                    self.pages.flush(self.store, self.run).await?;
                    return Ok(done);
                }
                () = tokio::time::sleep(FLUSH) => {
                    (self.hear)(Event::Looked(self.pages.source.stats().downloads));
                    self.pages.flush(self.store, self.run).await?;
                }
            }
        }
    }

    async fn anew(&mut self) -> Result<End, Error> {
        let done = self.run.stage.as_str();
        let class = if matches!(done, stage::DISCOVERED | stage::SOUGHT) {
            let id = self.run.class_id.unwrap_or_default();
            self.store.class(id).await?.ok_or(Error::NoClass(id))?
        } else {
            (self.hear)(Event::Stage("discovering"));
            self.reached(stage::DISCOVERING).await?;
            match self.discovered().await? {
                Some(class) => class,
                None => return Ok(End::Interrupted),
            }
        };
        if self.spec.hidden && done != stage::SOUGHT {
            (self.hear)(Event::Stage("looking for hidden pages"));
            if self.sought(&class).await? == End::Interrupted {
                return Ok(End::Interrupted);
            }
        }
        let entities = self.store.entities(class.id).await?;
        let urls = sample_first(entities.iter().map(|entity| entity.url.clone()).collect(), &self.run.samples);
        self.finished(&class, &urls).await
    }

    /// None when it was interrupted.
    async fn discovered(&mut self) -> Result<Option<Class>, Error> {
        let settings = discover::Settings { address_bytes: self.address_bytes, ..self.spec.discover.clone() };
        let job = discover_job(&self.pages.source, &self.run.samples, &settings);
        let found = match self.storing(job).await? {
            Ok((found, stats)) => {
                self.summary.spent = stats.spent;
                found
            }
            Err(_) if self.stop.is_stopped() && self.pages.source.stats().downloads == 0 => return Ok(None),
            Err(error) => return Err(error),
        };
        if found.stopped == Some(site::Stop::Interrupted) {
            return Ok(None);
        }
        let learned = self.storing(learn_job(&self.pages.source, &found, &settings)).await??;
        self.summary.completeness.clone_from(&found.completeness);
        let class = self.class(&found).await?;
        self.store.put_indexes(self.run, class.id, &rows::of_indexes(&found)).await?;
        self.put_absences(&class, self.not_found_again(&class, &found).await?).await?;
        let entities: Vec<EntityRow> = found.entities.iter().map(rows::of_linked).collect();
        self.store.put_entities(self.run, class.id, &entities).await?;
        self.store.put_skipped(self.run, &found.skipped).await?;
        self.store.set_learned(self.run, class.id, &learned::text(&learned)?).await?;
        self.reached(stage::DISCOVERED).await?;
        Ok(Some(class))
    }

    async fn class(&self, found: &Discovery) -> Result<Class, Error> {
        let known = self.store.class_of(self.run.site_id, &self.run.samples).await?;
        let class = match known {
            Some(class) => class,
            None => {
                let urls: Vec<&Url> = found.entities.iter().map(|entity| &entity.url).collect();
                let named = || plan::class_name(&self.run.samples[0], &urls);
                let name = self.spec.name.clone().unwrap_or_else(named);
                self.store.class_of_run(self.run, &name).await?
            }
        };
        self.store.set_class(self.run, class.id).await?;
        Ok(class)
    }

    async fn sought(&mut self, class: &Class) -> Result<End, Error> {
        let entities = self.store.entities(class.id).await?;
        let known: HashSet<&str> = entities.iter().map(|entity| entity.url.as_str()).collect();
        let linked = entities.iter().filter(|entity| !entity.unlinked);
        let listing = Listing::of(linked.map(|entity| entity.url.as_str()));
        let settings = self.spec.hidden();
        let (report, _) = self.storing(hidden_job(&self.pages.source, &listing, &settings)).await??;
        if report.stopped == Some(site::Stop::Interrupted) {
            return Ok(End::Interrupted);
        }
        let found: Vec<EntityRow> =
            rows::of_unlinked(&report).into_iter().filter(|entity| !known.contains(entity.url.as_str())).collect();
        self.store.put_templates(self.run, class.id, &rows::of_templates(&report)).await?;
        self.store.put_entities(self.run, class.id, &found).await?;
        if !self.summary.refreshed {
            let new = found.into_iter().map(|entity| entity.url).collect();
            if Box::pin(self.searched_from(class, new)).await? == End::Interrupted {
                return Ok(End::Interrupted);
            }
            self.reached(stage::SOUGHT).await?;
        }
        Ok(End::Done)
    }

    /// Pages that were found without a link are handed back to the discovery: what they link to it could not see, and where a link leads to one
    /// of them it missed a list. What was asked before is not asked again, and of a budget the rest is left.
    async fn searched_from(&mut self, class: &Class, new: Vec<Url>) -> Result<End, Error> {
        let asked = self.pages.source.stats().requests as usize;
        let budget = self.spec.discover.budget.map(|budget| budget.saturating_sub(asked));
        if new.is_empty() || budget == Some(0) {
            return Ok(End::Done);
        }
        let samples: Vec<Url> = self.run.samples.iter().cloned().chain(new.into_iter().take(HANDED_BACK)).collect();
        let settings = discover::Settings { budget, address_bytes: self.address_bytes, ..self.spec.discover.clone() };
        let found = match self.storing(discover_job(&self.pages.source, &samples, &settings)).await? {
            Ok((found, _)) => found,
            // What was found before holds, whatever the further samples are like.
            Err(Error::Discover(_)) => return Ok(End::Done),
            Err(error) => return Err(error),
        };
        if found.stopped == Some(site::Stop::Interrupted) {
            return Ok(End::Interrupted);
        }
        let known = self.store.entities(class.id).await?;
        let known: HashSet<&str> = known.iter().map(|entity| entity.url.as_str()).collect();
        let more = found.entities.iter().filter(|entity| !known.contains(entity.url.as_str()));
        let more: Vec<EntityRow> = more.map(rows::of_linked).collect();
        self.store.put_entities(self.run, class.id, &more).await?;
        Ok(End::Done)
    }

    async fn again(&mut self, class: &Class, learned: &Learned) -> Result<End, Error> {
        (self.hear)(Event::Stage("asking the index pages again"));
        self.store.set_class(self.run, class.id).await?;
        self.reached(stage::REFRESHING).await?;
        let settings = discover::Settings { address_bytes: self.address_bytes, ..self.spec.discover.clone() };
        let (refresh, stats) = self.storing(refresh_job(&self.pages.source, learned, &settings)).await??;
        self.summary.spent = stats.spent;
        if refresh.stopped == Some(site::Stop::Interrupted) {
            return Ok(End::Interrupted);
        }
        if refresh.blank {
            return self.is_blank(class, &refresh).await;
        }
        self.noted.lists = learned.indexes.len();
        self.noted.failed_lists.clone_from(&refresh.skipped);
        self.refreshed(class, &refresh).await?;
        self.summary.completeness = self.carried_over(class, refresh.learned.entities.len()).await?;
        // Without a new id there is no new gap between ids.
        if self.spec.hidden && !refresh.new.is_empty() {
            (self.hear)(Event::Stage("looking for hidden pages"));
            if self.sought(class).await? == End::Interrupted {
                return Ok(End::Interrupted);
            }
        }
        self.noted.learned = Some(learned::text(&refresh.learned)?);
        let urls = self.to_read(class, &refresh).await?;
        let end = self.finished(class, &urls).await?;
        if end == End::Done && self.summary.missed.is_empty() {
            self.store.set_learned(self.run, class.id, &learned::text(&refresh.learned)?).await?;
        }
        Ok(end)
    }

    async fn refreshed(&self, class: &Class, refresh: &Refresh) -> Result<(), Error> {
        let new: Vec<EntityRow> = refresh.new.iter().map(rows::of_shown).collect();
        let gone: Vec<Url> = refresh.gone.iter().map(|entity| entity.url.clone()).collect();
        self.store.put_entities(self.run, class.id, &new).await?;
        self.put_absences(class, self.asked_why(class, &gone).await?).await?;
        if refresh.unsure == 0 && refresh.stopped.is_none() {
            self.store.all_seen(self.run, class.id).await?;
        }
        Ok(self.store.put_skipped(self.run, &refresh.skipped).await?)
    }

    /// What is new or shown differently, what was never read, a few others, and with `recheck` everything.
    async fn to_read(&self, class: &Class, refresh: &Refresh) -> Result<Vec<Url>, Error> {
        let entities = self.store.entities(class.id).await?;
        if self.spec.recheck {
            return Ok(entities.into_iter().map(|entity| entity.url).collect());
        }
        let changed: HashSet<&str> = refresh.changed.iter().map(|entity| entity.url.as_str()).collect();
        let read: HashSet<String> = self.store.read_before(self.run, class.id).await?.into_iter().collect();
        let spots: HashSet<&Url> = self.noted.spots.iter().collect();
        let wanted = |url: &Url| changed.contains(url.as_str()) || !read.contains(url.as_str()) || spots.contains(url);
        Ok(entities.into_iter().map(|entity| entity.url).filter(wanted).collect())
    }

    /// Reads the pages, counts what came of the run, checks it, and ends it.
    async fn finished(&mut self, class: &Class, urls: &[Url]) -> Result<End, Error> {
        self.summary.class = class.name.clone();
        self.summary.class_id = Some(class.id);
        if self.spec.extract && self.extracted(class, urls).await? == End::Interrupted {
            return Ok(End::Interrupted);
        }
        let entities = self.store.entities(class.id).await?;
        self.summary.pages = entities.len();
        self.summary.unlinked = entities.iter().filter(|entity| entity.unlinked).count();
        self.summary.records = self.store.count_records(class.id).await?;
        self.counted_changes(class).await?;
        if self.spec.extract && self.is_held_back(class).await? {
            return Ok(End::Done);
        }
        if let Some(check) = &self.check {
            (self.hear)(Event::Stage("checking records"));
            let with = (self.judges, &self.stop);
            self.summary.found = checking::checked(self.store, with, self.run, class.id, check).await?;
            if self.summary.found.is_none() {
                return Ok(End::Interrupted);
            }
            self.summary.reports = check.due(!self.spec.archives.is_empty());
        }
        Ok(End::Done)
    }

    async fn extracted(&mut self, class: &Class, urls: &[Url]) -> Result<End, Error> {
        if urls.is_empty() {
            return Ok(End::Done);
        }
        (self.hear)(Event::Stage("reading pages"));
        let mut settings = self.spec.extraction()?;
        self.forgotten(class).await?;
        if settings.method == extract::Method::Learned && !self.wrapped(class, urls, &mut settings).await? {
            return Ok(End::Interrupted);
        }
        let read: HashSet<String> = self.store.read_by(self.run, class.id).await?.into_iter().collect();
        let mut done = 0;
        for some in urls.chunks(READ) {
            let left: Vec<Url> = some.iter().filter(|url| !read.contains(url.as_str())).cloned().collect();
            // By itself a page gives the same record in any company; where pages complete each other they stay together.
            let together = settings.method == extract::Method::DeSse && !left.is_empty();
            let wanted = if together { some } else { &left };
            if self.read(class, wanted, &settings).await? == End::Interrupted {
                return Ok(End::Interrupted);
            }
            done += some.len();
            (self.hear)(Event::Reading { done, of: urls.len() });
        }
        Ok(End::Done)
    }

    /// The wrapper of this run: made by an earlier try, or the class's own if it still fits, or learned. False when it was
    /// interrupted before there was one.
    async fn wrapped(&mut self, class: &Class, urls: &[Url], settings: &mut ExtractSettings) -> Result<bool, Error> {
        let known = self.store.wrapper(class.id).await?;
        if let Some((text, _)) = &known {
            settings.wrappers = wrapper::parse(text)?;
        }
        if known.as_ref().is_some_and(|(_, run)| *run == self.run.id) {
            return Ok(true);
        }
        let (mut wrappers, mut drift) = self.storing(wrappers_job(&self.pages.source, urls, settings)).await??;
        // Slots went empty: perhaps scripts fill them now.
        if !drift.is_empty() && !self.stop.is_stopped() && self.pages.source.doubt() {
            (wrappers, drift) = self.storing(wrappers_job(&self.pages.source, urls, settings)).await??;
        }
        if self.stop.is_stopped() {
            return Ok(false);
        }
        let text = wrapper::text(&wrappers)?;
        if known.is_none_or(|(known, _)| known != text) {
            let told = (!drift.is_empty()).then(|| serde_json::to_value(&drift)).transpose().map_err(Error::NotSpec)?;
            self.store.put_wrapper(self.run, class.id, &text, told.as_ref()).await?;
        }
        if !drift.is_empty() {
            self.summary.drift = drift.into_iter().map(|(_, drift)| drift).collect();
            (self.hear)(Event::Drift(self.summary.drift.clone()));
        }
        settings.wrappers = wrappers;
        self.warn_of_unknown(settings);
        Ok(true)
    }

    /// What earlier runs stored, and this one would not.
    async fn forgotten(&self, class: &Class) -> Result<(), Error> {
        for column in self.guard.guarded() {
            self.store
                .forget(self.run, class.id, column, &|values, evidence| self.guard.store(values, evidence))
                .await?;
        }
        Ok(())
    }

    /// Columns that nobody meant: a slip of the pen would store what should not be.
    fn warn_of_unknown(&self, settings: &ExtractSettings) {
        let names = || settings.wrappers.iter().flat_map(|wrapper| &wrapper.slots);
        let is = |column: &str| names().any(|slot| slot.name == column || slot.table.as_deref() == Some(column));
        for column in self.guard.guarded().filter(|column| !is(column)) {
            tracing::warn!("no page has a column `{column}`, which is not to be stored; is its name right?");
        }
    }

    /// What the run leaves beside the database: pages with a proof of what they are, or nothing.
    async fn left_behind(&mut self, folder: &Path) -> Result<(), Error> {
        match self.spec.privacy.keep_pages {
            KeepPages::None => self.pages.dropped(self.store, folder, self.run).await,
            KeepPages::All if self.pages.keeps() => {
                let archives = pages::archives(folder, &self.run.site, self.run.id, self.run.attempt);
                statement::leave(&archives, &self.summary, self.timestamp.as_ref()).await
            }
            KeepPages::All => Ok(()),
        }
    }

    async fn read(&mut self, class: &Class, urls: &[Url], settings: &ExtractSettings) -> Result<End, Error> {
        if urls.is_empty() {
            return Ok(End::Done);
        }
        let (mut records, mut skipped) = (Vec::new(), Vec::new());
        let mut emit = |one: Result<Record, Skipped>| {
            match one {
                Ok(record) => records.push(record),
                Err(why) => skipped.push(why),
            }
            Ok(())
        };
        self.storing(apply_job(&self.pages.source, urls, settings, &mut emit)).await??;
        let interrupted = skipped.iter().any(|why| why.reason == Reason::Interrupted);
        skipped.retain(|why| why.reason != Reason::Interrupted);
        self.summary.skipped += skipped.len();
        self.noted.failed.extend(skipped.iter().cloned());
        let missing: Vec<Url> = skipped.iter().filter(|why| is_missing(why)).map(|why| why.url.clone()).collect();
        self.store.put_absent(self.run, class.id, &missing, Absence::Missing).await?;
        self.store.put_records(self.run, class.id, &rows::of_records(records, &self.guard)).await?;
        self.store.put_skipped(self.run, &skipped).await?;
        Ok(if interrupted { End::Interrupted } else { End::Done })
    }

    /// What was asked.
    fn count(&mut self) {
        let stats = self.pages.source.stats();
        self.summary.downloads = stats.downloads;
        self.summary.requests = stats.requests;
        self.summary.bytes = stats.bytes;
        self.summary.not_modified = stats.not_modified;
        (self.summary.noindex, self.summary.nofollow) = (stats.noindex, stats.nofollow);
        self.summary.rendered = self.pages.source.rendered().opened;
        self.summary.render_hint = self.pages.source.render_hint();
        self.summary.resumed = self.pages.source.resumed();
        self.summary.spent = self.pages.source.spent().map(|spent| spent.to_string()).or(self.summary.spent.take());
    }
}

/// Examples are values on the first page.
fn sample_first(mut urls: Vec<Url>, samples: &[Url]) -> Vec<Url> {
    if let Some(at) = samples.iter().find_map(|sample| urls.iter().position(|url| url == sample)) {
        urls[..=at].rotate_right(1);
    }
    urls
}
