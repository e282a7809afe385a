//! Logistic regression with signs: rows with the share that is right → weights. Same rows, same weights.

use pagekin::discover::kin::belief::sigmoid;

/// The last of `x` is one, for the bias.
pub struct Row<const N: usize> {
    pub x: [f64; N],
    /// How much of it is right, from 0 to 1.
    pub label: f64,
    pub weight: f64,
}

/// Steps by the mean slope and its variance so far (Adam). A sign of 1 keeps a weight at zero or above, of -1 at zero or below.
pub fn logistic<const N: usize>(rows: &[Row<N>], signs: &[i8; N], ridge: f64, steps: i32) -> Vec<f64> {
    let total: f64 = rows.iter().map(|row| row.weight).sum();
    let mut weights = [0.0; N];
    let (mut first, mut second) = ([0.0; N], [0.0; N]);
    if total == 0.0 {
        return weights.to_vec();
    }
    for step in 1..=steps {
        let mut slope = [0.0; N];
        for row in rows {
            let odds = weights[N - 1] + row.x[..N - 1].iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
            let error = row.weight * (sigmoid(odds) - row.label);
            slope.iter_mut().zip(&row.x).for_each(|(slope, x)| *slope += error * x);
        }
        let rate = 0.05 * (1.0 - f64::from(step) / f64::from(steps + 20));
        for at in 0..N {
            let slope = slope[at] / total + if at + 1 < N { ridge * weights[at] } else { 0.0 };
            first[at] = 0.9 * first[at] + 0.1 * slope;
            second[at] = 0.99 * second[at] + 0.01 * slope * slope;
            let scaled =
                (first[at] / (1.0 - 0.9f64.powi(step))) / ((second[at] / (1.0 - 0.99f64.powi(step))).sqrt() + 1e-8);
            weights[at] -= rate * scaled;
            weights[at] = match signs[at] {
                1 => weights[at].max(0.0),
                -1 => weights[at].min(0.0),
                _ => weights[at],
            };
        }
    }
    weights.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_share_and_keeps_the_sign() {
        let row = |x: f64, label: f64| Row { x: [x, 1.0], label, weight: 1.0 };
        let rows = [row(0.0, 0.25), row(1.0, 0.75)];
        let weights = logistic(&rows, &[0, 0], 0.0, 300);
        assert!((sigmoid(weights[1]) - 0.25).abs() < 0.02, "{weights:?}");
        assert!((sigmoid(weights[0] + weights[1]) - 0.75).abs() < 0.02, "{weights:?}");
        assert_eq!(logistic(&rows, &[-1, 0], 0.0, 300)[0], 0.0);
    }
}
