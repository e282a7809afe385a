//! Which values have about the same letters? An index that is gone through from end to end, in blocks, and loses none.
//!
//! The letters of a value are counted by class: its bag. An edit takes one letter at most and adds one at most, moving a word does
//! neither, and a word without partner costs more than it has letters. So values that are `k` edits apart differ by `2k` at most when
//! the differences of all counts are summed, that of their total included. The same holds of cells, which are bags of a few classes
//! only. Values of the same length and cell stand together: a cell that differs too much passes all of them by.
//!
//! What is left is held against its pairs of letters, of which an edit spoils two at most.
//!
//! - [`Bags`]: the index. - [`Wanted`]: what a candidate must show. - [`Letters`]: the classes of a column.
//!
//! Counts stop at 255, which only makes differences smaller. The property test compares it with the full scan.

use super::normal::LONGEST;
use super::reference::Texts;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Values grow a little when they are normalised.
pub const LENGTHS: usize = 4 * LONGEST;

/// The most common letters of a column have one each; one more byte counts all letters, and 32 are two registers.
const CLASSES: usize = 31;

/// Of a cell. Measured on a million names of 12 to 25 letters: 5, 6, 7, 8 and 10 groups take 190,000, 163,000, 168,000, 202,000 and
/// 280,000 looks (at cells, and at bags in cells that fit) a value.
const GROUPS: usize = 6;

pub type Bag = [u8; CLASSES + 1];
/// As long as a register; what is not needed stays 0.
type Cell = [u8; 16];

/// Classes of the most common letters of a column; the others share them.
pub struct Letters(FxHashMap<char, u8>);

pub struct Bags {
    letters: Letters,
    /// Where the cells of each length begin.
    lengths: Vec<u32>,
    cells: Vec<Cell>,
    /// Where the values of each cell begin.
    starts: Vec<u32>,
    bags: Vec<Bag>,
    pairs: Vec<u128>,
}

impl Letters {
    /// Of equally common ones, the first in the alphabet.
    pub fn of(texts: &Texts) -> Self {
        let mut counts: FxHashMap<char, usize> = FxHashMap::default();
        for value in 0..texts.len() {
            texts.get(value).chars().filter(|&c| c != ' ').for_each(|c| *counts.entry(c).or_default() += 1);
        }
        let mut letters: Vec<(usize, char)> = counts.into_iter().map(|(c, count)| (count, c)).collect();
        letters.sort_unstable_by_key(|&(count, c)| (std::cmp::Reverse(count), c));
        Self(letters.into_iter().take(CLASSES).enumerate().map(|(class, (_, c))| (c, class as u8)).collect())
    }

    pub fn bag(&self, text: &str) -> Bag {
        let mut bag = [0u8; CLASSES + 1];
        for c in text.chars().filter(|&c| c != ' ') {
            let class = self.0.get(&c).map_or(c as usize % CLASSES, |&class| class as usize);
            bag[class] = bag[class].saturating_add(1);
            bag[CLASSES] = bag[CLASSES].saturating_add(1);
        }
        bag
    }
}

/// What a candidate must be like.
pub struct Wanted {
    bag: Bag,
    cell: Cell,
    pairs: u128,
}

impl Bags {
    /// The index, and the values in its order: by length, then by cell.
    pub fn new(texts: &Texts) -> (Self, Vec<u32>) {
        let mut index = Self {
            letters: Letters::of(texts),
            lengths: vec![0; LENGTHS + 2],
            cells: Vec::new(),
            starts: Vec::new(),
            bags: Vec::new(),
            pairs: Vec::new(),
        };
        let order = index.sorted(texts);
        let text = |&value: &u32| texts.get(value as usize);
        index.bags = order.par_iter().map(|value| index.letters.bag(text(value))).collect();
        index.pairs = order.par_iter().map(|value| pairs(text(value))).collect();
        (index, order)
    }

    fn sorted(&mut self, texts: &Texts) -> Vec<u32> {
        let key = |value: u32| {
            let text = texts.get(value as usize);
            (text.chars().count().min(LENGTHS) as u16, cell(&self.letters.bag(text)), value)
        };
        let mut keys: Vec<(u16, Cell, u32)> = (0..texts.len() as u32).into_par_iter().map(key).collect();
        keys.par_sort_unstable();
        for (at, &(length, cell, _)) in keys.iter().enumerate() {
            if at == 0 || (keys[at - 1].0, keys[at - 1].1) != (length, cell) {
                self.cells.push(cell);
                self.starts.push(at as u32);
                self.lengths[length as usize + 1] += 1;
            }
        }
        self.starts.push(keys.len() as u32);
        (0..=LENGTHS).for_each(|length| self.lengths[length + 1] += self.lengths[length]);
        keys.into_iter().map(|(_, _, value)| value).collect()
    }

    pub fn wanted(&self, text: &str) -> Wanted {
        let bag = self.letters.bag(text);
        Wanted { bag, cell: cell(&bag), pairs: pairs(text) }
    }

    /// Might the value at this place be so many edits away?
    #[inline]
    pub fn fits(&self, at: usize, wanted: &Wanted, edits: usize) -> bool {
        let most = 2 * edits as u32;
        let other = self.pairs[at];
        apart(&self.bags[at], &wanted.bag) <= most
            && (other & !wanted.pairs).count_ones() <= most
            && (wanted.pairs & !other).count_ones() <= most
    }

    /// Values of this length, by place.
    pub fn count(&self, length: usize) -> usize {
        let [from, to] = [length, length + 1].map(|at| self.starts[self.lengths[at] as usize]);
        (to - from) as usize
    }

    /// The places of all values of this length that might be so many edits away.
    pub fn scan(&self, length: usize, wanted: &Wanted, edits: usize, found: &mut Vec<u32>) {
        let most = 2 * edits as u32;
        let (from, to) = (self.lengths[length] as usize, self.lengths[length + 1] as usize);
        for (at, cell) in self.cells[from..to].iter().enumerate() {
            if apart(cell, &wanted.cell) <= most {
                let inside = self.starts[from + at]..self.starts[from + at + 1];
                found.extend(inside.filter(|&at| self.fits(at as usize, wanted, edits)));
            }
        }
    }
}

/// The sum of all differences: more than twice the edits keep two values apart. Written so that it becomes one instruction for 16 bytes.
#[inline]
pub fn apart<const N: usize>(a: &[u8; N], b: &[u8; N]) -> u32 {
    let mut sum = 0;
    for at in 0..N {
        sum += u32::from(a[at].abs_diff(b[at]));
    }
    sum
}

/// Classes are numbered by how common they are, and dealt out forth and back, so that groups are about as common as each other.
fn cell(bag: &Bag) -> Cell {
    let mut cell = [0u8; 16];
    for (class, &count) in bag[..CLASSES].iter().enumerate() {
        let (round, place) = (class / GROUPS, class % GROUPS);
        let group = &mut cell[if round % 2 == 0 { place } else { GROUPS - 1 - place }];
        *group = group.saturating_add(count);
    }
    cell[GROUPS] = bag[CLASSES];
    cell
}

/// A bit for each pair of letters inside a word.
fn pairs(text: &str) -> u128 {
    let (mut pairs, mut before) = (0u128, ' ');
    for c in text.chars() {
        if c != ' ' && before != ' ' {
            let both = u64::from(before) << 32 | u64::from(c);
            pairs |= 1 << (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57);
        }
        before = c;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::alike::{Asked, edits};
    use super::super::rules::Compare;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Few letters make many near values; rare ones share classes.
        #[test]
        fn no_alike_value_is_passed_by(
            values in proptest::collection::vec("[abcé中]{1,9}( [abcdefghijklmnopqrstuvwxyz0-9中文字é]{1,6}){0,3}", 1..60),
            asked in "[abcé中]{1,9}( [abcdefghijklmnopqrstuvwxyz0-9中文字é]{1,6}){0,3}",
            least in 0.4f64..1.0,
            in_any_order in any::<bool>(),
        ) {
            let compare = if in_any_order { Compare::Words } else { Compare::Text };
            let mut texts = Texts::default();
            prop_assert!(values.iter().chain([&asked]).all(|value| texts.push(value)));
            let (index, order) = Bags::new(&texts);
            let (asked, wanted) = (Asked::new(asked.clone(), compare), index.wanted(&asked));
            let mut found = Vec::new();
            for length in 0..=LENGTHS {
                let before = found.len();
                index.scan(length, &wanted, edits(length.max(asked.length), least), &mut found);
                prop_assert!(found.len() - before <= index.count(length));
            }
            let found: Vec<u32> = found.into_iter().map(|at| order[at as usize]).collect();
            for value in 0..texts.len() as u32 {
                let text = texts.get(value as usize);
                let alike = asked.degree(text, text.chars().count(), least).is_some();
                prop_assert!(!alike || found.contains(&value), "{} {}", asked.text, text);
            }
        }
    }

    #[test]
    fn most_values_are_passed_by() {
        let mut texts = Texts::default();
        let name = |n: u64| -> String {
            let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (0..10).map(|at| char::from(b'a' + (mixed >> (at * 5) & 15) as u8)).collect()
        };
        assert!((0..5_000).all(|n| texts.push(&name(n))));
        let (index, order) = Bags::new(&texts);
        let mut found = Vec::new();
        index.scan(10, &index.wanted(&name(17)), 2, &mut found);
        assert!(found.iter().any(|&at| order[at as usize] == 17) && found.len() < 50, "{}", found.len());
    }

    #[test]
    fn counts_beyond_a_byte_lose_nothing() {
        let long = "a".repeat(600);
        let mut texts = Texts::default();
        assert!(texts.push(&long) && texts.push(&"a".repeat(598)));
        let (index, _) = Bags::new(&texts);
        let mut found = Vec::new();
        index.scan(598, &index.wanted(&long), 2, &mut found);
        assert_eq!(found.len(), 1);
    }
}
