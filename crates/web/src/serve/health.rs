//! Is a data set well, run after run? Its last runs with what each found, as bars and as a table, and what is worth a look.
//!
//! - [`Health`]: of one data set. - [`Beat`]: one run.

use super::answer::{Problem, Screen, page};
use super::{App, Shared, data};
use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use pagekin::store;
use pagekin::store::run_list::{RunFilter, RunLine};
use pagekin::store::screen::ClassLine;
use serde::Serialize;

/// Runs that are shown.
const RUNS: usize = 30;

/// A run that finds less than this share of what the one before found is worth a look.
const FEWER: f64 = 0.8;

pub fn routes() -> Router<Shared> {
    Router::new().route("/data/{class}/health", get(health))
}

#[derive(Debug, Clone, Serialize)]
pub struct Beat {
    pub run: i64,
    pub state: store::State,
    pub ended_at: Option<String>,
    pub records: i64,
    pub new: i64,
    pub changed: i64,
    pub gone: i64,
    pub skipped: i64,
    pub requests: i64,
    pub seconds: f64,
    pub error: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Health {
    /// The oldest first.
    pub runs: Vec<Beat>,
    /// What is worth a look, in words; empty: all is well.
    pub troubles: Vec<String>,
}

fn beat(run: &RunLine) -> Beat {
    let stats = run.stats.clone().unwrap_or_default();
    let count = |name: &str| stats[name].as_i64().unwrap_or(0);
    Beat {
        run: run.id,
        state: run.state,
        ended_at: run.ended_at.clone(),
        records: count("records"),
        new: count("new"),
        changed: count("changed"),
        gone: count("gone"),
        skipped: count("skipped"),
        requests: count("requests"),
        seconds: stats["seconds"].as_f64().unwrap_or(0.0),
        error: run.error.as_deref().and_then(|error| error.lines().next()).map(str::to_owned),
    }
}

pub async fn of_class(app: &App, class: i64) -> Result<Health, Problem> {
    let filter = RunFilter { class: Some(class), limit: RUNS, ..RunFilter::default() };
    let mut runs: Vec<Beat> = app.store.run_list(&filter).await?.iter().map(beat).collect();
    runs.reverse();
    Ok(Health { troubles: troubles(&runs), runs })
}

/// Of the last run, and of the last two that are done.
fn troubles(runs: &[Beat]) -> Vec<String> {
    let mut troubles = Vec::new();
    if let Some(last) = runs.last().filter(|last| last.state.is_unfinished()) {
        troubles.push(format!(
            "run {} {}: {}",
            last.run,
            last.state,
            last.error.as_deref().unwrap_or("no reason is known")
        ));
    }
    let done: Vec<&Beat> = runs.iter().filter(|run| run.state == store::State::Done).collect();
    if let [.., before, last] = done.as_slice() {
        if (last.records as f64) < before.records as f64 * FEWER {
            troubles
                .push(format!("run {} found {} records, the one before {}", last.run, last.records, before.records));
        }
        if last.gone > before.records / 5 {
            troubles.push(format!("{} records were gone in run {}", last.gone, last.run));
        }
    }
    if let Some(last) = done.last().filter(|last| last.skipped > last.records / 10) {
        troubles.push(format!("{} pages could not be read in run {}", last.skipped, last.run));
    }
    troubles
}

#[derive(Template)]
#[template(path = "serve/health.html")]
struct Shown {
    class: ClassLine,
    health: Health,
    most: i64,
}

/// One bar of the picture.
struct Bar {
    x: usize,
    y: f64,
    height: f64,
    state: store::State,
    title: String,
}

impl Shown {
    fn bars(&self) -> Vec<Bar> {
        let bar = |(at, beat): (usize, &Beat)| {
            let height = (100.0 * beat.records as f64 / self.most as f64).max(2.0);
            let title = format!("run {}: {}, {} records", beat.run, beat.state, beat.records);
            Bar { x: 4 + at * 20, y: 104.0 - height, height, state: beat.state, title }
        };
        self.health.runs.iter().enumerate().map(bar).collect()
    }

    fn width(&self) -> usize {
        8 + self.health.runs.len() * 20
    }
}

async fn health(State(app): State<Shared>, Path(id): Path<i64>) -> Result<Response, Screen> {
    let (class, health) = (data::class(&app, id).await?, of_class(&app, id).await?);
    let most = health.runs.iter().map(|beat| beat.records).max().unwrap_or(1).max(1);
    page(&Shown { class, health, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(run: i64, state: &str, records: i64, skipped: i64) -> Beat {
        let state = state.parse().unwrap();
        let (new, changed, gone, requests, seconds) = (0, 0, 0, 0, 0.0);
        Beat { run, state, ended_at: None, records, new, changed, gone, skipped, requests, seconds, error: None }
    }

    #[test]
    fn fewer_records_failures_and_unread_pages_are_told() {
        assert_eq!(troubles(&[run(1, "done", 100, 2), run(2, "done", 95, 3)]), [""; 0]);
        let told = troubles(&[run(1, "done", 100, 0), run(2, "done", 60, 30), run(3, "failed", 0, 0)]);
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].contains("run 3 failed") && told[1].contains("60 records") && told[2].contains("30 pages"));
        assert_eq!(troubles(&[]), [""; 0]);
    }
}
