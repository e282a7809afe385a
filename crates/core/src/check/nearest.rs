//! Which rows come nearest to what the page says? For the reader of a finding, not for the decision.
//!
//! - [`Nearest`]: of one pair. Small columns are looked through; in large ones only values that share rare letter triples with
//!   the value asked for are, which finds near values but proves nothing: no bound rests on it.

use super::alike::Asked;
use super::known::Known;
use rustc_hash::FxHashMap;

/// Values looked at for one finding: some 2 ms.
const LOOKED_AT: usize = 20_000;

/// Triples that are looked up.
const TRIPLES: usize = 6;

/// Less than this in common is nothing to show.
const LEAST: f64 = 0.5;

pub struct Nearest {
    /// Of large columns.
    triples: Option<FxHashMap<[char; 3], Vec<u32>>>,
}

impl Nearest {
    pub fn new(known: &Known) -> Self {
        Self { triples: (known.values.len() > LOOKED_AT).then(|| triples(known)) }
    }

    /// At most `count` rows, nearest first, with their degrees.
    pub fn rows(&self, known: &Known, asked: &Asked, count: usize) -> Vec<(u32, f64)> {
        let values = match &self.triples {
            None => (0..known.values.len() as u32).collect(),
            Some(triples) => sharing(triples, &asked.text),
        };
        let mut near: Vec<(u32, f64)> = Vec::with_capacity(count + 1);
        for value in values {
            // What is no better than the worst of those shown needs no exact degree.
            let least = if near.len() < count { LEAST } else { near[count - 1].1 };
            if let Some(degree) = known.degree(asked, value, least) {
                let place = near.partition_point(|&(_, other)| other >= degree);
                near.insert(place, (value, degree));
                near.truncate(count);
            }
        }
        let rows = near.iter().flat_map(|&(value, degree)| known.rows(value).iter().map(move |&row| (row, degree)));
        rows.take(count).collect()
    }
}

fn triples_of(text: &str) -> Vec<[char; 3]> {
    let chars: Vec<char> = text.chars().collect();
    let mut found: Vec<[char; 3]> = chars.windows(3).map(|window| [window[0], window[1], window[2]]).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn triples(known: &Known) -> FxHashMap<[char; 3], Vec<u32>> {
    let mut all: FxHashMap<[char; 3], Vec<u32>> = FxHashMap::default();
    for value in 0..known.values.len() {
        for triple in triples_of(known.values.get(value)) {
            all.entry(triple).or_default().push(value as u32);
        }
    }
    all
}

/// Values that hold one of the rarest triples of the text.
fn sharing(triples: &FxHashMap<[char; 3], Vec<u32>>, text: &str) -> Vec<u32> {
    let mut lists: Vec<&Vec<u32>> = triples_of(text).iter().filter_map(|triple| triples.get(triple)).collect();
    lists.sort_by_key(|list| list.len());
    let mut found: Vec<u32> = Vec::new();
    for list in lists.into_iter().take(TRIPLES) {
        found.extend(list.iter().take(LOOKED_AT - found.len().min(LOOKED_AT)));
    }
    found.sort_unstable();
    found.dedup();
    found
}
