//! Which pages are new, gone or changed since the last run? What was learned, and the index pages asked again → changes.
//!
//! - [`Learned`]: what a run knows of the site, plain data. - [`learn`]: makes it from a [`Discovery`].
//! - [`refresh`]: asks the index pages again, and further pages of their lists. - [`Refresh`]: what is new, gone,
//!   changed or kept, and what is now known.
//!
//! A page is taken for new on the word of the place its link stands in and of its address; it is not looked at. Knows
//! nothing of files, nor of conditional requests: those are behind [`Pages`].

mod address;
mod index_page;
mod learn;
mod lists;
mod recheck;

pub use learn::learn;

use super::{Discovery, Method, Settings};
use crate::page::Notation;
use crate::page::address::ScopeKind;
use crate::pages::{Pages, Skipped};
use crate::site::Stop;
use recheck::Recheck;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use url::Url;

/// Of the form of [`Learned`]; raised when an older program could not read it.
pub const VERSION: u32 = 1;

/// What a run learned of a site: enough to ask again without searching again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    pub version: u32,
    /// Scheme, host and port of the first sample.
    pub site: String,
    pub scope: ScopeKind,
    pub method: Method,
    pub samples: Vec<Url>,
    /// Whether the method came to its end; else there may be pages that it had not found yet.
    pub complete: bool,
    /// Where on index pages the pages of the kind stand.
    pub places: Vec<Place>,
    /// Sorted by address.
    pub indexes: Vec<KnownIndex>,
    /// Sorted by address.
    pub entities: Vec<KnownEntity>,
    /// What stands in the same places under addresses of the same outline, and is not of the kind. Sorted.
    pub others: Vec<Url>,
    /// Further pages of lists that show nothing that other index pages do not. Sorted.
    pub passed: Vec<Url>,
}

/// A link-path, in TAG+CLASS; in TAG where classes name the single entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub notation: Notation,
    pub path: String,
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = |place: &Self| place.notation != Notation::Tag;
        self.path.cmp(&other.path).then(order(self).cmp(&order(other)))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A page that shows pages of the kind, or leads to one that does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownIndex {
    pub url: Url,
    /// By their number in [`Learned::places`]; none on a page that only leads to others.
    pub places: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownEntity {
    pub url: Url,
    /// The index page that shows it.
    pub via: Option<Url>,
    /// The words of its link there; none when no index page points to it under this address, so that its absence says
    /// nothing.
    pub text: Option<String>,
}

/// What became of the known pages, and what came to them. Every list is sorted by address.
#[derive(Debug, Clone, PartialEq)]
pub struct Refresh {
    pub new: Vec<KnownEntity>,
    /// Shown by no index page any more.
    pub gone: Vec<KnownEntity>,
    /// The words of the link on the index page are others.
    pub changed: Vec<KnownEntity>,
    pub kept: Vec<KnownEntity>,
    /// Kept only because some index page could not be looked at.
    pub unsure: usize,
    /// No index page shows any page of the kind: the site looks different now.
    pub blank: bool,
    /// Index pages that were not known.
    pub further: Vec<Url>,
    /// Further pages of lists left unasked, because they were more than a refresh may ask for.
    pub unfollowed: usize,
    /// Index pages that could not be looked at.
    pub skipped: Vec<Skipped>,
    /// Distinct pages whose content was looked at.
    pub downloads: usize,
    /// Set when it ended before all index pages were asked for.
    pub stopped: Option<Stop>,
    /// What is known now.
    pub learned: Learned,
}

/// Asks the index pages again. `settings` gives the budget and the limits; the site is the learned one.
pub async fn refresh<P: Pages>(pages: &P, learned: &Learned, settings: &Settings) -> Refresh {
    let mut again = Recheck::new(learned, settings);
    let mut asked: Vec<Url> = learned.indexes.iter().map(|index| index.url.clone()).collect();
    while !asked.is_empty() {
        again.look(pages, &asked).await;
        asked = again.further();
    }
    again.answer()
}

#[cfg(test)]
mod tests;
