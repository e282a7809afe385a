//! One extraction, from start to end: source, addresses, what is wanted → records, one after the other.
//!
//! ```text
//! addresses ─► a sample (seeded) ─► groups ─► a wrapper each ─► all pages, in batches ─► records
//! ```
//!
//! - [`ExtractSettings`]: what is wanted, and how. - [`Extracted`]: what came of it, beside the records.
//!
//! Memory holds the sample while learning and one batch afterwards, whatever the number of pages; both have a size in bytes,
//! too. A wrapper given is tried on
//! the sample first, and learned again where the site has changed ([`relearn`](crate::relearn)).

use crate::cost::{Clock, Outcome, RunStats};
use crate::groups::groups;
use crate::relearn::Relearning;
use crate::{Archive, Error, Source};
use pagekin_core::extract::drift::Drift;
use pagekin_core::extract::sse::across::Across;
use pagekin_core::extract::{self, Applied, Domain, Example, Method, Record, Wanted, Wrapper, batch, sse};
use pagekin_core::pages::{Answer, Pages, RawPage, Reason, Skipped};
use pagekin_fetch::keys;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BinaryHeap};
use url::Url;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Pages looked at to tell classes apart: a class of one in fifty pages has four of them.
const SAMPLE: usize = 200;

/// Pages of one class that are learned from: macro F1 on SWDE is 0.989 from 40 and 0.995 from 80 (docs/stages/extract.md).
const LEARNED_FROM: usize = 60;

/// Bytes of pages that are learned from. 200 pages of 300 kB: few sites have larger ones, and of those fewer pages do.
const LEARNED_BYTES: usize = 64 << 20;

/// Pages read at a time, and their bytes: after pages larger than these allow, fewer are read at a time.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 64 << 20;

/// Pages read at a time as long as nobody knows how large they are.
const FIRST: usize = 8;

/// How records are read.
#[derive(Debug, Clone)]
pub struct ExtractSettings {
    /// Learned from the pages, or the published method.
    pub method: Method,
    /// What is looked for.
    pub domain: Option<Domain>,
    /// Values of the first page.
    pub examples: Vec<Example>,
    /// Learned before; none learns.
    pub wrappers: Vec<Wrapper>,
    /// Values are whole text nodes.
    pub raw: bool,
    /// Thresholds of DE-SSE.
    pub sse: sse::Settings,
    /// Learn from so many pages of a class at most.
    pub learn_from: usize,
    /// Start of everything random.
    pub seed: u64,
    /// Names that a person gave to columns, by the name they had.
    pub rename: BTreeMap<String, String>,
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
            rename: BTreeMap::new(),
        }
    }
}

/// Wrappers whose columns have the names that a person gave them.
fn renamed(mut wrappers: Vec<Wrapper>, names: &BTreeMap<String, String>) -> Result<Vec<Wrapper>, Error> {
    wrappers.iter_mut().try_for_each(|wrapper| wrapper.rename(names))?;
    Ok(wrappers)
}

/// What came of an extraction, beside the records.
#[derive(Debug, Clone, Default)]
pub struct Extracted {
    /// What was learned, or given.
    pub wrappers: Vec<Wrapper>,
    /// What the wrapper given no longer found, by class; it was learned again.
    pub drift: Vec<(String, Drift)>,
    /// Pages that were read.
    pub pages: usize,
    /// Records that they gave.
    pub records: usize,
    /// Pages that gave none, by reason.
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
    let (clock, urls) = (Clock::start(), &keys::taken(urls));
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
    let mut job = Job::new(source, settings, emit);
    let learned = job.learn(&Addresses { given: urls, archive: None }, false).await;
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
    let all = Addresses { given: urls, archive: None };
    let mut job = Job::new(source, settings, emit);
    let done = match (settings.method, &settings.domain) {
        (Method::DeSse, Some(domain)) => job.published(&all, domain).await,
        (Method::DeSse, None) => Err(extract::Error::NoDomain.into()),
        (Method::Learned, _) => {
            let wrappers = renamed(settings.wrappers.clone(), &settings.rename)?;
            let applied = wrappers.into_iter().map(Applied::new).collect::<Result<Vec<_>, _>>()?;
            job.apply(&all, &applied).await
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
    let all = Addresses { given: urls, archive: source.archive().filter(|_| urls.is_empty()) };
    let mut job = Job::new(source, settings, emit);
    if settings.method == Method::DeSse {
        let domain = settings.domain.as_ref().ok_or(extract::Error::NoDomain)?;
        job.published(&all, domain).await?;
        return Ok(job.done);
    }
    let applied = job.learn(&all, urls.is_empty()).await?;
    job.apply(&all, &applied).await?;
    Ok(job.done)
}

/// The pages of a run: those given, or all of an archive, of which no list is made.
struct Addresses<'a> {
    given: &'a [Url],
    archive: Option<&'a Archive>,
}

impl<'a> Addresses<'a> {
    fn iter(&self) -> Box<dyn Iterator<Item = Url> + Send + 'a> {
        match self.archive {
            Some(archive) => Box::new(archive.urls()),
            None => Box::new(self.given.iter().cloned()),
        }
    }

    /// The first address (the one examples are of), and others by a seeded draw.
    fn sample(&self, seed: u64) -> Vec<Url> {
        let mut rest = self.iter();
        let Some(first) = rest.next() else { return Vec::new() };
        let mut drawn: BinaryHeap<(u64, Url)> = BinaryHeap::new();
        for url in rest {
            let place = xxh3_64_with_seed(url.as_str().as_bytes(), seed);
            if drawn.len() + 1 < SAMPLE || drawn.peek().is_some_and(|last| place < last.0) {
                drawn.push((place, url));
            }
            if drawn.len() >= SAMPLE {
                drawn.pop();
            }
        }
        std::iter::once(first).chain(drawn.into_sorted_vec().into_iter().map(|(_, url)| url)).collect()
    }
}

/// How many pages to read next: twice as many, as long as pages like these fit.
fn next_size(size: usize, pages: &[RawPage]) -> usize {
    let bytes: usize = pages.iter().map(|page| page.body.len()).sum();
    let fitting = BATCH_BYTES * pages.len().max(1) / bytes.max(1);
    fitting.clamp(1, BATCH).min(size * 2)
}

struct Job<'j, 'e> {
    source: &'j Source,
    settings: &'j ExtractSettings,
    done: Extracted,
    /// Records of the sample that a wrapper was tried on: those pages are not read again.
    known: FxHashMap<Url, Record>,
    /// Of an archive: addresses of pages read, hashed, because several addresses may lead to one page. Who gives addresses is told of each.
    read: Option<FxHashSet<u64>>,
    emit: &'j mut EmitAll<'e>,
}

impl<'j, 'e> Job<'j, 'e> {
    fn new(source: &'j Source, settings: &'j ExtractSettings, emit: &'j mut EmitAll<'e>) -> Self {
        Self { source, settings, done: Extracted::default(), known: FxHashMap::default(), read: None, emit }
    }

    /// The pages of these addresses, and those without a page.
    async fn pages(&self, urls: &[Url]) -> (Vec<RawPage>, Vec<Skipped>) {
        let (pages, skipped) = self.answers(urls).await;
        (pages.into_iter().flatten().collect(), skipped)
    }

    /// A page for each address, in their order, or none.
    async fn answers(&self, urls: &[Url]) -> (Vec<Option<RawPage>>, Vec<Skipped>) {
        let (mut pages, mut skipped) = (Vec::new(), Vec::new());
        for answer in self.source.get(urls).await {
            pages.push(match answer {
                Answer::Page(page) if page.is_success() => Some(page),
                Answer::Page(page) => {
                    skipped.push(Skipped::new(&page.url, Reason::Status, page.status.to_string()));
                    None
                }
                Answer::Skipped(why) => {
                    skipped.push(why);
                    None
                }
            });
        }
        (pages, skipped)
    }

    fn skip(&mut self, skipped: Skipped) -> Result<(), Error> {
        *self.done.skipped.entry(skipped.reason).or_default() += 1;
        (self.emit)(Err(skipped))
    }

    async fn learn(&mut self, all: &Addresses<'_>, told_apart: bool) -> Result<Vec<Applied>, Error> {
        // Those without a page are counted when they are read for good.
        let sample = self.sampled(&all.sample(self.settings.seed), all.archive.is_some()).await;
        if self.settings.wrappers.is_empty() {
            let wrappers = self.learned(&sample, told_apart)?;
            let learned = ExtractSettings { wrappers, ..self.settings.clone() };
            self.done.wrappers = Relearning::new(&learned, told_apart)?.measured(&sample);
        } else {
            let wrappers = renamed(self.settings.wrappers.clone(), &self.settings.rename)?;
            let known = ExtractSettings { wrappers, ..self.settings.clone() };
            let tried = Relearning::new(&known, told_apart)?.tried(&sample)?;
            if tried.drift.is_empty() {
                self.known = tried.records.into_iter().map(|record| (record.url.clone(), record)).collect();
            }
            (self.done.wrappers, self.done.drift) = (tried.wrappers, tried.drift);
        }
        self.done.wrappers = renamed(std::mem::take(&mut self.done.wrappers), &self.settings.rename)?;
        Ok(self.done.wrappers.iter().cloned().map(Applied::new).collect::<Result<Vec<_>, _>>()?)
    }

    /// The pages to learn from, in the order drawn, as far as memory is meant for them. The first is always one: examples are
    /// of it. `once`: a page that several addresses lead to is taken once.
    async fn sampled(&self, urls: &[Url], once: bool) -> Vec<RawPage> {
        let (mut sample, mut bytes): (Vec<RawPage>, usize) = (Vec::new(), 0);
        for some in urls.chunks(FIRST) {
            for page in self.pages(some).await.0 {
                let fits = bytes + page.body.len() <= LEARNED_BYTES;
                let is_new = !once || sample.iter().all(|known| known.url != page.url);
                if sample.is_empty() || fits && is_new {
                    bytes += page.body.len();
                    sample.push(page);
                }
            }
        }
        sample
    }

    fn learned(&self, sample: &[RawPage], told_apart: bool) -> Result<Vec<Wrapper>, Error> {
        let wanted = match (&self.settings.domain, &self.settings.examples[..]) {
            (Some(domain), _) => Wanted::Domain(domain),
            (None, []) => Wanted::Nothing,
            (None, examples) => Wanted::Examples(examples, 1),
        };
        let classes = if told_apart && !matches!(wanted, Wanted::Examples(..)) {
            groups(sample)
        } else {
            vec![batch::read_all(sample).into_iter().filter_map(Result::ok).collect()]
        };
        let learn = |(number, mut documents): (usize, Vec<_>)| {
            documents.truncate(self.settings.learn_from);
            extract::learn(documents, &wanted, &format!("class-{}", number + 1)).map_err(Error::from)
        };
        classes.into_iter().enumerate().map(learn).collect()
    }

    async fn apply(&mut self, all: &Addresses<'_>, applied: &[Applied]) -> Result<(), Error> {
        let (mut rest, mut size) = (all.iter(), FIRST);
        self.read = all.archive.map(|_| FxHashSet::default());
        loop {
            let some: Vec<Url> = rest.by_ref().take(size).collect();
            if some.is_empty() {
                return Ok(());
            }
            let open: Vec<Url> = some.iter().filter(|url| !self.known.contains_key(url)).cloned().collect();
            let (answers, skipped) = self.answers(&open).await;
            skipped.into_iter().try_for_each(|why| self.skip(why))?;
            let are_pages: Vec<bool> = answers.iter().map(Option::is_some).collect();
            let pages: Vec<RawPage> = answers.into_iter().flatten().collect();
            size = next_size(size, &pages);
            let mut records = batch::records(&pages, applied, self.settings.raw).into_iter();
            let mut read = are_pages.into_iter().map(|is_page| if is_page { records.next() } else { None });
            for url in some {
                let known = self.known.get(&url).cloned().map(Ok);
                if let Some(record) = known.or_else(|| read.next().flatten()) {
                    self.page(record)?;
                }
            }
        }
    }

    /// One page, read.
    fn page(&mut self, record: Result<Record, Skipped>) -> Result<(), Error> {
        if let Ok(record) = &record
            && let Some(read) = &mut self.read
            && !read.insert(xxh3_64(record.url.as_str().as_bytes()))
        {
            return Ok(());
        }
        self.done.pages += 1;
        match record {
            Ok(record) => self.give(record),
            Err(skipped) => self.skip(skipped),
        }
    }

    async fn published(&mut self, all: &Addresses<'_>, domain: &Domain) -> Result<(), Error> {
        let mut across = Across::new(all.iter());
        let (mut rest, mut size) = (all.iter(), FIRST);
        loop {
            let some: Vec<Url> = rest.by_ref().take(size).collect();
            if some.is_empty() {
                break;
            }
            let (pages, skipped) = self.pages(&some).await;
            size = next_size(size, &pages);
            skipped.into_iter().try_for_each(|why| self.skip(why))?;
            self.done.pages += pages.len();
            let found = batch::published_linked(&pages, domain, self.settings.sse, self.settings.raw);
            for (page, found) in pages.iter().zip(found) {
                match found {
                    Ok(found) => across.page(&page.url, found).into_iter().try_for_each(|record| self.give(record))?,
                    Err(skipped) => self.skip(skipped)?,
                }
            }
        }
        across.rest().into_iter().try_for_each(|record| self.give(record))
    }

    fn give(&mut self, record: Record) -> Result<(), Error> {
        self.done.records += 1;
        (self.emit)(Ok(record))
    }
}
