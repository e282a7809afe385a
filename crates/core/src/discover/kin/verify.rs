//! Which addresses are kin without being looked at? A cell is decided by a few of its pages.
//!
//! A few looks at pages spread over the cell: all kin, and the cell is taken; none, and it is left; some, and it is split by the place
//! its links stand in, by the first word of the last part, by the page that lists them, and each part is decided alike.

use super::cells::CellId;
use super::kind::{Counts, distance};
use super::memory::{PlaceId, State, UrlId};
use super::{NEAR_ELSEWHERE, Search};
use crate::pages::Pages;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is thought of an address.
#[derive(Debug, Clone, Copy, Default)]
pub struct Decision {
    /// Probability of being kin.
    pub likely: f32,
    pub reason: Why,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Why {
    #[default]
    Unrelated,
    Looked,
    Verified,
    SiblingCells,
    Unverified,
    Rejected,
    Variant,
    SameNameRejected,
}

impl Decision {
    pub fn is_kin(self) -> bool {
        self.likely >= 0.5
    }

    pub fn why(self) -> &'static str {
        match self.reason {
            Why::Unrelated => "an address of another shape",
            Why::Looked => "looked at",
            Why::Verified => "verified by looks at other pages of its cell",
            Why::SiblingCells => "cells that differ in one folder were verified",
            Why::Unverified => "not verified",
            Why::Rejected => "other pages of its cell are of another kind",
            Why::Variant => "another address of a page already found",
            Why::SameNameRejected => "pages of this name are of another kind",
        }
    }

    fn new(likely: f64, reason: Why) -> Self {
        Self { likely: likely as f32, reason }
    }
}

/// Looks that a cell gets at most before the majority decides.
const MOST_LOOKS: usize = 12;

/// Lists that must show only kin before further lists of the same place are trusted.
const TESTED_LISTS: usize = 4;

/// A part of a cell, on the way to a decision.
struct Part {
    members: Vec<UrlId>,
    agrees: bool,
    depth: usize,
    /// How likely its pages are kin before any of them is looked at; none for a whole cell.
    prior: Option<f64>,
}

enum Verdict {
    All(Decision),
    /// Look at these first; the probability meanwhile.
    Look(Vec<UrlId>, f64),
    Split(Vec<Part>),
}

impl<P: Pages> Search<'_, P> {
    /// The pages to look at next in order to verify; empty when all that matters is decided.
    pub(super) fn wanted_looks(&mut self) -> Vec<UrlId> {
        let found = self.decisions.iter().filter(|decision| decision.is_kin()).count();
        let price = (found as f64 * 0.004).max(0.9);
        let mut wanted: Vec<(f64, Vec<UrlId>)> = Vec::new();
        for cell in 0..self.cells.cells.len() as CellId {
            self.walk(cell, &mut |search, part, verdict| {
                if let Verdict::Look(urls, likely) = verdict {
                    if !part.agrees && search.others.len() < 3 && search.memory.looked.len() < 12 {
                        return;
                    }
                    if !part.agrees && search.kin.len() < 3 && !(search.own_cell_is_looked_at() && search.memory.looked.len() >= 6) {
                        return;
                    }
                    let open = part.members.iter().filter(|&&id| search.memory.unseen(id)).count() as f64;
                    let worth = if part.agrees { open } else { open * likely };
                    if worth >= price {
                        wanted.push((worth, urls.clone()));
                    }
                }
            });
        }
        wanted.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        wanted.into_iter().next().map_or(Vec::new(), |(_, urls)| urls)
    }

    fn own_cell_is_looked_at(&self) -> bool {
        self.samples.iter().all(|&sample| {
            self.cells.cells[self.cells.of_url[sample as usize] as usize].members.iter().all(|&id| !self.memory.unseen(id))
        })
    }

    /// Decides all addresses from the labels there are.
    pub(super) fn decide(&mut self) {
        self.listed_with_kin = self.cells_listed_with_kin();
        self.on_kin_list = self.on_kin_lists();
        self.cell_words = vec![None; self.cells.cells.len()];
        self.cell_words = (0..self.cells.cells.len() as CellId).map(|cell| self.own_word(cell)).collect();
        let mut decisions = vec![Decision::default(); self.memory.urls.len()];
        let mut trusted: FxHashSet<usize> = FxHashSet::default();
        for cell in 0..self.cells.cells.len() as CellId {
            self.walk(cell, &mut |search, part, verdict| {
                let decision = match verdict {
                    Verdict::All(decision) => *decision,
                    Verdict::Look(_, likely) => Decision::new(*likely, Why::Unverified),
                    Verdict::Split(_) => return,
                };
                let accepted = part.agrees || matches!(verdict, Verdict::All(decision) if decision.is_kin());
                for &id in &part.members {
                    decisions[id as usize] = decision;
                    if let (true, State::Looked(place)) = (accepted, search.memory.urls[id as usize].state) {
                        trusted.insert(place);
                    }
                }
            });
        }
        self.overrule(&mut decisions);
        self.decisions = decisions;
        self.gather(&trusted);
    }

    /// What is known of single addresses goes before what is thought of their cell.
    fn overrule(&self, decisions: &mut [Decision]) {
        let rejected = self.rejected_names();
        for (id, known) in self.memory.urls.iter().enumerate() {
            let to = self.memory.resolve(id as UrlId);
            match self.memory.urls[to as usize].state {
                State::Looked(place) => {
                    let kin = if self.labels[place] { decisions[id].likely.max(0.9) } else { 0.0 };
                    let doubted = self.labels[place] && decisions[to as usize].reason == Why::Rejected;
                    decisions[id] = Decision { likely: if doubted { 0.0 } else { kin }, reason: Why::Looked };
                }
                State::Skipped => decisions[id] = Decision::new(0.0, Why::Looked),
                _ if decisions[id].is_kin() && rejected.contains(&known.name) => {
                    decisions[id] = Decision::new(0.0, Why::SameNameRejected);
                }
                _ => {}
            }
        }
        for &sample in &self.samples {
            decisions[sample as usize] = Decision::new(1.0, Why::Looked);
        }
    }

    /// Last parts that several pages of another kind have and no kin: `package-summary.html`.
    fn rejected_names(&self) -> FxHashSet<u64> {
        let known = |place: &usize| &self.memory.urls[self.memory.looked[*place].id as usize];
        let mut times: FxHashMap<u64, usize> = FxHashMap::default();
        for known in self.others.iter().map(known).filter(|known| !known.shape.last.is_empty() && known.shape.parameters.is_empty()) {
            *times.entry(known.name).or_default() += 1;
        }
        for place in &self.kin {
            times.remove(&known(place).name);
        }
        times.into_iter().filter(|(_, times)| *times >= 2).map(|(name, _)| name).collect()
    }

    fn walk(&self, cell: CellId, visit: &mut impl FnMut(&Self, &Part, &Verdict)) {
        let Some(agrees) = self.candidate(cell) else { return };
        let members = self.cells.cells[cell as usize].members.clone();
        let mut parts = vec![Part { members, agrees, depth: 0, prior: None }];
        while let Some(part) = parts.pop() {
            let verdict = self.verdict(cell, &part);
            visit(self, &part, &verdict);
            if let Verdict::Split(smaller) = verdict {
                parts.extend(smaller);
            }
        }
    }

    /// Could this cell hold kin, and does its address agree with theirs? None when it is out of the question.
    pub(super) fn candidate(&self, cell: CellId) -> Option<bool> {
        let mut possible = None;
        for &sample in &self.samples {
            let own = self.cells.of_url[sample as usize];
            if own == cell {
                return Some(true);
            }
            let (a, b) = (&self.cells.cells[own as usize], &self.cells.cells[cell as usize]);
            if a.outline == b.outline && (a.folders == b.folders || a.form == b.form) {
                possible = Some(false);
            }
        }
        if possible.is_none() && self.listed_with_kin.get(cell as usize) == Some(&true) {
            possible = Some(false);
        }
        possible
    }

    /// Per address: does it stand on a page in the same place as several pages known to be kin? A list holds things of one kind.
    fn on_kin_lists(&self) -> Vec<bool> {
        let mut looked: FxHashMap<(usize, PlaceId), (u32, u32)> = FxHashMap::default();
        let kin: FxHashSet<UrlId> = self.kin.iter().map(|&place| self.memory.looked[place].id).collect();
        for (page, from) in self.memory.looked.iter().enumerate().filter(|(page, _)| self.labels.get(*page) == Some(&false)) {
            for &(target, place) in &from.links {
                if kin.contains(&target) {
                    looked.entry((page, place)).or_default().0 += 1;
                } else if !self.memory.unseen(target) {
                    looked.entry((page, place)).or_default().1 += 1;
                }
            }
        }
        let mut listed = vec![false; self.memory.urls.len()];
        for (page, from) in self.memory.looked.iter().enumerate() {
            for &(target, place) in &from.links {
                listed[target as usize] |= looked.get(&(page, place)).is_some_and(|&(kin, other)| kin >= 2 && kin >= 4 * other);
            }
        }
        listed
    }

    /// Was a page of this cell found to be of another kind?
    pub(super) fn is_mixed(&self, cell: CellId) -> bool {
        self.cells.cells[cell as usize].members.iter().any(|id| match self.memory.urls[*id as usize].state {
            State::Looked(place) => self.verified.contains(id) && self.labels.get(place) == Some(&false),
            _ => false,
        })
    }

    /// Per cell: do most of its addresses stand in places given to kin? Then they may be kin, whatever their shape.
    fn cells_listed_with_kin(&self) -> Vec<bool> {
        let mut at: Vec<(u32, u32)> = vec![(0, 0); self.memory.place_names.len()];
        for (id, known) in self.memory.urls.iter().enumerate() {
            let kin = self.decisions.get(id).is_some_and(|decision| decision.is_kin());
            for &place in &known.places {
                let count = &mut at[place as usize];
                if kin { count.0 += 1 } else { count.1 += 1 }
            }
        }
        let given = |id: &UrlId| {
            self.memory.urls[*id as usize].places.iter().any(|&place| {
                let (kin, other) = at[place as usize];
                kin >= 3 && kin * 3 >= other
            })
        };
        let extension = |id: UrlId| &self.memory.urls[id as usize].shape.extension;
        let cells = self.cells.cells.iter().map(|cell| {
            cell.members.len() >= 2
                && self.samples.iter().any(|&sample| extension(sample) == extension(cell.members[0]))
                && self.samples.iter().any(|&sample| self.memory.urls[sample as usize].shape.parameters.is_empty() == self.memory.urls[cell.members[0] as usize].shape.parameters.is_empty())
                && cell.members.iter().filter(|id| given(id)).count() * 2 > cell.members.len()
        });
        cells.collect()
    }

    fn verdict(&self, cell: CellId, part: &Part) -> Verdict {
        let (kin, other) = self.tally(part);
        let open: Vec<UrlId> = part.members.iter().copied().filter(|&id| self.memory.unseen(id)).collect();
        let prior = if part.agrees { 0.8 } else { self.sibling_rate(cell) };
        if open.is_empty() {
            return Verdict::All(Decision::new(if kin.len() > other.len() { 0.95 } else { 0.0 }, Why::Verified));
        }
        let prior = part.prior.unwrap_or(prior);
        if kin.is_empty() && other.is_empty() && !part.agrees && prior > 0.9 {
            return Verdict::All(Decision::new(0.9, Why::SiblingCells));
        }
        let enough = if part.agrees { if part.depth == 0 { 4 } else { 3 } } else if part.members.len() <= 4 { 1 } else { 3 };
        let beside = self.beside_samples(&open);
        if other.is_empty() && kin.len() >= enough.min(open.len() + kin.len()) {
            if let Some(looks) = self.looks_elsewhere(part, &open, &beside) {
                return Verdict::Look(looks, prior);
            }
            if let Some(look) = self.untested_list(part, &open) {
                return Verdict::Look(vec![look], prior);
            }
            if self.in_doubt(part, &kin) {
                return Verdict::Look(spread(&open, kin.len(), 1), prior);
            }
            return self.confirm(part, &kin);
        }
        if kin.is_empty() && (other.len() >= 2 || (!other.is_empty() && !part.agrees && part.members.len() < 5)) {
            return Verdict::All(Decision::new(0.02, Why::Rejected));
        }
        if !kin.is_empty() && !other.is_empty() {
            if let Some(parts) = self.split_lists(part) {
                return Verdict::Split(parts);
            }
            if kin.len() >= 4 * other.len() {
                return self.confirm(part, &kin);
            }
            if other.len() >= 4 * kin.len() && part.depth >= 2 {
                return Verdict::All(Decision::new(0.1, Why::Rejected));
            }
            if let Some(parts) = self.split(part) {
                return Verdict::Split(parts);
            }
            if kin.len() + other.len() >= MOST_LOOKS {
                let share = kin.len() as f64 / (kin.len() + other.len()) as f64;
                return Verdict::All(Decision::new(share, Why::Verified));
            }
        }
        let looked = kin.len() + other.len();
        let from = if looked < 4 && !beside.is_empty() { &beside } else { &open };
        let first = looked <= 1;
        Verdict::Look(spread(from, looked, if first && part.agrees { 4 } else if first { 2 } else { 1 }), prior)
    }

    /// Those that are linked from a place a sample is linked from.
    fn beside_samples(&self, open: &[UrlId]) -> Vec<UrlId> {
        let places: FxHashSet<PlaceId> =
            self.samples.iter().flat_map(|&sample| self.memory.urls[sample as usize].places.iter().copied()).collect();
        let beside = |id: &UrlId| self.memory.urls[*id as usize].places.iter().any(|place| places.contains(place));
        open.iter().copied().filter(beside).collect()
    }

    /// What was looked at stands in the places of the samples; do the members elsewhere need looks of their own?
    fn looks_elsewhere(&self, part: &Part, open: &[UrlId], beside: &[UrlId]) -> Option<Vec<UrlId>> {
        let elsewhere: Vec<UrlId> = {
            let beside: FxHashSet<UrlId> = beside.iter().copied().collect();
            open.iter().copied().filter(|id| !beside.contains(id)).collect()
        };
        if !part.agrees || beside.is_empty() || elsewhere.len() < 3.max(part.members.len() / 10) {
            return None;
        }
        let looked = part.members.iter().filter(|id| self.verified.contains(id)).count();
        let looked_beside = {
            let seen: Vec<UrlId> = part.members.iter().copied().filter(|id| self.verified.contains(id)).collect();
            self.beside_samples(&seen).len()
        };
        let there = looked - looked_beside;
        (there < 2).then(|| spread(&elsewhere, there, 2 - there))
    }

    /// All looks said kin. Where the address differs from that of known kin, the pages together must not differ either.
    fn confirm(&self, part: &Part, kin: &[usize]) -> Verdict {
        let new = kin.iter().any(|place| !self.kin.contains(place));
        if !part.agrees && new && kin.len() >= 2 && self.kin.len() >= 2 && self.apart(kin) > NEAR_ELSEWHERE {
            return Verdict::All(Decision::new(0.0, Why::Rejected));
        }
        Verdict::All(Decision::new(0.95, Why::Verified))
    }

    /// A page that lists several members of which none was looked at, while few lists were tested: one of those members.
    fn untested_list(&self, part: &Part, open: &[UrlId]) -> Option<UrlId> {
        let lister = |id: &UrlId| self.memory.urls[*id as usize].first;
        let tested: FxHashSet<usize> = part.members.iter().filter(|id| !self.memory.unseen(**id)).filter_map(lister).collect();
        if tested.len() >= TESTED_LISTS {
            return None;
        }
        let mut untested: FxHashMap<usize, (usize, UrlId)> = FxHashMap::default();
        for &id in open {
            if let Some(page) = lister(&id).filter(|page| !tested.contains(page)) {
                let entry = untested.entry(page).or_insert((0, id));
                entry.0 += 1;
            }
        }
        let mut lists: Vec<(usize, UrlId)> = untested.into_values().filter(|(count, _)| *count >= 3).collect();
        lists.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        lists.first().map(|(_, id)| *id)
    }

    /// Too near the border to decide, and few pages yet?
    fn in_doubt(&self, part: &Part, kin: &[usize]) -> bool {
        let new = kin.iter().any(|place| !self.kin.contains(place));
        !part.agrees && new && (2..6).contains(&kin.len()) && (0.5 * NEAR_ELSEWHERE..2.0 * NEAR_ELSEWHERE).contains(&self.apart(kin))
    }

    /// The distance of these pages, taken together, from the known kin; worked out anew when the kin have doubled.
    fn apart(&self, pages: &[usize]) -> f64 {
        let mut known = self.apart.borrow_mut();
        if let Some(&(then, apart)) = known.get(pages) {
            if self.kin.len() < 2 * then {
                return apart;
            }
        }
        let here = Counts::of(pages.iter().map(|&place| &self.memory.looked[place].tokens));
        let apart = distance(&self.kin_counts, &here, &self.other_counts).total();
        if std::env::var("TRACE").is_ok() { let d = distance(&self.kin_counts, &here, &self.other_counts); eprintln!("     apart {:.2}+{:.2}={:.2} m={} A={} N={} e.g. {}", d.structure, d.labels, apart, pages.len(), self.kin.len(), self.others.len(), self.memory.urls[self.memory.looked[pages[0]].id as usize].url); }
        known.insert(pages.into(), (self.kin.len(), apart));
        apart
    }

    /// The looks that count for a part: kin, and those of another kind that were looked at to verify.
    fn tally(&self, part: &Part) -> (Vec<usize>, Vec<usize>) {
        let (mut kin, mut other) = (Vec::new(), Vec::new());
        for &id in &part.members {
            match self.memory.urls[id as usize].state {
                State::Looked(place) if self.labels[place] => kin.push(place),
                State::Looked(place) if self.verified.contains(&id) => other.push(place),
                _ => {}
            }
        }
        (kin, other)
    }

    /// How many of the decided cells that differ from this one in one folder are kin?
    fn sibling_rate(&self, cell: CellId) -> f64 {
        let (mut kin, mut other) = (0.0, 0.0);
        for (id, word) in self.cell_words.iter().enumerate().filter(|(_, word)| word.is_some()) {
            if id as CellId != cell && self.cells.siblings(id as CellId, cell) {
                if *word == Some(true) { kin += 1.0 } else { other += 1.0 }
            }
        }
        if other == 0.0 && kin >= 4.0 { 0.95 } else { (kin + 0.5) / (kin + other + 1.5) }
    }

    /// What the looks at a cell's own pages say of it; none where they say nothing yet.
    fn own_word(&self, cell: CellId) -> Option<bool> {
        let agrees = self.candidate(cell)?;
        let part = Part { members: self.cells.cells[cell as usize].members.clone(), agrees, depth: 0, prior: None };
        let (kin, other) = self.tally(&part);
        if kin.len() + other.len() == 0 {
            return None;
        }
        match self.verdict(cell, &part) {
            Verdict::All(decision) => Some(decision.is_kin()),
            _ => None,
        }
    }

    fn split(&self, part: &Part) -> Option<Vec<Part>> {
        if part.depth >= 3 {
            return None;
        }
        let rates = self.place_rates(part);
        let features: [&dyn Fn(UrlId) -> u64; 3] = [
            &|id| self.best_place(&rates, id),
            &|id| hash(self.memory.urls[id as usize].shape.prefix()),
            &|id| self.memory.urls[id as usize].first.map_or(u64::MAX, |page| page as u64),
        ];
        features.iter().find_map(|feature| self.split_by(part, feature))
    }

    /// By the page that lists the members, when no list showed both kin and others.
    fn split_lists(&self, part: &Part) -> Option<Vec<Part>> {
        if part.depth >= 3 {
            return None;
        }
        let parts = self.split_by(part, &|id| self.memory.urls[id as usize].first.map_or(u64::MAX, |page| page as u64))?;
        let pure = parts.iter().all(|part| {
            let (kin, other) = self.tally(part);
            kin.is_empty() || other.is_empty()
        });
        pure.then_some(parts)
    }

    fn split_by(&self, part: &Part, feature: &dyn Fn(UrlId) -> u64) -> Option<Vec<Part>> {
        let mut groups: FxHashMap<u64, Vec<UrlId>> = FxHashMap::default();
        for &id in &part.members {
            groups.entry(feature(id)).or_default().push(id);
        }
        if groups.len() < 2 {
            return None;
        }
        let mut parts: Vec<Part> = groups
            .into_values()
            .map(|members| {
                let agrees = part.agrees && self.samples.iter().any(|sample| members.contains(sample));
                Part { members, agrees, depth: part.depth + 1, prior: None }
            })
            .collect();
        parts.sort_by_key(|part| part.members[0]);
        let impurity = |part: &Part| {
            let (kin, other) = self.tally(part);
            kin.len().min(other.len())
        };
        let after: usize = parts.iter().map(impurity).sum();
        if after >= impurity(part) {
            return None;
        }
        let (mut kin, mut looked) = (0.3, 1.0);
        for (k, o) in parts.iter().filter(|part| !part.agrees).map(|part| self.tally(part)) {
            kin += k.len() as f64;
            looked += (k.len() + o.len()) as f64;
        }
        for part in parts.iter_mut().filter(|part| !part.agrees) {
            part.prior = Some(kin / looked);
        }
        Some(parts)
    }

    /// Per place: looks at kin and at others that it is linked from.
    fn place_rates(&self, part: &Part) -> FxHashMap<PlaceId, (f64, f64)> {
        let mut rates: FxHashMap<PlaceId, (f64, f64)> = FxHashMap::default();
        let (kin, other) = self.tally(part);
        for (places, is_kin) in [(kin, true), (other, false)] {
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

/// `count` of the addresses, spread over the list; `before` were taken already.
fn spread(open: &[UrlId], before: usize, count: usize) -> Vec<UrlId> {
    let golden = 0.618_033_988_749_895;
    (0..count)
        .map(|i| ((before + i) as f64 * golden + 0.1).fract())
        .map(|at| open[((at * open.len() as f64) as usize).min(open.len() - 1)])
        .collect()
}

fn hash(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}
