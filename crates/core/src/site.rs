//! What do we know of the site so far? Addresses as numbers, each page looked at once and kept as numbers.
//!
//! Takes addresses to look at → asks [`Pages`] for them in batches, parses on all cores, keeps per page its links and
//! link-path set. A *download* is a distinct page whose content was looked at (METHODS); looking again costs nothing.
//! - [`Site`]: the memory of one run. - [`Seen`]: one page in it. - [`UrlId`]: an address, by its key.

use crate::features::TermTable;
use crate::page::address::{Scope, key, state_changing};
use crate::page::paths::PathFinder;
use crate::page::{self, Limits, Notation, Origin, PathId, PathTable};
use crate::pages::{Answer, Pages, RawPage, Reason, Skipped};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use url::Url;

pub type UrlId = u32;

/// A page that was looked at.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// In-scope links of `<a href>` in document order, self-links and repeats of (target, path) left out.
    pub links: Box<[PlacedLink]>,
    /// The link-paths of all `<a href>`, sorted: the page's html-schema.
    pub schema: Box<[PathId]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedLink {
    pub target: UrlId,
    pub path: PathId,
}

impl Seen {
    pub fn points_to(&self, target: UrlId) -> bool {
        self.links.iter().any(|link| link.target == target)
    }

    /// The link-paths through which this page points to `target`.
    pub fn paths_to(&self, target: UrlId) -> impl Iterator<Item = PathId> {
        self.links.iter().filter(move |link| link.target == target).map(|link| link.path)
    }
}

#[derive(Debug)]
enum State {
    Unseen,
    Seen(Box<Seen>),
    /// Redirects to another address.
    Moved(UrlId),
    Skipped(Skipped),
}

/// Why a run ends before its method is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    #[error("the download budget is spent")]
    Budget,
    #[error("interrupted")]
    Interrupted,
}

#[derive(Debug, Clone)]
pub struct SiteSettings {
    pub scope: Scope,
    pub notation: Notation,
    pub limits: Limits,
    /// Downloads allowed; none is no limit.
    pub budget: Option<usize>,
}

/// Pages asked for in one go: bounds the raw bodies held at a time.
const BATCH: usize = 64;

pub struct Site<'p, P> {
    pages: &'p P,
    settings: SiteSettings,
    ids: FxHashMap<Box<str>, UrlId>,
    urls: Vec<Url>,
    states: Vec<State>,
    terms_of: Vec<Box<[u32]>>,
    terms: TermTable,
    paths: PathTable,
    downloads: usize,
}

impl<'p, P: Pages> Site<'p, P> {
    pub fn new(pages: &'p P, settings: SiteSettings) -> Self {
        Self {
            pages,
            settings,
            ids: FxHashMap::default(),
            urls: Vec::new(),
            states: Vec::new(),
            terms_of: Vec::new(),
            terms: TermTable::default(),
            paths: PathTable::default(),
            downloads: 0,
        }
    }

    /// The number of an address; spellings of one page share it.
    pub fn id(&mut self, url: &Url) -> UrlId {
        let key = key(url);
        if let Some(&id) = self.ids.get(key.as_str()) {
            return id;
        }
        let id = self.urls.len() as UrlId;
        self.ids.insert(key.into(), id);
        self.urls.push(url.clone());
        self.states.push(State::Unseen);
        self.terms_of.push(self.terms.of_url(url.as_str()));
        id
    }

    pub fn url(&self, id: UrlId) -> &Url {
        &self.urls[id as usize]
    }

    pub fn terms(&self, id: UrlId) -> &[u32] {
        &self.terms_of[id as usize]
    }

    pub fn show_path(&self, path: PathId) -> String {
        self.paths.show(path)
    }

    /// Distinct pages whose content was looked at.
    pub fn downloads(&self) -> usize {
        self.downloads
    }

    pub fn url_count(&self) -> usize {
        self.urls.len()
    }

    /// Where `id` leads after redirects already seen.
    pub fn resolve(&self, id: UrlId) -> UrlId {
        let mut at = id;
        for _ in 0..16 {
            match self.states[at as usize] {
                State::Moved(to) if to != at => at = to,
                _ => break,
            }
        }
        at
    }

    /// The page at `id`, if it was looked at and is one.
    pub fn seen(&self, id: UrlId) -> Option<&Seen> {
        match &self.states[self.resolve(id) as usize] {
            State::Seen(seen) => Some(seen),
            _ => None,
        }
    }

    pub fn skipped(&self) -> Vec<Skipped> {
        let reasons = self.states.iter().filter_map(|state| match state {
            State::Skipped(skipped) => Some(skipped.clone()),
            _ => None,
        });
        reasons.collect()
    }

    pub fn skip_reason(&self, id: UrlId) -> Option<&Skipped> {
        match &self.states[self.resolve(id) as usize] {
            State::Skipped(skipped) => Some(skipped),
            _ => None,
        }
    }

    /// Looks at the pages not looked at yet.
    pub async fn look(&mut self, ids: &[UrlId]) -> Result<(), Stop> {
        let mut unseen: Vec<UrlId> = ids.iter().map(|&id| self.resolve(id)).collect();
        unseen.retain(|&id| matches!(self.states[id as usize], State::Unseen));
        let mut known = rustc_hash::FxHashSet::default();
        unseen.retain(|&id| known.insert(id));
        for batch in unseen.chunks(BATCH) {
            let left = self.settings.budget.map_or(usize::MAX, |budget| budget.saturating_sub(self.downloads));
            let allowed = &batch[..batch.len().min(left)];
            self.look_at_batch(allowed).await?;
            if allowed.len() < batch.len() {
                return Err(Stop::Budget);
            }
        }
        Ok(())
    }

    async fn look_at_batch(&mut self, batch: &[UrlId]) -> Result<(), Stop> {
        let urls: Vec<Url> = batch.iter().map(|&id| self.urls[id as usize].clone()).collect();
        let answers = self.pages.get(&urls).await;
        let settings = &self.settings;
        let read: Vec<Result<Read, Skipped>> =
            answers.into_par_iter().map(|answer| Read::new(answer, settings)).collect();
        let mut interrupted = false;
        for (&id, read) in batch.iter().zip(read) {
            match read {
                Ok(read) => self.keep(id, read),
                Err(skipped) if skipped.reason == Reason::Interrupted => interrupted = true,
                Err(skipped) => self.states[id as usize] = State::Skipped(skipped),
            }
        }
        if interrupted { Err(Stop::Interrupted) } else { Ok(()) }
    }

    fn keep(&mut self, asked: UrlId, read: Read) {
        let id = self.id(&read.url);
        if id != asked {
            self.states[asked as usize] = State::Moved(id);
        }
        if !matches!(self.states[id as usize], State::Unseen) {
            return;
        }
        self.downloads += 1;
        let paths = self.paths.merge(&read.paths);
        let mut links: Vec<PlacedLink> = Vec::with_capacity(read.links.len());
        let mut known = rustc_hash::FxHashSet::default();
        for (url, path) in &read.links {
            let (target, path) = (self.id(url), paths[*path as usize]);
            if target != id && known.insert((target, path)) {
                links.push(PlacedLink { target, path });
            }
        }
        let mut schema: Vec<PathId> = read.schema.iter().map(|&path| paths[path as usize]).collect();
        schema.sort_unstable();
        schema.dedup();
        self.states[id as usize] = State::Seen(Box::new(Seen { links: links.into(), schema: schema.into() }));
    }
}

/// What a worker makes of an answer; merged into the site in order.
struct Read {
    url: Url,
    links: Vec<(Url, PathId)>,
    schema: Vec<PathId>,
    paths: PathTable,
}

impl Read {
    fn new(answer: Answer, settings: &SiteSettings) -> Result<Self, Skipped> {
        let raw = match answer {
            Answer::Page(raw) => raw,
            Answer::Skipped(skipped) => return Err(skipped),
        };
        check(&raw, settings)?;
        let document = page::read(&raw, &settings.limits)
            .map_err(|refused| Skipped::new(&raw.url, Reason::Unparsable, refused.to_string()))?;
        let mut paths = PathTable::default();
        let mut finder = PathFinder::new(&document, settings.notation);
        let schema = document
            .descendants(page::Document::ROOT)
            .filter(|&node| document.name(node) == "a" && document.attribute(node, "href").is_some())
            .map(|node| finder.path(&mut paths, node))
            .collect();
        let links = page::links::links(&document, &raw.url)
            .into_iter()
            .filter(|link| {
                link.origin == Origin::Anchor && settings.scope.contains(&link.url) && !state_changing(&link.url)
            })
            .map(|link| {
                let path = finder.path(&mut paths, link.node);
                (link.url, path)
            })
            .collect();
        Ok(Self { url: raw.url, links, schema, paths })
    }
}

fn check(raw: &RawPage, settings: &SiteSettings) -> Result<(), Skipped> {
    if !raw.is_success() {
        return Err(Skipped::new(&raw.url, Reason::Status, raw.status.to_string()));
    }
    if !settings.scope.contains(&raw.url) {
        return Err(Skipped::new(&raw.url, Reason::OutOfScope, "a redirect leads off the site"));
    }
    Ok(())
}
