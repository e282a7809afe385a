//! Which text of a page is the value of a slot? Voters, the places of a page → a leaf.
//!
//! - [`Ballot`]: the places of one page, ready to be asked. - [`elect`]: the leaf that most voters mean.

use super::class::Voter;
use super::leaves::Leaves;
use super::places::{self, Place};
use super::template::Template;
use rustc_hash::FxHashMap;

/// Where each place of a page is: its first leaf.
pub struct Ballot {
    first: FxHashMap<Place, u32>,
}

impl Ballot {
    pub fn new(page: &Leaves, template: &Template) -> Self {
        let mut first: FxHashMap<Place, u32> = FxHashMap::default();
        for held in places::places(page, template) {
            first.entry(held.place).and_modify(|leaf| *leaf = (*leaf).min(held.leaf)).or_insert(held.leaf);
        }
        Self { first }
    }

    /// The leaf with the most votes, and its share of all votes that could have been given.
    pub fn elect(&self, voters: &[Voter], accept: impl Fn(u32) -> bool) -> Option<(u32, f64)> {
        let mut votes: FxHashMap<u32, f64> = FxHashMap::default();
        let mut all = 0.0;
        for voter in voters {
            all += voter.weight;
            if let Some(leaf) = self.first.get(&voter.place).filter(|leaf| accept(**leaf)) {
                *votes.entry(*leaf).or_default() += voter.weight;
            }
        }
        let best = votes.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        Some((best.0, best.1 / all))
    }
}
