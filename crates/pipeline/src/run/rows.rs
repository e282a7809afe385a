//! What does the database keep of what the stages gave? Discovery, refresh, hidden pages, records → rows. Decides nothing.

use crate::privacy::Guard;
use pagekin_core::discover::refresh::KnownEntity;
use pagekin_core::discover::{Discovery, Entity};
use pagekin_core::extract::Record;
use pagekin_core::hidden::Report;
use pagekin_store::{EntityRow, IndexRow, RecordRow, TemplateRow};
use std::collections::BTreeMap;
use url::Url;

pub fn of_indexes(found: &Discovery) -> Vec<IndexRow> {
    let row = |index: &pagekin_core::discover::Index| IndexRow {
        url: index.url.clone(),
        level: index.level,
        parent: index.parent.clone(),
        evidence: index.evidence.clone(),
    };
    found.indexes.iter().map(row).collect()
}

pub fn of_linked(entity: &Entity) -> EntityRow {
    EntityRow {
        url: entity.url.clone(),
        confidence: entity.confidence,
        via: entity.via.clone(),
        evidence: entity.evidence.clone(),
        unlinked: false,
    }
}

/// It stands where pages of the kind stand; it was not looked at before it is read.
pub fn of_shown(entity: &KnownEntity) -> EntityRow {
    let evidence = "its link stands where links to pages of this kind stand".to_owned();
    EntityRow { url: entity.url.clone(), confidence: 0.9, via: entity.via.clone(), evidence, unlinked: false }
}

pub fn of_unlinked(report: &Report) -> Vec<EntityRow> {
    let all = report.templates.iter().flat_map(|sought| &sought.found);
    all.map(|found| EntityRow {
        url: found.url.clone(),
        confidence: found.confidence,
        via: None,
        evidence: found.how.clone(),
        unlinked: found.unlinked,
    })
    .collect()
}

pub fn of_templates(report: &Report) -> Vec<TemplateRow> {
    let row = |sought: &pagekin_core::hidden::Sought| TemplateRow {
        template: sought.template.template.clone(),
        known: sought.template.known.len(),
        tried: sought.tried,
        found: sought.found.len(),
        ended: sought.ended.clone(),
    };
    report.templates.iter().map(row).collect()
}

/// Records of one page are numbered in the order they stand on it. `guard`: what is not stored.
pub fn of_records(records: Vec<Record>, guard: &Guard) -> Vec<RecordRow> {
    let mut seen: BTreeMap<Url, usize> = BTreeMap::new();
    let row = |record: Record| {
        let next = seen.entry(record.url.clone()).or_default();
        let nth = *next;
        *next += 1;
        let sum: f64 = record.evidence.values().map(|evidence| evidence.confidence).sum();
        let confidence = (sum / record.evidence.len().max(1) as f64 * 1000.0).round() / 1000.0;
        let mut evidence = serde_json::to_value(&record.evidence).unwrap_or_default();
        let mut attributes = record.flat();
        guard.store(&mut attributes, &mut evidence);
        RecordRow { url: record.url.clone(), nth, attributes, evidence, confidence }
    };
    records.into_iter().map(row).collect()
}
