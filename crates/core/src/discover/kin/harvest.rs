//! Following what gives. Once much was looked at, a look changes little of what is believed of the site; so the further pages of lists that give,
//! and the pages those show in turn, are followed in the light of what was believed before, and only then is everything worked out anew. Work is so
//! in proportion to what looks show, not to what is known.

use super::arms::HOPE;
use super::frontier::{Ranked, Sources, at_once};
use super::state::UrlId;
use super::{JUDGED_AGAIN, Purpose, Search};
use crate::pages::Pages;
use crate::site::Stop;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Of the pages looked at, so many are followed before everything is worked out anew.
const FOLLOWED: usize = 20;

/// A page is asked for together with one that promises more, when it promises at least half as much.
const BESIDE: f64 = 0.5;

/// The page that promises most comes first.
struct ByPromise(Ranked);

impl Ord for ByPromise {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

impl PartialOrd for ByPromise {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ByPromise {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ByPromise {}

impl<P: Pages> Search<'_, P> {
    /// Pages that may be looked at before everything is worked out anew.
    pub(super) fn further_looks(&self) -> usize {
        let looked = self.state.looked.len();
        if looked > JUDGED_AGAIN { looked / FOLLOWED } else { 0 }
    }

    /// Looks at the sources, and at what gives beside and behind them.
    pub(super) async fn harvest(&mut self, mut sources: Sources) -> Result<(), Stop> {
        let (before, most) = (self.state.looked.len(), self.further_looks());
        let mut open: BinaryHeap<ByPromise> = std::mem::take(&mut sources.giving).into_iter().map(ByPromise).collect();
        let mut urls = std::mem::take(&mut sources.urls);
        let mut result = Ok(());
        while !urls.is_empty() && result.is_ok() {
            let (known, asked) = (self.state.urls.len(), self.state.asked.len());
            result = self.state.look(&urls).await;
            let left = most.saturating_sub(self.state.looked.len() - before);
            if left == 0 {
                break;
            }
            self.note_new(known, asked, &mut sources, &mut open);
            urls = self.next_giving(&sources, &mut open, left);
        }
        self.update();
        self.explain(Purpose::Source(sources.expected), before);
        if result.is_ok() {
            self.count_failures(&sources, before);
        }
        result
    }

    /// Takes in what the last looks showed: addresses from `known` on, pages from `asked` on.
    fn note_new(&mut self, known: usize, asked: usize, sources: &mut Sources, open: &mut BinaryHeap<ByPromise>) {
        self.guess(known);
        self.join_series(self.series_of.len());
        let frontier = &mut sources.frontier;
        frontier.yields.resize(self.state.looked.len(), 0.0);
        let new = known as UrlId..self.state.urls.len() as UrlId;
        for id in new.clone().filter(|&id| self.chance[id as usize] >= HOPE) {
            if let Some(first) = self.state.first(id) {
                frontier.yields[first] += 1.0;
            }
        }
        for &id in &self.state.asked[asked..] {
            self.note(&mut frontier.arms, id, &frontier.yields, &frontier.yields);
        }
        let new = new.filter(|&id| self.state.unseen(id) && !self.is_kin(id));
        let promising = new.map(|id| self.expected(id, frontier)).filter(|page| page.gives);
        open.extend(promising.map(ByPromise));
    }

    /// The pages that promise most by now, of those whose likes have shown kin.
    fn next_giving(&self, sources: &Sources, open: &mut BinaryHeap<ByPromise>, left: usize) -> Vec<UrlId> {
        let mut urls = Vec::new();
        let mut best: Option<Ranked> = None;
        while let Some(ByPromise(before)) = open.pop() {
            if !self.state.unseen(before.id) {
                continue;
            }
            let now = self.expected(before.id, &sources.frontier);
            let least = best.map_or(sources.floor, |best| best.expected * BESIDE);
            let most = best.map_or(usize::MAX, |best| at_once(best.streak).min(left));
            if urls.len() >= most || now.expected < least {
                if now.expected >= sources.floor {
                    open.push(ByPromise(now));
                }
                break;
            }
            // It promises less than it did: another may promise more by now.
            if now.expected < before.expected && open.peek().is_some_and(|next| next.0.order(&now) == Ordering::Greater)
            {
                open.push(ByPromise(now));
                continue;
            }
            best.get_or_insert(now);
            urls.push(now.id);
        }
        urls
    }
}
