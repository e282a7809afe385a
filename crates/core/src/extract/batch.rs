//! Many pages at once, on all cores: raw pages → documents, records. The order of the pages is kept.
//!
//! - [`read_all`]: documents, or the reason why not. - [`records`]: one record a page, read by the wrapper that fits it best.
//! - [`Fitted`]: such a record, and how well the wrapper fits. - [`published`]: records of DE-SSE.
//!
//! A page that cannot be read is a [`Skipped`] row; it never breaks the batch.

use super::apply::{Applied, rounded};
use super::domain::Domain;
use super::sse::across::Linked;
use super::{Evidence, Record, Source, sse, value};
use crate::page::{self, Document, Limits, links};
use crate::pages::{RawPage, Reason, Skipped};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A page of which a wrapper fills less is of another class. Set by hand.
const LEAST_FILLED: f64 = 0.1;

/// Links read of one region: an offer has a few. A bound against hostile pages, set by hand.
const MOST_LINKS: usize = 50;

pub fn read_all(pages: &[RawPage]) -> Vec<Result<Document, Skipped>> {
    pages.par_iter().map(read).collect()
}

fn read(raw: &RawPage) -> Result<Document, Skipped> {
    page::read(raw, &Limits::default())
        .map_err(|refused| Skipped::new(&raw.url, Reason::Unparsable, refused.to_string()))
}

/// A page as the wrapper reads it that fits it best.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// Number of the wrapper.
    pub wrapper: usize,
    pub record: Record,
    /// How much of what the wrapper usually fills it fills here.
    pub share: f64,
}

impl Fitted {
    /// Is it a page of the wrapper's class?
    pub fn is_of_class(&self) -> bool {
        self.share >= LEAST_FILLED
    }
}

pub fn records(pages: &[RawPage], applied: &[Applied], raw: bool) -> Vec<Result<Record, Skipped>> {
    let record = |fitted: Option<Fitted>, page: &RawPage| {
        let unlike = || Skipped::new(&page.url, Reason::UnlikeClasses, "it is like none of the classes learned");
        fitted.filter(Fitted::is_of_class).map(|fitted| fitted.record).ok_or_else(unlike)
    };
    pages.par_iter().map(|page| record(best(page, &read(page)?, applied, raw), page)).collect()
}

/// Of each page that can be read, the wrapper that fits best; none without a wrapper.
pub fn fitted(pages: &[RawPage], applied: &[Applied], raw: bool) -> Vec<Option<Fitted>> {
    pages.par_iter().map(|page| best(page, &read(page).ok()?, applied, raw)).collect()
}

/// The record of the wrapper that fills most of what it usually fills.
fn best(page: &RawPage, document: &Document, applied: &[Applied], raw: bool) -> Option<Fitted> {
    let fitted = |(wrapper, one): (usize, &Applied)| {
        let record = one.record(&page.url, document, raw);
        let share = one.wrapper.filled(|name| record.evidence.contains_key(name));
        Fitted { wrapper, record, share }
    };
    applied.iter().enumerate().map(fitted).reduce(|a, b| if b.share > a.share { b } else { a })
}

/// Every record that the published method finds; a page without one is not data-intensive.
pub fn published(
    pages: &[RawPage],
    domain: &Domain,
    settings: sse::Settings,
    raw: bool,
) -> Vec<Result<Vec<Record>, Skipped>> {
    let alone = |found: Vec<Linked>| found.into_iter().map(|one| one.record).collect();
    published_linked(pages, domain, settings, raw).into_iter().map(|found| found.map(alone)).collect()
}

/// The same, each with where its region links to.
pub fn published_linked(
    pages: &[RawPage],
    domain: &Domain,
    settings: sse::Settings,
    raw: bool,
) -> Vec<Result<Vec<Linked>, Skipped>> {
    pages.par_iter().map(|page| Ok(sse_records(page, &read(page)?, domain, settings, raw))).collect()
}

fn sse_records(
    page: &RawPage,
    document: &Document,
    domain: &Domain,
    settings: sse::Settings,
    raw: bool,
) -> Vec<Linked> {
    let found = sse::extract(document, domain, settings).records;
    let base = links::base(document, &page.url);
    let linked = |one: sse::Found| {
        let below = document.descendants(one.node).filter(|&node| document.name(node) == "a");
        let addresses = below.filter_map(|node| document.attribute(node, "href")).take(MOST_LINKS);
        let to = addresses.filter_map(|address| base.join(address.trim()).ok()).collect();
        Linked { record: sse_record(page, document, one, raw), to }
    };
    found.into_iter().filter(|one| !one.pairs.is_empty()).map(linked).collect()
}

fn sse_record(page: &RawPage, document: &Document, found: sse::Found, raw: bool) -> Record {
    let mut record = Record {
        url: page.url.clone(),
        class: "data-rich".to_owned(),
        attributes: BTreeMap::new(),
        children: BTreeMap::new(),
        evidence: BTreeMap::new(),
    };
    let steps = super::leaves::Steps::default();
    for pair in found.pairs {
        let shown = if raw { pair.value.to_string() } else { value::clean(&pair.value).to_owned() };
        let evidence = || Evidence {
            path: steps.written(document, pair.node),
            label: pair.label.as_ref().map(ToString::to_string),
            source: Source::DeSse,
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
