//! Do two folders show the same pages? Groups of templates → groups, those of such folders as one.
//!
//! `/collections/all/products/m-1` and `/collections/keys/products/m-1` may be one page or two: numbers of two series meet by chance.
//! Names do not. Where the two folders have most of their other names in common, they are two ways to the same pages, and one template
//! does for both. Only folders above another one are compared (`products` says what the pages are): `/overview/5` and `/tuition/5` are
//! views of their own.

use super::piece::Piece;
use super::table::Forms;
use crate::hidden::ID;
use rustc_hash::{FxHashMap, FxHashSet};

/// Names that two folders must have in common, and in which share of those of the smaller one.
const NAMES: usize = 5;
const SHARE: f64 = 0.5;

/// A group, and the folder its numbers stand in.
struct Place {
    group: usize,
    folder: String,
    /// The last path element without its number.
    name: String,
}

pub fn same_pages(forms: &Forms, groups: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    let mut alike: FxHashMap<String, Vec<Place>> = FxHashMap::default();
    for (group, pieces) in groups.iter().enumerate() {
        for (key, place) in places(group, &pieces[0]) {
            alike.entry(key).or_default().push(place);
        }
    }
    alike.retain(|_, places| places.len() > 1);
    let names = names(forms, alike.values().flatten().map(|place| place.folder.as_str()).collect());
    let mut into: Vec<usize> = (0..groups.len()).collect();
    let mut order: Vec<&Vec<Place>> = alike.values().collect();
    order.sort_by_key(|places| places[0].group);
    for places in order {
        for (nth, place) in places.iter().enumerate() {
            let first = places[..nth].iter().find(|other| have_the_same(&names, other, place));
            if let Some(first) = first {
                into[place.group] = into[place.group].min(into[first.group]);
            }
        }
    }
    joined(groups, &into)
}

fn joined(groups: Vec<Vec<Piece>>, into: &[usize]) -> Vec<Vec<Piece>> {
    let mut joined: Vec<Vec<Piece>> = (0..groups.len()).map(|_| Vec::new()).collect();
    for (at, group) in groups.into_iter().enumerate() {
        joined[into[at]].extend(group);
    }
    joined.retain(|group| !group.is_empty());
    joined
}

/// For each folder that may be one of several: the address without it.
fn places(group: usize, piece: &Piece) -> Vec<(String, Place)> {
    let path = piece.core.split('?').next().unwrap_or("");
    let elements: Vec<&str> = path[piece.origin.len()..].split('/').collect();
    let Some(last) = elements.iter().position(|element| element.contains(ID)) else { return Vec::new() };
    let is_plain = |element: &&str| !element.is_empty() && !element.contains('{');
    let kept = (1..last.saturating_sub(1)).filter(|&at| elements[at..last].iter().all(is_plain));
    kept.map(|at| {
        let key = [elements[..at].join("/"), elements[at + 1..].join("/")].join("/*/");
        let folder = format!("{}{}", piece.origin, elements[..last].join("/")).to_ascii_lowercase();
        (format!("{}{key}", piece.origin), Place { group, folder, name: elements[last].replace(ID, "") })
    })
    .collect()
}

/// The names with letters that these folders have.
fn names<'l>(forms: &Forms<'l>, folders: FxHashSet<&str>) -> FxHashMap<String, FxHashSet<&'l str>> {
    let mut names: FxHashMap<String, FxHashSet<&str>> = FxHashMap::default();
    if folders.is_empty() {
        return names;
    }
    for url in forms.list {
        let path = url.split(['?', '#']).next().unwrap_or("").trim_end_matches('/');
        let Some((folder, name)) = path.rsplit_once('/') else { continue };
        let folder = folder.to_ascii_lowercase();
        if folders.contains(folder.as_str()) && name.contains(|c: char| c.is_ascii_alphabetic()) {
            names.entry(folder).or_default().insert(name);
        }
    }
    names
}

fn have_the_same(names: &FxHashMap<String, FxHashSet<&str>>, one: &Place, other: &Place) -> bool {
    let (Some(first), Some(second)) = (names.get(&one.folder), names.get(&other.folder)) else { return false };
    // Those of the template itself are what is in question.
    let others = |names: &FxHashSet<&str>| names.iter().filter(|name| without_digits(name) != one.name).count();
    let common = first.intersection(second).filter(|name| without_digits(name) != one.name).count();
    common >= NAMES && common as f64 >= SHARE * others(first).min(others(second)) as f64
}

fn without_digits(name: &str) -> String {
    name.chars().filter(|c| !c.is_ascii_digit()).collect()
}
