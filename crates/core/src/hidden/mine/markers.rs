//! Which short markers stand before the ids of a site? Addresses → markers such as the `g` and `d` of `-g60763-d93437-`.
//!
//! A marker is a word glued to a number, or one letter and a delimiter before it. Names hold such things too
//! (`mp3`, `d90`), so a marker counts only where it is a habit: in at least a twentieth of the elements with digits at
//! that place, with at least ten numbers.
//!
//! - [`Markers`]: learned from all addresses of a site. - [`Admitted`]: those of one place. - [`Run`]: one run of digits.

use super::split::{MOST_CELLS, is_delimiter, parts};
use rustc_hash::{FxHashMap, FxHashSet};

/// Share of the elements with digits at a place. A twentieth, chosen on 28 sites with truth: all their markers are found.
const SHARE: f64 = 0.05;
const NUMBERS: usize = 10;

/// Longest word glued to a number that may be a marker: `tt0111161`, `article4711.html`.
const GLUED: usize = 16;

/// A run of digits in a path element or value, with the marker before it.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    pub marker: usize,
    pub start: usize,
    pub end: usize,
    /// Between delimiters or ends.
    pub plain: bool,
}

impl Run {
    pub fn len(&self) -> usize {
        self.end - self.start
    }
}

/// The runs of digits; those of percent-escapes are none, and what is glued to letters behind it is part of a word.
pub fn runs(text: &str) -> Vec<Run> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        if bytes[at] == b'%' {
            at += 3;
        } else if bytes[at].is_ascii_digit() {
            let end = at + bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
            found.extend(run(text, at, end));
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

fn run(text: &str, start: usize, end: usize) -> Option<Run> {
    let before = text.get(..start)?;
    if text.get(end..)?.chars().next().is_some_and(|c| !is_delimiter(c)) {
        return None;
    }
    let delimiter = before.ends_with(is_delimiter);
    if before.is_empty() {
        return Some(Run { marker: start, start, end, plain: true });
    }
    let stem = if delimiter { &before[..before.len() - 1] } else { before };
    let letters = stem.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    let free = stem[..stem.len() - letters].chars().next_back().is_none_or(is_delimiter);
    let short = letters > 0 && free && letters <= if delimiter { 1 } else { GLUED };
    (delimiter || short).then(|| Run {
        marker: if short { stem.len() - letters } else { start },
        start,
        end,
        plain: delimiter,
    })
}

/// Origin, number of path elements, place; the query's place is the last number there is.
type Place = (u64, u32, u32);

#[derive(Debug, Default)]
struct Seen {
    numbers: FxHashSet<u64>,
    elements: usize,
}

#[derive(Debug, Default)]
pub struct Markers {
    admitted: FxHashMap<Place, Vec<String>>,
    elements: FxHashMap<Place, usize>,
    seen: FxHashMap<(Place, String), Seen>,
}

/// The markers of one place.
#[derive(Debug, Clone, Copy)]
pub struct Admitted<'m>(&'m [String]);

impl Admitted<'_> {
    pub fn has(&self, marker: &str) -> bool {
        !marker.is_empty() && self.0.iter().any(|known| known == marker)
    }
}

impl Markers {
    pub fn of(&self, origin: &str, elements: usize, place: usize) -> Admitted<'_> {
        if self.admitted.is_empty() {
            return Admitted(&[]);
        }
        Admitted(self.admitted.get(&at(origin, elements, place)).map_or(&[], Vec::as_slice))
    }

    pub fn learn(&mut self, url: &str) {
        let Some((origin, path, query)) = parts(url) else { return };
        let elements = path.split('/').filter(|element| !element.is_empty());
        let count = elements.clone().count();
        if count > MOST_CELLS {
            return;
        }
        for (place, element) in elements.enumerate() {
            self.element(at(origin, count, place), element);
        }
        for value in query.split('&').filter_map(|part| part.split_once('=')).map(|(_, value)| value) {
            self.element(at(origin, count, usize::MAX), value);
        }
    }

    fn element(&mut self, place: Place, text: &str) {
        if !text.bytes().any(|b| b.is_ascii_digit()) || text.bytes().all(|b| b.is_ascii_digit()) {
            return;
        }
        *self.elements.entry(place).or_default() += 1;
        for run in runs(text).iter().filter(|run| run.marker < run.start) {
            let seen = self.seen.entry((place, text[run.marker..run.start].to_owned())).or_default();
            seen.elements += 1;
            if seen.numbers.len() < NUMBERS {
                seen.numbers.insert(xxhash_rust::xxh3::xxh3_64(&text.as_bytes()[run.start..run.end]));
            }
        }
    }

    /// Keeps the habits and forgets the rest.
    pub fn settle(mut self) -> Self {
        for ((place, marker), seen) in std::mem::take(&mut self.seen) {
            let least = self.elements[&place] as f64 * SHARE;
            if seen.numbers.len() >= NUMBERS && seen.elements as f64 >= least {
                self.admitted.entry(place).or_default().push(marker);
            }
        }
        self.elements = FxHashMap::default();
        self
    }
}

fn at(origin: &str, elements: usize, place: usize) -> Place {
    (xxhash_rust::xxh3::xxh3_64(origin.as_bytes()), elements.min(1000) as u32, place.min(1001) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_habit_is_a_marker_and_a_name_is_not() {
        let mut markers = Markers::default();
        for n in 0..40 {
            markers.learn(&format!("http://s/Review-g{}-d{n}-mp3_player.html", n / 2));
        }
        let markers = markers.settle();
        let here = markers.of("http://s", 1, 0);
        assert!(here.has("g") && here.has("d") && !here.has("mp"));
        assert!(!markers.of("http://s", 2, 0).has("g"));
    }
}
