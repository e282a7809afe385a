//! What do the index pages show now? Pages as they come → sightings of known pages, new ones, further pages of lists.
//!
//! - [`Recheck`]: the memory of one refresh.
//!
//! *New* is a link in a known place, under an address of a known outline, whose folders and words are not those of what is
//! known to stand there without being of the kind. A *further page* is a link to another page of the same list.

use super::address::{Nearer, Outline};
use super::index_page::{BATCH, IndexLink, IndexPage, IndexReader, Spot, places};
use super::learn::{keep, numbered};
use super::lists::Lists;
use super::{KnownEntity, Learned, Place, Refresh, Settings};
use crate::page::address::{Scope, key};
use crate::pages::{Pages, Reason, Skipped};
use crate::site::{AddressBudget, Stop};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use url::Url;

/// Further pages asked for beyond one for each known index page. A list that grew by more is a site to discover anew, and
/// a calendar that goes on for ever ends here at the latest. 100: a year of a list that gets two pages a week.
const FURTHER: usize = 100;

/// Further pages that one page may name: many more than are ever asked for.
const MOST_FURTHER: usize = 10_000;

pub struct Recheck<'l> {
    learned: &'l Learned,
    reader: Option<IndexReader>,
    budget: Option<usize>,
    /// For addresses that were not known.
    addresses: AddressBudget,
    /// Pages come from a sample of the site.
    sampled: bool,
    /// Place in `learned.entities`, by key.
    known: HashMap<String, usize>,
    /// Per known page: the index page that shows it now, and the words there.
    seen: Vec<Option<(Url, String)>>,
    /// How many of them are seen.
    sighted: usize,
    outlines: HashSet<Outline>,
    nearer: Nearer,
    others: HashSet<String>,
    /// By key.
    indexes: HashMap<String, usize>,
    /// Keys asked for in this refresh, or that the run before passed over.
    asked: HashSet<String>,
    looked: HashSet<String>,
    waiting: Vec<Url>,
    followed: usize,
    new: BTreeMap<String, KnownEntity>,
    /// Index pages as they are now.
    now: Vec<(Url, BTreeSet<Place>)>,
    others_now: BTreeMap<String, Url>,
    /// Further pages that showed nothing more.
    passed: Vec<Url>,
    /// Not there any more: what they showed is to be found elsewhere or gone.
    gone: HashSet<String>,
    answer: Unfinished,
}

/// What of the answer is gathered on the way.
#[derive(Default)]
struct Unfinished {
    further: Vec<Url>,
    unfollowed: usize,
    skipped: Vec<Skipped>,
    stopped: Option<Stop>,
}

impl<'l> Recheck<'l> {
    pub fn new(learned: &'l Learned, settings: &Settings) -> Self {
        let keys = |(at, url): (usize, &Url)| (key(url), at);
        let entities = || learned.entities.iter().map(|entity| &entity.url);
        let indexes = learned.indexes.iter().map(|index| &index.url);
        let scope = learned.samples.first().map(|first| Scope::new(learned.scope, first));
        Self {
            learned,
            reader: scope.map(|scope| IndexReader { scope, limits: settings.limits, bytes: settings.address_bytes }),
            addresses: AddressBudget::new(settings.address_bytes),
            budget: settings.budget,
            sampled: settings.sampled,
            known: entities().enumerate().map(keys).collect(),
            seen: vec![None; learned.entities.len()],
            sighted: 0,
            outlines: entities().map(Outline::of).collect(),
            nearer: Nearer::new(entities(), learned.others.iter()),
            others: learned.others.iter().map(key).collect(),
            indexes: indexes.enumerate().map(keys).collect(),
            asked: learned.passed.iter().map(key).collect(),
            looked: HashSet::new(),
            waiting: Vec::new(),
            followed: 0,
            new: BTreeMap::new(),
            now: Vec::new(),
            others_now: BTreeMap::new(),
            passed: learned.passed.clone(),
            gone: HashSet::new(),
            answer: Unfinished::default(),
        }
    }

    pub async fn look<P: Pages>(&mut self, pages: &P, urls: &[Url]) {
        let mut left: Vec<Url> = urls.iter().filter(|url| self.asked.insert(key(url))).cloned().collect();
        while !left.is_empty() && self.answer.stopped.is_none() {
            let allowed = self.budget.map_or(BATCH, |budget| budget.saturating_sub(self.looked.len()).min(BATCH));
            if allowed == 0 {
                self.answer.stopped = Some(Stop::Budget);
                return;
            }
            let later = left.split_off(left.len().min(allowed));
            let Some(reader) = &self.reader else { return };
            for (url, shown) in left.iter().zip(reader.at(pages, &left).await) {
                self.take(url, shown);
            }
            left = later;
        }
    }

    fn take(&mut self, index: &Url, shown: Result<IndexPage, Skipped>) {
        match shown {
            Ok(shown) => self.read(index, &shown),
            Err(skipped) if skipped.reason == Reason::Interrupted => self.answer.stopped = Some(Stop::Interrupted),
            Err(skipped) => {
                if skipped.is_gone() {
                    self.gone.insert(key(index));
                }
                self.answer.skipped.push(skipped);
            }
        }
    }

    fn read(&mut self, index: &Url, shown: &IndexPage) {
        self.looked.insert(key(&shown.url));
        let (here, before) = (self.places(index, shown), self.sightings());
        let mut further = Vec::new();
        let is_index = |key: &str| self.indexes.contains_key(key) && !self.known.contains_key(key);
        let lists = Lists::of(shown, !self.known.contains_key(&key(index)), is_index);
        for entry in &shown.entries {
            let spot = entry.spot.map(|spot| &shown.spots[spot]);
            if let Some(&at) = self.known.get(&entry.key) {
                self.sight(at, index, &entry.text);
            } else if self.is_candidate(entry, spot, &here) {
                self.weigh(entry, index);
            } else if further.len() < MOST_FURTHER
                && lists.has_further(entry, spot, &self.outlines)
                && !self.indexes.contains_key(&entry.key)
            {
                further.push(entry.url.clone());
            }
        }
        let is_known = self.indexes.contains_key(&key(index));
        let shows_more = self.sightings() > before;
        if is_known || shows_more {
            let found = |key: &str| self.known.contains_key(key) || self.new.contains_key(key);
            self.now.push((index.clone(), places(shown, found)));
            self.waiting.extend(further);
        }
        if !is_known {
            let list = if shows_more { &mut self.answer.further } else { &mut self.passed };
            list.push(index.clone());
        }
    }

    /// Where pages of the kind stand on this page: where they did, and where known ones do now.
    fn places(&self, index: &Url, shown: &IndexPage) -> BTreeSet<Place> {
        let mut all = places(shown, |key| self.known.contains_key(key));
        match self.indexes.get(&key(index)) {
            Some(&at) => {
                let numbers = &self.learned.indexes[at].places;
                all.extend(numbers.iter().filter_map(|&number| self.learned.places.get(number)).cloned());
            }
            None => all.extend(self.learned.places.iter().cloned()),
        }
        all
    }

    fn sightings(&self) -> usize {
        self.sighted + self.new.len()
    }

    /// The page it was known by goes first, and on a page the first link with words.
    fn sight(&mut self, at: usize, index: &Url, text: &str) {
        let own = self.learned.entities[at].via.as_ref() == Some(index);
        match &mut self.seen[at] {
            Some((via, known)) if via == index => {
                if known.is_empty() {
                    *known = text.to_owned();
                }
            }
            Some(_) if !own => {}
            seen => {
                self.sighted += usize::from(seen.is_none());
                *seen = Some((index.clone(), text.to_owned()));
            }
        }
    }

    fn is_candidate(&self, entry: &IndexLink, spot: Option<&Spot>, places: &BTreeSet<Place>) -> bool {
        spot.is_some_and(|spot| places.iter().any(|place| spot.is_at(place)))
            && self.outlines.contains(&Outline::of(&entry.url))
            && !self.indexes.contains_key(&entry.key)
    }

    fn weigh(&mut self, entry: &IndexLink, index: &Url) {
        if self.others.contains(&entry.key) || !self.nearer.is_known(&entry.url) {
            return keep(&mut self.others_now, entry, &mut self.addresses, index);
        }
        let bytes = entry.key.len() + entry.url.as_str().len() + index.as_str().len();
        if !self.new.contains_key(&entry.key) && !self.addresses.admits(bytes, index) {
            return;
        }
        let new = || KnownEntity { url: entry.url.clone(), via: Some(index.clone()), text: Some(String::new()) };
        let known = self.new.entry(entry.key.clone()).or_insert_with(new);
        if known.via.as_ref() == Some(index) && known.text.as_ref().is_some_and(String::is_empty) {
            known.text = Some(entry.text.to_string());
        }
    }

    /// The further pages to ask for next.
    pub fn further(&mut self) -> Vec<Url> {
        let waiting = std::mem::take(&mut self.waiting);
        if self.answer.stopped.is_some() {
            return Vec::new();
        }
        let mut chosen = BTreeMap::new();
        for url in waiting {
            let key = key(&url);
            if !self.asked.contains(&key) && !self.new.contains_key(&key) {
                chosen.entry(key).or_insert(url);
            }
        }
        let allowed = (self.learned.indexes.len() + FURTHER).saturating_sub(self.followed);
        self.answer.unfollowed += chosen.len().saturating_sub(allowed);
        let chosen: Vec<Url> = chosen.into_values().take(allowed).collect();
        self.followed += chosen.len();
        chosen
    }

    /// Can an absence be believed? Only when every index page was looked at, or is gone itself.
    fn saw_all(&self) -> bool {
        !self.sampled
            && self.answer.stopped.is_none()
            && self.answer.unfollowed == 0
            && self.answer.skipped.len() == self.gone.len()
    }

    pub fn answer(mut self) -> Refresh {
        self.answer.skipped.extend(self.addresses.skipped());
        let blank = self.sightings() == 0 && self.learned.entities.iter().any(|entity| entity.text.is_some());
        let believed = self.saw_all() && !blank;
        let (mut gone, mut changed, mut kept, mut unsure) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (known, seen) in self.learned.entities.iter().zip(std::mem::take(&mut self.seen)) {
            match seen {
                Some((via, text)) => {
                    let said = known.text.as_ref().filter(|_| known.via.as_ref() == Some(&via));
                    let list = if said.is_some_and(|said| *said != text) { &mut changed } else { &mut kept };
                    list.push(KnownEntity { url: known.url.clone(), via: Some(via), text: Some(text) });
                }
                None if believed && known.text.is_some() => gone.push(known.clone()),
                None => {
                    unsure += usize::from(known.text.is_some());
                    kept.push(known.clone());
                }
            }
        }
        let mut new: Vec<KnownEntity> = std::mem::take(&mut self.new).into_values().collect();
        new.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        let learned = self.learned([&new, &changed, &kept], believed);
        let Unfinished { mut further, unfollowed, mut skipped, stopped } = self.answer;
        further.sort_unstable();
        skipped.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        let downloads = self.looked.len();
        Refresh { new, gone, changed, kept, unsure, blank, further, unfollowed, skipped, downloads, stopped, learned }
    }

    /// What is known now. What could not be looked at stays as it was known.
    fn learned(&mut self, entities: [&[KnownEntity]; 3], believed: bool) -> Learned {
        let mut now = std::mem::take(&mut self.now);
        let read: HashSet<String> = now.iter().map(|(url, _)| key(url)).collect();
        for index in &self.learned.indexes {
            let key = key(&index.url);
            if !read.contains(&key) && !self.gone.contains(&key) {
                let places = index.places.iter().filter_map(|&number| self.learned.places.get(number));
                now.push((index.url.clone(), places.cloned().collect()));
            }
        }
        if !believed {
            self.others_now.extend(self.learned.others.iter().map(|url| (key(url), url.clone())));
        }
        let (places, indexes) = numbered(now);
        let mut entities = entities.concat();
        entities.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        let others = self.others_now.values().cloned().collect();
        let mut passed = std::mem::take(&mut self.passed);
        passed.sort_unstable();
        passed.dedup();
        Learned { places, indexes, entities, others, passed, ..self.learned.clone() }
    }
}
