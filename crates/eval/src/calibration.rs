//! Does a confidence of 0.9 mean nine in ten? Confidences and whether they were right → the calibration error.
//!
//! - [`Calibration`]: counts by tenth. Each run weighs the same, however many pages it found.

use serde::Serialize;

const BINS: usize = 10;

/// Sums by tenth of confidence: of the confidence, of what was right, of the weight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Calibration {
    bins: [[f64; 3]; BINS],
}

impl Calibration {
    /// `pages` of one run: the confidence of each, and whether it was right.
    pub fn of(pages: &[(f64, bool)]) -> Self {
        let mut counts = Self::default();
        let weight = 1.0 / pages.len().max(1) as f64;
        for &(confidence, right) in pages {
            let bin = &mut counts.bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
            bin[0] += weight * confidence;
            bin[1] += if right { weight } else { 0.0 };
            bin[2] += weight;
        }
        counts
    }

    pub fn add(&mut self, other: &Self) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }

    /// The mean distance between confidence and truth over the tenths, each by its weight.
    pub fn error(&self) -> f64 {
        let total: f64 = self.bins.iter().map(|bin| bin[2]).sum();
        let apart: f64 = self.bins.iter().map(|[confidence, right, _]| (confidence - right).abs()).sum();
        if total == 0.0 { 0.0 } else { apart / total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_how_far_confidence_is_from_truth() {
        let sure_and_right = Calibration::of(&[(1.0, true), (1.0, true)]);
        assert!(sure_and_right.error() < 1e-9);
        let sure_and_wrong = Calibration::of(&[(0.95, false)]);
        assert!((sure_and_wrong.error() - 0.95).abs() < 1e-9);
        let mut both = sure_and_right;
        both.add(&sure_and_wrong);
        assert!((both.error() - 0.475).abs() < 1e-9, "both fall into the last tenth: {}", both.error());
    }
}
