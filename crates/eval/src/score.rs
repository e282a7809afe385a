//! How right is a result? Found and true addresses → precision, recall, F1, and which pages were missed or wrong.
//!
//! - [`Score`]: the figures of one run. Addresses are compared by their key, after the archive's redirects; neutral
//!   ones count neither way. Does not know where a result came from.

use rustc_hash::FxHashSet;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Score {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
    /// Pages found, neutral ones left out.
    pub found: usize,
    /// Of these, those in the truth.
    pub relevant: usize,
}

/// A result with nothing in it has precision 0: it helps nobody.
pub fn score(found: &FxHashSet<String>, truth: &FxHashSet<String>, neutral: &FxHashSet<String>) -> Score {
    let counted = found.iter().filter(|key| truth.contains(*key) || !neutral.contains(*key)).count();
    let relevant = found.iter().filter(|key| truth.contains(*key)).count();
    let share = |whole: usize| if whole == 0 { 0.0 } else { relevant as f64 / whole as f64 };
    let (precision, recall) = (share(counted), share(truth.len()));
    Score { precision, recall, f1: harmonic(precision, recall), found: counted, relevant }
}

fn harmonic(precision: f64, recall: f64) -> f64 {
    if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(keys: &[&str]) -> FxHashSet<String> {
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    #[test]
    fn neutral_pages_count_neither_way() {
        let truth = set(&["a", "b", "c", "d"]);
        let result = score(&set(&["a", "b", "x", "n"]), &truth, &set(&["n"]));
        assert_eq!((result.found, result.relevant), (3, 2));
        assert!((result.precision - 2.0 / 3.0).abs() < 1e-12 && (result.recall - 0.5).abs() < 1e-12);
        assert!((result.f1 - 4.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_found_is_zero() {
        assert_eq!(score(&set(&[]), &set(&["a"]), &set(&[])), Score::default());
        assert_eq!(score(&set(&["n"]), &set(&["a"]), &set(&["n"])).f1, 0.0);
    }
}
