//! Which page would a person have to be shown? The one whose answer changes most of the result.
//!
//! A page of the largest group in doubt, or one that the next narrower answer would leave out, or that the next wider one would add. A
//! yes makes the page a sample, a no a page of another kind, and the search goes on.

use super::nodes::NodeId;
use super::state::UrlId;
use super::{Purpose, Search};
use crate::pages::Pages;
use crate::site::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

/// Pages in doubt that make a question worth asking.
const WORTH: f64 = 1.0;

/// The chance that the default of the ladder is not the one meant.
const OTHER_RUNG: f64 = 0.25;

impl<P: Pages> Search<'_, P> {
    /// Asks one question if there is one left and it matters. False when not.
    pub(super) async fn ask(&mut self) -> Result<bool, Stop> {
        let Some(questions) = self.questions.clone().filter(|questions| self.questioned.len() < questions.most) else {
            return Ok(false);
        };
        let Some(id) = self.question() else { return Ok(false) };
        self.questioned.insert(id);
        self.look(&[id], Purpose::Guide).await?;
        let to = self.state.resolve(id);
        self.questioned.insert(to);
        if self.looked_at(to).is_some() {
            match (questions.answer)(&self.state.urls[to as usize].url) {
                Some(true) => self.samples.push(to),
                Some(false) => self.not.push(to),
                None => {}
            }
            self.priors_at = 0;
            self.update();
        }
        Ok(true)
    }

    /// The page to ask about.
    fn question(&self) -> Option<UrlId> {
        let in_doubt = self.largest_doubt();
        let between = self.between_rungs();
        let best = [in_doubt, between].into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
        (best.0 >= WORTH).then_some(best.1)
    }

    fn may_ask(&self, id: UrlId) -> bool {
        !self.questioned.contains(&id)
            && !self.samples.contains(&id)
            && !self.not.contains(&id)
            && self.state.resolve(id) == id
    }

    /// The group with most pages in doubt, and the page in it that is most so.
    fn largest_doubt(&self) -> Option<(f64, UrlId)> {
        let mut groups: FxHashMap<NodeId, (f64, f64, UrlId)> = FxHashMap::default();
        for id in (0..self.state.urls.len() as UrlId).filter(|&id| self.may_ask(id)) {
            let chance = f64::from(self.chance[id as usize]);
            let wrong = chance.min(1.0 - chance);
            let group = groups.entry(self.state.cell(id)).or_insert((0.0, -1.0, id));
            group.0 += wrong;
            if wrong > group.1 {
                (group.1, group.2) = (wrong, id);
            }
        }
        groups.into_values().map(|(doubt, _, id)| (doubt, id)).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
    }

    /// A page that the answer beside the default adds or leaves out, and how many hang on it.
    fn between_rungs(&self) -> Option<(f64, UrlId)> {
        let (rungs, default) = self.ladder();
        let differ = |wide: usize, narrow: usize| {
            let kept: FxHashSet<UrlId> = rungs.get(narrow)?.1.iter().copied().collect();
            let others: Vec<UrlId> = rungs.get(wide)?.1.iter().copied().filter(|id| !kept.contains(id)).collect();
            let page = others.iter().copied().find(|&id| self.may_ask(id) && self.looked_at(id).is_some());
            let page = page.or_else(|| others.iter().copied().find(|&id| self.may_ask(id)))?;
            Some((OTHER_RUNG * others.len().min(kept.len().max(1)) as f64, page))
        };
        let wider = default.checked_sub(1).and_then(|wider| differ(wider, default));
        [wider, differ(default, default + 1)].into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0))
    }
}
