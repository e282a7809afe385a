//! What does the site itself say how many there are? Numbers beside lists → totals.
//!
//! - [`numbers`]: texts with numbers on a page, and totals in the data of its scripts ([`Numbers`]). - [`ListPage`]: a page of a list with what
//!   stands on it. - [`totals`]: the numbers that behave like a total of their list ([`Total`]).
//!
//! A number is tied to a list by what it does, in no language: `1-20 of 1,160` counts the rows of its page; `page 3 of 58` goes up by one from page
//! to page; `619 ships` is the same on every page and fits the rows and the pages of the list, or is just the number of rows there.

use crate::page::dom::{Document, NodeId};
use crate::page::{place, text};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The longest text that is read for its numbers, the most numbers in one, and texts kept of a page.
const TEXT: usize = 90;
const VALUES: usize = 4;
const KEPT: usize = 16;

/// A text of one form that stands more often than this at one place of a page is a column of it.
const REPEATED: usize = 3;

/// The least total that is told from chance.
const LEAST: u64 = 5;

/// Bytes of a script that are read for totals.
const SCRIPT: usize = 256 * 1024;

/// Elements that are part of the text around them.
const INLINE: [&str; 9] = ["b", "strong", "em", "i", "span", "small", "font", "mark", "bdi"];

/// What keys of totals are called in the data of scripts.
const KEYS: [&str; 5] = ["total", "count", "hits", "found", "results"];

/// A text with numbers in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// Where it stands, and what it says beside the numbers: together they name it on all pages of a list.
    pub name: u64,
    pub values: Box<[u64]>,
    pub text: Box<str>,
}

/// A page of a list.
#[derive(Debug, Clone, Copy)]
pub struct ListPage<'p> {
    /// Which list; pages of one list share it.
    pub list: usize,
    /// Pages of the kind it shows in one place.
    pub rows: usize,
    /// The highest number that its links to further pages of the list show.
    pub last: u64,
    pub numbers: &'p [Numbers],
}

/// What a list says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Total {
    pub list: usize,
    /// Both are the same where the number itself is stated; `page 3 of 58` leaves the last page open.
    pub least: u64,
    pub most: u64,
    /// As the site puts it.
    pub text: String,
}

/// Texts with numbers that stand at most a few times on the page.
pub fn numbers(document: &Document) -> Vec<Numbers> {
    let mut found = of_texts(document);
    found.extend(of_scripts(document));
    let mut times: FxHashMap<u64, usize> = FxHashMap::default();
    for one in &found {
        *times.entry(one.name).or_default() += 1;
    }
    let mut seen = FxHashSet::default();
    found.retain(|one| times[&one.name] <= REPEATED && seen.insert((one.name, one.values.clone())));
    found.truncate(KEPT);
    found
}

fn of_texts(document: &Document) -> Vec<Numbers> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for leaf in text::leaves(document) {
        if !leaf.text.bytes().any(|b| b.is_ascii_digit()) || in_link(document, leaf.node) {
            continue;
        }
        let block = block(document, leaf.node);
        if !seen.insert(block) {
            continue;
        }
        let whole = text_of(document, block);
        if let Some((form, values)) = parts(&whole) {
            let place = xxh3_64(place::place(document, block).as_bytes());
            let name = xxh3_64_with_seed(form.as_bytes(), place);
            found.push(Numbers { name, values, text: whole.into() });
        }
    }
    found
}

fn in_link(document: &Document, node: NodeId) -> bool {
    std::iter::successors(document.parent(node), |&at| document.parent(at))
        .take(4)
        .any(|at| matches!(document.name(at), "a" | "button" | "option"))
}

/// The element whose text a reader takes as one.
fn block(document: &Document, leaf: NodeId) -> NodeId {
    let mut at = document.parent(leaf).unwrap_or(leaf);
    while INLINE.contains(&document.name(at)) {
        let Some(above) = document.parent(at) else { break };
        at = above;
    }
    at
}

/// Empty for one that is too long.
fn text_of(document: &Document, block: NodeId) -> String {
    let mut whole = String::new();
    for node in document.descendants(block) {
        let Some(part) = document.text(node) else { continue };
        whole.push_str(part);
        if whole.len() > 4 * TEXT {
            return String::new();
        }
    }
    let whole = text::folded(&whole);
    if whole.len() > TEXT { String::new() } else { whole }
}

/// The text with its numbers folded, and these; none where there are none or too many.
fn parts(text: &str) -> Option<(String, Box<[u64]>)> {
    let (mut form, mut values) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        form.push_str(&rest[..at]);
        let (value, length) = number(&rest[at..])?;
        form.push('#');
        values.push(value);
        rest = &rest[at + length..];
    }
    form.push_str(rest);
    ((1..=VALUES).contains(&values.len()) && values.iter().any(|&value| value >= LEAST)).then(|| (form, values.into()))
}

/// The number a text begins with, groups of thousands joined, and its length; none for one that is too long or has decimals.
fn number(text: &str) -> Option<(u64, usize)> {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    let mut joined = text[..end].to_owned();
    while let Some(sign) =
        text[end..].chars().next().filter(|c| matches!(c, ',' | '.' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}'))
    {
        let from = end + sign.len_utf8();
        if joined.len() > 12 || digits(from) != 3 || text[..end].len() > 3 && joined.len() == text[..end].len() {
            break;
        }
        joined.push_str(&text[from..from + 3]);
        end = from + 3;
    }
    (joined.len() <= 12).then(|| joined.parse().ok().map(|value| (value, end)))?
}

/// `"total": 1160` and the like.
fn of_scripts(document: &Document) -> Vec<Numbers> {
    let mut found = Vec::new();
    for node in document.descendants(Document::ROOT).filter(|&node| document.name(node) == "script") {
        for script in
            document.children(node).filter_map(|child| document.text(child)).filter(|text| text.len() <= SCRIPT)
        {
            for (at, _) in script.match_indices("\":") {
                let value: String =
                    script[at + 2..].trim_start().chars().take(12).take_while(char::is_ascii_digit).collect();
                let key = script[..at].rsplit('"').next().unwrap_or("");
                let named = key.len() <= 40 && KEYS.iter().any(|name| key.to_ascii_lowercase().contains(name));
                if let Some(value) = value.parse().ok().filter(|value| named && *value >= LEAST) {
                    let text = format!("\"{key}\": {value}").into();
                    found.push(Numbers { name: xxh3_64_with_seed(key.as_bytes(), 1), values: [value].into(), text });
                }
            }
        }
    }
    found
}

/// What each list says of itself, where it says something.
pub fn totals(pages: &[ListPage]) -> Vec<Total> {
    let mut lists: FxHashMap<usize, Vec<&ListPage>> = FxHashMap::default();
    for page in pages.iter().filter(|page| page.rows > 0) {
        lists.entry(page.list).or_default().push(page);
    }
    let mut totals: Vec<Total> = lists.into_iter().filter_map(|(list, pages)| of_list(list, &pages)).collect();
    totals.sort_by_key(|total| total.list);
    totals
}

fn of_list(list: usize, pages: &[&ListPage]) -> Option<Total> {
    let mut names: Vec<u64> = pages.iter().flat_map(|page| page.numbers.iter().map(|one| one.name)).collect();
    names.sort_unstable();
    names.dedup();
    let told = names.into_iter().filter_map(|name| of_name(pages, name));
    // The surest sign first; of two alike the larger number, because a part of a list may be counted too.
    let (_, least, most, text) = told.max_by_key(|(sign, least, most, _)| (*sign, *most, *least))?;
    Some(Total { list, least, most, text })
}

/// How sure it is, the least and the most it says, and the text.
type Told = (u8, u64, u64, String);

fn of_name(pages: &[&ListPage], name: u64) -> Option<Told> {
    let on: Vec<(&ListPage, &Numbers)> = pages
        .iter()
        .filter_map(|page| page.numbers.iter().find(|one| one.name == name).map(|one| (*page, one)))
        .collect();
    // The last page may lack it, and so may a page that answered with something else.
    if on.len() * 3 < pages.len() * 2 {
        return None;
    }
    let width = on[0].1.values.len();
    if on.iter().any(|(_, one)| one.values.len() != width) {
        return None;
    }
    (0..width).filter_map(|at| of_value(&on, at)).max_by_key(|told| (told.0, told.2))
}

/// Does the value at this place of the text behave like a total?
fn of_value(on: &[(&ListPage, &Numbers)], at: usize) -> Option<Told> {
    let (first_page, first) = on[0];
    let total = first.values[at];
    if total < LEAST || on.iter().any(|(_, one)| one.values[at] != total) {
        return None;
    }
    let rows = on.iter().map(|(page, _)| page.rows).max().unwrap_or(0) as u64;
    let told = |sign: u8, least: u64, most: u64| Some((sign, least, most, first.text.to_string()));
    // On one page a range counts its rows only where it begins at the beginning.
    let begins = on.len() >= 2 || first.values.contains(&1);
    if begins && on.iter().all(|(page, one)| counts_rows(&one.values, at, page.rows as u64)) {
        return told(4, total, total);
    }
    if on.len() >= 2 && turns_pages(on, at) {
        return told(2, (total - 1) * rows + 1, total * rows);
    }
    let last = on.iter().map(|(page, _)| page.last).max().unwrap_or(0).max(on.len() as u64);
    let fits = (last.saturating_sub(1) * rows + 1..=last * rows).contains(&total);
    // Texts with several numbers are times, sizes, versions.
    match (first.values.len(), on.len()) {
        (1, 1) if last <= 1 && first_page.rows as u64 == total => told(1, total, total),
        (1, 2..) if last >= 2 && fits => told(3, total, total),
        _ => None,
    }
}

/// `21-40 of 1,160` on a page of twenty rows.
fn counts_rows(values: &[u64], at: usize, rows: u64) -> bool {
    let others: Vec<u64> =
        values.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, value)| *value).collect();
    let [from, to] = others[..] else { return false };
    if from > to {
        return false;
    }
    let counted = to - from + 1;
    // Some rows may lead to pages of other kinds.
    from >= 1 && to <= values[at] && counted >= rows && counted <= rows + rows / 5 + 1
}

/// `page 3 of 58`: beside the total a number that is another on every page and never above it.
fn turns_pages(on: &[(&ListPage, &Numbers)], at: usize) -> bool {
    let total = on[0].1.values[at];
    (0..on[0].1.values.len()).filter(|&other| other != at).any(|other| {
        let mut seen: Vec<u64> = on.iter().map(|(_, one)| one.values[other]).collect();
        seen.sort_unstable();
        let most = seen.last().copied().unwrap_or(0);
        seen.dedup();
        seen.len() == on.len() && most <= total && most - seen[0] < 2 * on.len() as u64 + 8
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Limits, parser};

    fn read(html: &str) -> Vec<Numbers> {
        numbers(&parser::parse(html, &Limits::default()).unwrap())
    }

    fn page(numbers: &[Numbers], rows: usize, last: u64) -> ListPage<'_> {
        ListPage { list: 0, rows, last, numbers }
    }

    #[test]
    fn numbers_with_groups_of_thousands_are_one_number() {
        for text in ["1,160 ships", "1.160 Schiffe", "1 160 navires", "1'160", "1160件"] {
            let one = &read(&format!("<p>{text}</p>"))[0];
            assert_eq!(*one.values, [1160], "{text}");
        }
        assert_eq!(*read("<p>page <b>3</b> of <b>58</b></p>")[0].values, [3, 58]);
    }

    #[test]
    fn a_range_that_counts_the_rows_states_the_total() {
        let numbers = read("<div class=n>1–20 von 1.160</div><p>Stand 2024</p>");
        let totals = totals(&[page(&numbers, 20, 0)]);
        assert_eq!((totals[0].least, totals[0].most), (1160, 1160));
    }

    #[test]
    fn a_number_that_fits_rows_and_pages_states_the_total() {
        let pages: Vec<Vec<Numbers>> =
            (1..=3).map(|at| read(&format!("<h2>619 ships</h2><p>since 1999</p><i>{at}</i>"))).collect();
        let list: Vec<ListPage> = pages.iter().map(|numbers| page(numbers, 20, 31)).collect();
        assert_eq!(totals(&list)[0].least, 619);
        let unfitting: Vec<ListPage> = pages.iter().map(|numbers| page(numbers, 20, 12)).collect();
        assert_eq!(totals(&unfitting), [], "twelve pages of twenty rows are not 619");
    }

    #[test]
    fn a_number_of_pages_states_the_total_but_for_the_last_page() {
        let pages: Vec<Vec<Numbers>> = (1..=4).map(|at| read(&format!("<p>Seite {at} von 58</p>"))).collect();
        let list: Vec<ListPage> = pages.iter().map(|numbers| page(numbers, 20, 0)).collect();
        assert_eq!((totals(&list)[0].least, totals(&list)[0].most), (1141, 1160));
    }

    #[test]
    fn a_list_on_one_page_may_count_itself() {
        let numbers = read("<h3>Countries (233)</h3>");
        assert_eq!(totals(&[page(&numbers, 233, 0)])[0].least, 233);
        assert_eq!(totals(&[page(&numbers, 200, 0)]), []);
    }

    #[test]
    fn columns_of_numbers_are_no_totals() {
        let cells: String = (0..40).map(|at| format!("<tr><td>{at} points</td></tr>")).collect();
        assert_eq!(read(&format!("<table>{cells}</table>")), []);
        let total = read("<script>var page = {\"totalCount\": 1160, \"rows\": 7}</script>");
        assert_eq!(*total[0].values, [1160]);
    }
}
