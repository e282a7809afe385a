//! What would it cost who knew everything? Pages with the entities they link to → the fewest pages that cover them.
//!
//! - [`greedy`]: takes the page that adds most, again and again: at most ln(n) + 1 times the true optimum, and no
//!   polynomial method does better. - [`Cover`]: what it took.
//!
//! Does not know addresses: pages and entities are numbers.

use serde::{Deserialize, Serialize};
use std::collections::BinaryHeap;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cover {
    /// Pages taken, in the order taken.
    pub pages: Vec<usize>,
    /// Entities some page links to.
    pub covered: usize,
}

/// `links[page]` holds the entities the page links to. Ties go to the earlier page.
pub fn greedy(links: &[Vec<u32>], entities: usize) -> Cover {
    let mut known = vec![false; entities];
    let mut heap: BinaryHeap<(usize, std::cmp::Reverse<usize>)> =
        links.iter().enumerate().map(|(page, links)| (distinct(links), std::cmp::Reverse(page))).collect();
    let mut cover = Cover::default();
    while let Some((promised, std::cmp::Reverse(page))) = heap.pop() {
        let gain = new_ones(&links[page], &known);
        // Gains only shrink, so a gain looked up long ago is an upper bound: look again, and put it back.
        if gain < promised {
            if gain > 0 {
                heap.push((gain, std::cmp::Reverse(page)));
            }
            continue;
        }
        if gain == 0 {
            break;
        }
        links[page].iter().for_each(|&entity| known[entity as usize] = true);
        cover.pages.push(page);
        cover.covered += gain;
    }
    cover
}

fn distinct(entities: &[u32]) -> usize {
    let mut sorted = entities.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

fn new_ones(entities: &[u32], known: &[bool]) -> usize {
    let fresh: Vec<u32> = entities.iter().copied().filter(|&entity| !known[entity as usize]).collect();
    distinct(&fresh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_adds_most_and_no_more() {
        let links = vec![vec![0, 1], vec![2, 3, 4, 4], vec![0, 2, 3], vec![5], vec![], vec![1, 0]];
        let cover = greedy(&links, 7);
        assert_eq!(cover.pages, [1, 0, 3]);
        assert_eq!(cover.covered, 6, "no page links to entity 6");
    }

    #[test]
    fn the_classic_case_where_greed_takes_one_page_too_many() {
        // Two pages cover all; the larger third one lures.
        let links = vec![vec![0, 1, 2, 6], vec![3, 4, 5, 7], vec![1, 2, 3, 4, 5]];
        assert_eq!(greedy(&links, 8).pages, [2, 0, 1]);
    }

    #[test]
    fn nothing_to_cover() {
        assert_eq!(greedy(&[vec![], vec![]], 0), Cover::default());
        assert_eq!(greedy(&[], 3), Cover::default());
    }
}
