//! How complete is what was found, and how sure is that? What a search saw → an estimate with an interval, and the reasons.
//!
//! - [`Evidence`]: what is known when a search ends, and [`Around`] its pages. - [`estimate`]: → [`Completeness`]. - [`fitted`]: how wide the interval has to be.
//! - [`recapture`]: several routes to the same pages. - [`stated`]: totals that the site states. - [`ids`]: gaps between numbers.
//!
//! Knows nothing of how pages are searched for: whoever searches fills in the evidence.

pub mod fitted;
pub mod ids;
pub mod recapture;
pub mod stated;

mod why;

use fitted::Fitted;
use ids::Ids;
use recapture::Recapture;
use serde::{Deserialize, Serialize};

/// What is known when a search ends, or might end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// Pages of the answer, and how many of them were looked at.
    pub found: usize,
    pub found_looked: usize,
    /// A budget ended the search.
    pub stopped: bool,
    /// Pages looked at in all.
    pub looked: usize,
    /// Of the answer, the expected number of pages that are of another kind.
    pub doubtful: f64,
    /// Known addresses outside the answer: the expected number of pages that belong to it.
    pub left_out: f64,
    /// What pages that nobody asked for are expected to show.
    pub not_shown: f64,
    /// Pages that showed pages of the answer; further pages of their lists that were not asked for.
    pub lists: usize,
    pub open_lists: usize,
    /// Of the pages of the kind that the latest looks showed, the share that was new.
    pub novelty: f64,
    /// Pages of the answer that one page showed, and that two did.
    pub once: usize,
    pub twice: usize,
    /// The two routes that showed most.
    pub routes: Option<Recapture>,
    /// Pages of the next wider and the next narrower answer; as many as found where there is none.
    pub wider: usize,
    pub narrower: usize,
    /// What the list with the most pages of the answer states, and how many of them it showed.
    pub stated: Option<Stated>,
    /// What all lists together state beyond what they showed.
    pub short_of_stated: u64,
    pub ids: Option<Ids>,
    pub around: Around,
}

/// What stands around the pages of the answer: signs of whether the search found all and only those.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Around {
    /// Pages left out that stand in one list with pages of the answer.
    pub beside: usize,
    /// Pages of the answer that a page of a list shows on average.
    pub rows: f64,
    /// Clusters of alike pages that those of the answer fall into, and pages left out that are in these.
    pub clusters: usize,
    pub alike: usize,
    /// Pages left out whose content alone says that they belong to the answer.
    pub doubted: usize,
    /// Addresses left out in folders that hold pages of the answer.
    pub in_folders: usize,
    /// Further pages of lists that were asked for.
    pub further: usize,
    /// What the most promising page that nobody asked for is expected to show.
    pub promise: f64,
}

/// A total that the site states beside a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    pub least: u64,
    pub most: u64,
    /// Pages of the answer on this list.
    pub shown: usize,
    /// As the site puts it, and where.
    pub text: String,
    pub url: String,
}

/// How complete a search believes it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Completeness {
    pub found: usize,
    /// How many there are.
    pub estimate: f64,
    pub lower: u64,
    pub upper: u64,
    /// Of searches on other sites that saw the like, the share whose interval held the truth; `pagekin eval completeness` measures it.
    pub sure: f64,
    /// What the site states, where that is about all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<u64>,
    /// In sentences.
    pub because: Vec<String>,
}

impl Completeness {
    /// The share of the pages that was found, in [0, 1].
    pub fn share(&self) -> f64 {
        (self.found as f64 / self.estimate.max(1.0)).min(1.0)
    }

    /// The same with pages found otherwise, which the estimate is not about.
    pub fn with_more(mut self, more: usize) -> Self {
        self.found += more;
        self.estimate += more as f64;
        self.lower += more as u64;
        self.upper += more as u64;
        self
    }

    /// `found 2,646; the site states 2,647; estimated 2,633 to 2,712`, or `found 88; estimated 88`
    pub fn told(&self) -> String {
        let stated = self.stated.map_or_else(String::new, |total| format!("; the site states {}", thousands(total)));
        let to = if self.lower < self.upper { format!(" to {}", thousands(self.upper)) } else { String::new() };
        format!("found {}{stated}; estimated {}{to}", thousands(self.found as u64), thousands(self.lower))
    }
}

/// `2,647`
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A stated total is about all pages when it is at least this share of those found.
const ABOUT_ALL: f64 = 0.9;

impl Evidence {
    /// The total that the site states, where it is about all pages of the answer.
    pub fn total(&self) -> Option<&Stated> {
        let about_all = |stated: &&Stated| stated.most as f64 >= ABOUT_ALL * self.found as f64;
        self.stated.as_ref().filter(about_all)
    }

    /// How many pages there are, by what was seen: what was found, what is expected beside it, and what the site states.
    pub fn expected(&self) -> f64 {
        let (found, expected) = (self.found as f64, self.found as f64 + self.left_out + self.not_shown);
        let stated = self.total().map_or(0.0, |stated| stated.least as f64);
        let lists = found + self.short_of_stated as f64;
        expected.max(stated).max(lists).max(1.0)
    }

    /// No more than this: a range of ids that are mostly known has no room for more.
    fn most(&self) -> f64 {
        match &self.ids {
            // The last id seen is not the last there is: of n ids drawn from a range, the last stands 1/n of it before the end.
            Some(ids) if ids.dense() => ids.span() as f64 * (1.0 + 3.0 / ids.known as f64),
            _ => f64::INFINITY,
        }
    }
}

/// What the product of a count and a bound may be off by.
const ROUNDING: f64 = 1e-6;

/// How many there are, with an interval.
pub fn estimate(evidence: &Evidence, fitted: &Fitted) -> Completeness {
    let (found, expected) = (evidence.found.max(1) as f64, evidence.expected());
    let bounds = fitted.bounds(evidence);
    let stated = evidence.total().map_or(0.0, |stated| stated.most as f64);
    // Whole numbers within the bounds.
    let upper = (found * bounds.upper + ROUNDING).min(evidence.most().max(found)).max(stated).floor();
    let lower = (found * bounds.lower - ROUNDING).min(upper).ceil().max(1.0);
    Completeness {
        found: evidence.found,
        estimate: (expected.clamp(lower, upper) * 10.0).round() / 10.0,
        lower: lower as u64,
        upper: upper as u64,
        sure: bounds.sure,
        stated: evidence.total().map(|stated| stated.most),
        because: why::because(evidence, &bounds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sure(found: usize) -> Evidence {
        let routes = Recapture::of(found, found, found);
        let around = Around { rows: 100.0, clusters: 1, ..Around::default() };
        Evidence {
            around,
            found,
            found_looked: 12,
            looked: 60,
            lists: 30,
            novelty: 0.1,
            twice: found,
            wider: found,
            narrower: found,
            routes,
            ..Default::default()
        }
    }

    #[test]
    fn an_interval_holds_the_estimate_and_grows_with_doubt() {
        let fitted = Fitted::shipped();
        let good = estimate(&sure(2646), &fitted);
        let around =
            Around { rows: 3.0, clusters: 4, beside: 600, alike: 30, further: 30, promise: 20.0, ..Around::default() };
        let cut = Evidence {
            around,
            stopped: true,
            open_lists: 60,
            novelty: 0.9,
            once: 2646,
            twice: 0,
            not_shown: 900.0,
            ..sure(2646)
        };
        let bad = estimate(&cut, &fitted);
        for one in [&good, &bad] {
            assert!(one.lower as f64 <= one.estimate && one.estimate <= one.upper as f64, "{one:?}");
        }
        let width = |one: &Completeness| (one.upper - one.lower) as f64 / one.estimate;
        assert!(width(&bad) > 2.0 * width(&good), "{good:?} {bad:?}");
    }

    #[test]
    fn it_is_told_in_a_line() {
        let text = "2,647 ships".to_owned();
        let stated = Stated { least: 2647, most: 2647, shown: 2646, text, url: "http://s/ships".to_owned() };
        let told = estimate(&Evidence { stated: Some(stated), ..sure(2646) }, &Fitted::shipped());
        assert!(told.told().starts_with("found 2,646; the site states 2,647; estimated "), "{}", told.told());
        assert!(told.because.iter().any(|why| why.contains("2,647 ships")), "{:?}", told.because);
    }

    #[test]
    fn dense_ids_leave_no_room() {
        let ids = Some(Ids { first: 1, last: 100, known: 98 });
        let narrow = estimate(&Evidence { ids, not_shown: 40.0, ..sure(98) }, &Fitted::shipped());
        assert!(narrow.upper <= 104, "{narrow:?}");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
