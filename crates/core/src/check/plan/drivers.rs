//! Which rows may matter to a quantifier? Literals + what the rules need → columns whose values find those rows.
//!
//! **Why none is lost.** A rule makes a finding only if its condition is at least as probable as it [needs](super::Ground::needs). Where no
//! condition occurs twice, the lower bound of a conjunction is no greater than that of any part, and that of a disjunction is that
//! of its best part. So a row matters only if one equality of every conjunction (any one may be chosen) and of every
//! disjunction (one part of it) reaches that degree: these are its drivers. Where a condition is negated, every row counts
//! for which it is possible at all, that is from the degree `alike_from` on. A row that is left out nevertheless stays below the
//! degree asked for, which [`Way::left_out`](super::Way::left_out) remembers.
//!
//! - [`drive`]: chooses drivers and builds their indexes. - [`Use`]: what the rules need of a given.

use super::compile::uses;
use super::{Driver, GivenKind, Literal, Plan, Quantifier, RowAtom, Way};
use crate::check::logic::Sentence;
use crate::check::rules::formula::Side;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Use {
    Unused,
    /// Only from this probability on.
    AtLeast(f64),
    /// However improbable.
    Any,
}

impl Use {
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unused, other) | (other, Self::Unused) => other,
            (Self::AtLeast(a), Self::AtLeast(b)) => Self::AtLeast(a.min(b)),
            _ => Self::Any,
        }
    }
}

/// An index over degrees below this has pieces of one or two letters and finds nearly everything: looking at all is as fast.
const LEAST_INDEXED: f64 = 0.55;

pub(super) fn drive(plan: &mut Plan) {
    for (at, uses) in uses(plan).into_iter().enumerate() {
        let least = match uses {
            Use::AtLeast(least) => least,
            Use::Any | Use::Unused => 0.0,
        };
        let Plan { pairs, givens, .. } = plan;
        let GivenKind::Exists(quantifier) = &mut givens[at].kind else { continue };
        if !quantifier.sentence.is_read_once() {
            continue;
        }
        quantifier.ways = Chooser { pairs, least }.ways(quantifier);
        // Without the attribute that the cheapest way needs, nothing is certain, and a rule that needs certainty is silent.
        if matches!(uses, Use::AtLeast(_)) {
            quantifier.ways.truncate(1);
        }
        for driver in quantifier.ways.iter().flat_map(|way| &way.drivers) {
            if let Some(least) = driver.least.filter(|&least| least >= LEAST_INDEXED) {
                let pair = &mut pairs[driver.pair];
                pair.known.index(least, pair.settings.compare);
            }
        }
    }
}

/// Literals of a conjunction that speak of the record alone.
fn guards(parts: &[Sentence], quantifier: &Quantifier) -> Vec<Literal> {
    let literals = parts.iter().filter_map(|part| match part {
        Sentence::Atom(literal) => Some(&quantifier.literals[*literal]),
        _ => None,
    });
    let of_record = |literal: &&Literal| match &literal.atom {
        RowAtom::Other(atom) => atom.places().iter().all(|place| place.side == Side::Record),
        _ => false,
    };
    literals.filter(of_record).cloned().collect()
}

struct Chooser<'c> {
    pairs: &'c [super::Pair],
    least: f64,
}

impl Chooser<'_> {
    fn ways(&self, quantifier: &Quantifier) -> Vec<Way> {
        let parts = match &quantifier.sentence {
            Sentence::And(parts) => parts.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut ways: Vec<Vec<Driver>> = parts.iter().filter_map(|part| self.of(part, quantifier)).collect();
        ways.sort_by(|a, b| self.cost(a).total_cmp(&self.cost(b)));
        ways.into_iter().map(|drivers| Way { left_out: self.left_out(&drivers), drivers }).collect()
    }

    fn of(&self, sentence: &Sentence, quantifier: &Quantifier) -> Option<Vec<Driver>> {
        match sentence {
            Sentence::Atom(literal) => self.driver(quantifier, *literal).map(|driver| vec![driver]),
            Sentence::And(parts) => {
                let drivers = parts.iter().filter_map(|part| self.of(part, quantifier));
                let mut best = drivers.min_by(|a, b| self.cost(a).total_cmp(&self.cost(b)))?;
                let guards = guards(parts, quantifier);
                best.iter_mut().for_each(|driver| driver.guards.extend(guards.iter().cloned()));
                Some(best)
            }
            Sentence::Or(parts) => {
                let all: Option<Vec<Vec<Driver>>> = parts.iter().map(|part| self.of(part, quantifier)).collect();
                all.map(|drivers| drivers.concat())
            }
            Sentence::Not(_) => None,
        }
    }

    fn driver(&self, quantifier: &Quantifier, literal: usize) -> Option<Driver> {
        let literal = &quantifier.literals[literal];
        match literal.atom {
            RowAtom::Same { pair, fuzzy } if !literal.negated => {
                let least = self.least.max(self.pairs[pair].settings.alike_from);
                match fuzzy {
                    false => Some(Driver { pair, least: None, guards: Vec::new() }),
                    // Degree 0 is every row.
                    true => (least > 0.0).then_some(Driver { pair, least: Some(least), guards: Vec::new() }),
                }
            }
            _ => None,
        }
    }

    /// Rows that a value has, and what it takes to find values: a hundred times as much where they are only alike.
    fn cost(&self, drivers: &[Driver]) -> f64 {
        let one = |driver: &Driver| {
            let known = &self.pairs[driver.pair].known;
            let rows = known.row_count() as f64 / known.values.len().max(1) as f64;
            driver.least.map_or(rows, |least| rows * 100.0 * (2.0 - least))
        };
        drivers.iter().map(one).sum()
    }

    /// Degrees below `alike_from` are 0; what the rules do not need, but is more than that, might be there.
    fn left_out(&self, drivers: &[Driver]) -> f64 {
        let one = |driver: &Driver| match driver.least {
            Some(least) if least > self.pairs[driver.pair].settings.alike_from => least,
            _ => 0.0,
        };
        drivers.iter().map(one).fold(0.0, f64::max)
    }
}
