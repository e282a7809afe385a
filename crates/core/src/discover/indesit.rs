//! INDESIT, the baseline of the SSUP papers: pages of the sample's kind by HTML similarity alone. A reconstruction from
//! the descriptions in SSUP 2019 (sections 2 and 5.2.2); no text of the method itself was at hand.
//!
//! - [`discover`]: runs it. - `Exploration`: the search for one sample. - `Role`: what a page is explored as.
//!
//! From the sample outwards: on each explored page the pages under one link-path are a collection. Its first
//! `TRIES` pages not yet visited are tried; when one of them is like the sample (HTML similarity ≥ T), the whole
//! collection is followed and those of it like the sample are results, explored in turn. Of a sample or result, tried
//! pages that are unlike it but link back to a page visited before are explored as hubs. On a hub a collection without
//! a page like the sample is left, and its tried pages are not explored.
//!
//! Confidence is the HTML similarity with the sample. `Settings::not` is not read: the method has no place for it.

use super::ssup::collections::Collections;
use super::ssup::ledger::{Found, Grouping, Ledger, Run, counted, look_at_samples};
use super::{Discovery, Error, Settings};
use crate::page::PathId;
use crate::pages::Pages;
use crate::site::{Site, SiteSettings, Stop, UrlId};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use url::Url;

/// Pages of a collection tried before it is followed or left: few, as the descriptions say.
const TRIES: usize = 3;

pub async fn discover<P: Pages>(
    pages: &P,
    samples: &[Url],
    settings: &Settings,
    site: SiteSettings,
) -> Result<Discovery, Error> {
    let mut site = Site::new(pages, site);
    let mut ledger = Ledger::default();
    let (found, mut stopped) = look_at_samples(&mut site, samples).await?;
    for sample in found {
        ledger.sample(sample, None);
        if stopped.is_none() {
            let mut exploration = Exploration::new(&mut site, &mut ledger, sample, settings.threshold);
            stopped = exploration.run().await.err();
            exploration.explain(stopped);
        }
    }
    Ok(ledger.close(&site, Run { method: settings.method, samples, stopped }))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The sample or a page like it.
    Entity,
    /// A page unlike it that links back.
    Hub,
}

struct Exploration<'t, 'p, P> {
    site: &'t mut Site<'p, P>,
    ledger: &'t mut Ledger,
    sample: UrlId,
    threshold: f64,
    visited: FxHashSet<UrlId>,
    queue: VecDeque<(UrlId, Role)>,
    found: usize,
    hubs: usize,
    followed: usize,
    left: usize,
    lines: Vec<String>,
}

/// Followed collections shown in the explanation.
const SHOWN: usize = 200;

impl<'t, 'p, P: Pages> Exploration<'t, 'p, P> {
    fn new(site: &'t mut Site<'p, P>, ledger: &'t mut Ledger, sample: UrlId, threshold: f64) -> Self {
        Self {
            site,
            ledger,
            sample,
            threshold,
            visited: FxHashSet::from_iter([sample]),
            queue: VecDeque::from([(sample, Role::Entity)]),
            found: 1,
            hubs: 0,
            followed: 0,
            left: 0,
            lines: Vec::new(),
        }
    }

    async fn run(&mut self) -> Result<(), Stop> {
        while let Some((page, role)) = self.queue.pop_front() {
            let collections = Collections::of(self.site, &[page]);
            for (path, urls) in collections.iter() {
                self.explore(page, role, path, urls).await?;
            }
        }
        Ok(())
    }

    async fn explore(&mut self, page: UrlId, role: Role, path: PathId, urls: &[UrlId]) -> Result<(), Stop> {
        let new = |&url: &UrlId| !self.visited.contains(&self.site.resolve(url));
        let tries: Vec<UrlId> = urls.iter().copied().filter(new).take(TRIES).collect();
        if tries.is_empty() {
            return Ok(());
        }
        self.site.look(&tries).await?;
        let hubs = self.hubs_among(&tries, role);
        let similar = self.visit(page, &tries);
        for hub in hubs.into_iter().filter(|hub| !similar.contains(hub)) {
            self.hubs += 1;
            self.queue.push_back((hub, Role::Hub));
        }
        if similar.is_empty() {
            self.left += 1;
            return Ok(());
        }
        if role == Role::Hub {
            let evidence = "a hub: links back to a page visited before, and to pages like the sample".into();
            self.ledger.index(page, Grouping { level: 0, parent: None, evidence });
        }
        self.follow(page, path, urls).await
    }

    /// Tried pages that point to a page visited before, each once; asked before they are visited themselves.
    fn hubs_among(&self, tries: &[UrlId], role: Role) -> Vec<UrlId> {
        let mut hubs: Vec<UrlId> = Vec::new();
        for page in tries.iter().map(|&tried| self.site.resolve(tried)).filter(|_| role == Role::Entity) {
            let back = || self.site.links(page).any(|link| self.visited.contains(&link.target));
            if !self.visited.contains(&page) && !hubs.contains(&page) && back() {
                hubs.push(page);
            }
        }
        hubs
    }

    async fn follow(&mut self, page: UrlId, path: PathId, urls: &[UrlId]) -> Result<(), Stop> {
        self.followed += 1;
        let before = self.found;
        let stopped = self.site.look(urls).await;
        self.visit(page, urls);
        if self.lines.len() < SHOWN {
            let (from, path, pages) = (self.site.url(page), self.site.show_path(path), counted(urls.len(), "page"));
            let more = self.found - before;
            self.lines.push(format!("followed {pages} from `{from}` through {path}: {more} more like the sample"));
        }
        stopped
    }

    /// Judges pages looked at and not visited before; gives those like the sample, which are results and explored.
    fn visit(&mut self, via: UrlId, urls: &[UrlId]) -> FxHashSet<UrlId> {
        let mut similar = FxHashSet::default();
        for page in urls.iter().map(|&url| self.site.resolve(url)).collect::<Vec<_>>() {
            let unlooked = self.site.seen(page).is_none() && self.site.skip_reason(page).is_none();
            if unlooked || !self.visited.insert(page) {
                continue;
            }
            let Some(similarity) = self.site.html_similarity(page, self.sample) else { continue };
            if similarity >= self.threshold {
                let evidence = format!("HTML similarity {similarity:.2}, threshold {:.2}", self.threshold);
                let found = Found { confidence: similarity, via: Some(via), evidence: evidence.into() };
                self.ledger.entity(page, found);
                self.queue.push_back((page, Role::Entity));
                self.found += 1;
                similar.insert(page);
            } else {
                let threshold = self.threshold;
                self.ledger.drop(page, format!("HTML similarity {similarity:.2} below the threshold {threshold:.2}"));
            }
        }
        similar
    }

    fn explain(&mut self, stopped: Option<Stop>) {
        let Self { found, hubs, followed, left, .. } = *self;
        let mut lines = std::mem::take(&mut self.lines);
        if followed > lines.len() {
            lines.push(format!("and {} more followed", counted(followed - lines.len(), "collection")));
        }
        let (found, hubs) = (counted(found, "page"), counted(hubs, "hub"));
        lines.push(format!("{found} like the sample, {hubs}; collections: {followed} followed, {left} left"));
        lines.extend(stopped.map(|stop| format!("{stop}: {} pages were still to be explored", self.queue.len())));
        let title = format!("pages with HTML similarity of {:.2} to `{}`", self.threshold, self.site.url(self.sample));
        self.ledger.step(title, lines);
    }
}
