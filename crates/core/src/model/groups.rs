//! Which pages have one template and addresses of one pattern? Pages one by one → [`Groups`], each page in one at once.
//!
//! Takes a page's tokens and pattern → gives the number of its [`Group`]. A page joins the nearest group of its pattern if it is
//! near enough ([`NEAR`]), else it opens one. Cost is linear in pages; site is that of the groups, of which there are at most
//! [`MOST`], so that millions of pages can be gone through. What groups belong together is decided in [`merge`](super::merge).

use super::counts::Counts;
use super::path_generalisation::Placed;
use super::pattern::Pattern;
use crate::features::tokens::Tokens;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

pub type GroupId = u32;

/// How far from a group's structure a page of it may be, and a group from another of the same pattern. Pages of one type are at
/// most 0.57 from the middle of their class on the twelve sites (nine in ten below 0.42) and 0.53 in SWDE; types that share a
/// pattern are at least 0.6 apart there, sites of SWDE 0.68.
pub const NEAR: f64 = 0.56;

/// Groups at most: more templates than any site has. Beyond, a page joins the nearest of its pattern, or the last group.
const MOST: usize = 4_000;

/// Groups of one pattern at most: bounds what one page costs.
const MOST_OF_PATTERN: usize = 200;

/// Patterns remembered of a group.
const PATTERNS: usize = 200;

/// Structures remembered so that a page exactly like one before is not compared again.
const REMEMBERED: usize = 100_000;

#[derive(Debug, Clone)]
pub struct Group {
    /// See [`Placed::pool`].
    pub pattern: Pattern,
    /// See [`Placed::in_tree`].
    pub in_tree: bool,
    /// The last part of all addresses, while it is the same one in several folders.
    pub last: Option<u64>,
    pub counts: Counts,
    /// Of its pages, with their number.
    pub patterns: FxHashMap<Pattern, usize>,
}

#[derive(Debug, Clone, Default)]
pub struct Groups {
    pub groups: Vec<Group>,
    of_pattern: FxHashMap<Pattern, Vec<GroupId>>,
    known: FxHashMap<(GroupId, u64), GroupId>,
}

impl Groups {
    pub fn add(&mut self, tokens: &Tokens, placed: Placed) -> GroupId {
        let Placed { pattern, pool, in_tree, last } = placed;
        let candidates = self.of_pattern.get(&pool).map_or(&[][..], Vec::as_slice);
        let first = candidates.first().copied();
        let structure = fingerprint(tokens);
        let known = first.and_then(|first| self.known.get(&(first, structure)).copied());
        let group =
            known.or_else(|| self.nearest(tokens, candidates)).unwrap_or_else(|| self.open(pool, in_tree, last));
        if known.is_none() && self.known.len() < REMEMBERED {
            self.known.insert((first.unwrap_or(group), structure), group);
        }
        let known = &mut self.groups[group as usize];
        if known.patterns.len() < PATTERNS || known.patterns.contains_key(&pattern) {
            *known.patterns.entry(pattern).or_default() += 1;
        }
        known.counts.add(tokens);
        known.last = known.last.filter(|known| *known == last);
        group
    }

    fn nearest(&self, tokens: &Tokens, candidates: &[GroupId]) -> Option<GroupId> {
        let away = |group: GroupId| self.groups[group as usize].counts.away(tokens);
        let nearest = candidates.iter().map(|&group| (away(group), group)).min_by(|a, b| a.0.total_cmp(&b.0));
        let full = candidates.len() >= MOST_OF_PATTERN || self.groups.len() >= MOST;
        let last = || (self.groups.len() >= MOST).then(|| self.groups.len() as GroupId - 1);
        nearest.filter(|(away, _)| *away <= NEAR || full).map(|(_, group)| group).or_else(last)
    }

    fn open(&mut self, pattern: Pattern, in_tree: bool, last: u64) -> GroupId {
        let group = self.groups.len() as GroupId;
        self.of_pattern.entry(pattern.clone()).or_default().push(group);
        self.groups.push(Group {
            pattern,
            in_tree,
            last: Some(last),
            counts: Counts::default(),
            patterns: FxHashMap::default(),
        });
        group
    }
}

fn fingerprint(tokens: &Tokens) -> u64 {
    let bytes: Vec<u8> = tokens.structure.iter().flat_map(|token| token.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(structure: impl Iterator<Item = u64>) -> Tokens {
        Tokens { structure: structure.collect(), labels: Box::default() }
    }

    fn pattern(text: &str) -> Placed {
        Placed { pattern: text.parse().unwrap(), pool: text.parse().unwrap(), in_tree: false, last: 0 }
    }

    #[test]
    fn pages_of_one_pattern_are_told_apart_by_template() {
        let mut groups = Groups::default();
        let first = groups.add(&tokens(0..20), pattern("/{name}"));
        let other = groups.add(&tokens(100..120), pattern("/{name}"));
        assert_ne!(first, other);
        assert_eq!(groups.add(&tokens(0..22), pattern("/{name}")), first);
        assert_eq!(groups.add(&tokens(100..120), pattern("/{name}")), other);
        assert_ne!(groups.add(&tokens(0..20), pattern("/a/{name}")), first);
        assert_eq!(groups.groups[first as usize].counts.pages, 2);
    }

    #[test]
    fn groups_are_bounded_whatever_the_site_sends() {
        let mut groups = Groups::default();
        for page in 0..600u64 {
            groups.add(&tokens(page * 10..page * 10 + 10), pattern("/{name}"));
        }
        assert_eq!(groups.groups.len(), MOST_OF_PATTERN);
        for page in 0..MOST as u64 {
            groups.add(&tokens(page * 10..page * 10 + 10), pattern(&format!("/{page}x/{{name}}")));
        }
        assert_eq!(groups.groups.len(), MOST);
    }
}
