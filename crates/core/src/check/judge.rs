//! What follows for this record? A record → findings: conditions decided, rules that fire, bounds, reasons.
//!
//! ```text
//! record ─► givens (facts; quantifiers by their best row) ─► rules that fire ─► worlds ─► bounds ─► because
//! ```
//!
//! - [`Judge`]: rules and reference made ready. - [`Seen`]: a record under consideration. - [`Decided`]: a given with its probability and best row.
//!
//! A rule fires when it alone would make a finding; only rules that fire enter the linear programme, so that worlds are over
//! the conditions of those rules, fewer than [`MOST_ATOMS`](super::logic::MOST_ATOMS). Conditions that are certain are left out of it.

use super::alike::Asked;
use super::because::{Reason, reason};
use super::logic::{Belief, Contradiction, Interval, Sentence, bounds, entailed};
use super::nearest::Nearest;
use super::normal::normal;
use super::plan::{Conclusion, Driver, GivenKind, Ground, Literal, Pair, Plan, Quantifier, RowAtom, plan};
use super::rules::folded;
use super::rules::formula::{Atom, Side};
use super::values::{Row, Said, holds};
use super::{Finding, Reference, Rules, Trouble};
use crate::extract::Record;
use rayon::prelude::*;
use std::cell::{OnceCell, RefCell};
use std::sync::OnceLock;

/// Against the error of floating point.
const SLACK: f64 = 1e-9;

pub struct Judge {
    pub(super) plan: Plan,
    pub(super) reference: Reference,
    nearest: Vec<OnceLock<Nearest>>,
}

/// A given, decided for one record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decided {
    pub probability: Interval,
    /// The row that decides a quantifier.
    pub row: Option<u32>,
}

impl Judge {
    /// Mistakes are columns that the reference does not have, and conclusions that rest on too many conditions.
    pub fn new(rules: &Rules, reference: Reference) -> Result<Self, Vec<Trouble>> {
        let plan = plan(rules, &reference)?;
        let nearest = plan.pairs.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { plan, reference, nearest })
    }

    /// Findings of all records, in their order, on all cores.
    pub fn judge_all(&self, records: &[Record]) -> Vec<Finding> {
        records.par_iter().flat_map_iter(|record| self.judge(record)).collect()
    }

    /// Findings of each record, on all cores.
    pub fn judge_each(&self, records: &[&Record]) -> Vec<Vec<Finding>> {
        records.par_iter().map(|record| self.judge(record)).collect()
    }

    pub fn judge(&self, record: &Record) -> Vec<Finding> {
        let seen = Seen::new(self, record);
        self.plan.conclusions.iter().filter_map(|conclusion| seen.conclude(conclusion)).collect()
    }

    /// The attributes of a record that the rules speak of, as they write them.
    pub fn attributes(&self) -> Vec<String> {
        let grounds = self.plan.conclusions.iter().flat_map(|conclusion| &conclusion.rules);
        let places = grounds.flat_map(|ground| ground.rule.condition.places());
        let mut names: Vec<String> = Vec::new();
        for place in places.filter(|place| place.side == Side::Record) {
            if !names.iter().any(|name| folded(name) == folded(&place.name)) {
                names.push(place.name.clone());
            }
        }
        names
    }

    /// How each rule finds the rows that matter, in sentences.
    pub fn explained(&self) -> Vec<String> {
        let grounds = self.plan.conclusions.iter().flat_map(|conclusion| &conclusion.rules);
        grounds.flat_map(|ground| self.explained_rule(ground)).collect()
    }

    fn explained_rule(&self, ground: &Ground) -> Vec<String> {
        let needs = ground.needs(self.plan.report_from);
        let name = &ground.rule.name;
        let mut lines =
            vec![format!("{name}: makes a finding when its condition has a probability of {needs:.2} or more")];
        for given in ground.body.atoms() {
            let GivenKind::Exists(quantifier) = &self.plan.givens[given].kind else { continue };
            let how = match quantifier.ways.first() {
                None => format!("all {} rows are looked at", self.reference.rows()),
                Some(way) => {
                    way.drivers.iter().map(|driver| self.explained_driver(driver)).collect::<Vec<_>>().join(", or ")
                }
            };
            lines.push(format!("{name}: rows are found by: {how}"));
        }
        lines
    }

    fn explained_driver(&self, driver: &Driver) -> String {
        let Pair { column, known, .. } = &self.plan.pairs[driver.pair];
        let values = known.values.len();
        match driver.least {
            None => format!("`{column}`, exactly ({values} values)"),
            Some(least) => format!("`{column}`, alike to {:.0} % or more ({values} values)", least * 100.0),
        }
    }

    pub(super) fn nearest(&self, pair: usize) -> &Nearest {
        self.nearest[pair].get_or_init(|| Nearest::new(&self.plan.pairs[pair].known))
    }
}

/// Where nothing is asked of the probability, the condition must at least be more than impossible.
fn fires(ground: &Ground, probability: f64, report_from: f64) -> bool {
    probability > SLACK && probability + SLACK >= ground.needs(report_from)
}

/// Pair, value and degree, and the values of the reference that are alike.
type LookedUp = (usize, String, f64, Vec<u32>);

pub(super) struct Seen<'s> {
    pub judge: &'s Judge,
    pub said: Said<'s>,
    /// Values of the record, ready to be compared, by pair.
    asked: Vec<OnceCell<Vec<Asked>>>,
    givens: Vec<OnceCell<Decided>>,
    /// What was looked up for this record.
    alike: RefCell<Vec<LookedUp>>,
}

impl<'s> Seen<'s> {
    fn new(judge: &'s Judge, record: &'s Record) -> Self {
        let asked = judge.plan.pairs.iter().map(|_| OnceCell::new()).collect();
        let givens = judge.plan.givens.iter().map(|_| OnceCell::new()).collect();
        Self { judge, said: Said::new(record), asked, givens, alike: RefCell::default() }
    }

    fn conclude(&self, conclusion: &Conclusion) -> Option<Finding> {
        let report_from = self.judge.plan.report_from;
        let mut fired: Vec<(&Ground, Interval)> = Vec::new();
        for ground in &conclusion.rules {
            let body = self.body(ground, report_from);
            if fires(ground, body.lower, report_from) {
                fired.push((ground, body));
            }
        }
        if fired.is_empty() {
            return None;
        }
        fired.sort_by(|a, b| b.0.alone(b.1).total_cmp(&a.0.alone(a.1)));
        let bounds = self.bounds(&fired);
        let rules: Vec<&Ground> = fired.iter().map(|(ground, _)| *ground).collect();
        Some(reason(self, &Reason { conclusion: &conclusion.name, rules: &rules, bounds }))
    }

    /// One rule alone: `P(body → head) = c` and `P(body) = b` give `[b + c − 1, c]`, as the programme would.
    fn bounds(&self, fired: &[(&Ground, Interval)]) -> Result<Interval, Vec<String>> {
        if let [(ground, body)] = fired {
            return Ok(Interval { lower: ground.alone(*body), upper: ground.rule.confidence.upper });
        }
        let mut atoms: Vec<usize> = fired.iter().flat_map(|(ground, _)| ground.body.atoms()).collect();
        atoms.sort_unstable();
        atoms.dedup();
        let head = Sentence::Atom(atoms.len());
        let place = |given: usize| atoms.binary_search(&given).unwrap_or(0);
        let mut beliefs: Vec<Belief> = fired
            .iter()
            .map(|(ground, _)| Belief {
                sentence: Sentence::implies(ground.body.renamed(&place), head.clone()),
                probability: ground.rule.confidence,
            })
            .collect();
        beliefs.extend(
            atoms.iter().enumerate().map(|(at, &given)| Belief {
                sentence: Sentence::Atom(at),
                probability: self.given(given).probability,
            }),
        );
        let named = |Contradiction(places): Contradiction| {
            let rules = places.into_iter().filter(|&at| at < fired.len());
            rules.map(|at| fired[at].0.rule.name.clone()).collect()
        };
        entailed(&beliefs, &head).map_err(named)
    }

    /// Facts first: where they keep the rule from firing, whatever the reference says, it is not asked.
    fn body(&self, ground: &Ground, report_from: f64) -> Interval {
        let mut probabilities = vec![Interval::UNKNOWN; self.judge.plan.givens.len()];
        let is_fact = |given: &usize| matches!(self.judge.plan.givens[*given].kind, GivenKind::Fact(_));
        let (facts, quantifiers): (Vec<usize>, Vec<usize>) = ground.body.atoms().into_iter().partition(is_fact);
        for fact in facts {
            probabilities[fact] = self.given(fact).probability;
        }
        for quantifier in quantifiers {
            if !fires(ground, bounds(&ground.body, &probabilities).upper, report_from) {
                return Interval::FALSE;
            }
            probabilities[quantifier] = self.given(quantifier).probability;
        }
        bounds(&ground.body, &probabilities)
    }

    pub fn given(&self, given: usize) -> Decided {
        *self.givens[given].get_or_init(|| match &self.judge.plan.givens[given].kind {
            GivenKind::Fact(atom) => Decided { probability: self.fact(atom, None), row: None },
            GivenKind::Exists(quantifier) => self.exists(quantifier),
        })
    }

    fn fact(&self, atom: &Atom, row: Option<u32>) -> Interval {
        let row = row.map(|row| Row { reference: &self.judge.reference, row: row as usize });
        holds(atom, &self.said, row, &self.judge.plan.columns)
    }

    /// By the best row; of equal ones, the first.
    fn exists(&self, quantifier: &Quantifier) -> Decided {
        let (rows, left_out) = self.candidates(quantifier);
        let mut best: Option<(Interval, u32)> = None;
        let mut upper = left_out;
        for row in rows {
            let found = self.on_row(quantifier, row);
            upper = f64::max(upper, found.upper);
            let better = |(known, _): (Interval, u32)| {
                found.lower > known.lower || (found.lower == known.lower && found.upper > known.upper)
            };
            if best.is_none_or(better) {
                best = Some((found, row));
            }
        }
        let lower = best.map_or(0.0, |(found, _)| found.lower);
        let row = best.filter(|(found, _)| found.upper > 0.0).map(|(_, row)| row);
        Decided { probability: Interval { lower, upper: upper.max(lower) }, row }
    }

    /// Rows that may matter, in order, and what others might reach: anything, if the page does not say what would find them.
    fn candidates(&self, quantifier: &Quantifier) -> (Vec<u32>, f64) {
        let says = |driver: &Driver| !self.asked(driver.pair).is_empty();
        let known = quantifier.ways.iter().find(|way| way.drivers.iter().all(says));
        let Some(way) = known.or(quantifier.ways.first()) else {
            return ((0..self.judge.reference.rows() as u32).collect(), 0.0);
        };
        let mut rows: Vec<u32> = Vec::new();
        let possible = |driver: &&Driver| driver.guards.iter().all(|guard| self.literal(guard, 0).upper > 0.0);
        for driver in way.drivers.iter().filter(possible) {
            self.asked(driver.pair).iter().for_each(|asked| self.driven(driver, asked, &mut rows));
        }
        rows.sort_unstable();
        rows.dedup();
        (rows, if known.is_some() { way.left_out } else { 1.0 })
    }

    fn driven(&self, driver: &Driver, asked: &Asked, rows: &mut Vec<u32>) {
        let known = &self.pair(driver.pair).known;
        match driver.least {
            None => rows.extend(known.exact(&asked.text).into_iter().flat_map(|value| known.rows(value))),
            Some(least) => {
                rows.extend(self.alike(driver.pair, asked, least).iter().flat_map(|&value| known.rows(value)))
            }
        }
    }

    /// Two rules that ask for the same are answered once.
    fn alike(&self, pair: usize, asked: &Asked, least: f64) -> Vec<u32> {
        let mut kept = self.alike.borrow_mut();
        let same = |(known, text, degree, _): &&LookedUp| *known == pair && *degree == least && *text == asked.text;
        if let Some((_, _, _, values)) = kept.iter().find(same) {
            return values.clone();
        }
        let values: Vec<u32> = self.pair(pair).known.alike(asked, least).into_iter().map(|(value, _)| value).collect();
        kept.push((pair, asked.text.clone(), least, values.clone()));
        values
    }

    fn on_row(&self, quantifier: &Quantifier, row: u32) -> Interval {
        let literals: Vec<Interval> = quantifier.literals.iter().map(|literal| self.literal(literal, row)).collect();
        bounds(&quantifier.sentence, &literals)
    }

    fn literal(&self, literal: &Literal, row: u32) -> Interval {
        let found = match &literal.atom {
            RowAtom::Same { pair, fuzzy } => self.same(*pair, *fuzzy, row, literal.negated),
            RowAtom::Other(atom) => self.fact(atom, Some(row)),
            RowAtom::Given(given) => self.given(*given).probability,
        };
        if literal.negated { found.negated() } else { found }
    }

    /// What the page does not say may be equal or not. What the row does not say is no match, but no difference either.
    fn same(&self, pair: usize, fuzzy: bool, row: u32, negated: bool) -> Interval {
        let asked = self.asked(pair);
        if asked.is_empty() {
            return Interval::UNKNOWN;
        }
        match self.degree(pair, fuzzy, row) {
            Some(degree) => Interval::exactly(degree),
            None if negated => Interval::UNKNOWN,
            None => Interval::FALSE,
        }
    }

    /// The best of the page's values beside the row's; none when the row has none.
    fn degree(&self, pair: usize, fuzzy: bool, row: u32) -> Option<f64> {
        let Pair { known, settings, .. } = self.pair(pair);
        let value = known.of_row(row)?;
        let degrees = self.asked(pair).iter().map(|asked| match fuzzy {
            true => known.degree(asked, value, settings.alike_from).unwrap_or(0.0),
            false => f64::from(u8::from(asked.text == known.values.get(value as usize))),
        });
        Some(degrees.fold(0.0, f64::max))
    }

    /// Without regard to `alike_from`, for the reader.
    pub fn real_degree(&self, pair: usize, row: u32) -> Option<f64> {
        let known = &self.pair(pair).known;
        let value = known.of_row(row)?;
        self.asked(pair).iter().filter_map(|asked| known.degree(asked, value, 0.0)).reduce(f64::max)
    }

    pub fn pair(&self, pair: usize) -> &'s Pair {
        &self.judge.plan.pairs[pair]
    }

    pub fn asked(&self, pair: usize) -> &[Asked] {
        self.asked[pair].get_or_init(|| {
            let Pair { attribute, settings, .. } = self.pair(pair);
            let forms = self.said.values(attribute).into_iter().map(|value| normal(value, &settings.normal));
            forms.filter(|form| !form.is_empty()).map(|form| Asked::new(form, settings.compare)).collect()
        })
    }
}
