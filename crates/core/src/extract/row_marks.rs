//! Which classes say only which row of a list an element is, or of which sort one row is? Documents → tokens that are no part of a path.
//!
//! By what siblings of one name have: every second one carries it, or the first one of every list, or the n-th carries the number n; or rows that
//! share a class carry it here and there. What stands in rows of the same list is the same fact, whatever such classes say. Knows no words.

use super::leaves::each_token;
use crate::page::dom::{Document, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// This share of the lists with a token has it where the rule says. Set by hand.
const NEARLY: f64 = 0.95;

/// Lists differ in length when they have so many lengths. Set by hand.
const LENGTHS: usize = 2;

/// Labels and values take turns as well, but in pairs. A sort of rows is one when so many lists have both rows of it and others, and they are this share of the lists with it. Set by hand.
const MIXED: usize = 3;
const MIXED_SHARE: f64 = 0.3;

type Token<'d> = (char, &'d str);

/// Siblings of one name, with the tokens of each.
type List<'d> = Vec<BTreeSet<Token<'d>>>;

#[derive(Default)]
struct Seen {
    /// Lists of two rows or more that have it.
    lists: usize,
    /// Of these: on every second row, from the first or the second on.
    every_second: usize,
    /// Several rows of one list have it, and a list with it has an odd number of rows.
    repeated: bool,
    odd: bool,
    /// On the first row alone, on the last alone, where the number in it says.
    first: usize,
    last: usize,
    numbered: usize,
    lengths: BTreeSet<usize>,
    /// Rows that share another token, some with it and some without.
    mixed: usize,
    /// Of lists with one row: with this token beside it.
    alone: usize,
    beside: BTreeMap<String, usize>,
}

/// Those of these tokens: `.class`, `#id`, `@itemprop`.
pub fn row_marks(documents: &[&Document], known: &FxHashSet<&str>) -> FxHashSet<String> {
    let mut seen: FxHashMap<Token, Seen> = FxHashMap::default();
    for document in documents {
        lists(document, known).iter().for_each(|list| look_at(list, &mut seen));
    }
    let written = |(kind, token): &Token| format!("{kind}{token}");
    let ends: FxHashSet<String> = seen.iter().filter(|(_, one)| is_end(one)).map(|(token, _)| written(token)).collect();
    let is_mark = |one: &Seen, own: &Token| {
        is_every_second(one)
            || is_numbered(one)
            || is_sort(one)
            || is_end(one)
                && one
                    .beside
                    .iter()
                    .any(|(other, times)| *times == one.alone && ends.contains(other) && *other != written(own))
    };
    seen.iter().filter(|(token, one)| is_mark(one, token)).map(|(token, _)| written(token)).collect()
}

fn nearly(part: usize, all: usize) -> bool {
    all > 1 && part as f64 >= all as f64 * NEARLY
}

fn is_every_second(one: &Seen) -> bool {
    nearly(one.every_second, one.lists) && one.repeated && one.odd
}

/// The first row of lists of any length, or the last; where a list has but one row, that has both marks.
fn is_end(one: &Seen) -> bool {
    (nearly(one.first, one.lists) || nearly(one.last, one.lists)) && one.alone > 0
}

fn is_numbered(one: &Seen) -> bool {
    nearly(one.numbered, one.lists) && one.lengths.len() >= LENGTHS
}

fn is_sort(one: &Seen) -> bool {
    let pairs = nearly(one.every_second, one.lists) && !one.odd;
    !pairs && one.repeated && one.mixed >= MIXED && one.mixed as f64 >= one.lists as f64 * MIXED_SHARE
}

fn lists<'d>(document: &'d Document, known: &FxHashSet<&str>) -> Vec<List<'d>> {
    let mut lists = Vec::new();
    for node in document.descendants(Document::ROOT) {
        let mut of_name: BTreeMap<&str, List> = BTreeMap::new();
        for child in document.children(node).filter(|&child| !document.name(child).is_empty()) {
            of_name.entry(document.name(child)).or_default().push(tokens(document, child, known));
        }
        lists.extend(of_name.into_values().filter(|list| list.iter().any(|row| !row.is_empty())));
    }
    lists
}

fn tokens<'d>(document: &'d Document, node: NodeId, known: &FxHashSet<&str>) -> BTreeSet<Token<'d>> {
    let mut all = BTreeSet::new();
    each_token(document, node, |kind, token| {
        if known.contains(format!("{kind}{token}").as_str()) {
            all.insert((kind, token));
        }
    });
    all
}

fn look_at<'d>(list: &List<'d>, seen: &mut FxHashMap<Token<'d>, Seen>) {
    let shared = list.iter().skip(1).fold(list[0].clone(), |shared, row| &shared & row);
    let all: BTreeSet<Token> = list.iter().flatten().copied().collect();
    for token in all {
        let rows: Vec<usize> = (0..list.len()).filter(|&at| list[at].contains(&token)).collect();
        let one = seen.entry(token).or_default();
        if list.len() == 1 {
            one.alone += 1;
            let others = list[0].iter().filter(|other| **other != token);
            others.for_each(|(kind, other)| *one.beside.entry(format!("{kind}{other}")).or_default() += 1);
            continue;
        }
        one.lists += 1;
        one.lengths.insert(list.len());
        one.repeated |= rows.len() > 1;
        one.odd |= list.len() % 2 == 1;
        one.every_second += usize::from(rows.iter().copied().eq((rows[0] % 2..list.len()).step_by(2)));
        one.first += usize::from(rows == [0]);
        one.last += usize::from(rows == [list.len() - 1]);
        one.numbered +=
            usize::from(rows.len() == 1 && number_of(token.1).is_some_and(|n| n == rows[0] || n == rows[0] + 1));
        let sorted = list.len() > 2 && rows.len() < list.len() && !shared.is_empty();
        one.mixed += usize::from(sorted);
    }
}

/// The number that a token ends in.
fn number_of(token: &str) -> Option<usize> {
    let digits = token.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    token[digits..].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::parser::{Limits, parse};

    fn marks(pages: &[&str]) -> Vec<String> {
        let documents: Vec<Document> =
            pages.iter().map(|page| parse(page, &Limits::default()).expect("a page")).collect();
        let names =
            ["tag", "even", "odd", "first", "last", "name", "age", "club", "row", "label", "value", "item", "physics"];
        let known: Vec<String> = names.iter().map(|name| format!(".{name}")).collect();
        let known = known.iter().map(String::as_str).collect();
        let documents: Vec<&Document> = documents.iter().collect();
        let mut marks: Vec<String> = row_marks(&documents, &known).into_iter().collect();
        marks.sort();
        marks
    }

    #[test]
    fn every_second_row_and_both_ends() {
        let list = |rows: usize| {
            let class = |at: usize| {
                let end = if at == 0 { " first" } else { "" }.to_owned() + if at + 1 == rows { " last" } else { "" };
                format!("<li class='tag {}{end}'>x</li>", ["even", "odd"][at % 2])
            };
            format!("<ul>{}</ul>", (0..rows).map(class).collect::<String>())
        };
        let pages: Vec<String> = [1, 2, 3, 5, 4, 1].into_iter().map(list).collect();
        assert_eq!(marks(&pages.iter().map(String::as_str).collect::<Vec<_>>()), [".even", ".first", ".last", ".odd"]);
    }

    #[test]
    fn cells_and_labels_are_told_apart() {
        let row = "<tr><td class='name'>x<td class='age'>1<td class='club'>y</tr>";
        let pairs =
            "<div><p class='row label'>a<p class='row value'>b<p class='row label'>c<p class='row value'>d</div>";
        assert!(
            marks(&[&format!("<table>{row}{row}{row}</table>"), &format!("<table>{row}</table>"), pairs, pairs, pairs])
                .is_empty()
        );
    }

    #[test]
    fn sorts_of_rows() {
        let page = "<div><a class='item physics'>x</a><a class='item'>x</a><a class='item physics'>x</a></div>";
        assert_eq!(marks(&[page, page, page]), [".physics"]);
    }
}
