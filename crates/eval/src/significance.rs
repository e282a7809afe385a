//! Is the difference between two methods more than chance? Paired figures → Student's t and its two-sided p.
//!
//! - [`PairedTest`]: one comparison. - [`mean`], [`deviation`], [`median`]: of a list of figures.
//!
//! The tail of Student's distribution is a regularised incomplete beta function, computed by its continued fraction
//! (modified Lentz), the logarithm of gamma by Lanczos' series. Does not know what the figures mean.

use serde::Serialize;

/// Two methods over the same site/types.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairedTest {
    pub pairs: usize,
    /// Mean of first minus second.
    pub difference: f64,
    /// None below two pairs, and when all differences are the same but not zero.
    pub t: Option<f64>,
    pub p: Option<f64>,
}

impl PairedTest {
    pub fn new(pairs: &[(f64, f64)]) -> Self {
        let differences: Vec<f64> = pairs.iter().map(|(first, second)| first - second).collect();
        let difference = mean(&differences);
        let (t, p) = match student(&differences) {
            Some(t) if t.is_finite() => (Some(t), Some(two_sided_p(t, (pairs.len() - 1) as f64))),
            Some(_) => (None, Some(0.0)),
            None => (None, None),
        };
        Self { pairs: pairs.len(), difference, t, p }
    }
}

/// Mean over standard error; 0 when nothing differs.
fn student(differences: &[f64]) -> Option<f64> {
    if differences.len() < 2 {
        return None;
    }
    if differences.iter().all(|&difference| difference == 0.0) {
        return Some(0.0);
    }
    Some(mean(differences) / (deviation(differences) / (differences.len() as f64).sqrt()))
}

/// The chance that Student's t with `freedom` degrees lies at least this far from 0.
pub fn two_sided_p(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// The regularised incomplete beta function I_x(a, b).
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    // The fraction converges fast on one side of the mean only; the other side is the complement.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    }
}

fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for step in 1..=500 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            fraction *= c * d;
        }
        if (fraction - before).abs() <= f64::EPSILON * fraction.abs() {
            break;
        }
    }
    fraction
}

/// Lanczos' series with g = 7 and nine terms: about 15 digits for positive arguments.
fn ln_gamma(x: f64) -> f64 {
    const G: f64 = 7.0;
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        // Reflection: the series holds from one half on.
        return (std::f64::consts::PI / (std::f64::consts::PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let sum = TERMS.iter().enumerate().skip(1).fold(TERMS[0], |sum, (at, term)| sum + term / (x + at as f64));
    let base = x + G + 0.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * base.ln() - base + sum.ln()
}

/// 0 for no figures.
pub fn mean(figures: &[f64]) -> f64 {
    if figures.is_empty() { 0.0 } else { figures.iter().sum::<f64>() / figures.len() as f64 }
}

/// Of a sample (n - 1 below); 0 for fewer than two figures.
pub fn deviation(figures: &[f64]) -> f64 {
    if figures.len() < 2 {
        return 0.0;
    }
    let middle = mean(figures);
    let squares: f64 = figures.iter().map(|figure| (figure - middle).powi(2)).sum();
    (squares / (figures.len() - 1) as f64).sqrt()
}

/// The middle one, or the mean of the two in the middle.
pub fn median(figures: &[f64]) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[half]),
        _ => Some((sorted[half - 1] + sorted[half]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
    }

    #[test]
    fn the_beta_function_has_its_closed_forms() {
        for x in [0.01, 0.2, 0.5, 0.77, 0.999] {
            near(incomplete_beta(1.0, 1.0, x), x, 1e-13);
            near(incomplete_beta(2.0, 1.0, x), x * x, 1e-13);
            near(incomplete_beta(1.0, 3.0, x), 1.0 - (1.0f64 - x).powi(3), 1e-13);
            near(incomplete_beta(0.5, 0.5, x), 2.0 / std::f64::consts::PI * x.sqrt().asin(), 1e-12);
        }
        near(incomplete_beta(3.0, 4.0, 0.4), 0.45568, 1e-12);
        assert_eq!((incomplete_beta(2.0, 3.0, 0.0), incomplete_beta(2.0, 3.0, 1.0)), (0.0, 1.0));
    }

    /// The quantiles printed in every table of Student's distribution, two-sided.
    #[test]
    fn p_agrees_with_tables() {
        for (t, freedom, p) in [
            (12.7062, 1.0, 0.05),
            (4.302653, 2.0, 0.05),
            (2.228139, 10.0, 0.05),
            (3.169273, 10.0, 0.01),
            (2.079614, 21.0, 0.05),
            (1.959966, 1e6, 0.05),
        ] {
            near(two_sided_p(t, freedom), p, 2e-6);
            near(two_sided_p(-t, freedom), p, 2e-6);
        }
        near(two_sided_p(0.0, 5.0), 1.0, 1e-12);
        // One degree of freedom is Cauchy's distribution.
        near(two_sided_p(1.0, 1.0), 0.5, 1e-12);
    }

    /// Student's own data (Biometrika 1908): ten patients, two drugs; t = -4.0621, p = 0.00283.
    #[test]
    fn students_sleep_data() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let pairs: Vec<(f64, f64)> = first.into_iter().zip(second).collect();
        let test = PairedTest::new(&pairs);
        near(test.difference, -1.58, 1e-12);
        near(test.t.unwrap(), -4.062128, 1e-6);
        near(test.p.unwrap(), 0.002833, 1e-6);
    }

    #[test]
    fn degenerate_comparisons_have_no_t() {
        assert_eq!(PairedTest::new(&[(1.0, 0.5)]).p, None);
        let same = PairedTest::new(&[(0.5, 0.5), (0.7, 0.7)]);
        assert_eq!((same.t, same.p), (Some(0.0), Some(1.0)));
        let shifted = PairedTest::new(&[(1.0, 0.5), (1.5, 1.0)]);
        assert_eq!((shifted.t, shifted.p), (None, Some(0.0)));
    }

    #[test]
    fn middle_and_spread() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        near(deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), 2.138090, 1e-6);
        assert_eq!(deviation(&[3.0]), 0.0);
    }
}
