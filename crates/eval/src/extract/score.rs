//! When is a value right, and how good are many of them? Truth, records → the SWDE metric, page level.
//!
//! - [`Counts`]: hits, pages with a value, pages with a truth. - [`norm`]: the form in which values are compared.
//!
//! A page is a hit when one extracted value equals one true value. Precision is hits over pages with an extracted value, recall hits
//! over pages with a true one. The same arithmetic as the `score.py` beside the data; a test runs both.

use pagekin::page::parser::unescaped;
use serde::Serialize;
use std::ops::AddAssign;
use unicode_normalization::UnicodeNormalization;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub hit: usize,
    pub found: usize,
    pub truth: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.hit += other.hit;
        self.found += other.found;
        self.truth += other.truth;
    }
}

impl Counts {
    /// Of one page; values as [`norm`] writes them.
    pub fn of(truth: &[String], found: &[String]) -> Self {
        let truth: Vec<&String> = truth.iter().filter(|value| !value.is_empty()).collect();
        let found: Vec<&String> = found.iter().filter(|value| !value.is_empty()).collect();
        let hit = found.iter().any(|value| truth.contains(value));
        Self { hit: usize::from(hit), found: usize::from(!found.is_empty()), truth: usize::from(!truth.is_empty()) }
    }

    pub fn precision(&self) -> f64 {
        share(self.hit, self.found)
    }

    pub fn recall(&self) -> f64 {
        share(self.hit, self.truth)
    }

    pub fn f1(&self) -> f64 {
        let (p, r) = (self.precision(), self.recall());
        if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The form in which values are compared: as a page shows them, in lower case.
pub fn norm(value: &str) -> String {
    shown(value).to_lowercase()
}

/// As a page shows it: character references undone twice, NFKC, white space folded.
pub fn shown(value: &str) -> String {
    let plain = if value.contains('&') { unescaped(&unescaped(value)) } else { value.to_owned() };
    let plain: String = plain.nfkc().filter(|c| !matches!(c, '\u{200b}' | '\u{feff}')).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_as_read() {
        assert_eq!(norm("  A&amp;nbsp;B &lt;c "), "a b <c");
        assert_eq!(norm("Ｆｕｌｌ\u{200b}"), "full");
    }

    #[test]
    fn a_page_hits_when_one_value_is_true() {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let mut all = Counts::of(&words(&["a", "b"]), &words(&["x", "b"]));
        all += Counts::of(&words(&["a"]), &words(&["x"]));
        all += Counts::of(&words(&[]), &words(&["x"]));
        all += Counts::of(&words(&["a"]), &words(&[]));
        assert_eq!(all, Counts { hit: 1, found: 3, truth: 3 });
        assert!((all.f1() - 1.0 / 3.0).abs() < 1e-12);
    }
}
