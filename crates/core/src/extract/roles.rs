//! Which candidate is which role? Aligned pages, domain → for each role the candidates, best first, on one scale.
//!
//! - [`Judge`]: what is known of the pages for all roles. - [`Scored`]: a candidate with its score and why.
//!
//! Evidence of different kinds (a label, a type, a class, the page's title) is united as independent chances are
//! (1 − Π(1 − e)), then weighed by what a good slot has: pages that have it, texts that differ, few repeats, nearness to the title.
//! For a role that was fitted on other sites, both are signals among others ([`fitted`](super::fitted)).

use super::class::{At, Candidate, Class};
use super::domain::{Domain, Pattern, Role};
use super::fitted::FittedRole;
use super::fitted::views::{self, LEAF_VIEWS, Sums};
use super::fitted::weigh::{COUNT, OWN, Signals, log_share};
use super::leaves::{Leaf, each_token, word_of};
use super::naming::local;
use super::template::inner_label;
use super::title::Titles;
use super::weights::{self, role as weigh};
use crate::page::dom::{Document, NodeId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

#[derive(Debug, Clone, Default)]
pub struct Scored {
    pub candidate: usize,
    pub score: f64,
    /// The chance that it is right, if it is chosen.
    pub sure: f64,
    /// Share of its leaves with a label of the role.
    pub label: f64,
    pub typed: f64,
    pub schema: f64,
    /// Is it in a heading?
    pub heading: f64,
    pub title: f64,
    /// Share of its leaves that match the role's pattern of values.
    pub fits: f64,
    /// What a good slot has: 1 is best.
    pub quality: f64,
    /// What speaks for its leaves, on average.
    pub evidence: f64,
    /// Where what was fitted decides.
    pub views: Option<Sums>,
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

/// What speaks for one leaf, whichever candidate holds it.
#[derive(Debug, Clone, Copy, Default)]
struct Own {
    label: f64,
    typed: f64,
    fits: f64,
    /// Left of it when its label is another role's, or it is a label.
    left: f64,
}

/// Candidates below are not ranked. Set by hand, as are those in `weights`.
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
    /// By role and leaf.
    known: RefCell<FxHashMap<(usize, At), Own>>,
    /// Views of leaves, by role and leaf.
    seen: RefCell<FxHashMap<(usize, At), Sums>>,
}

impl<'c> Judge<'c> {
    pub fn new(class: &'c Class, domain: &'c Domain) -> Self {
        let mut words: FxHashMap<u64, Vec<(usize, f64)>> = FxHashMap::default();
        for (number, role) in domain.roles.iter().enumerate() {
            for (rank, synonym) in role.synonyms.iter().enumerate() {
                // The first ones are those the author of the file thought of first.
                let weight = 1.0 - weigh::LATER_SYNONYM * rank as f64 / role.synonyms.len() as f64;
                let roles = words.entry(word_of(synonym)).or_default();
                if !roles.iter().any(|(known, _)| *known == number) {
                    roles.push((number, weight));
                }
            }
        }
        Self {
            class,
            domain,
            titles: Titles::new(class),
            words,
            title: FxHashMap::default(),
            known: RefCell::default(),
            seen: RefCell::default(),
        }
    }

    /// All candidates that could be the role, best first. What was fitted decides where the domain file says little.
    pub fn rank(&self, number: usize) -> Vec<Scored> {
        let role = &self.domain.roles[number];
        self.known.borrow_mut().clear();
        self.seen.borrow_mut().clear();
        let all = (0..self.class.candidates.len()).map(|at| self.judged(at, number, role));
        let mut scored: Vec<Scored> = all.collect();
        let best = scored.iter().map(|one| one.score).fold(0.0, f64::max);
        match &role.fitted {
            Some(fitted) if fitted.weigher.is_told(best) => {
                scored.iter_mut().for_each(|one| one.sure = fitted.weigher.file_sure(one.score));
            }
            Some(fitted) => scored.iter_mut().for_each(|one| self.weigh(one, number, fitted)),
            None => {}
        }
        scored.retain(|one| one.score > LEAST_SCORE);
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.candidate.cmp(&b.candidate)));
        scored
    }

    /// Other roles are looked for near it.
    pub fn set_title(&mut self, leaves: &[At]) {
        self.title = leaves.iter().copied().collect();
    }

    /// All signals of a candidate, for a fit.
    pub fn candidate_signals(&self, at: usize, number: usize) -> Signals {
        let role = &self.domain.roles[number];
        let mut scored = self.judged(at, number, role);
        if let Some(fitted) = &role.fitted {
            self.weigh(&mut scored, number, fitted);
        }
        self.signals(&scored, scored.evidence, None)
    }

    /// What is said of a candidate by the domain file and the page.
    fn judged(&self, at: usize, number: usize, role: &Role) -> Scored {
        let candidate = &self.class.candidates[at];
        let mut scored = Scored { candidate: at, schema: self.schema(candidate, role), ..Scored::default() };
        if role.title {
            scored.heading = self.titles.heading(candidate);
        }
        let n = candidate.leaves.len() as f64;
        for leaf in &candidate.leaves {
            let own = self.own(*leaf, number);
            let evidence = self.united(*leaf, &own, role, &scored);
            scored.fits += evidence.fits / n;
            scored.label += evidence.label / n;
            scored.typed += evidence.typed / n;
            scored.title += evidence.title / n;
            scored.evidence += evidence.all / n;
        }
        let added = if role.title { 1.0 - weigh::ADDED_WORDS * self.titles.added(candidate) } else { 1.0 };
        scored.quality = added * self.quality(candidate, role, scored.label);
        scored.score = scored.evidence * scored.quality;
        scored.sure = scored.score;
        scored
    }

    /// Scores a candidate by all signals.
    fn weigh(&self, scored: &mut Scored, number: usize, fitted: &FittedRole) {
        let candidate = &self.class.candidates[scored.candidate];
        let mut views = Sums::default();
        candidate.leaves.iter().for_each(|at| views.add_all(&self.views(*at, number, fitted)));
        views::of_candidate(self.class, candidate, |view, token| views.add(&fitted.tables, view, token));
        scored.views = Some(views);
        let signals = self.signals(scored, scored.evidence, None);
        (scored.score, scored.sure) = (fitted.weigher.score(&signals), fitted.weigher.sure(&signals));
    }

    /// Signals of a candidate, or of one of its leaves.
    fn signals(&self, scored: &Scored, evidence: f64, leaf: Option<(&Evidence, &Sums)>) -> Signals {
        let mut signals = [0.0; COUNT];
        let (label, typed, fits, title) = match leaf {
            Some((own, _)) => (own.label, own.typed, own.fits, own.title),
            None => (scored.label, scored.typed, scored.fits, scored.title),
        };
        let both = evidence * scored.quality;
        let own = [log_share(evidence), log_share(scored.quality), both, label, typed, fits, title];
        signals[..OWN.len()].copy_from_slice(&own);
        for (view, signal) in signals[OWN.len()..].iter_mut().enumerate() {
            let of_leaf = leaf.filter(|_| view < LEAF_VIEWS).map(|(_, views)| views);
            *signal = of_leaf.or(scored.views.as_ref()).map_or(0.0, |views| views.mean(view));
        }
        signals
    }

    /// What speaks for one leaf of a candidate.
    pub fn evidence(&self, at: At, number: usize, of_candidate: &Scored) -> Evidence {
        let role = &self.domain.roles[number];
        let own = self.own(at, number);
        let mut evidence = self.united(at, &own, role, of_candidate);
        if let Some(fitted) = role.fitted.as_ref().filter(|_| of_candidate.views.is_some()) {
            let views = self.views(at, number, fitted);
            let signals = self.signals(of_candidate, evidence.all, Some((&evidence, &views)));
            evidence.all = fitted.weigher.score(&signals);
        }
        evidence
    }

    fn united(&self, at: At, own: &Own, role: &Role, of_candidate: &Scored) -> Evidence {
        let Own { label, typed, fits, left, .. } = *own;
        let title = if role.title { self.titles.share(at, of_candidate.heading) } else { 0.0 };
        let of_label = if role.title { weigh::LABEL_OF_TITLE } else { weigh::LABEL };
        let none = (1.0 - of_label * label)
            * (1.0 - weigh::TYPE * typed)
            * (1.0 - weigh::SCHEMA * of_candidate.schema)
            * (1.0 - weigh::TITLE * title);
        Evidence { label, typed, title, fits, all: (1.0 - none) * fits * left }
    }

    fn own(&self, at: At, number: usize) -> Own {
        if let Some(own) = self.known.borrow().get(&(number, at)) {
            return *own;
        }
        let role = &self.domain.roles[number];
        let leaf = self.class.leaf(at);
        let matches = |pattern: &Pattern| f64::from(u8::from(pattern.matches(&leaf.text)));
        let label = self.labelled(at, number);
        let other = self.labelled_otherwise(at, number) * (1.0 - label);
        let is_label = if self.words.contains_key(&leaf.word) { weigh::IS_LABEL } else { 1.0 };
        let own = Own {
            label,
            typed: role.typed.as_ref().map_or(0.0, matches),
            fits: role.value.as_ref().map_or(1.0, matches),
            left: (1.0 - 0.5 * other) * is_label,
        };
        self.known.borrow_mut().insert((number, at), own);
        own
    }

    fn views(&self, at: At, number: usize, fitted: &FittedRole) -> Sums {
        if let Some(views) = self.seen.borrow().get(&(number, at)) {
            return *views;
        }
        let mut views = Sums::default();
        let title = self.title.get(&at.0).copied();
        views::of_leaf(self.class, at, title, |view, token| views.add(&fitted.tables, view, token));
        self.seen.borrow_mut().insert((number, at), views);
        views
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
        before.max(inner).max(if belongs { weigh::LABEL_BEHIND * behind } else { 0.0 })
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
            return weigh::PART_OF_NAME;
        }
        let mut words = role.schema.iter().chain(&role.synonyms).map(|word| plain(word)).filter(|word| word.len() > 3);
        let exact = names.contains(&own) || words.clone().any(|word| names.contains(&word));
        if exact {
            return 1.0;
        }
        let inside = |name: &String| name.contains(&own) && own.len() > 3;
        if names.iter().any(inside) || words.any(|word| names.iter().any(|name| name.ends_with(&word))) {
            weigh::PART_OF_NAME
        } else {
            0.0
        }
    }

    fn quality(&self, candidate: &Candidate, role: &Role, label: f64) -> f64 {
        let support = self.class.support(candidate).sqrt();
        let variation = self.class.variation(candidate);
        let constant = candidate.leaves.len() >= 3 && variation * candidate.leaves.len() as f64 <= weights::CONSTANT;
        let varied = match (role.title, constant) {
            (_, true) => weigh::SAME_EVERYWHERE * label,
            (true, false) => weigh::TITLES_DIFFER.of((variation * 1.5).min(1.0)),
            (false, false) => weigh::VALUES_DIFFER.of((variation * 3.0).min(1.0)),
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
        if known.is_empty() {
            1.0
        } else {
            weigh::NEAR_TITLE.base + weigh::NEAR_TITLE.span * known.iter().sum::<f64>() / known.len() as f64
        }
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
