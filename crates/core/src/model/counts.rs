//! What have the pages of a set in common, and how far apart are two sets?
//!
//! - [`Counts`]: on how many of the pages each token stands. - [`Counts::away`]: how far a page is from the set.
//! - [`Background`]: how usual each token is on the site. - [`apart`]: how far two sets are from each other.
//!
//! Two measures, because there are two questions. *Is it the same template?* is asked of all structure alike. *Are they two
//! types of one template?* is asked of what nearly all pages of one set have and none of the other, where what the whole
//! site has (menus, footers) weighs little. Does not know addresses.

use crate::features::tokens::{Token, Tokens};
use rustc_hash::FxHashMap;

/// A token belongs to a set when at least this share of its pages has it: as in discovery.
const COMMON: f64 = 0.8;

/// A token is foreign to a set when at most this share of its pages has it: in large sets somebody quotes every word once.
const RARE: f64 = 0.05;

/// Tokens' worth of agreement granted before the first is seen: as in discovery.
const DOUBT_STRUCTURE: f64 = 10.0;
const DOUBT_LABELS: f64 = 6.0;

/// Tokens a set remembers; beyond it, those of few pages are forgotten. The fullest of 23,000 real pages has 4,000.
const REMEMBERED: usize = 20_000;

#[derive(Debug, Clone, Default)]
pub struct Counts {
    pub pages: u32,
    pub structure: Kept,
    pub labels: Kept,
}

/// On how many pages each token stands.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    pub of: FxHashMap<Token, u32>,
    sum: u64,
}

impl Kept {
    pub fn new(of: FxHashMap<Token, u32>, sum: u64) -> Self {
        Self { of, sum }
    }

    /// Of all tokens, those not remembered among them.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    fn add(&mut self, tokens: &[Token]) {
        for token in tokens {
            *self.of.entry(*token).or_default() += 1;
        }
        self.sum += tokens.len() as u64;
        let mut least = 1;
        while self.of.len() > REMEMBERED {
            self.of.retain(|_, count| *count > least);
            least *= 2;
            self.sum = self.of.values().map(|&count| u64::from(count)).sum();
        }
    }

    fn merge(&mut self, other: &Self) {
        for (token, count) in &other.of {
            *self.of.entry(*token).or_default() += count;
        }
        self.sum += other.sum;
    }

    pub fn count(&self, token: &Token) -> u32 {
        self.of.get(token).copied().unwrap_or(0)
    }
}

impl Counts {
    pub fn add(&mut self, page: &Tokens) {
        self.pages += 1;
        self.structure.add(&page.structure);
        self.labels.add(&page.labels);
    }

    pub fn merge(&mut self, other: &Self) {
        self.pages += other.pages;
        self.structure.merge(&other.structure);
        self.labels.merge(&other.labels);
    }

    /// How far the structure of a page is from the set's, in [0, 1]: what both have over what either has (Ruzicka), shares
    /// for the set.
    pub fn away(&self, page: &Tokens) -> f64 {
        let pages = f64::from(self.pages.max(1));
        let both: f64 = page.structure.iter().map(|token| f64::from(self.structure.count(token)) / pages).sum();
        let either = page.structure.len() as f64 + self.structure.sum as f64 / pages - both;
        if either > 0.0 { 1.0 - both / either } else { 0.0 }
    }

    /// The same between two sets.
    pub fn away_from(&self, other: &Self) -> f64 {
        let (small, large) =
            if self.structure.of.len() <= other.structure.of.len() { (self, other) } else { (other, self) };
        let share = |set: &Self, count: u32| f64::from(count) / f64::from(set.pages.max(1));
        let both: f64 = small
            .structure
            .of
            .iter()
            .map(|(token, &count)| share(small, count).min(share(large, large.structure.count(token))))
            .sum();
        let all = |set: &Self| set.structure.sum as f64 / f64::from(set.pages.max(1));
        let either = all(self) + all(other) - both;
        if either > 0.0 { 1.0 - both / either } else { 0.0 }
    }
}

/// For each token, the sum of its shares over the sets of pages of a site: each set counts once, however large.
#[derive(Debug, Clone, Default)]
pub struct Background {
    sets: f64,
    structure: FxHashMap<Token, f64>,
    labels: FxHashMap<Token, f64>,
}

impl Background {
    pub fn of<'a>(sets: impl IntoIterator<Item = &'a Counts>) -> Self {
        let mut background = Self::default();
        for set in sets {
            background.sets += 1.0;
            let pages = f64::from(set.pages.max(1));
            for (token, &count) in &set.structure.of {
                *background.structure.entry(*token).or_default() += f64::from(count) / pages;
            }
            for (token, &count) in &set.labels.of {
                *background.labels.entry(*token).or_default() += f64::from(count) / pages;
            }
        }
        background
    }
}

/// How far two sets are from each other, in [0, 1]: by what nearly all pages of one have and none of the other. `within`: they
/// differ by a category, so that what `b` has beyond `a` is that category's content.
pub fn apart(a: &Counts, b: &Counts, background: &Background, within: bool) -> f64 {
    let own = if within { 0.0 } else { [0.0, 0.0, 0.5, 1.0][b.pages.min(3) as usize] };
    let structure =
        one_sided(a, b, |set| &set.structure, (&background.structure, background.sets), own, DOUBT_STRUCTURE);
    let labels = one_sided(a, b, |set| &set.labels, (&background.labels, background.sets), own, DOUBT_LABELS);
    structure.max(labels).max((structure + labels) * 0.75).min(1.0)
}

fn one_sided(
    a: &Counts,
    b: &Counts,
    of: fn(&Counts) -> &Kept,
    (usual, sets): (&FxHashMap<Token, f64>, f64),
    own: f64,
    doubt: f64,
) -> f64 {
    let others = (sets - 2.0).max(0.0);
    let share = |set: &Counts, token: &Token| f64::from(of(set).count(token)) / f64::from(set.pages.max(1));
    let weight = |token: &Token, in_a: f64, in_b: f64| {
        let elsewhere = (usual.get(token).copied().unwrap_or(0.0) - in_a - in_b).max(0.0);
        ((1.5 + others) / (1.0 + elsewhere)).ln().max(0.0)
    };
    let (mut apart, mut shared) = (0.0, 0.0);
    for token in of(a).of.keys() {
        let (in_a, in_b) = (share(a, token), share(b, token));
        if in_a >= COMMON && in_b >= COMMON {
            shared += weight(token, in_a, in_b);
        } else if in_a >= COMMON && in_b <= RARE && a.pages > 1 {
            apart += weight(token, in_a, in_b);
        }
    }
    if own > 0.0 {
        let alone = of(b).of.keys().map(|token| (token, share(b, token)));
        let alone = alone.filter(|(token, in_b)| *in_b >= COMMON && share(a, token) <= RARE);
        apart += own * alone.map(|(token, in_b)| weight(token, share(a, token), in_b)).sum::<f64>();
    }
    apart / (apart + shared + doubt * (1.5 + others).ln())
}

/// How many tokens nearly all pages of one set have and (nearly) none of the other.
pub fn telling(a: &Counts, b: &Counts) -> usize {
    let one_way = |a: &Counts, b: &Counts, of: fn(&Counts) -> &Kept| {
        let share = |set: &Counts, count: u32| f64::from(count) / f64::from(set.pages.max(1));
        let marks =
            of(a).of.iter().filter(|(token, count)| share(a, **count) > COMMON && share(b, of(b).count(token)) <= RARE);
        marks.count()
    };
    let sides: [fn(&Counts) -> &Kept; 2] = [|set| &set.structure, |set| &set.labels];
    sides.into_iter().map(|of| one_way(a, b, of) + one_way(b, a, of)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(structure: &[u64], labels: &[u64]) -> Tokens {
        Tokens { structure: structure.into(), labels: labels.into() }
    }

    fn set(pages: &[Tokens]) -> Counts {
        let mut counts = Counts::default();
        pages.iter().for_each(|page| counts.add(page));
        counts
    }

    #[test]
    fn a_page_is_as_far_as_its_structure_differs() {
        let counts = set(&[page(&[1, 2, 3], &[]), page(&[1, 2, 4], &[])]);
        assert_eq!(counts.away(&page(&[7, 8], &[])), 1.0);
        // Shared: 1 + 1 + 0.5 of 1 + 1 + 1 + 0.5.
        assert!((counts.away(&page(&[1, 2, 3], &[])) - (1.0 - 2.5 / 3.5)).abs() < 1e-12);
        assert_eq!(counts.away_from(&counts), 0.0);
        assert_eq!(Counts::default().away(&page(&[], &[])), 0.0);
    }

    #[test]
    fn types_of_one_template_differ_by_their_labels_and_content_cancels_out() {
        let frame: Vec<u64> = (0..40).collect();
        let of = |labels: std::ops::Range<u64>, own: u64| {
            let labels: Vec<u64> = labels.chain([1000 + own]).collect();
            page(&frame, &labels)
        };
        let drivers = set(&[of(100..112, 1), of(100..112, 2), of(100..112, 3)]);
        let more = set(&[of(100..112, 4), of(100..112, 5), of(100..112, 6)]);
        let teams = set(&[of(200..212, 7), of(200..212, 8), of(200..212, 9)]);
        let background = Background::of([&drivers, &more, &teams]);
        assert_eq!(apart(&drivers, &more, &background, false), 0.0);
        assert!(apart(&drivers, &teams, &background, false) > 0.3);
    }

    #[test]
    fn a_set_forgets_what_few_pages_have_and_not_what_all_have() {
        let mut counts = Counts::default();
        for page_number in 0..40u64 {
            let own = (0..2000).map(|place| 1_000_000 + page_number * 2000 + place);
            let tokens: Vec<u64> = (0..50).chain(own).collect();
            counts.add(&page(&tokens, &[]));
        }
        assert!(counts.structure.of.len() <= REMEMBERED && (0..50).all(|token| counts.structure.count(&token) == 40));
    }
}
