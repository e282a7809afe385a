//! What was seen on the way, with the truth beside it: the rows that parameters are fitted on.
//!
//! - [`collect`]: a search in which a [`Truth`] labels every page looked at, because rows collected under wrong verdicts spoil the fit.
//! - [`Rows`]: pages by content ([`ContentRow`]) and states of the search ([`StateRow`]).
//! - [`collect_found`]: the pages that a search finds which nobody teaches ([`FoundRow`]).

use super::Search;
use super::nodes::NodeId;
use super::state::{State, UrlId};
use crate::discover::Settings;
use crate::discover::kin::answer::CONFIDENCE;
use crate::discover::kin::prior::PRIORS;
use crate::features::kind::{FEATURES, Reference};
use crate::features::profile::Profile;
use crate::pages::Pages;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Is the address of the kind? None when that is not known, or no page is there.
pub type Truth<'t> = dyn Fn(&Url) -> Option<bool> + Send + Sync + 't;

/// Looks after which the state of the search is kept.
const KEPT: [usize; 7] = [2, 5, 9, 14, 22, 35, 55];

/// Addresses kept of one state.
const TARGETS: usize = 250;

#[derive(Default, Clone)]
pub struct Rows {
    pub content: Vec<ContentRow>,
    pub states: Vec<StateRow>,
}

#[derive(Clone)]
pub struct ContentRow {
    pub features: [f64; FEATURES],
    pub kin: bool,
}

#[derive(Clone)]
pub struct StateRow {
    /// Per node used: its kind.
    pub kinds: Vec<u8>,
    /// The samples first.
    pub looked: Vec<Target>,
    pub samples: usize,
    pub open: Vec<Target>,
}

#[derive(Clone)]
pub struct Target {
    pub prior: [f64; PRIORS],
    pub nodes: Vec<(NodeId, f64)>,
    pub kin: bool,
    /// What content says, for pages looked at.
    pub features: Option<Box<[f64; FEATURES]>>,
}

#[derive(Clone)]
pub struct FoundRow {
    pub features: [f64; CONFIDENCE],
    pub kin: bool,
}

pub(super) struct Teacher<'t> {
    truth: &'t Truth<'t>,
    rows: Rows,
    next: usize,
}

impl Teacher<'_> {
    pub fn tells(&self, url: &Url) -> Option<bool> {
        (self.truth)(url)
    }
}

/// Searches with the truth at hand.
pub async fn collect<P: Pages>(pages: &P, samples: &[Url], settings: &Settings, truth: &Truth<'_>) -> Rows {
    let site = settings.site(&samples[0]);
    let mut search = Search::new(pages, samples, settings, site);
    search.teacher = Some(Teacher { truth, rows: Rows::default(), next: 0 });
    let _ = search.run().await;
    search.teacher.map(|teacher| teacher.rows).unwrap_or_default()
}

/// Searches as users do, and only then asks for the truth.
pub async fn collect_found<P: Pages>(
    pages: &P,
    samples: &[Url],
    settings: &Settings,
    truth: &Truth<'_>,
) -> Vec<FoundRow> {
    let site = settings.site(&samples[0]);
    let mut search = Search::new(pages, samples, settings, site);
    let _ = search.run().await;
    search.update();
    let (rungs, default) = search.ladder();
    let found = search.all_found(&rungs[default].1);
    let others = rungs[default].1.iter().filter(|id| !search.samples.contains(id));
    let row = |id: &UrlId| {
        let kin = truth(&search.state.urls[*id as usize].url)?;
        Some(FoundRow { features: search.confidence(*id, &found), kin })
    };
    others.filter_map(row).collect()
}

impl<P: Pages> Search<'_, P> {
    pub(super) fn collect<'t>(&self, mut teacher: Teacher<'t>) -> Teacher<'t> {
        let looked = self.state.looked.len();
        if teacher.next >= KEPT.len() || looked < KEPT[teacher.next] {
            return teacher;
        }
        while teacher.next < KEPT.len() && looked >= KEPT[teacher.next] {
            teacher.next += 1;
        }
        self.collect_content(&mut teacher);
        let state = self.collect_state(&teacher);
        teacher.rows.states.push(state);
        teacher
    }

    fn chance_of(&self, number: usize, seed: u64) -> u64 {
        let url = self.state.urls[number].url.as_str();
        xxh3_64_with_seed(url.as_bytes(), seed + self.state.looked.len() as u64)
    }

    /// With the sample alone, and with it and some others of the kind as reference.
    fn collect_content(&self, teacher: &mut Teacher) {
        let label = |page: usize| teacher.tells(&self.state.urls[self.state.looked[page].id as usize].url);
        let samples: Vec<usize> = self.samples.iter().filter_map(|&id| self.looked_at(id)).collect();
        let pages = 0..self.state.looked.len();
        let mut kin: Vec<usize> =
            pages.clone().filter(|page| label(*page) == Some(true) && !samples.contains(page)).collect();
        kin.sort_by_key(|&page| self.chance_of(self.state.looked[page].id as usize, 7));
        let profiles: Vec<&Profile> = self.state.looked.iter().map(|page| &page.profile).collect();
        let listed = |page: usize| self.listed(page);
        let mut sizes = vec![0, kin.len().min(2), kin.len().min(5), kin.len().min(11)];
        sizes.dedup();
        let mut rows = Vec::new();
        for size in sizes {
            let mut chosen = samples.clone();
            chosen.extend(&kin[..size]);
            let kind = Reference::new(&self.background, &profiles, &chosen, &listed);
            let sets = self.sets(&kind);
            for page in pages.clone().filter(|page| !chosen.contains(page) && !self.state.looked[*page].stub) {
                if let Some(kin) = label(page) {
                    let set = sets.get(&self.folder_of(page)).copied();
                    rows.push(ContentRow { features: kind.features(page, profiles[page], listed(page), set), kin });
                }
            }
        }
        teacher.rows.content.extend(rows);
    }

    fn collect_state(&self, teacher: &Teacher) -> StateRow {
        let target = |id: UrlId, kin: bool, features: Option<Box<[f64; FEATURES]>>| Target {
            prior: self.state.prior(id, self.samples[0]),
            nodes: self.node_weights(id).collect(),
            kin,
            features,
        };
        let mut looked: Vec<Target> = Vec::new();
        let sampled = self.samples.iter().filter_map(|&id| self.looked_at(id)).collect::<Vec<_>>();
        let order = sampled.iter().copied().chain((0..self.state.looked.len()).filter(|page| !sampled.contains(page)));
        let label = |page: usize| teacher.tells(&self.state.urls[self.state.looked[page].id as usize].url);
        let mut kin: Vec<usize> =
            (0..self.state.looked.len()).filter(|page| label(*page) == Some(true) && !sampled.contains(page)).collect();
        kin.sort_by_key(|&page| self.chance_of(self.state.looked[page].id as usize, 8));
        kin.truncate(5);
        let chosen: Vec<usize> = sampled.iter().copied().chain(kin).collect();
        let profiles: Vec<&Profile> = self.state.looked.iter().map(|page| &page.profile).collect();
        let listed = |page: usize| self.listed(page);
        let kind = Reference::new(&self.background, &profiles, &chosen, &listed);
        let sets = self.sets(&kind);
        for page in order {
            let id = self.state.looked[page].id;
            if let Some(kin) = teacher.tells(&self.state.urls[id as usize].url) {
                let features =
                    kind.features(page, profiles[page], listed(page), sets.get(&self.folder_of(page)).copied());
                looked.push(target(id, kin, Some(Box::new(features))));
            }
        }
        let mut open: Vec<(u64, UrlId, bool)> = Vec::new();
        for id in 0..self.state.urls.len() as UrlId {
            if self.state.states[id as usize] != State::Unseen
                || self.is_variant(id)
                || self.state.urls[id as usize].places.is_empty()
            {
                continue;
            }
            if let Some(kin) = teacher.tells(&self.state.urls[id as usize].url) {
                open.push((self.chance_of(id as usize, 9), id, kin));
            }
        }
        open.sort_unstable();
        open.truncate(TARGETS);
        let open = open.into_iter().map(|(_, id, kin)| target(id, kin, None)).collect();
        let kinds = (0..self.state.nodes.count() as NodeId).map(|node| self.state.nodes.kind(node) as u8).collect();
        StateRow { kinds, looked, samples: sampled.len(), open }
    }
}
