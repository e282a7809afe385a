//! What of people does a report not show? A report, what is guarded → the same with values masked, in tables and in sentences.

use super::Report;
use crate::privacy::Guard;
use pagekin_core::check::Finding;

/// Values shorter than this stand in sentences by chance.
const TELLING: usize = 3;

/// The report without what is not shown of people.
pub fn shown(mut report: Report, guard: &Guard) -> Report {
    if guard.shows_less() || guard.stores_less() {
        report.findings.iter_mut().for_each(|own| finding(&mut own.finding, guard));
    }
    report
}

/// A finding as it may be shown.
pub fn finding(finding: &mut Finding, guard: &Guard) {
    let mut hidden: Vec<(String, &'static str)> = Vec::new();
    for compared in &mut finding.evidence {
        let path = compared.path.as_deref().unwrap_or_default();
        if let Some(instead) = guard.hides(&compared.attribute, path) {
            let values = [&mut compared.value, &mut compared.known].into_iter().flatten();
            hidden.extend(values.map(|value| (std::mem::replace(value, instead.to_owned()), instead)));
        }
        for text in [&mut compared.value, &mut compared.known].into_iter().flatten() {
            *text = guard.text(text);
        }
    }
    for (column, value) in finding.nearest.iter_mut().flat_map(|near| &mut near.values) {
        match guard.hides(column, "") {
            Some(instead) => hidden.push((std::mem::replace(value, instead.to_owned()), instead)),
            None => *value = guard.text(value),
        }
    }
    hidden.retain(|(value, _)| value.chars().count() >= TELLING);
    hidden.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
    let because = hidden.iter().fold(finding.because.clone(), |text, (value, instead)| text.replace(value, instead));
    finding.because = guard.text(&because);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Privacy;
    use pagekin_core::check::{Compared, Near, Severity};

    #[test]
    fn neither_tables_nor_sentences_show_what_is_masked() {
        let compared = |attribute: &str, value: &str| Compared {
            attribute: attribute.to_owned(),
            value: Some(value.to_owned()),
            known: None,
            degree: None,
            path: None,
            label: None,
        };
        let mut own = Finding {
            url: "http://s/1".parse().unwrap(),
            rule: "R1".to_owned(),
            conclusion: "Unknown".to_owned(),
            severity: Severity::Low,
            lower: None,
            upper: None,
            because: "The page says `Ada Byron` and `ada@x.org`.".to_owned(),
            evidence: vec![compared("name", "Ada Byron"), compared("contact", "ada@x.org")],
            nearest: vec![Near { row: 1, degree: 0.5, values: vec![("name".to_owned(), "Ada B.".to_owned())] }],
        };
        let said = Privacy { mask: vec!["name".to_owned()], mask_contacts: true, ..Privacy::default() };
        finding(&mut own, &said.ready().unwrap());
        assert_eq!(own.because, "The page says `[masked]` and `[e-mail]`.");
        assert_eq!(own.evidence[1].value.as_deref(), Some("[e-mail]"));
        assert_eq!(own.nearest[0].values[0].1, "[masked]");
    }
}
