//! Which links of an index page lead to further pages of its list, or of a list beside it?
//!
//! - [`Lists`]: what one page says of that: `rel=next`; a number as the words of a link within the same list; an address that
//!   differs in numbers alone from that of a known index page linked in the same place.

use super::address::{list_of, without_numbers};
use super::shown::{Entry, Shown, Spot};
use std::collections::HashSet;

pub struct Lists {
    /// None on a page that is no list.
    own: Option<String>,
    /// Places of links to known index pages, with their addresses, numbers left out.
    beside: HashSet<(String, String)>,
}

impl Lists {
    /// A page of the kind that leads to others is no list: its next one is the next of its kind.
    pub fn of(shown: &Shown, is_list: bool, is_index: impl Fn(&str) -> bool) -> Self {
        if !is_list {
            return Self { own: None, beside: HashSet::new() };
        }
        let beside = shown.entries.iter().filter(|entry| is_index(&entry.key)).filter_map(|entry| {
            let spot = &shown.spots[entry.spot?];
            Some((spot.by_class.clone(), without_numbers(&entry.url)))
        });
        Self { own: Some(list_of(&shown.url)), beside: beside.collect() }
    }

    pub fn has_further(&self, entry: &Entry, spot: Option<&Spot>) -> bool {
        let Some(own) = &self.own else { return false };
        let is_number = !entry.text.is_empty() && entry.text.bytes().all(|byte| byte.is_ascii_digit());
        entry.next
            || is_number && list_of(&entry.url) == *own
            || spot.is_some_and(|spot| self.beside.contains(&(spot.by_class.clone(), without_numbers(&entry.url))))
    }
}
