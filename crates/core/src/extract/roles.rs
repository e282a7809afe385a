//! Which candidate is which role? Aligned pages, domain → for each role the candidates, best first, on one scale.
//!
//! - [`Judge`]: what is known of the pages for all roles. - [`Scored`]: a candidate with its score and why.
//!
//! Evidence of different kinds (a label, a type, a class, the page's title) is united as independent chances are
//! (1 − Π(1 − e)), then weighed by what a good slot has: pages that have it, texts that differ, few repeats, nearness to the title.

use super::class::{At, Candidate, Class};
use super::domain::{Domain, Role};
use super::leaves::{each_token, label_of};
use super::template::inner_label;
use crate::page::dom::NodeId;
use rustc_hash::FxHashMap;

#[derive(Debug, Clone)]
pub struct Scored {
    pub candidate: usize,
    pub score: f64,
    pub label: f64,
    pub typed: f64,
    pub schema: f64,
    pub title: f64,
    pub fits: f64,
}

pub struct Judge<'c> {
    class: &'c Class,
    domain: &'c Domain,
    /// Synonym → roles.
    words: FxHashMap<u64, Vec<usize>>,
    /// The leaf of the title on each page, once known.
    title: FxHashMap<u32, u32>,
}

impl<'c> Judge<'c> {
    pub fn new(class: &'c Class, domain: &'c Domain) -> Self {
        let mut words: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (number, role) in domain.roles.iter().enumerate() {
            for synonym in &role.synonyms {
                words.entry(super::leaves::word_of(synonym)).or_default().push(number);
            }
        }
        Self { class, domain, words, title: FxHashMap::default() }
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
        let n = candidate.leaves.len() as f64;
        let share = |test: &dyn Fn(At) -> bool| candidate.leaves.iter().filter(|at| test(**at)).count() as f64 / n;
        let fits = role.value.as_ref().map_or(1.0, |value| share(&|at| value.matches(&self.class.leaf(at).text)));
        let label = share(&|at| self.labelled(at, number)) * fits;
        let typed = role.typed.as_ref().map_or(0.0, |typed| share(&|at| typed.matches(&self.class.leaf(at).text)));
        let schema = self.schema(candidate, role) * fits;
        let title = if role.title { self.title_share(candidate) } else { 0.0 };
        let none = (1.0 - 0.9 * label) * (1.0 - 0.75 * typed) * (1.0 - 0.5 * schema) * (1.0 - 0.9 * title);
        let score = (1.0 - none) * self.quality(candidate, role);
        (score > 0.02).then_some(Scored { candidate: at, score, label, typed, schema, title, fits })
    }

    /// Does a synonym of the role stand right before the leaf, or at its own beginning?
    fn labelled(&self, at: At, number: usize) -> bool {
        let page = &self.class.pages[at.0 as usize];
        let leaf = &page.list[at.1 as usize];
        let is = |word: u64| self.words.get(&word).is_some_and(|roles| roles.contains(&number));
        if is(leaf.word) {
            return false;
        }
        let before = page.list[..at.1 as usize].iter().rev().find(|leaf| leaf.word != 0);
        if before.is_some_and(|before| is(before.word)) {
            return true;
        }
        inner_label(&leaf.text).is_some_and(|label| is(super::leaves::word_of(&label)))
    }

    /// Do the classes near the leaf, its ids or its `itemprop` name the role?
    fn schema(&self, candidate: &Candidate, role: &Role) -> f64 {
        let Some(&at) = candidate.leaves.first() else { return 0.0 };
        let document = &self.class.documents[at.0 as usize];
        let mut names: Vec<String> = Vec::new();
        let mut node: Option<NodeId> = document.parent(self.class.leaf(at).node);
        for _ in 0..3 {
            let Some(own) = node else { break };
            each_token(document, own, |_, token| names.push(plain(token)));
            node = document.parent(own);
        }
        let own = plain(&role.name);
        let mut words = role.schema.iter().chain(&role.synonyms).map(|word| plain(word)).filter(|word| word.len() > 3);
        let exact = names.iter().any(|name| *name == own) || words.clone().any(|word| names.contains(&word));
        if exact {
            return 1.0;
        }
        let inside = |name: &String| name.contains(&own) && own.len() > 3;
        if names.iter().any(inside) || words.any(|word| names.iter().any(|name| name.ends_with(&word))) { 0.6 } else { 0.0 }
    }

    /// How much of it is in the page's `<title>`, in headings.
    fn title_share(&self, candidate: &Candidate) -> f64 {
        let mut sum = 0.0;
        for at in &candidate.leaves {
            let page = &self.class.pages[at.0 as usize];
            let text = label_of(&page.list[at.1 as usize].text);
            let title = label_of(&page.title);
            if text.len() >= 2 && title.contains(&text) {
                sum += 0.55 + 0.25 * (text.len() as f64 / title.len() as f64).min(1.0) + if title.starts_with(&text) { 0.1 } else { 0.0 };
            }
        }
        let share = sum / candidate.leaves.len() as f64;
        let heading = self.heading(candidate);
        1.0 - (1.0 - share) * (1.0 - heading)
    }

    fn heading(&self, candidate: &Candidate) -> f64 {
        let Some(&at) = candidate.leaves.first() else { return 0.0 };
        let document = &self.class.documents[at.0 as usize];
        let mut node = document.parent(self.class.leaf(at).node);
        for _ in 0..3 {
            let Some(own) = node else { break };
            match document.name(own) {
                "h1" => return 0.6,
                "h2" => return 0.4,
                "h3" => return 0.2,
                _ => {}
            }
            node = document.parent(own);
        }
        0.0
    }

    fn quality(&self, candidate: &Candidate, role: &Role) -> f64 {
        let support = self.class.support(candidate).sqrt();
        let variation = self.class.variation(candidate);
        let varied = if role.title { variation } else { 0.6 + 0.4 * (variation * 4.0).min(1.0) };
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
        if known.is_empty() { 1.0 } else { 0.75 + 0.25 * known.iter().sum::<f64>() / known.len() as f64 }
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
