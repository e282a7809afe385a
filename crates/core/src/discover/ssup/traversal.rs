//! Which pages stand at the sample's level of the entity tree? A page path → level by level the pages like the path's
//! page of that level (SSUP 2019 section 4.3; SSUP 2014 algorithm 4, lines 13 to 23).
//!
//! - [`Traversal`]: one walk from the root to the leaves. - [`Member`]: a page of a level, and why it is one.
//!
//! What the papers leave open: the weights at a level are taken over all index pages of that level. The papers' "add to
//! IP" would return index pages as entities, so each level replaces the one before. SSUP 2014 asks for pagination while
//! `i < h - 2`, which would leave out the level its own figure 1 shows it on; here every level of index pages below the
//! root gets it. Index pages that lead to no page of the next level are noise and are not shown in the tree.

use super::collections::Collections;
use super::filter::{Candidate, Filtered, HtmlSimilarity, filter};
use super::ledger::Ledger;
use super::notes::{confidence, taken};
use super::page_path::PagePath;
use super::pagination::{Continuation, pagination};
use crate::page::PathId;
use crate::pages::Pages;
use crate::site::{Site, Stop, UrlId};
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Traversal<'t, 'p, P> {
    pub site: &'t mut Site<'p, P>,
    pub ledger: &'t mut Ledger,
    pub path: &'t PagePath,
    /// Whether continuation pages are looked for (2014).
    pub paginate: bool,
    /// Once set, the walk goes on with what was looked at before.
    pub stopped: Option<Stop>,
}

pub(super) struct Member {
    pub page: UrlId,
    /// The index page one level up that points to it, the first of several.
    pub parent: Option<UrlId>,
    pub confidence: f64,
    pub evidence: String,
}

/// HTML similarity with the sample of a level, looking at pages as asked.
struct WithSample<'t, 'p, P> {
    site: &'t mut Site<'p, P>,
    sample: UrlId,
}

impl<P: Pages> HtmlSimilarity for WithSample<'_, '_, P> {
    async fn of(&mut self, pages: &[UrlId]) -> Result<Vec<Option<f64>>, Stop> {
        self.site.look(pages).await?;
        Ok(pages.iter().map(|&page| self.site.html_similarity(page, self.sample)).collect())
    }
}

impl<P: Pages> Traversal<'_, '_, P> {
    pub async fn run(&mut self) {
        let Some(&score) = self.path.scores.first() else { return };
        let evidence = format!("the root of the page path, index_score {score:.2}");
        let mut members = vec![Member { page: self.path.pages[0], parent: None, confidence: 1.0, evidence }];
        let mut levels: Vec<Vec<Member>> = Vec::new();
        for depth in 0..self.path.down.len() {
            let pages: Vec<UrlId> = members.iter().map(|member| member.page).collect();
            self.look(&pages).await;
            let level = self.settle(members);
            members = self.next_level(&level, depth).await;
            if self.paginate && depth + 1 < self.path.down.len() {
                self.add_continuations(&mut members, depth + 1).await;
            }
            levels.push(level);
        }
        self.note_entities(&members);
        self.note_indexes(levels, &members);
    }

    async fn look(&mut self, pages: &[UrlId]) {
        let stopped = self.site.look(pages).await.err();
        self.stopped = self.stopped.or(stopped);
    }

    /// Index pages must be pages, each once, after redirects.
    fn settle(&self, mut members: Vec<Member>) -> Vec<Member> {
        let mut known = FxHashSet::default();
        members.iter_mut().for_each(|member| member.page = self.site.resolve(member.page));
        members.retain(|member| self.site.seen(member.page).is_some() && known.insert(member.page));
        members
    }

    /// The pages these index pages point to that are like the path's page of the next level; that page first.
    async fn next_level(&mut self, level: &[Member], depth: usize) -> Vec<Member> {
        let (sample, path) = (self.path.pages[depth + 1], self.path.down[depth]);
        let pages: Vec<UrlId> = level.iter().map(|member| member.page).collect();
        let collections = Collections::of(self.site, &pages);
        let weights = collections.weights(self.site, sample, path);
        let under = collections.under(path).iter().copied().filter(|&page| page != sample);
        let candidates: Vec<Candidate> =
            under.map(|page| Candidate { page, similarity: weights.similarity(self.site.terms(page)) }).collect();
        self.drop_others(&collections, path);
        let filtered = filter(candidates, &mut WithSample { site: self.site, sample }).await;
        self.stopped = self.stopped.or(filtered.stopped);
        self.explain_level(depth, &pages, &collections, &filtered);
        self.drop_groups(&filtered);
        self.members(&pages, depth, &filtered)
    }

    fn members(&self, pages: &[UrlId], depth: usize, filtered: &Filtered) -> Vec<Member> {
        let (sample, path) = (self.path.pages[depth + 1], self.path.down[depth]);
        let parents = parents(self.site, pages, path);
        let evidence = match self.path.scores.get(depth + 1) {
            Some(score) => format!("in the page path, index_score {score:.2}"),
            None => "the sample".to_owned(),
        };
        let parent = Some(self.path.pages[depth]);
        let mut members = vec![Member { page: sample, parent, confidence: 1.0, evidence }];
        let mut known = FxHashSet::from_iter([sample]);
        for (place, group, page, html) in filtered.kept() {
            let page = self.site.resolve(page);
            if known.insert(page) {
                let (confidence, evidence) =
                    (confidence(html, filtered.threshold), taken(filtered, place, group, html));
                members.push(Member { page, parent: parents.get(&page).copied(), confidence, evidence });
            }
        }
        members
    }

    /// Pages that go on with index pages of this level (algorithm 3), as children of the same parents.
    async fn add_continuations(&mut self, members: &mut Vec<Member>, depth: usize) {
        let pages: Vec<UrlId> = members.iter().map(|member| member.page).collect();
        self.look(&pages).await;
        *members = self.settle(std::mem::take(members));
        let pages: Vec<UrlId> = members.iter().map(|member| member.page).collect();
        let (sample, next_sample) = (self.path.pages[depth], self.path.pages[depth + 1]);
        match pagination(self.site, &pages, sample, next_sample).await {
            Ok(groups) => {
                self.explain_continuations(&groups, sample);
                self.take_continuations(members, &groups);
            }
            Err(stop) => self.stopped = self.stopped.or(Some(stop)),
        }
    }

    fn take_continuations(&self, members: &mut Vec<Member>, groups: &[Continuation]) {
        let mut parents: FxHashMap<UrlId, Option<UrlId>> = FxHashMap::default();
        for member in members.iter() {
            for link in self.site.links(member.page) {
                parents.entry(link.target).or_insert(member.parent);
            }
        }
        let mut known: FxHashSet<UrlId> = members.iter().map(|member| member.page).collect();
        for group in groups.iter().filter(|group| group.is_taken()) {
            let Some((own, next)) = group.html else { continue };
            let evidence =
                format!("goes on with an index page: HTML similarity {own:.2} to this level, {next:.2} to the next");
            for page in group.pages.iter().map(|&page| self.site.resolve(page)).filter(|&page| known.insert(page)) {
                let parent = parents.get(&page).copied().flatten();
                members.push(Member { page, parent, confidence: 1.0, evidence: evidence.clone() });
            }
        }
    }
}

/// For each page under the link-path, the first of these index pages that points to it.
fn parents<P: Pages>(site: &Site<P>, pages: &[UrlId], path: PathId) -> FxHashMap<UrlId, UrlId> {
    let mut parents = FxHashMap::default();
    for &page in pages {
        for link in site.links(page).filter(|link| link.path == path) {
            parents.entry(link.target).or_insert(page);
        }
    }
    parents
}
