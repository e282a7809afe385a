//! What does a table of another database say? `sqlite:FILE?TABLE` or `postgres://…?table=TABLE` → rows of text, read-only.
//!
//! - [`Table`]: where it is. - [`Table::rows`]: all of it, as it is read. Nothing is made or changed there.

use crate::postgres::Postgres;
use crate::stream::Rows;
use crate::value::Row;
use crate::{Error, Result, is_postgres, sqlite, sqlite_path};
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Without the table.
    pub url: String,
    pub table: String,
}

impl Table {
    /// None when it is no address of a database. The table is what stands behind `?`, alone or as `table=NAME`.
    pub fn parse(text: &str) -> Option<Result<Self>> {
        if !is_postgres(text) && !text.starts_with("sqlite:") {
            return None;
        }
        let (place, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut table, mut rest) = (None, Vec::new());
        for part in query.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                None => table = Some(part.to_owned()),
                Some(("table", name)) => table = Some(name.to_owned()),
                Some(_) => rest.push(part),
            }
        }
        let url = if rest.is_empty() { place.to_owned() } else { format!("{place}?{}", rest.join("&")) };
        Some(table.map(|table| Self { url, table }).ok_or_else(|| Error::Open {
            place: place.rsplit('@').next().unwrap_or(place).to_owned(),
            reason: "no table is named".to_owned(),
            hint: "such as sqlite:known.db?approved or postgres://user@host/name?table=approved",
        }))
    }

    /// Names of the columns, and all rows. Every value is text; what is null is empty.
    pub async fn rows(&self, wait: Duration) -> Result<Rows> {
        let from = self.table.split('.').map(quoted).collect::<Vec<_>>().join(".");
        let columns = self.ask(format!("SELECT * FROM {from} LIMIT 0"), wait).await?.columns;
        let texts: Vec<String> = columns.iter().map(|name| format!("CAST({0} AS TEXT) AS {0}", quoted(name))).collect();
        // A file has an order of its own; a server has none.
        let order = if is_postgres(&self.url) {
            format!(" ORDER BY {}", (1..=columns.len()).map(|n| n.to_string()).collect::<Vec<_>>().join(", "))
        } else {
            String::new()
        };
        self.ask(format!("SELECT {} FROM {from}{order}", texts.join(", ")), wait).await
    }

    async fn ask(&self, sql: String, wait: Duration) -> Result<Rows> {
        if is_postgres(&self.url) {
            let server = Postgres::connected(&self.url, wait)?;
            return Rows::of(|sender| server.stream(sql, Vec::new(), sender)).await;
        }
        let path = sqlite_path(&self.url);
        Rows::of(|sender| sqlite::stream(path, sql, Vec::new(), sender)).await
    }
}

/// A cell of [`Table::rows`].
pub fn cell(row: &Row, at: usize) -> String {
    row.maybe_text(at).unwrap_or_default()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_database_and_table() {
        let parsed = |text: &str| Table::parse(text).map(|table| table.map(|table| (table.url, table.table)).ok());
        let of = |url: &str, table: &str| Some(Some((url.to_owned(), table.to_owned())));
        assert_eq!(parsed("sqlite:a.db?drugs"), of("sqlite:a.db", "drugs"));
        assert_eq!(
            parsed("postgres://u@h/d?sslmode=disable&table=s.drugs"),
            of("postgres://u@h/d?sslmode=disable", "s.drugs")
        );
        assert_eq!(parsed("sqlite:a.db"), Some(None));
        assert_eq!(parsed("known.csv"), None);
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}
