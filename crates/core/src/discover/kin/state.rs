//! What is known of the site so far: addresses with their nodes, the pages looked at, who points where.
//!
//! Each page is asked for once, parsed once, on all cores, and kept as numbers.

use super::nodes::{BOTH, FORM, NodeId, NodeKind, Nodes, WORD};
use super::read::{Read, read};
use crate::complete::stated::Numbers;
use crate::discover::Signal;
use crate::features::profile::Profile;
use crate::page::address::{key, state_changing};
use crate::page::shape::Shape;
use crate::pages::{Pages, Reason, Skipped};
use crate::site::{AddressBudget, Maps, REDIRECTS, SiteSettings, Stop};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

pub type UrlId = u32;
pub type PlaceId = u32;

/// Pages asked for in one go.
const BATCH: usize = 64;

/// Addresses known after which no further sitemap is read.
const MAPPED: usize = 1_200_000;

/// Places and nodes of links kept of one address: more say nothing new.
const PLACES: usize = 6;
const LINKED: usize = 24;

/// Folders beside one another that are many.
const MANY: f64 = 24.0;

/// No page showed the address.
const NOBODY: u32 = u32::MAX;

pub struct SiteState<'p, P> {
    pages: &'p P,
    settings: SiteSettings,
    pub address_budget: AddressBudget,
    /// Signals not to go by.
    without: Vec<Signal>,
    ids: FxHashMap<Box<str>, UrlId>,
    pub urls: Vec<Known>,
    pub nodes: Nodes,
    /// Folders that all addresses of the site have in common.
    pub site_folders: usize,
    /// Folders that known addresses stand in.
    folders: FxHashMap<u64, u32>,
    /// How many folders a folder holds.
    branches: FxHashMap<u64, u32>,
    /// Per address; apart from the rest because every step of the search asks for all of them.
    pub states: Vec<State>,
    /// Per address: the looked-at page that showed it first, [`NOBODY`] for samples.
    firsts: Vec<u32>,
    places: FxHashMap<Box<str>, PlaceId>,
    /// The folder each sample stands in.
    type_names: Vec<String>,
    /// The names of the samples' parameters.
    parameters: Vec<Vec<String>>,
    pub place_names: Vec<Box<str>>,
    /// Addresses asked for, in that order, whether a page answered or not.
    pub asked: Vec<UrlId>,
    /// In the order they were looked at.
    pub looked: Vec<Looked>,
    pub skipped: Vec<Skipped>,
    pub downloads: usize,
    /// Addresses that were linked since the last time somebody asked.
    pub touched: Vec<UrlId>,
}

/// An address.
pub struct Known {
    pub url: Url,
    pub shape: Shape,
    /// See [`Shape::name`].
    pub name: u64,
    /// Where links to it stand, in the order seen.
    pub places: Vec<PlaceId>,
    /// The nodes of the address by itself, and those of the links to it.
    pub nodes: Box<[NodeId]>,
    pub linked: Vec<NodeId>,
    /// A hash of its path, as a folder that others may stand in.
    path: u64,
    /// All looked-at pages that point to it.
    pub seen_on: u32,
    /// The site's own list of pages names it.
    pub mapped: bool,
    /// A link to it is a number or "next".
    pub numbered: bool,
    /// A page names it as the next, previous or upper one.
    pub guided: bool,
    /// A page names it as the upper one.
    pub up: bool,
    /// The first looked-at page that offers it as one of its own further pages: by a number, by "next".
    pub pager_of: Option<usize>,
    /// It is named like a folder of a sample, as lists are: `sessions.html` beside `session/…`.
    pub named_alike: bool,
    /// The key of the same address with no more parameters than a sample has.
    variant_of: Option<Box<str>>,
}

impl Known {
    /// The nodes of the address by itself, each once: where the last part has no words, its form stands in for them.
    pub fn own_nodes(&self) -> impl Iterator<Item = &NodeId> + Clone {
        let of_words = |at: usize| (WORD..=BOTH).contains(&at);
        let own = self.nodes.iter().enumerate().filter(move |(at, node)| !of_words(*at) || **node != self.nodes[FORM]);
        own.map(|(_, node)| node)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Unseen,
    /// The place in `looked`.
    Looked(usize),
    Moved(UrlId),
    Skipped,
}

/// A page that was looked at.
pub struct Looked {
    pub id: UrlId,
    pub profile: Profile,
    /// Distinct targets with the place of the first link to each.
    pub links: Vec<(UrlId, PlaceId)>,
    /// A stub that only sends the visitor on.
    pub stub: bool,
    /// What may state a total, and the highest number of a link to a further page.
    pub numbers: Box<[Numbers]>,
    pub last_page: u64,
}

impl<'p, P: Pages> SiteState<'p, P> {
    pub fn new(pages: &'p P, settings: SiteSettings, without: Vec<Signal>) -> Self {
        Self {
            pages,
            address_budget: AddressBudget::new(settings.address_bytes),
            settings,
            without,
            ids: FxHashMap::default(),
            urls: Vec::new(),
            nodes: Nodes::default(),
            site_folders: 0,
            folders: FxHashMap::default(),
            branches: FxHashMap::default(),
            states: Vec::new(),
            firsts: Vec::new(),
            places: FxHashMap::default(),
            type_names: Vec::new(),
            parameters: Vec::new(),
            place_names: Vec::new(),
            asked: Vec::new(),
            looked: Vec::new(),
            skipped: Vec::new(),
            downloads: 0,
            touched: Vec::new(),
        }
    }

    pub fn uses(&self, signal: Signal) -> bool {
        !self.without.contains(&signal)
    }

    pub fn id(&mut self, url: &Url) -> UrlId {
        let key = key(url);
        match self.ids.get(key.as_str()) {
            Some(&id) => id,
            None => self.new_id(url, key),
        }
    }

    /// The number of an address that a page shows; none when there is no room for another.
    fn shown_id(&mut self, url: &Url, page: &Url) -> Option<UrlId> {
        let key = key(url);
        if let Some(&id) = self.ids.get(key.as_str()) {
            return Some(id);
        }
        self.address_budget.admits(url.as_str().len(), page).then(|| self.new_id(url, key))
    }

    fn new_id(&mut self, url: &Url, key: String) -> UrlId {
        let id = self.urls.len() as UrlId;
        // The shape is that of the page, not of the visit: session ids and their like are not part of it.
        let shape = Url::parse(&key).map_or_else(|_| Shape::of(url), |plain| Shape::of(&plain));
        let variant_of = self.variant_of(&key, &shape);
        let nodes = self.nodes.of_shape(&shape);
        let path = self.note_folders(&shape);
        self.ids.insert(key.into(), id);
        self.states.push(State::Unseen);
        self.firsts.push(NOBODY);
        self.urls.push(Known {
            url: url.clone(),
            name: shape.name(),
            named_alike: self.type_names.iter().any(|name| shape.named_alike(name)),
            shape,
            places: Vec::new(),
            nodes,
            linked: Vec::new(),
            path,
            seen_on: 0,
            mapped: false,
            numbered: false,
            guided: false,
            up: false,
            pager_of: None,
            variant_of,
        });
        id
    }

    /// Counts the folders an address stands in; gives its own path as a folder.
    fn note_folders(&mut self, shape: &Shape) -> u64 {
        let mut path = String::new();
        for folder in &shape.folders {
            let above = xxh3_64(path.as_bytes());
            path.push('/');
            path.push_str(folder);
            let times = self.folders.entry(xxh3_64(path.as_bytes())).or_default();
            *times += 1;
            if *times == 1 {
                *self.branches.entry(above).or_default() += 1;
            }
        }
        if !shape.last.is_empty() && !matches!(shape.last.as_str(), "index" | "default" | "home") {
            path.push('/');
            path.push_str(&shape.last);
        }
        xxh3_64(path.as_bytes())
    }

    /// See [`Nodes::cell`].
    pub fn cell(&self, id: UrlId) -> NodeId {
        self.nodes.cell(&self.urls[id as usize].nodes)
    }

    /// The lists that show the address.
    pub fn lists(&self, id: UrlId) -> impl Iterator<Item = NodeId> {
        let of = self.urls[id as usize].linked.iter().copied();
        of.filter(|&node| self.nodes.kind(node) == NodeKind::List)
    }

    /// The node of the address's outline.
    pub fn outline(&self, id: UrlId) -> NodeId {
        let known = &self.urls[id as usize];
        known.nodes.iter().copied().find(|&node| self.nodes.kind(node) == NodeKind::Outline).unwrap_or(known.nodes[0])
    }

    /// How many folders stand beside the first folder in which two addresses differ, and how deep that is; none when their folders are
    /// the same, or differ in a number.
    pub fn parting(&self, one: &Shape, other: &Shape) -> Option<(u32, usize)> {
        let common = one.folders.iter().zip(&other.folders).take_while(|(a, b)| a == b).count();
        let named = |folder: Option<&String>| folder.is_none_or(|folder| !folder.contains(|c: char| c.is_numeric()));
        let (a, b) = (one.folders.get(common), other.folders.get(common));
        if a.is_none() && b.is_none() || !(named(a) && named(b)) {
            return None;
        }
        let path: String = one.folders[..common].iter().map(|folder| format!("/{folder}")).collect();
        Some((self.branches.get(&xxh3_64(path.as_bytes())).copied().unwrap_or(1), common))
    }

    /// From 1 where the folders of two addresses part among few others to 0 where they part among many, or by a number; 1 when they are
    /// the same.
    pub fn few(&self, one: &Shape, other: &Shape) -> f64 {
        let by_number = if one.folders == other.folders { 1.0 } else { 0.0 };
        self.parting(one, other).map_or(by_number, |(beside, _)| 1.0 - f64::from(beside).min(MANY) / MANY)
    }

    /// How many known addresses stand below this one.
    pub fn below(&self, id: UrlId) -> u32 {
        let known = &self.urls[id as usize];
        if !known.shape.parameters.is_empty() {
            return 0;
        }
        self.folders.get(&known.path).copied().unwrap_or(0)
    }

    /// The addresses above a sample, whether a link to them was seen or not.
    pub fn guess_ancestors(&mut self, samples: &[UrlId]) {
        let guessed = self.place_id("address above");
        for &sample in samples {
            let mut url = self.urls[sample as usize].url.clone();
            url.set_query(None);
            let shape = &self.urls[sample as usize].shape;
            let language = Some(&shape.language).filter(|language| !language.is_empty());
            let folders: Vec<String> = language.into_iter().chain(&shape.folders).cloned().collect();
            for length in (0..=folders.len()).rev().take(4) {
                let path: String = folders[..length].iter().map(|folder| format!("/{folder}")).collect();
                url.set_path(&format!("{path}/"));
                if self.settings.scope.contains(&url) {
                    let id = self.id(&url);
                    if id != sample && !self.urls[id as usize].places.contains(&guessed) {
                        self.urls[id as usize].places.push(guessed);
                    }
                }
            }
        }
    }

    /// The number of an address that no link has to lead to, if it belongs to the site.
    pub fn known_in_scope(&mut self, url: &Url) -> Option<UrlId> {
        self.settings.scope.contains(url).then(|| self.id(url))
    }

    /// The address without the parameters that samples do not have: `?id=5&sort=x` is a variant of `?id=5`.
    fn variant_of(&self, key: &str, shape: &Shape) -> Option<Box<str>> {
        let names = self.parameters.iter().find(|names| {
            names.len() < shape.parameters.len()
                && names.iter().all(|name| shape.parameters.iter().any(|(other, _)| other == name))
        })?;
        let (path, query) = key.split_once('?')?;
        let kept: Vec<&str> =
            query.split('&').filter(|part| names.iter().any(|name| part.split('=').next() == Some(name))).collect();
        let base = path.trim_end_matches('/');
        Some(if kept.is_empty() { base.into() } else { format!("{base}?{}", kept.join("&")).into() })
    }

    /// The known address this one is a variant of.
    pub fn base(&self, id: UrlId) -> Option<UrlId> {
        self.urls[id as usize].variant_of.as_ref().and_then(|key| self.ids.get(key)).copied()
    }

    /// Takes the samples in; their parameters are those that name a page.
    pub fn sample(&mut self, url: &Url) -> UrlId {
        let names = Shape::of(url).parameters.into_iter().map(|(name, _)| name).collect();
        self.parameters.push(names);
        let named = |folder: &&String| !folder.contains(char::is_numeric);
        self.type_names.extend(Shape::of(url).folders.iter().rev().find(named).cloned());
        self.id(url)
    }

    fn place_id(&mut self, place: &str) -> PlaceId {
        if let Some(&id) = self.places.get(place) {
            return id;
        }
        let id = self.place_names.len() as PlaceId;
        self.places.insert(place.into(), id);
        self.place_names.push(place.into());
        id
    }

    pub fn resolve(&self, id: UrlId) -> UrlId {
        let mut at = id;
        for _ in 0..REDIRECTS {
            match self.states[at as usize] {
                State::Moved(to) if to != at => at = to,
                _ => break,
            }
        }
        at
    }

    /// When the search is over: what was needed to search, of a million addresses some 200 MB.
    pub fn forget_shapes(&mut self) {
        self.ids = FxHashMap::default();
        for known in &mut self.urls {
            known.shape = Shape::default();
            known.places = Vec::new();
        }
    }

    /// The looked-at page that showed the address first; none for samples.
    pub fn first(&self, id: UrlId) -> Option<usize> {
        let first = self.firsts[id as usize];
        (first != NOBODY).then_some(first as usize)
    }

    pub fn unseen(&self, id: UrlId) -> bool {
        self.states[id as usize] == State::Unseen
    }

    /// Reads the site's own list of pages, as far as the budget lets.
    pub async fn read_sitemaps(&mut self, start: &Url) -> Result<(), Stop> {
        self.within_budget()?;
        let mut maps = Maps::of(self.pages, start).await?;
        while self.urls.len() < MAPPED {
            self.within_budget()?;
            let Some((url, map)) = maps.next(self.pages, &self.settings.scope).await? else { break };
            self.downloads += 1;
            let place = self.place_id("sitemap");
            for page in map.pages.iter() {
                if !self.settings.scope.contains(&page) || state_changing(&page) {
                    continue;
                }
                let Some(id) = self.shown_id(&page, &url) else { continue };
                let known = &mut self.urls[id as usize];
                if !known.mapped {
                    known.mapped = true;
                    known.places.push(place);
                }
            }
        }
        Ok(())
    }

    fn within_budget(&self) -> Result<(), Stop> {
        let spent = self.settings.budget.is_some_and(|budget| self.downloads >= budget);
        if spent { Err(Stop::Budget) } else { Ok(()) }
    }

    pub async fn look(&mut self, ids: &[UrlId]) -> Result<(), Stop> {
        let mut known = FxHashSet::default();
        let ids: Vec<UrlId> = ids.iter().copied().filter(|&id| self.unseen(id) && known.insert(id)).collect();
        for batch in ids.chunks(BATCH) {
            let left = self.settings.budget.map_or(usize::MAX, |budget| budget.saturating_sub(self.downloads));
            let allowed = &batch[..batch.len().min(left)];
            self.look_at(allowed).await?;
            if allowed.len() < batch.len() {
                return Err(Stop::Budget);
            }
        }
        Ok(())
    }

    async fn look_at(&mut self, batch: &[UrlId]) -> Result<(), Stop> {
        let urls: Vec<Url> = batch.iter().map(|&id| self.urls[id as usize].url.clone()).collect();
        let answers = self.pages.get(&urls).await;
        let (settings, without) = (&self.settings, self.without.as_slice());
        let read: Vec<Result<Read, Skipped>> =
            answers.into_par_iter().map(|answer| read(answer, settings, without)).collect();
        let mut interrupted = false;
        for (&id, read) in batch.iter().zip(read) {
            self.asked.push(id);
            match read {
                Ok(read) => self.keep(id, read),
                Err(skipped) if skipped.reason == Reason::Interrupted => interrupted = true,
                Err(skipped) => {
                    self.states[id as usize] = State::Skipped;
                    self.skipped.push(skipped);
                }
            }
        }
        if interrupted { Err(Stop::Interrupted) } else { Ok(()) }
    }

    fn keep(&mut self, asked: UrlId, read: Read) {
        let id = self.id(&read.url);
        if id != asked {
            self.states[asked as usize] = State::Moved(id);
        }
        if self.states[id as usize] != State::Unseen {
            return;
        }
        self.downloads += 1;
        let here = self.looked.len();
        let mut links = Vec::with_capacity(read.links.len());
        let mut targets = FxHashSet::default();
        for link in &read.links {
            let Some(target) = self.shown_id(&link.url, &read.url) else { continue };
            let place = self.place_id(&link.place);
            if target == id {
                continue;
            }
            self.touched.push(target);
            let known = &mut self.urls[target as usize];
            if !known.places.contains(&place) && known.places.len() < PLACES {
                known.places.push(place);
                if !self.without.contains(&Signal::Places) {
                    let folder = known.nodes[0];
                    known.linked.push(self.nodes.id(NodeKind::Place, u64::from(place)));
                    known
                        .linked
                        .push(self.nodes.id(NodeKind::PlaceFolder, (u64::from(place) << 32) | u64::from(folder)));
                }
            }
            let list = self.nodes.id(NodeKind::List, ((here as u64) << 32) | u64::from(place));
            if known.linked.len() < LINKED && !self.without.contains(&Signal::Lists) && !known.linked.contains(&list) {
                known.linked.push(list);
            }
            known.numbered |= link.numbered;
            known.guided |= link.guided;
            known.up |= link.up;
            if link.pager {
                known.pager_of.get_or_insert(here);
            }
            if self.firsts[target as usize] == NOBODY {
                self.firsts[target as usize] = here as u32;
            }
            if targets.insert(target) {
                known.seen_on += 1;
                links.push((target, place));
            }
        }
        self.states[id as usize] = State::Looked(here);
        let Read { profile, stub, numbers, last_page, .. } = read;
        self.looked.push(Looked { id, profile, links, stub, numbers, last_page });
    }
}
