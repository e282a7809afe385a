//! Which cells may hold kin at all, and what do their neighbours say of them?
//!
//! A cell is a candidate when its addresses have the outline of a sample's, when they stand in places given to kin, or when a
//! page of it is made by the kin's template. Verified neighbours that differ in a folder speak for it; names that pages of
//! another kind carry in several folders speak against single addresses.

use super::Search;
use super::cells::CellId;
use super::label::Label;
use super::memory::{State, UrlId};
use crate::discover::Signal;
use crate::pages::Pages;
use rustc_hash::{FxHashMap, FxHashSet};

/// Folders below those that all addresses share, in which a name may be that of a type. Most of the open sites have one or two.
const TYPE_DEPTH: usize = 2;

/// A sample's form of name is an odd one when another has so many times its members in the same folder.
const ODD: usize = 10;

/// The share of a cell's addresses that stand in lists with a sample's likes, from which the cell is listed together with them.
const TOGETHER: f64 = 0.3;

impl<P: Pages> Search<'_, P> {
    /// Could this cell hold kin, and does its address agree with theirs? None when it is out of the question.
    pub(super) fn candidate(&self, cell: CellId) -> Option<bool> {
        let mut possible = None;
        for &sample in &self.samples {
            let own = self.cells.of_url[sample as usize];
            if own == cell {
                return Some(true);
            }
            let (a, b) = (&self.cells.cells[own as usize], &self.cells.cells[cell as usize]);
            // One name of few digits among many of words, or the other way round: the folder tells more than the form.
            if a.outline == b.outline && a.folders == b.folders && ODD * a.members.len() <= b.members.len() {
                return Some(true);
            }
            if a.outline == b.outline && (a.folders == b.folders || a.form == b.form) {
                possible = Some(false);
            }
        }
        if possible == Some(false)
            && self.names_another_type(cell)
            && !self.is_category(cell)
            && self.listed_together.get(cell as usize) != Some(&true)
        {
            return None;
        }
        if possible.is_none() && self.listed_with_kin.get(cell as usize) == Some(&true) {
            possible = Some(false);
        }
        possible
    }

    /// Is the folder its pages stand in named otherwise than that of each sample? Near the top of a site such names are types:
    /// `/projects/` and `/how-tos/`, though one template makes both. Further down they part one type.
    fn names_another_type(&self, cell: CellId) -> bool {
        let folders = |cell: CellId| &self.cells.cells[cell as usize].folders;
        let own = folders(cell);
        !own.is_empty()
            && own.len() <= self.site_folders + TYPE_DEPTH
            && self.samples.iter().all(|&sample| {
                let of_sample = folders(self.cells.of_url[sample as usize]);
                !of_sample.is_empty() && of_sample.last() != own.last()
            })
    }

    /// Per cell: do most of its addresses stand in places given to kin? Then they may be kin, whatever their shape.
    pub(super) fn cells_listed_with_kin(&self) -> Vec<bool> {
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
        for place in (0..self.labels.len()).filter(|&place| self.kin.len() >= 4 && self.labels[place] == Label::Unsure)
        {
            alike.insert(self.cells.of_url[self.memory.looked[place].id as usize]);
        }
        let extension = |id: UrlId| &self.memory.urls[id as usize].shape.extension;
        let cells = self.cells.cells.iter().enumerate().map(|(id, cell)| {
            cell.members.len() >= 2
                && !self.is_variant(cell.members[0])
                && self.samples.iter().any(|&sample| extension(sample) == extension(cell.members[0]))
                && self.samples.iter().any(|&sample| {
                    self.memory.urls[sample as usize].shape.parameters.is_empty()
                        == self.memory.urls[cell.members[0] as usize].shape.parameters.is_empty()
                })
                && (alike.contains(&(id as CellId))
                    || cell.members.iter().filter(|id| given(id)).count() * 2 > cell.members.len())
        });
        cells.collect()
    }

    /// Per cell: do its addresses stand in lists together with addresses of a sample's cell? Menus are no lists.
    pub(super) fn cells_listed_together(&self) -> Vec<bool> {
        let own: FxHashSet<CellId> = self.samples.iter().map(|&sample| self.cells.of_url[sample as usize]).collect();
        let often = (self.memory.looked.len() as u32 / 2).max(3);
        let mut beside: FxHashMap<CellId, FxHashSet<UrlId>> = FxHashMap::default();
        for page in &self.memory.looked {
            let mut places: FxHashMap<u32, bool> = FxHashMap::default();
            for &(id, place) in &page.links {
                if self.memory.urls[id as usize].seen_on < often {
                    *places.entry(place).or_default() |= own.contains(&self.cells.of_url[id as usize]);
                }
            }
            for &(id, _) in page.links.iter().filter(|(_, place)| places.get(place) == Some(&true)) {
                if self.memory.urls[id as usize].seen_on < often {
                    beside.entry(self.cells.of_url[id as usize]).or_default().insert(id);
                }
            }
        }
        let cells = self.cells.cells.iter().enumerate();
        cells
            .map(|(id, cell)| {
                beside.get(&(id as CellId)).is_some_and(|ids| ids.len() as f64 >= TOGETHER * cell.members.len() as f64)
            })
            .collect()
    }

    /// Last parts that several pages of another kind have and no kin: `package-summary.html`.
    pub(super) fn rejected_names(&self) -> FxHashSet<u64> {
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
        let skipped = self.memory.urls.iter().zip(&self.memory.states).filter(|(_, state)| **state == State::Skipped);
        for (known, _) in skipped.filter(|(known, _)| known.shape.parameters.is_empty()) {
            *times.entry(known.name).or_default() += 1;
        }
        for place in (0..self.labels.len()).filter(|&place| self.labels[place] == Label::Kin) {
            times.remove(&known(place).name);
        }
        times.into_iter().filter(|(_, times)| *times >= 2).map(|(name, _)| name).collect()
    }

    pub(super) fn is_rejected_name(&self, id: UrlId) -> bool {
        self.rejected_names.contains(&self.memory.urls[id as usize].name)
    }

    /// How many of the decided cells that differ from this one in one folder are kin?
    pub(super) fn sibling_rate(&self, cell: CellId) -> f64 {
        let (mut kin, mut other) = (0.0, 0.0);
        if !self.uses(Signal::Siblings) {
            return 1.0 / 3.0;
        }
        for (id, word) in self.cell_words.iter().enumerate().filter(|(_, word)| word.is_some()) {
            let own = self.samples.iter().any(|&sample| self.cells.of_url[sample as usize] == id as CellId);
            if id as CellId != cell && !own && self.cells.siblings(cell, id as CellId) {
                if *word == Some(true) { kin += 1.0 } else { other += 1.0 }
            }
        }
        if other == 0.0 && kin >= 3.0 { 0.95 } else { (kin + 0.5) / (kin + other + 1.5) }
    }

    /// Does the cell differ from a sample's by a year, a letter, a category?
    pub(super) fn is_category(&self, cell: CellId) -> bool {
        self.samples.iter().any(|&sample| self.cells.differ_by_category(cell, self.cells.of_url[sample as usize]))
    }
}
