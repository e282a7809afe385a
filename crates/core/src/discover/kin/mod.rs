//! Our own method: all and only the right pages, with almost no downloads.
//!
//! A small survey of what surrounds the sample comes first ([`survey`]). Addresses are gathered into cells by shape ([`shape`], [`cells`]). A cell is *verified* by looking at a few of its pages and
//! comparing them with the pages known to be kin ([`kind`]); disagreement splits it by place on the page, by the first word,
//! by the list it stands on ([`verify`]). Pages that may point to more kin are *sources*, ordered by the kin they are
//! expected to show for the first time ([`sources`]); the search ends when no page is expected to change the answer.

mod answer;
mod candidates;
mod cells;
mod clusters;
mod decision;
mod kind;
mod label;
mod memory;
pub(crate) mod place;
pub mod shape;
mod sources;
mod split;
mod survey;
mod verify;

use super::{Discovery, Error, Settings, Signal, Step};
use crate::pages::Pages;
use crate::site::{SiteSettings, Stop};
use cells::Cells;
use clusters::Clusters;
use decision::Decision;
use kind::Counts;
use label::Label;
use memory::{Memory, State, UrlId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use url::Url;
use verify::Border;

/// Why a page was asked for.
#[derive(Debug, Clone, Copy)]
enum Asked {
    /// It stands above a sample, or shows what all pages of the site have in common.
    Guide,
    Verify,
    /// As a source of so many new kin.
    Source(f64),
}

/// Distances of sets of pages from the known kin, with the number of kin at that time.
type Distances = FxHashMap<(Border, Box<[usize]>), (usize, f64)>;

struct Search<'p, P> {
    memory: Memory<'p, P>,
    cells: Cells,
    samples: Vec<UrlId>,
    /// Pages the user says are of another kind.
    not: Vec<UrlId>,
    /// Pages looked at that are kin, by their place in `memory.looked`.
    kin: Vec<usize>,
    others: Vec<usize>,
    kin_counts: Counts,
    /// What clusters of alike pages have, those of the samples left out.
    other_counts: Counts,
    /// Of all pages looked at.
    seen_counts: Counts,
    /// What the looks at all categories say together, see [`verify`].
    pooled: bool,
    /// Looked at in order to verify a cell.
    verified: FxHashSet<UrlId>,
    /// Per looked-at page: is it kin?
    labels: Vec<Label>,
    /// Per address: how likely it is kin, and the final word on it.
    decisions: Vec<Decision>,
    steps: Vec<Step>,
    failures: u32,
    /// Folders that all addresses of the site have in common.
    site_folders: usize,
    /// Looks taken beside lists before the end.
    beside: usize,
    clusters: Clusters,
    relabel_at: usize,
    /// Pages judged when fewer than three of the kind were known, by their place in `memory.looked`.
    early: Vec<usize>,
    /// Per cell: what the looks at its own pages say.
    cell_words: Vec<Option<bool>>,
    accepted: usize,
    listed_with_kin: Vec<bool>,
    /// Per cell: does it stand in lists with a sample's cell?
    listed_together: Vec<bool>,
    rejected_names: FxHashSet<u64>,
    apart: RefCell<Distances>,
}

pub async fn discover<P: Pages>(
    pages: &P,
    samples: &[Url],
    settings: &Settings,
    site: SiteSettings,
) -> Result<Discovery, Error> {
    let mut search = Search::new(pages, samples, settings, site);
    let stopped = search.run().await.err();
    if search.kin.is_empty() {
        let why = search.memory.skipped.first().map_or("no answer".to_owned(), |skipped| skipped.reason.to_string());
        return Err(Error::Sample(samples[0].clone(), why));
    }
    Ok(search.answer(samples, settings, stopped))
}

impl<'p, P: Pages> Search<'p, P> {
    fn new(pages: &'p P, samples: &[Url], settings: &Settings, site: SiteSettings) -> Self {
        let mut memory = Memory::new(pages, site, settings.without.clone());
        let samples: Vec<UrlId> = samples.iter().map(|sample| memory.sample(sample)).collect();
        let not: Vec<UrlId> = settings.not.iter().map(|url| memory.id(url)).collect();
        if memory.uses(Signal::Ancestors) {
            memory.guess_ancestors(&samples);
        }
        Self {
            memory,
            cells: Cells::default(),
            samples,
            not,
            kin: Vec::new(),
            others: Vec::new(),
            kin_counts: Counts::default(),
            other_counts: Counts::default(),
            seen_counts: Counts::default(),
            pooled: false,
            verified: FxHashSet::default(),
            labels: Vec::new(),
            decisions: Vec::new(),
            steps: Vec::new(),
            failures: 0,
            site_folders: 0,
            beside: 0,
            clusters: Clusters::default(),
            relabel_at: 4,
            early: Vec::new(),
            cell_words: Vec::new(),
            accepted: 0,
            listed_with_kin: Vec::new(),
            listed_together: Vec::new(),
            rejected_names: FxHashSet::default(),
            apart: Default::default(),
        }
    }

    async fn run(&mut self) -> Result<(), Stop> {
        self.begin().await?;
        self.survey().await?;
        loop {
            let guides = self.guides();
            if !guides.is_empty() {
                self.look(&guides, Asked::Guide).await?;
                continue;
            }
            let wanted = self.wanted_looks();
            if !wanted.is_empty() {
                self.verified.extend(wanted.iter().copied());
                self.look(&wanted, Asked::Verify).await?;
                continue;
            }
            let Some(sources) = self.next_sources() else {
                if self.judged_again() || self.look_beside_lists().await? {
                    continue;
                }
                return Ok(());
            };
            let own =
                sources.urls.iter().copied().filter(|&id| self.candidate(self.cells.of_url[id as usize]) == Some(true));
            self.verified.extend(own.collect::<Vec<_>>());
            let before = self.memory.looked.len();
            self.look(&sources.urls, Asked::Source(sources.expected)).await?;
            self.count_failures(&sources, before);
        }
    }

    /// The samples, and the pages the user says are of another kind.
    async fn begin(&mut self) -> Result<(), Stop> {
        let first: Vec<UrlId> = self.samples.iter().chain(&self.not).copied().collect();
        self.memory.look(&first).await?;
        self.samples = self.samples.iter().map(|&id| self.memory.resolve(id)).collect();
        self.not = self.not.iter().map(|&id| self.memory.resolve(id)).collect();
        self.verified.extend(self.not.iter().copied());
        let start = self.memory.urls[self.samples[0] as usize].url.clone();
        let mapped = if self.uses(Signal::Sitemaps) { self.memory.read_sitemaps(&start).await } else { Ok(()) };
        self.update();
        mapped
    }

    /// Does the search go by this signal?
    fn uses(&self, signal: Signal) -> bool {
        self.memory.uses(signal)
    }

    async fn look(&mut self, ids: &[UrlId], asked: Asked) -> Result<(), Stop> {
        let before = self.memory.looked.len();
        let result = self.memory.look(ids).await;
        self.update();
        self.explain(asked, before);
        result
    }

    /// Brings cells, labels and decisions up to date with the pages looked at.
    fn update(&mut self) {
        self.cells.update(&self.memory.urls);
        self.site_folders = self.site_folders();
        self.compare_new();
        self.label_new();
        self.decide();
    }

    /// What all pages of the site have in common, by clusters of alike pages; a page like a sample, under an address like a sample's, speaks for
    /// its cell, whatever it was asked for.
    fn compare_new(&mut self) {
        let new = self.labels.len()..self.memory.looked.len();
        for page in &self.memory.looked[new.clone()] {
            self.seen_counts.add(&page.tokens);
        }
        self.clusters.update(&self.memory.looked);
        let samples: Vec<usize> = self.samples.iter().filter_map(|&id| self.looked_at(id)).collect();
        self.other_counts = self.clusters.background(&samples);
        for place in new {
            let id = self.memory.looked[place].id;
            let alike = samples.iter().any(|&sample| self.clusters.same(sample, place));
            if alike && self.candidate(self.cells.of_url[id as usize]) == Some(true) {
                self.verified.insert(id);
            }
        }
    }

    /// Where in `memory.looked` a page stands, if it was looked at.
    fn looked_at(&self, id: UrlId) -> Option<usize> {
        match self.memory.states[self.memory.resolve(id) as usize] {
            State::Looked(place) => Some(place),
            _ => None,
        }
    }
}
