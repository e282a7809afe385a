//! Which folders of one class does the site itself keep apart? Types may share a template to the last label (projects, how-tos); then only lists
//! tell: those of the one never show the other.

use super::super::pattern::Folder;
use super::site_state::SiteState;
use super::state::{PatternId, State};
use crate::features::mixing::{Mixing, TYPES};
use crate::pages::Pages;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Pages looked at, or known, that a folder must have to be a class of its own.
const LOOKED: usize = 2;
const KNOWN: usize = 5;

/// Gives folders that lists keep apart classes of their own: the class of each page looked at, changed in place, and how many classes there are.
pub fn part<P: Pages>(site: &SiteState<'_, P>, state: &State, class_of: &mut [u32], mut classes: u32) -> u32 {
    let mut of_class: BTreeMap<u32, BTreeMap<&str, Vec<usize>>> = BTreeMap::new();
    for (at, page) in site.looked.iter().enumerate() {
        if let Some(name) = type_folder(state, state.pattern_of[page.id as usize]) {
            of_class.entry(class_of[at]).or_default().entry(name).or_default().push(at);
        }
    }
    for folders in of_class.into_values().filter(|folders| (2..=TYPES).contains(&folders.len())) {
        let names: Vec<&str> = folders.keys().copied().collect();
        let apart = kept_apart(site, state, &names);
        let largest = folders.iter().max_by_key(|(_, pages)| pages.len()).map(|(name, _)| *name);
        for ((name, pages), apart) in folders.iter().zip(apart) {
            if apart && pages.len() >= LOOKED && Some(*name) != largest {
                pages.iter().for_each(|&at| class_of[at] = classes);
                classes += 1;
            }
        }
    }
    classes
}

/// The last folder of a pattern, where it is named.
fn type_folder(state: &State, pattern: PatternId) -> Option<&str> {
    match state.patterns[pattern as usize].folders.last() {
        Some(Folder::Named(name)) => Some(name),
        _ => None,
    }
}

fn kept_apart<P: Pages>(site: &SiteState<'_, P>, state: &State, names: &[&str]) -> Vec<bool> {
    let place = |pattern: PatternId| names.iter().position(|name| type_folder(state, pattern) == Some(name));
    let of_pattern: Vec<Option<usize>> = (0..state.patterns.len() as PatternId).map(place).collect();
    let folder = |id: u32| of_pattern[state.pattern_of[id as usize] as usize];
    let mut known = vec![0usize; names.len()];
    (0..site.urls.len() as u32).filter_map(folder).for_each(|at| known[at] += 1);
    let all: usize = known.iter().sum();
    let mut mixing = vec![Mixing::default(); names.len()];
    for page in &site.looked {
        let mut lists: FxHashMap<u32, Vec<f64>> = FxHashMap::default();
        for &(id, place) in &page.links {
            if let Some(at) = folder(id) {
                lists.entry(place).or_insert_with(|| vec![0.0; names.len()])[at] += 1.0;
            }
        }
        for counts in lists.into_values() {
            let sum: f64 = counts.iter().sum();
            for ((mixing, count), known) in mixing.iter_mut().zip(counts).zip(&known) {
                mixing.add(count, sum, 1.0 - *known as f64 / all as f64);
            }
        }
    }
    mixing.iter().zip(known).map(|(mixing, known)| known >= KNOWN && mixing.keeps_apart()).collect()
}
