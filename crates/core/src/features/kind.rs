//! Is this page of the same kind as those? Compares a page with pages of one kind, against what is common on the site.
//!
//! - [`Background`]: how common each token is, counted over clusters of alike pages, unlabelled, so that a wrong verdict cannot
//!   confirm itself. - [`Reference`]: pages known to be of the kind, the sample first. - [`Reference::features`]: what a fitted model weighs.
//!
//! "Entities of the same type have the same attributes" (SSUP 2019, section 3): what is specific to the kind should be contained in the
//! page, and the page should have little beyond it; both directions count, because pages of one kind differ in optional parts.

use super::profile::{CLASSES, FAMILIES, HEADINGS, LABELS, PATHS, Profile, Token, overlap};
use rustc_hash::{FxHashMap, FxHashSet};

/// Jaccard similarity, the frame of the site left out, from which two pages belong to one cluster. 0.62: F1 0.868 left out, spread 0.161; 0.45:
/// 0.885 and 0.116.
const ALIKE: f64 = 0.45;

/// A token belongs to the kind when so many of the reference pages have it.
const CORE: f64 = 0.6;

/// Pages of the background that a page is compared with.
const NEIGHBOURS: usize = 48;

pub const FEATURES: usize = 44;

/// In the order of [`Reference::features`].
pub const FEATURE_NAMES: [&str; FEATURES] = [
    "paths_in",
    "paths_out",
    "paths_mass",
    "classes_in",
    "classes_out",
    "classes_mass",
    "labels_in",
    "labels_out",
    "labels_mass",
    "headings_in",
    "headings_out",
    "headings_mass",
    "containment",
    "marks_shared",
    "marks_differ",
    "title_words",
    "title_form",
    "text_apart",
    "links_apart",
    "links_more",
    "like_kind",
    "like_others",
    "liker",
    "kind_pages",
    "clusters",
    "like_sample",
    "paths_sample",
    "classes_sample",
    "labels_sample",
    "lists_kind",
    "same_cluster",
    "set_structure",
    "set_labels",
    "set_known",
    "set_structure_mass",
    "set_labels_mass",
    "paths_missing",
    "paths_extra",
    "classes_missing",
    "classes_extra",
    "labels_missing",
    "labels_extra",
    "headings_missing",
    "headings_extra",
];

type Counts = FxHashMap<Token, u32>;

/// Clusters of alike pages.
#[derive(Default)]
pub struct Background {
    /// Per page taken in.
    of: Vec<usize>,
    clusters: Vec<Cluster>,
    /// Per family, marks and title: clusters that have a token.
    in_clusters: [Counts; FAMILIES + 2],
    /// Per family: pages that have it.
    in_pages: [Counts; FAMILIES],
    counted: usize,
    /// What nearly all pages have, as it was known when there were so many.
    frame: FxHashSet<Token>,
    framed: usize,
}

/// Tokens in at least this share of the pages are frame, once there are so many pages.
const FRAME: f64 = 0.9;
const FRAMED: usize = 6;

fn frame(pages: &[&Profile]) -> FxHashSet<Token> {
    let mut counts = Counts::default();
    for token in pages.iter().flat_map(|page| page.families[..HEADINGS].iter()).flat_map(|family| family.iter()) {
        *counts.entry(*token).or_default() += 1;
    }
    let needed = FRAME * pages.len() as f64;
    counts
        .into_iter()
        .filter(|(_, times)| pages.len() >= FRAMED && f64::from(*times) >= needed)
        .map(|one| one.0)
        .collect()
}

/// In [0, 1].
fn jaccard(a: &[Token], b: &[Token]) -> f64 {
    let both = overlap(a, b);
    let all = a.len() + b.len() - both;
    if all == 0 { 1.0 } else { both as f64 / all as f64 }
}

struct Cluster {
    first: usize,
    body: Box<[Token]>,
    pages: usize,
    counts: [Counts; FAMILIES + 2],
}

fn family(page: &Profile, at: usize) -> &[Token] {
    match at {
        FAMILIES => &page.marks,
        at if at > FAMILIES => &page.title,
        at => &page.families[at],
    }
}

impl Background {
    /// Takes in the pages after those already taken in. All are put into clusters anew when there are half as many again, because what
    /// is frame is known better then.
    pub fn update(&mut self, pages: &[&Profile]) {
        if pages.len() >= self.framed + self.framed / 2 + 2 {
            *self = Self { framed: pages.len(), frame: frame(pages), ..Self::default() };
        }
        for (number, page) in pages.iter().enumerate().skip(self.of.len()) {
            self.take_in(number, page);
        }
        // Counting over all clusters again at each page would be quadratic.
        if self.of.len() > self.counted + self.counted / 10 {
            self.count();
        }
    }

    fn take_in(&mut self, number: usize, page: &Profile) {
        let body = self.body(page);
        let alike = self.clusters.iter().map(|cluster| jaccard(&cluster.body, &body)).enumerate();
        let best = alike.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).filter(|best| best.1 >= ALIKE);
        let cluster = best.map_or(self.clusters.len(), |best| best.0);
        if cluster == self.clusters.len() {
            self.clusters.push(Cluster { first: number, body, pages: 0, counts: Default::default() });
        }
        self.of.push(cluster);
        let cluster = &mut self.clusters[cluster];
        cluster.pages += 1;
        for (at, counts) in cluster.counts.iter_mut().enumerate() {
            for token in family(page, at) {
                *counts.entry(*token).or_default() += 1;
            }
        }
        for (at, counts) in self.in_pages.iter_mut().enumerate() {
            for token in family(page, at) {
                *counts.entry(*token).or_default() += 1;
            }
        }
    }

    /// The page without what nearly all pages have.
    fn body(&self, page: &Profile) -> Box<[Token]> {
        let tokens = page.families[..HEADINGS].iter().flat_map(|family| family.iter());
        let mut body: Vec<Token> = tokens.filter(|token| !self.frame.contains(token)).copied().collect();
        body.sort_unstable();
        body.into()
    }

    fn count(&mut self) {
        self.counted = self.of.len();
        for at in 0..FAMILIES + 2 {
            let mut all = Counts::default();
            for cluster in &self.clusters {
                for (token, times) in &cluster.counts[at] {
                    if *times as usize * 2 >= cluster.pages {
                        *all.entry(*token).or_default() += 1;
                    }
                }
            }
            self.in_clusters[at] = all;
        }
    }

    pub fn cluster(&self, page: usize) -> usize {
        self.of[page]
    }

    pub fn clusters(&self) -> usize {
        self.clusters.len()
    }

    /// How much a token tells, by how many clusters have it.
    fn weight(&self, at: usize, token: &Token) -> f64 {
        let having = self.in_clusters[at].get(token).copied().unwrap_or(0) as f64;
        ((self.clusters.len() as f64 + 1.0) / (having + 0.5)).ln().max(0.0)
    }

    /// A text that one page alone has may be a value, not a label.
    fn is_value(&self, at: usize, token: &Token) -> bool {
        matches!(at, LABELS | HEADINGS) && self.in_pages[at].get(token).copied().unwrap_or(0) <= 1
    }
}

/// Pages that stand together on the site, whatever they are: those of one folder.
#[derive(Default)]
pub struct PageSet {
    pages: usize,
    counts: [Counts; FAMILIES],
}

impl PageSet {
    pub fn len(&self) -> usize {
        self.pages
    }

    pub fn is_empty(&self) -> bool {
        self.pages == 0
    }

    pub fn add(&mut self, page: &Profile) {
        self.pages += 1;
        for (at, counts) in self.counts.iter_mut().enumerate() {
            for token in family(page, at) {
                *counts.entry(*token).or_default() += 1;
            }
        }
    }
}

/// A token belongs to a set of pages when at least this share has it: one page in five may lack an optional attribute.
const COMMON: f64 = 0.8;

/// Tokens' worth of agreement granted before the first token is seen: two sets that share three labels and differ in one are not as far
/// apart as those that share thirty and differ in ten.
const DOUBT: f64 = 6.0;

/// How far a set of pages is from the kind: shares in [0, 1], and logarithms of the weight of what tells them apart.
#[derive(Debug, Clone, Copy)]
pub struct Apart {
    pub structure: f64,
    pub labels: f64,
    pub structure_mass: f64,
    pub labels_mass: f64,
}

impl Apart {
    pub fn scaled(self, by: f64) -> Self {
        let Self { structure, labels, structure_mass, labels_mass } = self;
        Self {
            structure: by * structure,
            labels: by * labels,
            structure_mass: by * structure_mass,
            labels_mass: by * labels_mass,
        }
    }
}

/// Pages of the kind, and what they have.
pub struct Reference<'a> {
    background: &'a Background,
    pages: Vec<(usize, &'a Profile)>,
    counts: [Counts; FAMILIES + 1],
    /// Sorted, so that sums do not depend on the order of a map.
    core: [Vec<Token>; FAMILIES + 1],
    text: f64,
    links: f64,
    listed: f64,
    /// First pages of clusters without reference pages.
    others: Vec<(usize, &'a Profile)>,
}

impl<'a> Reference<'a> {
    /// `chosen` are pages of the kind, the sample first; `listed` tells how many pages of the kind a page links to.
    pub fn new(
        background: &'a Background,
        all: &[&'a Profile],
        chosen: &[usize],
        listed: &dyn Fn(usize) -> f64,
    ) -> Self {
        let pages: Vec<(usize, &Profile)> = chosen.iter().map(|&page| (page, all[page])).collect();
        let mut counts: [Counts; FAMILIES + 1] = Default::default();
        for (at, counts) in counts.iter_mut().enumerate() {
            for (_, page) in &pages {
                for token in family(page, at) {
                    *counts.entry(*token).or_default() += 1;
                }
            }
        }
        let needed = CORE * pages.len() as f64;
        let core = std::array::from_fn(|at| {
            let mut core: Vec<Token> =
                counts[at].iter().filter(|(_, times)| **times as f64 >= needed).map(|(token, _)| *token).collect();
            core.sort_unstable();
            core
        });
        let own: Vec<usize> = chosen.iter().map(|&page| background.cluster(page)).collect();
        let mut others: Vec<(usize, &Profile)> = Vec::new();
        for (cluster, of) in background.clusters.iter().enumerate() {
            if !own.contains(&cluster) && others.len() < NEIGHBOURS {
                others.push((of.first, all[of.first]));
            }
        }
        let median = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(0.0)
        };
        let text = median(pages.iter().map(|(_, page)| (page.text as f64).ln_1p()).collect());
        let links = median(pages.iter().map(|(_, page)| (page.links as f64).ln_1p()).collect());
        let listed = median(chosen.iter().map(|&page| listed(page).ln_1p()).collect());
        Self { background, pages, counts, core, text, links, listed, others }
    }

    /// How far the kind and a set of pages are apart in structure and labels, in [0, 1]: what nearly all pages of the one have and none of
    /// the other. With several pages on both sides content cancels out. None when there are too few.
    pub fn apart(&self, set: &PageSet) -> Option<Apart> {
        if set.pages < 2 || self.pages.len() < 2 {
            return None;
        }
        // Two pages may share what three do not.
        let sure = [0.0, 0.0, 0.6, 0.85, 1.0][set.pages.min(self.pages.len()).min(4)];
        let side = |families: [usize; 2]| {
            let (mut apart, mut shared) = (0.0, 0.0);
            for at in families {
                let here =
                    |token: &Token| self.counts[at].get(token).copied().unwrap_or(0) as f64 / self.pages.len() as f64;
                let there = |token: &Token| set.counts[at].get(token).copied().unwrap_or(0) as f64 / set.pages as f64;
                let mut tokens: Vec<&Token> = self.counts[at].keys().chain(set.counts[at].keys()).collect();
                tokens.sort_unstable();
                tokens.dedup();
                for token in tokens {
                    let (one, other) = (here(token), there(token));
                    if one >= COMMON && other >= COMMON {
                        shared += self.background.weight(at, token);
                    } else if one >= COMMON && other == 0.0 || other >= COMMON && one == 0.0 {
                        apart += self.background.weight(at, token);
                    }
                }
            }
            let full = (self.background.clusters() as f64 + 1.5).ln();
            (sure * apart / (apart + shared + DOUBT * full), sure * apart.ln_1p())
        };
        let (structure, labels) = (side([PATHS, CLASSES]), side([LABELS, HEADINGS]));
        Some(Apart { structure: structure.0, labels: labels.0, structure_mass: structure.1, labels_mass: labels.1 })
    }

    /// What tells whether a page is of the kind; `listed` is how many pages of the kind it links to, `set` how far the pages it stands
    /// with are from the kind.
    pub fn features(&self, number: usize, page: &Profile, listed: f64, set: Option<Apart>) -> [f64; FEATURES] {
        let mut found = [0.0; FEATURES];
        let (mut ins, mut outs) = (0.0, 0.0);
        for at in 0..FAMILIES {
            let (within, mass, missing) = self.contained(at, page);
            let (without, extra) = self.containing(at, page);
            found[36 + 2 * at..38 + 2 * at].copy_from_slice(&[missing.ln_1p(), extra.ln_1p()]);
            found[3 * at..3 * at + 3].copy_from_slice(&[within, without, mass.ln_1p()]);
            ins += within / FAMILIES as f64;
            outs += without / FAMILIES as f64;
        }
        found[12] = ins.max(outs);
        (found[13], found[14]) = self.marks(page);
        (found[15], found[16]) = self.title(page);
        let text = (page.text as f64).ln_1p() - self.text;
        let links = (page.links as f64).ln_1p() - self.links;
        found[17] = text.abs();
        found[18] = links.abs();
        found[19] = links.max(0.0);
        let (like_kind, like_others) = (self.like_kind(number, page), self.like_others(number, page));
        found[20..23].copy_from_slice(&[like_kind, like_others, like_kind - like_others]);
        found[23] = (self.pages.len() as f64).ln();
        found[24] = (self.background.clusters() as f64).ln_1p();
        let sample = self.pages[0].1;
        found[25] = sample.jaccard(page);
        for at in 0..3 {
            found[26 + at] = self.both_ways(at, sample, page);
        }
        found[29] = (listed.ln_1p() - self.listed).max(0.0);
        let cluster = self.background.cluster(number);
        found[30] = self.pages.iter().filter(|(other, _)| self.background.cluster(*other) == cluster).count() as f64
            / self.pages.len() as f64;
        if let Some(set) = set {
            found[31..36].copy_from_slice(&[set.structure, set.labels, 1.0, set.structure_mass, set.labels_mass]);
        }
        found
    }

    /// The share of what is specific to the kind that the page has, how much that is, and how much is missing.
    fn contained(&self, at: usize, page: &Profile) -> (f64, f64, f64) {
        let (mut has, mut all) = (0.0, 0.0);
        for token in &self.core[at] {
            let weight = self.background.weight(at, token);
            if family(page, at).binary_search(token).is_ok() {
                has += weight;
                all += weight;
            } else if self.counts[at][token] > 1 || !self.background.is_value(at, token) {
                all += weight;
            }
        }
        ((has + 0.5) / (all + 1.0), has, all - has)
    }

    /// The share of what the page has, weighed by rarity, that pages of the kind have too, and how much they have not.
    fn containing(&self, at: usize, page: &Profile) -> (f64, f64) {
        let (mut shared, mut all) = (0.0, 0.0);
        for token in family(page, at) {
            let weight = self.background.weight(at, token);
            if self.counts[at].contains_key(token) {
                shared += weight;
                all += weight;
            } else if !self.background.is_value(at, token) {
                all += weight;
            }
        }
        ((shared + 0.5) / (all + 1.0), all - shared)
    }

    fn marks(&self, page: &Profile) -> (f64, f64) {
        let weight = |token: &Token| self.background.weight(FAMILIES, token);
        let (mut shared, mut differ) = (0.0, 0.0);
        for token in &self.core[FAMILIES] {
            let at = if page.marks.binary_search(token).is_ok() { &mut shared } else { &mut differ };
            *at += weight(token);
        }
        let own = page.marks.iter().filter(|token| !self.counts[FAMILIES].contains_key(*token));
        (shared, differ + own.map(weight).sum::<f64>())
    }

    /// Rare words that titles share, and whether the title is put together as one of the kind.
    fn title(&self, page: &Profile) -> (f64, f64) {
        let weight = |token: &Token| self.background.weight(FAMILIES + 1, token);
        let shared = |other: &Profile| {
            let both = page.title.iter().filter(|token| other.title.binary_search(token).is_ok());
            both.map(weight).sum::<f64>().min(3.0)
        };
        let words = self.pages.iter().map(|(_, other)| shared(other)).sum::<f64>() / self.pages.len() as f64;
        let form = |page: &Profile| page.title.len().min(12) as f64;
        let nearest = self.pages.iter().map(|(_, other)| (form(other) - form(page)).abs()).fold(12.0, f64::min);
        (words, nearest / 12.0)
    }

    /// The mean likeness to the three most alike pages of the kind.
    fn like_kind(&self, number: usize, page: &Profile) -> f64 {
        let others = self.pages.iter().filter(|(other, _)| *other != number);
        let mut alike: Vec<f64> = others.map(|(_, other)| other.jaccard(page)).collect();
        alike.sort_by(|a, b| b.total_cmp(a));
        alike.truncate(3);
        if alike.is_empty() { 0.0 } else { alike.iter().sum::<f64>() / alike.len() as f64 }
    }

    fn like_others(&self, number: usize, page: &Profile) -> f64 {
        let others = self.others.iter().filter(|(other, _)| *other != number);
        others.map(|(_, other)| other.jaccard(page)).fold(0.0, f64::max)
    }

    fn both_ways(&self, at: usize, sample: &Profile, page: &Profile) -> f64 {
        let (a, b) = (family(sample, at), family(page, at));
        let (mut both, mut apart) = (0.0, 0.0);
        for token in a {
            let weight = self.background.weight(at, token);
            if b.binary_search(token).is_ok() {
                both += weight;
            } else if !self.background.is_value(at, token) {
                apart += weight;
            }
        }
        let own = b.iter().filter(|token| a.binary_search(token).is_err() && !self.background.is_value(at, token));
        apart += own.map(|token| self.background.weight(at, token)).sum::<f64>();
        (both + 0.5) / (both + apart + 1.0)
    }
}
