//! What is known? Rows of a list, as they were read, column by column.
//!
//! - [`Reference`]: the list. - [`Texts`]: many texts in one piece of memory.
//!
//! An empty cell is a missing value. Does not know where the rows come from.

use super::rules::folded;

/// Bytes of one column: places in it are 32 bits.
const MOST_BYTES: usize = u32::MAX as usize;

#[derive(Debug, Clone, Default)]
pub struct Reference {
    pub columns: Vec<String>,
    cells: Vec<Texts>,
    rows: usize,
}

impl Reference {
    pub fn new(columns: Vec<String>) -> Self {
        let cells = columns.iter().map(|_| Texts::default()).collect();
        Self { columns, cells, rows: 0 }
    }

    /// Cells beyond the columns are dropped, cells that lack are missing values. False when the column is full.
    #[must_use]
    pub fn push<'c>(&mut self, cells: impl IntoIterator<Item = &'c str>) -> bool {
        let mut given = cells.into_iter();
        let mut fits = true;
        for texts in &mut self.cells {
            fits &= texts.push(given.next().unwrap_or("").trim());
        }
        self.rows += 1;
        fits
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// By its name, however it is written.
    pub fn column(&self, name: &str) -> Option<usize> {
        let wanted = folded(name);
        self.columns.iter().position(|column| folded(column) == wanted)
    }

    pub fn cell(&self, row: usize, column: usize) -> &str {
        self.cells[column].get(row)
    }

    /// Name and value of every cell that has one.
    pub fn row(&self, row: usize) -> Vec<(String, String)> {
        let cells = self.columns.iter().enumerate().map(|(at, name)| (name.clone(), self.cell(row, at).to_owned()));
        cells.filter(|(_, value)| !value.is_empty()).collect()
    }
}

/// Many texts, one after the other.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    text: String,
    ends: Vec<u32>,
}

impl Texts {
    #[must_use]
    pub fn push(&mut self, text: &str) -> bool {
        let fits = self.text.len() + text.len() <= MOST_BYTES && self.ends.len() < u32::MAX as usize;
        if fits {
            self.text.push_str(text);
        }
        self.ends.push(self.text.len() as u32);
        fits
    }

    #[inline]
    pub fn get(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.text[start..self.ends[at] as usize]
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_again() {
        let mut reference = Reference::new(vec!["Approval No".to_owned(), "name".to_owned()]);
        assert!(reference.push(["H1", " Zenadol "]) && reference.push(["H2"]) && reference.push(["", "x", "y"]));
        assert_eq!((reference.rows(), reference.column("approval_no")), (3, Some(0)));
        assert_eq!((reference.cell(0, 1), reference.cell(1, 1), reference.cell(2, 1)), ("Zenadol", "", "x"));
        assert_eq!(reference.row(2), [("name".to_owned(), "x".to_owned())]);
    }
}
