//! The addresses of a site as numbers: many spellings, one number; many addresses, little memory.
//!
//! Takes addresses → gives [`UrlId`]s, and back the first spelling and the URL terms. - [`Spelled`]: an address with its
//! key worked out, made where pages are parsed so that the one thread that gives out numbers has little to do.
//!
//! Keys stand in one buffer and terms in another: an address costs its letters and about fifty bytes.

use super::UrlId;
use crate::features::TermTable;
use crate::page::address::key;
use rustc_hash::FxHashMap;
use string_interner::backend::StringBackend;
use string_interner::symbol::SymbolU32;
use string_interner::{StringInterner, Symbol};
use url::Url;

/// An address and, when it is not written as its key, how it was written.
#[derive(Debug)]
pub(super) struct Spelled {
    key: Box<str>,
    written: Option<Box<str>>,
}

impl Spelled {
    pub fn new(url: &Url) -> Self {
        let key = key(url).into_boxed_str();
        let written = (*key != *url.as_str()).then(|| url.as_str().into());
        Self { key, written }
    }

    /// Of what is kept of it.
    pub fn bytes(&self) -> usize {
        self.key.len() + self.written.as_ref().map_or(0, |written| written.len())
    }
}

#[derive(Debug)]
pub(super) struct Addresses {
    /// Hashes with a random seed: addresses come from strangers.
    keys: StringInterner<StringBackend<SymbolU32>>,
    /// The first spelling, where it differs from the key.
    written: FxHashMap<UrlId, Box<str>>,
    table: TermTable,
    terms: Vec<u32>,
    /// Where the terms of each address end.
    ends: Vec<usize>,
}

impl Addresses {
    pub fn new() -> Self {
        Self {
            keys: StringInterner::new(),
            written: FxHashMap::default(),
            table: TermTable::default(),
            terms: Vec::new(),
            ends: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn knows(&self, address: &Spelled) -> bool {
        self.keys.get(&address.key).is_some()
    }

    pub fn id(&mut self, address: &Spelled) -> UrlId {
        let id = self.keys.get_or_intern(&address.key).to_usize();
        if id == self.ends.len() {
            self.terms.extend_from_slice(&self.table.of_url(&address.key));
            self.ends.push(self.terms.len());
            if let Some(written) = &address.written {
                self.written.insert(id as UrlId, written.clone());
            }
        }
        id as UrlId
    }

    pub fn url(&self, id: UrlId) -> Url {
        let written = self.written.get(&id).map(|written| &**written);
        let text = written.unwrap_or_else(|| self.key(id));
        Url::parse(text).expect("only addresses are given numbers, as written or as their key")
    }

    pub fn key(&self, id: UrlId) -> &str {
        let symbol = SymbolU32::try_from_usize(id as usize).expect("numbers are symbols");
        self.keys.resolve(symbol).expect("numbers are given out here")
    }

    pub fn terms(&self, id: UrlId) -> &[u32] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.terms[start..self.ends[id]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Spelled {
        Spelled::new(&Url::parse(text).unwrap())
    }

    #[test]
    fn spellings_share_a_number_and_the_first_one_comes_back() {
        let mut addresses = Addresses::new();
        let first = addresses.id(&spelled("http://S.org/a/?utm_source=x"));
        let other = addresses.id(&spelled("http://s.org/b"));
        assert_eq!(addresses.id(&spelled("http://s.org/a#top")), first);
        assert_eq!(addresses.url(first).as_str(), "http://s.org/a/?utm_source=x");
        assert_eq!(addresses.url(other).as_str(), "http://s.org/b");
        assert_eq!((addresses.len(), addresses.key(first)), (2, "http://s.org/a"));
    }

    #[test]
    fn terms_are_those_of_the_key() {
        let mut addresses = Addresses::new();
        let tracked = addresses.id(&spelled("http://s.org/a?utm_source=x"));
        let plain = addresses.id(&spelled("http://s.org/b"));
        let shared = addresses.terms(tracked).iter().filter(|term| addresses.terms(plain).contains(term)).count();
        // pos1_s, pos1_org and size_2.
        assert_eq!((addresses.terms(tracked).len(), shared), (4, 3));
    }
}
