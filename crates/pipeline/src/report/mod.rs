//! What is there to tell this week? Findings, records and the report before → [`Report`]: plain data, for a page or a program.
//!
//! ```text
//! material (findings, sightings, places of hosts) ─┐
//! the report before ───────────────────────────────┴─► build ─► Report ─► HTML (in `web`), JSON, CSV
//! ```
//!
//! - [`Report`]: all of it. - [`Material`]: what it is made of. - [`build`]: the sums, what is new, what is gone, the weeks.
//! - [`Site`]: a row of the table of sites. - [`Reported`]: a finding with its history. - [`Week`]: a point of the trend.
//! - [`places`]: where hosts are. - [`to_csv`]: one line a finding. - [`shown`]: the same without what is masked.
//!
//! Knows nothing of HTML. The date comes in as an argument.

mod build;
pub mod places;
mod sheet;
mod shown;

pub use build::{build, is_day, monday, today};
pub use sheet::to_csv;
pub use shown::{finding as shown_finding, shown};

use pagekin_core::check::{Finding, Severity};
use places::Location;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Report {
    pub title: String,
    /// The day it is of, as `2026-11-16`.
    pub made: String,
    /// The day of the report before.
    pub since: Option<String>,
    pub records: usize,
    /// Most severe first, then most frequent.
    pub conclusions: Vec<Kind>,
    /// Most findings first.
    pub sites: Vec<Site>,
    /// By site, then severity, then address.
    pub findings: Vec<Reported>,
    /// What the report before had and this one has not.
    pub gone: Vec<Gone>,
    /// Oldest first.
    pub weeks: Vec<Week>,
}

/// A conclusion, counted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Kind {
    pub name: String,
    pub severity: Severity,
    pub findings: usize,
    pub new: usize,
    pub sites: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Site {
    pub host: String,
    pub ip: Option<String>,
    pub country: Option<String>,
    pub records: usize,
    pub findings: usize,
    pub new: usize,
    /// The worst of its findings.
    pub severity: Severity,
    pub conclusions: BTreeMap<String, usize>,
    /// Was there nothing to tell of it before?
    pub newfound: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reported {
    #[serde(flatten)]
    pub finding: Finding,
    pub host: String,
    pub first_seen: String,
    pub last_seen: String,
    pub new: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gone {
    pub url: String,
    pub conclusion: String,
    pub first_seen: String,
}

/// What was known at the end of a week.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Week {
    /// Its Monday.
    pub week: String,
    pub sites: usize,
    pub records: usize,
    pub findings: BTreeMap<String, usize>,
}

/// What a report is made of.
#[derive(Debug, Clone, Default)]
pub struct Material {
    pub title: String,
    pub today: String,
    pub findings: Vec<Dated>,
    /// Records of each host.
    pub records: BTreeMap<String, usize>,
    pub places: BTreeMap<String, Location>,
    /// Weeks before this one, where a database remembers them.
    pub weeks: Vec<Week>,
    /// Findings that a database knows to be gone.
    pub gone: Vec<Gone>,
}

#[derive(Debug, Clone)]
pub struct Dated {
    pub finding: Finding,
    pub first_seen: String,
    pub last_seen: String,
}
