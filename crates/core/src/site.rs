//! What do we know of the site so far? Addresses as numbers, each page looked at once and kept as numbers.
//!
//! Takes addresses to look at → asks [`Pages`] for them in batches, parses on all cores, keeps per page its links and
//! link-path set. A *download* is a distinct page whose content was looked at; looking again costs nothing.
//! - [`Site`]: the memory of one run. - [`Seen`]: one page in it. - [`UrlId`]: an address, by its key.
//!
//! Knows nothing of methods. A page costs eight bytes a link; bodies and trees are gone once it is read.

mod addresses;
mod budget;
mod maps;
mod view;

use crate::features::similarity::jaccard;
use crate::page::address::Scope;
use crate::page::layout::Layout;
use crate::page::paths::PathFinder;
use crate::page::{self, Limits, Notation, Origin, PathId, PathTable};
use crate::pages::{Answer, Pages, Reason, Skipped};
use addresses::{Addresses, Spelled};
pub use budget::{AddressBudget, PROCESS_ADDRESS_BYTES, SITE_ADDRESS_BYTES, share_of_process};
pub use maps::Maps;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use url::Url;
pub use view::PageView;

pub type UrlId = u32;

/// A page that was looked at.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// In-scope links of `<a href>` in document order, self-links and repeats of (target, path) left out.
    pub links: Box<[PlacedLink]>,
    /// The link-paths of all `<a href>`, sorted: the page's html-schema.
    pub schema: Box<[PathId]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    Skipped(Box<Skipped>),
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
    /// Bytes of addresses that are kept.
    pub address_bytes: usize,
}

/// Pages asked for in one go: bounds the raw bodies held at a time.
const BATCH: usize = 64;

/// Pages parsed before they are merged into the site: bounds the links held in their long form.
const PARSED: usize = 16;

/// Redirects followed from one address: as many as browsers do.
pub(crate) const REDIRECTS: usize = 20;

pub struct Site<'p, P> {
    pages: &'p P,
    settings: SiteSettings,
    addresses: Addresses,
    address_budget: AddressBudget,
    states: Vec<State>,
    paths: PathTable,
    downloads: usize,
}

impl<'p, P: Pages> Site<'p, P> {
    pub fn new(pages: &'p P, settings: SiteSettings) -> Self {
        let (addresses, paths) = (Addresses::new(), PathTable::default());
        let address_budget = AddressBudget::new(settings.address_bytes);
        Self { pages, settings, addresses, address_budget, states: Vec::new(), paths, downloads: 0 }
    }

    /// The number of an address; spellings of one page share it.
    pub fn id(&mut self, url: &Url) -> UrlId {
        self.id_of(&Spelled::new(url))
    }

    fn id_of(&mut self, address: &Spelled) -> UrlId {
        let id = self.addresses.id(address);
        if id as usize == self.states.len() {
            self.states.push(State::Unseen);
        }
        id
    }

    /// The address as first written.
    pub fn url(&self, id: UrlId) -> Url {
        self.addresses.url(id)
    }

    pub fn terms(&self, id: UrlId) -> &[u32] {
        self.addresses.terms(id)
    }

    pub fn show_path(&self, path: PathId) -> String {
        self.paths.show(path)
    }

    /// Distinct pages whose content was looked at.
    pub fn downloads(&self) -> usize {
        self.downloads
    }

    pub fn url_count(&self) -> usize {
        self.addresses.len()
    }

    /// Where `id` leads after redirects already seen.
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

    /// The page at `id`, if it was looked at and is one.
    pub fn seen(&self, id: UrlId) -> Option<&Seen> {
        match &self.states[self.resolve(id) as usize] {
            State::Seen(seen) => Some(seen),
            _ => None,
        }
    }

    /// The links of the page at `id`, each target the page it leads to after redirects already seen; none when it
    /// was not looked at.
    pub fn links(&self, id: UrlId) -> impl Iterator<Item = PlacedLink> {
        let own = self.resolve(id);
        let links = self.seen(own).map_or(&[][..], |seen| &seen.links);
        let resolved = links.iter().map(|link| PlacedLink { target: self.resolve(link.target), path: link.path });
        resolved.filter(move |link| link.target != own)
    }

    /// HTML similarity of two pages that were looked at.
    pub fn html_similarity(&self, a: UrlId, b: UrlId) -> Option<f64> {
        Some(jaccard(&self.seen(a)?.schema, &self.seen(b)?.schema))
    }

    pub fn skipped(&self) -> Vec<Skipped> {
        let reasons = self.states.iter().filter_map(|state| match state {
            State::Skipped(skipped) => Some(Skipped::clone(skipped)),
            _ => None,
        });
        reasons.chain(self.address_budget.skipped()).collect()
    }

    pub fn skip_reason(&self, id: UrlId) -> Option<&Skipped> {
        match &self.states[self.resolve(id) as usize] {
            State::Skipped(skipped) => Some(skipped),
            _ => None,
        }
    }

    /// Looks at the pages not looked at yet. Stops when the budget is spent and a page is still to be looked at.
    pub async fn look(&mut self, ids: &[UrlId]) -> Result<(), Stop> {
        let mut known = FxHashSet::default();
        let unseen = ids.iter().map(|&id| self.resolve(id));
        let mut unseen: Vec<UrlId> = unseen.filter(|&id| self.is_unseen(id) && known.insert(id)).collect();
        while !unseen.is_empty() {
            let left = self.settings.budget.map_or(usize::MAX, |budget| budget.saturating_sub(self.downloads));
            if left == 0 {
                return Err(Stop::Budget);
            }
            let later = unseen.split_off(unseen.len().min(BATCH).min(left));
            self.look_at_batch(&unseen).await?;
            // A redirect may have led to one of them.
            unseen = later.into_iter().filter(|&id| self.is_unseen(id)).collect();
        }
        Ok(())
    }

    /// Where everything stands on these pages when they are drawn. It is no download: they were looked at before.
    pub async fn layouts(&self, ids: &[UrlId]) -> Vec<Result<Layout, Skipped>> {
        let urls: Vec<Url> = ids.iter().map(|&id| self.url(self.resolve(id))).collect();
        self.pages.layouts(&urls).await
    }

    fn is_unseen(&self, id: UrlId) -> bool {
        matches!(self.states[id as usize], State::Unseen)
    }

    async fn look_at_batch(&mut self, batch: &[UrlId]) -> Result<(), Stop> {
        let urls: Vec<Url> = batch.iter().map(|&id| self.url(id)).collect();
        let mut answers = self.pages.get(&urls).await;
        let mut interrupted = false;
        for ids in batch.chunks(PARSED) {
            let later = answers.split_off(answers.len().min(PARSED));
            let settings = &self.settings;
            let read: Vec<_> = answers.into_par_iter().map(|answer| Read::new(answer, settings)).collect();
            answers = later;
            for (&id, read) in ids.iter().zip(read) {
                interrupted |= self.take(id, read);
            }
        }
        if interrupted { Err(Stop::Interrupted) } else { Ok(()) }
    }

    /// Whether the user stopped the run before this page came.
    fn take(&mut self, asked: UrlId, read: Result<Read, Skipped>) -> bool {
        match read {
            Ok(read) => self.keep(asked, read),
            Err(skipped) if skipped.reason == Reason::Interrupted => return true,
            Err(skipped) => self.states[asked as usize] = State::Skipped(Box::new(skipped)),
        }
        false
    }

    fn keep(&mut self, asked: UrlId, read: Read) {
        let id = self.id_of(&read.address);
        if id != asked {
            self.states[asked as usize] = State::Moved(id);
        }
        if !matches!(self.states[id as usize], State::Unseen) {
            return;
        }
        self.downloads += 1;
        let paths = self.paths.merge(&read.paths);
        let mut links: Vec<PlacedLink> = Vec::with_capacity(read.links.len());
        let mut known = FxHashSet::default();
        let page = self.url(id);
        for (address, path) in &read.links {
            if !self.addresses.knows(address) && !self.address_budget.admits(address.bytes(), &page) {
                continue;
            }
            let (target, path) = (self.id_of(address), paths[*path as usize]);
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
    address: Spelled,
    links: Vec<(Spelled, PathId)>,
    schema: Vec<PathId>,
    paths: PathTable,
}

impl Read {
    fn new(answer: Answer, settings: &SiteSettings) -> Result<Self, Skipped> {
        let view = PageView::of(answer, Some(&settings.scope), &settings.limits)?;
        let document = &view.document;
        let mut paths = PathTable::default();
        let mut finder = PathFinder::new(document, settings.notation);
        let schema = document
            .descendants(page::Document::ROOT)
            .filter(|&node| document.name(node) == "a" && document.attribute(node, "href").is_some())
            .map(|node| finder.path(&mut paths, node))
            .collect();
        let links = view
            .links(Some(&settings.scope))
            .filter(|link| link.origin == Origin::Anchor)
            .map(|link| (Spelled::new(&link.url), finder.path(&mut paths, link.node)))
            .collect();
        Ok(Self { address: Spelled::new(&view.raw.url), links, schema, paths })
    }
}
