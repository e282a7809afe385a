//! What must not be stored any more, though it was? A column, and what becomes of its values → records, their history and findings without them;
//! pages whose archives were removed.

use crate::backend::{Dialect, Statement};
use crate::records::hash;
use crate::runs::Run;
use crate::value::{Row, Value};
use crate::{Result, Store};
use std::collections::BTreeMap;

/// Changes the values of a record and their evidence in place; true when something had to go.
pub type Forget<'f> = &'f (dyn Fn(&mut BTreeMap<String, Vec<String>>, &mut serde_json::Value) -> bool + Sync);

const NOW: &str = "SELECT url, nth, 0, attributes, evidence FROM records";
const BEFORE: &str = "SELECT url, nth, until_run, attributes, evidence FROM record_history";

const RECORD: &str =
    "UPDATE records SET attributes = $4, evidence = $5, hash = $6 WHERE class_id = $1 AND url = $2 AND nth = $3";

const HISTORY: &str = "UPDATE record_history SET attributes = $5, evidence = $6, hash = $7
    WHERE class_id = $1 AND url = $2 AND nth = $3 AND until_run = $4";

/// They quote values. What is still true is found again.
const FINDINGS: &str = "DELETE FROM findings WHERE class_id = $1 AND url = $2 AND nth = $3";
const CHECKS: &str = "DELETE FROM checks WHERE class_id = $1 AND url = $2 AND nth = $3";

const PAGES: &str = "UPDATE pages SET archive = '', position = 0 WHERE run_id = $1";
const RENDERINGS: &str = "UPDATE renderings SET archive = '', position = 0 WHERE run_id = $1";

impl Store {
    /// Of every record of the class that has the column, or columns of a table of that name.
    pub async fn forget(&self, run: &Run, class: i64, column: &str, forget: Forget<'_>) -> Result<()> {
        let name = serde_json::Value::from(column).to_string();
        let begins = name.trim_end_matches('"');
        let (text, within) = match self.dialect() {
            Dialect::Sqlite => ("attributes", "instr"),
            Dialect::Postgres => ("CAST(attributes AS TEXT)", "strpos"),
        };
        let has = format!("class_id = $1 AND ({within}({text}, $2) > 0 OR {within}({text}, $3) > 0)");
        let values = || vec![class.into(), name.as_str().into(), format!("{begins}.").into()];
        for (of, now) in [(NOW, true), (BEFORE, false)] {
            let mut rows = self.select(&format!("{of} WHERE {has}"), values()).await?;
            while let Some(some) = rows.next().await? {
                self.forget_of(run, class, &some, now, forget).await?;
            }
        }
        Ok(())
    }

    async fn forget_of(&self, run: &Run, class: i64, rows: &[Row], now: bool, forget: Forget<'_>) -> Result<()> {
        let (mut keys, mut changed) = (Vec::new(), Vec::new());
        for row in rows {
            let (mut attributes, mut evidence) = (row.parsed(3, "attributes")?, row.parsed(4, "evidence")?);
            if !forget(&mut attributes, &mut evidence) {
                continue;
            }
            let key: Vec<Value> = vec![class.into(), row.text(0).into(), row.int(1).into()];
            let until: Vec<Value> = if now { Vec::new() } else { vec![row.int(2).into()] };
            let attributes = Value::json(&attributes)?;
            let hash = hash(&attributes);
            changed.push([key.clone(), until, vec![attributes, Value::json(&evidence)?, hash.into()]].concat());
            keys.push(key);
        }
        let statements = match (changed.is_empty(), now) {
            (true, _) => return Ok(()),
            (false, true) => {
                let gone = [FINDINGS, CHECKS].map(|sql| Statement::many(sql, keys.clone()));
                [vec![Statement::many(RECORD, changed)], gone.to_vec()].concat()
            }
            (false, false) => vec![Statement::many(HISTORY, changed)],
        };
        self.transact_of(run, false, statements).await
    }

    /// The pages that this run fetched are kept nowhere any more.
    pub async fn drop_pages(&self, run: &Run) -> Result<()> {
        let of = |sql| Statement::new(sql, vec![run.id.into()]);
        self.transact_of(run, false, vec![of(PAGES), of(RENDERINGS)]).await
    }
}
