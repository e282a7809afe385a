//! Which pages exist that no link reaches? Addresses of a site → templates → verified new pages.
//!
//! ```text
//! addresses ─► mine ─► Template ─► join (which are one?) ─► seek: learn, generate, ask, judge ─► Sought
//!                                                                 (look, empty, candidates)
//! ```
//!
//! - [`mine`]: templates from addresses alone. - [`short`]: from what pages name. - [`seek`]: asks the site. - [`soft_404`]: is this page empty?
//! - [`Template`]: addresses that differ in the id of the entity. - [`Sought`]: what became of one. - [`Found`]: a page.
//! - [`thesis`]: "Using URL Templates to Find Hidden Entity Pages" (2016), literally: the yardstick.
//!
//! Knows nothing of HTTP or files: pages come through `Pages`.

pub mod candidates;
mod join_templates;
pub mod mine;
mod probe;
pub mod seek;
mod short;
pub mod soft_404;
pub mod thesis;

use crate::page::Limits;
use crate::pages::Pages;
use serde::{Deserialize, Serialize};
use url::Url;

/// The id in a template, a text inside a path element, and any text at all.
pub const ID: &str = "{N}";
pub const TEXT_PART: &str = "{T}";
pub const ANY: &str = "{*}";

#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", parse_err_ty = Error, parse_err_fn = no_method)]
pub enum Method {
    /// Our own.
    #[default]
    Kin,
    /// The thesis, literally.
    #[serde(rename = "templates-2016")]
    #[strum(serialize = "templates-2016")]
    Templates2016,
}

fn no_method(name: &str) -> Error {
    Error::Method(name.to_owned())
}

#[derive(Debug, Clone)]
pub struct Settings {
    pub method: Method,
    /// Fewest ids that make a template. 10: the ground truth of 28 sites counts templates from there on; the thesis took 100,
    /// because below that its templates were poor.
    pub fewest: usize,
    /// Requests allowed for one site; none leaves it to what pays.
    pub budget: Option<usize>,
    /// Requests that a found page may cost, and that may be spent before one is found. 3 and 50 are what a site owner was
    /// assumed to put up with; learning how a template answers takes about 10 of the 50.
    pub price: f64,
    pub allowance: usize,
    /// Known pages that are read for the short addresses they name, where their own show no id. 200: as many as such a site has on
    /// one screen of its archive; a run reads its pages anyway, and takes more.
    pub known_pages: usize,
    pub seed: u64,
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            fewest: mine::FEWEST,
            budget: None,
            price: 3.0,
            allowance: 50,
            known_pages: 200,
            seed: 0,
            limits: Limits::default(),
        }
    }
}

/// Addresses that differ in the id of the entity, and in text that goes with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// `{N}` is the id, `{T}` text inside a path element, `{*}` any text.
    pub template: String,
    /// The ids of the list, sorted.
    pub known: Vec<u64>,
    /// Addresses of the list that follow it.
    pub addresses: usize,
    /// Digits of an id, when they are padded with zeros.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<usize>,
    /// 16 where ids are hexadecimal.
    #[serde(default = "decimal", skip_serializing_if = "is_decimal")]
    pub base: u32,
    /// Are the ids days, as in `20150701`?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dates: bool,
    /// An address as it was written, with the id as `{N}`: new addresses are made from it.
    pub fill: String,
    /// Other forms of the same addresses: parameters or text more or less.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<String>,
    /// The addresses, where the template does not show how all of them are written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub urls: Vec<String>,
    /// Some of the addresses with their ids, spread over the series.
    #[serde(skip)]
    pub samples: Vec<(u64, String)>,
}

fn decimal() -> u32 {
    10
}

fn is_decimal(base: &u32) -> bool {
    *base == 10
}

impl Template {
    /// The address of an id; none when it would not be one.
    pub fn address(&self, id: u64) -> Option<Url> {
        Url::parse(&self.fill.replacen(ID, &self.written(id), 1)).ok()
    }

    /// An id as it stands in addresses.
    pub fn written(&self, id: u64) -> String {
        let width = self.width.unwrap_or(0);
        if self.base == 16 { format!("{id:0width$x}") } else { format!("{id:0width$}") }
    }
}

/// A page that exists, and that no address of the list leads to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Where it answered, after redirects.
    pub url: Url,
    pub id: u64,
    /// In [0, 1].
    pub confidence: f64,
    /// How its id was come by, and why it is taken for a page.
    pub how: String,
    /// No page looked at has a link that leads to it. Else discovery missed it.
    pub unlinked: bool,
}

/// A page of which it cannot be told whether it exists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Undecided {
    pub url: Url,
    pub why: String,
}

/// What became of one template.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sought {
    #[serde(flatten)]
    pub template: Template,
    /// Ids asked for.
    pub tried: usize,
    /// Sorted by id.
    pub found: Vec<Found>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<Undecided>,
    /// What text beside the id, and what a missing id, is answered with; none where that was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<seek::TextBehaviour>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<soft_404::Missing>,
    /// Why no more ids were tried.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ended: String,
}

impl Sought {
    /// Before anything was asked.
    pub fn of(template: Template) -> Self {
        let (found, undecided) = (Vec::new(), Vec::new());
        Self { template, tried: 0, found, undecided, text: None, missing: None, ended: String::new() }
    }
}

/// How many templates there were after a step (the thesis' table 2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageCount {
    pub stage: String,
    pub count: usize,
}

/// What was found on one site.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Report {
    /// Those with most ids first.
    pub templates: Vec<Sought>,
    /// Templates that were left alone, and why. Those with most ids first.
    #[serde(default)]
    pub refused: Vec<mine::Refused>,
    pub stages: Vec<StageCount>,
    /// Everything asked: pages and the redirects on the way.
    pub requests: usize,
    pub stopped: Option<crate::site::Stop>,
}

impl Report {
    pub fn found(&self) -> usize {
        self.templates.iter().map(|sought| sought.found.len()).sum()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no method `{0}`\n\nhint: one of kin, templates-2016")]
    Method(String),
    #[error("there is no stage `{0}`\n\nhint: one of init, group, prefix, unused, final")]
    Stage(String),
}

/// Finds the pages of one site that follow the templates of its addresses.
pub async fn hidden<P: Pages>(pages: &P, urls: &[&str], settings: &Settings) -> Report {
    match settings.method {
        Method::Kin => seek::seek(pages, urls, settings).await,
        Method::Templates2016 => thesis::run(pages, urls, settings).await,
    }
}
