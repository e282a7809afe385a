//! What did the server answer, byte for byte? One request's answer, before anything is made of it.
//!
//! - [`Exchange`]: status, headers and body of one answer; what an archive stores and a redirect is made of.
//! - [`Drawn`]: the document that the scripts of a page made of it.
//!
//! Does not know whether the answer is a page, a redirect or an error.

use bytes::Bytes;
use std::net::IpAddr;
use url::Url;

/// One answer as it came: transfer coding removed, content coding kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// What was asked for.
    pub url: Url,
    /// Of the answer.
    pub status: u16,
    /// In the order sent, names as sent.
    pub headers: Vec<(String, String)>,
    /// Without chunks, in its content coding.
    pub body: Bytes,
    /// When it was answered.
    pub at: jiff::Timestamp,
    /// Who answered, where known.
    pub address: Option<IpAddr>,
}

impl Exchange {
    /// The first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// All headers of this name, in any case, in the order sent.
    pub fn headers_named<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e str> {
        self.headers.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// All values of a header that may stand several times, joined as RFC 9110 (5.3) allows.
    pub fn header_list(&self, name: &str) -> Option<String> {
        let values: Vec<&str> = self.headers_named(name).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }
}

/// The document that a browser made of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// HTML in UTF-8.
    pub html: Bytes,
    /// Name and version of the browser.
    pub engine: String,
    /// Why the page was rendered.
    pub reason: String,
    /// When it was rendered.
    pub at: jiff::Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_in_any_case_and_joined() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let exchange = Exchange {
            url: Url::parse("http://s/").unwrap(),
            status: 200,
            headers: vec![pair("Content-Encoding", "gzip"), pair("content-encoding", "br")],
            body: Bytes::new(),
            at: jiff::Timestamp::UNIX_EPOCH,
            address: None,
        };
        assert_eq!(exchange.header("CONTENT-ENCODING"), Some("gzip"));
        assert_eq!(exchange.header_list("content-encoding").as_deref(), Some("gzip, br"));
        assert_eq!(exchange.header("etag"), None);
        assert_eq!(exchange.header_list("etag"), None);
    }
}
