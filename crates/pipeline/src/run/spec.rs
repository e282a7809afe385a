//! How is a run done? Everything that whoever takes it from the queue needs, as JSON.
//!
//! - [`RunSpec`]: methods, what is looked for, how politely, what it is held against. Paths are those of the machine that queued it.

use super::checking::CheckSpec;
use crate::privacy::Privacy;
use crate::rendering::RenderSettings;
use crate::{Error, ExtractSettings, SourceSettings};
use pagekin_core::discover::{self, Method, Which};
use pagekin_core::extract::{self, Example, domain, sse};
use pagekin_core::hidden;
use pagekin_core::page::Notation;
use pagekin_core::page::address::ScopeKind;
use pagekin_fetch::{Ceilings, Stop};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// What a run that was queued by an earlier version does not name is at its default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSpec {
    /// What the class is called; else named after its addresses.
    pub name: Option<String>,
    pub method: Method,
    /// Of the published methods: height of the tree of index pages, least similarity, notation of link-paths.
    pub height: usize,
    pub threshold: f64,
    pub notation: Notation,
    pub scope: ScopeKind,
    /// Pages to look at while discovering.
    pub budget: Option<usize>,
    /// Share of the pages that is to be found, as far as kin can tell.
    pub until: Option<f64>,
    pub not: Vec<Url>,
    /// Which of the nested answers is meant.
    pub rung: Which,
    /// Look for pages that no link reaches.
    pub hidden: bool,
    pub hidden_settings: HiddenSettings,
    /// Read records from the pages.
    pub extract: bool,
    /// Discover again what is known already.
    pub anew: bool,
    /// On a refresh ask every known page again, on condition that it changed.
    pub recheck: bool,
    /// Text of a domain file.
    pub domain: Option<String>,
    /// Values on the first sample.
    pub examples: Vec<(String, String)>,
    pub extract_method: extract::Method,
    /// Pages of a class that are learned from at most; none is the default.
    pub learn_from: Option<usize>,
    /// Names that a person gave to columns, by the name they had.
    pub rename: BTreeMap<String, String>,
    /// What the records are held against.
    pub check: Option<CheckSpec>,
    /// What of people is not kept, and what is not shown.
    pub privacy: Privacy,
    /// A time-stamp authority that says when the pages were there.
    pub timestamp: Option<Url>,
    pub seed: u64,
    /// Instead of the network.
    pub archives: Vec<PathBuf>,
    /// Where the files are that an index among them names.
    pub archive_base: Option<String>,
    pub delay: Option<Duration>,
    pub concurrency: usize,
    pub timeout: Duration,
    pub max_bytes: usize,
    pub user_agent: String,
    pub allow_private: bool,
    pub ignore_nofollow: bool,
    pub ceilings: Ceilings,
    pub render: RenderSettings,
    pub resolve: Vec<(String, SocketAddr)>,
}

impl Default for RunSpec {
    fn default() -> Self {
        let (discover, source) = (discover::Settings::default(), SourceSettings::default());
        Self::of(&discover, &source)
    }
}

impl RunSpec {
    /// As the settings say; what is not in them at its default.
    pub fn of(discover: &discover::Settings, source: &SourceSettings) -> Self {
        Self {
            name: None,
            method: discover.method,
            height: discover.height,
            threshold: discover.threshold,
            notation: discover.notation,
            scope: discover.scope,
            budget: discover.budget,
            until: discover.until,
            not: discover.not.clone(),
            rung: discover.rung,
            hidden: !source.archives.is_empty(),
            hidden_settings: HiddenSettings::default(),
            extract: true,
            anew: false,
            recheck: false,
            domain: None,
            examples: Vec::new(),
            extract_method: extract::Method::default(),
            learn_from: None,
            rename: BTreeMap::new(),
            check: None,
            privacy: Privacy::default(),
            timestamp: None,
            seed: discover.seed,
            archives: source.archives.clone(),
            archive_base: source.archive_base.clone(),
            delay: source.delay,
            concurrency: source.concurrency,
            timeout: source.timeout,
            max_bytes: source.max_bytes,
            user_agent: source.user_agent.clone(),
            allow_private: source.allow_private,
            ignore_nofollow: source.ignore_nofollow,
            ceilings: source.ceilings,
            render: source.render.clone(),
            resolve: source.resolve.clone(),
        }
    }

    pub fn json(&self) -> Result<serde_json::Value, Error> {
        serde_json::to_value(self).map_err(Error::NotSpec)
    }

    pub fn parse(value: &serde_json::Value) -> Result<Self, Error> {
        serde_json::from_value(value.clone()).map_err(Error::NotSpec)
    }

    pub(super) fn discover(&self) -> discover::Settings {
        discover::Settings {
            method: self.method,
            height: self.height,
            threshold: self.threshold,
            notation: self.notation,
            scope: self.scope,
            budget: self.budget,
            until: self.until,
            not: self.not.clone(),
            rung: self.rung,
            seed: self.seed,
            ..discover::Settings::default()
        }
    }

    pub(super) fn hidden(&self) -> hidden::Settings {
        // Pages are read for their records anyway.
        hidden::Settings { seed: self.seed, known_pages: 5000, ..self.hidden_settings.settings() }
    }

    pub(super) fn extraction(&self) -> Result<ExtractSettings, Error> {
        let domain = self.domain.as_deref().map(domain::parse).transpose().map_err(|troubles| {
            Error::Domain(troubles.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        })?;
        let built_in = ExtractSettings::default();
        let example = |(name, value): &(String, String)| Example { name: name.clone(), value: value.clone() };
        Ok(ExtractSettings {
            method: self.extract_method,
            domain,
            examples: self.examples.iter().map(example).collect(),
            sse: sse::Settings::default(),
            seed: self.seed,
            rename: self.rename.clone(),
            learn_from: self.learn_from.unwrap_or(built_in.learn_from),
            ..built_in
        })
    }

    pub(super) fn source(&self, stop: Stop) -> SourceSettings {
        SourceSettings {
            archives: self.archives.clone(),
            archive_base: self.archive_base.clone(),
            delay: self.delay,
            concurrency: self.concurrency,
            timeout: self.timeout,
            max_bytes: self.max_bytes,
            user_agent: self.user_agent.clone(),
            allow_private: self.allow_private,
            ignore_nofollow: self.ignore_nofollow,
            scope: self.scope,
            ceilings: self.ceilings,
            render: self.render.clone(),
            resolve: self.resolve.clone(),
            seed: self.seed,
            stop,
            ..SourceSettings::default()
        }
    }
}

/// What may be set of the search for hidden pages, in a queue, a file and on the command line. What is not set is at its default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HiddenSettings {
    pub method: Option<hidden::Method>,
    pub fewest: Option<usize>,
    pub budget: Option<usize>,
    pub price: Option<usize>,
    pub allowance: Option<usize>,
}

impl HiddenSettings {
    /// What is set here, else what is set there.
    pub fn or(&self, other: &Self) -> Self {
        Self {
            method: self.method.or(other.method),
            fewest: self.fewest.or(other.fewest),
            budget: self.budget.or(other.budget),
            price: self.price.or(other.price),
            allowance: self.allowance.or(other.allowance),
        }
    }

    pub fn settings(&self) -> hidden::Settings {
        let built_in = hidden::Settings::default();
        hidden::Settings {
            method: self.method.unwrap_or(built_in.method),
            fewest: self.fewest.unwrap_or(built_in.fewest),
            budget: self.budget,
            price: self.price.map_or(built_in.price, |price| price as f64),
            allowance: self.allowance.unwrap_or(built_in.allowance),
            ..built_in
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_queued_can_be_read_again() {
        let spec =
            RunSpec { name: Some("drivers".to_owned()), delay: Some(Duration::from_millis(250)), ..RunSpec::default() };
        assert_eq!(RunSpec::parse(&spec.json().unwrap()).unwrap(), spec);
        let mut old = spec.json().unwrap();
        assert!(old.as_object_mut().unwrap().remove("check").is_some());
        assert_eq!(RunSpec::parse(&old).unwrap(), spec, "queued before there were checks");
        assert!(RunSpec::parse(&serde_json::json!({"method": "magic"})).is_err());
    }

    #[test]
    fn what_the_methods_go_by_is_queued_with_the_run() {
        let (notation, rung) = (Notation::Tag, Which::Narrower);
        let discover = discover::Settings { height: 3, threshold: 0.6, notation, rung, ..Default::default() };
        let spec = RunSpec::of(&discover, &SourceSettings::default());
        let queued = RunSpec::parse(&spec.json().unwrap()).unwrap().discover();
        assert_eq!((queued.height, queued.threshold, queued.notation, queued.rung), (3, 0.6, notation, rung));
        let hidden_settings = HiddenSettings { fewest: Some(4), ..Default::default() };
        assert_eq!(RunSpec { hidden_settings, ..spec }.hidden().fewest, 4);
    }
}
