//! What is known of the site so far: addresses with the place of the first link to each, and the pages looked at.
//!
//! Each page is asked for once, parsed once, on all cores, and kept as tokens and numbers. Bounded: [`ADDRESSES`] addresses, and their bytes
//! by an [`AddressBudget`].

use super::super::class_links::PlaceId;
use super::super::page_words::Words;
use super::super::view::{View, shape};
use crate::features::tokens::Tokens;
use crate::page::address::{key, state_changing};
use crate::page::shape::Shape;
use crate::pages::{Pages, Reason, Skipped};
use crate::site::{AddressBudget, Maps, SiteSettings, Stop};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

pub type UrlId = u32;

/// Pages asked for in one go.
const BATCH: usize = 32;

/// Addresses remembered at most.
const ADDRESSES: usize = 1_500_000;

pub struct SiteState<'p, P> {
    pages: &'p P,
    settings: SiteSettings,
    address_budget: AddressBudget,
    ids: FxHashMap<Box<str>, UrlId>,
    pub urls: Vec<Known>,
    place_ids: FxHashMap<Box<str>, PlaceId>,
    pub places: Vec<Box<str>>,
    /// In the order they were looked at.
    pub looked: Vec<Looked>,
    pub skipped: Vec<Skipped>,
    /// Addresses asked for.
    pub asked: usize,
}

/// An address.
pub struct Known {
    pub url: Url,
    pub shape: Shape,
    /// Of its key: an order that has nothing to do with the site's.
    pub hash: u64,
    /// Where the first link to it stands.
    pub place: Option<PlaceId>,
    /// The looked-at page that showed it first.
    pub first: Option<usize>,
    /// Looked-at pages that link to it.
    pub seen_on: usize,
    pub fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Unseen,
    /// The place in `looked`.
    Looked(usize),
    /// Sends on to another address, or has no page.
    Gone,
}

/// A page that was looked at.
pub struct Looked {
    pub id: UrlId,
    pub tokens: Tokens,
    pub words: Words,
    pub links: Vec<(UrlId, PlaceId)>,
    /// Addresses it showed for the first time.
    pub new: usize,
    pub stub: bool,
}

impl<'p, P: Pages> SiteState<'p, P> {
    pub fn new(pages: &'p P, settings: SiteSettings) -> Self {
        Self {
            pages,
            address_budget: AddressBudget::new(settings.address_bytes),
            settings,
            ids: FxHashMap::default(),
            urls: Vec::new(),
            place_ids: FxHashMap::default(),
            places: Vec::new(),
            looked: Vec::new(),
            skipped: Vec::new(),
            asked: 0,
        }
    }

    pub fn id(&mut self, url: &Url) -> UrlId {
        let key = key(url);
        if let Some(&id) = self.ids.get(key.as_str()) {
            return id;
        }
        let id = self.urls.len() as UrlId;
        let hash = xxh3_64(key.as_bytes());
        self.ids.insert(key.into(), id);
        self.urls.push(Known {
            url: url.clone(),
            shape: shape(url),
            hash,
            place: None,
            first: None,
            seen_on: 0,
            fate: Fate::Unseen,
        });
        id
    }

    fn place(&mut self, place: &str) -> PlaceId {
        if let Some(&id) = self.place_ids.get(place) {
            return id;
        }
        let id = self.places.len() as PlaceId;
        self.place_ids.insert(place.into(), id);
        self.places.push(place.into());
        id
    }

    /// Looks at pages not looked at yet.
    pub async fn look(&mut self, ids: &[UrlId]) -> Result<(), Stop> {
        for batch in ids.chunks(BATCH) {
            let urls: Vec<Url> = batch.iter().map(|&id| self.urls[id as usize].url.clone()).collect();
            let answers = self.pages.get(&urls).await;
            self.asked += urls.len();
            let (scope, limits) = (&self.settings.scope, &self.settings.limits);
            let views: Vec<Result<View, Skipped>> =
                answers.into_par_iter().map(|answer| View::of(answer, Some(scope), limits)).collect();
            let mut interrupted = false;
            for (&id, view) in batch.iter().zip(views) {
                match view {
                    Ok(view) => self.keep(id, view),
                    Err(skipped) if skipped.reason == Reason::Interrupted => interrupted = true,
                    Err(skipped) => {
                        self.urls[id as usize].fate = Fate::Gone;
                        self.skipped.push(skipped);
                    }
                }
            }
            if interrupted {
                return Err(Stop::Interrupted);
            }
        }
        Ok(())
    }

    /// Is there a page that was looked at, and an address to go on to?
    pub fn leads_on(&self) -> bool {
        !self.looked.is_empty() && self.urls.iter().any(|known| matches!(known.fate, Fate::Unseen))
    }

    /// Of the addresses not asked for yet the shortest.
    pub fn shortest_unseen(&self) -> Option<UrlId> {
        let unseen = (0..self.urls.len() as UrlId).filter(|&id| matches!(self.urls[id as usize].fate, Fate::Unseen));
        unseen.min_by_key(|&id| {
            let known = &self.urls[id as usize];
            (known.url.as_str().len(), known.hash)
        })
    }

    /// Reads the site's own list of pages. These addresses have the list as their place.
    pub async fn read_sitemaps(&mut self, start: &Url) -> Result<(), Stop> {
        let mut maps = Maps::of(self.pages, start).await?;
        let place = self.place("sitemap");
        while self.urls.len() < ADDRESSES {
            let Some((url, map)) = maps.next(self.pages, &self.settings.scope).await? else { break };
            for page in map.pages.iter() {
                if !self.settings.scope.contains(&page) || state_changing(&page) {
                    continue;
                }
                let key = key(&page);
                if self.ids.contains_key(key.as_str()) {
                    continue;
                }
                if self.urls.len() >= ADDRESSES || !self.address_budget.admits(key.len(), &url) {
                    break;
                }
                let id = self.id(&page);
                self.urls[id as usize].place = Some(place);
            }
        }
        Ok(())
    }

    /// Adds the pages that an archive holds though no link reached them; says whether there are any.
    pub fn add_held(&mut self) -> bool {
        let before = self.urls.len();
        let place = self.place("archive");
        for page in self.pages.held() {
            let key = key(&page);
            let known = self.ids.contains_key(key.as_str());
            if known || !self.settings.scope.contains(&page) || state_changing(&page) {
                continue;
            }
            if self.urls.len() >= ADDRESSES || !self.address_budget.admits(key.len(), &page) {
                break;
            }
            let id = self.id(&page);
            self.urls[id as usize].place = Some(place);
        }
        self.urls.len() > before
    }

    fn keep(&mut self, asked: UrlId, view: View) {
        let id = self.id(&view.url);
        if id != asked {
            self.urls[asked as usize].fate = Fate::Gone;
        }
        if self.urls[id as usize].fate != Fate::Unseen {
            return;
        }
        let mut links = Vec::with_capacity(view.links.len());
        let mut counted = FxHashSet::default();
        let before = self.urls.len();
        for link in &view.links {
            let room = |budget: &mut AddressBudget| budget.admits(link.key.len(), &view.url);
            let full = self.urls.len() >= ADDRESSES;
            if !self.ids.contains_key(&link.key) && (full || !room(&mut self.address_budget)) {
                continue;
            }
            let (target, place) = (self.id(&link.url), self.place(&link.place));
            let known = &mut self.urls[target as usize];
            known.place.get_or_insert(place);
            known.first.get_or_insert(self.looked.len());
            known.seen_on += usize::from(counted.insert(target));
            links.push((target, place));
        }
        self.urls[id as usize].fate = Fate::Looked(self.looked.len());
        let new = self.urls.len() - before;
        self.looked.push(Looked { id, tokens: view.tokens, words: view.words, links, new, stub: view.stub });
    }
}
