//! What did the caller ask for? JSON that the Python side made of its arguments → settings.

use crate::error::raised;
use pagekin::discover::Method;
use pagekin::extract::{Example, domain};
use pagekin::page::address::ScopeKind;
use pagekin::run::RunSpec;
use pagekin::{ExtractSettings, Site, SourceSettings, Url, discover};
use pyo3::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that a function of the package takes beside its first argument.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    pub archive: Vec<PathBuf>,
    pub archive_base: Option<String>,
    pub save_archive: Option<PathBuf>,
    pub budget: Option<usize>,
    pub until: Option<f64>,
    pub method: Option<Method>,
    pub scope: Option<ScopeKind>,
    pub not: Vec<Url>,
    pub seed: u64,
    pub example: BTreeMap<String, String>,
    /// Text of a domain file.
    pub domain: Option<String>,
    pub learn_from: Option<usize>,
    pub rename: BTreeMap<String, String>,
    /// Text of a wrapper.
    pub wrapper: Option<String>,
    /// Seconds.
    pub delay: Option<f64>,
    pub timeout: Option<f64>,
    pub concurrency: Option<usize>,
    pub user_agent: Option<String>,
    pub allow_private: bool,
    pub ignore_nofollow: bool,
    pub hidden: Option<bool>,
    pub db: Option<String>,
    pub name: Option<String>,
}

impl Options {
    pub fn parse(text: &str) -> PyResult<Self> {
        serde_json::from_str(text).map_err(|error| {
            raised(&format!("an argument cannot be used: {error}\n\nhint: see its type in the documentation"))
        })
    }

    fn change_source(&self, source: &mut SourceSettings) -> PyResult<()> {
        let seconds = |name: &str, given: Option<f64>| match given.map(Duration::try_from_secs_f64).transpose() {
            Ok(time) => Ok(time),
            Err(_) => Err(raised(&format!("`{name}` is no time\n\nhint: give seconds, such as 0.5"))),
        };
        source.archives = self.archive.clone();
        source.archive_base = self.archive_base.clone();
        source.save_archive = self.save_archive.clone();
        source.delay = seconds("delay", self.delay)?.or(source.delay);
        source.timeout = seconds("timeout", self.timeout)?.unwrap_or(source.timeout);
        source.concurrency = self.concurrency.unwrap_or(source.concurrency).max(1);
        source.user_agent = self.user_agent.clone().unwrap_or_else(|| source.user_agent.clone());
        source.allow_private = self.allow_private;
        source.ignore_nofollow = self.ignore_nofollow;
        source.seed = self.seed;
        Ok(())
    }

    fn change_discover(&self, discover: &mut discover::Settings) {
        discover.method = self.method.unwrap_or(discover.method);
        discover.scope = self.scope.unwrap_or(discover.scope);
        discover.budget = self.budget;
        discover.until = self.until;
        discover.not = self.not.clone();
        discover.seed = self.seed;
    }

    pub fn extraction(&self) -> PyResult<ExtractSettings> {
        let built_in = ExtractSettings::default();
        let wrong = |troubles: Vec<domain::Trouble>| {
            let list: Vec<String> = troubles.iter().map(ToString::to_string).collect();
            raised(&format!(
                "the domain file is wrong:\n{}\n\nhint: docs/stages/extract.md says what it may hold",
                list.join("\n")
            ))
        };
        let wrappers = self.wrapper.as_deref().map(pagekin::extract::wrapper::parse).transpose();
        Ok(ExtractSettings {
            domain: self.domain.as_deref().map(domain::parse).transpose().map_err(wrong)?,
            examples: self
                .example
                .iter()
                .map(|(name, value)| Example { name: name.clone(), value: value.clone() })
                .collect(),
            wrappers: wrappers.map_err(|error| raised(&error.to_string()))?.unwrap_or_default(),
            learn_from: self.learn_from.unwrap_or(built_in.learn_from),
            rename: self.rename.clone(),
            seed: self.seed,
            ..built_in
        })
    }

    /// A site with these settings.
    pub fn site(&self, samples: &[String], stop: &pagekin::Stop) -> PyResult<Site> {
        if samples.is_empty() && self.archive.is_empty() {
            return Err(raised("no sample page given\n\nhint: give the address of one page of the kind you want"));
        }
        let mut source = SourceSettings { stop: stop.clone(), ..SourceSettings::default() };
        self.change_source(&mut source)?;
        let extraction = self.extraction()?;
        let mut site = Site::of_archives()
            .seed(self.seed)
            .source_settings(|own| *own = source)
            .discover_settings(|own| self.change_discover(own))
            .extract_settings(|own| *own = extraction);
        if let Some(budget) = self.budget {
            site = site.budget(budget);
        }
        Ok(samples.iter().cloned().fold(site, Site::sample))
    }

    /// How a run in the queue of a database is done.
    pub fn spec(&self) -> PyResult<RunSpec> {
        let (mut source, mut discover) = (SourceSettings::default(), discover::Settings::default());
        self.change_source(&mut source)?;
        self.change_discover(&mut discover);
        self.extraction()?; // What is wrong with it is told now.
        source
            .archives
            .iter_mut()
            .for_each(|path| *path = std::path::absolute(&*path).unwrap_or_else(|_| path.clone()));
        let of = RunSpec::of(&discover, &source);
        Ok(RunSpec {
            name: self.name.clone(),
            hidden: self.hidden.unwrap_or(of.hidden),
            domain: self.domain.clone(),
            examples: self.example.clone().into_iter().collect(),
            learn_from: self.learn_from,
            rename: self.rename.clone(),
            ..of
        })
    }
}
