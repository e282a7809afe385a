//! Which groups are one class? Groups → for each the number of its class, the largest classes first.
//!
//! Large groups go first; each group joins the class it is nearest to, if it is near enough for how their addresses
//! relate ([`Relation`]), else it is a class of its own. No number of classes is given beforehand. Groups are compared with at
//! most [`COMPARED`] classes, so the cost is linear in groups.

use super::counts::{Background, Counts, apart, telling};
use super::groups::{Group, NEAR};
use super::pattern::{Pattern, Relation};

/// Pages on both sides, and marks, that tell types apart: what nearly all pages of one set have and none of the other. Chance
/// makes a mark of an optional block once in 500 pairs of such sets; sibling kinds of the twelve sites have 3 to 120 marks.
pub const SHOWN: u32 = 5;
const MARKS: usize = 3;

/// How far apart groups of one class may be. Sets of pages of one kind under other folders are at most 0.10 apart on all but
/// one of the twelve sites of the evaluation (0.19), sets of sibling kinds at least 0.16; where the folder is a category,
/// only what the one has and the other lacks counts, and sets of one kind reach 0.3 (see docs/stages/discover.md).
const NEAR_DIFFERENT: f64 = 0.14;
const NEAR_AKIN: f64 = 0.3;

/// One or two pages do not show what all have in common: then the structure as a whole must agree too.
const SMALL: u32 = 3;
const NEAR_SMALL: f64 = 0.1;
const NEAR_SMALL_DIFFERENT: f64 = 0.15;
const NEAR_SMALL_AKIN: f64 = 0.45;

/// What other addresses add to the distance when classes are compared, by [`Relation`]: types of one template are 0.02 to 0.25 apart.
pub const DEARER: [f64; 3] = [0.0, 0.05, 0.15];

/// Classes a group is compared with, the largest.
const COMPARED: usize = 400;

struct Class {
    counts: Counts,
    patterns: Vec<Pattern>,
    /// See [`Group::last`]; of all groups.
    last: Option<u64>,
}

impl Class {
    fn of(group: &Group) -> Self {
        Self { counts: Counts::default(), patterns: Vec::new(), last: group.last }
    }

    fn take(&mut self, group: &Group) {
        self.counts.merge(&group.counts);
        self.last = self.last.filter(|last| group.last == Some(*last));
        if !self.patterns.contains(&group.pattern) {
            self.patterns.push(group.pattern.clone());
        }
    }

    /// Addresses that end in the same name in many folders are one kind, whatever the folders (`/gmc/yukon/price`), if they
    /// have the same parameters.
    fn relation(&self, group: &Group) -> Option<Relation> {
        let relations = self.patterns.iter().map(|pattern| pattern.relation(&group.pattern, group.in_tree));
        let names = |pattern: &Pattern| pattern.parameters.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let same_name = self.last.is_some()
            && self.last == group.last
            && self.patterns.iter().any(|pattern| names(pattern) == names(&group.pattern));
        relations.min().map(|relation| if same_name { relation.min(Relation::Akin) } else { relation })
    }
}

/// For each group its class.
pub fn merge(groups: &[Group]) -> Vec<u32> {
    let background = Background::of(groups.iter().map(|group| &group.counts));
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|&group| (std::cmp::Reverse(groups[group].counts.pages), group));
    let mut classes: Vec<Class> = Vec::new();
    let mut class_of = vec![0; groups.len()];
    for at in order {
        let group = &groups[at];
        let class = nearest(group, &classes, &background).unwrap_or(classes.len());
        if class == classes.len() {
            classes.push(Class::of(group));
        }
        classes[class].take(group);
        class_of[at] = class as u32;
    }
    by_size(&class_of, &classes)
}

/// The class the group belongs to: of those near enough the one whose pages are nearest, where other addresses make it dearer.
fn nearest(group: &Group, classes: &[Class], background: &Background) -> Option<usize> {
    let compared = classes.iter().take(COMPARED).enumerate();
    let near = compared.filter_map(|(at, class)| {
        let relation = class.relation(group)?;
        Some((distance(class, group, relation, background)? + DEARER[relation as usize], at))
    });
    near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
}

/// How far the structure of the group is from the class's; none when they are too far apart.
fn distance(class: &Class, group: &Group, relation: Relation, background: &Background) -> Option<f64> {
    let small = class.counts.pages.min(group.counts.pages) < SMALL;
    let away = class.counts.away_from(&group.counts);
    let (near, near_small) = match relation {
        Relation::Same if away <= NEAR => return Some(away),
        // One or two pages that have all the class has are long or odd pages of it.
        Relation::Same if small && apart(&class.counts, &group.counts, background, true) <= NEAR_SMALL => {
            return Some(away);
        }
        Relation::Same => return None,
        Relation::Akin => (NEAR_AKIN, NEAR_SMALL_AKIN),
        Relation::Different => (NEAR_DIFFERENT, NEAR_SMALL_DIFFERENT),
    };
    if away > if small { near_small } else { NEAR } {
        return None;
    }
    let other_folders = class.patterns.iter().all(|pattern| pattern.folders != group.pattern.folders);
    if (relation == Relation::Different || other_folders) && told_apart(&class.counts, &group.counts) {
        return None;
    }
    let apart = apart(&class.counts, &group.counts, background, relation == Relation::Akin);
    (apart <= near).then_some(away)
}

/// Under other folders a few marks are enough to tell types apart, once there are pages enough on both sides.
pub fn told_apart(a: &Counts, b: &Counts) -> bool {
    a.pages.min(b.pages) >= SHOWN && telling(a, b) >= MARKS
}

/// Numbers the classes anew, the largest first.
fn by_size(class_of: &[u32], classes: &[Class]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.sort_by_key(|&class| (std::cmp::Reverse(classes[class].counts.pages), class));
    let mut place = vec![0; classes.len()];
    order.iter().enumerate().for_each(|(number, &class)| place[class] = number as u32);
    class_of.iter().map(|&class| place[class as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::tokens::Tokens;
    use rustc_hash::FxHashMap;
    use std::ops::Range;

    /// Pages with a common frame, labels, and content of their own.
    fn group(pattern: &str, structure: Range<u64>, labels: Range<u64>, pages: u64) -> Group {
        let mut counts = Counts::default();
        for page in 0..pages {
            let structure: Vec<u64> = (0..30).chain(structure.clone()).collect();
            let labels: Vec<u64> = labels.clone().chain([labels.start * 1000 + page + 5000]).collect();
            counts.add(&Tokens { structure: structure.into(), labels: labels.into() });
        }
        Group { pattern: pattern.parse().unwrap(), in_tree: false, last: None, counts, patterns: FxHashMap::default() }
    }

    #[test]
    fn types_stay_apart_and_categories_come_together() {
        let groups = [
            group("/drivers/{name}", 100..120, 100..110, 20),
            group("/teams/{name}", 100..120, 200..210, 30),
            group("/pilots/{name}", 100..120, 100..110, 10),
            group("/drivers/{code}", 100..122, 100..110, 3),
        ];
        assert_eq!(merge(&groups), [0, 1, 0, 0]);
    }

    #[test]
    fn a_template_of_its_own_is_a_class_of_its_own() {
        let groups = [group("/{name}", 100..160, 0..0, 9), group("/{name}", 300..360, 0..0, 9)];
        assert_eq!(merge(&groups), [0, 1]);
        assert!(merge(&[]).is_empty());
    }
}
