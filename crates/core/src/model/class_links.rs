//! How do classes link? Pages with their links, by class → for each (class, place, class) how often, and whether it is a menu.
//!
//! - [`ClassLinks`]: all of them. - [`Tie`]: one. A link collection is a place on the pages of a class (section 2 of the paper); a menu
//!   shows the same few targets on every page.

use super::{ClassId, ClassLink, Role};
use rustc_hash::{FxHashMap, FxHashSet};

pub type PlaceId = u32;

/// Targets remembered of a tie: enough to tell a menu from a list.
const TARGETS: usize = 1_000;

/// Links per page from which on a place is a list.
const LIST: f64 = 3.0;

/// Pages from which on a class that says more than it lists is about something.
const MANY: usize = 5;

/// How many times larger a class is than the classes that list it.
const LARGER: usize = 2;

#[derive(Debug, Clone, Default)]
pub struct Tie {
    pub links: usize,
    pub pages: usize,
    last_page: Option<u32>,
    targets: FxHashSet<u64>,
}

impl Tie {
    /// Do the pages show the same few targets? One page alone does not tell.
    fn is_menu(&self) -> bool {
        self.pages > 1 && (self.targets.len() as f64) < 1.5 * self.links as f64 / self.pages as f64
    }
}

#[derive(Debug, Default)]
pub struct ClassLinks {
    class_links: FxHashMap<(ClassId, PlaceId, ClassId), Tie>,
}

impl ClassLinks {
    /// `page`: any number of the page, the same for all its links in a row.
    pub fn add(&mut self, page: u32, from: ClassId, place: PlaceId, to: ClassId, target: u64) {
        let tie = self.class_links.entry((from, place, to)).or_default();
        tie.links += 1;
        if tie.last_page != Some(page) {
            tie.last_page = Some(page);
            tie.pages += 1;
        }
        if tie.targets.len() < TARGETS {
            tie.targets.insert(target);
        }
    }

    /// By class, then by count.
    pub fn links(&self, place: impl Fn(PlaceId) -> String) -> Vec<ClassLink> {
        let mut links: Vec<ClassLink> = self
            .class_links
            .iter()
            .map(|(&(from, at, to), tie)| ClassLink {
                from,
                to,
                path: place(at),
                count: tie.links,
                menu: tie.is_menu(),
            })
            .collect();
        links.sort_by(|a, b| (a.from, b.count, a.to, &a.path).cmp(&(b.from, a.count, b.to, &b.path)));
        links
    }

    /// `sizes` and `labels` of the classes, by id from 1; labels: short texts outside links on a page. An index lists many pages of
    /// a class that is larger than itself, and has little else to say; what it lists are entities.
    pub fn roles(&self, sizes: &[usize], labels: &[f64]) -> Vec<Role> {
        let size = |class: ClassId| sizes[class as usize - 1];
        let lists = |(from, _, to): (ClassId, PlaceId, ClassId), tie: &Tie| {
            from != to
                && !tie.is_menu()
                && tie.links as f64 >= LIST * tie.pages as f64
                && size(to) >= LARGER * size(from)
        };
        let listing: Vec<(ClassId, ClassId, f64)> = self
            .class_links
            .iter()
            .filter(|(key, tie)| lists(**key, tie))
            .map(|(&(from, _, to), tie)| (from, to, tie.links as f64 / tie.pages as f64))
            .collect();
        let mut listed = vec![0.0; sizes.len()];
        listing.iter().for_each(|&(from, _, links)| listed[from as usize - 1] += links);
        let is_index = |at: usize| listed[at] > 0.0 && listed[at] >= labels[at];
        let mut roles: Vec<Role> =
            (0..sizes.len()).map(|at| if is_index(at) { Role::Index } else { Role::Other }).collect();
        for &(_, to, _) in &listing {
            if roles[to as usize - 1] == Role::Other {
                roles[to as usize - 1] = Role::Entity;
            }
        }
        // What has pages enough, is no index, and lists what is larger is about something: a team with its drivers.
        for (at, role) in roles.iter_mut().enumerate() {
            if *role == Role::Other && listed[at] > 0.0 && sizes[at] >= MANY {
                *role = Role::Entity;
            }
        }
        roles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_menu_shows_the_same_on_every_page_and_a_list_does_not() {
        let mut class_links = ClassLinks::default();
        for page in 0..4 {
            (0..5).for_each(|target| class_links.add(page, 1, 0, 2, target));
            (0..5).for_each(|target| class_links.add(page, 1, 1, 2, u64::from(page) * 5 + target));
        }
        let links = class_links.links(|place| place.to_string());
        assert_eq!(
            links.iter().map(|link| (link.path.as_str(), link.count, link.menu)).collect::<Vec<_>>(),
            [("0", 20, true), ("1", 20, false)]
        );
        assert_eq!(class_links.roles(&[4, 20], &[2.0, 2.0]), [Role::Index, Role::Entity]);
        assert_eq!(
            class_links.roles(&[20, 20], &[2.0, 2.0]),
            [Role::Other, Role::Other],
            "pages that list their likes are no index"
        );
        assert_eq!(
            class_links.roles(&[9, 20], &[30.0, 2.0]),
            [Role::Entity, Role::Entity],
            "they say more than they list"
        );
    }
}
