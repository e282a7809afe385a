//! What of people is kept, and what is shown? Names of columns from a config file or a flag → values left out, hashed or masked.
//!
//! - [`Privacy`]: as it was said, and as it stands in the queue; never a key. - [`Guard`]: ready to be used. - [`KeepPages`]: what becomes
//!   of the pages. - [`contacts`]: texts without e-mail addresses and telephone numbers.
//!
//! A column is named as it is called in the data set: `email`, `contacts.phone` within pages, `contacts` for a whole table. Texts of other
//! columns may hold the same value: of their evidence it is taken out, of themselves it is not.

mod contacts;

pub use contacts::masked;

use crate::Error;
use contacts::is_postal;
use pagekin_core::extract::value::Typed;
use pagekin_core::extract::{Record, nested};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A key with fewer bytes is guessed.
const SHORTEST_KEY: usize = 16;

/// What stands before a hash, so that nothing is hashed twice.
const HASHED: &str = "hash:";

/// What stands in place of a value that is not shown.
const MASKED: &str = "[masked]";
const POSTAL: &str = "[address]";

/// Values shorter than this stand in other texts by chance.
const TELLING: usize = 4;

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, strum::EnumString, strum::VariantNames,
)]
/// Which pages stay after their records were read.
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum KeepPages {
    /// All that were fetched.
    #[default]
    All,
    /// Archives of a run are removed when its records are stored.
    None,
}

/// What is kept of people, and what is shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Privacy {
    /// Columns that are never stored.
    pub without: Vec<String>,
    /// Columns of which keyed hashes are stored.
    pub hash: Vec<String>,
    /// The file that holds the key, of whoever does the run: a queue is not told.
    #[serde(skip_serializing)]
    pub key_file: Option<PathBuf>,
    /// Columns that exports and reports do not show.
    pub mask: Vec<String>,
    /// Exports and reports show no e-mail address, telephone number or postal address.
    pub mask_contacts: bool,
    /// Which pages stay.
    pub keep_pages: KeepPages,
}

impl Privacy {
    /// With columns that were typed. Those are left out whatever the file says of them.
    pub fn and_without(&self, typed: &[String]) -> Self {
        let mut own = self.clone();
        own.without.extend(typed.iter().cloned());
        own.without.sort();
        own.without.dedup();
        own.hash.retain(|name| !own.without.contains(name));
        own
    }

    /// Checked, with its key read.
    pub fn ready(&self) -> Result<Guard, Error> {
        let key = match &self.key_file {
            _ if self.hash.is_empty() => None,
            None => return Err(Error::PrivacyKey("there is no `key_file`".to_owned())),
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| Error::PrivacyKey(format!("cannot read `{}`: {error}", path.display())))?;
                let key = text.trim();
                if key.len() < SHORTEST_KEY {
                    let path = path.display();
                    return Err(Error::PrivacyKey(format!("the key in `{path}` has fewer than {SHORTEST_KEY} bytes")));
                }
                Some(blake3::derive_key("pagekin 2026-11 values of columns", key.as_bytes()))
            }
        };
        Ok(Guard { said: self.clone(), key })
    }
}

/// What becomes of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Hashed,
    LeftOut,
}

/// Attributes by name, those of tables within pages as `table.column`.
type Flat = BTreeMap<String, Vec<String>>;

/// Privacy, ready to be applied.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    said: Privacy,
    key: Option<[u8; 32]>,
}

impl Guard {
    /// Does it take anything out of what is stored?
    pub fn stores_less(&self) -> bool {
        !self.said.without.is_empty() || !self.said.hash.is_empty()
    }

    /// Does it hide anything of what is stored?
    pub fn shows_less(&self) -> bool {
        !self.said.mask.is_empty() || self.said.mask_contacts
    }

    /// The columns that are left out or hashed.
    pub fn guarded(&self) -> impl Iterator<Item = &String> {
        self.said.without.iter().chain(&self.said.hash)
    }

    /// Is this column never stored?
    pub fn leaves_out(&self, column: &str) -> bool {
        self.fate(column) == Fate::LeftOut
    }

    fn fate(&self, column: &str) -> Fate {
        if named(&self.said.without, column) {
            Fate::LeftOut
        } else if named(&self.said.hash, column) {
            Fate::Hashed
        } else {
            Fate::Kept
        }
    }

    /// What may be stored. True when something was taken out.
    pub fn store(&self, attributes: &mut Flat, evidence: &mut Value) -> bool {
        if !self.stores_less() {
            return false;
        }
        let mut gone: Vec<String> = Vec::new();
        let names: Vec<(String, Fate)> = attributes
            .keys()
            .map(|name| (name.clone(), self.fate(name)))
            .filter(|(_, fate)| *fate != Fate::Kept)
            .collect();
        for (name, fate) in &names {
            let values = attributes.remove(name).unwrap_or_default();
            if *fate == Fate::Hashed {
                attributes.insert(name.clone(), values.iter().map(|value| self.hashed(value)).collect());
            }
            gone.extend(values.into_iter().filter(|value| !value.starts_with(HASHED)));
            self.guard_evidence(evidence, name, *fate);
        }
        let changed = !gone.is_empty() || names.iter().any(|(_, fate)| *fate == Fate::LeftOut);
        gone.retain(|value| value.chars().count() >= TELLING);
        gone.sort_by_key(|value| std::cmp::Reverse(value.len()));
        take_out(evidence, &gone);
        changed
    }

    fn guard_evidence(&self, evidence: &mut Value, name: &str, fate: Fate) {
        let Some(all) = evidence.as_object_mut() else { return };
        if fate == Fate::LeftOut {
            all.remove(name);
        } else if let Some(own) = all.get_mut(name).and_then(Value::as_object_mut) {
            own.insert("raw".to_owned(), Value::String(String::new()));
            own.remove("type");
        }
    }

    fn hashed(&self, value: &str) -> String {
        match &self.key {
            Some(key) if !value.is_empty() && !value.starts_with(HASHED) => {
                let spaced = value.split_whitespace().collect::<Vec<_>>().join(" ");
                format!("{HASHED}{}", &blake3::keyed_hash(key, spaced.as_bytes()).to_hex()[..32])
            }
            _ => value.to_owned(),
        }
    }

    /// What may be shown of what is stored.
    pub fn show(&self, attributes: &mut Flat, evidence: &mut Value) {
        self.store(attributes, evidence);
        if !self.shows_less() {
            return;
        }
        for (name, values) in attributes.iter_mut() {
            let own = evidence.get_mut(name);
            let path = own.as_ref().and_then(|own| own["path"].as_str()).unwrap_or_default();
            let instead = self.instead(name, path);
            let plain = instead.is_none() && own.as_ref().is_some_and(|own| is_figure(own));
            let before = values.clone();
            for value in values.iter_mut().filter(|value| !value.is_empty() && !plain) {
                *value = instead.map_or_else(|| self.text(value), str::to_owned);
            }
            if let Some(own) = own.filter(|_| *values != before).and_then(Value::as_object_mut) {
                own.remove("type");
                let raw = own.get("raw").and_then(Value::as_str).unwrap_or_default();
                let raw = instead.map_or_else(|| self.text(raw), str::to_owned);
                own.insert("raw".to_owned(), Value::String(raw));
            }
        }
        self.show_evidence(evidence);
    }

    /// What stands in place of every value of a column that stands at this path of its page.
    fn instead(&self, name: &str, path: &str) -> Option<&'static str> {
        if named(&self.said.mask, name) {
            return Some(MASKED);
        }
        (self.said.mask_contacts && is_postal(name, path)).then_some(POSTAL)
    }

    /// What stands in place of a value in a report, where hashes tell nothing.
    pub fn hides(&self, name: &str, path: &str) -> Option<&'static str> {
        let guarded = self.fate(name) != Fate::Kept;
        self.instead(name, path).or(guarded.then_some(MASKED))
    }

    /// The text around a value may hold more than the value.
    fn show_evidence(&self, evidence: &mut Value) {
        for own in evidence.as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
            if let Some(raw) = own.get("raw").and_then(Value::as_str).filter(|_| !is_figure(own)) {
                let shown = self.text(raw);
                own["raw"] = Value::String(shown);
            }
        }
    }

    /// A text that may be shown: a sentence of a report, say.
    pub fn text(&self, text: &str) -> String {
        if self.said.mask_contacts { masked(text).into_owned() } else { text.to_owned() }
    }

    /// A record as it may be written to a file.
    pub fn record(&self, record: Record) -> Record {
        if !self.stores_less() && !self.shows_less() {
            return record;
        }
        let (mut flat, mut evidence) = (record.flat(), serde_json::to_value(&record.evidence).unwrap_or_default());
        self.show(&mut flat, &mut evidence);
        let (attributes, children) = nested(flat);
        Record { attributes, children, evidence: serde_json::from_value(evidence).unwrap_or_default(), ..record }
    }
}

/// Is the column one of these, or within one of these tables?
fn named(names: &[String], column: &str) -> bool {
    let table = column.split_once('.').map(|(table, _)| table);
    names.iter().any(|name| name == column || Some(name.as_str()) == table)
}

/// A number, a day or an amount is no telephone number, whatever it looks like.
fn is_figure(evidence: &Value) -> bool {
    let typed = evidence.get("type").and_then(|typed| Typed::deserialize(typed).ok());
    matches!(typed, Some(Typed::Number(_) | Typed::Money(_) | Typed::Date(_) | Typed::Boolean(_)))
}

/// Values that are not stored stand in no text that is.
fn take_out(evidence: &mut Value, gone: &[String]) {
    for own in evidence.as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
        let Some(raw) = own.get("raw").and_then(Value::as_str) else { continue };
        let left = gone.iter().fold(raw.to_owned(), |raw, value| raw.replace(value.as_str(), "…"));
        if left != raw {
            own["raw"] = Value::String(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn flat(cells: &[(&str, &str)]) -> Flat {
        cells.iter().map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()])).collect()
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn keyed(said: Privacy) -> Guard {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "0123456789abcdef\n").unwrap();
        Privacy { key_file: Some(file.path().to_owned()), ..said }.ready().unwrap()
    }

    #[test]
    fn columns_are_left_out_with_all_that_tells_of_them() {
        let guard = Privacy { without: names(&["email", "staff"]), ..Privacy::default() }.ready().unwrap();
        let mut values = flat(&[("name", "Ada"), ("email", "ada@x.org"), ("staff.phone", "1")]);
        let mut evidence =
            json!({"name": {"raw": "Ada (ada@x.org)"}, "email": {"raw": "ada@x.org"}, "staff.phone": {"raw": "1"}});
        assert!(guard.store(&mut values, &mut evidence));
        assert_eq!(values, flat(&[("name", "Ada")]));
        assert_eq!(evidence, json!({"name": {"raw": "Ada (…)"}}));
        assert!(!guard.store(&mut values, &mut evidence), "nothing is left to take out");
    }

    #[test]
    fn hashes_need_the_key_and_are_made_once() {
        let said = Privacy { hash: names(&["email"]), ..Privacy::default() };
        assert!(said.ready().unwrap_err().to_string().contains("key_file"));
        let guard = keyed(said);
        let (mut values, mut evidence) =
            (flat(&[("email", "ada@x.org")]), json!({"email": {"raw": "ada@x.org", "type": {}}}));
        assert!(guard.store(&mut values, &mut evidence));
        let first = values.clone();
        assert!(first["email"][0].starts_with(HASHED) && first["email"][0].len() == 37, "{first:?}");
        assert_eq!(evidence, json!({"email": {"raw": ""}}));
        assert!(!guard.store(&mut values, &mut evidence));
        assert_eq!(values, first);
    }

    #[test]
    fn what_is_masked_is_stored_and_not_shown() {
        let guard = Privacy { mask: names(&["name"]), mask_contacts: true, ..Privacy::default() }.ready().unwrap();
        let mut values = flat(&[
            ("name", "Ada"),
            ("about", "Call +49 30 1234567 or ada@x.org"),
            ("year", "1990-1995"),
            ("street", "1 Elm St"),
        ]);
        let mut evidence = json!({"about": {"raw": "Call +49 30 1234567 or ada@x.org", "type": {"kind": "phone", "normal": "+49301234567"}}});
        assert!(!guard.store(&mut values.clone(), &mut evidence.clone()));
        guard.show(&mut values, &mut evidence);
        let shown = flat(&[
            ("name", "[masked]"),
            ("about", "Call [telephone] or [e-mail]"),
            ("year", "1990-1995"),
            ("street", "[address]"),
        ]);
        assert_eq!(values, shown);
        assert_eq!(evidence, json!({"about": {"raw": "Call [telephone] or [e-mail]"}}));
    }

    #[test]
    fn figures_stay_figures() {
        let guard = Privacy { mask_contacts: true, ..Privacy::default() }.ready().unwrap();
        let mut values = flat(&[("sold", "030 123 456")]);
        let mut evidence = json!({"sold": {"raw": "030 123 456", "type": {"kind": "number", "normal": "30123456"}}});
        guard.show(&mut values, &mut evidence);
        assert_eq!(values, flat(&[("sold", "030 123 456")]));
    }

    #[test]
    fn what_was_typed_wins_over_the_file() {
        let said = Privacy { hash: names(&["email"]), without: names(&["age"]), ..Privacy::default() };
        let both = said.and_without(&names(&["email", "age"]));
        assert_eq!((both.without, both.hash), (names(&["age", "email"]), Vec::<String>::new()));
    }
}
