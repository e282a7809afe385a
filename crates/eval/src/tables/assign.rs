//! Which column stands for which attribute? Weights → pairs, one to one, with the greatest sum (the Hungarian method).

/// Rows and columns that are paired.
pub fn assign(weights: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let (rows, columns) = (weights.len(), weights.first().map_or(0, Vec::len));
    let n = rows.max(columns);
    if rows == 0 || columns == 0 {
        return Vec::new();
    }
    let cost = |i: usize, j: usize| 10.0 - weights.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0.0);
    let (mut u, mut v) = (vec![0.0f64; n + 1], vec![0.0f64; n + 1]);
    let (mut pair, mut way) = (vec![0usize; n + 1], vec![0usize; n + 1]);
    for i in 1..=n {
        pair[0] = i;
        let mut at = 0;
        let (mut least, mut used) = (vec![f64::INFINITY; n + 1], vec![false; n + 1]);
        while pair[at] != 0 {
            used[at] = true;
            let (row, mut delta, mut next) = (pair[at], f64::INFINITY, 0);
            for j in (1..=n).filter(|&j| !used[j]) {
                let reduced = cost(row - 1, j - 1) - u[row] - v[j];
                if reduced < least[j] {
                    (least[j], way[j]) = (reduced, at);
                }
                if least[j] < delta {
                    (delta, next) = (least[j], j);
                }
            }
            for j in 0..=n {
                if used[j] {
                    u[pair[j]] += delta;
                    v[j] -= delta;
                } else {
                    least[j] -= delta;
                }
            }
            at = next;
        }
        while at != 0 {
            pair[at] = pair[way[at]];
            at = way[at];
        }
    }
    (1..=n).filter(|&j| pair[j] >= 1 && pair[j] <= rows && j <= columns).map(|j| (pair[j] - 1, j - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::assign;

    #[test]
    fn the_sum_is_greatest() {
        let weights = [vec![1.0, 0.9], vec![0.8, 0.1], vec![0.0, 0.0]];
        let mut pairs = assign(&weights);
        pairs.retain(|(i, j)| weights[*i][*j] > 0.0);
        pairs.sort_unstable();
        assert_eq!(pairs, [(0, 1), (1, 0)]);
        assert!(assign(&[]).is_empty());
    }
}
