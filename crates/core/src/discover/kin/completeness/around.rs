//! What stands around the pages of the answer? The search → [`Around`]: what was left out beside them, and what it looks like.

use super::{LIST, NodeId, Search, State, UrlId};
use crate::complete::Around;
use crate::discover::kin::belief::Label;
use crate::discover::kin::nodes::FOLDER;
use crate::pages::Pages;
use rustc_hash::{FxHashMap, FxHashSet};

/// The chance by content alone from which a page looks like one of the answer.
const LOOKS_LIKE: f64 = 0.5;

impl<P: Pages> Search<'_, P> {
    /// `promise`: see [`Around::promise`].
    pub(super) fn around(&self, found: &FxHashSet<UrlId>, promise: f64) -> Around {
        let (beside, rows) = self.beside_in_lists(found);
        let (clusters, alike) = self.clusters_of(found);
        Around {
            beside,
            rows,
            clusters,
            alike,
            doubted: self.doubted(found),
            in_folders: self.in_folders(found),
            further: self.further_pages(found),
            promise,
        }
    }

    /// Pages left out that stand in one list with pages of the answer, and how many of the answer a page of a list shows on average.
    fn beside_in_lists(&self, found: &FxHashSet<UrlId>) -> (usize, f64) {
        let mut beside: FxHashSet<UrlId> = FxHashSet::default();
        let (mut shown, mut lists) = (0, 0_u32);
        for page in self.state.looked.iter().filter(|page| !found.contains(&page.id)) {
            let mut places: FxHashMap<u32, [FxHashSet<UrlId>; 2]> = FxHashMap::default();
            for (id, place) in page.links.iter().filter(|(id, _)| self.is_page(*id)) {
                let to = self.state.resolve(*id);
                places.entry(*place).or_default()[usize::from(!found.contains(&to))].insert(to);
            }
            let on_page: FxHashSet<&UrlId> = places.values().flat_map(|[of_answer, _]| of_answer).collect();
            if on_page.len() >= LIST {
                (shown, lists) = (shown + on_page.len(), lists + 1);
            }
            let full = |[of_answer, others]: &&[FxHashSet<UrlId>; 2]| of_answer.len() >= LIST.max(others.len());
            beside.extend(places.values().filter(full).flat_map(|[_, others]| others));
        }
        (beside.len(), shown as f64 / f64::from(lists.max(1)))
    }

    /// Neither another view of a page, nor an address that did not answer.
    fn is_page(&self, id: UrlId) -> bool {
        !self.is_variant(id) && self.state.states[self.state.resolve(id) as usize] != State::Skipped
    }

    /// Into how many clusters of alike pages those of the answer that were looked at fall, and how many pages left out are in these.
    fn clusters_of(&self, found: &FxHashSet<UrlId>) -> (usize, usize) {
        let mut clusters: FxHashMap<usize, [usize; 2]> = FxHashMap::default();
        for (place, page) in self.state.looked.iter().enumerate() {
            clusters.entry(self.background.cluster(place)).or_default()[usize::from(!found.contains(&page.id))] += 1;
        }
        let of_answer = clusters.values().filter(|[of_answer, _]| *of_answer > 0);
        of_answer.fold((0, 0), |(count, alike), [_, others]| (count + 1, alike + others))
    }

    /// Pages left out whose content alone says that they belong to the answer.
    fn doubted(&self, found: &FxHashSet<UrlId>) -> usize {
        let looks_like = |content: f64| self.belief.expected(Label::Content(content), 0.0) > LOOKS_LIKE;
        let judged = self.state.looked.iter().zip(&self.content);
        judged.filter(|(page, content)| !page.stub && !found.contains(&page.id) && looks_like(**content)).count()
    }

    /// Addresses left out in folders that hold pages of the answer.
    fn in_folders(&self, found: &FxHashSet<UrlId>) -> usize {
        let folder = |id: UrlId| self.state.urls[id as usize].nodes[FOLDER];
        let of_answer: FxHashSet<NodeId> = found.iter().map(|&id| folder(id)).collect();
        let left_out = |id: &UrlId| {
            let state = self.state.states[*id as usize];
            !found.contains(id) && !matches!(state, State::Moved(_) | State::Skipped) && !self.is_variant(*id)
        };
        (0..self.state.urls.len() as UrlId).filter(left_out).filter(|&id| of_answer.contains(&folder(id))).count()
    }

    /// Further pages of lists that were asked for.
    fn further_pages(&self, found: &FxHashSet<UrlId>) -> usize {
        let asked = |id: &UrlId| !self.state.unseen(*id) && !found.contains(&self.state.resolve(*id));
        let of_list = |id: &UrlId| self.state.urls[*id as usize].pager_of.is_some();
        (0..self.state.urls.len() as UrlId).filter(asked).filter(of_list).count()
    }
}
