//! Whose body does a revisit have? Records that say "as before" → the record before.
//!
//! - [`Referral`]: what a revisit says about its first visit.
//!
//! Looked for by the address and date it names, else by the digest of the payload, else under its own address; in
//! all archives given. A body whose digest contradicts the revisit is not taken.

use super::index::{Entry, Listing};
use crate::warc::digest::Digest;
use crate::warc::head::Kind;
use rustc_hash::FxHashMap;

/// Captures of one address looked at for one revisit, so that a file with nothing else costs linear time.
const CAPTURES: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referral {
    /// The revisit.
    pub entry: u32,
    /// Empty when it does not tell.
    pub url: String,
    /// Microseconds since 1970.
    pub date: Option<i64>,
}

/// The first visit of each revisit. Revisits take over what they did not say themselves: status, being HTML.
pub fn resolve(listing: &mut Listing) -> FxHashMap<u32, u32> {
    if listing.entries.iter().all(|entry| entry.kind != Kind::Revisit) {
        return FxHashMap::default();
    }
    let firsts = Bodies::new(listing).firsts();
    for (&revisit, &first) in &firsts {
        let Entry { status, html, .. } = listing.entries[first as usize];
        let entry = &mut listing.entries[revisit as usize];
        if entry.status == 0 || entry.status == 304 {
            entry.status = status;
        }
        entry.html = html;
    }
    for (at, entry) in listing.entries.iter_mut().enumerate() {
        if entry.kind == Kind::Revisit && !firsts.contains_key(&(at as u32)) {
            entry.status = 0;
        }
    }
    firsts
}

/// The records that have a body, sorted by address and date, and by digest.
struct Bodies<'a> {
    listing: &'a Listing,
    by_url: Vec<u32>,
    by_digest: Vec<u32>,
}

impl<'a> Bodies<'a> {
    fn new(listing: &'a Listing) -> Self {
        let has_body = |&entry: &u32| listing.entries[entry as usize].kind != Kind::Revisit;
        let mut by_url: Vec<u32> = (0..listing.entries.len() as u32).filter(has_body).collect();
        let mut by_digest = by_url.clone();
        let entry = |at: u32| &listing.entries[at as usize];
        by_url.sort_unstable_by_key(|&at| (listing.url(at as usize), entry(at).date, at));
        by_digest.sort_unstable_by_key(|&at| (entry(at).digest, at));
        Self { listing, by_url, by_digest }
    }

    fn firsts(&self) -> FxHashMap<u32, u32> {
        let referrals: FxHashMap<u32, &Referral> = self.listing.referrals.iter().map(|one| (one.entry, one)).collect();
        let revisits = (0..self.listing.entries.len() as u32).filter(|&at| self.entry(at).kind == Kind::Revisit);
        revisits.filter_map(|at| Some((at, self.first(at, referrals.get(&at).copied())?))).collect()
    }

    fn entry(&self, at: u32) -> &Entry {
        &self.listing.entries[at as usize]
    }

    fn first(&self, revisit: u32, referral: Option<&Referral>) -> Option<u32> {
        let named = referral.and_then(|referral| self.named(revisit, referral));
        named.or_else(|| self.same_digest(revisit)).or_else(|| self.same_url(revisit))
    }

    fn named(&self, revisit: u32, referral: &Referral) -> Option<u32> {
        // Tools cut dates to seconds.
        let seconds = |date: i64| date.div_euclid(1_000_000);
        let date = seconds(referral.date?);
        let captures = self.at_url(&referral.url);
        let from = captures.partition_point(|&at| seconds(self.entry(at).date) < date);
        let dated = captures[from..].iter().copied().take_while(|&at| seconds(self.entry(at).date) == date);
        dated.take(CAPTURES).find(|&at| self.fits(revisit, at))
    }

    fn same_digest(&self, revisit: u32) -> Option<u32> {
        let digest = self.entry(revisit).digest;
        let from = self.by_digest.partition_point(|&at| self.entry(at).digest < digest);
        let first = self.by_digest.get(from).copied()?;
        (digest != Digest::default() && self.entry(first).digest == digest).then_some(first)
    }

    /// The newest not after the revisit.
    fn same_url(&self, revisit: u32) -> Option<u32> {
        let date = self.entry(revisit).date;
        let captures = self.at_url(self.listing.url(revisit as usize));
        let until = captures.partition_point(|&at| self.entry(at).date <= date);
        captures[..until].iter().copied().rev().take(CAPTURES).find(|&at| self.fits(revisit, at))
    }

    fn fits(&self, revisit: u32, first: u32) -> bool {
        let (said, known) = (self.entry(revisit).digest, self.entry(first).digest);
        said == known || said == Digest::default() || known == Digest::default()
    }

    fn at_url(&self, url: &str) -> &[u32] {
        let from = self.by_url.partition_point(|&at| self.listing.url(at as usize) < url);
        let same = self.by_url[from..].partition_point(|&at| self.listing.url(at as usize) == url);
        &self.by_url[from..from + same]
    }
}
