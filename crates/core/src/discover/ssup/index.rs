//! Which page is the index page of this one? A page → the page that delivers the most addresses like its own, weighted by
//! how like they are (SSUP 2019 algorithm 1; SSUP 2014 algorithm 1 with one hop and without line 6).
//!
//! - [`top_index`]: the search. - [`Reach`]: how far it goes. - [`Search`]: what it saw. - [`Candidate`]: an index page,
//!   its link-path to the page, its index_score.
//!
//! What the papers leave open: line 6 drops a candidate when every link-path through which it was reached is also one
//! through which it points back; when a candidate points to the page through several link-paths, the one with
//! the largest index_score counts, of equals the first in the document; of candidates with equal scores the first
//! reached is chosen: the page's own links first, in the order of the document, then those of its first link, and so on.

use super::collections::Collections;
use crate::page::PathId;
use crate::pages::Pages;
use crate::site::{Site, Stop, UrlId};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The pages the page points to (SSUP 2014).
    OneHop,
    /// And those they point to; siblings are dropped (SSUP 2019).
    TwoHops,
}

#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    pub page: UrlId,
    /// The link-path on the candidate that points to the page.
    pub path: PathId,
    pub score: f64,
    /// Pages under that link-path.
    pub size: usize,
}

#[derive(Debug, Default)]
pub struct Search {
    /// Pages within reach.
    pub reached: usize,
    /// Those that point to the page.
    pub pointing: usize,
    /// Those of them dropped as siblings.
    pub siblings: usize,
    /// Best first, at most [`RANKED`].
    pub ranked: Vec<Candidate>,
}

/// Candidates kept for the explanation.
const RANKED: usize = 5;

/// Link-paths from a candidate to the page that are weighed, those with the most pages first. Of 19,000 real pages none
/// points to one page through more than 16; the limit keeps a page made to have thousands from costing their square.
const WAYS: usize = 32;

/// Scores closer than this are equal, as similarities are.
const TOLERANCE: f64 = 1e-9;

pub async fn top_index<P: Pages>(site: &mut Site<'_, P>, page: UrlId, reach: Reach) -> Result<Search, Stop> {
    let mut sources = vec![page];
    let near = targets(site, &sources);
    site.look(&near).await?;
    if reach == Reach::TwoHops {
        sources.extend(near.iter().map(|&id| site.resolve(id)).filter(|&id| id != page));
        let far = targets(site, &sources);
        site.look(&far).await?;
    }
    Ok(rank(site, page, &sources, reach))
}

/// The pages these pages point to, each once, in the order met.
fn targets<P: Pages>(site: &Site<P>, sources: &[UrlId]) -> Vec<UrlId> {
    let mut known = FxHashSet::default();
    let links = sources.iter().flat_map(|&source| site.links(source));
    links.map(|link| link.target).filter(|&target| known.insert(target)).collect()
}

fn rank<P: Pages>(site: &Site<P>, page: UrlId, sources: &[UrlId], reach: Reach) -> Search {
    let reached = targets(site, sources);
    let ways_back = |&candidate: &UrlId| {
        let back = site.links(candidate).filter(|link| link.target == page);
        (candidate, back.map(|link| link.path).collect::<FxHashSet<PathId>>())
    };
    let back: FxHashMap<UrlId, FxHashSet<PathId>> =
        reached.par_iter().map(ways_back).filter(|(_, ways)| !ways.is_empty()).collect();
    let mut stay = Vec::with_capacity(back.len());
    let otherwise = reached_otherwise(site, sources, &back);
    for &candidate in reached.iter().filter(|candidate| back.contains_key(candidate)) {
        if reach == Reach::OneHop || otherwise.contains(&candidate) {
            stay.push(candidate);
        }
    }
    let mut ranked: Vec<Candidate> = stay.par_iter().filter_map(|&candidate| weigh(site, candidate, page)).collect();
    choose_first(&mut ranked);
    ranked.truncate(RANKED);
    Search { reached: reached.len(), pointing: back.len(), siblings: back.len() - stay.len(), ranked }
}

/// Candidates reached through a link-path that is not one of those through which they point back.
fn reached_otherwise<P: Pages>(
    site: &Site<P>,
    sources: &[UrlId],
    back: &FxHashMap<UrlId, FxHashSet<PathId>>,
) -> FxHashSet<UrlId> {
    let links = sources.iter().flat_map(|&source| site.links(source));
    let others = links.filter(|link| back.get(&link.target).is_some_and(|ways| !ways.contains(&link.path)));
    others.map(|link| link.target).collect()
}

/// The index_score of a candidate (SSUP 2019 definition 4.4), through the link-path where it is largest.
fn weigh<P: Pages>(site: &Site<P>, candidate: UrlId, page: UrlId) -> Option<Candidate> {
    let collections = Collections::of(site, &[candidate]);
    let mut ways: Vec<PathId> = site.links(candidate).filter(|l| l.target == page).map(|l| l.path).collect();
    let mut known = FxHashSet::default();
    ways.retain(|&path| known.insert(path));
    let mut fullest: Vec<usize> = (0..ways.len()).collect();
    fullest.sort_by_key(|&way| std::cmp::Reverse(collections.under(ways[way]).len()));
    fullest.truncate(WAYS);
    fullest.sort_unstable();
    let mut best: Option<Candidate> = None;
    for path in fullest.into_iter().map(|way| ways[way]) {
        let weights = collections.weights(site, page, path);
        let pages = collections.under(path);
        let score = pages.iter().map(|&target| weights.similarity(site.terms(target))).sum();
        if best.is_none_or(|best| score > best.score + TOLERANCE) {
            best = Some(Candidate { page: candidate, path, score, size: pages.len() });
        }
    }
    best
}

/// Sorts by score; the first reached of those that share the highest comes first.
fn choose_first(candidates: &mut [Candidate]) {
    let best = candidates.iter().map(|candidate| candidate.score).fold(0.0, f64::max);
    let first = candidates.iter().position(|candidate| candidate.score >= best - TOLERANCE);
    if let Some(first) = first {
        candidates[..=first].rotate_right(1);
        candidates[1..].sort_by(|a, b| b.score.total_cmp(&a.score));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_scores_the_first_reached_is_chosen() {
        let candidate = |page, score| Candidate { page, path: 1, score, size: 1 };
        let mut candidates = [candidate(1, 2.0), candidate(2, 3.0 - 1e-12), candidate(3, 3.0), candidate(4, 1.0)];
        choose_first(&mut candidates);
        assert_eq!(candidates.map(|candidate| candidate.page), [2, 3, 1, 4]);
        choose_first(&mut []);
    }
}
