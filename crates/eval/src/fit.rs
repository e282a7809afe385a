//! Fits what kin weighs: rows collected on sites with truth → one parameter file, and one for each fold of sites left out.
//!
//! - [`fit_all`]: collects rows by searches with the truth at hand (`discover::kin::collect`), then fits: logistic regression for content, the
//!   prior and the variances of nodes by the log-loss of pages. - [`LeftOut`]: what was fitted without each site.
//!
//! Each kind of page weighs the same. Same data, same file.

use crate::corpus::{Corpus, SiteFolder};
use crate::run::Truths;
use crate::site_truth::SiteTruth;
use crate::{Error, runtime};
use pagekin::discover::Settings;
use pagekin::discover::kin::belief::{Belief, Label, Observation, sigmoid};
use pagekin::discover::kin::collect::{Rows, StateRow, Target, collect};
use pagekin::discover::kin::nodes::{NODE_KINDS, Nodes};
use pagekin::discover::kin::params::{Feature, Params};
use pagekin::discover::kin::prior::PRIORS;
use pagekin::features::kind::FEATURES;
use pagekin::page::address::key;
use pagekin::{Source, Stop, Url};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The rows of one kind of page.
type KindRows = Rows;

/// Samples of each kind that rows are collected from.
const SAMPLES: usize = 3;

/// Looks of one search that rows are collected from.
const LOOKS: usize = 60;

/// Parameters for each fold of sites, fitted without them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    pub folds: Vec<Fold>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fold {
    /// Not used in this fit.
    pub sites: Vec<String>,
    pub params: Params,
}

impl LeftOut {
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::read(path, source))?;
        serde_json::from_str(&text).map_err(|error| Error::LeftOut { path: path.to_owned(), reason: error.to_string() })
    }

    /// What was fitted without this site; an error for a site that no fold leaves out, because its figure would mean something else.
    pub fn params(&self, site: &str) -> Result<Arc<Params>, Error> {
        let fold = self.folds.iter().find(|fold| fold.sites.iter().any(|one| one == site));
        fold.map(|fold| Arc::new(fold.params.clone())).ok_or_else(|| Error::NotLeftOut(site.to_owned()))
    }
}

/// Fits on all sites, and on all but each of so many folds of them.
pub fn fit_all(corpus: &Corpus, folds: usize, progress: &dyn Fn(&str)) -> Result<(Params, LeftOut), Error> {
    let start = Arc::new(Params::unfitted());
    let mut rows: Vec<Vec<KindRows>> = Vec::new();
    for site in &corpus.sites {
        progress(&site.id);
        rows.push(collect_site(site, &start)?);
    }
    let without = |fold: Option<usize>| {
        let kept = rows.iter().enumerate().filter(|(at, _)| fold.is_none_or(|fold| at % folds != fold));
        fit(&kept.flat_map(|(_, kinds)| kinds).collect::<Vec<_>>(), &start)
    };
    let mut left_out = LeftOut { folds: Vec::new() };
    for fold in 0..folds {
        progress(&format!("fold {}", fold + 1));
        let sites = corpus.sites.iter().skip(fold).step_by(folds).map(|site| site.id.clone()).collect();
        left_out.folds.push(Fold { sites, params: without(Some(fold)) });
    }
    progress("all sites");
    Ok((without(None), left_out))
}

/// Rows of content kept of one run.
const CONTENT_ROWS: usize = 200;

/// By kind of the site.
fn collect_site(site: &SiteFolder, params: &Arc<Params>) -> Result<Vec<KindRows>, Error> {
    let ground = SiteTruth::open(site)?;
    let truths = runtime()?.block_on(Truths::of(site, &ground));
    let tasks: Vec<(usize, Url)> = site
        .kinds
        .iter()
        .enumerate()
        .flat_map(|(kind, of)| of.drawn(SAMPLES).into_iter().map(move |sample| (kind, sample)))
        .collect();
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<(usize, Rows)>> = Mutex::default();
    let work = || -> Result<(), Error> {
        let runtime = runtime()?;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((kind, sample)) = tasks.get(at) else { return Ok(()) };
            let truth = |url: &Url| truths.tell(*kind, &ground.moved_to(&key(url)), &ground);
            let source = Source::of_archive(ground.archive.clone(), Stop::default());
            let settings = Settings { params: params.clone(), budget: Some(LOOKS), ..Settings::default() };
            let rows = runtime.block_on(collect(&source, std::slice::from_ref(sample), &settings, &truth));
            all.lock().unwrap_or_else(PoisonError::into_inner).push((at, thinned(rows)));
        }
    };
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Err(Error::Thread)))
    })?;
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_by_key(|(at, _)| *at);
    let mut kinds: Vec<Rows> = vec![Rows::default(); site.kinds.len()];
    for (at, rows) in all {
        let of = &mut kinds[tasks[at].0];
        of.content.extend(rows.content);
        of.states.extend(rows.states);
    }
    Ok(kinds)
}

/// Every so manyth row of content, so that no run has more than its share.
fn thinned(mut rows: Rows) -> Rows {
    let step = rows.content.len() / CONTENT_ROWS + 1;
    rows.content = rows.content.into_iter().step_by(step).collect();
    rows
}

/// At least zero, at most zero, or free, by feature.
const SIGNS: [i8; FEATURES] = [
    1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, -1, 1, -1, -1, -1, -1, 1, -1, 1, 0, 0, 1, 1, 1, 1, -1, 1, -1, -1, 0, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1,
];

fn fit(kinds: &[&KindRows], start: &Params) -> Params {
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
            let scaled =
                (first[at] / (1.0 - 0.9f64.powi(step))) / ((second[at] / (1.0 - 0.99f64.powi(step))).sqrt() + 1e-8);
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
            let odds: Vec<f64> = kind
                .content
                .iter()
                .filter(|row| row.kin == label)
                .map(|row| params.content_odds(&row.features))
                .collect();
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

/// Coordinate search over the prior and the variances.
fn fit_belief(kinds: &[&KindRows], params: &mut Params) {
    let states: Vec<Vec<&StateRow>> = kinds
        .iter()
        .map(|kind| {
            let step = kind.states.len() / 14 + 1;
            kind.states.iter().step_by(step).filter(|state| state.open.len() >= 3).collect()
        })
        .collect();
    let mut best = loss(&states, params);
    let mut steps = vec![0.4; PRIORS + NODE_KINDS];
    for _ in 0..5 {
        for (at, step) in steps.iter_mut().enumerate() {
            let mut improved = false;
            for sign in [1.0, -1.0] {
                let mut tried = params.clone();
                *coordinate(&mut tried, at) = moved(*coordinate(params, at), sign * *step, at);
                let loss = loss(&states, &tried);
                if loss < best - 1e-6 {
                    best = loss;
                    *params = tried;
                    improved = true;
                    break;
                }
            }
            *step *= if improved { 1.3 } else { 0.5 };
        }
    }
}

fn coordinate(params: &mut Params, at: usize) -> &mut f64 {
    match at {
        at if at < PRIORS => &mut params.prior[at],
        _ => &mut params.variance[at - PRIORS],
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
    0.002 * (prior + variances)
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
    let open = state.open.iter().map(|one| {
        let odds = odds(&one.prior, params) + belief.of(&nodes, one.nodes.iter().copied()).0;
        (one, sigmoid(odds))
    });
    let looked = state.looked.iter().zip(&observations).skip(state.samples).map(|(one, observed)| {
        let odds = observed.prior + belief.of(&nodes, one.nodes.iter().copied()).0;
        (one, belief.expected(observed.label, odds))
    });
    log_loss(open) + log_loss(looked)
}

/// Where pages of the kind are rare they weigh more, and less where they are most.
fn log_loss<'t>(judged: impl Iterator<Item = (&'t Target, f64)>) -> f64 {
    let judged: Vec<(bool, f64)> = judged.map(|(one, chance)| (one.kin, chance.clamp(0.01, 0.99))).collect();
    let kin = judged.iter().filter(|(kin, _)| *kin).count() as f64;
    let rare = (judged.len() as f64 / kin.max(1.0) - 1.0).clamp(0.1, 10.0).sqrt();
    let (mut sum, mut weights) = (0.0, 0.0);
    for (kin, chance) in judged {
        let (weight, right) = if kin { (rare, chance) } else { (1.0, 1.0 - chance) };
        sum -= weight * right.ln();
        weights += weight;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}
