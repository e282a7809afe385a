//! What does an index page show? Answers of [`Pages`] → links of the site with place and words.
//!
//! - [`IndexReader`]: what a look needs. - [`IndexPage`]: one page. - [`IndexLink`]: one link on it. - [`Spot`]: its place in both notations.
//! - [`places`]: where on a page the known pages stand.

use super::Place;
use crate::page::address::{Scope, key};
use crate::page::left_out::count_left_out;
use crate::page::paths::PathFinder;
use crate::page::{self, Limits, Notation, Origin, PathTable};
use crate::pages::{Answer, Pages, Reason, Skipped};
use crate::site::PageView;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// Pages asked for in one go: bounds the bodies held at a time. 16 of the largest are 256 MiB, and four at once keep a site busy.
pub const BATCH: usize = 16;

/// Pages read at a time: their links are held before they are weighed.
const AT_ONCE: usize = 4;

/// Bytes that a link takes beside its address, which is there twice, and its words.
const LINK: usize = 160;

/// Bytes of all places of one page, written out. Deep pages with long classes could fill the memory; of the links behind
/// it the place is not known.
const SPOTS: usize = 32 * 1024 * 1024;

pub struct IndexReader {
    pub scope: Scope,
    pub limits: Limits,
    /// Bytes that the links of one batch of pages may take.
    pub bytes: usize,
}

#[derive(Debug)]
pub struct IndexPage {
    /// Under which it answered.
    pub url: Url,
    /// In the order of the document, the page itself left out.
    pub entries: Vec<IndexLink>,
    pub spots: Vec<Spot>,
}

#[derive(Debug)]
pub struct IndexLink {
    pub key: String,
    pub url: Url,
    /// In [`IndexPage::spots`]; none for a link in the head, and beyond the limit.
    pub spot: Option<usize>,
    pub text: Box<str>,
    /// The page says that this is the next one.
    pub next: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Spot {
    pub by_tag: String,
    pub by_class: String,
}

impl Spot {
    pub fn is_at(&self, place: &Place) -> bool {
        match place.notation {
            Notation::Tag => place.path == self.by_tag,
            _ => place.path == self.by_class,
        }
    }
}

impl IndexReader {
    /// One result each, in the order asked. A page whose links have no room any more is skipped as a whole: half a list would look like one
    /// that lost its pages.
    pub async fn at<P: Pages>(&self, pages: &P, urls: &[Url]) -> Vec<Result<IndexPage, Skipped>> {
        let mut answers = pages.get(urls).await.into_iter();
        let (mut left, mut shown) = (self.bytes, Vec::with_capacity(urls.len()));
        loop {
            let some: Vec<Answer> = answers.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                return shown;
            }
            let read: Vec<_> = some.into_par_iter().map(|answer| self.read(answer)).collect();
            shown.extend(read.into_iter().map(|page| page.and_then(|page| fitting(page, &mut left, self.bytes))));
        }
    }

    fn read(&self, answer: Answer) -> Result<IndexPage, Skipped> {
        let view = PageView::of(answer, Some(&self.scope), &self.limits)?;
        let mut spots = Spots::new(&view.document);
        let own = key(&view.raw.url);
        let entries = view.links(Some(&self.scope)).filter_map(|link| {
            let key = key(&link.url);
            let spot = if link.origin == Origin::Head { None } else { spots.of(link.node) };
            (key != own).then_some(IndexLink { key, url: link.url, spot, text: link.text, next: link.rel.next })
        });
        let entries = entries.collect();
        Ok(IndexPage { entries, spots: spots.spots, url: view.raw.url })
    }
}

fn fitting(page: IndexPage, left: &mut usize, of: usize) -> Result<IndexPage, Skipped> {
    let link = |link: &IndexLink| LINK + link.key.len() + link.url.as_str().len() + link.text.len();
    match left.checked_sub(page.entries.iter().map(link).sum()) {
        Some(now) => *left = now,
        None => {
            count_left_out(page.entries.len() as u64);
            let detail = format!("{} links left out: those of a batch of lists fill {of} bytes", page.entries.len());
            return Err(Skipped::new(&page.url, Reason::TooManyAddresses, detail));
        }
    }
    Ok(page)
}

/// The places of one document, each written out once.
struct Spots<'d> {
    finders: [PathFinder<'d>; 2],
    tables: [PathTable; 2],
    known: FxHashMap<u32, usize>,
    spots: Vec<Spot>,
    /// Bytes still to write.
    left: usize,
}

impl<'d> Spots<'d> {
    fn new(document: &'d page::Document) -> Self {
        let finders = [Notation::Tag, Notation::TagClass].map(|notation| PathFinder::new(document, notation));
        Self { finders, tables: Default::default(), known: FxHashMap::default(), spots: Vec::new(), left: SPOTS }
    }

    fn of(&mut self, node: page::NodeId) -> Option<usize> {
        let by_class = self.finders[1].path(&mut self.tables[1], node);
        if let Some(&spot) = self.known.get(&by_class) {
            return Some(spot);
        }
        if self.left == 0 {
            return None;
        }
        let by_tag = self.finders[0].path(&mut self.tables[0], node);
        let spot = Spot { by_tag: self.tables[0].show(by_tag), by_class: self.tables[1].show(by_class) };
        // Used up by the first that does not fit: to weigh the others they would have to be written, too.
        self.left = self.left.saturating_sub(spot.by_tag.len() + spot.by_class.len());
        self.spots.push(spot);
        self.known.insert(by_class, self.spots.len() - 1);
        Some(self.spots.len() - 1)
    }
}

/// Where the pages that `is_known` stand. Classes tell lists from menus; but where most entries of a list have a path
/// of their own, a class names the entry (`post-4711`) and the path without classes is the place.
pub fn places(shown: &IndexPage, is_known: impl Fn(&str) -> bool) -> BTreeSet<Place> {
    let mut by_tag: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for entry in shown.entries.iter().filter(|entry| is_known(&entry.key)) {
        let Some(spot) = entry.spot.map(|spot| &shown.spots[spot]) else { continue };
        let (paths, pages) = by_tag.entry(&spot.by_tag).or_default();
        paths.insert(&spot.by_class);
        pages.insert(&entry.key);
    }
    let mut places = BTreeSet::new();
    for (tag, (paths, pages)) in by_tag {
        if paths.len() >= 3 && paths.len() * 2 > pages.len() {
            places.insert(Place { notation: Notation::Tag, path: tag.to_owned() });
        } else {
            places.extend(paths.iter().map(|&path| Place { notation: Notation::TagClass, path: path.to_owned() }));
        }
    }
    places
}
