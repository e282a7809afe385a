//! From what was gathered to the hand-over type: [`Parts`] → [`SiteModel`]. Decides names, roles, shares, samples and schema.

use super::class_links::{ClassLinks, PlaceId};
use super::counts::Counts;
use super::estimate::{Completeness, chao, coverage, likely_size};
use super::naming::{Facts, names};
use super::page_words::Words;
use super::pattern::Pattern;
use super::{Class, Method, NamedBy, Role, Signature, SiteModel, VERSION};
use crate::page::Notation;
use crate::site::Stop;
use rustc_hash::FxHashMap;

/// Samples of a class, and patterns named.
const SAMPLES: usize = 5;
const PATTERNS: usize = 200;

/// Pages used for names and links; more do not change the result.
pub const READ: usize = 64;

/// A place belongs to the schema when at least this share of the pages has links there.
const SCHEMA: f64 = 0.5;

/// What was gathered of one class.
#[derive(Debug, Default)]
pub struct Part {
    pub counts: Counts,
    pub patterns: FxHashMap<Pattern, usize>,
    pub words: Vec<Words>,
    pub pages: Vec<String>,
    /// How often each known address was linked to; empty when all pages are known anyway.
    pub linked: Vec<usize>,
    /// Pages whose content was looked at, and some of them.
    pub looked: usize,
    pub samples: Vec<String>,
    pub stubs: usize,
    /// On how many of the pages read each place has links.
    pub places: FxHashMap<PlaceId, usize>,
    pub read: usize,
    pub home: bool,
}

/// What was gathered of a site; the classes are numbered from 1 in this order.
pub struct Parts {
    pub site: String,
    pub parts: Vec<Part>,
    pub class_links: ClassLinks,
    pub places: Vec<Box<str>>,
    pub unassigned: usize,
    pub settled: bool,
    pub stable: usize,
    pub stopped: Option<Stop>,
}

pub fn assemble(parts: Parts) -> SiteModel {
    let Parts { site, parts, class_links, places, unassigned, settled, stable, stopped } = parts;
    let sizes: Vec<usize> = parts.iter().map(|part| part.pages.len()).collect();
    let known: usize = sizes.iter().sum::<usize>() + unassigned;
    let labels = |part: &Part| part.counts.labels.sum() as f64 / f64::from(part.counts.pages.max(1));
    let roles = class_links.roles(&sizes, &parts.iter().map(labels).collect::<Vec<_>>());
    let patterns: Vec<Vec<Pattern>> = parts.iter().map(frequent).collect();
    let facts: Vec<Facts> =
        parts.iter().zip(&roles).zip(&patterns).map(|((part, &role), patterns)| facts(part, role, patterns)).collect();
    let names = names(&facts);
    let met: Vec<usize> = parts.iter().map(|part| part.looked).collect();
    // Where every page was there, there is nothing to guess.
    let whole = parts.iter().all(|part| part.linked.is_empty()) && stopped.is_none();
    let completeness = Completeness {
        settled,
        classes: if whole { met.len() as f64 } else { chao(&met) },
        coverage: if whole { 1.0 } else { coverage(&met) },
        assigned: if known == 0 { 0.0 } else { 1.0 - unassigned as f64 / known as f64 },
        stable,
    };
    let described = names.into_iter().zip(roles).zip(patterns);
    let classes = parts.into_iter().zip(described).enumerate();
    let classes =
        classes.map(|(at, (part, ((named, role), patterns)))| class(at, part, named, role, patterns, known, &places));
    SiteModel {
        version: VERSION,
        site,
        method: Method::Survey,
        notation: Notation::TagClass,
        looked: met.iter().sum(),
        addresses: known,
        unassigned,
        completeness,
        stopped,
        classes: classes.collect(),
        links: class_links.links(|place| places[place as usize].to_string()),
    }
}

fn facts<'a>(part: &'a Part, role: Role, patterns: &'a [Pattern]) -> Facts<'a> {
    let stubs = part.stubs * 2 > part.looked;
    Facts { words: &part.words, patterns, role, home: part.home && part.pages.len() <= 2, stubs }
}

fn frequent(part: &Part) -> Vec<Pattern> {
    let mut patterns: Vec<(&Pattern, usize)> = part.patterns.iter().map(|(pattern, &count)| (pattern, count)).collect();
    patterns.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    patterns.into_iter().take(PATTERNS).map(|(pattern, _)| pattern.clone()).collect()
}

fn class(
    at: usize,
    mut part: Part,
    (name, named_by): (String, NamedBy),
    role: Role,
    patterns: Vec<Pattern>,
    known: usize,
    places: &[Box<str>],
) -> Class {
    part.pages.sort_unstable();
    let size = part.pages.len();
    let estimate =
        if part.linked.is_empty() { Some(size) } else { likely_size(&part.linked).map(|likely| likely.max(size)) };
    Class {
        id: at as u32 + 1,
        name,
        named_by,
        role,
        size,
        estimate,
        share: if known == 0 { 0.0 } else { size as f64 / known as f64 },
        looked: part.looked,
        patterns,
        samples: spread(&mut part.samples),
        schema: schema(&part, places),
        pages: part.pages,
        signature: Signature::of(&part.counts),
    }
}

/// A few of the looked-at pages, evenly over the sorted list.
fn spread(looked: &mut [String]) -> Vec<String> {
    looked.sort_unstable();
    let wanted = SAMPLES.min(looked.len());
    (0..wanted).map(|place| looked[place * looked.len() / wanted].clone()).collect()
}

fn schema(part: &Part, places: &[Box<str>]) -> Vec<String> {
    let common = part.places.iter().filter(|(_, count)| **count as f64 >= SCHEMA * part.read as f64);
    let mut schema: Vec<String> = common.map(|(&place, _)| places[place as usize].to_string()).collect();
    schema.sort_unstable();
    schema
}
