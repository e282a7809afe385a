//! Which runs are there, how far are they, and how is one stopped or taken up again? For people who look on.
//!
//! - [`RunLine`]: one run as a list shows it. - [`RunFilter`]: which ones. - [`Progress`]: what it has done so far.
//!
//! Whoever works on a run that is stopped notices at the next write or sign of life: it is no longer his.

use crate::runs::State;
use crate::value::{Row, Value};
use crate::{Error, Result, Store};
use serde::Serialize;

/// Begins the error of a run that somebody stopped.
pub const STOPPED: &str = "stopped by hand";

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunLine {
    pub id: i64,
    pub site: String,
    pub class_id: Option<i64>,
    pub class: Option<String>,
    pub state: State,
    /// What was last completed; empty at the start.
    pub stage: String,
    pub attempt: i64,
    pub samples: Vec<String>,
    pub queued_at: String,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    pub owner: Option<String>,
    pub error: Option<String>,
    /// The summary of a run that ended.
    pub stats: Option<serde_json::Value>,
    #[serde(skip)]
    pub site_id: i64,
    #[serde(skip)]
    pub settings: serde_json::Value,
}

#[derive(Debug, Clone, Default)]
pub struct RunFilter {
    /// Part of the name of the site, the class or a sample.
    pub search: Option<String>,
    pub state: Option<State>,
    /// Of this data set.
    pub class: Option<i64>,
    /// Only runs with smaller numbers: the page after this one.
    pub before: Option<i64>,
    pub limit: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Pages that this run has kept.
    pub pages: i64,
    /// Pages of the kind that are known.
    pub found: i64,
    /// Of these, those that this run has read.
    pub read: i64,
    /// Milliseconds until the host may be asked again.
    pub pause_ms: i64,
}

const LINE: &str =
    "SELECT r.id, s.name, r.class_id, c.name, r.state, r.stage, r.attempt, r.samples, r.queued_at, r.started_at,
        r.ended_at, r.owner, r.error, r.stats, r.site_id, r.settings
    FROM runs r JOIN sites s ON s.id = r.site_id LEFT JOIN classes c ON c.id = r.class_id";

const LISTED: &str = "(CAST($1 AS BIGINT) IS NULL OR r.id < $1)
    AND (CAST($2 AS TEXT) IS NULL OR lower(s.name || ' ' || COALESCE(c.name, '') || ' ' || r.samples) LIKE $2 ESCAPE '!')
    AND (CAST($3 AS TEXT) IS NULL
        OR $3 = CASE WHEN r.state = 'failed' AND r.error LIKE 'stopped by hand%' THEN 'stopped' ELSE r.state END)
    AND (CAST($5 AS BIGINT) IS NULL OR r.class_id = $5)";

const PROGRESS: &str = "SELECT (SELECT COUNT(*) FROM pages p WHERE p.site_id = r.site_id AND p.run_id = r.id),
        (SELECT COUNT(*) FROM entities e WHERE e.class_id = r.class_id AND e.gone_run IS NULL),
        (SELECT COUNT(*) FROM records d WHERE d.class_id = r.class_id AND d.read_run = r.id),
        COALESCE((SELECT h.next_ms - {now_ms} FROM hosts h JOIN sites s ON s.name = h.name WHERE s.id = r.site_id), 0)
    FROM runs r WHERE r.id = $1";

impl Store {
    /// The newest first.
    pub async fn run_list(&self, filter: &RunFilter) -> Result<Vec<RunLine>> {
        let search = filter.search.as_deref().filter(|text| !text.trim().is_empty()).map(contains);
        let sql = format!("{LINE} WHERE {LISTED} ORDER BY r.id DESC LIMIT $4");
        let (state, limit) = (filter.state.map(State::name), filter.limit);
        let values = vec![filter.before.into(), search.into(), state.into(), limit.into(), filter.class.into()];
        self.fetch(&sql, values).await?.iter().map(line).collect()
    }

    pub async fn run_line(&self, id: i64) -> Result<Option<RunLine>> {
        let rows = self.fetch(&format!("{LINE} WHERE r.id = $1"), vec![id.into()]).await?;
        rows.first().map(line).transpose()
    }

    pub async fn progress(&self, id: i64) -> Result<Progress> {
        let rows = self.fetch(PROGRESS, vec![id.into()]).await?;
        Ok(rows.first().map_or_else(Progress::default, |row| Progress {
            pages: row.int(0),
            found: row.int(1),
            read: row.int(2),
            pause_ms: row.int(3).max(0),
        }))
    }

    /// Was it waiting or under way?
    pub async fn stop_run(&self, id: i64) -> Result<bool> {
        let sql = "UPDATE runs SET state = 'failed', owner = NULL, lease_until = NULL, ended_at = $2,
                error = 'stopped by hand\n\nhint: take it up again, and it goes on where it was'
            WHERE id = $1 AND state IN ('queued', 'running')";
        Ok(self.one(sql, vec![id.into(), jiff::Timestamp::now().into()]).await?.affected > 0)
    }

    /// Had it stopped or failed, and was it the last one of its samples?
    pub async fn resume_run(&self, id: i64) -> Result<bool> {
        let sql = "UPDATE runs SET state = 'queued', error = NULL, ended_at = NULL, tries = 0, batch = NULL
            WHERE id = $1 AND state = 'failed'
              AND id = (SELECT MAX(l.id) FROM runs l WHERE l.site_id = runs.site_id AND l.samples = runs.samples)";
        Ok(self.one(sql, vec![id.into()]).await?.affected > 0)
    }
}

/// A pattern for texts in lower case that contain this one.
pub(crate) fn contains(text: &str) -> String {
    let mut pattern = "%".to_owned();
    for c in text.trim().to_lowercase().chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern + "%"
}

fn line(row: &Row) -> Result<RunLine> {
    let (error, state) = (row.maybe_text(12), row.text(4));
    let state =
        state.parse().map_err(|_| Error::Stored { column: "state", reason: format!("`{state}` is no state") })?;
    let stopped = error.as_deref().is_some_and(|error| error.starts_with(STOPPED)) && state == State::Failed;
    let stats = if *row.get(13) == Value::Null { None } else { Some(row.parsed(13, "stats")?) };
    Ok(RunLine {
        id: row.int(0),
        site: row.text(1),
        class_id: row.maybe_int(2),
        class: row.maybe_text(3),
        state: if stopped { State::Stopped } else { state },
        stage: row.text(5),
        attempt: row.int(6),
        samples: row.parsed(7, "samples")?,
        queued_at: row.text(8),
        started_at: row.maybe_text(9),
        ended_at: row.maybe_text(10),
        owner: row.maybe_text(11),
        error,
        stats,
        site_id: row.int(14),
        settings: row.parsed(15, "settings")?,
    })
}
