//! Which weights tell the cases apart? Rows → weights, bias first: a logistic and a plain regression, both with a penalty on weights.

/// Penalty on weights, in cases: few sites, so no single sign is to decide. With 15 and 100 the intervals are as
/// wide to within a tenth.
const RIDGE: f64 = 60.0;

/// Steps after which the weights of a logistic regression rest.
const STEPS: usize = 8;

/// A case as numbers, and what is to be told of it.
pub(super) struct Row<'r> {
    pub x: &'r [f64],
    pub y: f64,
    pub weight: f64,
}

/// What a model says of a case.
pub(super) fn value(weights: &[f64], x: &[f64]) -> f64 {
    let Some((bias, weights)) = weights.split_first() else { return 0.0 };
    bias + weights.iter().zip(x).map(|(weight, x)| weight * x).sum::<f64>()
}

/// Weights that make the squared error least.
pub(super) fn least_squares(rows: &[Row]) -> Vec<f64> {
    let none = vec![0.0; size(rows)];
    step(rows, none, |row, _| (row.y, 1.0))
}

/// Log-odds of `y`, by Newton's method.
pub(super) fn logistic(rows: &[Row]) -> Vec<f64> {
    (0..STEPS).fold(vec![0.0; size(rows)], |weights, _| {
        step(rows, weights, |row, now| {
            let chance = 1.0 / (1.0 + (-now.clamp(-30.0, 30.0)).exp());
            (row.y - chance, (chance * (1.0 - chance)).max(1e-4))
        })
    })
}

fn size(rows: &[Row]) -> usize {
    rows.first().map_or(0, |row| row.x.len()) + 1
}

/// One step of Newton's method from `weights`; `of`: how much more a row should have, and how much that counts.
fn step(rows: &[Row], weights: Vec<f64>, of: impl Fn(&Row, f64) -> (f64, f64)) -> Vec<f64> {
    let size = weights.len();
    let mut curve = vec![vec![0.0; size]; size];
    let mut slope = vec![0.0; size];
    for at in 0..size {
        let penalty = if at == 0 { 1e-6 } else { RIDGE };
        curve[at][at] = penalty;
        slope[at] = -penalty * weights[at];
    }
    for row in rows {
        let (more, counts) = of(row, value(&weights, row.x));
        let x = |at: usize| if at == 0 { 1.0 } else { row.x[at - 1] };
        for at in 0..size {
            slope[at] += row.weight * more * x(at);
            (0..size).for_each(|other| curve[at][other] += row.weight * counts * x(at) * x(other));
        }
    }
    let change = solved(curve, slope);
    weights.iter().zip(change).map(|(weight, change)| weight + change).collect()
}

/// Solves a system of equations whose matrix is symmetric and positive, by elimination.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for at in 0..size {
        let pivot = matrix[at].clone();
        for below in at + 1..size {
            let factor = matrix[below][at] / pivot[at];
            matrix[below].iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
            right[below] -= factor * right[at];
        }
    }
    for at in (0..size).rev() {
        let known: f64 = (at + 1..size).map(|column| matrix[at][column] * right[column]).sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_tell_what_decides() {
        let x: Vec<[f64; 2]> =
            (0..400).map(|at| [f64::from(at % 20) / 10.0 - 1.0, f64::from(at % 7) / 3.0 - 1.0]).collect();
        let rows =
            |y: fn(&[f64; 2]) -> f64| -> Vec<Row> { x.iter().map(|x| Row { x, y: y(x), weight: 100.0 }).collect() };
        let weights = least_squares(&rows(|x| 1.0 + 2.0 * x[0]));
        assert!((weights[0] - 1.0).abs() < 0.1 && (weights[1] - 2.0).abs() < 0.1, "{weights:?}");
        assert!(weights[2].abs() < 0.05, "{weights:?}");
        let weights = logistic(&rows(|x| f64::from(u8::from(x[0] > 0.0))));
        assert!(value(&weights, &[1.0, 0.0]) > 1.0 && value(&weights, &[-1.0, 0.0]) < -1.0, "{weights:?}");
    }
}
