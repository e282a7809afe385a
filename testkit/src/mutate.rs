//! Broken inputs out of good ones: seeds → endless mutations, the same for the same seed.
//!
//! - [`Mutations`]: an iterator over inputs. - [`hold`]: gives them to a function for some time, and says which one broke it.
//!
//! No look at the coverage: that is what libFuzzer is for (`fuzz/`). This one needs no toolchain but the one at hand.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest input made: parsers are bounded by tests of their own, here many inputs count.
const LONGEST: usize = 1 << 16;

/// Bytes that formats give a meaning.
const TELLING: &[u8] = b"\0\t\n\r \"#$%&'()*+,-./0129:;<=>?@AZ[\\]^_`az{|}~\x7f\x80\xbf\xc0\xe2\xed\xf4\xfe\xff";

pub struct Mutations<'s> {
    seeds: &'s [Vec<u8>],
    state: u64,
}

impl<'s> Mutations<'s> {
    /// `seeds` are not empty.
    pub fn new(seeds: &'s [Vec<u8>], seed: u64) -> Self {
        assert!(!seeds.is_empty(), "nothing to mutate");
        Self { seeds, state: seed }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `end`; 0 where there is nothing below.
    fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    /// A stretch, mostly a short one.
    fn stretch(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = if self.below(4) == 0 { length } else { 16 };
        start..start + self.below((length - start).min(most) + 1)
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len());
        match self.below(8) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
            1 if !bytes.is_empty() => bytes[at] = TELLING[self.below(TELLING.len())],
            2 => bytes.insert(at, TELLING[self.below(TELLING.len())]),
            3 => drop(bytes.drain(self.stretch(bytes.len()))),
            4 => {
                // A stretch again, perhaps many times.
                let piece = bytes[self.stretch(bytes.len())].to_vec();
                let times = if self.below(8) == 0 { 1 + self.below(200) } else { 1 };
                let repeated = piece.repeat(times);
                bytes.splice(at..at, repeated);
            }
            5 => {
                let other = &self.seeds[self.below(self.seeds.len())];
                let piece = other[self.stretch(other.len())].to_vec();
                let target = self.stretch(bytes.len());
                bytes.splice(target, piece);
            }
            6 => bytes.truncate(at),
            _ => {
                let number = [0, 1, -1, i64::from(i32::MAX), i64::MAX, i64::MIN][self.below(6)].to_string();
                bytes.splice(at..at, number.into_bytes());
            }
        }
        bytes.truncate(LONGEST);
    }
}

impl Iterator for Mutations<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut bytes = self.seeds[self.below(self.seeds.len())].clone();
        for _ in 0..=self.below(6) {
            self.change(&mut bytes);
        }
        Some(bytes)
    }
}

/// Does what the target says hold of the seeds, and of mutations of them for so long? Says how many there were.
pub fn hold(seeds: &[Vec<u8>], time: Duration, target: impl Fn(&[u8])) -> usize {
    let (began, mut count) = (Instant::now(), 0);
    let inputs = seeds.iter().cloned().chain(Mutations::new(seeds, 0));
    for input in inputs.take_while(|_| began.elapsed() < time) {
        count += 1;
        if catch_unwind(AssertUnwindSafe(|| target(&input))).is_err() {
            panic!("input {count} broke it: {}", input.escape_ascii());
        }
    }
    count
}

/// The files of a folder, by name.
pub fn seeds(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("no `{}`: {error}", folder.display()));
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a seed")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs_and_they_differ() {
        let seeds = [b"<a href=1>".to_vec(), Vec::new()];
        let some = || Mutations::new(&seeds, 7).take(500).collect::<Vec<_>>();
        assert_eq!(some(), some());
        let distinct: std::collections::BTreeSet<_> = some().into_iter().collect();
        assert!(distinct.len() > 300, "{}", distinct.len());
    }

    #[test]
    #[should_panic(expected = "broke it")]
    fn what_breaks_is_shown() {
        hold(&[b"good".to_vec()], Duration::from_secs(60), |input| assert!(input.starts_with(b"g")));
    }
}
