//! The border between thinking and the world: "give me these pages".
//!
//! Takes a batch of addresses → gives one [`Answer`] each, in the order asked. The live fetcher, an archive
//! or a test implements [`Pages`]; concurrency, politeness and retries live behind it.
//!
//! - [`RawPage`]: what an address returned, redirects followed, body decoded from its content coding.
//! - [`Skipped`]: why there is no page, as a row a person can read.

use crate::page::layout::Layout;
use crate::page::robots::Directives;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::future::Future;
use url::Url;

/// Answers batches of addresses. The answers stand in the order of the question.
pub trait Pages: Send + Sync {
    fn get(&self, urls: &[Url]) -> impl Future<Output = Vec<Answer>> + Send;

    /// Asks again for what may have been asked before, to see what changes from load to load. Where pages are stored they
    /// do not change.
    fn again(&self, urls: &[Url]) -> impl Future<Output = Vec<Answer>> + Send {
        self.get(urls)
    }

    /// The addresses it holds pages of, where it has a list of them, as archives do.
    fn held(&self) -> Vec<Url> {
        Vec::new()
    }

    /// Where everything stands on these pages when they are drawn. Only a browser can tell.
    fn layouts(&self, urls: &[Url]) -> impl Future<Output = Vec<Result<Layout, Skipped>>> + Send {
        std::future::ready(not_drawn(urls))
    }
}

/// The layouts of pages where there is no browser.
pub fn not_drawn(urls: &[Url]) -> Vec<Result<Layout, Skipped>> {
    urls.iter().map(|url| Err(Skipped::new(url, Reason::NotRendered, "there is no browser to draw it"))).collect()
}

#[derive(Debug, Clone)]
pub enum Answer {
    Page(RawPage),
    Skipped(Skipped),
}

/// What an address returned. `status` may be an error status: an error page is an answer too.
#[derive(Debug, Clone)]
pub struct RawPage {
    /// The address that answered, after redirects.
    pub url: Url,
    /// The addresses on the way, first the one asked for; empty when nothing redirected.
    pub redirects: Vec<Url>,
    pub status: u16,
    /// The `Content-Type` header as sent.
    pub content_type: Option<String>,
    /// Decoded from any transfer and content coding, at most the size limit long.
    pub body: Bytes,
    /// What the page asks of robots, as far as it is to be honoured: links of a page that asks for `nofollow` are not read.
    pub robots: Directives,
}

impl RawPage {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// A page that was not looked at, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    pub url: Url,
    pub reason: Reason,
    /// The particulars, for people: the rule, the limit, the error.
    pub detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Disallowed by robots.txt, or robots.txt could not be read (RFC 9309, 2.3.1.4).
    Robots,
    /// Resolves to a private, loopback or link-local address.
    PrivateAddress,
    /// Looks like it changes state: log out, delete, add to basket.
    StateChanging,
    /// Outside the site or the scope the user gave.
    OutOfScope,
    /// Like none of the classes whose wrappers were given.
    UnlikeClasses,
    /// Not a document: an image, an archive, a film.
    NotHtml,
    /// Larger than the limit, as sent or decoded.
    TooLarge,
    /// Too many redirects, or a redirect loop.
    Redirects,
    Timeout,
    /// The server could not be reached, or broke the protocol.
    Network,
    /// Answered with an error status.
    Status,
    /// The archive has no record of it.
    NotArchived,
    /// The document cannot be parsed within limits.
    Unparsable,
    /// The budget is spent, or a ceiling of the run is reached.
    Budget,
    /// The user stopped the run.
    Interrupted,
    /// The database does not take what was read.
    NotStored,
    /// Links of the site were left out: its addresses fill the memory they may.
    TooManyAddresses,
    /// Its scripts did not come to an end, or the browser gave up on it.
    NotRendered,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Robots => "disallowed by robots.txt",
            Self::PrivateAddress => "private address",
            Self::StateChanging => "looks state-changing",
            Self::OutOfScope => "out of scope",
            Self::UnlikeClasses => "of no class learned",
            Self::NotHtml => "not an HTML document",
            Self::TooLarge => "too large",
            Self::Redirects => "too many redirects",
            Self::Timeout => "timed out",
            Self::Network => "network error",
            Self::Status => "error status",
            Self::NotArchived => "not in the archive",
            Self::Unparsable => "cannot be parsed",
            Self::Budget => "budget spent",
            Self::Interrupted => "interrupted",
            Self::NotStored => "cannot be stored",
            Self::TooManyAddresses => "too many addresses",
            Self::NotRendered => "cannot be rendered",
        })
    }
}

impl Skipped {
    /// The site says that there is no such page.
    pub fn is_gone(&self) -> bool {
        self.reason == Reason::Status && matches!(self.detail.as_str(), "404" | "410")
    }

    pub fn new(url: &Url, reason: Reason, detail: impl Into<String>) -> Self {
        Self { url: url.clone(), reason, detail: detail.into() }
    }
}
