//! Which strings stand in this data, and where? JSON, or a literal in a script → strings that may be addresses, each
//! with its [`Place`].
//!
//! - [`json`]: all of a text as JSON, however broken. - [`literals`]: the values assigned, pushed or parsed in a script.
//! - [`Place`]: the keys that lead to a string; written out `json:props.items[].href`.
//!
//! One pass from left to right, no tree: data on the web lacks commas and has too many, and what it costs is its length.
//! Does not know what an address of a page is; [`super`] does.

use std::borrow::Cow;
use std::fmt;

/// Levels below which nothing is read.
const DEPTH: usize = 64;

/// Data in a string in data: as deep as it is followed.
const WRAPPED: usize = 2;

/// The longest key written out; longer ones are not names.
const KEY: usize = 40;

/// Receives a string that may be an address, and where it stands.
pub(super) type Found<'f> = dyn FnMut(&str, &Place<'_>) + 'f;

/// Reads all of `text` as JSON. What is not JSON is passed over.
pub(super) fn json(text: &str, root: &str, found: &mut Found<'_>) {
    let place = Place { outer: None, root, frames: Vec::new() };
    Scanner { text, at: 0, syntax: Syntax::Json, place, deeper: 0, wrapped: 0, found }.run();
}

/// Reads the data in a script: `name = {…}`, `name = […]`, `name.push(…)`, `JSON.parse('…')`. A literal ends where code
/// begins, so that an address glued together at run time is not taken for a whole one.
pub(super) fn literals(script: &str, found: &mut Found<'_>) {
    let mut at = 0;
    while let Some(open) = memchr::memchr2(b'{', b'[', &script.as_bytes()[at..]).map(|open| at + open) {
        at = open + 1;
        if let Some(name) = receiver(&script[..open]) {
            at = at.max(literal(script, open, name, found));
        }
    }
    for call in memchr::memmem::find_iter(script.as_bytes(), PARSE) {
        let start = call + PARSE.len();
        let name = receiver(&script[..call]).unwrap_or("JSON.parse");
        if script[start..].trim_start().starts_with(['\'', '"', '`']) {
            literal(script, start, name, found);
        }
    }
}

const PARSE: &[u8] = b"JSON.parse(";

fn literal(script: &str, at: usize, name: &str, found: &mut Found<'_>) -> usize {
    let root = format!("js:{name}");
    let place = Place { outer: None, root: &root, frames: Vec::new() };
    Scanner { text: script, at, syntax: Syntax::Script, place, deeper: 0, wrapped: 0, found }.run()
}

/// What the data after `code` is given to, if it is: the name before `=`, or a `push` and its list.
fn receiver(code: &str) -> Option<&str> {
    let code = code.trim_ascii_end();
    let name = match code.strip_suffix('=') {
        Some(before) => last_name(before.trim_ascii_end()),
        None => last_name(code.strip_suffix('(')?).filter(|name| name.ends_with(".push")),
    };
    name.filter(|name| name.len() <= 2 * KEY)
}

fn last_name(code: &str) -> Option<&str> {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let length = code.bytes().rev().take(2 * KEY + 1).take_while(part).count();
    (length > 0).then(|| &code[code.len() - length..])
}

/// Where a string stands.
pub(super) struct Place<'t> {
    /// The string this data stands in, if it stands in one.
    outer: Option<&'t Place<'t>>,
    root: &'t str,
    frames: Vec<Frame<'t>>,
}

#[derive(Clone, Copy)]
enum Frame<'t> {
    Array,
    /// With the key last read, as written.
    Object(&'t str),
}

impl Place<'_> {
    /// The nearest key above the string; empty without one.
    pub(super) fn key(&self) -> &str {
        let own = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Object(key) => Some(*key),
            Frame::Array => None,
        });
        own.unwrap_or_else(|| self.outer.map_or("", Place::key))
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outer {
            Some(outer) => outer.fmt(f)?,
            None => f.write_str(self.root)?,
        }
        let mut first = self.outer.is_none() && self.root.ends_with(':');
        for frame in &self.frames {
            match frame {
                Frame::Array => f.write_str("[]")?,
                Frame::Object(key) if first => f.write_str(&folded(key))?,
                Frame::Object(key) => write!(f, ".{}", folded(key))?,
            }
            first = false;
        }
        Ok(())
    }
}

/// A key without what makes it one of many: `Product:217` is `Product:#`, and an address or a long hash is `{}`.
fn folded(key: &str) -> Cow<'_, str> {
    if !key.bytes().any(|byte| byte.is_ascii_digit() || byte == b'/') && key.len() <= KEY {
        return key.into();
    }
    let mut out = String::new();
    for piece in key.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit());
        out.push_str(if rest.len() < piece.len() { "#" } else { "" });
        out.push_str(rest);
    }
    let many = out.bytes().filter(|&byte| byte == b'#').count() > 2;
    if many || key.len() > KEY || key.contains('/') { "{}".into() } else { out.into() }
}

#[derive(Clone, Copy, PartialEq)]
enum Syntax {
    /// Goes on whatever comes.
    Json,
    /// One value, as far as it is written down.
    Script,
}

struct Scanner<'t, 'f, 'g> {
    text: &'t str,
    at: usize,
    syntax: Syntax,
    place: Place<'t>,
    /// Levels open below [`DEPTH`].
    deeper: usize,
    wrapped: usize,
    found: &'f mut Found<'g>,
}

impl<'t> Scanner<'t, '_, '_> {
    /// Gives where it stopped.
    fn run(mut self) -> usize {
        let script = self.syntax == Syntax::Script;
        while let Some(byte) = self.peek() {
            let data = match byte {
                b'{' => self.open(Frame::Object("")),
                b'[' => self.open(Frame::Array),
                b'}' | b']' => self.close(byte == b']'),
                b'"' => self.string(byte),
                b'\'' | b'`' if script => self.string(byte),
                b',' | b':' => self.pass(1),
                b'/' => self.comment(),
                _ if is_word(byte) => self.word(),
                _ => self.pass(1) && !script,
            };
            if script && (!data || self.place.frames.is_empty()) {
                break;
            }
        }
        self.at
    }

    /// The next byte that is not white space, where the scanner then stands.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += blank;
        rest.get(blank).copied()
    }

    fn pass(&mut self, bytes: usize) -> bool {
        self.at += bytes;
        true
    }

    fn open(&mut self, frame: Frame<'t>) -> bool {
        if self.place.frames.len() < DEPTH {
            self.place.frames.push(frame);
        } else {
            self.deeper += 1;
        }
        self.pass(1)
    }

    /// A bracket closes the nearest of its kind, and what was left open in it.
    fn close(&mut self, array: bool) -> bool {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if let Some(level) = self.place.frames.iter().rposition(|frame| matches!(frame, Frame::Array) == array) {
            self.place.frames.truncate(level);
        }
        self.pass(1)
    }

    fn comment(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let (end, length) = match rest.get(1) {
            Some(b'/') => (memchr::memchr(b'\n', rest), 1),
            Some(b'*') => (memchr::memmem::find(rest, b"*/"), 2),
            _ => return self.pass(1) && self.syntax == Syntax::Json,
        };
        self.pass(end.map_or(rest.len(), |end| end + length))
    }

    /// A key without quotes, a number, a constant; in a script anything else is code.
    fn word(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let word = &rest[..rest.bytes().take_while(|&byte| is_word(byte)).count()];
        self.at += word.len();
        let key = self.peek() == Some(b':') && self.is_key(word);
        key || self.syntax == Syntax::Json || is_constant(word)
    }

    /// Takes a word or string before a colon as a key, if an object is open.
    fn is_key(&mut self, key: &'t str) -> bool {
        match self.place.frames.last_mut() {
            Some(Frame::Object(current)) => *current = key,
            _ => return false,
        }
        self.pass(1)
    }

    fn string(&mut self, quote: u8) -> bool {
        let start = self.at + 1;
        let Some(end) = self.string_end(start, quote) else {
            self.at = if self.syntax == Syntax::Json { self.text.len() } else { start };
            return false;
        };
        let string = &self.text[start..end];
        self.at = end + 1;
        match self.peek() {
            Some(b':') if self.is_key(string) => self.value(string),
            // A part of an address is none.
            Some(b'+') => return self.syntax == Syntax::Json,
            _ => self.value(string),
        }
        true
    }

    /// In a script, a line end in a string says that it is none, or not understood.
    fn string_end(&self, start: usize, quote: u8) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let line = if self.syntax == Syntax::Script && quote != b'`' { b'\n' } else { quote };
        let mut at = start;
        loop {
            at += memchr::memchr3(quote, b'\\', line, bytes.get(at..)?)?;
            match bytes[at] {
                b'\\' => at += 2,
                byte if byte == quote => return Some(at),
                _ => return None,
            }
        }
    }

    fn value(&mut self, written: &str) {
        if self.deeper > 0 {
            return;
        }
        if begins_as_address(written) {
            (self.found)(&unescaped(written), &self.place);
        } else if self.wrapped < WRAPPED && may_be_data(written) {
            let text = unescaped(written);
            let place = Place { outer: Some(&self.place), root: "", frames: Vec::new() };
            let (wrapped, found) = (self.wrapped + 1, &mut *self.found);
            Scanner { text: &text, at: 0, syntax: Syntax::Json, place, deeper: 0, wrapped, found }.run();
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'$' | b'.' | b'-' | b'+' | b'!' | b'@')
}

fn is_constant(word: &str) -> bool {
    matches!(word, "true" | "false" | "null" | "undefined" | "NaN" | "!0" | "!1") || word.parse::<f64>().is_ok()
}

/// As written: the slash may be escaped.
fn begins_as_address(written: &str) -> bool {
    let written = written.trim_ascii_start();
    let begins = |start: &str| written.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    match written.as_bytes().first() {
        Some(b'/') => true,
        Some(b'\\') => begins("\\/") || begins("\\u002f") || begins("\\x2f"),
        Some(b'h' | b'H') => begins("http:") || begins("https:"),
        _ => false,
    }
}

/// Data sent as a string begins with a bracket; some frameworks number the pieces before it.
fn may_be_data(written: &str) -> bool {
    const NUMBERED: usize = 12;
    let head = &written.as_bytes()[..written.len().min(NUMBERED)];
    written.len() > NUMBERED && head.iter().any(|byte| matches!(byte, b'{' | b'['))
}

/// A string of JSON or of a script as it is meant.
fn unescaped(written: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', written.as_bytes()) else { return written.into() };
    let mut out = String::with_capacity(written.len());
    out.push_str(&written[..first]);
    let mut rest = &written[first..];
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let code = match escape.as_bytes().first() {
            Some(b'u') => escape.get(1..5),
            Some(b'x') => escape.get(1..3),
            _ => None,
        };
        let character = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        rest = match (character, code) {
            (Some(number), Some(code)) => {
                // A half of a surrogate pair is not put together: addresses with one are next to none.
                out.push(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER));
                &escape[1 + code.len()..]
            }
            _ => plain_escape(&mut out, escape),
        };
    }
    out.push_str(rest);
    out.into()
}

fn plain_escape<'t>(out: &mut String, escape: &'t str) -> &'t str {
    let mut characters = escape.chars();
    match characters.next() {
        Some('n' | 'r' | 't' | 'b' | 'f' | 'v') => out.push(' '),
        Some(character) => out.push(character),
        None => {}
    }
    characters.as_str()
}
