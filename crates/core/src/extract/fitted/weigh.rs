//! How much do all signals together say? Signals of a candidate or of one of its leaves → a score from 0 to 1.
//!
//! - [`Signals`]: what is weighed, in the order of [`names`]. - [`Weights`]: fitted by `pagekin eval extract --fit`, on sites with truth.

use super::views::VIEWS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The signal that is the score by the domain file and the page alone.
pub const BOTH: usize = 2;

/// What the domain file and the page say; the views follow.
pub const OWN: [&str; 7] = ["evidence", "quality", "both", "labelled", "typed", "fits", "titled"];

pub const COUNT: usize = OWN.len() + VIEWS.len();

/// In the order of [`names`].
pub type Signals = [f64; COUNT];

/// The names of all signals.
pub fn names() -> impl Iterator<Item = &'static str> {
    OWN.into_iter().chain(VIEWS)
}

/// By name of the signal; score = logistic(scale · (Σ weight · signal) + shift).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    pub weights: BTreeMap<String, f64>,
    pub score: Scale,
    /// Chance that a candidate is right that was chosen by the sum of all signals.
    pub sure: Scale,
    /// From this on, what the domain file says of the best candidate (`both`) decides alone.
    pub file_from: f64,
    /// Chance that a candidate is right that was chosen by the file alone.
    pub file_sure: Scale,
}

/// logistic(scale · x + shift)
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    pub scale: f64,
    pub shift: f64,
}

impl Scale {
    pub fn of(&self, x: f64) -> f64 {
        logistic(self.scale * x + self.shift)
    }
}

impl Weights {
    /// In the order of [`names`].
    pub fn of(weights: &Signals, score: Scale) -> Self {
        Self { weights: names().map(str::to_owned).zip(weights.iter().copied()).collect(), score, ..Self::default() }
    }
}

/// The same in the order of [`names`], for use.
#[derive(Debug, Clone, Default)]
pub struct Weigher {
    weights: Signals,
    score: Scale,
    sure: Scale,
    file_from: f64,
    file_sure: Scale,
}

impl Weigher {
    pub fn new(weights: &Weights) -> Self {
        let mut own = [0.0; COUNT];
        own.iter_mut().zip(names()).for_each(|(own, name)| *own = weights.weights.get(name).copied().unwrap_or(0.0));
        let Weights { score, sure, file_from, file_sure, .. } = *weights;
        Self { weights: own, score, sure, file_from, file_sure }
    }

    pub fn sum(&self, signals: &Signals) -> f64 {
        self.weights.iter().zip(signals).map(|(weight, signal)| weight * signal).sum()
    }

    pub fn score(&self, signals: &Signals) -> f64 {
        self.score.of(self.sum(signals))
    }

    /// The chance that a candidate is right that was chosen by the sum.
    pub fn sure(&self, signals: &Signals) -> f64 {
        self.sure.of(self.sum(signals))
    }

    /// Does the file decide alone, when the best candidate scores this by it?
    pub fn is_told(&self, best: f64) -> bool {
        best >= self.file_from
    }

    /// The chance that a candidate is right that was chosen by the file alone.
    pub fn file_sure(&self, score: f64) -> f64 {
        self.file_sure.of(score)
    }
}

pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// A share as a signal: what is nothing says a lot, but not without bound.
pub fn log_share(share: f64) -> f64 {
    (share + 0.02).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_counts_by_its_weight() {
        let mut weights = [0.0; COUNT];
        weights[0] = 2.0;
        let weigher = Weigher::new(&Weights::of(&weights, Scale { scale: 1.0, shift: 0.0 }));
        let mut signals = [0.0; COUNT];
        assert!((weigher.score(&signals) - 0.5).abs() < 1e-9);
        signals[0] = 1.0;
        signals[1] = -9.0;
        assert!((weigher.score(&signals) - logistic(2.0)).abs() < 1e-9, "the other signal weighs nothing");
    }
}
