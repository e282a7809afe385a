//! What does somebody hold against the records? A rules file (TOML) → [`Rules`], or all that is wrong with it at once.
//!
//! ```text
//! file (TOML) ─► lex ─► parse ─► formula
//! ```
//!
//! - [`Rules`]: columns and rules. - [`Rule`]: condition, conclusion, confidence, severity, text. - [`Column`]: how values compare.
//! - [`Trouble`]: one mistake, with line, column and hint. - [`parse`]: the file.
//!
//! Does not know the reference: whether its columns exist is for [`plan`](super::plan) to say.

mod file;
pub mod formula;
mod lex;
mod parse;

pub use file::parse;
pub use formula::{At, Formula, folded};

use super::Severity;
use super::logic::Interval;
use super::normal::Normal;
use std::fmt;

#[derive(Debug, Clone)]
pub struct Rules {
    pub name: String,
    /// Least lower bound that makes a conclusion a finding.
    pub report_from: f64,
    pub columns: Vec<Column>,
    pub rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
pub struct Rule {
    pub name: String,
    pub condition: Formula,
    pub conclusion: String,
    /// Of the sentence "if the condition holds, so does the conclusion".
    pub confidence: Interval,
    pub severity: Severity,
    /// What it means, for the reader of a finding.
    pub text: String,
    pub at: At,
}

/// How values of one name compare.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// As [`folded`] writes it; of the record or of the reference.
    pub name: String,
    pub compare: Compare,
    pub normal: Vec<Normal>,
    /// Smaller degrees are 0: so little likeness is chance.
    pub alike_from: f64,
    /// Is `=` a degree too, as in the paper?
    pub fuzzy: bool,
}

/// How a degree is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// Character by character.
    Text,
    /// Words may stand in any order.
    Words,
}

impl Column {
    pub fn plain(name: &str) -> Self {
        Self {
            name: folded(name),
            compare: Compare::Text,
            normal: Normal::USUAL.to_vec(),
            alike_from: 0.0,
            fuzzy: false,
        }
    }
}

/// One mistake in a rules file.
#[derive(Debug, Clone)]
pub struct Trouble {
    pub at: At,
    pub reason: String,
    pub hint: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {} ({})", self.at.line, self.at.column, self.reason, self.hint)
    }
}
