//! How wide must the interval be? What a search saw → bounds, by searches that saw alike on sites with known truth.
//!
//! - [`features`]: the evidence as numbers. - [`Fitted`]: the risk that a search lacks pages and the risk that it took in too many, and how far off
//!   searches of such risk were. - [`Case`]: a search with known truth. - [`fit`]: cases → [`Fitted`].
//!
//! `pagekin eval completeness` measures it, each site with what was fitted without it, and writes it anew.

use super::Evidence;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, LazyLock};

/// Numbers that tell how sure a search can be.
pub const FEATURES: usize = 19;

/// A search is off when the truth is more than this beyond what was found, or below it.
const OFF: f64 = 0.02;

/// Classes of risk, each with so many cases at least.
const CLASSES: usize = 4;
const FEWEST: usize = 12;

/// The share of cases of a class that may lie beyond a bound.
const BEYOND: f64 = 0.02;

/// Further sites differ more than those at hand: bounds are so many times as wide. Set by hand.
const WIDER: f64 = 1.5;

/// Share of searches on sites left out whose interval held the truth is to be at least this.
const SURE: f64 = 0.9;

/// Penalty on weights, in cases.
const RIDGE: f64 = 40.0;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    pub sure: f64,
    pub means: Vec<f64>,
    pub deviations: Vec<f64>,
    /// Of searches that came to their end.
    pub whole: Bounds,
    /// Of searches that a budget cut short.
    pub cut: Bounds,
}

/// How far off searches of one sort are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// Log-odds of lacking pages, and of having too many: bias, then a weight for each feature.
    pub short: Vec<f64>,
    pub over: Vec<f64>,
    /// By rising risk: how far the truth was beyond what was found, and below it, as a difference of logarithms.
    pub up: Vec<Class>,
    pub down: Vec<Class>,
}

/// Searches of similar risk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// The highest in it.
    pub risk: f64,
    pub bound: f64,
}

/// A search on a site with known truth.
#[derive(Debug, Clone)]
pub struct Case<'e> {
    pub evidence: &'e Evidence,
    /// Pages of the kind.
    pub truth: usize,
    /// So that all sites count alike.
    pub weight: f64,
}

static SHIPPED: LazyLock<Arc<Fitted>> =
    LazyLock::new(|| Arc::new(serde_json::from_str(include_str!("fitted.json")).expect("`fitted.json` is tested")));

impl Fitted {
    pub fn shipped() -> Arc<Self> {
        SHIPPED.clone()
    }

    /// How far the truth may lie below and above what is expected, as differences of logarithms.
    pub fn bounds(&self, evidence: &Evidence) -> (f64, f64) {
        let x = self.scaled(&features(evidence));
        let of = if evidence.stopped { &self.cut } else { &self.whole };
        (-bound(&of.down, risk(&of.over, &x)), bound(&of.up, risk(&of.short, &x)))
    }

    fn scaled(&self, features: &[f64; FEATURES]) -> Vec<f64> {
        let scaled = features.iter().zip(&self.means).zip(&self.deviations);
        scaled.map(|((x, mean), deviation)| ((x - mean) / deviation).clamp(-4.0, 4.0)).collect()
    }
}

/// Between the classes it rises evenly.
fn bound(classes: &[Class], risk: f64) -> f64 {
    let at = classes.partition_point(|class| class.risk < risk);
    let here = classes.get(at).or(classes.last()).map_or(1.0, |class| class.bound);
    let Some(below) = at.checked_sub(1).and_then(|at| classes.get(at)) else { return here };
    let above = classes.get(at).map_or(below.risk, |class| class.risk);
    if above <= below.risk {
        here
    } else {
        below.bound + (here - below.bound) * (risk - below.risk) / (above - below.risk)
    }
}

fn risk(weights: &[f64], x: &[f64]) -> f64 {
    let odds = weights[0] + weights[1..].iter().zip(x).map(|(weight, x)| weight * x).sum::<f64>();
    1.0 / (1.0 + (-odds).exp())
}

/// The evidence as numbers, most of them relative to what was found.
pub fn features(evidence: &Evidence) -> [f64; FEATURES] {
    let found = evidence.found.max(1) as f64;
    let share = |part: f64| (part / found).ln_1p();
    let flag = |yes: bool| f64::from(u8::from(yes));
    let chao = super::recapture::chao(evidence.found, evidence.once, evidence.twice);
    let routes = evidence.routes.map_or(0.0, |routes| (routes.estimate() / routes.seen() as f64).ln());
    let covered = evidence.routes.map_or(0.0, |routes| routes.seen() as f64 / found);
    let dense = evidence.ids.filter(|ids| ids.dense());
    [
        flag(evidence.stopped),
        share(evidence.doubtful),
        share(evidence.not_shown),
        found.ln(),
        1.0 / found.sqrt(),
        share(evidence.lists as f64),
        share(evidence.open_lists as f64),
        (evidence.open_lists as f64 / (evidence.lists as f64 + 1.0)).ln_1p(),
        evidence.novelty,
        evidence.once as f64 / found,
        (chao / found).ln().clamp(0.0, 3.0),
        routes.clamp(0.0, 2.0),
        flag(evidence.routes.is_some()),
        covered,
        (evidence.wider as f64 / found).ln().clamp(0.0, 4.0),
        (found / evidence.narrower.max(1) as f64).ln().clamp(0.0, 4.0),
        flag(dense.is_some()),
        dense.map_or(0.0, |ids| (ids.span() as f64 / ids.known as f64).ln()),
        evidence.found_looked as f64 / found,
    ]
}

/// Learns from cases; none from too few of one sort.
pub fn fit(cases: &[Case]) -> Option<Fitted> {
    let raw: Vec<[f64; FEATURES]> = cases.iter().map(|case| features(case.evidence)).collect();
    let (means, deviations) = moments(&raw);
    let mut fitted = Fitted { sure: SURE, means, deviations, whole: Bounds::default(), cut: Bounds::default() };
    let x: Vec<Vec<f64>> = raw.iter().map(|raw| fitted.scaled(raw)).collect();
    let of_sort = |stopped: bool| -> Option<Bounds> {
        let some: Vec<Row> =
            cases.iter().zip(&x).filter(|(case, _)| case.evidence.stopped == stopped).map(row).collect();
        (some.len() >= 2 * FEWEST).then(|| bounds(&some))
    };
    (fitted.whole, fitted.cut) = (of_sort(false)?, of_sort(true)?);
    Some(fitted)
}

/// A case: its features, how far the truth is beyond what was found, its weight.
struct Row<'r> {
    x: &'r [f64],
    off: f64,
    weight: f64,
}

fn row<'r>((case, x): (&Case, &'r Vec<f64>)) -> Row<'r> {
    Row { x, off: (case.truth.max(1) as f64 / case.evidence.found.max(1) as f64).ln(), weight: case.weight }
}

fn bounds(rows: &[Row]) -> Bounds {
    let short = logistic(rows, |row| row.off > OFF);
    let over = logistic(rows, |row| row.off < -OFF);
    let by = |model: &[f64], sign: f64| -> Vec<(f64, f64, f64)> {
        rows.iter().map(|row| (risk(model, row.x), (sign * row.off).max(0.0), row.weight)).collect()
    };
    let (up, down) = (classes(by(&short, 1.0)), classes(by(&over, -1.0)));
    Bounds { short, over, up, down }
}

fn moments(raw: &[[f64; FEATURES]]) -> (Vec<f64>, Vec<f64>) {
    let count = raw.len() as f64;
    let means: Vec<f64> = (0..FEATURES).map(|at| raw.iter().map(|x| x[at]).sum::<f64>() / count).collect();
    let spread = |at: usize| (raw.iter().map(|x| (x[at] - means[at]).powi(2)).sum::<f64>() / count).sqrt();
    let deviations = (0..FEATURES).map(|at| spread(at).max(1e-3)).collect();
    (means, deviations)
}

/// Weights that tell the cases from the others, by gradient steps on a convex loss.
fn logistic(rows: &[Row], is: impl Fn(&Row) -> bool) -> Vec<f64> {
    let total: f64 = rows.iter().map(|row| row.weight).sum();
    let mut model = vec![0.0; FEATURES + 1];
    for _ in 0..STEPS {
        let mut gradient = vec![0.0; FEATURES + 1];
        for row in rows {
            let wrong = row.weight * (risk(&model, row.x) - f64::from(u8::from(is(row))));
            gradient[0] += wrong;
            gradient[1..].iter_mut().zip(row.x).for_each(|(slope, x)| *slope += wrong * x);
        }
        for (at, (weight, slope)) in model.iter_mut().zip(&gradient).enumerate() {
            let penalty = if at == 0 { 0.0 } else { RIDGE * *weight };
            *weight -= RATE * (slope + penalty) / total;
        }
    }
    model
}

/// Enough for weights to come to rest.
const STEPS: usize = 3000;
const RATE: f64 = 0.5;

/// Cases by rising risk, cut into classes of equal weight, each with the bound that all but a few of its cases keep. A class of higher risk has no
/// smaller bound.
fn classes(mut cases: Vec<(f64, f64, f64)>) -> Vec<Class> {
    cases.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let total: f64 = cases.iter().map(|case| case.2).sum();
    let mut classes: Vec<Class> = Vec::new();
    let (mut start, mut weight) = (0, 0.0);
    for at in 0..cases.len() {
        weight += cases[at].2;
        let full = weight >= total * (classes.len() + 1) as f64 / CLASSES as f64 && at + 1 - start >= FEWEST;
        if full && cases.len() - at > FEWEST || at + 1 == cases.len() {
            let least = classes.last().map_or(0.0, |class| class.bound);
            classes.push(Class { risk: cases[at].0, bound: (WIDER * kept_by_most(&cases[start..=at])).max(least) });
            start = at + 1;
        }
    }
    classes
}

/// The bound that all but [`BEYOND`] of the cases keep.
fn kept_by_most(cases: &[(f64, f64, f64)]) -> f64 {
    let mut off: Vec<(f64, f64)> = cases.iter().map(|case| (case.1, case.2)).collect();
    off.sort_by(|a, b| b.0.total_cmp(&a.0));
    let allowed = BEYOND * off.iter().map(|one| one.1).sum::<f64>();
    let mut beyond = 0.0;
    for (off, weight) in off {
        beyond += weight;
        if beyond > allowed {
            return off;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole() {
        let fitted = Fitted::shipped();
        assert_eq!((fitted.means.len(), fitted.deviations.len()), (FEATURES, FEATURES));
        for of in [&fitted.whole, &fitted.cut] {
            assert_eq!((of.short.len(), of.over.len()), (FEATURES + 1, FEATURES + 1));
        }
        for classes in [&fitted.whole, &fitted.cut].into_iter().flat_map(|of| [&of.up, &of.down]) {
            assert!(!classes.is_empty());
            assert!(classes.windows(2).all(|two| two[0].risk <= two[1].risk && two[0].bound <= two[1].bound));
        }
    }

    #[test]
    fn cases_that_were_cut_get_wide_bounds_and_others_narrow_ones() {
        let evidence = |at: usize| Evidence {
            found: 100,
            stopped: at.is_multiple_of(2),
            novelty: if at.is_multiple_of(2) { 0.9 } else { 0.1 },
            ..Evidence::default()
        };
        let all: Vec<Evidence> = (0..200).map(evidence).collect();
        let truth = |at: usize| if at.is_multiple_of(2) { 110 + at } else { 100 };
        let cases: Vec<Case> =
            all.iter().enumerate().map(|(at, evidence)| Case { evidence, truth: truth(at), weight: 1.0 }).collect();
        let fitted = fit(&cases).unwrap();
        let (cut, whole) = (fitted.bounds(&all[0]).1, fitted.bounds(&all[1]).1);
        assert!(cut > 0.5 && whole < 0.05, "{cut} {whole}");
        assert!(fit(&cases[..10]).is_none());
    }
}
