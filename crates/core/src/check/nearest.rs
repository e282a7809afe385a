//! Which rows come nearest to what the page says? For the reader of a finding, not for the decision.
//!
//! - [`Nearest`]: of one pair. Small columns are looked through; in large ones only values that share rare letter triples with
//!   the value asked for are, which finds near values but proves nothing: no bound rests on it.

use super::alike::{Asked, edits};
use super::bags::{Bag, Letters, apart};
use super::known::Known;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Values looked at for one finding, where they are of usual length: some 0.1 to 1 ms.
const LOOKED_AT: usize = 20_000;

/// Characters looked at for one finding: 20,000 names, or fewer descriptions.
const CHARACTERS: usize = 600_000;

/// Triples that are looked up.
const TRIPLES: usize = 6;

/// Less than this in common is nothing to show.
const LEAST: f64 = 0.5;

pub struct Nearest {
    letters: Letters,
    /// Of every value.
    bags: Vec<Bag>,
    /// Of large columns.
    triples: Option<FxHashMap<[char; 3], Sharing>>,
}

/// The first values that have a triple, and how many have it.
#[derive(Default)]
struct Sharing {
    values: Vec<u32>,
    count: usize,
}

impl Nearest {
    pub fn new(known: &Known) -> Self {
        let letters = Letters::of(&known.values);
        let bags = (0..known.values.len()).into_par_iter().map(|at| letters.bag(known.values.get(at))).collect();
        Self { letters, bags, triples: (known.values.len() > LOOKED_AT).then(|| triples(known)) }
    }

    /// At most `count` rows, nearest first, with their degrees.
    pub fn rows(&self, known: &Known, asked: &Asked, count: usize) -> Vec<(u32, f64)> {
        let mut search =
            Search { asked, bag: self.letters.bag(&asked.text), count, near: Vec::with_capacity(count + 1) };
        match &self.triples {
            None => (0..known.values.len() as u32).for_each(|value| search.look(self, known, value)),
            Some(triples) => {
                let most = LOOKED_AT.min(CHARACTERS / asked.length.max(1));
                sharing(triples, &asked.text, most, |value| search.look(self, known, value));
            }
        }
        let near = search.near.iter();
        let rows = near.flat_map(|&(value, degree)| known.rows(value).iter().map(move |&row| (row, degree)));
        rows.take(count).collect()
    }
}

struct Search<'s> {
    asked: &'s Asked,
    bag: Bag,
    count: usize,
    /// Nearest first, then by number.
    near: Vec<(u32, f64)>,
}

impl Search<'_> {
    fn look(&mut self, nearest: &Nearest, known: &Known, value: u32) {
        // What is worse than the worst of those shown needs no exact degree.
        let least = if self.near.len() < self.count { LEAST } else { self.near[self.count - 1].1 };
        let longer = self.asked.length.max(known.length(value));
        if apart(&nearest.bags[value as usize], &self.bag) as usize > 2 * edits(longer, least) {
            return;
        }
        let Some(degree) = known.degree(self.asked, value, least) else { return };
        if self.near.iter().any(|&(other, _)| other == value) {
            return;
        }
        let before = |&(number, other): &(u32, f64)| other > degree || other == degree && number < value;
        self.near.insert(self.near.partition_point(before), (value, degree));
        self.near.truncate(self.count);
    }
}

fn triples_of(text: &str) -> Vec<[char; 3]> {
    let chars: Vec<char> = text.chars().collect();
    let mut found: Vec<[char; 3]> = chars.windows(3).map(|window| [window[0], window[1], window[2]]).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn triples(known: &Known) -> FxHashMap<[char; 3], Sharing> {
    let mut all: FxHashMap<[char; 3], Sharing> = FxHashMap::default();
    for value in 0..known.values.len() {
        for triple in triples_of(known.values.get(value)) {
            let sharing = all.entry(triple).or_default();
            sharing.count += 1;
            if sharing.values.len() < LOOKED_AT {
                sharing.values.push(value as u32);
            }
        }
    }
    all
}

/// Values that hold one of the rarest triples of the text, at most so many; those that hold several, several times.
fn sharing(triples: &FxHashMap<[char; 3], Sharing>, text: &str, most: usize, mut look: impl FnMut(u32)) {
    let mut lists: Vec<&Sharing> = triples_of(text).iter().filter_map(|triple| triples.get(triple)).collect();
    lists.sort_by_key(|list| list.count);
    let mut left = most;
    for list in lists.into_iter().take(TRIPLES) {
        let some = &list.values[..list.values.len().min(left)];
        left -= some.len();
        some.iter().for_each(|&value| look(value));
    }
}
