//! Which word belongs to which? Costs of pairing words → the least sum, every word paired once.
//!
//! - [`cheapest`]: the assignment problem, by successive shortest paths with potentials (the Hungarian method).

/// Names have fewer; with more words, order is part of the text. The method takes the cube of it.
pub const MOST_WORDS: usize = 12;

const FAR: usize = usize::MAX / 4;

/// Costs of giving a row to a column, those below `size` only.
pub type Costs = [[usize; MOST_WORDS]; MOST_WORDS];

pub fn cheapest(size: usize, table: Costs) -> usize {
    if size == 1 {
        return table[0][0];
    }
    if size == 2 {
        return (table[0][0] + table[1][1]).min(table[0][1] + table[1][0]);
    }
    let mut search =
        Search { table, size, owner: [FREE; MOST_WORDS + 1], rows: [0; MOST_WORDS + 1], columns: [0; MOST_WORDS + 1] };
    (0..size).for_each(|row| search.place(row));
    (0..size).map(|column| search.table[search.owner[column]][column]).sum()
}

const FREE: usize = usize::MAX;

struct Search {
    table: Costs,
    size: usize,
    /// The row that has a column; the last place is for the row under way.
    owner: [usize; MOST_WORDS + 1],
    rows: [isize; MOST_WORDS + 1],
    columns: [isize; MOST_WORDS + 1],
}

impl Search {
    /// Finds the cheapest way to give `row` a column, moving other rows where that is cheaper.
    fn place(&mut self, row: usize) {
        let start = self.size;
        let (mut least, mut before, mut used) =
            ([FAR as isize; MOST_WORDS], [start; MOST_WORDS], [false; MOST_WORDS + 1]);
        self.owner[start] = row;
        let mut at = start;
        while self.owner[at] != FREE {
            used[at] = true;
            let (next, step) = self.step(at, &mut least, &mut before, &used);
            for column in 0..=self.size {
                if used[column] {
                    self.rows[self.owner[column]] += step;
                    self.columns[column] -= step;
                } else if column < self.size {
                    least[column] -= step;
                }
            }
            at = next;
        }
        while at != start {
            self.owner[at] = self.owner[before[at]];
            at = before[at];
        }
        self.owner[start] = FREE;
    }

    /// The nearest column that was not reached yet, and how far it is.
    fn step(
        &self,
        at: usize,
        least: &mut [isize; MOST_WORDS],
        before: &mut [usize; MOST_WORDS],
        used: &[bool; MOST_WORDS + 1],
    ) -> (usize, isize) {
        let row = self.owner[at];
        let (mut next, mut step) = (0, FAR as isize);
        for column in (0..self.size).filter(|&column| !used[column]) {
            let reduced = self.table[row][column] as isize - self.rows[row] - self.columns[column];
            if reduced < least[column] {
                (least[column], before[column]) = (reduced, at);
            }
            if least[column] < step {
                (next, step) = (column, least[column]);
            }
        }
        (next, step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All ways to give rows columns.
    fn every_way(costs: &[Vec<usize>], row: usize, taken: &mut Vec<usize>) -> usize {
        if row == costs.len() {
            return 0;
        }
        let mut best = usize::MAX;
        for column in 0..costs.len() {
            if !taken.contains(&column) {
                taken.push(column);
                best = best.min(costs[row][column] + every_way(costs, row + 1, taken));
                taken.pop();
            }
        }
        best
    }

    proptest! {
        #[test]
        fn no_other_pairing_is_cheaper(size in 1usize..7, seed in proptest::collection::vec(0usize..20, 36)) {
            let costs: Vec<Vec<usize>> = (0..size).map(|row| (0..size).map(|column| seed[row * 6 + column]).collect()).collect();
            let mut table = [[0; MOST_WORDS]; MOST_WORDS];
            (0..size).for_each(|row| table[row][..size].copy_from_slice(&costs[row]));
            let found = cheapest(size, table);
            prop_assert_eq!(found, every_way(&costs, 0, &mut Vec::new()));
        }
    }
}
