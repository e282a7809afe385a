//! Which addresses have the same form? Addresses of a site → forms: one layout each, with its rows of cells.
//!
//! - [`Forms`]: all of them. - [`Form`]: one layout and its rows. - [`Sym`]: a text, as a number.
//!
//! An address costs its letters and four bytes a cell. Addresses that differ only in the order of parameters, a visit's
//! parameters or a trailing slash are one row; the others are kept beside it.

use super::markers::Markers;
use super::split::{NUMBER, Split, TEXT, is_delimiter};
use rustc_hash::FxHashMap;
use string_interner::backend::BufferBackend;
use string_interner::symbol::SymbolU32;
use string_interner::{StringInterner, Symbol};
use xxhash_rust::xxh3::xxh3_64;

/// The number of a text.
pub type Sym = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
}

/// What the layout says of a cell.
#[derive(Debug, Clone)]
pub struct Column {
    pub kind: Kind,
    /// The parameter whose value it is in; none in the path.
    pub parameter: Option<Box<str>>,
}

#[derive(Debug)]
pub struct Form {
    pub layout: Box<str>,
    pub columns: Vec<Column>,
    cells: Vec<Sym>,
    /// The address of each row, as a place in the list.
    pub urls: Vec<u32>,
    /// Other spellings: row, address.
    pub others: Vec<(u32, u32)>,
}

impl Form {
    fn new(layout: &str) -> Self {
        Self {
            layout: layout.into(),
            columns: columns(layout),
            cells: Vec::new(),
            urls: Vec::new(),
            others: Vec::new(),
        }
    }

    pub fn rows(&self) -> u32 {
        self.urls.len() as u32
    }

    pub fn cell(&self, row: u32, column: usize) -> Sym {
        self.cells[row as usize * self.columns.len() + column]
    }

    pub fn row(&self, row: u32) -> &[Sym] {
        let width = self.columns.len();
        &self.cells[row as usize * width..][..width]
    }

    /// Is it a number with nothing but a delimiter between it and the number before?
    pub fn follows_a_number(&self, column: usize) -> bool {
        let layout: Vec<char> = self.layout.chars().collect();
        let cells = layout.iter().enumerate().filter(|(_, c)| **c == NUMBER || **c == TEXT).map(|(at, _)| at);
        let Some(at) = cells.into_iter().nth(column) else { return false };
        let between = |at: usize| layout[at - 1] == '/' || is_delimiter(layout[at - 1]);
        layout[at] == NUMBER && at >= 2 && between(at) && layout[at - 2] == NUMBER
    }

    pub fn of(&self, kind: Kind) -> impl Iterator<Item = usize> + '_ {
        (0..self.columns.len()).filter(move |&column| self.columns[column].kind == kind)
    }
}

fn columns(layout: &str) -> Vec<Column> {
    let (path, query) = layout.split_once('?').unwrap_or((layout, ""));
    let kind = |c: char| match c {
        TEXT => Some(Kind::Text),
        NUMBER => Some(Kind::Number),
        _ => None,
    };
    let in_path = path.chars().filter_map(kind).map(|kind| Column { kind, parameter: None });
    let in_query = query.split('&').flat_map(|part| {
        let name = part.split('=').next().unwrap_or("");
        part.chars().filter_map(kind).map(move |kind| Column { kind, parameter: Some(name.into()) })
    });
    in_path.chain(in_query).collect()
}

/// Texts with their numbers. Hashes with a random seed: addresses come from strangers; numbers are in the order seen.
type Texts = StringInterner<BufferBackend<SymbolU32>>;

pub struct Forms<'l> {
    pub list: &'l [&'l str],
    texts: Texts,
    pub forms: Vec<Form>,
}

impl<'l> Forms<'l> {
    pub fn of(list: &'l [&'l str]) -> Self {
        let mut markers = Markers::default();
        list.iter().for_each(|url| markers.learn(url));
        let markers = markers.settle();
        let (mut texts, mut forms) = (Texts::new(), Vec::<Form>::new());
        let (mut by_layout, mut rows) = (FxHashMap::default(), FxHashMap::default());
        let (mut split, mut cells) = (Split::default(), Vec::new());
        for (at, url) in list.iter().enumerate() {
            if !split.read(url, &markers) {
                continue;
            }
            let layout = texts.get_or_intern(&split.layout);
            let form = *by_layout.entry(layout).or_insert_with(|| {
                forms.push(Form::new(&split.layout));
                forms.len() - 1
            });
            cells.clear();
            cells.extend(split.cells.iter().map(|cell| texts.get_or_intern(cell).to_usize() as Sym));
            let new = forms[form].rows();
            let row = *rows.entry(row_key(form, &cells)).or_insert(new);
            add(&mut forms[form], row, at as u32, &cells);
        }
        Self { list, texts, forms }
    }

    pub fn text(&self, sym: Sym) -> &str {
        SymbolU32::try_from_usize(sym as usize).and_then(|symbol| self.texts.resolve(symbol)).unwrap_or("")
    }

    /// The value of a cell of digits to this base.
    pub fn number(&self, sym: Sym, base: u32) -> u64 {
        u64::from_str_radix(self.text(sym), base).unwrap_or(0)
    }
}

fn row_key(form: usize, cells: &[Sym]) -> (u32, u64) {
    let bytes: Vec<u8> = cells.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    (form as u32, xxh3_64(&bytes))
}

fn add(form: &mut Form, row: u32, url: u32, cells: &[Sym]) {
    if row == form.rows() {
        form.cells.extend_from_slice(cells);
        form.urls.push(url);
    } else {
        form.others.push((row, url));
    }
}
