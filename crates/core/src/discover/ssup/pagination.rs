//! Which pages go on with an index page? Index pages of a level, its sample and the next level's → pages that look more like
//! the former than like the latter (SSUP 2014 algorithm 3).
//!
//! - [`pagination`]: the algorithm. - [`Continuation`]: links of one link-path that are equally like the next level's
//!   sample by their address; the first of them is looked at and speaks for all.
//!
//! As published it takes noise too, and goes one page on, not to the end of a chain. A group whose first page cannot be
//! had is left.

use super::collections::Collections;
use crate::features::similarity::jaccard;
use crate::page::PathId;
use crate::pages::Pages;
use crate::site::{Site, Stop, UrlId};
use rustc_hash::FxHashMap;

#[derive(Debug)]
pub struct Continuation {
    pub path: PathId,
    /// Weak URL similarity with the next level's sample.
    pub similarity: f64,
    pub pages: Vec<UrlId>,
    /// HTML similarity of the first page with the level's sample and with the next level's.
    pub html: Option<(f64, f64)>,
}

impl Continuation {
    pub fn is_taken(&self) -> bool {
        self.html.is_some_and(|(own, next)| own >= next)
    }
}

/// `level` are the index pages, already looked at.
pub async fn pagination<P: Pages>(
    site: &mut Site<'_, P>,
    level: &[UrlId],
    sample: UrlId,
    next_sample: UrlId,
) -> Result<Vec<Continuation>, Stop> {
    let mut groups = groups(site, level, next_sample);
    let first: Vec<UrlId> = groups.iter().map(|group| group.pages[0]).collect();
    site.look(&first).await?;
    for group in &mut groups {
        let html = |other| site.html_similarity(group.pages[0], other);
        group.html = html(sample).zip(html(next_sample));
    }
    Ok(groups)
}

/// In the order of the link-paths, then of the pages.
fn groups<P: Pages>(site: &Site<P>, level: &[UrlId], next_sample: UrlId) -> Vec<Continuation> {
    let collections = Collections::of(site, level);
    let mut groups: Vec<Continuation> = Vec::new();
    for (path, pages) in collections.iter() {
        // Equal ratios of small numbers are equal bit by bit.
        let mut places: FxHashMap<u64, usize> = FxHashMap::default();
        for &page in pages {
            let similarity = jaccard(site.terms(next_sample), site.terms(page));
            let place = *places.entry(similarity.to_bits()).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.pages.push(page),
                None => groups.push(Continuation { path, similarity, pages: vec![page], html: None }),
            }
        }
    }
    groups
}
