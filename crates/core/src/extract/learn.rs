//! How is a class of pages read? Documents of one class, and what is wanted → [`Wrapper`].
//!
//! - [`Wanted`]: the roles of a domain, the slots of examples, or whatever is of interest.
//!
//! Aligns the pages (`class`), chooses (`assign_roles`, `example`), and writes the choice
//! down as rules. With nothing wanted, `sheet` makes the table.

use super::apply::rounded;
use super::assign_roles::{self, Choice};
use super::class::{At, Class, Voter};
use super::domain::{Domain, Role};
use super::example::{self, Example};
use super::leaves::{label_of, word_of};
use super::naming::{labels, local, snake};
use super::roles::{Judge, Scored};
use super::slot::run;
use super::tables::Column;
use super::template::{inner_label, label_within};
use super::title::Titles;
use super::wrapper::{Rule, Slot, VERSION, Wrapper};
use super::{Error, Source, sheet, structured, value, weights};
use crate::page::dom::Document;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

pub enum Wanted<'w> {
    Domain(&'w Domain),
    /// The values stand on the first so many documents.
    Examples(&'w [Example], usize),
    Nothing,
}

/// A role is filled only by a candidate that scores at least this. Set by hand.
const LEAST_SCORE: f64 = 0.1;

/// Rules kept of a tier: the others agree with them ([`Class::voters`]). Set by hand.
const MOST_RULES: usize = 6;

/// A slot has several values when this share of its pages shows more than one. Set by hand.
const MANY: f64 = 0.15;

/// A slot is of a type when this share of its values is. Set by hand.
pub const TYPED: f64 = 0.7;

/// A column is of interest when this share of the pages has it. Set by hand.
const COLUMN_SHARE: f64 = 0.3;

/// Columns of tables: a bound on what a person is given to read, set by hand.
const MOST_COLUMNS: usize = 40;

pub fn learn(documents: Vec<Document>, wanted: &Wanted, name: &str) -> Result<Wrapper, Error> {
    if documents.is_empty() {
        return Err(Error::NoPages);
    }
    if matches!(wanted, Wanted::Nothing) {
        return Ok(of_nothing(&Class::read(documents), name));
    }
    let class = Class::align(documents);
    let mut slots = match wanted {
        Wanted::Domain(domain) => {
            let mut slots = of_domain(&class, domain);
            slots.extend(of_data(&class, domain, &slots));
            slots
        }
        Wanted::Examples(examples, pages) => of_examples(&class, examples, *pages)?,
        Wanted::Nothing => Vec::new(),
    };
    settle_labels(&mut slots);
    Ok(written(&class, slots, name))
}

/// A label that most values of one slot have is no further label of another: there the row that should come first is missing.
fn settle_labels(drafts: &mut [Draft]) {
    let claimed: FxHashSet<String> = drafts.iter().filter_map(|draft| draft.slot.claim().cloned()).collect();
    for draft in drafts {
        let mut first = true;
        draft.slot.labels.retain(|label| std::mem::take(&mut first) || !claimed.contains(label));
    }
}

/// A slot whose rules are still hashes.
struct Draft {
    slot: Slot,
    tiers: Vec<Vec<Voter>>,
}

fn draft(class: &Class, name: &str, choice: Choice, source: Source) -> Draft {
    let leaves = &choice.leaves;
    let several = leaves.iter().filter(|at| has_more(class, at)).count();
    let slot = Slot {
        name: name.to_owned(),
        labels: labels(class, leaves),
        source,
        confidence: rounded(choice.best.sure.clamp(0.05, 1.0)),
        fill: rounded(leaves.len() as f64 / class.pages.len() as f64),
        many: several as f64 >= leaves.len() as f64 * MANY,
        title: false,
        typed: column_type(class, leaves),
        day_first: value::day_first(leaves.iter().map(|at| value::clean(&class.leaf(*at).text))),
        value: None,
        data: None,
        ..Slot::default()
    };
    Draft { slot, tiers: choice.tiers }
}

/// Does another value stand behind this one? A text with a label of its own is none.
fn has_more(class: &Class, at: &At) -> bool {
    let page = &class.pages[at.0 as usize];
    let next = run(page, at.1, &class.template).first().map(|next| &page.list[*next as usize].text);
    next.is_some_and(|text| label_within(text).is_none())
}

fn of_domain(class: &Class, domain: &Domain) -> Vec<Draft> {
    let mut judge = Judge::new(class, domain);
    let mut order: Vec<usize> = (0..domain.roles.len()).filter(|&role| !domain.roles[role].extra).collect();
    // The title first: the others are looked for near it.
    order.sort_by_key(|&role| !domain.roles[role].title);
    let mut drafts = Vec::new();
    for number in order {
        let role = &domain.roles[number];
        let Some(choice) = assign_roles::assign(class, &judge, number, LEAST_SCORE) else { continue };
        if role.title {
            judge.set_title(&choice.leaves);
        }
        let source = source(&choice.best);
        let mut draft = draft(class, &role.name, choice, source);
        draft.slot.title = role.title;
        draft.slot.many &= !role.title;
        draft.slot.value = role.value.as_ref().map(|value| value.source().to_owned());
        drafts.push(draft);
    }
    drafts
}

/// What spoke loudest.
fn source(best: &Scored) -> Source {
    let said = [
        (best.label, Source::Label),
        (best.typed * weights::role::TOLD_BY_TYPE, Source::Type),
        (best.title, Source::Title),
        (best.schema * weights::role::TOLD_BY_SCHEMA, Source::Class),
    ];
    said.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map_or(Source::Place, |(_, source)| source)
}

fn of_examples(class: &Class, examples: &[Example], pages: usize) -> Result<Vec<Draft>, Error> {
    let pages: Vec<u32> = (0..pages.min(class.pages.len()) as u32).collect();
    let mut names: Vec<&str> = Vec::new();
    examples.iter().for_each(|one| {
        if !names.contains(&one.name.as_str()) {
            names.push(&one.name)
        }
    });
    let titles = Titles::new(class);
    let slot = |name: &&str| {
        let values: Vec<&str> =
            examples.iter().filter(|one| one.name == **name).map(|one| one.value.as_str()).collect();
        let missing = || Error::NoExample { name: (*name).to_owned(), value: values[0].to_owned() };
        let choice = example::choose(class, &values, &pages).ok_or_else(missing)?;
        // So that it is found again when the template has changed.
        let title = example::is_title(&titles, &choice.leaves);
        let draft = draft(class, name, choice, Source::Example);
        Ok(Draft { slot: Slot { title, ..draft.slot }, ..draft })
    };
    names.iter().map(slot).collect()
}

/// The table that a person would make of the pages.
fn of_nothing(class: &Class, name: &str) -> Wrapper {
    let learned = sheet::learn::learn(class, columns(class));
    let mut wrapper = written(class, Vec::new(), name);
    wrapper.slots = learned.slots;
    wrapper.cuts = Some(learned.cuts);
    wrapper
}

/// Columns of tables of data that many pages have, in the order of the page, with the share of the pages.
fn columns(class: &Class) -> Vec<(Column, f64)> {
    let mut order: Vec<Column> = Vec::new();
    let mut times: FxHashMap<(String, Vec<String>), FxHashSet<usize>> = FxHashMap::default();
    for (page, (document, tables)) in class.documents.iter().zip(&class.tables).enumerate() {
        for table in tables {
            let path = table.written(document, &class.template.steps);
            let pages = times.entry((path.clone(), table.headers.clone())).or_insert_with(|| {
                let named = table.headers.iter().filter(|header| header.contains(char::is_alphabetic));
                order.extend(named.map(|header| Column {
                    table: path.clone(),
                    header: header.clone(),
                    headers: table.headers.clone(),
                }));
                FxHashSet::default()
            });
            pages.insert(page);
        }
    }
    let share = |column: &Column| {
        times[&(column.table.clone(), column.headers.clone())].len() as f64 / class.pages.len() as f64
    };
    let common = order.into_iter().map(|column| (share(&column), column)).filter(|(share, _)| *share >= COLUMN_SHARE);
    common.take(MOST_COLUMNS).map(|(share, column)| (column, share)).collect()
}

/// The type that most values have.
fn column_type(class: &Class, leaves: &[At]) -> Option<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    let types = leaves.iter().filter_map(|at| value::typed(value::clean(&class.leaf(*at).text)));
    types.for_each(|typed| *times.entry(typed.name()).or_default() += 1);
    let best = times.into_iter().max_by_key(|(_, n)| *n)?;
    (best.1 as f64 >= leaves.len() as f64 * TYPED).then(|| best.0.to_owned())
}

/// Keys of structured data that half of the pages have, and in which they differ, with the share of the pages.
fn data(class: &Class) -> BTreeMap<String, f64> {
    let pages = class.pages.len();
    let values = said(class);
    values.into_iter().map(|(key, all)| (key, rounded(all.len() as f64 / pages as f64))).collect()
}

/// What half of the pages tell machines, and not all the same: by key, the page's number and the value.
fn said(class: &Class) -> BTreeMap<String, Vec<(usize, String)>> {
    let mut values: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    for (page, document) in class.documents.iter().enumerate() {
        let pairs = structured::pairs(document);
        pairs.into_iter().for_each(|(key, value)| values.entry(key).or_default().push((page, value)));
    }
    let pages = class.pages.len();
    let differ = |all: &[(usize, String)]| all.iter().map(|(_, value)| value).collect::<FxHashSet<_>>().len() > 1;
    values.retain(|_, all| all.len() * 2 >= pages && (pages < 2 || differ(all)));
    values
}

/// Structured data for the roles that no text gives.
fn of_data(class: &Class, domain: &Domain, drafts: &[Draft]) -> Vec<Draft> {
    let known = |role: &&Role| drafts.iter().any(|draft| draft.slot.name == role.name);
    let open: Vec<&Role> = domain.wanted().filter(|role| !known(role)).collect();
    if open.is_empty() {
        return Vec::new();
    }
    let data = data(class);
    let of_role = |role: &Role| data.iter().find(|(key, _)| means(key, role));
    open.into_iter().filter_map(|role| of_role(role).map(|(key, fill)| data_draft(&role.name, key, *fill))).collect()
}

/// The last part of the key is the role's name, or one of its names in schema.org.
fn means(key: &str, role: &Role) -> bool {
    let last = snake(local(key));
    role.schema.iter().any(|name| snake(name) == last) || snake(&role.name) == last
}

fn data_draft(name: &str, key: &str, fill: f64) -> Draft {
    let slot = Slot {
        name: name.to_owned(),
        labels: Vec::new(),
        source: Source::Data,
        confidence: weights::UNLABELLED,
        fill,
        many: false,
        title: false,
        typed: None,
        value: None,
        data: Some(key.to_owned()),
        ..Slot::default()
    };
    Draft { slot, tiers: Vec::new() }
}

/// Hashes become paths and texts again.
fn written(class: &Class, drafts: Vec<Draft>, name: &str) -> Wrapper {
    let drafts: Vec<Draft> = drafts.into_iter().map(|draft| Draft { tiers: shortened(draft.tiers), ..draft }).collect();
    let places = drafts.iter().flat_map(|draft| draft.tiers.iter().flatten()).map(|voter| voter.place);
    let (paths, anchors): (FxHashSet<u64>, FxHashSet<u64>) = places.map(|place| (place.path, place.anchor)).unzip();
    let words = Words::of(class, &paths, &neighbours(class, &anchors));
    let slots = drafts.into_iter().map(|draft| {
        let tiers =
            draft.tiers.iter().map(|tier| tier.iter().filter_map(|voter| words.rule(voter)).collect()).collect();
        Slot { tiers, ..draft.slot }
    });
    let slots: Vec<Slot> = slots.collect();
    let mut anchors: Vec<String> = words.anchors.into_values().collect();
    anchors.sort();
    Wrapper {
        version: VERSION,
        class: name.to_owned(),
        pages: class.pages.len(),
        slots,
        anchors,
        tokens: class.template.tokens.clone(),
        cuts: None,
    }
}

fn shortened(tiers: Vec<Vec<Voter>>) -> Vec<Vec<Voter>> {
    tiers.into_iter().map(|tier| tier.into_iter().take(MOST_RULES).collect()).collect()
}

/// The anchors that rules count from, and those beside them on some page: there a rule's reach ends.
fn neighbours(class: &Class, used: &FxHashSet<u64>) -> FxHashSet<u64> {
    let mut kept = used.clone();
    for page in &class.pages {
        let words = page.list.iter().map(|leaf| leaf.word).filter(|word| class.template.anchors.contains(word));
        let row: Vec<u64> = [0].into_iter().chain(words).chain([0]).collect();
        for pair in row.windows(2) {
            if used.contains(&pair[0]) || used.contains(&pair[1]) {
                kept.extend(pair);
            }
        }
    }
    kept
}

/// The texts behind the hashes.
struct Words {
    paths: FxHashMap<u64, String>,
    /// Of the template.
    anchors: FxHashMap<u64, String>,
    /// Labels within texts.
    inner: FxHashMap<u64, String>,
}

impl Words {
    fn of(class: &Class, paths: &FxHashSet<u64>, anchors: &FxHashSet<u64>) -> Self {
        let mut words =
            Self { paths: FxHashMap::default(), anchors: FxHashMap::default(), inner: FxHashMap::default() };
        for (page, document) in class.pages.iter().zip(&class.documents) {
            for leaf in &page.list {
                if paths.contains(&leaf.path) {
                    words.paths.entry(leaf.path).or_insert_with(|| class.template.steps.written(document, leaf.node));
                }
                if anchors.contains(&leaf.word) && class.template.anchors.contains(&leaf.word) {
                    words.anchors.entry(leaf.word).or_insert_with(|| label_of(&leaf.text));
                }
                if let Some(label) = inner_label(&leaf.text).filter(|label| anchors.contains(&word_of(label))) {
                    words.inner.entry(word_of(&label)).or_insert(label);
                }
            }
        }
        words
    }

    /// None when a path cannot be written (an element's name with a dot in it).
    fn rule(&self, voter: &Voter) -> Option<Rule> {
        let place = voter.place;
        let path = if place.path == 0 { String::new() } else { self.paths.get(&place.path)?.clone() };
        let texts = if place.kind == super::places::Kind::Within { &self.inner } else { &self.anchors };
        let anchor = if place.anchor == 0 { String::new() } else { texts.get(&place.anchor)?.clone() };
        let readable = place.path == 0 || super::leaves::path_hash(&path) == place.path;
        readable.then(|| Rule {
            kind: place.kind,
            path,
            anchor,
            nth: place.nth,
            weight: (voter.weight * 1000.0).round() / 1000.0,
        })
    }
}
