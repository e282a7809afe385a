//! Which text of a page is the value of a slot? Voters, the places of a page → a leaf.
//!
//! - [`Ballot`]: the places of one page, ready to be asked; [`Ballot::elect`]: the leaf that most voters mean.
//! - [`run`]: further values behind the first.

use super::class::Voter;
use super::leaves::Leaves;
use super::places::{self, Place};
use super::template::Template;
use rustc_hash::{FxHashMap, FxHashSet};

/// Values of a list that are read.
const LONGEST_RUN: usize = 30;

/// Where each place of a page is: its first leaf.
pub struct Ballot {
    first: FxHashMap<Place, u32>,
}

impl Ballot {
    /// Only the places that are needed.
    pub fn of(page: &Leaves, template: &Template, needed: &FxHashSet<Place>) -> Self {
        let mut first: FxHashMap<Place, u32> = FxHashMap::default();
        places::each(page, template, |held| {
            if needed.contains(&held.place) {
                first.entry(held.place).and_modify(|leaf| *leaf = (*leaf).min(held.leaf)).or_insert(held.leaf);
            }
        });
        Self { first }
    }

    /// The leaf with the most votes, and its share of all votes that could have been given.
    pub fn elect(&self, voters: &[Voter], accept: impl Fn(u32) -> bool) -> Option<(u32, f64)> {
        let mut votes: Vec<(u32, f64)> = Vec::new();
        let mut all = 0.0;
        for voter in voters {
            all += voter.weight;
            if let Some(leaf) = self.first.get(&voter.place).filter(|leaf| accept(**leaf)) {
                match votes.iter_mut().find(|(known, _)| known == leaf) {
                    Some((_, weight)) => *weight += voter.weight,
                    None => votes.push((*leaf, voter.weight)),
                }
            }
        }
        let best = votes.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        Some((best.0, best.1 / all))
    }
}

/// The texts of the same path behind a leaf with nothing but punctuation between them: genres, directors, lines of an address.
pub fn run(page: &Leaves, leaf: u32, template: &Template) -> Vec<u32> {
    let path = page.list[leaf as usize].path;
    let behind = (leaf as usize + 1..page.list.len()).filter(|&at| page.list[at].word != 0);
    let same = behind.take_while(|&at| page.list[at].path == path && !template.anchors.contains(&page.list[at].word));
    same.take(LONGEST_RUN).map(|at| at as u32).collect()
}
