//! One method on one sample of one site, and many of them side by side: → figures, and what went wrong.
//!
//! - [`Task`]: one run to do. - [`Outcome`]: what came of it. - [`Failure`]: a page missed or wrong, with the reason
//!   the method gave. - [`run_all`]: all tasks of a site on several threads, results in the order of the tasks.
//!
//! Does not know how figures of several runs are put together.

use crate::calibration::Calibration;
use crate::corpus::SiteFolder;
use crate::score::{Score, score};
use crate::site_truth::SiteTruth;
use crate::{Error, Options};
use pagekin::discover::{Discovery, Method, Questions, Settings};
use pagekin::page::address::key;
use pagekin::{KeptLayouts, RunStats, Source, SourceSettings, Url, discover_job, peak_memory, reset_peak_memory};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Clone)]
pub struct Task {
    /// Which kind of the site.
    pub kind: usize,
    pub method: Method,
    pub sample: Url,
}

#[derive(Debug, Clone, Default)]
pub struct Outcome {
    pub score: Score,
    pub downloads: usize,
    pub calibration: Calibration,
    pub seconds: f64,
    pub peak_memory: Option<u64>,
    /// Why the method could not run.
    pub error: Option<String>,
    pub missed: Vec<Failure>,
    pub wrong: Vec<Failure>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    pub url: String,
    pub reason: String,
}

/// What is true of each kind, as keys.
#[derive(Clone)]
pub struct Truths {
    pub kinds: Vec<FxHashSet<String>>,
    pub neutral: FxHashSet<String>,
}

impl Truths {
    pub async fn of(site: &SiteFolder, ground: &SiteTruth) -> Self {
        let mut kinds = Vec::new();
        for kind in &site.kinds {
            kinds.push(ground.key_set(&kind.truth).await);
        }
        Self { kinds, neutral: ground.key_set(&site.neutral).await }
    }

    /// Is the page of the kind? None for a page that counts neither way, and for one the archive does not have.
    pub fn tell(&self, kind: usize, key: &str, ground: &SiteTruth) -> Option<bool> {
        if self.kinds[kind].contains(key) {
            Some(true)
        } else if self.neutral.contains(key) || !ground.has(key) {
            None
        } else {
            Some(false)
        }
    }
}

/// Runs the tasks on `options.jobs` threads; `done` hears of each.
pub fn run_all(
    tasks: &[Task],
    ground: &SiteTruth,
    truths: &Truths,
    options: &Options,
    done: &(dyn Fn(&Task) + Sync),
) -> Result<Vec<Outcome>, Error> {
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; tasks.len()]);
    let work = || -> Result<(), Error> {
        let runtime = crate::runtime()?;
        while let Some((at, task)) = take(&next, tasks) {
            let outcome = runtime.block_on(run(task, ground, truths, options));
            if options.stop.is_stopped() {
                return Err(Error::Interrupted);
            }
            outcomes.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(outcome);
            done(task);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs.clamp(1, tasks.len().max(1))).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Err(Error::Thread)))
    })?;
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.into_iter().collect::<Option<Vec<_>>>().ok_or(Error::Thread)
}

fn take<'t>(next: &AtomicUsize, tasks: &'t [Task]) -> Option<(usize, &'t Task)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    tasks.get(at).map(|task| (at, task))
}

async fn run(task: &Task, ground: &SiteTruth, truths: &Truths, options: &Options) -> Outcome {
    let settings = Settings {
        method: task.method,
        questions: questions(task, ground, truths, options),
        ..options.settings.clone()
    };
    reset_peak_memory();
    let (found, stats) = match job(task, ground, &settings, options).await {
        Ok(both) => both,
        Err(error) => return Outcome { error: Some(first_line(&error.to_string())), ..Outcome::default() },
    };
    let peak_memory = peak_memory();
    let urls: Vec<Url> = found.entities.iter().map(|entity| entity.url.clone()).collect();
    let keys = ground.keys(&urls).await;
    let (missed, wrong) = match options.failures {
        Some(most) => failures(&found, &keys, ground, truths, task.kind, most).await,
        None => Default::default(),
    };
    let truth = &truths.kinds[task.kind];
    let confidences: Vec<(f64, bool)> = (found.entities.iter().zip(&keys))
        .filter(|(_, key)| truth.contains(*key) || !truths.neutral.contains(*key))
        .map(|(entity, key)| (entity.confidence, truth.contains(key)))
        .collect();
    let score = score(&keys.into_iter().collect(), &truths.kinds[task.kind], &truths.neutral);
    Outcome {
        score,
        downloads: found.downloads,
        calibration: Calibration::of(&confidences),
        seconds: stats.seconds,
        peak_memory,
        error: None,
        missed,
        wrong,
    }
}

async fn job(
    task: &Task,
    ground: &SiteTruth,
    settings: &Settings,
    options: &Options,
) -> Result<(Discovery, RunStats), pagekin::Error> {
    let (archive, stop) = (ground.archive.clone(), options.stop.clone());
    let source = if task.method.draws() {
        let from = SourceSettings { render: options.render.clone(), stop, ..SourceSettings::default() };
        Source::of_archive_drawn(archive, &from, options.layouts.clone().map(KeptLayouts::new))?
    } else {
        Source::of_archive(archive, stop)
    };
    discover_job(&source, std::slice::from_ref(&task.sample), settings).await
}

/// A helpful person who knows the truth.
fn questions(task: &Task, ground: &SiteTruth, truths: &Truths, options: &Options) -> Option<Questions> {
    let (ground, truths, kind) = (ground.clone(), truths.clone(), task.kind);
    let answer = move |url: &Url| truths.tell(kind, &ground.moved_to(&key(url)), &ground);
    (options.ask > 0).then(|| Questions { most: options.ask, answer: Arc::new(answer) })
}

/// What failed; the hint is for who ran a single command.
fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}

async fn failures(
    found: &Discovery,
    keys: &[String],
    ground: &SiteTruth,
    truths: &Truths,
    kind: usize,
    most: usize,
) -> (Vec<Failure>, Vec<Failure>) {
    let truth = &truths.kinds[kind];
    let reasons = reasons(found, ground).await;
    let have: FxHashSet<&String> = keys.iter().collect();
    let mut missed: Vec<Failure> = truth
        .iter()
        .filter(|key| !have.contains(key))
        .map(|key| Failure {
            url: key.clone(),
            reason: reasons.get(key).cloned().unwrap_or_else(|| "never judged: no index page led to it".to_owned()),
        })
        .collect();
    let mut wrong: Vec<Failure> = found
        .entities
        .iter()
        .zip(keys)
        .filter(|(_, key)| !truth.contains(*key) && !truths.neutral.contains(*key))
        .map(|(entity, key)| Failure { url: key.clone(), reason: entity.evidence.clone() })
        .collect();
    for list in [&mut missed, &mut wrong] {
        list.sort_by(|first, second| first.url.cmp(&second.url));
        list.truncate(most);
    }
    (missed, wrong)
}

/// Why the method left a page out, by key.
async fn reasons(found: &Discovery, ground: &SiteTruth) -> FxHashMap<String, String> {
    let dropped = found.dropped.iter().map(|dropped| (dropped.url.clone(), dropped.why.clone()));
    let skipped = found.skipped.iter().map(|skipped| {
        let detail = if skipped.detail.is_empty() { String::new() } else { format!(": {}", skipped.detail) };
        (skipped.url.clone(), format!("not looked at: {}{detail}", skipped.reason))
    });
    let (urls, whys): (Vec<Url>, Vec<String>) = skipped.chain(dropped).unzip();
    ground.keys(&urls).await.into_iter().zip(whys).collect()
}
