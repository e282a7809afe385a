//! Many pages at once, on all cores: raw pages → documents, records. The order of the pages is kept.
//!
//! - [`read_all`]: documents, or the reason why not. - [`records`]: one record a page, read by the wrapper that fits it best.
//! - [`published`]: records of DE-SSE.
//!
//! A page that cannot be read is a [`Skipped`] row; it never breaks the batch.

use super::apply::{Applied, rounded};
use super::domain::Domain;
use super::{Evidence, Record, sse, value};
use crate::page::{self, Document, Limits};
use crate::pages::{RawPage, Reason, Skipped};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A page of which a wrapper fills less is of another class.
const LEAST_FILLED: f64 = 0.2;

pub fn read_all(pages: &[RawPage]) -> Vec<Result<Document, Skipped>> {
    pages.par_iter().map(read).collect()
}

fn read(raw: &RawPage) -> Result<Document, Skipped> {
    page::read(raw, &Limits::default())
        .map_err(|refused| Skipped::new(&raw.url, Reason::Unparsable, refused.to_string()))
}

pub fn records(pages: &[RawPage], applied: &[Applied], raw: bool) -> Vec<Result<Record, Skipped>> {
    pages.par_iter().map(|page| best(page, &read(page)?, applied, raw)).collect()
}

/// The record of the wrapper that fills most of what it usually fills.
fn best(page: &RawPage, document: &Document, applied: &[Applied], raw: bool) -> Result<Record, Skipped> {
    let filled = |one: &Applied| {
        let record = one.record(&page.url, document, raw);
        let all: f64 = one.wrapper.slots.iter().map(|slot| slot.fill).sum();
        let own = one
            .wrapper
            .slots
            .iter()
            .filter(|slot| record.attributes.contains_key(&slot.name))
            .map(|slot| slot.fill)
            .sum::<f64>();
        (record, own / all.max(f64::MIN_POSITIVE))
    };
    let best = applied.iter().map(filled).reduce(|a, b| if b.1 > a.1 { b } else { a });
    let unlike = || Skipped::new(&page.url, Reason::OutOfScope, "it is like none of the classes learned");
    best.filter(|(_, share)| *share >= LEAST_FILLED).map(|(record, _)| record).ok_or_else(unlike)
}

/// Every record that the published method finds; a page without one is not data-intensive.
pub fn published(
    pages: &[RawPage],
    domain: &Domain,
    settings: sse::Settings,
    raw: bool,
) -> Vec<Result<Vec<Record>, Skipped>> {
    pages.par_iter().map(|page| Ok(sse_records(page, &read(page)?, domain, settings, raw))).collect()
}

fn sse_records(
    page: &RawPage,
    document: &Document,
    domain: &Domain,
    settings: sse::Settings,
    raw: bool,
) -> Vec<Record> {
    let found = sse::extract(document, domain, settings).records;
    found.into_iter().filter(|one| !one.pairs.is_empty()).map(|one| sse_record(page, document, one, raw)).collect()
}

fn sse_record(page: &RawPage, document: &Document, found: sse::Found, raw: bool) -> Record {
    let mut record = Record {
        url: page.url.clone(),
        class: "data-rich".to_owned(),
        attributes: BTreeMap::new(),
        evidence: BTreeMap::new(),
    };
    let steps = super::leaves::Steps::default();
    for pair in found.pairs {
        let shown = if raw { pair.value.to_string() } else { value::clean(&pair.value).to_owned() };
        let evidence = || Evidence {
            path: steps.written(document, pair.node),
            label: pair.label.as_ref().map(ToString::to_string),
            source: "de-sse".to_owned(),
            confidence: rounded(if pair.label.is_some() { 0.9 } else { 0.5 }),
            raw: pair.value.to_string(),
            typed: value::typed(value::clean(&pair.value)),
        };
        record.evidence.entry(pair.role.clone()).or_insert_with(evidence);
        let values = record.attributes.entry(pair.role.clone()).or_default();
        if !values.contains(&shown) {
            values.push(shown);
        }
    }
    record
}
