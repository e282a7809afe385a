//! Where in a text can somebody be reached? A text → the same without e-mail addresses and telephone numbers.
//!
//! - [`masked`]: the text. - [`is_postal`]: does a column hold postal addresses?
//!
//! E-mail addresses are told by their form, also where `(at)` stands for the sign. Telephone numbers are told by theirs: 7 to 15 digits in groups
//! that are no date, no years, no ISBN, no IP address and no number with its thousands apart. A postal address has no form: it is told by the name of its column,
//! or by where it stands (schema.org, microformats, `<address>`). Rather one too many than one too few.

use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

const EMAIL: &str = "[e-mail]";
const TELEPHONE: &str = "[telephone]";

static EMAILS: LazyLock<Regex> = LazyLock::new(|| {
    let (at, dot) = (r"(?:@|\s?[(\[]at[)\]]\s?)", r"(?:\.|\s?[(\[]dot[)\]]\s?)");
    let pattern =
        format!(r"(?i)(?:mailto:)?[\pL\pN][\pL\pN._%+'-]*{at}[\pL\pN](?:[\pL\pN-]|{dot}[\pL\pN])*{dot}\pL{{2,24}}");
    Regex::new(&pattern).expect("a pattern of ours")
});

static NUMBERS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?:tel:)?(?:\+|\(\+?|\b)[0-9](?:[ ()./\-\u{a0}\u{2010}-\u{2014}\u{202f}]{0,3}[0-9]){6,16}\b";
    Regex::new(pattern).expect("a pattern of ours")
});

/// Figures in groups that are no telephone number.
static FIGURES: LazyLock<Regex> = LazyLock::new(|| {
    let (day, years) = (r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-]\d{1,2}[./-]\d{1,2}", r"\d{4} ?[-/–—] ?\d{4}");
    let (address, isbn) = (r"\d{1,3}(?:\.\d{1,3}){3}", r"97[89][ -]?(?:\d[ -]?){10}");
    let thousands = r"[1-9]\d{0,2}(?:\.\d{3}){2,}|[1-9]\d{0,1}(?:[ \u{a0}\u{202f}]\d{3}){2,}";
    let time = r"\d{4}-\d{2}-\d{2}[ T]\d{2}";
    Regex::new(&format!("^(?:{day}|{years}|{address}|{isbn}|{thousands}|{time})$")).expect("a pattern of ours")
});

/// Without what one can be reached by.
pub fn masked(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte == b'@' || byte == b'(' || byte == b'[' || byte.is_ascii_digit()) {
        return Cow::Borrowed(text);
    }
    let without = EMAILS.replace_all(text, EMAIL);
    let number = |found: &Captures| if is_telephone(&found[0]) { TELEPHONE.to_owned() } else { found[0].to_owned() };
    match NUMBERS.replace_all(&without, number) {
        Cow::Borrowed(_) => without,
        Cow::Owned(left) => Cow::Owned(left),
    }
}

/// A number without groups is an id or an amount, unless it begins as telephone numbers do.
fn is_telephone(text: &str) -> bool {
    let bare = text.trim_start_matches("tel:");
    let digits = bare.bytes().filter(u8::is_ascii_digit).count();
    let begins = bare.starts_with(['+', '(', '0']) || text.len() > bare.len();
    let grouped = bare.trim_start_matches('+').contains(|c: char| !c.is_ascii_digit());
    (7..=15).contains(&digits) && (begins || grouped) && !FIGURES.is_match(bare)
}

/// Names of columns in languages of many sites; where values stand says it in all languages.
const NAMES: [&str; 22] = [
    "address",
    "addresses",
    "street",
    "postal_code",
    "postcode",
    "zip",
    "zip_code",
    "adresse",
    "anschrift",
    "straße",
    "strasse",
    "plz",
    "rue",
    "code_postal",
    "dirección",
    "calle",
    "indirizzo",
    "via",
    "adres",
    "ulica",
    "адрес",
    "住所",
];

/// Keys of schema.org and classes of microformats, in lower case, and the element.
const PLACES: [&str; 8] = [
    "streetaddress",
    "postalcode",
    "address",
    "street-address",
    "postal-code",
    "adr",
    "p-street-address",
    "p-postal-code",
];

pub fn is_postal(column: &str, path: &str) -> bool {
    let name = column.rsplit('.').next().unwrap_or(column).to_lowercase().replace([' ', '-'], "_");
    let steps = path.split(['/', '.', '#', '@', ' ']);
    NAMES.contains(&name.as_str()) || steps.map(str::to_ascii_lowercase).any(|step| PLACES.contains(&step.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_can_be_reached_by_is_masked() {
        for (text, shown) in [
            ("Write to jane.doe+x@mail.example.org.", "Write to [e-mail]."),
            ("jane (at) example.org, jane[at]example[dot]org", "[e-mail], [e-mail]"),
            ("mailto:jörg@bücher.example", "[e-mail]"),
            ("Tel. +49 (0)30 / 123 45-67", "Tel. [telephone]"),
            ("(702) 382-1600 or 0171 1234567", "[telephone] or [telephone]"),
            ("tel:+15551234567", "[telephone]"),
            ("06.12.34.56.78", "[telephone]"),
            ("123 456 789", "[telephone]"),
        ] {
            assert_eq!(masked(text), shown);
        }
    }

    #[test]
    fn other_figures_stay() {
        for text in [
            "2010-11-18",
            "18.11.2010",
            "1990-1995",
            "1990 – 1995",
            "192.168.100.200",
            "978-3-16-148410-0",
            "1 234 567",
            "1.234.567",
            "12345678",
            "$1,234,567",
            "v1.2.3",
            "a@b",
            "100 m @ 5",
            "12:30",
            "2010-11-18 12:30",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn postal_addresses_are_told_by_name_or_place() {
        assert!(is_postal("Straße", "html/body/p") && is_postal("staff.street", ""));
        assert!(is_postal("column_3", "address.streetAddress") && is_postal("x", "html/body/div.adr/span"));
        assert!(is_postal("x", "html/body/address/span") && !is_postal("x", "html/body/p.city"));
    }
}
