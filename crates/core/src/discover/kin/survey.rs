//! What surrounds the sample? A small survey before conclusions, and a last look around before the end.
//!
//! A person who seeks all pages of a kind first tries the folders above the page, the site's entry and its menu, and before giving up
//! the links beside the lists already found. So does this.

use super::nodes::NodeId;
use super::state::{PlaceId, State, UrlId};
use super::{Purpose, Search};
use crate::discover::Signal;
use crate::pages::Pages;
use crate::site::Stop;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// Folders above the sample that are asked for, the nearest first.
const ABOVE: usize = 3;

/// Links of the menu that are asked for, and of one folder below the first.
const MENU: usize = 10;
const MENU_FOLDER: usize = 3;

/// Looks beside lists before the end, and lists whose links are considered. Six or twelve looks: F1 0.902 or 0.905
/// on the open sites, spread between samples 0.076 or 0.068.
const BESIDE: usize = 12;
const LISTS: usize = 3;

/// Pages reached alike: a cell, and the place of the link.
type Arm = (NodeId, PlaceId);

impl<P: Pages> Search<'_, P> {
    /// The pages above the sample, the site's entry, and what both the sample and the entry link to.
    pub(super) async fn survey(&mut self) -> Result<(), Stop> {
        if self.state.looked.is_empty() || !self.uses(Signal::Survey) {
            return Ok(());
        }
        let above = self.above();
        self.look(&above, Purpose::Guide).await?;
        let menu = self.menu(above.last().copied());
        self.look(&menu, Purpose::Guide).await
    }

    /// Folders above the first sample, the nearest first; the site's entry last.
    fn above(&mut self) -> Vec<UrlId> {
        let sample = self.state.urls[self.samples[0] as usize].url.clone();
        let folders: Vec<&str> = sample.path().split('/').filter(|part| !part.is_empty()).collect();
        let mut paths: Vec<String> = Vec::new();
        for length in (0..folders.len()).rev().take(ABOVE) {
            let path: String = folders[..length].iter().map(|folder| format!("/{folder}")).collect();
            paths.push(format!("{path}/"));
        }
        paths.push("/".to_owned());
        let mut ids = Vec::new();
        for path in paths {
            let mut url = sample.clone();
            url.set_query(None);
            url.set_path(&path);
            ids.extend(self.state.known_in_scope(&url));
        }
        ids.retain(|id| !self.samples.contains(id));
        ids
    }

    fn page(&self, id: UrlId) -> Option<usize> {
        match self.state.states[self.state.resolve(id) as usize] {
            State::Looked(page) => Some(page),
            _ => None,
        }
    }

    /// Links that the sample and the entry (or another page looked at) share, short addresses first.
    fn menu(&self, entry: Option<UrlId>) -> Vec<UrlId> {
        let sample = self.page(self.samples[0]).unwrap_or(0);
        let entry = entry.and_then(|id| self.page(id)).filter(|&page| page != sample);
        let Some(entry) = entry.or_else(|| (0..self.state.looked.len()).find(|&page| page != sample)) else {
            return Vec::new();
        };
        let on_entry: FxHashSet<UrlId> = self.state.looked[entry].links.iter().map(|(id, _)| *id).collect();
        let links = self.state.looked[sample].links.iter().map(|(id, _)| *id);
        let mut shared: Vec<UrlId> = links.filter(|id| on_entry.contains(id)).collect();
        shared.sort_by_key(|&id| {
            let known = &self.state.urls[id as usize];
            (known.shape.folders.len(), known.url.as_str().len(), id)
        });
        let mut folders: FxHashMap<&[String], usize> = FxHashMap::default();
        shared.retain(|&id| {
            let of = &self.state.urls[id as usize].shape.folders;
            let taken = folders.entry(of).or_default();
            *taken += 1;
            *taken <= if of.len() <= 1 { MENU } else { MENU_FOLDER }
        });
        shared.truncate(MENU);
        shared
    }

    /// Before the search ends: one page of each arm nobody has tried, beside the links to the kind on the fullest lists. False when
    /// there is none.
    pub(super) async fn look_beside_lists(&mut self) -> Result<bool, Stop> {
        let left = if self.uses(Signal::Survey) { BESIDE.saturating_sub(self.beside) } else { 0 };
        let wanted = self.untried_beside_lists(left);
        if wanted.is_empty() {
            return Ok(false);
        }
        self.beside += wanted.len();
        self.look(&wanted, Purpose::Guide).await?;
        Ok(true)
    }

    fn untried_beside_lists(&self, most: usize) -> Vec<UrlId> {
        let mut tried: FxHashSet<Arm> = self.state.asked.iter().flat_map(|&id| self.arms_of(id)).collect();
        let mut wanted: Vec<UrlId> = Vec::new();
        for page in self.fullest_lists() {
            let mut arms: FxHashMap<Arm, Vec<UrlId>> = FxHashMap::default();
            for &(id, place) in &self.state.looked[page].links {
                if self.state.unseen(id) && !self.is_kin(id) {
                    arms.entry((self.state.cell(id), place)).or_default().push(id);
                }
            }
            let mut arms: Vec<(Arm, Vec<UrlId>)> = arms.into_iter().collect();
            arms.sort_by_key(|(_, ids)| (Reverse(ids.len()), ids[0]));
            wanted.extend(arms.into_iter().filter(|(arm, _)| tried.insert(*arm)).map(|(_, ids)| ids[0]));
        }
        wanted.truncate(most);
        wanted
    }

    fn arms_of(&self, id: UrlId) -> impl Iterator<Item = Arm> {
        let cell = self.state.cell(id);
        self.state.urls[id as usize].places.iter().map(move |&place| (cell, place))
    }

    /// The pages that link to most of the kind.
    fn fullest_lists(&self) -> Vec<usize> {
        let shown = |page: usize| {
            let links = &self.state.looked[page].links;
            links.iter().filter(|(id, _)| self.is_kin(*id)).count()
        };
        let mut lists: Vec<(usize, usize)> = (0..self.state.looked.len()).map(|page| (shown(page), page)).collect();
        lists.retain(|(shown, _)| *shown >= 2);
        lists.sort_by_key(|&(shown, page)| (Reverse(shown), page));
        lists.into_iter().take(LISTS).map(|(_, page)| page).collect()
    }
}
