//! How is a rules file read? TOML → [`Rules`]; a mistake does not keep the next one from being told.
//!
//! - [`parse`]: the file. - [`Reader`]: collects mistakes, and knows the line of every byte.

use super::formula::At;
use super::parse::{Parsed, sentence};
use super::{Column, Compare, Rule, Rules, Trouble, folded};
use crate::check::Severity;
use crate::check::logic::Interval;
use crate::check::normal::Normal;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Every rule is tried on every record.
const MOST_RULES: usize = 200;

/// A conclusion that is as probable as not is worth a look; less is not. Set by hand.
const REPORT_FROM: f64 = 0.5;

const FILE_KEYS: [&str; 5] = ["name", "description", "report_from", "columns", "rules"];
const COLUMN_KEYS: [&str; 4] = ["compare", "normal", "alike_from", "description"];
const RULE_KEYS: [&str; 8] = ["name", "rule", "when", "then", "confidence", "severity", "text", "description"];

type Entry<'t> = Spanned<DeValue<'t>>;

/// Reads a rules file; all that is wrong with it, if anything is.
pub fn parse(text: &str) -> Result<Rules, Vec<Trouble>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { text, troubles: Vec::new() };
    for error in errors {
        let offset = error.span().map_or(0, |span| span.start);
        let reason = error.message().lines().next().unwrap_or("it cannot be read").to_owned();
        reader.wrong(offset, format!("not TOML: {reason}"), "see https://toml.io for how texts and tables are written");
    }
    if !reader.troubles.is_empty() {
        return Err(reader.troubles);
    }
    let rules = reader.rules(table.get_ref());
    reader.troubles.sort_by_key(|trouble| (trouble.at.line, trouble.at.column));
    if reader.troubles.is_empty() { Ok(rules) } else { Err(reader.troubles) }
}

struct Reader<'t> {
    text: &'t str,
    troubles: Vec<Trouble>,
}

impl<'t> Reader<'t> {
    fn at(&self, offset: usize) -> At {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        At { line, column }
    }

    fn wrong(&mut self, offset: usize, reason: impl Into<String>, hint: impl Into<String>) {
        let at = self.at(offset);
        self.troubles.push(Trouble { at, reason: reason.into(), hint: hint.into() });
    }

    fn known_keys(&mut self, table: &DeTable<'t>, keys: &[&str]) {
        for key in table.keys().filter(|key| !keys.contains(&key.get_ref().as_ref())) {
            let reason = format!("there is no key `{}` here", key.get_ref());
            self.wrong(key.span().start, reason, format!("one of {}", keys.join(", ")));
        }
    }

    fn rules(&mut self, table: &DeTable<'t>) -> Rules {
        self.known_keys(table, &FILE_KEYS);
        let columns = self.columns(table);
        let mut rules: Vec<Rule> = Vec::new();
        let list = table.get("rules").map(|entry| (entry.get_ref().as_array(), entry.span()));
        match list {
            Some((Some(list), _)) if !list.is_empty() => {
                for entry in list.iter().take(MOST_RULES) {
                    self.rule(entry, &mut rules);
                }
                if list.len() > MOST_RULES {
                    let span = list.get(MOST_RULES).map_or(0, |entry| entry.span().start);
                    self.wrong(span, format!("{} rules are more than {MOST_RULES}", list.len()), "split the file");
                }
            }
            Some((_, span)) => self.wrong(span.start, "`rules` is no list of rules", "begin each rule by `[[rules]]`"),
            None => self.wrong(0, "the file holds no rule", "begin a rule by `[[rules]]`"),
        }
        Rules {
            name: self.string(table, "name").map_or_else(|| "rules".to_owned(), |(name, _)| name),
            report_from: self.share(table, "report_from").unwrap_or(REPORT_FROM),
            columns,
            rules,
        }
    }

    fn columns(&mut self, table: &DeTable<'t>) -> Vec<Column> {
        let Some(entry) = table.get("columns") else { return Vec::new() };
        let Some(columns) = entry.get_ref().as_table() else {
            self.wrong(entry.span().start, "`columns` is no table", "write `[columns.NAME]`");
            return Vec::new();
        };
        columns.iter().filter_map(|(name, entry)| self.column(name.get_ref(), entry)).collect()
    }

    fn column(&mut self, name: &str, entry: &Entry<'t>) -> Option<Column> {
        let Some(table) = entry.get_ref().as_table() else {
            self.wrong(entry.span().start, format!("`columns.{name}` is no table"), "write `[columns.NAME]`");
            return None;
        };
        self.known_keys(table, &COLUMN_KEYS);
        let mut column = Column { name: folded(name), ..Column::plain(name) };
        if let Some((compare, span)) = self.string(table, "compare") {
            match compare.as_str() {
                "exact" => {}
                "text" => column.fuzzy = true,
                "words" => (column.fuzzy, column.compare) = (true, Compare::Words),
                _ => self.wrong(span.start, format!("`{compare}` is no comparison"), "exact, text or words"),
            }
        }
        column.normal = self.normal(table).unwrap_or(column.normal);
        column.alike_from = self.share(table, "alike_from").unwrap_or(0.0);
        Some(column)
    }

    fn normal(&mut self, table: &DeTable<'t>) -> Option<Vec<Normal>> {
        let entry = table.get("normal")?;
        let Some(list) = entry.get_ref().as_array() else {
            self.wrong(entry.span().start, "`normal` is no list", "such as normal = [\"width\", \"case\"]");
            return None;
        };
        let mut found: Vec<Normal> = Vec::new();
        for one in list.iter() {
            let name = one.get_ref().as_str().unwrap_or("");
            match Normal::ALL.into_iter().find(|normal| normal.name() == name) {
                Some(normal) => found.push(normal),
                None => {
                    let known: Vec<&str> = Normal::ALL.iter().map(|normal| normal.name()).collect();
                    self.wrong(one.span().start, format!("there is no normal form `{name}`"), known.join(", "));
                }
            }
        }
        Some(found)
    }

    fn rule(&mut self, entry: &Entry<'t>, rules: &mut Vec<Rule>) {
        let start = entry.span().start;
        let Some(table) = entry.get_ref().as_table() else {
            return self.wrong(start, "a rule is no table", "begin each rule by `[[rules]]`");
        };
        self.known_keys(table, &RULE_KEYS);
        let name = self.string(table, "name").map(|(name, _)| name).unwrap_or_else(|| format!("R{}", rules.len() + 1));
        if rules.iter().any(|rule| rule.name == name) {
            self.wrong(start, format!("there are two rules `{name}`"), "give each rule a name of its own");
        }
        let parsed = self.condition(table, start);
        let then = self.string(table, "then");
        let conclusion = self.conclusion(&name, start, then, parsed.as_ref());
        let confidence = self.confidence(table, &name, start, parsed.as_ref());
        let severity = self.severity(table);
        let text = self.string(table, "text").map(|(text, _)| text).unwrap_or_default();
        let (Some(parsed), Some(conclusion), Some(confidence)) = (parsed, conclusion, confidence) else { return };
        let at = self.at(start);
        rules.push(Rule { name, condition: parsed.condition, conclusion, confidence, severity, text, at });
    }

    /// `rule` is the whole sentence; `when` its condition only.
    fn condition(&mut self, table: &DeTable<'t>, start: usize) -> Option<Parsed> {
        let key = if table.contains_key("rule") { "rule" } else { "when" };
        if table.contains_key("rule") && table.contains_key("when") {
            self.wrong(start, "a rule has `rule` and `when`", "keep one of them");
        }
        let Some((text, span)) = self.string(table, key) else {
            if !table.contains_key(key) {
                self.wrong(start, "a rule has no condition", "write `when = \"...\"`, or the whole sentence as `rule`");
            }
            return None;
        };
        let inside = self.inside(&text, &span);
        let parsed = sentence(&text, &|offset| self.at(inside.map_or(span.start, |start| start + offset)));
        match parsed {
            Ok(parsed) => Some(parsed),
            Err(wrong) => {
                let offset = inside.map_or(span.start, |start| start + wrong.offset);
                self.wrong(offset, wrong.reason, format!("in `{}`", shortened(&text)));
                None
            }
        }
    }

    /// Where the text between the quotes begins; none when escapes make it differ from what is written.
    fn inside(&self, text: &str, span: &Range<usize>) -> Option<usize> {
        let written = self.text.get(span.clone())?;
        written.find(text).filter(|_| !text.is_empty()).map(|at| span.start + at)
    }

    fn conclusion(
        &mut self,
        rule: &str,
        start: usize,
        then: Option<(String, Range<usize>)>,
        parsed: Option<&Parsed>,
    ) -> Option<String> {
        let in_sentence = parsed.and_then(|parsed| parsed.conclusion.clone());
        match (then, in_sentence) {
            (Some((_, span)), Some(_)) => {
                self.wrong(span.start, "the conclusion stands in the sentence already", "leave `then` out");
                None
            }
            (Some((then, span)), None) if then.trim().is_empty() => {
                self.wrong(span.start, "`then` is empty", "name the conclusion, such as Unapproved");
                None
            }
            (Some((then, _)), None) => Some(then),
            (None, Some(conclusion)) => Some(conclusion),
            // A condition that cannot be read has been told already.
            (None, None) if parsed.is_none() => None,
            (None, None) => {
                self.wrong(start, format!("rule `{rule}` concludes nothing"), "write `then = \"Unapproved\"`");
                None
            }
        }
    }

    fn confidence(
        &mut self,
        table: &DeTable<'t>,
        rule: &str,
        start: usize,
        parsed: Option<&Parsed>,
    ) -> Option<Interval> {
        let (found, offset) = match (table.get("confidence"), parsed.and_then(|parsed| parsed.confidence)) {
            (Some(entry), _) => (pair(entry.get_ref()), entry.span().start),
            (None, Some(pair)) => (Some(pair), start),
            (None, None) if parsed.is_none() => return None,
            (None, None) => {
                self.wrong(start, format!("rule `{rule}` has no confidence"), "write `confidence = 0.9`");
                return None;
            }
        };
        match found {
            Some((lower, upper)) if 0.0 < lower && lower <= upper && upper <= 1.0 => Some(Interval { lower, upper }),
            _ => {
                let hint = "a number above 0 and up to 1, or two of them: confidence = [0.9, 1]";
                self.wrong(offset, format!("the confidence of rule `{rule}` is no probability"), hint);
                None
            }
        }
    }

    fn severity(&mut self, table: &DeTable<'t>) -> Severity {
        let Some((name, span)) = self.string(table, "severity") else { return Severity::default() };
        let known = Severity::ALL.into_iter().find(|severity| severity.name() == name);
        known.unwrap_or_else(|| {
            self.wrong(span.start, format!("`{name}` is no severity"), "low, medium, high or critical");
            Severity::default()
        })
    }

    fn string(&mut self, table: &DeTable<'t>, key: &str) -> Option<(String, Range<usize>)> {
        let entry = table.get(key)?;
        match entry.get_ref().as_str() {
            Some(text) => Some((text.to_owned(), entry.span())),
            None => {
                self.wrong(entry.span().start, format!("`{key}` is no text"), "write it between quotes");
                None
            }
        }
    }

    fn share(&mut self, table: &DeTable<'t>, key: &str) -> Option<f64> {
        let entry = table.get(key)?;
        let number = number(entry.get_ref()).filter(|number| (0.0..=1.0).contains(number));
        if number.is_none() {
            self.wrong(entry.span().start, format!("`{key}` is not between 0 and 1"), "such as 0.8");
        }
        number
    }
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().replace('_', "").parse().ok(),
        DeValue::Integer(integer) => integer.as_str().parse().ok(),
        _ => None,
    }
}

fn pair(value: &DeValue<'_>) -> Option<(f64, f64)> {
    match value.as_array() {
        Some(list) => match &list.iter().map(|entry| number(entry.get_ref())).collect::<Option<Vec<f64>>>()?[..] {
            [lower, upper] => Some((*lower, *upper)),
            _ => None,
        },
        None => number(value).map(|number| (number, number)),
    }
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 60 { line } else { line.chars().take(57).chain("...".chars()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read() {
        let text = r#"
report_from = 0.4
[columns.proprietary_name]
compare = "words"
normal = ["width", "case", "punctuation"]
alike_from = 0.8
[[rules]]
name = "R1"
rule = "¬∃S( E.authenticationCode = S.authenticationCode ) ⇒ E ∈ Unapproved [0.90]"
severity = "high"
[[rules]]
when = "missing E.manufacturer"
then = "Incomplete"
confidence = [0.7, 1]
"#;
        let rules = parse(text).unwrap();
        assert_eq!((rules.report_from, rules.rules.len()), (0.4, 2));
        assert_eq!(rules.rules[0].confidence, Interval::exactly(0.9));
        assert_eq!((rules.rules[0].severity, rules.rules[0].at.line), (Severity::High, 7));
        assert_eq!(rules.rules[1].name, "R2");
        assert_eq!(rules.columns[0].compare, Compare::Words);
        assert_eq!(rules.columns[0].name, "proprietaryname");
    }

    #[test]
    fn all_mistakes_are_told_at_once_with_their_places() {
        let text = "colums = 1\n[columns.a]\ncompare = \"fuzy\"\nnormal = [\"case\", \"caps\"]\nalike_from = 7\n\
                    [[rules]]\nwhen = \"E.a = \"\nthen = \"X\"\nconfidence = 2\nseverity = \"bad\"\n\
                    [[rules]]\nwhen = 'E.b = 1 and c = 2'\nthen = \"Y\"\n[[rules]]\nthen = \"Z\"\nconfidence = 1\n";
        let troubles = parse(text).unwrap_err();
        let places: Vec<(usize, usize)> = troubles.iter().map(|trouble| (trouble.at.line, trouble.at.column)).collect();
        assert_eq!(
            places,
            [(1, 1), (3, 11), (4, 19), (5, 14), (7, 14), (9, 14), (10, 12), (12, 21), (14, 1)],
            "{troubles:#?}"
        );
        let shown = troubles[0].to_string();
        assert!(shown.starts_with("line 1, column 1: there is no key `colums` here (one of name,"), "{shown}");
    }

    #[test]
    fn a_file_that_is_no_toml_is_told_too() {
        let troubles = parse("[[rules]\nwhen = 3").unwrap_err();
        assert!(troubles[0].reason.starts_with("not TOML"), "{troubles:?}");
        assert!(parse("").unwrap_err()[0].reason.contains("no rule"));
    }
}
