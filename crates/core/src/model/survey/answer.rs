//! What was found? [`SiteState`], [`State`] → [`SiteModel`]: every known address with the class its bag was found to have.
//!
//! An address not looked at belongs to the class most looked-at pages of its pattern and place have; where that place was not looked
//! at, of its pattern; where its pattern was not, of the patterns of its tree that end alike. Else it is left unassigned.

use super::super::SiteModel;
use super::super::assemble::{Part, Parts, READ, assemble};
use super::super::class_links::{ClassLinks, PlaceId};
use super::super::pattern::Relation;
use super::site_state::{Fate, SiteState, UrlId};
use super::state::{PatternId, State};
use crate::pages::Pages;
use crate::site::Stop;
use rustc_hash::{FxHashMap, FxHashSet};
use url::Url;

pub fn answer<P: Pages>(
    site: &SiteState<'_, P>,
    state: &State,
    start: &Url,
    entry: UrlId,
    settled: bool,
    stopped: Option<Stop>,
) -> SiteModel {
    let found = assigned(site, state);
    let numbers = by_size(&found, state.classes);
    let class_of: Vec<Option<u32>> = found.iter().map(|class| class.map(|class| numbers[class as usize])).collect();
    let mut parts: Vec<Part> = (0..state.classes).map(|_| Part::default()).collect();
    gather_addresses(site, state, &class_of, &mut parts);
    let mut class_links = ClassLinks::default();
    gather_pages(site, &class_of, &mut parts, &mut class_links);
    if let Some(class) = class_of[entry as usize] {
        parts[class as usize].home = true;
    }
    let waiting =
        site.urls.iter().zip(&class_of).filter(|(known, class)| known.fate == Fate::Unseen && class.is_none());
    let unassigned = waiting.count();
    assemble(Parts {
        site: start.to_string(),
        parts,
        class_links,
        places: site.places.clone(),
        unassigned,
        settled,
        stable: site.looked.len() - state.grown_at.min(site.looked.len()),
        stopped,
    })
}

type Votes<K> = FxHashMap<K, FxHashMap<u32, usize>>;

/// By address; none for those that are gone, too.
fn assigned<P: Pages>(site: &SiteState<'_, P>, state: &State) -> Vec<Option<u32>> {
    let mut of_bag: Votes<(PatternId, Option<PlaceId>)> = FxHashMap::default();
    let mut of_pattern: Votes<PatternId> = FxHashMap::default();
    for (at, page) in site.looked.iter().enumerate() {
        let (pattern, class) = (state.pattern_of[page.id as usize], state.class_of[at]);
        let place = site.urls[page.id as usize].place;
        *of_bag.entry((pattern, place)).or_default().entry(class).or_default() += 1;
        *of_pattern.entry(pattern).or_default().entry(class).or_default() += 1;
    }
    let kin: Vec<Option<u32>> =
        (0..state.patterns.len() as PatternId).map(|own| of_tree(state, own, &of_pattern)).collect();
    let one = |(id, known): (usize, &super::site_state::Known)| match known.fate {
        Fate::Looked(at) => Some(state.class_of[at]),
        Fate::Gone => None,
        Fate::Unseen => {
            let pattern = state.pattern_of[id];
            most(of_bag.get(&(pattern, known.place)))
                .or_else(|| most(of_pattern.get(&pattern)))
                .or(kin[pattern as usize])
        }
    };
    site.urls.iter().enumerate().map(one).collect()
}

fn most(votes: Option<&FxHashMap<u32, usize>>) -> Option<u32> {
    votes?.iter().max_by_key(|(class, votes)| (**votes, std::cmp::Reverse(**class))).map(|(class, _)| *class)
}

/// For a pattern nobody looked at: what those akin to it have.
fn of_tree(state: &State, own: PatternId, of_pattern: &Votes<PatternId>) -> Option<u32> {
    if of_pattern.contains_key(&own) {
        return None;
    }
    let mut votes: FxHashMap<u32, usize> = FxHashMap::default();
    for (&pattern, classes) in of_pattern {
        if state.relation(pattern, own) == Relation::Akin {
            classes.iter().for_each(|(&class, count)| *votes.entry(class).or_default() += count);
        }
    }
    most(Some(&votes))
}

/// The new number of each class, the largest first.
fn by_size(found: &[Option<u32>], classes: usize) -> Vec<u32> {
    let mut sizes = vec![0usize; classes];
    found.iter().flatten().for_each(|&class| sizes[class as usize] += 1);
    let mut order: Vec<usize> = (0..classes).collect();
    order.sort_by_key(|&class| (std::cmp::Reverse(sizes[class]), class));
    let mut numbers = vec![0; classes];
    order.iter().enumerate().for_each(|(number, &class)| numbers[class] = number as u32);
    numbers
}

fn gather_addresses<P: Pages>(site: &SiteState<'_, P>, state: &State, class_of: &[Option<u32>], parts: &mut [Part]) {
    for (id, known) in site.urls.iter().enumerate() {
        let Some(class) = class_of[id] else { continue };
        let part = &mut parts[class as usize];
        part.pages.push(known.url.to_string());
        part.linked.push(known.seen_on);
        *part.patterns.entry(state.patterns[state.pattern_of[id] as usize].clone()).or_default() += 1;
    }
}

fn gather_pages<P: Pages>(
    site: &SiteState<'_, P>,
    class_of: &[Option<u32>],
    parts: &mut [Part],
    class_links: &mut ClassLinks,
) {
    for (at, page) in site.looked.iter().enumerate() {
        let Some(class) = class_of[page.id as usize] else { continue };
        let part = &mut parts[class as usize];
        part.counts.add(&page.tokens);
        part.looked += 1;
        part.samples.push(site.urls[page.id as usize].url.to_string());
        part.stubs += usize::from(page.stub);
        if part.read >= READ {
            continue;
        }
        part.read += 1;
        part.words.push(page.words.clone());
        let places: FxHashSet<PlaceId> = page.links.iter().map(|&(_, place)| place).collect();
        places.into_iter().for_each(|place| *part.places.entry(place).or_default() += 1);
        for &(target, place) in &page.links {
            if let Some(to) = class_of[target as usize] {
                class_links.add(at as u32, class + 1, place, to + 1, u64::from(target));
            }
        }
    }
}
