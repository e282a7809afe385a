//! When do two cells say the same? Values of a column on a page → the forms in which they are compared.
//!
//! - [`Cell`]: values as words, as days, as one text, as bags of words. - [`agreement`]: precision and recall of one cell.

use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d+(?:[.,]\d+)+|\w+").ok());
static LETTERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[^\W\d]+").ok());

/// How a date may be written, and the order of year, month and day.
static DATES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let forms = [
        (r"\b(\d{4})-(\d\d?)-(\d\d?)(?:\D|$)", "ymd"),
        (r"\b(\d\d?)[./-] ?(\d\d?)[./-] ?(\d{4})\b", "dmy"),
        (r"\b(\d\d?)\.? (?:de )?([^\W\d]{3,9})\.?,? (?:de )?(\d{4})\b", "dmy"),
        (r"\b([^\W\d]{3,9})\.? (\d\d?)(?:st|nd|rd|th)?,? (\d{4})\b", "mdy"),
    ];
    forms.into_iter().filter_map(|(form, order)| Some((Regex::new(form).ok()?, order))).collect()
});

/// Beginnings of month names in the languages of the gold tables.
const MONTHS: [(&str, u32); 18] = [
    ("jan", 1),
    ("feb", 2),
    ("fev", 2),
    ("mar", 3),
    ("mär", 3),
    ("mrz", 3),
    ("apr", 4),
    ("abr", 4),
    ("may", 5),
    ("mai", 5),
    ("jun", 6),
    ("jul", 7),
    ("aug", 8),
    ("ago", 8),
    ("sep", 9),
    ("set", 9),
    ("oct", 10),
    ("okt", 10),
];
const LATE_MONTHS: [(&str, u32); 4] = [("out", 10), ("nov", 11), ("dec", 12), ("dez", 12)];

/// Words that may stand beside a date.
const FILLER: &str = "updated posted published born on at am um verfasst uhr gmt utc z cet cest est edt pm a p m t mon tue wed thu fri sat sun \
    monday tuesday wednesday thursday friday saturday sunday de of th st nd rd";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Date,
    Prose,
}

type Bag = HashMap<String, usize>;

#[derive(Debug, Clone, Default)]
pub struct Cell {
    pub values: Vec<String>,
    text: Bag,
    date: Bag,
    pub joined: String,
    bag: Bag,
    bags: Vec<Bag>,
}

impl Cell {
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let values: Vec<String> = values.into_iter().filter(|value| !value.trim().is_empty()).collect();
        let words: Vec<String> = values.iter().map(|value| norm(value)).collect();
        let bags: Vec<Bag> = words.iter().map(|words| bag(words.split(' ').map(str::to_owned))).collect();
        Self {
            text: bag(words.iter().cloned()),
            date: bag(values.iter().map(|value| day(value))),
            joined: words.join(" "),
            bag: bag(words.iter().flat_map(|words| words.split(' ').map(str::to_owned))),
            bags,
            values,
        }
    }
}

fn bag(words: impl Iterator<Item = String>) -> Bag {
    let mut bag = Bag::new();
    words.filter(|word| !word.is_empty()).for_each(|word| *bag.entry(word).or_default() += 1);
    bag
}

fn folded(value: &str) -> String {
    value.nfkc().flat_map(char::to_lowercase).flat_map(|c| if c == 'ß' { vec!['s', 's'] } else { vec![c] }).collect()
}

/// Words and numbers in small letters; what stands between them does not count.
pub fn norm(value: &str) -> String {
    let text: String = folded(value).chars().filter(|c| !matches!(c, '\u{200b}' | '\u{ad}' | '\u{fffd}')).collect();
    let words: Vec<&str> = WORDS.iter().flat_map(|words| words.find_iter(&text)).map(|found| found.as_str()).collect();
    if words.is_empty() { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { words.join(" ") }
}

/// A bare date as YYYY-MM-DD, else the plain text.
fn day(value: &str) -> String {
    let text = folded(value);
    for (form, order) in DATES.iter() {
        let Some(found) = form.captures(&text) else { continue };
        let part = |name: char| order.find(name).and_then(|at| found.get(at + 1)).map_or("", |part| part.as_str());
        let rest = format!("{} {}", &text[..found.get(0).map_or(0, |all| all.start())], after(&text, &found));
        let filler = |word: &str| FILLER.split_whitespace().any(|known| known == word);
        let bare = LETTERS.iter().flat_map(|letters| letters.find_iter(&rest)).all(|word| filler(word.as_str()));
        if let (Some(month), true, Ok(day)) = (month(part('m')), bare, part('d').parse::<u32>()) {
            return format!("{}-{month:02}-{day:02}", part('y'));
        }
    }
    norm(value)
}

/// What stands behind the last group: the character that ends a date is not part of it.
fn after<'t>(text: &'t str, found: &regex::Captures) -> &'t str {
    found.get(3).map_or("", |last| &text[last.end()..])
}

fn month(text: &str) -> Option<u32> {
    let begins = |(start, _): &&(&str, u32)| text.starts_with(start);
    text.parse().ok().or_else(|| MONTHS.iter().chain(&LATE_MONTHS).find(begins).map(|(_, month)| *month))
}

fn overlap(a: &Bag, b: &Bag) -> usize {
    a.iter().map(|(word, times)| (*times).min(b.get(word).copied().unwrap_or(0))).sum()
}

fn size(bag: &Bag) -> usize {
    bag.values().sum()
}

/// Precision and recall of what came, against what is wanted.
pub fn agreement(gold: &Cell, out: &Cell, kind: Kind, child: bool) -> (f64, f64) {
    let share = |n: f64, of: usize| n / of.max(1) as f64;
    if kind == Kind::Prose {
        let n = overlap(&gold.bag, &out.bag) as f64;
        let (mut p, mut r) = (share(n, size(&out.bag)), share(n, size(&gold.bag)));
        if child && p + r > 0.4 {
            let same = aligned(&gold.bags, &out.bags);
            (p, r) = (share(same, out.values.len()), share(same, gold.values.len()));
        }
        let f1 = if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 };
        return (f1, f1);
    }
    if !child && gold.joined == out.joined {
        return (1.0, 1.0);
    }
    let n = if kind == Kind::Date { overlap(&gold.date, &out.date) } else { overlap(&gold.text, &out.text) } as f64;
    (share(n, out.values.len()), share(n, gold.values.len()))
}

/// Rows of prose: the best alignment that keeps their order; a pair counts its F1 of words.
fn aligned(gold: &[Bag], out: &[Bag]) -> f64 {
    let pair = |a: &Bag, b: &Bag| 2.0 * overlap(a, b) as f64 / (size(a) + size(b)).max(1) as f64;
    if gold.len() == out.len() {
        return gold.iter().zip(out).map(|(a, b)| pair(a, b)).sum();
    }
    let mut row = vec![0.0f64; out.len() + 1];
    for a in gold {
        let mut new = vec![0.0f64];
        for (at, b) in out.iter().enumerate() {
            new.push(new[at].max(row[at + 1]).max(row[at] + pair(a, b)));
        }
        row = new;
    }
    row[out.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_where_nothing_else_stands() {
        for (text, known) in [
            ("Posted on March 18, 2005", "2005-03-18"),
            ("16.06.2007 - 18:37", "2007-06-16"),
            ("2012-07-03T00:00:00+00:00", "2012-07-03"),
            ("21 de Abril de 2021", "2021-04-21"),
            ("The show of 12 May 2010", "the show of 12 may 2010"),
        ] {
            assert_eq!(day(text), known);
        }
    }

    #[test]
    fn prose_is_compared_by_words_and_rows_in_their_order() {
        let cell = |values: &[&str]| Cell::new(values.iter().map(|value| (*value).to_owned()));
        assert_eq!(agreement(&cell(&["a b", "c"]), &cell(&["A b. C"]), Kind::Prose, false), (1.0, 1.0));
        assert_eq!(agreement(&cell(&["a", "b"]), &cell(&["b"]), Kind::Text, true), (1.0, 0.5));
        assert_eq!(agreement(&cell(&["a", "b"]), &cell(&["a, b"]), Kind::Text, false), (1.0, 1.0));
    }
}
