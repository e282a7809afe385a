//! Fits what kin weighs: rows collected on sites with truth → one parameter file, and one for each fold of sites left out.
//!
//! - [`collect_site`]: searches with the truth at hand, see `discover::kin::collect`. - [`fit`]: logistic regression for content, then the
//!   prior and the variances of nodes by the log-loss of addresses not yet looked at.
//!
//! Each kind of page weighs the same. Same data, same file.

use crate::corpus::SiteFolder;
use crate::ground::Ground;
use crate::run::Truths;
use crate::{Error, runtime};
use pagekin::discover::Settings;
use pagekin::discover::kin::belief::{Belief, Label, Observation, sigmoid};
use pagekin::discover::kin::collect::{Rows, StateRow, collect};
use pagekin::discover::kin::nodes::{NODE_KINDS, Nodes};
use pagekin::discover::kin::params::{Feature, Params};
use pagekin::discover::kin::prior::PRIORS;
use pagekin::features::kind::FEATURES;
use pagekin::{Source, Stop, Url};
use rayon::prelude::*;

/// The rows of one kind of page.
pub type KindRows = Rows;

/// Rows of content kept of one run.
const CONTENT_ROWS: usize = 200;

/// By kind of the site.
pub fn collect_site(site: &SiteFolder, samples: usize, params: &std::sync::Arc<Params>) -> Result<Vec<KindRows>, Error> {
    let ground = Ground::open(site)?;
    let truths = runtime()?.block_on(Truths::of(site, &ground));
    let tasks: Vec<(usize, Url)> = site
        .kinds
        .iter()
        .enumerate()
        .flat_map(|(kind, of)| of.drawn(samples).into_iter().map(move |sample| (kind, sample)))
        .collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let all: std::sync::Mutex<Vec<(usize, Rows)>> = Default::default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let runtime = runtime().expect("a runtime");
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some((kind, sample)) = tasks.get(at) else { return };
                    let truth = |url: &Url| {
                        let key = pagekin::page::address::key(url);
                        let key = ground.moved_to(&key);
                        if truths.kinds[*kind].contains(&key) {
                            Some(true)
                        } else if truths.neutral.contains(&key) || !ground.has(&key) {
                            None
                        } else {
                            Some(false)
                        }
                    };
                    let source = Source::of_archive(ground.archive.clone(), Stop::default());
                    let settings = Settings { params: params.clone(), budget: Some(60), ..Settings::default() };
                    let mut rows = runtime.block_on(collect(&source, std::slice::from_ref(sample), &settings, &truth));
                    let step = rows.content.len() / CONTENT_ROWS + 1;
                    rows.content = rows.content.into_iter().step_by(step).collect();
                    all.lock().expect("rows").push((at, rows));
                }
            });
        }
    });
    let mut all = all.into_inner().expect("rows");
    all.sort_by_key(|(at, _)| *at);
    let mut kinds: Vec<Rows> = vec![Rows::default(); site.kinds.len()];
    for (at, rows) in all {
        let of = &mut kinds[tasks[at].0];
        of.content.extend(rows.content);
        of.states.extend(rows.states);
    }
    Ok(kinds)
}

/// At least zero, at most zero, or free, by feature.
const SIGNS: [i8; FEATURES] =
    [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, -1, 1, -1, -1, -1, -1, 1, -1, 1, 0, 0, 1, 1, 1, 1, -1, 1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1];

pub fn fit(kinds: &[&KindRows], start: &Params) -> Params {
    let mut params = fit_content(kinds, start);
    fit_belief(kinds, &mut params);
    params
}

fn fit_content(kinds: &[&KindRows], start: &Params) -> Params {
    let mut rows: Vec<(&[f64; FEATURES], f64, f64)> = Vec::new();
    for kind in kinds {
        let (mut yes, mut no) = (0, 0);
        for row in &kind.content {
            *(if row.kin { &mut yes } else { &mut no }) += 1;
        }
        if yes < 3 || no < 3 {
            continue;
        }
        for row in &kind.content {
            let weight = 0.5 / f64::from(if row.kin { yes } else { no });
            rows.push((&row.features, f64::from(u8::from(row.kin)), weight));
        }
    }
    let total: f64 = rows.iter().map(|row| row.2).sum();
    let mut params = start.clone();
    for at in 0..FEATURES {
        let mean = rows.iter().map(|row| row.2 * row.0[at]).sum::<f64>() / total;
        let spread = rows.iter().map(|row| row.2 * (row.0[at] - mean).powi(2)).sum::<f64>() / total;
        params.content[at] = Feature { mean: round(mean), deviation: round(spread.sqrt().max(0.02)), weight: 0.0 };
    }
    let standard: Vec<[f64; FEATURES]> = rows
        .iter()
        .map(|row| {
            std::array::from_fn(|at| {
                let one = &params.content[at];
                ((row.0[at] - one.mean) / one.deviation).clamp(-4.0, 4.0)
            })
        })
        .collect();
    let (mut weights, mut bias) = ([0.0; FEATURES], 0.0);
    let (mut first, mut second) = ([0.0; FEATURES + 1], [0.0; FEATURES + 1]);
    const RIDGE: f64 = 0.003;
    for step in 1..=300 {
        let mut slope = [0.0; FEATURES + 1];
        for (x, row) in standard.iter().zip(&rows) {
            let odds = bias + x.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
            let error = row.2 * (sigmoid(odds) - row.1);
            for at in 0..FEATURES {
                slope[at] += error * x[at];
            }
            slope[FEATURES] += error;
        }
        for at in 0..=FEATURES {
            let ridge = if at < FEATURES { RIDGE * weights[at] } else { 0.0 };
            let slope = slope[at] / total + ridge;
            first[at] = 0.9 * first[at] + 0.1 * slope;
            second[at] = 0.99 * second[at] + 0.01 * slope * slope;
            let scaled = (first[at] / (1.0 - 0.9f64.powi(step))) / ((second[at] / (1.0 - 0.99f64.powi(step))).sqrt() + 1e-8);
            let rate = 0.05 * (1.0 - f64::from(step) / 320.0);
            if at == FEATURES {
                bias -= rate * scaled;
            } else {
                weights[at] -= rate * scaled;
                weights[at] = match SIGNS[at] {
                    1 => weights[at].max(0.0),
                    -1 => weights[at].min(0.0),
                    _ => weights[at],
                };
            }
        }
    }
    params.content_bias = round(bias);
    for (one, weight) in params.content.iter_mut().zip(weights) {
        one.weight = round(weight);
    }
    fit_cut(kinds, &mut params);
    params
}

/// Means and variances of the log-odds by content, within kinds and between them.
fn fit_cut(kinds: &[&KindRows], params: &mut Params) {
    let mut means: [Vec<f64>; 2] = Default::default();
    let mut within: Vec<f64> = Vec::new();
    for kind in kinds {
        for label in [true, false] {
            let odds: Vec<f64> =
                kind.content.iter().filter(|row| row.kin == label).map(|row| params.content_odds(&row.features)).collect();
            if odds.len() < 5 {
                continue;
            }
            let mean = odds.iter().sum::<f64>() / odds.len() as f64;
            within.push(odds.iter().map(|odds| (odds - mean).powi(2)).sum::<f64>() / odds.len() as f64);
            means[usize::from(!label)].push(mean);
        }
    }
    let average = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let spread = |values: &[f64]| {
        let mean = average(values);
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len().max(1) as f64
    };
    params.content_kin = round(average(&means[0]));
    params.content_other = round(average(&means[1]));
    params.content_variance = round(average(&within));
    params.content_between = round(0.5 * (spread(&means[0]) + spread(&means[1])));
}

fn round(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0
}

/// Coordinate search over the prior, the variances, the share of content and the weight of the sample.
fn fit_belief(kinds: &[&KindRows], params: &mut Params) {
    let states: Vec<Vec<&StateRow>> = kinds
        .iter()
        .map(|kind| {
            let step = kind.states.len() / 14 + 1;
            kind.states.iter().step_by(step).filter(|state| state.open.len() >= 3).collect()
        })
        .collect();
    let mut best = loss(&states, params);
    let mut steps = vec![0.4; PRIORS + NODE_KINDS + 2];
    for _ in 0..5 {
        for at in 0..steps.len() {
            let mut improved = false;
            for sign in [1.0, -1.0] {
                let mut tried = params.clone();
                *coordinate(&mut tried, at) = moved(*coordinate(params, at), sign * steps[at], at);
                let loss = loss(&states, &tried);
                if loss < best - 1e-6 {
                    best = loss;
                    *params = tried;
                    improved = true;
                    break;
                }
            }
            steps[at] *= if improved { 1.3 } else { 0.5 };
        }
    }
}

fn coordinate(params: &mut Params, at: usize) -> &mut f64 {
    match at {
        at if at < PRIORS => &mut params.prior[at],
        at if at < PRIORS + NODE_KINDS => &mut params.variance[at - PRIORS],
        at if at == PRIORS + NODE_KINDS => &mut params.content_share,
        _ => &mut params.address_share,
    }
}

/// Prior weights are moved by sums, positive numbers by factors.
fn moved(from: f64, step: f64, at: usize) -> f64 {
    round(if at < PRIORS { from + step } else { (from * step.exp()).max(0.005) })
}

/// Each kind weighs the same, and within a state the addresses of the kind as much as the others, at most tenfold.
fn loss(kinds: &[Vec<&StateRow>], params: &Params) -> f64 {
    let losses: Vec<f64> = kinds
        .par_iter()
        .filter(|states| !states.is_empty())
        .map(|states| states.iter().map(|state| state_loss(state, params)).sum::<f64>() / states.len() as f64)
        .collect();
    losses.iter().sum::<f64>() / losses.len() as f64 + unlikely(params)
}

/// What keeps the parameters near what is usual where the data say little.
fn unlikely(params: &Params) -> f64 {
    let prior: f64 = params.prior[1..].iter().map(|weight| weight * weight).sum();
    let variances: f64 = params.variance.iter().map(|variance| (variance / 0.7).ln().powi(2)).sum();
    let shares: f64 = [params.content_share, params.address_share].iter().map(|share| (share / 0.6).ln().powi(2)).sum();
    0.002 * (prior + variances + shares)
}

fn odds(prior: &[f64; PRIORS], params: &Params) -> f64 {
    prior.iter().zip(&params.prior).map(|(x, w)| x * w).sum()
}

fn state_loss(state: &StateRow, params: &Params) -> f64 {
    let nodes = Nodes::of_kinds(&state.kinds);
    let observations: Vec<Observation> = state
        .looked
        .iter()
        .enumerate()
        .map(|(at, one)| Observation {
            nodes: one.nodes.clone(),
            prior: odds(&one.prior, params),
            label: match &one.features {
                Some(features) if at >= state.samples => Label::Content(params.content_odds(&features[..])),
                _ => Label::Known(one.kin),
            },
            weight: if at < state.samples { params.sample_weight } else { 1.0 },
        })
        .collect();
    let belief = Belief::learn(&nodes, &observations, params);
    let kin = state.open.iter().filter(|one| one.kin).count() as f64;
    let rare = (state.open.len() as f64 / kin.max(1.0) - 1.0).clamp(0.1, 10.0).sqrt();
    let (mut sum, mut weights) = (0.0, 0.0);
    for one in &state.open {
        let odds = odds(&one.prior, params) + belief.of(&nodes, one.nodes.iter().copied()).0;
        let p = sigmoid(odds).clamp(0.01, 0.99);
        let weight = if one.kin { rare } else { 1.0 };
        sum -= weight * if one.kin { p.ln() } else { (1.0 - p).ln() };
        weights += weight;
    }
    let open = sum / weights;
    let (mut sum, mut weights) = (0.0, 0.0);
    let kin = state.looked.iter().filter(|one| one.kin).count() as f64;
    let rare = (state.looked.len() as f64 / kin.max(1.0) - 1.0).clamp(0.1, 10.0).sqrt();
    for (one, observed) in state.looked.iter().zip(&observations).skip(state.samples) {
        let odds = observed.prior + belief.of(&nodes, one.nodes.iter().copied()).0;
        let p = belief.expected(observed.label, odds, params).clamp(0.01, 0.99);
        let weight = if one.kin { rare } else { 1.0 };
        sum -= weight * if one.kin { p.ln() } else { (1.0 - p).ln() };
        weights += weight;
    }
    let looked = if weights > 0.0 { sum / weights } else { 0.0 };
    open + looked
}

/// Area under the curve and log-loss of content on kinds that were left out; each kind weighs the same.
pub fn content_quality(kind: &KindRows, params: &Params) -> Option<(f64, f64, f64)> {
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for row in &kind.content {
        let odds = params.content_odds(&row.features);
        if row.kin { yes.push(odds) } else { no.push(odds) }
    }
    if yes.len() < 3 || no.len() < 3 {
        return None;
    }
    let mut above = 0.0;
    for a in &yes {
        for b in &no {
            above += if a > b { 1.0 } else if a == b { 0.5 } else { 0.0 };
        }
    }
    let auc = above / (yes.len() * no.len()) as f64;
    let right = 0.5 * yes.iter().filter(|x| **x > 0.0).count() as f64 / yes.len() as f64 + 0.5 * no.iter().filter(|x| **x <= 0.0).count() as f64 / no.len() as f64;
    let loss = |x: f64| -(sigmoid(x).clamp(0.001, 0.999).ln());
    let log = 0.5 * yes.iter().map(|&x| loss(x)).sum::<f64>() / yes.len() as f64 + 0.5 * no.iter().map(|&x| loss(-x)).sum::<f64>() / no.len() as f64;
    Some((auc, right, log))
}
