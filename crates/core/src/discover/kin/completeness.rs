//! What does the search know of its own completeness? The search → [`Evidence`], from which [`crate::complete`] estimates.
//!
//! Routes are the pages of one form that show pages of the kind (lists by letter, lists by year, the kin themselves, the sitemap): what two of them
//! showed is compared. Further pages of lists that have shown some, and links of a sort that nobody has followed, are what may show more.

use super::Search;
use super::arms::{ArmKey, Promise};
use super::nodes::NodeId;
use super::state::{Looked, State, UrlId};
use crate::complete::ids::Ids;
use crate::complete::recapture::Recapture;
use crate::complete::stated::{ListPage, totals};
use crate::complete::{Completeness, Evidence, Stated, estimate, fitted::Fitted};
use crate::pages::Pages;
use rustc_hash::{FxHashMap, FxHashSet};

mod around;

/// First looks that tell what a first look shows, the latest ones: the most promising come first, so early ones would say too much.
const FIRST_LOOKS: usize = 12;

/// Pages of the kind that a page shows in one place, at least, to be a page of a list.
const LIST: usize = 3;

/// Pages that show pages of the kind, by what they are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Route {
    Sitemap,
    /// Pages of the kind point at one another.
    Kin,
    Lists(NodeId),
}

impl<P: Pages> Search<'_, P> {
    /// How complete is what was found? `rungs`: pages of the next wider and the next narrower answer.
    pub(super) fn completeness(&self, stopped: bool, rungs: Option<(usize, usize)>) -> Completeness {
        estimate(&self.evidence_of_all(stopped, rungs), &Fitted::shipped())
    }

    /// Is more expected to be missing than the user accepts?
    pub(super) fn lacks_too_many(&self) -> bool {
        self.until.is_some_and(|until| self.completeness(false, None).share() < until)
    }

    pub(super) fn evidence_of_all(&self, stopped: bool, rungs: Option<(usize, usize)>) -> Evidence {
        let found = self.answer_ids();
        let yields = self.yields();
        let (routes, once, twice) = self.routes(&found);
        let (not_shown, promise) = self.not_shown_yet(&yields);
        let (wider, narrower) = rungs.unwrap_or((found.len(), found.len()));
        let mut evidence = Evidence {
            found: found.len(),
            found_looked: found.iter().filter(|&&id| self.looked_at(id).is_some()).count(),
            stopped,
            looked: self.state.looked.len(),
            doubtful: found.iter().map(|&id| 1.0 - f64::from(self.chance[id as usize])).sum(),
            left_out: self.left_out(),
            not_shown,
            around: self.around(&found, promise),
            lists: yields.iter().filter(|&&shown| shown >= 1.0).count(),
            open_lists: self.open_lists(),
            novelty: self.novelty(&yields),
            once,
            twice,
            routes,
            wider,
            narrower,
            ids: Ids::of(found.iter().map(|&id| &self.state.urls[id as usize].url)),
            ..Evidence::default()
        };
        (evidence.stated, evidence.short_of_stated) = self.stated(&found);
        evidence
    }

    /// The pages of the answer, each once, however many addresses lead to it.
    fn answer_ids(&self) -> FxHashSet<UrlId> {
        let kin = (0..self.state.urls.len() as UrlId).filter(|&id| self.is_kin(id));
        kin.map(|id| self.state.resolve(id)).collect()
    }

    pub(super) fn left_out(&self) -> f64 {
        let open = |id: &UrlId| self.state.unseen(*id) && !self.is_kin(*id) && !self.is_variant(*id);
        (0..self.state.urls.len() as UrlId).filter(open).map(|id| f64::from(self.chance[id as usize])).sum()
    }

    /// Further pages of lists that showed pages of the kind, not asked for.
    fn open_lists(&self) -> usize {
        let of_list = |id: &UrlId| self.state.unseen(*id) && !self.is_kin(*id) && self.series(*id).is_some();
        (0..self.state.urls.len() as UrlId).filter(of_list).count()
    }

    /// What pages that nobody asked for would show, all of them, and the most promising one.
    fn not_shown_yet(&self, yields: &[f64]) -> (f64, f64) {
        let arms = self.arms(yields);
        let (mut open, mut untried): (FxHashMap<ArmKey, usize>, FxHashSet<ArmKey>) = Default::default();
        for id in (0..self.state.urls.len() as UrlId).filter(|&id| self.state.unseen(id) && !self.is_variant(id)) {
            let series = self.series(id).map(ArmKey::Series).filter(|key| arms.contains_key(key));
            let [own, _, _] = self.arm_keys(id);
            match series.or_else(|| own.iter().copied().find(|key| arms.contains_key(key))) {
                Some(tried) => *open.entry(tried).or_default() += 1,
                None => untried.extend(own.first().copied()),
            }
        }
        let nothing = Promise { kin: 0.0, looks: 0.3 };
        // Further pages of a list show as many as those before; other pages share what they show.
        let most = |key: &ArmKey| if matches!(key, ArmKey::Series(_)) { f64::INFINITY } else { 1.0 };
        let expected = |key: &ArmKey| arms[key].expected(nothing);
        let tried: f64 = open.iter().map(|(key, count)| expected(key).min(most(key)) * (*count as f64)).sum();
        let first_look = self.first_look(yields);
        let promise = open.keys().map(expected).fold(if untried.is_empty() { 0.0 } else { first_look }, f64::max);
        (tried + untried.len() as f64 * first_look, promise)
    }

    /// What the first look at links of one sort showed of late, on average.
    fn first_look(&self, yields: &[f64]) -> f64 {
        let mut tried: FxHashSet<ArmKey> = FxHashSet::default();
        let mut shown: Vec<f64> = Vec::new();
        for &asked in &self.state.asked {
            let id = self.state.resolve(asked);
            let [own, _, _] = self.arm_keys(id);
            let first = !own.is_empty() && own.iter().all(|key| !tried.contains(key));
            tried.extend(own);
            if first {
                shown.push(match self.state.states[id as usize] {
                    State::Looked(page) => yields[page],
                    _ => 0.0,
                });
            }
        }
        let last = &shown[shown.len().saturating_sub(FIRST_LOOKS)..];
        last.iter().map(|shown| shown.min(1.0)).sum::<f64>() / (last.len() as f64 + 1.0)
    }

    /// The two routes that showed most, and how many pages of the answer one page showed, and two did.
    fn routes(&self, found: &FxHashSet<UrlId>) -> (Option<Recapture>, usize, usize) {
        let mut shown: FxHashMap<Route, FxHashSet<UrlId>> = FxHashMap::default();
        let mut times: FxHashMap<UrlId, usize> = FxHashMap::default();
        for page in &self.state.looked {
            let route = if self.is_kin(page.id) { Route::Kin } else { Route::Lists(self.state.cell(page.id)) };
            for to in self.of_answer(page, found) {
                shown.entry(route).or_default().insert(to);
                *times.entry(to).or_default() += 1;
            }
        }
        let mapped = found.iter().filter(|&&id| self.state.urls[id as usize].mapped);
        shown.insert(Route::Sitemap, mapped.copied().collect());
        let mut routes: Vec<(usize, Route)> = shown.iter().map(|(route, pages)| (pages.len(), *route)).collect();
        routes.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let recapture = match routes[..] {
            [(first, one), (second, other), ..] => {
                Recapture::of(first, second, shown[&one].intersection(&shown[&other]).count())
            }
            _ => None,
        };
        let seen = |count: usize| times.values().filter(|&&times| times == count).count();
        (recapture, seen(1), seen(2))
    }

    /// The pages of the answer that a page points to.
    fn of_answer(&self, page: &Looked, found: &FxHashSet<UrlId>) -> FxHashSet<UrlId> {
        let to = page.links.iter().map(|(id, _)| self.state.resolve(*id));
        to.filter(|id| found.contains(id)).collect()
    }

    /// What the list with the most pages of the answer states, and what all lists state beyond what they showed.
    fn stated(&self, found: &FxHashSet<UrlId>) -> (Option<Stated>, u64) {
        let mut shown: FxHashMap<usize, FxHashSet<UrlId>> = FxHashMap::default();
        let mut pages: Vec<ListPage> = Vec::new();
        for (place, page) in self.state.looked.iter().enumerate().filter(|(_, page)| !self.is_kin(page.id)) {
            let rows = self.rows(page, found);
            if rows.len() < LIST {
                continue;
            }
            let list = self.series(page.id).unwrap_or(place);
            pages.push(ListPage { list, rows: rows.len(), last: page.last_page, numbers: &page.numbers });
            shown.entry(list).or_default().extend(rows);
        }
        let totals = totals(&pages);
        let short = totals.iter().map(|total| total.least.saturating_sub(shown[&total.list].len() as u64)).sum();
        let largest = totals.into_iter().max_by_key(|total| (total.most, std::cmp::Reverse(total.list)));
        let stated = largest.map(|total| {
            let url = self.state.urls[self.state.looked[total.list].id as usize].url.to_string();
            Stated { least: total.least, most: total.most, shown: shown[&total.list].len(), text: total.text, url }
        });
        (stated, short)
    }

    /// The pages of the answer in the place of a page that shows most of them.
    fn rows(&self, page: &Looked, found: &FxHashSet<UrlId>) -> FxHashSet<UrlId> {
        let mut places: FxHashMap<u32, FxHashSet<UrlId>> = FxHashMap::default();
        for (id, place) in &page.links {
            let to = self.state.resolve(*id);
            if found.contains(&to) {
                places.entry(*place).or_default().insert(to);
            }
        }
        let most = places.into_iter().max_by_key(|(place, rows)| (rows.len(), std::cmp::Reverse(*place)));
        most.map(|(_, rows)| rows).unwrap_or_default()
    }
}
