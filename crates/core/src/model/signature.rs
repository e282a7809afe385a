//! By what is a page of a class recognised? Counts of a class → [`Signature`], its written form, and back.
//!
//! Tokens are hashes, written in hexadecimal; with each, on how many of the pages it stands. Tokens of few pages are left out: they
//! are content.

use super::counts::{Counts, Kept};
use crate::features::tokens::Token;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tokens written of a class: the fullest template of the twelve sites and SWDE has 900 on most of its pages.
const MOST: usize = 2_000;

/// One page in so many must have a token for it to be written.
const SELDOM: u32 = 20;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Signature {
    pub pages: u32,
    /// Tokens of all pages together, those not written among them.
    pub structure_total: u64,
    pub structure: BTreeMap<String, u32>,
    pub labels: BTreeMap<String, u32>,
}

impl Signature {
    pub fn of(counts: &Counts) -> Self {
        Self {
            pages: counts.pages,
            structure_total: counts.structure.sum(),
            structure: written(&counts.structure, counts.pages),
            labels: written(&counts.labels, counts.pages),
        }
    }

    /// Words that are no tokens are left out.
    pub fn counts(&self) -> Counts {
        let read = |tokens: &BTreeMap<String, u32>| {
            let tokens =
                tokens.iter().filter_map(|(token, &count)| Some((Token::from_str_radix(token, 16).ok()?, count)));
            tokens.collect()
        };
        let labels: Kept = Kept::new(read(&self.labels), 0);
        Counts { pages: self.pages, structure: Kept::new(read(&self.structure), self.structure_total), labels }
    }
}

fn written(kept: &Kept, pages: u32) -> BTreeMap<String, u32> {
    let often = kept.of.iter().filter(|(_, count)| count.saturating_mul(SELDOM) >= pages && (**count > 1 || pages < 3));
    let mut tokens: Vec<(Token, u32)> = often.map(|(token, count)| (*token, *count)).collect();
    tokens.sort_unstable_by_key(|&(token, count)| (std::cmp::Reverse(count), token));
    tokens.truncate(MOST);
    tokens.into_iter().map(|(token, count)| (format!("{token:016x}"), count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::tokens::Tokens;

    #[test]
    fn what_is_written_recognises_as_the_counts_do() {
        let mut counts = Counts::default();
        for page in 0..5u64 {
            counts.add(&Tokens { structure: [1, 2, 3, 100 + page].into(), labels: [7, 50 + page].into() });
        }
        let text = serde_json::to_string(&Signature::of(&counts)).unwrap();
        let again = serde_json::from_str::<Signature>(&text).unwrap().counts();
        let page = Tokens { structure: [1, 2, 3, 999].into(), labels: Box::default() };
        assert_eq!(again.away(&page), counts.away(&page));
        assert_eq!(again.labels.count(&7), 5);
        assert!(!text.contains(&format!("{:016x}", 100)), "content is not written");
    }
}
