//! Which page is worth asking for next? Pages that may show kin for the first time, by how many they are expected to show: by what their
//! *arm* showed so far ([`super::arms`]); where nobody has tried it, by what their address promises.

use super::Search;
use super::arms::{Arm, ArmKey, Promise, SHOWN};
use super::state::UrlId;
use crate::discover::Signal;
use crate::page::shape::Shape;
use crate::pages::Pages;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use xxhash_rust::xxh3::xxh3_64;

/// What is known, at one moment, of where more pages of the kind may be shown.
pub(super) struct Frontier {
    pub arms: FxHashMap<ArmKey, Arm>,
    /// See [`Search::yields`].
    pub yields: Vec<f64>,
    novelty: f64,
    branches: Branches,
}

pub(super) struct Sources {
    pub urls: Vec<UrlId>,
    pub expected: f64,
    /// What is expected, relative to what a download must bring.
    pub worth: f64,
    /// How many pages like them, the last in a row, showed kin.
    tried: usize,
    pub frontier: Frontier,
    /// Other pages, those expected to show most first, whose likes have shown kin: with what is expected, and how little of that is too little.
    pub giving: Vec<Ranked>,
    pub floor: f64,
}

/// A page not looked at, and what is expected of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked {
    pub id: UrlId,
    pub expected: f64,
    /// Pages like it have shown kin; and the last so many in a row.
    pub gives: bool,
    pub streak: usize,
}

impl Ranked {
    /// The one expected to show more; of two alike the one known longer.
    pub fn order(&self, other: &Self) -> Ordering {
        self.expected.total_cmp(&other.expected).then(other.id.cmp(&self.id))
    }
}

/// The folder tree of the site, as far as it was seen.
#[derive(Default)]
struct Branches {
    /// Unseen addresses of each arm.
    alike: FxHashMap<ArmKey, usize>,
    /// Folders that all addresses have in common.
    site_folders: usize,
    /// Folders in or below which a page was looked at.
    looked_at: FxHashSet<u64>,
    /// Depth and name of the addresses in the folders above a sample.
    above_samples: FxHashSet<(usize, u64)>,
}

fn branch(folders: &[String]) -> u64 {
    xxh3_64(folders.join("/").as_bytes())
}

/// Kin expected of the page that opens a branch of the folder tree nobody has looked into: that the known branches are used up says
/// nothing of it.
const OTHER_BRANCH: f64 = 2.0;

/// Pages of one arm asked for in one go, until a long row of finds makes the arm sure.
const MOST_AT_ONCE: usize = 8;

/// After so many finds in a row: as many as that at first, then an eighth of it, so that little is asked in vain at the end and a
/// site of thousands of lists is not thought about after every few.
pub(super) fn at_once(streak: usize) -> usize {
    streak.clamp(1, MOST_AT_ONCE).max(streak / 8)
}

/// What the first look at an arm is worth more for each e-fold of pages it speaks for. Tried on the open sites: 0 loses lists that
/// nobody asked for, 0.3 to 1.5 are alike.
const SPOKEN_FOR: f64 = 0.7;

/// What a page whose likes have shown kin must promise, at most.
const GIVING: f64 = 0.08;

/// Looks in vain that do not make the search weary.
const FREE: u32 = 10;

/// Looks from which on a page must promise the full price.
const PATIENCE: f64 = 40.0;

impl<P: Pages> Search<'_, P> {
    fn frontier(&self) -> Frontier {
        let yields = self.yields();
        let arms = self.arms(&yields);
        let novelty = self.novelty(&yields);
        let mut branches = self.branches(self.site_folders);
        for id in (0..self.state.urls.len() as UrlId).filter(|&id| self.state.unseen(id)) {
            self.each_own_arm(id, |key| *branches.alike.entry(key).or_default() += 1);
        }
        Frontier { arms, yields, novelty, branches }
    }

    /// All pages not looked at that may show something.
    fn ranked<'s>(&'s self, frontier: &'s Frontier) -> impl Iterator<Item = Ranked> + 's {
        // Kin share one arm, so a few of them stand for all.
        let most = MOST_AT_ONCE.max(self.further_looks());
        let mut kin = 0;
        let unseen = (0..self.state.urls.len() as UrlId).filter(|&id| self.state.unseen(id));
        let wanted = unseen.filter(move |&id| {
            kin += usize::from(self.is_kin(id));
            !self.is_kin(id) || kin <= most
        });
        wanted.map(|id| self.expected(id, frontier)).filter(|source| source.expected > 0.0)
    }

    /// The most promising pages; none when they promise less than a download costs, unless it may cost `anything`.
    pub(super) fn next_sources(&mut self, anything: bool) -> Option<Sources> {
        let found = self.found();
        let nothing_yet = anything || found <= self.samples.len() + 1 && self.failures < 60;
        // Where each page so far showed but one, a page that may show half a one is worth asking for.
        let usual = found as f64 / self.state.downloads.max(1) as f64;
        let price = (0.004 * found as f64).min(0.3 * usual).clamp(0.2, 0.9);
        // A few dozen looks are paid gladly; only then must they pay.
        let patience = (self.state.looked.len() as f64 / PATIENCE).clamp(0.1, 1.0);
        let price = price * patience;
        let floor = |source: &Ranked| match (nothing_yet, source.gives) {
            (true, _) => 0.0,
            (_, true) => price.min(GIVING),
            _ => price,
        };
        let frontier = self.frontier();
        let (mut giving, mut other): (Vec<Ranked>, Option<Ranked>) = (Vec::new(), None);
        for source in self.ranked(&frontier).filter(|source| source.expected >= floor(source)) {
            if source.gives {
                giving.push(source);
            } else if other.is_none_or(|other| source.order(&other) == Ordering::Greater) {
                other = Some(source);
            }
        }
        giving.sort_unstable_by(|a, b| b.order(a));
        let best = giving.first().copied().into_iter().chain(other).max_by(Ranked::order)?;
        let mut urls = vec![best.id];
        if best.gives {
            let alike = giving.iter().take_while(|other| best.expected - other.expected < 1e-9);
            urls = alike.take(at_once(best.streak)).map(|source| source.id).collect();
            giving.drain(..urls.len());
        } else {
            giving.clear();
        }
        let worth = best.expected / floor(&best).max(0.2);
        let (expected, tried, floor) = (best.expected, best.streak, floor(&best));
        Some(Sources { urls, expected, worth, tried, frontier, giving, floor })
    }

    /// What is expected of a page not looked at.
    pub(super) fn expected(&self, id: UrlId, frontier: &Frontier) -> Ranked {
        let Frontier { arms, yields, novelty, branches } = frontier;
        let ranked = |(expected, gives, streak)| Ranked { id, expected, gives, streak };
        let known = &self.state.urls[id as usize];
        if known.places.is_empty() || self.is_variant(id) {
            return ranked((0.0, false, 0));
        }
        let mut promise = self.promise(id, yields, branches.site_folders);
        promise.kin *= novelty;
        if promise.kin < OTHER_BRANCH && self.uses(Signal::Branches) && self.opens_branch(id, branches) {
            promise = Promise { kin: OTHER_BRANCH, looks: 0.3 };
        }
        // What the list showed so far tells most of its further pages.
        if let Some(arm) = self.series(id).and_then(|first| arms.get(&ArmKey::Series(first))).filter(|arm| arm.gives) {
            return ranked((arm.expected(promise), true, arm.streak));
        }
        let [own, name, alike] = self.arm_keys(id);
        let best = |keys: &[ArmKey]| -> Option<(f64, bool, usize)> {
            let tried =
                keys.iter().filter_map(|key| arms.get(key)).map(|arm| (arm.expected(promise), arm.gives, arm.streak));
            tried.max_by(|a, b| a.0.total_cmp(&b.0))
        };
        // Pages of its name elsewhere, pages beside it: what neither of them shows, it will not show.
        let tried = match (best(&own), best(&name)) {
            (Some(own), Some(name)) => Some(if own.0 < name.0 { own } else { name }),
            (own, name) => own.or(name).or_else(|| best(&alike)),
        };
        if let Some(tried) = tried {
            return ranked(tried);
        }
        // The first look at pages reached alike speaks for all of them.
        let alike = own.iter().filter_map(|key| branches.alike.get(key)).max().copied().unwrap_or(1);
        ranked((promise.kin * (1.0 + SPOKEN_FOR * (alike as f64).ln()), false, 0))
    }

    /// The branches of the folder tree seen so far.
    fn branches(&self, site_folders: usize) -> Branches {
        let mut branches = Branches { site_folders, ..Branches::default() };
        for page in &self.state.looked {
            let folders = &self.state.urls[page.id as usize].shape.folders;
            branches.looked_at.extend((1..=folders.len()).map(|length| branch(&folders[..length])));
        }
        for known in self.state.urls.iter().filter(|known| known.shape.folders.len() > site_folders) {
            let above = |sample: &UrlId| in_folder_above(&known.shape, &self.state.urls[*sample as usize].shape);
            if self.samples.iter().any(above) {
                branches.above_samples.insert((known.shape.folders.len(), known.name));
            }
        }
        branches
    }

    /// Is it the counterpart, in a branch where no page was looked at, of a page above a sample?
    fn opens_branch(&self, id: UrlId, branches: &Branches) -> bool {
        let known = &self.state.urls[id as usize];
        let folders = &known.shape.folders;
        if !branches.above_samples.contains(&(folders.len(), known.name)) {
            return false;
        }
        let common = |sample: &UrlId| {
            let sample = &self.state.urls[*sample as usize].shape.folders;
            folders.iter().zip(sample).take_while(|(a, b)| a == b).count()
        };
        let common = self.samples.iter().map(common).max().unwrap_or(0);
        common < folders.len() && !branches.looked_at.contains(&branch(&folders[..=common]))
    }

    /// What an address promises before any page like it was looked at.
    fn promise(&self, id: UrlId, yields: &[f64], site_folders: usize) -> Promise {
        let known = &self.state.urls[id as usize];
        let weary = 0.85f64.powi(self.failures.saturating_sub(FREE) as i32);
        let mut promise = Promise { kin: 0.7 * weary, looks: 0.3 };
        let mut raise = |kin: f64, looks: f64| {
            if kin > promise.kin {
                promise = Promise { kin, looks };
            }
        };
        for &sample in self.samples.iter().filter(|_| self.uses(Signal::Ancestors)) {
            let shape = &self.state.urls[sample as usize].shape;
            if let Some(steps) = steps_above(&known.shape, shape) {
                raise(20.0 / steps as f64, 0.5);
            }
            raise(6.0 * nearness(&known.shape, shape, site_folders) * weary, 0.3);
            let linked = self.state.first(id).is_some_and(|first| self.state.looked[first].id == sample);
            if linked && known.shape.folders.len() > site_folders && in_folder_above(&known.shape, shape) {
                raise(1.5, 0.3);
            }
        }
        if known.guided || known.named_alike && self.uses(Signal::Ancestors) {
            raise(8.0, 0.5);
        }
        if let Some(first) = self.state.first(id) {
            let lister = self.state.looked[first].id;
            if self.samples.contains(&lister) || yields[first] >= 2.0 {
                raise(1.5 * weary, 0.3);
            }
            if yields[first] >= 2.0 && self.like_index(lister, id) {
                raise(6.0, 1.0);
            }
        }
        if let Some(lister) =
            known.pager_of.filter(|&lister| yields[lister] >= 2.0 && !self.is_kin(self.state.looked[lister].id))
        {
            raise(0.8 * yields[lister], 1.0);
        }
        if self.is_kin(id) {
            promise.kin = promise.kin.min(1.0);
        }
        promise
    }

    /// Could `id` be another page of the index `lister`: same shape, or the same page with more parameters?
    fn like_index(&self, lister: UrlId, id: UrlId) -> bool {
        let (a, b) = (&self.state.urls[lister as usize].shape, &self.state.urls[id as usize].shape);
        let more = a.folders == b.folders
            && a.last_part() == b.last_part()
            && b.parameters.len() > a.parameters.len()
            && a.parameters.iter().all(|parameter| b.parameters.contains(parameter));
        more || self.state.cell(lister) == self.state.cell(id)
    }

    /// Folders that all addresses of the site have in common.
    pub(super) fn site_folders(&self) -> usize {
        let first = &self.state.urls[self.samples[0] as usize].shape.folders;
        let deep = self.state.urls.iter().filter(|known| known.shape.folders.len() >= 2 && !known.places.is_empty());
        deep.map(|known| known.shape.folders.iter().zip(first).take_while(|(a, b)| a == b).count()).min().unwrap_or(0)
    }

    /// Of the kin that the last pages showed, how many were new?
    pub(super) fn novelty(&self, yields: &[f64]) -> f64 {
        let (mut new, mut all) = (1.0, 1.0);
        let mut weight = 1.0;
        let mut telling = 0;
        for (place, page) in self.state.looked.iter().enumerate().rev() {
            let shown = page.links.iter().filter(|(id, _)| self.is_kin(*id)).count() as f64;
            if shown > 0.0 {
                new += weight * yields[place].min(shown) / shown;
                all += weight;
                weight *= 0.8;
                telling += 1;
            }
            if telling == 12 {
                break;
            }
        }
        new / all
    }

    /// Sources in vain make the search weary of sources never tried; finds encourage it.
    pub(super) fn count_failures(&mut self, sources: &Sources, before: usize) {
        for shown in self.yields().split_off(before) {
            if shown >= SHOWN {
                self.failures = self.failures.saturating_sub(3);
            } else if sources.tried == 0 {
                self.failures += 1;
            }
        }
    }
}

/// How many steps `above` stands over `below` in the address tree; none when it does not.
pub(super) fn steps_above(above: &Shape, below: &Shape) -> Option<usize> {
    // The last part of an address is a folder for those below it.
    let is_index = matches!(above.last.as_str(), "" | "index" | "default" | "home");
    let parts = above.folders.len() + usize::from(!is_index);
    let last = (!is_index).then_some(above.last.as_str());
    let prefix = below.folders.len() >= parts
        && below.folders.starts_with(&above.folders)
        && last.is_none_or(|last| below.folders[above.folders.len()] == last);
    (prefix && above.parameters.is_empty() && (above.last != below.last || above.folders != below.folders))
        .then(|| below.folders.len() - parts + 1)
}

/// Does the address stand in a folder above the kin's?
fn in_folder_above(shape: &Shape, kin: &Shape) -> bool {
    shape.folders.len() < kin.folders.len() && kin.folders.starts_with(&shape.folders)
}

/// The share of the kin's folders that an address stands in, those of the whole site left out.
fn nearness(shape: &Shape, kin: &Shape, site: usize) -> f64 {
    let common = shape.folders.iter().zip(&kin.folders).take_while(|(a, b)| a == b).count();
    if kin.folders.len() <= site || common <= site {
        0.0
    } else {
        (common - site) as f64 / (kin.folders.len() - site) as f64
    }
}
