//! What did pages reached alike show? An address's *arm* is its cell and a place it is linked from: pages reached alike tend to show alike.
//!
//! An arm is known by what its pages showed, the last ones most; an arm never tried by what its address promises ([`super::frontier`]).

use super::Search;
use super::frontier::steps_above;
use super::nodes::NodeId;
use super::state::{PlaceId, State, UrlId};
use crate::discover::Signal;
use crate::page::shape::Form;
use crate::pages::Pages;
use rustc_hash::FxHashMap;

/// Pages that are expected to show alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ArmKey {
    Cell(NodeId, PlaceId),
    /// The last part of the address, or the names of its parameters.
    Name(NodeId, u64),
    Outline(NodeId, Form, PlaceId),
    /// The further pages of one list, by the looked-at page they begin at.
    Series(usize),
    /// All kin: pages of one kind show alike.
    Kin,
}

/// Kin expected of a page, and how many looks that expectation is worth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Promise {
    pub kin: f64,
    pub looks: f64,
}

/// What the pages of an arm showed.
#[derive(Default)]
pub(super) struct Arm {
    /// Up to the last page that showed something: what was shown, and how many pages that is, older ones faded.
    sum: f64,
    weight: f64,
    /// What the pages since then showed: less than half a page of the kind each.
    empty: Vec<f64>,
    looks: usize,
    /// How many of the last looks in a row showed something.
    pub streak: usize,
    pub gives: bool,
    /// Addresses that did not answer: they say nothing of what those that answer show.
    pub dead: f64,
}

/// That addresses of an arm answer counts as half a look before any was asked for.
const HALF_A_LOOK: f64 = 0.5;

/// An older look counts so much less than the one after it.
const FADING: f64 = 0.85;

/// The odds given to an arm of not being used up.
const ODDS: f64 = 4.0;

/// What is shown one step further on counts so much less.
const STEP: f64 = 0.5;

/// A page that shows less has shown nothing.
pub(super) const SHOWN: f64 = 0.5;

/// An address that may be of the kind counts as shown: what it is can be told later.
pub(super) const HOPE: f32 = 0.4;

impl Arm {
    fn note(&mut self, shown: f64) {
        self.looks += 1;
        self.empty.push(shown);
        if shown < SHOWN {
            self.streak = 0;
            return;
        }
        for shown in self.empty.drain(..) {
            self.sum = self.sum * FADING + shown;
            self.weight = self.weight * FADING + 1.0;
        }
        self.streak += 1;
        self.gives = true;
    }

    /// What the pages of the arm showed on average, times the chance that the arm is not used up: each look that showed
    /// nothing speaks for that, the more so the more was usual.
    pub fn expected(&self, promise: Promise) -> f64 {
        let usual = (promise.kin * promise.looks + self.sum) / (promise.looks + self.weight);
        let odds = ODDS * (-usual.min(1.0) * self.empty.len() as f64).exp();
        let alive = self.looks as f64 + HALF_A_LOOK;
        usual * odds / (1.0 + odds) * alive / (alive + self.dead)
    }
}

impl<P: Pages> Search<'_, P> {
    /// For each looked-at page: how many kin it was the first to show.
    pub(super) fn yields(&self) -> Vec<f64> {
        let mut yields = vec![0.0; self.state.looked.len()];
        for (id, known) in self.state.urls.iter().enumerate() {
            if let Some(first) = self.state.first(id as UrlId).filter(|_| !known.mapped) {
                yields[first] += f64::from(u8::from(self.chance[id] >= HOPE));
            }
        }
        yields
    }

    /// What each looked-at page led to: the kin it was the first to show, and half of what the pages it was the first to show led to. So
    /// a page that shows lists is known for it.
    fn led_to(&self, yields: &[f64]) -> Vec<f64> {
        let mut led = yields.to_vec();
        for place in (0..led.len()).rev() {
            let id = self.state.looked[place].id;
            if let Some(first) = self.state.first(id).filter(|&first| first < place && !self.is_kin(id)) {
                led[first] += STEP * led[place];
            }
        }
        led
    }

    pub(super) fn arms(&self, yields: &[f64]) -> FxHashMap<ArmKey, Arm> {
        let mut arms: FxHashMap<ArmKey, Arm> = FxHashMap::default();
        let led = self.led_to(yields);
        for &asked in &self.state.asked {
            self.note(&mut arms, asked, yields, &led);
        }
        arms
    }

    /// Adds to the arms of an address what was asked for there showed; `led`: with half of what it led to.
    pub(super) fn note(&self, arms: &mut FxHashMap<ArmKey, Arm>, asked: UrlId, yields: &[f64], led: &[f64]) {
        if !self.uses(Signal::Yields) {
            return;
        }
        let id = self.state.resolve(asked);
        let State::Looked(place) = self.state.states[id as usize] else {
            let [own, _, alike] = self.arm_keys(asked);
            for key in own.into_iter().chain(alike) {
                arms.entry(key).or_default().dead += 1.0;
            }
            return;
        };
        let page = &self.state.looked[place];
        // That the address above the sample lists kin says nothing of the pages beside it in the menu.
        let shape = &self.state.urls[page.id as usize].shape;
        if self.samples.iter().any(|&sample| steps_above(shape, &self.state.urls[sample as usize].shape).is_some()) {
            return;
        }
        let series = self.series(page.id).unwrap_or(place);
        arms.entry(ArmKey::Series(series)).or_default().note(yields[place]);
        for key in self.arm_keys(page.id).into_iter().flatten() {
            let shown = match key {
                ArmKey::Kin => yields[place],
                ArmKey::Name(..) => led[place].max(self.relevance(place, yields)),
                _ => led[place],
            };
            arms.entry(key).or_default().note(shown);
        }
    }

    /// The looked-at page, not of the kind, that offers this address as one of its further pages.
    fn offered_by(&self, id: UrlId) -> Option<usize> {
        let of = self.state.urls[id as usize].pager_of?;
        (!self.is_kin(self.state.looked[of].id)).then_some(of)
    }

    /// The first page of the list that this address is a further page of.
    pub(super) fn series(&self, id: UrlId) -> Option<usize> {
        let by = self.offered_by(id)?;
        Some(self.series_of.get(by).copied().unwrap_or(by))
    }

    /// Works out, for the pages looked at from here on, the first page of the list that each is a page of.
    pub(super) fn join_series(&mut self, from: usize) {
        self.series_of.truncate(from);
        for page in from..self.state.looked.len() {
            let before = self.offered_by(self.state.looked[page].id).filter(|&by| by < page);
            self.series_of.push(before.map_or(page, |by| self.series_of[by]));
        }
    }

    /// A page in a folder above a sample's shows little that is new, because the search began below it. What it would have shown to
    /// somebody who came from elsewhere tells what its likes in other folders will show.
    fn relevance(&self, place: usize, yields: &[f64]) -> f64 {
        let folders = &self.state.urls[self.state.looked[place].id as usize].shape.folders;
        let above = self.samples.iter().any(|&sample| {
            let below = &self.state.urls[sample as usize].shape.folders;
            folders.len() < below.len() && below.starts_with(folders)
        });
        if !above {
            return 0.0;
        }
        let gives = |id: &UrlId| match self.state.states[*id as usize] {
            State::Looked(page) => yields[page] >= 3.0,
            _ => false,
        };
        let links = &self.state.looked[place].links;
        let relevant = links.iter().filter(|(id, _)| self.is_kin(*id) || gives(id)).count();
        if relevant >= 3 { 0.5 * relevant as f64 } else { 0.0 }
    }

    /// The arms of an address's own cell.
    pub(super) fn each_own_arm(&self, id: UrlId, mut each: impl FnMut(ArmKey)) {
        if self.is_kin(id) {
            return each(ArmKey::Kin);
        }
        let cell = self.state.cell(id);
        self.state.urls[id as usize].places.iter().for_each(|&at| each(ArmKey::Cell(cell, at)));
    }

    /// The arms an address belongs to: first those of its own cell, then pages of its name in other folders, then of its outline.
    pub(super) fn arm_keys(&self, id: UrlId) -> [Vec<ArmKey>; 3] {
        let mut own = Vec::new();
        self.each_own_arm(id, |key| own.push(key));
        if self.is_kin(id) {
            return [own, Vec::new(), Vec::new()];
        }
        let known = &self.state.urls[id as usize];
        let outline = self.state.outline(id);
        let form = Form::of(&known.shape.last);
        let alike = known.places.iter().map(|&at| ArmKey::Outline(outline, form, at)).collect();
        // Parameters mean the same all over a site, folders and last parts within their outline.
        let scope = if known.shape.parameters.is_empty() { outline } else { NodeId::MAX };
        [own, vec![ArmKey::Name(scope, known.name)], alike]
    }
}
