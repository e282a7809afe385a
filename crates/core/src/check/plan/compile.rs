//! How do rules and reference come together? [`Rules`] + [`Reference`] → [`Plan`], or columns that are not there.

use super::drivers::{Use, drive};
use super::{Conclusion, Given, GivenKind, Ground, Literal, Pair, Plan, Quantifier, RowAtom};
use crate::check::known::Known;
use crate::check::logic::{MOST_ATOMS, Sentence};
use crate::check::reference::Reference;
use crate::check::rules::formula::{Atom, Place, Relation, Side, Term};
use crate::check::rules::{Column, Formula, Rules, Trouble, folded};

/// All that does not fit is told at once.
pub fn plan(rules: &Rules, reference: &Reference) -> Result<Plan, Vec<Trouble>> {
    let mut compiler = Compiler {
        rules,
        reference,
        plan: Plan {
            pairs: Vec::new(),
            givens: Vec::new(),
            conclusions: Vec::new(),
            columns: rules.columns.clone(),
            report_from: rules.report_from,
        },
        troubles: Vec::new(),
    };
    compiler.rules();
    compiler.count_conditions();
    if !compiler.troubles.is_empty() {
        return Err(compiler.troubles);
    }
    let mut plan = compiler.plan;
    drive(&mut plan);
    Ok(plan)
}

struct Compiler<'c> {
    rules: &'c Rules,
    reference: &'c Reference,
    plan: Plan,
    troubles: Vec<Trouble>,
}

impl Compiler<'_> {
    fn rules(&mut self) {
        for rule in &self.rules.rules {
            // "For every row: condition, hence conclusion" is "if there is such a row, hence conclusion".
            let whole = match rule.condition.has_free_row() {
                true => Formula::Exists(Box::new(rule.condition.clone())),
                false => rule.condition.clone(),
            };
            let body = self.sentence(&whole);
            let ground = Ground { rule: rule.clone(), body };
            match self.plan.conclusions.iter_mut().find(|conclusion| conclusion.name == rule.conclusion) {
                Some(conclusion) => conclusion.rules.push(ground),
                None => {
                    self.plan.conclusions.push(Conclusion { name: rule.conclusion.clone(), rules: vec![ground] });
                }
            }
        }
    }

    /// Worlds are over the conditions of one conclusion, and the conclusion itself.
    fn count_conditions(&mut self) {
        for conclusion in &self.plan.conclusions {
            let mut atoms: Vec<usize> = conclusion.rules.iter().flat_map(|ground| ground.body.atoms()).collect();
            atoms.sort_unstable();
            atoms.dedup();
            if atoms.len() >= MOST_ATOMS {
                self.troubles.push(Trouble {
                    at: conclusion.rules[0].rule.at,
                    reason: format!(
                        "`{}` rests on {} conditions, {} or more",
                        conclusion.name,
                        atoms.len(),
                        MOST_ATOMS
                    ),
                    hint: "give some of its rules a conclusion of their own".to_owned(),
                });
            }
        }
    }

    fn sentence(&mut self, formula: &Formula) -> Sentence {
        match formula {
            Formula::Not(inner) => Sentence::Not(Box::new(self.sentence(inner))),
            Formula::And(parts) => Sentence::And(parts.iter().map(|part| self.sentence(part)).collect()),
            Formula::Or(parts) => Sentence::Or(parts.iter().map(|part| self.sentence(part)).collect()),
            Formula::Atom(_) | Formula::Exists(_) => Sentence::Atom(self.given(formula)),
        }
    }

    fn given(&mut self, formula: &Formula) -> usize {
        if let Some(at) = self.plan.givens.iter().position(|given| given.formula == *formula) {
            return at;
        }
        let kind = match formula {
            Formula::Exists(inner) => {
                let mut literals = Vec::new();
                let sentence = self.literals(inner, false, &mut literals);
                GivenKind::Exists(Quantifier { sentence, literals, ways: Vec::new() })
            }
            Formula::Atom(atom) => GivenKind::Fact(atom.clone()),
            _ => unreachable!("only atoms and quantifiers are givens"),
        };
        self.plan.givens.push(Given { formula: formula.clone(), kind });
        self.plan.givens.len() - 1
    }

    /// Negations move inwards, to the literals.
    fn literals(&mut self, formula: &Formula, negated: bool, found: &mut Vec<Literal>) -> Sentence {
        let conjunction = matches!(formula, Formula::And(_)) != negated;
        match formula {
            Formula::Not(inner) => self.literals(inner, !negated, found),
            Formula::And(parts) | Formula::Or(parts) => {
                let parts = parts.iter().map(|part| self.literals(part, negated, found)).collect();
                if conjunction { Sentence::And(parts) } else { Sentence::Or(parts) }
            }
            Formula::Exists(_) => {
                let atom = RowAtom::Given(self.given(formula));
                literal(Literal { atom, negated }, found)
            }
            Formula::Atom(atom) => {
                let atom = self.row_atom(atom);
                literal(Literal { atom, negated }, found)
            }
        }
    }

    fn row_atom(&mut self, atom: &Atom) -> RowAtom {
        for place in atom.places().into_iter().filter(|place| place.side == Side::Row) {
            self.column(place);
        }
        let Atom::Compare { left: Term::Place(left), relation, right: Term::Place(right) } = atom else {
            return RowAtom::Other(atom.clone());
        };
        let (record, row) = match (left.side, right.side) {
            (Side::Record, Side::Row) => (left, right),
            (Side::Row, Side::Record) => (right, left),
            _ => return RowAtom::Other(atom.clone()),
        };
        let settings = settings(&self.rules.columns, record, row);
        let fuzzy = match relation {
            Relation::Equal => settings.fuzzy,
            Relation::Alike => true,
            _ => return RowAtom::Other(atom.clone()),
        };
        match self.pair(record, row, settings) {
            Some(pair) => RowAtom::Same { pair, fuzzy },
            None => RowAtom::Other(atom.clone()),
        }
    }

    fn pair(&mut self, record: &Place, row: &Place, settings: Column) -> Option<usize> {
        let place = self.reference.column(&row.name)?;
        let attribute = folded(&record.name);
        let known = self.plan.pairs.iter().position(|pair| folded(&pair.attribute) == attribute && pair.place == place);
        Some(known.unwrap_or_else(|| {
            self.plan.pairs.push(Pair {
                attribute: record.name.clone(),
                column: self.reference.columns[place].clone(),
                place,
                known: Known::new(self.reference, place, &settings.normal),
                settings,
            });
            self.plan.pairs.len() - 1
        }))
    }

    fn column(&mut self, place: &Place) {
        if self.reference.column(&place.name).is_none() {
            self.troubles.push(Trouble {
                at: place.at,
                reason: format!("the reference has no column `{}`", place.name),
                hint: format!("its columns are {}", self.reference.columns.join(", ")),
            });
        }
    }
}

/// The same literal twice is one.
fn literal(literal: Literal, found: &mut Vec<Literal>) -> Sentence {
    let known = found.iter().position(|other| *other == literal);
    Sentence::Atom(known.unwrap_or_else(|| {
        found.push(literal);
        found.len() - 1
    }))
}

/// What the file says of the attribute, or else of the column.
fn settings(columns: &[Column], record: &Place, row: &Place) -> Column {
    let named = |name: &str| columns.iter().find(|column| column.name == folded(name));
    named(&record.name).or_else(|| named(&row.name)).cloned().unwrap_or_else(|| Column::plain(&record.name))
}

/// How each given is used in the rules: see [`Use`].
pub(super) fn uses(plan: &Plan) -> Vec<Use> {
    let mut uses = vec![Use::Unused; plan.givens.len()];
    for ground in plan.conclusions.iter().flat_map(|conclusion| &conclusion.rules) {
        let needs = if ground.body.is_read_once() { ground.needs(plan.report_from) } else { 0.0 };
        walk(&ground.body, false, needs, &mut uses);
    }
    for given in &plan.givens {
        if let GivenKind::Exists(quantifier) = &given.kind {
            for literal in &quantifier.literals {
                if let RowAtom::Given(inner) = literal.atom {
                    uses[inner] = Use::Any;
                }
            }
        }
    }
    uses
}

fn walk(sentence: &Sentence, negated: bool, needs: f64, uses: &mut [Use]) {
    match sentence {
        Sentence::Atom(given) => uses[*given] = uses[*given].and(if negated { Use::Any } else { Use::AtLeast(needs) }),
        Sentence::Not(inner) => walk(inner, !negated, needs, uses),
        Sentence::And(parts) | Sentence::Or(parts) => parts.iter().for_each(|part| walk(part, negated, needs, uses)),
    }
}
