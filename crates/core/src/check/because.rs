//! Why? A conclusion and the rules behind it → the finding, in sentences that need no programmer.
//!
//! - [`Reason`]: what was concluded, and by which rules. - [`reason`]: the finding: what the page says and where, what is known, the rows
//!   that come nearest, the rule and how sure it is.

use super::judge::Seen;
use super::logic::Interval;
use super::plan::{GivenKind, Ground, Quantifier, RowAtom};
use super::rules::folded;
use super::rules::formula::{Atom, Place, Side};
use super::{Compared, Finding, Near};

/// Rows shown; a reader compares no more.
const SHOWN_ROWS: usize = 3;

/// Characters of a value in a sentence.
const SHOWN: usize = 80;

/// Characters of a value in the evidence: a page may hold megabytes where a name should stand.
const KEPT: usize = 1_000;

pub(super) struct Reason<'r> {
    pub conclusion: &'r str,
    /// Strongest first.
    pub rules: &'r [&'r Ground],
    /// Or the names of the rules that contradict each other.
    pub bounds: Result<Interval, Vec<String>>,
}

pub(super) fn reason(seen: &Seen, reason: &Reason) -> Finding {
    let main = reason.rules[0];
    let evidence = compared(seen, reason.rules);
    let nearest = nearest(seen, main);
    let mut sentences: Vec<String> = evidence.iter().map(sentence).collect();
    sentences.extend(rows(seen, main, &nearest));
    sentences.extend(reason.rules.iter().map(|ground| rule(ground)));
    sentences.push(verdict(reason));
    let bounds = reason.bounds.as_ref().ok();
    Finding {
        url: seen.said.record.url.clone(),
        rule: main.rule.name.clone(),
        conclusion: reason.conclusion.to_owned(),
        severity: reason.rules.iter().map(|ground| ground.rule.severity).max().unwrap_or_default(),
        lower: bounds.map(|bounds| rounded(bounds.lower)),
        upper: bounds.map(|bounds| rounded(bounds.upper)),
        because: sentences.join(" "),
        evidence,
        nearest,
    }
}

/// To a millionth: the programme is not more exact, and nobody reads more.
fn rounded(probability: f64) -> f64 {
    (probability * 1e6).round() / 1e6
}

/// Each attribute that the rules speak of, once, beside the row that decides.
fn compared(seen: &Seen, rules: &[&Ground]) -> Vec<Compared> {
    let mut names: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for ground in rules {
        for place in ground.rule.condition.places().into_iter().filter(|place| place.side == Side::Record) {
            if !names.contains(&folded(&place.name)) {
                names.push(folded(&place.name));
                all.push(one(seen, ground, &place.name));
            }
        }
    }
    all
}

fn one(seen: &Seen, ground: &Ground, name: &str) -> Compared {
    let values = seen.said.values(name);
    let evidence = seen.said.evidence(name);
    let beside = deciding(seen, ground).find_map(|(quantifier, row)| beside(seen, quantifier, row, name));
    Compared {
        attribute: name.to_owned(),
        value: (!values.is_empty()).then(|| cut(&values.join("; "), KEPT)),
        known: beside.as_ref().map(|(known, _)| known.clone()),
        degree: beside.and_then(|(_, degree)| degree).map(rounded),
        path: evidence.map(|evidence| evidence.path.clone()).filter(|path| !path.is_empty()),
        label: evidence.and_then(|evidence| evidence.label.clone()),
    }
}

/// The quantifiers of a rule that a row decides.
fn deciding<'s>(seen: &'s Seen<'s>, ground: &'s Ground) -> impl Iterator<Item = (&'s Quantifier, u32)> {
    ground.body.atoms().into_iter().filter_map(|given| match &seen.judge.plan.givens[given].kind {
        GivenKind::Exists(quantifier) => Some((quantifier, seen.given(given).row?)),
        GivenKind::Fact(_) => None,
    })
}

/// What the row says where the page says `name`, and how alike they are if that was asked.
fn beside(seen: &Seen, quantifier: &Quantifier, row: u32, name: &str) -> Option<(String, Option<f64>)> {
    let cell = |column: usize| seen.judge.reference.cell(row as usize, column).to_owned();
    let known = quantifier.literals.iter().find_map(|literal| match &literal.atom {
        RowAtom::Same { pair, .. } => {
            let asked = folded(&seen.pair(*pair).attribute) == folded(name) && !seen.asked(*pair).is_empty();
            let degree = asked.then(|| seen.real_degree(*pair, row)).flatten()?;
            Some((cell(seen.pair(*pair).place), Some(degree)))
        }
        RowAtom::Other(atom) => Some((cell(seen.judge.reference.column(&compared_with(atom, name)?)?), None)),
        RowAtom::Given(_) => None,
    });
    known.filter(|(known, _)| !known.is_empty())
}

/// The column that an inequality holds against this attribute.
fn compared_with(atom: &Atom, name: &str) -> Option<String> {
    let Atom::Compare { left, right, .. } = atom else { return None };
    let (left, right) = (left.place()?, right.place()?);
    let beside = |own: &Place, other: &Place| {
        own.side == Side::Record && other.side == Side::Row && folded(&own.name) == folded(name)
    };
    [(left, right), (right, left)]
        .into_iter()
        .find(|(own, other)| beside(own, other))
        .map(|(_, other)| other.name.clone())
}

/// The row that decides; of a row that is missed, those that come nearest.
fn nearest(seen: &Seen, ground: &Ground) -> Vec<Near> {
    let shown = |(row, degree): (u32, f64)| Near {
        row: row as usize + 1,
        degree: rounded(degree),
        values: seen.judge.reference.row(row as usize),
    };
    if let Some((quantifier, row)) = deciding(seen, ground).next() {
        let pairs = quantifier.literals.iter().filter_map(|literal| match literal.atom {
            RowAtom::Same { pair, .. } if !literal.negated => seen.real_degree(pair, row),
            _ => None,
        });
        return vec![shown((row, pairs.fold(0.0, f64::max)))];
    }
    let missed = ground.body.atoms().into_iter().find_map(|given| match &seen.judge.plan.givens[given].kind {
        GivenKind::Exists(quantifier) => asked_pair(seen, quantifier),
        GivenKind::Fact(_) => None,
    });
    let Some(pair) = missed else { return Vec::new() };
    let found = seen.judge.nearest(pair).rows(&seen.pair(pair).known, &seen.asked(pair)[0], SHOWN_ROWS);
    found.into_iter().map(shown).collect()
}

/// The first pair whose attribute the page gives.
fn asked_pair(seen: &Seen, quantifier: &Quantifier) -> Option<usize> {
    quantifier.literals.iter().find_map(|literal| match literal.atom {
        RowAtom::Same { pair, .. } if !literal.negated && !seen.asked(pair).is_empty() => Some(pair),
        _ => None,
    })
}

fn sentence(compared: &Compared) -> String {
    let Some(value) = &compared.value else {
        return format!("The page does not give {}.", compared.attribute);
    };
    let label = compared.label.as_ref().map(|label| format!("under \"{}\", ", shortened(label)));
    let place = compared.path.as_ref().map(|path| format!(" ({}at {path})", label.unwrap_or_default()));
    let known = match (&compared.known, compared.degree) {
        (Some(known), Some(degree)) if degree >= 1.0 => {
            format!(", and so does the reference: \"{}\"", shortened(known))
        }
        (Some(known), Some(degree)) => {
            format!(", the reference \"{}\": alike to {:.0} %", shortened(known), degree * 100.0)
        }
        (Some(known), None) => format!(", the reference \"{}\"", shortened(known)),
        _ => String::new(),
    };
    format!("The page says {} \"{}\"{}{known}.", compared.attribute, shortened(value), place.unwrap_or_default())
}

fn rows(seen: &Seen, ground: &Ground, nearest: &[Near]) -> Option<String> {
    let decided = deciding(seen, ground).next().is_some();
    let asks =
        ground.body.atoms().iter().any(|&given| matches!(seen.judge.plan.givens[given].kind, GivenKind::Exists(_)));
    let shown = |near: &Near| {
        let values: Vec<String> = near.values.iter().take(4).map(|(_, value)| shortened(value)).collect();
        format!("row {} ({})", near.row, values.join(", "))
    };
    let list: Vec<String> = nearest.iter().map(shown).collect();
    match (decided, list.is_empty()) {
        _ if !asks => None,
        (true, false) => Some(format!("It was compared with {}.", list.join(", "))),
        (false, true) => Some("No row of the reference comes near.".to_owned()),
        (_, _) => Some(format!("No row of the reference has it; the nearest: {}.", list.join("; "))),
    }
}

fn rule(ground: &Ground) -> String {
    let rule = &ground.rule;
    let confidence = between(rule.confidence);
    match rule.text.trim_end_matches('.') {
        "" => format!("Rule {} concludes {} with confidence {confidence}.", rule.name, rule.conclusion),
        text => format!("Rule {} (confidence {confidence}): {text}.", rule.name),
    }
}

fn verdict(reason: &Reason) -> String {
    match &reason.bounds {
        Ok(bounds) => format!("So it is {} with a probability of {}.", reason.conclusion, between(*bounds)),
        Err(rules) => format!(
            "Rules {} contradict each other here, so nothing follows for {}: give them confidences that can both be true, such as [0.85, 1].",
            rules.join(" and "),
            reason.conclusion
        ),
    }
}

fn between(bounds: Interval) -> String {
    if bounds.upper - bounds.lower < 0.005 {
        format!("{:.2}", bounds.lower)
    } else {
        format!("{:.2} to {:.2}", bounds.lower, bounds.upper)
    }
}

fn shortened(text: &str) -> String {
    cut(text, SHOWN)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
