//! What do pages tell machines that they show nobody? JSON-LD, microdata, RDFa of a class → keys that are facts of the subject.
//!
//! Left out: addresses and pictures, what is the same on most pages, what a column says already, and what is told of other things (the
//! publisher, the crumbs above the page): those are nested deeper than one level, or hardly vary.

use super::super::class::Class;
use super::super::naming::local;
use super::super::structured;
use super::super::template::COLONS;
use super::super::value::{self, Typed};
use super::fields::{Field, plain};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A key stands on this share of the pages; one value on at most this share of them; another column says the same on this share. Set by hand.
const LEAST_FILL: f64 = 0.5;
const SAME: f64 = 0.7;
const AGAIN: f64 = 0.7;

/// Fewer different values are settings of the site: its languages, its editions. Set by hand.
const FEW_VALUES: usize = 3;

/// Longer values are texts that the page shows. Set by hand.
const LONGEST: usize = 100;

/// A key, and its value on each page that has it.
pub type Told = (String, Vec<(usize, String)>);

pub fn own(class: &Class, fields: &[Field], left: &[usize]) -> Vec<Told> {
    let mut values: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    for (page, document) in class.documents.iter().enumerate() {
        let pairs = structured::pairs(document).into_iter().filter(|(key, _)| is_of_subject(key));
        pairs.for_each(|(key, value)| values.entry(key).or_default().push((page, value)));
    }
    let mut kept: Vec<Told> = Vec::new();
    for (key, all) in &values {
        // A line with a date says that date, unless it is one of several facts that it puts together.
        let says = |page: usize, text: &str, value: &str| {
            says(text, value) || shows_day(text, value) && !holds_other(&values, key, page, text)
        };
        let again = |other: &[(usize, String)]| {
            let same = all
                .iter()
                .filter(|(page, value)| other.iter().any(|(own, text)| own == page && says(*page, text, value)));
            same.count() as f64 >= all.len() as f64 * AGAIN
        };
        let shown = left.iter().any(|&at| again(&cells(&fields[at])));
        let is_title = all.iter().filter(|(page, value)| plain(value) == plain(&class.pages[*page].title)).count();
        let shown = shown || is_title as f64 >= all.len() as f64 * AGAIN;
        if is_fact(all, class.pages.len()) && !shown && !kept.iter().any(|(_, other)| again(other)) {
            kept.push((key.clone(), all.clone()));
        }
    }
    kept
}

fn cells(field: &Field) -> Vec<(usize, String)> {
    let of_page = |(page, cells): (usize, &Vec<super::fields::Cell>)| {
        cells.iter().map(move |cell| (page, cell.text.clone())).collect::<Vec<_>>()
    };
    field.cells.iter().enumerate().flat_map(of_page).collect()
}

fn is_of_subject(key: &str) -> bool {
    let told = key.starts_with("ld:") || key.starts_with("item:") || key.starts_with("rdfa:");
    told && key.matches('.').count() <= 1
        && !key.contains('@')
        && !matches!(local(key), "url" | "width" | "height" | "position" | "wordCount" | "dateModified")
}

fn is_fact(all: &[(usize, String)], pages: usize) -> bool {
    let mut times: FxHashMap<&str, usize> = FxHashMap::default();
    all.iter().for_each(|(_, value)| *times.entry(value).or_default() += 1);
    let most = times.values().max().copied().unwrap_or(0) as f64;
    let plain = all.iter().all(|(_, value)| {
        value.len() <= LONGEST
            && !value.starts_with(['/', '#'])
            && !matches!(value::typed(value), Some(Typed::Url(_) | Typed::Image(_)))
    });
    plain
        && times.len() >= FEW_VALUES.min(all.len())
        && all.len() as f64 >= pages as f64 * LEAST_FILL
        && pages > 1
        && most < all.len() as f64 * SAME
}

/// The same words.
fn says(text: &str, value: &str) -> bool {
    let words = |text: &str| {
        let plain = plain(text);
        let mut words: Vec<String> = plain.split(' ').map(str::to_owned).collect();
        words.sort_unstable();
        words
    };
    words(text) == words(value)
}

fn day(text: &str) -> Option<String> {
    match value::typed(text.get(..10).unwrap_or(text)).or_else(|| value::typed(text)) {
        Some(Typed::Date(day)) => Some(day),
        _ => None,
    }
}

/// Longest date in words: `2 July, 2011`; words of a text beside its date that are none of a fact: `on Thu, 2015-11-05 16:28`. Set by hand.
const DATE_WORDS: usize = 3;
const BESIDE_DATE: usize = 2;

/// Is the value a day, and the text that day, with a time or a few words beside it?
fn shows_day(text: &str, value: &str) -> bool {
    let told = day(value).filter(|_| text.len() <= LONGEST);
    let words: Vec<&str> = text.split([' ', ',', '|']).filter(|word| !word.is_empty()).collect();
    let is_time = |word: &&&str| word.contains(COLONS) && word.starts_with(|c: char| c.is_ascii_digit());
    let others = words.len() - words.iter().filter(is_time).count();
    let runs =
        (1..=DATE_WORDS).filter(|&length| others <= length + BESIDE_DATE).flat_map(|length| words.windows(length));
    told.is_some() && runs.map(|run| day(&run.join(" "))).any(|own| own == told)
}

/// Does the text hold what another key says of the page?
fn holds_other(values: &BTreeMap<String, Vec<(usize, String)>>, key: &str, page: usize, text: &str) -> bool {
    let text = format!(" {} ", plain(text));
    let of_page = values.iter().filter(|(other, _)| *other != key).flat_map(|(_, all)| all);
    let mut others = of_page.filter(|(own, value)| *own == page && day(value).is_none());
    others.any(|(_, value)| value.contains(char::is_alphabetic) && text.contains(&format!(" {} ", plain(value))))
}
