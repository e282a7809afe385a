//! What is new, changed or gone? The changes of a run, value beside value, and the watches with their schedule.

use super::answer::{Problem, Screen, page};
use super::{App, Shared};
use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use pagekin::store::run_list::{RunFilter, RunLine};
use pagekin::store::{Change, Watch};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Changes on a screen, and runs to choose from.
const SHOWN: usize = 200;
const RUNS: usize = 50;

pub fn routes() -> Router<Shared> {
    Router::new().route("/changes", get(changes))
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct Wanted {
    pub run: Option<i64>,
}

#[derive(Template)]
#[template(path = "serve/changes.html")]
struct Changes {
    runs: Vec<RunLine>,
    run: Option<RunLine>,
    changes: Vec<Change>,
    more: usize,
    watches: Vec<WatchLine>,
}

/// A watch without where it tells: that may hold a secret.
#[derive(Debug, Clone, Serialize)]
pub struct WatchLine {
    pub site: String,
    pub samples: Vec<pagekin::Url>,
    /// `6 h`.
    pub every: String,
    pub next: String,
    pub last_run: Option<i64>,
}

/// One value before and after.
struct Pair {
    attribute: String,
    before: String,
    after: String,
}

impl Changes {
    fn is(&self, run: &RunLine) -> bool {
        self.run.as_ref().is_some_and(|own| own.id == run.id)
    }

    fn pairs(&self, change: &Change) -> Vec<Pair> {
        let names: BTreeSet<&String> = change.before.keys().chain(change.after.keys()).collect();
        let text = |of: &BTreeMap<String, Vec<String>>, name: &String| {
            of.get(name).map(|all| all.join("; ")).unwrap_or_default()
        };
        let pair = |name: &String| Pair {
            attribute: name.clone(),
            before: text(&change.before, name),
            after: text(&change.after, name),
        };
        names.into_iter().map(pair).collect()
    }

    fn path(&self, url: &pagekin::Url) -> String {
        super::data::path(url.as_str())
    }
}

fn every(watch: &Watch) -> String {
    let seconds = watch.every.as_secs();
    match (seconds / 86_400, seconds / 3600) {
        (0, 0) => format!("{} min", seconds / 60),
        (0, hours) => format!("{hours} h"),
        (days, _) => format!("{days} d"),
    }
}

pub async fn watches(app: &App, due: bool) -> Result<Vec<WatchLine>, Problem> {
    let line = |watch: Watch| WatchLine {
        every: every(&watch),
        next: watch.next.strftime("%Y-%m-%d %H:%M").to_string(),
        site: watch.site,
        samples: watch.samples,
        last_run: watch.last_run,
    };
    Ok(app.store.watches(due).await?.into_iter().map(line).collect())
}

/// The run asked for, or the last one that is done; what it changed.
pub async fn of_run(app: &App, wanted: &Wanted) -> Result<(Option<RunLine>, Vec<Change>), Problem> {
    let run = match wanted.run {
        Some(id) => Some(app.store.run_line(id).await?.ok_or_else(|| Problem::missing("run"))?),
        None => done(app, 1).await?.pop(),
    };
    let class = run.as_ref().and_then(|run| Some((run.class_id?, run.id)));
    let changes = match class {
        Some((class, id)) => app.store.changes(class, id).await?,
        None => Vec::new(),
    };
    Ok((run, changes))
}

async fn done(app: &App, limit: usize) -> Result<Vec<RunLine>, Problem> {
    let filter = RunFilter { state: Some("done".to_owned()), limit, ..RunFilter::default() };
    Ok(app.store.run_list(&filter).await?)
}

async fn changes(State(app): State<Shared>, Query(wanted): Query<Wanted>) -> Result<Response, Screen> {
    let (run, mut changes) = of_run(&app, &wanted).await?;
    let more = changes.len().saturating_sub(SHOWN);
    changes.truncate(SHOWN);
    let (runs, watches) = (done(&app, RUNS).await?, watches(&app, false).await?);
    page(&Changes { runs, run, changes, more, watches })
}
