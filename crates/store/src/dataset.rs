//! Which records leave the database? A choice of them → names of their attributes, and rows as they are read.

use crate::stream::Rows;
use crate::value::Value;
use crate::{Result, Store};

/// Which records; all where nothing is said.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    pub site: Option<String>,
    pub class: Option<String>,
    /// Records of pages that are missing or no longer linked too.
    pub gone: bool,
}

const CHOSEN: &str = "(CAST($1 AS TEXT) IS NULL OR s.name = $1) AND (CAST($2 AS TEXT) IS NULL OR c.name = $2)";

const NAMES: &str = "SELECT DISTINCT a.attribute FROM record_attributes a
    JOIN classes c ON c.id = a.class_id
    JOIN sites s ON s.id = c.site_id";

const RECORDS: &str = "SELECT s.name, c.name, r.url, r.nth, r.attributes, r.confidence, e.unlinked,
        CASE WHEN r.gone_run IS NULL OR e.absence IS NOT NULL THEN e.absence ELSE 'unlinked' END, f.started_at, h.started_at, r.evidence
    FROM records r
    JOIN classes c ON c.id = r.class_id
    JOIN sites s ON s.id = c.site_id
    JOIN runs f ON f.id = r.first_run
    JOIN runs h ON h.id = r.changed_run
    LEFT JOIN entities e ON e.class_id = r.class_id AND e.url = r.url";

impl Choice {
    fn values(&self) -> Vec<Value> {
        vec![self.site.as_deref().into(), self.class.as_deref().into()]
    }
}

impl Store {
    /// The names of all attributes of the records, sorted.
    pub async fn attribute_names(&self, choice: &Choice) -> Result<Vec<String>> {
        let rows = self.select(&format!("{NAMES} WHERE {CHOSEN}"), choice.values()).await?.all().await?;
        let mut names: Vec<String> = rows.iter().map(|row| row.text(0)).collect();
        names.sort();
        Ok(names)
    }

    /// Site, class, address, number on its page, attributes, confidence, unlinked, absence, first seen, changed, evidence; sorted
    /// by the first four.
    pub async fn chosen_records(&self, choice: &Choice) -> Result<Rows> {
        let here = if choice.gone { "" } else { " AND r.gone_run IS NULL" };
        let sql = format!("{RECORDS} WHERE {CHOSEN}{here} ORDER BY s.name, c.name, r.url, r.nth");
        self.select(&sql, choice.values()).await
    }
}
