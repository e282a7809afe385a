//! How many pages of the kind does the answer lack? The expected number, from what the search knows when it would end.
//!
//! Three sources add up: known addresses that were left out and may still be of the kind; further pages of lists that have shown some;
//! and links of a sort that nobody has followed yet, each worth what the first look at other sorts showed.

use super::Search;
use super::frontier::{ArmKey, Promise};
use super::state::{State, UrlId};
use crate::pages::Pages;
use rustc_hash::{FxHashMap, FxHashSet};

/// First looks that tell what a first look shows, the latest ones: the most promising come first, so early ones would say too much.
const FIRST_LOOKS: usize = 12;

impl<P: Pages> Search<'_, P> {
    /// Pages of the kind that the answer is expected to lack.
    pub(super) fn expected_missing(&self) -> f64 {
        self.left_out() + self.not_shown_yet()
    }

    /// Is more expected to be missing than the user accepts?
    pub(super) fn lacks_too_many(&self) -> bool {
        self.until.is_some_and(|until| self.expected_missing() > (1.0 - until) * self.found() as f64)
    }

    fn left_out(&self) -> f64 {
        let open = |id: &UrlId| self.state.unseen(*id) && !self.is_kin(*id) && !self.is_variant(*id);
        (0..self.state.urls.len() as UrlId).filter(open).map(|id| f64::from(self.chance[id as usize])).sum()
    }

    /// What pages that nobody asked for would show.
    fn not_shown_yet(&self) -> f64 {
        let yields = self.yields();
        let arms = self.arms(&yields);
        let (mut open, mut untried): (FxHashMap<ArmKey, usize>, FxHashSet<ArmKey>) = Default::default();
        for id in (0..self.state.urls.len() as UrlId).filter(|&id| self.state.unseen(id) && !self.is_variant(id)) {
            let series = self.series(id).map(ArmKey::Series).filter(|key| arms.contains_key(key));
            let [own, _, _] = self.arm_keys(id);
            match series.or_else(|| own.iter().copied().find(|key| arms.contains_key(key))) {
                Some(tried) => *open.entry(tried).or_default() += 1,
                None => untried.extend(own.first().copied()),
            }
        }
        let nothing = Promise { kin: 0.0, looks: 0.3 };
        let tried: f64 = open.iter().map(|(key, count)| arms[key].expected(nothing).min(1.0) * (*count as f64)).sum();
        tried + untried.len() as f64 * self.first_look(&yields)
    }

    /// What the first look at links of one sort showed of late, on average.
    fn first_look(&self, yields: &[f64]) -> f64 {
        let mut tried: FxHashSet<ArmKey> = FxHashSet::default();
        let mut shown: Vec<f64> = Vec::new();
        for &asked in &self.state.asked {
            let id = self.state.resolve(asked);
            let [own, _, _] = self.arm_keys(id);
            let first = !own.is_empty() && own.iter().all(|key| !tried.contains(key));
            tried.extend(own);
            if first {
                shown.push(match self.state.states[id as usize] {
                    State::Looked(page) => yields[page],
                    _ => 0.0,
                });
            }
        }
        let last = &shown[shown.len().saturating_sub(FIRST_LOOKS)..];
        last.iter().map(|shown| shown.min(1.0)).sum::<f64>() / (last.len() as f64 + 1.0)
    }
}
