//! Which words of a form are part of the route, and which belong to the entity? Rows of one form → leaves: rows that share
//! their route, with the column of the id.
//!
//! Column after column of text is decided by what the ids say of it, without a request:
//! - the same id under several values (`/overview/5`, `/tuition/5`): the values are views or routes: divide;
//! - ids repeat, always under the same value: the value is a category or name of the entity: leave it open;
//! - ids do not repeat, though ids given out independently would have met by chance: one series, leave it open.
//!
//! Where ids are too sparse to say anything: many values are names; values that a later, finer column determines are
//! categories; few values are routes.
//!
//! - [`Leaf`]: the answer. Does not know which leaves are the same entity: [`super::merge`] does.

use super::series::{self, Other};
use super::table::{Form, Forms, Kind, Sym};
use super::words;
use rustc_hash::{FxHashMap, FxHashSet};

/// Pages that a list has at most.
const LONGEST_LIST: u64 = 1000;

/// Ids among which a year stands out.
const FAR_ABOVE_YEARS: u64 = 20_000;

/// Rows of one form that share their route.
#[derive(Debug)]
pub struct Leaf {
    pub form: usize,
    pub rows: Vec<u32>,
    pub id: usize,
    /// 10, or 16 where ids are hexadecimal.
    pub base: u32,
    /// Are all ids days, as in `20150701`?
    pub dates: bool,
}

/// All leaves of all forms. Forms with many addresses go first: what they show of a word holds for the others.
pub fn leaves(forms: &Forms, fewest: usize) -> Vec<Leaf> {
    let mut order: Vec<usize> = (0..forms.forms.len()).collect();
    order.sort_by_key(|&form| (std::cmp::Reverse(forms.forms[form].rows()), form));
    let (names, mut open) = (names(forms), FxHashSet::default());
    let mut found = Vec::new();
    for at in order {
        let mut divider = Divider { forms, at, form: &forms.forms[at], names: &names, known_open: &mut open, fewest };
        divider.run(&mut found);
    }
    found.sort_by_key(|leaf| (leaf.form, leaf.rows[0]));
    found
}

/// In how many addresses each parameter has a number.
fn names<'f>(forms: &'f Forms) -> FxHashMap<&'f str, u32> {
    let mut names: FxHashMap<&str, u32> = FxHashMap::default();
    for form in &forms.forms {
        for column in form.of(Kind::Number) {
            if let Some(name) = &form.columns[column].parameter {
                *names.entry(name).or_default() += form.rows();
            }
        }
    }
    names
}

struct Node {
    rows: Vec<u32>,
    /// The first column not decided yet.
    next: usize,
    open: Vec<bool>,
}

struct Divider<'f> {
    forms: &'f Forms<'f>,
    at: usize,
    form: &'f Form,
    names: &'f FxHashMap<&'f str, u32>,
    fewest: usize,
    /// Words that some form has shown to belong to entities, as ids told.
    known_open: &'f mut FxHashSet<Sym>,
}

/// How ids and the values of a text column go together.
struct Bond {
    /// Distinct values, and distinct ids.
    values: usize,
    ids: usize,
    /// Ids in at least two rows; of them, those with at least two values.
    repeated: usize,
    several: usize,
    /// How many ids would have several values if each value had a series of its own.
    expected: f64,
}

impl Divider<'_> {
    fn run(&mut self, found: &mut Vec<Leaf>) {
        let mut nodes =
            vec![Node { rows: (0..self.form.rows()).collect(), next: 0, open: vec![false; self.form.columns.len()] }];
        // Not by recursion: an address may have many parts.
        while let Some(node) = nodes.pop() {
            if node.rows.len() >= self.fewest {
                self.step(node, &mut nodes, found);
            }
        }
    }

    fn step(&mut self, mut node: Node, nodes: &mut Vec<Node>, found: &mut Vec<Leaf>) {
        let Some(id) = self.id(&node) else {
            found.extend(self.hexadecimal(node));
            return;
        };
        while node.next < self.form.columns.len() {
            let column = node.next;
            node.next += 1;
            if column == id
                || self.form.columns[column].kind == Kind::Number && !self.is_a_series_each(&node, column, id)
            {
                continue;
            }
            let by_value = self.by_value(&node.rows, column);
            if by_value.len() == 1 {
                continue;
            }
            if self.form.columns[column].kind == Kind::Text && self.is_open(&node, column, id) {
                node.open[column] = true;
                continue;
            }
            let (next, open) = (node.next, node.open);
            let parts = by_value.into_values().map(|rows| Node { rows, next, open: open.clone() });
            nodes.extend(parts);
            return;
        }
        self.finish(node, found);
    }

    /// Does each value of another number in the path have a series of ids of its own (`/2014/driver_05`, `/2015/driver_05`)?
    /// Page numbers do not: they are views of one entity.
    fn is_a_series_each(&self, node: &Node, column: usize, id: usize) -> bool {
        // What holds a series stands before its ids.
        if column > id || self.form.columns[column].parameter.is_some() {
            return false;
        }
        // With names beside it the number may be one of many that only together say which page is meant.
        let mut texts = self.form.of(Kind::Text).filter(|&text| self.form.columns[text].parameter.is_none());
        if texts.any(|text| self.distinct(&node.rows, text) > 1) {
            return false;
        }
        let bond = self.bond(&node.rows, column, id);
        let repeated = bond.repeated * 5 >= bond.ids && bond.several * 3 >= bond.repeated;
        let few = bond.values > 1 && bond.values as f64 <= (node.rows.len() as f64).sqrt();
        let view =
            || matches!(series::other(&self.numbers(&node.rows, column), 2), Some(Other::Offsets | Other::Counter));
        repeated && few && !view()
    }

    fn by_value(&self, rows: &[u32], column: usize) -> FxHashMap<Sym, Vec<u32>> {
        let mut by_value: FxHashMap<Sym, Vec<u32>> = FxHashMap::default();
        for &row in rows {
            by_value.entry(self.form.cell(row, column)).or_default().push(row);
        }
        by_value
    }

    /// The column of numbers with the most values that no name or spread speaks against (thesis 3.1.5: the largest set).
    fn id(&self, node: &Node) -> Option<usize> {
        let mut columns: Vec<(usize, usize)> =
            self.form.of(Kind::Number).map(|c| (self.distinct(&node.rows, c), c)).collect();
        let common = |column: usize| {
            self.form.columns[column]
                .parameter
                .as_deref()
                .and_then(|name| self.names.get(name))
                .copied()
                .unwrap_or(u32::MAX)
        };
        // Of columns with as many values the one whose name more addresses have.
        columns.sort_by_key(|&(distinct, column)| (std::cmp::Reverse((distinct, common(column))), column));
        let largest = |column: usize| {
            node.rows.iter().map(|&row| self.forms.number(self.form.cell(row, column), 10)).max().unwrap_or(0)
        };
        // `p` is a page of a list on some sites and a post on others; lists are short.
        let named = |column: usize| {
            let parameter = self.form.columns[column].parameter.as_deref();
            !parameter.is_some_and(|name| words::not_an_id(name) || name == "p" && largest(column) < LONGEST_LIST)
        };
        let fit = columns.into_iter().filter(|&(distinct, column)| {
            distinct >= self.fewest && named(column) && !self.is_part_of_a_date(&node.rows, column)
        });
        fit.map(|(_, column)| column)
            .find(|&column| series::other(&self.numbers(&node.rows, column), self.fewest).is_none())
    }

    /// Is it the month or the day of `/2015/07/01/` or `sprint-2015-07-01`? Numbers with nothing but a delimiter between them, behind a year.
    fn is_part_of_a_date(&self, rows: &[u32], column: usize) -> bool {
        let numbers = |column: usize| rows.iter().map(move |&row| self.forms.number(self.form.cell(row, column), 10));
        let within = |column: usize, most: u64| numbers(column).all(|number| (1..=most).contains(&number));
        let follows = |column: usize| column >= 1 && self.form.follows_a_number(column);
        let year = |column: usize| series::are_years(&numbers(column).collect::<Vec<_>>());
        let month = |column: usize| follows(column) && within(column, 12) && year(column - 1);
        month(column) || follows(column) && within(column, 31) && month(column - 1)
    }

    fn distinct(&self, rows: &[u32], column: usize) -> usize {
        rows.iter().map(|&row| self.form.cell(row, column)).collect::<FxHashSet<Sym>>().len()
    }

    /// The numbers of a column, each with a hash of the rest of its row.
    fn numbers(&self, rows: &[u32], column: usize) -> Vec<(u64, u64)> {
        let beside = |row: u32| {
            let cells = self.form.row(row).iter().enumerate().filter(|(at, _)| *at != column);
            cells.fold(0_u64, |hash, (_, &cell)| {
                (hash.rotate_left(5) ^ u64::from(cell)).wrapping_mul(0x517c_c1b7_2722_0a95)
            })
        };
        rows.iter().map(|&row| (self.forms.number(self.form.cell(row, column), 10), beside(row))).collect()
    }

    fn is_open(&mut self, node: &Node, column: usize, id: usize) -> bool {
        let bond = self.bond(&node.rows, column, id);
        let names = (node.rows.len() as f64).sqrt().max(20.0);
        if bond.values as f64 > names {
            // Names stand once or twice; words that stand often are categories, which other forms may have too.
            if bond.values * 3 < node.rows.len() {
                self.known_open.extend(node.rows.iter().map(|&row| self.form.cell(row, column)));
            }
            return true;
        }
        if let Some(parameter) = &self.form.columns[column].parameter {
            // Other parameters add to a page; only some names choose one.
            return !words::chooses_page(parameter);
        }
        if let Some(open) = self.told_by_ids(node, column, id, &bond) {
            if open {
                self.known_open.extend(node.rows.iter().map(|&row| self.form.cell(row, column)));
            }
            return open;
        }
        if column > id || self.is_known_open(node, column) {
            return true;
        }
        let many = bond.values * 2 >= bond.ids || bond.values as f64 > names / 2.0;
        !self.is_first(column) && (many || self.is_finer_below(node, column, bond.values))
    }

    /// None when the ids are too few or too far apart to say anything.
    fn told_by_ids(&self, node: &Node, column: usize, id: usize, bond: &Bond) -> Option<bool> {
        if bond.repeated * 5 >= bond.ids {
            return Some(bond.several * 3 < bond.repeated || self.names_a_number(node, column, id));
        }
        if bond.expected >= 4.0 {
            return Some((bond.several as f64) < bond.expected * 0.2);
        }
        (bond.several == 0 && !self.is_first(column) && self.begin_late(&node.rows, column, id)).then_some(true)
    }

    /// Ids that are counted for each value begin near 1 for each. Do they begin far above, for all values, in one range? Then they are
    /// counted for all values together (`/news/sport/…-17432`, `/news/film/…-17433`).
    fn begin_late(&self, rows: &[u32], column: usize, id: usize) -> bool {
        let mut spans: FxHashMap<Sym, (u64, u64, u64)> = FxHashMap::default();
        for &row in rows {
            let number = self.forms.number(self.form.cell(row, id), 10);
            let span = spans.entry(self.form.cell(row, column)).or_insert((u64::MAX, 0, 0));
            *span = (span.0.min(number), span.1.max(number), span.2 + 1);
        }
        let spans: Vec<_> = spans.into_values().filter(|(_, _, count)| *count >= 3).collect();
        let first = spans.iter().map(|span| span.0).max().unwrap_or(0);
        let last = spans.iter().map(|span| span.1).min().unwrap_or(0);
        spans.len() >= 3 && first < last && spans.iter().all(|(first, _, count)| *first > 10 * count)
    }

    fn is_known_open(&self, node: &Node, column: usize) -> bool {
        let open = node.rows.iter().filter(|&&row| self.known_open.contains(&self.form.cell(row, column))).count();
        open * 2 > node.rows.len()
    }

    /// Is it the name of another number (`/t/12/4/Kid-Friendly`)? Each value of that number goes with one text.
    fn names_a_number(&self, node: &Node, column: usize, id: usize) -> bool {
        self.form.of(Kind::Number).filter(|&number| number != id).any(|number| {
            let bond = self.bond(&node.rows, column, number);
            bond.ids > 1 && bond.values > 1 && bond.repeated * 2 >= bond.ids && bond.several * 10 <= bond.repeated
        })
    }

    fn is_first(&self, column: usize) -> bool {
        self.form.of(Kind::Text).next() == Some(column)
    }

    fn bond(&self, rows: &[u32], column: usize, id: usize) -> Bond {
        let mut by_id: FxHashMap<Sym, (Sym, u32, bool)> = FxHashMap::default();
        let mut sizes: FxHashMap<Sym, usize> = FxHashMap::default();
        for &row in rows {
            let value = self.form.cell(row, column);
            *sizes.entry(value).or_default() += 1;
            let seen = by_id.entry(self.form.cell(row, id)).or_insert((value, 0, false));
            *seen = (seen.0, seen.1 + 1, seen.2 || seen.0 != value);
        }
        let mut numbers: Vec<u64> = by_id.keys().map(|&sym| self.forms.number(sym, 10)).collect();
        numbers.sort_unstable();
        let same: f64 = sizes.values().map(|&size| (size as f64 / rows.len() as f64).powi(2)).sum();
        Bond {
            values: sizes.len(),
            ids: by_id.len(),
            repeated: by_id.values().filter(|seen| seen.1 > 1).count(),
            several: by_id.values().filter(|seen| seen.2).count(),
            expected: meetings(&numbers) * (1.0 - same),
        }
    }

    /// Does a later column of text, finer than this one and repeating itself, always go with one value of this one? Then
    /// both are categories (`/europe/france/…`).
    fn is_finer_below(&self, node: &Node, column: usize, values: usize) -> bool {
        let later =
            self.form.of(Kind::Text).filter(|&later| later > column && self.form.columns[later].parameter.is_none());
        later.into_iter().any(|later| {
            let bond = self.bond(&node.rows, column, later);
            bond.ids > values && bond.repeated * 5 >= bond.ids && bond.several * 20 <= bond.repeated
        })
    }

    fn finish(&self, mut node: Node, found: &mut Vec<Leaf>) {
        let Some(id) = self.id(&node) else { return };
        self.leave_out_years(&mut node, id);
        if self.needs_text(&node, id) {
            return;
        }
        let dates = node.rows.iter().all(|&row| series::is_day(self.forms.number(self.form.cell(row, id), 10)));
        found.push(Leaf { form: self.at, rows: node.rows, id, base: 10, dates });
    }

    /// `cars-kia-rio-2005` beside `cars-kia-rio-2010-base-322988`: where all other numbers are far above, years are part of names.
    fn leave_out_years(&self, node: &mut Node, id: usize) {
        let number = |row: &u32| self.forms.number(self.form.cell(*row, id), 10);
        let (years, others): (Vec<u32>, Vec<u32>) = node.rows.iter().partition(|row| series::is_year(number(row)));
        let above = others.iter().all(|row| number(row) > FAR_ABOVE_YEARS);
        let ids = others.iter().map(number).collect::<FxHashSet<u64>>().len();
        if !years.is_empty() && above && ids >= self.fewest {
            node.rows = others;
        }
    }

    /// Rows without a number, but with one column of hexadecimal ids, and the same text in all others before it.
    fn hexadecimal(&self, node: Node) -> Option<Leaf> {
        let texts = |column: usize| node.rows.iter().map(move |&row| self.forms.text(self.form.cell(row, column)));
        let id = self.form.of(Kind::Text).find(|&column| series::are_hexadecimal(texts(column), self.fewest))?;
        let same = |column: usize| self.by_value(&node.rows, column).len() == 1;
        let alone = self.form.of(Kind::Text).filter(|&column| column < id).all(same);
        alone.then_some(Leaf { form: self.at, rows: node.rows, id, base: 16, dates: false })
    }

    /// Does the same number stand beside many texts? Then the number alone does not say which page is meant, and no text
    /// can be made up for new ones (thesis 3.1).
    fn needs_text(&self, node: &Node, id: usize) -> bool {
        let open = self.form.of(Kind::Text).filter(|&c| node.open[c] && self.form.columns[c].parameter.is_none());
        open.into_iter().any(|column| {
            let bond = self.bond(&node.rows, column, id);
            bond.repeated * 4 >= bond.ids && bond.several * 2 >= bond.repeated
        })
    }
}

/// How many pairs of equal numbers are to be expected if they were drawn independently from the range they span; the
/// outer twentieths are left out, since a single far number would make any range wide.
fn meetings(sorted: &[u64]) -> f64 {
    let cut = sorted.len() / 20;
    let inner = &sorted[cut..sorted.len() - cut];
    match (inner.first(), inner.last()) {
        (Some(first), Some(last)) if last > first => (inner.len() as f64).powi(2) / 2.0 / (last - first) as f64,
        _ => 0.0,
    }
}
