//! What a method notes down as it goes: found pages, index pages, pages left out, steps → [`Discovery`].
//!
//! - [`Ledger`]: the notes, by address number. A page found for one sample is found, whatever the search for another
//!   sample said of it; redirects learned later are followed when the notes are closed.
//!
//! Knows no method: `ssup` and `indesit` write into it.

use crate::discover::{Discovery, Dropped, Entity, Error, Index, Method, Step};
use crate::pages::Pages;
use crate::site::{Site, Stop, UrlId};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;
use url::Url;

#[derive(Debug, Default)]
pub struct Ledger {
    entities: BTreeMap<UrlId, Found>,
    indexes: BTreeMap<UrlId, Grouping>,
    dropped: BTreeMap<UrlId, Cow<'static, str>>,
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
pub struct Found {
    pub confidence: f64,
    pub via: Option<UrlId>,
    pub evidence: Cow<'static, str>,
}

#[derive(Debug, Clone)]
pub struct Grouping {
    pub level: usize,
    pub parent: Option<UrlId>,
    pub evidence: Cow<'static, str>,
}

impl Ledger {
    pub fn sample(&mut self, page: UrlId, via: Option<UrlId>) {
        self.entity(page, Found { confidence: 1.0, via, evidence: "the sample".into() });
    }

    /// Notes a found page; of several notes the surest stays, of equally sure ones the first that knows a way to it.
    pub fn entity(&mut self, page: UrlId, found: Found) {
        let better = |known: &Found| {
            found.confidence > known.confidence || (found.confidence == known.confidence && known.via.is_none())
        };
        if self.entities.get(&page).is_none_or(better) {
            self.entities.insert(page, found);
        }
    }

    pub fn index(&mut self, page: UrlId, index: Grouping) {
        self.indexes.entry(page).or_insert(index);
    }

    /// Notes a page left out; the last word counts, because lower levels are judged later.
    pub fn drop(&mut self, page: UrlId, why: impl Into<Cow<'static, str>>) {
        self.dropped.insert(page, why.into());
    }

    pub fn step(&mut self, title: impl Into<String>, lines: Vec<String>) {
        self.steps.push(Step { title: title.into(), lines });
    }

    pub fn close<P: Pages>(self, site: &Site<P>, run: Run<'_>) -> Discovery {
        let entities = self.found(site);
        let indexes = self.groupings(site);
        let left_out = |id: UrlId| {
            let id = site.resolve(id);
            !entities.contains_key(&id) && !indexes.contains_key(&id) && site.skip_reason(id).is_none()
        };
        let dropped = self.dropped.iter().filter(|(id, _)| left_out(**id));
        let dropped = dropped.map(|(&id, why)| Dropped { url: site.url(id), why: why.to_string() });
        let mut skipped = site.skipped();
        skipped.sort_by(|a, b| (a.url.as_str(), a.reason).cmp(&(b.url.as_str(), b.reason)));
        Discovery {
            method: run.method,
            samples: run.samples.to_vec(),
            dropped: by_address(dropped, |dropped| &dropped.url),
            entities: by_address(entities.into_values(), |entity| &entity.url),
            indexes: by_level(indexes.into_values()),
            skipped,
            steps: self.steps,
            downloads: site.downloads(),
            addresses: site.url_count(),
            ladder: Vec::new(),
            rung: 0,
            completeness: None,
            evidence: None,
            stopped: run.stopped,
        }
    }

    /// By the page each address leads to; addresses that turned out to be no pages are left out.
    fn found<P: Pages>(&self, site: &Site<P>) -> FxHashMap<UrlId, Entity> {
        let mut entities: FxHashMap<UrlId, Entity> = FxHashMap::default();
        for (&id, found) in &self.entities {
            let page = site.resolve(id);
            let surer = |known: &Entity| found.confidence > known.confidence;
            if site.skip_reason(page).is_none() && entities.get(&page).is_none_or(surer) {
                let via = found.via.map(|via| site.url(site.resolve(via)));
                let (url, evidence) = (site.url(page), found.evidence.to_string());
                entities.insert(page, Entity { url, confidence: found.confidence, via, evidence });
            }
        }
        entities
    }

    fn groupings<P: Pages>(&self, site: &Site<P>) -> FxHashMap<UrlId, Index> {
        let mut indexes: FxHashMap<UrlId, Index> = FxHashMap::default();
        for (&id, index) in &self.indexes {
            let page = site.resolve(id);
            indexes.entry(page).or_insert_with(|| Index {
                url: site.url(page),
                level: index.level,
                parent: index.parent.map(|parent| site.url(site.resolve(parent))),
                evidence: index.evidence.to_string(),
            });
        }
        indexes
    }
}

/// What the answer says of the run itself.
pub struct Run<'a> {
    pub method: Method,
    pub samples: &'a [Url],
    pub stopped: Option<Stop>,
}

fn by_address<T>(items: impl Iterator<Item = T>, url: impl Fn(&T) -> &Url) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_by(|a, b| url(a).as_str().cmp(url(b).as_str()));
    items
}

fn by_level(items: impl Iterator<Item = Index>) -> Vec<Index> {
    let mut items: Vec<Index> = items.collect();
    items.sort_by(|a, b| (a.level, a.url.as_str()).cmp(&(b.level, b.url.as_str())));
    items
}

/// Looks at the samples; gives those that are pages, each once. A sample that cannot be looked at is a skipped page as
/// long as another can.
pub async fn look_at_samples<P: Pages>(
    site: &mut Site<'_, P>,
    samples: &[Url],
) -> Result<(Vec<UrlId>, Option<Stop>), Error> {
    let ids: Vec<UrlId> = samples.iter().map(|url| site.id(url)).collect();
    let stopped = site.look(&ids).await.err();
    let mut pages: Vec<UrlId> = Vec::new();
    for id in ids.iter().map(|&id| site.resolve(id)) {
        if site.skip_reason(id).is_none() && !pages.contains(&id) {
            pages.push(id);
        }
    }
    if pages.is_empty() {
        let skipped = ids.first().and_then(|&id| site.skip_reason(id));
        let why = skipped.map_or(String::new(), |skipped| match &*skipped.detail {
            "" => skipped.reason.to_string(),
            detail => format!("{} ({detail})", skipped.reason),
        });
        return Err(samples.first().map_or(Error::NoSample, |sample| Error::Sample(sample.clone(), why)));
    }
    Ok((pages, stopped))
}

/// `1 page`, `2 pages`.
pub fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
