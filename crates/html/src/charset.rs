//! Bytes → text: byte order mark, then the header's charset, then `<meta>`, then a guess from the content
//! (HTML standard, 13.2.3). What cannot be decoded becomes U+FFFD; decoding never fails.
//!
//! - [`prescan`]: what the page itself declares.

pub mod prescan;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use std::borrow::Cow;

/// How much of a page the guess looks at: enough for any real page's head and first text.
const GUESS: usize = 64 * 1024;

/// The text of a page. `content_type` is the header of that name, `top_level_domain` (`ru`, `jp`) helps the guess where nothing is declared.
///
/// ```
/// use pagekin_html::charset::decode;
///
/// assert_eq!(decode(b"caf\xE9", Some("text/html; charset=iso-8859-1"), None), "caf\u{e9}");
/// assert!(decode(b"<meta charset=windows-1251>\xE4", None, None).ends_with('\u{434}'));
/// ```
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>, top_level_domain: Option<&str>) -> Cow<'a, str> {
    let mark = Encoding::for_bom(bytes).map_or(0, |(_, length)| length);
    encoding(bytes, content_type, top_level_domain).decode_without_bom_handling(&bytes[mark..]).0
}

/// The encoding that [`decode`] takes the bytes to be in.
pub fn encoding(bytes: &[u8], content_type: Option<&str>, top_level_domain: Option<&str>) -> &'static Encoding {
    Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| content_type.and_then(|header| prescan::in_content(header.as_bytes())))
        .or_else(|| prescan::declared(bytes))
        .unwrap_or_else(|| guess(bytes, top_level_domain))
}

fn guess(bytes: &[u8], top_level_domain: Option<&str>) -> &'static Encoding {
    if bytes.is_ascii() {
        return WINDOWS_1252;
    }
    // Most pages that say nothing are UTF-8, and a look at all bytes is cheaper than a guess from some.
    if simdutf8::basic::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let sample = &bytes[..bytes.len().min(GUESS)];
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
