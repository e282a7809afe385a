//! Which addresses are kin without being looked at? A cell is decided by a few of its pages.
//!
//! A few looks at pages spread over the cell: all kin, and the cell is taken; none, and it is left; some, and it is split by the place
//! its links stand in, by the first word of the last part, by the page that lists them, and each part is decided alike.

use super::Search;
use super::cells::CellId;
use super::decision::{Decision, Why};
use super::kind::{Counts, distance, distance_within_category, telling_labels};
use super::label::Label;
use super::memory::{PlaceId, State, UrlId};
use crate::discover::Signal;
use crate::pages::Pages;
use rustc_hash::{FxHashMap, FxHashSet};

/// Distance up to which the pages of a cell, taken together, are kin though their address differs in the name of a folder: where the
/// folder has few names, they may be names of types; where it has many, they are years, letters, categories.
const NEAR_TOGETHER: f64 = 0.14;
pub(super) const NEAR_TOGETHER_OF_MANY: f64 = 0.3;

/// Looks that a cell gets at most before the majority decides.
const MOST_LOOKS: usize = 12;

/// Lists that must show only kin before further lists of the same place are trusted.
const TESTED_LISTS: usize = 4;

/// Pages of all categories that are compared with the kin together.
const POOLED: usize = 24;

/// A part of a cell, on the way to a decision.
pub(super) struct Part {
    pub members: Vec<UrlId>,
    /// The address is that of a sample.
    pub agrees: bool,
    /// How often the cell was split on the way here.
    pub depth: usize,
    /// How likely its pages are kin before any of them is looked at; none for a whole cell.
    pub prior: Option<f64>,
}

/// What a different folder may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Border {
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
pub(super) struct Looks {
    pub kin: Vec<usize>,
    pub unsure: Vec<usize>,
    pub other: Vec<usize>,
    /// Asked for in vain.
    dead: usize,
}

impl Looks {
    /// Not of another kind.
    pub fn near(&self) -> Vec<usize> {
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
        self.listed_together = self.cells_listed_together();
        self.listed_with_kin = self.cells_listed_with_kin();
        self.rejected_names = self.rejected_names();
        self.pooled = self.categories_are_kin();
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
                let taken = matches!(verdict, Verdict::All(decision) if decision.is_kin());
                let accepted = part.agrees || taken;
                let untested: FxHashSet<usize> = if part.agrees && part.depth > 0 {
                    search.foreign_lists(part).into_iter().filter(|list| list.len() < 2).flatten().collect()
                } else {
                    FxHashSet::default()
                };
                for &id in &part.members {
                    decisions[id as usize] = decision;
                    if let (true, State::Looked(place)) = (accepted, search.memory.states[id as usize]) {
                        if untested.contains(&place) || search.labels[place] == Label::Unsure && !taken {
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
            match self.memory.states[to as usize] {
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

    fn verdict(&self, cell: CellId, part: &Part) -> Verdict {
        let looks = self.tally(part);
        let open = part.members.iter().copied().filter(|&id| self.memory.unseen(id) && !self.is_rejected_name(id));
        let open: Vec<UrlId> = open.collect();
        if part.agrees {
            self.verdict_here(part, &looks, &open)
        } else {
            self.verdict_elsewhere(cell, part, &looks, &open)
        }
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
            let more = self
                .looks_elsewhere(part, open, &beside)
                .or_else(|| self.untested_list(part, open).filter(|_| part.depth > 0 || near < 6).map(|id| vec![id]));
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
        if self.kin.len() < 3 && self.own_cells_open() {
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
        let against = looks.other.len() >= 2 && near.is_empty();
        if border == Border::Category && part.depth == 0 && self.pooled && !against {
            return Verdict::All(Decision::new(0.9, Why::SiblingCells));
        }
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
        if self.uses(Signal::Sets)
            && near.len() >= 2
            && !near.iter().all(|place| self.kin.contains(place))
            && self.apart(&near, border) > 2.0 * border.near()
        {
            return Verdict::All(Decision::new(0.0, Why::Rejected));
        }
        let against = looks.unsure.len() + 2 * looks.other.len();
        let decisive = if border == Border::Type || part.members.len() < 5 { 2 } else { 4 };
        if looks.kin.is_empty() && (against >= decisive || open.is_empty()) {
            return Verdict::All(Decision::new(0.02, Why::Rejected));
        }
        if let Some(verdict) = self.mixed(part, looks, border) {
            return verdict;
        }
        if open.is_empty() {
            return self.confirm(&near, border);
        }
        let looked = near.len() + looks.other.len();
        Verdict::Look(spread(open, looked, if looked == 0 && border == Border::Category { 2 } else { 1 }), prior)
    }

    /// Categories of one kind stand or fall together: do the looks at all of them, taken together, say that they are kin? Looks at three
    /// categories or more are asked for.
    fn categories_are_kin(&self) -> bool {
        let (mut near, mut other, mut cells) = (Vec::new(), 0, 0);
        for cell in 0..self.cells.cells.len() as CellId {
            if self.candidate(cell) != Some(false) || !self.is_category(cell) {
                continue;
            }
            let members = self.cells.cells[cell as usize].members.clone();
            let looks = self.tally(&Part { members, agrees: false, depth: 0, prior: None });
            cells += usize::from(!looks.is_empty());
            near.extend(looks.near());
            other += looks.other.len();
        }
        let kin = near.iter().filter(|&&place| self.labels[place] == Label::Kin).count();
        if cells < 3 || near.len() < 4 || kin * 4 < near.len() || near.len() < 4 * other || self.kin.len() < 3 {
            return false;
        }
        near.sort_unstable();
        near.truncate(POOLED);
        self.apart(&near, Border::Category) <= Border::Category.near()
    }

    /// Is there a page left to look at among those whose address agrees with a sample's?
    fn own_cells_open(&self) -> bool {
        self.samples.iter().any(|&sample| {
            let cell = &self.cells.cells[self.cells.of_url[sample as usize] as usize];
            cell.members.iter().any(|&id| self.memory.unseen(id) && !self.is_rejected_name(id))
        })
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
            return Some(if part.agrees {
                Verdict::All(Decision::new(0.95, Why::Verified))
            } else {
                self.confirm(&near, border)
            });
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
        if !self.uses(Signal::Places) {
            return Vec::new();
        }
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
        if self.uses(Signal::Sets)
            && !known
            && pages.len() >= 2
            && (self.apart(pages, border) > border.near() || self.told_apart(pages, border))
        {
            return Verdict::All(Decision::new(0.0, Why::Rejected));
        }
        Verdict::All(Decision::new(0.95, Why::Verified))
    }

    /// A page that lists several members of which none was looked at, while few lists were tested: one of those members.
    fn untested_list(&self, part: &Part, open: &[UrlId]) -> Option<UrlId> {
        if !self.uses(Signal::Lists) {
            return None;
        }
        let lister = |id: &UrlId| self.memory.first(*id);
        let mut looks: FxHashMap<usize, usize> = FxHashMap::default();
        for page in part.members.iter().filter(|id| !self.memory.unseen(**id)).filter_map(lister) {
            *looks.entry(page).or_default() += 1;
        }
        // Where pages of several kinds have such addresses, one look at a list does not tell.
        let needed = if part.depth > 0 { 2 } else { 1 };
        let tested: FxHashSet<usize> =
            looks.into_iter().filter(|(_, looks)| *looks >= needed).map(|(page, _)| page).collect();
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
        self.uses(Signal::Sets)
            && !known
            && (2..6).contains(&pages.len())
            && (0.5 * border.near()..2.0 * border.near()).contains(&self.apart(pages, border))
    }

    /// Where folders may name types: do labels tell these pages from the known kin without exception?
    fn told_apart(&self, pages: &[usize], border: Border) -> bool {
        if border == Border::Category || pages.len() < 4 || self.kin.len() < 4 {
            return false;
        }
        let here = Counts::of(pages.iter().map(|&place| &self.memory.looked[place].tokens));
        let enough = if pages.len().min(self.kin.len()) >= 5 { 1 } else { 2 };
        telling_labels(&self.kin_counts, &here) >= enough
    }

    /// The distance of these pages, taken together, from the known kin; worked out anew when the kin have doubled.
    pub(super) fn apart(&self, pages: &[usize], border: Border) -> f64 {
        let mut known = self.apart.borrow_mut();
        let key = (border, Box::from(pages));
        if let Some(&(then, apart)) = known.get(&key)
            && self.kin.len() < 2 * then
        {
            return apart;
        }
        let here = Counts::of(pages.iter().map(|&place| &self.memory.looked[place].tokens));
        let apart = match border {
            Border::Type => distance(&self.kin_counts, &here, &self.other_counts),
            Border::Category => distance_within_category(&self.kin_counts, &here, &self.other_counts),
        };
        let apart = apart.total();
        known.insert(key, (self.kin.len(), apart));
        apart
    }

    /// The looks that count for a part: kin, and the others that were looked at to verify.
    pub(super) fn tally(&self, part: &Part) -> Looks {
        let mut looks = Looks::default();
        for &id in &part.members {
            if self.memory.states[id as usize] == State::Skipped {
                looks.dead += 1;
            }
            if let State::Looked(place) = self.memory.states[id as usize] {
                match self.labels[place] {
                    Label::Kin => looks.kin.push(place),
                    Label::Unsure if self.verified.contains(&id) => looks.unsure.push(place),
                    Label::Other if self.verified.contains(&id) && !self.is_rejected_name(id) => {
                        looks.other.push(place)
                    }
                    _ => {}
                }
            }
        }
        looks
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
}

/// `count` of the addresses, spread over the list; `before` were taken already.
fn spread(open: &[UrlId], before: usize, count: usize) -> Vec<UrlId> {
    let golden = 0.618_033_988_749_895;
    (0..count)
        .map(|i| ((before + i) as f64 * golden + 0.1).fract())
        .map(|at| open[((at * open.len() as f64) as usize).min(open.len() - 1)])
        .collect()
}
