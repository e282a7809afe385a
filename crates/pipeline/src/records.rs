//! One extraction, from start to end: source, addresses, what is wanted → records, one after the other.
//!
//! ```text
//! addresses ─► a sample (seeded) ─► groups ─► a wrapper each ─► all pages, in batches ─► records
//! ```
//!
//! - [`ExtractSettings`]: what is wanted, and how. - [`Extracted`]: what came of it, beside the records.
//!
//! Memory holds the sample while learning and one batch afterwards, whatever the number of pages. A wrapper given is tried on
//! the sample first: when slots that it used to fill stay empty, the site has changed, and it is learned again.

use crate::cost::{Clock, Outcome, RunStats};
use crate::groups::groups;
use crate::{Error, Source};
use pagekin_core::extract::drift::{self, Drift, Watch};
use pagekin_core::extract::{self, Applied, Domain, Example, Method, Record, Wanted, Wrapper, batch, sse};
use pagekin_core::pages::{Answer, Pages, RawPage, Reason, Skipped};
use std::collections::BTreeMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Pages looked at to tell classes apart: a class of one in fifty pages has four of them.
const SAMPLE: usize = 200;

/// Pages of one class that are learned from; the learning curve in docs/stages/extract.md gains little beyond.
const LEARNED_FROM: usize = 60;

/// Pages read at a time.
const BATCH: usize = 64;

#[derive(Debug, Clone)]
pub struct ExtractSettings {
    pub method: Method,
    pub domain: Option<Domain>,
    pub examples: Vec<Example>,
    /// Learned before; none learns.
    pub wrappers: Vec<Wrapper>,
    /// Values are whole text nodes.
    pub raw: bool,
    /// Thresholds of DE-SSE.
    pub sse: sse::Settings,
    /// Learn from so many pages of a class at most.
    pub learn_from: usize,
    pub seed: u64,
}

impl Default for ExtractSettings {
    fn default() -> Self {
        let (method, sse) = (Method::default(), sse::Settings::default());
        Self {
            method,
            domain: None,
            examples: Vec::new(),
            wrappers: Vec::new(),
            raw: false,
            sse,
            learn_from: LEARNED_FROM,
            seed: 0,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Extracted {
    pub wrappers: Vec<Wrapper>,
    /// What the wrapper given no longer found, by class; it was learned again.
    pub drift: Vec<(String, Drift)>,
    pub pages: usize,
    pub records: usize,
    pub skipped: BTreeMap<Reason, u64>,
}

/// Hears of every record, in the order of the addresses.
pub type Emit<'e> = dyn FnMut(Record) -> Result<(), Error> + Send + 'e;

/// Hears of every page: a record, or why there is none.
pub type EmitAll<'e> = dyn FnMut(Result<Record, Skipped>) -> Result<(), Error> + Send + 'e;

/// `urls`: the pages; none takes every page of the archive, whose classes are told apart.
pub async fn extract_job(
    source: &Source,
    urls: &[Url],
    settings: &ExtractSettings,
    emit: &mut Emit<'_>,
) -> Result<(Extracted, RunStats), Error> {
    let clock = Clock::start();
    let records = &mut |one: Result<Record, Skipped>| one.map_or(Ok(()), &mut *emit);
    let done = extracted(source, urls, settings, records).await;
    source.take_failure().map_or(Ok(()), Err)?;
    let done = done?;
    let stats = clock.read(Outcome::of_extraction(done.pages, done.records), source);
    Ok((done, stats))
}

/// The wrappers for these pages, one class: those given, or, where pages no longer fit them or none is given, learned anew.
pub async fn wrappers_job(
    source: &Source,
    urls: &[Url],
    settings: &ExtractSettings,
) -> Result<(Vec<Wrapper>, Vec<(String, Drift)>), Error> {
    let emit: &mut EmitAll = &mut |_| Ok(());
    let mut job = Job { source, settings, done: Extracted::default(), emit };
    let learned = job.learn(urls, false).await;
    source.take_failure().map_or(Ok(()), Err)?;
    learned.map(|_| (job.done.wrappers, job.done.drift))
}

/// Reads pages with wrappers as they are, or by the published method.
pub async fn apply_job(
    source: &Source,
    urls: &[Url],
    settings: &ExtractSettings,
    emit: &mut EmitAll<'_>,
) -> Result<(), Error> {
    let mut job = Job { source, settings, done: Extracted::default(), emit };
    let done = match (settings.method, &settings.domain) {
        (Method::DeSse, Some(domain)) => job.published(urls, domain).await,
        (Method::DeSse, None) => Err(extract::Error::NoDomain.into()),
        (Method::Learned, _) => {
            let applied = settings.wrappers.iter().cloned().map(Applied::new).collect::<Result<Vec<_>, _>>()?;
            job.apply(urls, &applied).await
        }
    };
    source.take_failure().map_or(done, Err)
}

async fn extracted(
    source: &Source,
    urls: &[Url],
    settings: &ExtractSettings,
    emit: &mut EmitAll<'_>,
) -> Result<Extracted, Error> {
    let all = if urls.is_empty() { source.urls() } else { urls.to_vec() };
    let mut job = Job { source, settings, done: Extracted::default(), emit };
    if settings.method == Method::DeSse {
        let domain = settings.domain.as_ref().ok_or(extract::Error::NoDomain)?;
        job.published(&all, domain).await?;
        return Ok(job.done);
    }
    let applied = job.learn(&all, urls.is_empty()).await?;
    job.apply(&all, &applied).await?;
    Ok(job.done)
}

struct Job<'j, 'e> {
    source: &'j Source,
    settings: &'j ExtractSettings,
    done: Extracted,
    emit: &'j mut EmitAll<'e>,
}

impl Job<'_, '_> {
    async fn pages(&self, urls: &[Url]) -> (Vec<RawPage>, Vec<Skipped>) {
        let (mut pages, mut skipped) = (Vec::new(), Vec::new());
        for answer in self.source.get(urls).await {
            match answer {
                Answer::Page(page) if page.is_success() => pages.push(page),
                Answer::Page(page) => skipped.push(Skipped::new(&page.url, Reason::Status, page.status.to_string())),
                Answer::Skipped(why) => skipped.push(why),
            }
        }
        (pages, skipped)
    }

    fn skip(&mut self, skipped: Skipped) -> Result<(), Error> {
        *self.done.skipped.entry(skipped.reason).or_default() += 1;
        (self.emit)(Err(skipped))
    }

    async fn learn(&mut self, urls: &[Url], told_apart: bool) -> Result<Vec<Applied>, Error> {
        // Those without a page are counted when they are read for good.
        let (sample, _) = self.pages(&sample(urls, self.settings)).await;
        let ready = |wrappers: &[Wrapper]| wrappers.iter().cloned().map(Applied::new).collect::<Result<Vec<_>, _>>();
        if self.settings.wrappers.is_empty() {
            self.done.wrappers = self.learned(&sample, told_apart)?;
        } else {
            self.done.wrappers = self.settings.wrappers.clone();
            self.done.drift = drifted(&sample, &ready(&self.done.wrappers)?);
            if !self.done.drift.is_empty() {
                self.done.wrappers = self.learned_again(&sample, told_apart)?;
            }
        }
        Ok(ready(&self.done.wrappers)?)
    }

    fn learned(&self, sample: &[RawPage], told_apart: bool) -> Result<Vec<Wrapper>, Error> {
        let wanted = match (&self.settings.domain, &self.settings.examples[..]) {
            (Some(domain), _) => Wanted::Domain(domain),
            (None, []) => Wanted::Nothing,
            (None, examples) => Wanted::Examples(examples, 1),
        };
        self.learned_by(&wanted, sample, told_apart)
    }

    fn learned_again(&self, sample: &[RawPage], told_apart: bool) -> Result<Vec<Wrapper>, Error> {
        let domain = drift::domain_of(&self.settings.wrappers[0]);
        match &self.settings.domain {
            Some(_) => self.learned(sample, told_apart),
            None => self.learned_by(&Wanted::Domain(&domain), sample, told_apart),
        }
    }

    fn learned_by(&self, wanted: &Wanted, sample: &[RawPage], told_apart: bool) -> Result<Vec<Wrapper>, Error> {
        let classes = if told_apart && !matches!(wanted, Wanted::Examples(..)) {
            groups(sample)
        } else {
            vec![batch::read_all(sample).into_iter().filter_map(Result::ok).collect()]
        };
        let learn = |(number, mut documents): (usize, Vec<_>)| {
            documents.truncate(self.settings.learn_from);
            extract::learn(documents, wanted, &format!("class-{}", number + 1)).map_err(Error::from)
        };
        classes.into_iter().enumerate().map(learn).collect()
    }

    async fn apply(&mut self, urls: &[Url], applied: &[Applied]) -> Result<(), Error> {
        for some in urls.chunks(BATCH) {
            let (pages, skipped) = self.pages(some).await;
            skipped.into_iter().try_for_each(|why| self.skip(why))?;
            self.done.pages += pages.len();
            for record in batch::records(&pages, applied, self.settings.raw) {
                match record {
                    Ok(record) => self.give(record)?,
                    Err(skipped) => self.skip(skipped)?,
                }
            }
        }
        Ok(())
    }

    async fn published(&mut self, urls: &[Url], domain: &Domain) -> Result<(), Error> {
        for some in urls.chunks(BATCH) {
            let (pages, skipped) = self.pages(some).await;
            skipped.into_iter().try_for_each(|why| self.skip(why))?;
            self.done.pages += pages.len();
            for records in batch::published(&pages, domain, self.settings.sse, self.settings.raw) {
                match records {
                    Ok(records) => records.into_iter().try_for_each(|record| self.give(record))?,
                    Err(skipped) => self.skip(skipped)?,
                }
            }
        }
        Ok(())
    }

    fn give(&mut self, record: Record) -> Result<(), Error> {
        self.done.records += 1;
        (self.emit)(Ok(record))
    }
}

/// The first address (the one examples are of), and others by a seeded draw.
fn sample(urls: &[Url], settings: &ExtractSettings) -> Vec<Url> {
    let Some((first, rest)) = urls.split_first() else { return Vec::new() };
    let mut drawn: Vec<(u64, &Url)> =
        rest.iter().map(|url| (xxh3_64_with_seed(url.as_str().as_bytes(), settings.seed), url)).collect();
    drawn.sort_unstable();
    std::iter::once(first).chain(drawn.into_iter().map(|(_, url)| url).take(SAMPLE - 1)).cloned().collect()
}

fn drifted(sample: &[RawPage], applied: &[Applied]) -> Vec<(String, Drift)> {
    let mut watches: BTreeMap<String, Watch> = BTreeMap::new();
    for (page, document) in sample.iter().zip(batch::read_all(sample)) {
        let Ok(document) = document else { continue };
        let records = applied.iter().map(|one| one.record(&page.url, &document, false));
        if let Some(record) = records.max_by_key(|record| record.attributes.len()) {
            watches.entry(record.class.clone()).or_default().see(&record);
        }
    }
    let of_class = |one: &Applied| {
        let class = one.wrapper.class.clone();
        let drift = watches.get(&class).map_or(Vec::new(), |watch| watch.drift(&one.wrapper));
        drift.into_iter().map(move |drift| (class.clone(), drift)).collect::<Vec<_>>()
    };
    applied.iter().flat_map(of_class).collect()
}
