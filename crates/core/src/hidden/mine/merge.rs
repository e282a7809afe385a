//! Which leaves are the same entities under other addresses? Leaves → templates, one for each set of entities and view.
//!
//! Merged are forms that differ only in what may be absent: text beside or behind the id, parameters, a trailing slash
//! (the thesis cannot merge these, 4.1), runs of open path elements of different length, hosts that show the same ids, and
//! print versions. What the addresses alone cannot show, as two routes to one page, is left to the requests.

use super::divide::Leaf;
use super::split::{NUMBER, TEXT};
use super::table::{Forms, Kind};
use super::words;
use crate::hidden::{ANY, ID, TEXT_PART, Template};
use crate::page::address::names_visit;
use rustc_hash::{FxHashMap, FxHashSet};

/// Share of the ids that two hosts must have in common to be taken for two names of one. Such hosts in the data share all; less
/// leaves room for a crawl that did not finish.
const SAME_IDS: f64 = 0.8;

pub fn templates(forms: &Forms, leaves: Vec<Leaf>) -> Vec<Template> {
    let mut order: Vec<String> = Vec::new();
    let mut groups: FxHashMap<String, Vec<Piece>> = FxHashMap::default();
    for leaf in leaves {
        let Some(piece) = Piece::of(forms, leaf) else { continue };
        let group = groups.entry(piece.core.clone()).or_insert_with(|| {
            order.push(piece.core.clone());
            Vec::new()
        });
        group.push(piece);
    }
    let groups: Vec<Vec<Piece>> = order.into_iter().filter_map(|core| groups.remove(&core)).collect();
    same_hosts(groups).into_iter().map(|pieces| joined(forms, pieces)).collect()
}

/// A leaf with what is compared.
struct Piece {
    leaf: Leaf,
    origin: String,
    /// What stays when everything that may be absent is taken away.
    core: String,
    /// As it is shown.
    shown: String,
    ids: FxHashSet<u64>,
}

impl Piece {
    /// None when its words say that it is to be left alone.
    fn of(forms: &Forms, leaf: Leaf) -> Option<Self> {
        let form = &forms.forms[leaf.form];
        let shown = shown(forms, &leaf);
        let origin = origin(&form.layout).to_owned();
        if words::off_limits(&fixed(&shown[origin.len()..])) || words::serves_no_pages(host(&origin)) {
            return None;
        }
        if named_before(&shown).is_some_and(|name| words::counts_in_path(&name)) {
            return None;
        }
        let ids = leaf.rows.iter().map(|&row| forms.number(form.cell(row, leaf.id), leaf.base)).collect();
        Some(Self { core: core(&shown), origin, shown, ids, leaf })
    }
}

fn origin(layout: &str) -> &str {
    let after = layout.find("://").map_or(0, |at| at + 3);
    &layout[..layout[after..].find('/').map_or(layout.len(), |at| at + after)]
}

fn host(origin: &str) -> &str {
    origin.split("://").nth(1).unwrap_or(origin)
}

/// The words of a template that are the same for all its pages; of parameters only the values.
fn fixed(shown: &str) -> String {
    let (path, query) = shown.split_once('?').unwrap_or((shown, ""));
    let values = query.split('&').filter_map(|part| part.split_once('=')).map(|(_, value)| value);
    let text = std::iter::once(path).chain(values).collect::<Vec<_>>().join("/");
    text.replace(ID, "/").replace(TEXT_PART, "/").replace(ANY, "/")
}

/// The word before the id in the path: of the same element (`page-5`), else the element before (`/page/5`).
fn named_before(shown: &str) -> Option<String> {
    let path = shown.split('?').next()?;
    let before = &path[..path.find(ID)?];
    let own = before.rsplit('/').next()?;
    if !own.is_empty() {
        return own.split(|c: char| !c.is_ascii_alphabetic()).rfind(|word| !word.is_empty()).map(str::to_owned);
    }
    before.trim_end_matches('/').rsplit('/').next().map(str::to_owned)
}

/// The layout with the id, and what is open, as placeholders. A number that is the same in all rows is text.
fn shown(forms: &Forms, leaf: &Leaf) -> String {
    let form = &forms.forms[leaf.form];
    let first = form.row(leaf.rows[0]);
    let same = |column: usize| leaf.rows.iter().all(|&row| form.cell(row, column) == first[column]);
    let mut text = String::with_capacity(form.layout.len() + 16);
    let mut column = 0;
    for c in form.layout.chars() {
        if c != TEXT && c != NUMBER {
            text.push(c);
            continue;
        }
        if column == leaf.id {
            text.push_str(ID);
        } else if same(column) {
            text.push_str(forms.text(first[column]));
        } else if form.columns[column].kind == Kind::Text && form.columns[column].parameter.is_none() {
            text.push_str(TEXT_PART);
        } else {
            text.push_str(ANY);
        }
        column += 1;
    }
    text
}

fn core(shown: &str) -> String {
    let (path, query) = shown.split_once('?').unwrap_or((shown, ""));
    let mut elements: Vec<&str> = Vec::new();
    let mut after = false;
    for element in path.split('/') {
        if after && is_trail(element) {
            break;
        }
        let open = element == TEXT_PART || element == ANY || element.trim_start_matches(TEXT_PART).starts_with('.');
        if open && (after || elements.last() == Some(&TEXT_PART)) {
            continue;
        }
        after |= element.contains(ID);
        elements.push(if open { TEXT_PART } else { element });
    }
    let path = elements.join("/").replace(&format!("{TEXT_PART}-"), "").replace(&format!("-{TEXT_PART}"), "");
    let kept =
        |part: &&str| part.contains(ID) || part.split_once('=').is_some_and(|(name, _)| words::chooses_page(name));
    let query: Vec<&str> = query.split('&').filter(kept).collect();
    format!("{path}?{}", query.join("&"))
}

/// A path element that says where the visitor came from; what follows belongs to it.
fn is_trail(element: &str) -> bool {
    let lower = element.to_ascii_lowercase();
    lower.starts_with("ref=") || lower.contains("trk") || lower.contains("tracking")
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
