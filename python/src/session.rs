//! One site and its stages: samples and options → pages, records, model, hidden pages. What one stage has fetched, the next finds.

use crate::error::{from_pagekin, raised};
use crate::job::{News, Stop, runtime, watched};
use crate::options::Options;
use crate::records::Records;
use crate::table::Table;
use crate::wrapper::Wrapper;
use pagekin::extract::Wrapper as Learned;
use pagekin::records::wrappers_job;
use pagekin::{Error, ExtractSettings, Site, Source, Url, export, modelled};
use pyo3::prelude::*;
use std::sync::Arc;

/// A site, by sample pages of the kind that is wanted.
#[pyclass(frozen)]
pub struct Session {
    site: Site,
    options: Options,
    stop: pagekin::Stop,
}

type Callback = Option<Py<PyAny>>;

impl Session {
    fn job<T: Send>(
        &self,
        py: Python<'_>,
        progress: &Callback,
        work: impl AsyncFnOnce(&Site) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let runtime = runtime()?;
        let news = || News { stage: None, stats: self.site.stats() };
        watched(py, progress.as_ref(), &self.stop, news, || runtime.block_on(work(&self.site)))
    }

    fn source(&self) -> PyResult<Arc<Source>> {
        self.site.source().map_err(from_pagekin)
    }
}

#[pymethods]
impl Session {
    /// `options`: JSON.
    #[new]
    fn new(samples: Vec<String>, options: &str, stop: &Stop) -> PyResult<Self> {
        let options = Options::parse(options)?;
        Ok(Self { site: options.site(&samples, &stop.0)?, options, stop: stop.0.clone() })
    }

    /// All pages of the samples' kind, and the rest of the answer as JSON.
    #[pyo3(signature = (progress=None))]
    fn discover(&self, py: Python<'_>, progress: Callback) -> PyResult<(Table, String)> {
        let found = self.job(py, &progress, async |site: &Site| site.discover().await)?;
        let table = Table::new(export::table_of_entities(&found.entities).map_err(from_pagekin)?);
        Ok((table, json(&found)?))
    }

    /// Records of these pages; none takes every page of the archives.
    #[pyo3(signature = (urls, progress=None))]
    fn records(&self, py: Python<'_>, urls: Vec<String>, progress: Callback) -> PyResult<Records> {
        let urls = addresses(&urls)?;
        let found = self.job(py, &progress, async |site: &Site| site.records_of(&urls).await)?;
        Ok(Records::new(found.records, found.wrappers))
    }

    /// What reads pages like these, learned from them.
    #[pyo3(signature = (urls, progress=None))]
    fn learn(&self, py: Python<'_>, urls: Vec<String>, progress: Callback) -> PyResult<Wrapper> {
        let (urls, settings) = (addresses(&urls)?, self.options.extraction()?);
        let learned = self.job(py, &progress, async |site: &Site| learned(site, &urls, &settings).await)?;
        Wrapper::new(learned)
    }

    /// Another example for the same pages.
    fn with_example(&self, options: &str, samples: Vec<String>) -> PyResult<Self> {
        let options = Options::parse(options)?;
        let site = options.site(&samples, &self.stop)?.sharing(self.source()?);
        Ok(Self { site, options, stop: self.stop.clone() })
    }

    /// The site model as JSON; `all`: of every page of the archives instead of a walk from the sample.
    #[pyo3(signature = (all, progress=None))]
    fn model(&self, py: Python<'_>, all: bool, progress: Callback) -> PyResult<String> {
        let work = async |site: &Site| {
            let made = if all {
                let source = site.source()?;
                tokio::task::block_in_place(|| modelled::model_all_job(&source, "archive", &Default::default()))?.0
            } else {
                site.model().await?
            };
            modelled::text(&made)
        };
        self.job(py, &progress, work)
    }

    /// Templates of addresses, and the pages that they led to, as JSON.
    #[pyo3(signature = (progress=None))]
    fn hidden(&self, py: Python<'_>, progress: Callback) -> PyResult<String> {
        let report = self.job(py, &progress, async |site: &Site| site.hidden().await)?;
        json(&report)
    }

    /// What was asked so far, as JSON.
    fn stats(&self) -> PyResult<String> {
        let source = self.source()?;
        let stats = source.stats();
        json(&serde_json::json!({
            "pages": stats.downloads, "requests": stats.requests, "bytes": stats.bytes, "retries": stats.retries,
            "skipped": stats.skipped, "coverage": source.coverage(),
        }))
    }
}

async fn learned(site: &Site, urls: &[Url], settings: &ExtractSettings) -> Result<Vec<Learned>, Error> {
    Ok(wrappers_job(&*site.source()?, urls, settings).await?.0)
}

pub fn addresses(texts: &[String]) -> PyResult<Vec<Url>> {
    texts.iter().map(|text| pagekin::typed_address(text).map_err(from_pagekin)).collect()
}

pub fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| raised(&error.to_string()))
}
