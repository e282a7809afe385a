//! Which classes do the pages looked at so far make? [`SiteState`] → [`State`]: patterns of all addresses, classes of the pages.
//!
//! Made anew after each round: what an address's pattern is, and which groups are one class, may change with every page. Patterns are
//! learned again only when a quarter more addresses are known.

use super::super::groups::Groups;
use super::super::merge::merge;
use super::super::path_generalisation::{PathGeneralisation, Placed};
use super::super::pattern::{Pattern, Relation};
use super::kept_apart;
use super::site_state::{SiteState, UrlId};
use crate::pages::Pages;
use rustc_hash::FxHashMap;

pub type PatternId = u32;

pub struct State {
    generalisation: PathGeneralisation,
    /// Addresses known when the generalisation were learned.
    learned_at: usize,
    pub patterns: Vec<Pattern>,
    /// By address.
    pub pattern_of: Vec<PatternId>,
    /// By pattern: whether its folders are categories of a tree.
    pub in_tree: Vec<bool>,
    pattern_ids: FxHashMap<Pattern, PatternId>,
    /// By page looked at.
    pub class_of: Vec<u32>,
    pub classes: usize,
    /// Pages looked at when the number of classes last grew.
    pub grown_at: usize,
}

impl State {
    pub fn of<P: Pages>(site: &SiteState<'_, P>, before: Option<State>) -> Self {
        let known = site.urls.len();
        let mut state = match before {
            Some(state) if known <= state.learned_at + state.learned_at / 4 => state,
            before => Self::learn(site, before.as_ref()),
        };
        state.place_new(site);
        state.classify(site);
        state
    }

    fn learn<P: Pages>(site: &SiteState<'_, P>, before: Option<&State>) -> Self {
        Self {
            generalisation: PathGeneralisation::learn(|| site.urls.iter().map(|known| known.shape.clone())),
            learned_at: site.urls.len(),
            patterns: Vec::new(),
            pattern_of: Vec::new(),
            in_tree: Vec::new(),
            pattern_ids: FxHashMap::default(),
            class_of: Vec::new(),
            classes: before.map_or(0, |state| state.classes),
            grown_at: before.map_or(0, |state| state.grown_at),
        }
    }

    fn place_new<P: Pages>(&mut self, site: &SiteState<'_, P>) {
        for known in &site.urls[self.pattern_of.len()..] {
            let Placed { pattern, in_tree, .. } = self.generalisation.placed(&known.shape);
            let next = self.patterns.len() as PatternId;
            let id = *self.pattern_ids.entry(pattern.clone()).or_insert(next);
            if id == next {
                self.patterns.push(pattern);
                self.in_tree.push(in_tree);
            }
            self.pattern_of.push(id);
        }
    }

    fn classify<P: Pages>(&mut self, site: &SiteState<'_, P>) {
        let mut groups = Groups::default();
        let shape = |id: UrlId| &site.urls[id as usize].shape;
        let group_of: Vec<u32> = site
            .looked
            .iter()
            .map(|page| groups.add(&page.tokens, self.generalisation.placed(shape(page.id))))
            .collect();
        let class_of_group = merge(&groups.groups);
        let mut class_of: Vec<u32> = group_of.into_iter().map(|group| class_of_group[group as usize]).collect();
        let classes = class_of_group.iter().max().map_or(0, |most| *most + 1);
        let classes = kept_apart::part(site, self, &mut class_of, classes) as usize;
        self.class_of = class_of;
        if classes > self.classes {
            self.grown_at = site.looked.len();
        }
        self.classes = classes;
    }

    pub fn relation(&self, a: PatternId, b: PatternId) -> Relation {
        self.patterns[a as usize].relation(&self.patterns[b as usize], self.in_tree[b as usize])
    }
}
