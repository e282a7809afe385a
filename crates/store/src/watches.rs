//! What is run again, and when? The watch list ↔ rows.
//!
//! - [`Watch`]: samples, how to run them, how often, whom to tell.

use crate::runs::{millis, written};
use crate::value::{Row, Value};
use crate::{Result, Store};
use jiff::Timestamp;
use std::time::Duration;
use url::Url;

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Watch {
    pub id: i64,
    pub site: String,
    pub samples: Vec<Url>,
    #[serde(skip)]
    pub settings: serde_json::Value,
    #[serde(serialize_with = "seconds")]
    pub every: Duration,
    /// When it is due.
    #[serde(serialize_with = "time")]
    pub next: Timestamp,
    /// Name of an address that gets the changes as JSON; where it is only who runs it knows. Earlier versions kept the address itself.
    pub webhook: Option<String>,
    /// Name of a command that gets the changes as JSON on its standard input; what it is only who runs it knows.
    pub command: Option<String>,
    pub last_run: Option<i64>,
}

fn seconds<S: serde::Serializer>(duration: &Duration, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_u64(duration.as_secs())
}

fn time<S: serde::Serializer>(time: &Timestamp, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&crate::value::written(*time))
}

#[derive(Debug, Clone, PartialEq)]
pub struct NewWatch {
    pub site: String,
    pub url: Url,
    pub samples: Vec<Url>,
    pub settings: serde_json::Value,
    pub every: Duration,
    pub webhook: Option<String>,
    pub command: Option<String>,
    /// As of a run.
    pub private: bool,
}

const WATCH: &str = "INSERT INTO watches (site_id, samples, settings, every_ms, next_ms, webhook, command, added_at)
    VALUES ($1, $2, $3, $4, {now_ms}, $5, $6, $7)
    ON CONFLICT ({samples}) DO UPDATE SET settings = excluded.settings, every_ms = excluded.every_ms,
        webhook = excluded.webhook, command = excluded.command
    RETURNING id";

const LIST: &str = "SELECT w.id, s.name, w.samples, w.settings, w.every_ms, w.next_ms, w.webhook, w.command, w.last_run
    FROM watches w JOIN sites s ON s.id = w.site_id
    WHERE $1 = 0 OR w.next_ms <= {now_ms} ORDER BY w.id";

impl Store {
    /// Adds a watch, due at once; of samples that are watched already, changes how.
    pub async fn watch(&self, new: &NewWatch) -> Result<i64> {
        let site = self.site(&new.site, &new.url, new.private).await?;
        let values = vec![
            site.into(),
            written(&new.samples)?,
            Value::json(&new.settings)?,
            millis(new.every),
            new.webhook.as_deref().into(),
            new.command.as_deref().into(),
            Timestamp::now().into(),
        ];
        Ok(self.one(WATCH, values).await?.rows.first().map_or(0, |row| row.int(0)))
    }

    pub async fn watches(&self, due_only: bool) -> Result<Vec<Watch>> {
        self.one(LIST, vec![Value::Int(due_only.into())]).await?.rows.iter().map(watch).collect()
    }

    /// Was it there?
    pub async fn unwatch(&self, id: i64) -> Result<bool> {
        Ok(self.one("DELETE FROM watches WHERE id = $1", vec![id.into()]).await?.affected > 0)
    }

    /// Runs it this often from now on; `now`: it is due at once. Was it there?
    pub async fn reschedule(&self, id: i64, every: Duration, now: bool) -> Result<bool> {
        let sql = "UPDATE watches SET every_ms = $2,
                next_ms = CASE WHEN $3 = 1 THEN {now_ms}
                    WHEN next_ms > {now_ms} + $2 THEN {now_ms} + $2 ELSE next_ms END
            WHERE id = $1";
        Ok(self.one(sql, vec![id.into(), millis(every), Value::Int(now.into())]).await?.affected > 0)
    }

    /// It was run: the next time is counted from when it was due, or from now if that is past too.
    pub async fn watched(&self, id: i64, run: i64) -> Result<()> {
        let sql = "UPDATE watches SET last_run = $2,
                next_ms = CASE WHEN next_ms + every_ms > {now_ms} THEN next_ms + every_ms ELSE {now_ms} + every_ms END
            WHERE id = $1";
        self.one(sql, vec![id.into(), run.into()]).await.map(drop)
    }
}

fn watch(row: &Row) -> Result<Watch> {
    Ok(Watch {
        id: row.int(0),
        site: row.text(1),
        samples: row.parsed(2, "samples")?,
        settings: row.parsed(3, "settings")?,
        every: Duration::from_millis(row.int(4).max(0) as u64),
        next: Timestamp::from_millisecond(row.int(5)).unwrap_or(Timestamp::UNIX_EPOCH),
        webhook: row.maybe_text(6),
        command: row.maybe_text(7),
        last_run: row.maybe_int(8),
    })
}
