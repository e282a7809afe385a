//! What does the record say, and what a row? Names → values, and comparisons of them → probabilities.
//!
//! - [`Said`]: a record, its attributes by folded name. - [`holds`]: an atom on a record and perhaps a row.
//!
//! What the page does not say is unknown, not false: it may be anything between 0 and 1.

use super::alike::Asked;
use super::logic::Interval;
use super::normal::normal;
use super::reference::Reference;
use super::rules::formula::{Atom, Place, Relation, Side, Term};
use super::rules::{Column, folded};
use super::scalar::{Scalar, order};
use crate::extract::{Evidence, Record};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// A page that repeats an attribute more often has no say in it.
const MOST_VALUES: usize = 8;

pub struct Said<'r> {
    pub record: &'r Record,
    names: FxHashMap<String, &'r str>,
}

impl<'r> Said<'r> {
    pub fn new(record: &'r Record) -> Self {
        let names = record.attributes.keys().rev().map(|name| (folded(name), name.as_str())).collect();
        Self { record, names }
    }

    /// Those that are not empty.
    pub fn values(&self, name: &str) -> Vec<&'r str> {
        let values = self.names.get(&folded(name)).and_then(|name| self.record.attributes.get(*name));
        let real = values.into_iter().flatten().map(|value| value.trim()).filter(|value| !value.is_empty());
        real.take(MOST_VALUES).collect()
    }

    pub fn evidence(&self, name: &str) -> Option<&'r Evidence> {
        self.names.get(&folded(name)).and_then(|name| self.record.evidence.get(*name))
    }
}

/// A row under consideration.
#[derive(Clone, Copy)]
pub struct Row<'r> {
    pub reference: &'r Reference,
    pub row: usize,
}

pub fn holds(atom: &Atom, said: &Said, row: Option<Row>, columns: &[Column]) -> Interval {
    let values = |place: &Place| match (place.side, row) {
        (Side::Record, _) => said.values(&place.name),
        (Side::Row, Some(Row { reference, row })) => {
            let cell = reference.column(&place.name).map(|column| reference.cell(row, column));
            cell.into_iter().filter(|cell| !cell.is_empty()).collect()
        }
        (Side::Row, None) => Vec::new(),
    };
    match atom {
        Atom::Missing(place) => Interval::of(values(place).is_empty()),
        Atom::Compare { left, relation, right } => {
            let (a, b) = (operands(left, &values), operands(right, &values));
            let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
            let found = pairs.map(|(a, b)| compared(a, *relation, b, &settings(left, right, columns)));
            found.reduce(either).unwrap_or(Interval::UNKNOWN)
        }
    }
}

/// The better of two.
fn either(a: Interval, b: Interval) -> Interval {
    Interval { lower: a.lower.max(b.lower), upper: a.upper.max(b.upper) }
}

enum Operand {
    Text(String),
    Times(f64, String),
    Number(f64),
}

fn operands<'v>(term: &Term, values: &dyn Fn(&Place) -> Vec<&'v str>) -> Vec<Operand> {
    match term {
        Term::Place(place) => values(place).into_iter().map(|value| Operand::Text(value.to_owned())).collect(),
        Term::Times(factor, place) => {
            values(place).into_iter().map(|value| Operand::Times(*factor, value.to_owned())).collect()
        }
        Term::Text(text) => vec![Operand::Text(text.clone())],
        Term::Number(number) => vec![Operand::Number(*number)],
    }
}

impl Operand {
    fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Text(text) => Scalar::of(text),
            Self::Times(factor, text) => Scalar::of(text)?.times(*factor),
            Self::Number(number) => Some(Scalar::Amount(*number, None)),
        }
    }
}

/// What the file says of the first side that it names.
fn settings(left: &Term, right: &Term, columns: &[Column]) -> Column {
    let places = [left, right].into_iter().filter_map(Term::place);
    let named = places.clone().find_map(|place| columns.iter().find(|column| column.name == folded(&place.name)));
    let first = places.clone().next().map_or("", |place| place.name.as_str());
    named.cloned().unwrap_or_else(|| Column::plain(first))
}

fn compared(a: &Operand, relation: Relation, b: &Operand, settings: &Column) -> Interval {
    let wanted: &[Ordering] = match relation {
        Relation::Equal | Relation::Alike => {
            return same(a, b, relation == Relation::Alike || settings.fuzzy, settings);
        }
        Relation::Less => &[Ordering::Less],
        Relation::LessEqual => &[Ordering::Less, Ordering::Equal],
        Relation::More => &[Ordering::Greater],
        Relation::MoreEqual => &[Ordering::Greater, Ordering::Equal],
    };
    let found = a.scalar().zip(b.scalar()).and_then(|(a, b)| order(&a, &b));
    found.map_or(Interval::UNKNOWN, |found| Interval::of(wanted.contains(&found)))
}

fn same(a: &Operand, b: &Operand, fuzzy: bool, settings: &Column) -> Interval {
    let (Operand::Text(a), Operand::Text(b)) = (a, b) else {
        let found = a.scalar().zip(b.scalar()).and_then(|(a, b)| order(&a, &b));
        return found.map_or(Interval::UNKNOWN, |found| Interval::of(found == Ordering::Equal));
    };
    let (a, b) = (normal(a, &settings.normal), normal(b, &settings.normal));
    if !fuzzy {
        return Interval::of(a == b);
    }
    let degree = Asked::new(a, settings.compare).degree(&b, b.chars().count(), settings.alike_from);
    Interval::exactly(degree.unwrap_or(0.0))
}
