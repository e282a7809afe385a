//! Is what it says true? Records + what is known + rules → findings with bounds on their probability, and reasons.
//!
//! ```text
//! rules file ─► rules ─┐
//! reference rows ──────┴─► plan (which rows may matter) ─┐
//! record ────────────────────────────────────────────────┴─► judge ─► logic (worlds, bounds) ─► because ─► findings
//! ```
//!
//! - [`Judge`]: rules and reference made ready; [`Judge::judge`] looks at one record. - [`Finding`]: a conclusion with its reasons.
//! - [`rules`]: the language. - [`logic`]: probabilistic logic. - [`normal`], [`alike`]: how values compare.
//! - [`mod@reference`], [`known`], [`segments`], `bags`: what is known, and the index that loses no match.
//!
//! Follows section 5 of the DE-SSE paper. Knows nothing of files, databases or how records were read.

pub mod alike;
mod bags;
mod because;
mod judge;
pub mod known;
pub mod logic;
mod nearest;
pub mod normal;
pub mod plan;
pub mod reference;
pub mod rules;
pub mod scalar;
pub mod segments;
#[cfg(test)]
mod tests;
mod units;
mod values;
mod words;

pub use judge::Judge;
pub use reference::Reference;
pub use rules::{Rules, Trouble};

use crate::extract::Record;
use serde::{Deserialize, Serialize};
use url::Url;
use values::Said;

/// One conclusion about one record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub url: Url,
    /// The rule that makes it most probable.
    pub rule: String,
    pub conclusion: String,
    pub severity: Severity,
    /// Between these two probabilities; none when rules contradict each other.
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    /// In sentences.
    pub because: String,
    /// What the page says, beside what is known.
    pub evidence: Vec<Compared>,
    /// The rows of the reference that come nearest.
    pub nearest: Vec<Near>,
}

/// A value of the page, beside the one it was compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    pub attribute: String,
    /// None when the page does not say it.
    pub value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degree: Option<f64>,
    /// Where on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A row of the reference, and how near it comes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Near {
    /// From 1, as a list is counted.
    pub row: usize,
    pub degree: f64,
    pub values: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Low,
    #[default]
    Medium,
    High,
    Critical,
}

impl Severity {
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// Does the record say something there, however the name is written?
pub fn says(record: &Record, attribute: &str) -> bool {
    !Said::new(record).values(attribute).is_empty()
}

/// Each on a line of its own, as a message shows them.
pub fn listed(troubles: &[Trouble]) -> String {
    troubles.iter().map(|trouble| format!("  {trouble}")).collect::<Vec<_>>().join("\n")
}
