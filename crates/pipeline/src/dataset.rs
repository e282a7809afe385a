//! How does the data set leave the database? Stored records → JSON lines, CSV or Parquet, as they are read.
//!
//! - [`Wanted`]: which records. - [`Dataset`]: the columns, then records in batches. - [`Exported`]: one record.
//! - [`ParquetFile`]: batches of records as a file; the same records give the same bytes.
//!
//! Memory holds one batch. Sorted by site, class, address.

use crate::Error;
use crate::privacy::Guard;
use crate::typed::ColumnTypes;
use pagekin_core::extract::{self, value::Typed};
use pagekin_store::dataset::Choice;
use pagekin_store::{Row, Rows, Store};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[cfg(feature = "parquet")]
pub use crate::columnar::ParquetFile;

/// Which records are wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Only those of this site.
    pub site: Option<String>,
    /// Only those of this kind of pages.
    pub class: Option<String>,
    /// Records of pages that are missing or no longer linked too.
    pub absent: bool,
    /// When each was first seen and last changed.
    pub times: bool,
    /// What of people is not shown.
    pub guard: Guard,
}

impl Wanted {
    /// The same, as the database is asked.
    pub fn choice(&self) -> Choice {
        Choice { site: self.site.clone(), class: self.class.clone(), class_id: None, gone: self.absent }
    }
}

/// One record as it leaves the database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exported {
    /// Its site.
    pub site: String,
    /// Its kind of pages.
    pub class: String,
    /// Its page.
    pub url: String,
    /// Among the records of its page, from 0.
    pub record: i64,
    /// Values by attribute.
    pub attributes: BTreeMap<String, Vec<String>>,
    /// Tables within the page, by name: rows, each with the texts of its columns.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub children: BTreeMap<String, Vec<BTreeMap<String, String>>>,
    /// How sure the discovery is of its page, from 0 to 1.
    pub confidence: f64,
    /// No link is known that leads to its page.
    pub unlinked: bool,
    /// `missing`, `unlinked` or `not-seen`, where its page was not found the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absence: Option<String>,
    /// When it was first seen, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_seen: Option<String>,
    /// When its values last changed, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_at: Option<String>,
    /// Where its values come from, by attribute.
    pub evidence: serde_json::Value,
}

/// The records of a database, read batch by batch.
pub struct Dataset {
    /// Names of all attributes, sorted.
    pub attributes: Vec<String>,
    /// Names of the tables within pages, and of their columns, sorted.
    pub children: BTreeMap<String, Vec<String>>,
    /// Attributes that are left out for the sake of people.
    pub left_out: Vec<String>,
    times: bool,
    guard: Guard,
    rows: Rows,
}

impl Dataset {
    /// Begins to read.
    pub async fn open(store: &Store, wanted: &Wanted) -> Result<Self, Error> {
        let choice = wanted.choice();
        let (mut attributes, mut children) = (Vec::new(), BTreeMap::<String, Vec<String>>::new());
        let names = store.attribute_names(&choice).await?.into_iter();
        let (left_out, kept): (Vec<String>, Vec<String>) = names.partition(|name| wanted.guard.leaves_out(name));
        for name in kept {
            match name.split_once('.') {
                Some((table, column)) => children.entry(table.to_owned()).or_default().push(column.to_owned()),
                None => attributes.push(name),
            }
        }
        let rows = store.chosen_records(&choice).await?;
        Ok(Self { attributes, children, left_out, times: wanted.times, guard: wanted.guard.clone(), rows })
    }

    /// Of which type each attribute is; all records are read for it.
    pub async fn types(mut self) -> Result<ColumnTypes, Error> {
        let mut types = ColumnTypes::default();
        while let Some(records) = self.next().await? {
            for record in &records {
                for (name, values) in &record.attributes {
                    types.see(name, values, record.typed(name).as_ref());
                }
            }
        }
        Ok(types)
    }

    /// The next records; none at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<Exported>>, Error> {
        let Some(rows) = self.rows.next().await? else { return Ok(None) };
        rows.iter().map(|row| exported(row, self.times, &self.guard)).collect::<Result<_, _>>().map(Some)
    }
}

fn exported(row: &Row, times: bool, guard: &Guard) -> Result<Exported, Error> {
    let (mut flat, mut evidence) = (row.parsed(4, "attributes")?, row.parsed(10, "evidence")?);
    guard.show(&mut flat, &mut evidence);
    let (attributes, children) = extract::nested(flat);
    Ok(Exported {
        site: row.text(0),
        class: row.text(1),
        url: row.text(2),
        record: row.int(3),
        attributes,
        children,
        confidence: row.real(5),
        unlinked: row.int(6) != 0,
        absence: row.maybe_text(7),
        first_seen: row.maybe_text(8).filter(|_| times),
        changed_at: row.maybe_text(9).filter(|_| times),
        evidence,
    })
}

impl Exported {
    /// Names of the columns that are not attributes; [`column`](crate::export::column) names those that are.
    pub fn header(times: bool) -> Vec<&'static str> {
        let mut header = vec!["_site", "_class", "_url", "_record", "_confidence", "_unlinked"];
        header.extend(["_first_seen", "_changed_at"].iter().filter(|_| times));
        header
    }

    /// What the first value of an attribute is.
    pub(crate) fn typed(&self, attribute: &str) -> Option<Typed> {
        Typed::deserialize(self.evidence.get(attribute)?.get("type")?).ok()
    }

    /// Several values of an attribute in one cell; none where it has none.
    pub fn cell(&self, attribute: &str) -> Option<String> {
        self.attributes.get(attribute).map(|values| values.join("; "))
    }

    /// The cells of its row, in the order of [`Exported::header`] and the attributes.
    pub fn cells(&self, attributes: &[String], times: bool) -> Vec<String> {
        let mut cells = vec![
            self.site.clone(),
            self.class.clone(),
            self.url.clone(),
            self.record.to_string(),
            self.confidence.to_string(),
            self.unlinked.to_string(),
        ];
        let dates = [&self.first_seen, &self.changed_at].into_iter().filter(|_| times);
        cells.extend(dates.map(|date| date.clone().unwrap_or_default()));
        cells.extend(attributes.iter().map(|name| self.cell(name).unwrap_or_default()));
        cells
    }
}
