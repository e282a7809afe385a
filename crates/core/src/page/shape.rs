//! What is an address made of? Address → [`Shape`]: language, folders, last part, extension and parameters.
//!
//! - [`Form`]: what a last part or a value looks like (a number, a code, an id, words). - [`Shape::outline`], [`Shape::name`]: what an address
//!   has in common with others in other folders.
//!
//! Splits and describes; which parts name a type and which a year or a category is for the stages to learn.

use std::fmt::Write;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// The language that the first folder names (`/en/news/…`), else empty. It is none of `folders`: versions of a page in two languages
    /// are pages of one kind.
    pub language: String,
    pub folders: Vec<String>,
    pub last: String,
    pub extension: String,
    /// Parameter names with their values, in the order of names.
    pub parameters: Vec<(String, String)>,
}

/// What a value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    Empty,
    Number,
    /// A few letters, then digits: `G0092`.
    Code,
    /// Long, and digits among the letters: a hash, a UUID.
    Id,
    Word,
}

impl Form {
    pub fn of(value: &str) -> Self {
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        if value.is_empty() {
            Self::Empty
        } else if digits == value.len() {
            Self::Number
        } else if value.len() >= 16
            && digits * 4 >= value.len()
            && value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
        {
            Self::Id
        } else if digits > 0 && is_code(value) {
            Self::Code
        } else {
            Self::Word
        }
    }

    pub fn symbol(self) -> char {
        match self {
            Self::Empty => '-',
            Self::Number => '#',
            Self::Code => '$',
            Self::Id => '%',
            Self::Word => '*',
        }
    }
}

/// Codes of ISO 639-1 that sites name folders by; those that are common words of addresses (`id`, `my`, `is`, `to`) are left out.
#[rustfmt::skip]
const LANGUAGES: [&str; 48] = [
    "ar", "az", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "ga", "gl", "he", "hi", "hr", "hu",
    "hy", "it", "ja", "ka", "kk", "ko", "lt", "lv", "mk", "nb", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "th", "tr", "uk", "zh",
];

/// `en`, `pt-br`, `zh_Hant`.
fn is_language(folder: &str) -> bool {
    let (code, region) = folder.split_once(['-', '_']).unwrap_or((folder, "br"));
    LANGUAGES.contains(&code.to_ascii_lowercase().as_str())
        && (2..=4).contains(&region.len())
        && region.bytes().all(|b| b.is_ascii_alphabetic())
}

/// One word, but for its ending.
fn alike(a: &str, b: &str) -> bool {
    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let longest = a.chars().count().max(b.chars().count());
    common >= 4 && common + 2 >= longest
}

/// Up to three letters, then digits.
fn is_code(value: &str) -> bool {
    let letters = value.trim_end_matches(|c: char| c.is_ascii_digit());
    letters.len() <= 3 && letters.bytes().all(|b| b.is_ascii_alphabetic())
}

impl Shape {
    pub fn of(url: &Url) -> Self {
        let mut folders: Vec<String> =
            url.path().split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let language = match folders.first() {
            Some(first) if is_language(first) => folders.remove(0).to_ascii_lowercase(),
            _ => String::new(),
        };
        let last = folders.pop().unwrap_or_default();
        let (last, extension) = match last.rsplit_once('.') {
            // `i.ii.10` is a name with points, not a file of type 10.
            Some((name, extension))
                if extension.len() <= 5
                    && !name.is_empty()
                    && extension.starts_with(|c: char| c.is_ascii_alphabetic()) =>
            {
                (name.to_owned(), extension.to_ascii_lowercase())
            }
            _ => (last, String::new()),
        };
        // `File:Cone.png` stands in the namespace `File:`, as if it were a folder.
        let last = match last.replace("%3A", ":").split_once(':') {
            Some((space, name)) if !space.is_empty() && !name.is_empty() => {
                folders.push(format!("{space}:"));
                name.to_owned()
            }
            _ => last,
        };
        let mut parameters: Vec<(String, String)> =
            url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        parameters.sort();
        Self { language, folders, last, extension, parameters }
    }

    /// What stays of the address when the names of folders and values are left out: addresses that differ in a year, a letter or a category
    /// share it.
    pub fn outline(&self) -> String {
        let mut outline: String = self.folders.iter().map(|_| "/").collect();
        outline.push(if self.parameters.is_empty() { '*' } else { '?' });
        if !self.parameters.is_empty() {
            outline.push_str(&self.last);
        }
        self.push_extension(&mut outline);
        for (name, _) in &self.parameters {
            let _ = write!(outline, "&{name}");
        }
        outline
    }

    /// The last part with its extension, as it stands in the address.
    pub fn last_part(&self) -> String {
        let mut part = self.last.clone();
        self.push_extension(&mut part);
        part
    }

    /// A hash of what an address has in common with its likes in other folders: the last part, or the names of its parameters.
    pub fn name(&self) -> u64 {
        if self.parameters.is_empty() {
            return xxh3_64(self.last_part().as_bytes());
        }
        let names: Vec<&str> = self.parameters.iter().map(|(name, _)| name.as_str()).collect();
        xxh3_64(format!("?{}", names.join("&")).as_bytes())
    }

    /// Is a word of the address, but for its own page in the folder, the name of this folder or nearly so: `sessions`, `session-tracks` for
    /// `session`? Endings of the plural differ by language, so a letter or two may.
    pub fn named_alike(&self, folder: &str) -> bool {
        let inside = self.folders.iter().any(|own| own == folder);
        let parts = self.folders.iter().chain([&self.last]);
        let mut words = parts.flat_map(|part| part.split(|c: char| !c.is_alphanumeric()));
        !inside && words.any(|word| alike(&word.to_lowercase(), &folder.to_lowercase()))
    }

    fn push_extension(&self, text: &mut String) {
        if !self.extension.is_empty() {
            text.push('.');
            text.push_str(&self.extension);
        }
    }
}

/// The first word of the last part when more follows: `sql` of `sql-createtable`, `prop` of `propI1`; nothing of `about`.
pub fn first_word(last: &str) -> String {
    let end = first_word_end(last);
    if end == last.len() { String::new() } else { last[..end].to_lowercase() }
}

/// Where the first word ends: at what is no letter, or at a capital after small letters.
fn first_word_end(last: &str) -> usize {
    let mut lower = false;
    for (at, character) in last.char_indices() {
        if !character.is_alphabetic() || lower && character.is_uppercase() {
            return at;
        }
        lower |= character.is_lowercase();
    }
    last.len()
}

/// The last word of the last part when something stands before it: `members` of `qaction-members`, `hpp` of `tags_8hpp`.
pub fn last_word(last: &str) -> String {
    let mut start = 0;
    let mut upper = false;
    for (at, character) in last.char_indices().rev() {
        if !character.is_alphabetic() || upper && character.is_lowercase() {
            start = at + character.len_utf8();
            break;
        }
        upper = character.is_uppercase();
    }
    if start == 0 { String::new() } else { last[start..].to_lowercase() }
}

/// The words that a last part begins with, before more follows: `gimp` and `gimp-filter` of `gimp-filter-clouds`, `sql` of `sql-createtable`.
pub fn leading_words(last: &str, most: usize) -> Vec<String> {
    let (mut leading, mut rest) = (Vec::<String>::new(), last);
    while leading.len() < most {
        let word = first_word(rest);
        if word.is_empty() {
            break;
        }
        rest = rest[first_word_end(rest)..].trim_start_matches(|c: char| !c.is_alphanumeric());
        leading.push(match leading.last() {
            Some(before) => format!("{before}-{word}"),
            None => word,
        });
    }
    leading
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_one_only_where_more_follows() {
        let words = ["sql-createtable", "propI1", "article123", "about", "IOException", "10-things"].map(first_word);
        assert_eq!(words, ["sql", "prop", "article", "", "", ""]);
    }

    #[test]
    fn leading_words_are_those_before_more() {
        assert_eq!(leading_words("gimp-filter-clouds", 3), ["gimp", "gimp-filter"]);
        assert_eq!(leading_words("struct.AllocError", 3), ["struct", "struct-alloc"]);
        assert_eq!(leading_words("article123", 3), ["article"]);
        assert!(leading_words("about", 3).is_empty() && leading_words("10-things", 3).is_empty());
    }

    #[test]
    fn a_folder_that_names_a_language_is_none_of_the_folders() {
        let shape = |url: &str| Shape::of(&Url::parse(url).unwrap());
        let (one, other) = (shape("http://s/en/guests/ann.html"), shape("http://s/pt-br/guests/ann.html"));
        assert_eq!((one.language.as_str(), other.language.as_str()), ("en", "pt-br"));
        assert_eq!((&one.folders, &one.last), (&other.folders, &other.last));
        assert_eq!(shape("http://s/id/77").folders, ["id"]);
        assert_eq!(shape("http://s/en").last, "");
    }

    #[test]
    fn lists_are_named_like_the_folder_of_what_they_list() {
        let shape = |url: &str| Shape::of(&Url::parse(url).unwrap());
        assert!(shape("http://s/sessions.html").named_alike("session"));
        assert!(shape("http://s/session-tracks/theming").named_alike("sessions"));
        assert!(!shape("http://s/session/git").named_alike("session"), "a page of the folder itself");
        assert!(!shape("http://s/settings/oak").named_alike("session"));
    }
}
