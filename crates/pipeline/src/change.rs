//! What became of each page? [`Refresh`] → rows, sorted by address.
//!
//! - [`Change`]: one row. - [`Kind`]: what became of it. - [`Changes`]: how many of each.

use pagekin_core::discover::refresh::{KnownEntity, Refresh};
use serde::Serialize;
use url::Url;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    pub url: Url,
    pub change: Kind,
    /// The index page that shows it; of one that is gone, the one that did.
    pub via: Option<Url>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    New,
    Gone,
    Changed,
    Kept,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Gone => "gone",
            Self::Changed => "changed",
            Self::Kept => "kept",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Changes {
    pub new: usize,
    pub gone: usize,
    pub changed: usize,
    pub kept: usize,
}

impl Changes {
    pub fn of(refresh: &Refresh) -> Self {
        let Refresh { new, gone, changed, kept, .. } = refresh;
        Self { new: new.len(), gone: gone.len(), changed: changed.len(), kept: kept.len() }
    }
}

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
