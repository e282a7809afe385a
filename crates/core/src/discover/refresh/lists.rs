//! Which links of an index page lead to further pages of its list, or to further lists?
//!
//! - [`Lists`]: what one page says of that. A further page is one that it calls `rel=next`; one whose address is that of
//!   the list but for a number, if pages of the kind have other addresses or the link is a number itself; one in a place
//!   of links to known index pages, when its address differs from one of theirs in numbers alone, or when index pages are
//!   what the place is for.

use super::address::{Outline, list_of, without_numbers};
use super::index_page::{IndexLink, IndexPage, Spot};
use std::collections::{HashMap, HashSet};

/// So many known index pages, and at least half of what stands there, make a place one for index pages: months, letters,
/// categories. A menu with one list among its links is none.
const INDEXES: usize = 3;

pub struct Lists {
    /// None on a page that is no list.
    own: Option<String>,
    /// Places of links to known index pages, with their addresses, numbers left out.
    numbered: HashSet<(String, String)>,
    /// Places for index pages, with the outline of their addresses.
    full: HashSet<(String, Outline)>,
}

impl Lists {
    /// A page of the kind that leads to others is no list: its next one is the next of its kind.
    pub fn of(shown: &IndexPage, is_list: bool, is_index: impl Fn(&str) -> bool) -> Self {
        if !is_list {
            return Self { own: None, numbered: HashSet::new(), full: HashSet::new() };
        }
        let mut numbered = HashSet::new();
        let mut counts: HashMap<(String, Outline), [HashSet<&str>; 2]> = HashMap::new();
        for entry in &shown.entries {
            let Some(spot) = entry.spot.map(|spot| &shown.spots[spot]) else { continue };
            let known = is_index(&entry.key);
            let count = counts.entry((spot.by_class.clone(), Outline::of(&entry.url))).or_default();
            count[usize::from(known)].insert(&entry.key);
            if known {
                numbered.insert((spot.by_class.clone(), without_numbers(&entry.url)));
            }
        }
        let full = counts.into_iter().filter(|(_, [no, yes])| yes.len() >= INDEXES && yes.len() >= no.len());
        Self { own: Some(list_of(&shown.url)), numbered, full: full.map(|(place, _)| place).collect() }
    }

    /// `kinds`: the outlines of pages of the kind.
    pub fn has_further(&self, entry: &IndexLink, spot: Option<&Spot>, kinds: &HashSet<Outline>) -> bool {
        let Some(own) = &self.own else { return false };
        let outline = Outline::of(&entry.url);
        let is_number = !entry.text.is_empty() && entry.text.bytes().all(|byte| byte.is_ascii_digit());
        let in_list = (is_number || !kinds.contains(&outline)) && list_of(&entry.url) == *own;
        let beside = |place: &str| {
            self.numbered.contains(&(place.to_owned(), without_numbers(&entry.url)))
                || self.full.contains(&(place.to_owned(), outline))
        };
        entry.next || in_list || spot.is_some_and(|spot| beside(&spot.by_class))
    }
}
