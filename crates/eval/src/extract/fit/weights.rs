//! How much does each signal weigh? Candidates of many sites and roles, some of them right → [`Weights`].
//!
//! - [`Group`]: the candidates for one role of one site. - [`fit`]: weights under which the right ones of a group come first (log loss of a
//!   softmax), then the scale on which the score is the share of right values.
//!
//! No weight is negative: a signal that speaks against a candidate has a negative value.

use super::observe::Aligned;
use pagekin::extract::Domain;
use pagekin::extract::fitted::weigh::{BOTH, COUNT, OWN, Scale, Signals, Weigher, Weights, logistic};
use pagekin::extract::roles::Judge;
use std::collections::BTreeSet;

/// Candidates of a group that are weighed, besides the right ones: the best by the file, by the views, by both, by either alone. This and the
/// others here were set by hand.
const MOST: usize = 100;

const ROUNDS: usize = 400;
const STEP: f64 = 0.03;

/// Draws weights towards nothing.
const DRAWN: f64 = 0.01;

/// Candidates of a group that the scale is fitted on.
const FIRST: usize = 15;

/// The candidates for one role of one site.
pub struct Group {
    pub title: bool,
    signals: Vec<Signals>,
    f1: Vec<f64>,
    good: Vec<bool>,
}

pub fn groups(aligned: &Aligned, domain: &Domain) -> Vec<Group> {
    let mut judge = Judge::new(&aligned.class, domain);
    let title = domain.wanted().find(|role| role.title).map(|role| role.name.clone());
    let titles = aligned.titles(title.as_deref());
    let mut order: Vec<usize> = (0..domain.roles.len()).filter(|&at| domain.roles[at].fitted.is_some()).collect();
    order.sort_by_key(|&at| !domain.roles[at].title);
    let mut groups = Vec::new();
    for number in order {
        let role = &domain.roles[number];
        if !role.title {
            judge.set_title(&titles.iter().map(|(page, leaf)| (*page, *leaf)).collect::<Vec<_>>());
        }
        groups.extend(group(aligned, &judge, number, (&role.name, role.title)));
    }
    groups
}

fn group(aligned: &Aligned, judge: &Judge, number: usize, (name, title): (&str, bool)) -> Option<Group> {
    let good = aligned.good(name);
    let f1 = aligned.f1.get(name).filter(|_| !good.is_empty())?;
    let signals = |at: usize| (judge.candidate_signals(at, number), f1[at], good.contains(&at));
    let all: Vec<(Signals, f64, bool)> = (0..f1.len()).map(signals).collect();
    let mut kept: BTreeSet<usize> = good.iter().copied().collect();
    for rough in rough() {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|a, b| dot(&rough, &all[*b].0).total_cmp(&dot(&rough, &all[*a].0)).then(a.cmp(b)));
        kept.extend(order.into_iter().take(MOST));
    }
    let mut group = Group { title, signals: Vec::new(), f1: Vec::new(), good: Vec::new() };
    for (signals, f1, good) in kept.into_iter().map(|at| all[at]) {
        group.signals.push(signals);
        group.f1.push(f1);
        group.good.push(good);
    }
    Some(group)
}

/// Weights that candidates which may mislead are found by.
fn rough() -> [Signals; 6] {
    let of = |kept: &dyn Fn(usize) -> bool| {
        let mut weights = start();
        weights.iter_mut().enumerate().filter(|(at, _)| !kept(*at)).for_each(|(_, weight)| *weight = 0.0);
        weights
    };
    let views = OWN.len();
    [
        start(),
        of(&|at| at < views),
        of(&|at| at >= views),
        of(&|at| at == 1 || at >= views),
        of(&|at| at == 1 || (views..views + 3).contains(&at)),
        of(&|at| at == 1 || at >= views + 3),
    ]
}

fn start() -> Signals {
    let mut start = [0.3; COUNT];
    start[..3].fill(1.0);
    start
}

fn dot(weights: &Signals, signals: &Signals) -> f64 {
    weights.iter().zip(signals).map(|(weight, signal)| weight * signal).sum()
}

pub fn fit(groups: &[&Group]) -> Weights {
    let (mut weights, mut mean, mut square) = (start(), [0.0; COUNT], [0.0; COUNT]);
    for round in 1..=ROUNDS {
        let slope = slope(groups, &weights);
        for at in 0..COUNT {
            let slope = slope[at] + DRAWN * weights[at];
            mean[at] = 0.9 * mean[at] + 0.1 * slope;
            square[at] = 0.99 * square[at] + 0.01 * slope * slope;
            let (near, wide) = (1.0 - 0.9f64.powi(round as i32), 1.0 - 0.99f64.powi(round as i32));
            let step = STEP * (mean[at] / near) / ((square[at] / wide).sqrt() + 1e-8);
            weights[at] = (weights[at] - step).max(0.0);
        }
    }
    weights.iter_mut().for_each(|weight| *weight = rounded(*weight));
    Weights::of(&weights, scale(&first(groups, &weights, FIRST)))
}

/// Groups of left-out sites, each with what was fitted without them → from where on the file decides alone, and how sure each choice is.
pub fn settle(weights: &mut Weights, left_out: &[(&Group, &Weights)]) {
    let chosen: Vec<[Point; 2]> =
        left_out.iter().map(|(group, weights)| [by_file(group), by_sum(group, weights)]).collect();
    let right = |from: f64| chosen.iter().map(|[file, sum]| if file.0 >= from { file.1 } else { sum.1 }).sum::<f64>();
    let steps = (1..=21).map(|step| f64::from(step) * 0.05);
    // Of equals the lowest: what a person wrote comes first.
    weights.file_from = rounded(steps.fold(0.05, |best, from| if right(from) > right(best) { from } else { best }));
    let (file, sum): (Vec<_>, Vec<_>) = chosen.into_iter().partition(|[file, _]| file.0 >= weights.file_from);
    weights.file_sure = scale(&file.into_iter().map(|[file, _]| file).collect::<Vec<_>>());
    weights.sure = scale(&sum.into_iter().map(|[_, sum]| sum).collect::<Vec<_>>());
}

/// Score and F1.
type Point = (f64, f64);

/// The best candidate by the domain file and the page.
fn by_file(group: &Group) -> Point {
    best(group.signals.iter().map(|signals| signals[BOTH]).zip(group.f1.iter().copied()))
}

/// The best candidate by all signals.
fn by_sum(group: &Group, weights: &Weights) -> Point {
    let weigher = Weigher::new(weights);
    best(group.signals.iter().map(|signals| weigher.sum(signals)).zip(group.f1.iter().copied()))
}

fn best(points: impl Iterator<Item = Point>) -> Point {
    points.fold((f64::MIN, 0.0), |best, one| if one.0 > best.0 { one } else { best })
}

/// Sum and F1 of the first candidates of each group.
fn first(groups: &[&Group], weights: &Signals, first: usize) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for group in groups {
        let sums = group.signals.iter().map(|signals| dot(weights, signals));
        let mut own: Vec<(f64, f64)> = sums.zip(group.f1.iter().copied()).collect();
        own.sort_by(|a, b| b.0.total_cmp(&a.0));
        points.extend(own.into_iter().take(first));
    }
    points
}

/// Of the mean log loss.
fn slope(groups: &[&Group], weights: &Signals) -> Signals {
    let mut slope = [0.0; COUNT];
    for group in groups {
        let sums: Vec<f64> = group.signals.iter().map(|signals| dot(weights, signals)).collect();
        let most = sums.iter().copied().fold(f64::MIN, f64::max);
        let chances: Vec<f64> = sums.iter().map(|sum| (sum - most).exp()).collect();
        let all: f64 = chances.iter().sum();
        let right: f64 = chances.iter().zip(&group.good).filter(|(_, good)| **good).map(|(chance, _)| chance).sum();
        for ((signals, chance), good) in group.signals.iter().zip(&chances).zip(&group.good) {
            let own = if *good { chance / right.max(1e-300) } else { 0.0 };
            let pull = (chance / all - own) / groups.len() as f64;
            slope.iter_mut().zip(signals).for_each(|(slope, signal)| *slope += pull * signal);
        }
    }
    slope
}

/// Scale and shift under which the score of candidates is their F1, by Newton's method. More is never less likely to be right.
fn scale(points: &[Point]) -> Scale {
    let (mut scale, mut shift) = (0.5, 0.0);
    for _ in 0..60 {
        let (mut g, mut h) = ([1e-3 * scale, 1e-3 * shift], [1e-3, 0.0, 1e-3]);
        for (sum, f1) in points {
            let score = logistic(scale * sum + shift);
            let (off, curve) = (score - f1, score * (1.0 - score));
            g = [g[0] + off * sum, g[1] + off];
            h = [h[0] + curve * sum * sum, h[1] + curve * sum, h[2] + curve];
        }
        let det = h[0] * h[2] - h[1] * h[1];
        let step = [(h[2] * g[0] - h[1] * g[1]) / det, (h[0] * g[1] - h[1] * g[0]) / det];
        let most = step[0].abs().max(step[1].abs()).max(1.0);
        (scale, shift) = ((scale - step[0] / most).max(0.0), shift - step[1] / most);
    }
    Scale { scale: rounded(scale), shift: rounded(shift) }
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two candidates; the right one has more of the third view, and less of the first.
    fn group(right_first: bool) -> Group {
        let (mut right, mut wrong) = ([0.0; COUNT], [0.0; COUNT]);
        (right[OWN.len() + 2], wrong[OWN.len()]) = (1.0, 1.0);
        let signals = if right_first { vec![right, wrong] } else { vec![wrong, right] };
        let f1 = if right_first { vec![1.0, 0.0] } else { vec![0.0, 1.0] };
        Group { title: false, signals, good: f1.iter().map(|f1| *f1 > 0.5).collect(), f1 }
    }

    #[test]
    fn the_signal_that_tells_weighs_most() {
        let (one, other) = (group(true), group(false));
        let weights = fit(&[&one, &other]);
        assert!(weights.weights["length"] > 1.0 && weights.weights["words"] < 0.01, "{weights:?}");
        assert_eq!(weights, fit(&[&one, &other]), "the same data, the same weights");
        let weigher = Weigher::new(&weights);
        assert!(weigher.score(&one.signals[0]) > 0.8 && weigher.score(&one.signals[1]) < 0.2, "{weights:?}");
    }
}
