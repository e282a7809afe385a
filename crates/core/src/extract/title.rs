//! What is the page about, as far as it says so itself? Candidates → how much each looks like the page's title.
//!
//! - [`Titles`]: the words of every page's `<title>` and address, without those of most pages.
//!
//! A title is a text whose words stand in `<title>`, in a heading, in the address, and again and again on the page; a text
//! with words that all pages add ("… Overview", "…, New York City") is worse than the same text without.

use super::class::{At, Candidate, Class};
use super::leaves::{Leaf, Leaves, word_of};
use super::template::Template;
use super::weights::title::{AGAIN, COMPOSED, HEADINGS, IN_TITLE};
use crate::page::dom::Document;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

/// What stands between a title and what a page adds to it.
const SEPARATORS: [&str; 6] = [", ", " - ", " | ", ": ", " (", " \u{2013} "];

pub struct Titles<'c> {
    class: &'c Class,
    /// Own words of each page's `<title>`.
    own: Vec<FxHashSet<u64>>,
    /// How often each text stands on its page.
    times: Vec<FxHashMap<u64, usize>>,
}

fn words(text: &str) -> impl Iterator<Item = u64> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| xxh3_64(word.to_lowercase().as_bytes()))
}

/// Without the words that most pages have.
fn own_words(all: Vec<FxHashSet<u64>>) -> Vec<FxHashSet<u64>> {
    let mut pages_with: FxHashMap<u64, usize> = FxHashMap::default();
    all.iter().flatten().for_each(|word| *pages_with.entry(*word).or_default() += 1);
    let common = |word: &u64| pages_with[word] * 2 > all.len() && all.len() > 2;
    all.iter().map(|words| words.iter().copied().filter(|word| !common(word)).collect()).collect()
}

/// The words of the page's first headings, where `<title>` is the same on all pages.
fn headings(document: &Document, page: &Leaves, template: &Template) -> FxHashSet<u64> {
    let is_heading = |leaf: &&Leaf| {
        let above = std::iter::successors(document.parent(leaf.node), |node| document.parent(*node)).take(2);
        above.map(|node| document.name(node)).any(|name| matches!(name, "h1" | "h2"))
    };
    let varying = page.list.iter().filter(|leaf| leaf.word != 0 && !template.anchors.contains(&leaf.word));
    varying.filter(is_heading).take(1).flat_map(|leaf| words(&leaf.text).collect::<Vec<_>>()).collect()
}

impl<'c> Titles<'c> {
    pub fn new(class: &'c Class) -> Self {
        let mut own = own_words(class.pages.iter().map(|page| words(&page.title).collect()).collect());
        if own.iter().filter(|words| words.is_empty()).count() * 2 > own.len() {
            let both = class.documents.iter().zip(&class.pages);
            own = own_words(both.map(|(document, page)| headings(document, page, &class.template)).collect());
        }
        let times = class.pages.iter().map(|page| {
            let mut times: FxHashMap<u64, usize> = FxHashMap::default();
            page.list.iter().for_each(|leaf| *times.entry(leaf.word).or_default() += 1);
            times
        });
        Self { class, own, times: times.collect() }
    }

    /// How often its page shows the text.
    fn times(&self, at: At) -> usize {
        self.times[at.0 as usize][&self.class.leaf(at).word]
    }

    /// Does its page show the same text elsewhere?
    pub fn is_repeated(&self, at: At) -> bool {
        self.times(at) > 1
    }

    /// How much one leaf looks like the title of its page.
    pub fn share(&self, at: At, heading: f64) -> f64 {
        let again = (self.times(at) as f64 - 1.0).min(2.0) / 2.0;
        let all = 1.0 - (1.0 - IN_TITLE * self.in_title(at)) * (1.0 - heading) * (1.0 - AGAIN * again);
        all * (1.0 - COMPOSED * self.composed(at))
    }

    /// "The Meatball Shop, New York City" where "The Meatball Shop" stands on its own too: made of the title and something else.
    fn composed(&self, at: At) -> f64 {
        let text = &self.class.leaf(at).text;
        let first = SEPARATORS.iter().filter_map(|mark| text.find(mark)).min().map_or("", |end| &text[..end]);
        let alone = |part: &str| part.len() > 2 && self.times[at.0 as usize].contains_key(&word_of(part));
        f64::from(u8::from(alone(first)))
    }

    /// Mean of: how much of the text is in the title, how much of the title's own words is in the text.
    fn in_title(&self, at: At) -> f64 {
        let own = &self.own[at.0 as usize];
        let text = &self.class.leaf(at).text;
        let of_text: FxHashSet<u64> = words(&text[..text.floor_char_boundary(300)]).collect();
        if own.is_empty() || of_text.is_empty() {
            return 0.0;
        }
        let both = of_text.intersection(own).count() as f64;
        (both / of_text.len() as f64).sqrt() * (both / own.len() as f64).sqrt()
    }

    /// Share of the words that (nearly) all of its texts have.
    pub fn added(&self, candidate: &Candidate) -> f64 {
        let mut with: FxHashMap<u64, usize> = FxHashMap::default();
        let mut all = 0;
        for at in &candidate.leaves {
            let text = &self.class.leaf(*at).text;
            let own: FxHashSet<u64> = words(&text[..text.floor_char_boundary(300)]).collect();
            all += own.len();
            own.into_iter().for_each(|word| *with.entry(word).or_default() += 1);
        }
        let n = candidate.leaves.len();
        let common: usize = with.values().filter(|times| n >= 3 && **times * 10 >= n * 8).sum();
        common as f64 / all.max(1) as f64
    }

    pub fn heading(&self, candidate: &Candidate) -> f64 {
        let Some(&at) = candidate.leaves.first() else { return 0.0 };
        let document = &self.class.documents[at.0 as usize];
        let mut node = document.parent(self.class.leaf(at).node);
        for _ in 0..3 {
            let Some(own) = node else { break };
            if let Some((_, share)) = HEADINGS.iter().find(|(name, _)| *name == document.name(own)) {
                return *share;
            }
            node = document.parent(own);
        }
        0.0
    }
}
