//! Which places give a role its value on each page? Ranked candidates → tiers of voters: the first tier that has a leaf decides.
//!
//! - [`Choice`]: tiers of one role, with the score of each. - [`assign`]: the best candidate, and others for the pages it leaves open.
//!
//! A slot that is in one place on some pages and elsewhere on the others (an optional block, a value that is a link when
//! there is something to link to) shows as several candidates that exclude each other; one with another value on the same
//! pages is another attribute.

use super::class::{At, Class, Voter};
use super::roles::{Judge, Scored};
use rustc_hash::FxHashMap;

/// A leaf counts as found when this much speaks for it. This and the others here were set by hand.
const LEAST_EVIDENCE: f64 = 0.2;

/// A further tier has this share of the best one's score.
const LEAST_SCORE: f64 = 0.3;

/// A further tier says the same on this share of the pages both have.
const LEAST_AGREEMENT: f64 = 0.7;

/// A candidate repeats another when it has the same text on this share of the pages both have.
const ECHO: f64 = 0.9;

const MOST_TIERS: usize = 8;

/// Ranked candidates that are looked at for further tiers.
const LOOKED_AT: usize = 60;

#[derive(Debug, Clone, Default)]
pub struct Choice {
    pub tiers: Vec<Vec<Voter>>,
    /// The leaves of the candidates chosen, one a page, by page.
    pub leaves: Vec<At>,
    pub best: Scored,
}

/// The best candidate of a role, and those that fill the pages it leaves open.
pub fn assign(class: &Class, judge: &Judge, number: usize, least: f64) -> Option<Choice> {
    let ranked = judge.rank(number);
    let best = ranked.first().filter(|best| best.score >= least)?.clone();
    let says = |scored: &Scored, at: At| judge.evidence(at, number, scored).all;
    let fitting = |scored: &Scored| -> Vec<At> {
        let leaves = &class.candidates[scored.candidate].leaves;
        leaves.iter().copied().filter(|at| says(scored, *at) >= LEAST_EVIDENCE).collect()
    };
    let mut covered: FxHashMap<u32, u32> = fitting(&best).into_iter().collect();
    let mut tiers = vec![class.voters(&class.candidates[best.candidate].leaves)];
    let able = ranked.iter().skip(1).take(LOOKED_AT).filter(|one| one.score >= best.score * LEAST_SCORE);
    let others: Vec<(&Scored, Vec<At>)> = able.map(|one| (one, fitting(one))).collect();
    while tiers.len() < MOST_TIERS && covered.len() < class.pages.len() {
        let Some((scored, leaves)) = most_telling(class, &others, &covered, says) else { break };
        cover(&mut covered, leaves);
        tiers.push(class.voters(&class.candidates[scored.candidate].leaves));
    }
    if let Some(echo) = echo(class, &covered) {
        tiers.push(class.voters(&class.candidates[echo].leaves));
        cover(&mut covered, &class.candidates[echo].leaves);
    }
    let mut leaves: Vec<At> = covered.into_iter().collect();
    leaves.sort_unstable();
    Some(Choice { tiers, leaves, best })
}

/// The candidate that says most about the pages that are open.
fn most_telling<'o>(
    class: &Class,
    others: &'o [(&'o Scored, Vec<At>)],
    covered: &FxHashMap<u32, u32>,
    says: impl Fn(&Scored, At) -> f64,
) -> Option<&'o (&'o Scored, Vec<At>)> {
    let gain = |(scored, leaves): &(&Scored, Vec<At>)| {
        let open = leaves.iter().filter(|(page, _)| !covered.contains_key(page));
        let gain: f64 = open.map(|at| says(scored, *at)).sum();
        if gain > 0.0 && agrees(class, covered, leaves) { gain } else { 0.0 }
    };
    let gains = others.iter().map(gain).enumerate();
    let (best, gain) = gains.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    (gain > 0.0).then(|| &others[best])
}

/// Pages that are open get their leaf.
fn cover(covered: &mut FxHashMap<u32, u32>, leaves: &[At]) {
    for (page, leaf) in leaves {
        covered.entry(*page).or_insert(*leaf);
    }
}

/// The candidate that repeats what is known wherever it is known, and goes on where it is not: the author's name under the
/// title says what the one in the margin does.
pub fn echo(class: &Class, covered: &FxHashMap<u32, u32>) -> Option<usize> {
    if covered.len() == class.pages.len() {
        return None;
    }
    let mut same: FxHashMap<u32, usize> = FxHashMap::default();
    for (page, leaf) in covered {
        let word = class.leaf((*page, *leaf)).word;
        let list = class.pages[*page as usize].list.iter().enumerate();
        for (at, _) in list.filter(|(_, other)| other.word == word).take(20) {
            class.holders((*page, at as u32)).iter().for_each(|holder| *same.entry(*holder).or_default() += 1);
        }
    }
    let repeats = |(candidate, same): &(u32, usize)| {
        let leaves = &class.candidates[*candidate as usize].leaves;
        let common = leaves.iter().filter(|(page, _)| covered.contains_key(page)).count();
        leaves.len() > common && *same >= 3 && *same as f64 >= common as f64 * ECHO && *same * 2 >= covered.len()
    };
    let best = same.into_iter().filter(repeats).max_by_key(|(candidate, same)| (*same, std::cmp::Reverse(*candidate)));
    best.map(|(candidate, _)| candidate as usize)
}

/// Is it the same text wherever both have one?
pub fn agrees(class: &Class, covered: &FxHashMap<u32, u32>, leaves: &[At]) -> bool {
    let mut common = 0usize;
    let mut same = 0usize;
    for (page, leaf) in leaves {
        if let Some(known) = covered.get(page) {
            common += 1;
            same += usize::from(class.leaf((*page, *known)).word == class.leaf((*page, *leaf)).word);
        }
    }
    same as f64 >= common as f64 * LEAST_AGREEMENT
}
