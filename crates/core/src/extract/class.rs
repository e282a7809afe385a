//! How do the pages of one class line up? Documents → [`Class`]: a template, and what stands in the same place on many pages.
//!
//! - [`Class`]: the pages read, the template learned from them, the candidates. - [`Candidate`]: leaves of different pages
//!   in the same place. - [`Class::voters`]: other places that mean the same leaves.
//!
//! Places that hold the same leaves on all pages are one candidate. Does not know which candidates are of interest.

use super::leaves::{self, Leaf, Leaves, Steps, label_of, word_of};
use super::places::{self, Place};
use super::tables::{self, Table};
use super::template::{Template, inner_label};
use crate::page::dom::{Document, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::Xxh3;

/// A candidate stands on this share of the pages (and on two at least, where there are two). Set by hand.
const LEAST_SHARE: f64 = 0.08;

/// Leaves of all pages together: a bound on memory and time, set by hand.
const MOST_LEAVES: usize = 300_000;

/// A voter must agree on this share of the pages it has in common with what it votes for. Set by hand.
const AGREES: f64 = 0.9;

/// Longer texts of the template are sentences. Set by hand.
const LONGEST_LABEL: usize = 50;

/// Page and leaf.
pub type At = (u32, u32);

#[derive(Debug, Clone)]
pub struct Candidate {
    /// All with the same leaves; sorted.
    pub places: Vec<Place>,
    /// The first of each page, by page.
    pub leaves: Vec<At>,
    /// How often the place occurs on a page that has it.
    pub repeats: f64,
    /// Leaves between it and the anchor of its first place, usually.
    pub gap: u16,
}

/// A place that means a slot's leaf, and how far it is to be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Voter {
    pub place: Place,
    pub weight: f64,
}

pub struct Class {
    pub documents: Vec<Document>,
    pub pages: Vec<Leaves>,
    pub template: Template,
    pub candidates: Vec<Candidate>,
    /// Which candidates hold a leaf.
    holders: FxHashMap<At, Vec<u32>>,
    /// How many texts each path has, by page.
    crowds: Vec<FxHashMap<u64, usize>>,
    /// Tables of data, by page.
    pub tables: Vec<Vec<Table>>,
    /// Leaves that stand in them.
    tabled: FxHashSet<At>,
}

impl Class {
    /// Without candidates: pages, template and tables.
    pub fn read(documents: Vec<Document>) -> Self {
        let tokens = Template::settled_tokens(&documents.iter().collect::<Vec<_>>());
        Self::of(documents, tokens, |_, _| Vec::new())
    }

    pub fn align(documents: Vec<Document>) -> Self {
        let tokens = Template::tokens(&documents.iter().collect::<Vec<_>>());
        Self::of(documents, tokens, candidates)
    }

    fn of(
        documents: Vec<Document>,
        tokens: Vec<String>,
        candidates: impl Fn(&[Leaves], &Template) -> Vec<Candidate>,
    ) -> Self {
        let steps = Steps::new(tokens.iter().map(String::as_str));
        let mut left = MOST_LEAVES;
        let mut pages = Vec::new();
        for document in &documents {
            let mut page = leaves::leaves(document, &steps);
            page.list.truncate(left);
            left -= page.list.len();
            pages.push(page);
        }
        let template = Template::learn(tokens, &pages);
        let candidates = candidates(&pages, &template);
        let mut holders: FxHashMap<At, Vec<u32>> = FxHashMap::default();
        for (number, candidate) in candidates.iter().enumerate() {
            for at in &candidate.leaves {
                holders.entry(*at).or_default().push(number as u32);
            }
        }
        let crowds = pages.iter().map(crowds).collect();
        let tables: Vec<Vec<Table>> = documents.iter().map(tables::tables).collect();
        let tabled = tabled(&documents, &pages, &tables);
        Self { documents, pages, template, candidates, holders, crowds, tables, tabled }
    }

    pub fn leaf(&self, at: At) -> &Leaf {
        &self.pages[at.0 as usize].list[at.1 as usize]
    }

    /// Does it stand in tables of data?
    pub fn is_tabled(&self, candidate: &Candidate) -> bool {
        candidate.leaves.iter().filter(|at| self.tabled.contains(at)).count() * 2 > candidate.leaves.len()
    }

    /// Share of the pages that have the candidate.
    pub fn support(&self, candidate: &Candidate) -> f64 {
        candidate.leaves.len() as f64 / self.pages.len().max(1) as f64
    }

    /// Distinct texts over pages.
    pub fn variation(&self, candidate: &Candidate) -> f64 {
        let words: FxHashSet<u64> = candidate.leaves.iter().map(|at| self.leaf(*at).word).collect();
        words.len() as f64 / candidate.leaves.len().max(1) as f64
    }

    /// Share of the leaves with a text of the template right before them, or with a label of their own.
    pub fn label_share(&self, candidate: &Candidate) -> f64 {
        let labelled = candidate.leaves.iter().filter(|at| self.label_word(**at) != 0).count();
        labelled as f64 / candidate.leaves.len().max(1) as f64
    }

    /// Share of the leaves whose label (or having none) is this; 0 is none.
    pub fn labelled_share(&self, candidate: &Candidate, label: u64) -> f64 {
        let same = candidate.leaves.iter().filter(|at| self.label_word(**at) == label).count();
        same as f64 / candidate.leaves.len().max(1) as f64
    }

    /// The largest share of leaves with one label: small where a place holds different things on different pages.
    pub fn consistency(&self, candidate: &Candidate) -> f64 {
        let mut times: FxHashMap<u64, usize> = FxHashMap::default();
        candidate.leaves.iter().for_each(|at| *times.entry(self.label_word(*at)).or_default() += 1);
        times.values().max().map_or(0.0, |most| *most as f64 / candidate.leaves.len() as f64)
    }

    /// How many texts of a page share its path, on average.
    pub fn crowd(&self, candidate: &Candidate) -> f64 {
        let of_page = |at: &At| self.crowds[at.0 as usize].get(&self.leaf(*at).path).copied().unwrap_or(1) as f64;
        candidate.leaves.iter().map(of_page).sum::<f64>() / candidate.leaves.len().max(1) as f64
    }

    /// The text before a leaf.
    fn before(&self, at: At) -> Option<&Leaf> {
        self.pages[at.0 as usize].list[..at.1 as usize].iter().rev().find(|leaf| leaf.word != 0)
    }

    /// A short text of the template.
    fn is_label(&self, leaf: &Leaf) -> bool {
        self.template.anchors.contains(&leaf.word) && leaf.text.len() <= LONGEST_LABEL
    }

    /// The hash of a leaf's label; 0 is none.
    pub fn label_word(&self, at: At) -> u64 {
        let before = || self.before(at).filter(|before| self.is_label(before)).map_or(0, |before| before.word);
        inner_label(&self.leaf(at).text).map_or_else(before, |label| word_of(&label))
    }

    /// The label of a leaf: its own (`Label: value`), or a short text of the template right before it.
    pub fn label(&self, at: At) -> Option<String> {
        let before = || self.before(at).filter(|before| self.is_label(before)).map(|before| label_of(&before.text));
        inner_label(&self.leaf(at).text).or_else(before)
    }

    /// A label that stands behind its value: a short text of the template that is nearer to it in the tree than the text before;
    /// none where that text is a label with a colon.
    pub fn label_behind(&self, at: At) -> Option<String> {
        let list = &self.pages[at.0 as usize].list;
        let own = &list[at.1 as usize];
        let behind = list[at.1 as usize + 1..].iter().find(|leaf| leaf.word != 0)?;
        let before = self.before(at);
        if !self.is_label(behind)
            || before.is_some_and(|before| before.text.ends_with(':') && self.template.anchors.contains(&before.word))
        {
            return None;
        }
        let document = &self.documents[at.0 as usize];
        let steps = |other: &Leaf| steps_to_common(document, own.node, other.node);
        let nearer = before.is_none_or(|before| steps(behind) < steps(before));
        nearer.then(|| label_of(&behind.text))
    }

    /// Candidates that hold this leaf.
    pub fn holders(&self, at: At) -> &[u32] {
        self.holders.get(&at).map_or(&[], Vec::as_slice)
    }

    /// The places of a set of leaves (one a page), and those of other candidates that agree with it where they meet.
    pub fn voters(&self, leaves: &[At]) -> Vec<Voter> {
        let own: FxHashMap<u32, u32> = leaves.iter().copied().collect();
        let mut known: FxHashSet<u32> = FxHashSet::default();
        let mut voters = Vec::new();
        for number in leaves.iter().flat_map(|at| self.holders(*at)) {
            if !known.insert(*number) {
                continue;
            }
            let other = &self.candidates[*number as usize];
            let common = other.leaves.iter().filter(|(page, _)| own.contains_key(page)).count();
            let same = other.leaves.iter().filter(|(page, leaf)| own.get(page) == Some(leaf)).count();
            if same as f64 >= common as f64 * AGREES && same >= 2.min(leaves.len()) {
                let weight = same as f64 / (common + 1) as f64 * (same as f64 / self.pages.len() as f64).sqrt();
                voters.extend(other.places.iter().map(|place| Voter { place: *place, weight }));
            }
        }
        voters.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.place.cmp(&b.place)));
        voters
    }
}

/// Steps up from `node` to the first element that holds `other` too.
fn steps_to_common(document: &Document, node: NodeId, other: NodeId) -> usize {
    let above = |node| std::iter::successors(Some(node), |&at| document.parent(at));
    let holds: FxHashSet<NodeId> = above(other).collect();
    above(node).take_while(|at| !holds.contains(at)).count()
}

fn tabled(documents: &[Document], pages: &[Leaves], tables: &[Vec<Table>]) -> FxHashSet<At> {
    let mut tabled = FxHashSet::default();
    for (number, ((document, page), tables)) in documents.iter().zip(pages).zip(tables).enumerate() {
        let inside: FxHashSet<NodeId> = tables.iter().flat_map(|table| document.descendants(table.node)).collect();
        let leaves = page.list.iter().enumerate().filter(|(_, leaf)| inside.contains(&leaf.node));
        tabled.extend(leaves.map(|(at, _)| (number as u32, at as u32)));
    }
    tabled
}

fn crowds(page: &Leaves) -> FxHashMap<u64, usize> {
    let mut crowds: FxHashMap<u64, usize> = FxHashMap::default();
    page.list.iter().filter(|leaf| leaf.word != 0).for_each(|leaf| *crowds.entry(leaf.path).or_default() += 1);
    crowds
}

/// What is known of one place.
#[derive(Default)]
struct Held {
    leaves: Vec<At>,
    times: usize,
    gaps: Vec<u16>,
}

fn candidates(pages: &[Leaves], template: &Template) -> Vec<Candidate> {
    let least = ((pages.len() as f64 * LEAST_SHARE).ceil() as usize).max(2.min(pages.len()));
    let mut together: FxHashMap<u64, Candidate> = FxHashMap::default();
    for (place, mut one) in held(pages, template).into_iter().filter(|(_, one)| one.leaves.len() >= least) {
        one.gaps.sort_unstable();
        let (repeats, gap) = (one.times as f64 / one.leaves.len() as f64, one.gaps[one.gaps.len() / 2]);
        let candidate = together.entry(hash(&one.leaves)).or_insert_with(|| Candidate {
            places: Vec::new(),
            leaves: one.leaves,
            repeats,
            gap,
        });
        candidate.places.push(place);
        candidate.repeats = candidate.repeats.min(repeats);
    }
    let mut candidates: Vec<Candidate> = together.into_values().collect();
    candidates.iter_mut().for_each(|candidate| candidate.places.sort_unstable());
    // In the order of the page, for readers and for ties.
    candidates.sort_by(|a, b| a.leaves.cmp(&b.leaves).then(a.places.cmp(&b.places)));
    candidates
}

fn held(pages: &[Leaves], template: &Template) -> FxHashMap<Place, Held> {
    let mut seen: FxHashMap<Place, Held> = FxHashMap::default();
    for (number, page) in pages.iter().enumerate() {
        places::each(page, template, |held| {
            let one = seen.entry(held.place).or_default();
            one.times += 1;
            match one.leaves.last_mut() {
                // Places counted backwards are met last to first.
                Some((page, leaf)) if *page == number as u32 => *leaf = (*leaf).min(held.leaf),
                _ => {
                    one.leaves.push((number as u32, held.leaf));
                    one.gaps.push(held.gap);
                }
            }
        });
    }
    seen
}

fn hash(leaves: &[At]) -> u64 {
    let mut hasher = Xxh3::new();
    for (page, leaf) in leaves {
        hasher.update(&page.to_le_bytes());
        hasher.update(&leaf.to_le_bytes());
    }
    hasher.digest()
}
