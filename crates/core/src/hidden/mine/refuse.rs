//! Why is a series of addresses left alone? A template that was refused, with the reason.
//!
//! - [`Refused`]: the template. - [`Refusal`]: why.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Addresses that look like a template, and are not asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub template: String,
    /// Different ids in the list.
    pub known: usize,
    pub reason: Refusal,
}

/// With the word that says so, where a word does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// Asking does something, or opens a form that does.
    Acts(String),
    /// The page belongs to one visitor.
    Visitor(String),
    /// It leads away, or is a part or another form of a page.
    NoPage(String),
    /// The number counts pages, days or rows.
    Counts(String),
    /// The host serves parts of pages.
    Host(String),
    /// The number says how or when a visitor came, not which page is meant.
    Visit,
    /// The number is part of a name: most names of the folder have none.
    Name,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Acts(word) => write!(f, "asking does something: `{word}`"),
            Self::Visitor(word) => write!(f, "belongs to one visitor: `{word}`"),
            Self::NoPage(word) => write!(f, "no page of the site: `{word}`"),
            Self::Counts(word) => write!(f, "the number counts: `{word}`"),
            Self::Host(host) => write!(f, "the host serves parts of pages: `{host}`"),
            Self::Visit => f.write_str("the number is a visit's, not a page's"),
            Self::Name => f.write_str("the number is part of a name"),
        }
    }
}
