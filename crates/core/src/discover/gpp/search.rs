//! What is the next path from the main page to the sample whose links stand in web lists? Breadth first, page by page.
//!
//! - [`Search`]: what was looked at on the way; goes on where it was for the next path.
//!
//! Only pages on a path that may do are drawn: a link that turns out to stand in no list is struck out, and the next path is tried.

use super::lists::Lists;
use crate::pages::Pages;
use crate::site::{Site, Stop, UrlId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Pages looked at in search of paths to one sample. Set by hand, so that a sample that no path leads to does not cost the whole site.
const LOOKS: usize = 500;

pub struct Search {
    main: UrlId,
    sample: UrlId,
    /// Pages looked at, and those to be looked at next.
    looked: FxHashSet<UrlId>,
    queue: VecDeque<UrlId>,
    queued: FxHashSet<UrlId>,
    /// Pages looked at that link to the sample.
    pointing: Vec<UrlId>,
    /// Links that stand in no list.
    struck: FxHashSet<(UrlId, UrlId)>,
    /// Pages whose lists were read already when the sample was found on them: a path through them is no other one.
    pub used: FxHashSet<UrlId>,
}

impl Search {
    pub fn new(main: UrlId, sample: UrlId) -> Self {
        Self {
            main,
            sample,
            looked: FxHashSet::default(),
            queue: VecDeque::from([main]),
            // A path does not lead on through the sample.
            queued: FxHashSet::from_iter([main, sample]),
            pointing: Vec::new(),
            struck: FxHashSet::default(),
            used: FxHashSet::default(),
        }
    }

    /// From the main page to the sample, both included.
    pub async fn next_path<P: Pages>(
        &mut self,
        site: &mut Site<'_, P>,
        lists: &mut Lists,
    ) -> Result<Option<Vec<UrlId>>, Stop> {
        loop {
            while let Some(path) = self.shortest(site) {
                lists.read(site, &path[..path.len() - 1]).await?;
                let unlisted = path.windows(2).find(|link| lists.place(link[0], link[1]).is_none());
                match unlisted {
                    Some(link) => self.struck.insert((link[0], link[1])),
                    None => return Ok(Some(path)),
                };
            }
            if !self.look_at_next(site).await? {
                return Ok(None);
            }
        }
    }

    /// False when there is no further page to look at.
    async fn look_at_next<P: Pages>(&mut self, site: &mut Site<'_, P>) -> Result<bool, Stop> {
        while self.looked.len() < LOOKS {
            let Some(next) = self.queue.pop_front() else { return Ok(false) };
            site.look(&[next]).await?;
            let page = site.resolve(next);
            if site.seen(page).is_none() || !self.looked.insert(page) {
                continue;
            }
            for link in site.links(page) {
                if link.target == self.sample && !self.pointing.contains(&page) {
                    self.pointing.push(page);
                }
                if self.queued.insert(link.target) {
                    self.queue.push_back(link.target);
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Among the pages looked at, along links that may stand in lists; of equally short paths that of the links that come first.
    fn shortest<P: Pages>(&self, site: &Site<'_, P>) -> Option<Vec<UrlId>> {
        let open = |page: &UrlId| !self.used.contains(page) && !self.struck.contains(&(*page, self.sample));
        if !self.pointing.iter().any(open) {
            return None;
        }
        let mut before: FxHashMap<UrlId, UrlId> = FxHashMap::default();
        let mut queue = VecDeque::from([self.main]);
        while let Some(page) = queue.pop_front() {
            if self.pointing.contains(&page) && open(&page) {
                return Some(self.way(&before, page));
            }
            for link in site.links(page).filter(|link| self.looked.contains(&link.target)) {
                let new = link.target != self.main && !before.contains_key(&link.target);
                if new && link.target != self.sample && !self.struck.contains(&(page, link.target)) {
                    before.insert(link.target, page);
                    queue.push_back(link.target);
                }
            }
        }
        None
    }

    fn way(&self, before: &FxHashMap<UrlId, UrlId>, last: UrlId) -> Vec<UrlId> {
        let mut way = vec![self.sample, last];
        let mut at = last;
        while let Some(&page) = before.get(&at) {
            way.push(page);
            at = page;
        }
        way.reverse();
        way
    }

    /// Why there is none, for the explanation.
    pub fn lines<P: Pages>(&self, site: &Site<'_, P>) -> Vec<String> {
        let looked = self.looked.len();
        let mut lines = vec![format!(
            "{looked} pages looked at from `{}`, {} of them link to the sample",
            site.url(self.main),
            self.pointing.len()
        )];
        let struck = self.struck.len();
        if struck > 0 {
            lines.push(format!("{struck} links on the way stand in no web list"));
        }
        if looked >= LOOKS {
            lines.push("the search went as far as it may".to_owned());
        }
        lines
    }
}
