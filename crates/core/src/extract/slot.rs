//! Which further texts belong to a slot's first value? Leaves, the first → those behind it.
//!
//! - [`run`]: genres, directors, lines of an address.

use super::leaves::Leaves;
use super::template::Template;

/// Values of a list that are read: a bound against hostile pages, set by hand.
pub const LONGEST_RUN: usize = 30;

/// The texts of the same path behind a leaf with nothing but punctuation between them.
pub fn run(page: &Leaves, leaf: u32, template: &Template) -> Vec<u32> {
    together(page, leaf, template, leaf + 1..page.list.len() as u32).collect()
}

/// As far as texts of the leaf's path go on.
fn together(
    page: &Leaves,
    leaf: u32,
    template: &Template,
    way: impl Iterator<Item = u32>,
) -> impl Iterator<Item = u32> {
    let (list, path) = (&page.list, page.list[leaf as usize].path);
    let texts = way.filter(move |&at| list[at as usize].word != 0);
    let same = move |&at: &u32| list[at as usize].path == path && !template.anchors.contains(&list[at as usize].word);
    texts.take_while(same).take(LONGEST_RUN)
}
