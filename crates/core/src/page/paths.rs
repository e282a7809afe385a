//! Paths from the root to a node, interned: a path is its parent path plus one step, and a number.
//!
//! Takes elements of a [`Document`] → gives path ids, equal exactly when the paths are equal. A table belongs to one
//! page, or, through [`PathTable::merge`], to a whole site, so that comparing pages compares sorted numbers.
//! - [`Notation`]: what a step consists of (INDESIT's three, SSUP 2019 section 5.2.2). - [`PathTable`]: step lists as a trie.

use super::dom::{Document, ElementNode, NodeId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What of an element goes into a step of a path.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    Serialize,
    Deserialize,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
pub enum Notation {
    /// The element's name.
    #[default]
    #[serde(rename = "TAG")]
    #[strum(serialize = "TAG")]
    Tag,
    /// And the names of its attributes.
    #[serde(rename = "TAG+AN")]
    #[strum(serialize = "TAG+AN")]
    TagAn,
    /// And their values.
    #[serde(rename = "TAG+AN+AV")]
    #[strum(serialize = "TAG+AN+AV")]
    TagAnAv,
    /// The name and the class tokens.
    #[serde(rename = "TAG+CLASS")]
    #[strum(serialize = "TAG+CLASS")]
    TagClass,
}

pub type PathId = u32;

/// The empty path, above `html`.
pub const ROOT_PATH: PathId = 0;

#[derive(Debug, Clone)]
pub struct PathTable {
    steps: Vec<Box<str>>,
    step_ids: FxHashMap<Box<str>, u32>,
    /// Parent and last step of each path; the first is the empty path.
    paths: Vec<(PathId, u32)>,
    path_ids: FxHashMap<(PathId, u32), PathId>,
}

impl Default for PathTable {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            step_ids: FxHashMap::default(),
            paths: vec![(ROOT_PATH, u32::MAX)],
            path_ids: FxHashMap::default(),
        }
    }
}

impl PathTable {
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    pub fn is_empty(&self) -> bool {
        self.paths.len() <= 1
    }

    /// The id of `parent` followed by `step`.
    pub fn child(&mut self, parent: PathId, step: &str) -> PathId {
        let step = self.step(step);
        self.child_of(parent, step)
    }

    fn step(&mut self, step: &str) -> u32 {
        if let Some(&id) = self.step_ids.get(step) {
            return id;
        }
        let id = self.steps.len() as u32;
        self.steps.push(step.into());
        self.step_ids.insert(step.into(), id);
        id
    }

    fn child_of(&mut self, parent: PathId, step: u32) -> PathId {
        let next = self.paths.len() as PathId;
        *self.path_ids.entry((parent, step)).or_insert_with(|| {
            self.paths.push((parent, step));
            next
        })
    }

    /// The path written out, steps joined by `/`.
    pub fn show(&self, path: PathId) -> String {
        let mut steps = Vec::new();
        let mut at = path;
        while at != ROOT_PATH {
            let (parent, step) = self.paths[at as usize];
            steps.push(&*self.steps[step as usize]);
            at = parent;
        }
        steps.reverse();
        steps.join("/")
    }

    /// Takes the paths of a page's table in; gives, for each path of that table, its id here.
    pub fn merge(&mut self, other: &PathTable) -> Vec<PathId> {
        let steps: Vec<u32> = other.steps.iter().map(|step| self.step(step)).collect();
        let mut ids = Vec::with_capacity(other.paths.len());
        ids.push(ROOT_PATH);
        for &(parent, step) in &other.paths[1..] {
            ids.push(self.child_of(ids[parent as usize], steps[step as usize]));
        }
        ids
    }
}

/// Gives nodes of one document their path ids; each node is worked out once, each step written once. Belongs to one
/// table: the ids it remembers are that table's.
pub struct PathFinder<'a> {
    document: &'a Document,
    notation: Notation,
    known: Vec<PathId>,
    climb: Vec<NodeId>,
    step: String,
    /// The steps of elements without attributes that count, by name.
    plain: Vec<u32>,
    /// The others by their attributes, which elements the parser made from one tag share.
    detailed: FxHashMap<u32, u32>,
}

const UNKNOWN: PathId = PathId::MAX;

impl<'a> PathFinder<'a> {
    pub fn new(document: &'a Document, notation: Notation) -> Self {
        Self {
            document,
            notation,
            known: vec![UNKNOWN; document.len()],
            climb: Vec::new(),
            step: String::new(),
            plain: Vec::new(),
            detailed: FxHashMap::default(),
        }
    }

    pub fn path(&mut self, table: &mut PathTable, node: NodeId) -> PathId {
        let mut path = ROOT_PATH;
        let mut at = Some(node);
        while let Some(current) = at {
            if self.known[current as usize] != UNKNOWN {
                path = self.known[current as usize];
                break;
            }
            self.climb.push(current);
            at = self.document.parent(current);
        }
        while let Some(current) = self.climb.pop() {
            if let Some(element) = self.document.element_node(current) {
                let step = self.step(table, current, element);
                path = table.child_of(path, step);
            }
            self.known[current as usize] = path;
        }
        path
    }

    fn step(&mut self, table: &mut PathTable, node: NodeId, element: &ElementNode) -> u32 {
        let name = element.name.number();
        let tag = element.tag().filter(|_| self.notation != Notation::Tag);
        let remembered = match tag {
            None => self.plain.get(name).copied().filter(|&step| step != UNKNOWN),
            Some(tag) => self.detailed.get(&tag).copied(),
        };
        if let Some(step) = remembered {
            return step;
        }
        self.write_step(node);
        let step = table.step(&self.step);
        match tag {
            None => {
                let length = self.plain.len().max(name + 1);
                self.plain.resize(length, UNKNOWN);
                self.plain[name] = step;
            }
            Some(tag) => drop(self.detailed.insert(tag, step)),
        }
        step
    }

    fn write_step(&mut self, node: NodeId) {
        self.step.clear();
        self.step.push_str(self.document.name(node));
        match self.notation {
            Notation::Tag => {}
            Notation::TagAn => self.write_attributes(node, false),
            Notation::TagAnAv => self.write_attributes(node, true),
            Notation::TagClass => self.write_classes(node),
        }
    }

    /// In the order of names: how an author ordered attributes says nothing about the page's kind.
    fn write_attributes(&mut self, node: NodeId, values: bool) {
        let mut attributes: Vec<(&str, &str)> = self.document.attributes(node).collect();
        attributes.sort_unstable();
        for (name, value) in attributes {
            self.step.push('@');
            self.step.push_str(name);
            if values {
                self.step.push('=');
                self.step.push_str(value);
            }
        }
    }

    fn write_classes(&mut self, node: NodeId) {
        let mut classes: Vec<&str> =
            self.document.attribute(node, "class").unwrap_or("").split_ascii_whitespace().collect();
        classes.sort_unstable();
        classes.dedup();
        for class in classes {
            self.step.push('.');
            self.step.push_str(class);
        }
    }
}
