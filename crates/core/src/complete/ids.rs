//! Do the ids of the pages leave gaps? Addresses → the range that their numbers run over.
//!
//! - [`Ids`]: the first and the last number, and how many of those between are known. Only where nearly all addresses differ in one number.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use url::Url;

/// Addresses from which on, and the share of them that has to be of one form, numbers are ids.
const FEWEST: usize = 10;
const SHARE: f64 = 0.9;

/// Digits of an id at most; longer ones are hashes or times.
const DIGITS: usize = 9;

/// Share of the numbers of a range that has to be known before its gaps are worth a word.
const DENSE: f64 = 0.5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ids {
    pub first: u64,
    pub last: u64,
    /// Distinct numbers between them, both included.
    pub known: usize,
}

impl Ids {
    pub fn of<'u>(urls: impl IntoIterator<Item = &'u Url>) -> Option<Self> {
        let mut forms: FxHashMap<String, BTreeSet<u64>> = FxHashMap::default();
        let mut all = 0;
        for url in urls {
            all += 1;
            if let Some((form, id)) = numbered(url) {
                forms.entry(form).or_default().insert(id);
            }
        }
        let ids = forms.into_values().max_by_key(BTreeSet::len)?;
        let enough = ids.len() >= FEWEST && ids.len() as f64 >= SHARE * f64::from(all);
        enough.then_some(Self { first: *ids.first()?, last: *ids.last()?, known: ids.len() })
    }

    /// Numbers of the range.
    pub fn span(&self) -> u64 {
        self.last - self.first + 1
    }

    pub fn gaps(&self) -> u64 {
        self.span().saturating_sub(self.known as u64)
    }

    /// Is most of the range known?
    pub fn dense(&self) -> bool {
        self.known as f64 >= DENSE * self.span() as f64
    }
}

/// The address with its last number left out, and that number.
fn numbered(url: &Url) -> Option<(String, u64)> {
    let text = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = text[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    if end - start > DIGITS {
        return None;
    }
    let id = text[start..end].parse().ok()?;
    Some((format!("{}#{}", &text[..start], &text[end..]), id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(ids: impl Iterator<Item = u64>) -> Vec<Url> {
        ids.map(|id| Url::parse(&format!("http://s.org/item/{id}.html")).unwrap()).collect()
    }

    #[test]
    fn gaps_are_the_numbers_between() {
        let urls = urls((1..=100).filter(|id| id % 10 != 5));
        let ids = Ids::of(&urls).unwrap();
        assert_eq!((ids.first, ids.last, ids.known, ids.gaps()), (1, 100, 90, 10));
        assert!(ids.dense());
    }

    #[test]
    fn addresses_of_several_forms_have_no_range() {
        let mut mixed = urls(1..=20);
        mixed.extend((0..20).map(|at| Url::parse(&format!("http://s.org/{at}/name")).unwrap()));
        assert_eq!(Ids::of(&mixed), None);
        assert_eq!(Ids::of(&urls(1..=5)), None);
    }
}
