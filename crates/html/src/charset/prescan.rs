//! Which encoding does the page itself declare? Bytes → the encoding of its first `<meta>` that names one (HTML standard,
//! 13.2.3.2, "prescan a byte stream").
//!
//! - [`declared`]: in the first 1,024 bytes, as the standard says; else wherever the parser would meet the tag, as browsers do.
//! - [`each_meta`]: the same reader for others who want to know what `<meta>` elements say.
//!
//! The further part knows, unlike the standard's, that what stands in scripts and the like is no tag: there it would be met by
//! chance. Does not build a tree.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memmem;

/// How far the standard looks.
const PRESCAN: usize = 1024;

/// Elements whose contents are text, whatever they look like.
const TEXTS: [&[u8]; 8] = [b"script", b"style", b"textarea", b"title", b"xmp", b"iframe", b"noembed", b"noframes"];

/// The encoding of the first `<meta>` that names one.
pub fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN)];
    scan(head, false, of_meta).or_else(|| {
        let further = bytes.len() > PRESCAN && names_a_charset(&bytes[PRESCAN - "charset".len()..]);
        further.then(|| scan(bytes, true, of_meta)).flatten()
    })
}

/// The attributes of every `<meta>` that the parser would meet; names and values in lower case.
pub fn each_meta(bytes: &[u8], mut on_meta: impl FnMut(&[Attribute])) {
    scan(bytes, true, |attributes| {
        on_meta(attributes);
        None::<()>
    });
}

/// Cheap, and false for most pages that say nothing.
fn names_a_charset(bytes: &[u8]) -> bool {
    memmem::find(bytes, b"harset").is_some() || memmem::find(bytes, b"HARSET").is_some()
}

/// The label after `charset=` in a header or a `content` attribute ("extracting a character encoding from a meta element").
pub fn in_content(value: &[u8]) -> Option<&'static Encoding> {
    let lower = value.to_ascii_lowercase();
    let mut at = 0;
    loop {
        at += memmem::find(&lower[at..], b"charset")? + "charset".len();
        at += spaces(&lower[at..]);
        if lower.get(at) == Some(&b'=') {
            break;
        }
    }
    at += 1;
    at += spaces(&lower[at..]);
    let rest = &lower[at..];
    let label = match rest.first()? {
        quote @ (b'"' | b'\'') => &rest[1..1 + memchr::memchr(*quote, &rest[1..])?],
        _ => rest.split(|byte| is_space(*byte) || *byte == b';').next()?,
    };
    Encoding::for_label(label)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

fn spaces(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_space(**byte)).count()
}

/// The first `<meta>` of which something is made. None when the bytes end before something that began.
fn scan<T>(bytes: &[u8], knows_texts: bool, mut made: impl FnMut(&[Attribute]) -> Option<T>) -> Option<T> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'<', &bytes[at..])?;
        let rest = &bytes[at..];
        let second = *rest.get(1)?;
        if rest.starts_with(b"<!--") {
            // The dashes may be the same: `<!-->` is a comment.
            at += 2 + memmem::find(&rest[2..], b"-->")? + 3;
        } else if second.is_ascii_alphabetic() || second == b'/' && rest.get(2)?.is_ascii_alphabetic() {
            let (name, mut tag) = Tag::open(bytes, at)?;
            let attributes = tag.attributes()?;
            at = tag.at;
            if name.eq_ignore_ascii_case(b"meta") {
                if let Some(found) = made(&attributes) {
                    return Some(found);
                }
            } else if knows_texts {
                at = after_text(bytes, at, name)?;
            }
        } else if matches!(second, b'!' | b'/' | b'?') {
            at += memchr::memchr(b'>', rest)? + 1;
        } else {
            at += 1;
        }
    }
}

/// Where the contents of such an element end.
fn after_text(bytes: &[u8], at: usize, name: &[u8]) -> Option<usize> {
    if !TEXTS.iter().any(|text| name.eq_ignore_ascii_case(text)) {
        return Some(at);
    }
    let mut end = at;
    loop {
        end += memmem::find(&bytes[end..], b"</")?;
        if bytes.get(end + 2..end + 2 + name.len())?.eq_ignore_ascii_case(name) {
            return Some(end);
        }
        end += 2;
    }
}

/// Name and value of an attribute, in lower case.
pub type Attribute = (Vec<u8>, Vec<u8>);

/// A tag whose attributes are being read.
struct Tag<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Tag<'t> {
    /// The name of a start tag; of an end tag a name that no element has.
    fn open(bytes: &'t [u8], at: usize) -> Option<(&'t [u8], Self)> {
        let rest = &bytes[at + 1..];
        let length = rest
            .iter()
            .position(|byte| is_space(*byte) || *byte == b'>' || *byte == b'/' && !rest.starts_with(b"/"))?;
        let length = if rest.starts_with(b"/") {
            rest.iter().position(|byte| is_space(*byte) || *byte == b'>')?
        } else {
            length
        };
        Some((&rest[..length], Self { bytes, at: at + 1 + length }))
    }

    /// Each name once, the first of them, up to behind the end of the tag.
    fn attributes(&mut self) -> Option<Vec<Attribute>> {
        let mut all: Vec<Attribute> = Vec::new();
        while let Some((name, value)) = self.attribute()? {
            if all.iter().all(|(known, _)| *known != name) {
                all.push((name, value));
            }
        }
        self.at += 1;
        Some(all)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        self.at += spaces(&self.bytes[self.at..]);
    }

    /// "Get an attribute"; the inner none is the end of the tag.
    fn attribute(&mut self) -> Option<Option<Attribute>> {
        self.at += self.bytes[self.at..].iter().take_while(|byte| is_space(**byte) || **byte == b'/').count();
        if self.peek()? == b'>' {
            return Some(None);
        }
        let begin = self.at;
        while !(is_space(self.peek()?)
            || matches!(self.peek()?, b'/' | b'>')
            || self.peek()? == b'=' && self.at > begin)
        {
            self.at += 1;
        }
        let name = self.bytes[begin..self.at].to_ascii_lowercase();
        self.skip_spaces();
        if self.peek()? != b'=' {
            return Some(Some((name, Vec::new())));
        }
        self.at += 1;
        self.skip_spaces();
        Some(Some((name, self.value()?)))
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let first = self.peek()?;
        if matches!(first, b'"' | b'\'') {
            let begin = self.at + 1;
            self.at = begin + memchr::memchr(first, &self.bytes[begin..])? + 1;
            return Some(self.bytes[begin..self.at - 1].to_ascii_lowercase());
        }
        let begin = self.at;
        while !(is_space(self.peek()?) || self.peek()? == b'>') {
            self.at += 1;
        }
        Some(self.bytes[begin..self.at].to_ascii_lowercase())
    }
}

fn of_meta(attributes: &[Attribute]) -> Option<&'static Encoding> {
    let (mut is_pragma, mut needs_pragma, mut encoding) = (false, None, None);
    for (name, value) in attributes {
        match name.as_slice() {
            b"http-equiv" => is_pragma |= value == b"content-type",
            b"content" if encoding.is_none() => {
                encoding = in_content(value);
                needs_pragma = encoding.map(|_| true).or(needs_pragma);
            }
            b"charset" => {
                encoding = Encoding::for_label(value);
                needs_pragma = Some(false);
            }
            _ => {}
        }
    }
    let encoding = encoding.filter(|_| needs_pragma == Some(false) || needs_pragma == Some(true) && is_pragma)?;
    // UTF-16 cannot be true of a page in which the tag could be read.
    Some(match encoding {
        _ if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
        _ if encoding.name() == "x-user-defined" => WINDOWS_1252,
        _ => encoding,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(page: impl AsRef<[u8]>) -> Option<&'static str> {
        declared(page.as_ref()).map(Encoding::name)
    }

    #[test]
    fn the_tag_says_it_in_either_form() {
        for (page, expected) in [
            ("<meta charset=iso-8859-2>", Some("ISO-8859-2")),
            ("<META/CHARSET='koi8-r'/>", Some("KOI8-R")),
            ("<meta http-equiv=Content-Type content='text/html; charset = \"windows-1251\"'>", Some("windows-1251")),
            ("<meta content='text/html;charset=euc-jp' http-equiv='CONTENT-TYPE'>", Some("EUC-JP")),
            ("<meta charset=utf-16>", Some("UTF-8")),
            ("<meta charset=x-user-defined>", Some("windows-1252")),
            ("<meta charset=bogus><meta charset=koi8-r>", Some("KOI8-R")),
            ("<meta charset=a charset=koi8-r>", None),
        ] {
            assert_eq!(name(page), expected, "{page}");
        }
    }

    #[test]
    fn what_only_looks_like_it_says_nothing() {
        for page in [
            "<metaphor charset=koi8-r>",
            "<meta name=x content='charset=koi8-r'>",
            "<meta http-equiv=refresh content='0; charset=koi8-r'>",
            "<meta data-charset=koi8-r>",
            "<meta name=description content='a <b>charset=koi8-r</b>'>",
            "<!-- <meta charset=koi8-r> -->",
            "<p title='<meta charset=koi8-r>'>",
            "</meta-like charset=koi8-r>",
            "<?php <meta charset=koi8-r ?>",
            "<meta charset=koi8-r",
            "<meta charset='koi8-r>",
        ] {
            assert_eq!(name(page), None, "{page}");
        }
        assert_eq!(name("<!--><meta charset=koi8-r>"), Some("KOI8-R"));
        assert_eq!(name("a < b <1> <meta charset=koi8-r>"), Some("KOI8-R"));
    }

    #[test]
    fn it_is_found_far_down_where_the_parser_would_meet_it() {
        let filler = format!("<title>{}</title><p class=x>text</p>", "x".repeat(3000));
        assert_eq!(name(format!("{filler}<meta charset=koi8-r>")), Some("KOI8-R"));
        assert_eq!(name(format!("{filler}<script>'<meta charset=koi8-r>'</script>")), None);
        assert_eq!(name(format!("{filler}<style><meta charset=koi8-r></STYLE><meta charset=gbk>")), Some("GBK"));
        assert_eq!(name(format!("<!--{}--><META CHARSET=koi8-r>", "x".repeat(2000))), Some("KOI8-R"));
    }
}
