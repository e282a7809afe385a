//! What is this page, judged by itself? Kin, of another kind, or not to be told from one page.
//!
//! While the kind is known from one or two pages, likeness to them decides, measured against pages asked for other reasons; from the
//! third on, what all kin have and the page lacks ([`super::kind::distance`]).

use super::Search;
use super::kind::{Counts, likeness, page_distance};
use super::memory::UrlId;
use super::sources::steps_above;
use crate::discover::Signal;
use crate::pages::Pages;
use rustc_hash::FxHashSet;

/// Distance up to which a single page is kin, and from which it is of another kind.
const NEAR: f64 = 0.25;
const FAR: f64 = 0.45;
/// Pages listed beside the sample that may stand in for it.
const PEERS: usize = 3;
/// What a page is, judged by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Kin,
    /// Neither near enough nor far enough: pages like it decide together.
    Unsure,
    Other,
}

impl<P: Pages> Search<'_, P> {
    /// Judges the pages looked at since the last time.
    pub(super) fn label_new(&mut self) {
        for place in self.labels.len()..self.memory.looked.len() {
            let label = self.label(place);
            self.set_label(place, label);
        }
        // What was judged by one or two pages is judged again when the kind is better known.
        let accepted = self.cell_words.iter().filter(|word| **word == Some(true)).count();
        if self.kin.len() >= self.relabel_at || accepted > self.accepted + self.accepted / 2 {
            self.relabel_at = self.kin.len().max(2) * 2;
            self.accepted = accepted;
            self.relabel();
        }
    }

    /// Before the search ends: what was judged by one or two pages of the kind, is judged by all there are. False when that
    /// changes nothing.
    pub(super) fn judged_again(&mut self) -> bool {
        let early: Vec<usize> = std::mem::take(&mut self.early);
        if self.kin.len() < 3 {
            return false;
        }
        let mut changed = false;
        for place in early {
            let label = self.label(place);
            if label != self.labels[place] {
                self.labels[place] = label;
                changed = true;
            }
        }
        if changed {
            self.others = (0..self.labels.len()).filter(|&place| self.labels[place] == Label::Other).collect();
            self.decide();
        }
        changed
    }

    fn relabel(&mut self) {
        let labels: Vec<Label> = (0..self.memory.looked.len()).map(|place| self.label(place)).collect();
        self.labels.clear();
        self.early.clear();
        self.others.clear();
        for (place, label) in labels.into_iter().enumerate() {
            self.set_label(place, label);
        }
    }

    fn set_label(&mut self, place: usize, label: Label) {
        self.labels.push(label);
        if self.kin.len() < 3 {
            self.early.push(place);
        }
        if label == Label::Other {
            self.others.push(place);
        }
    }

    /// The pages others are compared with: kin by themselves, in a cell that is trusted.
    pub(super) fn gather(&mut self, trusted: &FxHashSet<usize>) {
        let kin: Vec<usize> = (0..self.labels.len())
            .filter(|place| self.labels[*place] != Label::Other)
            .filter(|place| trusted.contains(place) || self.samples.contains(&self.memory.looked[*place].id))
            .collect();
        if kin != self.kin {
            self.kin_counts = Counts::of(kin.iter().map(|&place| &self.memory.looked[place].tokens));
            self.kin = kin;
        }
    }

    /// What is this one page, by itself?
    fn label(&self, place: usize) -> Label {
        let page = &self.memory.looked[place];
        if self.samples.contains(&page.id) {
            return Label::Kin;
        }
        if page.stub || self.kin.is_empty() || self.not.contains(&page.id) {
            return Label::Other;
        }
        if self.is_variant(page.id) {
            return Label::Unsure;
        }
        let candidate = self.candidate(self.cells.of_url[page.id as usize]);
        if self.lists_kin(place) {
            return Label::Other;
        }
        if self.kin.len() >= 3 {
            let apart = page_distance(&self.kin_counts, &page.tokens, &self.other_counts, &self.seen_counts);
            return match candidate {
                Some(agrees) if apart <= NEAR && (agrees || self.verified.contains(&page.id)) => Label::Kin,
                Some(_) if apart <= FAR => Label::Unsure,
                None if apart <= NEAR => Label::Unsure,
                _ => Label::Other,
            };
        }
        // A page that was asked for as a source is not kin until the kind is known.
        let Some(agrees) = candidate.filter(|_| self.verified.contains(&page.id)) else { return Label::Other };
        // Where lists show the sample, those that stand beside it come first.
        let beside = self.addresses_beside_samples();
        let agrees = agrees && (beside.is_empty() || beside.contains(&page.id));
        let alike = self.like_samples(place) >= self.likeness_needed(agrees);
        if alike || agrees && (self.stands_in(place) || self.nearest_is_own(place)) { Label::Kin } else { Label::Other }
    }

    /// Is it more like another page of the samples' own addresses than like any page of other addresses? The sample may be the odd one of
    /// its kind; pages of one folder mostly are of one kind.
    fn nearest_is_own(&self, place: usize) -> bool {
        let own = |at: usize| self.candidate(self.cells.of_url[self.memory.looked[at].id as usize]) == Some(true);
        let like =
            |at: usize| likeness(&self.memory.looked[place].tokens, &self.memory.looked[at].tokens, &self.other_counts);
        let (mut near, mut far) = (0.0f64, 0.0f64);
        for at in (0..self.memory.looked.len()).filter(|&at| at != place) {
            let nearest = if own(at) { &mut near } else { &mut far };
            *nearest = nearest.max(like(at));
        }
        near > far
    }

    /// Is it another address of a page that is kin, with parameters that change how it is shown?
    pub(super) fn is_variant(&self, id: UrlId) -> bool {
        self.memory.base(id).is_some_and(|base| {
            base != id
                && (self.samples.contains(&base)
                    || self.decisions.get(base as usize).is_some_and(|decision| decision.is_kin()))
        })
    }

    /// Does the page point to far more kin than known kin do? Then it is an index of them.
    fn lists_kin(&self, place: usize) -> bool {
        let shown = |place: usize| {
            let links = &self.memory.looked[place].links;
            links
                .iter()
                .filter(|(id, _)| self.decisions.get(*id as usize).is_some_and(|decision| decision.is_kin()))
                .count()
        };
        let usual = self.kin.iter().filter(|&&kin| kin != place).map(|&kin| shown(kin)).max().unwrap_or(0);
        shown(place) > 3 * usual + 8
    }

    /// How alike a page is to the most similar known kin.
    fn like_samples(&self, place: usize) -> f64 {
        let tokens = &self.memory.looked[place].tokens;
        self.kin
            .iter()
            .map(|&kin| likeness(&self.memory.looked[kin].tokens, tokens, &self.other_counts))
            .fold(0.0, f64::max)
    }

    /// While the kind is known from one or two pages: more alike than pages of other kinds are, and not much less than the best.
    fn likeness_needed(&self, agrees: bool) -> f64 {
        let of_others = self.surely_other().map(|other| self.like_samples(other)).fold(0.0, f64::max);
        let verified = (0..self.memory.looked.len())
            .filter(|&place| self.verified.contains(&self.memory.looked[place].id))
            .map(|place| self.like_samples(place));
        let best = verified.fold(0.0, f64::max);
        if agrees { (0.5 * best).max(1.05 * of_others) } else { (0.8 * best).max(1.2 * of_others).max(0.6) }
    }

    /// Pages that cannot be kin, however little is known of the kind: those above a sample, those that list many addresses like
    /// a sample's, and what the user says.
    fn surely_other(&self) -> impl Iterator<Item = usize> {
        let above = |id: UrlId, sample: &UrlId| {
            let (shape, below) = (&self.memory.urls[id as usize].shape, &self.memory.urls[*sample as usize].shape);
            steps_above(shape, below).is_some()
        };
        let usual = self.kin.iter().map(|&kin| self.own_links(kin)).max().unwrap_or(0);
        self.others.iter().copied().filter(move |&other| {
            let id = self.memory.looked[other].id;
            self.not.contains(&id)
                || self.samples.iter().any(|sample| above(id, sample))
                || self.own_links(other) > 3 * usual + 8
        })
    }

    /// Addresses like a sample's that a page points to.
    fn own_links(&self, place: usize) -> usize {
        let own =
            |id: UrlId| self.cells.of_url.get(id as usize).is_some_and(|&cell| self.candidate(cell) == Some(true));
        self.memory.looked[place].links.iter().filter(|(id, _)| own(*id)).count()
    }

    /// The sample may be the odd one of its kind. When none of several pages listed beside it is like it, and those are
    /// like one another, then they tell what the kind looks like.
    fn stands_in(&self, place: usize) -> bool {
        let peers = if self.uses(Signal::StandIns) { self.listed_beside_samples() } else { Vec::new() };
        if peers.len() < PEERS || !peers.contains(&place) {
            return false;
        }
        let needed = self.likeness_needed(true);
        if peers.iter().any(|&peer| self.like_samples(peer) >= needed) {
            return false;
        }
        let like = |a: usize, b: usize| {
            likeness(&self.memory.looked[a].tokens, &self.memory.looked[b].tokens, &self.other_counts)
        };
        let to_peers = peers.iter().filter(|&&peer| peer != place).map(|&peer| like(place, peer)).fold(1.0, f64::min);
        let to_others = self.surely_other().map(|other| like(place, other)).fold(0.0, f64::max);
        to_peers > 1.05 * to_others
    }

    /// Looked-at pages of the samples' own cells that stand in the same place of the same page as a sample.
    fn listed_beside_samples(&self) -> Vec<usize> {
        let beside = self.addresses_beside_samples();
        (0..self.memory.looked.len())
            .filter(|&place| {
                let id = self.memory.looked[place].id;
                beside.contains(&id) && self.verified.contains(&id)
            })
            .collect()
    }

    /// Addresses of the samples' own cells that some page lists in the same place as a sample.
    fn addresses_beside_samples(&self) -> FxHashSet<UrlId> {
        let own = |id: UrlId| self.candidate(self.cells.of_url[id as usize]) == Some(true);
        let mut beside: FxHashSet<UrlId> = FxHashSet::default();
        for page in &self.memory.looked {
            for &(_, at) in page.links.iter().filter(|(id, _)| self.samples.contains(id)) {
                beside.extend(page.links.iter().filter(|(id, place)| *place == at && own(*id)).map(|(id, _)| *id));
            }
        }
        beside.retain(|id| !self.samples.contains(id));
        beside
    }
}
