//! What addresses say of a page: states of searches → the prior and the variances of nodes, by the log-loss of pages.

use super::{KindRows, round};
use pagekin::discover::kin::belief::{Belief, Label, Observation, sigmoid};
use pagekin::discover::kin::collect::{StateRow, Target};
use pagekin::discover::kin::nodes::{NODE_KINDS, Nodes};
use pagekin::discover::kin::params::Params;
use pagekin::discover::kin::prior::PRIORS;
use rayon::prelude::*;

/// Fits drawn from the kinds with replacement, whose mean is taken: where the loss has many shallow minima, one search alone ends in any of them.
const BAGS: usize = 8;

/// States of a kind that one of them goes by.
const BAG_STATES: usize = 5;

/// The mean of the fits to several bags: of weights the arithmetic one, of variances the geometric one.
pub fn fit_belief(kinds: &[&KindRows], params: &mut Params) {
    let fits: Vec<Params> = (0..BAGS).map(|bag| fit_bag(&drawn(kinds, bag), params.clone())).collect();
    let mean = |of: &dyn Fn(&Params) -> f64| fits.iter().map(of).sum::<f64>() / fits.len() as f64;
    for at in 0..PRIORS {
        params.prior[at] = round(mean(&|fit| fit.prior[at]));
    }
    for at in 0..NODE_KINDS {
        params.variance[at] = round(mean(&|fit| fit.variance[at].ln()).exp().max(0.005));
    }
}

/// As many kinds as there are, drawn with replacement by hash, each with some of its states.
fn drawn<'r>(kinds: &[&'r KindRows], bag: usize) -> Vec<Vec<&'r StateRow>> {
    let draw = |at: usize| {
        let key = [bag.to_le_bytes(), at.to_le_bytes()].concat();
        let hash = blake3::hash(&key);
        let number = hash.as_bytes()[..8].iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        kinds[(number % kinds.len() as u64) as usize]
    };
    let states = |kind: &'r KindRows| {
        let step = kind.states.len() / BAG_STATES + 1;
        kind.states.iter().skip(bag % step).step_by(step).filter(|state| state.open.len() >= 3).collect()
    };
    (0..kinds.len()).map(|at| states(draw(at))).collect()
}

/// Coordinate search over the prior and the variances.
fn fit_bag(states: &[Vec<&StateRow>], mut params: Params) -> Params {
    let mut best = loss(states, &params);
    let mut steps = vec![0.4; PRIORS + NODE_KINDS];
    for _ in 0..5 {
        for (at, step) in steps.iter_mut().enumerate() {
            let mut improved = false;
            for sign in [1.0, -1.0] {
                let mut tried = params.clone();
                *coordinate(&mut tried, at) = moved(*coordinate(&mut params, at), sign * *step, at);
                let loss = loss(states, &tried);
                if loss < best - 1e-6 {
                    best = loss;
                    params = tried;
                    improved = true;
                    break;
                }
            }
            *step *= if improved { 1.3 } else { 0.5 };
        }
    }
    params
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
