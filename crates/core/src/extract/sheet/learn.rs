//! How is a table learned? A class of pages → slots, and what cuts its pages.

use super::super::apply::rounded;
use super::super::class::Class;
use super::super::leaves::{Paths, path_hash};
use super::super::naming::{Names, key_name, snake};
use super::super::tables::Column;
use super::super::weights::UNLABELLED;
use super::super::wrapper::Slot;
use super::super::{Source, value};
use super::cut::{Known, cut};
use super::fields::{self, Field, Mode, Pages, plain};
use super::rows::{self, Rows};
use super::{Rule, Take, data, names, sieve, title};
use crate::page::dom::{Document, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// What cuts a page, as a wrapper keeps it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cuts {
    /// Texts of the template, as labels are written.
    pub anchors: Vec<String>,
    /// Paths whose texts begin with labels.
    pub colons: Vec<String>,
    /// Paths of values, where no text is one of the template.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub values: Vec<String>,
    /// Paths of elements that authors fill.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub authored: Vec<String>,
}

pub struct Learned {
    pub slots: Vec<Slot>,
    pub cuts: Cuts,
}

/// `columns`: of the tables that pages show as such, with the share of the pages.
pub fn learn(class: &Class, columns: Vec<(Column, f64)>) -> Learned {
    let known = fields::known(class);
    let mut pages = Pages { class, pieces: pieces(class, &known, &columns), titles: Vec::new() };
    let first = fields::fields(&pages);
    if let Some(at) = title::title(class, &first) {
        pages.titles = first[at]
            .cells
            .iter()
            .map(|cells| cells.first().map_or_else(String::new, |cell| plain(&cell.text)))
            .collect();
    }
    let mut fields = fields::fields(&pages);
    sieve::skip_common(&mut fields);
    let title = title::title(class, &fields);
    let left = sieve::facts(&pages, &fields, title);
    let left = sieve::without_languages(class, &fields, left, title);
    let told = data::own(class, &fields, &left);
    let left = sieve::without_summaries(&fields, left, title, &told);
    let tables = rows::rows(&pages, &mut fields, &left);
    let left = sieve::without_template(&fields, left, title);
    let mut writer = Writer {
        pages: &pages,
        known: &known,
        names: Names::new(class),
        labels: names::label_texts(&pages),
        slots: Vec::new(),
    };
    writer.write(&fields, &left, title, &tables);
    writer.columns(columns);
    writer.data(told);
    let slots = writer.slots;
    Learned { slots, cuts: cuts(class, &known) }
}

/// Without those of tables that are read as such.
fn pieces(class: &Class, known: &Known, columns: &[(Column, f64)]) -> Vec<Vec<super::cut::Piece>> {
    let of_page = |page: usize| {
        let document = &class.documents[page];
        let tables = class.tables[page].iter().filter(|table| {
            let path = table.written(document, &known.steps);
            columns.iter().any(|(column, _)| column.is_of(&path, &table.headers))
        });
        let inside: FxHashSet<NodeId> = tables.flat_map(|table| document.descendants(table.node)).collect();
        let mut pieces = cut(document, &class.pages[page], known);
        pieces.retain(|piece| !inside.contains(&piece.node));
        pieces
    };
    (0..class.pages.len()).map(of_page).collect()
}

/// Hashes become texts and paths again.
fn cuts(class: &Class, known: &Known) -> Cuts {
    let (mut anchors, mut colons, mut values) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
    for (document, page) in class.documents.iter().zip(&class.pages) {
        for leaf in &page.list {
            if known.anchors.contains(&leaf.word) {
                anchors.entry(leaf.word).or_insert_with(|| super::super::leaves::label_of(&leaf.text));
            }
            if known.colons.contains(&leaf.path) {
                colons.entry(leaf.path).or_insert_with(|| known.steps.written(document, leaf.node));
            }
            if known.values.contains(&leaf.path) {
                values.entry(leaf.path).or_insert_with(|| known.steps.written(document, leaf.node));
            }
        }
    }
    let authored = authored_paths(class, known);
    let sorted = |of: FxHashMap<u64, String>| {
        let mut all: Vec<String> = of.into_values().collect();
        all.sort();
        all
    };
    Cuts { anchors: sorted(anchors), colons: sorted(colons), values: sorted(values), authored: sorted(authored) }
}

fn authored_paths(class: &Class, known: &Known) -> FxHashMap<u64, String> {
    let mut authored = FxHashMap::default();
    for document in class.documents.iter().filter(|_| !known.authored.is_empty()) {
        let mut paths = Paths::new(document, &known.steps);
        for node in document.descendants(Document::ROOT).filter(|&node| !document.name(node).is_empty()) {
            let path = paths.of(node);
            if known.authored.contains(&path) {
                authored.entry(path).or_insert_with(|| known.steps.written(document, node));
            }
        }
    }
    authored
}

struct Writer<'w> {
    pages: &'w Pages<'w>,
    known: &'w Known,
    names: Names<'w>,
    labels: FxHashMap<u64, String>,
    slots: Vec<Slot>,
}

impl Writer<'_> {
    fn write(&mut self, fields: &[Field], left: &[usize], title: Option<usize>, tables: &[Rows]) {
        let tabled = |at: usize| tables.iter().position(|table| table.fields.contains(&at));
        if let Some(at) = title {
            let name = self.names.numbered("title".to_owned());
            let slot = self.slot(&fields[at], name, Source::Title);
            self.slots.push(Slot { title: true, many: false, ..slot });
        }
        for &at in left.iter().filter(|&&at| Some(at) != title && tabled(at).is_none()) {
            let label = fields[at].labels.first().and_then(|label| self.labels.get(label));
            let (name, source) = names::of_field(&self.names, self.pages, self.known, &fields[at], label);
            let name = self.names.numbered(name);
            let slot = self.slot(&fields[at], name, source);
            self.slots.push(slot);
        }
        for table in tables {
            self.table(fields, table);
        }
    }

    /// The columns of rows that repeat in an element.
    fn table(&mut self, fields: &[Field], table: &Rows) {
        let name = self.table_name(&fields[table.fields[0]]);
        let name = self.names.numbered(name);
        let mut used = Names::new(self.pages.class);
        for &at in &table.fields {
            let field = &fields[at];
            let own =
                field.labels.first().filter(|_| self.has_own_labels(field)).and_then(|label| self.labels.get(label));
            let (column, source) = names::of_field(&self.names, self.pages, self.known, field, own);
            let column = used.numbered(column);
            let slot = self.slot(field, format!("{name}.{column}"), source);
            self.slots.push(Slot { table: Some(name.clone()), ..slot });
        }
    }

    /// Does each row have the label, and not the whole table one?
    fn has_own_labels(&self, field: &Field) -> bool {
        let (mut all, mut shared) = (0, 0);
        for (page, cells) in field.cells.iter().enumerate() {
            for pair in cells.windows(2) {
                let leaf = |at: usize| self.pages.pieces[page][pair[at].piece as usize].label_leaf;
                all += 1;
                shared += usize::from(leaf(0) == leaf(1));
            }
        }
        shared * 2 < all
    }

    fn table_name(&self, field: &Field) -> String {
        let several = field.cells.iter().enumerate().find(|(_, cells)| cells.len() > 1);
        let Some((page, cells)) = several else { return "rows".to_owned() };
        let document = &self.pages.class.documents[page];
        let node = |at: usize| self.pages.pieces[page][cells[at].piece as usize].node;
        let Some(around) = rows::common(document, node(0), node(cells.len() - 1)) else { return "rows".to_owned() };
        let label = field
            .labels
            .first()
            .filter(|_| !self.has_own_labels(field))
            .and_then(|label| self.labels.get(label).cloned());
        let heading = || names::heading_above(self.pages.class, self.known, page, around);
        let name = label.filter(|label| names::is_name(label)).or_else(heading).map(|label| snake(&label));
        name.or_else(|| names::telling_class(document, self.known, around)).unwrap_or_else(|| "rows".to_owned())
    }

    /// Tables that pages show as such.
    fn columns(&mut self, columns: Vec<(Column, f64)>) {
        let mut tables: Vec<(Column, String)> = Vec::new();
        for (column, share) in columns {
            let known = tables.iter().find(|(other, _)| other.table == column.table && other.headers == column.headers);
            let table = known.map(|(_, name)| name.clone()).unwrap_or_else(|| {
                let name = self.shown_name(&column).unwrap_or_else(|| "table".to_owned());
                let name = self.names.numbered(name);
                tables.push((column.clone(), name.clone()));
                name
            });
            let slot = Slot {
                name: format!("{table}.{}", snake(&column.header)),
                labels: vec![column.header.clone()],
                source: Source::Table,
                confidence: UNLABELLED,
                fill: rounded(share),
                many: true,
                table: Some(table),
                column: Some(column),
                ..Slot::default()
            };
            self.slots.push(slot);
        }
    }

    /// What pages tell machines and show nobody, as far as it is about the subject.
    fn data(&mut self, told: Vec<data::Told>) {
        for (key, values) in told {
            let name = self.names.numbered(key_name(&key));
            let fill = rounded(values.len() as f64 / self.pages.class.pages.len() as f64);
            let source = Source::Data;
            self.slots.push(Slot { name, source, confidence: UNLABELLED, fill, data: Some(key), ..Slot::default() });
        }
    }

    fn shown_name(&self, column: &Column) -> Option<String> {
        let class = self.pages.class;
        for (page, tables) in class.tables.iter().enumerate() {
            let document = &class.documents[page];
            let of = |table: &&super::super::tables::Table| {
                column.is_of(&table.written(document, &self.known.steps), &table.headers)
            };
            if let Some(table) = tables.iter().find(of) {
                let heading = names::heading_above(class, self.known, page, table.node).map(|label| snake(&label));
                return heading.or_else(|| names::telling_class(document, self.known, table.node));
            }
        }
        None
    }

    fn slot(&self, field: &Field, name: String, source: Source) -> Slot {
        let labels: Vec<String> = field.labels.iter().filter_map(|label| self.labels.get(label).cloned()).collect();
        Slot {
            name,
            labels,
            source,
            confidence: UNLABELLED,
            fill: rounded(field.fill()),
            many: field.is_list(),
            typed: typed(field),
            day_first: value::day_first(field.cells.iter().flatten().map(|cell| cell.text.as_str())),
            pieces: std::iter::once(field).chain(&field.also).filter_map(|field| self.rule(field)).collect(),
            ..Slot::default()
        }
    }

    /// The labels that its pieces have; an empty one where some have none.
    fn met_labels(&self, field: &Field) -> Vec<String> {
        let met = |(page, cells): (usize, &Vec<fields::Cell>)| {
            cells.iter().map(move |cell| self.pages.pieces[page][cell.piece as usize].label).collect::<Vec<_>>()
        };
        let words: std::collections::BTreeSet<u64> = field.cells.iter().enumerate().flat_map(met).collect();
        words.into_iter().map(|word| self.labels.get(&word).cloned().unwrap_or_default()).collect()
    }

    /// A cell of the field itself, and not of one that shows the same fact elsewhere.
    fn own_sample<'f>(&self, field: &'f Field) -> Option<(usize, &'f fields::Cell)> {
        let mut cells =
            field.cells.iter().enumerate().flat_map(|(page, cells)| cells.iter().map(move |cell| (page, cell)));
        let is_own =
            |(page, cell): &(usize, &fields::Cell)| self.pages.pieces[*page][cell.piece as usize].path == field.path;
        cells.find(is_own).or_else(|| field.sample())
    }

    fn rule(&self, field: &Field) -> Option<Rule> {
        let labels = self.met_labels(field);
        let (page, cell) = self.own_sample(field)?;
        let (document, class) = (&self.pages.class.documents[page], self.pages.class);
        let piece = &self.pages.pieces[page][cell.piece as usize];
        let take = match field.mode {
            Mode::Whole => Take::Whole,
            Mode::Joined => Take::Joined,
            Mode::Items => Take::Items,
            Mode::Texts => Take::Texts,
            Mode::Part(_, nth) => Take::Part {
                path: self.known.steps.written(document, class.pages[page].list[cell.leaf as usize].node),
                nth,
            },
        };
        let around = self.known.steps.written(document, piece.node);
        let of_leaf = || self.known.steps.written(document, class.pages[page].list[cell.leaf as usize].node);
        let path = if path_hash(&around) == field.path { around } else { of_leaf() };
        Some(Rule {
            path,
            labels: if field.by_label { labels } else { Vec::new() },
            any_label: !field.by_label,
            take,
            skip: field.skip.clone(),
        })
    }
}

/// The type that most values have.
fn typed(field: &Field) -> Option<String> {
    let mut times: FxHashMap<&str, usize> = FxHashMap::default();
    let all: Vec<&str> = field.cells.iter().flatten().map(|cell| cell.text.as_str()).collect();
    all.iter().filter_map(|text| value::typed(text)).for_each(|typed| *times.entry(typed.name()).or_default() += 1);
    let best = times.into_iter().max_by_key(|(name, times)| (*times, *name))?;
    (best.1 as f64 >= all.len() as f64 * super::super::learn::TYPED).then(|| best.0.to_owned())
}
