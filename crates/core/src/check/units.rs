//! Do two amounts mean the same? A text → the same text with its amounts in base units.
//!
//! - [`normal`]: `0,5 g` and `500mg` become `500 mg`; what is no amount stays.

/// Unit, base unit, factor in thousandths, so that whole numbers stay whole.
const UNITS: [(&str, &str, u64); 13] = [
    ("kg", "mg", 1_000_000_000),
    ("mcg", "mg", 1),
    ("µg", "mg", 1),
    ("μg", "mg", 1),
    ("ug", "mg", 1),
    ("mg", "mg", 1_000),
    ("g", "mg", 1_000_000),
    ("ml", "ml", 1_000),
    ("cl", "ml", 10_000),
    ("dl", "ml", 100_000),
    ("l", "ml", 1_000_000),
    ("mm", "mm", 1_000),
    ("cm", "mm", 10_000),
];

/// Digits of an amount; more are a code.
const MOST_DIGITS: usize = 9;

pub fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let inside = out.ends_with(char::is_alphanumeric);
        match amount(rest).filter(|_| !inside) {
            Some((written, length)) => {
                out.push_str(&written);
                rest = &rest[length..];
            }
            None => {
                let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                out.push_str(&rest[..length]);
                rest = &rest[length..];
            }
        }
    }
    out + rest
}

/// A number and its unit at the start of the text: the amount in base units, and the bytes it took.
fn amount(text: &str) -> Option<(String, usize)> {
    let length = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(text.len());
    let number = text[..length].trim_end_matches(['.', ',']);
    let gap = text[length..].len() - text[length..].trim_start_matches(' ').len();
    let after = &text[length + gap..];
    let word = after.find(|c: char| !c.is_alphabetic()).map_or(after, |end| &after[..end]);
    let lower = word.to_lowercase();
    let (_, base, factor) = UNITS.iter().find(|(unit, _, _)| *unit == lower)?;
    let thousandths = thousandths(number)?.checked_mul(*factor)? / 1_000;
    let (whole, part) = (thousandths / 1_000, thousandths % 1_000);
    let shown =
        if part == 0 { whole.to_string() } else { format!("{whole}.{part:03}").trim_end_matches('0').to_owned() };
    Some((format!("{shown} {base}"), length + gap + word.len()))
}

/// `0,5` and `0.5` are 500.
fn thousandths(number: &str) -> Option<u64> {
    let (whole, part) = number.split_once(['.', ',']).unwrap_or((number, ""));
    if whole.len() > MOST_DIGITS || part.len() > 3 || part.contains(['.', ',']) {
        return None;
    }
    let padded = format!("{part:0<3}");
    Some(whole.parse::<u64>().ok()? * 1_000 + padded.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_in_base_units() {
        for (text, form) in [
            ("500mg", "500 mg"),
            ("0,5 g tablets", "500 mg tablets"),
            ("250 mcg", "0.25 mg"),
            ("1.5 L", "1500 ml"),
            ("20 tablets", "20 tablets"),
            ("B12 vitamin 5 kg", "B12 vitamin 5000000 mg"),
            ("99999999999999999999 g", "99999999999999999999 g"),
            ("1.2.3 mg", "1.2.3 mg"),
            ("vitamin", "vitamin"),
        ] {
            assert_eq!(normal(text), form);
        }
    }
}
