//! Are these pages of the same kind? Compares sets of pages by what all pages of the one have and no page of the other.
//!
//! "Entities of the same type have the same attributes" (SSUP 2019, section 3). With several pages on both sides, content cancels
//! out: a name or a value is on one page, an attribute's label or a block of the layout on all. What also stands on
//! pages known to be of another kind (menus, footers) weighs little.

use crate::features::tokens::{Token, Tokens};
use rustc_hash::FxHashMap;

/// A token belongs to a set of pages when at least this share has it: one page in five may lack an optional attribute.
const COMMON: f64 = 0.8;

/// Tokens' worth of doubt: so much agreement is granted before the first token is seen, because two pages that share three labels
/// and differ in one are not as far apart as those that share thirty and differ in ten.
const DOUBT_STRUCTURE: f64 = 10.0;
const DOUBT_LABELS: f64 = 6.0;

/// How far apart two sets of pages are, in [0, 1] each.
#[derive(Debug, Clone, Copy, Default)]
pub struct Distance {
    pub structure: f64,
    pub labels: f64,
}

impl Distance {
    /// One number: labels tell types apart where the layout is the same, structure where there are few labels.
    pub fn total(self) -> f64 {
        self.structure.max(self.labels).max((self.structure + self.labels) * 0.75).min(1.0)
    }
}

/// Counts of tokens over a set of pages.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    pages: usize,
    structure: FxHashMap<Token, u32>,
    labels: FxHashMap<Token, u32>,
}

impl Counts {
    pub fn of<'a>(pages: impl IntoIterator<Item = &'a Tokens>) -> Self {
        let mut counts = Self::default();
        for page in pages {
            counts.add(page);
        }
        counts
    }

    /// Over sets of pages, each counting as one page: it has what at least half of its pages have.
    pub fn over_sets<'a>(sets: impl Iterator<Item = &'a Counts>) -> Self {
        let mut all = Self::default();
        for set in sets {
            all.pages += 1;
            for (sums, counts) in [(&mut all.structure, &set.structure), (&mut all.labels, &set.labels)] {
                for (token, _) in counts.iter().filter(|(_, times)| **times as usize * 2 >= set.pages) {
                    *sums.entry(*token).or_default() += 1;
                }
            }
        }
        all
    }

    pub fn add(&mut self, page: &Tokens) {
        self.pages += 1;
        for token in &page.structure {
            *self.structure.entry(*token).or_default() += 1;
        }
        for token in &page.labels {
            *self.labels.entry(*token).or_default() += 1;
        }
    }
}

/// The distance between the pages of `a` and of `b`; `others` are pages known to be of neither kind.
pub fn distance(a: &Counts, b: &Counts, others: &Counts) -> Distance {
    // What one page has of its own is mostly content, what two share may be; what three share is the template.
    compare(a, b, others, [0.0, 0.0, 0.5, 1.0][b.pages.min(3)])
}

/// How far a single page is from the pages of `kin`, in [0, 1]: what nearly all kin have and the page lacks, and what the page has and
/// no kin, both weighed by rarity on the site. A page that has less, and nothing else, is near, if what it shares is more than the doubt; so is one that has more. `seen` are all
/// pages looked at: what only this page has is content.
pub fn page_distance(kin: &Counts, page: &Tokens, others: &Counts, seen: &Counts) -> f64 {
    let lacks = compare(kin, &Counts::of([page]), others, 0.0);
    let side = |tokens: &[Token], of: fn(&Counts) -> &FxHashMap<Token, u32>, doubt: f64| {
        let full = (1.5 + others.pages as f64).ln();
        let (mut own, mut shared) = (0.0, 0.0);
        for token in tokens {
            let elsewhere = of(others).get(token).copied().unwrap_or(0) as f64;
            let weight = ((1.5 + others.pages as f64) / (1.0 + elsewhere)).ln().max(0.0);
            if of(kin).contains_key(token) {
                shared += weight;
            } else if of(seen).get(token).is_some_and(|&times| times > 1) {
                own += weight;
            }
        }
        (own + 0.5 * doubt * full) / (own + shared + doubt * full)
    };
    let has = Distance {
        structure: side(&page.structure, |counts| &counts.structure, DOUBT_STRUCTURE),
        labels: side(&page.labels, |counts| &counts.labels, DOUBT_LABELS),
    };
    (lacks.total() * has.structure.max(has.labels)).sqrt().min(lacks.total())
}

/// The same, when `b` holds pages of one year, letter or category: what they share beyond `a` is content.
pub fn distance_within_category(a: &Counts, b: &Counts, others: &Counts) -> Distance {
    compare(a, b, others, 0.0)
}

/// `own`: the weight of what all of `b` have and none of `a`.
fn compare(a: &Counts, b: &Counts, others: &Counts, own: f64) -> Distance {
    let side = |of: fn(&Counts) -> &FxHashMap<Token, u32>, doubt: f64| {
        let weight = |token: &Token| {
            let elsewhere = of(others).get(token).copied().unwrap_or(0) as f64;
            ((1.5 + others.pages as f64) / (1.0 + elsewhere)).ln().max(0.0)
        };
        let full = (1.5 + others.pages as f64).ln();
        let share = |counts: &Counts, token: &Token| {
            of(counts).get(token).copied().unwrap_or(0) as f64 / counts.pages.max(1) as f64
        };
        let (mut apart, mut shared) = (0.0, 0.0);
        for token in of(a).keys() {
            let (in_a, in_b) = (share(a, token), share(b, token));
            if in_a >= COMMON && in_b >= COMMON {
                shared += weight(token);
            } else if in_a >= COMMON && in_b == 0.0 && a.pages > 1 {
                apart += weight(token);
            }
        }
        apart += own
            * of(b).keys().filter(|token| share(b, token) >= COMMON && share(a, token) == 0.0).map(weight).sum::<f64>();
        apart / (apart + shared + doubt * full)
    };
    Distance { structure: side(|c| &c.structure, DOUBT_STRUCTURE), labels: side(|c| &c.labels, DOUBT_LABELS) }
}

/// Labels that (nearly) all pages of one set have and (nearly) none of the other: with four and more pages on both sides, chance
/// hardly makes one.
pub fn telling_labels(a: &Counts, b: &Counts) -> usize {
    let share =
        |counts: &Counts, token: &Token| counts.labels.get(token).copied().unwrap_or(0) as f64 / counts.pages as f64;
    let one_way = |a: &Counts, b: &Counts| {
        a.labels.keys().filter(|token| share(a, token) >= 0.8 && share(b, token) <= 0.2).count()
    };
    one_way(a, b) + one_way(b, a)
}

/// How alike two single pages are, for the time when the kind is known from one page only: the cosine of their token sets, weighed
/// by rarity on other pages. A long page and a short one of the same kind are alike by what the short one has.
pub fn likeness(a: &Tokens, b: &Tokens, others: &Counts) -> f64 {
    let side = |a: &[Token], b: &[Token], counts: &FxHashMap<Token, u32>| {
        let weight = |token: &Token| {
            ((1.5 + others.pages as f64) / (1.0 + counts.get(token).copied().unwrap_or(0) as f64)).ln().max(0.01)
        };
        let both: f64 = a.iter().filter(|token| b.binary_search(token).is_ok()).map(weight).sum();
        let (of_a, of_b): (f64, f64) = (a.iter().map(weight).sum(), b.iter().map(weight).sum());
        if of_a * of_b > 0.0 { both / (of_a * of_b).sqrt() } else { 1.0 }
    };
    let structure = side(&a.structure, &b.structure, &others.structure);
    let labels = side(&a.labels, &b.labels, &others.labels);
    0.7 * structure + 0.3 * labels
}
