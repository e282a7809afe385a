//! What did an address answer, as far as telling pages apart needs it? Answers → statuses, marks and texts.
//!
//! - [`Probe`]: one answer. - [`Content`]: of a document. - [`Prober`]: asks, and counts what it asked.
//!
//! Marks say how a page is built (features::tokens), texts what it says. Both are sets of hashes, sorted.

use crate::features::tokens;
use crate::page::address::key;
use crate::page::{self, Document, Limits, links, text};
use crate::pages::{Answer, Pages, RawPage, Reason};
use rustc_hash::FxHashSet;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

#[derive(Debug, Clone)]
pub struct Probe {
    pub asked: Url,
    /// Where it ended, after redirects.
    pub at: Url,
    pub moved: bool,
    pub answer: Answered,
}

#[derive(Debug, Clone)]
pub enum Answered {
    Page(Content),
    /// An error status, with the page that says so.
    Error(u16, Content),
    Nothing(Reason, String),
}

#[derive(Debug, Clone, Default)]
pub struct Content {
    pub marks: Vec<u64>,
    pub texts: Vec<u64>,
    /// The same with numbers folded: an empty page may name the id it was asked for.
    pub folded: Vec<u64>,
    /// What the page itself says its address is.
    pub canonical: Option<Url>,
    /// A short address that leads to it, by `rel=shortlink`.
    pub short: Option<Url>,
}

impl Probe {
    pub fn content(&self) -> Option<&Content> {
        match &self.answer {
            Answered::Page(content) | Answered::Error(_, content) => Some(content),
            Answered::Nothing(..) => None,
        }
    }

    pub fn page(&self) -> Option<&Content> {
        match &self.answer {
            Answered::Page(content) => Some(content),
            _ => None,
        }
    }
}

pub struct Prober<'p, P> {
    pages: &'p P,
    limits: Limits,
    /// Everything sent, redirects too; and addresses asked for.
    pub requests: usize,
    pub questions: usize,
    pub interrupted: bool,
    /// The addresses of the list, by [`name`], and where those looked at point to.
    known: FxHashSet<u64>,
    linked: FxHashSet<u64>,
}

/// An address as a number.
fn name(url: &Url) -> u64 {
    xxh3_64(key(url).as_bytes())
}

impl<'p, P: Pages> Prober<'p, P> {
    pub fn new(pages: &'p P, urls: &[&str], limits: Limits) -> Self {
        let known = urls.iter().filter_map(|url| Url::parse(url).ok()).map(|url| name(&url)).collect();
        let (requests, questions, linked) = (0, 0, FxHashSet::default());
        Self { pages, limits, requests, questions, interrupted: false, known, linked }
    }

    pub fn is_known(&self, url: &Url) -> bool {
        self.known.contains(&name(url))
    }

    /// Does a link of a known page lead there, as far as they were looked at?
    pub fn is_linked(&self, url: &Url) -> bool {
        self.linked.contains(&name(url))
    }

    pub async fn ask(&mut self, urls: &[Url]) -> Vec<Probe> {
        let answers = self.pages.get(urls).await;
        self.looks(urls, answers)
    }

    /// A second load of pages asked before.
    pub async fn again(&mut self, urls: &[Url]) -> Vec<Probe> {
        let answers = self.pages.again(urls).await;
        self.looks(urls, answers)
    }

    fn looks(&mut self, urls: &[Url], answers: Vec<Answer>) -> Vec<Probe> {
        urls.iter().zip(answers).map(|(url, answer)| self.look(url, answer)).collect()
    }

    fn look(&mut self, asked: &Url, answer: Answer) -> Probe {
        self.requests += 1;
        self.questions += 1;
        match answer {
            Answer::Page(raw) => {
                self.requests += raw.redirects.len();
                let known = self.is_known(&raw.url);
                let content = content(&raw, &self.limits).map(|(content, links)| {
                    self.linked.extend(links.into_iter().filter(|_| known));
                    content
                });
                let moved = !raw.redirects.is_empty();
                let answer = match content {
                    Ok(content) if raw.is_success() => Answered::Page(content),
                    Ok(content) => Answered::Error(raw.status, content),
                    Err(why) => Answered::Nothing(Reason::Unparsable, why),
                };
                Probe { asked: asked.clone(), at: raw.url, moved, answer }
            }
            Answer::Skipped(skipped) => {
                self.interrupted |= skipped.reason == Reason::Interrupted;
                let answer = Answered::Nothing(skipped.reason, skipped.detail);
                Probe { asked: asked.clone(), at: asked.clone(), moved: false, answer }
            }
        }
    }
}

/// What it holds, and where it points to.
fn content(raw: &RawPage, limits: &Limits) -> Result<(Content, Vec<u64>), String> {
    let document = page::read(raw, limits).map_err(|refused| refused.to_string())?;
    let tokens = tokens::tokens(&document, &raw.url);
    let marks = tokens.structure.iter().chain(&tokens.labels).copied().collect();
    let leaves = text::leaves(&document);
    let texts = leaves.iter().map(|leaf| xxh3_64(leaf.text.as_bytes())).collect();
    let folded = leaves.iter().map(|leaf| xxh3_64(without_numbers(&leaf.text).as_bytes())).collect();
    let found = links::links(&document, &raw.url);
    let canonical = found.iter().find(|link| link.rel.canonical).map(|link| link.url.clone());
    let short = short(&document, raw);
    let content = Content { marks: set(marks), texts: set(texts), folded: set(folded), canonical, short };
    Ok((content, found.iter().filter(|link| !link.rel.canonical).map(|link| name(&link.url)).collect()))
}

/// The address in `<link rel=shortlink>`: WordPress and Drupal write it, with the number of the page.
fn short(document: &Document, raw: &RawPage) -> Option<Url> {
    let is_short = |rel: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("shortlink"));
    let mut elements = document.descendants(Document::ROOT).filter(|&node| document.name(node) == "link");
    let node = elements.find(|&node| document.attribute(node, "rel").is_some_and(is_short))?;
    links::base(document, &raw.url).join(document.attribute(node, "href")?).ok()
}

/// Each run of digits as one `#`.
fn without_numbers(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_ascii_digit() {
            folded.push(c);
        } else if !folded.ends_with('#') {
            folded.push('#');
        }
    }
    folded
}

pub fn set(mut hashes: Vec<u64>) -> Vec<u64> {
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

pub fn common(one: &[u64], other: &[u64]) -> Vec<u64> {
    one.iter().filter(|hash| other.binary_search(hash).is_ok()).copied().collect()
}

pub fn without(one: &[u64], other: &[u64]) -> Vec<u64> {
    one.iter().filter(|hash| other.binary_search(hash).is_err()).copied().collect()
}

pub fn union(one: &[u64], other: &[u64]) -> Vec<u64> {
    set(one.iter().chain(other).copied().collect())
}

/// What is in one of them only.
pub fn difference(one: &[u64], other: &[u64]) -> Vec<u64> {
    union(&without(one, other), &without(other, one))
}
