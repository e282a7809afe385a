//! How right is a clustering? Pages with their true and their computed class → F*, entropy, purity (section 4.1 of the paper).
//!
//! - [`Page`]: one page of the test set. - [`Figures`]: what comes of all.
//!
//! A page whose computed class is unknown counts against recall. Pages without a true class (pages of the site that are in no truth
//! file) are not part of the test set S; [`Figures::strict`] is F* with them counted against the precision of the class they
//! were put into, since they are known not to be of the types with truth. The logarithm of the entropy is to base 2.

use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Which reference class; none: a page of no reference class.
    pub truth: Option<usize>,
    /// Which computed class; none: unknown.
    pub class: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Figures {
    pub f: f64,
    pub entropy: f64,
    pub purity: f64,
    /// F* with pages of no reference class counted as wrong where they are put into a class.
    pub strict: f64,
    /// Pages of the test set.
    pub pages: usize,
    /// Of these, those given a class.
    pub assigned: usize,
}

pub fn figures(pages: &[Page]) -> Figures {
    let mut matrix: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    let (mut truth_sizes, mut sizes, mut all_sizes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for page in pages {
        if let Some(class) = page.class {
            *all_sizes.entry(class).or_insert(0usize) += 1;
        }
        let Some(truth) = page.truth else { continue };
        *truth_sizes.entry(truth).or_insert(0usize) += 1;
        if let Some(class) = page.class {
            *sizes.entry(class).or_insert(0usize) += 1;
            *matrix.entry((truth, class)).or_default() += 1;
        }
    }
    let total: usize = truth_sizes.values().sum();
    let assigned: usize = sizes.values().sum();
    let (entropy, purity) = cohesion(&matrix, &sizes, assigned);
    Figures {
        f: f_star(&matrix, &truth_sizes, &sizes, total),
        entropy,
        purity,
        strict: f_star(&matrix, &truth_sizes, &all_sizes, total),
        pages: total,
        assigned,
    }
}

type Matrix = BTreeMap<(usize, u32), usize>;

/// For each reference class the best F over the computed ones, weighed by size.
fn f_star(matrix: &Matrix, truths: &BTreeMap<usize, usize>, sizes: &BTreeMap<u32, usize>, total: usize) -> f64 {
    let best = |truth: usize, size: usize| {
        let of_truth = matrix.range((truth, 0)..=(truth, u32::MAX));
        let harmonic = of_truth.map(|((_, class), &both)| 2.0 * both as f64 / (size + sizes[class]) as f64);
        harmonic.fold(0.0, f64::max)
    };
    truths.iter().map(|(&truth, &size)| best(truth, size) * size as f64 / total as f64).sum()
}

/// Entropy and purity of the computed classes, weighed by size.
fn cohesion(matrix: &Matrix, sizes: &BTreeMap<u32, usize>, assigned: usize) -> (f64, f64) {
    let mut largest: BTreeMap<u32, usize> = BTreeMap::new();
    let mut entropy = 0.0;
    for (&(_, class), &both) in matrix {
        let precision = both as f64 / sizes[&class] as f64;
        entropy -= precision * precision.log2() * sizes[&class] as f64;
        let most = largest.entry(class).or_default();
        *most = both.max(*most);
    }
    let whole = assigned.max(1) as f64;
    (entropy / whole, largest.values().sum::<usize>() as f64 / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(truth: Option<usize>, class: Option<u32>) -> Page {
        Page { truth, class }
    }

    #[test]
    fn a_perfect_clustering() {
        let pages = [page(Some(0), Some(7)), page(Some(0), Some(7)), page(Some(1), Some(2)), page(None, Some(9))];
        let figures = figures(&pages);
        assert_eq!((figures.f, figures.entropy, figures.purity, figures.strict), (1.0, 0.0, 1.0, 1.0));
    }

    /// Two classes of four; one page of the second lies in the first's cluster, one is unknown.
    #[test]
    fn by_hand() {
        let mut pages = vec![page(Some(0), Some(1)); 4];
        pages.extend([page(Some(1), Some(1)), page(Some(1), Some(2)), page(Some(1), Some(2)), page(Some(1), None)]);
        pages.push(page(None, Some(2)));
        let figures = figures(&pages);
        let (first, second) = (2.0 * 4.0 / 9.0, 2.0 * 2.0 / 6.0);
        assert!((figures.f - (first + second) / 2.0).abs() < 1e-12);
        assert!((figures.strict - (first + 2.0 * 2.0 / 7.0) / 2.0).abs() < 1e-12);
        assert!((figures.purity - 6.0 / 7.0).abs() < 1e-12);
        let entropy = -(0.8f64 * 0.8f64.log2() + 0.2 * 0.2f64.log2()) * 5.0 / 7.0;
        assert!((figures.entropy - entropy).abs() < 1e-12);
        assert_eq!((figures.pages, figures.assigned), (8, 7));
    }

    #[test]
    fn nothing_to_score() {
        assert_eq!(figures(&[]), Figures::default());
    }
}
