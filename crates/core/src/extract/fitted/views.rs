//! What is there to see of a value, whatever site it stands on? Leaf or candidate → tokens of each view, and their log odds.
//!
//! - [`VIEWS`]: their names. - [`of_leaf`], [`of_candidate`]: the tokens. - [`Odds`]: a table ready for look-up. - [`Sums`]: mean log odds by view.
//!
//! Numbers are seen by their size (`2##`, `20##`), shapes with runs of a kind of letter as one (`Aa Aa`, `$0,0`).

use super::{Prepared, Table};
use crate::extract::class::{At, Candidate, Class};
use crate::extract::leaves::each_token;
use crate::extract::value;
use crate::page::dom::NodeId;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Views of a leaf come first, then those of a candidate.
pub const VIEWS: [&str; 10] =
    ["words", "shape", "length", "label", "place", "distance", "class", "support", "variation", "repeats"];

/// Views of a leaf.
pub const LEAF_VIEWS: usize = 6;

/// Bytes of a text that are looked at. Set by hand.
const READ: usize = 200;

/// Letters of a shape. Set by hand.
const LONGEST_SHAPE: usize = 14;

/// Elements around a leaf whose names, classes and ids are looked at. Set by hand.
const AROUND: usize = 3;

/// A table ready for look-up.
#[derive(Debug, Clone, Default)]
pub struct Odds {
    known: FxHashMap<u64, f64>,
    other: f64,
}

impl Odds {
    pub fn new(table: &Table) -> Self {
        let known = table.known.iter().map(|(token, odds)| (xxh3_64(token.as_bytes()), *odds)).collect();
        Self { known, other: table.other }
    }

    fn of(&self, token: &str) -> f64 {
        self.known.get(&xxh3_64(token.as_bytes())).copied().unwrap_or(self.other)
    }
}

/// Mean log odds by view.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sums {
    of: [(f64, f64); VIEWS.len()],
}

impl Sums {
    pub fn add(&mut self, tables: &Prepared, view: usize, token: &str) {
        let (sum, n) = &mut self.of[view];
        *sum += tables.views.get(view).map_or(0.0, |odds| odds.of(token));
        *n += 1.0;
    }

    /// The means of another, as one token each.
    pub fn add_all(&mut self, other: &Self) {
        for (view, (sum, n)) in self.of.iter_mut().enumerate().filter(|(view, _)| other.of[*view].1 > 0.0) {
            *sum += other.mean(view);
            *n += 1.0;
        }
    }

    pub fn mean(&self, view: usize) -> f64 {
        let (sum, n) = self.of[view];
        if n == 0.0 { 0.0 } else { sum / n }
    }
}

/// The tokens of one leaf; `title`: the leaf of the page's title.
pub fn of_leaf(class: &Class, at: At, title: Option<u32>, mut found: impl FnMut(usize, &str)) {
    let text = value::clean(&class.leaf(at).text);
    let text = &text[..text.floor_char_boundary(READ)];
    each_word(text, |word| found(0, word));
    found(1, &shape(text));
    found(2, &text.chars().count().max(1).ilog2().to_string());
    match class.label(at).or_else(|| class.label_behind(at)) {
        Some(label) => {
            found(3, &format!("={label}"));
            each_word(&label, |word| found(3, word));
        }
        None => found(3, "-"),
    }
    let leaves = class.pages[at.0 as usize].list.len().max(1);
    found(4, &(at.1 as usize * 5 / leaves).to_string());
    if let Some(title) = title {
        found(5, &distance(i64::from(at.1) - i64::from(title)));
    }
}

/// The tokens of a candidate.
pub fn of_candidate(class: &Class, candidate: &Candidate, mut found: impl FnMut(usize, &str)) {
    let Some(&at) = candidate.leaves.first() else { return };
    let document = &class.documents[at.0 as usize];
    let mut node: Option<NodeId> = document.parent(class.leaf(at).node);
    for _ in 0..AROUND {
        let Some(own) = node else { break };
        found(6, &format!("<{}>", document.name(own)));
        each_token(document, own, |_, token| each_part(token, |part| found(6, part)));
        node = document.parent(own);
    }
    let quarter = |share: f64| ((share * 4.0) as usize).min(4).to_string();
    found(7, &quarter(class.support(candidate) * 1.05));
    found(8, &quarter(class.variation(candidate)));
    found(9, if candidate.repeats < 1.5 { "once" } else { "often" });
}

/// Words in lower case, numbers by their size.
fn each_word(text: &str, mut found: impl FnMut(&str)) {
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            let kept = if word.len() == 4 { 2 } else { 1 };
            found(&format!("{}{}", &word[..kept], "#".repeat((word.len() - kept).min(12))));
        } else {
            found(&word.to_lowercase());
        }
    }
}

/// The words of a class or id: `productPrice-big` → `product`, `price`, `big`.
fn each_part(token: &str, mut found: impl FnMut(&str)) {
    let mut part = String::new();
    let mut lower = false;
    for c in token.chars() {
        let starts = c.is_uppercase() && lower;
        if (starts || !c.is_alphabetic()) && !part.is_empty() {
            found(&part);
            part.clear();
        }
        if c.is_alphabetic() {
            part.extend(c.to_lowercase());
        }
        lower = c.is_lowercase();
    }
    if !part.is_empty() {
        found(&part);
    }
}

fn shape(text: &str) -> String {
    let mut shape = String::new();
    for c in text.chars() {
        let kind = match c {
            _ if c.is_uppercase() => 'A',
            _ if c.is_alphabetic() => 'a',
            _ if c.is_numeric() => '0',
            _ if c.is_whitespace() => ' ',
            _ => c,
        };
        if !shape.ends_with(kind) {
            shape.push(kind);
        }
        if shape.len() >= LONGEST_SHAPE {
            break;
        }
    }
    shape
}

/// Leaves between a value and the title, by size.
fn distance(leaves: i64) -> String {
    let size = leaves.unsigned_abs().checked_ilog2().map_or(0, |size| size / 2 + 1);
    if leaves < 0 { format!("-{size}") } else { size.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn numbers_are_seen_by_their_size() {
        assert_eq!(words("March 7, 2009: 245 lbs"), ["march", "7", "20##", "2##", "lbs"]);
        assert_eq!(shape("$36,200"), "$0,0");
        assert_eq!(shape("Fernando Alonso"), "Aa Aa");
        assert_eq!((distance(0), distance(-5), distance(9)), ("0".to_owned(), "-2".to_owned(), "2".to_owned()));
    }

    #[test]
    fn classes_are_cut_into_words() {
        let mut parts = Vec::new();
        each_part("productPrice-big2", |part| parts.push(part.to_owned()));
        assert_eq!(parts, ["product", "price", "big"]);
    }
}
