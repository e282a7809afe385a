//! What did this run learn of the site? Discovery, and its index pages read once more → [`Learned`].
//!
//! The pages were all looked at during the run, so whoever answers still has them: this asks the site for nothing.

use super::address::Outline;
use super::index_page::{BATCH, IndexLink, IndexPage, IndexReader, places};
use super::lists::Lists;
use super::{Discovery, KnownEntity, KnownIndex, Learned, Place, Settings, VERSION};
use crate::page::address::{Scope, key};
use crate::pages::Pages;
use crate::site::AddressBudget;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use url::Url;

pub async fn learn<P: Pages>(pages: &P, found: &Discovery, settings: &Settings) -> Learned {
    let mut learning = Learning::new(found, settings);
    let Some(first) = found.samples.first() else { return learning.learned(settings) };
    let (scope, bytes) = (Scope::new(settings.scope, first), settings.address_bytes);
    let reader = IndexReader { scope, limits: settings.limits, bytes };
    let (kin, lists): (Vec<Url>, Vec<Url>) = index_pages(found).into_iter().partition(|url| learning.is_entity(url));
    // Lists first: a page of the kind is asked again only for what no list shows.
    for batch in lists.chunks(BATCH).chain(kin.chunks(BATCH)) {
        for (index, shown) in batch.iter().zip(reader.at(pages, batch).await) {
            if let Ok(shown) = shown {
                learning.take(index, &shown);
            }
        }
    }
    learning.learned(settings)
}

/// As far as there is room.
pub fn keep(kept: &mut BTreeMap<String, Url>, entry: &IndexLink, budget: &mut AddressBudget, page: &Url) {
    if !kept.contains_key(&entry.key) && budget.admits(entry.key.len() + entry.url.as_str().len(), page) {
        kept.insert(entry.key.clone(), entry.url.clone());
    }
}

/// Those the method names, those that entities were found on, and those above them, which may show a new one.
fn index_pages(found: &Discovery) -> Vec<Url> {
    let entities: HashSet<String> = found.entities.iter().map(|entity| key(&entity.url)).collect();
    let above = found.indexes.iter().filter_map(|index| index.parent.as_ref());
    let above = above.map(|url| (key(url), url)).filter(|(key, _)| !entities.contains(key));
    let named = found.indexes.iter().map(|index| &index.url);
    let via = found.entities.iter().filter_map(|entity| entity.via.as_ref());
    let by_key: BTreeMap<String, &Url> = above.chain(named.chain(via).map(|url| (key(url), url))).collect();
    by_key.into_values().cloned().collect()
}

struct Learning<'d> {
    found: &'d Discovery,
    /// Place in `entities`, by key.
    entities: HashMap<String, usize>,
    /// Per entity: the index page it stands on, and the words there.
    shown: Vec<Option<(Url, String)>>,
    indexes: HashSet<String>,
    outlines: HashSet<Outline>,
    dropped: HashSet<String>,
    kept: Vec<(Url, BTreeSet<Place>)>,
    others: BTreeMap<String, Url>,
    passed: BTreeMap<String, Url>,
    /// For what is kept of addresses that are no pages of the kind.
    budget: AddressBudget,
}

impl<'d> Learning<'d> {
    fn new(found: &'d Discovery, settings: &Settings) -> Self {
        let entities = found.entities.iter().enumerate().map(|(at, entity)| (key(&entity.url), at)).collect();
        Self {
            found,
            entities,
            shown: vec![None; found.entities.len()],
            indexes: index_pages(found).iter().map(key).collect(),
            outlines: found.entities.iter().map(|entity| Outline::of(&entity.url)).collect(),
            dropped: found.dropped.iter().map(|dropped| key(&dropped.url)).collect(),
            kept: Vec::new(),
            others: BTreeMap::new(),
            passed: BTreeMap::new(),
            budget: AddressBudget::new(settings.address_bytes),
        }
    }

    fn is_entity(&self, url: &Url) -> bool {
        self.entities.contains_key(&key(url))
    }

    fn take(&mut self, index: &Url, shown: &IndexPage) {
        let is_list = !self.is_entity(index);
        let mut of_use = false;
        for entry in &shown.entries {
            of_use |= is_list && self.indexes.contains(&entry.key);
            let Some(&at) = self.entities.get(&entry.key) else { continue };
            if is_list || self.shown[at].as_ref().is_none_or(|(via, _)| via == index) {
                of_use = true;
                self.show(at, index, &entry.text);
            }
        }
        if of_use {
            let places = places(shown, |key| self.entities.contains_key(key));
            self.note_others(shown, &places);
            self.note_passed(shown, is_list);
            self.kept.push((index.clone(), places));
        }
    }

    /// The page the method names goes first, and on a page the first link with words.
    fn show(&mut self, at: usize, index: &Url, text: &str) {
        let named = self.found.entities[at].via.as_ref() == Some(index);
        match &mut self.shown[at] {
            Some((via, known)) if via == index => {
                if known.is_empty() {
                    *known = text.to_owned();
                }
            }
            Some(_) if !named => {}
            shown => *shown = Some((index.clone(), text.to_owned())),
        }
    }

    /// A run that was cut short has not judged everything it saw: what it did not judge may be new later.
    fn note_others(&mut self, shown: &IndexPage, places: &BTreeSet<Place>) {
        let complete = self.found.stopped.is_none();
        for entry in &shown.entries {
            let judged = complete || self.dropped.contains(&entry.key);
            let Some(spot) = entry.spot.map(|spot| &shown.spots[spot]) else { continue };
            if judged
                && !self.entities.contains_key(&entry.key)
                && self.outlines.contains(&Outline::of(&entry.url))
                && places.iter().any(|place| spot.is_at(place))
            {
                keep(&mut self.others, entry, &mut self.budget, &shown.url);
            }
        }
    }

    /// Further pages of a list that a finished run did without show nothing more; they are not to be asked for later.
    fn note_passed(&mut self, shown: &IndexPage, is_list: bool) {
        if self.found.stopped.is_some() {
            return;
        }
        let is_index = |key: &str| self.indexes.contains(key) && !self.entities.contains_key(key);
        let lists = Lists::of(shown, is_list, is_index);
        for entry in &shown.entries {
            let spot = entry.spot.map(|spot| &shown.spots[spot]);
            if !self.indexes.contains(&entry.key)
                && !self.entities.contains_key(&entry.key)
                && lists.has_further(entry, spot, &self.outlines)
            {
                keep(&mut self.passed, entry, &mut self.budget, &shown.url);
            }
        }
    }

    fn learned(self, settings: &Settings) -> Learned {
        let (places, indexes) = numbered(self.kept);
        let entities = self.found.entities.iter().zip(self.shown).map(|(entity, shown)| match shown {
            Some((via, text)) => KnownEntity { url: entity.url.clone(), via: Some(via), text: Some(text) },
            None => KnownEntity { url: entity.url.clone(), via: entity.via.clone(), text: None },
        });
        Learned {
            version: VERSION,
            site: self.found.samples.first().map_or_else(String::new, |url| url.origin().ascii_serialization()),
            scope: settings.scope,
            method: self.found.method,
            samples: self.found.samples.clone(),
            complete: self.found.stopped.is_none(),
            places,
            indexes,
            entities: entities.collect(),
            others: self.others.into_values().collect(),
            passed: self.passed.into_values().collect(),
        }
    }
}

/// Index pages, with places as numbers in one list: the pages of a list share theirs.
pub fn numbered(mut indexes: Vec<(Url, BTreeSet<Place>)>) -> (Vec<Place>, Vec<KnownIndex>) {
    indexes.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
    let all: BTreeSet<&Place> = indexes.iter().flat_map(|(_, places)| places).collect();
    let all: Vec<Place> = all.into_iter().cloned().collect();
    let number = |place: &Place| all.binary_search(place).ok();
    let known = indexes
        .iter()
        .map(|(url, places)| KnownIndex { url: url.clone(), places: places.iter().filter_map(number).collect() });
    let known = known.collect();
    (all, known)
}
