//! Which web lists are on these pages of the site, and which page does each link of them lead to? Pages → lists, each page drawn once.
//!
//! - [`Lists`]: the memory. - [`Place`]: where in a list a link stands, so that the same place is found on other pages.

use crate::page::address::key;
use crate::page::layout::Layout;
use crate::page::web_lists::{self, ALIKE, Alignment, Shape, web_lists};
use crate::pages::{Pages, Reason, Skipped};
use crate::site::{Site, Stop, UrlId};
use rustc_hash::FxHashMap;
use std::fmt;

/// Pages drawn in one go: bounds the layouts held at a time.
const BATCH: usize = 16;

#[derive(Default)]
pub struct Lists {
    of: FxHashMap<UrlId, Vec<PlacedList>>,
    drawn: usize,
    failed: Option<Skipped>,
}

/// A list, its links as pages of the site.
struct PlacedList {
    alignment: Alignment,
    path: Box<str>,
    shape: Shape,
    links: Vec<(UrlId, Box<str>)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    alignment: Alignment,
    /// From the root to the items.
    path: Box<str>,
    shape: Shape,
    /// From the item to the link.
    step: Box<str>,
}

impl Place {
    /// From the root to the link, as link-paths are written.
    pub fn link_path(&self) -> String {
        let steps = self.step.split('/').filter_map(|step| step.split(':').next()).filter(|name| !name.is_empty());
        steps.fold(self.path.to_string(), |path, name| path + "/" + name)
    }

    fn fits(&self, list: &PlacedList) -> bool {
        let same = list.path == self.path && self.alignment.fits(list.alignment);
        same && (list.shape == self.shape || list.shape.likeness(&self.shape) >= ALIKE)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lists at {}", self.alignment, self.link_path())
    }
}

impl Lists {
    /// Draws the pages not drawn yet. One that cannot be drawn has no lists.
    pub async fn read<P: Pages>(&mut self, site: &Site<'_, P>, pages: &[UrlId]) -> Result<(), Stop> {
        let mut new: Vec<UrlId> = pages.iter().map(|&page| site.resolve(page)).collect();
        new.retain(|page| !self.of.contains_key(page) && site.seen(*page).is_some());
        new.sort_unstable();
        new.dedup();
        for batch in new.chunks(BATCH) {
            for (&page, layout) in batch.iter().zip(site.layouts(batch).await) {
                let lists = match layout {
                    Ok(layout) => placed(site, page, &layout),
                    Err(skipped) if skipped.reason == Reason::Interrupted => return Err(Stop::Interrupted),
                    Err(skipped) => {
                        self.failed = Some(skipped);
                        self.of.insert(page, Vec::new());
                        continue;
                    }
                };
                self.drawn += 1;
                self.of.insert(page, lists);
            }
        }
        Ok(())
    }

    /// Where on the page the link to the other stands: in the fullest list that has it, of equals the first.
    pub fn place(&self, page: UrlId, target: UrlId) -> Option<Place> {
        let mut best: Option<(usize, Place)> = None;
        for list in self.of.get(&page)? {
            let Some((_, step)) = list.links.iter().find(|(to, _)| *to == target) else { continue };
            if best.as_ref().is_none_or(|(links, _)| list.links.len() > *links) {
                let PlacedList { alignment, ref path, ref shape, ref links } = *list;
                let place = Place { alignment, path: path.clone(), shape: shape.clone(), step: step.clone() };
                best = Some((links.len(), place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// What the lists of the page have in this place.
    pub fn members(&self, page: UrlId, place: &Place) -> impl Iterator<Item = UrlId> {
        let lists = self.of.get(&page).into_iter().flatten().filter(|list| place.fits(list));
        let links = lists.flat_map(|list| &list.links);
        links.filter(|(_, step)| *step == place.step).map(|&(target, _)| target)
    }

    /// Why no page at all was drawn, though some should have been.
    pub fn why_none(&self) -> Option<&Skipped> {
        self.failed.as_ref().filter(|_| self.drawn == 0)
    }
}

/// Links that lead to pages the method may follow; a list without any is left out.
fn placed<P: Pages>(site: &Site<'_, P>, page: UrlId, layout: &Layout) -> Vec<PlacedList> {
    let own = site.url(page);
    let base = web_lists::base(layout).and_then(|base| own.join(base).ok()).unwrap_or_else(|| own.clone());
    let links = site.seen(page).map_or(&[][..], |seen| &seen.links);
    let known: FxHashMap<String, UrlId> =
        links.iter().map(|link| (key(&site.url(link.target)), site.resolve(link.target))).collect();
    let target = |href: &str| known.get(&key(&base.join(href.trim()).ok()?)).copied().filter(|&target| target != page);
    let lists = web_lists(layout).into_iter().map(|list| PlacedList {
        links: list.links.into_iter().filter_map(|link| Some((target(&link.href)?, link.step))).collect(),
        alignment: list.alignment,
        path: list.path,
        shape: list.shape,
    });
    lists.filter(|list| !list.links.is_empty()).collect()
}
