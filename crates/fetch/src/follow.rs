//! Where does this address lead, and is it a page? An address and a way to ask → page or reason.
//!
//! Follows redirects, those of `<meta http-equiv=refresh>` too, undoes the content coding, and refuses what is no document. The live fetcher and the
//! archive give it their own `hop`, so that both behave the same.
//!
//! - [`Limits`]: how far it goes.
//!
//! Does not know robots.txt, private addresses or retries: those belong to the hop.

use crate::codec::{self, DecodeError};
use crate::exchange::Exchange;
use crate::keys;
use crate::sniff::{self, Kind};
use bytes::Bytes;
use pagekin_core::page::{forward, robots};
use pagekin_core::pages::{Answer, RawPage, Reason, Skipped};
use std::sync::Arc;
use url::Url;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Redirects followed for one address. 10: twice an honest chain (http → https → www → language → page), half of
    /// what browsers follow.
    pub redirects: usize,
    /// Bytes of one body after decoding. 16 MiB: ten times the largest page (1.5 MB) of twelve whole sites looked at
    /// in November 2026.
    pub decoded: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { redirects: 10, decoded: 16 << 20 }
    }
}

/// Asks `hop` for `url` and for what it redirects to, until there is a page (of any status) or a reason why not.
/// The reason stands under the address asked for; its detail names the redirect that caused it.
pub async fn follow<F>(url: &Url, limits: &Limits, hop: F) -> Answer
where
    F: AsyncFn(&Url) -> Result<Arc<Exchange>, Skipped>,
{
    let url = &keys::stripped(url.clone());
    let mut at = without_fragment(url);
    let mut passed: Vec<Url> = Vec::new();
    // The last page that sent its reader on: the answer when what it leads to cannot be had.
    let mut sender: Option<Answer> = None;
    if !is_web(&at) {
        return skipped(url, Reason::OutOfScope, "only http and https addresses are asked");
    }
    loop {
        let exchange = match hop(&at).await {
            Ok(exchange) => exchange,
            Err(reason) => return sender.unwrap_or_else(|| Answer::Skipped(under_asked(url, &passed, reason))),
        };
        let next = match redirect(&exchange, &at) {
            None => {
                let answer = page(url, at.clone(), passed.clone(), &exchange, limits);
                match sent_on(&answer, &passed, limits) {
                    Some(next) => {
                        sender = Some(answer);
                        next
                    }
                    None => return answer,
                }
            }
            Some(Ok(next)) => next,
            Some(Err(location)) => {
                let detail = format!("`{at}` redirects to `{location}`, which is no address");
                return skipped(url, Reason::Redirects, detail);
            }
        };
        passed.push(at);
        if let Some((reason, detail)) = refused(&next, &passed, limits) {
            return skipped(url, reason, detail);
        }
        at = next;
    }
}

fn refused(next: &Url, passed: &[Url], limits: &Limits) -> Option<(Reason, String)> {
    if !is_web(next) {
        return Some((Reason::OutOfScope, format!("redirects to `{next}`: only http and https addresses are asked")));
    }
    if passed.contains(next) {
        return Some((Reason::Redirects, format!("redirect loop: back at `{next}` after {} redirects", passed.len())));
    }
    (passed.len() > limits.redirects)
        .then(|| (Reason::Redirects, format!("more than {} redirects, the next to `{next}`", limits.redirects)))
}

/// Where the answer sends us; `None` when it is final, `Err` with the text when that is no address.
/// A redirect status without `Location` is a page, as in browsers.
pub fn redirect(exchange: &Exchange, at: &Url) -> Option<Result<Url, String>> {
    if !matches!(exchange.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = exchange.header("location").map(str::trim).filter(|text| !text.is_empty())?;
    let Ok(mut next) = at.join(location) else {
        return Some(Err(location.chars().take(200).collect()));
    };
    make_plain(&mut next);
    Some(Ok(next))
}

/// A site must not make us log in elsewhere with names it chose.
fn make_plain(next: &mut Url) {
    next.set_fragment(None);
    *next = keys::stripped(next.clone());
}

/// Where a page sends its reader before it is read ([`forward`]): as a redirect, but one that leads nowhere leaves the page.
fn sent_on(answer: &Answer, passed: &[Url], limits: &Limits) -> Option<Url> {
    let Answer::Page(raw) = answer else { return None };
    let target = forward::at_once(&raw.body).filter(|_| raw.is_success())?;
    let mut next = raw.url.join(&target).ok()?;
    make_plain(&mut next);
    let back = next == raw.url || refused(&next, passed, limits).is_some();
    (!back).then_some(next)
}

fn page(asked: &Url, at: Url, redirects: Vec<Url>, exchange: &Exchange, limits: &Limits) -> Answer {
    match document(&at, exchange, limits) {
        Ok(body) => Answer::Page(RawPage {
            url: at,
            redirects,
            status: exchange.status,
            content_type: exchange.header("content-type").map(str::to_owned),
            robots: robots::of(exchange.headers_named("x-robots-tag"), &body),
            body,
        }),
        Err((reason, detail)) => Answer::Skipped(under_asked(asked, &redirects, Skipped::new(&at, reason, detail))),
    }
}

/// The decoded body, when it is a document.
fn document(at: &Url, exchange: &Exchange, limits: &Limits) -> Result<Bytes, (Reason, String)> {
    let content_type = exchange.header("content-type");
    if is_packed_sitemap(at, exchange) {
        return unpack_sitemap(exchange, limits);
    }
    if let Some(Kind::Other(name)) = sniff::by_header(content_type) {
        return Err((Reason::NotHtml, format!("it is `{name}`")));
    }
    let body = decoded(exchange, limits)?;
    match sniff::kind(content_type, &body) {
        Kind::Document => Ok(body),
        Kind::Other(name) => Err((Reason::NotHtml, format!("it is `{name}`"))),
    }
}

pub(crate) fn decoded(exchange: &Exchange, limits: &Limits) -> Result<Bytes, (Reason, String)> {
    let coding = exchange.header_list("content-encoding");
    // Servers and archiving tools leave the header on bodies that are plain already.
    let coding = coding.as_deref().filter(|_| !sniff::is_markup(&exchange.body));
    match codec::decode(coding, &exchange.body, limits.decoded) {
        // Names such as `utf-8` stand in this header by mistake: the bytes are looked at as they are.
        Err(DecodeError::Unknown(_)) => codec::decode(None, &exchange.body, limits.decoded),
        other => other,
    }
    .map_err(|error| match error {
        DecodeError::TooLarge { .. } => (Reason::TooLarge, error.to_string()),
        _ => (Reason::Network, error.to_string()),
    })
}

/// `sitemap.xml.gz` is a packed file, not a coding: the header says gzip as the *type*. The sitemap protocol
/// defines it, so it is unpacked here, and only it.
pub fn is_packed_sitemap(at: &Url, exchange: &Exchange) -> bool {
    (200..300).contains(&exchange.status) && names_packed_sitemap(at)
}

/// Would a body under this address be unpacked? Known before the body is read.
pub fn names_packed_sitemap(at: &Url) -> bool {
    at.path().to_ascii_lowercase().ends_with(".xml.gz")
}

fn unpack_sitemap(exchange: &Exchange, limits: &Limits) -> Result<Bytes, (Reason, String)> {
    let mut body = decoded(exchange, limits)?;
    if sniff::is_gzip(&body) {
        body = codec::decode(Some("gzip"), &body, limits.decoded)
            .map_err(|error| (Reason::TooLarge, error.to_string()))?;
    }
    if sniff::is_markup(&body) { Ok(body) } else { Err((Reason::NotHtml, "it is packed, and not XML".to_owned())) }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

fn skipped(url: &Url, reason: Reason, detail: impl Into<String>) -> Answer {
    Answer::Skipped(Skipped::new(url, reason, detail))
}

fn under_asked(asked: &Url, passed: &[Url], skipped: Skipped) -> Skipped {
    if passed.is_empty() {
        return Skipped { url: asked.clone(), ..skipped };
    }
    let detail = format!("redirected to `{}`: {}", skipped.url, skipped.detail);
    Skipped { url: asked.clone(), reason: skipped.reason, detail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    type Row = (&'static str, u16, Vec<(&'static str, &'static str)>, &'static [u8]);

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn exchange(row: &Row) -> Arc<Exchange> {
        let headers = row.2.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let at = jiff::Timestamp::UNIX_EPOCH;
        Arc::new(Exchange {
            url: url(row.0),
            status: row.1,
            headers,
            body: Bytes::from_static(row.3),
            at,
            address: None,
        })
    }

    /// Follows over a table of answers; also gives the addresses asked.
    async fn over(table: &[Row], asked: &str) -> (Answer, Vec<String>) {
        let log = RefCell::new(Vec::new());
        let hop = async |at: &Url| {
            log.borrow_mut().push(at.to_string());
            let row = table.iter().find(|row| url(row.0) == *at);
            row.map(exchange).ok_or_else(|| Skipped::new(at, Reason::NotArchived, "no such row"))
        };
        let answer = follow(&url(asked), &Limits { redirects: 3, decoded: 1000 }, hop).await;
        (answer, log.into_inner())
    }

    fn to(from: &'static str, status: u16, location: &'static str) -> Row {
        (from, status, vec![("Location", location)], b"")
    }

    fn reason(answer: &Answer) -> (Reason, &str) {
        match answer {
            Answer::Skipped(skipped) => (skipped.reason, &skipped.detail),
            Answer::Page(page) => panic!("a page of status {}", page.status),
        }
    }

    fn page_of(answer: Answer) -> RawPage {
        match answer {
            Answer::Page(page) => page,
            Answer::Skipped(skipped) => panic!("{skipped:?}"),
        }
    }

    #[tokio::test]
    async fn redirects_are_followed_relative_and_absolute_without_fragments() {
        let table = [
            to("http://s/a/b", 301, "../c?x=1#f"),
            to("http://s/c?x=1", 307, "//user:word@t/d"),
            ("http://t/d", 404, vec![("content-type", "text/html; charset=x")], b"gone"),
        ];
        let (answer, asked) = over(&table, "http://s/a/b#top").await;
        let page = page_of(answer);
        assert_eq!(asked, ["http://s/a/b", "http://s/c?x=1", "http://t/d"]);
        assert_eq!(page.url, url("http://t/d"));
        assert_eq!(page.redirects, [url("http://s/a/b"), url("http://s/c?x=1")]);
        assert_eq!((page.status, page.body.as_ref()), (404, b"gone".as_slice()));
        assert_eq!(page.content_type.as_deref(), Some("text/html; charset=x"));
    }

    #[tokio::test]
    async fn a_page_that_sends_on_at_once_is_a_redirect() {
        let html = || vec![("content-type", "text/html")];
        let table: [Row; 5] = [
            ("http://s/old", 200, html(), b"<head><meta http-equiv=refresh content='0; url=/new#x'></head>"),
            ("http://s/new", 200, html(), b"<p>new"),
            ("http://s/self", 200, html(), b"<head><meta http-equiv=refresh content='0; url=/self'></head>"),
            ("http://s/mail", 200, html(), b"<head><meta http-equiv=refresh content='0; url=mailto:a@b'></head>"),
            ("http://s/away", 200, html(), b"<head><meta http-equiv=refresh content='0; url=/absent'></head>"),
        ];
        let page = page_of(over(&table, "http://s/old").await.0);
        assert_eq!((page.url, page.redirects), (url("http://s/new"), vec![url("http://s/old")]));
        for stays in ["http://s/self", "http://s/mail", "http://s/away"] {
            assert_eq!(page_of(over(&table, stays).await.0).url, url(stays));
        }
    }

    #[tokio::test]
    async fn loops_long_chains_and_strange_targets_end_with_a_reason() {
        let ring = [to("http://s/1", 302, "/2"), to("http://s/2", 303, "/1#x")];
        assert_eq!(reason(&over(&ring, "http://s/1").await.0).0, Reason::Redirects);
        let own = [to("http://s/1", 302, "")];
        assert_eq!(page_of(over(&own, "http://s/1").await.0).status, 302);
        let chain = [
            to("http://s/1", 308, "/2"),
            to("http://s/2", 301, "/3"),
            to("http://s/3", 301, "/4"),
            to("http://s/4", 301, "/5"),
        ];
        let (answer, asked) = over(&chain, "http://s/1").await;
        assert!(reason(&answer).1.contains("more than 3 redirects"), "{answer:?}");
        assert_eq!(asked.len(), 4);
        for (location, expected) in [
            ("ftp://s/file", Reason::OutOfScope),
            ("javascript:alert(1)", Reason::OutOfScope),
            ("http://[broken", Reason::Redirects),
        ] {
            assert_eq!(reason(&over(&[to("http://s/1", 301, location)], "http://s/1").await.0).0, expected);
        }
        assert_eq!(reason(&over(&[], "file:///etc/passwd").await.0).0, Reason::OutOfScope);
    }

    #[tokio::test]
    async fn a_reason_of_a_later_hop_stands_under_the_address_asked_for() {
        let (answer, _) = over(&[to("http://s/1", 301, "/2")], "http://s/1").await;
        let Answer::Skipped(skipped) = answer else { panic!("a page") };
        assert_eq!(skipped.url, url("http://s/1"));
        assert_eq!(skipped.reason, Reason::NotArchived);
        assert_eq!(skipped.detail, "redirected to `http://s/2`: no such row");
    }

    #[tokio::test]
    async fn bodies_are_decoded_or_refused() {
        let gzip = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xb3\xc9\x28\xc9\xcd\xb1\x03\x00\x41\x0c\x43\xc7\x06\0\0\0";
        let coded =
            |coding, body| ("http://s/", 200, vec![("Content-Encoding", coding), ("Content-Type", "text/html")], body);
        let plain: &[u8] = b"<!doctype html>";
        assert_eq!(page_of(over(&[coded("gzip", plain)], "http://s/").await.0).body, plain);
        assert_eq!(page_of(over(&[coded("utf-8", b"words")], "http://s/").await.0).body, "words");
        assert_eq!(page_of(over(&[coded("gzip", gzip)], "http://s/").await.0).body, "<html>");
        assert_eq!(reason(&over(&[coded("gzip", b"nonsense")], "http://s/").await.0).0, Reason::Network);
        assert_eq!(reason(&over(&[coded("br", &[7; 1001])], "http://s/").await.0).0, Reason::Network);
        assert_eq!(reason(&over(&[coded("", &[b'x'; 1001])], "http://s/").await.0).0, Reason::TooLarge);
        assert_eq!(
            reason(&over(&[coded("", b"%PDF-1.5")], "http://s/").await.0),
            (Reason::NotHtml, "it is `application/pdf`")
        );
    }

    #[tokio::test]
    async fn a_packed_sitemap_is_unpacked_and_other_archives_are_not() {
        let gzip = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xb3\xc9\x28\xc9\xcd\xb1\x03\x00\x41\x0c\x43\xc7\x06\0\0\0";
        let typed = |at| (at, 200, vec![("Content-Type", "application/x-gzip")], gzip.as_slice());
        let (sitemap, other) = ("http://s/sitemap.xml.gz", "http://s/source.tar.gz");
        assert_eq!(page_of(over(&[typed(sitemap)], sitemap).await.0).body, "<html>");
        assert_eq!(reason(&over(&[typed(other)], other).await.0).0, Reason::NotHtml);
    }

    /// The fetchers hand their answers between threads: this must compile.
    #[test]
    fn following_can_move_between_threads() {
        fn send<T: Send>(_: T) {}
        let hop = async |at: &Url| Err(Skipped::new(at, Reason::Network, "nobody there"));
        send(follow(&url("http://s/"), &Limits::default(), hop));
    }
}
