//! Where do tags, text and comments begin and end? Source → tokens, given to the [`Builder`] as they are found (13.2.5).
//!
//! - [`Tokenizer`]: the source and the place in it. The contents of `script`, `title` and their like are read in
//!   [`super::rawtext`], doctypes in [`super::doctype`], character references in [`super::references`].
//!
//! Knows nothing of the tree but what the builder says of it: whether CDATA sections count, and what the text after a
//! start tag is. Parse errors of the standard are not reported.

use super::builder::{Builder, Content, Tag, is_space};
use super::references;
use super::{Limits, Refused};
use crate::dom::{Attribute, Attributes, Document, Span};
use crate::names::{Name, PACKED};
use memchr::{memchr, memchr3, memmem};

pub struct Tokenizer<'s> {
    pub(super) source: &'s str,
    pub(super) at: usize,
    pub(super) builder: Builder,
    /// For each name, the number of the last tag it was an attribute of: how a repeated attribute is known.
    seen: Vec<u32>,
    tags: u32,
}

/// What a byte is to the reader of a name or an unquoted value.
const PLAIN: u8 = 0;
const UPPER: u8 = 1;
const SPACE: u8 = 2;
const END: u8 = 4;
const EQUALS: u8 = 8;
const NUL: u8 = 16;
const AMPERSAND: u8 = 32;

static CLASS: [u8; 256] = {
    let mut class = [PLAIN; 256];
    let mut byte = b'A';
    while byte <= b'Z' {
        class[byte as usize] = UPPER;
        byte += 1;
    }
    class[b' ' as usize] = SPACE;
    class[b'\n' as usize] = SPACE;
    class[b'\t' as usize] = SPACE;
    class[b'\x0C' as usize] = SPACE;
    class[b'/' as usize] = END;
    class[b'>' as usize] = END;
    class[b'=' as usize] = EQUALS;
    class[0] = NUL;
    class[b'&' as usize] = AMPERSAND;
    class
};

impl<'s> Tokenizer<'s> {
    pub fn new(source: &'s str, limits: &Limits) -> Self {
        Self { source, at: 0, builder: Builder::new(source, limits), seen: Vec::new(), tags: 0 }
    }

    pub fn run(mut self) -> Result<Document, Refused> {
        while self.at < self.source.len() && self.builder.refused.is_none() {
            if self.bytes()[self.at] == b'<' {
                self.markup();
            } else {
                self.data();
            }
        }
        self.builder.end_of_file();
        self.builder.finish()
    }

    pub(super) fn bytes(&self) -> &'s [u8] {
        self.source.as_bytes()
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes().get(at).copied()
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    fn data(&mut self) {
        let start = self.at;
        let rest = &self.bytes()[start..];
        let end = match memchr3(b'<', b'&', 0, rest) {
            Some(offset) if rest[offset] == b'<' => start + offset,
            None => self.source.len(),
            Some(_) => return self.data_with_references(),
        };
        self.at = end;
        self.builder.characters(self.span(start, end));
    }

    /// Text up to the next tag, in the slow way. A NUL is a token of its own, for the builder to judge.
    fn data_with_references(&mut self) {
        let end = memchr(b'<', &self.bytes()[self.at..]).map_or(self.source.len(), |offset| self.at + offset);
        let run = &self.source[self.at..end];
        self.at = end;
        for (index, piece) in run.split('\0').enumerate() {
            if index > 0 {
                self.builder.null();
            }
            if !piece.is_empty() {
                let span = references::decode(piece, false, &mut self.builder.document.buffer);
                self.builder.characters(span);
            }
        }
    }

    /// At `<`.
    fn markup(&mut self) {
        match self.byte(self.at + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(),
            Some(b'/') => self.end_tag_open(),
            Some(b'!') => self.declaration(),
            Some(b'?') => self.bogus_comment(self.at + 1),
            _ => self.literal(1),
        }
    }

    /// What looked like markup is text after all.
    fn literal(&mut self, length: usize) {
        let start = self.at;
        self.at += length;
        self.builder.characters(self.span(start, self.at));
    }

    fn start_tag(&mut self) {
        self.at += 1;
        let name = self.name(END);
        let Some((attributes, self_closing)) = self.attributes() else { return self.at = self.source.len() };
        self.builder.start_tag(Tag { name, attributes, self_closing });
        match std::mem::replace(&mut self.builder.content, Content::Data) {
            Content::Data => {}
            content => self.raw_content(content),
        }
    }

    fn end_tag_open(&mut self) {
        match self.byte(self.at + 2) {
            Some(byte) if byte.is_ascii_alphabetic() => {
                self.at += 2;
                self.end_tag();
            }
            Some(b'>') => self.at += 3,
            Some(_) => self.bogus_comment(self.at + 2),
            None => self.literal(2),
        }
    }

    /// At the name of an end tag.
    pub(super) fn end_tag(&mut self) {
        let name = self.name(END);
        let known = self.builder.document.attributes.len();
        let complete = self.attributes().is_some();
        self.builder.document.attributes.truncate(known);
        if complete {
            self.builder.end_tag(name);
        } else {
            self.at = self.source.len();
        }
    }

    fn declaration(&mut self) {
        let rest = &self.bytes()[self.at + 2..];
        if rest.starts_with(b"--") {
            self.comment();
        } else if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            self.doctype();
        } else if rest.starts_with(b"[CDATA[") && self.builder.in_foreign_content() {
            self.cdata();
        } else {
            self.bogus_comment(self.at + 2);
        }
    }

    /// Ends at `-->` or `--!>`; `<!-->` and `<!--->` are whole comments.
    fn comment(&mut self) {
        let bytes = self.bytes();
        let start = self.at + 4;
        let rest = &bytes[start..];
        self.at = if rest.starts_with(b">") {
            start + 1
        } else if rest.starts_with(b"->") {
            start + 2
        } else {
            comment_end(bytes, start)
        };
        self.builder.comment();
    }

    fn bogus_comment(&mut self, start: usize) {
        self.at = memchr(b'>', &self.bytes()[start..]).map_or(self.source.len(), |offset| start + offset + 1);
        self.builder.comment();
    }

    fn cdata(&mut self) {
        let start = self.at + "<![CDATA[".len();
        let end = memmem::find(&self.bytes()[start..], b"]]>").map(|offset| start + offset);
        self.at = end.map_or(self.source.len(), |end| end + 3);
        let mut from = start;
        for piece in self.source[start..end.unwrap_or(self.source.len())].split('\0') {
            if from > start {
                self.builder.null();
            }
            if !piece.is_empty() {
                self.builder.characters(self.span(from, from + piece.len()));
            }
            from += piece.len() + 1;
        }
    }

    // Names and attributes.

    /// Reads a name, in lower case, up to white space or one of `ends`.
    fn name(&mut self, ends: u8) -> Name {
        let (bytes, start) = (self.bytes(), self.at);
        let (mut at, mut key, mut met) = (start, 0_u128, 0);
        while let Some(&byte) = bytes.get(at) {
            let class = CLASS[byte as usize];
            if class & (SPACE | ends) != 0 {
                break;
            }
            met |= class;
            key = key << 8 | u128::from(byte | (class & UPPER) << 5);
            at += 1;
        }
        self.at = at;
        if at - start > PACKED || met & NUL != 0 {
            return self.unusual_name(start);
        }
        if let Some(name) = self.builder.find_name(key) {
            return name;
        }
        if met & UPPER != 0 { self.unusual_name(start) } else { self.builder.add_name(self.span(start, at)) }
    }

    #[cold]
    fn unusual_name(&mut self, start: usize) -> Name {
        let name = self.source[start..self.at].to_ascii_lowercase().replace('\0', "\u{FFFD}");
        self.builder.intern(&name)
    }

    fn skip_space(&mut self) {
        let bytes = self.bytes();
        while bytes.get(self.at).is_some_and(|&byte| CLASS[byte as usize] & SPACE != 0) {
            self.at += 1;
        }
    }

    /// After the name of a tag: its attributes, and whether it closes itself; none when the source ends within.
    fn attributes(&mut self) -> Option<(Attributes, bool)> {
        let start = self.builder.document.attributes.len();
        self.tags += 1;
        let self_closing = loop {
            self.skip_space();
            match self.byte(self.at)? {
                b'>' => {
                    self.at += 1;
                    break false;
                }
                b'/' => {
                    self.at += 1;
                    if self.byte(self.at)? == b'>' {
                        self.at += 1;
                        break true;
                    }
                }
                _ => self.attribute(start)?,
            }
        };
        let len = self.builder.document.attributes.len() - start;
        Some((Attributes { start: start as u32, len: len as u16 }, self_closing))
    }

    fn attribute(&mut self, start: usize) -> Option<()> {
        let name = self.attribute_name();
        self.skip_space();
        let value = if self.byte(self.at)? == b'=' {
            self.at += 1;
            self.skip_space();
            self.value()?
        } else {
            Span::default()
        };
        let number = name.0 as usize;
        if number >= self.seen.len() {
            self.seen.resize(number + 128, 0);
        }
        if self.seen[number] != self.tags {
            self.seen[number] = self.tags;
            self.builder.document.attributes.push(Attribute { name, value });
        }
        let limit = self.builder.limits.attributes.min(u16::MAX.into());
        if self.builder.document.attributes.len() - start > limit {
            self.builder.refused = Some(Refused::Attributes(limit));
            return None;
        }
        Some(())
    }

    fn attribute_name(&mut self) -> Name {
        if self.byte(self.at) != Some(b'=') {
            return self.name(END | EQUALS);
        }
        // An equals sign before a name is its first letter.
        let start = self.at;
        self.at += 1;
        self.name(END | EQUALS);
        self.unusual_name(start)
    }

    fn value(&mut self) -> Option<Span> {
        let start = self.at;
        match self.byte(start)? {
            b'>' => Some(Span::default()),
            quote @ (b'"' | b'\'') => {
                let bytes = &self.bytes()[start + 1..];
                let mut end = memchr3(quote, b'&', 0, bytes)?;
                let plain = bytes[end] == quote;
                if !plain {
                    end += memchr(quote, &bytes[end..])?;
                }
                self.at = start + end + 2;
                Some(self.value_span(start + 1, start + 1 + end, plain))
            }
            _ => {
                let mut met = 0;
                while let Some(&byte) = self.bytes().get(self.at) {
                    let class = CLASS[byte as usize];
                    if class == SPACE || byte == b'>' {
                        break;
                    }
                    met |= class;
                    self.at += 1;
                }
                Some(self.value_span(start, self.at, met & (AMPERSAND | NUL) == 0))
            }
        }
    }

    fn value_span(&mut self, start: usize, end: usize, plain: bool) -> Span {
        if plain {
            return self.span(start, end);
        }
        references::decode(&self.source[start..end], true, &mut self.builder.document.buffer)
    }
}

fn comment_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(offset) = memmem::find(&bytes[at..], b"--") {
        let after = at + offset + 2;
        match (bytes.get(after), bytes.get(after + 1)) {
            (Some(b'>'), _) => return after + 1,
            (Some(b'!'), Some(b'>')) => return after + 2,
            _ => at = after - 1,
        }
    }
    bytes.len()
}

/// Does an end tag of this name stand at `at`, the place of its `</`?
pub(super) fn is_end_tag(source: &[u8], at: usize, name: &str) -> bool {
    let Some(rest) = source[at..].strip_prefix(b"</") else { return false };
    rest.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        && rest.get(name.len()).is_some_and(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'))
}
