//! How many are there, when several routes showed some of them? Counts → estimates of the whole.
//!
//! - [`Recapture`]: two routes to the same pages, and what they have in common (Lincoln and Petersen, in Chapman's form). - [`chao`]: how many
//!   pages were seen once and twice (Chao 1987, bias-corrected).
//!
//! Routes that prefer the same pages make both estimates too low, and both are never below what was seen: they are lower bounds. Routes that
//! avoid each other's pages make the first one too high, so it is not taken beyond [`MOST`] times what both showed.

use serde::{Deserialize, Serialize};

/// Pages that each of two routes must have shown, and both of them, before they tell anything.
const EACH: usize = 5;
const BOTH: usize = 3;

/// An estimate beyond this multiple of what was seen says that the routes avoid each other, and no more.
const MOST: f64 = 3.0;

/// Two routes to pages of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recapture {
    pub first: usize,
    pub second: usize,
    pub both: usize,
}

impl Recapture {
    /// None where the routes have too little in common to tell.
    pub fn of(first: usize, second: usize, both: usize) -> Option<Self> {
        (first.min(second) >= EACH && both >= BOTH).then_some(Self { first, second, both })
    }

    /// How many pages one of the routes showed.
    pub fn seen(&self) -> usize {
        self.first + self.second - self.both
    }

    /// Chapman's estimate, held between what was seen and [`MOST`] times that.
    pub fn estimate(&self) -> f64 {
        let product = (self.first as f64 + 1.0) * (self.second as f64 + 1.0);
        let seen = self.seen() as f64;
        (product / (self.both as f64 + 1.0) - 1.0).clamp(seen, MOST * seen)
    }
}

/// Of `seen` pages so many were shown once and twice: how many there are at least.
pub fn chao(seen: usize, once: usize, twice: usize) -> f64 {
    let (once, twice) = (once as f64, twice as f64);
    seen as f64 + once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_routes_that_share_half_tell_of_the_rest() {
        let half = Recapture::of(50, 50, 25).unwrap();
        assert_eq!(half.seen(), 75);
        assert!((half.estimate() - 99.0).abs() < 1.5, "{}", half.estimate());
        assert!((Recapture::of(80, 60, 60).unwrap().estimate() - 80.0).abs() < 0.5, "one holds the other");
    }

    #[test]
    fn routes_with_little_in_common_tell_nothing_or_little() {
        assert_eq!(Recapture::of(50, 50, 2), None);
        assert_eq!(Recapture::of(4, 500, 4), None);
        let apart = Recapture::of(300, 300, 3).unwrap();
        assert!(apart.estimate() <= MOST * 597.0);
    }

    #[test]
    fn pages_seen_once_speak_for_pages_never_seen() {
        assert_eq!(chao(100, 0, 50), 100.0);
        assert!(chao(100, 40, 10) > 160.0);
    }
}
