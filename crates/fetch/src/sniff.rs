//! Is this answer a document: HTML, XML, JSON or text, or is it an image, an archive, a film?
//!
//! `Content-Type` and the first bytes → [`Kind`]. The header decides where it says something; a missing or
//! generic one leaves it to the bytes; bytes with the signature of a binary format are never a document,
//! whatever the header says.
//!
//! - [`Kind`]: a document, or something else with its name.
//!
//! Follows the spirit of the WHATWG MIME Sniffing standard. Does not know which charset the text has.

use crate::follow::names_packed_sitemap;
use pagekin_core::page::file_names::binary_ending;
use url::Url;

/// The WHATWG standard looks at this many bytes.
const WINDOW: usize = 1445;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Document,
    /// Not a document; the media type or the name of the format.
    Other(String),
}

/// Header and bytes together.
pub fn kind(content_type: Option<&str>, body: &[u8]) -> Kind {
    match by_header(content_type) {
        Some(Kind::Other(name)) => Kind::Other(name),
        Some(Kind::Document) => signature(body).map_or(Kind::Document, |name| Kind::Other(name.to_owned())),
        None => by_bytes(body),
    }
}

/// What the header alone says; `None` when it is missing or generic, so that the bytes must tell.
pub fn by_header(content_type: Option<&str>) -> Option<Kind> {
    let essence = content_type?.split(';').next()?.trim().to_ascii_lowercase();
    let (class, subtype) = essence.split_once('/')?;
    let document = match (class, subtype) {
        ("" | "*" | "unknown", _) | (_, "" | "*") => return None,
        // Servers call everything they do not know one of these.
        ("application" | "binary", "octet-stream" | "unknown" | "x-unknown") | ("text", "plain") => return None,
        ("text", "css" | "javascript" | "ecmascript") => false,
        ("text", _) => true,
        ("application", "json" | "xml" | "x-ndjson" | "ndjson" | "jsonl" | "rss" | "atom") => true,
        ("application", subtype) => subtype.ends_with("+xml") || subtype.ends_with("+json"),
        _ => false,
    };
    Some(if document { Kind::Document } else { Kind::Other(essence) })
}

/// Pictures, films, sounds and fonts: scripts that ask for them draw or play.
pub fn is_for_eyes_and_ears(content_type: Option<&str>) -> bool {
    let class = content_type.and_then(|value| value.split('/').next()).unwrap_or("").trim();
    ["image", "video", "audio", "font"].iter().any(|own| class.eq_ignore_ascii_case(own))
}

fn by_bytes(body: &[u8]) -> Kind {
    match signature(body) {
        Some(name) => Kind::Other(name.to_owned()),
        None if is_binary(body) => Kind::Other("binary data".to_owned()),
        None => Kind::Document,
    }
}

/// Does it open as HTML or XML does? Then it is not compressed, whatever the headers say.
pub fn is_markup(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    let opens = |with: &str| body.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()));
    ["<!doctype", "<html", "<?xml", "<head", "<body", "<!--"].iter().any(|with| opens(with))
}

pub fn is_gzip(body: &[u8]) -> bool {
    body.starts_with(b"\x1f\x8b\x08")
}

/// The ending of the address's name, when nobody need ask what is behind it. `File:Photo.jpg` is a page about a picture,
/// and `sitemap.xml.gz` a list of pages.
pub fn by_name(url: &Url) -> Option<&'static str> {
    if names_packed_sitemap(url) { None } else { binary_ending(url.path()) }
}

/// Control characters that no text has, by the WHATWG definition of a binary data byte.
fn is_binary(body: &[u8]) -> bool {
    if body.starts_with(b"\xfe\xff") || body.starts_with(b"\xff\xfe") {
        return false; // UTF-16 with a byte order mark is text full of NULs.
    }
    let window = &body[..body.len().min(WINDOW)];
    window.iter().any(|byte| matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
}

/// Signatures at the start of formats that are no documents. Those that could open a text are in [`WEAK`].
const STRONG: [(&[u8], &str); 31] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"\x1f\x9d", "application/x-compress"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"OggS\x00", "application/ogg"),
    (b"fLaC\x00", "audio/flac"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"\x00\x00\x01\xba", "video/mpeg"),
    (b"\x00\x00\x01\xb3", "video/mpeg"),
    (b"FLV\x01", "video/x-flv"),
    (b"\x7fELF", "application/x-executable"),
    (b"\x00asm", "application/wasm"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
    (b"wOFF\x00", "font/woff"),
    (b"wOF2\x00", "font/woff2"),
    (b"OTTO\x00", "font/otf"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
];

/// Signatures of printable letters: they count only when binary data follows.
const WEAK: [(&[u8], &str); 5] = [
    (b"BM", "image/bmp"),
    (b"MZ", "application/x-msdownload"),
    (b"ID3", "audio/mpeg"),
    (b"BZh", "application/x-bzip2"),
    (b"RIFF", "video or image (RIFF)"),
];

/// The binary format these bytes open as.
fn signature(body: &[u8]) -> Option<&'static str> {
    let listed = |list: &[(&[u8], &'static str)]| list.iter().find(|(start, _)| body.starts_with(start)).map(|f| f.1);
    let is_film = body.get(4..8) == Some(b"ftyp") && body[0] == 0;
    listed(&STRONG).or(is_film.then_some("video/mp4")).or_else(|| listed(&WEAK).filter(|_| is_binary(body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_document(content_type: Option<&str>, body: &[u8]) -> bool {
        kind(content_type, body) == Kind::Document
    }

    #[test]
    fn names_tell_pictures_and_archives_but_not_pages_about_them() {
        let by_name = |text: &str| by_name(&Url::parse(text).unwrap());
        assert_eq!(by_name("http://s/a/Photo.JPG?size=5"), Some("jpg"));
        assert_eq!(by_name("http://s/paper.pdf"), Some("pdf"));
        for page in
            ["http://s/", "http://s/wiki/File:Photo.jpg", "http://s/a.html", "http://s/v1.2", "http://s/?f=a.jpg"]
        {
            assert_eq!(by_name(page), None, "{page}");
        }
        for list in ["http://s/sitemap.xml.gz", "http://s/feed.xml", "http://s/data.json", "http://s/.gif"] {
            assert_eq!(by_name(list), None, "{list}");
        }
    }

    #[test]
    fn the_header_decides_where_it_says_something() {
        for kept in [
            "text/html",
            "TEXT/HTML; charset=x",
            "application/xhtml+xml",
            "text/xml",
            "application/rss+xml",
            "application/json",
            "application/ld+json; profile=x",
            "text/csv",
        ] {
            assert!(is_document(Some(kept), b"anything"), "{kept}");
        }
        for dropped in
            ["image/png", "image/svg+xml", "video/mp4", "application/pdf", "application/zip", "text/css", "font/woff2"]
        {
            assert_eq!(kind(Some(dropped), b"<html>"), Kind::Other(dropped.to_owned()));
        }
    }

    #[test]
    fn missing_or_generic_headers_leave_it_to_the_bytes() {
        for generic in [None, Some(""), Some("html"), Some("application/octet-stream"), Some("*/*"), Some("text/plain")]
        {
            assert!(is_document(generic, b"<!DOCTYPE html><p>x"), "{generic:?}");
            assert!(is_document(generic, b"just words"), "{generic:?}");
            assert!(is_document(generic, b"{\"a\":1}"), "{generic:?}");
            assert!(is_document(generic, b""), "{generic:?}");
            assert!(is_document(generic, b"\xff\xfe<\0h\0t\0"), "{generic:?}");
            assert!(!is_document(generic, b"\x01\x02\x03 something"), "{generic:?}");
            assert!(!is_document(generic, b"%PDF-1.7"), "{generic:?}");
        }
    }

    #[test]
    fn a_signature_wins_over_a_wrong_header() {
        assert_eq!(kind(Some("text/html"), b"%PDF-1.4 \n"), Kind::Other("application/pdf".into()));
        assert_eq!(kind(Some("text/html"), b"\x89PNG\r\n\x1a\n.."), Kind::Other("image/png".into()));
        assert_eq!(kind(Some("text/html"), b"\0\0\0\x20ftypisom"), Kind::Other("video/mp4".into()));
        assert_eq!(kind(Some("text/html"), b"BM\0\0\x01"), Kind::Other("image/bmp".into()));
        assert!(is_document(Some("text/html"), b"BM is a car maker"));
        assert!(is_document(Some("text/html"), b"<p>\0 a NUL does not make it a film"));
    }

    #[test]
    fn markup_is_known_by_its_opening() {
        assert!(is_markup(b"\xef\xbb\xbf\n <!DocType html>"));
        assert!(is_markup(b"<?xml version='1.0'?>"));
        assert!(!is_markup(b"\x1f\x8b\x08<html"));
        assert!(!is_markup(b"<"));
    }
}
