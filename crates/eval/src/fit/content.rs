//! What content says of a page: rows of pages → weights of the features, and how far kinds and other pages are apart.

use super::logistic::{Row, logistic};
use super::{KindRows, round};
use pagekin::discover::kin::params::{Feature, Params};
use pagekin::features::kind::FEATURES;

/// At least zero, at most zero, or free, by feature; the last is the bias.
const SIGNS: [i8; FEATURES + 1] = [
    1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, -1, 1, -1, -1, -1, -1, 1, -1, 1, 0, 0, 1, 1, 1, 1, -1, 1, -1, -1, 0, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, 0,
];

const RIDGE: f64 = 0.003;
const STEPS: i32 = 300;

pub fn fit_content(kinds: &[&KindRows], start: &Params) -> Params {
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
    let standard: Vec<Row<{ FEATURES + 1 }>> = rows
        .iter()
        .map(|&(features, label, weight)| {
            let x = std::array::from_fn(|at| match params.content.get(at) {
                Some(one) => ((features[at] - one.mean) / one.deviation).clamp(-4.0, 4.0),
                None => 1.0,
            });
            Row { x, label, weight }
        })
        .collect();
    let mut weights = logistic(&standard, &SIGNS, RIDGE, STEPS);
    let bias = weights.pop().unwrap_or_default();
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
