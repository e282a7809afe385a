//! Which pages of a link collection are alike? Pages → candidate classes (section 3.1), and whether the collection is a menu.

use super::encoding::{Class, Page};
use crate::features::similarity::jaccard;
use crate::page::PathId;
use std::collections::BTreeMap;

/// Groups from which on a collection can be a menu.
const MENU: usize = 3;

/// Lines 7 to 14: pages of equal schema are a group, and small groups near a larger one are taken into it.
pub fn candidates(pages: Vec<Page>, dt: f64) -> Vec<Class> {
    let mut equal: BTreeMap<Box<[PathId]>, Vec<Page>> = BTreeMap::new();
    for page in pages {
        equal.entry(page.schema.clone()).or_default().push(page);
    }
    let mut groups: Vec<Class> = equal.into_values().map(Class::of).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.pages.len()));
    let mut at = 0;
    while at < groups.len() {
        for other in (at + 1..groups.len()).rev() {
            if distance(&groups[at].schema, &groups[other].schema) < dt {
                let small = groups.remove(other);
                let pages = std::mem::take(&mut groups[at].pages).into_iter().chain(small.pages);
                groups[at] = Class::of(pages.collect());
            }
        }
        at += 1;
    }
    groups
}

/// Many groups, most of them of one page: entries of a menu.
pub fn is_menu(groups: &[Class]) -> bool {
    let single = groups.iter().filter(|group| group.pages.len() == 1).count();
    groups.len() >= MENU && single * 2 > groups.len()
}

/// The symmetric difference over the union.
pub fn distance(a: &[PathId], b: &[PathId]) -> f64 {
    1.0 - jaccard(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(schemas: &[&[PathId]]) -> Vec<Page> {
        let page = |(id, schema): (usize, &&[PathId])| Page { id: id as u32, schema: (*schema).into(), urls: 1 };
        schemas.iter().enumerate().map(page).collect()
    }

    #[test]
    fn the_distance_is_that_of_the_paper() {
        assert_eq!(distance(&[1, 2, 3], &[2, 3, 4]), 0.5);
        assert_eq!((distance(&[1], &[1]), distance(&[1], &[2])), (0.0, 1.0));
    }

    #[test]
    fn small_groups_join_near_large_ones() {
        let star: Vec<PathId> = (0..10).collect();
        let champion: Vec<PathId> = (0..11).collect();
        let groups = candidates(pages(&[&champion, &star, &star, &[50, 51]]), 0.2);
        assert_eq!(groups.iter().map(|group| group.pages.len()).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(groups[0].schema, champion);
        assert!(!is_menu(&groups));
    }

    #[test]
    fn a_menu_is_many_single_pages() {
        assert!(is_menu(&candidates(pages(&[&[1], &[2], &[3]]), 0.2)));
        assert!(!is_menu(&candidates(pages(&[&[1]]), 0.2)));
    }
}
