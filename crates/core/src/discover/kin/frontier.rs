//! Which page is worth asking for next? Pages that may show kin for the first time, by how many they are expected to show.
//!
//! An address's *arm* is its cell and a place it is linked from: pages reached alike tend to show alike. An arm is known by what
//! its pages showed, the last ones most; an arm never tried by what its address promises.

use super::Search;
use super::nodes::NodeId;
use super::state::{PlaceId, State, UrlId};
use crate::discover::Signal;
use crate::page::shape::{Form, Shape};
use crate::pages::Pages;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Pages that are expected to show alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ArmKey {
    Cell(NodeId, PlaceId),
    /// The last part of the address, or the names of its parameters.
    Name(NodeId, u64),
    Outline(NodeId, Form, PlaceId),
    /// The further pages of one list, by the looked-at page they begin at.
    Series(usize),
    /// All kin: pages of one kind show alike.
    Kin,
}

pub struct Sources {
    pub urls: Vec<UrlId>,
    pub expected: f64,
    /// What is expected, relative to what a download must bring.
    pub worth: f64,
    /// How many pages like them, the last in a row, showed kin.
    tried: usize,
}

/// Kin expected of a page, and how many looks that expectation is worth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Promise {
    pub kin: f64,
    pub looks: f64,
}

/// A page not looked at, and what is expected of it.
struct Ranked {
    id: UrlId,
    expected: f64,
    /// Pages like it have shown kin; and the last so many in a row.
    gives: bool,
    streak: usize,
}

/// What the pages of an arm showed, newest last.
#[derive(Default)]
pub(super) struct Arm {
    shown: Vec<f64>,
    /// Addresses that did not answer: they say nothing of what those that answer show.
    dead: f64,
}

/// That addresses of an arm answer counts as half a look before any was asked for.
const HALF_A_LOOK: f64 = 0.5;

/// An older look counts so much less than the one after it.
const FADING: f64 = 0.85;

impl Arm {
    /// What the pages of the arm showed on average, times the chance that the arm is not used up: each look that showed
    /// nothing speaks for that, the more so the more was usual.
    pub fn expected(&self, promise: Promise) -> f64 {
        let empty = self.shown.iter().rev().take_while(|&&shown| shown < 0.5).count();
        let (mut sum, mut weight, mut w) = (promise.kin * promise.looks, promise.looks, 1.0);
        for shown in self.shown[..self.shown.len() - empty].iter().rev() {
            sum += shown * w;
            weight += w;
            w *= FADING;
        }
        let usual = sum / weight;
        let odds = ODDS * (-usual.min(1.0) * empty as f64).exp();
        let alive = self.shown.len() as f64 + HALF_A_LOOK;
        usual * odds / (1.0 + odds) * alive / (alive + self.dead)
    }

    fn gives(&self) -> bool {
        self.shown.iter().any(|&shown| shown >= 0.5)
    }

    /// How many of the last looks in a row showed something.
    fn streak(&self) -> usize {
        self.shown.iter().rev().take_while(|&&shown| shown >= 0.5).count()
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
fn at_once(streak: usize) -> usize {
    streak.clamp(1, MOST_AT_ONCE).max(streak / 8)
}

/// What the first look at an arm is worth more for each e-fold of pages it speaks for. Tried on the open sites: 0 loses lists that
/// nobody asked for, 0.3 to 1.5 are alike.
const SPOKEN_FOR: f64 = 0.7;

/// What is shown one step further on counts so much less.
const STEP: f64 = 0.5;

/// Looks in vain that do not make the search weary.
const FREE: u32 = 10;

/// Looks from which on a page must promise the full price.
const PATIENCE: f64 = 40.0;

/// An address that may be of the kind counts as shown: what it is can be told later.
const HOPE: f32 = 0.4;

/// The odds given to an arm of not being used up.
const ODDS: f64 = 4.0;

impl<P: Pages> Search<'_, P> {
    /// For each looked-at page: how many kin it was the first to show.
    pub(super) fn yields(&self) -> Vec<f64> {
        let mut yields = vec![0.0; self.state.looked.len()];
        for (id, known) in self.state.urls.iter().enumerate() {
            if let Some(first) = self.state.first(id as UrlId).filter(|_| !known.mapped) {
                yields[first] += f64::from(u8::from(self.chance[id] >= HOPE));
            }
        }
        yields
    }

    /// What each looked-at page led to: the kin it was the first to show, and half of what the pages it was the first to show led to. So
    /// a page that shows lists is known for it.
    fn led_to(&self, yields: &[f64]) -> Vec<f64> {
        let mut led = yields.to_vec();
        for place in (0..led.len()).rev() {
            let id = self.state.looked[place].id;
            if let Some(first) = self.state.first(id).filter(|&first| first < place && !self.is_kin(id)) {
                led[first] += STEP * led[place];
            }
        }
        led
    }

    /// All pages not looked at, by what is expected of them.
    fn ranked_sources(&self) -> Vec<Ranked> {
        let yields = self.yields();
        let arms = self.arms(&yields);
        let novelty = self.novelty(&yields);
        let site_folders = self.site_folders;
        let mut branches = self.branches(site_folders);
        for id in (0..self.state.urls.len() as UrlId).filter(|&id| self.state.unseen(id)) {
            for key in self.arm_keys(id)[0].iter() {
                *branches.alike.entry(*key).or_default() += 1;
            }
        }
        // Kin share one arm, so a few of them stand for all.
        let mut kin = 0;
        let mut ranked: Vec<Ranked> = (0..self.state.urls.len() as UrlId)
            .filter(|&id| {
                self.state.unseen(id)
                    && !(self.is_kin(id) && {
                        kin += 1;
                        kin > MOST_AT_ONCE
                    })
            })
            .map(|id| {
                let (expected, gives, streak) = self.expected(id, &arms, &yields, novelty, &branches);
                Ranked { id, expected, gives, streak }
            })
            .filter(|source| source.expected > 0.0)
            .collect();
        ranked.sort_by(|a, b| b.expected.total_cmp(&a.expected).then(a.id.cmp(&b.id)));
        ranked
    }

    /// The most promising pages; none when they promise less than a download costs, unless it may cost `anything`.
    pub(super) fn next_sources(&mut self, anything: bool) -> Option<Sources> {
        let found = self.found();
        let ranked = self.ranked_sources();
        let nothing_yet = anything || found <= self.samples.len() + 1 && self.failures < 60;
        // Where each page so far showed but one, a page that may show half a one is worth asking for.
        let usual = found as f64 / self.state.downloads.max(1) as f64;
        let price = (0.004 * found as f64).min(0.3 * usual).clamp(0.2, 0.9);
        // A few dozen looks are paid gladly; only then must they pay.
        let patience = (self.state.looked.len() as f64 / PATIENCE).clamp(0.1, 1.0);
        let price = price * patience;
        let floor = |source: &Ranked| match (nothing_yet, source.gives) {
            (true, _) => 0.0,
            (_, true) => price.min(0.08),
            _ => price,
        };
        let best = ranked.iter().find(|source| source.expected >= floor(source) && source.expected > 0.0)?;
        let size = if best.gives { at_once(best.streak) } else { 1 };
        let alike =
            ranked.iter().filter(|other| other.gives == best.gives && (best.expected - other.expected).abs() < 1e-9);
        let urls = alike.take(size).map(|source| source.id).collect();
        let worth = best.expected / floor(best).max(0.2);
        Some(Sources { urls, expected: best.expected, worth, tried: best.streak })
    }

    pub(super) fn arms(&self, yields: &[f64]) -> FxHashMap<ArmKey, Arm> {
        let mut arms: FxHashMap<ArmKey, Arm> = FxHashMap::default();
        if !self.uses(Signal::Yields) {
            return arms;
        }
        let led = self.led_to(yields);
        for &asked in &self.state.asked {
            let id = self.state.resolve(asked);
            let place = match self.state.states[id as usize] {
                State::Looked(place) => place,
                _ => {
                    let [own, _, alike] = self.arm_keys(asked);
                    for key in own.into_iter().chain(alike) {
                        arms.entry(key).or_default().dead += 1.0;
                    }
                    continue;
                }
            };
            let page = &self.state.looked[place];
            // That the address above the sample lists kin says nothing of the pages beside it in the menu.
            let shape = &self.state.urls[page.id as usize].shape;
            if self.samples.iter().any(|&sample| steps_above(shape, &self.state.urls[sample as usize].shape).is_some())
            {
                continue;
            }
            let series = self.series(page.id).unwrap_or(place);
            arms.entry(ArmKey::Series(series)).or_default().shown.push(yields[place]);
            for key in self.arm_keys(page.id).into_iter().flatten() {
                let shown = match key {
                    ArmKey::Kin => yields[place],
                    ArmKey::Name(..) => led[place].max(self.relevance(place, yields)),
                    _ => led[place],
                };
                arms.entry(key).or_default().shown.push(shown);
            }
        }
        arms
    }

    /// The first page of the list that this address is a further page of.
    pub(super) fn series(&self, id: UrlId) -> Option<usize> {
        let lister = |id: UrlId| {
            let of = self.state.urls[id as usize].pager_of?;
            (!self.is_kin(self.state.looked[of].id)).then_some(of)
        };
        let first = lister(id)?;
        let before = |&page: &usize| lister(self.state.looked[page].id).filter(|&of| of < page);
        std::iter::successors(Some(first), before).last()
    }

    /// A page in a folder above a sample's shows little that is new, because the search began below it. What it would have shown to
    /// somebody who came from elsewhere tells what its likes in other folders will show.
    fn relevance(&self, place: usize, yields: &[f64]) -> f64 {
        let folders = &self.state.urls[self.state.looked[place].id as usize].shape.folders;
        let above = self.samples.iter().any(|&sample| {
            let below = &self.state.urls[sample as usize].shape.folders;
            folders.len() < below.len() && below.starts_with(folders)
        });
        if !above {
            return 0.0;
        }
        let gives = |id: &UrlId| match self.state.states[*id as usize] {
            State::Looked(page) => yields[page] >= 3.0,
            _ => false,
        };
        let links = &self.state.looked[place].links;
        let relevant = links.iter().filter(|(id, _)| self.is_kin(*id) || gives(id)).count();
        if relevant >= 3 { 0.5 * relevant as f64 } else { 0.0 }
    }

    /// The arms an address belongs to: first those of its own cell, then pages of its name in other folders, then of its outline.
    pub(super) fn arm_keys(&self, id: UrlId) -> [Vec<ArmKey>; 3] {
        if self.is_kin(id) {
            return [vec![ArmKey::Kin], Vec::new(), Vec::new()];
        }
        let known = &self.state.urls[id as usize];
        let cell = self.state.cell(id);
        let outline = self.state.outline(id);
        let form = Form::of(&known.shape.last);
        let own = known.places.iter().map(|&at| ArmKey::Cell(cell, at)).collect();
        let alike = known.places.iter().map(|&at| ArmKey::Outline(outline, form, at)).collect();
        // Parameters mean the same all over a site, folders and last parts within their outline.
        let scope = if known.shape.parameters.is_empty() { outline } else { NodeId::MAX };
        [own, vec![ArmKey::Name(scope, known.name)], alike]
    }

    fn expected(
        &self,
        id: UrlId,
        arms: &FxHashMap<ArmKey, Arm>,
        yields: &[f64],
        novelty: f64,
        branches: &Branches,
    ) -> (f64, bool, usize) {
        let known = &self.state.urls[id as usize];
        if known.places.is_empty() || self.is_variant(id) {
            return (0.0, false, 0);
        }
        let mut promise = self.promise(id, yields, branches.site_folders);
        promise.kin *= novelty;
        if promise.kin < OTHER_BRANCH && self.uses(Signal::Branches) && self.opens_branch(id, branches) {
            promise = Promise { kin: OTHER_BRANCH, looks: 0.3 };
        }
        // What the list showed so far tells most of its further pages.
        if let Some(arm) = self.series(id).and_then(|first| arms.get(&ArmKey::Series(first))).filter(|arm| arm.gives())
        {
            return (arm.expected(promise), true, arm.streak());
        }
        let [own, name, alike] = self.arm_keys(id);
        let best = |keys: &[ArmKey]| -> Option<(f64, bool, usize)> {
            let tried = keys
                .iter()
                .filter_map(|key| arms.get(key))
                .map(|arm| (arm.expected(promise), arm.gives(), arm.streak()));
            tried.max_by(|a, b| a.0.total_cmp(&b.0))
        };
        // Pages of its name elsewhere, pages beside it: what neither of them shows, it will not show.
        let tried = match (best(&own), best(&name)) {
            (Some(own), Some(name)) => Some(if own.0 < name.0 { own } else { name }),
            (own, name) => own.or(name).or_else(|| best(&alike)),
        };
        if let Some(tried) = tried {
            return tried;
        }
        // The first look at pages reached alike speaks for all of them.
        let alike = own.iter().filter_map(|key| branches.alike.get(key)).max().copied().unwrap_or(1);
        (promise.kin * (1.0 + SPOKEN_FOR * (alike as f64).ln()), false, 0)
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
    fn novelty(&self, yields: &[f64]) -> f64 {
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
            if shown >= 0.5 {
                self.failures = self.failures.saturating_sub(3);
            } else if sources.tried == 0 {
                self.failures += 1;
            }
        }
    }
}

/// How many steps `above` stands over `below` in the address tree; none when it does not.
pub(super) fn steps_above(above: &Shape, below: &Shape) -> Option<usize> {
    let mut parts: Vec<&str> = above.folders.iter().map(String::as_str).collect();
    if !above.last.is_empty() {
        parts.push(&above.last);
    }
    let is_index = matches!(above.last.as_str(), "index" | "default" | "home");
    if is_index {
        parts.pop();
    }
    let prefix = below.folders.len() >= parts.len() && parts.iter().zip(&below.folders).all(|(a, b)| *a == b.as_str());
    (prefix && above.parameters.is_empty() && (above.last != below.last || above.folders != below.folders))
        .then(|| below.folders.len() - parts.len() + 1)
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
