//! Are these numbers the ids of a series? Numbers of a column, with what stands beside them → yes, or what else they are.
//!
//! Judged by how the values are spread, when no name says it: years, offsets, and counters that begin anew for every
//! neighbour (page 1, 2, 3 of each topic) are no ids. The thesis' evaluation (4.1) names page numbers and offsets as its
//! chief false templates.

use rustc_hash::FxHashMap;

/// Fewest numbers that make a series. The truth of 28 sites counts templates from ten addresses on; with fewer, years, counters
/// and names cannot be told from ids by how they are spread.
pub const FEWEST: usize = 10;

/// What a column of numbers is, if it is not ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    Few,
    /// Years, or months as in `201507`.
    Years,
    Offsets,
    Counter,
}

/// `values`: each number with what stands beside it in its address, as a hash.
pub fn other(values: &[(u64, u64)], fewest: usize) -> Option<Other> {
    let mut numbers: Vec<u64> = values.iter().map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() < fewest {
        return Some(Other::Few);
    }
    // Few numbers may look like anything, unless they begin anew for every neighbour.
    if numbers.len() < FEWEST {
        return (numbers.len() > 1 && counter(values)).then_some(Other::Counter);
    }
    if are_years(&numbers) || numbers.iter().all(|number| is_month(*number)) {
        return Some(Other::Years);
    }
    if offsets(&numbers) {
        return Some(Other::Offsets);
    }
    counter(values).then_some(Other::Counter)
}

/// A day written as a number: `20150701`.
pub fn is_day(number: u64) -> bool {
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1890..=2040).contains(&year) && (1..=days).contains(&day)
}

/// Hexadecimal numbers of one width that were counted up: of at most eight digits, some with letters, and not spread over
/// more than a thousand times as many numbers as there are. Random ones cannot be guessed (thesis 1).
pub fn are_hexadecimal<'t>(texts: impl Iterator<Item = &'t str>, fewest: usize) -> bool {
    let (mut numbers, mut width, mut letters) = (Vec::new(), None, false);
    for text in texts {
        let digits = text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if !digits || text.len() > 8 || *width.get_or_insert(text.len()) != text.len() {
            return false;
        }
        letters |= text.bytes().any(|b| b.is_ascii_alphabetic()) && text.bytes().any(|b| b.is_ascii_digit());
        numbers.extend(u64::from_str_radix(text, 16));
    }
    numbers.sort_unstable();
    numbers.dedup();
    let span = numbers.last().zip(numbers.first()).map_or(0, |(last, first)| last - first);
    letters && numbers.len() >= fewest && span <= 1000 * numbers.len() as u64
}

/// A month written as a number: `201507`.
fn is_month(number: u64) -> bool {
    (1890..=2040).contains(&(number / 100)) && (1..=12).contains(&(number % 100))
}

pub fn is_year(number: u64) -> bool {
    (1890..=2040).contains(&number)
}

/// Nine in ten of them.
pub fn are_years(numbers: &[u64]) -> bool {
    let inside = numbers.iter().filter(|number| is_year(**number)).count();
    inside * 10 >= numbers.len() * 9
}

/// All are multiples of the same step of at least five.
fn offsets(numbers: &[u64]) -> bool {
    numbers.iter().fold(0, |step, &number| gcd(step, number)) >= 5
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Most numbers stand in groups of the same neighbours that count 1, 2, 3 (or from 0 or 2): each group's largest number
/// is hardly larger than the group.
fn counter(values: &[(u64, u64)]) -> bool {
    let mut groups: FxHashMap<u64, (u64, u64)> = FxHashMap::default();
    for &(number, beside) in values {
        let group = groups.entry(beside).or_default();
        *group = (group.0 + 1, group.1.max(number));
    }
    let counting: u64 =
        groups.values().filter(|(size, most)| *size >= 2 && *most <= size + 2).map(|group| group.0).sum();
    groups.len() >= 3 && counting * 2 > values.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_series_is_named() {
        let alone = |numbers: Vec<u64>| numbers.into_iter().map(|number| (number, 0)).collect::<Vec<_>>();
        assert_eq!(other(&alone((1..9).collect()), 10), Some(Other::Few));
        assert_eq!(other(&alone((1990..2016).collect()), 10), Some(Other::Years));
        let months = (2010..2016).flat_map(|year| (1..=12).map(move |month| year * 100 + month)).collect();
        assert_eq!(other(&alone(months), 10), Some(Other::Years));
        assert_eq!(other(&alone((1..20).map(|n| n * 30).collect()), 10), Some(Other::Offsets));
        assert_eq!(other(&alone((1..200).collect()), 10), None);
        let pages = (0..40).flat_map(|topic| (1..=topic % 15).map(move |page| (page, topic))).collect::<Vec<_>>();
        assert_eq!(other(&pages, 10), Some(Other::Counter));
        let ids = (0..400).map(|id| (id, id / 10)).collect::<Vec<_>>();
        assert_eq!(other(&ids, 10), None, "ids in categories of ten are no counter");
    }

    #[test]
    fn days_and_hexadecimal_numbers_are_told() {
        assert!(is_day(20_160_229) && !is_day(20_150_229) && !is_day(20_151_301) && !is_day(4711));
        let texts: Vec<String> = (0..40).map(|n| format!("{:04x}", 0x1a00 + n * 3)).collect();
        assert!(are_hexadecimal(texts.iter().map(String::as_str), 10));
        assert!(!are_hexadecimal(["face", "cafe", "bead"].into_iter().cycle().take(30), 3), "words");
        let random: Vec<String> = (0..40_u64).map(|n| format!("{:08x}", n.wrapping_mul(0x9e37_79b9) as u32)).collect();
        assert!(!are_hexadecimal(random.iter().map(String::as_str), 10), "cannot be guessed");
    }
}
