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

/// What there is to tell of findings.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Report {
    /// What stands above it.
    pub title: String,
    /// The day it is of, as `2026-11-16`.
    pub made: String,
    /// The day of the report before.
    pub since: Option<String>,
    /// Records that were checked.
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
    /// What the rule concludes.
    pub name: String,
    /// How bad that is.
    pub severity: Severity,
    /// How many findings.
    pub findings: usize,
    /// How many of them are new.
    pub new: usize,
    /// On how many sites.
    pub sites: usize,
}

/// A site with findings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Site {
    /// Its host.
    pub host: String,
    /// Its address, where it could be looked up.
    pub ip: Option<String>,
    /// Where that is.
    pub country: Option<String>,
    /// Records that were checked.
    pub records: usize,
    /// How many findings.
    pub findings: usize,
    /// How many of them are new.
    pub new: usize,
    /// The worst of its findings.
    pub severity: Severity,
    /// Findings by conclusion.
    pub conclusions: BTreeMap<String, usize>,
    /// Was there nothing to tell of it before?
    pub newfound: bool,
}

/// A finding with its dates.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reported {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// Its host.
    pub host: String,
    /// The day it was first seen.
    pub first_seen: String,
    /// The day it was last seen.
    pub last_seen: String,
    /// It was not there the last time.
    pub new: bool,
}

/// A finding that holds no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gone {
    /// Its page.
    pub url: String,
    /// What it said.
    pub conclusion: String,
    /// The day it was first seen.
    pub first_seen: String,
}

/// What was known at the end of a week.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Week {
    /// Its Monday.
    pub week: String,
    /// On how many sites.
    pub sites: usize,
    /// Records that were checked.
    pub records: usize,
    /// Findings by conclusion.
    pub findings: BTreeMap<String, usize>,
}

/// What a report is made of.
#[derive(Debug, Clone, Default)]
pub struct Material {
    /// What stands above it.
    pub title: String,
    /// The day of the report.
    pub today: String,
    /// All findings.
    pub findings: Vec<Dated>,
    /// Records of each host.
    pub records: BTreeMap<String, usize>,
    /// Where hosts are.
    pub places: BTreeMap<String, Location>,
    /// Weeks before this one, where a database remembers them.
    pub weeks: Vec<Week>,
    /// Findings that a database knows to be gone.
    pub gone: Vec<Gone>,
}

/// A finding with the days between which it held.
#[derive(Debug, Clone)]
pub struct Dated {
    /// The finding.
    pub finding: Finding,
    /// The day it was first seen.
    pub first_seen: String,
    /// The day it was last seen.
    pub last_seen: String,
}
