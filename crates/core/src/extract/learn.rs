//! How is a class of pages read? Documents of one class, and what is wanted → [`Wrapper`].
//!
//! - [`Wanted`]: the roles of a domain, the slots of examples, or whatever is of interest.
//!
//! Aligns the pages ([`class`](super::class)), chooses ([`choose`](super::choose), [`example`](super::example),
//! [`interest`](super::interest)), names, and writes the choice down as rules.

use super::apply::rounded;
use super::choose::{self, Choice};
use super::class::{At, Class, Voter};
use super::domain::{Domain, Role};
use super::example::{self, Example};
use super::leaves::{each_token, label_of, word_of};
use super::roles::{Judge, Scored};
use super::slot::run;
use super::tables::Column;
use super::template::inner_label;
use super::wrapper::{Rule, Slot, VERSION, Wrapper};
use super::{Error, interest, structured, value};
use crate::page::dom::{Document, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

pub enum Wanted<'w> {
    Domain(&'w Domain),
    /// The values stand on the first so many documents.
    Examples(&'w [Example], usize),
    Nothing,
}

/// A role is filled only by a candidate that scores at least this: below are guesses. Set by hand.
const LEAST_SCORE: f64 = 0.1;

/// A class that more elements of a page carry does not name a value.
const MOST_BEARERS: usize = 8;

/// Texts between a heading and what is named after it, at most.
const NEAR_HEADING: usize = 3;

/// Rules kept of a tier: the others agree with them.
const MOST_RULES: usize = 6;

/// A slot has several values when this share of its pages shows more than one.
const MANY: f64 = 0.15;

/// A column is of interest when this share of the pages has it.
const COLUMN_SHARE: f64 = 0.3;

/// Columns of a class: half of what a person would still read.
const MOST_COLUMNS: usize = interest::MOST / 2;

pub fn learn(documents: Vec<Document>, wanted: &Wanted, name: &str) -> Result<Wrapper, Error> {
    if documents.is_empty() {
        return Err(Error::NoPages);
    }
    let class = Class::align(documents);
    let mut slots = match wanted {
        Wanted::Domain(domain) => of_domain(&class, domain),
        Wanted::Examples(examples, pages) => of_examples(&class, examples, *pages)?,
        Wanted::Nothing => of_interest(&class),
    };
    slots.extend(of_data(&class, wanted, &slots.iter().map(|draft| draft.slot.name.clone()).collect()));
    Ok(written(&class, slots, name))
}

/// A slot whose rules are still hashes.
struct Draft {
    slot: Slot,
    tiers: Vec<Vec<Voter>>,
}

fn draft(class: &Class, name: &str, choice: Choice, source: &str) -> Draft {
    let leaves = &choice.leaves;
    let several =
        leaves.iter().filter(|at| !run(&class.pages[at.0 as usize], at.1, &class.template).is_empty()).count();
    let slot = Slot {
        name: name.to_owned(),
        labels: labels(class, leaves),
        source: source.to_owned(),
        confidence: rounded(choice.best.score.clamp(0.05, 1.0)),
        fill: rounded(leaves.len() as f64 / class.pages.len() as f64),
        many: several as f64 >= leaves.len() as f64 * MANY,
        title: false,
        typed: column_type(class, leaves),
        value: None,
        data: None,
        column: None,
        behind: false,
        tiers: Vec::new(),
    };
    Draft { slot, tiers: choice.tiers }
}

fn of_domain(class: &Class, domain: &Domain) -> Vec<Draft> {
    let mut judge = Judge::new(class, domain);
    let mut order: Vec<usize> = (0..domain.roles.len()).filter(|&role| !domain.roles[role].extra).collect();
    // The title first: the others are looked for near it.
    order.sort_by_key(|&role| !domain.roles[role].title);
    let mut drafts = Vec::new();
    for number in order {
        let role = &domain.roles[number];
        let Some(choice) = choose::choose(class, &judge, number, LEAST_SCORE) else { continue };
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
fn source(best: &Scored) -> &'static str {
    let said = [(best.label, "label"), (best.typed * 0.9, "type"), (best.title, "title"), (best.schema * 0.6, "class")];
    said.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map_or("place", |(_, name)| name)
}

fn of_examples(class: &Class, examples: &[Example], pages: usize) -> Result<Vec<Draft>, Error> {
    let pages: Vec<u32> = (0..pages.min(class.pages.len()) as u32).collect();
    let mut names: Vec<&str> = Vec::new();
    examples.iter().for_each(|one| {
        if !names.contains(&one.name.as_str()) {
            names.push(&one.name)
        }
    });
    let slot = |name: &&str| {
        let values: Vec<&str> =
            examples.iter().filter(|one| one.name == **name).map(|one| one.value.as_str()).collect();
        let missing = || Error::NoExample { name: (*name).to_owned(), value: values[0].to_owned() };
        example::choose(class, &values, &pages).map(|choice| draft(class, name, choice, "example")).ok_or_else(missing)
    };
    names.iter().map(slot).collect()
}

fn of_interest(class: &Class) -> Vec<Draft> {
    let columns = columns(class);
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut numbered = |name: String| {
        let times = known.entry(name.clone()).or_default();
        *times += 1;
        if *times == 1 { name } else { format!("{name}_{times}") }
    };
    let mut drafts = Vec::new();
    for (number, choice) in interesting(class, columns.len()).into_iter().enumerate() {
        let title = number == 0 && choice.best.score >= 1.0;
        let behind = label_behind(class, &choice.leaves).filter(|_| !title);
        let (name, source) = match &behind {
            Some(label) => (snake(label), "label"),
            None if title => ("title".to_owned(), "title"),
            None => named(class, &choice.leaves),
        };
        let mut draft = draft(class, &numbered(name), choice, source);
        if let Some(label) = behind {
            draft.slot = Slot { labels: vec![label], behind: true, ..draft.slot };
        }
        draft.slot.title = title;
        draft.slot.many &= !title;
        drafts.push(draft);
    }
    let room = interest::MOST.saturating_sub(drafts.len());
    for (column, share) in columns.into_iter().take(room) {
        let mut draft = data_draft(&numbered(snake(&column.header)), "", rounded(share));
        draft.slot.labels = vec![column.header.clone()];
        draft.slot = Slot { source: "table".to_owned(), many: true, data: None, column: Some(column), ..draft.slot };
        drafts.push(draft);
    }
    drafts
}

/// Columns take the room of what has no label, the least interesting first.
fn interesting(class: &Class, columns: usize) -> Vec<Choice> {
    let mut choices = interest::choose(class);
    let mut excess = (choices.len() + columns).saturating_sub(interest::MOST);
    for at in (1..choices.len()).rev() {
        let leaves = &choices[at].leaves;
        if excess > 0 && labels(class, leaves).is_empty() && label_behind(class, leaves).is_none() {
            choices.remove(at);
            excess -= 1;
        }
    }
    choices
}

/// Columns of tables of data that many pages have, in the order of the page, with the share of the pages.
fn columns(class: &Class) -> Vec<(Column, f64)> {
    let mut order: Vec<Column> = Vec::new();
    let mut times: FxHashMap<(String, String), FxHashSet<usize>> = FxHashMap::default();
    for (page, (document, tables)) in class.documents.iter().zip(&class.tables).enumerate() {
        for table in tables {
            let path = table.written(document, &class.template.steps);
            for header in table.headers.iter().filter(|header| header.contains(char::is_alphabetic)) {
                let pages = times.entry((path.clone(), header.clone())).or_insert_with(|| {
                    order.push(Column { table: path.clone(), header: header.clone() });
                    FxHashSet::default()
                });
                pages.insert(page);
            }
        }
    }
    let share =
        |column: &Column| times[&(column.table.clone(), column.header.clone())].len() as f64 / class.pages.len() as f64;
    let common = order.into_iter().map(|column| (share(&column), column)).filter(|(share, _)| *share >= COLUMN_SHARE);
    common.take(MOST_COLUMNS).map(|(share, column)| (column, share)).collect()
}

/// The label behind most of these values.
fn label_behind(class: &Class, leaves: &[At]) -> Option<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    leaves.iter().filter_map(|at| class.label_behind(*at)).for_each(|label| *times.entry(label).or_default() += 1);
    let (label, most) = times.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))?;
    (most * 2 > leaves.len() && label.contains(char::is_alphabetic)).then_some(label)
}

/// By its label; failing that by what its element is called; failing that by the element.
fn named(class: &Class, leaves: &[At]) -> (String, &'static str) {
    let label = labels(class, leaves).into_iter().next();
    if let Some(label) = label.filter(|label| label.len() <= 40 && label.contains(char::is_alphabetic)) {
        return (snake(&label), "label");
    }
    let Some(&at) = leaves.first() else { return ("text".to_owned(), "place") };
    if let Some(heading) = heading(class, at) {
        return (snake(&heading), "label");
    }
    let document = &class.documents[at.0 as usize];
    let mut node = document.parent(class.leaf(at).node);
    let tag = node.map_or("text", |node| document.name(node));
    for _ in 0..2 {
        let Some(own) = node else { break };
        let mut names: Vec<(u8, String)> = Vec::new();
        each_token(document, own, |kind, token| {
            if class.template.tokens.iter().any(|known| known[1..] == *token)
                && !token.contains(|c: char| c.is_ascii_digit())
                && bearers(document, token) <= MOST_BEARERS
            {
                names.push((u8::from(kind != '@'), snake(token)));
            }
        });
        if let Some((_, name)) = names.into_iter().min() {
            return (name, "class");
        }
        node = document.parent(own);
    }
    (tag.to_owned(), "place")
}

/// How many elements of a page carry a class: one of many elements says how they look, not what they are.
fn bearers(document: &Document, wanted: &str) -> usize {
    let carries = |&node: &NodeId| {
        let mut found = false;
        each_token(document, node, |_, token| found |= token == wanted);
        found
    };
    document.descendants(Document::ROOT).filter(carries).take(MOST_BEARERS + 1).count()
}

/// The heading of the template that a text without a label stands under, right behind it.
fn heading(class: &Class, at: At) -> Option<String> {
    let (document, list) = (&class.documents[at.0 as usize], &class.pages[at.0 as usize].list);
    let before = list[..at.1 as usize].iter().rev().filter(|leaf| leaf.word != 0).take(NEAR_HEADING);
    let mut headings = before.filter(|leaf| class.template.anchors.contains(&leaf.word));
    let heading = headings.find(|leaf| {
        document.parent(leaf.node).is_some_and(|above| matches!(document.name(above), "h2" | "h3" | "h4" | "h5" | "h6"))
    })?;
    let label = label_of(&heading.text);
    (label.len() <= 40 && label.contains(char::is_alphabetic)).then_some(label)
}

fn snake(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

/// Labels of at least a tenth of the leaves (and of two of many), the most frequent first; none when most have no label.
fn labels(class: &Class, leaves: &[At]) -> Vec<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    leaves.iter().filter_map(|at| class.label(*at)).for_each(|label| *times.entry(label).or_default() += 1);
    if times.values().sum::<usize>() * 2 < leaves.len() {
        return Vec::new();
    }
    let least = (leaves.len() / 10).max(if leaves.len() > 3 { 2 } else { 1 });
    let mut known: Vec<(String, usize)> = times.into_iter().filter(|(_, n)| *n >= least).collect();
    known.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    known.into_iter().map(|(label, _)| label).take(5).collect()
}

/// The type that most values have.
fn column_type(class: &Class, leaves: &[At]) -> Option<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    let types = leaves.iter().filter_map(|at| value::typed(value::clean(&class.leaf(*at).text)));
    types.for_each(|typed| *times.entry(typed.name()).or_default() += 1);
    let best = times.into_iter().max_by_key(|(_, n)| *n)?;
    (best.1 * 10 >= leaves.len() * 7).then(|| best.0.to_owned())
}

/// Structured data: of a role that no text gives, or, where nothing particular is wanted, whatever differs from page to page.
fn of_data(class: &Class, wanted: &Wanted, known: &BTreeSet<String>) -> Vec<Draft> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for document in &class.documents {
        structured::pairs(document).into_iter().for_each(|(key, value)| values.entry(key).or_default().push(value));
    }
    let pages = class.pages.len();
    values.retain(|_, all| all.len() * 2 >= pages && (pages < 2 || all.iter().collect::<FxHashSet<_>>().len() > 1));
    let fill = |key: &str| rounded(values[key].len() as f64 / pages as f64);
    match wanted {
        Wanted::Examples(..) => Vec::new(),
        Wanted::Nothing => {
            let room = interest::MOST.saturating_sub(known.len());
            values.keys().take(room).map(|key| data_draft(key, key, fill(key))).collect()
        }
        Wanted::Domain(domain) => {
            let open = domain.wanted().filter(|role| !known.contains(&role.name));
            open.filter_map(|role| {
                values.keys().find(|key| means(key, role)).map(|key| data_draft(&role.name, key, fill(key)))
            })
            .collect()
        }
    }
}

/// The last part of the key is the role's name, or one of its names in schema.org.
fn means(key: &str, role: &Role) -> bool {
    let last = snake(key.rsplit(['.', ':']).next().unwrap_or(""));
    role.schema.iter().any(|name| snake(name) == last) || snake(&role.name) == last
}

fn data_draft(name: &str, key: &str, fill: f64) -> Draft {
    let slot = Slot {
        name: name.to_owned(),
        labels: Vec::new(),
        source: "data".to_owned(),
        confidence: 0.8,
        fill,
        many: false,
        title: false,
        typed: None,
        value: None,
        data: Some(key.to_owned()),
        column: None,
        behind: false,
        tiers: Vec::new(),
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
