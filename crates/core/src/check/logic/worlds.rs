//! Which probabilities may a sentence have, if others have theirs? A linear programme over possible worlds.
//!
//! A world says of every atom whether it holds; its probability is a variable, and their sum is 1. Each belief is one
//! constraint: the worlds in which its sentence holds weigh as much as it is probable. The least and the greatest weight of
//! the worlds in which the query holds are the bounds. Worlds that no belief and not the query tell apart are one variable.
//!
//! - [`entailed`]: the bounds. - [`Contradiction`]: the beliefs that cannot all be true, as few as explain it.

use super::{Belief, Interval, Sentence};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use std::collections::BTreeSet;

/// Worlds double with each atom; 4,096 of them are enumerated in some 50 µs, and no reader keeps more conditions in mind.
pub const MOST_ATOMS: usize = 12;

/// Beliefs one query may rest on: a bit each in the signature of a world.
const MOST_BELIEFS: usize = 62;

/// The programme is solved to 1e-7; what is nearer than this to 0 and 1 is 0 and 1.
const EXACT: f64 = 1e-6;

/// Places of beliefs that cannot all be true; without one of them, the others can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction(pub Vec<usize>);

/// The probability of `query`, given the beliefs.
pub fn entailed(beliefs: &[Belief], query: &Sentence) -> Result<Interval, Contradiction> {
    let worlds = Worlds::of(beliefs, query);
    match (worlds.extreme(OptimizationDirection::Minimize), worlds.extreme(OptimizationDirection::Maximize)) {
        (Some(lower), Some(upper)) => Ok(Interval { lower: tidy(lower), upper: tidy(upper.max(lower)) }),
        _ => Err(Contradiction(culprits(beliefs, query))),
    }
}

fn tidy(probability: f64) -> f64 {
    let whole = probability.round();
    if (probability - whole).abs() < EXACT { whole.abs() } else { probability.clamp(0.0, 1.0) }
}

struct Worlds<'b> {
    beliefs: &'b [Belief],
    /// Which beliefs hold, a bit each; the lowest is the query's.
    signatures: BTreeSet<u64>,
}

impl<'b> Worlds<'b> {
    fn of(beliefs: &'b [Belief], query: &Sentence) -> Self {
        debug_assert!(beliefs.len() <= MOST_BELIEFS);
        let atoms = beliefs.iter().map(|belief| &belief.sentence).chain([query]).flat_map(Sentence::atoms);
        let count = atoms.max().map_or(0, |atom| atom + 1);
        let signature = |world: u32| {
            let bits = beliefs.iter().enumerate();
            bits.fold(u64::from(query.holds(world)), |bits, (at, belief)| {
                bits | u64::from(belief.sentence.holds(world)) << (at + 1)
            })
        };
        Self { beliefs, signatures: (0..1u32 << count).map(signature).collect() }
    }

    /// None when no distribution obeys all beliefs.
    fn extreme(&self, direction: OptimizationDirection) -> Option<f64> {
        let mut problem = Problem::new(direction);
        let weights: Vec<(Variable, u64)> =
            self.signatures.iter().map(|&bits| (problem.add_var((bits & 1) as f64, (0.0, 1.0)), bits)).collect();
        let all: Vec<(Variable, f64)> = weights.iter().map(|&(weight, _)| (weight, 1.0)).collect();
        problem.add_constraint(all.as_slice(), ComparisonOp::Eq, 1.0);
        for (at, belief) in self.beliefs.iter().enumerate() {
            let holds = weights.iter().filter(|(_, bits)| bits >> (at + 1) & 1 == 1);
            let holds: Vec<(Variable, f64)> = holds.map(|&(weight, _)| (weight, 1.0)).collect();
            constrain(&mut problem, &holds, belief.probability)?;
        }
        Some(problem.solve().ok()?.into_solution().ok()?.objective())
    }
}

/// None when it is plain that nothing can obey: no world at all may weigh more than 0.
fn constrain(problem: &mut Problem, holds: &[(Variable, f64)], probability: Interval) -> Option<()> {
    if holds.is_empty() {
        return (probability.lower < EXACT).then_some(());
    }
    if probability.upper - probability.lower < EXACT {
        problem.add_constraint(holds, ComparisonOp::Eq, probability.lower);
        return Some(());
    }
    if probability.lower > 0.0 {
        problem.add_constraint(holds, ComparisonOp::Ge, probability.lower);
    }
    if probability.upper < 1.0 {
        problem.add_constraint(holds, ComparisonOp::Le, probability.upper);
    }
    Some(())
}

/// Beliefs are left out one by one: those without which the rest agrees are at fault.
fn culprits(beliefs: &[Belief], query: &Sentence) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..beliefs.len()).collect();
    for at in 0..beliefs.len() {
        let without: Vec<usize> = kept.iter().copied().filter(|&other| other != at).collect();
        let rest: Vec<Belief> = without.iter().map(|&place| beliefs[place].clone()).collect();
        if Worlds::of(&rest, query).extreme(OptimizationDirection::Minimize).is_none() {
            kept = without;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(body: f64, confidence: f64) -> Result<Interval, Contradiction> {
        let (body_atom, head) = (Sentence::Atom(0), Sentence::Atom(1));
        let rule = Sentence::implies(body_atom.clone(), head.clone());
        let beliefs = [(body_atom, body), (rule, confidence)]
            .map(|(sentence, p)| Belief { sentence, probability: Interval::exactly(p) });
        entailed(&beliefs, &head)
    }

    #[track_caller]
    fn near(found: Result<Interval, Contradiction>, lower: f64, upper: f64) {
        let found = found.unwrap();
        assert!((found.lower - lower).abs() < 1e-6 && (found.upper - upper).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn the_published_example() {
        near(rule(1.0, 0.9), 0.9, 0.9);
        near(rule(0.8, 0.9), 0.7, 0.9);
    }

    #[test]
    fn what_contradicts_is_named_and_nothing_else() {
        assert_eq!(rule(0.05, 0.9), Err(Contradiction(vec![0, 1])));
        let atom = |atom, p| Belief { sentence: Sentence::Atom(atom), probability: Interval::exactly(p) };
        let beliefs = [atom(0, 0.5), atom(1, 0.2), atom(2, 0.5), atom(1, 0.3)];
        assert_eq!(entailed(&beliefs, &Sentence::Atom(2)), Err(Contradiction(vec![1, 3])));
    }

    #[test]
    fn two_rules_and_their_bodies_together() {
        // Whether or not the body holds, one of the rules speaks: each alone would give no more than 0.4.
        let (body, head) = (Sentence::Atom(0), Sentence::Atom(1));
        let beliefs = [
            (body.clone(), 0.5),
            (Sentence::implies(body.clone(), head.clone()), 0.9),
            (Sentence::implies(Sentence::Not(Box::new(body)), head.clone()), 0.9),
        ]
        .map(|(sentence, p)| Belief { sentence, probability: Interval::exactly(p) });
        near(entailed(&beliefs, &head), 0.8, 0.8);
    }

    #[test]
    fn without_beliefs_nothing_is_known() {
        near(entailed(&[], &Sentence::Atom(0)), 0.0, 1.0);
        assert!(matches!(entailed(&[], &Sentence::And(vec![])), Ok(Interval { lower: 1.0, upper: 1.0 })));
    }
}
