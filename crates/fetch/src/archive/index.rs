//! Which record answers an address? Addresses and what the scan saw → the best record, found by binary search.
//!
//! - [`Entry`]: where a record stands and what it says about itself, 56 bytes.
//! - [`Listing`]: the entries of one file in file order, addresses in one string.
//! - [`Index`]: several listings, searchable by spelling and by [`key`]; about 72 bytes a record and its address.
//!
//! Does not know how a record is read.

use super::revisit::{self, Referral};
use crate::warc::digest::Digest;
use crate::warc::head::Kind;
use crate::warc::members::Place;
use pagekin_core::page::address::key;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use url::Url;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub member: u64,
    /// Start of the address in the listing's string; the next entry's start is its end.
    pub url: u64,
    /// Microseconds since 1970.
    pub date: i64,
    pub within: u32,
    /// Of the payload; zeros when the record does not tell.
    pub digest: Digest,
    /// Of the answer; 0 for a revisit whose first visit is not known (yet).
    pub status: u16,
    /// Which of the archive's files.
    pub file: u16,
    pub kind: Kind,
    pub html: bool,
}

impl Entry {
    pub fn place(&self) -> Place {
        Place { member: self.member, within: u64::from(self.within) }
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub entries: Vec<Entry>,
    pub urls: String,
    pub referrals: Vec<Referral>,
}

impl Listing {
    pub fn url(&self, entry: usize) -> &str {
        let end = self.entries.get(entry + 1).map_or(self.urls.len(), |next| next.url as usize);
        &self.urls[self.entries[entry].url as usize..end]
    }

    pub fn push(&mut self, url: &str, entry: Entry) {
        self.entries.push(Entry { url: self.urls.len() as u64, ..entry });
        self.urls.push_str(url);
    }

    fn join(&mut self, other: Self) {
        let (entries, urls) = (self.entries.len() as u32, self.urls.len() as u64);
        self.urls.push_str(&other.urls);
        self.entries.extend(other.entries.into_iter().map(|entry| Entry { url: entry.url + urls, ..entry }));
        let moved = other.referrals.into_iter().map(|one| Referral { entry: one.entry + entries, ..one });
        self.referrals.extend(moved);
    }
}

#[derive(Debug, Default)]
pub struct Index {
    listing: Listing,
    /// Entries by address, for each address the best first.
    by_url: Vec<u32>,
    /// Entries by the hash of their key; [`Self::hashes`] stands beside it.
    by_key: Vec<u32>,
    hashes: Vec<u64>,
    /// What browsers made of pages, by address, the newest first.
    drawn: Vec<u32>,
    /// The first visit of each revisit.
    firsts: FxHashMap<u32, u32>,
}

impl Index {
    pub fn new(listings: Vec<Listing>) -> Self {
        let mut listings = listings.into_iter();
        let mut listing = listings.next().unwrap_or_default();
        listings.for_each(|other| listing.join(other));
        listing.entries.shrink_to_fit();
        listing.urls.shrink_to_fit();
        let firsts = revisit::resolve(&mut listing);
        listing.referrals = Vec::new();
        let (drawn, by_url) = sorted_by_url(&listing);
        let (hashes, by_key) = sorted_by_key(&listing);
        Self { listing, by_url, by_key, hashes, drawn, firsts }
    }

    pub fn len(&self) -> usize {
        self.listing.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.listing.entries.is_empty()
    }

    pub fn entry(&self, entry: u32) -> &Entry {
        &self.listing.entries[entry as usize]
    }

    pub fn url(&self, entry: u32) -> &str {
        self.listing.url(entry as usize)
    }

    /// The record with the body of this revisit.
    pub fn first(&self, revisit: u32) -> Option<u32> {
        self.firsts.get(&revisit).copied()
    }

    /// What a browser made of this answer, and of no earlier one.
    pub fn drawn(&self, entry: u32) -> Option<u32> {
        let url = self.url(entry);
        let at = self.drawn.partition_point(|&own| self.url(own) < url);
        let newest = self.drawn.get(at).copied().filter(|&own| self.url(own) == url)?;
        (self.entry(newest).date >= self.entry(entry).date).then_some(newest)
    }

    /// The best record of an address: in this spelling, else in one that [`key`] says is the same.
    pub fn find(&self, url: &Url) -> Option<u32> {
        self.find_spelling(url).or_else(|| self.find_by_key(&key(url)))
    }

    /// The best record of an address in this very spelling.
    pub fn find_spelling(&self, url: &Url) -> Option<u32> {
        self.best(url.as_str().split('#').next().unwrap_or(""))
    }

    fn best(&self, url: &str) -> Option<u32> {
        let at = self.by_url.partition_point(|&entry| self.url(entry) < url);
        self.by_url.get(at).copied().filter(|&entry| self.url(entry) == url)
    }

    fn find_by_key(&self, wanted: &str) -> Option<u32> {
        let hash = key_hash(wanted);
        let from = self.hashes.partition_point(|&known| known < hash);
        let same = self.hashes[from..].iter().take_while(|&&known| known == hash).count();
        let candidates = self.by_key[from..from + same].iter().copied();
        candidates
            .filter(|&entry| Url::parse(self.url(entry)).is_ok_and(|url| key(&url) == wanted))
            .min_by_key(|&entry| rank(&self.listing, entry))
    }

    /// The best record of each address, in file order.
    pub fn winners(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len() as u32).filter(|&entry| self.best(self.url(entry)) == Some(entry))
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.listing.entries.capacity() * size_of::<Entry>()
            + self.listing.urls.capacity()
            + (self.by_url.capacity() + self.by_key.capacity() + self.drawn.capacity()) * 4
            + self.hashes.capacity() * 8
            + self.firsts.capacity() * 9
    }
}

/// The smaller, the better: pages before redirects before errors, then the newest, then the last written.
fn rank(listing: &Listing, entry: u32) -> (u8, Reverse<i64>, Reverse<u32>) {
    let of = &listing.entries[entry as usize];
    let class = match of.status {
        206 => 4, // A part of a page is worth less than an error: the error is at least the whole answer.
        200..=299 => 0,
        301 | 302 | 303 | 307 | 308 => 1,
        400..=499 => 2,
        500..=599 => 3,
        0 => 5,
        _ => 4,
    };
    (class, Reverse(of.date), Reverse(entry))
}

/// What browsers made, and what servers answered.
fn sorted_by_url(listing: &Listing) -> (Vec<u32>, Vec<u32>) {
    let mut order: Vec<u32> = (0..listing.entries.len() as u32).collect();
    let url = |entry: u32| listing.url(entry as usize);
    order.sort_unstable_by(|&a, &b| url(a).cmp(url(b)).then_with(|| rank(listing, a).cmp(&rank(listing, b))));
    order.into_iter().partition(|&entry| listing.entries[entry as usize].kind == Kind::Drawn)
}

fn sorted_by_key(listing: &Listing) -> (Vec<u64>, Vec<u32>) {
    let hash = |entry: usize| Url::parse(listing.url(entry)).map_or(0, |url| key_hash(&key(&url)));
    let hashes: Vec<u64> = (0..listing.entries.len()).map(hash).collect();
    let answered = |&entry: &u32| listing.entries[entry as usize].kind != Kind::Drawn;
    let mut order: Vec<u32> = (0..hashes.len() as u32).filter(answered).collect();
    order.sort_unstable_by_key(|&entry| (hashes[entry as usize], entry));
    (order.iter().map(|&entry| hashes[entry as usize]).collect(), order)
}

/// From SHA-1, so that nobody can choose addresses that collide.
fn key_hash(key: &str) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = Digest::of(&[key.as_bytes()]).0;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(status: u16, date: i64) -> Entry {
        Entry {
            member: 0,
            url: 0,
            date,
            within: 0,
            digest: Digest::default(),
            status,
            file: 0,
            kind: Kind::Response,
            html: true,
        }
    }

    fn index(records: &[(&str, u16, i64)]) -> Index {
        let mut listing = Listing::default();
        records.iter().for_each(|&(url, status, date)| listing.push(url, entry(status, date)));
        Index::new(vec![listing])
    }

    fn find(index: &Index, url: &str) -> Option<u32> {
        index.find(&Url::parse(url).unwrap())
    }

    #[test]
    fn the_newest_of_the_best_status_wins() {
        let index = index(&[
            ("http://s/a", 200, 1),
            ("http://s/b", 200, 1),
            ("http://s/a", 200, 2),
            ("http://s/a", 500, 3),
            ("http://s/a", 301, 4),
            ("http://s/b", 200, 1),
        ]);
        assert_eq!(find(&index, "http://s/a"), Some(2));
        assert_eq!(find(&index, "http://s/b#x"), Some(5));
        assert_eq!(index.winners().collect::<Vec<_>>(), [2, 5]);
    }

    #[test]
    fn the_spelling_given_goes_before_the_key() {
        let index = index(&[("http://s/a/", 200, 1), ("http://s/a", 301, 1), ("http://s/b/", 200, 1)]);
        assert_eq!(find(&index, "http://s/a"), Some(1));
        assert_eq!(find(&index, "http://s/a/"), Some(0));
        assert_eq!(find(&index, "http://s:80/b?utm_source=x"), Some(2));
        assert_eq!(find(&index, "https://s/b"), None);
        assert_eq!(find(&index, "http://s/c"), None);
    }

    #[test]
    fn an_entry_stays_small() {
        assert!(size_of::<Entry>() <= 56);
    }
}
