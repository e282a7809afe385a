//! Does checking hold what it promises? The paper's rules, the programme against brute force, the index against the full scan.

use super::logic::{Belief, Interval, Sentence, entailed};
use super::plan::GivenKind;
use super::*;
use crate::extract::Record;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// R1 and R2 as the paper writes them; names and makers compare by degree, codes exactly.
const PAPER: &str = r#"
[columns.proprietaryName]
compare = "text"
[columns.genericName]
compare = "text"
[columns.manufacturer]
compare = "text"
[[rules]]
name = "R1"
rule = "¬∃S( E.authenticationCode = S.authenticationCode ) ⇒ E ∈ Unapproved [0.90]"
severity = "high"
text = "a code that is not in the list belongs to no approved drug"
[[rules]]
name = "R2"
rule = """
( E.proprietaryName = S.proprietaryName ∨ E.genericName = S.genericName ) ∧ E.authenticationCode = S.authenticationCode
∧ E.manufacturer ≠ S.manufacturer ⇒ E ∈ Counterfeit [0.85]"""
"#;

fn reference(header: &[&str], rows: &[&[&str]]) -> Reference {
    let mut reference = Reference::new(header.iter().map(|name| (*name).to_owned()).collect());
    assert!(rows.iter().all(|row| reference.push(row.iter().copied())));
    reference
}

fn drugs() -> Reference {
    let header = ["authentication_code", "proprietary_name", "generic_name", "manufacturer"];
    reference(
        &header,
        &[
            &["H20010001", "Zenadol", "paracetamol", "Brennmark"],
            &["H20010002", "Zenadol Forte", "paracetamol", "Brennmark"],
            &["H20010003", "Ulvacin", "amoxicillin", "Sonnfeld"],
            &["H20010004", "Namelos", "", ""],
        ],
    )
}

fn record(attributes: &[(&str, &str)]) -> Record {
    let values = attributes.iter().map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()]));
    Record {
        url: Url::parse("http://shop.example/1").unwrap(),
        class: "offer".to_owned(),
        attributes: values.collect(),
        children: BTreeMap::new(),
        evidence: BTreeMap::new(),
    }
}

fn judge(rules: &str, reference: Reference) -> Judge {
    Judge::new(&rules::parse(rules).unwrap(), reference).unwrap_or_else(|troubles| panic!("{}", listed(&troubles)))
}

#[track_caller]
fn found(rules: &str, attributes: &[(&str, &str)]) -> Vec<(String, f64, f64)> {
    let findings = judge(rules, drugs()).judge(&record(attributes));
    findings.into_iter().map(|finding| (finding.conclusion, finding.lower.unwrap(), finding.upper.unwrap())).collect()
}

#[test]
fn the_rules_of_the_paper_find_what_it_says() {
    let real = [("authenticationCode", "H20010001"), ("proprietaryName", "Zenadol"), ("manufacturer", "BRENNMARK")];
    assert_eq!(found(PAPER, &real), []);
    let unknown = [("authentication_code", "H20019999"), ("proprietary_name", "Zenadol")];
    assert_eq!(found(PAPER, &unknown), [("Unapproved".to_owned(), 0.9, 0.9)]);
    let copied = [("authentication_code", "H20010003"), ("generic_name", "Amoxicillin"), ("manufacturer", "Grauwerk")];
    let counterfeit = found(PAPER, &copied);
    assert_eq!(counterfeit[0].0, "Counterfeit");
    // Sonnfeld and Grauwerk share one letter in its place: the makers differ to 7/8.
    assert!((counterfeit[0].1 - (0.875 + 0.85 - 1.0)).abs() < 1e-6 && counterfeit[0].2 == 0.85, "{counterfeit:?}");
}

#[test]
fn what_nobody_knows_is_no_finding() {
    assert_eq!(found(PAPER, &[("proprietary_name", "Zenadol")]), [], "no code on the page");
    let no_maker_known =
        [("authentication_code", "H20010004"), ("proprietary_name", "Namelos"), ("manufacturer", "Grauwerk")];
    assert_eq!(found(PAPER, &no_maker_known), [], "the row has no maker");
    let other_name = [("authentication_code", "H20010003"), ("proprietary_name", "Zenadol"), ("manufacturer", "X")];
    assert_eq!(found(PAPER, &other_name), [], "R2 asks for the name too");
}

#[test]
fn a_finding_says_why() {
    let mut offer = record(&[("authentication_code", "H20010009"), ("manufacturer", "Grauwerk")]);
    let evidence = crate::extract::Evidence {
        path: "html/body/table/tr/td".to_owned(),
        label: Some("Approval No".to_owned()),
        source: crate::extract::Source::Label,
        confidence: 0.9,
        raw: "H20010009".to_owned(),
        typed: None,
    };
    offer.evidence.insert("authentication_code".to_owned(), evidence);
    let finding = judge(PAPER, drugs()).judge(&offer).remove(0);
    for part in [
        "The page says authenticationCode \"H20010009\" (under \"Approval No\", at html/body/table/tr/td).",
        "No row of the reference has it; the nearest: row 1 (H20010001, Zenadol, paracetamol, Brennmark); row 2",
        "Rule R1 (confidence 0.90): a code that is not in the list belongs to no approved drug.",
        "So it is Unapproved with a probability of 0.90.",
    ] {
        assert!(finding.because.contains(part), "{part}\n{}", finding.because);
    }
    assert_eq!((finding.nearest.len(), finding.severity), (3, Severity::High));
}

#[test]
fn a_huge_value_makes_no_huge_finding() {
    let huge = format!("H{}", "9".repeat(1_000_000));
    let finding = judge(PAPER, drugs()).judge(&record(&[("authentication_code", &huge)])).remove(0);
    assert_eq!(finding.evidence[0].value.as_ref().unwrap().chars().count(), 1_001);
    assert!(finding.because.len() < 2_000, "{}", finding.because.len());
}

#[test]
fn the_attributes_that_rules_speak_of_are_known() {
    let names = judge(PAPER, drugs()).attributes();
    assert_eq!(names, ["authenticationCode", "proprietaryName", "genericName", "manufacturer"]);
    let offer = record(&[("authentication_code", "H1"), ("manufacturer", " ")]);
    assert!(says(&offer, "authenticationCode") && !says(&offer, "manufacturer") && !says(&offer, "genericName"));
}

#[test]
fn facts_of_the_record_decide_too() {
    let rules = "[[rules]]\nname='cheap'\nwhen='E.price < 0.5 * S.price and E.name ~ S.name'\nthen='Bait'\nconfidence=0.8\n\
                 [[rules]]\nname='old'\nwhen='E.valid_until < 2026-01-01 or missing E.maker and not missing E.name'\nthen='Odd'\nconfidence=[0.7, 1]\n";
    let prices = || reference(&["name", "price"], &[&["Zenadol", "$10.00"], &["Ulvacin", "$80"]]);
    let of = |attributes: &[(&str, &str)]| -> Vec<String> {
        judge(rules, prices()).judge(&record(attributes)).into_iter().map(|finding| finding.rule).collect()
    };
    assert_eq!(of(&[("name", "Zenadol"), ("price", "$3"), ("maker", "x")]), ["cheap"]);
    let offer = record(&[("name", "Zenadol"), ("price", "$3"), ("maker", "x")]);
    let because = judge(rules, prices()).judge(&offer).remove(0).because;
    assert!(because.contains("The page says price \"$3\", the reference \"$10.00\"."), "{because}");
    assert_eq!(of(&[("name", "Zenadol"), ("price", "$7"), ("maker", "x")]), [""; 0]);
    assert_eq!(of(&[("name", "Ulvacin"), ("price", "7 €"), ("maker", "x")]), [""; 0], "another currency");
    assert_eq!(of(&[("name", "Ulvacin"), ("price", "$99")]), ["old"]);
    assert_eq!(of(&[("maker", "x"), ("valid until", "March 3, 2025")]), ["old"]);
}

#[test]
fn rules_that_contradict_each_other_give_a_message_and_no_number() {
    let rules = "[[rules]]\nname='A'\nwhen='missing E.x'\nthen='Bad'\nconfidence=0.9\n\
                 [[rules]]\nname='B'\nwhen='missing E.y'\nthen='Bad'\nconfidence=0.6\n";
    let finding = judge(rules, drugs()).judge(&record(&[])).remove(0);
    assert_eq!((finding.lower, finding.upper), (None, None));
    assert!(finding.because.contains("Rules A and B contradict each other"), "{}", finding.because);
    let agreeing = rules.replace("confidence=0.6", "confidence=[0.6, 1]");
    let finding = judge(&agreeing, drugs()).judge(&record(&[])).remove(0);
    assert_eq!((finding.lower, finding.upper), (Some(0.9), Some(0.9)));
}

#[test]
fn columns_that_are_not_there_are_all_named() {
    let rules = "[[rules]]\nwhen='E.a = S.code and E.b = S.maker'\nthen='X'\nconfidence=1\n";
    let troubles = Judge::new(&rules::parse(rules).unwrap(), drugs()).err().unwrap();
    let shown = listed(&troubles);
    assert!(shown.contains("line 2, column 13: the reference has no column `code`"), "{shown}");
    assert!(shown.contains("`maker`") && shown.contains("authentication_code, proprietary_name"), "{shown}");
}

#[test]
fn a_conclusion_on_too_many_conditions_is_refused() {
    let condition = (0..14).map(|n| format!("missing E.a{n}")).collect::<Vec<_>>().join(" or ");
    let rules = format!("[[rules]]\nwhen='{condition}'\nthen='X'\nconfidence=1\n");
    let troubles = Judge::new(&rules::parse(&rules).unwrap(), drugs()).err().unwrap();
    assert!(troubles[0].reason.contains("14 conditions"), "{}", troubles[0]);
}

/// Looks at every row for every quantifier.
fn without_index(mut judge: Judge) -> Judge {
    for given in &mut judge.plan.givens {
        if let GivenKind::Exists(quantifier) = &mut given.kind {
            quantifier.ways.clear();
        }
    }
    judge
}

/// Rules that find rows by degree, by code, by either, and by their absence.
const MIXED: &str = r#"
report_from = 0.3
[columns.name]
compare = "words"
[columns.maker]
compare = "text"
alike_from = 0.6
[[rules]]
name = "listed"
when = "E.name = S.name and E.maker = S.maker"
then = "Listed"
confidence = 0.95
[[rules]]
name = "absent"
when = "not exists S where E.maker = S.maker and E.code = S.code"
then = "Absent"
confidence = 0.9
[[rules]]
name = "either"
when = "(E.code = S.code or E.name ~ S.name) and E.maker != S.maker"
then = "Copied"
confidence = 0.8
"#;

fn outcome(judge: &Judge, record: &Record) -> Vec<(String, Option<f64>, Option<f64>)> {
    let findings = judge.judge(record);
    findings.into_iter().map(|finding| (finding.conclusion, finding.lower, finding.upper)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// The index changes no finding and no bound.
    #[test]
    fn the_index_loses_nothing(
        rows in proptest::collection::vec(("[ab]{2,6}( [abc]{2,5}){0,2}", "[abc]{0,7}", "[12]{0,3}"), 1..40),
        offers in proptest::collection::vec(("[ab]{0,6}( [abc]{2,5}){0,2}", "[abc]{0,7}", "[12]{0,3}"), 1..12),
    ) {
        let cells: Vec<[&str; 3]> = rows.iter().map(|(name, maker, code)| [name.as_str(), maker.as_str(), code.as_str()]).collect();
        let rows: Vec<&[&str]> = cells.iter().map(|row| &row[..]).collect();
        let make = || judge(MIXED, reference(&["name", "maker", "code"], &rows));
        let (indexed, scanned) = (make(), without_index(make()));
        for (name, maker, code) in &offers {
            let offer = record(&[("name", name), ("maker", maker), ("code", code)]);
            prop_assert_eq!(outcome(&indexed, &offer), outcome(&scanned, &offer));
        }
    }

    /// The least and the greatest probability stand on a corner of what the beliefs allow: all corners are tried.
    #[test]
    fn the_programme_agrees_with_brute_force(
        truths in proptest::collection::vec(any::<u8>(), 1..4),
        query in 1u8..255,
        weights in proptest::collection::vec(0.0f64..1.0, 8),
        shift in prop_oneof![3 => Just(0.0), 1 => -0.3f64..0.3],
    ) {
        // Probabilities of a real distribution agree with each other; shifted, they may not.
        let sum: f64 = weights.iter().sum::<f64>() + 1e-9;
        let probability = |truth: u8| (0..8).filter(|world| truth >> world & 1 == 1).map(|world| weights[world] / sum).sum::<f64>();
        let mut beliefs: Vec<(u8, f64)> = truths.iter().map(|&truth| (truth, probability(truth))).collect();
        beliefs[0].1 = (beliefs[0].1 + shift).clamp(0.0, 1.0);
        let stated: Vec<Belief> = beliefs
            .iter()
            .map(|&(truth, p)| Belief { sentence: sentence_of(truth), probability: Interval::exactly(p) })
            .collect();
        match (entailed(&stated, &sentence_of(query)), corners(&beliefs, query)) {
            (Ok(found), Some((lower, upper))) => {
                prop_assert!((found.lower - lower).abs() < 1e-5 && (found.upper - upper).abs() < 1e-5, "{found:?} {lower} {upper}");
            }
            (Err(_), None) => {}
            // Between contradiction and agreement there is a hair's breadth of rounding.
            (found, corners) => prop_assert!(nearly(&beliefs), "{found:?} {corners:?}"),
        }
    }
}

/// Any truth table over three atoms, as a disjunction of its worlds.
fn sentence_of(truth: u8) -> Sentence {
    let literal = |world: u8, atom: usize| match world >> atom & 1 {
        1 => Sentence::Atom(atom),
        _ => Sentence::Not(Box::new(Sentence::Atom(atom))),
    };
    let worlds = (0..8u8).filter(|world| truth >> world & 1 == 1);
    Sentence::Or(worlds.map(|world| Sentence::And((0..3).map(|atom| literal(world, atom)).collect())).collect())
}

/// Least and greatest weight of the query over all basic solutions of the equations.
fn corners(beliefs: &[(u8, f64)], query: u8) -> Option<(f64, f64)> {
    let mut found: Option<(f64, f64)> = None;
    for basis in 1u16..256 {
        let worlds: Vec<usize> = (0..8).filter(|world| basis >> world & 1 == 1).collect();
        if worlds.len() > beliefs.len() + 1 {
            continue;
        }
        if let Some(weights) = solved(beliefs, &worlds) {
            let holds = worlds.iter().zip(&weights).filter(|(world, _)| query >> **world & 1 == 1);
            let value: f64 = holds.map(|(_, weight)| weight).sum();
            let (low, high) = found.unwrap_or((value, value));
            found = Some((low.min(value), high.max(value)));
        }
    }
    found
}

/// Weights of these worlds that obey all beliefs and sum to 1, by elimination; none when there are none or many.
fn solved(beliefs: &[(u8, f64)], worlds: &[usize]) -> Option<Vec<f64>> {
    let row = |truth: u8, p: f64| -> Vec<f64> {
        worlds.iter().map(|world| f64::from(truth >> world & 1)).chain([p]).collect()
    };
    let mut rows: Vec<Vec<f64>> = beliefs.iter().map(|&(truth, p)| row(truth, p)).chain([row(255, 1.0)]).collect();
    for column in 0..worlds.len() {
        let pivot = (column..rows.len()).find(|&at| rows[at][column].abs() > 1e-9)?;
        rows.swap(column, pivot);
        let scale = rows[column][column];
        rows[column].iter_mut().for_each(|cell| *cell /= scale);
        for at in (0..rows.len()).filter(|&at| at != column) {
            let factor = rows[at][column];
            let pivot = rows[column].clone();
            rows[at].iter_mut().zip(&pivot).for_each(|(cell, of_pivot)| *cell -= factor * of_pivot);
        }
    }
    let weights: Vec<f64> = rows[..worlds.len()].iter().map(|row| row[worlds.len()]).collect();
    let rest = rows[worlds.len()..].iter().all(|row| row[worlds.len()].abs() < 1e-7);
    (rest && weights.iter().all(|weight| *weight > -1e-7)).then_some(weights)
}

/// Would a ten-thousandth more or less turn agreement into contradiction?
fn nearly(beliefs: &[(u8, f64)]) -> bool {
    let moved = |by: f64| {
        let beliefs: Vec<(u8, f64)> = beliefs.iter().map(|&(truth, p)| (truth, (p + by).clamp(0.0, 1.0))).collect();
        corners(&beliefs, 255).is_some()
    };
    moved(1e-4) != moved(-1e-4) || moved(1e-4) != corners(beliefs, 255).is_some()
}
