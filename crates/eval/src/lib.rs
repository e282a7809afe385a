//! How well does it do, against truth and against the published methods? Folders of sites with truth → tables.
//!
//! ```text
//! corpus ─► ground (one archive, the oracle) ─► run (method × sample) ─► score ─► report ─► markdown, JSON, gate
//! ```
//!
//! - [`measure`]: all of it. - [`Options`]: what is measured, and how. - [`Report`]: the figures.
//! - [`hidden`]: the same for hidden pages: templates against truth, and pages found on running applications.
//! - [`model`]: the same for the site model.
//! - [`completeness`]: does the interval that a search states hold the number of pages there are?
//! - [`extract`]: the same for extracted values.
//! - [`tables`]: are tables made with nothing given those that a person would want?
//! - [`runs`]: from one sample page to records, against truth, with requests counted.
//! - [`check`]: the same for findings, on offers of its own making.
//! - [`fit`]: the parameters of kin, and those fitted without each site.
//! - [`gate`]: have they dropped? - [`significance`], [`cover`], [`score`]: the arithmetic.
//!
//! Prints nothing, and asks no network: only archives are read.

mod calibration;
pub mod check;
pub mod completeness;
pub mod corpus;
pub mod cover;
pub mod extract;
pub mod fit;
pub mod gate;
pub mod hidden;
mod markdown;
pub mod model;
pub mod report;
mod run;
pub mod runs;
pub mod score;
pub mod significance;
mod site_truth;
pub mod tables;

pub use corpus::Corpus;
pub use fit::LeftOut;
pub use gate::{FigureFloors, Floors};
pub use report::Report;

use corpus::SiteFolder;
use pagekin::discover::{Method, Settings};
use pagekin::{RenderSettings, Stop};
use report::Measured;
use run::{Task, Truths};
use site_truth::SiteTruth;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct Options {
    pub methods: Vec<Method>,
    /// So many samples of each kind, drawn by hash from all its pages; none takes those the site's `meta.json` names.
    pub samples: Option<usize>,
    /// Runs side by side.
    pub jobs: usize,
    /// For all methods; the method itself is not looked at.
    pub settings: Settings,
    /// Each site is measured with what was fitted without it.
    pub left_out: Option<LeftOut>,
    /// So many questions are answered from the truth.
    pub ask: usize,
    /// The browser, for methods that go by drawn pages.
    pub render: RenderSettings,
    /// Where layouts of drawn pages are kept, a folder a site; none draws them anew in each run.
    pub layouts: Option<PathBuf>,
    /// List at most so many missed and wrong pages of each run.
    pub failures: Option<usize>,
    pub stop: Stop,
}

/// Told when something was done.
pub struct Progress<'a> {
    pub done: usize,
    pub total: usize,
    pub site: &'a str,
    /// None while the site is opened and its oracle is found.
    pub method: Option<Method>,
}

/// Runs every method on every sample of every site, one site after the other.
pub fn measure(corpus: &Corpus, options: &Options, progress: &(dyn Fn(Progress) + Sync)) -> Result<Report, Error> {
    let total: usize = corpus.sites.iter().map(|site| tasks(site, options).len()).sum();
    let mut done = 0;
    let mut measured = Vec::new();
    for site in &corpus.sites {
        progress(Progress { done, total, site: &site.id, method: None });
        measured.push(measure_site(site, options, &|method, in_site| {
            progress(Progress { done: done + in_site, total, site: &site.id, method: Some(method) });
        })?);
        done += tasks(site, options).len();
    }
    Ok(report::report(corpus, options, &measured))
}

fn measure_site(
    site: &SiteFolder,
    options: &Options,
    done: &(dyn Fn(Method, usize) + Sync),
) -> Result<Measured, Error> {
    let mut options = options.clone();
    if let Some(left_out) = &options.left_out {
        options.settings.params = left_out.params(&site.id)?;
    }
    options.layouts = options.layouts.map(|folder| folder.join(&site.id));
    let ground = SiteTruth::open(site)?;
    let (truths, oracles) =
        runtime()?.block_on(async { (Truths::of(site, &ground).await, ground.oracles(&site.kinds).await) });
    let tasks = tasks(site, &options);
    let count = std::sync::atomic::AtomicUsize::new(0);
    let outcomes = run::run_all(&tasks, &ground, &truths, &options, &|task| {
        done(task.method, count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1);
    })?;
    let truth_sizes = truths.kinds.iter().map(|truth| truth.len()).collect();
    Ok(Measured { runs: tasks.into_iter().zip(outcomes).collect(), oracles, truth_sizes })
}

fn tasks(site: &SiteFolder, options: &Options) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (kind, of_kind) in site.kinds.iter().enumerate() {
        for &method in &options.methods {
            let samples = options.samples.map_or_else(|| of_kind.samples.clone(), |most| of_kind.drawn(most));
            tasks.extend(samples.into_iter().map(|sample| Task { kind, method, sample }));
        }
    }
    tasks
}

/// One thread is enough to wait on: reading, parsing and browsers have their own.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::Runtime)
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read `{path}`: {source}\n\nhint: check that it exists and may be read")]
    Read { path: PathBuf, source: std::io::Error },
    #[error(
        "there is no site in `{0}`\n\nhint: give a folder of folders, each with `meta.json`, `site.warc.gz` and `truth.txt`"
    )]
    NoSites(PathBuf),
    #[error("cannot use the fitted parameters in `{path}`: {reason}\n\nhint: `cargo xtask fit` writes them anew")]
    LeftOut { path: PathBuf, reason: String },
    #[error(
        "no fit leaves the site `{0}` out\n\nhint: measure without `--left-out`, or fit anew with `pagekin eval fit`"
    )]
    NotLeftOut(String),
    #[error("there is no site `{name}`\n\nhint: one of {known}")]
    UnknownSite { name: String, known: String },
    #[error(
        "there is no truth in `{0}`\n\nhint: give a folder of folders, each with `truth.jsonl` and `pages.warc.gz`"
    )]
    NoTruth(PathBuf),
    #[error(
        "there is no gold table in `{0}`\n\nhint: give a folder with `<site>-<kind>.jsonl` and `<site>-<kind>.meta.json`"
    )]
    NoGold(PathBuf),
    #[error("cannot use the gold table `{path}`: {reason}\n\nhint: docs/stages/eval.md says what it holds")]
    Gold { path: PathBuf, reason: String },
    #[error("cannot use `{path}`: {reason}\n\nhint: a line is `{{\"url\", \"attributes\": {{name: [values]}}}}`")]
    Values { path: PathBuf, reason: String },
    #[error("cannot use the domain file `{path}`: {reason}\n\nhint: docs/stages/extract.md says what it may hold")]
    Domain { path: PathBuf, reason: String },
    #[error("cannot use the rules:\n{0}\n\nhint: docs/stages/check.md says what a rules file may hold")]
    Rules(String),
    #[error("`{0}` has no archive\n\nhint: put a `.warc`, `.warc.gz` or `.warc.zst` file there")]
    NoArchive(PathBuf),
    #[error("cannot use `{path}`: {reason}\n\nhint: `types` lists `entity_type`, `truth_file` and `sample_pages`")]
    Meta { path: PathBuf, reason: String },
    #[error("`{path}` holds `{line}`, which is no address: {reason}\n\nhint: one whole address a line")]
    Address { path: PathBuf, line: String, reason: String },
    #[error("cannot use the floors in `{path}`: {reason}\n\nhint: see docs/stages/eval.md for what the file holds")]
    Floors { path: PathBuf, reason: String },
    #[error(
        "the sites measured are not those of the floors: hash `{measured}`, expected `{expected}`\n\n\
         hint: measure the same sites, or set `corpus` and the floors anew and say why in the commit"
    )]
    CorpusChanged { measured: String, expected: String },
    #[error(transparent)]
    Pipeline(#[from] pagekin::Error),
    #[error("cannot start a runtime: {0}\n\nhint: is the limit of open files or threads reached?")]
    Runtime(#[source] std::io::Error),
    #[error("a run ended in a panic\n\nhint: run again with `--jobs 1` to see which")]
    Thread,
    #[error("cannot use the truth `{path}`: {error}\n\nhint: see docs/stages/hidden.md for what the file holds")]
    Truth { path: PathBuf, error: serde_json::Error },
    #[error("cannot use the pattern `{pattern}`: {error}\n\nhint: a regular expression with at most one `(?!…)`")]
    Pattern { pattern: String, error: regex::Error },
    #[error("interrupted\n\nhint: fewer sites (`--sites`) or samples (`--samples`) take less time")]
    Interrupted,
}

impl Error {
    fn read(path: &Path, source: std::io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }
}
