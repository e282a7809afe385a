//! What is the page called? Fields → the one whose text is the page's name.
//!
//! It is the text that headings, `<title>` and what the page tells machines agree on: on nearly every page, different on nearly every page, the
//! higher the heading the surer. A badge or a menu entry is the same on many pages, and a part of a name is less of `<title>` than the name.

use super::super::class::Class;
use super::super::structured;
use super::super::weights::sheet_title::{AGREES, HEADINGS, LABELLED, SAID};
use super::fields::{Field, plain};
use crate::page::dom::Document;
use rustc_hash::{FxHashMap, FxHashSet};

/// A title stands on this share of the pages, and is no longer than this on average. Set by hand.
const LEAST_FILL: f64 = 0.6;
const LONGEST: usize = 200;

/// A field that scores less is no title. Set by hand.
const LEAST_SCORE: f64 = 0.3;

/// A field is the title without what all titles have when it is so on this share of its pages. Set by hand.
const WITHOUT: f64 = 0.9;

/// Number of the field.
pub fn title(class: &Class, fields: &[Field]) -> Option<usize> {
    let told: Vec<FxHashSet<String>> = class.documents.iter().map(told).collect();
    let titles: Vec<String> = class.pages.iter().map(|page| plain(&page.title)).collect();
    let own = own_words(&titles);
    let scores = fields.iter().enumerate().map(|(at, field)| (at, score(class, field, &told, &own)));
    let best = scores.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    (best.1 >= LEAST_SCORE).then(|| bare(fields, best.0).unwrap_or(best.0))
}

/// The first text of each page, in the form in which texts are compared.
fn firsts(field: &Field) -> Vec<String> {
    field.cells.iter().map(|cells| cells.first().map_or_else(String::new, |cell| plain(&cell.text))).collect()
}

/// The field that is the title without the words that all titles have: `Ray Allen` of `Ray Allen Player Alerts`.
fn bare(fields: &[Field], title: usize) -> Option<usize> {
    let long = firsts(&fields[title]);
    let is_bare = |at: &usize| {
        let field = &fields[*at];
        if *at == title || field.is_list() || field.fill() < fields[title].fill() * WITHOUT {
            return false;
        }
        let mut around: FxHashMap<String, usize> = FxHashMap::default();
        for (short, long) in firsts(field).iter().zip(&long) {
            let words = format!(" {long} ");
            let part = format!(" {short} ");
            if !short.is_empty() && short != long && words.contains(&part) {
                *around.entry(words.replacen(&part, " _ ", 1)).or_default() += 1;
            }
        }
        let same = around.values().max().copied().unwrap_or(0);
        field.cells.len() > 2 && same as f64 >= field.pages() as f64 * WITHOUT
    };
    (0..fields.len()).find(is_bare)
}

/// What the page tells machines it is called.
fn told(document: &Document) -> FxHashSet<String> {
    let pairs = structured::pairs(document).into_iter();
    let names = pairs
        .filter(|(key, _)| matches!(key.as_str(), "meta:og:title" | "meta:twitter:title" | "ld:name" | "ld:headline"));
    names.map(|(_, value)| plain(&value)).collect()
}

/// The words of each `<title>` that most others do not have.
fn own_words(titles: &[String]) -> Vec<FxHashSet<String>> {
    let words: Vec<FxHashSet<String>> = titles
        .iter()
        .map(|title| title.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect())
        .collect();
    let mut pages_with: FxHashMap<&String, usize> = FxHashMap::default();
    words.iter().flatten().for_each(|word| *pages_with.entry(word).or_default() += 1);
    let common = |word: &String| pages_with[word] * 2 > titles.len() && titles.len() > 2;
    words.iter().map(|words| words.iter().filter(|word| !common(word)).cloned().collect()).collect()
}

fn score(class: &Class, field: &Field, told: &[FxHashSet<String>], own: &[FxHashSet<String>]) -> f64 {
    let first: Vec<(usize, String)> = field
        .cells
        .iter()
        .enumerate()
        .filter_map(|(page, cells)| Some((page, plain(&cells.first()?.text))))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    let n = first.len() as f64;
    let length = first.iter().map(|(_, text)| text.len()).sum::<usize>();
    if field.many || field.fill() < LEAST_FILL || length > LONGEST * first.len().max(1) {
        return 0.0;
    }
    let distinct = first.iter().map(|(_, text)| text).collect::<FxHashSet<_>>().len() as f64 / n;
    let agrees = first.iter().map(|(page, text)| in_title(text, &own[*page])).sum::<f64>() / n;
    let said = first.iter().filter(|(page, text)| told[*page].contains(text)).count() as f64 / n;
    let letters = first.iter().filter(|(_, text)| text.contains(char::is_alphabetic)).count() as f64 / n;
    let labelled = if field.labels.is_empty() { 1.0 } else { LABELLED };
    (heading(class, field) + AGREES * agrees + SAID * said) * distinct * letters * field.fill() * labelled
}

/// How much of the text is in the title, and of the title's own words in the text.
fn in_title(text: &str, own: &FxHashSet<String>) -> f64 {
    let words: FxHashSet<&str> = text.split(' ').collect();
    let both = words.iter().filter(|word| own.contains(**word)).count() as f64;
    if own.is_empty() { 0.0 } else { (both / words.len() as f64 * both / own.len() as f64).sqrt() }
}

fn heading(class: &Class, field: &Field) -> f64 {
    let level = |page: usize, leaf: u32| {
        let document = &class.documents[page];
        let node = class.pages[page].list[leaf as usize].node;
        let above = std::iter::successors(document.parent(node), |&node| document.parent(node)).take(5);
        let share =
            |node| HEADINGS.iter().find(|(name, _)| *name == document.name(node)).map_or(0.0, |(_, share)| *share);
        let levels = above.map(share);
        levels.fold(0.0, f64::max)
    };
    let firsts = field.cells.iter().enumerate().filter_map(|(page, cells)| Some(level(page, cells.first()?.leaf)));
    firsts.sum::<f64>() / field.pages().max(1) as f64
}
