//! What does the model keep of a page? Raw page → [`View`]: tokens, shape of the address, links with their places, words.
//!
//! - [`View`]: one page. - [`ViewLink`]: one of its links. Stubs that only send the visitor on are marked.
//!
//! Knows nothing of classes; runs on any thread.

use super::words::{Words, words};
use crate::discover::kin::place::place;
use crate::discover::kin::shape::Shape;
use crate::features::tokens::{Tokens, tokens};
use crate::page::address::{Scope, key, state_changing};
use crate::page::{self, Document, Limits, Origin};
use crate::pages::{Answer, RawPage, Reason, Skipped};
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
        let raw = match answer {
            Answer::Page(raw) => raw,
            Answer::Skipped(skipped) => return Err(skipped),
        };
        if !raw.is_success() {
            return Err(Skipped::new(&raw.url, Reason::Status, raw.status.to_string()));
        }
        if scope.is_some_and(|scope| !scope.contains(&raw.url)) {
            return Err(Skipped::new(&raw.url, Reason::OutOfScope, "a redirect leads off the site"));
        }
        Self::read(&raw, scope, limits)
    }

    /// Whatever its status and address.
    pub fn read(raw: &RawPage, scope: Option<&Scope>, limits: &Limits) -> Result<Self, Skipped> {
        let document = page::read(raw, limits)
            .map_err(|refused| Skipped::new(&raw.url, Reason::Unparsable, refused.to_string()))?;
        Ok(Self {
            url: raw.url.clone(),
            shape: shape(&raw.url),
            tokens: tokens(&document, &raw.url),
            links: links(&document, &raw.url, scope),
            words: words(&document),
            stub: is_stub(&document),
        })
    }
}

/// The shape is that of the page, not of the visit: session ids and their like are no part of it.
pub fn shape(url: &Url) -> Shape {
    Url::parse(&key(url)).map_or_else(|_| Shape::of(url), |plain| Shape::of(&plain))
}

fn links(document: &Document, url: &Url, scope: Option<&Scope>) -> Vec<ViewLink> {
    let own = key(url);
    let mut known = FxHashSet::default();
    let found = page::links::links(document, url).into_iter();
    let followed = found.filter(|link| !link.rel.canonical && !link.rel.alternate);
    let inside =
        followed.filter(|link| scope.is_none_or(|scope| scope.contains(&link.url)) && !state_changing(&link.url));
    let mut links = Vec::new();
    for link in inside.take(LINKS) {
        let key = key(&link.url).into_boxed_str();
        let place: Box<str> = match link.origin {
            Origin::Head => "head".into(),
            Origin::Data => link.data_path.clone().unwrap_or_else(|| "data".into()),
            _ => place(document, link.node).into(),
        };
        if *key != own && known.insert((key.clone(), place.clone())) {
            links.push(ViewLink { url: link.url, key, place });
        }
    }
    links
}

/// A page that refreshes itself to another at once.
fn is_stub(document: &Document) -> bool {
    document.descendants(Document::ROOT).take_while(|&node| document.name(node) != "body").any(|node| {
        document.name(node) == "meta"
            && document.attribute(node, "http-equiv").is_some_and(|value| value.eq_ignore_ascii_case("refresh"))
            && document.attribute(node, "content").is_some_and(|content| content.to_ascii_lowercase().contains("url="))
    })
}
