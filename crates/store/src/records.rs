//! What do the pages say, and what did they say before? Records ↔ rows, with history.
//!
//! - [`RecordRow`]: one record. - [`Change`]: what became of one in a run, of a [`ChangeKind`].
//!
//! A record that is stored again with the same values is left as it is. With others, the old ones go to
//! `record_history`, with the runs between which they held.

use crate::backend::Statement;
use crate::runs::Run;
use crate::value::{Row, Value};
use crate::{Error, Result, Store};
use std::collections::BTreeMap;
use url::Url;

/// Rows of one transaction: large enough that its end does not matter, small enough that a killed run repeats little.
pub const CHUNK: usize = 1000;

#[derive(Debug, Clone, PartialEq)]
pub struct RecordRow {
    pub url: Url,
    /// Among the records of its page, from 0.
    pub nth: usize,
    pub attributes: BTreeMap<String, Vec<String>>,
    /// As JSON.
    pub evidence: serde_json::Value,
    pub confidence: f64,
}

/// What became of a record.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, strum::Display, strum::EnumString, strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ChangeKind {
    New,
    Changed,
    /// Its page was asked for and is not there.
    Missing,
    /// No list shows its page any more.
    Unlinked,
}

impl ChangeKind {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Change {
    pub url: Url,
    pub nth: usize,
    pub change: ChangeKind,
    /// Attribute by attribute; of what is new or absent all of them.
    pub before: BTreeMap<String, Vec<String>>,
    pub after: BTreeMap<String, Vec<String>>,
}

/// The values that held until now, unless they are the same. Those of an earlier try of the same run did not hold.
const REMEMBER: &str = "INSERT INTO record_history
        (class_id, url, nth, attributes, evidence, confidence, hash, from_run, until_run)
    SELECT class_id, url, nth, attributes, evidence, confidence, hash, changed_run, CAST($4 AS BIGINT)
    FROM records WHERE class_id = $1 AND url = $2 AND nth = $3 AND hash <> $5 AND changed_run < CAST($4 AS BIGINT)
    ON CONFLICT (class_id, {url}, nth, until_run) DO NOTHING";

const RECORD: &str = "INSERT INTO records
        (class_id, url, nth, attributes, evidence, confidence, hash, first_run, changed_run, read_run)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $8)
    ON CONFLICT (class_id, {url}, nth) DO UPDATE SET
        changed_run = CASE WHEN records.hash = excluded.hash THEN records.changed_run ELSE excluded.changed_run END,
        attributes = excluded.attributes, evidence = excluded.evidence, confidence = excluded.confidence,
        hash = excluded.hash, read_run = excluded.read_run,
        back_run = CASE WHEN records.gone_run IS NULL THEN records.back_run ELSE excluded.read_run END,
        was_gone = COALESCE(records.gone_run, records.was_gone), gone_run = NULL";

const CHANGED: &str = "SELECT r.url, r.nth, 'new', CAST(NULL AS {json}), r.attributes FROM records r
        WHERE r.class_id = $1 AND r.first_run = $2
    UNION ALL
    SELECT h.url, h.nth, 'changed', h.attributes, r.attributes FROM record_history h
        JOIN records r ON r.class_id = h.class_id AND r.url = h.url AND r.nth = h.nth
        WHERE h.class_id = $1 AND h.until_run = $2
    UNION ALL
    SELECT r.url, r.nth, COALESCE(e.absence, 'unlinked'), r.attributes, CAST(NULL AS {json}) FROM records r
        LEFT JOIN entities e ON e.class_id = r.class_id AND e.url = r.url
        WHERE r.class_id = $1 AND r.gone_run = $2
    ORDER BY 1, 2, 3 LIMIT $3";

/// Against what held after a run; what came and went since is not told.
const SINCE: &str = "SELECT r.url, r.nth, 'new', CAST(NULL AS {json}), r.attributes FROM records r
        WHERE r.class_id = $1 AND r.first_run > $2 AND r.gone_run IS NULL
    UNION ALL
    SELECT r.url, r.nth, 'changed', h.attributes, r.attributes FROM records r
        JOIN record_history h ON h.class_id = r.class_id AND h.url = r.url AND h.nth = r.nth
        WHERE r.class_id = $1 AND r.first_run <= $2 AND r.changed_run > $2 AND r.gone_run IS NULL
            AND h.from_run <= $2 AND h.until_run > $2 AND h.hash <> r.hash
    UNION ALL
    SELECT r.url, r.nth, COALESCE(e.absence, 'unlinked'), r.attributes, CAST(NULL AS {json}) FROM records r
        LEFT JOIN entities e ON e.class_id = r.class_id AND e.url = r.url
        WHERE r.class_id = $1 AND r.first_run <= $2 AND r.gone_run > $2
    ORDER BY 1, 2, 3 LIMIT $3";

impl Store {
    pub async fn put_records(&self, run: &Run, class: i64, records: &[RecordRow]) -> Result<()> {
        let statements = |some: &[RecordRow]| {
            let (mut old, mut new) = (Vec::with_capacity(some.len()), Vec::with_capacity(some.len()));
            for record in some {
                let attributes = Value::json(&record.attributes)?;
                let hash = hash(&attributes);
                let key = vec![class.into(), (&record.url).into(), record.nth.into()];
                old.push([key.clone(), vec![run.id.into(), hash.as_str().into()]].concat());
                let evidence = Value::json(&record.evidence)?;
                let rest = vec![attributes, evidence, record.confidence.into(), hash.into(), run.id.into()];
                new.push([key, rest].concat());
            }
            Ok(vec![Statement::many(REMEMBER, old), Statement::many(RECORD, new)])
        };
        self.put_each(run, true, records, |record| record.url.as_str(), statements).await
    }

    /// The pages that this run has read already, sorted.
    pub async fn read_by(&self, run: &Run, class: i64) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT url FROM records WHERE class_id = $1 AND read_run = $2 ORDER BY url";
        let rows = self.select(sql, vec![class.into(), run.id.into()]).await?.all().await?;
        Ok(rows.iter().map(|row| row.text(0)).collect())
    }

    /// The pages that earlier runs have read and that have a record, sorted.
    pub async fn read_before(&self, run: &Run, class: i64) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT url FROM records WHERE class_id = $1 AND first_run <> $2 AND gone_run IS NULL
            ORDER BY url";
        let rows = self.select(sql, vec![class.into(), run.id.into()]).await?.all().await?;
        Ok(rows.iter().map(|row| row.text(0)).collect())
    }

    /// How many records this run found new, changed, missing, unlinked.
    pub async fn count_changes(&self, class: i64, run: i64) -> Result<[usize; 4]> {
        let sql = "SELECT change, COUNT(*) FROM changes WHERE class_id = $1 AND run_id = $2 GROUP BY change";
        let rows = self.one(sql, vec![class.into(), run.into()]).await?.rows;
        let count = |of: ChangeKind| {
            rows.iter().find(|row| row.text(0) == of.name()).map_or(0, |row| row.int(1).max(0) as usize)
        };
        Ok([ChangeKind::New, ChangeKind::Changed, ChangeKind::Missing, ChangeKind::Unlinked].map(count))
    }

    /// What this run changed, sorted by address; so many at most.
    pub async fn changes(&self, class: i64, run: i64, most: usize) -> Result<Vec<Change>> {
        let rows = self.select(CHANGED, vec![class.into(), run.into(), most.into()]).await?.all().await?;
        rows.iter().map(change).collect()
    }

    /// What is different now from what it was after a run, sorted by address; so many at most.
    pub async fn changes_since(&self, class: i64, run: i64, most: usize) -> Result<Vec<Change>> {
        let rows = self.fetch(SINCE, vec![class.into(), run.into(), most.into()]).await?;
        rows.iter().map(change).collect()
    }

    /// Records that were current before this run: those now, without its own, and with those it found absent.
    pub async fn count_records_before(&self, class: i64, run: i64) -> Result<usize> {
        let sql = "SELECT COUNT(*) FROM records WHERE class_id = $1 AND first_run < $2 AND (gone_run IS NULL OR gone_run >= $2)";
        let counted = self.one(sql, vec![class.into(), run.into()]).await?;
        Ok(counted.rows.first().map_or(0, |row| row.int(0).max(0) as usize))
    }

    pub async fn count_records(&self, class: i64) -> Result<usize> {
        let sql = "SELECT COUNT(*) FROM records WHERE class_id = $1 AND gone_run IS NULL";
        Ok(self.one(sql, vec![class.into()]).await?.rows.first().map_or(0, |row| row.int(0).max(0) as usize))
    }
}

/// Of the values alone: evidence may move without anything being said differently.
pub(crate) fn hash(attributes: &Value) -> String {
    let Value::Json(text) = attributes else { return String::new() };
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

fn change(row: &Row) -> Result<Change> {
    let values = |at: usize| match row.get(at) {
        Value::Null => Ok(BTreeMap::new()),
        _ => row.parsed::<BTreeMap<String, Vec<String>>>(at, "attributes"),
    };
    let (mut before, mut after) = (values(3)?, values(4)?);
    let told = row.text(2);
    let stored = |reason: String| Error::Stored { column: "change", reason };
    let change = told.parse().map_err(|_| stored(format!("`{told}` is no change")))?;
    if change == ChangeKind::Changed {
        let same: Vec<String> =
            before.iter().filter(|(name, old)| after.get(*name) == Some(old)).map(|(n, _)| n.clone()).collect();
        for name in same {
            before.remove(&name);
            after.remove(&name);
        }
    }
    let url = row
        .text(0)
        .parse()
        .map_err(|error: url::ParseError| Error::Stored { column: "url", reason: error.to_string() })?;
    Ok(Change { url, nth: row.int(1).max(0) as usize, change, before, after })
}
