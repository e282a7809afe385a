//! Which pages were rendered, why, and where is what the browser made of them? Rows ↔ the table `renderings`.

use crate::{Result, Run, Store, Value};
use jiff::Timestamp;

/// The document that a browser made of a page, kept in an archive.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderingRow {
    pub url: String,
    /// What it shows beyond the answer.
    pub reason: String,
    /// Name and version of the browser.
    pub engine: String,
    pub hash: String,
    pub bytes: usize,
    pub rendered_at: Timestamp,
    pub archive: String,
    pub position: u64,
}

const RENDERING: &str = "INSERT INTO renderings
        (site_id, url, reason, engine, hash, bytes, rendered_at, run_id, archive, position)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (site_id, {url}) DO UPDATE SET reason = excluded.reason, engine = excluded.engine, hash = excluded.hash,
        bytes = excluded.bytes, rendered_at = excluded.rendered_at, run_id = excluded.run_id,
        archive = excluded.archive, position = excluded.position";

impl Store {
    pub async fn put_renderings(&self, run: &Run, renderings: &[RenderingRow]) -> Result<()> {
        let row = |one: &RenderingRow| {
            vec![
                run.site_id.into(),
                one.url.as_str().into(),
                one.reason.as_str().into(),
                one.engine.as_str().into(),
                one.hash.as_str().into(),
                one.bytes.into(),
                one.rendered_at.into(),
                run.id.into(),
                one.archive.as_str().into(),
                Value::Int(one.position as i64),
            ]
        };
        self.put(run, RENDERING, renderings, |one| &one.url, row).await
    }
}
