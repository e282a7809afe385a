//! Of which type is a column? The values of all records → [`ColumnType`].
//!
//! - [`ColumnTypes`]: sees every record, then tells.
//!
//! A column is of a type when every record that has it has one value of that type, in one unit or currency; else it is text. What the page wrote
//! stays in the evidence.

use pagekin_core::extract::value::Typed;
use std::collections::BTreeMap;

/// The type of a column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ColumnType {
    /// Anything.
    #[default]
    Text,
    /// With its unit; empty: none.
    Number(String),
    /// With its currency.
    Money(String),
    /// Whole days.
    Date,
    Boolean,
}

/// What the values seen so far have in common.
#[derive(Debug, Clone, Default)]
pub struct ColumnTypes {
    seen: BTreeMap<String, ColumnType>,
}

impl ColumnTypes {
    /// Looks at the values that one record has of a column.
    pub fn see(&mut self, name: &str, values: &[String], typed: Option<&Typed>) {
        let own = typed.filter(|_| values.len() == 1).map_or(ColumnType::Text, of_value);
        match self.seen.get_mut(name) {
            Some(known) if *known != own => *known = ColumnType::Text,
            Some(_) => {}
            None => drop(self.seen.insert(name.to_owned(), own)),
        }
    }

    /// The type of a column, as far as was seen.
    pub fn of(&self, name: &str) -> ColumnType {
        self.seen.get(name).cloned().unwrap_or_default()
    }
}

fn of_value(typed: &Typed) -> ColumnType {
    match typed {
        Typed::Number(normal) if parts(normal).0.parse::<f64>().is_ok() => {
            ColumnType::Number(parts(normal).1.to_owned())
        }
        Typed::Money(normal) if parts(normal).1.parse::<f64>().is_ok() => ColumnType::Money(parts(normal).0.to_owned()),
        Typed::Date(normal) if days(normal).is_some() => ColumnType::Date,
        Typed::Boolean(_) => ColumnType::Boolean,
        _ => ColumnType::Text,
    }
}

pub(crate) fn parts(normal: &str) -> (&str, &str) {
    normal.split_once(' ').unwrap_or((normal, ""))
}

/// Days since 1970-01-01 in the calendar of today; none of a month without a day.
pub(crate) fn days(normal: &str) -> Option<i32> {
    let parts: Vec<i64> = normal.split('-').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [year, month, day] = parts[..] else { return None };
    // March is the first month: the day that some years have more comes last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    i32::try_from(365 * year + year / 4 - year / 100 + year / 400 + of_year - 719_468).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_the_calendar_does() {
        assert_eq!(days("1970-01-01"), Some(0));
        assert_eq!(days("2000-02-29"), Some(11_016));
        assert_eq!(days("1969-12-31"), Some(-1));
        assert_eq!(days("2010-11"), None);
    }

    #[test]
    fn a_column_has_a_type_when_all_its_values_have_it() {
        let mut types = ColumnTypes::default();
        let one = ["x".to_owned()];
        for (name, typed) in [
            ("price", Typed::Money("EUR 7".into())),
            ("price", Typed::Money("EUR 8.50".into())),
            ("mixed", Typed::Money("EUR 7".into())),
            ("mixed", Typed::Money("USD 7".into())),
            ("day", Typed::Date("2010-11-18".into())),
            ("weight", Typed::Number("12 kg".into())),
        ] {
            types.see(name, &one, Some(&typed));
        }
        types.see("day", &one, None);
        assert_eq!(types.of("price"), ColumnType::Money("EUR".into()));
        assert_eq!(types.of("weight"), ColumnType::Number("kg".into()));
        assert_eq!((types.of("mixed"), types.of("day")), (ColumnType::Text, ColumnType::Text));
    }
}
