//! How is a run done? Everything that whoever takes it from the queue needs, as JSON.
//!
//! - [`RunSpec`]: methods, what is looked for, how politely, what it is held against. Programs, files and addresses to post to stand in it by
//!   name at most: [`Local`](super::Local) knows what is behind the names.

use super::checking::CheckSpec;
use super::local::{label, labels, path_labels};
use crate::privacy::Privacy;
use crate::{Error, ExtractSettings, SourceSettings};
use pagekin_core::discover;
use pagekin_core::expect::Expectations;
use pagekin_core::extract::{self, Example, domain, sse};
use pagekin_core::hidden;
use pagekin_fetch::Stop;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a run that was queued by an earlier version does not name is at its default.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSpec {
    /// What the class is called; else named after its addresses.
    pub name: Option<String>,
    /// How pages are found.
    #[serde(flatten)]
    pub discover: discover::Settings,
    /// Its scope and seed are those of the discovery.
    #[serde(flatten)]
    pub source: SourceSettings,
    /// Names of the archives that pages come from; none asks the live site.
    pub archives: Vec<String>,
    /// Look for pages that no link reaches.
    pub hidden: bool,
    /// How they are looked for.
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
    /// How records are read.
    pub extract_method: extract::Method,
    /// Pages of a class that are learned from at most; none is the default.
    pub learn_from: Option<usize>,
    /// Names that a person gave to columns, by the name they had.
    pub rename: BTreeMap<String, String>,
    /// What the records are held against.
    pub check: Option<CheckSpec>,
    /// What the data set is expected to be.
    pub expect: Expectations,
    /// What of people is not kept, and what is not shown.
    pub privacy: Privacy,
    /// Name of a time-stamp authority that says when the pages were there.
    pub timestamp: Option<String>,
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
            discover: discover.clone(),
            source: source.clone(),
            archives: path_labels(&source.archives),
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
            expect: Expectations::default(),
            privacy: Privacy::default(),
            timestamp: None,
        }
    }

    /// As a queue keeps it.
    pub fn json(&self) -> Result<serde_json::Value, Error> {
        serde_json::to_value(self).map_err(Error::NotSpec)
    }

    /// From what a queue kept. Earlier versions kept places, of which the names are left.
    pub fn parse(value: &serde_json::Value) -> Result<Self, Error> {
        let mut spec: Self = serde_json::from_value(value.clone()).map_err(Error::NotSpec)?;
        spec.archives = labels(spec.archives.iter().map(String::as_str));
        spec.timestamp = spec.timestamp.as_deref().map(label);
        spec.privacy.key_file = None;
        if let Some(check) = &mut spec.check {
            check.reference = label(&check.reference);
            check.reports = labels(check.reports.iter().map(String::as_str));
        }
        Ok(spec)
    }

    pub(super) fn hidden(&self) -> hidden::Settings {
        // Pages are read for their records anyway.
        hidden::Settings { seed: self.discover.seed, known_pages: 5000, ..self.hidden_settings.settings() }
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
            seed: self.discover.seed,
            rename: self.rename.clone(),
            learn_from: self.learn_from.unwrap_or(built_in.learn_from),
            ..built_in
        })
    }

    pub(super) fn source(&self, stop: Stop) -> SourceSettings {
        SourceSettings { scope: self.discover.scope, seed: self.discover.seed, stop, ..self.source.clone() }
    }
}

/// What may be set of the search for hidden pages, in a queue, a file and on the command line. What is not set is at its default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HiddenSettings {
    /// Which method.
    pub method: Option<hidden::Method>,
    /// Fewest ids of a template.
    pub fewest: Option<usize>,
    /// Pages of a site asked for at most.
    pub budget: Option<usize>,
    /// Requests that a page found may cost.
    pub price: Option<usize>,
    /// Requests that may be spent beside those.
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

    /// What is not set is at its default.
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
    use pagekin_core::discover::Which;
    use pagekin_core::page::Notation;
    use std::time::Duration;

    #[test]
    fn what_is_queued_can_be_read_again() {
        let source = SourceSettings { delay: Some(Duration::from_millis(250)), ..SourceSettings::default() };
        let spec = RunSpec { name: Some("drivers".to_owned()), source, ..RunSpec::default() };
        let queued = spec.json().unwrap();
        assert_eq!(RunSpec::parse(&queued).unwrap().json().unwrap(), queued);
        let mut old = queued.clone();
        for key in ["check", "render", "until"] {
            assert!(old.as_object_mut().unwrap().remove(key).is_some(), "`{key}` stands beside the others");
        }
        assert_eq!(RunSpec::parse(&old).unwrap().json().unwrap(), queued, "queued by an earlier version");
        assert!(RunSpec::parse(&serde_json::json!({"method": "magic"})).is_err());
    }

    /// Whoever can write to the database can write these.
    #[test]
    fn a_queue_holds_no_place_and_no_program() {
        let resolve = vec![("s.example".to_owned(), "127.0.0.1:80".parse().unwrap())];
        let mut source = SourceSettings { allow_private: true, resolve, ..SourceSettings::default() };
        source.archives = vec!["/srv/secret/a.warc.gz".into()];
        source.archive_base = Some("/srv/secret".to_owned());
        (source.render.program, source.render.no_sandbox) = (Some("/srv/secret/sh".into()), true);
        let mut spec = RunSpec::of(&discover::Settings::default(), &source);
        spec.privacy.key_file = Some("/srv/secret/key".into());
        let queued = spec.json().unwrap();
        assert!(!queued.to_string().contains("secret"), "{queued}");
        let mut tampered = queued.as_object().unwrap().clone();
        let old = serde_json::json!({
            "archives": ["/srv/secret/a.warc.gz"], "archive_base": "/srv", "allow_private": true,
            "resolve": [["s.example", "127.0.0.1:80"]], "timestamp": "https://t.example/secret",
            "render": {"mode": "always", "program": "/bin/sh", "no_sandbox": true},
            "privacy": {"hash": ["email"], "key_file": "/etc/passwd"},
            "check": {"rules": "", "reference": "postgres://ann:secret@h/d?table=t", "reports": ["/srv/secret/a.html"]},
        });
        tampered.extend(old.as_object().unwrap().clone());
        let read = RunSpec::parse(&tampered.into()).unwrap();
        assert_eq!((read.archives, read.timestamp.as_deref()), (vec!["a.warc.gz".to_owned()], Some("t.example")));
        let source = read.source;
        assert_eq!((source.archives, source.archive_base, source.resolve), (Vec::new(), None, Vec::new()));
        assert_eq!((source.render.program, source.render.no_sandbox, source.allow_private), (None, false, false));
        assert_eq!(read.privacy.key_file, None);
        let check = read.check.unwrap();
        assert_eq!((check.reference.as_str(), check.reports), ("h.t", vec!["a.html".to_owned()]));
    }

    #[test]
    fn what_the_methods_go_by_is_queued_with_the_run() {
        let (notation, rung) = (Notation::Tag, Which::Narrower);
        let discover =
            discover::Settings { height: 3, threshold: 0.6, notation, rounds: 2, rung, ..Default::default() };
        let spec = RunSpec::of(&discover, &SourceSettings::default());
        let queued = RunSpec::parse(&spec.json().unwrap()).unwrap().discover;
        assert_eq!((queued.height, queued.threshold, queued.notation, queued.rung), (3, 0.6, notation, rung));
        assert_eq!(queued.rounds, 2);
        let hidden_settings = HiddenSettings { fewest: Some(4), ..Default::default() };
        assert_eq!(RunSpec { hidden_settings, ..spec }.hidden().fewest, 4);
    }
}
