//! What did the server answer, by this record? Head and block of a record → [`Exchange`].
//!
//! - [`Answered`]: status and headers of a stored HTTP answer, and where its body starts.
//!
//! Undoes what happened on the wire (chunks) and keeps what belongs to the answer (content coding). Tools differ:
//! some store chunks as they came, some have removed them, or the content coding too, and left the header; the
//! headers given here fit the body given here. Does not know other records, so a revisit has no body here.

use super::head::{Head, Kind};
use crate::exchange::Exchange;
use bytes::Bytes;
use jiff::Timestamp;

/// Bytes in which an HTTP head must end. The longest of twelve real sites (headers partly synthetic) has 184 bytes;
/// 64 KiB is chosen as ample.
pub const HTTP_HEAD: usize = 64 << 10;
const HEADERS: usize = 512;

/// The head of a stored HTTP answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The status of the answer.
    pub status: u16,
    /// Names and values in the order of the record.
    pub headers: Vec<(String, String)>,
    /// Length of the head in the block.
    pub length: usize,
}

impl Answered {
    /// The first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// From the start of a record's block; `None` when that is no HTTP answer.
    pub fn parse(head: &Head, block: &[u8]) -> Option<Self> {
        if !block.starts_with(b"HTTP/") {
            return (head.kind != Kind::Revisit).then(|| Self::resource(head));
        }
        let block = &block[..block.len().min(HTTP_HEAD)];
        let space = memchr::memchr(b' ', &block[..block.len().min(16)])?;
        // The parser knows HTTP/1 only; tools write `HTTP/2` and `HTTP/3` in the same form. The ending helps
        // records whose head lacks its empty line.
        let mut text = b"HTTP/1.1".to_vec();
        text.extend_from_slice(&block[space..]);
        text.extend_from_slice(b"\r\n\r\n");
        let mut answered = parse_lines(&text)?;
        answered.length = (answered.length + space).saturating_sub(b"HTTP/1.1".len()).min(block.len());
        Some(answered)
    }

    /// A record that holds the thing itself, with its type in the record's own head.
    fn resource(head: &Head) -> Self {
        let content_type = head.field("content-type").map(|value| ("Content-Type".to_owned(), value.to_owned()));
        Self { status: 200, headers: content_type.into_iter().collect(), length: 0 }
    }
}

fn parse_lines(text: &[u8]) -> Option<Answered> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let parsed = httparse::ParserConfig::default()
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .parse_response(&mut response, text);
    let Ok(httparse::Status::Complete(length)) = parsed else { return None };
    let headers = response.headers.iter().map(|header| (header.name.to_owned(), as_text(header.value))).collect();
    Some(Answered { status: response.code?, headers, length })
}

/// UTF-8 where it is, else Latin-1, which cannot fail.
fn as_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.trim().to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// The answer a response or resource record holds; `None` when it is no HTTP answer.
pub fn exchange(head: &Head, block: Vec<u8>) -> Option<Exchange> {
    let Answered { status, headers, length } = Answered::parse(head, &block)?;
    let body = Bytes::from(block).slice(length..);
    let mut exchange = Exchange {
        url: head.url()?,
        status,
        headers,
        body,
        at: head.date().unwrap_or(Timestamp::UNIX_EPOCH),
        address: head.field("warc-ip-address").and_then(|text| text.parse().ok()),
    };
    undo_chunks(&mut exchange);
    drop_stale_coding(&mut exchange);
    Some(exchange)
}

fn undo_chunks(exchange: &mut Exchange) {
    let chunked =
        exchange.header_list("transfer-encoding").is_some_and(|list| list.to_ascii_lowercase().contains("chunked"));
    if chunked {
        if let Some(body) = dechunked(&exchange.body) {
            exchange.body = body;
        }
        exchange.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("transfer-encoding"));
    }
}

/// The body without its chunks; `None` when it has none. A body cut off keeps the chunks that came.
fn dechunked(mut bytes: &[u8]) -> Option<Bytes> {
    let mut body = Vec::with_capacity(bytes.len());
    let mut chunks = 0;
    while let Some((size, rest)) = chunk_size(bytes) {
        if size == 0 {
            return Some(body.into());
        }
        let Some(chunk) = rest.get(..size) else {
            body.extend_from_slice(if chunks > 0 { rest } else { &[] });
            break;
        };
        let Some(after) = rest[size..].strip_prefix(b"\r\n").or(rest[size..].strip_prefix(b"\n")) else { break };
        body.extend_from_slice(chunk);
        bytes = after;
        chunks += 1;
    }
    (chunks > 0).then(|| body.into())
}

/// `1a3f;name=value` and its line end → the number and what follows.
fn chunk_size(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(1024)])?;
    let line = std::str::from_utf8(&bytes[..end]).ok()?;
    let digits = line.split(';').next()?.trim();
    let hexadecimal = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let size = usize::from_str_radix(digits, 16).ok().filter(|_| hexadecimal)?;
    Some((size, &bytes[end + 1..]))
}

/// A content coding that the bytes do not have was undone by whoever stored them.
fn drop_stale_coding(exchange: &mut Exchange) {
    let Some(list) = exchange.header_list("content-encoding") else { return };
    let outermost = list.rsplit(',').next().unwrap_or("").trim().to_ascii_lowercase();
    if !has_coding(&outermost, &exchange.body) {
        exchange.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-encoding"));
    }
}

fn has_coding(coding: &str, body: &[u8]) -> bool {
    match coding {
        "gzip" | "x-gzip" => body.is_empty() || body.starts_with(b"\x1f\x8b"),
        "zstd" => body.is_empty() || body.starts_with(b"\x28\xb5\x2f\xfd") || body.get(1..4) == Some(b"\x2a\x4d\x18"),
        // These have no signature; but 16 printable characters in a row are text and not compressed data.
        _ => body.len() < 16 || !body[..16].iter().all(|byte| matches!(byte, 0x20..=0x7e | b'\t' | b'\r' | b'\n')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::members::Place;

    fn record(block: &[u8]) -> Exchange {
        let lines = format!(
            "WARC-Type: response\nWARC-Target-URI: http://s/\nWARC-Date: 2020-01-01T00:00:00Z\n\
             Content-Type: application/http\nContent-Length: {}\n",
            block.len()
        );
        exchange(&Head::parse(Place::default(), &lines).unwrap(), block.to_vec()).unwrap()
    }

    #[test]
    fn chunks_are_undone_or_were_already() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        for (body, expected) in [
            ("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n", "hello world"),
            ("5\nhello\n0\n\n", "hello"),
            ("<html>not chunked</html>", "<html>not chunked</html>"),
            ("5\r\nhello\r\nff\r\n cut", "hello cut"),
            ("bad\r\nfood", "bad\r\nfood"),
            ("ffffffffffffffffffff\r\nx", "ffffffffffffffffffff\r\nx"),
            ("", ""),
        ] {
            let exchange = record(format!("{head}{body}").as_bytes());
            assert_eq!(exchange.body, expected, "{body:?}");
            assert_eq!(exchange.header("transfer-encoding"), None);
        }
    }

    #[test]
    fn a_coding_already_undone_loses_its_header() {
        let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
        assert_eq!(record(&[&head[..], b"<html>"].concat()).header("content-encoding"), None);
        assert_eq!(record(&[&head[..], b"\x1f\x8b\x08.."].concat()).header("content-encoding"), Some("gzip"));
        let brotli = b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n".to_vec();
        assert_eq!(record(&[&brotli[..], b"{\"plain\": \"json text\"}"].concat()).header("content-encoding"), None);
        let packed = b"\x1b\x0f\x00\xf8\x85\xd1\x80\xf2\x20\x00\x00\x00\x00\x00\x00\x00\x00";
        assert_eq!(record(&[&brotli[..], packed].concat()).header("content-encoding"), Some("br"));
    }

    #[test]
    fn heads_in_the_forms_tools_write() {
        for (block, status, body) in [
            ("HTTP/1.0 404 Not Found\r\nA: b\r\n\r\nx", 404, "x"),
            ("HTTP/2 200\r\nA: b\r\n\r\nx", 200, "x"),
            ("HTTP/1.1 200 OK\nA: b\n\nx", 200, "x"),
            ("HTTP/1.1 301\r\nA: b\r\n", 301, ""),
            ("HTTP/1.1 200 OK\r\nbroken line\r\nA: b\r\n\r\nx", 200, "x"),
        ] {
            let exchange = record(block.as_bytes());
            assert_eq!((exchange.status, &exchange.body[..]), (status, body.as_bytes()), "{block:?}");
            assert_eq!(exchange.header("a"), Some("b"), "{block:?}");
        }
    }
}
