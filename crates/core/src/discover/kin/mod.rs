//! Our own method: all and only the right pages, with almost no downloads.
//!
//! Addresses are gathered into cells by shape ([`shape`], [`cells`]). A cell is *verified* by looking at a few of its pages and
//! comparing them with the pages known to be kin ([`kind`]); disagreement splits it by place on the page, by the first word,
//! by the list it stands on ([`verify`]). Pages that may point to more kin are *sources*, ordered by the kin they are
//! expected to show for the first time ([`sources`]); the search ends when no page is expected to change the answer.

mod cells;
mod kind;
mod memory;
mod place;
mod shape;
mod sources;
mod verify;

use super::{Discovery, Dropped, Entity, Error, Index, Settings, Step};
use crate::pages::Pages;
use crate::site::{SiteSettings, Stop};
use cells::Cells;
use kind::{Counts, distance, likeness};
use memory::{Memory, UrlId};
use rustc_hash::FxHashSet;
use url::Url;
use verify::Decision;

/// Distance below which two pages are made by one template, whatever their address.
const SAME: f64 = 0.1;
/// Distance up to which a single page is kin, and from which it is of another kind.
const NEAR: f64 = 0.3;
const FAR: f64 = 0.6;
/// Distance up to which the pages of a cell, taken together, are kin though their address differs in the name of a folder: where the
/// folder has few names, they may be names of types; where it has many, they are years, letters, categories.
const NEAR_TOGETHER: f64 = 0.14;
const NEAR_TOGETHER_OF_MANY: f64 = 0.3;

/// What a page is, judged by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Kin,
    /// Neither near enough nor far enough: pages like it decide together.
    Unsure,
    Other,
}

struct Search<'p, P> {
    memory: Memory<'p, P>,
    cells: Cells,
    samples: Vec<UrlId>,
    /// Pages looked at that are kin, by their place in `memory.looked`.
    kin: Vec<usize>,
    others: Vec<usize>,
    kin_counts: Counts,
    other_counts: Counts,
    /// Looked at in order to verify a cell.
    verified: FxHashSet<UrlId>,
    /// Per looked-at page: is it kin?
    labels: Vec<Label>,
    /// Per address: how likely it is kin, and the final word on it.
    decisions: Vec<Decision>,
    steps: Vec<Step>,
    failures: u32,
    relabel_at: usize,
    /// Per cell: what the looks at its own pages say.
    cell_words: Vec<Option<bool>>,
    accepted: usize,
    listed_with_kin: Vec<bool>,
    rejected_names: FxHashSet<u64>,
    apart: std::cell::RefCell<rustc_hash::FxHashMap<(bool, Box<[usize]>), (usize, f64)>>,
}

pub async fn discover<P: Pages>(
    pages: &P,
    samples: &[Url],
    settings: &Settings,
    site: SiteSettings,
) -> Result<Discovery, Error> {
    let mut search = Search::new(pages, samples, site);
    let stopped = search.run().await.err();
    if std::env::var("TRACE").is_ok() { search.trace_cells(); }
    if search.kin.is_empty() {
        let why = search.memory.skipped.first().map_or("no answer".to_owned(), |skipped| skipped.reason.to_string());
        return Err(Error::Sample(samples[0].clone(), why));
    }
    Ok(search.answer(samples, settings, stopped))
}

impl<'p, P: Pages> Search<'p, P> {
    fn new(pages: &'p P, samples: &[Url], site: SiteSettings) -> Self {
        let mut memory = Memory::new(pages, site);
        let samples: Vec<UrlId> = samples.iter().map(|sample| memory.id(sample)).collect();
        memory.guess_ancestors(&samples);
        Self {
            memory,
            cells: Cells::default(),
            samples,
            kin: Vec::new(),
            others: Vec::new(),
            kin_counts: Counts::default(),
            other_counts: Counts::default(),
            verified: FxHashSet::default(),
            labels: Vec::new(),
            decisions: Vec::new(),
            steps: Vec::new(),
            failures: 0,
            relabel_at: 4,
            cell_words: Vec::new(),
            accepted: 0,
            listed_with_kin: Vec::new(),
            rejected_names: FxHashSet::default(),
            apart: Default::default(),
        }
    }

    async fn run(&mut self) -> Result<(), Stop> {
        let samples = self.samples.clone();
        self.memory.look(&samples).await?;
        self.samples = samples.iter().map(|&id| self.memory.resolve(id)).collect();
        self.update();
        loop {
            let guides = self.guides();
            let wanted = if guides.is_empty() { self.wanted_looks() } else { Vec::new() };
            if !guides.is_empty() {
                self.memory.look(&guides).await?;
                self.update();
                continue;
            }
            if !wanted.is_empty() {
                self.verified.extend(wanted.iter().copied());
                self.memory.look(&wanted).await?;
                self.update();
                continue;
            }
            let Some(sources) = self.next_sources() else { return Ok(()) };
            let before = self.memory.looked.len();
            let own = sources.urls.iter().copied().filter(|&id| self.candidate(self.cells.of_url[id as usize]) == Some(true));
            self.verified.extend(own.collect::<Vec<_>>());
            self.memory.look(&sources.urls).await?;
            self.update();
            self.note_sources(&sources, before);
        }
    }

    /// Brings cells, labels and decisions up to date with the pages looked at.
    fn update(&mut self) {
        self.cells.update(&self.memory.urls);
        self.label_new();
        self.decide();
    }

    fn label_new(&mut self) {
        for place in self.labels.len()..self.memory.looked.len() {
            let label = self.label(place);
            if std::env::var("TRACE").is_ok() {
                let page = &self.memory.looked[place];
                let one = Counts::of([&page.tokens]);
                let d = distance(&self.kin_counts, &one, &self.other_counts);
                let l = self.kin.first().map(|&k| likeness(&self.memory.looked[k].tokens, &page.tokens, &self.other_counts));
                eprintln!("  look {} {label:?} cand={:?} A={} N={} d={:.2}/{:.2}={:.2} like={l:.2?} {}", self.memory.urls[page.id as usize].url, self.candidate(self.cells.of_url[page.id as usize]), self.kin.len(), self.others.len(), d.structure, d.labels, d.total(), if self.verified.contains(&page.id) {"V"} else {""});
            }
            self.set_label(place, label);
        }
        // What was judged by one or two pages is judged again when the kind is better known.
        let accepted = self.cell_words.iter().filter(|word| **word == Some(true)).count();
        if self.kin.len() >= self.relabel_at || accepted > self.accepted + self.accepted / 2 {
            self.relabel_at = self.kin.len().max(2) * 2;
            self.accepted = accepted;
            let labels: Vec<Label> = (0..self.memory.looked.len()).map(|place| self.label(place)).collect();
            self.labels.clear();
            self.others.clear();
            self.other_counts = Counts::default();
            for (place, label) in labels.into_iter().enumerate() {
                self.set_label(place, label);
            }
        }
    }

    fn set_label(&mut self, place: usize, label: Label) {
        self.labels.push(label);
        if label == Label::Other {
            self.others.push(place);
            self.other_counts.add(&self.memory.looked[place].tokens);
        }
    }

    /// The pages others are compared with: kin by themselves, in a cell that is trusted.
    fn gather(&mut self, trusted: &FxHashSet<usize>) {
        let kin: Vec<usize> = (0..self.labels.len())
            .filter(|place| self.labels[*place] == Label::Kin)
            .filter(|place| trusted.contains(place) || self.samples.contains(&self.memory.looked[*place].id))
            .collect();
        if kin != self.kin {
            self.kin_counts = Counts::of(kin.iter().map(|&place| &self.memory.looked[place].tokens));
            self.kin = kin;
        }
    }

    /// What is this one page, by itself?
    fn label(&self, place: usize) -> Label {
        let page = &self.memory.looked[place];
        if self.samples.contains(&page.id) {
            return Label::Kin;
        }
        if page.stub || self.kin.is_empty() {
            return Label::Other;
        }
        let candidate = self.candidate(self.cells.of_url[page.id as usize]);
        if self.lists_kin(place) {
            return Label::Other;
        }
        if self.kin.len() >= 3 {
            let apart = distance(&self.kin_counts, &Counts::of([&page.tokens]), &self.other_counts).total();
            return match candidate {
                Some(agrees) if apart <= NEAR && (agrees || self.verified.contains(&page.id)) => Label::Kin,
                Some(agrees) if apart <= FAR && (agrees || self.verified.contains(&page.id)) => Label::Unsure,
                Some(_) if apart <= NEAR => Label::Unsure,
                None if apart <= SAME => Label::Unsure,
                _ => Label::Other,
            };
        }
        // A page that was asked for as a source is not kin until the kind is known.
        match candidate {
            Some(agrees) if self.verified.contains(&page.id) && self.like_samples(place) >= self.likeness_needed(agrees) => Label::Kin,
            _ => Label::Other,
        }
    }

    /// Does the page point to far more kin than known kin do? Then it is an index of them.
    fn lists_kin(&self, place: usize) -> bool {
        let shown = |place: usize| {
            let links = &self.memory.looked[place].links;
            links.iter().filter(|(id, _)| self.decisions.get(*id as usize).is_some_and(|decision| decision.is_kin())).count()
        };
        let usual = self.kin.iter().filter(|&&kin| kin != place).map(|&kin| shown(kin)).max().unwrap_or(0);
        shown(place) > 3 * usual + 8
    }

    /// How alike a page is to the most similar known kin.
    fn like_samples(&self, place: usize) -> f64 {
        let tokens = &self.memory.looked[place].tokens;
        self.kin.iter().map(|&kin| likeness(&self.memory.looked[kin].tokens, tokens, &self.other_counts)).fold(0.0, f64::max)
    }

    /// While the kind is known from one or two pages: more alike than pages of other kinds are, and not much less than the best.
    fn likeness_needed(&self, agrees: bool) -> f64 {
        let of_others = self.others.iter().map(|&other| self.like_samples(other)).fold(0.0, f64::max);
        let verified = (0..self.memory.looked.len())
            .filter(|&place| self.verified.contains(&self.memory.looked[place].id))
            .map(|place| self.like_samples(place));
        let best = verified.fold(0.0, f64::max);
        if agrees { (0.6 * best).max(1.05 * of_others) } else { (0.8 * best).max(1.2 * of_others).max(0.6) }
    }

    fn answer(&self, samples: &[Url], settings: &Settings, stopped: Option<Stop>) -> Discovery {
        let mut entities: Vec<Entity> = Vec::new();
        let mut dropped = Vec::new();
        let mut taken = FxHashSet::default();
        for (id, known) in self.memory.urls.iter().enumerate() {
            let decision = self.decisions[id];
            if decision.is_kin() {
                let to = self.memory.resolve(id as UrlId);
                if !taken.insert(to) {
                    continue;
                }
                let via = known.first.map(|page| self.memory.urls[self.memory.looked[page].id as usize].url.clone());
                let url = self.memory.urls[to as usize].url.clone();
                entities.push(Entity { url, confidence: decision.likely as f64, via, evidence: self.evidence(id as UrlId) });
            } else if decision.likely > 0.05 || matches!(known.state, memory::State::Looked(_)) {
                dropped.push(Dropped { url: known.url.clone(), why: self.evidence(id as UrlId) });
            }
        }
        entities.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        dropped.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        let mut skipped = self.memory.skipped.clone();
        skipped.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        Discovery {
            method: settings.method,
            samples: samples.to_vec(),
            entities,
            indexes: self.indexes(),
            dropped,
            skipped,
            steps: self.steps.clone(),
            downloads: self.memory.downloads,
            addresses: self.memory.urls.len(),
            stopped,
        }
    }

    #[allow(clippy::print_stderr)]
    pub fn trace_cells(&self) {
        let mut cells: Vec<_> = self.cells.cells.iter().enumerate().collect();
        cells.sort_by_key(|(_, c)| std::cmp::Reverse(c.members.len()));
        for (i, c) in cells.iter().take(25) {
            let kin = c.members.iter().filter(|&&m| self.decisions[m as usize].is_kin()).count();
            eprintln!("   cell {} members {} kin {} cand {:?} word {:?} e.g. {}", c.name, c.members.len(), kin, self.candidate(*i as u32), self.cell_words[*i], self.memory.urls[c.members[0] as usize].url);
        }
    }

    fn evidence(&self, id: UrlId) -> String {
        let cell = &self.cells.cells[self.cells.of_url[id as usize] as usize];
        format!("{}: {}", cell.name, self.decisions[id as usize].why())
    }

    fn indexes(&self) -> Vec<Index> {
        let yields = self.yields();
        let mut indexes: Vec<Index> = Vec::new();
        for (place, page) in self.memory.looked.iter().enumerate() {
            if yields[place] >= 1.0 && self.labels[place] != Label::Kin {
                let known = &self.memory.urls[page.id as usize];
                let parent = known.first.map(|first| self.memory.urls[self.memory.looked[first].id as usize].url.clone());
                indexes.push(Index { url: known.url.clone(), level: 0, parent, evidence: format!("first to show {:.0} kin", yields[place]) });
            }
        }
        indexes.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        indexes
    }
}
