//! What did the site answer, as far as archives know? URL → raw page, from WARC files instead of the network.
//!
//! - [`Archive`]: several files as one site; implements [`Pages`] and [`Known`].
//!
//! The files are walked through once and then read at the places found ([`scan`]); memory holds one small entry a
//! record ([`index`]), never bodies. Redirects, errors and limits go through [`follow`], as on the live site.
//! Records of files that are far away are read one by one, at the places that an index names ([`indexed`], [`remote`]); a part of a file is read
//! by `part`. Never writes except the index it is asked to keep ([`cdxj`]).

mod cdxj;
mod excerpt;
mod index;
mod indexed;
mod ranges;
pub mod remote;
mod revisit;
pub(crate) mod scan;
pub mod slice;

use crate::error::Error;
use crate::exchange::{Exchange, Known};
use crate::follow::{self, Limits};
use crate::warc::head::{Head, Kind};
use crate::warc::http::{self, Answered, HTTP_HEAD};
use crate::warc::read::Damage;
pub use excerpt::Excerpt;
use futures::FutureExt;
use index::{Entry, Index};
pub use indexed::{Indexed, IndexedRecord};
use pagekin_core::pages::{Answer, Pages, Reason, Skipped};
use rayon::prelude::*;
use remote::Remote;
use scan::{Scanned, Store, Unread};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// Pages read ahead per thread when all of them are wanted.
const AHEAD: usize = 4;

#[derive(Clone)]
pub struct Archive {
    inner: Arc<Inner>,
    limits: Limits,
    /// Answer with what a browser made of a page, where that is kept.
    drawn: bool,
}

struct Inner {
    index: Index,
    stores: Vec<Store>,
    damage: Vec<(PathBuf, Damage)>,
    /// Where records are when they are in none of the stores.
    remote: Option<Remote>,
}

/// A record, and where it stands.
#[derive(Debug, Clone)]
pub struct Listed<'a> {
    entry: u32,
    pub url: &'a str,
    pub path: &'a Path,
    /// Of the compressed member that holds it, or of the record itself.
    pub position: u64,
    /// `sha1:…` of the body as sent.
    pub digest: String,
    pub at: jiff::Timestamp,
}

impl<'a> Listed<'a> {
    fn of(entry: u32, index: &'a Index, stores: &'a [Store]) -> Self {
        let Entry { member, file, digest, date, .. } = index.entry(entry);
        let path = stores.get(usize::from(*file)).map_or(Path::new(""), |store| store.path.as_path());
        let at = jiff::Timestamp::from_microsecond(*date).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        Self { entry, url: index.url(entry), path, position: *member, digest: digest.field(), at }
    }
}

impl Archive {
    /// Walks through the files once. Damage does not fail: see [`Archive::damage`].
    pub fn open(paths: &[PathBuf]) -> Result<Self, Error> {
        Self::with(paths, scan::scan)
    }

    /// As [`Archive::open`], but a file walked through before is not walked through again: what was found is kept
    /// beside it, in `<file>.cdxj`.
    pub fn open_with_index(paths: &[PathBuf]) -> Result<Self, Error> {
        Self::with(paths, cdxj::scan_or_load)
    }

    fn with(paths: &[PathBuf], scan: impl Fn(&Path) -> Result<Scanned, Error> + Sync) -> Result<Self, Error> {
        if paths.len() > usize::from(u16::MAX / 2) {
            return Err(Error::TooManyArchives(paths.len()));
        }
        let scanned: Result<Vec<Scanned>, Error> = paths.par_iter().map(|path| scan(path)).collect();
        Ok(Self { inner: Arc::new(Inner::join(scanned?)), limits: Limits::default(), drawn: true })
    }

    /// The same archive with other limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same archive, which answers as servers did, whatever browsers made of it.
    pub fn without_drawn(self) -> Self {
        Self { drawn: false, ..self }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The answer of the server itself.
    pub(crate) fn original(&self, url: &Url) -> Result<Exchange, Skipped> {
        self.inner.hop(url, &self.limits, false)
    }

    /// Is what a browser made of this page at hand?
    pub fn has_drawn(&self, url: &Url) -> bool {
        self.inner.index.find(url).is_some_and(|entry| self.inner.index.drawn(entry).is_some())
    }

    /// Records listed: answers, of any status.
    pub fn len(&self) -> usize {
        self.inner.index.len()
    }

    pub fn is_empty(&self) -> bool {
        self.inner.index.is_empty()
    }

    /// Bytes of memory the index takes.
    pub fn memory(&self) -> usize {
        self.inner.index.memory()
    }

    /// Files of which something had to be left out.
    pub fn damage(&self) -> &[(PathBuf, Damage)] {
        &self.inner.damage
    }

    /// Addresses that answered with an HTML page, each once, in file order.
    pub fn urls(&self) -> impl Iterator<Item = Url> + '_ {
        let index = &self.inner.index;
        let pages = index.winners().filter(|&entry| index.entry(entry).is_success() && index.entry(entry).html);
        pages.filter_map(|entry| Url::parse(index.url(entry)).ok())
    }

    /// Every answer in file order: where it stands.
    pub fn listed(&self) -> impl Iterator<Item = Listed<'_>> + '_ {
        let (index, stores) = (&self.inner.index, &self.inner.stores);
        let answers = (0..index.len() as u32).filter(|&entry| index.entry(entry).kind != Kind::Drawn);
        answers.map(|entry| Listed::of(entry, index, stores))
    }

    /// The record that answers an address.
    pub fn locate(&self, url: &Url) -> Option<Listed<'_>> {
        let index = &self.inner.index;
        index.find(url).map(|entry| Listed::of(entry, index, &self.inner.stores))
    }

    /// The answer of a record; none when it cannot be read.
    pub fn read(&self, listed: &Listed) -> Option<Exchange> {
        self.inner.exchange(listed.entry, &self.limits).ok()
    }

    /// Every HTML page, in file order; a few are read ahead on all cores, the rest stays on the disk.
    pub fn pages(&self) -> impl Iterator<Item = Answer> + '_ {
        let mut urls = self.urls();
        let mut ahead = VecDeque::new();
        std::iter::from_fn(move || {
            if ahead.is_empty() {
                let ahead_of_us = self.inner.remote.as_ref().map_or(rayon::current_num_threads(), Remote::at_once);
                let batch: Vec<Url> = urls.by_ref().take(AHEAD * ahead_of_us).collect();
                ahead.extend(match &self.inner.remote {
                    None => self.inner.answers(&batch, &self.limits, self.drawn),
                    Some(remote) => {
                        remote.wait(indexed::answers(self.inner.clone(), batch, self.limits)).unwrap_or_default()
                    }
                });
            }
            ahead.pop_front()
        })
    }
}

impl Pages for Archive {
    fn held(&self) -> Vec<Url> {
        self.urls().collect()
    }

    /// Runs on rayon's threads, so that the caller's runtime (any, or none) is not blocked.
    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        let (sender, receiver) = futures::channel::oneshot::channel();
        let (inner, asked, limits, drawn) = (self.inner.clone(), urls.to_vec(), self.limits, self.drawn);
        let receiver = match &self.inner.remote {
            Some(remote) => remote.spawn(indexed::answers(inner, asked, limits)),
            None => {
                rayon::spawn(move || {
                    let _ = sender.send(inner.answers(&asked, &limits, drawn)); // Nobody waits any more: nothing to do.
                });
                receiver
            }
        };
        receiver.await.unwrap_or_else(|_| {
            let lost = |url| Answer::Skipped(Skipped::new(url, Reason::Interrupted, "the reading thread ended"));
            urls.iter().map(lost).collect()
        })
    }
}

impl Known for Archive {
    /// In this very spelling: another one's `ETag` says nothing about this one.
    fn exchange(&self, url: &Url) -> Option<Exchange> {
        let index = &self.inner.index;
        let entry = index.find_spelling(url).filter(|&entry| index.entry(entry).is_success())?;
        self.inner.exchange(entry, &self.limits).ok()
    }
}

impl Inner {
    fn join(scanned: Vec<Scanned>) -> Self {
        let (mut stores, mut damage, mut listings) = (Vec::new(), Vec::new(), Vec::new());
        for one in scanned {
            let path = one.store.path.clone();
            let base = stores.len() as u16;
            let mut listing = one.listing;
            listing.entries.iter_mut().for_each(|entry| entry.file += base);
            listings.push(listing);
            stores.push(one.store);
            stores.extend(one.copy);
            if one.damage.any() {
                warn(&path, &one.damage);
                damage.push((path, one.damage));
            }
        }
        Self { index: Index::new(listings), stores, damage, remote: None }
    }

    fn answers(&self, urls: &[Url], limits: &Limits, drawn: bool) -> Vec<Answer> {
        urls.par_iter().map(|url| self.answer(url, limits, drawn)).collect()
    }

    fn answer(&self, url: &Url, limits: &Limits, drawn: bool) -> Answer {
        let hop = async |url: &Url| self.hop(url, limits, drawn).map(Arc::new);
        // A hop reads a file and never waits, so the future is ready at once.
        follow::follow(url, limits, hop)
            .now_or_never()
            .unwrap_or_else(|| Answer::Skipped(Skipped::new(url, Reason::Interrupted, "not read")))
    }

    fn hop(&self, url: &Url, limits: &Limits, drawn: bool) -> Result<Exchange, Skipped> {
        let entry = self.index.find(url);
        let entry = entry.ok_or_else(|| Skipped::new(url, Reason::NotArchived, "no record of this address"))?;
        let answer = self.exchange(entry, limits).and_then(|answer| match self.index.drawn(entry).filter(|_| drawn) {
            Some(drawn) => Ok(with_document(answer, self.stored(drawn, limits)?)),
            None => Ok(answer),
        });
        answer.map_err(|(reason, detail)| Skipped::new(url, reason, detail))
    }

    /// The answer of a record; that of a revisit has the body of the first visit.
    fn exchange(&self, entry: u32, limits: &Limits) -> Result<Exchange, (Reason, String)> {
        if self.index.entry(entry).kind != Kind::Revisit {
            return self.stored(entry, limits);
        }
        let missing =
            || (Reason::NotArchived, "a revisit of a record that is in none of the archives given".to_owned());
        let first = self.stored(self.index.first(entry).ok_or_else(missing)?, limits)?;
        let (head, block) = self.record(entry, limits)?;
        let own = Answered::parse(&head, &block).filter(|own| own.status != 304);
        Ok(revisited(self.index.url(entry), own, first, head.date()))
    }

    fn stored(&self, entry: u32, limits: &Limits) -> Result<Exchange, (Reason, String)> {
        let (head, block) = self.record(entry, limits)?;
        http::exchange(&head, block).ok_or_else(|| (Reason::Network, "the record is no HTTP answer".to_owned()))
    }

    fn record(&self, entry: u32, limits: &Limits) -> Result<(Head, Vec<u8>), (Reason, String)> {
        let at: &Entry = self.index.entry(entry);
        let Some(store) = self.stores.get(usize::from(at.file)) else {
            return Err((Reason::NotArchived, "its record is in a file that is far away".to_owned()));
        };
        if at.within == scan::UNREACHABLE {
            return Err((Reason::TooLarge, "its record is too large for a page".to_owned()));
        }
        let limit = (limits.decoded + HTTP_HEAD) as u64;
        let (head, block) = scan::read(store, at.place(), limit).map_err(|unread| match unread {
            Unread::TooLarge(size) => (Reason::TooLarge, format!("its record has {size} bytes, more than {limit}")),
            Unread::Broken(trouble) => (Reason::Network, format!("cannot read `{}`: {trouble}", store.path.display())),
        })?;
        if head.url().is_none_or(|url| url.as_str() != self.index.url(entry)) {
            return Err((Reason::Network, format!("`{}` has changed since it was opened", store.path.display())));
        }
        Ok((head, block))
    }
}

/// The answer's own head where it has one, around the body seen first. The body's coding is as it was then.
fn revisited(url: &str, own: Option<Answered>, first: Exchange, date: Option<jiff::Timestamp>) -> Exchange {
    let mut exchange = first;
    exchange.url = Url::parse(url).unwrap_or(exchange.url);
    exchange.at = date.unwrap_or(exchange.at);
    if let Some(own) = own {
        let of_body =
            |name: &str| ["content-encoding", "transfer-encoding"].iter().any(|known| name.eq_ignore_ascii_case(known));
        let coding = exchange.headers.into_iter().filter(|(name, _)| of_body(name));
        exchange.headers = own.headers.into_iter().filter(|(name, _)| !of_body(name)).chain(coding).collect();
        exchange.status = own.status;
    }
    exchange
}

/// The answer with the document that a browser made of it: what the server said about it still holds.
fn with_document(answer: Exchange, drawn: Exchange) -> Exchange {
    let of_body = ["content-type", "content-encoding", "content-length"];
    let mut headers = answer.headers;
    headers.retain(|(name, _)| !of_body.iter().any(|own| name.eq_ignore_ascii_case(own)));
    headers.extend(drawn.headers);
    Exchange { headers, body: drawn.body, ..answer }
}

fn warn(path: &Path, damage: &Damage) {
    let cut = if damage.truncated { ", and its end was cut off" } else { "" };
    tracing::warn!("archive `{}`: {} damaged places left out{cut}: {}", path.display(), damage.places, damage.reason);
}
