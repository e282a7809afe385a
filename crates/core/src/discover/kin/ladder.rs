//! Which pages did the user mean: those of this folder, or all made by the template? The answer as nested *rungs*, the widest first.
//!
//! One sample cannot say; so the rungs come with the answer, and the default steps down where the pages looked at in other branches differ,
//! taken together, from those in the sample's own: something that nearly all of the one have and none of the other; or where lists never show
//! them side by side.

use super::Search;
use super::state::UrlId;
use crate::discover::{Rung, Signal};
use crate::features::mixing::{Mixing, TYPES};
use crate::features::profile::{CLASSES, LABELS, Profile, Token, label};
use crate::page::shape::first_word;
use crate::pages::Pages;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A folder with more names than this parts one kind by year, letter or category.
const BRANCHES: usize = 20;

/// Pages of the own branch, and looks in any, before branches are compared; looks that count in full.
const OWN: usize = 4;
const LOOKS: usize = 2;
const ENOUGH: f64 = 4.0;

/// Tokens that tell two branches apart.
const TELLING: f64 = 4.0;

/// Examples shown of a rung.
const EXAMPLES: usize = 3;

/// Pages of the branches of a level, by name.
type Branches = BTreeMap<String, Vec<UrlId>>;

/// What the sample's branch is called, and the pages in it and in branches that do not differ from it.
struct Step {
    name: String,
    own: Vec<UrlId>,
    /// The own branch and those that are not told apart from it.
    alike: Vec<UrlId>,
    /// Some branches differ.
    parts: bool,
}

impl<P: Pages> Search<'_, P> {
    /// The rungs from wide to narrow with their pages, and which of them is the default.
    pub(super) fn ladder(&self) -> (Vec<(Rung, Vec<UrlId>)>, usize) {
        let mut pages: Vec<UrlId> = (0..self.state.urls.len() as UrlId).filter(|&id| self.is_kin(id)).collect();
        pages.retain(|&id| self.state.resolve(id) == id);
        let mut rungs = vec![(self.rung("all pages like the sample", &pages), pages.clone())];
        let (mut default, mut current) = (0, pages);
        for level in 0..=self.state.urls[self.samples[0] as usize].shape.folders.len() {
            let Some(step) = self.step(level, &current) else { continue };
            if step.parts && default + 1 == rungs.len() {
                rungs.push((self.rung(&format!("{} and branches alike", step.name), &step.alike), step.alike.clone()));
                default = rungs.len() - 1;
            }
            if step.own.len() < rungs[rungs.len() - 1].1.len() {
                rungs.push((self.rung(&step.name, &step.own), step.own.clone()));
            } else if step.parts {
                rungs[default].0.name = step.name;
            }
            current = if step.parts { step.alike } else { current };
        }
        rungs.extend(self.in_language(&rungs[rungs.len() - 1].1));
        (rungs, default)
    }

    /// The pages in the sample's language, where there are others.
    fn in_language(&self, pages: &[UrlId]) -> Option<(Rung, Vec<UrlId>)> {
        let language = |id: UrlId| &self.state.urls[id as usize].shape.language;
        let own = language(self.samples[0]);
        let kept: Vec<UrlId> = pages.iter().copied().filter(|&id| language(id) == own).collect();
        let name =
            if own.is_empty() { "only without a folder for the language".to_owned() } else { format!("only `{own}`") };
        (kept.len() < pages.len()).then(|| (self.rung(&name, &kept), kept))
    }

    fn rung(&self, name: &str, pages: &[UrlId]) -> Rung {
        let step = pages.len().div_ceil(EXAMPLES).max(1);
        let examples = pages.iter().step_by(step).map(|&id| self.state.urls[id as usize].url.clone()).collect();
        Rung { name: name.to_owned(), pages: pages.len(), examples }
    }

    /// Which branches of a level differ from the sample's? None when there is nothing to part.
    fn step(&self, level: usize, pages: &[UrlId]) -> Option<Step> {
        let names = |ids: &[UrlId]| -> FxHashSet<String> { ids.iter().map(|&id| self.branch_of(level, id)).collect() };
        let (own, mine, branches) = self.branches_at(level, pages)?;
        let (mut alike, mut compared, mut apart) = (mine.clone(), 0, 0);
        let said_yes = names(&self.samples);
        // A no tells of its folder, if it stands in those that lead to the sample's.
        let sample = &self.state.urls[self.samples[0] as usize].shape.folders;
        let near =
            |id: &UrlId| self.state.urls[*id as usize].shape.folders.iter().take(level).eq(sample.iter().take(level));
        let not: Vec<UrlId> = self.not.iter().copied().filter(|id| level < sample.len() && near(id)).collect();
        let said_no = names(&not);
        for (name, others) in &branches {
            let told = match (said_yes.contains(name), said_no.contains(name)) {
                (true, _) => Some(false),
                (_, true) => Some(true),
                _ => self.told_apart(&mine, others, [&own, name]),
            };
            match told {
                Some(true) => (compared, apart) = (compared + 1, apart + 1),
                Some(false) => {
                    compared += 1;
                    alike.extend(others);
                }
                None => {}
            }
        }
        let kept_apart = level + 1 == sample.len()
            && mine.len() >= OWN
            && branches.len() <= TYPES
            && self.uses(Signal::Ladder)
            && self.mixing(&mine, pages).keeps_apart();
        if kept_apart {
            let yes = branches.iter().filter(|(name, _)| said_yes.contains(*name)).flat_map(|(_, others)| others);
            alike = mine.iter().chain(yes).copied().collect();
        }
        let forced = branches.keys().any(|name| said_no.contains(name) && !said_yes.contains(name));
        let parts = forced
            || kept_apart
            || self.uses(Signal::Ladder) && mine.len() >= OWN && apart > 0 && apart * 2 >= compared;
        alike.sort_unstable();
        Some(Step { name: format!("only `{own}`"), own: mine, alike, parts })
    }

    /// Do lists that show pages of the own branch show others beside them?
    fn mixing(&self, mine: &[UrlId], pages: &[UrlId]) -> Mixing {
        let others = 1.0 - mine.len() as f64 / pages.len() as f64;
        let mut mixing = Mixing::default();
        for page in &self.state.looked {
            let mut lists: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
            for (id, place) in &page.links {
                let id = self.state.resolve(*id);
                if pages.binary_search(&id).is_ok() {
                    let list = lists.entry(*place).or_default();
                    list.0 += f64::from(u8::from(mine.binary_search(&id).is_ok()));
                    list.1 += 1.0;
                }
            }
            lists.into_values().for_each(|(own, all)| mixing.add(own, all, others));
        }
        mixing
    }

    /// Do the pages looked at in two branches differ as sets? None when too few were looked at.
    fn told_apart(&self, mine: &[UrlId], others: &[UrlId], names: [&String; 2]) -> Option<bool> {
        let (told, sure) = self.difference(mine, others, names)?;
        Some(told * sure >= TELLING)
    }

    /// How many tokens tell the pages looked at in two branches apart, and how much so few pages count for.
    fn difference(&self, mine: &[UrlId], others: &[UrlId], names: [&String; 2]) -> Option<(f64, f64)> {
        let looked = |ids: &[UrlId]| -> Vec<&Profile> {
            ids.iter().filter_map(|&id| self.looked_at(id)).map(|page| &self.state.looked[page].profile).collect()
        };
        let (mine, others) = (looked(mine), looked(others));
        let fewest = mine.len().min(others.len());
        if fewest < LOOKS {
            return None;
        }
        let names: Vec<Token> = names.iter().filter_map(|name| label(&name.replace(['-', '_'], " "))).collect();
        let telling: usize = [0, 1, 2].iter().map(|&family| telling(family, &mine, &others, &names)).sum();
        Some((telling as f64, (fewest as f64 / ENOUGH).sqrt().min(1.0)))
    }

    /// Pages that would settle whether a branch is another kind: its pages looked at differ from the own ones, but are too few to say so.
    pub(super) fn undecided_branches(&self) -> Vec<UrlId> {
        let mut wanted = Vec::new();
        if !self.uses(Signal::Ladder) {
            return wanted;
        }
        let (rungs, default) = self.ladder();
        let pages = &rungs[default].1;
        for level in 0..=self.state.urls[self.samples[0] as usize].shape.folders.len() {
            let Some((own, mine, branches)) = self.branches_at(level, pages) else { continue };
            for (name, others) in &branches {
                let open = others.iter().copied().filter(|&id| self.state.unseen(id));
                match self.difference(&mine, others, [&own, name]) {
                    Some((told, sure)) if told >= TELLING && told * sure < TELLING => {
                        wanted.extend(open.take(LOOKS));
                    }
                    _ => {}
                }
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// The sample's branch of a level, its pages, and those of the others by name. None when there is nothing to part.
    fn branches_at(&self, level: usize, pages: &[UrlId]) -> Option<(String, Vec<UrlId>, Branches)> {
        let branch = |id: UrlId| self.branch_of(level, id);
        let own = branch(self.samples[0]);
        let mut branches = Branches::default();
        for &id in pages {
            branches.entry(branch(id)).or_default().push(id);
        }
        if own.is_empty() || own.contains(|c: char| c.is_numeric()) || !(2..=BRANCHES).contains(&branches.len()) {
            return None;
        }
        let mine = branches.remove(&own).unwrap_or_default();
        Some((own, mine, branches))
    }

    /// The folder of a level; past the sample's folders, the first word of the last part.
    fn branch_of(&self, level: usize, id: UrlId) -> String {
        let shape = &self.state.urls[id as usize].shape;
        match self.state.urls[self.samples[0] as usize].shape.folders.len() {
            folders if level < folders => shape.folders.get(level).cloned().unwrap_or_default(),
            _ => first_word(&shape.last),
        }
    }
}

/// Tokens that nearly all pages of one set have and nearly none of the other, names of the branches left out.
fn telling(family: usize, mine: &[&Profile], others: &[&Profile], names: &[Token]) -> usize {
    let tokens = |page: &'_ Profile| -> Box<[Token]> {
        match family {
            0 => page.families[CLASSES].clone(),
            1 => page.families[LABELS].clone(),
            _ => page.marks.clone(),
        }
    };
    let mut counts: FxHashMap<Token, (u32, u32)> = FxHashMap::default();
    for page in mine {
        tokens(page).iter().for_each(|token| counts.entry(*token).or_default().0 += 1);
    }
    for page in others {
        tokens(page).iter().for_each(|token| counts.entry(*token).or_default().1 += 1);
    }
    let tells = |(here, there): (u32, u32)| {
        let (here, there) = (f64::from(here) / mine.len() as f64, f64::from(there) / others.len() as f64);
        here >= 0.9 && there <= 0.05 || there >= 0.9 && here <= 0.05
    };
    counts.iter().filter(|(token, counts)| !names.contains(token) && tells(**counts)).count()
}
