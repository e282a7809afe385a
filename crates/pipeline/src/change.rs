//! What became of each page? [`Refresh`] → rows, sorted by address.
//!
//! - [`Change`]: one row. - [`Kind`]: what became of it. - [`Changes`]: how many of each.

use pagekin_core::discover::refresh::{KnownEntity, Refresh};
use serde::Serialize;
use url::Url;

/// What became of one page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The page.
    pub url: Url,
    /// What became of it.
    pub change: Kind,
    /// The index page that shows it; of one that is gone, the one that did.
    pub via: Option<Url>,
}

/// What became of a page since the last run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It was not there.
    New,
    /// It is not there any more.
    Gone,
    /// Its index page says something else of it.
    Changed,
    /// As it was.
    Kept,
}

impl Kind {
    /// As rows name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Gone => "gone",
            Self::Changed => "changed",
            Self::Kept => "kept",
        }
    }
}

/// How many pages of each kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// New ones.
    pub new: usize,
    /// Those that are gone.
    pub gone: usize,
    /// Those that changed.
    pub changed: usize,
    /// Those that are as they were.
    pub kept: usize,
}

impl Changes {
    /// Counts a refresh.
    pub fn of(refresh: &Refresh) -> Self {
        let Refresh { new, gone, changed, kept, .. } = refresh;
        Self { new: new.len(), gone: gone.len(), changed: changed.len(), kept: kept.len() }
    }
}

/// The pages of a refresh, sorted by address.
pub fn rows(refresh: &Refresh) -> Vec<Change> {
    let of = |entities: &[KnownEntity], change: Kind| -> Vec<Change> {
        entities.iter().map(|one| Change { url: one.url.clone(), change, via: one.via.clone() }).collect()
    };
    let mut rows = of(&refresh.new, Kind::New);
    rows.extend(of(&refresh.gone, Kind::Gone));
    rows.extend(of(&refresh.changed, Kind::Changed));
    rows.extend(of(&refresh.kept, Kind::Kept));
    rows.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
    rows
}
