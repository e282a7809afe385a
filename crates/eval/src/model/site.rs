//! One method on one site: explore from the main page, then classify every page of the archive by the model → figures.
//!
//! - [`SiteTruth`] and [`Truths`] say what is true. - [`SiteFigures`]: what comes of it. - [`Seen`]: hears which pages a method fetched.
//!
//! The pages classified for the score are not counted as fetched: the model was made without them (section 4.1).

use super::plot::Curve;
use super::quality::{Schema, quality};
use super::score::{Figures, Page, figures};
use crate::Error;
use crate::corpus::SiteFolder;
use crate::run::Truths;
use crate::site_truth::SiteTruth;
use pagekin::model::{Classifier, Method, Settings, SiteModel};
use pagekin::page::address::key;
use pagekin::page::paths::PathFinder;
use pagekin::page::{self, Limits, Notation, PathTable};
use pagekin::pages::{Answer, Pages, RawPage};
use pagekin::{Archive, Source, Stop, Url};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteFigures {
    pub site: String,
    pub method: Method,
    /// Pages of the archive.
    pub pages: usize,
    /// Pages the method looked at.
    pub fetched: usize,
    pub classes: usize,
    /// All truth pages, classified by their content with the help of the model.
    pub classified: Figures,
    /// All truth pages, by the class the model gives their address without looking at them.
    pub by_links: Figures,
    pub settled: bool,
    /// Q of section 4.3 when so many pages were fetched.
    pub curve: Curve,
}

/// What is measured on one site.
pub struct Field<'a> {
    pub site: &'a SiteFolder,
    pub start: &'a Url,
    pub ground: SiteTruth,
    truths: Truths,
    /// Link-paths of truth pages by key, and of the reference classes.
    schemas: FxHashMap<String, Schema>,
    reference: Vec<Schema>,
}

impl<'a> Field<'a> {
    pub async fn open(site: &'a SiteFolder, start: &'a Url) -> Result<Self, Error> {
        let ground = SiteTruth::open(site)?;
        let truths = Truths::of(site, &ground).await;
        let mut field = Self { site, start, ground, truths, schemas: FxHashMap::default(), reference: Vec::new() };
        field.read_schemas();
        Ok(field)
    }

    fn read_schemas(&mut self) {
        let truths = &self.truths;
        let wanted = |key: &String| truths.kinds.iter().any(|kind| kind.contains(key));
        let read = |raw: RawPage| Some(key(&raw.url)).filter(wanted).map(|key| (key, schema(&raw)));
        self.schemas = pages(&self.ground.archive).filter_map(read).collect();
        let union =
            |kind: &FxHashSet<String>| kind.iter().filter_map(|key| self.schemas.get(key)).flatten().copied().collect();
        self.reference = self.truths.kinds.iter().map(union).collect();
    }

    /// `budgets`: where Q is looked up on the way.
    pub async fn measure(&self, settings: &Settings, budgets: &[usize]) -> Result<SiteFigures, Error> {
        let (model, _) = self.model(settings).await?;
        let mut points = Vec::new();
        for &budget in budgets.iter().filter(|&&budget| budget < model.looked) {
            points.push(self.quality_at(settings, budget).await?);
        }
        points.push(self.quality_at(settings, model.looked).await?);
        Ok(SiteFigures {
            site: self.site.id.clone(),
            method: settings.method,
            pages: self.ground.archive.urls().count(),
            fetched: model.looked,
            classes: model.classes.len(),
            classified: self.classified(&model),
            by_links: self.by_links(&model).await,
            settled: model.completeness.settled,
            curve: Curve { name: settings.method.name().to_owned(), points },
        })
    }

    async fn model(&self, settings: &Settings) -> Result<(SiteModel, FxHashSet<String>), Error> {
        let source = Source::of_archive(self.ground.archive.clone(), Stop::default());
        let seen = Seen { source, keys: Mutex::default() };
        let model = pagekin::model::model(&seen, self.start, settings).await.map_err(pagekin::Error::from)?;
        Ok((model, seen.keys.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    fn truth(&self, key: &String) -> Option<usize> {
        self.truths.kinds.iter().position(|kind| kind.contains(key))
    }

    fn classified(&self, model: &SiteModel) -> Figures {
        let classifier = Classifier::new(model, Limits::default());
        let page = |raw: RawPage| {
            let key = key(&raw.url);
            let class = classifier.classify(&raw).ok().and_then(|found| found.class);
            Some(Page { truth: self.truth(&key), class }).filter(|_| !self.truths.neutral.contains(&key))
        };
        figures(&pages(&self.ground.archive).filter_map(page).collect::<Vec<_>>())
    }

    async fn by_links(&self, model: &SiteModel) -> Figures {
        let mut class_of: FxHashMap<String, u32> = FxHashMap::default();
        for class in &model.classes {
            let urls: Vec<Url> = class.pages.iter().filter_map(|page| Url::parse(page).ok()).collect();
            for key in self.ground.keys(&urls).await {
                class_of.entry(key).or_insert(class.id);
            }
        }
        let archived = self.ground.archive.urls().map(|url| key(&url)).filter(|key| !self.truths.neutral.contains(key));
        let page = |key: String| Page { truth: self.truth(&key), class: class_of.get(&key).copied() };
        figures(&archived.map(page).collect::<Vec<_>>())
    }

    async fn quality_at(&self, settings: &Settings, budget: usize) -> Result<(usize, f64), Error> {
        let (model, fetched) = self.model(&Settings { budget: Some(budget), ..settings.clone() }).await?;
        let mut computed = Vec::new();
        for class in &model.classes {
            let urls: Vec<Url> = class.pages.iter().filter_map(|page| Url::parse(page).ok()).collect();
            let keys = self.ground.keys(&urls).await.into_iter().filter(|key| fetched.contains(key));
            computed.push(keys.filter_map(|key| self.schemas.get(&key)).collect::<Vec<_>>());
        }
        Ok((budget, quality(&computed, &self.reference)))
    }
}

/// Every page of an archive, on all cores.
fn pages(archive: &Archive) -> impl ParallelIterator<Item = RawPage> + '_ {
    archive.pages().par_bridge().filter_map(|answer| match answer {
        Answer::Page(raw) => Some(raw),
        Answer::Skipped(_) => None,
    })
}

/// The hashes of a page's link-paths.
fn schema(raw: &RawPage) -> Schema {
    let Ok(document) = page::read(raw, &Limits::default()) else { return Schema::default() };
    let (mut table, mut finder) = (PathTable::default(), PathFinder::new(&document, Notation::TagClass));
    let paths: FxHashSet<u32> = page::links::anchors(&document).map(|node| finder.path(&mut table, node)).collect();
    let hash = |path: u32| {
        let mut hasher = rustc_hash::FxHasher::default();
        table.show(path).hash(&mut hasher);
        hasher.finish()
    };
    paths.into_iter().map(hash).collect()
}

/// The source that the command reads an archive with, and the keys of the pages it answered.
struct Seen {
    source: Source,
    keys: Mutex<FxHashSet<String>>,
}

impl Pages for Seen {
    fn held(&self) -> Vec<Url> {
        self.source.held()
    }

    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        let answers = self.source.get(urls).await;
        let answered = answers.iter().filter_map(|answer| match answer {
            Answer::Page(raw) => Some(key(&raw.url)),
            Answer::Skipped(_) => None,
        });
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).extend(answered);
        answers
    }
}
