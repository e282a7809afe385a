//! What is a column called? Field → its name, and what gave it.
//!
//! By its label, by what the page tells machines, by a telling class, by what its values are; a table within the page by its caption, by the heading
//! above it, or by a telling class around its rows.

use super::super::class::Class;
use super::super::leaves::{Leaf, label_of};
use super::super::naming::{Names, snake, telling};
use super::super::{Source, value};
use super::cut::Known;
use super::fields::{Field, Mode, Pages};
use crate::page::dom::{Document, NodeId};
use rustc_hash::FxHashMap;

/// A label of more words is a sentence; longer ones too. Set by hand.
const MOST_WORDS: usize = 5;
const LONGEST: usize = 40;

/// A column is of prices when one value in so many is: others say that there is none, "call us", "sold out". Set by hand.
const SOME_PRICES: usize = 4;

/// Texts between a heading and the table it names, at most. Set by hand.
const NEAR: usize = 8;

/// The texts of labels, by their words.
pub fn label_texts(pages: &Pages) -> FxHashMap<u64, String> {
    let mut texts = FxHashMap::default();
    for (page, pieces) in pages.pieces.iter().enumerate() {
        for piece in pieces {
            if let Some(leaf) = piece.label_leaf {
                let text = &pages.class.pages[page].list[leaf as usize].text;
                let inner = super::super::template::inner_label(text)
                    .filter(|label| super::super::leaves::word_of(label) == piece.label);
                texts.entry(piece.label).or_insert_with(|| inner.unwrap_or_else(|| label_of(text)));
            }
        }
    }
    texts
}

pub fn is_name(label: &str) -> bool {
    label.len() <= LONGEST && label.split_whitespace().count() <= MOST_WORDS && label.contains(char::is_alphabetic)
}

/// The name of a field and its source; `label`: the one it has, if that is its own.
pub fn of_field(
    names: &Names,
    pages: &Pages,
    known: &Known,
    field: &Field,
    label: Option<&String>,
) -> (String, Source) {
    let firsts: Vec<(u32, u32)> =
        field.cells.iter().enumerate().filter_map(|(page, cells)| Some((page as u32, cells.first()?.leaf))).collect();
    let label = label.or(field.lead.as_ref()).filter(|label| is_name(label)).map(|label| (snake(label), Source::Label));
    let told = || names.told(&firsts);
    // Of boxes around a text, several words say which box of the page it is, and one what it holds.
    let plain = |name: &String| !field.is_prose() || !name.contains('_');
    let around = || {
        let (page, cell) = field.sample().filter(|_| field.mode == Mode::Whole)?;
        let node = pages.pieces[page][cell.piece as usize].node;
        Some((telling(&pages.class.documents[page], &known.steps, node).filter(plain)?, Source::Class))
    };
    let class = || Some((names.class_name(*firsts.first()?).filter(plain)?, Source::Class));
    // A class around a price or a time of day is the name of a box: the values say better what they are.
    let by_type =
        || Some((by_values(field), Source::Type)).filter(|(name, _)| matches!(name.as_str(), "price" | "time"));
    let heading = || {
        let (page, cell) = field.sample().filter(|_| field.is_list())?;
        let node = pages.pieces[page][cell.piece as usize].node;
        Some((snake(&heading_above(pages.class, known, page, node)?), Source::Label))
    };
    let found = label.or_else(told).or_else(by_type).or_else(around).or_else(class).or_else(heading);
    found.or_else(|| Some((by_links(pages, field)?, Source::Link))).unwrap_or_else(|| (by_values(field), Source::Place))
}

/// The part of the address that all its links have, and links to the site's front do not: `/speaker/profile/501/` → `speaker`.
fn by_links(pages: &Pages, field: &Field) -> Option<String> {
    let (mut common, mut all): (Option<Vec<String>>, usize) = (None, 0);
    for (page, cell) in
        field.cells.iter().enumerate().flat_map(|(page, cells)| cells.iter().map(move |cell| (page, cell)))
    {
        let document = &pages.class.documents[page];
        let node = pages.class.pages[page].list[cell.leaf as usize].node;
        let mut above = std::iter::successors(document.parent(node), |&node| document.parent(node)).take(3);
        let address = above.find_map(|node| document.attribute(node, "href").filter(|_| document.name(node) == "a"))?;
        let parts: Vec<String> = address.split(['/', '?', '#', '=', '&']).map(str::to_lowercase).collect();
        all += 1;
        common = Some(
            common
                .map_or_else(|| parts.clone(), |known| known.into_iter().filter(|part| parts.contains(part)).collect()),
        );
    }
    let says = |part: &String| part.len() > 2 && part.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '_'));
    let part = common.filter(|_| all > 2)?.into_iter().find(says)?;
    Some(snake(&part)).filter(|name| is_name(name))
}

/// What its values are.
fn by_values(field: &Field) -> String {
    if field.is_prose() {
        return "text".to_owned();
    }
    let mut times: FxHashMap<&str, usize> = FxHashMap::default();
    let all: Vec<&str> = field.cells.iter().flatten().map(|cell| cell.text.as_str()).collect();
    all.iter().filter_map(|text| kind_of(text)).for_each(|kind| *times.entry(kind).or_default() += 1);
    let most = |(kind, times): &(&str, usize)| times * if *kind == "price" { SOME_PRICES } else { 2 } > all.len();
    let typed = times.into_iter().filter(most).max_by_key(|(kind, times)| (*times, *kind)).map(|(kind, _)| kind);
    typed.unwrap_or(if field.is_list() { "list" } else { "text" }).to_owned()
}

/// What a value is, in the word that a column of such values is called by.
fn kind_of(text: &str) -> Option<&'static str> {
    match value::typed(text) {
        Some(value::Typed::Money(_)) => Some("price"),
        Some(typed) => Some(typed.name()),
        None => has_time_of_day(text).then_some("time"),
    }
}

/// Is a part of a short text a time of day, such as `1:40` or `14:05`?
fn has_time_of_day(text: &str) -> bool {
    let is_time = |word: &str| {
        word.split_once(':').is_some_and(|(hours, minutes)| {
            hours.parse::<u8>().is_ok_and(|hours| hours < 24)
                && minutes.len() == 2
                && minutes.parse::<u8>().is_ok_and(|minutes| minutes < 60)
        })
    };
    text.len() <= LONGEST && text.split(|c: char| !(c.is_ascii_digit() || c == ':')).any(is_time)
}

/// The caption of a table, or the heading of the template right above an element.
pub fn heading_above(class: &Class, known: &Known, page: usize, node: NodeId) -> Option<String> {
    let (document, list) = (&class.documents[page], &class.pages[page].list);
    let caption = document.descendants(node).find(|&below| document.name(below) == "caption");
    if let Some(caption) = caption {
        let text = label_of(&super::super::tables::text(document, caption));
        return Some(text).filter(|text| is_name(text));
    }
    let first = list.iter().position(|leaf| leaf.node > node)?;
    let is_heading = |leaf: &&Leaf| {
        let mut above = std::iter::successors(document.parent(leaf.node), |&node| document.parent(node)).take(3);
        known.anchors.contains(&leaf.word)
            && above.any(|node| matches!(document.name(node), "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "legend"))
    };
    let before = list[..first].iter().rev().filter(|leaf| leaf.word != 0).take(NEAR);
    before.filter(is_heading).map(|leaf| label_of(&leaf.text)).find(|label| is_name(label))
}

/// A class or id of an element or of one above it that says what it holds.
pub fn telling_class(document: &Document, known: &Known, node: NodeId) -> Option<String> {
    let above = std::iter::successors(Some(node), |&node| document.parent(node)).take(3);
    above.into_iter().find_map(|node| telling(document, &known.steps, node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_say_what_they_are() {
        assert_eq!(kind_of("$36,200"), Some("price"));
        assert_eq!(kind_of("Friday 1:40 p.m.–2:25 p.m."), Some("time"));
        assert_eq!(kind_of("14:05"), Some("time"));
        assert_eq!(kind_of("Panel: 12 ways"), None);
        assert_eq!(kind_of("John 3:7 and 99:99"), None);
    }
}
