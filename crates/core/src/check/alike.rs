//! How alike are two values? Two normal forms → a degree between 0 and 1.
//!
//! - [`Asked`]: a value made ready to be compared with many. Degree = 1 − distance / the longer length, in characters.
//!
//! The distance is Levenshtein's. Where words may change places, it is the smaller of that and the cost of turning words into
//! words: each word is paired with one of the other side (or with none, which costs its length and a space), so that the sum of
//! the distances is least. Follows METHODS ("Equality of two strings is a degree").

use super::rules::Compare;
use super::words::{self, MOST_WORDS};
use rapidfuzz::distance::levenshtein::{Args, BatchComparator};

/// Against the error of floating point: 1 − 2/10 must reach 0.8.
const SLACK: f64 = 1e-9;

pub struct Asked {
    pub text: String,
    pub length: usize,
    whole: BatchComparator<char>,
    words: Option<Words>,
}

struct Words {
    each: Vec<(BatchComparator<char>, usize)>,
    bag: [i16; BAG],
}

/// Characters are counted in so many classes.
const BAG: usize = 32;

impl Asked {
    pub fn new(text: String, compare: Compare) -> Self {
        let words = (compare == Compare::Words).then(|| Words::of(&text)).flatten();
        Self { length: text.chars().count(), whole: BatchComparator::new(text.chars()), words, text }
    }

    /// None below `least`. `length`: of the other value, in characters.
    pub fn degree(&self, other: &str, length: usize, least: f64) -> Option<f64> {
        let longer = self.length.max(length);
        if longer == 0 {
            return Some(1.0);
        }
        let most = edits(longer, least);
        if self.words.as_ref().is_some_and(|words| bag_distance(&words.bag, &bag(other)) > most) {
            return None;
        }
        let of = |distance: usize| 1.0 - distance as f64 / longer as f64;
        let plain = if self.length.abs_diff(length) > most { None } else { self.plain(other, most) };
        match &self.words {
            Some(words) if plain != Some(0) => {
                let most = plain.map_or(most, |distance| distance - 1);
                words.distance(other, most).or(plain).map(of)
            }
            _ => plain.map(of),
        }
    }

    fn plain(&self, other: &str, most: usize) -> Option<usize> {
        self.whole.distance_with_args(other.chars(), &Args::default().score_cutoff(most))
    }
}

/// How many edits leave the degree at `least` or above, if the longer text has so many characters?
pub fn edits(longer: usize, least: f64) -> usize {
    ((1.0 - least) * longer as f64 + SLACK).floor().max(0.0) as usize
}

impl Words {
    /// None when there are too many: then their order counts.
    fn of(text: &str) -> Option<Self> {
        let mut each: Vec<_> =
            text.split(' ').map(|word| (BatchComparator::new(word.chars()), word.chars().count())).collect();
        // The longest word is the one that tells most: where it has no partner, the others need not be looked at.
        each.sort_by_key(|(_, length)| std::cmp::Reverse(*length));
        (each.len() <= MOST_WORDS).then(|| Self { each, bag: bag(text) })
    }

    /// Each word costs at least what its best partner costs: when these sums exceed `most`, so does every pairing. None too where a single
    /// word stands on both sides: the plain distance says it.
    fn distance(&self, other: &str, most: usize) -> Option<usize> {
        let mut others = [("", 0); MOST_WORDS];
        let mut count = 0;
        for word in other.split(' ') {
            *others.get_mut(count)? = (word, word.chars().count());
            count += 1;
        }
        if self.each.len() == 1 && count == 1 {
            return None;
        }
        let size = self.each.len().max(count);
        let (mut table, mut least) = ([[0; MOST_WORDS]; MOST_WORDS], 0);
        for (mine, line) in table.iter_mut().enumerate().take(size) {
            for (theirs, cell) in line.iter_mut().enumerate().take(size) {
                *cell = self.cost(mine, others[..count].get(theirs), most);
            }
            least += line[..size].iter().min().copied().unwrap_or(0);
            if least > most {
                return None;
            }
        }
        let distance = words::cheapest(size, table);
        (distance <= most).then_some(distance)
    }

    /// Of a pair, or of a word without partner. What costs more than `most` need not be exact.
    fn cost(&self, mine: usize, theirs: Option<&(&str, usize)>, most: usize) -> usize {
        match (self.each.get(mine), theirs) {
            (Some((_, length)), Some((_, other))) if length.abs_diff(*other) > most => most + 1,
            (Some((word, _)), Some((other, _))) => {
                let args = Args::default().score_cutoff(most);
                word.distance_with_args(other.chars(), &args).unwrap_or(most + 1)
            }
            (Some((_, length)), None) | (None, Some((_, length))) => length + 1,
            (None, None) => 0,
        }
    }
}

/// How often each class of characters occurs; spaces do not count, since moving a word may change none.
fn bag(text: &str) -> [i16; BAG] {
    let mut counts = [0; BAG];
    for c in text.chars().filter(|&c| c != ' ') {
        counts[c as usize % BAG] += 1;
    }
    counts
}

/// No edit changes more than one character on either side, so this is never above the distance.
fn bag_distance(a: &[i16; BAG], b: &[i16; BAG]) -> usize {
    let (mut more, mut less) = (0, 0);
    for (a, b) in a.iter().zip(b) {
        let difference = a - b;
        more += difference.max(0);
        less += (-difference).max(0);
    }
    more.max(less) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn degree(a: &str, b: &str, compare: Compare) -> f64 {
        Asked::new(a.to_owned(), compare).degree(b, b.chars().count(), 0.0).unwrap()
    }

    #[test]
    fn degrees_are_as_published() {
        for (a, b, expected) in
            [("kitten", "sitting", 4.0 / 7.0), ("", "", 1.0), ("abc", "", 0.0), ("größe", "grösse", 4.0 / 6.0)]
        {
            assert!((degree(a, b, Compare::Text) - expected).abs() < 1e-12, "{a} {b}");
        }
    }

    #[test]
    fn words_may_change_places() {
        assert!(degree("zenadol forte", "forte zenadol", Compare::Text) < 0.5);
        assert_eq!(degree("zenadol forte", "forte zenadol", Compare::Words), 1.0);
        let typo = degree("zenadol forte 20", "20 forte xenadol", Compare::Words);
        assert!((typo - 15.0 / 16.0).abs() < 1e-12, "{typo}");
        assert!((degree("multi vitamin", "multivitamin", Compare::Words) - 12.0 / 13.0).abs() < 1e-12);
        assert!(degree("zenadol forte", "zenadol", Compare::Words) < 0.6);
    }

    #[test]
    fn what_is_below_the_least_degree_is_none() {
        let asked = Asked::new("abcdefghij".to_owned(), Compare::Text);
        assert!(asked.degree("abcdefghxx", 10, 0.8).is_some());
        assert!(asked.degree("abcdefgxxx", 10, 0.8).is_none());
        assert!(asked.degree("abcdefghijklmnop", 16, 0.8).is_none());
    }
}
