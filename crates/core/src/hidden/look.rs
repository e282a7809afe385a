//! What did an address answer, as far as telling pages apart needs it? Answers → statuses, marks and texts.
//!
//! - [`Look`]: one answer. - [`Content`]: of a document. - [`Asker`]: asks, and counts what it asked.
//!
//! Marks say how a page is built (features::tokens), texts what it says. Both are sets of hashes, sorted.

use crate::features::tokens;
use crate::page::{self, Limits, links, text};
use crate::pages::{Answer, Pages, RawPage, Reason};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

#[derive(Debug, Clone)]
pub struct Look {
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
}

impl Look {
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

pub struct Asker<'p, P> {
    pages: &'p P,
    limits: Limits,
    pub requests: usize,
    pub interrupted: bool,
}

impl<'p, P: Pages> Asker<'p, P> {
    pub fn new(pages: &'p P, limits: Limits) -> Self {
        Self { pages, limits, requests: 0, interrupted: false }
    }

    pub async fn ask(&mut self, urls: &[Url]) -> Vec<Look> {
        let answers = self.pages.get(urls).await;
        self.looks(urls, answers)
    }

    /// A second load of pages asked before.
    pub async fn again(&mut self, urls: &[Url]) -> Vec<Look> {
        let answers = self.pages.again(urls).await;
        self.looks(urls, answers)
    }

    fn looks(&mut self, urls: &[Url], answers: Vec<Answer>) -> Vec<Look> {
        urls.iter().zip(answers).map(|(url, answer)| self.look(url, answer)).collect()
    }

    fn look(&mut self, asked: &Url, answer: Answer) -> Look {
        self.requests += 1;
        match answer {
            Answer::Page(raw) => {
                self.requests += raw.redirects.len();
                let content = content(&raw, &self.limits);
                let moved = !raw.redirects.is_empty();
                let answer = match content {
                    Ok(content) if raw.is_success() => Answered::Page(content),
                    Ok(content) => Answered::Error(raw.status, content),
                    Err(why) => Answered::Nothing(Reason::Unparsable, why),
                };
                Look { asked: asked.clone(), at: raw.url, moved, answer }
            }
            Answer::Skipped(skipped) => {
                self.interrupted |= skipped.reason == Reason::Interrupted;
                let answer = Answered::Nothing(skipped.reason, skipped.detail);
                Look { asked: asked.clone(), at: asked.clone(), moved: false, answer }
            }
        }
    }
}

fn content(raw: &RawPage, limits: &Limits) -> Result<Content, String> {
    let document = page::read(raw, limits).map_err(|refused| refused.to_string())?;
    let tokens = tokens::tokens(&document, &raw.url);
    let marks = tokens.structure.iter().chain(&tokens.labels).copied().collect();
    let leaves = text::leaves(&document);
    let texts = leaves.iter().map(|leaf| xxh3_64(leaf.text.as_bytes())).collect();
    let folded = leaves.iter().map(|leaf| xxh3_64(without_numbers(&leaf.text).as_bytes())).collect();
    let found = links::links(&document, &raw.url);
    let canonical = found.into_iter().find(|link| link.rel.canonical).map(|link| link.url);
    Ok(Content { marks: set(marks), texts: set(texts), folded: set(folded), canonical })
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
