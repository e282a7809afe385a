//! Which values might be alike, without looking at all of them? An index that loses none.
//!
//! Let `least` be the degree from which two values count as alike. A value of `n` characters can reach it only with values of at
//! most `n / least` characters, hence with at most `k = (1 − least) · n / least` edits. It is cut into `k + 1` pieces. Each edit
//! spoils one piece at most, so (pigeonhole) **one piece stands unchanged in every value that is alike**, shifted by no more than
//! the edits before and after it allow. Pieces are found by their hash; other pieces with the same hash only add work.
//!
//! Common pieces (`500 mg`) lead to half of the list. So a value is cut into up to two pieces more than that, of which at least three then
//! stand unchanged, and its two most common ones are left out of the index: one that is in it still stands.
//!
//! Where words may change places, pieces are cut inside words: an edit spoils one piece, and a word without partner costs its
//! length and a space, which is no less than its pieces. So the same holds, wherever the piece now stands.
//!
//! What pieces lead to is first held against its letters ([`Bags`]). Where pieces are short they lead to nearly everything; then going
//! through the letters of all values of a fitting length is less work, and that is done.
//!
//! - [`Segments`]: the index. - [`Cuts`]: where a text is cut. Values too short to be cut into pieces of two characters are always
//!   candidates among those of fitting length. The idea is that of the Pass-Join partition scheme (Li, Deng, Wang, Feng, 2011); the
//!   property test compares it with the full scan.

use super::alike::{Asked, edits};
use super::bags::{Bags, LENGTHS};
use super::reference::Texts;
use super::rules::Compare;
use super::words::MOST_WORDS;

/// Pieces of one character tell nothing apart.
const SHORTEST_PIECE: usize = 2;

/// Pieces that are cut beyond those needed, and left out again: a name of a product has about two common parts, its form and its
/// strength. More would make the pieces shorter than syllables.
const EXTRA: usize = 2;

/// Pieces of words are at most this long: their lengths are bits of a word.
const LONGEST_PIECE: usize = 63;

/// Going to a value that a piece leads to costs so many times more than passing it by in line: it lies somewhere in memory, and most of
/// those in line stand in cells that do not fit.
const ASTRAY: usize = 16;

pub struct Segments {
    pub least: f64,
    compare: Compare,
    bags: Bags,
    /// Values in the order of the bags; everything else counts them in this order.
    order: Vec<u32>,
    /// Where the values of each bucket begin.
    starts: Vec<u32>,
    values: Vec<u32>,
    /// By length: what could not be cut.
    uncut: Vec<Vec<u32>>,
    /// By length of the value: is any value cut, and which lengths do pieces of words have?
    cut: Vec<(bool, u64)>,
}

impl Segments {
    pub fn new(texts: &Texts, least: f64, compare: Compare) -> Self {
        let (bags, order) = Bags::new(texts);
        let mut index = Self {
            least,
            compare,
            bags,
            order,
            starts: Vec::new(),
            values: Vec::new(),
            uncut: vec![Vec::new(); LENGTHS + 1],
            cut: vec![(false, 0); LENGTHS + 1],
        };
        let pieces: usize =
            (0..texts.len()).map(|at| index.survey(index.text(texts, at).chars().collect(), at as u32)).sum();
        let buckets = pieces.next_power_of_two().max(1);
        let mut common = vec![0u32; buckets];
        for at in 0..texts.len() {
            index
                .all_pieces(index.text(texts, at))
                .iter()
                .flatten()
                .for_each(|&hash| common[bucket(hash, buckets)] += 1);
        }
        let how_common = |hash: u64| common[bucket(hash, buckets)];
        let mut counts = vec![0u32; buckets + 1];
        index.each(texts, &how_common, &mut |hash, _| counts[bucket(hash, buckets) + 1] += 1);
        (0..buckets).for_each(|at| counts[at + 1] += counts[at]);
        let (mut next, mut values) = (counts.clone(), vec![0; counts[buckets] as usize]);
        index.each(texts, &how_common, &mut |hash, value| {
            let at = &mut next[bucket(hash, buckets)];
            values[*at as usize] = value;
            *at += 1;
        });
        (index.starts, index.values) = (counts, values);
        index
    }

    fn text<'t>(&self, texts: &'t Texts, at: usize) -> &'t str {
        texts.get(self.order[at] as usize)
    }

    /// The pieces of all values that are in the index, if pieces are as common as `how_common` says.
    fn each(&self, texts: &Texts, how_common: &dyn Fn(u64) -> u32, found: &mut dyn FnMut(u64, u32)) {
        let mut hashes = Vec::new();
        for at in 0..texts.len() {
            hashes.clear();
            self.pieces(self.text(texts, at), how_common, &mut hashes);
            hashes.iter().for_each(|&hash| found(hash, at as u32));
        }
    }

    /// Notes how a value is cut; its number of pieces.
    fn survey(&mut self, chars: Vec<char>, value: u32) -> usize {
        let length = chars.len().min(LENGTHS);
        let Some(cuts) = self.cuts(&chars) else {
            self.uncut[length].push(value);
            return 0;
        };
        self.cut[length].0 = true;
        let lengths = cuts.words.iter().fold(0, |bits, (_, length)| bits | 1u64 << length);
        self.cut[length].1 |= lengths;
        cuts.whole.len() + cuts.words.len()
    }

    /// None when the pieces would be too short, or the text is too long.
    fn cuts(&self, chars: &[char]) -> Option<Cuts> {
        let needed = self.count(chars.len());
        if chars.len() > LENGTHS || chars.len() < SHORTEST_PIECE * needed {
            return None;
        }
        let whole = pieces(0, chars.len(), with_extra(needed, chars.len()));
        let words = if self.compare == Compare::Words { words_cut(chars, needed)? } else { Vec::new() };
        Some(Cuts { whole, words })
    }

    /// One more than the edits that the longest partner allows.
    fn count(&self, length: usize) -> usize {
        let longest = (length as f64 / self.least + 1e-9).floor() as usize;
        edits(longest, self.least) + 1
    }

    /// Those of the whole text, and those of its words.
    fn all_pieces(&self, text: &str) -> [Vec<u64>; 2] {
        let chars: Vec<char> = text.chars().collect();
        let Some(cuts) = self.cuts(&chars) else { return [Vec::new(), Vec::new()] };
        let length = chars.len();
        let whole = cuts.whole.iter().enumerate();
        let whole = whole.map(|(at, &(start, size))| in_place(content(&chars[start..start + size]), length, at));
        let words = cuts.words.iter().map(|&(start, size)| in_words(content(&chars[start..start + size]), length));
        [whole.collect(), words.collect()]
    }

    /// Without the most common ones that are not needed.
    fn pieces(&self, text: &str, how_common: &dyn Fn(u64) -> u32, hashes: &mut Vec<u64>) {
        let needed = self.count(text.chars().count());
        for mut some in self.all_pieces(text) {
            some.sort_by_key(|&hash| how_common(hash));
            hashes.extend(some.iter().take(needed));
        }
    }

    /// All values that might be alike, by number, each once.
    pub fn candidates(&self, asked: &Asked) -> Vec<u32> {
        let chars: Vec<char> = asked.text.chars().collect();
        let shortest = (self.least * chars.len() as f64 - 1e-9).ceil().max(0.0) as usize;
        let longest = ((chars.len() as f64 / self.least + 1e-9) as usize).min(LENGTHS);
        let wanted = self.bags.wanted(&asked.text);
        let inner = if self.compare == Compare::Words { substrings(&chars) } else { Vec::new() };
        let mut found = Vec::new();
        for length in shortest.min(LENGTHS)..=longest {
            let all = self.bags.count(length);
            if all == 0 {
                continue;
            }
            let edits = edits(chars.len().max(length), self.least);
            let buckets = self.buckets(&chars, &inner, length, edits);
            let led_to: usize = buckets.iter().map(|bucket| bucket.len()).sum::<usize>() + self.uncut[length].len();
            if led_to * ASTRAY >= all {
                self.bags.scan(length, &wanted, edits, &mut found);
                continue;
            }
            for values in buckets.into_iter().chain([&self.uncut[length][..]]) {
                found.extend(values.iter().filter(|&&at| self.bags.fits(at as usize, &wanted, edits)));
            }
        }
        found.iter_mut().for_each(|at| *at = self.order[*at as usize]);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Where the pieces of a value of this length lead.
    fn buckets(&self, chars: &[char], inner: &[(usize, u64)], length: usize, edits: usize) -> Vec<&[u32]> {
        let (cut, sizes) = self.cut[length];
        let mut found = Vec::new();
        if cut {
            self.in_place(chars, length, edits, &mut found);
            let fitting = inner.iter().filter(|(size, _)| sizes >> size & 1 == 1);
            found.extend(fitting.map(|&(_, hash)| self.bucket(in_words(hash, length))));
        }
        found
    }

    /// Pieces of the whole text, where edits before and after them may have moved them.
    fn in_place<'s>(&'s self, chars: &[char], length: usize, edits: usize, found: &mut Vec<&'s [u32]>) {
        let count = with_extra(self.count(length), length);
        let (moved, edits) = (chars.len() as isize - length as isize, edits as isize);
        for (at, (start, size)) in pieces(0, length, count).into_iter().enumerate() {
            for shift in -edits..=edits {
                let from = start as isize + shift;
                let inside = from >= 0 && from as usize + size <= chars.len();
                // What is not shifted before the piece must be shifted behind it.
                if inside && shift.abs() + (moved - shift).abs() <= edits {
                    let from = from as usize;
                    found.push(self.bucket(in_place(content(&chars[from..from + size]), length, at)));
                }
            }
        }
    }

    fn bucket(&self, hash: u64) -> &[u32] {
        let at = bucket(hash, self.starts.len() - 1);
        &self.values[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Pieces as start and length.
struct Cuts {
    whole: Vec<(usize, usize)>,
    words: Vec<(usize, usize)>,
}

/// Pieces of about the same length; the longer ones are the last.
fn pieces(start: usize, length: usize, count: usize) -> Vec<(usize, usize)> {
    let (size, longer) = (length / count, length % count);
    let mut at = start;
    (0..count)
        .map(|piece| {
            let size = size + usize::from(piece >= count - longer);
            let from = at;
            at += size;
            (from, size)
        })
        .collect()
}

/// As many extra pieces as leave two characters to each.
fn with_extra(needed: usize, letters: usize) -> usize {
    (letters / SHORTEST_PIECE).clamp(needed, needed + EXTRA)
}

/// Words share the pieces by their lengths. Nothing for texts whose words stay in order; none when pieces get too short or too long.
fn words_cut(chars: &[char], needed: usize) -> Option<Vec<(usize, usize)>> {
    let words = words(chars);
    if words.len() > MOST_WORDS {
        return Some(Vec::new());
    }
    let letters: usize = words.iter().map(|(_, length)| length).sum();
    if letters < SHORTEST_PIECE * needed {
        return None;
    }
    let count = with_extra(needed, letters);
    let mut shares: Vec<usize> = words.iter().map(|(_, length)| length * count / letters).collect();
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(words[at].1 * count % letters), at));
    let rest = count - shares.iter().sum::<usize>();
    order.iter().take(rest).for_each(|&at| shares[at] += 1);
    let cut = words.iter().zip(&shares).filter(|(_, share)| **share > 0);
    let all: Vec<_> = cut.flat_map(|(&(start, length), &share)| pieces(start, length, share)).collect();
    all.iter().all(|(_, size)| *size <= LONGEST_PIECE).then_some(all)
}

/// Start and length of each word.
fn words(chars: &[char]) -> Vec<(usize, usize)> {
    let mut start = 0;
    let mut found = Vec::new();
    for word in chars.split(|&c| c == ' ') {
        found.push((start, word.len()));
        start += word.len() + 1;
    }
    found
}

/// Length and hash of everything that stands inside a word.
fn substrings(chars: &[char]) -> Vec<(usize, u64)> {
    let words = words(chars);
    if words.len() > MOST_WORDS {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (start, length) in words {
        for from in start..start + length {
            let longest = (start + length - from).min(LONGEST_PIECE);
            let mut hash = SEED;
            for size in 1..=longest {
                hash = mixed(hash, chars[from + size - 1] as u64);
                found.push((size, hash));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

fn mixed(hash: u64, more: u64) -> u64 {
    let mixed = (hash ^ more).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ mixed >> 32
}

fn content(chars: &[char]) -> u64 {
    chars.iter().fold(SEED, |hash, &c| mixed(hash, c as u64))
}

fn in_place(content: u64, length: usize, piece: usize) -> u64 {
    mixed(content, (length as u64) << 16 | piece as u64)
}

fn in_words(content: u64, length: usize) -> u64 {
    mixed(content, 1 << 40 | length as u64)
}

/// `count` is a power of two.
fn bucket(hash: u64, count: usize) -> usize {
    (hash as usize) & (count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(values: &[String]) -> Texts {
        let mut texts = Texts::default();
        assert!(values.iter().all(|value| texts.push(value)));
        texts
    }

    /// What the full scan finds and the index does not.
    fn lost(values: &[String], asked: &str, least: f64, compare: Compare) -> Vec<String> {
        let (index, asked) = (Segments::new(&texts(values), least, compare), Asked::new(asked.to_owned(), compare));
        let candidates = index.candidates(&asked);
        let alike = |value: &str| asked.degree(value, value.chars().count(), least).is_some();
        let all = values.iter().enumerate().filter(|(_, value)| alike(value));
        all.filter(|(at, _)| !candidates.contains(&(*at as u32))).map(|(_, value)| value.clone()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Few letters make many near values.
        #[test]
        fn no_alike_value_is_lost(
            values in proptest::collection::vec("[ab ]{0,4}[abc]{1,9}( [abc]{1,6}){0,3}", 1..60),
            asked in "[abc]{1,9}( [abc]{1,6}){0,3}",
            least in 0.5f64..1.0,
            in_any_order in any::<bool>(),
        ) {
            let compare = if in_any_order { Compare::Words } else { Compare::Text };
            let values: Vec<String> = values.iter().map(|value| value.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
            prop_assert_eq!(lost(&values, &asked, least, compare), Vec::<String>::new());
        }

        /// A value, edited a little and with its words moved, is found again.
        #[test]
        fn an_edited_value_is_found(
            value in "[a-e]{3,9}( [a-e]{2,8}){0,4}",
            edits in proptest::collection::vec((any::<prop::sample::Index>(), 0u8..3, "[a-f]"), 0..4),
            turn in any::<prop::sample::Index>(),
            least in 0.6f64..0.95,
        ) {
            let mut words: Vec<&str> = value.split(' ').collect();
            let count = words.len();
            words.rotate_left(turn.index(count));
            let mut chars: Vec<char> = words.join(" ").chars().collect();
            for (at, kind, letter) in edits {
                let (at, letter) = (at.index(chars.len()), letter.chars().next().unwrap());
                match kind {
                    0 => chars[at] = letter,
                    1 => chars.insert(at, letter),
                    _ if chars.len() > 1 => { chars.remove(at); }
                    _ => {}
                }
            }
            let asked = chars.iter().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(lost(&[value], &asked, least, Compare::Words), Vec::<String>::new());
        }
    }

    #[test]
    fn the_index_leaves_most_values_alone() {
        let values: Vec<String> = (0..5_000u64).map(|n| format!("product {:016x}", mixed(SEED, n * 7919))).collect();
        let index = Segments::new(&texts(&values), 0.85, Compare::Text);
        let candidates = index.candidates(&Asked::new(values[17].clone(), Compare::Text));
        assert!(candidates.contains(&17) && candidates.len() < 5_000 / 2, "{}", candidates.len());
    }

    #[test]
    fn pieces_cover_the_text() {
        assert_eq!(pieces(0, 10, 4), [(0, 2), (2, 2), (4, 3), (7, 3)]);
        let chars: Vec<char> = "zenadol forte".chars().collect();
        assert_eq!(words_cut(&chars, 3).unwrap(), [(0, 2), (2, 2), (4, 3), (8, 2), (10, 3)]);
    }
}
