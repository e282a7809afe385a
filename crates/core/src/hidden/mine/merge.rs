//! Which leaves are the same entities under other addresses? Leaves → templates, one for each set of entities and view.
//!
//! Merged are forms that differ only in what may be absent: text beside or behind the id, parameters, a trailing slash
//! (the thesis cannot merge these, 4.1), runs of open path elements of different length, hosts that show the same ids, and
//! print versions, and folders that show the same pages ([`folders`]). What the addresses alone cannot show, as two routes to one page, is left to the requests.

use super::divide::Leaf;
use super::folders;
use super::piece::{Piece, host, plain_names, visits_apart};
use super::refuse::Refused;
use super::split::{NUMBER, TEXT};
use super::table::Forms;
use crate::hidden::{ANY, ID, Template};
use crate::page::address::names_visit;
use rustc_hash::{FxHashMap, FxHashSet};

/// Share of the ids that two hosts must have in common to be taken for two names of one. Such hosts in the data share all; less
/// leaves room for a crawl that did not finish.
const SAME_IDS: f64 = 0.8;

pub fn templates(forms: &Forms, leaves: Vec<Leaf>) -> (Vec<Template>, Vec<Refused>) {
    let mut order: Vec<String> = Vec::new();
    let mut groups: FxHashMap<String, Vec<Piece>> = FxHashMap::default();
    let plain = plain_names(forms);
    let (pieces, mut refused) = split_refused(leaves.into_iter().map(|leaf| Piece::of(forms, &plain, leaf)));
    let (pieces, visits) = split_refused(visits_apart(pieces).into_iter());
    refused.extend(visits);
    for piece in pieces {
        let group = groups.entry(piece.core.clone()).or_insert_with(|| {
            order.push(piece.core.clone());
            Vec::new()
        });
        group.push(piece);
    }
    let groups: Vec<Vec<Piece>> = order.into_iter().filter_map(|core| groups.remove(&core)).collect();
    let groups = folders::same_pages(forms, same_hosts(groups));
    (groups.into_iter().map(|pieces| joined(forms, pieces)).collect(), refused)
}

fn split_refused(pieces: impl Iterator<Item = Result<Piece, Refused>>) -> (Vec<Piece>, Vec<Refused>) {
    let (mut kept, mut refused) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Ok(piece) => kept.push(piece),
            Err(why) => refused.push(why),
        }
    }
    (kept, refused)
}

/// Groups that differ in the host alone, and show the same ids, are one; hosts named after languages are not.
fn same_hosts(groups: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    let mut by_path: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    for (at, group) in groups.iter().enumerate() {
        let piece = &group[0];
        let domain = psl::domain_str(host(&piece.origin)).unwrap_or("").to_owned();
        by_path.entry(domain + &piece.core[piece.origin.len()..]).or_default().push(at);
    }
    let mut into: Vec<usize> = (0..groups.len()).collect();
    for alike in by_path.values() {
        for (nth, &at) in alike.iter().enumerate() {
            let same = |&&other: &&usize| into[other] == other && same_ids(&groups[other], &groups[at]);
            if let Some(&other) = alike[..nth].iter().find(same) {
                into[at] = other;
            }
        }
    }
    let mut joined: Vec<Vec<Piece>> = (0..groups.len()).map(|_| Vec::new()).collect();
    for (at, group) in groups.into_iter().enumerate() {
        joined[into[at]].extend(group);
    }
    joined.retain(|group| !group.is_empty());
    joined
}

fn same_ids(one: &[Piece], other: &[Piece]) -> bool {
    let language = |piece: &Piece| host(&piece.origin).split('.').next().is_some_and(|label| label.len() == 2);
    let of = |pieces: &[Piece]| pieces.iter().flat_map(|piece| piece.ids.iter().copied()).collect::<FxHashSet<u64>>();
    let (one_ids, other_ids) = (of(one), of(other));
    let common = one_ids.intersection(&other_ids).count() as f64;
    let languages = language(&one[0]) || language(&other[0]);
    !languages && common >= SAME_IDS * one_ids.len().min(other_ids.len()) as f64
}

/// One template of all forms; the form with most addresses is shown, the shortest is filled.
fn joined(forms: &Forms, mut pieces: Vec<Piece>) -> Template {
    pieces.sort_by_key(|piece| (std::cmp::Reverse(piece.leaf.rows.len()), piece.shown.len(), piece.shown.clone()));
    let shortest = pieces.iter().min_by_key(|piece| piece.shown.len()).unwrap_or(&pieces[0]);
    let mut known: Vec<u64> = pieces.iter().flat_map(|piece| piece.ids.iter().copied()).collect();
    known.sort_unstable();
    known.dedup();
    let (mut urls, mut rows) = (Vec::new(), 0);
    for piece in &pieces {
        let form = &forms.forms[piece.leaf.form];
        let own: FxHashSet<u32> = piece.leaf.rows.iter().copied().collect();
        rows += own.len();
        urls.extend(piece.leaf.rows.iter().map(|&row| form.urls[row as usize]));
        urls.extend(form.others.iter().filter(|(row, _)| own.contains(row)).map(|(_, url)| *url));
    }
    urls.sort_unstable();
    let several = pieces.len() > 1 || urls.len() > rows || !all_written_so(forms, &pieces[0]);
    let addresses = urls.len();
    let urls =
        if several { urls.into_iter().map(|at| forms.list[at as usize].to_owned()).collect() } else { Vec::new() };
    Template {
        template: as_written(forms, &pieces[0]),
        addresses,
        width: width(forms, &pieces),
        fill: fill(forms, shortest),
        forms: pieces[1..].iter().map(|piece| as_written(forms, piece)).collect(),
        base: shortest.leaf.base,
        dates: shortest.leaf.dates,
        samples: samples(forms, shortest),
        known,
        urls,
    }
}

/// The layout leaves out a visit's parameters and a trailing slash; shown is how the first row is written.
fn as_written(forms: &Forms, piece: &Piece) -> String {
    let (slash, visit) = beside(first_url(forms, piece));
    let (path, query) = piece.shown.split_once('?').map_or((&*piece.shown, None), |(path, query)| (path, Some(query)));
    let visit = visit.iter().map(|name| format!("{name}={ANY}"));
    let query: Vec<String> = query.map(str::to_owned).into_iter().chain(visit).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{path}{}{mark}{}", if slash { "/" } else { "" }, query.join("&"))
}

fn first_url<'l>(forms: &Forms<'l>, piece: &Piece) -> &'l str {
    forms.list[forms.forms[piece.leaf.form].urls[piece.leaf.rows[0] as usize] as usize]
}

/// Has it a trailing slash, and which parameters of a visit?
fn beside(url: &str) -> (bool, Vec<&str>) {
    let url = url.split('#').next().unwrap_or("");
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let names = query.split('&').map(|part| part.split('=').next().unwrap_or(""));
    (path.ends_with('/'), names.filter(|name| names_visit(name)).collect())
}

/// Are all rows written as the first is?
fn all_written_so(forms: &Forms, piece: &Piece) -> bool {
    let form = &forms.forms[piece.leaf.form];
    let first = beside(first_url(forms, piece));
    piece.leaf.rows.iter().all(|&row| beside(forms.list[form.urls[row as usize] as usize]) == first)
}

/// Digits of each id, when all have as many and some begin with 0.
fn width(forms: &Forms, pieces: &[Piece]) -> Option<usize> {
    let texts = || {
        pieces.iter().flat_map(|piece| {
            let form = &forms.forms[piece.leaf.form];
            piece.leaf.rows.iter().map(move |&row| forms.text(form.cell(row, piece.leaf.id)))
        })
    };
    let first = texts().next()?.len();
    if pieces[0].leaf.base == 16 {
        return Some(first);
    }
    (first > 1 && texts().any(|text| text.starts_with('0')) && texts().all(|text| text.len() == first)).then_some(first)
}

/// Up to four addresses with their ids, spread over the series.
fn samples(forms: &Forms, piece: &Piece) -> Vec<(u64, String)> {
    let form = &forms.forms[piece.leaf.form];
    let id = |row: u32| forms.number(form.cell(row, piece.leaf.id), piece.leaf.base);
    let mut rows: Vec<u32> = piece.leaf.rows.clone();
    rows.sort_by_key(|&row| (id(row), row));
    rows.dedup_by_key(|row| id(*row));
    let last = rows.len() - 1;
    let mut places = [last / 2, last, last / 4, 0].to_vec();
    let mut seen = FxHashSet::default();
    places.retain(|place| seen.insert(*place));
    places.into_iter().map(|at| (id(rows[at]), forms.list[form.urls[rows[at] as usize] as usize].to_owned())).collect()
}

/// An address of the main form, as it was written, with the id as placeholder: what new addresses are made from.
fn fill(forms: &Forms, piece: &Piece) -> String {
    let form = &forms.forms[piece.leaf.form];
    let row = piece.leaf.rows[0];
    let url = forms.list[form.urls[row as usize] as usize];
    let id = forms.text(form.cell(row, piece.leaf.id));
    place(url, id, &form.layout, piece.leaf.id).map_or_else(|| piece.shown.clone(), |fill| without_visit(&fill))
}

/// Another visitor's session is not to be gone on with.
fn without_visit(url: &str) -> String {
    let url = url.split('#').next().unwrap_or("");
    let Some((path, query)) = url.split_once('?') else { return url.to_owned() };
    let kept: Vec<&str> = query.split('&').filter(|part| !names_visit(part.split('=').next().unwrap_or(""))).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}

/// Where the id stands in an address: the layout's text before and after it decides between equal numbers.
fn place(url: &str, id: &str, layout: &str, column: usize) -> Option<String> {
    let holder = |c: char| c == TEXT || c == NUMBER;
    let parts: Vec<&str> = layout.split(holder).collect();
    let (before, after) = (parts.get(column)?, parts.get(column + 1)?);
    let before = before.rsplit(['?', '&']).next().unwrap_or(before);
    let after = after.split(['&', '?']).next().unwrap_or(after);
    let ends = |at: usize| {
        let rest = &url[at + id.len()..];
        let next = rest.chars().next();
        !next.is_some_and(|c| c.is_ascii_digit()) && (after.is_empty() || rest.starts_with(after))
    };
    let starts = |at: usize| url[..at].to_ascii_lowercase().ends_with(&before.to_ascii_lowercase());
    let at = url.match_indices(id).map(|(at, _)| at).filter(|&at| starts(at) && ends(at)).last()?;
    Some(format!("{}{ID}{}", &url[..at], &url[at + id.len()..]))
}
