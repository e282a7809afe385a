//! What is this value? A text → its clean form, and its type with a normal form.
//!
//! - [`Typed`]: type and normal form. - [`clean`]: the value without its label and the punctuation around it.
//!
//! Recognised: money, date, phone number, number with unit, truth value, URL, image. One look at a text decides, but for the order of day and
//! month, which the whole column tells ([`day_first`]).

use super::template::{after_label, label_within};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "normal", rename_all = "kebab-case")]
pub enum Typed {
    /// `USD 36200`, or the sign when it is of several currencies.
    Money(String),
    /// `2010-11-18`, `2010-11`
    Date(String),
    /// Digits, with a plus where there was one.
    Phone(String),
    /// `289 lbs`, `12`
    Number(String),
    /// `true`, `false`
    Boolean(String),
    Url(String),
    Image(String),
}

impl Typed {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Money(_) => "money",
            Self::Date(_) => "date",
            Self::Phone(_) => "phone",
            Self::Number(_) => "number",
            Self::Boolean(_) => "boolean",
            Self::Url(_) => "url",
            Self::Image(_) => "image",
        }
    }
}

/// Longer texts are prose. Set by hand.
const LONGEST: usize = 60;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Signs and codes, with the currency they name.
const CURRENCIES: [(&str, &str); 10] = [
    ("us$", "USD"),
    ("usd", "USD"),
    ("$", "USD"),
    ("eur", "EUR"),
    ("€", "EUR"),
    ("gbp", "GBP"),
    ("£", "GBP"),
    ("r$", "BRL"),
    ("¥", "JPY"),
    ("chf", "CHF"),
];

/// Without a label of its own (`MSRP: $36,200`), and without punctuation that only joins (`: Canon`, `Waldorf,`).
pub fn clean(raw: &str) -> &str {
    let text = label_within(raw).map_or(raw, |label| after_label(raw, label));
    let joins = |c: char| c.is_whitespace() || matches!(c, ':' | '：' | ',' | ';' | '|' | '•' | '»' | '>' | '–');
    let text = text.trim_start_matches(joins).trim_end_matches(joins);
    if text.is_empty() { raw.trim() } else { text }
}

pub fn typed(text: &str) -> Option<Typed> {
    typed_as(text, None)
}

/// Do the dates of a column that are numbers only (`3/4/2010`) begin with the day? None when no date of it tells.
pub fn day_first<'t>(texts: impl Iterator<Item = &'t str>) -> Option<bool> {
    let (mut day, mut month) = (0, 0);
    for text in texts.filter(|text| text.len() <= LONGEST) {
        let parts: Vec<Option<u32>> = text.split(['/', '.', '-']).map(|part| part.trim().parse::<u32>().ok()).collect();
        if let [Some(first), Some(second), Some(1000..3000)] = parts[..] {
            day += usize::from(first > 12 && second <= 12);
            month += usize::from(second > 12 && first <= 12);
        }
    }
    (day != month).then_some(day > month)
}

/// As [`typed`], with what the column tells of the order of day and month.
pub fn typed_as(text: &str, day_first: Option<bool>) -> Option<Typed> {
    if text.len() > 4 * LONGEST || text.is_empty() {
        return None;
    }
    // All but addresses hold a digit, and most texts hold none.
    let figures = text.len() <= LONGEST && text.bytes().any(|byte| byte.is_ascii_digit());
    let of_figures = || money(text).or_else(|| date(text, day_first)).or_else(|| phone(text)).or_else(|| number(text));
    url(text).or_else(|| if figures { of_figures() } else { boolean(text) })
}

/// Signs, and the two words that forms of all languages share.
fn boolean(text: &str) -> Option<Typed> {
    let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    let truth = if is(["true", "✓", "✔"]) {
        "true"
    } else if is(["false", "✗", "✘"]) {
        "false"
    } else {
        return None;
    };
    Some(Typed::Boolean(truth.to_owned()))
}

fn url(text: &str) -> Option<Typed> {
    let begins = |start: &str| text.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    let bare = begins("www.");
    if !(bare || begins("http://") || begins("https://")) || text.contains(char::is_whitespace) {
        return None;
    }
    let whole = if bare { format!("http://{text}") } else { text.to_owned() };
    let parsed = url::Url::parse(&whole).ok()?;
    let image = [".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg"]
        .iter()
        .any(|ending| parsed.path().to_ascii_lowercase().ends_with(ending));
    Some(if image { Typed::Image(parsed.into()) } else { Typed::Url(parsed.into()) })
}

/// One amount: a sign or a code before or behind a number, and no words.
fn money(text: &str) -> Option<Typed> {
    if text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')) {
        return None;
    }
    let lower = text.to_lowercase();
    let rest =
        |mark: &str| lower.strip_prefix(mark).or_else(|| lower.strip_suffix(mark)).map(|rest| rest.trim().to_owned());
    let (amount, code) = CURRENCIES.iter().find_map(|(mark, code)| Some((rest(mark)?, code)))?;
    amount_of(&amount).map(|amount| Typed::Money(format!("{code} {amount}")))
}

/// `1,234.50` and `1.234,50` → `1234.50`.
fn amount_of(text: &str) -> Option<String> {
    if !text.starts_with(|c: char| c.is_ascii_digit())
        || !text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
    {
        return None;
    }
    let last = text.rfind(['.', ',']).filter(|at| text.len() - at <= 3);
    let digits = |part: &str| part.chars().filter(char::is_ascii_digit).collect::<String>();
    Some(match last {
        Some(at) => format!("{}.{}", digits(&text[..at]), digits(&text[at..])),
        None => digits(text),
    })
}

fn date(text: &str, day_first: Option<bool>) -> Option<Typed> {
    // 2012-07-03T00:00:00+00:00
    let text = text.split_once('T').map(|(day, _)| day).filter(|day| day.len() == 10).unwrap_or(text);
    let parts: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    let number = |part: &str| part.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse::<u32>().ok();
    let month = |part: &str| {
        let begins = |name: &&str| part.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(name));
        MONTHS.iter().position(begins).map(|at| at as u32 + 1)
    };
    let (year, month, day) = match parts[..] {
        [m, d, y] if month(m).is_some() => (number(y)?, month(m)?, number(d)),
        [d, m, y] if month(m).is_some() => (number(y)?, month(m)?, number(d)),
        [m, y] if month(m).is_some() => (number(y)?, month(m)?, None),
        [y, m, d] if y.len() == 4 && text.contains(['-', '/']) => (number(y)?, number(m)?, number(d)),
        [d, m, y] if y.len() == 4 && text.contains(['/', '.', '-']) && day_first == Some(true) => {
            (number(y)?, number(m)?, number(d))
        }
        [m, d, y] if y.len() == 4 && text.contains(['/', '.', '-']) && day_first == Some(false) => {
            (number(y)?, number(m)?, number(d))
        }
        [m, d, y] if y.len() == 4 && text.contains('/') => (number(y)?, number(m)?, number(d)),
        [d, m, y] if y.len() == 4 && text.contains('.') => (number(y)?, number(m)?, number(d)),
        _ => return None,
    };
    let real =
        (1000..3000).contains(&year) && (1..=12).contains(&month) && day.is_none_or(|day| (1..=31).contains(&day));
    let written = day.map_or_else(|| format!("{year}-{month:02}"), |day| format!("{year}-{month:02}-{day:02}"));
    real.then_some(Typed::Date(written))
}

/// Groups of digits; a number of 13 digits without a plus is an article's, and slashes alone make a date.
fn phone(text: &str) -> Option<Typed> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let looks = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '(' | ')' | '-' | '.' | '/' | ' '));
    let international = text.starts_with('+');
    let grouped = international || text.contains(['(', '-', '.', ' ']);
    let most = if international { 15 } else { 12 };
    let plus = if international { "+" } else { "" };
    let real = looks && grouped && (8..=most).contains(&digits.len()) && !text.contains(". ");
    real.then(|| Typed::Phone(format!("{plus}{digits}")))
}

/// A number, and at most two words that are its unit.
fn number(text: &str) -> Option<Typed> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(text.len());
    let amount = amount_of(text[..end].trim_end_matches(['.', ',']))?;
    let unit = text[end..].trim();
    let plain = unit.chars().all(|c| c.is_alphabetic() || matches!(c, '.' | '%' | '°' | '/' | ' '))
        && unit.split_whitespace().count() <= 2;
    plain.then(|| Typed::Number(format!("{amount} {unit}").trim_end().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_without_their_labels() {
        for (raw, value) in [
            ("MSRP: $36,200", "$36,200"),
            (": Canon", "Canon"),
            ("http://a.b/c", "http://a.b/c"),
            ("Waldorf,", "Waldorf"),
            ("|", "|"),
        ] {
            assert_eq!(clean(raw), value);
        }
    }

    #[test]
    fn types_and_normal_forms() {
        for (text, known) in [
            ("$36,200", Some(Typed::Money("USD 36200".into()))),
            ("1.234,50 €", Some(Typed::Money("EUR 1234.50".into()))),
            ("November 18, 2010", Some(Typed::Date("2010-11-18".into()))),
            ("12/5/2010", Some(Typed::Date("2010-12-05".into()))),
            ("June 2010", Some(Typed::Date("2010-06".into()))),
            ("(702) 382-1600", Some(Typed::Phone("7023821600".into()))),
            ("289 lbs.", Some(Typed::Number("289 lbs.".into()))),
            ("www.avtec.edu/", Some(Typed::Url("http://www.avtec.edu/".into()))),
            ("http://x.org/a.png", Some(Typed::Image("http://x.org/a.png".into()))),
            ("2012-07-03T00:00:00+00:00", Some(Typed::Date("2012-07-03".into()))),
            ("True", Some(Typed::Boolean("true".into()))),
            ("Boston Celtics", None),
            ("99/99/2010", None),
        ] {
            assert_eq!(typed(text), known, "{text}");
        }
    }

    #[test]
    fn the_column_tells_the_order_of_day_and_month() {
        assert_eq!(day_first(["3/4/2010", "25/4/2010"].into_iter()), Some(true));
        assert_eq!(day_first(["3/4/2010", "4/25/2010"].into_iter()), Some(false));
        assert_eq!(day_first(["3/4/2010", "May 2010"].into_iter()), None);
        assert_eq!(typed_as("3/4/2010", Some(true)), Some(Typed::Date("2010-04-03".into())));
        assert_eq!(typed_as("3/4/2010", None), Some(Typed::Date("2010-03-04".into())));
        assert_eq!(typed_as("16-06-2007", Some(true)), Some(Typed::Date("2007-06-16".into())));
    }
}
