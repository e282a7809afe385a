//! How good is a model that is not finished? Schemas of its pages, schemas of the reference classes → Q (section 4.3).
//!
//! A schema is a page's set of link-paths, as hashes; that of a reference class is the union of its pages'.

use rustc_hash::FxHashSet;

pub type Schema = FxHashSet<u64>;

/// Q of the computed classes, each given by the schemas of its pages, against the reference classes' schemas.
pub fn quality(computed: &[Vec<&Schema>], reference: &[Schema]) -> f64 {
    let computed: Vec<&Vec<&Schema>> = computed.iter().filter(|pages| !pages.is_empty()).collect();
    if computed.is_empty() || reference.is_empty() {
        return 0.0;
    }
    let table: Vec<Vec<f64>> =
        reference.iter().map(|class| computed.iter().map(|pages| similarity(pages, class)).collect()).collect();
    let forward = table.iter().map(|row| row.iter().copied().fold(0.0, f64::max)).sum::<f64>() / reference.len() as f64;
    let best = |at: usize| table.iter().map(|row| row[at]).fold(0.0, f64::max);
    let reverse = (0..computed.len()).map(best).sum::<f64>() / computed.len() as f64;
    harmonic(forward, reverse)
}

/// The mean over the pages of F(page, class).
fn similarity(pages: &[&Schema], class: &Schema) -> f64 {
    pages.iter().map(|page| overlap(page, class)).sum::<f64>() / pages.len() as f64
}

fn overlap(page: &Schema, class: &Schema) -> f64 {
    let both = page.iter().filter(|path| class.contains(*path)).count() as f64;
    if both == 0.0 { 0.0 } else { harmonic(both / page.len() as f64, both / class.len() as f64) }
}

fn harmonic(a: f64, b: f64) -> f64 {
    if a + b == 0.0 { 0.0 } else { 2.0 * a * b / (a + b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(paths: &[u64]) -> Schema {
        paths.iter().copied().collect()
    }

    #[test]
    fn spurious_and_missing_classes_lower_it() {
        let (a, b) = (schema(&[1, 2]), schema(&[3, 4]));
        let reference = [a.clone(), b.clone()];
        assert_eq!(quality(&[vec![&a], vec![&b]], &reference), 1.0);
        // F = (1 + 0) / 2, RevF = 1.
        assert!((quality(&[vec![&a, &a]], &reference) - 2.0 * 0.5 / 1.5).abs() < 1e-12);
        let spurious = schema(&[9]);
        // F = 1, RevF = 2/3.
        assert!((quality(&[vec![&a], vec![&b], vec![&spurious]], &reference) - 0.8).abs() < 1e-12);
        assert_eq!(quality(&[], &reference), 0.0);
    }

    #[test]
    fn overlap_is_f_of_the_schemas() {
        // Precision 2/3, recall 2/4.
        assert!((overlap(&schema(&[1, 2, 7]), &schema(&[1, 2, 3, 4])) - 4.0 / 7.0).abs() < 1e-12);
    }
}
