//! Is the run as it was expected to be? What a run did, and what was said or learned of its data set → what is not as expected.
//!
//! - [`Expectations`]: what a person says. - [`Observed`]: what a run did, beside what was known before. - [`judge`]: → [`Missed`].
//! - [`learned`]: what nobody has to say, because earlier runs show it. - [`stated`]: what the person said.
//! - [`wall`]: why a page that had values has none now: a login, a captcha, an error told as a page.
//!
//! A page that a list no longer shows, and one that answers 404, are no accident; half of them at once are. Knows nothing of databases.

pub mod learned;
pub mod stated;
pub mod wall;

use crate::extract::drift::Drift;
use crate::extract::value::{Typed, typed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wall::Wall;

/// What a data set is expected to be. What is not said is not asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expectations {
    /// Least number of records.
    pub records: Option<usize>,
    /// Greatest share of the records that may be fewer than after the run before.
    pub drop: Option<f64>,
    /// Judge by what earlier runs show, too; else only by what is said here.
    pub learned: Option<bool>,
    pub columns: BTreeMap<String, ColumnExpectation>,
}

/// What the values of a column are expected to be.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ColumnExpectation {
    /// Least share of the records that have it.
    pub fill: Option<f64>,
    /// `number`, `money`, `date`, `boolean`, `url`, `image` or `phone`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Of a number or an amount of money.
    pub least: Option<f64>,
    pub most: Option<f64>,
    /// Days that the newest date may be old.
    pub newest: Option<u32>,
}

impl Expectations {
    pub fn by_earlier_runs(&self) -> bool {
        self.learned.unwrap_or(true)
    }
}

/// Values by column.
pub type Values = BTreeMap<String, Vec<String>>;

/// A page that was known, with its values before and now.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    pub url: String,
    pub before: Values,
    pub after: Values,
    /// Values that it had before those, where there are any: a stale copy brings them back.
    pub earlier: Vec<Values>,
}

/// A page that gave no record.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub url: String,
    pub why: String,
    /// It is not there: 404, 410, or a page that says so.
    pub missing: bool,
}

/// What a run did, beside what was known before.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// Nothing was known before.
    pub first: bool,
    /// Records before and now.
    pub before: usize,
    pub records: usize,
    /// Index pages asked for, and those of them that gave nothing.
    pub lists: usize,
    pub failed_lists: Vec<Failure>,
    /// Known pages that were read again.
    pub pairs: Vec<Pair>,
    /// Pages asked for that gave no record, known or new.
    pub failures: Vec<Failure>,
    /// Pages that are new, and read.
    pub new: usize,
    /// Why pages lost their values, as far as it can be told.
    pub walls: Vec<(String, Wall)>,
    pub drift: Vec<Drift>,
    /// Of all records now.
    pub columns: BTreeMap<String, Column>,
    /// Days since 1970.
    pub today: i64,
}

/// A column over all records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    pub filled: usize,
    /// Values by type; none is text.
    pub kinds: BTreeMap<String, usize>,
    /// Examples that are of no type, or of a rare one, by type.
    pub examples: BTreeMap<String, (String, String)>,
    /// The least and the greatest number, with its page.
    pub least: Option<(f64, String)>,
    pub most: Option<(f64, String)>,
    /// Days since 1970.
    pub newest: Option<i64>,
}

/// What is not as expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Missed {
    /// `records`, `drop`, `lists`, `pages`, `values`, `fill`, `type`, `range`, `newest`, `same`, `stale`, `template` or a wall.
    pub expectation: String,
    /// In a sentence.
    pub because: String,
    /// Up to three.
    pub examples: Vec<String>,
}

const EXAMPLES: usize = 3;

impl Missed {
    pub fn new(expectation: &str, because: String, examples: impl IntoIterator<Item = String>) -> Self {
        Self { expectation: expectation.to_owned(), because, examples: examples.into_iter().take(EXAMPLES).collect() }
    }
}

/// Everything that is not as expected, the gravest first.
pub fn judge(expect: &Expectations, seen: &Observed) -> Vec<Missed> {
    let mut missed = Vec::new();
    if seen.records == 0 {
        let because = format!("there are no records, and there were {}", seen.before);
        let why = seen.failures.iter().map(|one| format!("{}: {}", one.url, one.why));
        missed.push(Missed::new("records", because, why));
    }
    missed.extend(stated::missed(expect, seen));
    if expect.by_earlier_runs() && !seen.first {
        missed.extend(learned::missed(expect, seen));
    }
    missed
}

impl Column {
    /// Takes in one more value.
    pub fn see(&mut self, url: &str, text: &str) {
        self.filled += 1;
        let value = typed(text);
        let kind = value.as_ref().map_or("text", Typed::name);
        *self.kinds.entry(kind.to_owned()).or_default() += 1;
        self.examples.entry(kind.to_owned()).or_insert_with(|| (url.to_owned(), text.chars().take(80).collect()));
        if let Some(number) = value.as_ref().and_then(number) {
            if self.least.as_ref().is_none_or(|(least, _)| number < *least) {
                self.least = Some((number, url.to_owned()));
            }
            if self.most.as_ref().is_none_or(|(most, _)| number > *most) {
                self.most = Some((number, url.to_owned()));
            }
        }
        self.newest = self.newest.max(value.as_ref().and_then(day));
    }
}

/// Of a number or an amount of money.
pub(crate) fn number(value: &Typed) -> Option<f64> {
    match value {
        Typed::Number(normal) => normal.split(' ').next()?.parse().ok(),
        Typed::Money(normal) => normal.rsplit(' ').next()?.parse().ok(),
        _ => None,
    }
}

/// Days since 1970; of a month its first.
pub(crate) fn day(value: &Typed) -> Option<i64> {
    let Typed::Date(normal) = value else { return None };
    let mut parts = normal
        .splitn(3, '-')
        .map(|part| part.get(..2.max(part.len().min(4))).and_then(|part| part.parse::<i64>().ok()));
    let (year, month, day) = (parts.next()??, parts.next().flatten().unwrap_or(1), parts.next().flatten().unwrap_or(1));
    Some(days_from_civil(year, month, day))
}

/// The usual arithmetic of the Gregorian calendar, in eras of 400 years that begin in March.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2000, 3, 1), 11_017);
        assert_eq!(day(&Typed::Date("2000-03-01".to_owned())), Some(11_017));
        assert_eq!(day(&Typed::Date("2000-03".to_owned())), Some(11_017));
    }

    #[test]
    fn nothing_at_all_is_a_failure() {
        let seen = Observed { first: true, ..Observed::default() };
        assert_eq!(judge(&Expectations::default(), &seen)[0].expectation, "records");
        assert_eq!(judge(&Expectations::default(), &Observed { records: 1, ..seen }), []);
    }

    #[test]
    fn a_column_knows_its_types_and_its_range() {
        let mut column = Column::default();
        for text in ["12", "7", "call us"] {
            column.see("http://s/1", text);
        }
        assert_eq!((column.filled, column.kinds["number"], column.kinds["text"]), (3, 2, 1));
        assert_eq!((column.least.unwrap().0, column.most.unwrap().0), (7.0, 12.0));
    }
}
