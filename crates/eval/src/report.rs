//! What do many runs say together? Outcomes → rows by site, kind and method, means, comparisons.
//!
//! - [`Report`]: everything, as JSON has it. - [`Row`]: one site, kind and method, mean over samples.
//! - [`Summary`]: one method over all. - [`Comparison`]: two methods. - [`Failures`]: pages of one run.
//!
//! The same runs give the same report, except seconds and memory, which [`Report::without_times`] drops.

use crate::calibration::Calibration;
use crate::corpus::Corpus;
use crate::run::{Failure, Outcome, Task};
use crate::significance::{PairedTest, deviation, mean, median};
use crate::site_truth::Oracle;
use crate::{Options, markdown};
use pagekin::discover::Method;
use serde::Serialize;

/// What was measured on one site.
pub(crate) struct Measured {
    pub runs: Vec<(Task, Outcome)>,
    /// By kind.
    pub oracles: Vec<Oracle>,
    /// By kind.
    pub truth_sizes: Vec<usize>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Hash of the sites measured.
    pub corpus: String,
    pub methods: Vec<Summary>,
    pub comparisons: Vec<Comparison>,
    pub rows: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failures>,
}

/// Means over the samples of one kind of page of one site.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    pub site: String,
    pub kind: String,
    pub method: Method,
    /// Pages of this kind there are.
    pub truth: usize,
    pub samples: usize,
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
    /// Standard deviation of F1 over the samples.
    pub f1_deviation: f64,
    /// Best minus worst F1 over the samples.
    pub f1_spread: f64,
    #[serde(skip)]
    pub calibration: Calibration,
    pub found: f64,
    pub downloads: f64,
    /// None when no run found a relevant page.
    pub downloads_per_page: Option<f64>,
    pub oracle: Oracle,
    /// Downloads ≤ 4 × oracle pages + 25.
    pub near_oracle: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
}

/// Means over all rows of a method: each kind of page weighs the same.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    pub method: Method,
    pub kinds: usize,
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
    pub f1_deviation: f64,
    /// Mean over the kinds.
    pub f1_spread: f64,
    /// The kind with the lowest F1.
    pub worst: Option<(String, String, f64)>,
    /// The share of the kinds with an F1 below 0.5.
    pub below_half: f64,
    /// How far `confidence` is from the share that was right.
    pub calibration_error: f64,
    pub median_downloads_per_page: Option<f64>,
    /// Share of rows near the oracle.
    pub near_oracle: f64,
    /// Runs that could not be done.
    pub errors: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
}

/// First minus second, over the rows both have.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    pub first: Method,
    pub second: Method,
    pub f1: PairedTest,
    /// Of the natural logarithm of downloads per page: ratios, not differences, are what sites share.
    pub ln_downloads_per_page: PairedTest,
}

/// What one run missed, and what it found wrongly.
#[derive(Debug, Clone, Serialize)]
pub struct Failures {
    pub site: String,
    pub kind: String,
    pub method: Method,
    pub sample: String,
    /// How many there are; the lists may be cut.
    pub missed_count: usize,
    pub wrong_count: usize,
    pub missed: Vec<Failure>,
    pub wrong: Vec<Failure>,
}

impl Report {
    /// The same without what differs from run to run.
    pub fn without_times(mut self) -> Self {
        for row in &mut self.rows {
            (row.seconds, row.peak_memory) = (None, None);
        }
        for summary in &mut self.methods {
            (summary.seconds, summary.peak_memory) = (None, None);
        }
        self
    }

    pub fn to_markdown(&self) -> String {
        markdown::write(self)
    }

    /// Runs that could not be done.
    pub fn errors(&self) -> usize {
        self.methods.iter().map(|summary| summary.errors).sum()
    }
}

pub(crate) fn report(corpus: &Corpus, options: &Options, measured: &[Measured]) -> Report {
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    for (site, measured) in corpus.sites.iter().zip(measured) {
        for (at, kind) in site.kinds.iter().enumerate() {
            for &method in &options.methods {
                let names = (site.id.as_str(), kind.name.as_str());
                rows.push(row(names, method, at, measured));
            }
        }
        if options.failures.is_some() {
            let of_run = |(task, outcome): &(Task, Outcome)| {
                failures_of(&site.id, &site.kinds[task.kind].name, measured.truth_sizes[task.kind], task, outcome)
            };
            failures.extend(measured.runs.iter().map(of_run));
        }
    }
    let methods = options.methods.iter().map(|&method| summary(method, &rows)).collect();
    Report { corpus: corpus.hash.clone(), methods, comparisons: comparisons(&options.methods, &rows), rows, failures }
}

fn row((site, kind): (&str, &str), method: Method, at: usize, measured: &Measured) -> Row {
    let runs = measured.runs.iter().filter(|(task, _)| task.kind == at && task.method == method);
    let outcomes: Vec<&Outcome> = runs.map(|(_, outcome)| outcome).collect();
    let figures = |figure: fn(&Outcome) -> f64| outcomes.iter().map(|outcome| figure(outcome)).collect::<Vec<_>>();
    let f1 = figures(|outcome| outcome.score.f1);
    let with_pages = outcomes.iter().filter(|outcome| outcome.score.relevant > 0);
    let costs: Vec<f64> = with_pages.map(|outcome| outcome.downloads as f64 / outcome.score.relevant as f64).collect();
    let errors: Vec<String> = outcomes.iter().filter_map(|outcome| outcome.error.clone()).collect();
    let (oracle, downloads) = (measured.oracles[at], mean(&figures(|outcome| outcome.downloads as f64)));
    Row {
        site: site.to_owned(),
        kind: kind.to_owned(),
        method,
        truth: measured.truth_sizes[at],
        samples: outcomes.len(),
        precision: mean(&figures(|outcome| outcome.score.precision)),
        recall: mean(&figures(|outcome| outcome.score.recall)),
        f1: mean(&f1),
        f1_deviation: deviation(&f1),
        f1_spread: spread(&f1),
        calibration: joined(outcomes.iter().map(|outcome| &outcome.calibration)),
        found: mean(&figures(|outcome| outcome.score.found as f64)),
        downloads,
        downloads_per_page: (!costs.is_empty()).then(|| mean(&costs)),
        oracle,
        near_oracle: errors.is_empty() && downloads <= (4 * oracle.pages + 60) as f64,
        errors,
        seconds: Some(mean(&figures(|outcome| outcome.seconds))),
        peak_memory: outcomes.iter().filter_map(|outcome| outcome.peak_memory).max(),
    }
}

fn summary(method: Method, rows: &[Row]) -> Summary {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.method == method).collect();
    let figures = |figure: fn(&Row) -> f64| mean(&rows.iter().map(|row| figure(row)).collect::<Vec<_>>());
    let costs: Vec<f64> = rows.iter().filter_map(|row| row.downloads_per_page).collect();
    let worst = rows.iter().min_by(|a, b| a.f1.total_cmp(&b.f1));
    Summary {
        method,
        kinds: rows.len(),
        precision: figures(|row| row.precision),
        recall: figures(|row| row.recall),
        f1: figures(|row| row.f1),
        f1_deviation: figures(|row| row.f1_deviation),
        f1_spread: figures(|row| row.f1_spread),
        worst: worst.map(|row| (row.site.clone(), row.kind.clone(), row.f1)),
        below_half: figures(|row| f64::from(u8::from(row.f1 < 0.5))),
        calibration_error: joined(rows.iter().map(|row| &row.calibration)).error(),
        median_downloads_per_page: median(&costs),
        near_oracle: figures(|row| f64::from(u8::from(row.near_oracle))),
        errors: rows.iter().map(|row| row.errors.len()).sum(),
        seconds: Some(figures(|row| row.seconds.unwrap_or(0.0))),
        peak_memory: rows.iter().filter_map(|row| row.peak_memory).max(),
    }
}

fn spread(figures: &[f64]) -> f64 {
    let most = figures.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = figures.iter().copied().fold(f64::INFINITY, f64::min);
    if figures.is_empty() { 0.0 } else { most - least }
}

fn joined<'c>(parts: impl Iterator<Item = &'c Calibration>) -> Calibration {
    let mut all = Calibration::default();
    parts.for_each(|part| all.add(part));
    all
}

fn comparisons(methods: &[Method], rows: &[Row]) -> Vec<Comparison> {
    let of = |method: Method| rows.iter().filter(move |row| row.method == method);
    let mut comparisons = Vec::new();
    for (at, &first) in methods.iter().enumerate() {
        for &second in &methods[at + 1..] {
            // Rows stand in the same order for every method.
            let pairs: Vec<(&Row, &Row)> = of(first).zip(of(second)).collect();
            let f1: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (a.f1, b.f1)).collect();
            let cost = |row: &Row| row.downloads_per_page.map(f64::ln);
            let costs: Vec<(f64, f64)> = pairs.iter().filter_map(|(a, b)| cost(a).zip(cost(b))).collect();
            let (f1, ln_downloads_per_page) = (PairedTest::new(&f1), PairedTest::new(&costs));
            comparisons.push(Comparison { first, second, f1, ln_downloads_per_page });
        }
    }
    comparisons
}

fn failures_of(site: &str, kind: &str, truth: usize, task: &Task, outcome: &Outcome) -> Failures {
    Failures {
        site: site.to_owned(),
        kind: kind.to_owned(),
        method: task.method,
        sample: task.sample.to_string(),
        missed_count: truth - outcome.score.relevant,
        wrong_count: outcome.score.found - outcome.score.relevant,
        missed: outcome.missed.clone(),
        wrong: outcome.wrong.clone(),
    }
}
