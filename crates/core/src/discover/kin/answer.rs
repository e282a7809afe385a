//! What was found, in the form it is handed over: entity pages, index pages, pages left out, each with its reason.

use super::state::{State, UrlId};
use super::{Purpose, Search, Settings};
use crate::complete::estimate;
use crate::complete::fitted::Fitted;
use crate::discover::{Discovery, Dropped, Entity, Index, Step};
use crate::pages::Pages;
use crate::site::Stop;
use rustc_hash::FxHashSet;
use url::Url;

/// The chance that a page like the sample is meant though the ladder's default leaves it out.
const OTHER_RUNG: f32 = 0.3;

/// All pages found: how many, and their mean log-odds.
pub struct Found {
    pages: f64,
    odds: f64,
}

/// What a page's confidence is worked out from, the bias last.
pub const CONFIDENCE: usize = 5;

impl<P: Pages> Search<'_, P> {
    /// A chance is right within one search, but a search may be wrong as a whole; how often, and how much it is then too sure, was fitted on
    /// other sites.
    pub(super) fn confidence(&self, id: UrlId, found: &Found) -> [f64; CONFIDENCE] {
        let looked = f64::from(u8::from(self.looked_at(id).is_some()));
        [self.clear_odds(id), found.odds, looked, found.pages.ln() / 4.0, 1.0]
    }

    pub(super) fn all_found(&self, pages: &[UrlId]) -> Found {
        let odds = pages.iter().map(|&id| self.clear_odds(id)).sum::<f64>() / pages.len().max(1) as f64;
        Found { pages: pages.len().max(1) as f64, odds }
    }

    fn clear_odds(&self, id: UrlId) -> f64 {
        let chance = f64::from(self.chance[id as usize]).clamp(0.01, 0.99);
        (chance / (1.0 - chance)).ln()
    }

    pub(super) fn answer(mut self, samples: &[Url], settings: &Settings, stopped: Option<Stop>) -> Discovery {
        let (rungs, default) = self.ladder();
        let rung = settings.rung.of(default, rungs.len());
        let indexes = self.indexes();
        // What the chosen rung leaves out on purpose is not missing.
        let left_out = self.left_out();
        self.leave_out(&rungs[rung].1);
        let pages = |at: usize| rungs.get(at).map_or(rungs[rung].1.len(), |(_, pages)| pages.len());
        let beside = (rung.checked_sub(1).map_or(pages(rung), pages), pages(rung + 1));
        let mut evidence = self.evidence_of_all(stopped == Some(Stop::Budget), Some(beside));
        evidence.left_out = left_out;
        let completeness = estimate(&evidence, &Fitted::shipped());
        let found = self.all_found(&rungs[rung].1);
        let ladder = rungs.into_iter().map(|(rung, _)| rung).collect();
        self.state.forget_shapes();
        let kin = self.found();
        let mut entities: Vec<Entity> = Vec::with_capacity(kin);
        let mut dropped = Vec::new();
        let mut taken = FxHashSet::default();
        for (id, known) in self.state.urls.iter().enumerate() {
            let chance = f64::from(self.chance[id]);
            if chance >= 0.5 {
                let to = self.state.resolve(id as UrlId);
                if !taken.insert(to) {
                    continue;
                }
                let via = self
                    .state
                    .first(id as UrlId)
                    .map(|page| self.state.urls[self.state.looked[page].id as usize].url.clone());
                let url = self.state.urls[to as usize].url.clone();
                let confidence = match self.samples.contains(&to) {
                    true => 1.0,
                    false => self.params.confidence(&self.confidence(to, &found)),
                };
                entities.push(Entity {
                    url,
                    confidence: (confidence * 1000.0).round() / 1000.0,
                    via,
                    evidence: self.evidence(id as UrlId),
                });
            } else if chance > 0.05 || matches!(self.state.states[id], State::Looked(_)) {
                dropped.push(Dropped { url: known.url.clone(), why: self.evidence(id as UrlId) });
            }
        }
        entities.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        dropped.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        let mut skipped = self.state.skipped;
        skipped.extend(self.state.address_budget.skipped());
        skipped.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        Discovery {
            method: settings.method,
            samples: samples.to_vec(),
            entities,
            indexes,
            dropped,
            skipped,
            steps: self.steps,
            downloads: self.state.downloads,
            addresses: self.state.urls.len(),
            ladder,
            rung,
            evidence: Some(evidence),
            completeness: Some(completeness),
            stopped,
        }
    }

    /// Pages like the sample that the chosen rung does not hold.
    fn leave_out(&mut self, kept: &[UrlId]) {
        for id in 0..self.state.urls.len() as UrlId {
            let to = self.state.resolve(id);
            let chance = &mut self.chance[id as usize];
            if *chance >= 0.5 && kept.binary_search(&to).is_err() && !self.samples.contains(&to) {
                *chance = OTHER_RUNG;
            }
        }
    }

    fn evidence(&self, id: UrlId) -> String {
        let chance = self.chance[id as usize];
        match self.looked_at(id) {
            Some(page) => format!("looked at: content {:+.1}, in all {:.0} %", self.content[page], 100.0 * chance),
            None => format!("by address and lists: {:.0} %", 100.0 * chance),
        }
    }

    /// The pages that showed kin first, each below the page that showed it.
    fn indexes(&self) -> Vec<Index> {
        let yields = self.yields();
        let url_of = |place: usize| self.state.urls[self.state.looked[place].id as usize].url.clone();
        let mut indexes: Vec<Index> = Vec::new();
        for place in (0..self.state.looked.len())
            .filter(|&place| yields[place] >= 1.0 && !self.is_kin(self.state.looked[place].id))
        {
            let above = self.lister(place);
            indexes.push(Index {
                url: url_of(place),
                level: std::iter::successors(above, |&at| self.lister(at)).count(),
                parent: above.map(url_of),
                evidence: format!("the first to show {:.0} of them", yields[place]),
            });
        }
        indexes.sort_by(|a, b| a.level.cmp(&b.level).then_with(|| a.url.as_str().cmp(b.url.as_str())));
        indexes
    }

    /// The looked-at page that showed this one first, if it is not kin itself.
    fn lister(&self, place: usize) -> Option<usize> {
        let first = self.state.first(self.state.looked[place].id)?;
        (!self.is_kin(self.state.looked[first].id) && first < place).then_some(first)
    }

    /// Writes down what was asked for since `before`, why, and what it was.
    pub(super) fn explain(&mut self, purpose: Purpose, before: usize) {
        let yields = self.yields();
        for (place, shown) in yields.iter().enumerate().skip(before) {
            let page = &self.state.looked[place];
            let why = match purpose {
                Purpose::Guide => "to learn what surrounds the sample".to_owned(),
                Purpose::Verify(worth) => format!("because it settles others (worth {worth:.1})"),
                Purpose::Source(expected) => format!("because it may show {expected:.1} new ones"),
            };
            let is = format!(
                "is of the sample's kind with {:.0} % (content {:+.1})",
                100.0 * self.chance[page.id as usize],
                self.content[place]
            );
            let step = Step {
                title: format!("asked for {} {why}", self.state.urls[page.id as usize].url),
                lines: vec![format!("it {is}, and was the first to show {shown:.0} addresses of that kind")],
            };
            self.steps.push(step);
        }
    }
}
