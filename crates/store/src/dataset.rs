//! Which records leave the database? A choice of them → names of their attributes, and rows as they are read.
//!
//! - [`Choice`]: which. - [`ClassFacts`]: what is known of the kinds of pages they come from.

use crate::stream::Rows;
use crate::value::{Row, Value};
use crate::{Result, Store};
use std::collections::BTreeMap;

/// Which records; all where nothing is said.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    pub site: Option<String>,
    pub class: Option<String>,
    /// The one with this number.
    pub class_id: Option<i64>,
    /// Records of pages that are missing or no longer linked too.
    pub gone: bool,
}

/// A kind of pages, what is kept of it, and the last run of it that was done.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassFacts {
    pub id: i64,
    pub site: String,
    pub class: String,
    pub url: String,
    pub samples: Vec<String>,
    pub first_seen: String,
    pub records: i64,
    /// Pages of the kind that are known, and those of them that a record was read from.
    pub pages: i64,
    pub read: i64,
    pub run: Option<i64>,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    /// What came of the run, and how it was done.
    pub stats: serde_json::Value,
    pub settings: serde_json::Value,
    /// Pages that the run could not read.
    pub skipped: i64,
}

const CHOSEN: &str = "(CAST($1 AS TEXT) IS NULL OR s.name = $1) AND (CAST($2 AS TEXT) IS NULL OR c.name = $2)
    AND (CAST($3 AS BIGINT) IS NULL OR c.id = $3)";

const CLASSES: &str = "SELECT c.id, s.name, c.name, s.url, c.samples, c.first_seen,
        (SELECT COUNT(*) FROM records r WHERE r.class_id = c.id AND r.gone_run IS NULL),
        (SELECT COUNT(*) FROM entities e WHERE e.class_id = c.id AND e.gone_run IS NULL),
        (SELECT COUNT(DISTINCT r.url) FROM records r WHERE r.class_id = c.id AND r.gone_run IS NULL),
        l.id, l.started_at, l.ended_at, l.stats, l.settings,
        (SELECT COUNT(*) FROM skipped k WHERE k.run_id = l.id)
    FROM classes c JOIN sites s ON s.id = c.site_id
    LEFT JOIN runs l ON l.id = (SELECT MAX(x.id) FROM runs x WHERE x.class_id = c.id AND x.state = 'done')";

const NAMES: &str = "SELECT DISTINCT a.attribute FROM record_attributes a
    JOIN classes c ON c.id = a.class_id
    JOIN sites s ON s.id = c.site_id";

const RECORDS: &str = "SELECT s.name, c.name, r.url, r.nth, r.attributes, r.confidence, e.unlinked,
        CASE WHEN r.gone_run IS NULL OR e.absence IS NOT NULL THEN e.absence ELSE 'unlinked' END, f.started_at, h.started_at, r.evidence
    FROM records r
    JOIN classes c ON c.id = r.class_id
    JOIN sites s ON s.id = c.site_id
    JOIN runs f ON f.id = r.first_run
    JOIN runs h ON h.id = r.changed_run
    LEFT JOIN entities e ON e.class_id = r.class_id AND e.url = r.url";

impl Choice {
    fn values(&self) -> Vec<Value> {
        vec![self.site.as_deref().into(), self.class.as_deref().into(), self.class_id.into()]
    }
}

/// A record, and what kind it is of.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub class_id: i64,
    pub site: String,
    pub class: String,
    pub url: String,
    pub nth: i64,
    pub attributes: BTreeMap<String, Vec<String>>,
    pub evidence: serde_json::Value,
    pub confidence: f64,
    pub read_run: i64,
    pub gone: bool,
}

/// Where the last answer of a page is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    pub archive: String,
    pub position: i64,
    pub status: i64,
    pub hash: String,
    pub fetched_at: String,
    /// Of the server.
    pub address: Option<String>,
}

const AT: &str = "SELECT c.id, s.name, c.name, r.url, r.nth, r.attributes, r.evidence, r.confidence, r.read_run,
        CASE WHEN r.gone_run IS NULL THEN 0 ELSE 1 END
    FROM records r JOIN classes c ON c.id = r.class_id JOIN sites s ON s.id = c.site_id";

const KEPT: &str = "SELECT p.archive, p.position, p.status, p.hash, p.fetched_at, p.address
    FROM pages p JOIN classes c ON c.site_id = p.site_id WHERE c.id = $1 AND p.url = $2";

impl Store {
    /// The record of this address and number, in each of the kinds of pages that have one.
    pub async fn records_at(&self, url: &str, nth: i64, choice: &Choice) -> Result<Vec<Found>> {
        let sql = format!("{AT} WHERE {CHOSEN} AND r.url = $4 AND r.nth = $5 ORDER BY c.id");
        let values = [choice.values(), vec![url.into(), nth.into()]].concat();
        let found = |row: &Row| {
            Ok(Found {
                class_id: row.int(0),
                site: row.text(1),
                class: row.text(2),
                url: row.text(3),
                nth: row.int(4),
                attributes: row.parsed(5, "attributes")?,
                evidence: row.parsed(6, "evidence")?,
                confidence: row.real(7),
                read_run: row.int(8),
                gone: row.int(9) != 0,
            })
        };
        self.fetch(&sql, values).await?.iter().map(found).collect()
    }

    pub async fn page_kept(&self, class: i64, url: &str) -> Result<Option<Kept>> {
        let rows = self.fetch(KEPT, vec![class.into(), url.into()]).await?;
        let kept = |row: &Row| Kept {
            archive: row.text(0),
            position: row.int(1),
            status: row.int(2),
            hash: row.text(3),
            fetched_at: row.text(4),
            address: row.maybe_text(5),
        };
        Ok(rows.first().map(kept))
    }

    /// The names of all attributes of the records, sorted.
    pub async fn attribute_names(&self, choice: &Choice) -> Result<Vec<String>> {
        let rows = self.select(&format!("{NAMES} WHERE {CHOSEN}"), choice.values()).await?.all().await?;
        let mut names: Vec<String> = rows.iter().map(|row| row.text(0)).collect();
        names.sort();
        Ok(names)
    }

    /// Site, class, address, number on its page, attributes, confidence, unlinked, absence, first seen, changed, evidence; sorted
    /// by the first four.
    pub async fn chosen_records(&self, choice: &Choice) -> Result<Rows> {
        let here = if choice.gone { "" } else { " AND r.gone_run IS NULL" };
        let sql = format!("{RECORDS} WHERE {CHOSEN}{here} ORDER BY s.name, c.name, r.url, r.nth");
        self.select(&sql, choice.values()).await
    }

    /// The kinds of pages that the choice is of, sorted by site and name.
    pub async fn chosen_classes(&self, choice: &Choice) -> Result<Vec<ClassFacts>> {
        let sql = format!("{CLASSES} WHERE {CHOSEN} ORDER BY s.name, c.name");
        self.select(&sql, choice.values()).await?.all().await?.iter().map(facts).collect()
    }
}

fn facts(row: &Row) -> Result<ClassFacts> {
    let json = |at: usize, column| match row.get(at) {
        Value::Null => Ok(serde_json::Value::Null),
        _ => row.parsed(at, column),
    };
    Ok(ClassFacts {
        id: row.int(0),
        site: row.text(1),
        class: row.text(2),
        url: row.text(3),
        samples: row.parsed(4, "samples")?,
        first_seen: row.text(5),
        records: row.int(6),
        pages: row.int(7),
        read: row.int(8),
        run: row.maybe_int(9),
        started_at: row.maybe_text(10),
        ended_at: row.maybe_text(11),
        stats: json(12, "stats")?,
        settings: json(13, "settings")?,
        skipped: row.int(14),
    })
}
