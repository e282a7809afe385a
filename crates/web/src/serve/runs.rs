//! Which runs are there, and how far are they? A list with search and state, one run with its progress and log; stop and resume.

use super::answer::{Problem, Screen, page};
use super::guard::Client;
use super::progress::clock_in;
use super::{App, Shared};
use askama::Template;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use futures::stream::{self, Stream};
use pagekin::store;
use pagekin::store::run_list::{Progress, RunFilter, RunLine};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::time::Duration;

/// Runs on a screen.
pub const PAGE: usize = 50;

/// Between two looks at a run that somebody watches.
const LOOK: Duration = Duration::from_millis(700);

pub fn routes() -> Router<Shared> {
    Router::new()
        .route("/runs", get(list))
        .route("/runs/{id}", get(one))
        .route("/runs/{id}/events", get(events))
        .route("/runs/{id}/stop", post(stop))
        .route("/runs/{id}/resume", post(resume))
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct Wanted {
    #[serde(default)]
    pub q: String,
    #[serde(default)]
    pub state: String,
    pub before: Option<i64>,
}

impl Wanted {
    pub fn filter(&self, limit: usize) -> Result<RunFilter, Problem> {
        let given = |text: &String| (!text.is_empty()).then(|| text.clone());
        let unknown = |state: String| Problem::new(StatusCode::BAD_REQUEST, format!("there is no state `{state}`"));
        let state = given(&self.state).map(|state| state.parse().map_err(|_| unknown(state))).transpose()?;
        Ok(RunFilter { search: given(&self.q), state, before: self.before, limit, class: None })
    }
}

/// How far a run is.
#[derive(Debug, Clone, Serialize)]
pub struct Now {
    pub state: store::State,
    pub stage: String,
    #[serde(flatten)]
    pub progress: Progress,
    /// Of the pages found, in per cent.
    pub percent: i64,
    /// Pages that were looked at to find those of the kind.
    pub looked: u64,
    /// Seconds until all pages are read, where that can be told.
    pub left: Option<f64>,
    /// The time of day when that is, UTC.
    pub end: Option<String>,
    pub error: Option<String>,
}

pub async fn now(app: &App, run: &RunLine) -> Result<Now, Problem> {
    let progress = app.store.progress(run.id).await?;
    let doing = app.watching.doing(run.id).filter(|_| run.state == store::State::Running);
    let stage = doing.as_ref().map(|doing| doing.stage.clone()).filter(|stage| !stage.is_empty());
    let read = progress.read.min(progress.found);
    let percent = if run.state == store::State::Done { 100 } else { read * 100 / progress.found.max(1) };
    let left = doing.as_ref().and_then(|doing| doing.left);
    Ok(Now {
        state: run.state,
        stage: stage.unwrap_or_else(|| run.stage.clone()),
        progress,
        percent,
        looked: doing.as_ref().map_or(0, |doing| doing.looked),
        left,
        end: left.map(clock_in),
        error: run.error.clone(),
    })
}

#[derive(Template)]
#[template(path = "serve/runs.html")]
struct Runs<'r> {
    wanted: &'r Wanted,
    /// Those under way with how far they are.
    runs: Vec<(RunLine, Option<Now>)>,
    next: Option<i64>,
}

impl Runs<'_> {
    fn states(&self) -> &'static [store::State] {
        &store::State::ALL
    }
}

async fn list(State(app): State<Shared>, Query(wanted): Query<Wanted>) -> Result<Response, Screen> {
    let runs = app.store.run_list(&wanted.filter(PAGE)?).await?;
    let next = (runs.len() == PAGE).then(|| runs[PAGE - 1].id);
    let mut shown = Vec::with_capacity(runs.len());
    for run in runs {
        let now = if run.state == store::State::Running { Some(now(&app, &run).await?) } else { None };
        shown.push((run, now));
    }
    page(&Runs { wanted: &wanted, runs: shown, next })
}

#[derive(Template)]
#[template(path = "serve/run.html")]
struct OneRun<'r> {
    run: RunLine,
    now: Now,
    log: String,
    csrf: &'r str,
}

impl OneRun<'_> {
    /// A number of the summary.
    fn count(&self, name: &str) -> String {
        let stats = self.run.stats.as_ref().and_then(|stats| stats.get(name));
        match stats {
            Some(number) if number.is_f64() => format!("{:.1}", number.as_f64().unwrap_or(0.0)),
            Some(number) => number.to_string(),
            None => "–".to_owned(),
        }
    }
}

async fn found(app: &App, id: i64) -> Result<RunLine, Problem> {
    app.store.run_line(id).await?.ok_or_else(|| Problem::missing("run"))
}

async fn one(State(app): State<Shared>, Path(id): Path<i64>) -> Result<Response, Screen> {
    let run = found(&app, id).await?;
    let now = now(&app, &run).await?;
    page(&OneRun { log: app.watching.log(id), run, now, csrf: app.secrets.csrf() })
}

/// Until the run has ended or nobody listens.
async fn events(State(app): State<Shared>, Path(id): Path<i64>) -> Result<impl IntoResponse, Problem> {
    found(&app, id).await?;
    Ok(Sse::new(told(app, id)).keep_alive(KeepAlive::default()))
}

fn told(app: Shared, id: i64) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold((app, true, false), move |(app, first, ended)| async move {
        if ended || app.stop.is_stopped() {
            return None;
        }
        if !first {
            tokio::time::sleep(LOOK).await;
        }
        let run = found(&app, id).await.ok()?;
        let now = now(&app, &run).await.ok()?;
        let ended = !now.state.is_under_way();
        let event = Event::default().json_data(&now).ok()?;
        Some((Ok(event), (app, false, ended)))
    })
}

async fn stop(State(app): State<Shared>, client: Client, Path(id): Path<i64>) -> Result<Redirect, Screen> {
    stopped(&app, &client, id).await?;
    Ok(Redirect::to(&format!("/runs/{id}")))
}

async fn resume(State(app): State<Shared>, client: Client, Path(id): Path<i64>) -> Result<Redirect, Screen> {
    resumed(&app, &client, id).await?;
    Ok(Redirect::to(&format!("/runs/{id}")))
}

pub async fn stopped(app: &App, client: &Client, id: i64) -> Result<(), Problem> {
    found(app, id).await?;
    app.audit(client, "stop run", &id.to_string()).await?;
    match app.store.stop_run(id).await? {
        true => Ok(()),
        false => Err(Problem::wrong("the run has ended already")),
    }
}

pub async fn resumed(app: &App, client: &Client, id: i64) -> Result<(), Problem> {
    found(app, id).await?;
    app.audit(client, "resume run", &id.to_string()).await?;
    match app.store.resume_run(id).await? {
        true => Ok(()),
        false => Err(Problem::wrong("only the last run of its samples, and one that stopped, can be taken up again")),
    }
}
