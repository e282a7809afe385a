//! How alike are two pages, by address and by link-paths?
//!
//! - [`jaccard`]: weak URL similarity (SSUP 2014 definition 10) over terms, HTML similarity (SSUP 2019 equation 3) over
//!   link-paths. - [`Weights`]: TF × IDF of a sample's terms (SSUP 2019 definition 4.2) and with them the strong URL
//!   similarity (equation 2).

use rustc_hash::FxHashMap;

/// Jaccard coefficient of two sorted sets; two empty sets are equal.
pub fn jaccard(a: &[u32], b: &[u32]) -> f64 {
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let common = intersection(a, b);
    common as f64 / (a.len() + b.len() - common) as f64
}

/// How many elements two sorted sets share.
pub fn intersection(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                i += 1;
                j += 1;
            }
        }
    }
    common
}

/// The weight of each term of a sample's address.
#[derive(Debug, Clone)]
pub struct Weights {
    terms: Vec<(u32, f64)>,
    total: f64,
    sample: Box<[u32]>,
}

impl Weights {
    /// `link_paths`: for each link-path of the index pages, the term sets of the addresses it points to; `of_sample` is the
    /// place in it of the link-path that points to the sample.
    pub fn new(sample: &[u32], link_paths: &[Vec<&[u32]>], of_sample: usize) -> Self {
        let mut frequency: FxHashMap<u32, usize> = sample.iter().map(|&term| (term, 0)).collect();
        let mut paths_with: FxHashMap<u32, usize> = frequency.clone();
        for (place, urls) in link_paths.iter().enumerate() {
            let mut here: FxHashMap<u32, usize> = FxHashMap::default();
            for term in urls.iter().flat_map(|terms| terms.iter()).filter(|term| frequency.contains_key(term)) {
                *here.entry(*term).or_default() += 1;
            }
            for (term, count) in here {
                *paths_with.get_mut(&term).expect("only the sample's terms are counted") += 1;
                if place == of_sample {
                    frequency.insert(term, count);
                }
            }
        }
        let weight = |term: u32| match paths_with[&term] {
            0 => 0.0,
            with => frequency[&term] as f64 * (link_paths.len() as f64 / with as f64).ln(),
        };
        let terms: Vec<(u32, f64)> = sample.iter().map(|&term| (term, weight(term))).collect();
        let total = terms.iter().map(|(_, weight)| weight).sum();
        Self { terms, total, sample: sample.into() }
    }

    /// Strong URL similarity of the sample with another address. When no term has weight, the formula is 0/0 and
    /// the weak similarity stands in.
    pub fn similarity(&self, target: &[u32]) -> f64 {
        if self.total <= 0.0 {
            return jaccard(&self.sample, target);
        }
        let shared: f64 =
            self.terms.iter().filter(|(term, _)| target.binary_search(term).is_ok()).map(|(_, weight)| weight).sum();
        (shared / self.total).clamp(0.0, 1.0)
    }

    pub fn weight(&self, term: u32) -> f64 {
        self.terms.iter().find(|(known, _)| *known == term).map_or(0.0, |(_, weight)| *weight)
    }
}

#[cfg(test)]
mod tests {
    use super::super::TermTable;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn empty_sets_are_equal() {
        assert_eq!(jaccard(&[], &[]), 1.0);
        assert_eq!(jaccard(&[], &[1]), 0.0);
        assert_eq!(jaccard(&[1, 2, 3], &[2, 3, 4]), 0.5);
    }

    /// The index page of table 1 in SSUP 2014, as far as its text tells: `car` and `ford` mark the sample's link-path,
    /// what all link-paths share weighs nothing.
    #[test]
    fn strong_similarity_weighs_what_marks_the_samples_link_path() {
        let mut table = TermTable::default();
        let mut of = |url: &str| table.of_url(url);
        let (l1, l2, l4, l7) =
            (of("www.s.com/car/ford_1"), of("www.s.com/car/ford_2"), of("www.s.com/car/fiat_9"), of("www.s.com/news"));
        let (l0, l8) = (of("www.s.com/about/us"), of("www.s.com/help"));
        let list: Vec<&[u32]> = vec![&l1, &l2, &l4, &l7];
        let weights = Weights::new(&l1, &[vec![&l0[..], &l8], list], 1);
        let similarity = [&l1, &l2, &l4, &l7].map(|terms| weights.similarity(terms));
        assert_eq!(similarity[0], 1.0);
        assert!(similarity[1] > similarity[2] && similarity[2] > similarity[3], "{similarity:?}");
        assert_eq!(similarity[3], 0.0);
        assert_eq!(weights.weight(table.id("pos1_www")), 0.0);
        assert_eq!(weights.weight(table.id("pos2_car")), 3.0 * 2f64.ln());
    }

    #[test]
    fn one_link_path_falls_back_to_the_weak_similarity() {
        let weights = Weights::new(&[1, 2, 3], &[vec![&[1, 2, 3], &[2, 3, 4]]], 0);
        assert_eq!(weights.similarity(&[2, 3, 4]), 0.5);
    }

    fn set() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::btree_set(0u32..40, 0..20).prop_map(|set| set.into_iter().collect())
    }

    proptest! {
        #[test]
        fn similarities_stay_in_the_unit_interval(sample in set(), paths in prop::collection::vec(prop::collection::vec(set(), 0..6), 1..5), target in set()) {
            let paths: Vec<Vec<&[u32]>> = paths.iter().map(|urls| urls.iter().map(|url| &url[..]).collect()).collect();
            let weights = Weights::new(&sample, &paths, 0);
            prop_assert!((0.0..=1.0).contains(&weights.similarity(&target)));
            prop_assert!((weights.similarity(&sample) - 1.0).abs() < 1e-9);
            prop_assert!((0.0..=1.0).contains(&jaccard(&sample, &target)));
            prop_assert_eq!(jaccard(&sample, &target), jaccard(&target, &sample));
        }
    }
}
