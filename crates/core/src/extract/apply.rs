//! What does this page say, as the wrapper reads it? Wrapper, document → [`Record`].
//!
//! - [`Applied`]: a wrapper made ready: paths and texts as hashes, patterns compiled.
//!
//! One look at each text ([`scan`](super::scan)); only places that a rule names are kept. Does not learn anything.

use super::domain::Pattern;
use super::leaves::{Leaves, Steps, path_hash, word_of};
use super::places::Place;
use super::scan::{Asked, Scan};
use super::sheet::fields::plain;
use super::sheet::read::{Read, Reader, Row};
use super::sheet::{self, Take};
use super::structured::{self, Sources};
use super::tables::{self, Column, Table};
use super::template::inner_label;
use super::wrapper::{Rule, Slot, Wrapper};
use super::{Error, Evidence, Record, Source, value, weights};
use crate::page::dom::Document;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use url::Url;

pub struct Applied {
    pub wrapper: Wrapper,
    asked: Asked,
    ready: Vec<Ready>,
    /// The slots by name: maps are made fastest in their order.
    order: Vec<usize>,
    steps: Steps,
    /// Paths of the tables that slots are columns of.
    tables: FxHashSet<u64>,
    data: Sources,
    /// The first label of each slot: what stands behind it is that slot's.
    claimed: FxHashSet<u64>,
    /// Of slots that are pieces of a page.
    reader: Option<Reader>,
}

/// What a page says.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    pub attributes: BTreeMap<String, Vec<String>>,
    pub children: BTreeMap<String, Vec<Row>>,
    pub evidence: BTreeMap<String, Evidence>,
}

struct Ready {
    /// Numbers of places, with their weights.
    tiers: Vec<Vec<(u32, f64)>>,
    pattern: Option<Pattern>,
    labels: FxHashSet<u64>,
}

impl Ready {
    fn new(slot: &Slot, asked: &mut Asked) -> Result<Self, Error> {
        let pattern = slot.value.as_deref().map(Pattern::new).transpose().map_err(Error::NotWrapper)?;
        let mut voter = |rule: &Rule| (asked.place(place(rule), &rule.path), rule.weight);
        let tiers = slot.tiers.iter().map(|tier| tier.iter().map(&mut voter).collect()).collect();
        // What follows a label that stands behind its value is the next value.
        let before = slot.labels.iter().filter(|_| !slot.behind);
        Ok(Self { tiers, pattern, labels: before.map(|label| asked.label(label)).collect() })
    }

    fn fits(&self, text: impl FnOnce() -> String) -> bool {
        self.pattern.as_ref().is_none_or(|pattern| pattern.matches(&text()))
    }
}

fn place(rule: &Rule) -> Place {
    let path = if rule.path.is_empty() { 0 } else { path_hash(&rule.path) };
    let anchor = if rule.anchor.is_empty() { 0 } else { word_of(&rule.anchor) };
    Place { kind: rule.kind, path, anchor, nth: rule.nth }
}

impl Applied {
    pub fn new(wrapper: Wrapper) -> Result<Self, Error> {
        let steps = Steps::new(wrapper.tokens.iter().map(String::as_str));
        let mut asked = Asked::new(steps.clone(), &wrapper.anchors);
        let ready = wrapper.slots.iter().map(|slot| Ready::new(slot, &mut asked)).collect::<Result<_, Error>>()?;
        let columns = wrapper.slots.iter().filter_map(|slot| slot.column.as_ref());
        let tables = columns.map(|column| path_hash(&column.table)).collect();
        let data = Sources::of(wrapper.slots.iter().filter_map(|slot| slot.data.as_deref()));
        let mut order: Vec<usize> = (0..wrapper.slots.len()).collect();
        order.sort_by_key(|&at| &wrapper.slots[at].name);
        let claimed = wrapper.slots.iter().filter_map(|slot| slot.claim()).map(|label| word_of(label)).collect();
        let reader = wrapper.cuts.as_ref().and_then(|cuts| Reader::new(&wrapper.slots, cuts, steps.clone()));
        Ok(Self { wrapper, asked, ready, order, steps, tables, data, claimed, reader })
    }

    /// `raw`: values are whole text nodes, with labels that stand in them.
    pub fn record(&self, url: &Url, document: &Document, raw: bool) -> Record {
        let Fields { attributes, children, evidence } = self.fields(document, raw);
        Record { url: url.clone(), class: self.wrapper.class.clone(), attributes, children, evidence }
    }

    /// The values of a page, and where each comes from.
    pub fn fields(&self, document: &Document, raw: bool) -> Fields {
        let mut scan = Scan::of(document, &self.asked);
        let tables = self.tables(document, &mut scan);
        let data = if self.data.any() { structured::pairs_of(document, self.data) } else { Vec::new() };
        let (mut attributes, mut evidence) = (Vec::new(), Vec::new());
        let elected = self.elected(&scan);
        for (at, slot) in self.order.iter().map(|&at| (at, &self.wrapper.slots[at])) {
            if slot.table.is_some() || !slot.pieces.is_empty() {
                continue;
            }
            let text = || Some(self.of_text(at, &scan, elected[at]?, raw));
            let found = match &slot.column {
                Some(column) => of_table(slot, column, document, &tables),
                None => text().or_else(|| of_data(slot.data.as_ref()?, &data)),
            };
            if let Some((values, why)) = found {
                evidence.push((slot.name.clone(), why));
                attributes.push((slot.name.clone(), values));
            }
        }
        let (attributes, evidence) = (attributes.into_iter().collect(), evidence.into_iter().collect());
        let mut fields = Fields { attributes, children: BTreeMap::new(), evidence };
        self.shown_tables(document, &tables, &mut fields);
        if let Some(reader) = &self.reader {
            self.pieces((reader, raw), document, &tables, &mut fields);
        }
        fields
    }

    /// Tables that the page shows as such.
    fn shown_tables(&self, document: &Document, tables: &[(String, Table)], fields: &mut Fields) {
        for slot in &self.wrapper.slots {
            let (Some(name), Some(column)) = (&slot.table, &slot.column) else { continue };
            let Some((values, why)) = of_table(slot, column, document, tables) else { continue };
            let rows = fields.children.entry(name.clone()).or_default();
            let own = slot.name.rsplit('.').next().unwrap_or_default();
            rows.resize_with(rows.len().max(values.len()), Row::new);
            for (row, value) in rows.iter_mut().zip(values).filter(|(_, value)| !value.is_empty()) {
                row.insert(own.to_owned(), value);
            }
            fields.evidence.insert(slot.name.clone(), why);
        }
    }

    /// Slots that are pieces of the page.
    fn pieces(
        &self,
        (reader, raw): (&Reader, bool),
        document: &Document,
        tables: &[(String, Table)],
        fields: &mut Fields,
    ) {
        let (slots, inside) = (&self.wrapper.slots, tables.iter().map(|(_, table)| table.node).collect());
        let (found, page) = reader.read(document, &inside, raw);
        let mut of_table: BTreeMap<&String, Vec<&Read>> = BTreeMap::new();
        for read in &found {
            let slot = &slots[read.slot];
            fields
                .evidence
                .entry(slot.name.clone())
                .or_insert_with(|| self.piece_evidence(slot, document, &page, read));
            if let Some(table) = &slot.table {
                of_table.entry(table).or_default().push(read);
                continue;
            }
            let values = fields.attributes.entry(slot.name.clone()).or_default();
            if values.is_empty() || slot.many || raw {
                values.push(read.text.clone());
            } else if slot.pieces.iter().any(|rule| rule.take == Take::Joined) {
                values[0] = format!("{}\n{}", values[0], read.text);
            }
        }
        self.without_title(fields);
        for (name, found) in of_table {
            fields.children.insert(name.clone(), sheet::read::rows(document, slots, &found));
        }
    }

    /// What the page is called is no value of its lists.
    fn without_title(&self, fields: &mut Fields) {
        let Some(title) = self.wrapper.slots.iter().find(|slot| slot.title) else { return };
        let Some(title) = fields.attributes.get(&title.name).and_then(|values| values.first()).map(|text| plain(text))
        else {
            return;
        };
        for slot in self.wrapper.slots.iter().filter(|slot| slot.many && !slot.pieces.is_empty()) {
            if let Some(values) = fields.attributes.get_mut(&slot.name) {
                values.retain(|value| plain(value) != title);
            }
        }
        fields.attributes.retain(|_, values| !values.is_empty());
    }

    fn piece_evidence(&self, slot: &Slot, document: &Document, page: &Leaves, read: &Read) -> Evidence {
        Evidence {
            path: self.steps.written(document, read.node),
            label: read.label.map(|leaf| page.list[leaf as usize].text.to_string()),
            source: slot.source,
            confidence: slot.confidence,
            raw: page.list[read.leaf as usize].text.to_string(),
            typed: value::typed_as(&read.text, slot.day_first),
        }
    }

    /// Those that slots are columns of, each with its path.
    fn tables(&self, document: &Document, scan: &mut Scan) -> Vec<(String, Table)> {
        if self.tables.is_empty() {
            return Vec::new();
        }
        let tables = tables::tables_where(document, |node| self.tables.contains(&scan.paths.of(node)));
        tables.into_iter().map(|table| (table.written(document, &self.steps), table)).collect()
    }

    fn of_text(&self, at: usize, scan: &Scan, (leaf, share): (u32, f64), raw: bool) -> (Vec<String>, Evidence) {
        let (slot, ready) = (&self.wrapper.slots[at], &self.ready[at]);
        let more = scan.run(leaf).filter(|leaf| slot.many && ready.fits(|| scan.text(*leaf)));
        let mut values: Vec<String> = Vec::new();
        let first = scan.text(leaf);
        let shown = |text: &str| if raw { text.to_owned() } else { value::clean(text).to_owned() };
        for one in std::iter::once(shown(&first)).chain(more.map(|leaf| shown(&scan.text(leaf)))) {
            if !values.contains(&one) {
                values.push(one);
            }
        }
        (values, self.evidence(slot, scan, (leaf, share), first))
    }

    fn evidence(&self, slot: &Slot, scan: &Scan, (leaf, share): (u32, f64), text: String) -> Evidence {
        let label = || {
            let before = scan.before(leaf).filter(|before| scan.seen(*before).anchor);
            inner_label(&text).or_else(|| before.map(|before| scan.text(before)))
        };
        Evidence {
            path: scan.written(leaf),
            label: if slot.behind { slot.labels.first().cloned() } else { label() },
            source: slot.source,
            confidence: rounded(slot.confidence * (0.5 + 0.5 * share)),
            typed: value::typed_as(value::clean(&text), slot.day_first),
            raw: text,
        }
    }

    /// The text of each slot; a further row has none that more speaks for in another row behind its label.
    fn elected(&self, scan: &Scan) -> Vec<Option<(u32, f64)>> {
        let slots = self.wrapper.slots.iter().zip(&self.ready);
        let mut elected: Vec<Option<(u32, f64)>> =
            slots.map(|(slot, ready)| self.elect(ready, scan, !slot.again)).collect();
        let mut best: FxHashMap<(&str, u32), f64> = FxHashMap::default();
        for again in [false, true] {
            for (slot, found) in self.wrapper.slots.iter().zip(&mut elected).filter(|(slot, _)| slot.again == again) {
                let Some((label, (leaf, share))) = slot.claim().zip(*found) else { continue };
                match best.get(&(label.as_str(), leaf)) {
                    Some(other) if *other >= share && again => *found = None,
                    _ => drop(best.insert((label, leaf), share)),
                }
            }
        }
        elected
    }

    /// A text that matches the pattern, in the first tier that has one; failing that, a text behind one of the slot's labels,
    /// where `anywhere` allows it.
    fn elect(&self, ready: &Ready, scan: &Scan, anywhere: bool) -> Option<(u32, f64)> {
        let is_label = |leaf: u32| scan.seen(leaf).anchor && scan.text(leaf).ends_with(':');
        let fits =
            |leaf: u32| ready.fits(|| scan.text(leaf)) && !is_label(leaf) && !self.is_anothers(ready, scan, leaf);
        let first = ready.tiers.iter().find_map(|tier| scan.elect(tier, fits));
        if first.is_some() || ready.labels.is_empty() || !anywhere {
            return first;
        }
        let labelled = |leaf: u32| !scan.seen(leaf).anchor && scan.is_behind(leaf, &ready.labels);
        let second = ready.tiers.iter().find_map(|tier| scan.elect(tier, labelled));
        // Behind its label wherever that stands, where the place was not among the pages learned from.
        let mut others = scan.labelled().filter(|leaf| labelled(*leaf) && ready.fits(|| scan.text(*leaf)));
        second.or_else(|| others.next().map(|leaf| (leaf, 0.0)))
    }

    /// Does the page call it something that another slot is called, and this one is not? Where a row is missing, the next one
    /// stands in its place.
    fn is_anothers(&self, ready: &Ready, scan: &Scan, leaf: u32) -> bool {
        if ready.labels.is_empty() {
            return false;
        }
        let before = || scan.before(leaf).map(|before| scan.seen(before).word);
        let own = scan.inner_label(leaf).map(|label| word_of(&label));
        own.or_else(before).is_some_and(|label| self.claimed.contains(&label) && !ready.labels.contains(&label))
    }
}

/// The cells of a column, of all tables that have it there.
fn of_table(
    slot: &Slot,
    column: &Column,
    document: &Document,
    tables: &[(String, Table)],
) -> Option<(Vec<String>, Evidence)> {
    let here = tables.iter().filter(|(path, table)| column.is_of(path, &table.headers)).map(|(_, table)| table);
    let cells = here.filter_map(|table| Some(table.values(document, table.column(&column.header)?)));
    let values: Vec<String> = cells.flatten().collect();
    let first = values.first()?;
    let evidence = Evidence {
        path: column.table.clone(),
        label: Some(column.header.clone()),
        source: slot.source,
        confidence: slot.confidence,
        raw: first.clone(),
        typed: value::typed(value::clean(first)),
    };
    Some((values, evidence))
}

fn of_data(key: &String, data: &[(String, String)]) -> Option<(Vec<String>, Evidence)> {
    let (_, value) = data.iter().find(|(own, _)| own == key)?;
    let evidence = Evidence {
        path: key.clone(),
        label: None,
        source: Source::Data,
        confidence: weights::UNLABELLED,
        raw: value.clone(),
        typed: value::typed(value),
    };
    Some((vec![value.clone()], evidence))
}

pub fn rounded(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}
