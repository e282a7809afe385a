//! What is this site, as the archive shows it? Archive → which addresses are one page, which pages link to the truth.
//!
//! - [`SiteTruth`]: one site while it is measured. - [`Oracle`]: what covering the truth would cost who knew everything.
//!
//! Every page of the archive is parsed once, for the oracle. Does not know methods or scores.

use crate::Error;
use crate::corpus::{Kind, SiteFolder};
use crate::cover;
use pagekin::page::address::key;
use pagekin::page::{self, Limits, Origin};
use pagekin::pages::{Answer, Pages, RawPage};
use pagekin::{Archive, Url};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// Pages held in memory at a time.
const BATCH: usize = 64;

#[derive(Clone)]
pub struct SiteTruth {
    pub archive: Archive,
    /// Keys of the addresses that answered with a page.
    pages: Arc<FxHashSet<String>>,
    /// Where other addresses lead, by key; themselves if nowhere.
    moved: Arc<Mutex<FxHashMap<String, String>>>,
}

/// The fewest pages whose links cover the truth, by greedy cover.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Oracle {
    pub pages: usize,
    pub per_entity: f64,
    /// True pages that no page links to.
    pub unlinked: usize,
}

impl SiteTruth {
    pub fn open(site: &SiteFolder) -> Result<Self, Error> {
        let archive = Archive::open(&site.archives).map_err(pagekin::Error::from)?;
        let pages = archive.urls().map(|url| key(&url)).collect();
        Ok(Self { archive, pages: Arc::new(pages), moved: Arc::default() })
    }

    /// The key of the page each address leads to, redirects of the archive followed.
    pub async fn keys(&self, urls: &[Url]) -> Vec<String> {
        let keys: Vec<String> = urls.iter().map(key).collect();
        let mut unknown: FxHashMap<&str, &Url> = FxHashMap::default();
        {
            let moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
            let new = |key: &String| !self.pages.contains(key) && !moved.contains_key(key);
            unknown.extend(keys.iter().zip(urls).filter(|(key, _)| new(key)).map(|(key, url)| (key.as_str(), url)));
        }
        let unknown: Vec<(&str, &Url)> = unknown.into_iter().collect();
        for batch in unknown.chunks(BATCH) {
            self.learn(batch).await;
        }
        let moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        keys.into_iter().map(|key| moved.get(&key).cloned().unwrap_or(key)).collect()
    }

    /// Does the archive have a page under this key?
    pub fn has(&self, key: &str) -> bool {
        self.pages.contains(key)
    }

    /// Where the archive leads from this key, as far as it was asked.
    pub fn moved_to(&self, key: &str) -> String {
        let moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        moved.get(key).cloned().unwrap_or_else(|| key.to_owned())
    }

    async fn learn(&self, batch: &[(&str, &Url)]) {
        let urls: Vec<Url> = batch.iter().map(|(_, url)| (*url).clone()).collect();
        let answers = self.archive.get(&urls).await;
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        for ((from, _), answer) in batch.iter().zip(answers) {
            let to = match answer {
                Answer::Page(page) => key(&page.url),
                Answer::Skipped(_) => (*from).to_owned(),
            };
            moved.insert((*from).to_owned(), to);
        }
    }

    pub async fn key_set(&self, urls: &[Url]) -> FxHashSet<String> {
        self.keys(urls).await.into_iter().collect()
    }

    /// One oracle for each kind.
    pub async fn oracles(&self, kinds: &[Kind]) -> Vec<Oracle> {
        let mut truths = Vec::new();
        for kind in kinds {
            truths.push(Truth::new(self.keys(&kind.truth).await));
        }
        let urls: Vec<Url> = self.archive.urls().collect();
        for batch in urls.chunks(BATCH) {
            for (page, links) in self.links(batch).await {
                let keys = self.keys(&links).await;
                truths.iter_mut().for_each(|truth| truth.note(&page, &keys));
            }
        }
        truths.iter().map(Truth::oracle).collect()
    }

    /// Key and links of each page of the batch, in its order.
    async fn links(&self, batch: &[Url]) -> Vec<(String, Vec<Url>)> {
        let answers = self.archive.get(batch).await;
        let pages = answers.into_par_iter().filter_map(|answer| match answer {
            Answer::Page(raw) => Some((key(&raw.url), anchors(&raw))),
            Answer::Skipped(_) => None,
        });
        pages.collect()
    }
}

/// Where the page's anchors lead; a page that cannot be parsed leads nowhere.
fn anchors(raw: &RawPage) -> Vec<Url> {
    let Ok(document) = page::read(raw, &Limits::default()) else { return Vec::new() };
    let links = page::links::links(&document, &raw.url);
    links.into_iter().filter(|link| link.origin == Origin::Anchor).map(|link| link.url).collect()
}

/// The true pages of a kind as numbers, and which of them each page links to.
struct Truth {
    numbers: FxHashMap<String, u32>,
    links: Vec<Vec<u32>>,
}

impl Truth {
    fn new(keys: Vec<String>) -> Self {
        let mut numbers = FxHashMap::default();
        for key in keys {
            let next = numbers.len() as u32;
            numbers.entry(key).or_insert(next);
        }
        Self { numbers, links: Vec::new() }
    }

    /// A page does not lead to itself.
    fn note(&mut self, page: &str, keys: &[String]) {
        let others = keys.iter().filter(|key| *key != page);
        let mut known: Vec<u32> = others.filter_map(|key| self.numbers.get(key).copied()).collect();
        known.sort_unstable();
        known.dedup();
        self.links.push(known);
    }

    fn oracle(&self) -> Oracle {
        let entities = self.numbers.len();
        let cover = cover::greedy(&self.links, entities);
        let pages = cover.pages.len();
        Oracle { pages, per_entity: pages as f64 / entities.max(1) as f64, unlinked: entities - cover.covered }
    }
}
