//! What does the page say? Pages of one class, and a domain file, or examples, or nothing → records.
//!
//! ```text
//! documents ─► leaves ─► template ─► places ─► class (candidates) ─┬─ roles, title ─► choose ──┐
//!                                                                  └─ example ───────────────► ┴─► wrapper ─► scan, apply ─► records
//! documents, nothing wanted ─► sheet (whole texts with labels, tables within pages), naming ─► wrapper ─► records
//! document, domain ─► sse (the published method, one page at a time) ─► records
//! ```
//!
//! - [`mod@learn`]: pages → [`Wrapper`]. - [`Applied`]: a wrapper ready for use. - [`sse`]: DE-SSE. - [`domain`]: what is looked for.
//! - [`Record`]: one row: values, each with its evidence. - [`Method`]: ours, or the published one.
//!
//! Follows the DE-SSE paper in [`sse`]; the rest is our own. Constants "set by hand" were chosen while looking at single failures on
//! SWDE; none was searched for, and what each is worth was not measured. Knows nothing of files, archives, or how pages were grouped.

pub mod apply;
pub mod assign_roles;
pub mod batch;
pub mod class;
pub mod domain;
pub mod drift;
pub mod example;
pub mod fitted;
pub mod learn;
pub mod leaves;
pub mod naming;
pub mod places;
pub mod roles;
pub mod row_marks;
pub mod scan;
pub mod sheet;
pub mod slot;
pub mod sse;
pub mod structured;
pub mod tables;
pub mod template;
pub mod title;
pub mod value;
mod weights;
pub mod wrapper;

pub use apply::Applied;
pub use domain::Domain;
pub use example::Example;
pub use learn::{Wanted, learn};
pub use wrapper::Wrapper;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use url::Url;
use value::Typed;

/// One row: what one page says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub url: Url,
    /// Name of the class of pages it was read as.
    pub class: String,
    pub attributes: BTreeMap<String, Vec<String>>,
    /// Tables within the page, by name: rows, each with the texts of its columns.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub children: Children,
    /// Of each attribute, and of each column of a table within the page (`table.column`).
    pub evidence: BTreeMap<String, Evidence>,
}

impl Record {
    /// The attributes, with a column of a table within the page as one more (`table.column`): a value for each row, empty ones too.
    pub fn flat(&self) -> BTreeMap<String, Vec<String>> {
        let mut all = self.attributes.clone();
        for (table, rows) in &self.children {
            for (at, row) in rows.iter().enumerate() {
                for (column, text) in row {
                    let values =
                        all.entry(format!("{table}.{column}")).or_insert_with(|| vec![String::new(); rows.len()]);
                    values[at].clone_from(text);
                }
            }
        }
        all
    }
}

/// Rows of tables within a page, by table.
pub type Children = BTreeMap<String, Vec<BTreeMap<String, String>>>;

/// What [`Record::flat`] made one list, as attributes and tables within the page again.
pub fn nested(flat: BTreeMap<String, Vec<String>>) -> (BTreeMap<String, Vec<String>>, Children) {
    let (mut attributes, mut children) = (BTreeMap::new(), Children::new());
    for (name, values) in flat {
        let Some((table, column)) = name.split_once('.') else {
            attributes.insert(name, values);
            continue;
        };
        let rows = children.entry(table.to_owned()).or_default();
        rows.resize_with(rows.len().max(values.len()), BTreeMap::new);
        for (row, value) in rows.iter_mut().zip(values).filter(|(_, value)| !value.is_empty()) {
            row.insert(column.to_owned(), value);
        }
    }
    (attributes, children)
}

/// What told that a value belongs to its attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A label beside it, or a heading above.
    Label,
    /// What its values are.
    Type,
    /// It is what the page is called.
    Title,
    /// A class, an id or a property of its element.
    Class,
    /// An example that the user gave.
    Example,
    /// Only where it stands.
    #[default]
    Place,
    /// The header of a column.
    Table,
    /// Structured data of the page.
    Data,
    /// What its links have in common.
    Link,
    /// The method de-sse.
    DeSse,
}

/// Where a value comes from, and how sure it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// `html/body/div#main/h1`; of structured data, its key.
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub source: Source,
    /// 0 to 1.
    pub confidence: f64,
    /// The whole text node of the first value.
    pub raw: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub typed: Option<Typed>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Learned from the pages of a class.
    #[default]
    Learned,
    DeSse,
}

impl Method {
    pub const ALL: [Self; 2] = [Self::Learned, Self::DeSse];

    pub fn name(self) -> &'static str {
        match self {
            Self::Learned => "learned",
            Self::DeSse => "de-sse",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|method| method.name() == name);
        known.ok_or_else(|| format!("there is no method `{name}`\n\nhint: learned or de-sse"))
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no page to learn from\n\nhint: give addresses of pages, or an archive that holds some")]
    NoPages,
    #[error(
        "the example `{name}={value}` stands on no page\n\nhint: copy the value from the page as it is shown there"
    )]
    NoExample { name: String, value: String },
    #[error("the wrapper is of version {0}, and this program reads version {known}\n\nhint: learn it again", known = wrapper::VERSION)]
    WrapperVersion(u32),
    #[error("it is not a wrapper: {0}\n\nhint: give a wrapper that `pagekin extract` wrote")]
    NotWrapper(String),
    #[error("two columns would be called `{0}`\n\nhint: give another name to one of them")]
    SameName(String),
    #[error("de-sse needs a domain file\n\nhint: give one, such as domains/book.toml")]
    NoDomain,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_same_after_they_were_one_list() {
        let row = |cells: &[(&str, &str)]| {
            cells.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect::<BTreeMap<_, _>>()
        };
        let record = Record {
            url: Url::parse("http://s/1").unwrap(),
            class: "class-1".to_owned(),
            attributes: BTreeMap::from([("title".to_owned(), vec!["Ray".to_owned()])]),
            children: BTreeMap::from([(
                "seasons".to_owned(),
                vec![row(&[("year", "1969")]), row(&[("pos", "8"), ("year", "1970")])],
            )]),
            evidence: BTreeMap::new(),
        };
        assert_eq!(record.flat()["seasons.pos"], ["", "8"]);
        assert_eq!(nested(record.flat()), (record.attributes.clone(), record.children.clone()));
    }
}
