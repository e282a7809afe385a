//! Which pages would change the model? [`SiteState`], [`State`] → addresses to look at, none when nothing promises enough.
//!
//! A bag (pattern of address × place of the link) promises its chance of a surprise times the logarithm of its size: a class of a
//! thousand pages is worth more looks than one of ten, but not a hundred times as many. What was seen of the bag, of its pattern,
//! and of patterns of the same tree makes a surprise less likely. New patterns and new addresses are worth something too: what the
//! last looks at the bag, or at pages reached from the same place, showed. Two patterns that were taken for one class although their
//! folders differ are worth looks until there are pages enough to tell types apart.

use super::super::class_links::PlaceId;
use super::super::merge::SHOWN;
use super::super::pattern::Relation;
use super::site_state::{Fate, SiteState, UrlId};
use super::state::{PatternId, State};
use crate::pages::Pages;
use rustc_hash::{FxHashMap, FxHashSet};

/// Pages asked for at a time: as many as keep a polite fetcher busy, and few enough to learn from.
const ROUND: usize = 6;

/// What is not worth a look. Tried on the twelve sites: from 0.6 on whole regions are missed, below 0.2 nothing is gained.
const ENOUGH: f64 = 0.25;

/// What new addresses are worth, against surprises: a look that shows ten new ones is just worth it.
const GAIN: f64 = 0.12;

/// What a pattern of addresses is worth that nobody has seen: as much as a first look at the smallest bag.
const NOVEL: f64 = 0.7;

/// Addresses of a bag that led to no page before the others are taken to lead to none; of a pattern, twice as many.
const DEAD: usize = 2;

/// What it is worth to know whether two patterns are two classes: as much as the first look at a bag of a few pages.
const DOUBT: f64 = 1.5;

/// How much a look at the pattern, or at another pattern of the same tree, says of the bag.
const OF_PATTERN: f64 = 0.7;
const OF_TREE: f64 = 0.3;

#[derive(Default)]
struct Bag {
    gone: usize,
    unseen: usize,
    /// The unseen address that is first in an order that has nothing to do with the site's.
    first: Option<(u64, UrlId)>,
    looks: usize,
    shown: Shown,
}

impl Bag {
    fn is_dead(&self) -> bool {
        self.gone >= DEAD && self.gone == self.looks
    }
}

impl Of {
    fn is_dead(&self) -> bool {
        self.gone >= 2 * DEAD && self.gone == self.looks
    }
}

/// How many new addresses the last look showed, and the one before; how many new patterns all looks showed.
#[derive(Default, Clone, Copy)]
struct Shown {
    looks: usize,
    patterns: usize,
    last: Option<(usize, f64)>,
    before: f64,
}

impl Shown {
    /// `at`: when the page was looked at.
    fn note(&mut self, at: usize, new: usize, patterns: usize) {
        self.looks += 1;
        self.patterns += patterns;
        if self.last.is_none_or(|(known, _)| at > known) {
            self.before = self.last.map_or(new as f64, |(_, last)| last);
            self.last = Some((at, new as f64));
        }
    }

    /// New patterns expected of the next look, by Laplace's rule of succession with half a pattern granted.
    fn novelty(&self) -> f64 {
        (self.patterns as f64 + 0.5) / (self.looks as f64 + 1.0)
    }

    fn expected(&self) -> Option<f64> {
        self.last.map(|(_, last)| (last + self.before) / 2.0)
    }
}

#[derive(Default, Clone)]
struct Of {
    gone: usize,
    shown: Shown,
    looks: usize,
    addresses: usize,
    classes: FxHashSet<u32>,
}

pub fn next_pages<P: Pages>(site: &SiteState<'_, P>, state: &State) -> Vec<UrlId> {
    let (bags, patterns) = count(site, state);
    let places = by_place(site);
    let doubtful = doubtful(state, &patterns);
    let tree_looks: usize =
        patterns.iter().zip(&state.in_tree).filter(|(_, in_tree)| **in_tree).map(|(of, _)| of.looks).sum();
    let mut promising: Vec<(f64, u64, UrlId)> = bags
        .iter()
        .filter_map(|(&(pattern, place), bag)| {
            let (hash, id) = bag.first.filter(|_| !bag.is_dead())?;
            let of = &patterns[pattern as usize];
            if of.is_dead() {
                return None;
            }
            let tree = if state.in_tree[pattern as usize] { tree_looks - of.looks } else { 0 };
            let alike = || place.and_then(|place| places.get(&place)).and_then(Shown::expected);
            let new = bag.shown.expected().or_else(alike).or_else(|| of.shown.expected()).unwrap_or(0.0);
            let mut promise = surprise(bag, of, tree) * (1.0 + bag.unseen as f64).ln() + GAIN * (1.0 + new).ln();
            promise += NOVEL * bag.shown.novelty();
            if doubtful.contains(&pattern) {
                promise += DOUBT;
            }
            (promise >= ENOUGH).then_some((promise, hash, id))
        })
        .collect();
    promising.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    promising.truncate(ROUND);
    promising.into_iter().map(|(_, _, id)| id).collect()
}

fn surprise(bag: &Bag, of: &Of, tree: usize) -> f64 {
    let elsewhere = (of.looks - bag.looks) as f64;
    // Where one pattern holds several classes, only the bag itself tells.
    let pattern = if of.classes.len() <= 1 { OF_PATTERN * elsewhere } else { OF_TREE * elsewhere };
    1.0 / (1.0 + bag.looks as f64 + pattern + OF_TREE * tree as f64)
}

type Bags = FxHashMap<(PatternId, Option<PlaceId>), Bag>;

fn count<P: Pages>(site: &SiteState<'_, P>, state: &State) -> (Bags, Vec<Of>) {
    let mut bags: Bags = FxHashMap::default();
    let mut patterns = vec![Of::default(); state.patterns.len()];
    let new_patterns = new_patterns(site, state);
    for (id, known) in site.urls.iter().enumerate() {
        let pattern = state.pattern_of[id];
        let bag = bags.entry((pattern, known.place)).or_default();
        let of = &mut patterns[pattern as usize];
        of.addresses += 1;
        match known.fate {
            Fate::Unseen => {
                bag.unseen += 1;
                let this = (known.hash, id as UrlId);
                bag.first = Some(bag.first.map_or(this, |first| first.min(this)));
            }
            Fate::Looked(at) => {
                bag.looks += 1;
                of.looks += 1;
                of.classes.insert(state.class_of[at]);
                bag.shown.note(at, site.looked[at].new, new_patterns[at]);
                of.shown.note(at, site.looked[at].new, new_patterns[at]);
            }
            // It said nothing of its class; but asking for its likes again and again would not either.
            Fate::Gone => {
                (bag.looks, bag.gone) = (bag.looks + 1, bag.gone + 1);
                (of.looks, of.gone) = (of.looks + 1, of.gone + 1);
            }
        }
    }
    (bags, patterns)
}

/// For each page looked at, how many patterns it showed first.
fn new_patterns<P: Pages>(site: &SiteState<'_, P>, state: &State) -> Vec<usize> {
    let mut first: Vec<Option<usize>> = vec![None; state.patterns.len()];
    for (known, &pattern) in site.urls.iter().zip(&state.pattern_of) {
        let shown = &mut first[pattern as usize];
        *shown = match (*shown, known.first) {
            (Some(known), Some(at)) => Some(known.min(at)),
            (known, at) => known.or(at),
        };
    }
    let mut new = vec![0; site.looked.len()];
    first.into_iter().flatten().for_each(|at| new[at] += 1);
    new
}

/// What pages showed that were reached from one place, whatever their addresses.
fn by_place<P: Pages>(site: &SiteState<'_, P>) -> FxHashMap<PlaceId, Shown> {
    let mut places: FxHashMap<PlaceId, Shown> = FxHashMap::default();
    for (at, page) in site.looked.iter().enumerate() {
        if let Some(place) = site.urls[page.id as usize].place {
            places.entry(place).or_default().note(at, page.new, 0);
        }
    }
    places
}

/// Patterns that share a class with one under other folders, on too few pages.
fn doubtful(state: &State, patterns: &[Of]) -> FxHashSet<PatternId> {
    let mut by_class: FxHashMap<u32, Vec<PatternId>> = FxHashMap::default();
    for (pattern, of) in patterns.iter().enumerate().filter(|(_, of)| of.addresses >= SHOWN as usize) {
        of.classes.iter().for_each(|&class| by_class.entry(class).or_default().push(pattern as PatternId));
    }
    let mut doubtful = FxHashSet::default();
    for together in by_class.values().filter(|together| together.len() > 1 && together.len() <= 20) {
        for &pattern in together.iter().filter(|&&pattern| patterns[pattern as usize].looks < SHOWN as usize) {
            if together.iter().any(|&other| state.relation(other, pattern) == Relation::Different) {
                doubtful.insert(pattern);
            }
        }
    }
    doubtful
}
