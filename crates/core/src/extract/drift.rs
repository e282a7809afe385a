//! Has the site's template changed? Fill rates and types learned, those seen → the slots that went missing, or hold something else.
//!
//! - [`Watch`]: counts while records go by; what is expected of a slot is counted by the same. - [`Drift`]: a slot, how often it was there, how often it is now.
//! - [`domain_of`], [`carried_over`]: how the same columns are found again.

use super::domain::{Domain, Role};
use super::leaves::label_of;
use super::wrapper::{Slot, Wrapper};
use super::{Applied, Evidence, Record, learn};
use crate::page::Document;
use serde::Serialize;
use std::collections::BTreeMap;

/// Fewer pages say too little: of ten, a slot of fill 0.5 is on two or fewer by chance one time in eighteen (56 / 1024).
pub const LEAST_PAGES: usize = 10;

/// A slot has gone when its fill fell below this share of what it was. Set by hand.
const FALLEN: f64 = 0.5;

#[derive(Debug, Clone, Default)]
pub struct Watch {
    pages: usize,
    seen: BTreeMap<String, usize>,
    /// Values of each type, by slot.
    typed: BTreeMap<String, BTreeMap<&'static str, usize>>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    pub slot: String,
    pub learned: f64,
    pub seen: f64,
}

impl Watch {
    pub fn see(&mut self, record: &Record) {
        self.see_fields(&record.evidence);
    }

    /// As [`see`](Self::see), of a page as a wrapper reads it.
    pub fn see_page(&mut self, applied: &Applied, document: &Document) {
        self.see_fields(&applied.fields(document, true).evidence);
    }

    fn see_fields(&mut self, fields: &BTreeMap<String, Evidence>) {
        self.pages += 1;
        for (name, field) in fields {
            *self.seen.entry(name.clone()).or_default() += 1;
            if let Some(typed) = &field.typed {
                *self.typed.entry(name.clone()).or_default().entry(typed.name()).or_default() += 1;
            }
        }
    }

    /// Pages that show a slot; of one that was of a type, as far as its values are still of it.
    fn shown(&self, slot: &Slot) -> f64 {
        let seen = self.seen.get(&slot.name).copied().unwrap_or(0) as f64;
        let of_type = |name: &String| self.typed.get(&slot.name)?.get(name.as_str()).copied();
        match &slot.typed {
            Some(name) => seen.min(of_type(name).unwrap_or(0) as f64 / learn::TYPED),
            None => seen,
        }
    }

    /// What the wrapper found when it read the pages it was learned from, where that is less than what learning found: only that can fall.
    pub fn lower_fill(&self, wrapper: &mut Wrapper) {
        if self.pages < LEAST_PAGES {
            return;
        }
        for slot in &mut wrapper.slots {
            slot.fill = slot.fill.min(super::apply::rounded(self.shown(slot) / self.pages as f64));
        }
    }

    /// The slots that pages no longer fill as they did.
    pub fn drift(&self, wrapper: &Wrapper) -> Vec<Drift> {
        if self.pages < LEAST_PAGES {
            return Vec::new();
        }
        let fell = wrapper.slots.iter().filter_map(|slot| {
            let seen = self.shown(slot) / self.pages as f64;
            let fallen = slot.fill >= 0.2 && seen < slot.fill * FALLEN;
            fallen.then(|| Drift { slot: slot.name.clone(), learned: slot.fill, seen: super::apply::rounded(seen) })
        });
        fell.collect()
    }
}

/// What a class learned again is read by: the columns it had, where they are found by their names and labels; those that
/// carry neither as they were learned with nothing given, if they have the same names.
pub fn carried_over(old: &Wrapper, by_name: Wrapper, by_nothing: Option<Wrapper>) -> Wrapper {
    let mut wrapper = by_name;
    let Some(other) = by_nothing else { return wrapper };
    let has = |wrapper: &Wrapper, name: &str| wrapper.slots.iter().any(|slot| slot.name == name);
    let missing: Vec<_> =
        other.slots.iter().filter(|slot| has(old, &slot.name) && !has(&wrapper, &slot.name)).collect();
    let missing: Vec<_> = missing.into_iter().cloned().collect();
    wrapper.slots.extend(missing);
    wrapper.anchors.extend(other.anchors);
    wrapper.anchors.sort();
    wrapper.anchors.dedup();
    let place = |name: &str| old.slots.iter().position(|slot| slot.name == name);
    wrapper.slots.sort_by_key(|slot| place(&slot.name));
    wrapper
}

/// What to look for when the class is learned again: the slots' names and labels.
pub fn domain_of(wrapper: &Wrapper) -> Domain {
    let role = |slot: &Slot| Role {
        name: slot.name.clone(),
        synonyms: slot.labels.iter().cloned().chain([label_of(&slot.name.replace('_', " "))]).collect(),
        schema: vec![slot.name.to_lowercase()],
        value: slot.value.as_deref().and_then(|source| super::domain::Pattern::new(source).ok()),
        typed: None,
        title: slot.title,
        extra: false,
        fitted: None,
    };
    let mut roles: Vec<Role> = wrapper.slots.iter().map(role).collect();
    roles.sort_by(|a, b| a.name.cmp(&b.name));
    Domain { roles }
}
