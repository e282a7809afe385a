//! Which classes of pages does the site have, and how do they link? Entry page → [`SiteModel`].
//!
//! - [`model`]: explores a site from its entry page by one [`Method`]. - [`BatchModel`]: makes a model of pages that are already
//!   there, one by one. - [`Classifier`]: which class of a model is this page? - [`SiteModel`], [`Class`], [`ClassLink`]: the answer.
//! - [`mdl`]: the published method, literally (Crescenzi, Merialdo, Missier: Clustering Web pages based on their structure, 2005).
//! - [`survey`]: ours. How pages become classes: [`view`] → [`path_generalisation`] (patterns of addresses) → [`groups`] (one template, one
//!   pattern) → [`merge`] (classes) → [`class_links`], [`naming`], [`assemble`].
//!
//! Knows nothing of HTTP, archives or printing: pages come through [`Pages`].

mod assemble;
pub mod batch_model;
mod class_links;
pub mod classify;
pub mod counts;
pub mod estimate;
pub mod groups;
pub mod mdl;
pub mod merge;
mod naming;
mod page_words;
pub mod path_generalisation;
pub mod pattern;
mod signature;
pub mod survey;
pub mod view;

pub use batch_model::BatchModel;
pub use classify::{Classified, Classifier};
pub use estimate::Completeness;
pub use signature::Signature;

use crate::page::address::{Scope, ScopeKind};
use crate::page::{Limits, Notation};
use crate::pages::Pages;
use crate::site::{SITE_ADDRESS_BYTES, SiteSettings, Stop};
use pattern::Pattern;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use url::Url;

/// The version of the written form; raised when a reader of the old one would be wrong.
pub const VERSION: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Our own.
    #[default]
    Survey,
    /// The algorithm of 2005: link-paths, minimum description length.
    #[serde(rename = "mdl-2005")]
    Mdl2005,
}

impl Method {
    pub const ALL: [Method; 2] = [Method::Survey, Method::Mdl2005];

    pub fn name(self) -> &'static str {
        match self {
            Self::Survey => "survey",
            Self::Mdl2005 => "mdl-2005",
        }
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

#[derive(Debug, Clone)]
pub struct Settings {
    pub method: Method,
    /// mdl-2005: pages fetched of a link collection at most. The paper names it and gives no value; 3 is the least that
    /// shows groups of different size.
    pub n: usize,
    /// mdl-2005: groups of pages nearer than this are one candidate (section 3.1: 0.2 by experiment).
    pub dt: f64,
    /// mdl-2005: which link collection goes first (section 3.3).
    pub order: mdl::Order,
    /// mdl-2005: what a step of a link-path consists of. The paper takes names and values of attributes, and its link
    /// collections share them: so not those that name the target. Class tokens are what is left of layout and presentation.
    pub notation: Notation,
    pub scope: ScopeKind,
    /// Pages looked at at most; none lets the method decide.
    pub budget: Option<usize>,
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            n: 3,
            dt: 0.2,
            order: mdl::Order::default(),
            notation: Notation::TagClass,
            scope: ScopeKind::default(),
            budget: None,
            limits: Limits::default(),
        }
    }
}

impl Settings {
    fn site(&self, start: &Url) -> SiteSettings {
        let scope = Scope::new(self.scope, start);
        let (notation, limits, budget) = (self.notation, self.limits, self.budget);
        SiteSettings { scope, notation, limits, budget, address_bytes: SITE_ADDRESS_BYTES }
    }
}

pub type ClassId = u32;

/// The classes of a site and the links among them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteModel {
    pub version: u32,
    /// The entry page, or what was modelled.
    pub site: String,
    pub method: Method,
    /// Of link-paths in `schema`.
    pub notation: Notation,
    /// Pages whose content was looked at.
    pub looked: usize,
    /// Distinct addresses known.
    pub addresses: usize,
    /// Of these, those whose class is not known.
    pub unassigned: usize,
    pub completeness: Completeness,
    /// Set when the run ended before the method was done.
    pub stopped: Option<Stop>,
    /// The largest first.
    pub classes: Vec<Class>,
    /// By class, then by count.
    pub links: Vec<ClassLink>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// From 1.
    pub id: ClassId,
    pub name: String,
    /// Where the name comes from.
    pub named_by: NamedBy,
    pub role: Role,
    /// Known addresses of the class.
    pub size: usize,
    /// How many there are likely to be; none when what was seen does not tell, and `size` is the least.
    pub estimate: Option<usize>,
    /// Of the known addresses, in [0, 1].
    pub share: f64,
    /// Pages of it whose content was looked at.
    pub looked: usize,
    /// Patterns of their addresses, the most frequent first.
    pub patterns: Vec<Pattern>,
    /// Looked-at pages, spread over the class.
    pub samples: Vec<String>,
    /// Places (survey) or link-paths (mdl-2005) of links that pages of the class have.
    pub schema: Vec<String>,
    /// Its known addresses, sorted.
    pub pages: Vec<String>,
    pub signature: Signature,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamedBy {
    SchemaOrg,
    Breadcrumb,
    Address,
    Title,
    Role,
}

/// What the pages of a class are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// They list pages of another class.
    Index,
    /// They are listed.
    Entity,
    Other,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Entity => "entity",
            Self::Other => "other",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassLink {
    pub from: ClassId,
    pub to: ClassId,
    pub path: String,
    /// Links of this kind on the pages looked at.
    pub count: usize,
    /// The same few targets on every page.
    pub menu: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "the entry page `{0}` cannot be looked at: {1}\n\nhint: open it in a browser; if the address moved, give the new one"
    )]
    Start(Url, String),
    #[error("there is no method `{0}`\n\nhint: one of survey, mdl-2005")]
    Method(String),
    #[error("there is no order `{0}`\n\nhint: one of densest, sparsest")]
    Order(String),
    #[error("there is no class `{id}` in the model\n\nhint: it has the classes 1 to {most}; see `name` and `id` in it")]
    NoClass { id: ClassId, most: usize },
}

/// Explores the site from its entry page.
pub async fn model<P: Pages>(pages: &P, start: &Url, settings: &Settings) -> Result<SiteModel, Error> {
    match settings.method {
        Method::Survey => survey::survey(pages, start, settings).await,
        Method::Mdl2005 => mdl::model(pages, start, settings).await,
    }
}

impl SiteModel {
    pub fn class(&self, id: ClassId) -> Result<&Class, Error> {
        let missing = Error::NoClass { id, most: self.classes.len() };
        self.classes.iter().find(|class| class.id == id).ok_or(missing)
    }
}
