//! Which ids are worth trying next? Ids known → ids not known, those most likely to exist first.
//!
//! First the ends of gaps, then their inside, step by step away from known ids; then just past the newest, then just before
//! the oldest. Gaps are taken from all over the range, so that the first tries speak for all of it and not for one end. Made one
//! at a time: a gap may be billions wide.
//!
//! - [`Candidates`]: gives ids and is told what became of them. - [`Place`]: where an id was taken from.

use super::Template;
use super::mine::is_day;

/// Ids in a row that do not exist after which a side is left.
const PAST: usize = 6;

/// The same inside gaps: there, ids that exist may lie far apart.
const INSIDE: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Gap,
    Newest,
    Oldest,
}

impl Place {
    pub fn name(self) -> &'static str {
        match self {
            Self::Gap => "in a gap of the ids",
            Self::Newest => "past the newest id",
            Self::Oldest => "before the oldest id",
        }
    }
}

#[derive(Debug)]
pub struct Candidates {
    /// Gaps as (first, last), and how far the round goes from their ends.
    gaps: Vec<(u64, u64)>,
    at: usize,
    second: bool,
    distance: u64,
    above: u64,
    below: u64,
    place: Place,
    misses: usize,
    dates: bool,
}

impl Candidates {
    pub fn of(template: &Template) -> Self {
        Self { dates: template.dates, ..Self::new(&template.known) }
    }

    /// `known` is sorted.
    fn new(known: &[u64]) -> Self {
        let gaps = known.windows(2).filter(|two| two[1] - two[0] > 1).map(|two| (two[0] + 1, two[1] - 1));
        let gaps = spread(gaps.collect());
        let (above, below) =
            (known.last().map_or(0, |last| last.saturating_add(1)), known.first().copied().unwrap_or(0));
        Self { gaps, at: 0, second: false, distance: 0, above, below, place: Place::Gap, misses: 0, dates: false }
    }

    /// The next ids, at most so many; past the ends no more than may be missed before that side is left.
    pub fn batch(&mut self, most: usize) -> Vec<(Place, u64)> {
        let mut batch: Vec<(Place, u64)> = Vec::new();
        while batch.len() < most {
            let beside = batch.iter().filter(|(place, _)| *place == self.place).count();
            if self.place != Place::Gap && beside + self.misses >= PAST {
                break;
            }
            let Some(next) = self.next() else { break };
            batch.push(next);
        }
        batch
    }

    /// What became of the ids given, in their order. A side on which nothing exists is left.
    pub fn told(&mut self, place: Place, exists: bool) {
        if place != self.place {
            return;
        }
        self.misses = if exists { 0 } else { self.misses + 1 };
        let most = if place == Place::Gap { INSIDE } else { PAST };
        if self.misses >= most {
            self.leave();
        }
    }

    fn leave(&mut self) {
        self.misses = 0;
        match self.place {
            Place::Gap => (self.place, self.gaps) = (Place::Newest, Vec::new()),
            Place::Newest => self.place = Place::Oldest,
            Place::Oldest => self.below = 0,
        }
    }

    fn in_gap(&mut self) -> Option<u64> {
        loop {
            if self.gaps.is_empty() {
                return None;
            }
            let Some(&(first, last)) = self.gaps.get(self.at) else {
                self.next_round();
                continue;
            };
            let (low, high) = (first + self.distance, last - self.distance);
            if self.second || low == high {
                self.at += 1;
                let id = if self.second { high } else { low };
                self.second = false;
                return Some(id);
            }
            self.second = true;
            return Some(low);
        }
    }

    /// Gaps that are not used up, one step further from their ends.
    fn next_round(&mut self) {
        self.distance += 1;
        let distance = self.distance;
        self.gaps.retain(|&(first, last)| last - first >= 2 * distance);
        self.at = 0;
    }
}

/// In an order of which every beginning is spread over the whole: the first, the middle one, those between, and so on.
fn spread<T>(items: Vec<T>) -> Vec<T> {
    let bits = usize::BITS - items.len().saturating_sub(1).leading_zeros();
    let turned = |place: usize| if bits == 0 { 0 } else { place.reverse_bits() >> (usize::BITS - bits) };
    let mut placed: Vec<(usize, T)> =
        items.into_iter().enumerate().map(|(place, item)| (turned(place), item)).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, item)| item).collect()
}

/// Days lie between these; beyond them there is none to be found.
const DAYS: std::ops::RangeInclusive<u64> = 18_900_101..=20_401_231;

impl Iterator for Candidates {
    type Item = (Place, u64);

    fn next(&mut self) -> Option<(Place, u64)> {
        loop {
            let (place, id) = self.number()?;
            match (self.dates, place) {
                (true, Place::Newest) if !DAYS.contains(&id) => self.leave(),
                (true, Place::Oldest) if !DAYS.contains(&id) => return None,
                (true, _) if !is_day(id) => {}
                _ => return Some((place, id)),
            }
        }
    }
}

impl Candidates {
    /// The next number, whether it is a day or not.
    fn number(&mut self) -> Option<(Place, u64)> {
        if self.place == Place::Gap {
            match self.in_gap() {
                Some(id) => return Some((Place::Gap, id)),
                None => self.leave(),
            }
        }
        if self.place == Place::Newest {
            self.above = self.above.checked_add(1)?;
            return Some((Place::Newest, self.above - 1));
        }
        // No site numbers from 0 by habit; 1 is the first.
        self.below = self.below.checked_sub(1).filter(|&id| id > 0)?;
        Some((Place::Oldest, self.below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_gaps_first_then_inside_then_past_the_ends() {
        let mut candidates = Candidates::new(&[3, 5, 10, 11]);
        let given: Vec<u64> = candidates.by_ref().take(9).map(|(_, id)| id).collect();
        assert_eq!(given, [4, 6, 9, 7, 8, 12, 13, 14, 15]);
        (0..PAST).for_each(|_| candidates.told(Place::Newest, false));
        assert_eq!(candidates.by_ref().collect::<Vec<_>>(), [(Place::Oldest, 2), (Place::Oldest, 1)]);
    }

    #[test]
    fn the_first_gaps_are_spread_over_the_range() {
        assert_eq!(spread((0..8).collect()), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(spread((0..5).collect()), [0, 4, 2, 1, 3]);
        assert_eq!(spread(Vec::<u8>::new()), [0; 0]);
        let known: Vec<u64> = (0..100).map(|n| 2 * n).collect();
        let first: Vec<u64> = Candidates::new(&known).take(4).map(|(_, id)| id).collect();
        assert!(first.iter().any(|id| *id > 150) && first.iter().any(|id| (50..150).contains(id)), "{first:?}");
    }

    #[test]
    fn days_are_followed_by_days() {
        let mut candidates = Candidates { dates: true, ..Candidates::new(&[20_150_130, 20_150_203]) };
        let given: Vec<u64> = candidates.by_ref().take(4).map(|(_, id)| id).collect();
        assert_eq!(given, [20_150_131, 20_150_202, 20_150_201, 20_150_204]);
    }

    #[test]
    fn a_wide_gap_costs_no_memory_and_is_left() {
        let mut candidates = Candidates::new(&[1, u64::MAX]);
        for _ in 0..INSIDE {
            let (place, _) = candidates.next().unwrap();
            candidates.told(place, false);
        }
        assert_eq!(candidates.next(), None, "nothing lies past the last number there is");
    }
}
