//! Fits what kin weighs: rows collected on sites with truth → one parameter file, and one for each fold of sites left out.
//!
//! - [`fit_all`]: collects rows by searches with the truth at hand (`discover::kin::collect`) and fits what tells a page of the kind
//!   ([`content`], [`belief`]); then searches each site with what was fitted without it, and fits how sure to be of
//!   what was found ([`confidence`]).
//! - [`LeftOut`]: what was fitted without each site.
//!
//! Each kind of page weighs the same. Same data, same file.

mod belief;
mod confidence;
mod content;
mod logistic;

use crate::corpus::{Corpus, Kind, SiteFolder};
use crate::run::Truths;
use crate::site_truth::SiteTruth;
use crate::{Error, runtime};
use belief::fit_belief;
use confidence::fit_confidence;
use content::fit_content;
use pagekin::discover::Settings;
use pagekin::discover::kin::collect::{FoundRow, Rows, Truth, collect, collect_found};
use pagekin::discover::kin::params::Params;
use pagekin::page::address::key;
use pagekin::{Source, Stop, Url};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The rows of one kind of page.
type KindRows = Rows;

/// Samples of each kind that rows are collected from.
const SAMPLES: usize = 3;

/// Looks of one search that rows are collected from.
const LOOKS: usize = 60;

/// Parameters for each fold of sites, fitted without them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    pub folds: Vec<Fold>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fold {
    /// Not used in this fit.
    pub sites: Vec<String>,
    pub params: Params,
}

impl LeftOut {
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::read(path, source))?;
        serde_json::from_str(&text).map_err(|error| Error::LeftOut { path: path.to_owned(), reason: error.to_string() })
    }

    /// What was fitted without this site; an error for a site that no fold leaves out, because its figure would mean something else.
    pub fn params(&self, site: &str) -> Result<Arc<Params>, Error> {
        let fold = self.folds.iter().find(|fold| fold.sites.iter().any(|one| one == site));
        fold.map(|fold| Arc::new(fold.params.clone())).ok_or_else(|| Error::NotLeftOut(site.to_owned()))
    }
}

/// Fits on all sites, and on all but each of so many folds of them.
pub fn fit_all(corpus: &Corpus, folds: usize, progress: &dyn Fn(&str)) -> Result<(Params, LeftOut), Error> {
    let start = Arc::new(Params::unfitted());
    let mut rows: Vec<Vec<Rows>> = Vec::new();
    for site in &corpus.sites {
        progress(&site.id);
        let kinds = searches(site, &start, Some(LOOKS), &async |source, samples, settings, truth| {
            thinned(collect(source, samples, settings, truth).await)
        })?;
        rows.push(kinds.into_iter().map(joined).collect());
    }
    let mut fitted: Vec<Params> = Vec::new();
    for fold in (0..folds).map(Some).chain([None]) {
        progress(&fold.map_or("all sites".to_owned(), |fold| format!("fold {}", fold + 1)));
        fitted.push(fit(&without(&rows, folds, fold), &start));
    }
    let mut found: Vec<Vec<Vec<Vec<FoundRow>>>> = Vec::new();
    for (at, site) in corpus.sites.iter().enumerate() {
        progress(&format!("{}, as left out", site.id));
        let params = Arc::new(fitted[at % folds].clone());
        found.push(searches(site, &params, None, &async |source, samples, settings, truth| {
            collect_found(source, samples, settings, truth).await
        })?);
    }
    for (fold, params) in (0..folds).map(Some).chain([None]).zip(&mut fitted) {
        fit_confidence(&without(&found, folds, fold), params);
    }
    let all = fitted.pop().unwrap_or_else(Params::unfitted);
    let sites = |fold| corpus.sites.iter().skip(fold).step_by(folds).map(|site| site.id.clone()).collect();
    let folds = fitted.into_iter().enumerate().map(|(fold, params)| Fold { sites: sites(fold), params }).collect();
    Ok((all, LeftOut { folds }))
}

/// What belongs to the kinds of all sites but those of a fold.
fn without<T>(sites: &[Vec<T>], folds: usize, fold: Option<usize>) -> Vec<&T> {
    let kept = sites.iter().enumerate().filter(|(at, _)| fold.is_none_or(|fold| at % folds != fold));
    kept.flat_map(|(_, kinds)| kinds).collect()
}

fn joined(searches: Vec<Rows>) -> Rows {
    let mut all = Rows::default();
    for rows in searches {
        all.content.extend(rows.content);
        all.states.extend(rows.states);
    }
    all
}

/// Rows of content kept of one run.
const CONTENT_ROWS: usize = 200;

/// A search from each drawn sample of each kind of a site: what `search` gives, by kind.
fn searches<T: Send>(
    site: &SiteFolder,
    params: &Arc<Params>,
    budget: Option<usize>,
    search: &(impl AsyncFn(&Source, &[Url], &Settings, &Truth<'_>) -> T + Sync),
) -> Result<Vec<Vec<T>>, Error> {
    let ground = SiteTruth::open(site)?;
    let truths = runtime()?.block_on(Truths::of(site, &ground));
    let drawn = |(kind, of): (usize, &Kind)| of.drawn(SAMPLES).into_iter().map(move |sample| (kind, sample));
    let tasks: Vec<(usize, Url)> = site.kinds.iter().enumerate().flat_map(drawn).collect();
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<(usize, T)>> = Mutex::default();
    let work = || -> Result<(), Error> {
        let runtime = runtime()?;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((kind, sample)) = tasks.get(at) else { return Ok(()) };
            let truth = |url: &Url| truths.tell(*kind, &ground.moved_to(&key(url)), &ground);
            let source = Source::of_archive(ground.archive.clone(), Stop::default());
            let settings = Settings { params: params.clone(), budget, ..Settings::default() };
            let found = runtime.block_on(search(&source, std::slice::from_ref(sample), &settings, &truth));
            all.lock().unwrap_or_else(PoisonError::into_inner).push((at, found));
        }
    };
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Err(Error::Thread)))
    })?;
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_by_key(|(at, _)| *at);
    let mut kinds: Vec<Vec<T>> = site.kinds.iter().map(|_| Vec::new()).collect();
    all.into_iter().for_each(|(at, found)| kinds[tasks[at].0].push(found));
    Ok(kinds)
}

/// Every so manyth row of content, so that no run has more than its share.
fn thinned(mut rows: Rows) -> Rows {
    let step = rows.content.len() / CONTENT_ROWS + 1;
    rows.content = rows.content.into_iter().step_by(step).collect();
    rows
}

fn fit(kinds: &[&KindRows], start: &Params) -> Params {
    let mut params = fit_content(kinds, start);
    fit_belief(kinds, &mut params);
    params
}

fn round(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0
}
