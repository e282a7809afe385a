//! What was learned of a class of pages, as a file: small, readable, versioned.
//!
//! - [`Wrapper`]: template and slots of one class. - [`Slot`]: a column, and the tiers of rules that find its value.
//! - [`Rule`]: one place that means it. - [`parse`], [`text`]: the file, JSON.
//!
//! Only the texts of the template that a rule counts from, and those that end its reach, are kept. Does not know the
//! pages it was learned from.

use super::places::Kind;
use super::sheet;
use super::sheet::learn::Cuts;
use super::tables::Column;
use super::{Error, Source};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub const VERSION: u32 = 1;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Wrapper {
    pub version: u32,
    /// Name of the class.
    pub class: String,
    /// How many pages it was learned from.
    pub pages: usize,
    pub slots: Vec<Slot>,
    /// Texts of the template, as labels are written.
    pub anchors: Vec<String>,
    /// Classes, ids and `itemprop`s that paths are made of.
    pub tokens: Vec<String>,
    /// What cuts a page into pieces, where slots are pieces.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cuts: Option<Cuts>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    pub name: String,
    /// Labels that stand before its values, or behind them.
    pub labels: Vec<String>,
    /// What told it.
    pub source: Source,
    pub confidence: f64,
    /// Share of the pages that have it.
    pub fill: f64,
    /// May it have several values on a page?
    pub many: bool,
    /// Is it what the record is called?
    pub title: bool,
    /// What its values are, if most are of one type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub typed: Option<String>,
    /// Do its dates that are numbers only begin with the day? The column told, or nobody knows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub day_first: Option<bool>,
    /// A pattern that its values match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Of structured data (JSON-LD, meta): its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Of a table of data: its column. It has a value for each row, empty ones too.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<Column>,
    /// Do its labels stand behind its values?
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub behind: bool,
    /// Is it a further row behind the label of a slot before it? Where there are fewer rows, it has no value.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub again: bool,
    /// The pieces of the page that it may be.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub pieces: Vec<sheet::Rule>,
    /// The table within the page that it is a column of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub table: Option<String>,
    /// The first tier that finds a text decides.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tiers: Vec<Vec<Rule>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    pub kind: Kind,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub path: String,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub anchor: String,
    #[serde(skip_serializing_if = "is_zero", default)]
    pub nth: u16,
    pub weight: f64,
}

impl Slot {
    /// The label that most of its values stand behind.
    pub fn claim(&self) -> Option<&String> {
        self.labels.first().filter(|_| !self.behind && self.column.is_none())
    }
}

impl Wrapper {
    /// Gives columns the names that a person chose: `old` → `new` of a column or of a table within pages, `table.old` → `new` of a column of it.
    pub fn rename(&mut self, names: &BTreeMap<String, String>) -> Result<(), Error> {
        for slot in self.slots.iter_mut().filter(|_| !names.is_empty()) {
            let own = names.get(&slot.name);
            match &mut slot.table {
                Some(table) => {
                    let column = slot.name.rsplit('.').next().unwrap_or_default();
                    let column = own.map_or(column, |new| new.rsplit('.').next().unwrap_or_default()).to_owned();
                    if let Some(new) = names.get(table) {
                        table.clone_from(new);
                    }
                    slot.name = format!("{table}.{column}");
                }
                None => {
                    if let Some(new) = own {
                        slot.name.clone_from(new);
                    }
                }
            }
        }
        let mut seen = BTreeSet::new();
        let twice = self.slots.iter().find(|slot| !seen.insert(&slot.name));
        twice.filter(|_| !names.is_empty()).map_or(Ok(()), |slot| Err(Error::SameName(slot.name.clone())))
    }

    /// The share of what its slots usually fill that these slots make up.
    pub fn filled(&self, has: impl Fn(&str) -> bool) -> f64 {
        let all: f64 = self.slots.iter().map(|slot| slot.fill).sum();
        let own: f64 = self.slots.iter().filter(|slot| has(&slot.name)).map(|slot| slot.fill).sum();
        own / all.max(f64::MIN_POSITIVE)
    }
}

fn is_zero(number: &u16) -> bool {
    *number == 0
}

/// Reads one wrapper, or those of several classes.
pub fn parse(text: &str) -> Result<Vec<Wrapper>, Error> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let wrong = |error: serde_json::Error| Error::NotWrapper(error.to_string());
    let versions: Vec<Versioned> = serde_json::from_str(text).map_err(wrong)?;
    if let Some(other) = versions.iter().find(|one| one.version != VERSION) {
        return Err(Error::WrapperVersion(other.version));
    }
    serde_json::from_str(text).map_err(wrong)
}

/// The same knowledge gives the same bytes.
pub fn text(wrappers: &[Wrapper]) -> Result<String, Error> {
    serde_json::to_string_pretty(wrappers).map(|text| text + "\n").map_err(|error| Error::NotWrapper(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_person_chose() {
        let slot = |name: &str, table: Option<&str>| Slot {
            name: name.to_owned(),
            table: table.map(str::to_owned),
            ..Slot::default()
        };
        let mut wrapper = Wrapper {
            slots: vec![slot("amount", None), slot("rows.who", Some("rows")), slot("rows.when", Some("rows"))],
            ..Wrapper::default()
        };
        let names = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect::<BTreeMap<_, _>>()
        };
        wrapper.rename(&names(&[("amount", "price"), ("rows", "posts"), ("rows.who", "author")])).unwrap();
        let given: Vec<&str> = wrapper.slots.iter().map(|slot| slot.name.as_str()).collect();
        assert_eq!(given, ["price", "posts.author", "posts.when"]);
        assert!(wrapper.rename(&names(&[("posts.when", "author")])).is_err(), "a name is given once");
    }
}
