//! What contradicts what is known, since when, and until when? Findings ↔ rows, with history; and which records were checked.
//!
//! - [`Unchecked`]: a record that is new, or changed, or was checked against something else. - [`CheckedRecord`]: one that has been, with its findings.
//! - [`FindingRow`]: a finding with the times it was first and last seen, and when it was found gone.
//!
//! A finding that is found again keeps its first time. One that is not is gone, but stays in the table.

use crate::backend::Statement;
use crate::stream::Rows;
use crate::value::{Row, Value};
use crate::{Error, Result, Run, Store};
use jiff::Timestamp;
use pagekin_core::check::Finding;
use pagekin_core::extract::Record;

/// Which records are checked.
#[derive(Debug, Clone, Copy)]
pub enum Part<'p> {
    All,
    Site(&'p str),
    Class(i64),
}

/// Findings of one severity that hold now.
pub struct Count {
    pub severity: String,
    pub findings: usize,
    /// First seen since the run began.
    pub new: usize,
}

/// A record that is to be checked.
pub struct Unchecked {
    pub class: i64,
    pub nth: i64,
    pub hash: String,
    pub record: Record,
}

/// A record that was checked, and what was found.
pub struct CheckedRecord {
    pub unchecked: Unchecked,
    pub findings: Vec<Finding>,
}

pub struct FindingRow {
    pub finding: Finding,
    /// Days, as `2026-11-16`.
    pub first_seen: String,
    pub last_seen: String,
    pub gone: Option<String>,
}

/// Since when a record is known, and until when.
pub struct Sighting {
    pub url: String,
    pub first_seen: String,
    pub gone: Option<String>,
}

const UNCHECKED: &str = "SELECT r.class_id, r.url, r.nth, r.hash, c.name, r.attributes, r.evidence
    FROM records r
    JOIN classes c ON c.id = r.class_id
    JOIN sites s ON s.id = c.site_id
    LEFT JOIN checks k ON k.class_id = r.class_id AND k.url = r.url AND k.nth = r.nth
    WHERE r.gone_run IS NULL AND (k.hash IS NULL OR k.hash <> r.hash OR k.against <> $1)
        AND (CAST($2 AS TEXT) IS NULL OR s.name = $2) AND (CAST($3 AS BIGINT) IS NULL OR r.class_id = $3)
    ORDER BY r.class_id, r.url, r.nth";

const FINDING: &str = "INSERT INTO findings
        (class_id, url, nth, conclusion, rule, severity, lower, upper, finding, first_seen, last_seen)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
    ON CONFLICT (class_id, {url}, nth, conclusion) DO UPDATE SET
        rule = excluded.rule, severity = excluded.severity, lower = excluded.lower, upper = excluded.upper,
        finding = excluded.finding, last_seen = excluded.last_seen,
        first_seen = CASE WHEN findings.gone_at IS NULL THEN findings.first_seen ELSE excluded.first_seen END,
        gone_at = NULL";

const GONE: &str = "UPDATE findings SET gone_at = $4
    WHERE class_id = $1 AND url = $2 AND nth = $3 AND gone_at IS NULL AND last_seen < $4";

const CHECKED: &str = "INSERT INTO checks (class_id, url, nth, hash, against) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (class_id, {url}, nth) DO UPDATE SET hash = excluded.hash, against = excluded.against";

/// Records that were not checked again are as they were, and so is what was found in them.
const STILL_THERE: &str = "UPDATE findings SET last_seen = $1 WHERE gone_at IS NULL AND EXISTS (
        SELECT 1 FROM records r WHERE r.class_id = findings.class_id AND r.url = findings.url AND r.nth = findings.nth
        AND r.gone_run IS NULL)";

const NO_LONGER_THERE: &str = "UPDATE findings SET gone_at = $1 WHERE gone_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM records r WHERE r.class_id = findings.class_id AND r.url = findings.url AND r.nth = findings.nth
        AND r.gone_run IS NULL)";

const FINDINGS: &str = "SELECT f.finding, f.first_seen, f.last_seen, f.gone_at FROM findings f
    JOIN classes c ON c.id = f.class_id
    JOIN sites s ON s.id = c.site_id
    WHERE CAST($1 AS TEXT) IS NULL OR s.name = $1
    ORDER BY f.url, f.nth, f.conclusion";

const COUNTS: &str = "SELECT f.severity, COUNT(*), SUM(CASE WHEN f.first_seen >= n.started_at THEN 1 ELSE 0 END)
    FROM findings f CROSS JOIN runs n
    WHERE f.class_id = $1 AND f.gone_at IS NULL AND n.id = $2
    GROUP BY f.severity ORDER BY f.severity";

const SIGHTINGS: &str = "SELECT r.url, f.started_at, g.started_at FROM records r
    JOIN runs f ON f.id = r.first_run
    LEFT JOIN runs g ON g.id = r.gone_run
    JOIN classes c ON c.id = r.class_id
    JOIN sites s ON s.id = c.site_id
    WHERE CAST($1 AS TEXT) IS NULL OR s.name = $1
    ORDER BY r.url, r.nth";

impl Store {
    /// Records that have not been checked against this, by [`unchecked`].
    pub async fn unchecked_records(&self, against: &str, part: Part<'_>) -> Result<Rows> {
        let (site, class) = match part {
            Part::All => (None, None),
            Part::Site(site) => (Some(site), None),
            Part::Class(class) => (None, Some(class)),
        };
        self.select(UNCHECKED, vec![against.into(), site.into(), class.into()]).await
    }

    /// What holds now of a class, by severity, and how much of it came with this run.
    pub async fn count_findings(&self, class: i64, run: &Run) -> Result<Vec<Count>> {
        let rows = self.select(COUNTS, vec![class.into(), run.id.into()]).await?.all().await?;
        let count = |row: &Row, at: usize| usize::try_from(row.int(at)).unwrap_or(0);
        Ok(rows
            .iter()
            .map(|row| Count { severity: row.text(0), findings: count(row, 1), new: count(row, 2) })
            .collect())
    }

    /// What was found in these records is now all that is found in them. `run`: on whose behalf; when somebody else does it by now, nothing
    /// is written.
    pub async fn put_checked(
        &self,
        run: Option<&Run>,
        (against, at): (&str, Timestamp),
        checked: &[CheckedRecord],
    ) -> Result<()> {
        let (mut findings, mut gone, mut done) = (Vec::new(), Vec::new(), Vec::new());
        for CheckedRecord { unchecked, findings: found } in checked {
            let key = || vec![unchecked.class.into(), (&unchecked.record.url).into(), unchecked.nth.into()];
            for finding in found {
                let rest = vec![
                    finding.conclusion.as_str().into(),
                    finding.rule.as_str().into(),
                    finding.severity.name().into(),
                    finding.lower.into(),
                    finding.upper.into(),
                    Value::json(finding)?,
                    at.into(),
                ];
                findings.push([key(), rest].concat());
            }
            gone.push([key(), vec![at.into()]].concat());
            done.push([key(), vec![unchecked.hash.as_str().into(), against.into()]].concat());
        }
        let statements =
            vec![Statement::many(FINDING, findings), Statement::many(GONE, gone), Statement::many(CHECKED, done)];
        self.transact(fenced(run, statements)).await.map(drop)
    }

    /// After all unchecked records: what was not looked at is as it was, unless its record is gone.
    pub async fn settle_findings(&self, run: Option<&Run>, at: Timestamp) -> Result<()> {
        let statements = [NO_LONGER_THERE, STILL_THERE].map(|sql| Statement::new(sql, vec![at.into()]));
        self.transact(fenced(run, statements.into())).await.map(drop)
    }

    /// By address; those that are gone too.
    pub async fn findings(&self, site: Option<&str>) -> Result<Vec<FindingRow>> {
        let rows = self.select(FINDINGS, vec![site.into()]).await?.all().await?;
        rows.iter().map(finding).collect()
    }

    /// All records, by address, as they are read: see [`sighting`].
    pub async fn sightings(&self, site: Option<&str>) -> Result<Rows> {
        self.select(SIGHTINGS, vec![site.into()]).await
    }
}

/// On behalf of a run only while it is that run's.
fn fenced(run: Option<&Run>, statements: Vec<Statement>) -> Vec<Statement> {
    run.map(|run| Statement::fence(run, false)).into_iter().chain(statements).collect()
}

/// A row of [`Store::unchecked_records`].
pub fn unchecked(row: &Row) -> Result<Unchecked> {
    let url = row.text(1).parse();
    let url = url.map_err(|error: url::ParseError| Error::Stored { column: "url", reason: error.to_string() })?;
    let record = Record {
        url,
        class: row.text(4),
        attributes: row.parsed(5, "attributes")?,
        children: Default::default(),
        // What another program stored there is no reason not to check the values.
        evidence: row.parsed(6, "evidence").unwrap_or_default(),
    };
    Ok(Unchecked { class: row.int(0), nth: row.int(2), hash: row.text(3), record })
}

fn finding(row: &Row) -> Result<FindingRow> {
    Ok(FindingRow {
        finding: row.parsed(0, "finding")?,
        first_seen: day(&row.text(1)),
        last_seen: day(&row.text(2)),
        gone: row.maybe_text(3).map(|time| day(&time)),
    })
}

/// A row of [`Store::sightings`].
pub fn sighting(row: &Row) -> Sighting {
    Sighting { url: row.text(0), first_seen: day(&row.text(1)), gone: row.maybe_text(2).map(|time| day(&time)) }
}

fn day(time: &str) -> String {
    time.chars().take(10).collect()
}
