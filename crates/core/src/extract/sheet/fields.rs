//! Which pieces of different pages are the same fact? Pieces of all pages → [`Field`]s.
//!
//! - [`Field`]: pieces in elements of one path with one label, and what of them is the value. - [`Cell`]: one value of one page.
//!
//! A piece of the same few inline elements on most pages was filled in by a template, and each of them is a fact; one whose elements differ was
//! written by an author, and is one text.

use super::super::class::Class;
use super::super::leaves::Leaves;
use super::super::template::{after_label, label_within};
use super::authored;
use super::cut::{Known, PROSE, Piece, is_inline};
use crate::page::dom::{Document, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A piece has a shape when this share of its pages shows it, and a shape has so many texts at most. Set by hand.
const ONE_SHAPE: f64 = 0.7;
const MOST_TEXTS: usize = 8;

/// A part of a piece that this share of the pieces has is a fact of its own. Set by hand.
const OPTIONAL: f64 = 0.2;

/// A path stands once on a page when it does so on this share of its pages. Set by hand.
const ONCE: f64 = 0.95;

/// A path's texts begin with labels when this share of them does. Set by hand.
const COLONS: f64 = 0.5;

/// A path is one of values when fewer than this share of its texts are on so many of its pages; fewer pages tell nothing. Set by hand.
const FEW_SAME: f64 = 0.2;
const OFTEN: f64 = 0.4;
const FEW_PAGES: usize = 5;

/// Two fields without a label are one when each has this share of the pages, and no page both. Set by hand.
const APART: f64 = 0.1;

/// A value of a list that this share of its pages has is template. Set by hand.
const FIXED: f64 = 0.8;

/// A field is a list when this share of its pages has several. Set by hand.
const MANY: f64 = 0.1;

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    Whole,
    /// As [`Whole`](Self::Whole); the pieces of a page are paragraphs of one text.
    Joined,
    Items,
    Texts,
    /// The n-th text of a path.
    Part(u64, u16),
}

#[derive(Debug, Clone)]
pub struct Cell {
    pub text: String,
    /// The first leaf of it.
    pub leaf: u32,
    /// Number of the piece on its page.
    pub piece: u32,
}

#[derive(Debug, Clone)]
pub struct Field {
    pub path: u64,
    /// Words of its labels, the most frequent first; empty: none.
    pub labels: Vec<u64>,
    /// A text before it, the same wherever it stands.
    pub lead: Option<String>,
    /// Does only a piece with one of these labels belong to it?
    pub by_label: bool,
    pub mode: Mode,
    /// By page.
    pub cells: Vec<Vec<Cell>>,
    /// Does a page have several pieces of it?
    pub many: bool,
    /// Plain texts that are no values of a list: nearly all pages have them.
    pub skip: Vec<String>,
    /// The same fact where other pages show it.
    pub also: Vec<Field>,
}

impl Field {
    /// Pages that have it.
    pub fn pages(&self) -> usize {
        self.cells.iter().filter(|cells| !cells.is_empty()).count()
    }

    pub fn fill(&self) -> f64 {
        self.pages() as f64 / self.cells.len().max(1) as f64
    }

    pub fn is_prose(&self) -> bool {
        let all: usize = self.cells.iter().flatten().map(|cell| cell.text.len()).sum();
        all >= PROSE * self.cells.iter().map(Vec::len).sum::<usize>().max(1)
    }

    pub fn is_list(&self) -> bool {
        self.many || matches!(self.mode, Mode::Items | Mode::Texts)
    }

    /// The first cell of the first page that has one.
    pub fn sample(&self) -> Option<(usize, &Cell)> {
        self.cells.iter().enumerate().find_map(|(page, cells)| Some((page, cells.first()?)))
    }
}

/// What cuts the pages of a class.
pub fn known(class: &Class) -> Known {
    let mut places: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
    let mut pages_with: FxHashMap<(u64, &str), FxHashSet<usize>> = FxHashMap::default();
    for (number, page) in class.pages.iter().enumerate() {
        for leaf in page.list.iter().filter(|leaf| leaf.word != 0) {
            if let Some(label) = label_within(&leaf.text) {
                pages_with.entry((leaf.path, label)).or_default().insert(number);
            }
        }
    }
    let few = (class.pages.len() / 20).max(2.min(class.pages.len()));
    for page in &class.pages {
        for leaf in page.list.iter().filter(|leaf| leaf.word != 0 && !class.template.anchors.contains(&leaf.word)) {
            let (all, with) = places.entry(leaf.path).or_default();
            let often = |label: &str| pages_with[&(leaf.path, label)].len() >= few;
            *all += 1;
            *with += usize::from(label_within(&leaf.text).is_some_and(often));
        }
    }
    let mut anchors = class.template.anchors.clone();
    anchors.extend(fixed_headings(class, few));
    let colons =
        places.into_iter().filter(|(_, (all, with))| *with as f64 >= *all as f64 * COLONS).map(|(path, _)| path);
    let values = value_paths(class, &anchors);
    let authored = authored::paths(class, &anchors);
    Known { steps: class.template.steps.clone(), anchors, colons: colons.collect(), values, authored }
}

/// Paths where texts of the template are met, and hardly a text is the same on several pages.
fn value_paths(class: &Class, anchors: &FxHashSet<u64>) -> FxHashSet<u64> {
    let mut texts: FxHashMap<u64, FxHashMap<u64, usize>> = FxHashMap::default();
    let mut pages_with: FxHashMap<u64, usize> = FxHashMap::default();
    for page in &class.pages {
        let met: FxHashSet<(u64, u64)> =
            page.list.iter().filter(|leaf| leaf.word != 0).map(|leaf| (leaf.path, leaf.word)).collect();
        let paths: FxHashSet<u64> = met.iter().map(|(path, _)| *path).collect();
        paths.into_iter().for_each(|path| *pages_with.entry(path).or_default() += 1);
        met.into_iter().for_each(|(path, word)| *texts.entry(path).or_default().entry(word).or_default() += 1);
    }
    let holds_values = |path: u64, words: &FxHashMap<u64, usize>| {
        let often = |times: usize| times as f64 >= pages_with[&path] as f64 * OFTEN;
        let (all, same) = words
            .values()
            .fold((0, 0), |(all, same), &times| (all + times, same + if often(times) { times } else { 0 }));
        pages_with[&path] >= FEW_PAGES && (same as f64) < f64::from(all as u32) * FEW_SAME
    };
    let met = |words: &FxHashMap<u64, usize>| words.keys().any(|word| anchors.contains(word));
    texts.iter().filter(|(path, words)| met(words) && holds_values(**path, words)).map(|(path, _)| *path).collect()
}

/// Texts of headings and terms whose place never shows anything else.
fn fixed_headings(class: &Class, few: usize) -> Vec<u64> {
    let mut texts: FxHashMap<u64, FxHashMap<u64, usize>> = FxHashMap::default();
    for (document, page) in class.documents.iter().zip(&class.pages) {
        for leaf in page.list.iter().filter(|leaf| leaf.word != 0) {
            let made = document.parent(leaf.node).map(|above| document.name(above));
            if matches!(made, Some("h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "th" | "legend" | "caption" | "label")) {
                *texts.entry(leaf.path).or_default().entry(leaf.word).or_default() += 1;
            }
        }
    }
    let fixed = texts.into_values().filter_map(|times| {
        let (all, most) = (times.values().sum::<usize>(), times.iter().max_by_key(|(word, times)| (**times, **word))?);
        (*most.1 >= few && *most.1 * 10 >= all * 9).then_some(*most.0)
    });
    fixed.collect()
}

pub struct Pages<'c> {
    pub class: &'c Class,
    pub pieces: Vec<Vec<Piece>>,
    /// What each page is called, as [`plain`] writes it; empty while that is not known.
    pub titles: Vec<String>,
}

/// The fields of a class, in the order of the pages.
pub fn fields(pages: &Pages) -> Vec<Field> {
    let mut groups: Groups = BTreeMap::new();
    let mut of_path: FxHashMap<u64, FxHashMap<usize, usize>> = FxHashMap::default();
    for (page, pieces) in pages.pieces.iter().enumerate() {
        for (at, piece) in pieces.iter().enumerate() {
            groups.entry((piece.path, piece.label)).or_default().push((page, at));
            *of_path.entry(piece.path).or_default().entry(page).or_default() += 1;
        }
    }
    let once = |path: u64| {
        let times = &of_path[&path];
        times.values().filter(|times| **times == 1).count() as f64 >= times.len() as f64 * ONCE
    };
    let groups = first_rows(groups);
    let mut merged: BTreeMap<(u64, u64), Vec<(usize, usize)>> = BTreeMap::new();
    let mut labels: FxHashMap<(u64, u64), Vec<(u64, usize)>> = FxHashMap::default();
    for ((path, label), places) in groups {
        let key = if once(path) { (path, 0) } else { (path, label) };
        if label != 0 {
            labels.entry(key).or_default().push((label, places.len()));
        }
        merged.entry(key).or_default().extend(places);
    }
    let mut all: Vec<Field> = Vec::new();
    for ((path, label), mut places) in merged {
        places.sort_unstable();
        let mut labels = labels.remove(&(path, label)).unwrap_or_default();
        labels.sort_by_key(|(label, times)| (std::cmp::Reverse(*times), *label));
        let common = labels.iter().map(|(_, times)| times).sum::<usize>() * 2 > places.len();
        let labels = if common { labels.into_iter().map(|(label, _)| label).collect() } else { Vec::new() };
        of_group(pages, path, labels, !once(path), &places, &mut all);
    }
    let mut all = merged_by_place(pages, merged_by_label(all));
    all.iter_mut().filter(|field| field.is_list() && !field.many).for_each(|field| skip_fixed(field, &pages.titles));
    all.sort_by_cached_key(|field| {
        let mut firsts: Vec<u32> = field.cells.iter().filter_map(|cells| Some(cells.first()?.leaf)).collect();
        firsts.sort_unstable();
        (firsts.get(firsts.len() / 2).copied(), field.path, field.mode.clone())
    });
    all
}

/// Rows without a label, of which the first stands below a label that is not its own: all are rows.
fn first_rows(mut groups: Groups) -> Groups {
    let bare: Vec<u64> = groups.keys().filter(|(_, label)| *label == 0).map(|(path, _)| *path).collect();
    for path in bare {
        let rows = groups[&(path, 0)].clone();
        let mut first: FxHashMap<usize, usize> = FxHashMap::default();
        for (page, at) in &rows {
            first.entry(*page).and_modify(|known| *known = (*known).min(*at)).or_insert(*at);
        }
        if rows.len() * 2 < first.len() * 3 {
            continue;
        }
        let others: Vec<u64> = groups.range((path, 1)..=(path, u64::MAX)).map(|((_, label), _)| *label).collect();
        for label in others {
            let places = &groups[&(path, label)];
            let pages: FxHashSet<usize> = places.iter().map(|(page, _)| *page).collect();
            // On pages with one row only the label stands; where most are such, it is a label of its own.
            let beside: Vec<bool> = places.iter().filter_map(|(page, at)| Some(at < first.get(page)?)).collect();
            let leads = beside.iter().filter(|leads| **leads).count();
            if pages.len() == places.len() && beside.len() * 3 >= places.len() && leads * 5 >= beside.len() * 4 {
                let moved = groups.remove(&(path, label)).unwrap_or_default();
                groups.entry((path, 0)).or_default().extend(moved);
            }
        }
    }
    groups
}

/// Page and number of a piece, by path and label.
type Groups = BTreeMap<(u64, u64), Vec<(usize, usize)>>;

/// What nearly all lists have in common is template, and what the page is called is no value of it.
pub fn skip_fixed(field: &mut Field, titles: &[String]) {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for cells in &field.cells {
        let texts: FxHashSet<String> = cells.iter().map(|cell| plain(&cell.text)).collect();
        texts.into_iter().for_each(|text| *times.entry(text).or_default() += 1);
    }
    let least = field.pages() as f64 * FIXED;
    let fixed = times.into_iter().filter(|(_, times)| field.cells.len() > 2 && *times as f64 >= least);
    field.skip = fixed.map(|(text, _)| text).collect();
    for (page, cells) in field.cells.iter_mut().enumerate() {
        let title = titles.get(page).filter(|title| !title.is_empty());
        cells.retain(|cell| {
            let text = plain(&cell.text);
            !field.skip.contains(&text) && Some(&text) != title
        });
    }
}

/// What has the same label, on different pages, is one fact that two templates show.
fn merged_by_label(all: Vec<Field>) -> Vec<Field> {
    let mut merged: Vec<Field> = Vec::new();
    for field in all {
        let same = |other: &&mut Field| {
            let both = field.cells.iter().zip(&other.cells).filter(|(own, other)| !own.is_empty() && !other.is_empty());
            !field.labels.is_empty()
                && field.labels.first() == other.labels.first()
                && (field.many == other.many
                    && !matches!(field.mode, Mode::Part(..))
                    && !matches!(other.mode, Mode::Part(..)))
                && both.count() * 20 <= field.pages().min(other.pages())
        };
        match merged.iter_mut().find(same) {
            Some(other) => {
                for (cells, more) in other.cells.iter_mut().zip(&field.cells).filter(|(cells, _)| cells.is_empty()) {
                    cells.clone_from(more);
                }
                other.also.push(field);
            }
            None => merged.push(field),
        }
    }
    merged
}

/// What stands in the same elements on the other pages is one fact that two templates show: elements of the same look in a frame of another
/// one, or the same frame in another look.
fn merged_by_place(pages: &Pages, all: Vec<Field>) -> Vec<Field> {
    let least = pages.pieces.len() as f64 * APART;
    let mut merged: Vec<(Option<Place>, Field)> = Vec::new();
    for field in all {
        let own = place(pages, &field).filter(|_| field.pages() > 1);
        let same = |(place, other): &&mut (Option<Place>, Field)| {
            let (Some(own), Some(place)) = (&own, place) else { return false };
            let plain = |field: &Field| field.labels.is_empty() && !field.many && field.pages() as f64 >= least;
            let alike = own.nth == place.nth
                && (own.look.is_some() && own.look == place.look
                    || plain(&field) && plain(other) && own.frame == place.frame);
            let both = || field.cells.iter().zip(&other.cells).any(|(own, other)| !own.is_empty() && !other.is_empty());
            alike
                && field.labels.first() == other.labels.first()
                && field.many == other.many
                && field.is_prose() == other.is_prose()
                && !both()
        };
        match merged.iter_mut().find(same) {
            Some((_, other)) => {
                for (cells, more) in other.cells.iter_mut().zip(&field.cells).filter(|(cells, _)| cells.is_empty()) {
                    cells.clone_from(more);
                }
                other.also.push(field);
            }
            None => merged.push((own, field)),
        }
    }
    merged.into_iter().map(|(_, field)| field).collect()
}

/// Where a field stands.
struct Place {
    /// The names of all elements around it.
    frame: String,
    /// The last elements with their marks; none when these have none.
    look: Option<String>,
    /// Which of the texts of a piece.
    nth: u16,
}

/// Elements that tell a look. Set by hand.
const LOOK: usize = 3;

fn place(pages: &Pages, field: &Field) -> Option<Place> {
    let (page, cell) = field.sample()?;
    let (document, steps) = (&pages.class.documents[page], &pages.class.template.steps);
    let (node, nth) = match field.mode {
        Mode::Part(_, nth) => (pages.class.pages[page].list[cell.leaf as usize].node, nth + 1),
        Mode::Whole => (pages.pieces[page][cell.piece as usize].node, 0),
        _ => return None,
    };
    let above = || std::iter::successors(Some(node), |&node| document.parent(node));
    let frame: Vec<&str> = above().map(|node| document.name(node)).collect();
    let marked = above().take(LOOK - 1).any(|node| steps.has_mark(document, node));
    let written = steps.written(document, node);
    let look: Vec<&str> = written.rsplit('/').take(LOOK).collect();
    Some(Place { frame: frame.join("/"), look: marked.then(|| look.join("/")), nth })
}

fn of_group(
    pages: &Pages,
    path: u64,
    labels: Vec<u64>,
    by_label: bool,
    places: &[(usize, usize)],
    all: &mut Vec<Field>,
) {
    let many = are_several(pages, places);
    let mut lead = None;
    for mode in modes(pages, places) {
        let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); pages.pieces.len()];
        for &(page, at) in places {
            let piece = &pages.pieces[page][at];
            let (document, leaves) = (&pages.class.documents[page], &pages.class.pages[page]);
            let values = values(document, leaves, piece, &mode);
            cells[page].extend(values.into_iter().map(|(text, leaf)| Cell { text, leaf, piece: at as u32 }));
        }
        let fixed = fixed(&cells).filter(|_| matches!(mode, Mode::Part(..)) && !is_linked(pages, &cells));
        all.push(Field {
            path,
            labels: labels.clone(),
            lead: lead.clone(),
            by_label,
            mode,
            cells,
            many,
            skip: Vec::new(),
            also: Vec::new(),
        });
        lead = fixed.or(lead);
    }
}

/// Do pages have several of these pieces that say different things?
fn are_several(pages: &Pages, places: &[(usize, usize)]) -> bool {
    let mut with: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    places.iter().for_each(|(page, at)| with.entry(*page).or_default().push(*at));
    let differ = |(page, pieces): (&usize, &Vec<usize>)| {
        let leaves = &pages.class.pages[*page];
        let text = |at: &usize| {
            pages.pieces[*page][*at].leaves().map(|leaf| leaves.list[leaf as usize].word).collect::<Vec<_>>()
        };
        pieces.len() > 1 && pieces[1..].iter().any(|at| text(at) != text(&pieces[0]))
    };
    let several = with.iter().filter(|one| differ((one.0, one.1))).count();
    several as f64 > with.len() as f64 * MANY
}

/// Is the first of these texts a link? It leads elsewhere, and says nothing of its neighbour.
fn is_linked(pages: &Pages, cells: &[Vec<Cell>]) -> bool {
    let Some((page, cell)) = cells.iter().enumerate().find_map(|(page, cells)| Some((page, cells.first()?))) else {
        return false;
    };
    let document = &pages.class.documents[page];
    let node = pages.class.pages[page].list[cell.leaf as usize].node;
    std::iter::successors(document.parent(node), |&node| document.parent(node))
        .take(3)
        .any(|node| document.name(node) == "a")
}

/// The one text that nearly all cells hold.
fn fixed(cells: &[Vec<Cell>]) -> Option<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    cells.iter().flatten().for_each(|cell| *times.entry(&cell.text).or_default() += 1);
    let all: usize = times.values().sum();
    let (text, most) = times.into_iter().max_by_key(|(text, times)| (*times, *text))?;
    (all > 2 && most * 10 >= all * 9).then(|| text.to_lowercase())
}

fn worded<'l>(page: &'l Leaves, piece: &'l Piece) -> impl Iterator<Item = u32> + 'l {
    piece.leaves().filter(|&at| page.list[at as usize].word != 0)
}

/// What of these pieces are the values.
fn modes(pages: &Pages, places: &[(usize, usize)]) -> Vec<Mode> {
    let mut shapes: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
    let (mut lists, mut uniform, mut long) = (0, 0, 0);
    for &(page, at) in places {
        let (document, leaves, piece) =
            (&pages.class.documents[page], &pages.class.pages[page], &pages.pieces[page][at]);
        let shape: Vec<u64> = worded(leaves, piece).map(|at| leaves.list[at as usize].path).collect();
        lists += usize::from(is_list(document, piece));
        uniform += usize::from(shape.iter().all(|path| *path == shape[0]) && piece.blocks.len() == 1);
        long += usize::from(shape.len() > 1);
        *shapes.entry(shape).or_default() += 1;
    }
    let n = places.len() as f64;
    if properties(pages, places) as f64 >= n * ONE_SHAPE {
        return vec![Mode::Whole];
    }
    if lists as f64 >= n * ONE_SHAPE {
        return vec![Mode::Items];
    }
    let (shape, times) = shapes.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0))).unwrap_or_default();
    let fixed = times as f64 >= n * ONE_SHAPE && (2..=MOST_TEXTS).contains(&shape.len());
    if fixed && (shape.iter().any(|path| *path != shape[0]) || holds_title(pages, places)) {
        let mut nth: FxHashMap<u64, u16> = FxHashMap::default();
        let part = |path: u64| {
            let nth = nth.entry(path).or_default();
            *nth += 1;
            Mode::Part(path, *nth - 1)
        };
        return shape.into_iter().map(part).collect();
    }
    if let Some(parts) = optional_parts(pages, places).filter(|_| !fixed) {
        return parts;
    }
    if !fixed && uniform as f64 >= n * ONE_SHAPE && long as f64 >= n * 0.3 && links(pages, places) {
        return vec![Mode::Texts];
    }
    vec![Mode::Whole]
}

/// How many of these pieces microdata or RDFa names as one value.
fn properties(pages: &Pages, places: &[(usize, usize)]) -> usize {
    let is_one = |&&(page, at): &&(usize, usize)| {
        let (document, piece) = (&pages.class.documents[page], &pages.pieces[page][at]);
        let said = |key: &str| document.attribute(piece.node, key).is_some();
        (said("itemprop") || said("property")) && !said("itemscope") && !said("typeof")
    };
    places.iter().filter(is_one).count()
}

/// The texts of pieces that have some of a few elements, each once at most: a term, its word class where that is told.
fn optional_parts(pages: &Pages, places: &[(usize, usize)]) -> Option<Vec<Mode>> {
    let mut order: Vec<u64> = Vec::new();
    let mut with: FxHashMap<u64, usize> = FxHashMap::default();
    let (mut once, mut length) = (0, 0);
    for &(page, at) in places {
        let (document, leaves) = (&pages.class.documents[page], &pages.class.pages[page]);
        let mut own: Vec<u64> = Vec::new();
        let texts = worded(leaves, &pages.pieces[page][at]).map(|leaf| &leaves.list[leaf as usize]);
        let each = texts.fold(true, |each, leaf| {
            let inline = document.parent(leaf.node).is_some_and(|above| is_inline(document.name(above)));
            length += leaf.text.len();
            let again = own.contains(&leaf.path);
            if !again {
                own.push(leaf.path);
            }
            each && inline && !again
        });
        once += usize::from(each);
        for path in own {
            *with.entry(path).or_default() += 1;
            if !order.contains(&path) {
                order.push(path);
            }
        }
    }
    let n = places.len() as f64;
    let often = |path: &&u64| with[*path] as f64 >= n * OPTIONAL;
    let paths: Vec<u64> = order.iter().filter(often).copied().collect();
    let always = paths.iter().any(|path| with[path] as f64 >= n * ONCE);
    let parts =
        (2..=MOST_TEXTS).contains(&paths.len()) && always && once as f64 >= n * ONCE && length < PROSE * places.len();
    parts.then(|| paths.into_iter().map(|path| Mode::Part(path, 0)).collect())
}

/// Is one of the texts what the page is called? The others are facts of their own then.
fn holds_title(pages: &Pages, places: &[(usize, usize)]) -> bool {
    let holds = |&&(page, at): &&(usize, usize)| {
        let Some(title) = pages.titles.get(page).filter(|title| !title.is_empty()) else { return false };
        let leaves = &pages.class.pages[page];
        worded(leaves, &pages.pieces[page][at]).any(|leaf| plain(&leaves.list[leaf as usize].text) == *title)
    };
    places.iter().filter(holds).count() as f64 >= places.len() as f64 * ONE_SHAPE
}

/// The form in which texts are compared: letters and digits in lower case.
pub fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Are the texts of these pieces links, or elements of their own, and not lines of one text?
fn links(pages: &Pages, places: &[(usize, usize)]) -> bool {
    let own = |&&(page, at): &&(usize, usize)| {
        let (document, leaves, piece) =
            (&pages.class.documents[page], &pages.class.pages[page], &pages.pieces[page][at]);
        let apart = |leaf: u32| {
            document.parent(leaves.list[leaf as usize].node) != piece.blocks.first().map(|block| block.node)
        };
        worded(leaves, piece).all(apart)
    };
    places.iter().filter(own).count() * 2 > places.len()
}

/// Is it nothing but the items of a list?
fn is_list(document: &Document, piece: &Piece) -> bool {
    let item = |node: NodeId| {
        let above = std::iter::successors(Some(node), |&node| document.parent(node)).take(3);
        above.into_iter().any(|node| document.name(node) == "li")
    };
    piece.node != piece.blocks[0].node && piece.blocks.iter().all(|block| item(block.node))
}

/// What a piece says, with the leaf that each value begins at.
pub fn values(document: &Document, page: &Leaves, piece: &Piece, mode: &Mode) -> Vec<(String, u32)> {
    let own = |leaf: u32| unlabelled(page, piece, leaf);
    match mode {
        Mode::Whole | Mode::Joined => {
            let blocks = piece.blocks.iter().map(|block| joined(block.leaves.iter().map(|&leaf| own(leaf))));
            let text: Vec<String> = blocks.filter(|text| !text.is_empty()).collect();
            vec![(trimmed(&text.join("\n")).to_owned(), piece.first())]
        }
        Mode::Items => items(document, page, piece),
        Mode::Texts => worded(page, piece)
            .map(|leaf| (trimmed(own(leaf)).to_owned(), leaf))
            .filter(|(text, _)| !text.is_empty())
            .collect(),
        Mode::Part(path, nth) => {
            let mut texts = worded(page, piece).filter(|&leaf| page.list[leaf as usize].path == *path);
            let found = texts.nth(usize::from(*nth)).map(|leaf| (trimmed(own(leaf)).to_owned(), leaf));
            found.into_iter().filter(|(text, _)| !text.is_empty()).collect()
        }
    }
}

/// The blocks of one `<li>` are one item.
fn items(document: &Document, page: &Leaves, piece: &Piece) -> Vec<(String, u32)> {
    let item = |node: NodeId| {
        let mut above = std::iter::successors(Some(node), |&node| document.parent(node)).take(4);
        above.find(|&node| document.name(node) == "li").unwrap_or(node)
    };
    let mut found: Vec<(NodeId, String, u32)> = Vec::new();
    for block in &piece.blocks {
        let text = joined(block.leaves.iter().map(|&leaf| unlabelled(page, piece, leaf)));
        let Some(&first) = block.leaves.first() else { continue };
        match found.last_mut() {
            Some((own, all, _)) if *own == item(block.node) => *all = format!("{all} {text}"),
            _ => found.push((item(block.node), text, first)),
        }
    }
    let items = found.into_iter().map(|(_, text, leaf)| (trimmed(&text).to_owned(), leaf));
    items.filter(|(text, _)| text.contains(char::is_alphanumeric)).collect()
}

/// A leaf without the label that it begins with.
fn unlabelled<'l>(page: &'l Leaves, piece: &Piece, leaf: u32) -> &'l str {
    let text = &*page.list[leaf as usize].text;
    match label_within(text).filter(|_| piece.label_leaf == Some(leaf)) {
        Some(label) => after_label(text, label),
        None => text,
    }
}

/// Texts of inline elements, as a reader sees them in a line.
fn joined<'l>(texts: impl Iterator<Item = &'l str>) -> String {
    let mut all = String::new();
    for text in texts {
        let closes = text.starts_with(['.', ',', ';', ':', '!', '?', ')', ']', '”', '’', '%']);
        if !all.is_empty() && !closes && !all.ends_with(['(', '[', '“', '/', '$', '€', '£', '#', '@']) {
            all.push(' ');
        }
        all.push_str(text);
    }
    all
}

/// Without the punctuation that only joins it to what stands around it: `- 2 pounds (` → `2 pounds`.
pub fn trimmed(text: &str) -> &str {
    let joins = |c: char| {
        c.is_whitespace() || matches!(c, ':' | '：' | ',' | ';' | '|' | '•' | '·' | '»' | '«' | '>' | '–' | '—')
    };
    let alone = |word: &str| word.chars().all(|c| joins(c) || matches!(c, '-' | '/' | '(' | ')' | '[' | ']'));
    let mut text = text.trim_start_matches(joins).trim_end_matches(joins);
    while let Some((word, rest)) = text.split_once(' ').filter(|(word, _)| alone(word)) {
        text = if word.is_empty() { rest } else { rest.trim_start_matches(joins) };
    }
    while let Some((rest, _)) = text.rsplit_once(' ').filter(|(_, word)| alone(word)) {
        text = rest.trim_end_matches(joins);
    }
    let unopened = |text: &&str| text.ends_with(')') && !text.contains('(');
    Some(text).filter(unopened).map_or(text, |text| text.trim_end_matches(')'))
}
