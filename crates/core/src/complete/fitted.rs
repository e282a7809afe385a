//! How wide must the interval be? What a search saw → bounds, by searches that saw alike on sites with known truth.
//!
//! - [`features`]: the evidence as numbers. - [`Fitted`]: what was learned; [`Fitted::bounds`] gives [`Bounds`] for one search. - [`Case`]: a search with
//!   known truth. - [`fit`]: cases → [`Fitted`].
//!
//! Searches are of two sorts. Most find everything, and several signs agree that they did: these are *safe*, and get a narrow interval. What the others lack
//! differs so much that only a wide one is honest; it is the wider the more searches that saw the like have lacked.
//!
//! Whatever is counted here is counted on searches of sites that the weights were not fitted on. `pagekin eval completeness` measures it, and
//! writes it anew.

mod linear;

use super::Evidence;
use linear::{Row, least_squares, logistic, value};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, LazyLock};

/// Numbers that tell how sure a search can be.
pub const FEATURES: usize = 12;

/// How far the truth may be from what a safe search found, as differences of logarithms: half a per cent below, two and a half above, because more
/// searches lack pages than have too many. Twice as wide it holds the truth no more often; half as wide, in one case of fifty less.
const NARROW: Bound = Bound { below: 0.00501, above: 0.02501 };

/// The share of searches that are called safe, and the share of cases of a class of others that may lie beyond its bound. By hand, on searches of sites left out: the
/// narrowest with which the intervals hold the truth in nine of ten cases, safe ones and others.
struct Allowed {
    safe: f64,
    beyond: f64,
}

/// Of searches that came to their end, and of those that were cut short.
const WHOLE: Allowed = Allowed { safe: 0.56, beyond: 0.03 };
const CUT: Allowed = Allowed { safe: 0.15, beyond: 0.05 };

/// Classes of the others by what they may lack, and the share of these cases that may have more pages too many than their bound says.
const CLASSES: usize = 4;
const BELOW: f64 = 0.02;

/// Cases from which on a sort of searches can be learned.
const FEWEST: usize = 24;

/// More than this is not told apart when it is learned how much a search lacks: twenty times what was found.
const MOST: f64 = 3.0;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    pub means: Vec<f64>,
    pub deviations: Vec<f64>,
    /// Of searches that came to their end.
    pub whole: Sort,
    /// Of searches that a budget cut short.
    pub cut: Sort,
}

/// What was learned of searches of one sort.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sort {
    /// Log-odds that the truth lies outside the narrow interval: bias, then a weight for each feature.
    pub wrong: Vec<f64>,
    /// Up to these a search is safe; the share of safe searches whose narrow interval held the truth.
    pub safe_to: f64,
    pub safe_sure: f64,
    /// How much is missing, likewise: the root of the difference of logarithms.
    pub missing: Vec<f64>,
    /// Of searches that are not safe, by what they may lack; how far the truth was below what they found; the share of intervals that held it.
    pub classes: Vec<Class>,
    pub below: f64,
    pub sure: f64,
}

/// Searches that lack alike.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// The most missing in it.
    pub missing: f64,
    /// How far the truth was beyond what was found.
    pub above: f64,
}

/// How far the truth may lie below and above what was found, as differences of logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound {
    below: f64,
    above: f64,
}

/// What is believed of one search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// As factors of what was found.
    pub lower: f64,
    pub upper: f64,
    /// The share of such searches whose bounds held the truth.
    pub sure: f64,
    /// Do the signs agree that everything was found?
    pub safe: bool,
}

/// A search on a site with known truth.
#[derive(Debug, Clone)]
pub struct Case<'e> {
    pub evidence: &'e Evidence,
    pub site: &'e str,
    /// Pages of the kind.
    pub truth: usize,
    /// So that all kinds count alike.
    pub weight: f64,
}

static SHIPPED: LazyLock<Arc<Fitted>> =
    LazyLock::new(|| Arc::new(serde_json::from_str(include_str!("fitted.json")).expect("`fitted.json` is tested")));

impl Fitted {
    pub fn shipped() -> Arc<Self> {
        SHIPPED.clone()
    }

    /// How far the truth may lie from what was found.
    pub fn bounds(&self, evidence: &Evidence) -> Bounds {
        let x = self.scaled(&features(evidence));
        let of = if evidence.stopped { &self.cut } else { &self.whole };
        let safe = value(&of.wrong, &x) <= of.safe_to;
        let bound = if safe { NARROW } else { of.wide(value(&of.missing, &x)) };
        let sure = if safe { of.safe_sure } else { of.sure };
        Bounds { lower: (-bound.below).exp(), upper: bound.above.exp(), sure, safe }
    }

    fn scaled(&self, features: &[f64; FEATURES]) -> Vec<f64> {
        let scaled = features.iter().zip(&self.means).zip(&self.deviations);
        scaled.map(|((x, mean), deviation)| ((x - mean) / deviation).clamp(-4.0, 4.0)).collect()
    }
}

impl Sort {
    fn wide(&self, missing: f64) -> Bound {
        let at = self.classes.partition_point(|class| class.missing < missing);
        let class = self.classes.get(at).or(self.classes.last());
        Bound { below: self.below, above: class.map_or(MOST, |class| class.above) }
    }
}

/// The evidence as numbers, most of them relative to what was found.
pub fn features(evidence: &Evidence) -> [f64; FEATURES] {
    let found = evidence.found.max(1) as f64;
    let around = &evidence.around;
    let share = |part: f64, stretched: f64| (stretched * part / found).ln_1p();
    let chao = super::recapture::chao(evidence.found, evidence.once, evidence.twice);
    [
        share(around.beside as f64, 20.0),
        share(around.alike as f64, 20.0),
        share(around.doubted as f64, 20.0),
        share(around.in_folders as f64, 1.0),
        share(around.further as f64, 5.0),
        (around.clusters as f64).ln_1p(),
        around.rows.ln_1p(),
        around.promise.ln_1p(),
        share(evidence.not_shown, 20.0),
        (chao / found).ln().clamp(0.0, 3.0),
        (evidence.looked.max(1) as f64).ln(),
        evidence.found_looked as f64 / found,
    ]
}

/// Learns from cases; none from too few of one sort.
pub fn fit(cases: &[Case]) -> Option<Fitted> {
    let raw: Vec<[f64; FEATURES]> = cases.iter().map(|case| features(case.evidence)).collect();
    let (means, deviations) = moments(&raw);
    let mut fitted = Fitted { means, deviations, whole: Sort::default(), cut: Sort::default() };
    let x: Vec<Vec<f64>> = raw.iter().map(|raw| fitted.scaled(raw)).collect();
    let of_sort = |stopped: bool, allowed: &Allowed| -> Option<Sort> {
        let some = cases.iter().zip(&x).filter(|(case, _)| case.evidence.stopped == stopped);
        let rows: Vec<Judged> = some.map(judged).collect();
        (rows.len() >= FEWEST).then(|| sort(&rows, allowed))
    };
    (fitted.whole, fitted.cut) = (of_sort(false, &WHOLE)?, of_sort(true, &CUT)?);
    Some(fitted)
}

fn moments(raw: &[[f64; FEATURES]]) -> (Vec<f64>, Vec<f64>) {
    let count = raw.len() as f64;
    let means: Vec<f64> = (0..FEATURES).map(|at| raw.iter().map(|x| x[at]).sum::<f64>() / count).collect();
    let spread = |at: usize| (raw.iter().map(|x| (x[at] - means[at]).powi(2)).sum::<f64>() / count).sqrt();
    let deviations = (0..FEATURES).map(|at| spread(at).max(1e-3)).collect();
    (means, deviations)
}

/// A case: its features, and how far the truth is beyond what was found.
#[derive(Clone, Copy)]
struct Judged<'r> {
    x: &'r [f64],
    site: &'r str,
    off: f64,
    weight: f64,
}

impl Judged<'_> {
    fn in_narrow(&self) -> bool {
        (-NARROW.below..=NARROW.above).contains(&self.off)
    }

    fn wrong(&self) -> Row<'_> {
        Row { x: self.x, y: f64::from(u8::from(!self.in_narrow())), weight: self.weight }
    }

    fn missing(&self) -> Row<'_> {
        Row { x: self.x, y: self.off.clamp(0.0, MOST).sqrt(), weight: self.weight }
    }
}

fn judged<'r>((case, x): (&'r Case, &'r Vec<f64>)) -> Judged<'r> {
    let off = (case.truth.max(1) as f64 / case.evidence.found.max(1) as f64).ln();
    Judged { x, site: case.site, off, weight: case.weight }
}

fn wrong_of(cases: &[Judged]) -> Vec<f64> {
    logistic(&cases.iter().map(Judged::wrong).collect::<Vec<_>>())
}

fn missing_of(cases: &[Judged]) -> Vec<f64> {
    least_squares(&cases.iter().map(Judged::missing).collect::<Vec<_>>())
}

/// The safe ones, and classes of the others, by what was fitted without the site of each.
fn sort(cases: &[Judged], allowed: &Allowed) -> Sort {
    let (wrong, missing) = (left_out(cases, wrong_of), left_out(cases, missing_of));
    let all: Vec<Scored> = (0..cases.len()).map(|at| Scored::of(wrong[at], &cases[at])).collect();
    let safe_to = score_at(all, allowed.safe);
    let (few, others): (Vec<usize>, Vec<usize>) = (0..cases.len()).partition(|&at| wrong[at] <= safe_to);
    let others: Vec<Scored> = others.into_iter().map(|at| Scored::of(missing[at], &cases[at])).collect();
    let below = kept_by_most(others.iter().map(|one| (-one.off, one.weight)).collect(), BELOW);
    let mut of = Sort {
        wrong: wrong_of(cases),
        safe_to,
        safe_sure: share(few.iter().map(|&at| (cases[at].in_narrow(), cases[at].weight))),
        missing: missing_of(cases),
        classes: classes(others.clone(), allowed.beyond),
        below,
        sure: 0.0,
    };
    let held = |one: &Scored| (-of.below..=of.wide(one.score).above).contains(&one.off);
    of.sure = share(others.iter().map(|one| (held(one), one.weight)));
    of
}

/// What each case scores by a model that was fitted without its site.
fn left_out(cases: &[Judged], fit: impl Fn(&[Judged]) -> Vec<f64>) -> Vec<f64> {
    let mut scores = vec![0.0; cases.len()];
    let mut sites: Vec<&str> = cases.iter().map(|case| case.site).collect();
    sites.sort_unstable();
    sites.dedup();
    for site in sites {
        let others: Vec<Judged> = cases.iter().filter(|case| case.site != site).copied().collect();
        let model = fit(&others);
        let own = cases.iter().enumerate().filter(|(_, case)| case.site == site);
        own.for_each(|(at, case)| scores[at] = value(&model, case.x));
    }
    scores
}

/// A case by what a model says of it.
#[derive(Clone, Copy)]
struct Scored {
    score: f64,
    off: f64,
    weight: f64,
}

impl Scored {
    fn of(score: f64, case: &Judged) -> Self {
        Self { score, off: case.off, weight: case.weight }
    }
}

/// The score that this share of the cases does not exceed.
fn score_at(mut cases: Vec<Scored>, share: f64) -> f64 {
    cases.sort_by(|a, b| a.score.total_cmp(&b.score));
    let wanted = share * cases.iter().map(|one| one.weight).sum::<f64>();
    let mut weight = 0.0;
    let reached = |one: &&Scored| {
        weight += one.weight;
        weight >= wanted
    };
    cases.iter().find(reached).or(cases.last()).map_or(0.0, |one| one.score)
}

/// Classes of equal weight by rising score, each with the bound that all but a few of its cases keep. A later class has no smaller bound.
fn classes(mut cases: Vec<Scored>, beyond: f64) -> Vec<Class> {
    cases.sort_by(|a, b| a.score.total_cmp(&b.score).then(a.off.total_cmp(&b.off)));
    let total: f64 = cases.iter().map(|one| one.weight).sum();
    let mut classes: Vec<Class> = Vec::new();
    let (mut start, mut weight) = (0, 0.0);
    for at in 0..cases.len() {
        weight += cases[at].weight;
        let full = weight >= total * (classes.len() + 1) as f64 / CLASSES as f64 && classes.len() + 1 < CLASSES;
        if full || at + 1 == cases.len() {
            let least = classes.last().map_or(NARROW.above, |class| class.above);
            let off = cases[start..=at].iter().map(|one| (one.off, one.weight)).collect();
            classes.push(Class { missing: cases[at].score, above: kept_by_most(off, beyond).max(least) });
            start = at + 1;
        }
    }
    classes
}

/// The bound that all but this share of the cases keep, with their weights.
fn kept_by_most(mut off: Vec<(f64, f64)>, share: f64) -> f64 {
    off.sort_by(|a, b| b.0.total_cmp(&a.0));
    let allowed = share * off.iter().map(|one| one.1).sum::<f64>();
    let mut beyond = 0.0;
    let past = |one: &&(f64, f64)| {
        beyond += one.1;
        beyond > allowed
    };
    off.iter().find(past).map_or(0.0, |one| one.0.max(0.0))
}

/// The share of the weight for which something holds.
fn share(cases: impl Iterator<Item = (bool, f64)>) -> f64 {
    let (held, all) =
        cases.fold((0.0, 0.0), |(held, all), (holds, weight)| (held + if holds { weight } else { 0.0 }, all + weight));
    if all > 0.0 { (held / all * 100.0).round() / 100.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole() {
        let fitted = Fitted::shipped();
        assert_eq!((fitted.means.len(), fitted.deviations.len()), (FEATURES, FEATURES));
        for of in [&fitted.whole, &fitted.cut] {
            assert_eq!((of.wrong.len(), of.missing.len(), of.classes.len()), (FEATURES + 1, FEATURES + 1, CLASSES));
            let rises = |two: &[Class]| two[0].missing <= two[1].missing && two[0].above <= two[1].above;
            assert!(of.classes.windows(2).all(rises), "{:?}", of.classes);
            assert!(of.safe_sure > 0.8 && of.sure > 0.8, "{} {}", of.safe_sure, of.sure);
        }
    }

    #[test]
    fn searches_whose_signs_agree_get_narrow_bounds_and_others_wide_ones() {
        let risky = |at: usize| at.is_multiple_of(3);
        let evidence = |at: usize| Evidence {
            found: 100,
            stopped: at.is_multiple_of(2),
            around: super::super::Around { beside: if risky(at) { 40 } else { 0 }, ..Default::default() },
            ..Evidence::default()
        };
        let all: Vec<Evidence> = (0..200).map(evidence).collect();
        let truth = |at: usize| if risky(at) { 110 + at } else { 100 };
        let sites: Vec<String> = (0..200).map(|at| format!("site {}", at / 10)).collect();
        let case = |at: usize| Case { evidence: &all[at], site: &sites[at], truth: truth(at), weight: 1.0 };
        let cases: Vec<Case> = (0..200).map(case).collect();
        let fitted = fit(&cases).unwrap();
        let (bad, good) = (fitted.bounds(&all[3]), fitted.bounds(&all[1]));
        assert!(!bad.safe && bad.upper > 1.5, "{bad:?}");
        assert!(good.safe && good.upper < 1.03 && good.lower > 0.99, "{good:?}");
        assert!(fit(&cases[..10]).is_none());
    }
}
