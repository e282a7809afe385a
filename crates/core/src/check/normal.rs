//! In which form do values compare? A value as written → its normal form.
//!
//! - [`Normal`]: one step; a column lists those it wants. - [`normal`]: all of them, and single spaces.
//!
//! Follows METHODS for the usual two (Unicode normalisation and case folding); the others are additions.

use super::units;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Values are names and codes; longer texts are cut, so that no page can make one comparison take a second.
pub const LONGEST: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normal {
    /// NFKC: full-width letters, ligatures and the like become the plain ones.
    Width,
    Case,
    /// Marks above and below letters go.
    Accents,
    /// What is neither letter nor digit becomes a space.
    Punctuation,
    /// `0,5 g` and `500mg` become `500 mg`.
    Units,
    /// Only letters and digits stay: `Z-1234 / 56` becomes `z123456`.
    Code,
}

impl Normal {
    pub const ALL: [Self; 6] = [Self::Width, Self::Case, Self::Accents, Self::Punctuation, Self::Units, Self::Code];
    /// Of a column that says nothing.
    pub const USUAL: [Self; 2] = [Self::Width, Self::Case];

    pub fn name(self) -> &'static str {
        match self {
            Self::Width => "width",
            Self::Case => "case",
            Self::Accents => "accents",
            Self::Punctuation => "punctuation",
            Self::Units => "units",
            Self::Code => "code",
        }
    }
}

/// Steps are taken in the order of [`Normal`], whatever the order of the list.
pub fn normal(value: &str, steps: &[Normal]) -> String {
    let mut text: String = value.chars().take(LONGEST).collect();
    for step in Normal::ALL.into_iter().filter(|step| steps.contains(step)) {
        text = match step {
            Normal::Width if text.is_ascii() => text,
            Normal::Width => text.nfkc().take(LONGEST).collect(),
            Normal::Case => folded_case(&text),
            Normal::Accents if text.is_ascii() => text,
            Normal::Accents => text.nfd().filter(|c| !is_combining_mark(*c)).nfc().collect(),
            Normal::Punctuation => text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect(),
            Normal::Units => units::normal(&text),
            Normal::Code => text.chars().filter(|c| c.is_alphanumeric()).collect(),
        };
    }
    squeezed(&text)
}

/// Upper case first: `ß` and `ſ` meet `SS` and `S` there, as full case folding wants.
fn folded_case(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.to_uppercase().to_lowercase().replace('ς', "σ")
}

fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_does_what_it_says() {
        use Normal::*;
        for (value, steps, form) in [
            ("  Ａspirin\tPLUS ", &[Width, Case][..], "aspirin plus"),
            ("STRASSE", &[Case], "strasse"),
            ("Straße", &[Case], "strasse"),
            ("Crème", &[Case, Accents], "creme"),
            ("Müller & Co., Ltd.", &[Case, Punctuation], "müller co ltd"),
            ("Z-1234 / 56", &[Case, Code], "z123456"),
            ("Zenadol 0.5 g", &[Case, Units], "zenadol 500 mg"),
            ("As It Is", &[], "As It Is"),
        ] {
            assert_eq!(normal(value, steps), form, "{value}");
        }
    }

    #[test]
    fn a_hostile_value_is_cut() {
        assert!(normal(&"ﷺ".repeat(100_000), &Normal::USUAL).chars().count() <= LONGEST);
    }
}
