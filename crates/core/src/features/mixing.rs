//! Does a site show pages of two folders in one list? Counts of lists → how much they mix. Where it never does though they are many, the site itself
//! keeps them apart.

/// Links to pages of either that make a list, and lists that stand for what is not known when few were seen.
const LIST: f64 = 3.0;
const FEW_LISTS: f64 = 0.25;

/// Folders that lists mix less than this are kinds of their own. On the open sites folders of one kind have 0.5 and more, kinds of their own 0.4
/// and less.
const MIXED: f64 = 0.4;

/// Folders beside one another that may each name a type; more of them are years, letters or categories.
pub const TYPES: usize = 8;

/// How often lists that show one show the others beside it, and how often they would if drawn at random.
#[derive(Clone, Copy)]
pub struct Mixing {
    seen: f64,
    expected: f64,
}

impl Default for Mixing {
    fn default() -> Self {
        Self { seen: FEW_LISTS, expected: FEW_LISTS }
    }
}

impl Mixing {
    /// A list with so many links to `own` pages among `all`; of pages drawn at random `others` would be the share of the others.
    pub fn add(&mut self, own: f64, all: f64, others: f64) {
        if own > 0.0 && all >= LIST {
            self.seen += (all - own) / all;
            self.expected += others;
        }
    }

    /// 0 where the site keeps them apart, 1 where they stand as if drawn at random.
    pub fn share(&self) -> f64 {
        (self.seen / self.expected).min(1.0)
    }

    pub fn keeps_apart(&self) -> bool {
        self.share() < MIXED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_their_own_keep_apart_and_nothing_seen_does_not() {
        let mut mixing = Mixing::default();
        assert!(!mixing.keeps_apart());
        mixing.add(2.0, 2.0, 0.5);
        assert!(!mixing.keeps_apart(), "two links are no list");
        mixing.add(10.0, 10.0, 0.5);
        assert!(mixing.keeps_apart());
        (0..3).for_each(|_| mixing.add(5.0, 10.0, 0.5));
        assert!(!mixing.keeps_apart());
    }
}
