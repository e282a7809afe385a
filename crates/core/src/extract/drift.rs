//! Has the site's template changed? Fill rates learned, fill rates seen → the slots that went missing.
//!
//! - [`Watch`]: counts while records go by. - [`Drift`]: a slot, how often it was there, how often it is now.

use super::Record;
use super::domain::{Domain, Role};
use super::leaves::label_of;
use super::wrapper::Wrapper;
use serde::Serialize;
use std::collections::BTreeMap;

/// Fewer pages say too little: with ten, a slot of fill 0.5 is under a quarter by chance one time in twenty.
const LEAST_PAGES: usize = 10;

/// A slot has gone when its fill fell below this share of what it was.
const FALLEN: f64 = 0.5;

#[derive(Debug, Clone, Default)]
pub struct Watch {
    pages: usize,
    seen: BTreeMap<String, usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    pub slot: String,
    pub learned: f64,
    pub seen: f64,
}

impl Watch {
    pub fn see(&mut self, record: &Record) {
        self.pages += 1;
        record.attributes.keys().for_each(|name| *self.seen.entry(name.clone()).or_default() += 1);
    }

    /// The slots that pages no longer fill as they did.
    pub fn drift(&self, wrapper: &Wrapper) -> Vec<Drift> {
        if self.pages < LEAST_PAGES {
            return Vec::new();
        }
        let fell = wrapper.slots.iter().filter_map(|slot| {
            let seen = self.seen.get(&slot.name).copied().unwrap_or(0) as f64 / self.pages as f64;
            let fallen = slot.fill >= 0.2 && seen < slot.fill * FALLEN;
            fallen.then(|| Drift { slot: slot.name.clone(), learned: slot.fill, seen: super::apply::rounded(seen) })
        });
        fell.collect()
    }
}

/// What to look for when the class is learned again: the slots' names and labels.
pub fn domain_of(wrapper: &Wrapper) -> Domain {
    let role = |slot: &super::wrapper::Slot| Role {
        name: slot.name.clone(),
        synonyms: slot.labels.iter().cloned().chain([label_of(&slot.name.replace('_', " "))]).collect(),
        schema: vec![slot.name.to_lowercase()],
        value: slot.value.as_deref().and_then(|source| super::domain::Pattern::new(source).ok()),
        typed: None,
        title: slot.title,
        extra: false,
    };
    let mut roles: Vec<Role> = wrapper.slots.iter().map(role).collect();
    roles.sort_by(|a, b| a.name.cmp(&b.name));
    Domain { roles }
}
