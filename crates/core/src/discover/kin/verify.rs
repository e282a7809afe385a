//! Which look would settle most? Addresses that share form and place are judged alike; the more of them, and the more uncertain, the more a
//! look at one of them is worth.

use super::Search;
use super::nodes::NodeId;
use super::state::{Known, State, UrlId};
use crate::pages::Pages;
use rustc_hash::FxHashMap;

/// Errors that a look must be expected to prevent, at least, and for each page found.
const PRICE: f64 = 0.6;
const PRICE_A_PAGE: f64 = 0.004;

/// What stays open after a look that agrees with those before.
const AGREED: f64 = 0.35;

/// Looks that disagree after which half as much is expected of the next.
const MIXED: f64 = 4.0;

/// Pages beside the samples that are looked at to learn what the kind looks like, and looks after which that is given up.
const LEARNED: usize = 3;
const MOST_TO_LEARN: usize = 30;

/// Chance from which a page may teach what the kind looks like: one whose address has the form of a sample's, and any other.
const OWN_CHANCE: f64 = 0.1;
const LEARNED_CHANCE: f64 = 0.3;

/// Worth of a look that teaches what the kind looks like: more than any other.
const LEARNING: f64 = 1e6;

/// No chance is taken for more certain than this before it was looked at.
const LEAST_DOUBT: f64 = 0.02;

/// Pages of one group asked for in one go.
const AT_ONCE: usize = 3;

/// How many addresses answered.
#[derive(Default)]
pub(super) struct Alive {
    counts: FxHashMap<NodeId, (f64, f64)>,
}

impl Alive {
    pub fn note(&mut self, known: &Known, answered: bool) {
        let count = self.counts.entry(known.nodes[1]).or_default();
        if answered { count.0 += 1.0 } else { count.1 += 1.0 }
    }

    /// The share of those of its form, with a prior that nearly all answer.
    pub fn of(&self, known: &Known) -> f64 {
        let (alive, dead) = self.counts.get(&known.nodes[1]).copied().unwrap_or_default();
        (alive + 1.9) / (alive + dead + 2.0)
    }
}

/// Addresses that share form and place.
#[derive(Default)]
struct Group {
    open: Vec<UrlId>,
    chances: f64,
    wrong: f64,
    looked: Looks,
}

/// Looks at pages of one group, or of one form.
#[derive(Default, Clone, Copy)]
struct Looks {
    kin: f64,
    other: f64,
}

impl Looks {
    fn note(&mut self, chance: f64) {
        self.kin += chance;
        self.other += 1.0 - chance;
    }

    /// How much of what is open a further look would settle: little after several that agree, more where they do not.
    fn left(&self, elsewhere: &Looks) -> f64 {
        let (kin, other) =
            (self.kin + 0.5 * (elsewhere.kin - self.kin), self.other + 0.5 * (elsewhere.other - self.other));
        let (more, less) = (kin.max(other), kin.min(other));
        let mixed = (less - 0.5).max(0.0);
        AGREED.powf(more - less).max(mixed / (more + mixed + 1.0) / (1.0 + mixed / MIXED))
    }
}

impl<P: Pages> Search<'_, P> {
    /// The looks that would settle most, and their worth relative to the price of a download; none when nothing is worth it.
    pub(super) fn best_verification(&self) -> Option<(f64, Vec<UrlId>)> {
        let (mut groups, mut forms) = self.groups();
        let price = PRICE.max(PRICE_A_PAGE * self.found() as f64);
        let mut best: Option<(f64, f64, &Group)> = None;
        let early = self.state.looked.len() < MOST_TO_LEARN;
        let learning = early && self.reference.len() < self.samples.len() + LEARNED;
        // The form of a sample's address is all that the user said of the kind; what else looks like the sample must not speak first.
        let own_forms: Vec<NodeId> = self.samples.iter().map(|&id| self.state.cell(id)).collect();
        let learning_own = early && self.looks_at(&own_forms) < LEARNED;
        for ((form, _), group) in groups.iter_mut().filter(|(_, group)| !group.open.is_empty()) {
            let elsewhere = forms.entry(*form).or_default();
            let worth = group.wrong * group.looked.left(elsewhere) / price;
            let chance = group.chances / group.open.len() as f64;
            let own = own_forms.contains(form);
            let new = group.looked.kin + group.looked.other < LEARNED as f64;
            // What the kind looks like is learned from the pages most likely of it.
            let order = match (learning_own && own && chance >= OWN_CHANCE, learning && chance >= LEARNED_CHANCE) {
                (true, _) if new => LEARNING * (2.0 + chance),
                (_, true) if new => LEARNING * (1.0 + chance),
                _ => worth,
            };
            if worth < 1.0 && order == worth {
                continue;
            }
            if best
                .as_ref()
                .is_none_or(|(than, _, other)| order > *than || order == *than && group.open[0] < other.open[0])
            {
                best = Some((order, order.max(1.0), group));
            }
        }
        let (_, worth, group) = best?;
        let most = if worth >= LEARNING { LEARNED } else { (worth as usize).clamp(1, AT_ONCE) };
        Some((worth, spread(&group.open, most)))
    }

    /// Looks at addresses of these forms, the samples aside.
    fn looks_at(&self, forms: &[NodeId]) -> usize {
        let looked = self.state.looked.iter().map(|page| page.id).filter(|id| !self.samples.contains(id));
        looked.filter(|&id| forms.contains(&self.state.cell(id))).count()
    }

    fn groups(&self) -> (FxHashMap<(NodeId, u32), Group>, FxHashMap<NodeId, Looks>) {
        let mut groups: FxHashMap<(NodeId, u32), Group> = FxHashMap::default();
        let mut forms: FxHashMap<NodeId, Looks> = FxHashMap::default();
        for id in 0..self.state.urls.len() as UrlId {
            let known = &self.state.urls[id as usize];
            let Some(&place) = known.places.first() else { continue };
            let (cell, chance) = (self.state.cell(id), f64::from(self.chance[id as usize]));
            match self.state.states[id as usize] {
                State::Unseen if !self.is_variant(id) => {
                    let group = groups.entry((cell, place)).or_default();
                    group.chances += chance;
                    group.wrong += chance.min(1.0 - chance).max(LEAST_DOUBT);
                    group.open.push(id);
                }
                State::Looked(_) => {
                    groups.entry((cell, place)).or_default().looked.note(chance);
                    forms.entry(cell).or_default().note(chance);
                }
                // It showed nothing: what is left of its like will not either.
                State::Skipped => groups.entry((cell, place)).or_default().looked.note(0.0),
                _ => {}
            }
        }
        (groups, forms)
    }
}

/// So many of them, evenly spread.
fn spread(from: &[UrlId], most: usize) -> Vec<UrlId> {
    let most = most.min(from.len());
    (0..most).map(|at| from[(2 * at + 1) * from.len() / (2 * most)]).collect()
}
