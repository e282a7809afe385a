//! How good is a table? Gold, records → which column stands for which attribute, and the measures.

use super::assign::assign;
use super::cell::{Cell, Kind, agreement};
use super::gold::{Attribute, Gold, plain_url};
use pagekin::extract::Record;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

/// A column stands for an attribute from this F1 on; where one value is on most pages, from half-way between what that value alone would get and 1.
const MATCH: f64 = 0.5;

#[derive(Debug, Clone, Serialize)]
pub struct Scored {
    pub name: String,
    pub pages: usize,
    pub columns: usize,
    /// Required attributes, and those with a column.
    pub wanted: usize,
    pub matched: usize,
    pub optional: usize,
    pub junk: usize,
    pub coverage: f64,
    pub precision: f64,
    pub f1: f64,
    pub title: f64,
    pub names: f64,
    /// By attribute: its column and their F1.
    pub columns_of: BTreeMap<String, (String, f64)>,
    pub missing: Vec<String>,
    pub junk_columns: Vec<String>,
}

/// A column: its name, and its cell on each page.
type Column = (String, BTreeMap<String, Cell>);

pub fn score(gold: &Gold, records: &[Record]) -> Scored {
    let columns = columns(gold, records);
    let f1: Vec<Vec<f64>> = columns
        .iter()
        .map(|(_, cells)| (0..gold.attributes.len()).map(|at| f1_of(gold, at, cells)).collect())
        .collect();
    let pairs = pairs(gold, &columns, &f1);
    let required: Vec<usize> = (0..gold.attributes.len()).filter(|&at| gold.attributes[at].required).collect();
    let matched: Vec<usize> = required.iter().copied().filter(|at| pairs.contains_key(at)).collect();
    let optional = pairs.len() - matched.len();
    let coverage = matched.iter().map(|at| f1[pairs[at]][*at]).sum::<f64>() / required.len().max(1) as f64;
    let precision = share(matched.len(), columns.len() - optional);
    let named = matched.iter().filter(|&&at| is_named(&columns[pairs[&at]].0, &gold.attributes[at])).count();
    let taken: HashSet<usize> = pairs.values().copied().collect();
    let name = |at: &usize| gold.attributes[*at].name.clone();
    Scored {
        name: gold.name.clone(),
        pages: gold.urls.len(),
        columns: columns.len(),
        wanted: required.len(),
        matched: matched.len(),
        optional,
        junk: columns.len() - pairs.len(),
        coverage,
        precision,
        f1: if coverage + precision > 0.0 { 2.0 * coverage * precision / (coverage + precision) } else { 0.0 },
        title: titles(gold, &columns),
        names: share(named, matched.len()),
        columns_of: pairs
            .iter()
            .map(|(at, column)| (name(at), (columns[*column].0.clone(), f1[*column][*at])))
            .collect(),
        missing: required.iter().filter(|at| !pairs.contains_key(at)).map(name).collect(),
        junk_columns: (0..columns.len()).filter(|at| !taken.contains(at)).map(|at| columns[at].0.clone()).collect(),
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// In the order in which they come; columns of tables within pages are called `table.column`.
fn columns(gold: &Gold, records: &[Record]) -> Vec<Column> {
    let wanted: HashSet<&String> = gold.urls.iter().collect();
    let mut columns: Vec<Column> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for record in records {
        let url = plain_url(record.url.as_str());
        if !wanted.contains(&url) {
            continue;
        }
        let mut cells: Vec<(String, Vec<String>)> = record.attributes.clone().into_iter().collect();
        for (table, rows) in &record.children {
            for (column, value) in rows.iter().flatten() {
                let name = format!("{table}.{column}");
                match cells.iter_mut().find(|(own, _)| *own == name) {
                    Some((_, values)) => values.push(value.clone()),
                    None => cells.push((name, vec![value.clone()])),
                }
            }
        }
        for (name, values) in cells {
            let cell = Cell::new(values);
            if !cell.values.is_empty() {
                let at = *places.entry(name.clone()).or_insert_with(|| {
                    columns.push((name, BTreeMap::new()));
                    columns.len() - 1
                });
                columns[at].1.insert(url.clone(), cell);
            }
        }
    }
    columns
}

/// Page-level F1 of a column for an attribute.
fn f1_of(gold: &Gold, at: usize, out: &BTreeMap<String, Cell>) -> f64 {
    let (attribute, cells) = (&gold.attributes[at], &gold.cells[at]);
    let child = attribute.name.contains('.');
    let (mut p, mut r) = (0.0, 0.0);
    for (url, right) in cells {
        let Some(cell) = out.get(url) else { continue };
        let all = right.iter().map(|right| agreement(right, cell, attribute.kind, child));
        // The first of the best.
        let best = all.reduce(|a, b| if b.0 + b.1 > a.0 + a.1 { b } else { a }).unwrap_or_default();
        p += best.0;
        r += best.1;
    }
    let (p, r) = (p / out.len().max(1) as f64, r / cells.len().max(1) as f64);
    if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 }
}

/// From which F1 on a column is taken for the attribute: chance does not count.
fn least(gold: &Gold, at: usize) -> f64 {
    let cells = &gold.cells[at];
    if gold.attributes[at].kind == Kind::Prose || cells.is_empty() {
        return MATCH;
    }
    let mut times: HashMap<&str, usize> = HashMap::new();
    cells.values().for_each(|right| *times.entry(&right[0].joined).or_default() += 1);
    let most = times.into_values().max().unwrap_or(0);
    let chance = (1.0 + 2.0 * most as f64 / (gold.urls.len() + cells.len()) as f64) / 2.0;
    if most > 1 { chance.max(MATCH) } else { MATCH }
}

/// By attribute, its column.
fn pairs(gold: &Gold, columns: &[Column], f1: &[Vec<f64>]) -> BTreeMap<usize, usize> {
    let least: Vec<f64> = (0..gold.attributes.len()).map(|at| least(gold, at)).collect();
    let weight = |name: &str, at: usize, f1: f64| {
        let attribute = &gold.attributes[at];
        let required = if attribute.required { 0.5 } else { 0.0 };
        let named = if good_names(attribute).contains(&plain(name)) { 0.01 } else { 0.0 };
        if f1 >= least[at] { f1 + required + named } else { 0.0 }
    };
    let weights: Vec<Vec<f64>> = columns
        .iter()
        .zip(f1)
        .map(|((name, _), row)| row.iter().enumerate().map(|(at, f1)| weight(name, at, *f1)).collect())
        .collect();
    let real = assign(&weights).into_iter().filter(|(column, at)| weights[*column][*at] > 0.0);
    real.map(|(column, at)| (at, column)).collect()
}

/// A name without its number, marks and signs.
fn plain(name: &str) -> String {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let bare = bare.strip_suffix('_').filter(|_| bare.len() < name.len()).unwrap_or(name);
    bare.nfkd().filter(|c| c.is_ascii_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn good_names(attribute: &Attribute) -> HashSet<String> {
    let (table, column) = attribute.name.rsplit_once('.').unwrap_or(("", &attribute.name));
    let names = std::iter::once(column).chain(attribute.synonyms.iter().map(String::as_str));
    let forms = |name: &str| {
        let one = table.trim_end_matches('s');
        if table.is_empty() {
            vec![plain(name)]
        } else {
            vec![plain(name), plain(&format!("{table}{name}")), plain(&format!("{one}{name}"))]
        }
    };
    names.flat_map(forms).collect()
}

fn is_named(column: &str, attribute: &Attribute) -> bool {
    let good = good_names(attribute);
    good.contains(&plain(column)) || good.contains(&plain(column.rsplit('.').next().unwrap_or(column)))
}

/// Share of the pages whose title is exactly what the thing is called.
fn titles(gold: &Gold, columns: &[Column]) -> f64 {
    let Some(first) = gold.attributes.first() else { return 0.0 };
    let wanted = ["title".to_owned(), "name".to_owned()].into_iter();
    let wanted = wanted.chain(first.synonyms.iter().map(|name| plain(name))).chain([plain(&first.name)]);
    let column = wanted.into_iter().find_map(|name| columns.iter().find(|(own, _)| own.to_lowercase() == name));
    let Some((_, cells)) = column else { return 0.0 };
    let is_right = |url: &&String| {
        let (Some(cell), Some(right)) = (cells.get(*url), gold.cells[0].get(*url)) else { return false };
        right.iter().any(|right| right.joined == cell.joined)
    };
    share(gold.urls.iter().filter(is_right).count(), gold.urls.len())
}
