//! Which records of different pages are of one thing? Records in the order of the pages → one for each thing.
//!
//! - [`Linked`]: a record, and the one page of the run that its region links to. - [`Across`]: records wait in it for the page they offer.
//!
//! "Link offers contain access paths to other richer pages usually with more detail information about the same record", and
//! "an additional post-processing step is required to delete duplicate records" (section 4.1). An offer is a record no richer
//! than one of the page it links to, with which it agrees in every role both have, and in two roles at least: its other values are added
//! to that one, and it is left out. Memory is bounded: offers that wait too long are given as they are.

use crate::extract::Record;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Offers that wait for their page, and pages whose records are remembered: bounds on memory, set by hand.
const MOST_WAITING: usize = 10_000;
const MOST_REMEMBERED: usize = 100_000;

/// One role in common may be chance: two things of the same price.
const LEAST_COMMON: usize = 2;

#[derive(Debug, Clone)]
pub struct Linked {
    pub record: Record,
    /// Addresses that links in its region lead to.
    pub to: Vec<Url>,
}

#[derive(Default)]
pub struct Across {
    /// Hashes of the addresses of the run.
    run: FxHashSet<u64>,
    waiting: FxHashMap<u64, Vec<Record>>,
    /// Pages that are waited for, in the order of the offers.
    queue: VecDeque<u64>,
    /// What was said of pages that went by: hashes of roles with their values.
    said: FxHashMap<u64, Vec<Said>>,
    seen: VecDeque<u64>,
}

/// The roles of a record, each with its values.
type Said = Vec<(u64, Vec<u64>)>;

fn key(url: &Url) -> u64 {
    let text = url.as_str();
    xxh3_64(text.split('#').next().unwrap_or(text).as_bytes())
}

impl Across {
    /// `urls`: those of the run.
    pub fn new(urls: impl Iterator<Item = Url>) -> Self {
        Self { run: urls.map(|url| key(&url)).collect(), ..Self::default() }
    }

    /// The records of the next page → those that can be given now.
    pub fn page(&mut self, url: &Url, found: Vec<Linked>) -> Vec<Record> {
        let own = key(url);
        let (mut records, mut given) = (Vec::new(), Vec::new());
        for one in found {
            match self.target(own, &one.to) {
                None => records.push(one.record),
                Some(target) if self.is_said(target, &one.record) => {}
                Some(target) if self.said.contains_key(&target) => records.push(one.record),
                Some(target) => given.extend(self.wait(target, one.record)),
            }
        }
        for offer in self.waiting.remove(&own).into_iter().flatten() {
            match records.iter_mut().find(|record| offers(&said(&offer), &said(record))) {
                Some(record) => add(record, offer),
                None => given.push(offer),
            }
        }
        self.remember(own, &records);
        given.extend(records);
        given
    }

    /// What still waits when all pages are read.
    pub fn rest(mut self) -> Vec<Record> {
        let queue = std::mem::take(&mut self.queue);
        queue.into_iter().filter_map(|page| self.waiting.remove(&page)).flatten().collect()
    }

    /// The one other page of the run that is linked to.
    fn target(&self, own: u64, to: &[Url]) -> Option<u64> {
        let mut pages = to.iter().map(key).filter(|page| *page != own && self.run.contains(page));
        let first = pages.next()?;
        pages.all(|page| page == first).then_some(first)
    }

    /// Is it all said on that page, which went by?
    fn is_said(&self, page: u64, offer: &Record) -> bool {
        let offer = said(offer);
        let all = |known: &Said| offer.iter().all(|(role, _)| known.iter().any(|(own, _)| own == role));
        self.said.get(&page).is_some_and(|known| known.iter().any(|known| offers(&offer, known) && all(known)))
    }

    /// Gives the offers that waited longest when there are too many.
    fn wait(&mut self, page: u64, offer: Record) -> Vec<Record> {
        self.waiting.entry(page).or_default().push(offer);
        self.queue.push_back(page);
        if self.queue.len() <= MOST_WAITING {
            return Vec::new();
        }
        self.queue.pop_front().and_then(|oldest| self.waiting.remove(&oldest)).unwrap_or_default()
    }

    fn remember(&mut self, page: u64, records: &[Record]) {
        self.said.insert(page, records.iter().map(said).collect());
        self.seen.push_back(page);
        if self.seen.len() > MOST_REMEMBERED
            && let Some(oldest) = self.seen.pop_front()
        {
            self.said.remove(&oldest);
        }
    }
}

fn said(record: &Record) -> Said {
    let hash = |text: &String| xxh3_64(text.to_lowercase().as_bytes());
    record.attributes.iter().map(|(role, values)| (hash(role), values.iter().map(hash).collect())).collect()
}

/// Is the first an offer of the second?
fn offers(offer: &Said, detail: &Said) -> bool {
    let mut common = 0;
    for (role, values) in offer {
        if let Some((_, own)) = detail.iter().find(|(own, _)| own == role) {
            if !values.iter().any(|value| own.contains(value)) {
                return false;
            }
            common += 1;
        }
    }
    common >= LEAST_COMMON && offer.len() <= detail.len()
}

/// Roles that the record lacks.
fn add(record: &mut Record, offer: Record) {
    let Record { attributes, mut evidence, .. } = offer;
    for (role, values) in attributes {
        if !record.attributes.contains_key(&role) {
            record.evidence.extend(evidence.remove(&role).map(|why| (role.clone(), why)));
            record.attributes.insert(role, values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse("http://shop.example/").and_then(|base| base.join(path)).unwrap()
    }

    fn record(page: &str, pairs: &[(&str, &str)]) -> Record {
        let attributes = pairs.iter().map(|(role, value)| ((*role).to_owned(), vec![(*value).to_owned()])).collect();
        Record {
            url: url(page),
            class: "data-rich".to_owned(),
            attributes,
            children: Default::default(),
            evidence: Default::default(),
        }
    }

    fn linked(record: Record, to: &[&str]) -> Linked {
        Linked { record, to: to.iter().map(|path| url(path)).collect() }
    }

    fn offer() -> Record {
        record("list", &[("name", "Aspirin"), ("price", "3.50"), ("delivery", "2 days")])
    }

    fn detail() -> Record {
        record("a", &[("name", "Aspirin"), ("price", "3.50"), ("maker", "Bayer"), ("dose", "500 mg")])
    }

    fn run() -> Across {
        Across::new(["list", "a", "b"].into_iter().map(url))
    }

    #[test]
    fn an_offer_waits_for_its_page_and_becomes_one_with_it() {
        let mut across = run();
        assert_eq!(across.page(&url("list"), vec![linked(offer(), &["a#top", "elsewhere"])]), []);
        let given = across.page(&url("a"), vec![linked(detail(), &["list", "b"])]);
        assert_eq!(
            (given.len(), &given[0].url, &given[0].attributes["delivery"][0]),
            (1, &url("a"), &"2 days".to_owned())
        );
        assert_eq!(across.rest(), []);
    }

    #[test]
    fn an_offer_of_a_page_that_went_by_is_left_out_if_it_says_nothing_new() {
        let mut across = run();
        assert_eq!(across.page(&url("a"), vec![linked(detail(), &[])]).len(), 1);
        let known = record("list", &[("name", "ASPIRIN"), ("price", "3.50")]);
        assert_eq!(across.page(&url("list"), vec![linked(known, &["a"]), linked(offer(), &["a"])]), [offer()]);
    }

    #[test]
    fn other_things_stay_apart_and_nothing_is_lost() {
        let mut across = run();
        let other = record("list", &[("name", "Ibuprofen"), ("price", "3.50")]);
        let never_read = record("list", &[("name", "Paracetamol"), ("price", "1")]);
        let found = vec![linked(other.clone(), &["a"]), linked(never_read.clone(), &["b"])];
        assert_eq!(across.page(&url("list"), found), []);
        assert_eq!(across.page(&url("a"), vec![linked(detail(), &[])]), [other, detail()]);
        assert_eq!(across.rest(), [never_read]);
    }

    #[test]
    fn waiting_is_bounded() {
        let count = MOST_WAITING + 50;
        let mut across = Across::new((0..count).map(|number| url(&format!("item/{number}"))));
        let mut given = 0;
        for number in 0..count {
            let found = vec![linked(offer(), &[&format!("item/{number}")])];
            given += across.page(&url("list"), found).len();
        }
        assert_eq!((given, across.rest().len()), (50, MOST_WAITING));
    }
}
