//! Which rows have this value, or one like it? A column of the reference in normal form, each value once.
//!
//! - [`Known`]: values, the rows that have them, and the index for values that are alike.
//!
//! Nothing alike is lost: see [`segments`](super::segments) for the proof.

use super::alike::Asked;
use super::normal::{Normal, normal};
use super::reference::{Reference, Texts};
use super::rules::Compare;
use super::segments::Segments;
use rayon::prelude::*;

/// No value in this row.
const NONE: u32 = u32::MAX;

pub struct Known {
    /// Sorted.
    pub values: Texts,
    /// In characters.
    lengths: Vec<u16>,
    of_row: Vec<u32>,
    /// Where the rows of each value begin.
    starts: Vec<u32>,
    rows: Vec<u32>,
    segments: Option<Segments>,
}

impl Known {
    pub fn new(reference: &Reference, column: usize, steps: &[Normal]) -> Self {
        let forms: Vec<String> =
            (0..reference.rows()).into_par_iter().map(|row| normal(reference.cell(row, column), steps)).collect();
        let mut rows: Vec<u32> = (0..forms.len() as u32).filter(|&row| !forms[row as usize].is_empty()).collect();
        rows.par_sort_unstable_by(|&a, &b| forms[a as usize].cmp(&forms[b as usize]).then(a.cmp(&b)));
        let mut known = Self {
            values: Texts::default(),
            lengths: Vec::new(),
            of_row: vec![NONE; forms.len()],
            starts: Vec::new(),
            rows: Vec::new(),
            segments: None,
        };
        for (at, &row) in rows.iter().enumerate() {
            let form = &forms[row as usize];
            if at == 0 || forms[rows[at - 1] as usize] != *form {
                known.starts.push(at as u32);
                known.lengths.push(form.chars().count() as u16);
                // As large as the column it was made of, or smaller, but for forms that grow: those stay unknown.
                if !known.values.push(form) {
                    break;
                }
            }
            known.of_row[row as usize] = known.values.len() as u32 - 1;
        }
        known.starts.push(rows.len() as u32);
        known.rows = rows;
        known
    }

    /// Makes ready for values that are alike to this degree and above.
    pub fn index(&mut self, least: f64, compare: Compare) {
        if self.segments.as_ref().is_none_or(|segments| segments.least > least) {
            self.segments = Some(Segments::new(&self.values, least, compare));
        }
    }

    /// Rows that have a value.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    pub fn exact(&self, form: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.values.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.values.get(middle).cmp(form) {
                std::cmp::Ordering::Equal => return Some(middle as u32),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    pub fn of_row(&self, row: u32) -> Option<u32> {
        Some(self.of_row[row as usize]).filter(|&value| value != NONE)
    }

    pub fn rows(&self, value: u32) -> &[u32] {
        &self.rows[self.starts[value as usize] as usize..self.starts[value as usize + 1] as usize]
    }

    /// In characters.
    pub fn length(&self, value: u32) -> usize {
        self.lengths[value as usize] as usize
    }

    pub fn degree(&self, asked: &Asked, value: u32, least: f64) -> Option<f64> {
        asked.degree(self.values.get(value as usize), self.length(value), least)
    }

    /// All values that are alike to this degree or more, with their degrees, by number.
    pub fn alike(&self, asked: &Asked, least: f64) -> Vec<(u32, f64)> {
        let verified = |value: u32| self.degree(asked, value, least).map(|degree| (value, degree));
        match &self.segments {
            Some(segments) if segments.least <= least => {
                segments.candidates(asked).into_iter().filter_map(verified).collect()
            }
            _ => (0..self.values.len() as u32).filter_map(verified).collect(),
        }
    }
}
