//! Which further texts belong to a slot's first value? Leaves, the first → those behind it.
//!
//! - [`run`]: genres, directors, lines of an address. - [`run_before`]: how far into a run a leaf stands.

use super::leaves::Leaves;
use super::template::Template;

/// Values of a list that are read: a bound against hostile pages, set by hand.
pub const LONGEST_RUN: usize = 30;

/// The texts of the same path behind a leaf with nothing but punctuation between them.
pub fn run(page: &Leaves, leaf: u32, template: &Template) -> Vec<u32> {
    let path = page.list[leaf as usize].path;
    let behind = (leaf as usize + 1..page.list.len()).filter(|&at| page.list[at].word != 0);
    let same = behind.take_while(|&at| page.list[at].path == path && !template.anchors.contains(&page.list[at].word));
    same.take(LONGEST_RUN).map(|at| at as u32).collect()
}

/// How many texts of the same run stand before a leaf.
pub fn run_before(page: &Leaves, leaf: u32, template: &Template) -> usize {
    let path = page.list[leaf as usize].path;
    let before = (0..leaf as usize).rev().filter(|&at| page.list[at].word != 0);
    let same = before.take_while(|&at| page.list[at].path == path && !template.anchors.contains(&page.list[at].word));
    same.take(LONGEST_RUN).count()
}
