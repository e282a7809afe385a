//! By what are records of a view ordered, and how is that quick? An attribute → an expression of SQL, and an index on it.
//!
//! - [`Order`]: what a person chose. - [`Store::index_order`]: makes the index that an order of a large data set needs.
//!
//! The values stand in JSON; their order would take a look at all records for every page. An index on the expression, for one data set and
//! one attribute, is made when somebody asks for that order, and kept up to date by the database. Names of attributes are words of strangers:
//! here they become literals, and every one is quoted.

use crate::backend::{Backend, Dialect};
use crate::{Result, Store};

/// By the address, or by the first value of an attribute.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Order {
    pub attribute: Option<String>,
    /// As numbers, not as texts.
    pub number: bool,
    pub descending: bool,
}

/// Indexes of this kind in one database: each makes writing a record slower.
const MOST: usize = 24;

/// Letters of a text that are compared: entries of PostgreSQL's indexes hold 2704 bytes.
const LETTERS: usize = 200;

/// Sorts before every number there is.
pub const LEAST: f64 = -1e300;

impl Order {
    /// What records are ordered by before their addresses, over the table `records`.
    pub(crate) fn key(&self, dialect: Dialect) -> Option<String> {
        let attribute = self.attribute.as_deref()?;
        Some(if self.number { number(attribute, dialect) } else { text(attribute, dialect) })
    }

    fn index_name(&self, class: i64) -> Option<String> {
        let attribute = self.attribute.as_deref()?;
        let hash = blake3::hash(attribute.as_bytes()).to_hex();
        Some(format!("order_{class}_{}_{}", if self.number { "number" } else { "text" }, &hash[..16]))
    }
}

/// A text as a literal.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\0', "").replace('\'', "''"))
}

/// Where the first value of an attribute stands; SQLite's paths cannot name every attribute.
pub(crate) fn first(attribute: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Sqlite if is_plain(attribute) => {
            format!("json_extract(attributes, {})", quoted(&format!("$.\"{attribute}\"[0]")))
        }
        Dialect::Sqlite => {
            format!("(SELECT a.value ->> 0 FROM json_each(attributes) a WHERE a.key = {})", quoted(attribute))
        }
        Dialect::Postgres => format!("(attributes -> {} ->> 0)", quoted(attribute)),
    }
}

fn is_plain(attribute: &str) -> bool {
    !attribute.contains(['"', '\\', '\0'])
}

fn text(attribute: &str, dialect: Dialect) -> String {
    let cut = if dialect == Dialect::Sqlite { "substr(x, 1, n)" } else { "left(x, n)" };
    let first = format!("COALESCE({}, '')", first(attribute, dialect));
    cut.replace('n', &LETTERS.to_string()).replace('x', &first)
}

/// As the view `record_typed` has it.
fn number(attribute: &str, dialect: Dialect) -> String {
    let (kind, number, money) = match dialect {
        Dialect::Sqlite => {
            let part = |key: &str| match is_plain(attribute) {
                true => format!("json_extract(evidence, {})", quoted(&format!("$.\"{attribute}\".type.{key}"))),
                false => format!(
                    "(SELECT json_extract(e.value, '$.type.{key}') FROM json_each(evidence) e WHERE e.key = {})",
                    quoted(attribute)
                ),
            };
            let normal = part("normal");
            let money = format!("CAST(substr({normal}, instr({normal}, ' ') + 1) AS REAL)");
            (part("kind"), format!("CAST({normal} AS REAL)"), money)
        }
        Dialect::Postgres => {
            let part = |key: &str| format!("(evidence -> {} -> 'type' ->> '{key}')", quoted(attribute));
            let word = |at: usize| format!("CAST(split_part({}, ' ', {at}) AS DOUBLE PRECISION)", part("normal"));
            (part("kind"), word(1), word(2))
        }
    };
    let least =
        if dialect == Dialect::Sqlite { format!("{LEAST:e}") } else { format!("'{LEAST:e}'::DOUBLE PRECISION") };
    format!("COALESCE(CASE {kind} WHEN 'number' THEN {number} WHEN 'money' THEN {money} END, {least})")
}

/// Records of the class that are there. The class is a literal: a part of an index is not found by a parameter.
pub(crate) fn of_class(class: i64) -> String {
    format!("class_id = {class} AND gone_run IS NULL")
}

impl Store {
    /// Makes the index for this order, unless it is there or there are too many; is it there now?
    pub async fn index_order(&self, class: i64, order: &Order) -> Result<bool> {
        let (Some(name), Some(key)) = (order.index_name(class), order.key(self.dialect())) else { return Ok(true) };
        if self.dialect() == Dialect::Sqlite && !order.attribute.as_deref().is_some_and(is_plain) {
            return Ok(false);
        }
        let known = self.order_indexes().await?;
        if known.contains(&name) {
            return Ok(true);
        }
        if known.len() >= MOST {
            return Ok(false);
        }
        let part = of_class(class);
        match self.backend() {
            Backend::Sqlite(sqlite) => {
                // With the class before the key SQLite takes the index for the order; without, it takes the primary key and sorts.
                let columns = format!("class_id, {key}, url, nth");
                let sql = format!("CREATE INDEX IF NOT EXISTS {name} ON records ({columns}) WHERE {part}");
                sqlite.define(sql).await?;
            }
            Backend::Postgres(postgres) => {
                let columns = format!("({key}), left(url, 400)");
                let sql = format!("CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON records ({columns}) WHERE {part}");
                postgres.define(&sql).await?;
            }
        }
        Ok(true)
    }

    /// Names of the indexes made for orders.
    async fn order_indexes(&self) -> Result<Vec<String>> {
        let sql = match self.dialect() {
            Dialect::Sqlite => "SELECT name FROM sqlite_master WHERE type = 'index' AND substr(name, 1, 6) = 'order_'",
            Dialect::Postgres => {
                "SELECT CAST(c.relname AS TEXT) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                 WHERE i.indisvalid AND left(c.relname, 6) = 'order_'"
            }
        };
        let rows = self.fetch_as_is(sql.to_owned(), Vec::new()).await?;
        Ok(rows.iter().map(|row| row.text(0)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_attributes_are_nothing_but_names() {
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            for number in [false, true] {
                let order = Order { attribute: Some("a'b) --".to_owned()), number, descending: false };
                let key = order.key(dialect).unwrap();
                assert!(key.contains("a''b) --") && !key.replace("''", "").contains("a'b"), "{key}");
            }
        }
        let order = |name: &str| Order { attribute: Some(name.to_owned()), ..Order::default() };
        assert_ne!(order("a").index_name(1), order("b").index_name(1));
        assert!(order("a'b").index_name(1).unwrap().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    }
}
