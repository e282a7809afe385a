//! Which addresses stand or fall together? Addresses of one shape form a cell; cells whose folders alone differ form an outline.
//!
//! Parameter values that take few different values are names, as folders are; others are values.

use super::memory::{Known, UrlId};
use super::shape::{Form, Shape};
use rustc_hash::{FxHashMap, FxHashSet};

pub type CellId = u32;
pub type OutlineId = u32;

/// A folder with at least so many names holds years, letters or categories, not types.
const MANY: usize = 20;

/// Different values a parameter may take and still be a name, whatever their number.
const FEW: usize = 5;

#[derive(Default)]
pub struct Cells {
    ids: FxHashMap<String, CellId>,
    outline_ids: FxHashMap<String, OutlineId>,
    pub cells: Vec<Cell>,
    pub of_url: Vec<CellId>,
    values: FxHashMap<(String, String), FxHashMap<String, usize>>,
    built_at: usize,
    folders: FxHashMap<(OutlineId, Form), FxHashSet<String>>,
    tree: FxHashMap<(String, Form), FxHashSet<String>>,
}

pub struct Cell {
    pub name: String,
    pub outline: OutlineId,
    pub folders: Vec<String>,
    pub form: Form,
    extension: String,
    pub members: Vec<UrlId>,
}

impl Cells {
    /// Takes in addresses not seen before; builds anew when they have become many, because then what is a name may have changed.
    pub fn update(&mut self, urls: &[Known]) {
        for known in &urls[self.of_url.len().max(self.counted())..] {
            self.count(&known.shape);
        }
        if urls.len() > self.built_at + self.built_at / 4 + 20 {
            self.ids.clear();
            self.cells.clear();
            self.of_url.clear();
            self.outline_ids.clear();
            self.folders.clear();
            self.tree.clear();
            self.built_at = urls.len();
        }
        for (id, known) in urls.iter().enumerate().skip(self.of_url.len()) {
            let cell = self.cell(&known.shape);
            self.cells[cell as usize].members.push(id as UrlId);
            self.of_url.push(cell);
        }
    }

    fn counted(&self) -> usize {
        self.of_url.len()
    }

    fn count(&mut self, shape: &Shape) {
        for (name, value) in &shape.parameters {
            let path = format!("{}/{}", shape.folders.join("/"), shape.last);
            *self.values.entry((path, name.clone())).or_default().entry(value.clone()).or_default() += 1;
        }
    }

    fn cell(&mut self, shape: &Shape) -> CellId {
        let path = format!("{}/{}", shape.folders.join("/"), shape.last);
        let script = !shape.parameters.is_empty();
        let values = &self.values;
        let is_name = |parameter: &str, value: &str| {
            if parameter.is_empty() {
                return script;
            }
            let Some(known) = values.get(&(path.clone(), parameter.to_owned())) else { return false };
            let total: usize = known.values().sum();
            Form::of(value) == Form::Word && known.len() <= FEW.max(total / 10)
        };
        let name = shape.cell(is_name);
        if let Some(&id) = self.ids.get(&name) {
            return id;
        }
        let next = self.outline_ids.len() as OutlineId;
        let outline = *self.outline_ids.entry(shape.outline()).or_insert(next);
        let form = Form::of(&shape.last);
        self.folders.entry((outline, form)).or_default().insert(shape.folders.join("/"));
        self.tree.entry((shape.extension.clone(), form)).or_default().insert(shape.folders.join("/"));
        let id = self.cells.len() as CellId;
        self.cells.push(Cell {
            name: name.clone(),
            outline,
            folders: shape.kinds_of_folders().into_iter().map(str::to_owned).collect(),
            form,
            extension: shape.extension.clone(),
            members: Vec::new(),
        });
        self.ids.insert(name, id);
        id
    }

    /// May what is known of one cell be said of the other? They differ in one folder, or in a folder tree of many branches.
    pub fn siblings(&self, a: CellId, b: CellId) -> bool {
        let (one, other) = (&self.cells[a as usize], &self.cells[b as usize]);
        if one.outline != other.outline || one.form != other.form {
            return false;
        }
        let apart = one.folders.iter().zip(&other.folders).filter(|(x, y)| x != y).count();
        apart <= 1 || self.folder_names(a) >= MANY
    }

    /// Do the folders in which two cells differ name a year, a letter, a category rather than a type? Years and letters look
    /// like it; other names do when there are many.
    pub fn differ_by_category(&self, a: CellId, b: CellId) -> bool {
        let (one, other) = (&self.cells[a as usize], &self.cells[b as usize]);
        if one.form != other.form || one.folders == other.folders {
            return false;
        }
        let mut apart = one.folders.iter().zip(&other.folders).filter(|(x, y)| x != y);
        let ordered = |name: &str| name.len() <= 2 || name.bytes().any(|b| b.is_ascii_digit());
        if one.outline != other.outline {
            return self.in_tree(a) >= MANY;
        }
        self.folder_names(a) >= MANY || apart.all(|(x, y)| ordered(x) && ordered(y))
    }

    /// How many different folders, however deep, hold addresses of the cell's form and extension?
    fn in_tree(&self, cell: CellId) -> usize {
        let cell = &self.cells[cell as usize];
        self.tree.get(&(cell.extension.clone(), cell.form)).map_or(0, FxHashSet::len)
    }

    /// How many different folders hold addresses of the cell's outline and form?
    fn folder_names(&self, cell: CellId) -> usize {
        let cell = &self.cells[cell as usize];
        self.folders.get(&(cell.outline, cell.form)).map_or(0, FxHashSet::len)
    }
}
