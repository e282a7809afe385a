//! How sure may one be of a conclusion? Sentences with probabilities → bounds, by Nilsson's probabilistic logic.
//!
//! - [`Interval`]: between these two probabilities. - [`Sentence`]: a formula over numbered atoms.
//! - [`Belief`]: a sentence and its probability. - [`entailed`]: the linear programme over possible worlds.
//! - [`bounds`]: of one formula whose atoms are known; without a programme where no atom occurs twice.
//!
//! Follows section 5 of the DE-SSE paper. Knows nothing of records, rows or rules.

mod worlds;

pub use worlds::{Contradiction, MOST_ATOMS, entailed};

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub lower: f64,
    pub upper: f64,
}

impl Interval {
    pub const UNKNOWN: Self = Self { lower: 0.0, upper: 1.0 };
    pub const FALSE: Self = Self { lower: 0.0, upper: 0.0 };

    pub fn exactly(probability: f64) -> Self {
        Self { lower: probability, upper: probability }
    }

    pub fn of(truth: bool) -> Self {
        Self::exactly(f64::from(u8::from(truth)))
    }

    pub fn negated(self) -> Self {
        Self { lower: 1.0 - self.upper, upper: 1.0 - self.lower }
    }
}

/// A formula over atoms, which are numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Sentence {
    Atom(usize),
    Not(Box<Sentence>),
    And(Vec<Sentence>),
    Or(Vec<Sentence>),
}

impl Sentence {
    /// `body → head`
    pub fn implies(body: Self, head: Self) -> Self {
        Self::Or(vec![Self::Not(Box::new(body)), head])
    }

    /// In a world, the atoms that hold are bits.
    pub fn holds(&self, world: u32) -> bool {
        match self {
            Self::Atom(atom) => world >> atom & 1 == 1,
            Self::Not(inner) => !inner.holds(world),
            Self::And(parts) => parts.iter().all(|part| part.holds(world)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(world)),
        }
    }

    /// In order of appearance, as often as they appear.
    pub fn atoms(&self) -> Vec<usize> {
        match self {
            Self::Atom(atom) => vec![*atom],
            Self::Not(inner) => inner.atoms(),
            Self::And(parts) | Self::Or(parts) => parts.iter().flat_map(Self::atoms).collect(),
        }
    }

    /// The same formula with other numbers.
    pub fn renamed(&self, name: &impl Fn(usize) -> usize) -> Self {
        let all = |parts: &[Self]| parts.iter().map(|part| part.renamed(name)).collect();
        match self {
            Self::Atom(atom) => Self::Atom(name(*atom)),
            Self::Not(inner) => Self::Not(Box::new(inner.renamed(name))),
            Self::And(parts) => Self::And(all(parts)),
            Self::Or(parts) => Self::Or(all(parts)),
        }
    }

    /// Does no atom occur twice? Then its parts say nothing about each other, and Fréchet's bounds are the best ones.
    pub fn is_read_once(&self) -> bool {
        let mut atoms = self.atoms();
        let all = atoms.len();
        atoms.sort_unstable();
        atoms.dedup();
        atoms.len() == all
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Belief {
    pub sentence: Sentence,
    pub probability: Interval,
}

/// The probability of a formula, given those of its atoms and nothing else.
pub fn bounds(sentence: &Sentence, atoms: &[Interval]) -> Interval {
    if sentence.is_read_once() {
        return frechet(sentence, atoms);
    }
    let mut used = sentence.atoms();
    used.sort_unstable();
    used.dedup();
    if used.len() > MOST_ATOMS {
        return frechet(sentence, atoms);
    }
    let place = |atom: usize| used.binary_search(&atom).unwrap_or(0);
    let belief = |(at, &atom): (usize, &usize)| Belief { sentence: Sentence::Atom(at), probability: atoms[atom] };
    let beliefs: Vec<Belief> = used.iter().enumerate().map(belief).collect();
    // Atoms alone cannot contradict each other.
    entailed(&beliefs, &sentence.renamed(&place)).unwrap_or(Interval::UNKNOWN)
}

/// Fréchet's bounds: the best where no atom occurs twice, and too wide but true elsewhere.
fn frechet(sentence: &Sentence, atoms: &[Interval]) -> Interval {
    let all = |parts: &[Sentence]| parts.iter().map(|part| frechet(part, atoms)).collect::<Vec<_>>();
    match sentence {
        Sentence::Atom(atom) => atoms[*atom],
        Sentence::Not(inner) => frechet(inner, atoms).negated(),
        Sentence::And(parts) => conjunction(&all(parts)),
        Sentence::Or(parts) => {
            let negated: Vec<Interval> = all(parts).into_iter().map(Interval::negated).collect();
            conjunction(&negated).negated()
        }
    }
}

fn conjunction(parts: &[Interval]) -> Interval {
    let missing: f64 = parts.iter().map(|part| 1.0 - part.lower).sum();
    let upper = parts.iter().map(|part| part.upper).fold(1.0, f64::min);
    Interval { lower: (1.0 - missing).max(0.0), upper }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: Interval, lower: f64, upper: f64) {
        assert!((a.lower - lower).abs() < 1e-6 && (a.upper - upper).abs() < 1e-6, "{a:?} is not [{lower}, {upper}]");
    }

    #[test]
    fn atoms_that_occur_once_need_no_programme() {
        let atoms = [Interval::exactly(0.8), Interval::exactly(0.7), Interval::UNKNOWN];
        let (a, b, c) = (Sentence::Atom(0), Sentence::Atom(1), Sentence::Atom(2));
        near(bounds(&Sentence::And(vec![a.clone(), b.clone()]), &atoms), 0.5, 0.7);
        near(bounds(&Sentence::Or(vec![a.clone(), b.clone()]), &atoms), 0.8, 1.0);
        near(bounds(&Sentence::And(vec![a.clone(), Sentence::Or(vec![b, c])]), &atoms), 0.5, 0.8);
        near(bounds(&Sentence::Not(Box::new(a)), &atoms), 0.2, 0.2);
    }

    #[test]
    fn an_atom_that_occurs_twice_is_one_atom() {
        let (a, not_a) = (Sentence::Atom(1), Sentence::Not(Box::new(Sentence::Atom(1))));
        let atoms = [Interval::UNKNOWN, Interval::exactly(0.4)];
        near(bounds(&Sentence::Or(vec![a.clone(), not_a.clone()]), &atoms), 1.0, 1.0);
        near(bounds(&Sentence::And(vec![a, not_a]), &atoms), 0.0, 0.0);
    }
}
