//! What addresses say of a page: states of searches → the prior and the variances of nodes, by the log-loss of pages.

use super::{KindRows, round};
use pagekin::discover::kin::belief::{Belief, Label, Observation, sigmoid};
use pagekin::discover::kin::collect::{StateRow, Target};
use pagekin::discover::kin::nodes::{NODE_KINDS, Nodes};
use pagekin::discover::kin::params::Params;
use pagekin::discover::kin::prior::PRIORS;
use rayon::prelude::*;

/// Coordinate search over the prior and the variances.
pub fn fit_belief(kinds: &[&KindRows], params: &mut Params) {
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
        let odds = odds(&one.prior, params) + belief.of(one.nodes.iter().copied());
        (one, sigmoid(odds))
    });
    let looked = state.looked.iter().zip(&observations).skip(state.samples).map(|(one, observed)| {
        let odds = observed.prior + belief.of(one.nodes.iter().copied());
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
