//! How do rows of an index become an archive? Address, file, offset and length of records → an [`Archive`] that reads them where they are.
//!
//! - [`Indexed`]: takes the rows. - [`IndexedRecord`]: one of them, as the columnar index of a web crawl has it.
//!
//! Such an archive holds a sample of a site: that it has no record of a page says nothing about the page.

use super::index::{Entry, Index, Listing};
use super::remote::{Base, Places, Remote, RemoteStats};
use super::scan::{self, Store, Unread};
use super::{Archive, Inner};
use crate::error::Error;
use crate::exchange::Exchange;
use crate::follow::{self, Limits};
use crate::warc::digest::Digest;
use crate::warc::head::Kind;
use crate::warc::http::{self, HTTP_HEAD};
use crate::warc::members::Place;
use futures::{StreamExt, stream};
use pagekin_core::pages::{Answer, Reason, Skipped};
use std::path::PathBuf;
use std::sync::Arc;
use url::Url;

/// A row of an index.
#[derive(Debug, Clone, Copy)]
pub struct IndexedRecord<'a> {
    pub url: &'a str,
    /// Below the base of the index.
    pub file: &'a str,
    pub offset: u64,
    pub length: u64,
    /// Of the answer; 200 where the index does not say.
    pub status: u16,
    /// Is it a page, as far as the index says?
    pub html: bool,
    /// Microseconds since 1970; 0 where the index does not say.
    pub at: i64,
}

/// Rows of an index, being collected.
#[derive(Default)]
pub struct Indexed {
    listing: Listing,
    places: Places,
    /// Rows that name no address, or no record below the base.
    pub left_out: usize,
}

impl Indexed {
    pub fn push(&mut self, row: &IndexedRecord<'_>) {
        let Ok(url) = Url::parse(row.url) else {
            self.left_out += 1;
            return;
        };
        if !matches!(url.scheme(), "http" | "https") || !self.places.push(row.file, row.offset, row.length) {
            self.left_out += 1;
            return;
        }
        let entry = Entry {
            member: row.offset,
            url: 0,
            date: row.at,
            within: 0,
            digest: Digest::default(),
            status: row.status,
            file: u16::MAX,
            kind: Kind::Response,
            html: row.html,
        };
        self.listing.push(url.as_str().split('#').next().unwrap_or(""), entry);
    }

    pub fn len(&self) -> usize {
        self.listing.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.listing.entries.is_empty()
    }

    /// `at_once`: ranges under way at a time.
    pub fn archive(self, base: Base, at_once: usize) -> Result<Archive, Error> {
        let remote = Remote::new(base, self.places, at_once)?;
        let index = Index::new(vec![self.listing]);
        let inner = Inner { index, stores: Vec::new(), damage: Vec::new(), remote: Some(remote) };
        Ok(Archive { inner: Arc::new(inner), limits: Limits::default(), drawn: true })
    }
}

impl Archive {
    /// What was asked of far-away files; none of an archive on this machine. Such an archive is a sample of a site.
    pub fn remote(&self) -> Option<RemoteStats> {
        self.inner.remote.as_ref().map(Remote::stats)
    }
}

/// An answer for each address, in their order; ranges are read side by side.
pub(super) async fn answers(inner: Arc<Inner>, urls: Vec<Url>, limits: Limits) -> Vec<Answer> {
    let at_once = inner.remote.as_ref().map_or(1, Remote::at_once);
    let answer = |url: Url| {
        let inner = inner.clone();
        async move { answer(inner, &url, limits).await }
    };
    stream::iter(urls).map(answer).buffered(at_once).collect().await
}

async fn answer(inner: Arc<Inner>, url: &Url, limits: Limits) -> Answer {
    // The hops own the archive: a borrow would hide from the compiler that the future can move between threads.
    let hop = async move |url: &Url| hop(&inner, url, &limits).await.map(Arc::new);
    follow::follow(url, &limits, hop).await
}

async fn hop(inner: &Inner, url: &Url, limits: &Limits) -> Result<Exchange, Skipped> {
    let absent = || Skipped::new(url, Reason::NotArchived, "the index has no record of this address");
    let entry = inner.index.find(url).ok_or_else(absent)?;
    let remote = inner.remote.as_ref().ok_or_else(absent)?;
    let limit = (limits.decoded + HTTP_HEAD) as u64;
    let told = |(reason, detail): (Reason, String)| Skipped::new(url, reason, detail);
    let (bytes, first) = remote.record(entry, limit).await.map_err(told)?;
    let broken = |detail: String| {
        remote.count(|stats| stats.unreadable += 1);
        Skipped::new(url, Reason::Network, detail)
    };
    let store = Store { path: PathBuf::new(), source: Arc::new(bytes), dictionary: None };
    let (head, block) = scan::read(&store, Place { member: 0, within: 0 }, limit).map_err(|unread| match unread {
        Unread::TooLarge(size) => {
            Skipped::new(url, Reason::TooLarge, format!("its record has {size} bytes, more than {limit}"))
        }
        Unread::Broken(trouble) => broken(format!("the record cannot be read: {trouble}")),
    })?;
    if head.url().is_none_or(|own| own.as_str() != inner.index.url(entry)) {
        return Err(broken("the index leads to the record of another address".to_owned()));
    }
    if first && head.field("warc-truncated").is_some() {
        remote.count(|stats| stats.truncated += 1);
    }
    http::exchange(&head, block).ok_or_else(|| broken("the record is no HTTP answer".to_owned()))
}
