//! What do `&eacute;`, `&#233;` and `&#xE9;` stand for? Text with character references and NULs → the text they mean
//! (13.2.5.72 and following).

use crate::dom::Span;
use memchr::memchr2;
use web_atoms::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// The longest name in the standard's table, with its semicolon.
const LONGEST: usize = 32;

/// Appends the meaning of `text` to `buffer`. In an attribute, a name without semicolon before `=` or a letter is not a
/// reference, so that old query strings survive. A NUL becomes U+FFFD.
pub fn decode(text: &str, in_attribute: bool, buffer: &mut String) -> Span {
    let start = buffer.len() as u32;
    let mut rest = text;
    while let Some(at) = memchr2(b'&', 0, rest.as_bytes()) {
        buffer.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with('\0') {
            buffer.push('\u{FFFD}');
            1
        } else {
            match rest.as_bytes().get(1) {
                Some(b'#') => numeric(rest, buffer),
                Some(byte) if byte.is_ascii_alphanumeric() => named(rest, in_attribute, buffer),
                _ => literal(rest, 1, buffer),
            }
        };
        rest = &rest[length..];
    }
    buffer.push_str(rest);
    Span { start, end: buffer.len() as u32 }
}

fn literal(text: &str, length: usize, buffer: &mut String) -> usize {
    buffer.push_str(&text[..length]);
    length
}

/// At `&#`. Gives the bytes used.
fn numeric(text: &str, buffer: &mut String) -> usize {
    let bytes = text.as_bytes();
    let (radix, start) = if matches!(bytes.get(2), Some(b'x' | b'X')) { (16, 3) } else { (10, 2) };
    let mut at = start;
    let mut value: u32 = 0;
    while let Some(digit) = bytes.get(at).and_then(|&byte| char::from(byte).to_digit(radix)) {
        value = value.saturating_mul(radix).saturating_add(digit).min(0x0011_0000);
        at += 1;
    }
    if at == start {
        return literal(text, start, buffer);
    }
    buffer.push(character(value));
    at + usize::from(bytes.get(at) == Some(&b';'))
}

fn character(value: u32) -> char {
    let replaced = match value {
        0 => None,
        0x80..=0x9F => C1_REPLACEMENTS[value as usize - 0x80].or(char::from_u32(value)),
        _ => char::from_u32(value),
    };
    replaced.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// At `&` and a letter or digit. The longest name that fits counts.
fn named(text: &str, in_attribute: bool, buffer: &mut String) -> usize {
    let bytes = &text.as_bytes()[1..];
    let run = bytes.iter().take(LONGEST).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let whole = run + usize::from(bytes.get(run) == Some(&b';'));
    for length in (1..=whole).rev() {
        let Some(&(first, second)) = NAMED_ENTITIES.get(&text[1..=length]) else { continue };
        if first == 0 {
            // A beginning of a name.
            continue;
        }
        let next = bytes.get(length);
        let complete = bytes[length - 1] == b';';
        if in_attribute && !complete && next.is_some_and(|&byte| byte == b'=' || byte.is_ascii_alphanumeric()) {
            break;
        }
        buffer.extend([first, second].into_iter().filter(|&one| one != 0).filter_map(char::from_u32));
        return length + 1;
    }
    literal(text, 1, buffer)
}

#[cfg(test)]
mod tests {
    use super::decode;

    fn text(source: &str) -> String {
        let mut buffer = String::from("before ");
        let span = decode(source, false, &mut buffer);
        buffer[span.start as usize..span.end as usize].to_owned()
    }

    fn value(source: &str) -> String {
        let mut buffer = String::new();
        decode(source, true, &mut buffer);
        buffer
    }

    #[test]
    fn names_with_and_without_semicolon() {
        assert_eq!(text("a &amp; b &eacute;t&eacute &nbsp;"), "a & b été \u{A0}");
        assert_eq!(text("&notit; &notin; &ampamp &unknown; &; & &"), "¬it; ∉ &amp &unknown; &; & &");
        assert_eq!(text("&NotEqualTilde; &CounterClockwiseContourIntegral;"), "≂\u{338} ∳");
    }

    #[test]
    fn old_query_strings_survive_in_attributes() {
        assert_eq!(value("?a=1&copy=2&lt=3&reg&amp;x=&notit;"), "?a=1&copy=2&lt=3®&x=&notit;");
        assert_eq!(text("?a=1&copy=2"), "?a=1©=2");
    }

    #[test]
    fn numbers_with_the_replacements_of_the_standard() {
        assert_eq!(text("&#65;&#x42;&#X43 &#128;&#x99;"), "ABC €™");
        assert_eq!(text("&#0;&#xD800;&#x110000;&#99999999999999999999;"), "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}");
        assert_eq!(text("&#;&#x;&#xg;&#a"), "&#;&#x;&#xg;&#a");
        assert_eq!(text("a\0b"), "a\u{FFFD}b");
    }
}
