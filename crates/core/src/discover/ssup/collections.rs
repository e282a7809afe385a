//! What do these index pages point to, and how? Index pages → per link-path the distinct pages it leads to, and with
//! them the weights of a sample's URL terms.
//!
//! - [`Collections`]: link-path → pages, both in the order of the documents. A page under one link-path counts once,
//!   however often and on however many of the index pages it stands.

use crate::features::similarity::Weights;
use crate::page::PathId;
use crate::pages::Pages;
use crate::site::{Site, UrlId};
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Collections {
    paths: Vec<PathId>,
    places: FxHashMap<PathId, usize>,
    targets: Vec<Vec<UrlId>>,
}

impl Collections {
    pub fn of<P: Pages>(site: &Site<P>, pages: &[UrlId]) -> Self {
        let mut places: FxHashMap<PathId, usize> = FxHashMap::default();
        let (mut paths, mut targets): (Vec<PathId>, Vec<Vec<UrlId>>) = (Vec::new(), Vec::new());
        let mut known = FxHashSet::default();
        for link in pages.iter().flat_map(|&page| site.links(page)) {
            if known.insert(link) {
                let place = *places.entry(link.path).or_insert(targets.len());
                if place == targets.len() {
                    paths.push(link.path);
                    targets.push(Vec::new());
                }
                targets[place].push(link.target);
            }
        }
        Self { paths, places, targets }
    }

    /// The pages under a link-path.
    pub fn under(&self, path: PathId) -> &[UrlId] {
        self.places.get(&path).map_or(&[], |&place| &self.targets[place])
    }

    /// Each link-path with its pages.
    pub fn iter(&self) -> impl Iterator<Item = (PathId, &[UrlId])> {
        self.paths.iter().copied().zip(self.targets.iter().map(Vec::as_slice))
    }

    /// All pages, each once, in order.
    pub fn pages(&self) -> Vec<UrlId> {
        let mut known = FxHashSet::default();
        self.targets.iter().flatten().copied().filter(|&page| known.insert(page)).collect()
    }

    /// The weights of the sample's terms, for strong URL similarity. `path` is the link-path of the sample.
    pub fn weights<P: Pages>(&self, site: &Site<P>, sample: UrlId, path: PathId) -> Weights {
        let terms = |pages: &Vec<UrlId>| pages.iter().map(|&page| site.terms(page)).collect();
        let link_paths: Vec<Vec<&[u32]>> = self.targets.iter().map(terms).collect();
        let place = self.places.get(&path).copied().unwrap_or(link_paths.len());
        Weights::new(site.terms(sample), &link_paths, place)
    }
}
