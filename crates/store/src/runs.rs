//! Who does what, and how far is it? A queue of runs that one process or many machines work off.
//!
//! ```text
//! queued ─► running (owner, lease, stage) ─► done
//!    ▲          │ interrupted, or its lease ran out     failed: may be tried again
//!    └──────────┘
//! ```
//!
//! - [`NewRun`]: what is to be done. - [`Run`]: what was taken from the queue. - [`State`]: where it stands.
//!
//! Of a site one run is under way at a time. A run taken over has a higher attempt than its old owner knows: whatever
//! that one still says of it is refused. Does not know what a run does.

use crate::backend::Statement;
use crate::value::{Row, Value, fitting};
use crate::{Error, Result, Store};
use jiff::Timestamp;
use serde::Serialize;
use std::time::Duration;
use url::Url;

#[derive(Debug, Clone, PartialEq)]
pub struct NewRun {
    /// Host, with the port where it is not the usual one.
    pub site: String,
    pub url: Url,
    /// Sorted.
    pub samples: Vec<Url>,
    /// How it is to be done, as whoever does it reads it.
    pub settings: serde_json::Value,
    /// Marks the runs that were queued together.
    pub batch: Option<String>,
    /// The user said that the site may be at a private address; kept with the site.
    pub private: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub id: i64,
    pub site_id: i64,
    pub site: String,
    pub class_id: Option<i64>,
    pub samples: Vec<Url>,
    pub settings: serde_json::Value,
    /// What was last completed; empty at the start.
    pub stage: String,
    /// 1 for the first who works on it.
    pub attempt: i64,
    /// May its site be at a private address?
    pub private: bool,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum State {
    Queued,
    Running,
    Done,
    Failed,
    /// Failed because somebody stopped it: so a list shows it, the table has `failed`.
    Stopped,
}

impl State {
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Stopped];

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn is_under_way(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }

    /// Can it be taken up again?
    pub fn is_unfinished(self) -> bool {
        matches!(self, Self::Failed | Self::Stopped)
    }
}

/// Times that a run is begun without getting further. What was killed by chance once or twice is gone on with; what ends
/// whoever works on it must not end them all.
pub const MOST_TRIES: i64 = 3;

/// What was allowed once stays allowed.
const SITE: &str = "INSERT INTO sites (name, url, first_seen, private) VALUES ($1, $2, $3, $4)
    ON CONFLICT (name) DO UPDATE SET private = sites.private OR excluded.private RETURNING id";

/// The last run of the same samples, unless it is done: it is gone on with.
const UNFINISHED: &str = "UPDATE runs SET settings = $3, batch = $4, error = NULL, tries = 0,
        state = CASE state WHEN 'failed' THEN 'queued' ELSE state END
    WHERE id = (SELECT id FROM runs WHERE site_id = $1 AND samples = $2 ORDER BY id DESC LIMIT 1) AND state <> 'done'
    RETURNING id";

const QUEUE: &str = "INSERT INTO runs (site_id, samples, settings, batch, state, stage, attempt, queued_at)
    VALUES ($1, $2, $3, $4, 'queued', '', 0, $5) RETURNING id";

/// Those that were begun too often, by whoever was last seen with them.
const GIVE_UP: &str = "UPDATE runs SET state = 'failed', ended_at = $1, lease_until = NULL,
        error = 'begun ' || tries || ' times without getting further; last by `' || COALESCE(owner, '') || '`, which gave no sign'
            || ' of life any more\n\nhint: look at the memory of that machine and at the site, then run it again', owner = NULL
    WHERE state = 'running' AND lease_until < {now_ms} AND tries >= $2";

/// First those that were begun least often, then those of sites that nobody worked on for the longest; of a site the oldest,
/// and none while another is under way. Nobody takes over from himself: what he began is still under way.
const CLAIM: &str = "UPDATE runs SET state = 'running', attempt = attempt + 1, tries = tries + 1, owner = $1,
        lease_until = {now_ms} + $2, started_at = COALESCE(started_at, $3)
    WHERE id IN (
        SELECT r.id FROM runs r
        WHERE (CAST($4 AS TEXT) IS NULL OR r.batch = $4)
          AND (r.state = 'running' AND r.lease_until < {now_ms} AND r.owner <> $1
            OR r.state = 'queued'
              AND NOT EXISTS (SELECT 1 FROM runs o WHERE o.site_id = r.site_id AND o.state = 'running')
              AND NOT EXISTS (SELECT 1 FROM runs e WHERE e.site_id = r.site_id AND e.state = 'queued' AND e.id < r.id))
        ORDER BY r.tries, (SELECT MAX(l.started_at) FROM runs l WHERE l.site_id = r.site_id) NULLS FIRST, r.id
        LIMIT $5 {skip_locked})
    RETURNING id, site_id, class_id, samples, settings, stage, attempt,
        (SELECT name FROM sites s WHERE s.id = runs.site_id), (SELECT private FROM sites s WHERE s.id = runs.site_id)";

impl Store {
    /// `private`: it may be at a private address, from now on.
    pub async fn site(&self, name: &str, url: &Url, private: bool) -> Result<i64> {
        let values = vec![fitting(name).into(), url.into(), Timestamp::now().into(), private.into()];
        let done = self.one(SITE, values).await?;
        Ok(done.rows.first().map_or(0, |row| row.int(0)))
    }

    /// Queues a run, or the unfinished one of the same samples again.
    pub async fn enqueue(&self, new: &NewRun) -> Result<i64> {
        let site: Value = self.site(&new.site, &new.url, new.private).await?.into();
        let (samples, settings) = (written(&new.samples)?, Value::json(&new.settings)?);
        let batch: Value = new.batch.as_deref().into();
        let values = vec![site.clone(), samples.clone(), settings.clone(), batch.clone()];
        if let Some(row) = self.one(UNFINISHED, values).await?.rows.first() {
            return Ok(row.int(0));
        }
        let queued = self.one(QUEUE, vec![site, samples, settings, batch, Timestamp::now().into()]).await?;
        Ok(queued.rows.first().map_or(0, |row| row.int(0)))
    }

    /// Takes up to so many runs, of this batch only if one is named.
    pub async fn claim(&self, owner: &str, lease: Duration, batch: Option<&str>, most: usize) -> Result<Vec<Run>> {
        let now = Timestamp::now();
        self.one(GIVE_UP, vec![now.into(), MOST_TRIES.into()]).await?;
        let values = vec![owner.into(), millis(lease), now.into(), batch.into(), Value::from(most)];
        let mut runs = self.one(CLAIM, values).await?.rows.iter().map(run).collect::<Result<Vec<Run>>>()?;
        runs.sort_by_key(|run| run.id);
        Ok(runs)
    }

    /// Says that somebody still works on it.
    pub async fn renew(&self, run: &Run, lease: Duration) -> Result<()> {
        let sql = "UPDATE runs SET lease_until = {now_ms} + $3 WHERE id = $1 AND attempt = $2 AND state = 'running'";
        self.owned(run, sql, vec![millis(lease)]).await
    }

    /// Something was completed: whoever goes on begins after it.
    pub async fn reached(&self, run: &Run, stage: &str) -> Result<()> {
        let sql = "UPDATE runs SET tries = CASE WHEN stage = $3 THEN tries ELSE 0 END, stage = $3
            WHERE id = $1 AND attempt = $2 AND state = 'running'";
        self.owned(run, sql, vec![stage.into()]).await
    }

    pub async fn set_class(&self, run: &Run, class: i64) -> Result<()> {
        let sql = "UPDATE runs SET class_id = $3 WHERE id = $1 AND attempt = $2 AND state = 'running'";
        self.owned(run, sql, vec![class.into()]).await
    }

    /// Done, failed, or queued again for whoever comes next.
    pub async fn finish(
        &self,
        run: &Run,
        state: State,
        stats: Option<&serde_json::Value>,
        error: Option<&str>,
    ) -> Result<()> {
        let sql = "UPDATE runs SET state = $3, tries = 0, owner = NULL, lease_until = NULL, ended_at = $4, stats = $5, error = $6
            WHERE id = $1 AND attempt = $2 AND state = 'running'";
        let ended = (state != State::Queued).then(Timestamp::now);
        let stats = stats.map(Value::json).transpose()?.unwrap_or(Value::Null);
        self.owned(run, sql, vec![state.name().into(), ended.into(), stats, error.into()]).await
    }

    async fn owned(&self, run: &Run, sql: &'static str, values: Vec<Value>) -> Result<()> {
        let values = [vec![run.id.into(), run.attempt.into()], values].concat();
        match self.one(sql, values).await?.affected {
            0 => Err(Error::TakenOver { run: run.id }),
            _ => Ok(()),
        }
    }

    /// Who works on something.
    pub async fn owners(&self) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT owner FROM runs WHERE state = 'running' AND owner IS NOT NULL ORDER BY owner";
        Ok(self.one(sql, Vec::new()).await?.rows.iter().map(|row| row.text(0)).collect())
    }

    /// Its process is known to have ended: its runs need not wait for the end of their leases.
    pub async fn release(&self, owner: &str) -> Result<u64> {
        let sql = "UPDATE runs SET lease_until = 0 WHERE state = 'running' AND owner = $1";
        Ok(self.one(sql, vec![owner.into()]).await?.affected)
    }

    /// Runs that are not done, of a batch or of all: queued, under way, failed.
    pub async fn unfinished(&self, batch: Option<&str>) -> Result<(usize, usize, usize)> {
        let sql = "SELECT state, COUNT(*) FROM runs WHERE CAST($1 AS TEXT) IS NULL OR batch = $1 GROUP BY state";
        let rows = self.one(sql, vec![batch.into()]).await?.rows;
        let count = |state: State| {
            rows.iter().find(|row| row.text(0) == state.name()).map_or(0, |row| row.int(1).max(0) as usize)
        };
        Ok((count(State::Queued), count(State::Running), count(State::Failed)))
    }

    /// Takes up all that stopped before it was done, as one batch; failed ones too.
    pub async fn take_up(&self, batch: &str) -> Result<u64> {
        let again = Statement::new(
            "UPDATE runs SET batch = $1, error = NULL, tries = 0, state = CASE state WHEN 'failed' THEN 'queued' ELSE state END
             WHERE state <> 'done'
               AND id = (SELECT MAX(l.id) FROM runs l WHERE l.site_id = runs.site_id AND l.samples = runs.samples)",
            vec![batch.into()],
        );
        Ok(self.transact(vec![again]).await?.first().map_or(0, |outcome| outcome.affected))
    }
}

/// As it is compared.
pub(crate) fn written(samples: &[Url]) -> Result<Value> {
    let Value::Json(text) = Value::json(&samples)? else { return Ok(Value::Null) };
    Ok(Value::Text(text))
}

pub(crate) fn millis(duration: Duration) -> Value {
    Value::Int(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
}

fn run(row: &Row) -> Result<Run> {
    Ok(Run {
        id: row.int(0),
        site_id: row.int(1),
        class_id: row.maybe_int(2),
        samples: row.parsed(3, "samples")?,
        settings: row.parsed(4, "settings")?,
        stage: row.text(5),
        attempt: row.int(6),
        site: row.text(7),
        private: row.int(8) != 0,
    })
}
