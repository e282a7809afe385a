//! What has to be looked up for these rules? Rules + reference → conditions with numbers, and the rows each of them needs.
//!
//! - [`Plan`]: all of it. - [`Given`]: a condition that is decided once a record: a fact, or a quantifier over rows.
//! - [`Quantifier`]: "there is a row": literals, and the [`Way`]s by which [`Driver`]s find the rows that matter. - [`Pair`]: an attribute beside a column.
//! - [`Ground`]: a rule over givens.
//!
//! A quantifier is decided by its best row: rows that are half alike do not add up to one that is alike. The same condition in two rules
//! is one given.

mod compile;
mod drivers;

pub use compile::plan;

use super::known::Known;
use super::logic::{Interval, Sentence};
use super::rules::formula::{Atom, Formula};
use super::rules::{Column, Rule};

pub struct Plan {
    pub pairs: Vec<Pair>,
    pub givens: Vec<Given>,
    pub conclusions: Vec<Conclusion>,
    /// How columns compare.
    pub columns: Vec<Column>,
    pub report_from: f64,
}

pub struct Conclusion {
    pub name: String,
    pub rules: Vec<Ground>,
}

pub struct Ground {
    pub rule: Rule,
    /// Over givens.
    pub body: Sentence,
}

/// An attribute of the record and a column of the reference that are compared.
pub struct Pair {
    /// As the rule writes it.
    pub attribute: String,
    /// As the reference writes it, and its place there.
    pub column: String,
    pub place: usize,
    pub settings: Column,
    pub known: Known,
}

pub struct Given {
    pub formula: Formula,
    pub kind: GivenKind,
}

pub enum GivenKind {
    /// Of the record alone.
    Fact(Atom),
    Exists(Quantifier),
}

pub struct Quantifier {
    /// Over literals, without negations: those are in the literals.
    pub sentence: Sentence,
    pub literals: Vec<Literal>,
    /// Ways to find the rows that matter, the cheapest first; none looks at all rows.
    pub ways: Vec<Way>,
}

/// Any row that matters is found by one of the drivers.
#[derive(Debug, Clone)]
pub struct Way {
    pub drivers: Vec<Driver>,
    /// What the rows that are left out might reach at most.
    pub left_out: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Literal {
    pub atom: RowAtom,
    pub negated: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RowAtom {
    /// Attribute and column of a pair are equal, exactly or by degree.
    Same {
        pair: usize,
        fuzzy: bool,
    },
    Other(Atom),
    /// A quantifier inside, which says nothing about this row.
    Given(usize),
}

/// Rows whose value is the record's, or alike to this degree.
#[derive(Debug, Clone, PartialEq)]
pub struct Driver {
    pub pair: usize,
    /// None: exactly.
    pub least: Option<f64>,
    /// Conditions on the record alone that stand beside it: where one is false, no row matters.
    pub guards: Vec<Literal>,
}

impl Ground {
    /// The probability that the body needs, so that this rule alone makes a finding.
    pub fn needs(&self, report_from: f64) -> f64 {
        (report_from + 1.0 - self.rule.confidence.lower).clamp(0.0, 1.0)
    }

    /// What the rule alone says of its conclusion.
    pub fn alone(&self, body: Interval) -> f64 {
        (body.lower + self.rule.confidence.lower - 1.0).max(0.0)
    }
}
