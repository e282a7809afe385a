//! How is a run done? Everything that whoever takes it from the queue needs, as JSON.
//!
//! - [`RunSpec`]: methods, what is looked for, how politely, what it is held against. Paths are those of the machine that queued it.

use super::checking::CheckSpec;
use crate::{Error, ExtractSettings, SourceSettings};
use pagekin_core::discover::{self, Method};
use pagekin_core::extract::{self, Example, domain, sse};
use pagekin_core::hidden;
use pagekin_core::page::address::ScopeKind;
use pagekin_fetch::{Ceilings, Stop};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// What the class is called; else named after its addresses.
    pub name: Option<String>,
    pub method: Method,
    pub scope: ScopeKind,
    /// Pages to look at while discovering.
    pub budget: Option<usize>,
    pub not: Vec<Url>,
    /// Look for pages that no link reaches.
    pub hidden: bool,
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
    /// Names that a person gave to columns, by the name they had.
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
    /// What the records are held against. Runs that were queued before there was this have none.
    #[serde(default)]
    pub check: Option<CheckSpec>,
    pub seed: u64,
    /// Instead of the network.
    pub archives: Vec<PathBuf>,
    pub delay: Duration,
    pub concurrency: usize,
    pub timeout: Duration,
    pub max_bytes: usize,
    pub user_agent: String,
    pub allow_private: bool,
    #[serde(default)]
    pub ignore_nofollow: bool,
    #[serde(default)]
    pub ceilings: Ceilings,
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
            scope: discover.scope,
            budget: discover.budget,
            not: discover.not.clone(),
            hidden: !source.archives.is_empty(),
            extract: true,
            anew: false,
            recheck: false,
            domain: None,
            examples: Vec::new(),
            extract_method: extract::Method::default(),
            rename: BTreeMap::new(),
            check: None,
            seed: discover.seed,
            archives: source.archives.clone(),
            delay: source.delay,
            concurrency: source.concurrency,
            timeout: source.timeout,
            max_bytes: source.max_bytes,
            user_agent: source.user_agent.clone(),
            allow_private: source.allow_private,
            ignore_nofollow: source.ignore_nofollow,
            ceilings: source.ceilings,
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
            scope: self.scope,
            budget: self.budget,
            not: self.not.clone(),
            seed: self.seed,
            ..discover::Settings::default()
        }
    }

    pub(super) fn hidden(&self) -> hidden::Settings {
        // Pages are read for their records anyway.
        hidden::Settings { seed: self.seed, known_pages: 5000, ..hidden::Settings::default() }
    }

    pub(super) fn extraction(&self) -> Result<ExtractSettings, Error> {
        let domain = self.domain.as_deref().map(domain::parse).transpose().map_err(|troubles| {
            Error::Domain(troubles.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        })?;
        let example = |(name, value): &(String, String)| Example { name: name.clone(), value: value.clone() };
        Ok(ExtractSettings {
            method: self.extract_method,
            domain,
            examples: self.examples.iter().map(example).collect(),
            sse: sse::Settings::default(),
            seed: self.seed,
            rename: self.rename.clone(),
            ..ExtractSettings::default()
        })
    }

    pub(super) fn source(&self, stop: Stop) -> SourceSettings {
        SourceSettings {
            archives: self.archives.clone(),
            delay: self.delay,
            concurrency: self.concurrency,
            timeout: self.timeout,
            max_bytes: self.max_bytes,
            user_agent: self.user_agent.clone(),
            allow_private: self.allow_private,
            ignore_nofollow: self.ignore_nofollow,
            scope: self.scope,
            ceilings: self.ceilings,
            resolve: self.resolve.clone(),
            seed: self.seed,
            stop,
            ..SourceSettings::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_queued_can_be_read_again() {
        let spec =
            RunSpec { name: Some("drivers".to_owned()), delay: Duration::from_millis(250), ..RunSpec::default() };
        assert_eq!(RunSpec::parse(&spec.json().unwrap()).unwrap(), spec);
        let mut old = spec.json().unwrap();
        assert!(old.as_object_mut().unwrap().remove("check").is_some());
        assert_eq!(RunSpec::parse(&old).unwrap(), spec, "queued before there were checks");
        assert!(RunSpec::parse(&serde_json::json!({"method": "magic"})).is_err());
    }
}
