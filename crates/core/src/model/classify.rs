//! Which class of the model is this page? [`SiteModel`] → [`Classifier`]; a page → [`Classified`].
//!
//! A page goes to the class it is nearest to; a class whose addresses look otherwise must be nearer than one whose addresses look
//! alike. What is near to none is unknown. By a model of mdl-2005 a page goes to the class that encodes it cheapest
//! (section 4.1), however dear that is: the paper knows no other.

use super::counts::Counts;
use super::mdl;
use super::merge::DEARER;
use super::path_generalisation::PathGeneralisation;
use super::pattern::{Pattern, Relation};
use super::view::View;
use super::{ClassId, Method, SiteModel};
use crate::page::paths::PathFinder;
use crate::page::{self, Limits, Notation, PathTable};
use crate::pages::{RawPage, Reason, Skipped};
use rustc_hash::FxHashSet;
use serde::Serialize;

/// How far a page may be from a class: with an address of its pattern, with one that is akin, with any other. Pages of one type are
/// at most 0.57 from the middle of their class (see
/// [`NEAR`](super::groups::NEAR)), and a class of few looks is known less well.
const ALLOWED: [f64; 3] = [0.7, 0.5, 0.3];

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Classified {
    pub url: String,
    /// None: unknown.
    pub class: Option<ClassId>,
    /// What it costs to take the page for one of the class, or of the nearest one: from 0 (exactly like it) to 1, or the
    /// length of its encoding by a model of mdl-2005.
    pub cost: f64,
}

pub struct Classifier {
    by: By,
    limits: Limits,
}

enum By {
    Survey(Vec<(ClassId, Vec<Pattern>, Counts)>),
    Mdl { notation: Notation, classes: Vec<(ClassId, FxHashSet<String>)> },
}

impl Classifier {
    pub fn new(model: &SiteModel, limits: Limits) -> Self {
        let classes = model.classes.iter();
        let by = match model.method {
            Method::Survey => {
                By::Survey(classes.map(|class| (class.id, class.patterns.clone(), class.signature.counts())).collect())
            }
            Method::Mdl2005 => By::Mdl {
                notation: model.notation,
                classes: classes.map(|class| (class.id, class.schema.iter().cloned().collect())).collect(),
            },
        };
        Self { by, limits }
    }

    /// A page that cannot be read comes back with the reason.
    pub fn classify(&self, raw: &RawPage) -> Result<Classified, Skipped> {
        match &self.by {
            By::Survey(classes) => Ok(nearest(classes, &View::read(raw, None, &self.limits)?)),
            By::Mdl { notation, classes } => cheapest(classes, *notation, raw, &self.limits),
        }
    }
}

fn nearest(classes: &[(ClassId, Vec<Pattern>, Counts)], view: &View) -> Classified {
    let own = PathGeneralisation::default().pattern(&view.shape);
    let fitting = |patterns: &[Pattern]| {
        patterns.iter().filter(|pattern| pattern.fits(&view.shape)).map(|pattern| pattern.last.is_typed()).max()
    };
    // Where words name the page's type, a pattern without them says less.
    let best = classes.iter().filter_map(|(_, patterns, _)| fitting(patterns)).max();
    let relation = |patterns: &[Pattern]| match fitting(patterns) {
        Some(fit) if Some(fit) == best => Relation::Same,
        Some(_) => Relation::Akin,
        None => patterns.iter().map(|pattern| pattern.relation(&own, false)).min().unwrap_or(Relation::Different),
    };
    let near = classes.iter().map(|(id, patterns, counts)| (relation(patterns), counts.away(&view.tokens), *id));
    let near: Vec<(Relation, f64, ClassId)> = near.collect();
    let taken = near.iter().filter(|(relation, away, _)| *away <= ALLOWED[*relation as usize]);
    let cost = |&&(relation, away, _): &&(Relation, f64, ClassId)| away + DEARER[relation as usize];
    let first = taken.min_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.2.cmp(&b.2)));
    let least = near.iter().map(|(_, away, _)| *away).min_by(f64::total_cmp).unwrap_or(1.0);
    let (class, cost) = first.map_or((None, least), |&(_, away, id)| (Some(id), away));
    Classified { url: view.url.to_string(), class, cost }
}

fn cheapest(
    classes: &[(ClassId, FxHashSet<String>)],
    notation: Notation,
    raw: &RawPage,
    limits: &Limits,
) -> Result<Classified, Skipped> {
    let document =
        page::read(raw, limits).map_err(|refused| Skipped::new(&raw.url, Reason::Unparsable, refused.to_string()))?;
    let (mut table, mut finder) = (PathTable::default(), PathFinder::new(&document, notation));
    let anchors: Vec<u32> = page::links::anchors(&document).map(|node| finder.path(&mut table, node)).collect();
    let paths: FxHashSet<String> = anchors.iter().map(|&path| table.show(path)).collect();
    let cost = |schema: &FxHashSet<String>| {
        let common = paths.iter().filter(|path| schema.contains(*path)).count();
        mdl::cost(schema.len(), paths.len(), common, anchors.len())
    };
    let costs = classes.iter().map(|(id, schema)| (cost(schema), *id));
    let least = costs.min_by(|a, b| a.0.total_cmp(&b.0));
    let (cost, class) = least.map_or((0.0, None), |(cost, id)| (cost, Some(id)));
    Ok(Classified { url: raw.url.to_string(), class, cost })
}
