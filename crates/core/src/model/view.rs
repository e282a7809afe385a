//! What does the model keep of a page? Raw page → [`View`]: tokens, shape of the address, links with their places, words.
//!
//! - [`View`]: one page. - [`ViewLink`]: one of its links. Stubs that only send the visitor on are marked.
//!
//! Knows nothing of classes; runs on any thread.

use super::page_words::{Words, words};
use crate::features::tokens::{Tokens, tokens};
use crate::page::Limits;
use crate::page::address::{Scope, key};
use crate::page::shape::Shape;
use crate::pages::{Answer, RawPage, Skipped};
use crate::site::PageView;
use rustc_hash::FxHashSet;
use url::Url;

/// Links kept of one page. The fullest of 19,000 real pages measured has 3,478.
const LINKS: usize = 20_000;

#[derive(Debug, Clone)]
pub struct View {
    pub url: Url,
    pub shape: Shape,
    pub tokens: Tokens,
    /// Distinct (address, place) in document order, those of the page itself left out.
    pub links: Vec<ViewLink>,
    pub words: Words,
    /// It only sends the visitor on to another page.
    pub stub: bool,
}

#[derive(Debug, Clone)]
pub struct ViewLink {
    pub url: Url,
    pub key: Box<str>,
    /// The last steps of its path, with classes.
    pub place: Box<str>,
}

impl View {
    /// Answers that are no page of the site come back with the reason. `scope`: links that lead elsewhere are left out.
    pub fn of(answer: Answer, scope: Option<&Scope>, limits: &Limits) -> Result<Self, Skipped> {
        Ok(Self::new(&PageView::of(answer, scope, limits)?, scope))
    }

    /// Whatever its status and address.
    pub fn read(raw: &RawPage, scope: Option<&Scope>, limits: &Limits) -> Result<Self, Skipped> {
        Ok(Self::new(&PageView::parse(raw.clone(), limits)?, scope))
    }

    fn new(page: &PageView, scope: Option<&Scope>) -> Self {
        let (document, url) = (&page.document, &page.raw.url);
        Self {
            url: url.clone(),
            shape: shape(url),
            tokens: tokens(document, url),
            links: links(page, scope),
            words: words(document),
            stub: page.is_stub(),
        }
    }
}

/// The shape is that of the page, not of the visit: session ids and their like are no part of it.
pub fn shape(url: &Url) -> Shape {
    Url::parse(&key(url)).map_or_else(|_| Shape::of(url), |plain| Shape::of(&plain))
}

fn links(page: &PageView, scope: Option<&Scope>) -> Vec<ViewLink> {
    let own = key(&page.raw.url);
    let mut known = FxHashSet::default();
    let mut links = Vec::new();
    for link in page.links(scope).take(LINKS) {
        let key = key(&link.url).into_boxed_str();
        let place = page.place(&link).into_boxed_str();
        if *key != own && known.insert((key.clone(), place.clone())) {
            links.push(ViewLink { url: link.url, key, place });
        }
    }
    links
}
