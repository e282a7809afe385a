//! Which value comes next, the same on every machine and in every run? Seed → numbers, picks, shuffles.
//!
//! - [`Draw`]: a splitmix64 sequence. Good enough to make up names and points, and not meant for anything else.

/// A seeded sequence of numbers.
pub(super) struct Draw(u64);

impl Draw {
    /// Sequences with different labels are independent, so that one more driver changes no other driver.
    pub fn new(seed: u64, label: &str) -> Self {
        Self(seed ^ fnv(label.as_bytes()))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        let width = u64::from(high.saturating_sub(low)) + 1;
        low + (self.next() % width) as u32
    }

    /// True in `percent` of all cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.between(1, 100) <= percent
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.between(0, from.len() as u32 - 1) as usize]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.between(0, last as u32) as usize);
        }
    }
}

/// FNV-1a, 64 bits: stable over releases, unlike the hasher of the standard library.
pub(super) fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv_has_its_published_values() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn same_label_same_sequence_and_other_label_another() {
        let numbers = |label: &str| {
            let mut draw = Draw::new(1, label);
            [(); 8].map(|()| draw.between(0, 1_000_000))
        };
        assert_eq!(numbers("a"), numbers("a"));
        assert_ne!(numbers("a"), numbers("b"));
    }

    #[test]
    fn between_stays_inside_and_reaches_both_ends() {
        let mut draw = Draw::new(1, "ends");
        let drawn: std::collections::BTreeSet<u32> = (0..200).map(|_| draw.between(3, 6)).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6]);
    }

    #[test]
    fn shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Draw::new(1, "cards").shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
