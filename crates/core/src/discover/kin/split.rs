//! Kin and others behind one shape of address: which smaller groups stand or fall together?
//!
//! By the place on the page their links stand in, by the first word of the last part, by the page that lists them; a split
//! counts when it parts the pages looked at better than before.

use super::Search;
use super::memory::{PlaceId, UrlId};
use super::verify::{Border, NEAR_TOGETHER_OF_MANY, Part};
use crate::discover::Signal;
use crate::pages::Pages;
use rustc_hash::FxHashMap;

impl<P: Pages> Search<'_, P> {
    pub(super) fn split(&self, part: &Part) -> Option<Vec<Part>> {
        if part.depth >= 3 {
            return None;
        }
        let rates = self.place_rates(part);
        let features: [&dyn Fn(UrlId) -> u64; 3] =
            [&|id| self.best_place(&rates, id), &|id| hash(self.memory.urls[id as usize].shape.prefix()), &|id| {
                self.memory.first(id).map_or(u64::MAX, |page| page as u64)
            }];
        let used = [self.uses(Signal::Places), true, self.uses(Signal::Lists)];
        features.iter().zip(used).filter(|(_, used)| *used).find_map(|(feature, _)| self.split_by(part, feature))
    }

    /// The looked-at pages of a part, by the page that listed them first; lists that hold a sample are left out.
    pub(super) fn foreign_lists(&self, part: &Part) -> Vec<Vec<usize>> {
        let mut lists: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for place in self.tally(part).near() {
            if let Some(lister) = self.memory.first(self.memory.looked[place].id) {
                lists.entry(lister).or_default().push(place);
            }
        }
        lists.retain(|&lister, _| {
            let page = &self.memory.looked[lister];
            !self.samples.contains(&page.id) && !page.links.iter().any(|(id, _)| self.samples.contains(id))
        });
        lists.into_values().collect()
    }

    /// In a cell of several kinds: split by lists when one of them, taken together, differs from the known kin.
    pub(super) fn split_foreign_lists(&self, part: &Part) -> Option<Vec<Part>> {
        if part.depth == 0 || self.kin.len() < 3 || !self.uses(Signal::Lists) {
            return None;
        }
        let foreign = self
            .foreign_lists(part)
            .iter()
            .any(|list| list.len() >= 2 && self.apart(list, Border::Type) > NEAR_TOGETHER_OF_MANY);
        let by_list = |id: UrlId| {
            let first = self.memory.first(id);
            let own = first.is_some_and(|lister| {
                let page = &self.memory.looked[lister];
                self.samples.contains(&page.id) || page.links.iter().any(|(id, _)| self.samples.contains(id))
            });
            if own { u64::MAX } else { first.map_or(u64::MAX, |page| page as u64) }
        };
        foreign.then(|| self.parts_by(part, &by_list)).filter(|parts| parts.len() > 1)
    }

    /// By the page that lists the members, when no list showed both kin and others.
    pub(super) fn split_lists(&self, part: &Part) -> Option<Vec<Part>> {
        if part.depth >= 3 || !self.uses(Signal::Lists) {
            return None;
        }
        let parts = self.split_by(part, &|id| self.memory.first(id).map_or(u64::MAX, |page| page as u64))?;
        let pure = parts.iter().all(|part| {
            let looks = self.tally(part);
            looks.near().is_empty() || looks.other.is_empty()
        });
        pure.then_some(parts)
    }

    fn parts_by(&self, part: &Part, feature: &dyn Fn(UrlId) -> u64) -> Vec<Part> {
        let mut groups: FxHashMap<u64, Vec<UrlId>> = FxHashMap::default();
        for &id in &part.members {
            groups.entry(feature(id)).or_default().push(id);
        }
        let mut parts: Vec<Part> = groups
            .into_values()
            .map(|members| {
                let agrees = part.agrees && self.samples.iter().any(|sample| members.contains(sample));
                Part { members, agrees, depth: part.depth + 1, prior: None }
            })
            .collect();
        parts.sort_by_key(|part| part.members[0]);
        parts
    }

    fn split_by(&self, part: &Part, feature: &dyn Fn(UrlId) -> u64) -> Option<Vec<Part>> {
        let mut parts = self.parts_by(part, feature);
        if parts.len() < 2 {
            return None;
        }
        let impurity = |part: &Part| {
            let looks = self.tally(part);
            looks.near().len().min(looks.other.len())
        };
        let after: usize = parts.iter().map(impurity).sum();
        if after >= impurity(part) {
            return None;
        }
        let (mut kin, mut looked) = (0.3, 1.0);
        for looks in parts.iter().filter(|part| !part.agrees).map(|part| self.tally(part)) {
            kin += looks.near().len() as f64;
            looked += (looks.near().len() + looks.other.len()) as f64;
        }
        for part in parts.iter_mut().filter(|part| !part.agrees) {
            part.prior = Some(kin / looked);
        }
        Some(parts)
    }

    /// Per place: looks at kin and at others that it is linked from.
    fn place_rates(&self, part: &Part) -> FxHashMap<PlaceId, (f64, f64)> {
        let mut rates: FxHashMap<PlaceId, (f64, f64)> = FxHashMap::default();
        let looks = self.tally(part);
        for (places, is_kin) in [(looks.near(), true), (looks.other, false)] {
            for place in places {
                for &at in &self.memory.urls[self.memory.looked[place].id as usize].places {
                    let rate = rates.entry(at).or_default();
                    if is_kin { rate.0 += 1.0 } else { rate.1 += 1.0 }
                }
            }
        }
        rates
    }

    /// Of the places an address is linked from, the one most given to kin.
    fn best_place(&self, rates: &FxHashMap<PlaceId, (f64, f64)>, id: UrlId) -> u64 {
        let rate = |at: &PlaceId| rates.get(at).map_or(0.3, |(kin, other)| (kin + 0.5) / (kin + other + 1.0));
        let places = &self.memory.urls[id as usize].places;
        places.iter().max_by(|a, b| rate(a).total_cmp(&rate(b)).then(b.cmp(a))).map_or(u64::MAX, |&at| at as u64)
    }
}

fn hash(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}
