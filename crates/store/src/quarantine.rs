//! What becomes of a run that is not as expected? What it changed ↔ quarantine, with the data before it current again.
//!
//! - [`Store::hold`]: takes back what a run changed, and keeps it apart. - [`Store::accept`]: makes it current after all.
//! - [`Paired`]: a record before a run and after it.
//!
//! Each is one transaction. Nothing is deleted of what was current before the run.

use crate::backend::Statement;
use crate::runs::Run;
use crate::value::{Row, Value};
use crate::{Error, Result, Store};
use std::collections::BTreeMap;

/// A record that was known before a run and that the run read again.
#[derive(Debug, Clone, PartialEq)]
pub struct Paired {
    pub url: String,
    pub nth: i64,
    pub before: BTreeMap<String, Vec<String>>,
    pub after: BTreeMap<String, Vec<String>>,
}

const PAIRED: &str = "SELECT r.url, r.nth, h.attributes, r.attributes FROM records r
    LEFT JOIN record_history h ON h.class_id = r.class_id AND h.url = r.url AND h.nth = r.nth AND h.until_run = $2
    WHERE r.class_id = $1 AND r.read_run = $2 AND r.first_run < $2 ORDER BY r.url, r.nth LIMIT $3";

/// The class is `$1`, the run `$2`. Done again, each of them does nothing.
const HOLD: [&str; 13] = [
    "INSERT INTO quarantined_records (run_id, class_id, url, nth, attributes, evidence, confidence, hash)
     SELECT CAST($2 AS BIGINT), class_id, url, nth, attributes, evidence, confidence, hash FROM records
     WHERE class_id = $1 AND gone_run IS NULL AND (first_run = $2 OR changed_run = $2 OR back_run = $2)
     ON CONFLICT (run_id, {url}, nth) DO NOTHING",
    "INSERT INTO quarantined_pages (run_id, class_id, url, confidence, via, evidence, unlinked, absence)
     SELECT CAST($2 AS BIGINT), class_id, url, confidence, via, evidence, unlinked, absence FROM entities
     WHERE class_id = $1 AND (first_run = $2 OR back_run = $2 OR gone_run = $2)
     ON CONFLICT (run_id, {url}) DO NOTHING",
    "INSERT INTO quarantined_classes (run_id, class_id, learned, wrapper, drift)
     SELECT CAST($2 AS BIGINT), c.id, CASE WHEN c.learned_run = $2 THEN c.learned END, w.content, w.drift
     FROM classes c LEFT JOIN wrappers w ON w.class_id = c.id AND w.run_id = $2
     WHERE c.id = $1 ON CONFLICT (run_id) DO NOTHING",
    RESTORE,
    "DELETE FROM record_history WHERE class_id = $1 AND until_run = $2",
    "DELETE FROM records WHERE class_id = $1 AND first_run = $2",
    "UPDATE records SET gone_run = NULL WHERE class_id = $1 AND gone_run = $2",
    "UPDATE records SET gone_run = was_gone, back_run = NULL WHERE class_id = $1 AND back_run = $2",
    "DELETE FROM entities WHERE class_id = $1 AND first_run = $2",
    "UPDATE entities SET gone_run = NULL, absence = NULL WHERE class_id = $1 AND gone_run = $2",
    "UPDATE entities SET gone_run = was_gone, absence = was_absence, back_run = NULL WHERE class_id = $1 AND back_run = $2",
    "DELETE FROM wrappers WHERE class_id = $1 AND run_id = $2",
    "UPDATE classes SET learned = learned_before, learned_run = NULL WHERE id = $1 AND learned_run = $2",
];

/// What the run says of itself is kept with it, for whoever goes on where this try ends.
const HELD: &str = "UPDATE runs SET quarantine = 'held', stats = $3 WHERE id = $2 AND class_id = $1";

/// The values that held before the run.
const RESTORE: &str = "UPDATE records SET attributes = h.attributes, evidence = h.evidence, confidence = h.confidence,
        hash = h.hash, changed_run = h.from_run
     FROM record_history h WHERE h.class_id = records.class_id AND h.url = records.url AND h.nth = records.nth
        AND h.until_run = $2 AND records.class_id = $1";

/// The run is `$1`. Done again, each of them does nothing.
const ACCEPT: [&str; 9] = [
    "INSERT INTO record_history (class_id, url, nth, attributes, evidence, confidence, hash, from_run, until_run)
     SELECT r.class_id, r.url, r.nth, r.attributes, r.evidence, r.confidence, r.hash, r.changed_run, q.run_id
     FROM quarantined_records q JOIN records r ON r.class_id = q.class_id AND r.url = q.url AND r.nth = q.nth
     WHERE q.run_id = $1 AND r.hash <> q.hash AND r.changed_run < q.run_id
     ON CONFLICT (class_id, {url}, nth, until_run) DO NOTHING",
    "INSERT INTO records (class_id, url, nth, attributes, evidence, confidence, hash, first_run, changed_run, read_run)
     SELECT class_id, url, nth, attributes, evidence, confidence, hash, run_id, run_id, run_id
     FROM quarantined_records WHERE run_id = $1
     ON CONFLICT (class_id, {url}, nth) DO UPDATE SET
        changed_run = CASE WHEN records.hash = excluded.hash THEN records.changed_run ELSE excluded.changed_run END,
        attributes = excluded.attributes, evidence = excluded.evidence, confidence = excluded.confidence,
        hash = excluded.hash, read_run = excluded.read_run, gone_run = NULL",
    "INSERT INTO entities (class_id, url, confidence, via, evidence, unlinked, first_run)
     SELECT class_id, url, confidence, via, evidence, unlinked, run_id FROM quarantined_pages
     WHERE run_id = $1 AND (absence IS NULL OR absence = 'not-seen')
     ON CONFLICT (class_id, {url}) DO UPDATE SET gone_run = NULL, absence = NULL",
    "UPDATE entities SET gone_run = q.run_id, absence = q.absence FROM quarantined_pages q
     WHERE q.run_id = $1 AND q.absence IN ('missing', 'unlinked') AND entities.class_id = q.class_id AND entities.url = q.url
        AND entities.gone_run IS NULL",
    "UPDATE records SET gone_run = q.run_id FROM quarantined_pages q
     WHERE q.run_id = $1 AND q.absence IN ('missing', 'unlinked') AND records.class_id = q.class_id AND records.url = q.url
        AND records.gone_run IS NULL",
    "INSERT INTO wrappers (class_id, run_id, created_at, content, drift)
     SELECT q.class_id, q.run_id, r.ended_at, q.wrapper, q.drift FROM quarantined_classes q JOIN runs r ON r.id = q.run_id
     WHERE q.run_id = $1 AND q.wrapper IS NOT NULL AND r.ended_at IS NOT NULL
     ON CONFLICT (class_id, run_id) DO NOTHING",
    "UPDATE classes SET learned_before = classes.learned, learned = q.learned, learned_run = q.run_id
     FROM quarantined_classes q WHERE q.run_id = $1 AND q.class_id = classes.id AND q.learned IS NOT NULL",
    "UPDATE runs SET quarantine = 'accepted' WHERE id = $1 AND quarantine = 'held'",
    "DELETE FROM quarantined_records WHERE run_id = $1",
];

/// What a class has to say of a run that is to be accepted: its state, and a later run that is current.
const STANDING: &str =
    "SELECT r.quarantine, r.state, (SELECT MAX(l.id) FROM runs l WHERE l.class_id = r.class_id AND l.id > r.id
        AND l.state = 'done' AND (l.quarantine IS NULL OR l.quarantine = 'accepted'))
    FROM runs r WHERE r.id = $1";

impl Store {
    /// Takes back all that the run changed of the class, and keeps it apart.
    pub async fn hold(&self, run: &Run, class: i64, stats: &serde_json::Value) -> Result<()> {
        let values = || vec![class.into(), run.id.into()];
        let mut statements = HOLD.map(|sql| Statement::new(sql, values())).to_vec();
        statements.push(Statement::new(HELD, [values(), vec![Value::json(stats)?]].concat()));
        self.transact_of(run, true, statements).await
    }

    /// Was this run held back already, by an earlier try?
    pub async fn is_held(&self, run: &Run) -> Result<bool> {
        let sql = "SELECT id FROM runs WHERE id = $1 AND quarantine = 'held'";
        Ok(!self.one(sql, vec![run.id.into()]).await?.rows.is_empty())
    }

    /// Makes the data of a run that was held back current.
    pub async fn accept(&self, run: i64) -> Result<()> {
        let refused = |reason: String| Err(Error::NotHeld { run, reason });
        let standing = self.one(STANDING, vec![run.into()]).await?;
        let Some(row) = standing.rows.first() else { return refused("there is no such run".to_owned()) };
        match (row.maybe_text(0).as_deref(), row.maybe_int(2)) {
            (Some("held"), None) => {}
            (Some("held"), Some(later)) => return refused(format!("run {later} came after it, and is current")),
            (Some(_), _) => return refused("it was accepted before".to_owned()),
            (None, _) => return refused("it was not held back".to_owned()),
        }
        self.transact(ACCEPT.map(|sql| Statement::new(sql, vec![run.into()])).to_vec()).await.map(drop)
    }

    /// Records that were known before the run and that it read again, sorted by address; so many at most.
    pub async fn paired(&self, run: &Run, class: i64, most: usize) -> Result<Vec<Paired>> {
        let rows = self.select(PAIRED, vec![class.into(), run.id.into(), most.into()]).await?.all().await?;
        rows.iter().map(paired).collect()
    }
}

fn paired(row: &Row) -> Result<Paired> {
    let after: BTreeMap<String, Vec<String>> = row.parsed(3, "attributes")?;
    let before = if *row.get(2) == Value::Null { after.clone() } else { row.parsed(2, "attributes")? };
    Ok(Paired { url: row.text(0), nth: row.int(1), before, after })
}
