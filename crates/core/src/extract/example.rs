//! Which slot does this example mean? Aligned pages, a value on one of them → tiers of voters.
//!
//! - [`Example`]: a name and a value as the page shows it. - `choose`: the candidates that hold the value, the most reliable first.
//!
//! A value that stands in several places on its page means the place that the other pages have too, and in which they differ.

use super::assign_roles::{Choice, echo};
use super::class::{At, Candidate, Class};
use super::domain::{Domain, Role};
use super::leaves::label_of;
use super::roles::{Judge, Scored};
use super::title::Titles;
use super::{value, weights};
use crate::page::parser::unescaped;
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub name: String,
    pub value: String,
}

/// A text that looks this much like its page's title is taken for one. Set by hand.
const LIKE_TITLE: f64 = 0.75;

/// As a role of a domain file needs.
const LEAST_SCORE: f64 = 0.1;

/// Candidates behind the same label that fill the pages the best one leaves open. Set by hand.
const MOST_TIERS: usize = 6;

/// The leaves of a page that show the value: as it is given, or cleaned of a label; failing that, in other letters, and failing that, as
/// a part of a longer text.
fn shown(class: &Class, page: u32, value: &str) -> Vec<At> {
    let exact = folded(value);
    let wanted = label_of(&exact);
    let list = &class.pages[page as usize].list;
    let find = |test: &dyn Fn(&str) -> bool| -> Vec<At> {
        (0..list.len()).filter(|&at| test(&folded(&list[at].text))).map(|at| (page, at as u32)).collect()
    };
    let given = find(&|text| text == exact || value::clean(text) == exact);
    if !given.is_empty() {
        return given;
    }
    let whole = find(&|text| label_of(text) == wanted || label_of(value::clean(text)) == wanted);
    if whole.is_empty() && wanted.len() >= 4 {
        find(&|text| text.len() < 300 && label_of(text).contains(&wanted))
    } else {
        whole
    }
}

/// White space of all kinds is one blank, and a value copied from a source means what it is read as.
fn folded(value: &str) -> String {
    let plain = if value.contains('&') { unescaped(value) } else { value.to_owned() };
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All values of one name; each may stand on any of the pages given first.
pub fn choose(class: &Class, values: &[&str], pages: &[u32]) -> Option<Choice> {
    let leaves: Vec<At> =
        pages.iter().flat_map(|page| values.iter().flat_map(|value| shown(class, *page, value))).collect();
    let titles = Titles::new(class);
    let repeated = leaves.iter().any(|at| titles.is_repeated(*at));
    let mut scores: FxHashMap<u32, f64> = FxHashMap::default();
    for at in &leaves {
        for holder in class.holders(*at) {
            let candidate = &class.candidates[*holder as usize];
            let score = || {
                let again = if repeated { repeated_share(&titles, candidate) } else { 1.0 };
                quality(class, candidate, *at)
                    * as_title(&titles, candidate, *at)
                    * weights::example::REPEATED.of(again)
            };
            scores.entry(*holder).or_insert_with(score);
        }
    }
    let mut ranked: Vec<(u32, f64)> = scores.into_iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let (best, score) = *ranked.first()?;
    let choice = with_doubles(class, best as usize, score, &ranked);
    Some(with_role(class, choice, &leaves, &titles))
}

/// What most pages have, what differs, and what stands behind the same label, in the same element, and looks like the example.
fn quality(class: &Class, candidate: &Candidate, at: At) -> f64 {
    use weights::example::{ALIKE, DIFFER, NO_LABEL, SAME_EVERYWHERE, SAME_LABEL, SAME_PATH};
    let variation = class.variation(candidate);
    let constant = candidate.leaves.len() >= 3 && variation * candidate.leaves.len() as f64 <= weights::CONSTANT;
    let varied = if constant { SAME_EVERYWHERE } else { DIFFER.of((variation * 3.0).min(1.0)) };
    let label = class.label_word(at);
    let same_label = class.labelled_share(candidate, label);
    let labelled = if label == 0 { NO_LABEL.of(same_label) } else { SAME_LABEL.of(same_label) };
    let shape = shape(&class.leaf(at).text);
    let alike = candidate.leaves.iter().filter(|other| self::shape(&class.leaf(**other).text) == shape).count();
    let alike = ALIKE.base + ALIKE.span * alike as f64 / candidate.leaves.len() as f64;
    let path = class.leaf(at).path;
    let there = candidate.leaves.iter().filter(|other| class.leaf(**other).path == path).count();
    let there = SAME_PATH.base + SAME_PATH.span * there as f64 / candidate.leaves.len() as f64;
    class.support(candidate) * varied * labelled * alike * there / candidate.repeats.sqrt()
}

/// What the example's page shows several times (the author in the heading, in the margin, under other books), the others do too.
fn repeated_share(titles: &Titles, candidate: &Candidate) -> f64 {
    let again = candidate.leaves.iter().filter(|at| titles.is_repeated(**at)).count();
    again as f64 / candidate.leaves.len() as f64
}

/// An example that is its page's title means a place that holds the titles of the others.
fn as_title(titles: &Titles, candidate: &Candidate, at: At) -> f64 {
    if titles.share(at, 0.0) < LIKE_TITLE {
        return 1.0;
    }
    let mean = candidate.leaves.iter().map(|at| titles.share(*at, 0.0)).sum::<f64>() / candidate.leaves.len() as f64;
    weights::example::TITLES.of(mean)
}

/// Are these the titles of their pages?
pub fn is_title(titles: &Titles, leaves: &[At]) -> bool {
    let mean = leaves.iter().map(|at| titles.share(*at, 0.0)).sum::<f64>() / leaves.len().max(1) as f64;
    mean >= LIKE_TITLE
}

/// The coarse form of a text: its type, or whether it has digits and is long.
fn shape(text: &str) -> (&'static str, bool, bool) {
    let clean = value::clean(text);
    let typed = value::typed(clean).map_or("text", |typed| typed.name());
    (typed, clean.contains(|c: char| c.is_ascii_digit()), clean.len() > 120)
}

/// The example's label, or its being the title, leads to it on the pages that are still open.
fn with_role(class: &Class, mut choice: Choice, leaves: &[At], titles: &Titles) -> Choice {
    if choice.leaves.len() == class.pages.len() {
        return choice;
    }
    let title = leaves.iter().any(|at| titles.share(*at, 0.0) >= LIKE_TITLE);
    let synonyms: Vec<String> = leaves.iter().filter_map(|at| class.label(*at)).collect();
    if synonyms.is_empty() && !title {
        return choice;
    }
    let role = Role {
        name: "example".to_owned(),
        synonyms,
        schema: Vec::new(),
        value: None,
        typed: None,
        title,
        extra: false,
        fitted: None,
    };
    let domain = Domain { roles: vec![role] };
    let Some(other) = super::assign_roles::assign(class, &Judge::new(class, &domain), 0, LEAST_SCORE) else {
        return choice;
    };
    let covered: FxHashMap<u32, u32> = choice.leaves.iter().copied().collect();
    if super::assign_roles::agrees(class, &covered, &other.leaves) {
        choice.tiers.extend(other.tiers);
        choice.leaves.extend(other.leaves.into_iter().filter(|(page, _)| !covered.contains_key(page)));
        choice.leaves.sort_unstable();
    }
    choice
}

/// Other places of the same value that agree where both are, then places that echo them.
fn with_doubles(class: &Class, best: usize, score: f64, ranked: &[(u32, f64)]) -> Choice {
    let mut covered: FxHashMap<u32, u32> = class.candidates[best].leaves.iter().copied().collect();
    let mut tiers = vec![class.voters(&class.candidates[best].leaves)];
    for (other, _) in ranked.iter().skip(1) {
        if tiers.len() >= MOST_TIERS || covered.len() == class.pages.len() {
            break;
        }
        let leaves = &class.candidates[*other as usize].leaves;
        if leaves.iter().any(|(page, _)| !covered.contains_key(page))
            && super::assign_roles::agrees(class, &covered, leaves)
        {
            leaves.iter().for_each(|(page, leaf)| {
                covered.entry(*page).or_insert(*leaf);
            });
            tiers.push(class.voters(leaves));
        }
    }
    if let Some(echo) = echo(class, &covered) {
        tiers.push(class.voters(&class.candidates[echo].leaves));
        class.candidates[echo].leaves.iter().for_each(|(page, leaf)| {
            covered.entry(*page).or_insert(*leaf);
        });
    }
    let mut leaves: Vec<At> = covered.into_iter().collect();
    leaves.sort_unstable();
    Choice {
        tiers,
        leaves,
        best: Scored { candidate: best, score: score.min(1.0), sure: score.min(1.0), ..Scored::default() },
    }
}
