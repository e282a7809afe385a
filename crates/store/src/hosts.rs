//! What do all who share the database keep to? The pace of each host, and who alone does a thing.
//!
//! Times are those of the database, so that the clocks of the machines may differ.

use crate::runs::millis;
use crate::{Result, Store};
use std::time::Duration;

const TURN: &str = "INSERT INTO hosts (name, next_ms) VALUES ($1, {now_ms} + $2)
    ON CONFLICT (name) DO UPDATE SET next_ms = {greatest}(hosts.next_ms, {now_ms}) + $2
    RETURNING next_ms - $2 - {now_ms}";

const LOCK: &str = "INSERT INTO locks (name, owner, until_ms) VALUES ($1, $2, {now_ms} + $3)
    ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until_ms = excluded.until_ms
        WHERE locks.owner = excluded.owner OR locks.until_ms < {now_ms}
    RETURNING owner";

impl Store {
    /// Takes the next turn at a host, where turns are this far apart: how long to wait for it.
    pub async fn turn(&self, host: &str, gap: Duration) -> Result<Duration> {
        let done = self.one(TURN, vec![host.into(), millis(gap)]).await?;
        let wait = done.rows.first().map_or(0, |row| row.int(0));
        Ok(Duration::from_millis(wait.max(0) as u64))
    }

    /// Takes or keeps a lock for so long; else says who has it.
    pub async fn lock(&self, name: &str, owner: &str, hold: Duration) -> Result<Option<String>> {
        if !self.one(LOCK, vec![name.into(), owner.into(), millis(hold)]).await?.rows.is_empty() {
            return Ok(None);
        }
        let holder = self.one("SELECT owner FROM locks WHERE name = $1", vec![name.into()]).await?;
        Ok(Some(holder.rows.first().map_or_else(String::new, |row| row.text(0))))
    }

    pub async fn unlock(&self, name: &str, owner: &str) -> Result<()> {
        self.one("DELETE FROM locks WHERE name = $1 AND owner = $2", vec![name.into(), owner.into()]).await.map(drop)
    }
}
