//! What was found, in the form it is handed over: entity pages, index pages, pages left out, each with its reason.

use super::label::Label;
use super::memory::{State, UrlId};
use super::{Asked, Search, Settings};
use crate::discover::{Discovery, Dropped, Entity, Index, Step};
use crate::pages::Pages;
use crate::site::Stop;
use rustc_hash::FxHashSet;
use url::Url;

impl<P: Pages> Search<'_, P> {
    pub(super) fn answer(mut self, samples: &[Url], settings: &Settings, stopped: Option<Stop>) -> Discovery {
        let indexes = self.indexes();
        self.memory.forget_shapes();
        let kin = self.decisions.iter().filter(|decision| decision.is_kin()).count();
        let mut entities: Vec<Entity> = Vec::with_capacity(kin);
        let mut dropped = Vec::new();
        let mut taken = FxHashSet::default();
        for (id, known) in self.memory.urls.iter().enumerate() {
            let decision = self.decisions[id];
            if decision.is_kin() {
                let to = self.memory.resolve(id as UrlId);
                if !taken.insert(to) {
                    continue;
                }
                let via = self
                    .memory
                    .first(id as UrlId)
                    .map(|page| self.memory.urls[self.memory.looked[page].id as usize].url.clone());
                let url = self.memory.urls[to as usize].url.clone();
                entities.push(Entity {
                    url,
                    confidence: (decision.likely as f64 * 1000.0).round() / 1000.0,
                    via,
                    evidence: self.evidence(id as UrlId),
                });
            } else if decision.likely > 0.05 || matches!(self.memory.states[id], State::Looked(_)) {
                dropped.push(Dropped { url: known.url.clone(), why: self.evidence(id as UrlId) });
            }
        }
        entities.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        dropped.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        let mut skipped = self.memory.skipped;
        skipped.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
        Discovery {
            method: settings.method,
            samples: samples.to_vec(),
            entities,
            indexes,
            dropped,
            skipped,
            steps: self.steps,
            downloads: self.memory.downloads,
            addresses: self.memory.urls.len(),
            stopped,
        }
    }

    fn evidence(&self, id: UrlId) -> String {
        let cell = &self.cells.cells[self.cells.of_url[id as usize] as usize];
        ["addresses like /", &cell.name, ": ", self.decisions[id as usize].why()].concat()
    }

    /// The pages that showed kin first, each below the page that showed it.
    fn indexes(&self) -> Vec<Index> {
        let yields = self.yields();
        let url_of = |place: usize| self.memory.urls[self.memory.looked[place].id as usize].url.clone();
        let mut indexes: Vec<Index> = Vec::new();
        for place in
            (0..self.memory.looked.len()).filter(|&place| yields[place] >= 1.0 && self.labels[place] != Label::Kin)
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
        let first = self.memory.first(self.memory.looked[place].id)?;
        (self.labels[first] != Label::Kin && first < place).then_some(first)
    }

    /// Writes down what was asked for since `before`, why, and what it was.
    pub(super) fn explain(&mut self, asked: Asked, before: usize) {
        let yields = self.yields();
        for (place, shown) in yields.iter().enumerate().skip(before) {
            let page = &self.memory.looked[place];
            let why = match asked {
                Asked::Guide => "to learn what surrounds the sample".to_owned(),
                Asked::Verify => {
                    format!(
                        "to verify addresses like /{}",
                        self.cells.cells[self.cells.of_url[page.id as usize] as usize].name
                    )
                }
                Asked::Source(expected) => format!("because it may show {expected:.1} new ones"),
            };
            let is = match self.labels[place] {
                Label::Kin => "is of the sample's kind",
                Label::Unsure => "resembles the sample's kind",
                Label::Other => "is of another kind",
            };
            let step = Step {
                title: format!("asked for {} {why}", self.memory.urls[page.id as usize].url),
                lines: vec![format!("it {is}, and was the first to show {shown:.0} addresses of that kind")],
            };
            self.steps.push(step);
        }
    }
}
