//! Where does the content of `script`, `style`, `title`, `textarea` and their like end? (13.2.5.2 to 13.2.5.5, and the
//! script data states.)
//!
//! After the start tag of such an element: its text as one token, then its end tag. More methods of [`Tokenizer`].

use super::builder::{Content, is_space};
use super::references;
use super::tokens::{Tokenizer, is_end_tag};
use crate::dom::Span;
use crate::names;
use memchr::{memchr, memchr2};

impl Tokenizer<'_> {
    pub(super) fn raw_content(&mut self, content: Content) {
        let start = self.at;
        let end = match content {
            Content::Rcdata(name) | Content::Rawtext(name) => self.raw_end(names::text(name).unwrap_or_default()),
            Content::Script => script_end(self.bytes(), start),
            Content::Data | Content::Plaintext => self.source.len(),
        };
        self.at = end;
        self.raw_text(start, end, matches!(content, Content::Rcdata(_)));
        if end < self.source.len() {
            self.at += 2;
            self.end_tag();
        }
    }

    fn raw_end(&self, name: &str) -> usize {
        let bytes = self.bytes();
        let mut at = self.at;
        while let Some(offset) = memchr(b'<', &bytes[at..]) {
            at += offset;
            if is_end_tag(bytes, at, name) {
                return at;
            }
            at += 1;
        }
        bytes.len()
    }

    fn raw_text(&mut self, start: usize, end: usize, with_references: bool) {
        let text = &self.source[start..end];
        let plain = if with_references {
            memchr2(b'&', 0, text.as_bytes()).is_none()
        } else {
            memchr(0, text.as_bytes()).is_none()
        };
        let span = if plain {
            self.span(start, end)
        } else if with_references {
            references::decode(text, false, &mut self.builder.document.buffer)
        } else {
            self.without_nuls(text)
        };
        if !span.is_empty() {
            self.builder.characters(span);
        }
    }

    fn without_nuls(&mut self, text: &str) -> Span {
        let buffer = &mut self.builder.document.buffer;
        let start = buffer.len() as u32;
        for (index, piece) in text.split('\0').enumerate() {
            buffer.push_str(if index > 0 { "\u{FFFD}" } else { "" });
            buffer.push_str(piece);
        }
        Span { start, end: buffer.len() as u32 }
    }
}

/// How deep in `<!-- <script>` a place in a script is: what an end tag means depends on it.
#[derive(Clone, Copy, PartialEq)]
enum Escape {
    None,
    Once,
    Twice,
}

/// The place of the `</script` that ends the script.
fn script_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut escape) = (start, Escape::None);
    loop {
        let rest = &bytes[at..];
        let found = if escape == Escape::None { memchr(b'<', rest) } else { memchr2(b'<', b'-', rest) };
        let Some(offset) = found else { return bytes.len() };
        at += offset;
        if bytes[at] == b'-' {
            let dashes = bytes[at..].iter().take_while(|&&byte| byte == b'-').count();
            at += dashes;
            if dashes >= 2 && bytes.get(at) == Some(&b'>') {
                escape = Escape::None;
            }
            continue;
        }
        if escape != Escape::Twice && is_end_tag(bytes, at, "script") {
            return at;
        }
        at += 1;
        match escape {
            // On to the dashes, which may be the beginning of `-->` too.
            Escape::None if bytes[at..].starts_with(b"!--") => {
                at += 1;
                escape = Escape::Once;
            }
            Escape::Once if is_script(&bytes[at..]) => escape = Escape::Twice,
            Escape::Twice if bytes[at..].strip_prefix(b"/").is_some_and(is_script) => escape = Escape::Once,
            _ => {}
        }
    }
}

fn is_script(rest: &[u8]) -> bool {
    rest.get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"script"))
        && rest.get(6).is_some_and(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'))
}

#[cfg(test)]
mod tests {
    use super::script_end;

    #[test]
    fn scripts_end_where_the_standard_says() {
        let end = |text: &str| script_end(text.as_bytes(), 0);
        assert_eq!(end("if (a </b/) x</scripty></SCRIPT >"), 23);
        assert_eq!(end("<!-- a</script>"), 6);
        assert_eq!(end("<!-- <script> </script> --></script>"), 27);
        assert_eq!(end("<!-- <script> </script></script>"), 23);
        assert_eq!(end("<!--><script></script>"), 13);
        assert_eq!(end("<!-- <script> --></script>"), 17);
        assert_eq!(end("<!-- <script> </script"), 22);
    }
}
