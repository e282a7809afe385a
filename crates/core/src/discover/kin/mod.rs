//! Our own method: all and only the right pages, with almost no downloads.
//!
//! A small survey of what surrounds the sample comes first ([`survey`]). Pages looked at are compared with the kind by content
//! ([`crate::features::kind`]); a regression over what addresses have in common ([`nodes`], [`belief`]) joins content, address, place and
//! list into one probability for every address. The next page is the one that would settle most ([`verify`]) or show most new pages of the
//! kind ([`frontier`]); the search ends when no page is expected to change the answer.

pub mod answer;
mod arms;
pub mod belief;
pub mod collect;
mod completeness;
mod frontier;
mod harvest;
mod ladder;
pub mod nodes;
pub mod params;
pub mod prior;
mod questions;
mod read;
mod state;
mod survey;
mod verify;

use super::{Discovery, Error, Questions, Settings, Signal, Step};
use crate::features::kind::{Apart, Background, PageSet, Reference};
use crate::features::profile::Profile;
use crate::pages::Pages;
use crate::site::{SiteSettings, Stop};
use belief::{Belief, Label, Observation, sigmoid, weighed};
use params::Params;
use rustc_hash::{FxHashMap, FxHashSet};
use state::{SiteState, State, UrlId};
use std::sync::Arc;
use url::Url;

/// Why a page was asked for.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    /// It stands above a sample, or shows what all pages of the site have in common.
    Guide,
    Verify(f64),
    /// As a source of so many new kin.
    Source(f64),
}

/// Pages that others are compared with, at most.
const REFERENCE: usize = 12;

/// Pages of the samples' own form that make others unnecessary.
const OWN_FORM: usize = 3;

/// Pages beside the sample, alike, that may stand in for it.
const STAND_INS: usize = 3;

/// Chance from which a page may be compared with; by its address alone, where that has the form of a sample's: more likely than not. Left out,
/// open sites and documentation: with content deciding F1 0.883 (spread 0.242, 0.86 downloads a page found); with the address from 0.5 on 0.892 (0.187, 0.72),
/// from 0.2 on 0.890 (0.181, 0.73).
const SURE: f64 = 0.85;
const OWN_ADDRESS: f64 = 0.5;

/// Pages of a folder that are compared together.
const SET: usize = 12;

/// After so many looks, pages judged are judged again only now and then.
const JUDGED_AGAIN: usize = 150;

struct Search<'p, P> {
    state: SiteState<'p, P>,
    params: Arc<Params>,
    samples: Vec<UrlId>,
    /// Pages the user says are of another kind.
    not: Vec<UrlId>,
    background: Background,
    /// Per looked-at page: log-odds of being kin by content.
    content: Vec<f64>,
    judged: usize,
    reference: Vec<usize>,
    belief: Belief,
    /// Per address: log-odds before looks.
    priors: Vec<f32>,
    /// Looks at the time all of them were worked out.
    priors_at: usize,
    /// Per address: the chance that it is a page of the kind.
    chance: Vec<f32>,
    steps: Vec<Step>,
    failures: u32,
    /// Folders that all addresses of the site have in common.
    site_folders: usize,
    /// Looks taken beside lists before the end.
    beside: usize,
    /// Share of the pages to find before the search may end, where the user names one.
    until: Option<f64>,
    /// Per looked-at page: the first page of the list that it is a page of.
    series_of: Vec<usize>,
    alive: verify::Alive,
    teacher: Option<collect::Teacher<'p>>,
    questions: Option<Questions>,
    /// Pages somebody was asked about.
    questioned: FxHashSet<UrlId>,
}

pub async fn discover<P: Pages>(
    pages: &P,
    samples: &[Url],
    settings: &Settings,
    site: SiteSettings,
) -> Result<Discovery, Error> {
    let mut search = Search::new(pages, samples, settings, site);
    let stopped = search.run().await.err();
    if search.state.looked.is_empty() {
        let why = search.state.skipped.first().map_or("no answer".to_owned(), |skipped| skipped.reason.to_string());
        return Err(Error::Sample(samples[0].clone(), why));
    }
    // The run may have been stopped between a look and its judgement.
    search.update();
    Ok(search.answer(samples, settings, stopped))
}

impl<'p, P: Pages> Search<'p, P> {
    fn new(pages: &'p P, samples: &[Url], settings: &Settings, site: SiteSettings) -> Self {
        let mut state = SiteState::new(pages, site, settings.without.clone());
        let samples: Vec<UrlId> = samples.iter().map(|sample| state.sample(sample)).collect();
        let not: Vec<UrlId> = settings.not.iter().map(|url| state.id(url)).collect();
        if state.uses(Signal::Ancestors) {
            state.guess_ancestors(&samples);
        }
        Self {
            state,
            params: settings.params.clone(),
            samples,
            not,
            background: Background::default(),
            content: Vec::new(),
            judged: 0,
            reference: Vec::new(),
            belief: Belief::default(),
            priors: Vec::new(),
            priors_at: 0,
            chance: Vec::new(),
            steps: Vec::new(),
            failures: 0,
            site_folders: 0,
            beside: 0,
            until: settings.until,
            series_of: Vec::new(),
            alive: verify::Alive::default(),
            teacher: None,
            questions: settings.questions.clone(),
            questioned: FxHashSet::default(),
        }
    }

    async fn run(&mut self) -> Result<(), Stop> {
        self.begin().await?;
        if self.state.looked.is_empty() {
            return Ok(());
        }
        self.survey().await?;
        loop {
            let verify = self.best_verification();
            let source = self.next_sources(false);
            let worth = |best: &Option<(f64, Vec<UrlId>)>| best.as_ref().map_or(0.0, |(worth, _)| *worth);
            let best_source = source.as_ref().map_or(0.0, |sources| sources.worth);
            if worth(&verify) >= best_source
                && let Some((worth, urls)) = verify
            {
                self.look(&urls, Purpose::Verify(worth)).await?;
            } else if let Some(sources) = source {
                self.harvest(sources).await?;
            } else if !self.look_beside_lists().await?
                && !self.look_into_branches().await?
                && !self.look_further().await?
                && !self.ask().await?
            {
                return Ok(());
            }
        }
    }

    /// A few more pages of branches that differ, where too few were looked at to say so. False when there is none.
    async fn look_into_branches(&mut self) -> Result<bool, Stop> {
        let wanted = self.undecided_branches();
        if wanted.is_empty() {
            return Ok(false);
        }
        self.look(&wanted, Purpose::Verify(1.0)).await?;
        Ok(true)
    }

    /// Where more is expected to be missing than the user accepts: the most promising page, whatever it promises. False when there is none.
    async fn look_further(&mut self) -> Result<bool, Stop> {
        if !self.lacks_too_many() {
            return Ok(false);
        }
        let Some(sources) = self.next_sources(true) else { return Ok(false) };
        self.harvest(sources).await?;
        Ok(true)
    }

    /// The samples, and the pages the user says are of another kind.
    async fn begin(&mut self) -> Result<(), Stop> {
        let first: Vec<UrlId> = self.samples.iter().chain(&self.not).copied().collect();
        let looked = self.state.look(&first).await;
        self.update();
        looked?;
        self.samples = self.samples.iter().map(|&id| self.state.resolve(id)).collect();
        self.not = self.not.iter().map(|&id| self.state.resolve(id)).collect();
        let start = self.state.urls[self.samples[0] as usize].url.clone();
        let mapped = if self.uses(Signal::Sitemaps) { self.state.read_sitemaps(&start).await } else { Ok(()) };
        self.update();
        mapped
    }

    /// Does the search go by this signal?
    fn uses(&self, signal: Signal) -> bool {
        self.state.uses(signal)
    }

    async fn look(&mut self, ids: &[UrlId], purpose: Purpose) -> Result<(), Stop> {
        let before = self.state.looked.len();
        let result = self.state.look(ids).await;
        self.update();
        self.explain(purpose, before);
        result
    }

    fn is_kin(&self, id: UrlId) -> bool {
        self.chance.get(id as usize).is_some_and(|&chance| chance >= 0.5)
    }

    fn found(&self) -> usize {
        self.chance.iter().filter(|&&chance| chance >= 0.5).count()
    }

    /// An address with more parameters than a sample has, where the address without them is of the kind.
    fn is_variant(&self, id: UrlId) -> bool {
        self.state.base(id).is_some_and(|base| base != id && (self.samples.contains(&base) || self.is_kin(base)))
    }

    /// Brings all chances up to date with the pages looked at.
    fn update(&mut self) {
        self.site_folders = self.site_folders();
        self.state.site_folders = self.site_folders;
        let profiles: Vec<&Profile> = self.state.looked.iter().map(|page| &page.profile).collect();
        if profiles.is_empty() {
            return;
        }
        self.background.update(&profiles);
        self.judge();
        self.learn();
        if let Some(teacher) = self.teacher.take() {
            self.teacher = Some(self.collect(teacher));
        }
    }

    /// Log-odds by content of the pages looked at.
    fn judge(&mut self) {
        let count = self.state.looked.len();
        let reference = self.chosen_reference();
        let again = count <= JUDGED_AGAIN || count > self.judged + self.judged / 5;
        let from = if again { 0 } else { self.content.len() };
        if again {
            self.judged = count;
            self.reference = reference;
        }
        self.content.truncate(from);
        let profiles: Vec<&Profile> = self.state.looked.iter().map(|page| &page.profile).collect();
        let listed = |page: usize| self.listed(page);
        let kind = Reference::new(&self.background, &profiles, &self.reference, &listed);
        let judged: Vec<f64> = {
            let sets = self.sets(&kind);
            (from..count)
                .map(|page| {
                    let set = sets.get(&self.folder_of(page)).copied();
                    self.params.content_odds(&kind.features(page, profiles[page], listed(page), set))
                })
                .collect()
        };
        self.content.extend(judged);
    }

    fn folder_of(&self, page: usize) -> nodes::NodeId {
        self.state.cell(self.state.looked[page].id)
    }

    /// How far the pages looked at in each folder, taken together, are from the kind.
    fn sets(&self, kind: &Reference) -> FxHashMap<nodes::NodeId, Apart> {
        let mut sets: FxHashMap<nodes::NodeId, PageSet> = FxHashMap::default();
        if !self.uses(Signal::Sets) {
            return FxHashMap::default();
        }
        // Pages of one year, letter or category share what is content, so what parts folders among many says little.
        let mut few: FxHashMap<nodes::NodeId, f64> = FxHashMap::default();
        for page in 0..self.state.looked.len() {
            let of = &self.state.urls[self.state.looked[page].id as usize].shape;
            few.entry(self.folder_of(page)).or_insert_with(|| {
                let apart = self.samples.iter().map(|&id| self.state.few(of, &self.state.urls[id as usize].shape));
                apart.fold(1.0, f64::min)
            });
            let set = sets.entry(self.folder_of(page)).or_default();
            if set.len() < SET {
                set.add(&self.state.looked[page].profile);
            }
        }
        sets.iter()
            .filter_map(|(folder, set)| {
                Some((*folder, kind.apart(set)?.scaled(few.get(folder).copied().unwrap_or(1.0))))
            })
            .collect()
    }

    /// How many pages of the kind a page links to.
    fn listed(&self, page: usize) -> f64 {
        self.state.looked[page].links.iter().filter(|(id, _)| self.is_kin(*id)).count() as f64
    }

    /// The samples, then the pages that tell what the kind looks like: those under addresses of a sample's form first, because the sample
    /// is what the user gave, and of other forms only where these are few.
    fn chosen_reference(&self) -> Vec<usize> {
        let mut chosen: Vec<usize> = self.samples.iter().filter_map(|&id| self.looked_at(id)).collect();
        if chosen.is_empty() {
            chosen.push(0);
        }
        let forms: Vec<nodes::NodeId> = self.samples.iter().map(|&id| self.state.cell(id)).collect();
        let clusters: Vec<usize> = chosen.iter().map(|&page| self.background.cluster(page)).collect();
        let mut sure: Vec<(bool, bool, f64, usize)> = (0..self.content.len())
            .filter(|page| !chosen.contains(page) && self.known_label(*page) != Some(false))
            .filter_map(|page| {
                let own_form = forms.contains(&self.state.cell(self.state.looked[page].id));
                let alike = clusters.contains(&self.background.cluster(page));
                Some((own_form, alike, self.tells_of_kind(page, own_form)?, page))
            })
            .collect();
        if self.uses(Signal::StandIns) && !sure.iter().any(|one| one.0) {
            let stand_ins = self.stand_ins(&chosen);
            if !stand_ins.is_empty() {
                chosen.extend(stand_ins);
                return chosen;
            }
        }
        sure.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then(b.2.total_cmp(&a.2)).then(a.3.cmp(&b.3)));
        let own = sure.iter().filter(|one| one.0).count();
        // A few of the samples' own form are enough: others might be of another kind that looks alike.
        let most = if own >= OWN_FORM { own } else { sure.len() };
        chosen.extend(sure.into_iter().take(most).map(|(_, _, _, page)| page));
        chosen.truncate(REFERENCE.max(self.samples.len()));
        chosen
    }

    /// How much may a page be compared with, if at all? Under an address of a sample's form its address alone decides. If its content did,
    /// only pages like the sample would be compared with, and those that lack what is optional in it would look ever more foreign; so each of the two
    /// views teaches the other, as in co-training (Blum and Mitchell, COLT 1998).
    fn tells_of_kind(&self, page: usize, own_form: bool) -> Option<f64> {
        let id = self.state.looked[page].id as usize;
        let (by_address, chance) = (sigmoid(f64::from(self.priors[id])), f64::from(self.chance[id]));
        match own_form && by_address >= OWN_ADDRESS {
            true => Some(1.0 + by_address),
            false => (chance >= SURE).then_some(chance),
        }
    }

    /// The sample may be the odd one of its kind. When several pages that stand in one list with it are like one another and none of them is
    /// like it, they tell what the kind looks like.
    fn stand_ins(&self, samples: &[usize]) -> Vec<usize> {
        let lists: FxHashSet<nodes::NodeId> = self.samples.iter().flat_map(|&id| self.state.lists(id)).collect();
        let forms: Vec<nodes::NodeId> = self.samples.iter().map(|&id| self.state.cell(id)).collect();
        let beside: Vec<usize> = (0..self.content.len())
            .filter(|page| !samples.contains(page) && !self.state.looked[*page].stub)
            .filter(|&page| {
                let id = self.state.looked[page].id;
                forms.contains(&self.state.cell(id)) && self.state.lists(id).any(|list| lists.contains(&list))
            })
            .collect();
        let mut alike: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for &page in &beside {
            alike.entry(self.background.cluster(page)).or_default().push(page);
        }
        let most =
            alike.into_values().max_by_key(|pages| (pages.len(), std::cmp::Reverse(pages[0]))).unwrap_or_default();
        if most.len() < STAND_INS || most.len() * 3 < beside.len() * 2 { Vec::new() } else { most }
    }

    /// Where in `state.looked` a page stands, if it was looked at.
    fn looked_at(&self, id: UrlId) -> Option<usize> {
        match self.state.states[self.state.resolve(id) as usize] {
            State::Looked(place) => Some(place),
            _ => None,
        }
    }

    /// What is certain of a page, whatever it looks like.
    fn known_label(&self, page: usize) -> Option<bool> {
        let looked = &self.state.looked[page];
        if self.samples.contains(&looked.id) {
            return Some(true);
        }
        if looked.stub || self.not.contains(&looked.id) {
            return Some(false);
        }
        self.teacher.as_ref().and_then(|teacher| teacher.tells(&self.state.urls[looked.id as usize].url))
    }

    /// What is certain of a page looked at, or what its content says.
    fn label(&self, page: usize) -> Option<Label> {
        let content = self.content.get(page).copied().map(Label::Content);
        self.known_label(page).map(Label::Known).or(content)
    }

    fn observations(&self) -> Vec<Observation> {
        let observed = |page: usize| {
            let id = self.state.looked[page].id;
            let weight = if self.samples.contains(&id) { self.params.sample_weight } else { 1.0 };
            let (nodes, prior) = (self.node_weights(id).collect(), f64::from(self.priors[id as usize]));
            Some(Observation { nodes, prior, label: self.label(page)?, weight })
        };
        (0..self.state.looked.len()).filter_map(observed).collect()
    }

    fn node_weights(&self, id: UrlId) -> impl Iterator<Item = (nodes::NodeId, f64)> + '_ {
        let known = &self.state.urls[id as usize];
        weighed(&self.state.nodes, known.own_nodes().chain(&known.linked))
    }

    /// By the most alike sample.
    fn prior_odds(&self, id: UrlId) -> f64 {
        let odds = |sample: &UrlId| {
            let features = self.state.prior(id, *sample);
            features.iter().zip(&self.params.prior).map(|(x, weight)| x * weight).sum::<f64>()
        };
        self.samples.iter().map(odds).fold(f64::MIN, f64::max)
    }

    /// Works out the priors of addresses that are new or were linked again.
    fn update_priors(&mut self) {
        let touched = std::mem::take(&mut self.state.touched);
        let looked = self.state.looked.len();
        let all = looked > self.priors_at + self.priors_at / 4;
        if all {
            self.priors_at = looked;
        }
        let known = if all { 0 } else { self.priors.len() };
        self.priors.truncate(known);
        for id in known..self.state.urls.len() {
            self.priors.push(self.prior_odds(id as UrlId) as f32);
        }
        for id in touched.into_iter().filter(|&id| (id as usize) < known) {
            self.priors[id as usize] = self.prior_odds(id) as f32;
        }
    }

    /// Learns what the nodes say, and says it of all addresses.
    fn learn(&mut self) {
        self.update_priors();
        self.belief = Belief::learn(&self.state.nodes, &self.observations(), &self.params);
        self.alive = self.alive();
        self.chance.clear();
        self.say(0);
        self.join_series(0);
    }

    /// Says what is believed so far of addresses from here on, which are new.
    fn guess(&mut self, from: usize) {
        let new = self.priors.len()..self.state.urls.len();
        self.priors.extend(new.map(|id| self.prior_odds(id as UrlId) as f32).collect::<Vec<f32>>());
        self.say(from);
    }

    fn say(&mut self, from: usize) {
        let new = from as UrlId..self.state.urls.len() as UrlId;
        let said: Vec<f32> = new.clone().map(|id| self.believed(id) as f32).collect();
        self.chance.extend(said);
        let variants = new.filter(|&id| self.is_variant(id) && !self.samples.contains(&id));
        for id in variants.collect::<Vec<UrlId>>() {
            self.chance[id as usize] = 0.0;
        }
    }

    fn believed(&self, id: UrlId) -> f64 {
        let to = self.state.resolve(id);
        let odds = f64::from(self.priors[to as usize]) + self.belief.of(self.node_weights(to));
        let by_address = || sigmoid(odds) * self.alive.of(&self.state.urls[to as usize]);
        match self.state.states[to as usize] {
            State::Looked(page) => self.label(page).map_or_else(by_address, |label| self.belief.expected(label, odds)),
            State::Skipped => 0.0,
            _ => by_address(),
        }
    }

    /// How many of the addresses asked for answered, by form and by list.
    fn alive(&self) -> verify::Alive {
        let mut alive = verify::Alive::default();
        let asked: FxHashSet<UrlId> = self.state.asked.iter().copied().collect();
        for id in asked {
            let answered = matches!(self.state.states[self.state.resolve(id) as usize], State::Looked(_));
            alive.note(&self.state.urls[id as usize], answered);
        }
        alive
    }
}
