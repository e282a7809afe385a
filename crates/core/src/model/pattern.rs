//! What do the addresses of a class look like? Address → [`Pattern`], one that many addresses share.
//!
//! - [`Pattern`]: folders (a folded one holds a year, a letter, a category), the form of the last part, the extension, the
//!   parameters. - [`Folder`], [`Value`]: one of its parts. - [`Relation`]: how near two patterns are.
//!
//! Written as `/races/{any}/{name}`, `/viewtopic.php?t={number}`; braces do not occur in addresses, so that what is written can
//! be read again. Which folders are folded is decided in [`path_generalisation`](super::path_generalisation); knows nothing of pages.

use crate::page::shape::{Form, Shape, last_word, leading_words};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pattern {
    pub folders: Vec<Folder>,
    pub last: Value,
    pub extension: String,
    /// In the order of names.
    pub parameters: Vec<(String, Value)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Folder {
    Named(String),
    Any,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    Named(String),
    /// By the symbol of its [`Form`].
    Formed(char),
    /// The same, between words that name a type: `struct-{name}`, `{name}-members`. A word that is not there is empty.
    Typed {
        first: String,
        form: char,
        last: String,
    },
}

/// How near two patterns are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    Same,
    /// They differ in what a category, another form of name or a further parameter would make different.
    Akin,
    Different,
}

/// The forms a value may have, as they are written.
const FORMS: [(char, &str); 5] = [('-', "{}"), ('#', "{number}"), ('$', "{code}"), ('%', "{id}"), ('*', "{name}")];
const ANY: &str = "{any}";

/// Words at the beginning of a last part that may name a type, at most.
pub const TYPE_WORDS: usize = 3;

impl Value {
    pub fn of(value: &str) -> Self {
        Self::Formed(Form::of(value).symbol())
    }

    fn fits(&self, value: &str) -> bool {
        match self {
            Self::Named(name) => name == value,
            Self::Formed(symbol) => *symbol == Form::of(value).symbol(),
            Self::Typed { first, form, last } => {
                *form == Form::of(value).symbol()
                    && (first.is_empty() || leading_words(value, TYPE_WORDS).contains(first))
                    && (last.is_empty() || last_word(value) == *last)
            }
        }
    }

    /// Do words of it name a type?
    pub fn is_typed(&self) -> bool {
        matches!(self, Self::Typed { .. })
    }

    fn is_empty(&self) -> bool {
        *self == Self::Formed('-')
    }
}

impl Pattern {
    /// Does an address of this shape have this pattern?
    pub fn fits(&self, shape: &Shape) -> bool {
        self.extension == shape.extension
            && self.folders.len() == shape.folders.len()
            && self.last.fits(&shape.last)
            && self.parameters.len() == shape.parameters.len()
            && self.folders.iter().zip(&shape.folders).all(|(folder, name)| match folder {
                Folder::Any => true,
                Folder::Named(known) => known == name,
            })
            && self
                .parameters
                .iter()
                .zip(&shape.parameters)
                .all(|((name, value), (own, own_value))| name == own && value.fits(own_value))
    }

    /// `in_tree`: the folders of addresses of this ending are so many that they are categories, however deep.
    pub fn relation(&self, other: &Self, in_tree: bool) -> Relation {
        if self == other {
            return Relation::Same;
        }
        let leaf = self.extension == other.extension && self.last.is_empty() == other.last.is_empty();
        let plain = self.parameters.is_empty() && other.parameters.is_empty();
        let same_folders = self.folders == other.folders;
        let script = self.last == other.last && same_folders && self.extension == other.extension;
        let related = match plain {
            true => leaf && same_folders || in_tree && self.extension == other.extension && self.last == other.last,
            false => script && nested(&self.parameters, &other.parameters),
        };
        if related { Relation::Akin } else { Relation::Different }
    }
}

/// Has one address all parameters of the other, named ones with the same values?
fn nested(a: &[(String, Value)], b: &[(String, Value)]) -> bool {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let within = |(name, value): &(String, Value)| {
        many.iter().any(|(other, known)| {
            other == name && (known == value || !matches!((known, value), (Value::Named(_), Value::Named(_))))
        })
    };
    !few.is_empty() && few.iter().all(within)
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for folder in &self.folders {
            match folder {
                Folder::Named(name) => write!(f, "/{name}")?,
                Folder::Any => write!(f, "/{ANY}")?,
            }
        }
        f.write_str("/")?;
        write_value(f, &self.last)?;
        if !self.extension.is_empty() {
            write!(f, ".{}", self.extension)?;
        }
        for (place, (name, value)) in self.parameters.iter().enumerate() {
            f.write_str(if place == 0 { "?" } else { "&" })?;
            write!(f, "{}=", escaped(name))?;
            write_value(f, value)?;
        }
        Ok(())
    }
}

/// What separates the parts of a written pattern does not stand in a part.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '%' | '&' | '=' | '?' | '{' | '}' => out.push_str(&format!("%{:02X}", character as u32)),
            other => out.push(other),
        }
    }
    out
}

fn unescaped(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn write_value(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::Named(name) => f.write_str(&escaped(name)),
        Value::Formed(symbol) => f.write_str(written_form(*symbol)),
        Value::Typed { first, form, last } => {
            let dash = |word: &str| if word.is_empty() { "" } else { "-" };
            let (before, after) = (dash(first), dash(last));
            write!(f, "{}{before}{}{after}{}", escaped(first), written_form(*form), escaped(last))
        }
    }
}

fn written_form(symbol: char) -> &'static str {
    FORMS.iter().find(|(known, _)| *known == symbol).map_or("{name}", |(_, written)| written)
}

fn read_value(text: &str) -> Value {
    let form = FORMS.iter().find_map(|(symbol, written)| Some((*symbol, text.split_once(written)?)));
    match form {
        Some((symbol, ("", ""))) => Value::Formed(symbol),
        Some((form, (first, last))) => {
            let (first, last) = (first.strip_suffix('-').unwrap_or(first), last.strip_prefix('-').unwrap_or(last));
            Value::Typed { first: unescaped(first), form, last: unescaped(last) }
        }
        None => Value::Named(unescaped(text)),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no pattern of addresses")]
pub struct NoPattern(String);

impl FromStr for Pattern {
    type Err = NoPattern;

    fn from_str(text: &str) -> Result<Self, NoPattern> {
        let wrong = || NoPattern(text.to_owned());
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let (folders, last) =
            path.strip_prefix('/').ok_or_else(wrong)?.rsplit_once('/').map_or(("", &path[1..]), |x| x);
        let folder = |name: &str| if name == ANY { Folder::Any } else { Folder::Named(name.to_owned()) };
        let folders = if folders.is_empty() { Vec::new() } else { folders.split('/').map(folder).collect() };
        let (last, extension) = match last.rsplit_once('.') {
            Some((name, extension)) if extension.len() <= 5 && !name.is_empty() && !extension.is_empty() => {
                (name, extension)
            }
            _ => (last, ""),
        };
        let parameter = |part: &str| {
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            Ok((unescaped(name), read_value(value)))
        };
        let parameters = query.split('&').filter(|part| !part.is_empty()).map(parameter).collect::<Result<_, _>>()?;
        Ok(Self { folders, last: read_value(last), extension: extension.to_owned(), parameters })
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn shape(url: &str) -> Shape {
        Shape::of(&Url::parse(url).unwrap())
    }

    #[test]
    fn what_is_written_can_be_read_again() {
        for text in [
            "/",
            "/{name}",
            "/races/{any}/{name}",
            "/a/view.php?t={number}&x%26y=a%3Db",
            "/{}",
            "/x.tar/{code}.html",
            "/{any}/struct-{name}.html",
            "/gimp-filter-{name}-more",
        ] {
            let pattern: Pattern = text.parse().unwrap();
            assert_eq!(pattern.to_string().parse::<Pattern>().unwrap(), pattern, "{text}");
        }
        assert!("races".parse::<Pattern>().is_err());
    }

    #[test]
    fn fits_by_folder_form_extension_and_parameters() {
        let races: Pattern = "/races/{any}/{name}".parse().unwrap();
        assert!(races.fits(&shape("http://s/races/2011/korean-grand-prix/")));
        let members: Pattern = "/{name}-members.html".parse().unwrap();
        assert!(
            members.fits(&shape("http://s/qobject-members.html")) && !members.fits(&shape("http://s/qobject.html"))
        );
        assert!(!races.fits(&shape("http://s/races/2011/7/")) && !races.fits(&shape("http://s/races/monza")));
        let topic: Pattern = "/viewtopic.php?t={number}".parse().unwrap();
        assert!(topic.fits(&shape("http://s/viewtopic.php?t=12")));
        assert!(!topic.fits(&shape("http://s/viewtopic.php?t=12&start=15")));
    }

    #[test]
    fn near_patterns_are_akin() {
        let relation =
            |a: &str, b: &str, in_tree| a.parse::<Pattern>().unwrap().relation(&b.parse::<Pattern>().unwrap(), in_tree);
        assert_eq!(relation("/a/{name}", "/a/{name}", false), Relation::Same);
        assert_eq!(relation("/a/{name}", "/a/{code}", false), Relation::Akin);
        assert_eq!(relation("/a/{name}", "/b/{name}", false), Relation::Different);
        assert_eq!(relation("/a/{name}", "/b/c/{name}", true), Relation::Akin);
        assert_eq!(relation("/v.php?t={number}", "/v.php?s={number}&t={number}", false), Relation::Akin);
        assert_eq!(relation("/v.php?p=a", "/v.php?p=b", false), Relation::Different);
    }
}
