//! How long is a description? Pages and classes → the cost of encoding them (section 3.2), and which model is shortest.
//!
//! - [`Page`], [`Class`]: link-paths and the number of URLs. - [`cost`]: enc(p|C). - [`update`]: lines 16 to 22 of the algorithm.
//!
//! A class's schema is the union of its pages', so within a class every path is encoded by its index; the cost of a class follows
//! from four sums, and a merge is weighed without going through pages.

use crate::page::PathId;
use crate::site::UrlId;

/// Footnote 7, by experiment.
pub const URL: f64 = 1.0;
pub const PATH: f64 = 1.0;
pub const INDEX: f64 = 0.8;
pub const MISS: f64 = 1.0;

#[derive(Debug, Clone)]
pub struct Page {
    pub id: UrlId,
    /// Sorted.
    pub schema: Box<[PathId]>,
    pub urls: usize,
}

#[derive(Debug, Clone, Default)]
pub struct Class {
    pub pages: Vec<Page>,
    /// Sorted; the union of the pages' schemas.
    pub schema: Vec<PathId>,
    /// Paths of all pages together.
    pub paths: usize,
    pub urls: usize,
}

impl Class {
    pub fn of(pages: Vec<Page>) -> Self {
        let mut class = Self::default();
        pages.into_iter().for_each(|page| {
            class.schema = union(&class.schema, &page.schema);
            class.paths += page.schema.len();
            class.urls += page.urls;
            class.pages.push(page);
        });
        class
    }

    /// Part A, the schema, and part B, the pages with its help.
    pub fn cost(&self) -> f64 {
        described(self.schema.len(), self.pages.len(), self.paths, self.urls)
    }

    fn cost_with(&self, other: &Self) -> f64 {
        let shared = crate::features::similarity::intersection(&self.schema, &other.schema);
        let schema = self.schema.len() + other.schema.len() - shared;
        described(schema, self.pages.len() + other.pages.len(), self.paths + other.paths, self.urls + other.urls)
    }

    fn merge(&mut self, other: Self) {
        self.schema = union(&self.schema, &other.schema);
        self.paths += other.paths;
        self.urls += other.urls;
        self.pages.extend(other.pages);
    }
}

fn described(schema: usize, pages: usize, paths: usize, urls: usize) -> f64 {
    let indexes = schema * pages;
    schema as f64 * PATH + indexes as f64 * INDEX + urls as f64 * URL + (indexes - paths) as f64 * MISS
}

/// enc(p|C): for each path of the schema its index, and a miss where the page lacks it; for each other path of the page the path;
/// and all URLs. `common` of the page's `paths` are in the `schema`.
pub fn cost(schema: usize, paths: usize, common: usize, urls: usize) -> f64 {
    schema as f64 * INDEX + (schema - common) as f64 * MISS + (paths - common) as f64 * PATH + urls as f64 * URL
}

/// Takes a candidate into the model where MDL is least; gives the place of its class.
pub fn update(model: &mut Vec<Class>, candidate: Class) -> usize {
    let grown = |class: &Class| class.cost_with(&candidate) - class.cost();
    let merges = model.iter().map(grown).enumerate();
    let least = merges.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, grown)| *grown < candidate.cost());
    match least {
        Some((place, _)) => {
            model[place].merge(candidate);
            place
        }
        None => {
            model.push(candidate);
            model.len() - 1
        }
    }
}

pub fn union(a: &[PathId], b: &[PathId]) -> Vec<PathId> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(id: UrlId, schema: &[PathId], urls: usize) -> Page {
        Page { id, schema: schema.into(), urls }
    }

    /// The example of section 3.2: {path1: 2 URLs, path3: 3, path4: 2} by the class {path1, path2, path3}.
    #[test]
    fn the_papers_example_costs_11_4() {
        assert!((cost(3, 3, 2, 7) - (3.0 * INDEX + 7.0 * URL + PATH + MISS)).abs() < 1e-12);
        assert!((cost(3, 3, 2, 7) - 11.4).abs() < 1e-12);
    }

    #[test]
    fn a_class_costs_its_schema_and_its_pages() {
        let class = Class::of(vec![page(1, &[1, 2], 4), page(2, &[2, 3], 5)]);
        let pages = [cost(3, 2, 2, 4), cost(3, 2, 2, 5)];
        assert!((class.cost() - (3.0 * PATH + pages[0] + pages[1])).abs() < 1e-12);
    }

    #[test]
    fn alike_pages_are_merged_and_others_are_not() {
        let mut model = vec![Class::of(vec![page(1, &[1, 2, 3], 9)])];
        assert_eq!(update(&mut model, Class::of(vec![page(2, &[1, 2, 3], 7)])), 0);
        assert_eq!(update(&mut model, Class::of(vec![page(3, &[7, 8, 9], 7)])), 1);
        assert_eq!((model.len(), model[0].pages.len()), (2, 2));
        let together = Class::of(vec![page(1, &[1, 2, 3], 9), page(2, &[1, 2, 3], 7)]);
        assert!((model[0].cost() - together.cost()).abs() < 1e-12);
    }
}
