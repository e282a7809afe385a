//! What goes into a statement and comes out? Rust values ↔ those of both databases.
//!
//! - [`Value`]: one cell. - [`Row`]: the cells of one row, taken by number.
//!
//! Text from the web may hold NUL, which PostgreSQL cannot keep: it becomes U+FFFD in both databases.

use crate::{Error, Result};
use jiff::Timestamp;
use rusqlite::types::{ToSqlOutput, ValueRef};
use serde_json::json;

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(String),
    Time(Timestamp),
    /// Checked JSON, as text.
    Json(String),
}

impl Value {
    /// Anything that serialises, as JSON.
    pub fn json(value: &impl serde::Serialize) -> Result<Self> {
        let text = serde_json::to_string(value)
            .map_err(|error| Error::Stored { column: "json", reason: error.to_string() })?;
        Ok(Self::Json(without_escaped_nul(text)))
    }

    /// As JSON output has it.
    pub fn shown(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(value) => json!(value),
            Self::Int(value) => json!(value),
            Self::Real(value) => json!(value),
            Self::Text(text) => json!(text),
            Self::Time(time) => json!(written(*time)),
            Self::Json(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text.to_owned() })
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        if text.contains('\0') { Self::from(text.as_str()) } else { Self::Text(text) }
    }
}

impl From<&url::Url> for Value {
    fn from(url: &url::Url) -> Self {
        Self::Text(url.as_str().to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Timestamp> for Value {
    /// What a page claims may be any year; those before the first and after 9999 no database compares.
    fn from(time: Timestamp) -> Self {
        let (first, last) = (Timestamp::constant(-62_135_596_800, 0), Timestamp::constant(253_402_207_199, 0));
        Self::Time(time.clamp(first, last))
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// An escaped NUL in JSON; a backslash that is itself escaped before `u0000` is none.
fn without_escaped_nul(text: String) -> String {
    if !text.contains("\\u0000") {
        return text;
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text.as_str());
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let length = if rest[at..].starts_with("\\u0000") { 6 } else { 2 };
        out.push_str(if length == 6 { "\u{fffd}" } else { &rest[at..at + 2] });
        rest = &rest[at + length..];
    }
    out + rest
}

/// As much of a name as an index takes, told apart by a hash where it is cut.
pub(crate) fn fitting(name: &str) -> String {
    const LONGEST: usize = 200;
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let end = (0..=LONGEST - 10).rev().find(|&at| name.is_char_boundary(at)).unwrap_or(0);
    format!("{}~{}", &name[..end], &blake3::hash(name.as_bytes()).to_hex()[..8])
}

/// To the millisecond, so that texts compare as times do.
pub fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(rusqlite::types::Value::Null),
            Self::Bool(value) => ToSqlOutput::Owned(i64::from(*value).into()),
            Self::Int(value) => ToSqlOutput::Owned((*value).into()),
            Self::Real(value) => ToSqlOutput::Owned((*value).into()),
            Self::Text(text) | Self::Json(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Time(time) => ToSqlOutput::Owned(written(*time).into()),
        })
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(number) => Self::Int(number),
            ValueRef::Real(number) => Self::Real(number),
            ValueRef::Text(text) => Self::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(bytes) => Self::Text(String::from_utf8_lossy(bytes).into_owned()),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Row(pub Vec<Value>);

impl Row {
    pub fn get(&self, at: usize) -> &Value {
        self.0.get(at).unwrap_or(&Value::Null)
    }

    pub fn int(&self, at: usize) -> i64 {
        self.maybe_int(at).unwrap_or_default()
    }

    pub fn maybe_int(&self, at: usize) -> Option<i64> {
        match self.get(at) {
            Value::Int(number) => Some(*number),
            Value::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    pub fn real(&self, at: usize) -> f64 {
        match self.get(at) {
            Value::Real(number) => *number,
            other => match other {
                Value::Int(number) => *number as f64,
                _ => 0.0,
            },
        }
    }

    pub fn text(&self, at: usize) -> String {
        self.maybe_text(at).unwrap_or_default()
    }

    pub fn maybe_text(&self, at: usize) -> Option<String> {
        match self.get(at) {
            Value::Text(text) | Value::Json(text) => Some(text.clone()),
            Value::Time(time) => Some(written(*time)),
            _ => None,
        }
    }

    /// What was stored as JSON.
    pub fn parsed<T: serde::de::DeserializeOwned>(&self, at: usize, column: &'static str) -> Result<T> {
        serde_json::from_str(&self.text(at)).map_err(|error| Error::Stored { column, reason: error.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_is_replaced_everywhere_and_nothing_else_is() {
        assert_eq!(Value::from("a\0b"), Value::Text("a\u{fffd}b".to_owned()));
        let tricky = ["a\0b", "\\u0000", "\\\0", "\"\0\"", "plain \\ and \u{1}"];
        for text in tricky {
            let Value::Json(json) = Value::json(&text).unwrap() else { panic!("no JSON") };
            let back: String = serde_json::from_str(&json).unwrap();
            assert_eq!(back, text.replace('\0', "\u{fffd}"));
        }
    }

    #[test]
    fn times_are_written_to_the_millisecond() {
        let time: Timestamp = "2026-11-16T03:04:05.123456Z".parse().unwrap();
        assert_eq!(written(time), "2026-11-16T03:04:05.123Z");
        assert_eq!(written("2026-11-16T03:04:05Z".parse().unwrap()), "2026-11-16T03:04:05.000Z");
    }
}
