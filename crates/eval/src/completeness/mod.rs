//! Does the stated interval hold the truth? Folder of sites with truth → searches, whole and cut short at random, each with what it believed.
//!
//! ```text
//! sites ─► searches (kind × sample × cuts) ─► Case: evidence, truth ─► intervals fitted without the site ─► coverage, width
//! ```
//!
//! - `measure`: all of it. - [`CompletenessOptions`]: what is measured. - [`Case`]: one search. - [`CompletenessReport`]: the figures.
//!
//! An interval is fitted on cases of other sites than the one it is judged on.

mod report;

pub use report::{CompletenessReport, Figures};

use crate::corpus::{Corpus, SiteFolder};
use crate::fit::LeftOut;
use crate::run::Truths;
use crate::site_truth::SiteTruth;
use crate::{Error, runtime};
use pagekin::complete::Evidence;
use pagekin::complete::fitted::{self, Fitted};
use pagekin::discover::{Method, Settings};
use pagekin::{Source, Stop, Url, discover_job};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

#[derive(Debug, Clone)]
pub struct CompletenessOptions {
    /// Samples of each kind, drawn by hash.
    pub samples: usize,
    /// Times that each search is done again with a budget drawn at random.
    pub cuts: usize,
    pub seed: u64,
    pub jobs: usize,
    pub settings: Settings,
    /// Each site is searched with what was fitted of kin without it.
    pub left_out: Option<LeftOut>,
    pub stop: Stop,
}

/// One search, what it knew at its end, and the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    pub site: String,
    pub kind: String,
    pub sample: String,
    /// Downloads that a search cut short was allowed.
    pub budget: Option<usize>,
    pub downloads: usize,
    /// Pages of the kind; pages found that count neither way are among them.
    pub truth: usize,
    pub relevant: usize,
    pub evidence: Evidence,
}

/// Searches all sites, cut short and whole.
pub fn cases(
    corpus: &Corpus,
    options: &CompletenessOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for site in &corpus.sites {
        progress(&site.id);
        cases.extend(of_site(site, options)?);
    }
    Ok(cases)
}

/// A search to do.
struct Task<'t> {
    kind: usize,
    name: &'t str,
    sample: Url,
}

fn of_site(site: &SiteFolder, options: &CompletenessOptions) -> Result<Vec<Case>, Error> {
    let mut settings = Settings { method: Method::Kin, ..options.settings.clone() };
    if let Some(left_out) = &options.left_out {
        settings.params = left_out.params(&site.id)?;
    }
    let ground = SiteTruth::open(site)?;
    let truths = runtime()?.block_on(Truths::of(site, &ground));
    let tasks: Vec<Task> = (site.kinds.iter().enumerate())
        .flat_map(|(kind, of)| {
            of.drawn(options.samples).into_iter().map(move |sample| Task { kind, name: &of.name, sample })
        })
        .collect();
    let searches = Searches { site: &site.id, ground: &ground, truths: &truths, settings, options };
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Vec<Case>)>> = Mutex::default();
    let work = || -> Result<(), Error> {
        let runtime = runtime()?;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(at) else { return Ok(()) };
            let cases = runtime.block_on(searches.of_task(task));
            if options.stop.is_stopped() {
                return Err(Error::Interrupted);
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, cases));
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs.clamp(1, tasks.len().max(1))).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Err(Error::Thread)))
    })?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().flat_map(|(_, cases)| cases).collect())
}

struct Searches<'s> {
    site: &'s str,
    ground: &'s SiteTruth,
    truths: &'s Truths,
    settings: Settings,
    options: &'s CompletenessOptions,
}

impl Searches<'_> {
    /// The whole search, then the same cut short. A sample that cannot be looked at gives none.
    async fn of_task(&self, task: &Task<'_>) -> Vec<Case> {
        let mut cases: Vec<Case> = self.search(task, self.settings.budget).await.into_iter().collect();
        let Some(whole) = cases.first().map(|case| case.downloads) else { return cases };
        for cut in 0..self.options.cuts {
            let budget = self.budget(task, cut, whole);
            cases.extend(self.search(task, Some(budget)).await);
        }
        cases
    }

    /// Downloads after which the search is cut: drawn evenly from all but its first two and its last one.
    fn budget(&self, task: &Task, cut: usize, whole: usize) -> usize {
        let text = format!("{} {cut} {}", self.options.seed, task.sample);
        let hash = blake3::hash(text.as_bytes());
        let drawn = u64::from_le_bytes(std::array::from_fn(|at| hash.as_bytes()[at]));
        2 + (drawn % whole.saturating_sub(3).max(1) as u64) as usize
    }

    async fn search(&self, task: &Task<'_>, budget: Option<usize>) -> Option<Case> {
        let source = Source::of_archive(self.ground.archive.clone(), self.options.stop.clone());
        let settings = Settings { budget, ..self.settings.clone() };
        let (found, _) = discover_job(&source, std::slice::from_ref(&task.sample), &settings).await.ok()?;
        let urls: Vec<Url> = found.entities.iter().map(|entity| entity.url.clone()).collect();
        let keys: FxHashSet<String> = self.ground.keys(&urls).await.into_iter().collect();
        let truth = &self.truths.kinds[task.kind];
        let neutral = keys.iter().filter(|key| !truth.contains(*key) && self.truths.neutral.contains(*key)).count();
        Some(Case {
            site: self.site.to_owned(),
            kind: task.name.to_owned(),
            sample: task.sample.to_string(),
            budget: found.stopped.and(budget),
            downloads: found.downloads,
            truth: truth.len() + neutral,
            relevant: keys.iter().filter(|key| truth.contains(*key)).count(),
            evidence: found.evidence?,
        })
    }
}

/// What was fitted on the cases of all sites but one, for each site.
fn fitted_without(cases: &[Case]) -> FxHashMap<String, Fitted> {
    let mut sites: Vec<&str> = cases.iter().map(|case| case.site.as_str()).collect();
    sites.dedup();
    let without = |site: &str| fit(&cases.iter().filter(|case| case.site != site).collect::<Vec<_>>());
    sites.into_iter().filter_map(|site| Some((site.to_owned(), without(site)?))).collect()
}

/// Each kind of page weighs the same, however many searches it has.
fn fit(cases: &[&Case]) -> Option<Fitted> {
    let mut times: FxHashMap<(&str, &str), usize> = FxHashMap::default();
    for case in cases {
        *times.entry((case.site.as_str(), case.kind.as_str())).or_default() += 1;
    }
    let mean = cases.len() as f64 / times.len().max(1) as f64;
    let weight = |case: &Case| mean / times[&(case.site.as_str(), case.kind.as_str())] as f64;
    let weighed: Vec<fitted::Case> = cases
        .iter()
        .map(|case| fitted::Case {
            evidence: &case.evidence,
            site: &case.site,
            truth: case.truth,
            weight: weight(case),
        })
        .collect();
    fitted::fit(&weighed)
}

/// The figures of the cases: with intervals fitted without each site, and with those of this program.
pub fn judge(cases: &[Case]) -> CompletenessReport {
    report::report(cases, &fitted_without(cases), &Fitted::shipped())
}

/// Fitted on all cases, as text.
pub fn fitted_text(cases: &[Case]) -> Option<String> {
    let fitted = fit(&cases.iter().collect::<Vec<_>>())?;
    serde_json::to_string_pretty(&fitted).ok().map(|text| text + "\n")
}

/// Cases that an earlier measurement wrote.
pub fn read(path: &Path) -> Result<Vec<Case>, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::read(path, source))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let parsed: Result<Vec<Case>, serde_json::Error> = lines.map(serde_json::from_str).collect();
    parsed.map_err(|error| Error::Values { path: path.to_owned(), reason: error.to_string() })
}
