//! What did people say of findings, and what did they change? Decisions and an audit trail ↔ rows.
//!
//! - [`Reviewed`]: a finding with the decision on it. - [`Key`]: which finding. - [`Precision`]: how often a rule was right, by the
//!   decisions. - [`Audited`]: one change.

use crate::value::Row;
use crate::{Result, Store};
use jiff::Timestamp;
use pagekin_core::check::Finding;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    pub class: i64,
    pub url: String,
    pub nth: i64,
    pub conclusion: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct Reviewed {
    #[serde(flatten)]
    pub key: Key,
    pub finding: Finding,
    pub first_seen: String,
    /// `confirmed` or `rejected`; none while nobody looked at it.
    pub decision: Option<String>,
    pub comment: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Precision {
    pub rule: String,
    pub confirmed: i64,
    pub rejected: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Audited {
    pub at: String,
    pub client: String,
    pub action: String,
    pub subject: String,
}

const FINDINGS: &str = "SELECT f.class_id, f.url, f.nth, f.conclusion, f.finding, f.first_seen, v.decision, v.comment
    FROM findings f
    LEFT JOIN reviews v ON v.class_id = f.class_id AND v.url = f.url AND v.nth = f.nth AND v.conclusion = f.conclusion
    WHERE f.gone_at IS NULL AND ($1 OR v.decision IS NULL)
    ORDER BY f.class_id, f.url, f.nth, f.conclusion LIMIT $2 OFFSET $3";

const DECIDE: &str = "INSERT INTO reviews (class_id, url, nth, conclusion, rule, decision, comment, decided_at)
    SELECT f.class_id, f.url, f.nth, f.conclusion, f.rule, $5, $6, $7 FROM findings f
    WHERE f.class_id = $1 AND f.url = $2 AND f.nth = $3 AND f.conclusion = $4
    ON CONFLICT (class_id, {url}, nth, conclusion) DO UPDATE SET
        decision = excluded.decision, comment = excluded.comment, decided_at = excluded.decided_at, rule = excluded.rule";

impl Store {
    /// Findings that hold now, those nobody decided on or all; sorted by their keys.
    pub async fn to_review(&self, decided: bool, limit: usize, offset: usize) -> Result<Vec<Reviewed>> {
        let rows = self.fetch(FINDINGS, vec![decided.into(), limit.into(), offset.into()]).await?;
        rows.iter().map(reviewed).collect()
    }

    /// Is there such a finding?
    pub async fn decide(&self, key: &Key, decision: &str, comment: &str) -> Result<bool> {
        let values = vec![
            key.class.into(),
            key.url.as_str().into(),
            key.nth.into(),
            key.conclusion.as_str().into(),
            decision.into(),
            comment.into(),
            Timestamp::now().into(),
        ];
        Ok(self.one(DECIDE, values).await?.affected > 0)
    }

    /// By rule.
    pub async fn precision(&self) -> Result<Vec<Precision>> {
        let sql = "SELECT rule, SUM(CASE decision WHEN 'confirmed' THEN 1 ELSE 0 END),
                SUM(CASE decision WHEN 'rejected' THEN 1 ELSE 0 END)
            FROM reviews GROUP BY rule ORDER BY rule";
        let rows = self.fetch(sql, Vec::new()).await?;
        Ok(rows
            .iter()
            .map(|row| Precision { rule: row.text(0), confirmed: row.int(1), rejected: row.int(2) })
            .collect())
    }

    /// A change that somebody made.
    pub async fn audit(&self, client: &str, action: &str, subject: &str) -> Result<()> {
        let sql = "INSERT INTO audit (at, client, action, subject) VALUES ($1, $2, $3, $4)";
        self.one(sql, vec![Timestamp::now().into(), client.into(), action.into(), subject.into()]).await.map(drop)
    }

    /// The latest first.
    pub async fn audited(&self, limit: usize) -> Result<Vec<Audited>> {
        let sql = "SELECT at, client, action, subject FROM audit ORDER BY id DESC LIMIT $1";
        let rows = self.fetch(sql, vec![limit.into()]).await?;
        let line =
            |row: &Row| Audited { at: row.text(0), client: row.text(1), action: row.text(2), subject: row.text(3) };
        Ok(rows.iter().map(line).collect())
    }
}

fn reviewed(row: &Row) -> Result<Reviewed> {
    Ok(Reviewed {
        key: Key { class: row.int(0), url: row.text(1), nth: row.int(2), conclusion: row.text(3) },
        finding: row.parsed(4, "finding")?,
        first_seen: row.text(5),
        decision: row.maybe_text(6),
        comment: row.maybe_text(7),
    })
}
