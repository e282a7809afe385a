//! Which places does each text of a page stand in? Leaves, template → [`Place`]s, the same on every page of the class.
//!
//! - [`Kind`]: how a place is told. - [`Place`]: a kind, a path and an anchor, as a hash. - `places`: those of all leaves of a page.
//!
//! One leaf has several places, because none of them survives everything: an optional block moves what is counted from
//! the start, a missing label what is counted from a label. Which of them to trust is for the reader to find out.

use super::leaves::Leaves;
use super::template::{Template, inner_label};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The n-th text of its path on the page.
    Nth,
    /// The n-th text of its path behind an anchor.
    After,
    /// The n-th text of its path before an anchor, counted backwards.
    Before,
    /// The text right behind an anchor, whatever its path.
    Next,
    /// A text that begins with its label and a colon.
    Within,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub kind: Kind,
    pub path: u64,
    pub anchor: u64,
    pub nth: u16,
}

/// Places further from their anchor are not told apart. Set by hand.
pub const FARTHEST: u16 = 40;

/// A leaf in a place.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    pub place: Place,
    /// Number of the leaf on its page.
    pub leaf: u32,
    /// Leaves between it and its anchor.
    pub gap: u16,
}

/// All places of all leaves; of one place on a page, not always in the order of the page.
pub fn each(page: &Leaves, template: &Template, mut found: impl FnMut(Held)) {
    forward(page, template, &mut found);
    backward(page, template, &mut found);
}

fn forward(page: &Leaves, template: &Template, found: &mut impl FnMut(Held)) {
    let (mut anchor, mut gap) = (0u64, 0u16);
    let mut since: FxHashMap<u64, u16> = FxHashMap::default();
    let mut ever: FxHashMap<u64, u16> = FxHashMap::default();
    for (at, leaf) in page.list.iter().enumerate().filter(|(_, leaf)| leaf.word != 0) {
        let leaf_number = at as u32;
        let mut hold = |kind, path, anchor, nth: u16| {
            if nth < FARTHEST {
                found(Held { place: Place { kind, path, anchor, nth }, leaf: leaf_number, gap });
            }
        };
        let all = ever.entry(leaf.path).or_default();
        hold(Kind::Nth, leaf.path, 0, *all);
        *all = all.saturating_add(1);
        let nth = since.entry(leaf.path).or_default();
        hold(Kind::After, leaf.path, anchor, *nth);
        *nth = nth.saturating_add(1);
        if gap == 0 && anchor != 0 {
            hold(Kind::Next, 0, anchor, 0);
        }
        if let Some(label) = inner_label(&leaf.text) {
            hold(Kind::Within, 0, xxh3_64(label.as_bytes()), 0);
        }
        gap = gap.saturating_add(1);
        if template.anchors.contains(&leaf.word) {
            (anchor, gap) = (leaf.word, 0);
            since.clear();
        }
    }
}

fn backward(page: &Leaves, template: &Template, found: &mut impl FnMut(Held)) {
    let (mut anchor, mut gap) = (0u64, 0u16);
    let mut since: FxHashMap<u64, u16> = FxHashMap::default();
    for (at, leaf) in page.list.iter().enumerate().rev().filter(|(_, leaf)| leaf.word != 0) {
        let nth = since.entry(leaf.path).or_default();
        if *nth < FARTHEST {
            let place = Place { kind: Kind::Before, path: leaf.path, anchor, nth: *nth };
            found(Held { place, leaf: at as u32, gap });
        }
        *nth = nth.saturating_add(1);
        gap = gap.saturating_add(1);
        if template.anchors.contains(&leaf.word) {
            (anchor, gap) = (leaf.word, 0);
            since.clear();
        }
    }
}
