//! How sure can one be that nothing was missed? Pages looked at by class, addresses by how often they were seen → figures.
//!
//! - [`Completeness`]: of the classes. - [`chao`]: how many kinds there are, from how many were met once and twice (Chao 1984, with
//!   the bias correction). - [`coverage`]: which share of all is of kinds that were met (Good 1953).
//!
//! Both suppose that pages come at random. A survey prefers what it does not know, so what they say is on the safe side.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Completeness {
    /// Nothing that is known of the site promised to change the model.
    pub settled: bool,
    /// Estimated number of classes, those found among them.
    pub classes: f64,
    /// Estimated share of the pages that are of classes found, in [0, 1].
    pub coverage: f64,
    /// Known addresses whose class is known, in [0, 1].
    pub assigned: f64,
    /// Pages looked at since the last new class.
    pub stable: usize,
}

/// `met`: how often each kind was met.
pub fn chao(met: &[usize]) -> f64 {
    let (once, twice) = once_and_twice(met);
    met.len() as f64 + once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0))
}

/// Of the next one met, how likely is it of a kind met before? Good and Turing's estimate.
pub fn coverage(met: &[usize]) -> f64 {
    let (once, _) = once_and_twice(met);
    let all: usize = met.iter().sum();
    if all == 0 { 0.0 } else { 1.0 - once / all as f64 }
}

fn once_and_twice(met: &[usize]) -> (f64, f64) {
    let times = |n: usize| met.iter().filter(|&&count| count == n).count() as f64;
    (times(1), times(2))
}

/// Addresses linked to twice that are needed before the number of unseen ones is guessed. Where more than a third was linked to once,
/// pages stand on one list each, and the guess would be twice the truth (built-in site, f1_pitlanestats).
const TWICE: f64 = 10.0;

/// How many addresses a class has, from how often each known one was linked to; none when too few were linked to twice to tell.
pub fn likely_size(linked: &[usize]) -> Option<usize> {
    let (once, twice) = once_and_twice(linked);
    let enough = once == 0.0 || twice >= TWICE && once * 3.0 <= linked.len() as f64;
    enough.then(|| chao(linked).round() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_met_once_say_that_there_are_more() {
        assert_eq!(chao(&[5, 3, 2, 1, 1, 1]), 6.0 + 3.0 * 2.0 / (2.0 * 2.0));
        assert_eq!(chao(&[4, 9]), 2.0);
        assert_eq!(coverage(&[5, 3, 1, 1]), 0.8);
        assert_eq!((coverage(&[]), chao(&[])), (0.0, 0.0));
    }

    #[test]
    fn sizes_are_guessed_only_from_overlap() {
        assert_eq!(likely_size(&[1; 200]), None);
        assert_eq!(likely_size(&[9; 30]), Some(30));
        let mut linked = vec![2; 40];
        linked.extend([1; 20]);
        assert_eq!(likely_size(&linked), Some(65));
    }
}
