//! Which candidate is which role? Aligned pages, domain → for each role the candidates, best first, on one scale.
//!
//! - [`Judge`]: what is known of the pages for all roles. - [`Scored`]: a candidate with its score and why.
//!
//! Evidence of different kinds (a label, a type, a class, the page's title) is united as independent chances are
//! (1 − Π(1 − e)), then weighed by what a good slot has: pages that have it, texts that differ, few repeats, nearness to the title.

use super::class::{At, Candidate, Class};
use super::domain::{Domain, Pattern, Role};
use super::leaves::{Leaf, each_token, word_of};
use super::naming::local;
use super::template::inner_label;
use super::title::Titles;
use crate::page::dom::{Document, NodeId};
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Default)]
pub struct Scored {
    pub candidate: usize,
    pub score: f64,
    /// Share of its leaves with a label of the role.
    pub label: f64,
    pub typed: f64,
    pub schema: f64,
    /// Is it in a heading?
    pub heading: f64,
    pub title: f64,
    /// Share of its leaves that match the role's pattern of values.
    pub fits: f64,
}

/// What speaks for one leaf being the value of a role.
#[derive(Debug, Clone, Copy)]
pub struct Evidence {
    pub label: f64,
    pub typed: f64,
    pub title: f64,
    pub fits: f64,
    pub all: f64,
}

/// Candidates below are not ranked. Set by hand, as are the weights in this file.
const LEAST_SCORE: f64 = 0.02;

/// Parts of classes and ids that pages give their titles.
const TITLE_NAMES: [&str; 4] = ["title", "name", "heading", "headline"];

pub struct Judge<'c> {
    class: &'c Class,
    domain: &'c Domain,
    titles: Titles<'c>,
    /// Synonym → roles, each with how much the synonym says.
    words: FxHashMap<u64, Vec<(usize, f64)>>,
    /// The leaf of the title on each page, once known.
    title: FxHashMap<u32, u32>,
}

impl<'c> Judge<'c> {
    pub fn new(class: &'c Class, domain: &'c Domain) -> Self {
        let mut words: FxHashMap<u64, Vec<(usize, f64)>> = FxHashMap::default();
        for (number, role) in domain.roles.iter().enumerate() {
            for (rank, synonym) in role.synonyms.iter().enumerate() {
                // The first ones are those the author of the file thought of first.
                let weight = 1.0 - 0.15 * rank as f64 / role.synonyms.len() as f64;
                let roles = words.entry(word_of(synonym)).or_default();
                if !roles.iter().any(|(known, _)| *known == number) {
                    roles.push((number, weight));
                }
            }
        }
        Self { class, domain, titles: Titles::new(class), words, title: FxHashMap::default() }
    }

    /// All candidates that could be the role, best first.
    pub fn rank(&self, number: usize) -> Vec<Scored> {
        let role = &self.domain.roles[number];
        let mut scored: Vec<Scored> =
            (0..self.class.candidates.len()).filter_map(|at| self.score(at, number, role)).collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.candidate.cmp(&b.candidate)));
        scored
    }

    /// Other roles are looked for near it.
    pub fn set_title(&mut self, leaves: &[At]) {
        self.title = leaves.iter().copied().collect();
    }

    fn score(&self, at: usize, number: usize, role: &Role) -> Option<Scored> {
        let candidate = &self.class.candidates[at];
        let mut scored = Scored { candidate: at, schema: self.schema(candidate, role), ..Scored::default() };
        if role.title {
            scored.heading = self.titles.heading(candidate);
        }
        let n = candidate.leaves.len() as f64;
        let mut sum = 0.0;
        for leaf in &candidate.leaves {
            let evidence = self.evidence(*leaf, number, &scored);
            scored.fits += evidence.fits / n;
            scored.label += evidence.label / n;
            scored.typed += evidence.typed / n;
            scored.title += evidence.title / n;
            sum += evidence.all / n;
        }
        let added = if role.title { 1.0 - 0.7 * self.titles.added(candidate) } else { 1.0 };
        scored.score = sum * added * self.quality(candidate, role, scored.label);
        (scored.score > LEAST_SCORE).then_some(scored)
    }

    /// What speaks for one leaf of a candidate.
    pub fn evidence(&self, at: At, number: usize, of_candidate: &Scored) -> Evidence {
        let role = &self.domain.roles[number];
        let text = &self.class.leaf(at).text;
        let matches = |pattern: &Pattern| f64::from(u8::from(pattern.matches(text)));
        let fits = role.value.as_ref().map_or(1.0, matches);
        let typed = role.typed.as_ref().map_or(0.0, matches);
        let label = self.labelled(at, number);
        let title = if role.title { self.titles.share(at, of_candidate.heading) } else { 0.0 };
        let of_label = if role.title { 0.4 } else { 0.9 };
        let none =
            (1.0 - of_label * label) * (1.0 - 0.6 * typed) * (1.0 - 0.4 * of_candidate.schema) * (1.0 - 0.9 * title);
        let other = self.labelled_otherwise(at, number) * (1.0 - label);
        let is_label = if self.words.contains_key(&self.class.leaf(at).word) { 0.2 } else { 1.0 };
        let all = (1.0 - none) * fits * (1.0 - 0.5 * other) * is_label;
        Evidence { label, typed, title, fits, all }
    }

    fn is(&self, word: u64, number: usize) -> f64 {
        let roles = self.words.get(&word).map_or(&[][..], Vec::as_slice);
        roles.iter().find(|(role, _)| *role == number).map_or(0.0, |(_, weight)| *weight)
    }

    /// Does a synonym of the role stand right before the leaf, at its own beginning, or in brackets behind it?
    pub fn labelled(&self, at: At, number: usize) -> f64 {
        let (before, leaf, after) = self.around(at);
        if self.is(leaf.word, number) > 0.0 {
            return 0.0;
        }
        let inner = inner_label(&leaf.text).map_or(0.0, |label| self.is(word_of(&label), number));
        let before = before.map_or(0.0, |before| self.is(before.word, number));
        let before = if before > 0.0 && self.taken(at) { before * 0.5 } else { before };
        let behind = after.map_or(0.0, |after| self.is(after.word, number));
        let belongs = behind > 0.0 && after.is_some_and(|after| after.text.starts_with('(') || self.nearer(at, after));
        before.max(inner).max(if belongs { 0.9 * behind } else { 0.0 })
    }

    /// Does the text behind share a smaller block with the leaf than the text before does?
    fn nearer(&self, at: At, after: &Leaf) -> bool {
        let document = &self.class.documents[at.0 as usize];
        let (before, leaf, _) = self.around(at);
        let depth = |other: NodeId| common_depth(document, leaf.node, other);
        before.is_none_or(|before| depth(after.node) > depth(before.node))
    }

    /// Does the label before the leaf share a smaller block with the value before it? Then it is that one's.
    fn taken(&self, at: At) -> bool {
        let document = &self.class.documents[at.0 as usize];
        let list = &self.class.pages[at.0 as usize].list;
        let mut before = list[..at.1 as usize].iter().rev().filter(|leaf| leaf.word != 0);
        let (Some(label), Some(value)) = (before.next(), before.next()) else { return false };
        let depth = |other: NodeId| common_depth(document, label.node, other);
        !self.class.template.anchors.contains(&value.word) && depth(value.node) > depth(list[at.1 as usize].node)
    }

    /// Is it the value of another role, as its label says?
    fn labelled_otherwise(&self, at: At, number: usize) -> f64 {
        let (before, leaf, _) = self.around(at);
        let other = |word: u64| {
            let roles = self.words.get(&word).map_or(&[][..], Vec::as_slice);
            !roles.is_empty() && roles.iter().all(|(role, _)| *role != number)
        };
        let inner = inner_label(&leaf.text).is_some_and(|label| other(word_of(&label)));
        f64::from(u8::from(other(leaf.word) || inner || before.is_some_and(|before| other(before.word))))
    }

    /// The leaf and those around it that say something.
    fn around(&self, at: At) -> (Option<&Leaf>, &Leaf, Option<&Leaf>) {
        let list = &self.class.pages[at.0 as usize].list;
        let place = at.1 as usize;
        let says = |leaf: &&Leaf| leaf.word != 0;
        (list[..place].iter().rev().find(says), &list[place], list[place + 1..].iter().find(says))
    }

    /// Do the classes near the leaf, its ids, its `itemprop` or its `property` name the role?
    fn schema(&self, candidate: &Candidate, role: &Role) -> f64 {
        let Some(&at) = candidate.leaves.first() else { return 0.0 };
        let document = &self.class.documents[at.0 as usize];
        let mut names: Vec<String> = Vec::new();
        let mut node: Option<NodeId> = document.parent(self.class.leaf(at).node);
        for _ in 0..3 {
            let Some(own) = node else { break };
            each_token(document, own, |_, token| names.push(plain(token)));
            names.extend(document.attribute(own, "property").map(|name| plain(local(name))));
            node = document.parent(own);
        }
        let own = plain(&role.name);
        let of_titles = if role.title { &TITLE_NAMES[..] } else { &[] };
        if of_titles.iter().any(|word| names.iter().take(3).any(|name| name.contains(word))) {
            return 0.6;
        }
        let mut words = role.schema.iter().chain(&role.synonyms).map(|word| plain(word)).filter(|word| word.len() > 3);
        let exact = names.contains(&own) || words.clone().any(|word| names.contains(&word));
        if exact {
            return 1.0;
        }
        let inside = |name: &String| name.contains(&own) && own.len() > 3;
        if names.iter().any(inside) || words.any(|word| names.iter().any(|name| name.ends_with(&word))) {
            0.6
        } else {
            0.0
        }
    }

    fn quality(&self, candidate: &Candidate, role: &Role, label: f64) -> f64 {
        let support = self.class.support(candidate).sqrt();
        let variation = self.class.variation(candidate);
        let constant = candidate.leaves.len() >= 3 && variation * candidate.leaves.len() as f64 <= 1.5;
        let varied = match (role.title, constant) {
            (_, true) => 0.25 * label,
            (true, false) => 0.3 + 0.7 * (variation * 1.5).min(1.0),
            (false, false) => 0.8 + 0.2 * (variation * 3.0).min(1.0),
        };
        let repeats = 1.0 / candidate.repeats.sqrt();
        support * varied * repeats * self.nearness(candidate)
    }

    fn nearness(&self, candidate: &Candidate) -> f64 {
        let near = |at: &At| {
            let title = self.title.get(&at.0)?;
            let (a, b) = (f64::from(*title), f64::from(at.1));
            let distance = if b >= a { b - a } else { (a - b) * 2.0 };
            Some(1.0 / (1.0 + distance / 60.0))
        };
        let known: Vec<f64> = candidate.leaves.iter().filter_map(near).collect();
        if known.is_empty() { 1.0 } else { 0.65 + 0.35 * known.iter().sum::<f64>() / known.len() as f64 }
    }
}

/// Depth of the smallest block that holds both.
fn common_depth(document: &Document, a: NodeId, b: NodeId) -> usize {
    let path = |node: NodeId| {
        let mut path: Vec<NodeId> = std::iter::successors(Some(node), |node| document.parent(*node)).collect();
        path.reverse();
        path
    };
    path(a).iter().zip(path(b).iter()).take_while(|(a, b)| a == b).count()
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
