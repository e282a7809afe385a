//! Which pages are of the same kind as this one? Sample page(s) → entity pages, index pages, evidence.
//!
//! - [`discover`]: runs one [`Method`]. - [`Discovery`]: the answer. - [`Settings`]: what a user may choose.
//! - [`ssup`] of 2014 and 2019, [`indesit`], [`gpp`]: the published methods, literally: the yardstick. - [`kin`]: ours.
//!
//! Knows nothing of HTTP, archives or printing: pages come through [`Pages`].

pub mod gpp;
pub mod indesit;
pub mod kin;
pub mod refresh;
pub mod signal;
pub mod ssup;

pub use signal::Signal;

use crate::complete::{Completeness, Evidence};
use crate::page::address::{Scope, ScopeKind};
use crate::page::{Limits, Notation};
use crate::pages::{Pages, Skipped};
use crate::site::{SITE_ADDRESS_BYTES, SiteSettings, Stop};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use url::Url;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Our own.
    #[default]
    Kin,
    /// SSUP as of 2014: one-hop index search, pagination.
    #[serde(rename = "ssup-2014")]
    Ssup2014,
    /// SSUP as of 2019: two-hop index search.
    #[serde(rename = "ssup-2019")]
    Ssup2019,
    /// The HTML-only baseline described in SSUP 2019.
    Indesit,
    /// The baseline of the SSUP papers that goes by drawn pages.
    Gpp,
}

impl Method {
    pub const ALL: [Method; 5] = [Method::Kin, Method::Ssup2014, Method::Ssup2019, Method::Indesit, Method::Gpp];

    pub fn name(self) -> &'static str {
        match self {
            Self::Kin => "kin",
            Self::Ssup2014 => "ssup-2014",
            Self::Ssup2019 => "ssup-2019",
            Self::Indesit => "indesit",
            Self::Gpp => "gpp",
        }
    }

    /// Does it look at drawn pages, and so need a browser?
    pub fn draws(self) -> bool {
        self == Self::Gpp
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| Error::Method(name.to_owned()))
    }
}

/// How pages of a kind are looked for. What is serialised is what a run in a queue is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub method: Method,
    /// SSUP's H, the estimated height of the entity tree. 5 suits every site of the paper (SSUP 2019 section 2).
    pub height: usize,
    /// INDESIT's T. 0.6 to 0.9 were the best published (SSUP 2019 5.2.2); 0.8 lies between.
    pub threshold: f64,
    /// INDESIT's link-path notation; TAG+AN was the best published.
    pub notation: Notation,
    /// GPP's K, the paths from the main page to the sample that are grown. 3 was the best published for two of three sets (SSUP 2019 5.2.3).
    pub rounds: usize,
    pub scope: ScopeKind,
    /// Downloads allowed; none is no limit.
    pub budget: Option<usize>,
    /// Share of the kind's pages that kin expects to have found before it ends; none: it ends when no page is worth its download.
    pub until: Option<f64>,
    /// Pages the user says are of another kind.
    pub not: Vec<Url>,
    /// Which rung of the ladder is the answer.
    pub rung: Which,
    /// Who may be asked about pages in doubt.
    #[serde(skip)]
    pub questions: Option<Questions>,
    /// What kin does not go by, in order to measure what it is worth.
    #[serde(skip)]
    pub without: Vec<Signal>,
    /// What was fitted for kin.
    #[serde(skip)]
    pub params: std::sync::Arc<kin::params::Params>,
    pub seed: u64,
    #[serde(skip)]
    pub limits: Limits,
    /// Bytes of addresses that are kept of the site.
    #[serde(skip)]
    pub address_bytes: usize,
    /// Pages come from a sample of the site: a refresh says of none that it is gone.
    #[serde(skip)]
    pub sampled: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            height: 5,
            threshold: 0.8,
            notation: Notation::TagAn,
            rounds: 3,
            scope: ScopeKind::default(),
            budget: None,
            until: None,
            not: Vec::new(),
            rung: Which::Default,
            questions: None,
            without: Vec::new(),
            params: kin::params::Params::fitted(),
            seed: 0,
            limits: Limits::default(),
            address_bytes: SITE_ADDRESS_BYTES,
            sampled: false,
        }
    }
}

impl Settings {
    /// SSUP compares TAG link-paths, as its examples write them; INDESIT those of the settings.
    pub(crate) fn site(&self, sample: &Url) -> SiteSettings {
        let notation = if self.method == Method::Indesit { self.notation } else { Notation::Tag };
        let (scope, address_bytes) = (Scope::new(self.scope, sample), self.address_bytes);
        SiteSettings { scope, notation, limits: self.limits, budget: self.budget, address_bytes }
    }
}

/// Is the page of the kind? None when that is not known.
pub type Answer = std::sync::Arc<dyn Fn(&Url) -> Option<bool> + Send + Sync>;

/// Somebody who answers whether a page is of the kind.
#[derive(Clone)]
pub struct Questions {
    /// Asked at most.
    pub most: usize,
    /// None when they do not know.
    pub answer: Answer,
}

impl fmt::Debug for Questions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Questions").field("most", &self.most).finish_non_exhaustive()
    }
}

/// A rung of the ladder of nested answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// The one that looks and addresses speak for.
    #[default]
    Default,
    /// The next below it, above it.
    Narrower,
    Wider,
    /// By number, the widest is 0.
    Number(usize),
}

impl Which {
    /// The rung meant, of so many.
    pub fn of(self, default: usize, rungs: usize) -> usize {
        let last = rungs.saturating_sub(1);
        match self {
            Self::Default => default,
            Self::Narrower => default + 1,
            Self::Wider => default.saturating_sub(1),
            Self::Number(number) => number,
        }
        .min(last)
    }
}

/// What a method found, and why.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Discovery {
    pub method: Method,
    pub samples: Vec<Url>,
    /// Sorted by address; the samples among them.
    pub entities: Vec<Entity>,
    /// Sorted by level, then address; the root first.
    pub indexes: Vec<Index>,
    /// Pages judged and left out. Sorted by address.
    pub dropped: Vec<Dropped>,
    /// Pages that could not be looked at. Sorted by address.
    pub skipped: Vec<Skipped>,
    /// What the method did, step by step, for `--explain`.
    pub steps: Vec<Step>,
    /// Distinct pages whose content was looked at.
    pub downloads: usize,
    /// Distinct addresses seen in links.
    pub addresses: usize,
    /// The answer and its neighbours, from wide to narrow; empty for methods that have none.
    #[serde(default)]
    pub ladder: Vec<Rung>,
    /// The rung of the ladder that the entities are.
    #[serde(default)]
    pub rung: usize,
    /// How complete it is, and what that is judged by; none for methods that cannot tell.
    #[serde(default)]
    pub completeness: Option<Completeness>,
    #[serde(default)]
    pub evidence: Option<Evidence>,
    /// Set when the run ended before the method was done.
    pub stopped: Option<Stop>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    pub url: Url,
    /// In [0, 1].
    pub confidence: f64,
    /// The index page that points to it; none for a sample no index page was found of.
    pub via: Option<Url>,
    pub evidence: String,
}

/// One of several nested answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    pub name: String,
    pub pages: usize,
    /// Up to three.
    pub examples: Vec<Url>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Index {
    pub url: Url,
    /// 0 is the root of the entity tree.
    pub level: usize,
    /// The index page one level up that points to it.
    pub parent: Option<Url>,
    pub evidence: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    pub url: Url,
    pub why: String,
}

/// One step of the explanation: a heading and what was seen under it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub title: String,
    pub lines: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no sample page given\n\nhint: give the address of one page of the kind you want")]
    NoSample,
    #[error(
        "the sample page `{0}` cannot be looked at: {1}\n\nhint: open it in a browser; if the address moved, give the new one"
    )]
    Sample(Url, String),
    #[error("there is no method `{0}`\n\nhint: one of kin, ssup-2014, ssup-2019, indesit, gpp")]
    Method(String),
    #[error(
        "`gpp` goes by where things stand on drawn pages, and `{0}` could not be drawn: {1}\n\n\
         hint: it needs Chromium (`apt-get install chromium`) and `--render auto`; as root also `--render-no-sandbox`"
    )]
    NotDrawn(Url, String),
    #[error("there is no signal `{0}`\n\nhint: `pagekin eval discovery --help` lists them")]
    Signal(String),
}

/// Finds all pages of the samples' kind.
pub async fn discover<P: Pages>(pages: &P, samples: &[Url], settings: &Settings) -> Result<Discovery, Error> {
    let first = samples.first().ok_or(Error::NoSample)?;
    let site = settings.site(first);
    match settings.method {
        Method::Kin => kin::discover(pages, samples, settings, site).await,
        Method::Ssup2014 | Method::Ssup2019 => ssup::discover(pages, samples, settings, site).await,
        Method::Indesit => indesit::discover(pages, samples, settings, site).await,
        Method::Gpp => gpp::discover(pages, samples, settings, site).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rung_is_one_of_the_ladder() {
        assert_eq!(Which::Default.of(1, 3), 1);
        assert_eq!((Which::Narrower.of(2, 3), Which::Wider.of(0, 3)), (2, 0));
        assert_eq!((Which::Narrower.of(0, 3), Which::Wider.of(2, 3)), (1, 1));
        assert_eq!((Which::Number(9).of(0, 3), Which::Number(0).of(2, 0)), (2, 0));
    }
}
