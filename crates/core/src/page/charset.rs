//! Bytes → text: byte order mark, then the header's charset, then `<meta>`, then a guess from the content
//! (HTML standard, 13.2.3). What cannot be decoded becomes U+FFFD; decoding never fails.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

/// How far the standard looks for a `<meta>` declaration.
const PRESCAN: usize = 1024;

/// How much of a page the guess looks at: enough for any real page's head and first text.
const GUESS: usize = 64 * 1024;

pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>, top_level_domain: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    let encoding = content_type
        .and_then(from_content_type)
        .or_else(|| from_meta(&bytes[..bytes.len().min(PRESCAN)]))
        .unwrap_or_else(|| guess(bytes, top_level_domain));
    encoding.decode_without_bom_handling(bytes).0
}

fn from_content_type(value: &str) -> Option<&'static Encoding> {
    charset_of(value.as_bytes())
}

/// The label after `charset=` in a header or a `content` attribute.
fn charset_of(value: &[u8]) -> Option<&'static Encoding> {
    let lower = value.to_ascii_lowercase();
    let mut at = memchr::memmem::find(&lower, b"charset")? + "charset".len();
    let spaces = |at: usize| lower[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    at += spaces(at);
    if lower.get(at) != Some(&b'=') {
        return None;
    }
    at += 1;
    at += spaces(at);
    let label = match lower.get(at)? {
        quote @ (b'"' | b'\'') => lower[at + 1..].split(|b| b == quote).next()?,
        _ => lower[at..].split(|b| b.is_ascii_whitespace() || matches!(b, b';' | b'"' | b'\'' | b'>' | b'/')).next()?,
    };
    Encoding::for_label(label)
}

/// The encoding a `<meta>` tag declares. UTF-16 cannot be true of a page in which the tag could be read.
fn from_meta(head: &[u8]) -> Option<&'static Encoding> {
    let lower = head.to_ascii_lowercase();
    let mut at = 0;
    while let Some(found) = memchr::memmem::find(&lower[at..], b"<") {
        let tag = at + found;
        if lower[tag..].starts_with(b"<!--") {
            at = tag + memchr::memmem::find(&lower[tag..], b"-->")? + 3;
            continue;
        }
        if lower[tag..].starts_with(b"<meta") {
            let end = tag + memchr::memchr(b'>', &lower[tag..]).unwrap_or(lower.len() - tag);
            if let Some(encoding) = charset_of(&lower[tag..end]) {
                return Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding });
            }
        }
        at = tag + 1;
    }
    None
}

fn guess(bytes: &[u8], top_level_domain: Option<&str>) -> &'static Encoding {
    let sample = &bytes[..bytes.len().min(GUESS)];
    if sample.is_ascii() && bytes.is_ascii() {
        return WINDOWS_1252;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, sample.len() == bytes.len());
    let domain = top_level_domain.map(str::as_bytes).filter(|tld| {
        tld.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-') && !tld.is_empty()
    });
    detector.guess(domain, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn byte_order_mark_wins_over_the_header() {
        assert_eq!(decode(b"\xEF\xBB\xBF\xC3\xA9", Some("text/html; charset=iso-8859-1"), None), "é");
        assert_eq!(decode(b"\xFF\xFEa\0", None, None), "a");
    }

    #[test]
    fn header_wins_over_meta() {
        let page = b"<meta charset=utf-8>\xE9";
        assert!(decode(page, Some("text/html; Charset=\"ISO-8859-1\""), None).ends_with('é'));
        assert!(decode(page, None, None).ends_with('\u{FFFD}'));
    }

    #[test]
    fn meta_in_both_forms_and_not_in_comments() {
        let old = b"<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>\xE4";
        assert!(decode(old, None, None).ends_with('д'));
        let hidden = b"<!-- <meta charset=windows-1251> --><meta charset=\"iso-8859-1\">\xE4";
        assert!(decode(hidden, None, None).ends_with('ä'));
        assert!(decode("<meta charset=utf-16>ä".as_bytes(), None, None).ends_with('ä'));
    }

    #[test]
    fn content_decides_when_nobody_says() {
        let cyrillic = b"\xCF\xF0\xE8\xE2\xE5\xF2 \xEC\xE8\xF0, \xFD\xF2\xEE \xEE\xE1\xFB\xF7\xED\xE0\xFF \xF1\xF2\xF0\xE0\xED\xE8\xF6\xE0";
        assert!(decode(cyrillic, None, Some("ru")).starts_with("Привет"));
        assert_eq!(decode("naïve".as_bytes(), None, None), "naïve");
        assert!(decode(b"\xFF\xFF\x00\x01", None, None).len() > 1);
    }
}
