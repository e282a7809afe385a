//! Is this template right? Template, truth → verdict, by the addresses that follow it.
//!
//! Each address votes: for a true template whose id is the number at `{N}`; for a trap whose number it is; for "unsure"; for
//! a trap as a whole; or for nothing known. The side with at least half of the votes wins.
//!
//! - [`Judged`]: the verdict with what it rests on.

use super::truth::{Site, canon, split};
use crate::Error;
use pagekin::templates::{ANY, ID, TEXT_PART, Template};
use regex::Regex;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Entity,
    Unsure,
    Trap,
    WrongNumber,
    Other,
    NoSupport,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Vote {
    Entity(usize),
    Trap,
    Unsure,
    Wrong,
    Other,
}

impl Vote {
    /// Which of two made-up spellings to believe.
    fn rank(self) -> u8 {
        match self {
            Self::Entity(_) => 0,
            Self::Trap => 1,
            Self::Unsure => 2,
            Self::Wrong => 3,
            Self::Other => 4,
        }
    }
}

pub struct Judged {
    pub template: String,
    pub verdict: Verdict,
    /// Addresses that voted.
    pub votes: usize,
    /// The true template with most votes.
    pub truth: Option<usize>,
    /// Addresses and ids of each true template.
    pub covered: FxHashMap<usize, (FxHashSet<String>, FxHashSet<u128>)>,
    pub dup: bool,
}

/// Most ids that addresses are made up for, where the list has too few.
const MADE_UP: usize = 3000;

pub fn judge(site: &Site, template: &Template) -> Result<Judged, Error> {
    let pairs = pairs(site, template)?;
    let mut counts = [0_usize; 4];
    let mut entities: Vec<(usize, usize)> = Vec::new();
    let mut covered: FxHashMap<usize, (FxHashSet<String>, FxHashSet<u128>)> = FxHashMap::default();
    for (url, number) in &pairs {
        match vote(site, url, number.as_deref()) {
            Vote::Entity(at) => {
                counts[0] += 1;
                match entities.iter_mut().find(|(known, _)| *known == at) {
                    Some((_, count)) => *count += 1,
                    None => entities.push((at, 1)),
                }
                let cover = covered.entry(at).or_default();
                cover.0.insert(url.clone());
                cover.1.extend(number.as_deref().and_then(|number| number.parse::<u128>().ok()));
            }
            Vote::Unsure => counts[1] += 1,
            Vote::Trap => counts[2] += 1,
            Vote::Wrong => counts[3] += 1,
            Vote::Other => {}
        }
    }
    // Of true templates with as many votes the one met first.
    let best = entities.iter().rev().max_by_key(|(_, count)| *count).map(|(at, _)| *at);
    let verdict = verdict(pairs.len(), counts);
    let truth = best.filter(|_| verdict == Verdict::Entity);
    Ok(Judged { template: template.template.clone(), verdict, votes: pairs.len(), truth, covered, dup: false })
}

fn verdict(all: usize, [entity, unsure, trap, wrong]: [usize; 4]) -> Verdict {
    match all {
        0 => Verdict::NoSupport,
        _ if entity * 2 >= all => Verdict::Entity,
        _ if unsure * 2 >= all => Verdict::Unsure,
        _ if trap * 2 >= all => Verdict::Trap,
        _ if wrong * 2 >= all => Verdict::WrongNumber,
        _ if (trap + wrong) * 2 >= all => Verdict::Trap,
        _ => Verdict::Other,
    }
}

fn vote(site: &Site, url: &str, number: Option<&str>) -> Vote {
    let entity = site.entities.iter().position(|entity| same_number(entity.pattern.number(url), number));
    if let Some(at) = entity {
        return Vote::Entity(at);
    }
    if site.traps.iter().any(|trap| trap.grouped && same_number(trap.number(url), number)) {
        return Vote::Trap;
    }
    if site.unsure.iter().any(|unsure| unsure.matches(url)) {
        return Vote::Unsure;
    }
    if site.traps.iter().any(|trap| !trap.grouped && trap.matches(url)) {
        return Vote::Trap;
    }
    if site.entities.iter().any(|entity| entity.pattern.matches(url)) {
        return Vote::Wrong;
    }
    if site.traps.iter().any(|trap| trap.grouped && trap.matches(url)) { Vote::Trap } else { Vote::Other }
}

fn same_number(one: Option<&str>, other: Option<&str>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return false };
    one == other || one.parse::<u128>().is_ok_and(|one| other.parse::<u128>() == Ok(one))
}

/// Characters that stand for the placeholders while an address is taken apart.
fn protected(template: &str) -> String {
    template.replace(ID, "\u{1}").replace(TEXT_PART, "\u{2}").replace(ANY, "\u{3}")
}

fn pattern(template: &str) -> Result<Regex, Error> {
    let (mut text, mut seen) = ("^".to_owned(), false);
    for c in canon(&protected(template)).chars() {
        match c {
            '\u{1}' if seen => text += "[0-9]+",
            '\u{1}' => (text, seen) = (text + "([0-9]+)", true),
            '\u{2}' => text += "[^/?&#]*?",
            '\u{3}' => text += ".*?",
            c => text += &regex::escape(c.encode_utf8(&mut [0; 4])),
        }
    }
    text.push('$');
    Regex::new(&text).map_err(|error| Error::Pattern { pattern: text, error })
}

/// The addresses that follow the template, each with the number at `{N}`.
fn pairs(site: &Site, template: &Template) -> Result<Vec<(String, Option<String>)>, Error> {
    let pattern = pattern(&template.template)?;
    let known: FxHashSet<u128> = template.known.iter().map(|&id| u128::from(id)).collect();
    let number = |url: &str| Some(pattern.captures(url)?.get(1)?.as_str().to_owned());
    let written =
        |canonical: &str, url: &str| site.by_canon.get(canonical).map_or(url.to_owned(), |&at| site.urls[at].clone());
    if !template.urls.is_empty() {
        let pair = |url: &String| {
            let canonical = canon(url);
            let found = number(&canonical).or_else(|| last_known(url, &known));
            (written(&canonical, url), found)
        };
        return Ok(template.urls.iter().map(pair).collect());
    }
    let host = canon(&protected(&template.template)).split('/').next().unwrap_or("").to_owned();
    let fits = |&at: &usize| {
        let found = number(&site.canon[at]).filter(|n| n.parse::<u128>().is_ok_and(|n| known.contains(&n)))?;
        Some((site.urls[at].clone(), Some(found)))
    };
    let mut pairs: Vec<(String, Option<String>)> =
        site.by_host.get(&host).into_iter().flatten().filter_map(fits).collect();
    let got: FxHashSet<u128> = pairs.iter().filter_map(|(_, n)| n.as_ref()?.parse().ok()).collect();
    if got.len() * 2 < known.len() {
        let ids = template.known.iter().take(MADE_UP).filter(|&&id| !got.contains(&u128::from(id)));
        pairs.extend(ids.map(|&id| made_up(site, &template.template, id)));
    }
    Ok(pairs)
}

/// The last number of the address that is a known id.
fn last_known(url: &str, known: &FxHashSet<u128>) -> Option<String> {
    let mut numbers = url.split(|c: char| !c.is_ascii_digit());
    numbers.rfind(|number| number.parse::<u128>().is_ok_and(|n| known.contains(&n))).map(str::to_owned)
}

/// The template filled with an id, spelled as the truth would have it.
fn made_up(site: &Site, template: &str, id: u64) -> (String, Option<String>) {
    let id = id.to_string();
    let mut best: Option<(u8, String)> = None;
    for fill in ["x", "1", "2010"] {
        let url = template.replace(ID, &id).replace(TEXT_PART, fill).replace(ANY, fill);
        for spelled in spellings(site, &url) {
            let rank = vote(site, &spelled, Some(&id)).rank();
            if best.as_ref().is_none_or(|(known, _)| rank < *known) {
                best = Some((rank, spelled));
            }
        }
    }
    (best.map(|(_, url)| url).unwrap_or_default(), Some(id))
}

/// As it is, and with the parameters in the orders that the list has them (the four commonest).
fn spellings(site: &Site, url: &str) -> Vec<String> {
    if let Some(&at) = site.by_canon.get(&canon(url)) {
        return vec![site.urls[at].clone()];
    }
    let mut spelled = vec![url.to_owned()];
    let (host, path, Some(query)) = split(url) else { return spelled };
    let names =
        |query: &str| query.split('&').map(|part| part.split('=').next().unwrap_or("").to_owned()).collect::<Vec<_>>();
    let mut sorted = names(query);
    sorted.sort();
    let mut orders: Vec<(Vec<String>, usize)> = Vec::new();
    for other in site.urls.iter().filter_map(|url| split(url).2.filter(|query| !query.is_empty()).map(names)) {
        let mut own = other.clone();
        own.sort();
        if own != sorted {
            continue;
        }
        match orders.iter_mut().find(|(known, _)| *known == other) {
            Some((_, count)) => *count += 1,
            None => orders.push((other, 1)),
        }
    }
    orders.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (order, _) in orders.into_iter().take(4) {
        let mut parts: Vec<&str> = query.split('&').collect();
        let mut taken = Vec::new();
        for name in order {
            let at = parts.iter().position(|part| part.split('=').next() == Some(&name));
            taken.extend(at.map(|at| parts.remove(at)));
        }
        spelled.push(format!("http://{host}{path}?{}", taken.join("&")));
    }
    spelled
}
