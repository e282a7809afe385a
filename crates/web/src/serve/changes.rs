//! What is new, changed or gone? The changes of a run, or since a run, value beside value, and the watches with their schedule.

use super::answer::{Problem, Screen, page};
use super::data::record_link;
use super::watches::written;
use super::{App, Shared, health};
use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use pagekin::store::run_list::{RunFilter, RunLine};
use pagekin::store::screen::ClassLine;
use pagekin::store::{self, Change, ChangeKind, Watch};
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
    /// Everything since that run, not only what it changed itself.
    #[serde(default)]
    pub since: Option<String>,
}

impl Wanted {
    fn is_since(&self) -> bool {
        self.since.as_deref().is_some_and(|since| !matches!(since, "" | "0" | "false"))
    }
}

#[derive(Template)]
#[template(path = "serve/changes.html")]
struct Changes<'r> {
    runs: Vec<RunLine>,
    run: Option<RunLine>,
    changes: Vec<Change>,
    more: bool,
    since: bool,
    csrf: &'r str,
    data: Vec<ClassLine>,
    watches: Vec<WatchLine>,
}

/// A watch without where it tells: that may hold a secret.
#[derive(Debug, Clone, Serialize)]
pub struct WatchLine {
    pub id: i64,
    pub site: String,
    pub samples: Vec<pagekin::Url>,
    /// `6 h`.
    pub every: String,
    pub next: String,
    pub last_run: Option<i64>,
    /// What became of it.
    pub last_state: Option<store::State>,
    /// The data set, where a run made one.
    pub class: Option<i64>,
    /// What is worth a look; empty: all is well.
    pub troubles: Vec<String>,
}

/// One value before and after.
struct Pair {
    attribute: String,
    before: String,
    after: String,
}

impl Changes<'_> {
    fn is_changed(&self, change: &Change) -> bool {
        change.change == ChangeKind::Changed
    }

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

    fn record(&self, change: &Change) -> String {
        let class = self.run.as_ref().and_then(|run| run.class_id).unwrap_or(0);
        record_link(class, change.url.as_str(), change.nth as i64)
    }

    fn path(&self, url: &pagekin::Url) -> String {
        super::data::path(url.as_str())
    }
}

pub async fn watches(app: &App, due: bool) -> Result<Vec<WatchLine>, Problem> {
    let mut lines = Vec::new();
    for watch in app.store.watches(due).await? {
        lines.push(line(app, watch).await?);
    }
    Ok(lines)
}

async fn line(app: &App, watch: Watch) -> Result<WatchLine, Problem> {
    let last = match watch.last_run {
        Some(run) => app.store.run_line(run).await?,
        None => None,
    };
    let class = last.as_ref().and_then(|run| run.class_id);
    let troubles = match class {
        Some(class) => health::of_class(app, class).await?.troubles,
        None => last.as_ref().and_then(|run| run.error.clone()).into_iter().collect(),
    };
    Ok(WatchLine {
        id: watch.id,
        every: written(watch.every),
        next: watch.next.strftime("%Y-%m-%d %H:%M").to_string(),
        site: watch.site,
        samples: watch.samples,
        last_run: watch.last_run,
        last_state: last.map(|run| run.state),
        class,
        troubles,
    })
}

/// The run asked for, or the last one that is done; what it changed, or what changed since.
pub async fn of_run(app: &App, wanted: &Wanted, most: usize) -> Result<(Option<RunLine>, Vec<Change>), Problem> {
    let run = match wanted.run {
        Some(id) => Some(app.store.run_line(id).await?.ok_or_else(|| Problem::missing("run"))?),
        None => done(app, 1).await?.pop(),
    };
    let class = run.as_ref().and_then(|run| Some((run.class_id?, run.id)));
    let changes = match class {
        Some((class, id)) if wanted.is_since() => app.store.changes_since(class, id, most).await?,
        Some((class, id)) => app.store.changes(class, id, most).await?,
        None => Vec::new(),
    };
    Ok((run, changes))
}

async fn done(app: &App, limit: usize) -> Result<Vec<RunLine>, Problem> {
    let filter = RunFilter { state: Some(store::State::Done), limit, ..RunFilter::default() };
    Ok(app.store.run_list(&filter).await?)
}

async fn changes(State(app): State<Shared>, Query(wanted): Query<Wanted>) -> Result<Response, Screen> {
    let (run, mut changes) = of_run(&app, &wanted, SHOWN + 1).await?;
    let more = changes.len() > SHOWN;
    changes.truncate(SHOWN);
    let (runs, watches) = (done(&app, RUNS).await?, watches(&app, false).await?);
    let data = app.store.class_list(None).await?.into_iter().filter(|class| class.last_run.is_some()).collect();
    page(&Changes { runs, run, changes, more, since: wanted.is_since(), csrf: app.secrets.csrf(), data, watches })
}
