//! What stays the same on the pages of one class? Pages → [`Template`]: the tokens of stable paths, and the texts that are
//! part of the template, between which the values stand.
//!
//! - [`Template`]: learned by [`Template::learn`] from a sample of pages of one class.
//!
//! A token (class, id, `itemprop`) is stable when enough pages have it: ids with a product number are on one page each.
//! A text is an *anchor* when most pages have it, or when it stands in a path that holds little but such texts (labels of
//! optional attributes), or when it ends in a colon and comes back. A text whose place holds other texts on other pages is
//! a frequent value, not an anchor. Does not know roles, records or labels' meaning.

use super::leaves::{Leaf, Leaves, Paths, Steps, each_token, label_of};
use super::row_marks::row_marks;
use crate::page::dom::Document;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A token is kept when this share of the pages has it (and two at least). This and the others here were set by hand.
const TOKEN_SHARE: f64 = 0.2;

/// A token of this share of the pages belongs to an element for good.
const CORE_SHARE: f64 = 0.9;

/// A text is an anchor when this share of the pages has it.
const ANCHOR_SHARE: f64 = 0.6;

/// A path is one of labels when this share of its texts are anchors.
const LABEL_PLACE: f64 = 0.7;

/// A text with a colon is an anchor when this share of the pages has it (and two at least).
const COLON_SHARE: f64 = 0.05;

/// A frequent text is a value when at most this share of its place's texts are it.
const SAME_SHARE: f64 = 0.9;

#[derive(Debug, Clone, Default)]
pub struct Template {
    pub steps: Steps,
    /// `.class`, `#id`, `@itemprop`; sorted.
    pub tokens: Vec<String>,
    /// Words (see [`Leaf::word`](super::leaves::Leaf)) of the anchors.
    pub anchors: FxHashSet<u64>,
}

impl Template {
    /// The tokens first: the paths of the leaves depend on them.
    pub fn tokens(documents: &[&Document]) -> Vec<String> {
        Self::tokens_of(documents, TOKEN_SHARE)
    }

    fn tokens_of(documents: &[&Document], share: f64) -> Vec<String> {
        let mut pages_with: BTreeMap<String, usize> = BTreeMap::new();
        for document in documents {
            let mut seen = FxHashSet::default();
            for node in document.descendants(Document::ROOT) {
                each_token(document, node, |kind, token| {
                    seen.insert((kind, token));
                });
            }
            for (kind, token) in seen {
                *pages_with.entry(format!("{kind}{token}")).or_default() += 1;
            }
        }
        let least = at_least(documents.len(), share);
        pages_with.into_iter().filter(|(_, pages)| *pages >= least).map(|(token, _)| token).collect()
    }

    /// The tokens that tell elements apart: without those that only say which row of a list it is, and without states of an element (in stock, on sale, of this category) that comes once on a page
    /// and carries a token of nearly all pages beside them, or is the page's heading or main part.
    pub fn settled_tokens(documents: &[&Document]) -> Vec<String> {
        let tokens = Self::tokens(documents);
        let core = Self::tokens_of(documents, CORE_SHARE);
        let (of_core, core): (Steps, FxHashSet<&str>) =
            (Steps::new(core.iter().map(String::as_str)), core.iter().map(String::as_str).collect());
        let mut carried: FxHashMap<String, (usize, usize)> = FxHashMap::default();
        for document in documents {
            let mut paths = Paths::new(document, &of_core);
            let mut times: FxHashMap<u64, usize> = FxHashMap::default();
            let elements: Vec<_> =
                document.descendants(Document::ROOT).filter(|&node| !document.name(node).is_empty()).collect();
            elements.iter().for_each(|&node| *times.entry(paths.of(node)).or_default() += 1);
            let mut own: FxHashMap<(char, &str), bool> = FxHashMap::default();
            for &node in &elements {
                let known =
                    of_core.has_mark(document, node) || matches!(document.name(node), "h1" | "main" | "article");
                let state = known && times[&paths.of(node)] == 1;
                each_token(document, node, |kind, token| *own.entry((kind, token)).or_default() |= state);
            }
            for ((kind, token), state) in own {
                let (all, states) = carried.entry(format!("{kind}{token}")).or_default();
                *all += 1;
                *states += usize::from(state);
            }
        }
        let is_state = |token: &str| carried.get(token).is_some_and(|(all, states)| states * 2 > *all);
        let rows = row_marks(documents, &tokens.iter().map(String::as_str).collect());
        let is_kept = |token: &String| !rows.contains(token) && (core.contains(token.as_str()) || !is_state(token));
        tokens.iter().filter(|token| is_kept(token)).cloned().collect()
    }

    pub fn learn(tokens: Vec<String>, pages: &[Leaves]) -> Self {
        let steps = Steps::new(tokens.iter().map(String::as_str));
        let mut anchors = frequent(pages);
        add_label_places(pages, &mut anchors);
        remove_values(pages, &mut anchors);
        Self { steps, tokens, anchors }
    }
}

fn at_least(pages: usize, share: f64) -> usize {
    ((pages as f64 * share).ceil() as usize).max(2.min(pages))
}

/// A number says nothing of what stands behind it, however frequent it is: most drivers have 0 wins.
fn can_be_anchor(leaf: &Leaf) -> bool {
    leaf.word != 0 && leaf.text.contains(char::is_alphabetic)
}

fn frequent(pages: &[Leaves]) -> FxHashSet<u64> {
    let (mut all, mut with_colon) = (FxHashMap::default(), FxHashMap::default());
    for page in pages {
        let words: FxHashMap<u64, bool> = page
            .list
            .iter()
            .filter(|leaf| can_be_anchor(leaf))
            .map(|leaf| (leaf.word, leaf.text.ends_with(COLONS) && leaf.text.len() <= 40))
            .collect();
        for (word, colon) in words {
            *all.entry(word).or_insert(0usize) += 1;
            *with_colon.entry(word).or_insert(0usize) += usize::from(colon);
        }
    }
    let (most, few) = (at_least(pages.len(), ANCHOR_SHARE), at_least(pages.len(), COLON_SHARE));
    let mut anchors: FxHashSet<u64> = all.into_iter().filter(|(_, n)| *n >= most).map(|(word, _)| word).collect();
    anchors.extend(with_colon.into_iter().filter(|(_, n)| *n >= few).map(|(word, _)| word));
    anchors
}

/// Labels of optional attributes stand where the labels of the others do, and on the same pages: what stands there instead of a frequent text is
/// another value of the same fact.
fn add_label_places(pages: &[Leaves], anchors: &mut FxHashSet<u64>) {
    let mut places: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
    let mut texts: FxHashMap<(u64, u64), (usize, usize)> = FxHashMap::default();
    for page in pages {
        let labelled: FxHashSet<u64> =
            page.list.iter().filter(|leaf| anchors.contains(&leaf.word)).map(|leaf| leaf.path).collect();
        let mut seen = FxHashSet::default();
        for leaf in page.list.iter().filter(|leaf| leaf.word != 0) {
            let (all, known) = places.entry(leaf.path).or_default();
            *all += 1;
            *known += usize::from(anchors.contains(&leaf.word));
            if can_be_anchor(leaf) && seen.insert((leaf.path, leaf.word)) {
                let (times, beside) = texts.entry((leaf.path, leaf.word)).or_default();
                *times += 1;
                *beside += usize::from(labelled.contains(&leaf.path));
            }
        }
    }
    let label_place = |path: &u64| {
        let (all, known) = places[path];
        known as f64 >= all as f64 * LABEL_PLACE
    };
    let is_label = |times: usize, beside: usize| times >= 2 && beside * 2 >= times;
    let labels = texts.iter().filter(|((path, _), (times, beside))| is_label(*times, *beside) && label_place(path));
    anchors.extend(labels.map(|((_, word), _)| *word));
}

/// Places are told by the anchor before them; where the text after an anchor differs from page to page, a frequent one is
/// a frequent value.
fn remove_values(pages: &[Leaves], anchors: &mut FxHashSet<u64>) {
    let mut texts: FxHashMap<(u64, u64, usize), FxHashMap<u64, usize>> = FxHashMap::default();
    for page in pages {
        let mut before = 0;
        let mut nth: FxHashMap<u64, usize> = FxHashMap::default();
        let mut seen = FxHashSet::default();
        for leaf in page.list.iter().filter(|leaf| leaf.word != 0) {
            let n = nth.entry(leaf.path).or_default();
            let place = (leaf.path, before, *n);
            *n += 1;
            if seen.insert(place) {
                *texts.entry(place).or_default().entry(leaf.word).or_default() += 1;
            }
            if anchors.contains(&leaf.word) {
                before = leaf.word;
                nth.clear();
            }
        }
    }
    // The word's places weighed together: where only texts of the template stand (rows of a table come and go, but all
    // their labels are frequent), it stays.
    let mut held: FxHashMap<u64, (f64, f64)> = FxHashMap::default();
    for place in texts.values() {
        let all: usize = place.values().sum();
        let known: usize = place.iter().filter(|(word, _)| anchors.contains(word)).map(|(_, n)| *n).sum();
        for (word, n) in place.iter().filter(|(word, _)| anchors.contains(word)) {
            let (same, total) = held.entry(*word).or_default();
            *same += *n as f64 * known as f64 / all as f64;
            *total += *n as f64;
        }
    }
    anchors.retain(|word| held.get(word).is_none_or(|(same, total)| *same >= *total * SAME_SHARE));
}

/// The colons that labels end in: the second is that of Chinese and Japanese.
pub const COLONS: [char; 2] = [':', '：'];

/// What stands before the first colon, if that comes early, and what stands behind it.
fn split_at_colon(text: &str) -> Option<(&str, &str)> {
    let early = &text[..text.floor_char_boundary(63)];
    let (at, colon) = early.char_indices().find(|(at, c)| *at < 60 && COLONS.contains(c))?;
    Some((&text[..at], &text[at + colon.len_utf8()..]))
}

/// What stands behind the label that a text begins with.
pub fn after_label<'t>(text: &'t str, label: &str) -> &'t str {
    text[label.len()..].trim_start_matches(COLONS).trim_start()
}

/// The part of "Label: value" before the colon, when it can be a label.
pub fn inner_label(text: &str) -> Option<String> {
    label_within(text).map(label_of)
}

/// The same as it stands in the text, with the punctuation around it.
pub fn label_within(text: &str) -> Option<&str> {
    let (before, after) = split_at_colon(text)?;
    let label = before.trim_matches(|c: char| !c.is_alphanumeric());
    let length = if label.is_ascii() { label.len() } else { label_of(label).len() };
    // The colon of a time of day is within a value.
    let in_number = before.ends_with(|c: char| c.is_ascii_digit()) && after.starts_with(|c: char| c.is_ascii_digit());
    let short = !in_number && length > 0 && length <= 40 && label.split(' ').count() <= 5;
    (short && !after.trim().is_empty() && !after.starts_with("//")).then_some(before)
}
