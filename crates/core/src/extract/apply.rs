//! What does this page say, as the wrapper reads it? Wrapper, document → [`Record`].
//!
//! - [`Applied`]: a wrapper made ready: paths and texts as hashes, patterns compiled.
//!
//! One pass over the leaves: only places that a rule names are kept. Does not learn anything.

use super::class::Voter;
use super::domain::Pattern;
use super::leaves::{self, Leaves, Steps, path_hash, word_of};
use super::places::Place;
use super::slot::{Ballot, run};
use super::tables::{self, Column, Table};
use super::template::Template;
use super::wrapper::{Rule, Slot, Wrapper};
use super::{Error, Evidence, Record, structured, value};
use crate::page::dom::Document;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use url::Url;

pub struct Applied {
    pub wrapper: Wrapper,
    template: Template,
    ready: Vec<Ready>,
    needed: FxHashSet<Place>,
}

struct Ready {
    tiers: Vec<Vec<Voter>>,
    pattern: Option<Pattern>,
    labels: FxHashSet<u64>,
}

impl Ready {
    fn new(slot: &Slot) -> Result<Self, Error> {
        let pattern = slot.value.as_deref().map(Pattern::new).transpose().map_err(Error::NotWrapper)?;
        let tiers = slot.tiers.iter().map(|tier| tier.iter().map(voter).collect()).collect();
        // What follows a label that stands behind its value is the next value.
        let before = slot.labels.iter().filter(|_| !slot.behind);
        Ok(Self { tiers, pattern, labels: before.map(|label| word_of(label)).collect() })
    }
}

fn voter(rule: &Rule) -> Voter {
    let path = if rule.path.is_empty() { 0 } else { path_hash(&rule.path) };
    let anchor = if rule.anchor.is_empty() { 0 } else { word_of(&rule.anchor) };
    Voter { place: Place { kind: rule.kind, path, anchor, nth: rule.nth }, weight: rule.weight }
}

impl Applied {
    pub fn new(wrapper: Wrapper) -> Result<Self, Error> {
        let ready = wrapper.slots.iter().map(Ready::new).collect::<Result<Vec<_>, Error>>()?;
        let steps = Steps::new(wrapper.tokens.iter().map(String::as_str));
        let anchors = wrapper.anchors.iter().map(|text| word_of(text)).collect();
        let template = Template { steps, tokens: Vec::new(), anchors };
        let needed = ready.iter().flat_map(|one| one.tiers.iter().flatten()).map(|voter| voter.place).collect();
        Ok(Self { wrapper, template, ready, needed })
    }

    /// `raw`: values are whole text nodes, with labels that stand in them.
    pub fn record(&self, url: &Url, document: &Document, raw: bool) -> Record {
        let page = leaves::leaves(document, &self.template.steps);
        let ballot = Ballot::of(&page, &self.template, &self.needed);
        let mut record = Record {
            url: url.clone(),
            class: self.wrapper.class.clone(),
            attributes: BTreeMap::new(),
            evidence: BTreeMap::new(),
        };
        let data = if self.wrapper.slots.iter().any(|slot| slot.data.is_some()) {
            structured::pairs(document)
        } else {
            Vec::new()
        };
        let tables = if self.wrapper.slots.iter().any(|slot| slot.column.is_some()) {
            tables::tables(document)
        } else {
            Vec::new()
        };
        for (slot, ready) in self.wrapper.slots.iter().zip(&self.ready) {
            if let Some(column) = &slot.column {
                let values = self.column(column, document, &tables);
                if let Some(first) = values.first() {
                    record.evidence.insert(slot.name.clone(), of_table(slot, column, first));
                    record.attributes.insert(slot.name.clone(), values);
                }
            } else if let Some((leaf, share)) = self.elect(ready, &page, &ballot) {
                let values = self.values(slot, ready, &page, leaf, raw);
                record.evidence.insert(slot.name.clone(), self.evidence(slot, document, &page, leaf, share));
                record.attributes.insert(slot.name.clone(), values);
            } else if let Some((key, value)) =
                slot.data.as_ref().and_then(|key| data.iter().find(|(own, _)| own == key))
            {
                record.evidence.insert(slot.name.clone(), of_data(key, value));
                record.attributes.insert(slot.name.clone(), vec![value.clone()]);
            }
        }
        record
    }

    /// The cells of a column, of all tables that have it there.
    fn column(&self, column: &Column, document: &Document, tables: &[Table]) -> Vec<String> {
        let here = tables.iter().filter(|table| table.written(document, &self.template.steps) == column.table);
        here.filter_map(|table| Some(table.values(document, table.column(&column.header)?))).flatten().collect()
    }

    /// A text that matches the pattern, in the first tier that has one; failing that, a text behind one of the slot's labels.
    fn elect(&self, ready: &Ready, page: &Leaves, ballot: &Ballot) -> Option<(u32, f64)> {
        let text = |leaf: u32| &page.list[leaf as usize];
        let is_label = |leaf: u32| text(leaf).text.ends_with(':') && self.template.anchors.contains(&text(leaf).word);
        let fits = |leaf: u32| ready.pattern.as_ref().is_none_or(|pattern| pattern.matches(&text(leaf).text));
        let first = ready.tiers.iter().find_map(|tier| ballot.elect(tier, |leaf| fits(leaf) && !is_label(leaf)));
        let labelled = |leaf: u32| {
            let before = page.list[..leaf as usize].iter().rev().find(|leaf| leaf.word != 0);
            !self.template.anchors.contains(&text(leaf).word)
                && before.is_some_and(|before| ready.labels.contains(&before.word))
        };
        let second = first.or_else(|| ready.tiers.iter().find_map(|tier| ballot.elect(tier, labelled)));
        // Behind its label wherever that stands, where the place was not among the pages learned from.
        let anywhere =
            || (0..page.list.len() as u32).find(|&leaf| text(leaf).word != 0 && fits(leaf) && labelled(leaf));
        if ready.labels.is_empty() { second } else { second.or_else(|| anywhere().map(|leaf| (leaf, 0.0))) }
    }

    fn values(&self, slot: &Slot, ready: &Ready, page: &Leaves, leaf: u32, raw: bool) -> Vec<String> {
        let more = if slot.many { run(page, leaf, &self.template) } else { Vec::new() };
        let fits =
            |leaf: &u32| ready.pattern.as_ref().is_none_or(|pattern| pattern.matches(&page.list[*leaf as usize].text));
        let all = std::iter::once(leaf).chain(more.into_iter().filter(fits));
        let shown = |leaf: u32| {
            let text = &page.list[leaf as usize].text;
            if raw { text.to_string() } else { value::clean(text).to_owned() }
        };
        let mut values: Vec<String> = Vec::new();
        for one in all.map(shown) {
            if !values.contains(&one) {
                values.push(one);
            }
        }
        values
    }

    fn evidence(&self, slot: &Slot, document: &Document, page: &Leaves, leaf: u32, share: f64) -> Evidence {
        let text = &page.list[leaf as usize];
        let before = page.list[..leaf as usize].iter().rev().find(|leaf| leaf.word != 0);
        let label =
            before.filter(|before| self.template.anchors.contains(&before.word)).map(|before| before.text.to_string());
        let own = super::template::inner_label(&text.text);
        Evidence {
            path: self.template.steps.written(document, text.node),
            label: if slot.behind { slot.labels.first().cloned() } else { own.or(label) },
            source: slot.source.clone(),
            confidence: rounded(slot.confidence * (0.5 + 0.5 * share)),
            raw: text.text.to_string(),
            typed: value::typed(value::clean(&text.text)),
        }
    }
}

fn of_table(slot: &Slot, column: &Column, first: &str) -> Evidence {
    Evidence {
        path: column.table.clone(),
        label: Some(column.header.clone()),
        source: slot.source.clone(),
        confidence: slot.confidence,
        raw: first.to_owned(),
        typed: value::typed(value::clean(first)),
    }
}

fn of_data(key: &str, value: &str) -> Evidence {
    Evidence {
        path: key.to_owned(),
        label: None,
        source: "data".to_owned(),
        confidence: 0.8,
        raw: value.to_owned(),
        typed: value::typed(value),
    }
}

pub fn rounded(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}
