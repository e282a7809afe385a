//! "Using URL Templates to Find Hidden Entity Pages" (2016), literally, as the yardstick.
//!
//! ```text
//! init ─► group ─► prefix ─► (filter) ─► unused ─► final (num, unused2) ─► generate
//! ```
//!
//! - [`elements`]: an address as elements, and initial templates (3.1.1). - [`group`](Group): templates that may be merged (3.1.2).
//! - [`prefix`]: numbers beside text (3.1.3). - [`unused`]: text that does not matter (3.1.4). - [`finish`]: one number
//!   each (3.1.5). - [`compare`]: are two pages one entity (3.2)? - [`generate`]: new addresses (3.3).
//!
//! What the thesis leaves open is settled where it is used: its constants without values, ties between numbers, listings
//! whose group headings do not follow its code.

pub mod compare;
pub mod elements;
pub mod finish;
pub mod generate;
pub mod prefix;
pub mod unused;

use super::{Error, Report, Settings, Sought, StageCount};
use crate::pages::Pages;
use compare::Visitor;
use elements::{Kind, UrlTemplate};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Fewest numbers of a merge. The listings merge a template of one address (`fancy-car-6`), so it can only be 1.
pub const MERGE_MINIMUM_VALUES: usize = 1;

/// Pairs compared before a merge is believed. The thesis gives no value.
pub const MERGE_VERIFY_DEPTH: usize = 4;

/// "A very high value that is unlikely to correspond to any actual entity" (3.2).
pub const VERY_HIGH_VALUE: u64 = 999_999_999;

/// After which step to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Init,
    Group,
    Prefix,
    Unused,
    Final,
}

impl Stage {
    pub const ALL: [(&'static str, Stage); 5] = [
        ("init", Stage::Init),
        ("group", Stage::Group),
        ("prefix", Stage::Prefix),
        ("unused", Stage::Unused),
        ("final", Stage::Final),
    ];
}

impl FromStr for Stage {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let named = Self::ALL.iter().find(|(known, _)| *known == name);
        named.map(|(_, stage)| *stage).ok_or_else(|| Error::Stage(name.to_owned()))
    }
}

/// Templates that may be merged: as many elements, numbers at the same places.
#[derive(Debug, Clone, Default)]
pub struct Group {
    pub key: String,
    pub templates: Vec<UrlTemplate>,
}

/// The templates after a step, group by group, with the counts of the steps before (table 2).
pub struct Staged {
    pub groups: Vec<Group>,
    pub counts: Vec<StageCount>,
}

impl Staged {
    fn count(&mut self, stage: &str) {
        let count = self.groups.iter().map(|group| group.templates.len()).sum();
        self.counts.push(StageCount { stage: stage.to_owned(), count });
    }
}

/// Templates in the order of their first address, grouped (listing 7).
pub fn grouped(templates: Vec<UrlTemplate>) -> Vec<Group> {
    let mut order: Vec<Group> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for template in templates {
        let key = template.group_key();
        let at = *places.entry(key.clone()).or_insert_with(|| {
            order.push(Group { key, templates: Vec::new() });
            order.len() - 1
        });
        order[at].templates.push(template);
    }
    order
}

/// Runs the steps up to `last` (listing 3).
pub async fn stages<P: Pages>(visitor: &mut Visitor<'_, P>, urls: &[&str], fewest: usize, last: Stage) -> Staged {
    let initial = elements::initial(urls);
    let mut staged = Staged { groups: grouped(initial), counts: Vec::new() };
    staged.count("init");
    if matches!(last, Stage::Init | Stage::Group) {
        return staged;
    }
    staged.groups = prefix::split(visitor, staged.groups).await;
    staged.count("prefix");
    for group in &mut staged.groups {
        group.templates.retain(|template| template.elements.iter().any(|element| element.kind == Kind::Number));
    }
    staged.groups.retain(|group| !group.templates.is_empty());
    staged.count("filter");
    if last == Stage::Prefix {
        return staged;
    }
    unused::merge(visitor, &mut staged.groups, false).await;
    staged.count("unused");
    if last == Stage::Unused {
        return staged;
    }
    let finals = staged.groups.iter().flat_map(|group| group.templates.iter().flat_map(finish::finish)).collect();
    staged.groups = grouped(finals);
    staged.count("num");
    unused::merge(visitor, &mut staged.groups, true).await;
    staged.count("unused2");
    for group in &mut staged.groups {
        group.templates.retain(|template| finish::known(template).len() >= fewest);
    }
    staged.groups.retain(|group| !group.templates.is_empty());
    staged.count("final");
    staged
}

/// The whole method.
pub async fn run<P: Pages>(pages: &P, urls: &[&str], settings: &Settings) -> Report {
    let mut visitor = Visitor::new(pages, settings.limits, settings.budget);
    let staged = stages(&mut visitor, urls, settings.fewest, Stage::Final).await;
    let templates: Vec<UrlTemplate> = staged.groups.into_iter().flat_map(|group| group.templates).collect();
    let mut results: Vec<Sought> = templates.iter().map(|template| Sought::of(finish::template(template))).collect();
    generate::generate(&mut visitor, &templates, &mut results, settings.seed).await;
    let stages = staged.counts;
    Report { templates: results, refused: Vec::new(), stages, requests: visitor.requests, stopped: visitor.stopped }
}
