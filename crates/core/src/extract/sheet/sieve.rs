//! Which fields are facts that a person would want? Fields, the title → those that are left, each fact once.
//!
//! Left out: what few pages have, what is the same on most pages, what another field says already, and lists of other pages of the same kind
//! (their texts are what those pages are called).

use super::super::class::Class;
use super::super::leaves::Paths;
use super::data::Told;
use super::fields::{Field, Pages, plain};
use super::rows::common;
use crate::page::dom::{Document, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A field stands on this share of the pages; prose may stand on fewer. Set by hand.
const LEAST_FILL: f64 = 0.2;
const LEAST_FILL_PROSE: f64 = 0.15;

/// A field with one value on this share of its pages is template: without a label, with one. Set by hand.
const SAME: f64 = 0.7;
const SAME_LABELLED: f64 = 0.92;

/// The same for numbers with a label: most drivers have no title.
const SAME_NUMBER: f64 = 0.98;

/// A field says again what another one says when it does so on this share of its pages. Set by hand.
const AGAIN: f64 = 0.85;

/// A shorter text may stand in another by chance. Set by hand.
const LONG: usize = 30;

/// A list names other pages when so many of its values, and this share, are what they are called. Set by hand.
const OTHERS: usize = 3;
const OTHERS_SHARE: f64 = 0.03;

/// The same for what a page has once: the next page, the one before; a person may name another one as a fact.
const OTHERS_SHARE_SINGLE: f64 = 0.3;

/// Fewer different values on so many pages, without a label or a figure, are the template in two languages. Set by hand.
const FEW_VALUES: usize = 3;
const MANY_PAGES: usize = 20;

/// Numbers of the fields that are left, in their order; the title is one of them.
pub fn facts(pages: &Pages, fields: &[Field], title: Option<usize>) -> Vec<usize> {
    let texts: Vec<Vec<Vec<String>>> = fields.iter().map(plain_cells).collect();
    let names: FxHashMap<&str, usize> = title.map_or_else(FxHashMap::default, |title| {
        texts[title].iter().enumerate().filter_map(|(page, cells)| Some((cells.first()?.as_str(), page))).collect()
    });
    let mut order: Vec<usize> = (0..fields.len()).filter(|at| Some(*at) != title).collect();
    order.sort_by_key(|&at| (fields[at].labels.is_empty(), fields[at].is_list(), at));
    let mut left: Vec<usize> = title.into_iter().collect();
    for at in order {
        let field = &fields[at];
        if is_common(field)
            && varies(field, &texts[at])
            && !others_share(field).is_some_and(|share| are_others(&texts[at], &names, share))
            && !left.iter().any(|&other| says_again(&texts[at], &texts[other]))
            && !(field.is_list() && all_known(&texts[at], &left, &texts))
        {
            left.push(at);
        }
    }
    let lists = (0..fields.len()).filter(|&at| fields[at].many && are_others(&texts[at], &names, OTHERS_SHARE));
    let lists: Vec<Vec<Option<Region>>> = lists.map(|list| regions(pages, &fields[list])).collect();
    left.retain(|&at| Some(at) == title || !lists.iter().any(|regions| is_inside(pages, &fields[at], regions)));
    left.sort_unstable();
    left
}

/// A list of other pages on a page: the element around it, and the paths of its items.
type Region = (NodeId, FxHashSet<u64>);

/// By page; items without a mark are told from other texts only where they are made for lists.
fn regions(pages: &Pages, list: &Field) -> Vec<Option<Region>> {
    let steps = &pages.class.template.steps;
    let of_page = |(page, cells): (usize, &Vec<super::fields::Cell>)| {
        let (document, pieces) = (&pages.class.documents[page], &pages.pieces[page]);
        let (first, last) = (cells.first()?, cells.last().filter(|_| cells.len() > 1)?);
        let around = common(document, pieces[first.piece as usize].node, pieces[last.piece as usize].node)?;
        let items = cells.iter().filter_map(|cell| item(document, around, pieces[cell.piece as usize].node));
        let told = |&item: &NodeId| steps.has_mark(document, item) || matches!(document.name(item), "li" | "tr");
        let mut paths = Paths::new(document, steps);
        Some((around, items.filter(told).map(|item| paths.of(item)).collect()))
    };
    list.cells.iter().enumerate().map(of_page).collect()
}

/// The child of an element that holds a node.
fn item(document: &Document, around: NodeId, node: NodeId) -> Option<NodeId> {
    std::iter::successors(Some(node), |&node| document.parent(node)).find(|&node| document.parent(node) == Some(around))
}

/// Does a field stand in items of these lists, or in others like them? Prices of other products are no facts of this one.
fn is_inside(pages: &Pages, field: &Field, regions: &[Option<Region>]) -> bool {
    let (mut all, mut inside) = (0, 0);
    for (page, (cells, region)) in field.cells.iter().zip(regions).enumerate() {
        all += cells.len();
        let Some((around, paths)) = region.as_ref().filter(|_| !cells.is_empty()) else { continue };
        let document = &pages.class.documents[page];
        let mut known = Paths::new(document, &pages.class.template.steps);
        let items =
            cells.iter().filter_map(|cell| item(document, *around, pages.pieces[page][cell.piece as usize].node));
        inside += items.filter(|&item| paths.contains(&known.of(item))).count();
    }
    inside as f64 >= all as f64 * AGAIN
}

/// A text without a label that most pages have is none: what others have in its place, if that is prose, is a fact of these.
pub fn skip_common(fields: &mut [Field]) {
    for field in fields.iter_mut().filter(|field| field.labels.is_empty() && !field.is_list() && field.also.is_empty())
    {
        let mut times: FxHashMap<String, usize> = FxHashMap::default();
        field.cells.iter().flatten().for_each(|cell| *times.entry(plain(&cell.text)).or_default() += 1);
        let Some((text, most)) = times.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(a.0.cmp(&b.0))) else { continue };
        if (most as f64) < field.pages() as f64 * SAME || field.cells.len() <= MANY_PAGES {
            continue;
        }
        let mut rest = field.clone();
        rest.cells.iter_mut().for_each(|cells| cells.retain(|cell| plain(&cell.text) != text));
        rest.skip.push(text);
        if rest.is_prose() && is_common(&rest) {
            *field = rest;
        }
    }
}

/// Without texts of the template in the language of each page: each language has one.
pub fn without_languages(class: &Class, fields: &[Field], left: Vec<usize>, title: Option<usize>) -> Vec<usize> {
    let language = |document: &Document| {
        let html = document.descendants(Document::ROOT).find(|&node| document.name(node) == "html")?;
        document.attribute(html, "lang").map(str::to_owned)
    };
    let languages: Vec<Option<String>> = class.documents.iter().map(language).collect();
    let several = languages.iter().flatten().collect::<FxHashSet<_>>().len() > 1;
    let is_template = |at: usize| {
        let mut times: FxHashMap<(&str, &str), usize> = FxHashMap::default();
        let mut of_language: FxHashMap<&str, usize> = FxHashMap::default();
        for (cells, language) in fields[at].cells.iter().zip(&languages) {
            let Some((text, language)) = cells.first().map(|cell| cell.text.as_str()).zip(language.as_deref()) else {
                continue;
            };
            let most = *times.entry((language, text)).and_modify(|times| *times += 1).or_insert(1);
            of_language.entry(language).and_modify(|times| *times = most.max(*times)).or_insert(most);
        }
        of_language.len() > 1
            && fields[at].pages() >= of_language.len() * FEW_VALUES
            && of_language.values().sum::<usize>() as f64 >= fields[at].pages() as f64 * AGAIN
    };
    let kept = |at: &usize| Some(*at) == title || !several || fields[*at].is_list() || !is_template(*at);
    left.into_iter().filter(kept).collect()
}

/// Without lists of which nothing is left that is not on nearly all pages.
pub fn without_template(fields: &[Field], left: Vec<usize>, title: Option<usize>) -> Vec<usize> {
    let says =
        |at: &usize| Some(*at) == title || is_common(&fields[*at]) && varies(&fields[*at], &plain_cells(&fields[*at]));
    left.into_iter().filter(says).collect()
}

/// Without lines that say once more what several others say, or what the page tells machines.
pub fn without_summaries(fields: &[Field], left: Vec<usize>, title: Option<usize>, told: &[Told]) -> Vec<usize> {
    let texts: Vec<Vec<Vec<String>>> = fields.iter().map(plain_cells).collect();
    let covered = |&at: &usize| Some(at) != title && is_made_of_others(fields, &texts, at, &left, told);
    left.iter().copied().filter(|at| !covered(at)).collect()
}

/// Is it a line that says once more what several others say, with words of the template between?
fn is_made_of_others(fields: &[Field], texts: &[Vec<Vec<String>>], at: usize, left: &[usize], told: &[Told]) -> bool {
    let field = &fields[at];
    if !field.labels.is_empty() || field.is_prose() || field.is_list() {
        return false;
    }
    let mut pages_with: FxHashMap<&str, usize> = FxHashMap::default();
    for cells in &texts[at] {
        let words: FxHashSet<&str> = cells.iter().flat_map(|text| text.split(' ')).collect();
        words.into_iter().for_each(|word| *pages_with.entry(word).or_default() += 1);
    }
    let single = |field: &Field| !field.is_prose() && !field.is_list();
    let short: Vec<usize> = left.iter().copied().filter(|&other| other != at && single(&fields[other])).collect();
    let made = |page: usize| {
        let known: FxHashSet<&str> =
            short.iter().flat_map(|&other| &texts[other][page]).flat_map(|text| text.split(' ')).collect();
        let known: FxHashSet<String> = known.into_iter().map(str::to_owned).chain(told_words(told, page)).collect();
        let words: Vec<&str> = texts[at][page].iter().flat_map(|text| text.split(' ')).collect();
        let of_template = |word: &str| pages_with[word] as f64 >= field.pages() as f64 * AGAIN;
        words.len() > 1 && words.iter().all(|word| known.contains(*word) || of_template(word))
    };
    let pages = (0..texts[at].len()).filter(|&page| !texts[at][page].is_empty());
    pages.clone().filter(|&page| made(page)).count() as f64 >= field.pages() as f64 * AGAIN
}

fn told_words(told: &[Told], page: usize) -> Vec<String> {
    let values = told.iter().flat_map(|(_, values)| values).filter(|(own, _)| *own == page);
    values.flat_map(|(_, value)| plain(value).split(' ').map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn plain_cells(field: &Field) -> Vec<Vec<String>> {
    let of_page = |cells: &Vec<super::fields::Cell>| cells.iter().map(|cell| plain(&cell.text)).collect();
    field.cells.iter().map(of_page).collect()
}

fn is_common(field: &Field) -> bool {
    let least = if field.is_prose() { LEAST_FILL_PROSE } else { LEAST_FILL };
    field.fill() >= least && (field.pages() >= 2 || field.cells.len() == 1)
}

fn varies(field: &Field, texts: &[Vec<String>]) -> bool {
    let mut times: FxHashMap<String, usize> = FxHashMap::default();
    texts.iter().filter(|cells| !cells.is_empty()).for_each(|cells| *times.entry(cells.join("\n")).or_default() += 1);
    let most = times.values().max().copied().unwrap_or(0) as f64;
    let number = texts.iter().flatten().all(|text| text.len() <= 12 && text.contains(|c: char| c.is_ascii_digit()));
    let same = match (field.labels.is_empty(), number) {
        (true, _) => SAME,
        (false, true) => SAME_NUMBER,
        (false, false) => SAME_LABELLED,
    };
    let digits = times.keys().any(|text| text.contains(|c: char| c.is_ascii_digit()));
    let few = times.len() < FEW_VALUES && !digits && field.labels.is_empty() && field.pages() >= MANY_PAGES;
    let speaks = texts.iter().flatten().any(|text| !text.is_empty());
    field.cells.len() == 1 || speaks && !few && times.len() > 1 && most < field.pages() as f64 * same
}

/// From which share on its values are other pages; none of what has a label: a driver's mates are a fact.
fn others_share(field: &Field) -> Option<f64> {
    match (field.many, field.is_list() || !field.labels.is_empty()) {
        (true, _) => Some(OTHERS_SHARE),
        (false, true) => None,
        (false, false) => Some(OTHERS_SHARE_SINGLE),
    }
}

/// Are the values what other pages are called?
fn are_others(texts: &[Vec<String>], names: &FxHashMap<&str, usize>, share: f64) -> bool {
    let (mut all, mut others) = (0, FxHashSet::default());
    for (page, cells) in texts.iter().enumerate() {
        all += cells.len();
        let known = cells.iter().filter(|text| names.get(text.as_str()).is_some_and(|own| *own != page));
        others.extend(known.map(|text| (page, text)));
    }
    others.len() >= OTHERS && others.len() as f64 >= all as f64 * share
}

/// Does it say on nearly all of its pages what the other says too, or a part of it? Its most frequent value does not count: most drivers have
/// no wins and no titles.
pub fn says_again(texts: &[Vec<String>], other: &[Vec<String>]) -> bool {
    let own: Vec<(String, String)> = texts
        .iter()
        .zip(other)
        .filter(|(own, _)| !own.is_empty())
        .map(|(own, other)| (own.join(" "), other.join(" ")))
        .collect();
    let mut times: FxHashMap<&str, usize> = FxHashMap::default();
    own.iter().for_each(|(own, _)| *times.entry(own).or_default() += 1);
    let frequent = times
        .iter()
        .filter(|(_, times)| **times > 1)
        .max_by_key(|(text, times)| (**times, **text))
        .map(|(text, _)| *text);
    let others: Vec<&(String, String)> = own.iter().filter(|(own, _)| Some(own.as_str()) != frequent).collect();
    let same = |(own, other): &&&(String, String)| {
        !other.is_empty() && (own == other || own.len() >= LONG && other.contains(own.as_str()))
    };
    let everywhere = own.iter().filter(|pair| same(&pair)).count() as f64 >= own.len() as f64 * AGAIN;
    everywhere && others.iter().filter(|pair| same(pair)).count() as f64 >= others.len() as f64 * AGAIN
}

/// Is nearly every value of the list a value of a field that is left?
fn all_known(texts: &[Vec<String>], left: &[usize], all: &[Vec<Vec<String>>]) -> bool {
    let (mut values, mut known) = (0, 0);
    for (page, cells) in texts.iter().enumerate() {
        for text in cells {
            values += 1;
            known += usize::from(left.iter().any(|&other| all[other][page].contains(text)));
        }
    }
    known as f64 >= f64::from(values) * AGAIN
}
