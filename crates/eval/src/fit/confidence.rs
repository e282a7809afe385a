//! How sure to be of a page found: pages found by searches that nobody taught → the weights of its confidence.
//!
//! The searches ran with what was fitted without their site, as they would on a site never seen.

use super::logistic::{Row, logistic};
use super::round;
use pagekin::discover::kin::answer::CONFIDENCE;
use pagekin::discover::kin::collect::FoundRow;
use pagekin::discover::kin::params::Params;

/// Few weights are fitted: they are hardly held back.
const RIDGE: f64 = 0.0003;
const STEPS: i32 = 2000;

/// Surer is never less sure.
const SIGNS: [i8; CONFIDENCE] = [1, 1, 0, 0, 0];

/// `kinds` are what the searches of each kind found. Each kind weighs the same, and each of its searches.
pub fn fit_confidence(kinds: &[&Vec<Vec<FoundRow>>], params: &mut Params) {
    let mut rows = Vec::new();
    for searches in kinds {
        for found in searches.iter() {
            let weight = 1.0 / (searches.len() * found.len().max(1)) as f64;
            let label = |kin: bool| f64::from(u8::from(kin));
            rows.extend(found.iter().map(|row| Row { x: row.features, label: label(row.kin), weight }));
        }
    }
    params.confidence = logistic(&rows, &SIGNS, RIDGE, STEPS).into_iter().map(round).collect();
}
