//! Are two pages the same entity, or is one empty? Addresses → yes or no, by status, redirect or differences of the trees
//! (thesis 3.2).
//!
//! - [`Visitor`]: asks for pages, once each. - [`differences`]: places where two trees differ.
//!
//! A difference is a path of child numbers. What differs between two loads of the first page is left out, with all below.

use crate::page::{self, Document, Limits, NodeId};
use crate::pages::{Answer, Pages, Reason};
use crate::site::Stop;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use url::Url;

/// Where in the tree: the number of the child, level by level.
pub type Place = Vec<u32>;

/// What an address answered.
pub struct Visit {
    pub at: Url,
    pub moved: bool,
    /// None on an error status, or when nothing came.
    pub document: Option<Document>,
}

pub struct Visitor<'p, P> {
    pages: &'p P,
    limits: Limits,
    budget: Option<usize>,
    visits: FxHashMap<String, Arc<Visit>>,
    random: FxHashMap<String, Arc<Vec<Place>>>,
    pub requests: usize,
    pub stopped: Option<Stop>,
}

impl<'p, P: Pages> Visitor<'p, P> {
    pub fn new(pages: &'p P, limits: Limits, budget: Option<usize>) -> Self {
        let (visits, random) = (FxHashMap::default(), FxHashMap::default());
        Self { pages, limits, budget, visits, random, requests: 0, stopped: None }
    }

    pub async fn visit(&mut self, url: &str) -> Arc<Visit> {
        if let Some(visit) = self.visits.get(url) {
            return visit.clone();
        }
        let visit = Arc::new(self.load(url, false).await);
        self.visits.insert(url.to_owned(), visit.clone());
        visit
    }

    async fn load(&mut self, url: &str, again: bool) -> Visit {
        let nothing = |at: Url| Visit { at, moved: false, document: None };
        let Ok(address) = Url::parse(url) else { return nothing(Url::parse("about:blank").expect("a constant")) };
        if self.budget.is_some_and(|budget| self.requests >= budget) {
            self.stopped = self.stopped.or(Some(Stop::Budget));
            return nothing(address);
        }
        let asked = std::slice::from_ref(&address);
        let answers = if again { self.pages.again(asked).await } else { self.pages.get(asked).await };
        self.requests += 1;
        match answers.into_iter().next() {
            Some(Answer::Page(raw)) => {
                self.requests += raw.redirects.len();
                let document = raw.is_success().then(|| page::read(&raw, &self.limits).ok()).flatten();
                Visit { moved: !raw.redirects.is_empty(), at: raw.url, document }
            }
            Some(Answer::Skipped(skipped)) if skipped.reason == Reason::Interrupted => {
                self.stopped = Some(Stop::Interrupted);
                nothing(address)
            }
            _ => nothing(address),
        }
    }

    /// What differs between two loads of the page.
    async fn random(&mut self, url: &str) -> Arc<Vec<Place>> {
        if let Some(places) = self.random.get(url) {
            return places.clone();
        }
        let (first, second) = (self.visit(url).await, self.load(url, true).await);
        let places = match (&first.document, &second.document) {
            (Some(first), Some(second)) => differences(first, second),
            _ => Vec::new(),
        };
        let places = Arc::new(places);
        self.random.insert(url.to_owned(), places.clone());
        places
    }

    /// What differs between two pages beyond what differs at each load; none when one of them is no page.
    async fn different(&mut self, one: &str, other: &str) -> Option<Vec<Place>> {
        let random = self.random(one).await;
        let (one, other) = (self.visit(one).await, self.visit(other).await);
        let (one, other) = (one.document.as_ref()?, other.document.as_ref()?);
        let mut places = differences(one, other);
        places.retain(|place| !random.iter().any(|known| place.starts_with(known)));
        Some(places)
    }

    /// Told by status or redirect alone: is the alternative the original? None when only the pages can tell.
    async fn obvious(&mut self, original: &str, alternative: &str) -> Option<bool> {
        let (first, other) = (self.visit(original).await, self.visit(alternative).await);
        match (&other.document, other.moved) {
            (None, _) => Some(false),
            (Some(_), true) => Some(other.at == first.at),
            (Some(_), false) => None,
        }
    }

    /// Does the id that cannot exist get an error or a redirect?
    async fn is_refused(&mut self, empty: &str) -> bool {
        let visit = self.visit(empty).await;
        visit.document.is_none() || visit.moved
    }

    /// Prefix and suffix: does the alternative show what the original shows?
    pub async fn is_alternative(&mut self, original: &str, empty: &str, alternative: &str) -> bool {
        if let Some(told) = self.obvious(original, alternative).await {
            return told;
        }
        if self.is_refused(empty).await {
            return true;
        }
        let same = self.different(original, alternative).await.is_some_and(|places| places.is_empty());
        same && self.different(original, empty).await.is_some_and(|places| !places.is_empty())
    }

    /// Names: nothing may differ.
    pub async fn is_same(&mut self, original: &str, alternative: &str) -> bool {
        match self.obvious(original, alternative).await {
            Some(told) => told,
            None => self.different(original, alternative).await.is_some_and(|places| places.is_empty()),
        }
    }

    /// Categories: the alternative must not differ where another entity differs.
    pub async fn is_same_category(&mut self, original: &str, other: &str, alternative: &str) -> bool {
        if let Some(told) = self.obvious(original, alternative).await {
            return told;
        }
        let entity = self.different(original, other).await.unwrap_or_default();
        let changed = self.different(original, alternative).await;
        changed.is_some_and(|changed| entity.iter().any(|place| !changed.contains(place)))
    }

    /// A generated address: is there another entity? It may redirect within its template.
    pub async fn is_other_entity(
        &mut self,
        original: &str,
        empty: &str,
        generated: &str,
        fits: impl Fn(&Url) -> bool,
    ) -> bool {
        let visit = self.visit(generated).await;
        if visit.document.is_none() || visit.moved && !fits(&visit.at) {
            return false;
        }
        if self.is_refused(empty).await {
            return true;
        }
        let other = self.different(original, generated).await.is_some_and(|places| !places.is_empty());
        other && self.different(empty, generated).await.is_some_and(|places| !places.is_empty())
    }
}

/// Places where two trees differ: type, name or attributes, or children that do not match in their order.
pub fn differences(one: &Document, other: &Document) -> Vec<Place> {
    let mut found = Vec::new();
    let mut waiting = vec![(Document::ROOT, Document::ROOT, Place::new())];
    // Not by recursion: a page may be nested deeply.
    while let Some((a, b, place)) = waiting.pop() {
        if !same_node(one, a, other, b) {
            found.push(place);
            continue;
        }
        if matches!(one.name(a), "title" | "meta") {
            continue;
        }
        let (left, right): (Vec<NodeId>, Vec<NodeId>) = (one.children(a).collect(), other.children(b).collect());
        let alike = |(a, b): (&NodeId, &NodeId)| kind(one, *a) == kind(other, *b);
        if left.len() != right.len() || !left.iter().zip(&right).all(alike) {
            found.push(place);
            continue;
        }
        for (nth, (a, b)) in left.into_iter().zip(right).enumerate() {
            let mut below = place.clone();
            below.push(nth as u32);
            waiting.push((a, b, below));
        }
    }
    found.sort_unstable();
    found
}

fn kind(document: &Document, node: NodeId) -> (&str, bool) {
    (document.name(node), document.text(node).is_some())
}

/// Names, attributes and text; attributes and texts with addresses may be made from the page's own and do not count.
fn same_node(one: &Document, a: NodeId, other: &Document, b: NodeId) -> bool {
    if kind(one, a) != kind(other, b) {
        return false;
    }
    if let (Some(a), Some(b)) = (one.text(a), other.text(b)) {
        return a == b || a.contains("://") && b.contains("://");
    }
    let plain = |name: &str, value: &str| {
        !matches!(name, "href" | "src" | "action" | "content" | "data-url")
            && !value.contains("://")
            && !value.starts_with('/')
    };
    let attributes = |document: &Document, node: NodeId| -> Vec<(String, String)> {
        let all = document.attributes(node).filter(|(name, value)| plain(name, value));
        all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    };
    matches!(one.name(a), "title" | "meta") || attributes(one, a) == attributes(other, b)
}
