//! Which is more, which is earlier? Two values → their order, if they are of one kind.
//!
//! - [`Scalar`]: an amount with its unit, or a date. - [`Scalar::of`]: what a text says. - [`order`]: none when it cannot be told.

use crate::extract::value::{Typed, typed};
use std::cmp::Ordering;

#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// Unit or currency; none fits all.
    Amount(f64, Option<String>),
    /// Year, month, and the day where there is one.
    Date(u32, u32, Option<u32>),
}

impl Scalar {
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(number) = text.parse::<f64>() {
            return number.is_finite().then_some(Self::Amount(number, None));
        }
        match typed(text)? {
            Typed::Date(date) => {
                let mut parts = date.split('-').map(|part| part.parse::<u32>().ok());
                Some(Self::Date(parts.next()??, parts.next()??, parts.next().flatten()))
            }
            Typed::Money(money) => {
                let (currency, amount) = money.rsplit_once(' ')?;
                Some(Self::Amount(amount.parse().ok()?, Some(currency.to_owned())))
            }
            Typed::Number(number) => {
                let (amount, unit) = number.split_once(' ').unwrap_or((&number, ""));
                let unit = unit.trim_end_matches('.').to_lowercase();
                Some(Self::Amount(amount.parse().ok()?, (!unit.is_empty()).then_some(unit)))
            }
            _ => None,
        }
    }

    pub fn times(self, factor: f64) -> Option<Self> {
        match self {
            Self::Amount(amount, unit) => Some(Self::Amount(amount * factor, unit)),
            Self::Date(..) => None,
        }
    }
}

pub fn order(a: &Scalar, b: &Scalar) -> Option<Ordering> {
    match (a, b) {
        (Scalar::Amount(a, unit), Scalar::Amount(b, other)) => {
            let fits = unit.is_none() || other.is_none() || unit == other;
            fits.then(|| a.partial_cmp(b)).flatten()
        }
        (Scalar::Date(year, month, day), Scalar::Date(other_year, other_month, other_day)) => {
            let months = (year, month).cmp(&(other_year, other_month));
            match (months, day, other_day) {
                (Ordering::Equal, Some(day), Some(other)) => Some(day.cmp(other)),
                (Ordering::Equal, _, _) => None,
                _ => Some(months),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(a: &str, b: &str) -> Option<Ordering> {
        order(&Scalar::of(a)?, &Scalar::of(b)?)
    }

    #[test]
    fn amounts_and_dates_have_an_order() {
        for (a, b, expected) in [
            ("$3.50", "10", Some(Ordering::Less)),
            ("1.234,50 €", "€ 1234", Some(Ordering::Greater)),
            ("$3", "€ 3", None),
            ("289 lbs", "12 lbs.", Some(Ordering::Greater)),
            ("2026-01-31", "November 18, 2010", Some(Ordering::Greater)),
            ("June 2010", "2010-06-03", None),
            ("June 2010", "2010-07-03", Some(Ordering::Less)),
            ("2010-07-03", "3", None),
            ("soon", "3", None),
        ] {
            assert_eq!(compared(a, b), expected, "{a} {b}");
        }
    }
}
