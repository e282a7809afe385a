//! Which classes do these pages have? Pages that are already there, one by one → [`SiteModel`], nothing fetched.
//!
//! - [`BatchModel`]: takes [`View`]s; gives each page's group at once ([`BatchModel::add`]), and the classes at the end: [`BatchModel::classes`] for
//!   who only wants pages told apart, [`BatchModel::finish`] for the model.
//!
//! One pass; a page costs its address and a number, a group its tokens and the links of [`READ`] pages. Made for a million pages.

use super::assemble::{Part, Parts, READ, assemble};
use super::class_links::{ClassLinks, PlaceId};
use super::groups::{GroupId, Groups};
use super::merge::merge;
use super::page_words::Words;
use super::path_generalisation::PathGeneralisation;
use super::view::{View, shape};
use super::{ClassId, SiteModel};
use crate::page::address::key;
use crate::site::Stop;
use rustc_hash::{FxHashMap, FxHashSet};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Places remembered at most.
const PLACES: usize = 100_000;

pub struct BatchModel {
    generalisation: PathGeneralisation,
    groups: Groups,
    pages: Vec<Box<str>>,
    group_of: Vec<GroupId>,
    /// Page by hash of its key.
    known: FxHashMap<u64, u32>,
    read: Vec<Read>,
    place_ids: FxHashMap<Box<str>, PlaceId>,
    places: Vec<Box<str>>,
}

/// What is gone into of a group's first pages.
#[derive(Default)]
struct Read {
    pages: Vec<ReadPage>,
    stubs: usize,
}

struct ReadPage {
    page: u32,
    words: Words,
    links: Vec<(PlaceId, u64)>,
}

impl BatchModel {
    /// `urls` is asked for the addresses of all pages several times: which parts of them name types is learned first.
    pub fn new<I: Iterator<Item = Url>>(urls: impl Fn() -> I) -> Self {
        Self {
            generalisation: PathGeneralisation::learn(|| urls().map(|url| shape(&url))),
            groups: Groups::default(),
            pages: Vec::new(),
            group_of: Vec::new(),
            known: FxHashMap::default(),
            read: Vec::new(),
            place_ids: FxHashMap::default(),
            places: Vec::new(),
        }
    }

    /// The group of the page; groups become classes in [`BatchModel::classes`].
    pub fn add(&mut self, view: View) -> GroupId {
        let page = self.pages.len() as u32;
        let group = self.groups.add(&view.tokens, self.generalisation.placed(&view.shape));
        self.known.entry(xxh3_64(key(&view.url).as_bytes())).or_insert(page);
        self.pages.push(view.url.as_str().into());
        self.group_of.push(group);
        self.read.resize_with(self.groups.groups.len(), Read::default);
        self.read[group as usize].stubs += usize::from(view.stub);
        if self.read[group as usize].pages.len() < READ {
            let links = view.links.iter().map(|link| (self.place(&link.place), xxh3_64(link.key.as_bytes()))).collect();
            self.read[group as usize].pages.push(ReadPage { page, words: view.words, links });
        }
        group
    }

    pub fn len(&self) -> usize {
        self.pages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The class of each group, the largest class first, from 1 as in the model.
    pub fn classes(&self) -> Vec<ClassId> {
        merge(&self.groups.groups).into_iter().map(|class| class + 1).collect()
    }

    pub fn finish(self, site: String, stopped: Option<Stop>) -> SiteModel {
        let class_of_group = self.classes();
        let classes = class_of_group.iter().max().copied().unwrap_or(0);
        let mut parts: Vec<Part> = (0..classes).map(|_| Part::default()).collect();
        for (page, group) in self.pages.iter().zip(&self.group_of) {
            let part = &mut parts[class_of_group[*group as usize] as usize - 1];
            part.pages.push(page.to_string());
            part.looked += 1;
        }
        for (group, &class) in self.groups.groups.iter().zip(&class_of_group) {
            let part = &mut parts[class as usize - 1];
            part.counts.merge(&group.counts);
            for (pattern, pages) in &group.patterns {
                *part.patterns.entry(pattern.clone()).or_default() += pages;
            }
        }
        let class_links = self.gather(&class_of_group, &mut parts);
        let stable = self.pages.len();
        assemble(Parts {
            site,
            parts,
            class_links,
            places: self.places,
            unassigned: 0,
            settled: stopped.is_none(),
            stable,
            stopped,
        })
    }

    fn gather(&self, class_of_group: &[ClassId], parts: &mut [Part]) -> ClassLinks {
        let mut class_links = ClassLinks::default();
        for (read, &class) in self.read.iter().zip(class_of_group) {
            let part = &mut parts[class as usize - 1];
            part.stubs += read.stubs;
            for page in &read.pages {
                part.read += 1;
                part.samples.push(self.pages[page.page as usize].to_string());
                part.words.extend((part.words.len() < READ).then(|| page.words.clone()));
                let places: FxHashSet<PlaceId> = page.links.iter().map(|&(place, _)| place).collect();
                places.into_iter().for_each(|place| *part.places.entry(place).or_default() += 1);
                for &(place, target) in &page.links {
                    if let Some(&to) = self.known.get(&target) {
                        let to = class_of_group[self.group_of[to as usize] as usize];
                        class_links.add(page.page, class, place, to, target);
                    }
                }
            }
        }
        class_links
    }

    fn place(&mut self, place: &str) -> PlaceId {
        if let Some(&id) = self.place_ids.get(place) {
            return id;
        }
        if self.places.len() >= PLACES {
            return PLACES as PlaceId - 1;
        }
        let id = self.places.len() as PlaceId;
        self.place_ids.insert(place.into(), id);
        self.places.push(place.into());
        id
    }
}
