//! Which paths are parallel to this one? A path → level by level what stands in the same places; the last level are results.

use super::lists::{Lists, Place};
use crate::discover::ssup::ledger::{Found, Grouping, Ledger, counted};
use crate::page::PathId;
use crate::pages::Pages;
use crate::site::{Site, Stop, UrlId};
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Growth<'t, 'p, P> {
    pub site: &'t mut Site<'p, P>,
    pub lists: &'t mut Lists,
    pub ledger: &'t mut Ledger,
    pub round: usize,
}

/// A page, and the page of the level above whose list has it.
#[derive(Clone, Copy)]
struct Member {
    page: UrlId,
    via: Option<UrlId>,
}

impl<P: Pages> Growth<'_, '_, P> {
    /// Gives the pages whose lists showed the sample: it need not be found through them again.
    pub async fn run(&mut self, path: &[UrlId]) -> Result<Vec<UrlId>, Stop> {
        let mut lines = Vec::new();
        let mut level = vec![Member { page: path[0], via: None }];
        let mut above: FxHashSet<UrlId> = FxHashSet::default();
        let (mut stopped, mut used) = (Ok(()), Vec::new());
        for (depth, link) in path.windows(2).enumerate() {
            let Some(place) = self.lists.place(link[0], link[1]) else { break };
            above.extend(level.iter().map(|member| member.page));
            stopped = self.draw(&level, &place).await;
            let members = self.members(&level, &place, &above);
            let (pages, found) = (counted(level.len(), "page"), members.len());
            lines.push(format!("{pages}: {found} in {place}"));
            self.note_indexes(&level, &members, depth);
            let last = depth + 2 == path.len();
            if last {
                self.note_entities(&members);
                used = self.showing(link[1], &level, &place);
            }
            if stopped.is_err() {
                break;
            }
            level = members;
        }
        let way: Vec<String> = path.iter().map(|&page| self.site.url(page).to_string()).collect();
        self.ledger.step(format!("round {}: paths like {}", self.round, way.join(" -> ")), lines);
        stopped.map(|()| used)
    }

    fn showing(&self, sample: UrlId, level: &[Member], place: &Place) -> Vec<UrlId> {
        let pages = level.iter().map(|member| self.site.resolve(member.page));
        pages
            .filter(|&page| self.lists.members(page, place).any(|target| self.site.resolve(target) == sample))
            .collect()
    }

    /// Looks at the pages, and draws those that have links of this path at all.
    async fn draw(&mut self, level: &[Member], place: &Place) -> Result<(), Stop> {
        let pages: Vec<UrlId> = level.iter().map(|member| member.page).collect();
        let stopped = self.site.look(&pages).await;
        let wanted = place.link_path();
        let mut known: FxHashMap<PathId, bool> = FxHashMap::default();
        let mut is_wanted = |path: PathId| *known.entry(path).or_insert_with(|| self.site.show_path(path) == wanted);
        let with_links = pages.into_iter().filter(|&page| self.site.links(page).any(|link| is_wanted(link.path)));
        let with_links: Vec<UrlId> = with_links.collect();
        self.lists.read(self.site, &with_links).await?;
        stopped
    }

    /// Each once, and none of the levels above.
    fn members(&self, level: &[Member], place: &Place, above: &FxHashSet<UrlId>) -> Vec<Member> {
        let mut known = FxHashSet::default();
        let mut members = Vec::new();
        for via in level.iter().map(|member| self.site.resolve(member.page)) {
            let targets = self.lists.members(via, place).map(|target| self.site.resolve(target));
            let new = targets.filter(|target| !above.contains(target) && known.insert(*target));
            members.extend(new.map(|page| Member { page, via: Some(via) }));
        }
        members
    }

    fn note_indexes(&mut self, level: &[Member], members: &[Member], depth: usize) {
        let leads: FxHashSet<UrlId> = members.iter().filter_map(|member| member.via).collect();
        for member in level {
            if leads.contains(&self.site.resolve(member.page)) {
                let evidence = format!("round {}: has a list in the place of the path's", self.round).into();
                self.ledger.index(member.page, Grouping { level: depth, parent: member.via, evidence });
            } else {
                self.ledger.drop(member.page, "beside an index page, but has no list in the place of the path's");
            }
        }
    }

    fn note_entities(&mut self, members: &[Member]) {
        for member in members {
            let evidence = format!("round {}: in a list in the place of the sample's", self.round).into();
            self.ledger.entity(member.page, Found { confidence: 1.0, via: member.via, evidence });
        }
    }
}
