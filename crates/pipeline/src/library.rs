//! How is all this called from another program? A sample page → [`Site`], with one method for each stage.
//!
//! ```
//! # use pagekin_testkit::server::Server;
//! # let driver = |n: usize| format!("<title>Racing</title><h1>Driver {n}</h1><p>Team: <b>Team {}</b></p><a href='/'>all</a>", n % 3);
//! # let links: String = (0..9).map(|n| format!("<li><a href='/driver/{n}'>Driver {n}</a>")).collect();
//! # let server = (0..9).fold(Server::new().page("/", format!("<ul>{links}</ul>")), |s, n| s.page(&format!("/driver/{n}"), driver(n))).start();
//! # let sample = server.url("/driver/2");
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let site = pagekin::Site::open(sample);
//! let found = site.discover().await?;
//! assert_eq!(found.entities.len(), 9);
//!
//! let data = site.records().await?;
//! assert_eq!(data.records.len(), 9);
//! assert_eq!(data.records[0].attributes["team"], ["Team 2"], "the sample comes first");
//! # Ok::<(), pagekin::Error>(())
//! # }).unwrap();
//! ```
//!
//! - [`Records`]: what the pages of the kind say, and the wrappers that read it.
//!
//! A site is asked politely, and once: what one stage has fetched, the next finds. With an [`archive`](Site::archive) nothing is asked at all.

use crate::{Error, ExtractSettings, Source, SourceSettings, discover_job, extract_job, hidden, model_job};
use pagekin_core::discover::{self, Discovery};
use pagekin_core::extract::{Example, Record, Wrapper};
use pagekin_core::hidden::Report;
use pagekin_core::model::{self, SiteModel};
use pagekin_core::pages::Reason;
use pagekin_fetch::{Listing, Stats, Stop, keys};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// What the pages of a kind say.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Records {
    /// One a page, the sample first, then in the order of the addresses.
    pub records: Vec<Record>,
    /// What was learned to read them, one for each class.
    pub wrappers: Vec<Wrapper>,
    /// Pages that gave no record, by reason.
    pub skipped: BTreeMap<Reason, u64>,
}

/// A site, by a sample page of the kind that is wanted.
pub struct Site {
    samples: Vec<String>,
    source: SourceSettings,
    discover: discover::Settings,
    extract: ExtractSettings,
    hidden: pagekin_core::hidden::Settings,
    opened: Mutex<Option<Arc<Source>>>,
}

impl Site {
    /// The address of one page of the kind that is wanted; for [`model`](Self::model), of any page.
    pub fn open(sample: impl Into<String>) -> Self {
        Self {
            samples: vec![sample.into()],
            source: SourceSettings::default(),
            discover: discover::Settings::default(),
            extract: ExtractSettings::default(),
            hidden: pagekin_core::hidden::Settings::default(),
            opened: Mutex::default(),
        }
    }

    /// Whatever stands in the archives that the settings of the source name, of one site or many.
    pub fn of_archives() -> Self {
        Self { samples: Vec::new(), ..Self::open("") }
    }

    /// One more page of the kind.
    pub fn sample(mut self, address: impl Into<String>) -> Self {
        self.samples.push(address.into());
        self
    }

    /// Take pages from this file instead of the network: WARC, or the Parquet index of a web crawl. May be given several times.
    pub fn archive(mut self, path: impl Into<PathBuf>) -> Self {
        self.source.archives.push(path.into());
        self
    }

    /// Where the files are that an index names: a folder or an address. Without it, the folder of the index.
    pub fn archive_base(mut self, place: impl Into<String>) -> Self {
        self.source.archive_base = Some(place.into());
        self
    }

    /// Pages that a stage may look at.
    pub fn budget(mut self, pages: usize) -> Self {
        self.discover.budget = Some(pages);
        self.hidden.budget = Some(pages);
        self
    }

    /// Least time between requests to a host; without it one second, and none on this machine.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.source.delay = Some(delay);
        self
    }

    /// A value on the first sample, by the name its column should have.
    pub fn example(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.extract.examples.push(Example { name: name.into(), value: value.into() });
        self
    }

    /// Start of everything random: same seed, same answer.
    pub fn seed(mut self, seed: u64) -> Self {
        (self.source.seed, self.discover.seed, self.extract.seed, self.hidden.seed) = (seed, seed, seed, seed);
        self
    }

    /// Ends what is under way when it is set; what was found until then is the answer.
    pub fn stop(mut self, stop: Stop) -> Self {
        self.source.stop = stop;
        self
    }

    /// Everything that can be set of where pages come from.
    pub fn source_settings(mut self, change: impl FnOnce(&mut SourceSettings)) -> Self {
        change(&mut self.source);
        self
    }

    /// Everything that can be set of the discovery.
    pub fn discover_settings(mut self, change: impl FnOnce(&mut discover::Settings)) -> Self {
        change(&mut self.discover);
        self
    }

    /// Everything that can be set of the extraction.
    pub fn extract_settings(mut self, change: impl FnOnce(&mut ExtractSettings)) -> Self {
        change(&mut self.extract);
        self
    }

    /// All pages of the sample's kind.
    pub async fn discover(&self) -> Result<Discovery, Error> {
        let (samples, source) = (self.samples()?, self.source()?);
        Ok(discover_job(&source, &samples, &self.discover).await?.0)
    }

    /// What all pages of the sample's kind say.
    pub async fn records(&self) -> Result<Records, Error> {
        let found = self.discover().await?;
        let mut urls: Vec<Url> = found.entities.into_iter().map(|entity| entity.url).collect();
        // Examples are of the first page.
        let samples = self.samples()?;
        urls.sort_by_key(|url| *url != samples[0]);
        self.records_of(&urls).await
    }

    /// What these pages say; none takes every page of the archive.
    pub async fn records_of(&self, urls: &[Url]) -> Result<Records, Error> {
        let (source, mut records) = (self.source()?, Vec::new());
        let mut emit = |record| {
            records.push(record);
            Ok(())
        };
        let (done, _) = extract_job(&source, urls, &self.extract, &mut emit).await?;
        Ok(Records { records, wrappers: done.wrappers, skipped: done.skipped })
    }

    /// The classes of pages of the site, entered by the sample, and how they link.
    pub async fn model(&self) -> Result<SiteModel, Error> {
        let (samples, source) = (self.samples()?, self.source()?);
        let settings =
            model::Settings { scope: self.discover.scope, budget: self.discover.budget, ..Default::default() };
        Ok(model_job(&source, &samples[0], &settings).await?.0)
    }

    /// Pages of the sample's kind that no link reaches: templates of addresses, and what was found by them.
    pub async fn hidden(&self) -> Result<Report, Error> {
        let found = self.discover().await?;
        let listing = Listing::of(found.entities.iter().map(|entity| entity.url.as_str()));
        Ok(hidden::hidden_job(&*self.source()?, &listing, &self.hidden).await?.0)
    }

    /// What was asked so far; none before the first stage.
    pub fn stats(&self) -> Option<Stats> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|source| source.stats())
    }

    /// Where pages come from; opened once, so that stages share what was fetched.
    pub fn source(&self) -> Result<Arc<Source>, Error> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(source) = &*opened {
            return Ok(source.clone());
        }
        let settings = SourceSettings { scope: self.discover.scope, ..self.source.clone() };
        let source = Arc::new(Source::open(&settings, &self.addresses()?)?);
        *opened = Some(source.clone());
        Ok(source)
    }

    /// Takes pages from where another site takes them: what was fetched is not asked for again.
    pub fn sharing(self, source: Arc<Source>) -> Self {
        Self { opened: Mutex::new(Some(source)), ..self }
    }

    fn samples(&self) -> Result<Vec<Url>, Error> {
        let samples = self.addresses()?;
        let none = || Error::NoSample("the archives alone name none".to_owned());
        if samples.is_empty() { Err(none()) } else { Ok(samples) }
    }

    fn addresses(&self) -> Result<Vec<Url>, Error> {
        self.samples.iter().map(|text| typed_address(text)).collect()
    }
}

/// An address that a person typed. A name and a password in it go to the fetcher, and nowhere else.
pub fn typed_address(text: &str) -> Result<Url, Error> {
    address(text).map(keys::take)
}

/// An address of a page.
pub(crate) fn address(text: &str) -> Result<Url, Error> {
    let told = |reason: String| Error::Address { text: text.to_owned(), reason };
    let url = Url::parse(text.trim()).map_err(|error| told(error.to_string()))?;
    if matches!(url.scheme(), "http" | "https") { Ok(url) } else { Err(told("it is not of the web".to_owned())) }
}
