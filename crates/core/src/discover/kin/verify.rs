//! Which addresses are kin without being looked at? A cell is decided by a few of its pages.
//!
//! A few looks at pages spread over the cell: all kin, and the cell is taken; none, and it is left; some, and it is split by the place
//! its links stand in, by the first word of the last part, by the page that lists them, and each part is decided alike.

use super::cells::CellId;
use super::kind::{Counts, distance, distance_within_category, telling_labels};
use super::memory::{PlaceId, State, UrlId};
use super::{Label, NEAR_TOGETHER, NEAR_TOGETHER_OF_MANY, Search};
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
    Dead,
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
            Why::Dead => "other pages of its cell do not answer",
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

/// What a different folder may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Border {
    Type,
    Category,
}

impl Border {
    fn near(self) -> f64 {
        match self {
            Self::Type => NEAR_TOGETHER,
            Self::Category => NEAR_TOGETHER_OF_MANY,
        }
    }
}

/// The pages of a part that were looked at.
#[derive(Default)]
struct Looks {
    kin: Vec<usize>,
    unsure: Vec<usize>,
    other: Vec<usize>,
    /// Asked for in vain.
    dead: usize,
}

impl Looks {
    /// Not of another kind.
    fn near(&self) -> Vec<usize> {
        let mut near = self.kin.clone();
        near.extend(&self.unsure);
        near
    }

    fn is_empty(&self) -> bool {
        self.kin.is_empty() && self.unsure.is_empty() && self.other.is_empty()
    }
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
        let price_elsewhere = (found as f64 * 0.01).max(1.2);
        let mut wanted: Vec<(f64, Vec<UrlId>)> = Vec::new();
        for cell in 0..self.cells.cells.len() as CellId {
            self.walk(cell, &mut |search, part, verdict| {
                if let Verdict::Look(urls, likely) = verdict {
                    if urls.is_empty() || !part.agrees && search.others.len() < 3 && search.memory.looked.len() < 12 {
                        return;
                    }
                    let open = part.members.iter().filter(|&&id| search.memory.unseen(id)).count() as f64;
                    let worth = if part.agrees { open } else { open * likely };
                    if worth >= if part.agrees { price } else { price_elsewhere } {
                        wanted.push((worth, urls.clone()));
                    }
                }
            });
        }
        wanted.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        wanted.into_iter().next().map_or(Vec::new(), |(_, urls)| urls)
    }

    /// Decides all addresses from the labels there are.
    pub(super) fn decide(&mut self) {
        self.listed_with_kin = self.cells_listed_with_kin();
        self.rejected_names = self.rejected_names();
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
                let untested: FxHashSet<usize> = if part.agrees && part.depth > 0 {
                    search.foreign_lists(part).into_iter().filter(|list| list.len() < 2).flatten().collect()
                } else {
                    FxHashSet::default()
                };
                for &id in &part.members {
                    decisions[id as usize] = decision;
                    if let (true, State::Looked(place)) = (accepted, search.memory.urls[id as usize].state) {
                        if untested.contains(&place) {
                            continue;
                        }
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
        let mut looked = Vec::new();
        for (id, known) in self.memory.urls.iter().enumerate() {
            let to = self.memory.resolve(id as UrlId);
            match self.memory.urls[to as usize].state {
                State::Looked(place) => {
                    let of_cell = decisions[to as usize];
                    let likely = match self.labels[place] {
                        Label::Other => 0.0,
                        _ if of_cell.reason == Why::Rejected => 0.0,
                        Label::Kin => of_cell.likely.max(0.9),
                        Label::Unsure => of_cell.likely,
                    };
                    looked.push((id, Decision { likely, reason: Why::Looked }));
                }
                State::Skipped => decisions[id] = Decision::new(0.0, Why::Looked),
                _ if decisions[id].is_kin() && self.rejected_names.contains(&known.name) => {
                    decisions[id] = Decision::new(0.0, Why::SameNameRejected);
                }
                _ => {}
            }
        }
        for (id, decision) in looked {
            decisions[id] = decision;
        }
        for &sample in &self.samples {
            decisions[sample as usize] = Decision::new(1.0, Why::Looked);
        }
    }

    /// Last parts that several pages of another kind have and no kin: `package-summary.html`.
    fn rejected_names(&self) -> FxHashSet<u64> {
        let known = |place: usize| &self.memory.urls[self.memory.looked[place].id as usize];
        let mut times: FxHashMap<u64, usize> = FxHashMap::default();
        for place in 0..self.labels.len() {
            let known = known(place);
            match self.labels[place] {
                Label::Other if !known.shape.last.is_empty() && known.shape.parameters.is_empty() => {
                    *times.entry(known.name).or_default() += 1;
                }
                _ => {}
            }
        }
        for known in self.memory.urls.iter().filter(|known| known.state == State::Skipped && known.shape.parameters.is_empty()) {
            *times.entry(known.name).or_default() += 1;
        }
        for place in (0..self.labels.len()).filter(|&place| self.labels[place] == Label::Kin) {
            times.remove(&known(place).name);
        }
        times.into_iter().filter(|(_, times)| *times >= 2).map(|(name, _)| name).collect()
    }

    fn is_rejected_name(&self, id: UrlId) -> bool {
        self.rejected_names.contains(&self.memory.urls[id as usize].name)
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
        // And does one of its pages look like kin? The template tells more than the address.
        let mut alike: FxHashSet<CellId> = FxHashSet::default();
        for place in (0..self.labels.len()).filter(|&place| self.kin.len() >= 4 && self.labels[place] == Label::Unsure) {
            alike.insert(self.cells.of_url[self.memory.looked[place].id as usize]);
        }
        let extension = |id: UrlId| &self.memory.urls[id as usize].shape.extension;
        let cells = self.cells.cells.iter().enumerate().map(|(id, cell)| {
            cell.members.len() >= 2
                && self.samples.iter().any(|&sample| extension(sample) == extension(cell.members[0]))
                && self.samples.iter().any(|&sample| self.memory.urls[sample as usize].shape.parameters.is_empty() == self.memory.urls[cell.members[0] as usize].shape.parameters.is_empty())
                && (alike.contains(&(id as CellId)) || cell.members.iter().filter(|id| given(id)).count() * 2 > cell.members.len())
        });
        cells.collect()
    }

    fn verdict(&self, cell: CellId, part: &Part) -> Verdict {
        let looks = self.tally(part);
        let open = part.members.iter().copied().filter(|&id| self.memory.unseen(id) && !self.is_rejected_name(id));
        let open: Vec<UrlId> = open.collect();
        if part.agrees { self.verdict_here(part, &looks, &open) } else { self.verdict_elsewhere(cell, part, &looks, &open) }
    }

    /// The address agrees with that of a sample: kin unless looks say otherwise.
    fn verdict_here(&self, part: &Part, looks: &Looks, open: &[UrlId]) -> Verdict {
        let near = looks.kin.len() + looks.unsure.len();
        let prior = 0.8;
        if open.is_empty() {
            return Verdict::All(Decision::new(if near > looks.other.len() { 0.95 } else { 0.0 }, Why::Verified));
        }
        let beside = self.beside_samples(open);
        let enough = if part.depth == 0 { 4 } else { 3 };
        if looks.other.is_empty() && near >= enough.min(open.len() + near) {
            if let Some(parts) = self.split_foreign_lists(part) {
                return Verdict::Split(parts);
            }
            let more = self.looks_elsewhere(part, open, &beside).or_else(|| self.untested_list(part, open).map(|id| vec![id]));
            return more.map_or(Verdict::All(Decision::new(0.95, Why::Verified)), |more| Verdict::Look(more, prior));
        }
        if near <= 1 && looks.other.len() >= 2 && part.depth > 0 {
            return Verdict::All(Decision::new(0.02, Why::Rejected));
        }
        if let Some(verdict) = self.mixed(part, looks, Border::Type) {
            return verdict;
        }
        let looked = near + looks.other.len();
        let from = if looked < 4 && !beside.is_empty() { &beside } else { open };
        Verdict::Look(spread(from, looked, if looked <= 1 { 4 } else { 1 }), prior)
    }

    /// The address differs: not kin unless looks say so, and then only if the pages do not differ together.
    fn verdict_elsewhere(&self, cell: CellId, part: &Part, looks: &Looks, open: &[UrlId]) -> Verdict {
        let prior = part.prior.unwrap_or_else(|| self.sibling_rate(cell));
        if self.kin.len() < 3 {
            return Verdict::Look(Vec::new(), prior);
        }
        let near = looks.near();
        if near.is_empty() && looks.dead >= 2 {
            return Verdict::All(Decision::new(0.02, Why::Dead));
        }
        if near.is_empty() && looks.other.is_empty() && prior > 0.9 {
            return Verdict::All(Decision::new(0.9, Why::SiblingCells));
        }
        let border = if self.is_category(cell) { Border::Category } else { Border::Type };
        let enough = match border {
            _ if part.members.len() <= 4 => 2,
            Border::Category => 3,
            Border::Type => 4,
        };
        if looks.other.is_empty() && !looks.kin.is_empty() && (near.len() >= enough || open.is_empty()) {
            if let Some(look) = self.untested_list(part, open) {
                return Verdict::Look(vec![look], prior);
            }
            if !open.is_empty() && self.in_doubt(&near, border) {
                return Verdict::Look(spread(open, near.len(), 1), prior);
            }
            return self.confirm(&near, border);
        }
        if near.len() >= 2 && !near.iter().all(|place| self.kin.contains(place)) && self.apart(&near, border) > 2.0 * border.near() {
            return Verdict::All(Decision::new(0.0, Why::Rejected));
        }
        let against = looks.unsure.len() + 2 * looks.other.len();
        if looks.kin.is_empty() && (against >= 4 || against >= 2 && part.members.len() < 5 || open.is_empty()) {
            return Verdict::All(Decision::new(0.02, Why::Rejected));
        }
        if let Some(verdict) = self.mixed(part, looks, border) {
            return verdict;
        }
        if open.is_empty() {
            return self.confirm(&near, border);
        }
        let looked = near.len() + looks.other.len();
        Verdict::Look(spread(open, looked, if looked == 0 { 2 } else { 1 }), prior)
    }

    /// Does the cell differ from a sample's by a year, a letter, a category?
    pub(super) fn is_category(&self, cell: CellId) -> bool {
        self.samples.iter().any(|&sample| self.cells.differ_by_category(cell, self.cells.of_url[sample as usize]))
    }

    /// Kin and others in one part: split it, or let the majority decide.
    fn mixed(&self, part: &Part, looks: &Looks, border: Border) -> Option<Verdict> {
        let near = looks.near();
        if near.is_empty() || looks.other.is_empty() {
            return None;
        }
        if let Some(parts) = self.split_lists(part) {
            return Some(Verdict::Split(parts));
        }
        if near.len() >= 4 * looks.other.len() {
            return Some(if part.agrees { Verdict::All(Decision::new(0.95, Why::Verified)) } else { self.confirm(&near, border) });
        }
        if looks.other.len() >= 4 * near.len() && part.depth >= 2 {
            return Some(Verdict::All(Decision::new(0.1, Why::Rejected)));
        }
        if let Some(parts) = self.split(part) {
            return Some(Verdict::Split(parts));
        }
        let looked = near.len() + looks.other.len();
        let share = near.len() as f64 / looked as f64;
        (looked >= MOST_LOOKS).then(|| Verdict::All(Decision::new(share, Why::Verified)))
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

    /// The looks said kin one by one; taken together they must not differ from the known kin either.
    fn confirm(&self, pages: &[usize], border: Border) -> Verdict {
        let known = pages.iter().all(|place| self.kin.contains(place));
        if !known && pages.len() >= 2 && (self.apart(pages, border) > border.near() || self.told_apart(pages, border)) {
            return Verdict::All(Decision::new(0.0, Why::Rejected));
        }
        Verdict::All(Decision::new(0.95, Why::Verified))
    }

    /// A page that lists several members of which none was looked at, while few lists were tested: one of those members.
    fn untested_list(&self, part: &Part, open: &[UrlId]) -> Option<UrlId> {
        let lister = |id: &UrlId| self.memory.urls[*id as usize].first;
        let mut looks: FxHashMap<usize, usize> = FxHashMap::default();
        for page in part.members.iter().filter(|id| !self.memory.unseen(**id)).filter_map(lister) {
            *looks.entry(page).or_default() += 1;
        }
        // Where pages of several kinds have such addresses, one look at a list does not tell.
        let needed = if part.depth > 0 { 2 } else { 1 };
        let tested: FxHashSet<usize> = looks.into_iter().filter(|(_, looks)| *looks >= needed).map(|(page, _)| page).collect();
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
    fn in_doubt(&self, pages: &[usize], border: Border) -> bool {
        let known = pages.iter().all(|place| self.kin.contains(place));
        !known && (2..6).contains(&pages.len()) && (0.5 * border.near()..2.0 * border.near()).contains(&self.apart(pages, border))
    }

    /// Where folders may name types: do labels tell these pages from the known kin without exception?
    fn told_apart(&self, pages: &[usize], border: Border) -> bool {
        if border == Border::Category || pages.len() < 4 || self.kin.len() < 4 {
            return false;
        }
        let here = Counts::of(pages.iter().map(|&place| &self.memory.looked[place].tokens));
        telling_labels(&self.kin_counts, &here) >= 2
    }

    /// The distance of these pages, taken together, from the known kin; worked out anew when the kin have doubled.
    fn apart(&self, pages: &[usize], border: Border) -> f64 {
        let mut known = self.apart.borrow_mut();
        let key = (border == Border::Category, Box::from(pages));
        if let Some(&(then, apart)) = known.get(&key) {
            if self.kin.len() < 2 * then {
                return apart;
            }
        }
        let here = Counts::of(pages.iter().map(|&place| &self.memory.looked[place].tokens));
        let apart = match border {
            Border::Type => distance(&self.kin_counts, &here, &self.other_counts),
            Border::Category => distance_within_category(&self.kin_counts, &here, &self.other_counts),
        };
        let apart = apart.total();
        if std::env::var("TRACE").is_ok() { let d = distance(&self.kin_counts, &here, &self.other_counts); eprintln!("     apart {:.2}+{:.2}={:.2} m={} A={} N={} e.g. {}", d.structure, d.labels, apart, pages.len(), self.kin.len(), self.others.len(), self.memory.urls[self.memory.looked[pages[0]].id as usize].url); }
        known.insert(key, (self.kin.len(), apart));
        apart
    }

    /// The looks that count for a part: kin, and the others that were looked at to verify.
    fn tally(&self, part: &Part) -> Looks {
        let mut looks = Looks::default();
        for &id in &part.members {
            if self.memory.urls[id as usize].state == State::Skipped {
                looks.dead += 1;
            }
            if let State::Looked(place) = self.memory.urls[id as usize].state {
                match self.labels[place] {
                    Label::Kin => looks.kin.push(place),
                    Label::Unsure if self.verified.contains(&id) => looks.unsure.push(place),
                    Label::Other if self.verified.contains(&id) && !self.is_rejected_name(id) => looks.other.push(place),
                    _ => {}
                }
            }
        }
        looks
    }

    /// How many of the decided cells that differ from this one in one folder are kin?
    fn sibling_rate(&self, cell: CellId) -> f64 {
        let (mut kin, mut other) = (0.0, 0.0);
        for (id, word) in self.cell_words.iter().enumerate().filter(|(_, word)| word.is_some()) {
            let own = self.samples.iter().any(|&sample| self.cells.of_url[sample as usize] == id as CellId);
            if id as CellId != cell && !own && self.cells.siblings(cell, id as CellId) {
                if *word == Some(true) { kin += 1.0 } else { other += 1.0 }
            }
        }
        if other == 0.0 && kin >= 3.0 { 0.95 } else { (kin + 0.5) / (kin + other + 1.5) }
    }

    /// What the looks at a cell's own pages say of it; none where they say nothing yet.
    fn own_word(&self, cell: CellId) -> Option<bool> {
        let agrees = self.candidate(cell)?;
        let part = Part { members: self.cells.cells[cell as usize].members.clone(), agrees, depth: 0, prior: None };
        if self.tally(&part).is_empty() {
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

    /// The looked-at pages of a part, by the page that listed them first; lists that hold a sample are left out.
    fn foreign_lists(&self, part: &Part) -> Vec<Vec<usize>> {
        let mut lists: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for place in self.tally(part).near() {
            if let Some(lister) = self.memory.urls[self.memory.looked[place].id as usize].first {
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
    fn split_foreign_lists(&self, part: &Part) -> Option<Vec<Part>> {
        if part.depth == 0 || self.kin.len() < 3 {
            return None;
        }
        let foreign = self.foreign_lists(part).iter().any(|list| list.len() >= 2 && self.apart(list, Border::Type) > NEAR_TOGETHER_OF_MANY);
        let by_list = |id: UrlId| {
            let first = self.memory.urls[id as usize].first;
            let own = first.is_some_and(|lister| {
                let page = &self.memory.looked[lister];
                self.samples.contains(&page.id) || page.links.iter().any(|(id, _)| self.samples.contains(id))
            });
            if own { u64::MAX } else { first.map_or(u64::MAX, |page| page as u64) }
        };
        foreign.then(|| self.parts_by(part, &by_list)).filter(|parts| parts.len() > 1)
    }

    /// By the page that lists the members, when no list showed both kin and others.
    fn split_lists(&self, part: &Part) -> Option<Vec<Part>> {
        if part.depth >= 3 {
            return None;
        }
        let parts = self.split_by(part, &|id| self.memory.urls[id as usize].first.map_or(u64::MAX, |page| page as u64))?;
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
