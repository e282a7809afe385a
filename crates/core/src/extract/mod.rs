//! What does the page say? Pages of one class, and a domain file, or examples, or nothing → records.
//!
//! ```text
//! documents ─► leaves ─► template ─► places ─► class (candidates) ─┬─ roles, title ─► choose ──┐
//!                                                                  ├─ example ───────────────► ├─► wrapper ─► scan, apply ─► records
//!                                                                  └─ interest, naming ──────► ┘
//! document, domain ─► sse (the published method, one page at a time) ─► records
//! ```
//!
//! - [`learn`]: pages → [`Wrapper`]. - [`Applied`]: a wrapper ready for use. - [`sse`]: DE-SSE. - [`domain`]: what is looked for.
//! - [`Record`]: one row: values, each with its evidence. - [`Method`]: ours, or the published one.
//!
//! Follows the DE-SSE paper in [`sse`]; the rest is our own. Constants "set by hand" were chosen while looking at single failures on
//! SWDE; none was searched for, and what each is worth was not measured. Knows nothing of files, archives, or how pages were grouped.

pub mod apply;
pub mod batch;
pub mod choose;
pub mod class;
pub mod domain;
pub mod drift;
pub mod example;
pub mod interest;
pub mod learn;
pub mod leaves;
pub mod naming;
pub mod places;
pub mod roles;
pub mod scan;
pub mod slot;
pub mod sse;
pub mod structured;
pub mod tables;
pub mod template;
pub mod title;
pub mod value;
pub mod wrapper;

pub use apply::Applied;
pub use domain::Domain;
pub use example::Example;
pub use learn::{Wanted, learn};
pub use wrapper::Wrapper;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use url::Url;
use value::Typed;

/// One row: what one page says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub url: Url,
    /// Name of the class of pages it was read as.
    pub class: String,
    pub attributes: BTreeMap<String, Vec<String>>,
    /// Of each attribute.
    pub evidence: BTreeMap<String, Evidence>,
}

/// Where a value comes from, and how sure it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// `html/body/div#main/h1`; of structured data, its key.
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// `label`, `type`, `title`, `class`, `example`, `place`, `table`, `data` or `de-sse`.
    pub source: String,
    /// 0 to 1.
    pub confidence: f64,
    /// The whole text node of the first value.
    pub raw: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub typed: Option<Typed>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Learned from the pages of a class.
    #[default]
    Learned,
    DeSse,
}

impl Method {
    pub const ALL: [Self; 2] = [Self::Learned, Self::DeSse];

    pub fn name(self) -> &'static str {
        match self {
            Self::Learned => "learned",
            Self::DeSse => "de-sse",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|method| method.name() == name);
        known.ok_or_else(|| format!("there is no method `{name}`\n\nhint: learned or de-sse"))
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no page to learn from\n\nhint: give addresses of pages, or an archive that holds some")]
    NoPages,
    #[error(
        "the example `{name}={value}` stands on no page\n\nhint: copy the value from the page as it is shown there"
    )]
    NoExample { name: String, value: String },
    #[error("the wrapper is of version {0}, and this program reads version {known}\n\nhint: learn it again", known = wrapper::VERSION)]
    WrapperVersion(u32),
    #[error("it is not a wrapper: {0}\n\nhint: give a file that `pagekin extract --wrapper FILE` wrote")]
    NotWrapper(String),
    #[error("de-sse needs a domain file\n\nhint: `--domain domains/book.toml`")]
    NoDomain,
}
