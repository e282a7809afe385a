//! What is run again, and how often? Watches: added, given another rhythm, made due, removed; those that are due are run while the server lives.

use super::answer::{Problem, Screen};
use super::guard::Client;
use super::{App, LEASE, PAUSE, Shared, data};
use axum::Router;
use axum::extract::{Form, Path, State};
use axum::response::Redirect;
use axum::routing::post;
use pagekin::Url;
use pagekin::run::{Planned, Publish, RunSpec, Worker};
use pagekin::store::Watch;
use pagekin::watch::{new_watch, watch_job};
use serde::Deserialize;
use std::time::Duration;

/// Between two looks for watches that are due.
const LOOK: Duration = Duration::from_secs(5);

/// More often than this nobody's site is asked.
const SHORTEST: Duration = Duration::from_secs(60);

pub fn routes() -> Router<Shared> {
    Router::new().route("/watches", post(add)).route("/watches/{id}", post(change))
}

/// Runs what is due, until the server ends.
pub async fn run_due(app: Shared, at_once: usize, publish: Option<Publish>) {
    while !app.stop.is_stopped() {
        let due = app.store.watches(true).await.unwrap_or_default();
        if !due.is_empty() {
            run_once(&app, at_once, publish.clone()).await;
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = app.stop.stopped() => {}
        }
    }
}

/// In a thread of its own: a run thinks for minutes.
async fn run_once(app: &Shared, at_once: usize, publish: Option<Publish>) {
    let (app, here) = (app.clone(), tokio::runtime::Handle::current());
    let work = move || {
        let (store, pages, stop) = (app.store.clone(), app.pages.clone(), app.stop.clone());
        let worker = Worker { store, pages, at_once, lease: LEASE, stop, publish, local: app.local.clone() };
        let hear = |run: &pagekin::store::Run, event| app.watching.hear(run, event);
        here.block_on(watch_job(&worker, false, &hear))
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(Ok(watched))) => {
            let untold = watched.iter().flat_map(|one| &one.untold);
            untold.for_each(|why| tracing::error!("nobody was told: {why}"));
        }
        Ok(Ok(Err(holder))) => tracing::debug!("`{holder}` runs what is due"),
        Ok(Err(error)) => {
            tracing::error!("what is due was not run: {error}");
            tokio::time::sleep(PAUSE).await;
        }
        Err(error) => tracing::error!("what is due was not run: {error}"),
    }
}

/// `90m`, `12h`, `7d`; a number alone is of hours.
pub fn rhythm(text: &str) -> Result<Duration, Problem> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
    let unit = match text[digits.len()..].trim() {
        "m" | "min" => 60,
        "" | "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => 0,
    };
    let seconds = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    let every =
        seconds.map(Duration::from_secs).filter(|every| (SHORTEST..Duration::from_secs(1 << 32)).contains(every));
    every.ok_or_else(|| Problem::wrong("that is no rhythm").hint("such as 90m, 12h or 7d; a minute at least"))
}

pub fn written(every: Duration) -> String {
    let seconds = every.as_secs();
    match seconds {
        _ if seconds.is_multiple_of(86_400) => format!("{}d", seconds / 86_400),
        _ if seconds.is_multiple_of(3600) => format!("{}h", seconds / 3600),
        _ => format!("{}m", seconds / 60),
    }
}

/// A data set to be run again.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub struct NewRhythm {
    /// The data set.
    pub class: i64,
    /// `90m`, `12h`, `7d`.
    pub every: String,
}

/// Watches the samples of a data set, as its last run was done.
pub async fn added(app: &App, client: &Client, new: &NewRhythm) -> Result<i64, Problem> {
    let (every, class) = (rhythm(&new.every)?, data::class(app, new.class).await?);
    let last = class.last_run.ok_or_else(|| Problem::wrong("no run of it has ended yet"))?;
    let run = app.store.run_line(last).await?.ok_or_else(|| Problem::missing("run"))?;
    let samples: Vec<Url> = run.samples.iter().filter_map(|sample| Url::parse(sample).ok()).collect();
    let planned = Planned { site: run.site.clone(), samples };
    app.audit(client, "watch", &format!("{} every {}", class.name, new.every)).await?;
    Ok(app.store.watch(&new_watch(&planned, &RunSpec::parse(&run.settings)?, every, None, None)?).await?)
}

async fn add(State(app): State<Shared>, client: Client, Form(new): Form<NewRhythm>) -> Result<Redirect, Screen> {
    added(&app, &client, &new).await?;
    Ok(Redirect::to("/changes#watches"))
}

/// What becomes of a watch.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub struct Rhythm {
    /// `90m`, `12h`, `7d`.
    #[serde(default)]
    pub every: String,
    /// `save` the rhythm, `now` makes it due, `remove`.
    #[serde(default)]
    pub action: String,
}

pub async fn changed(app: &App, client: &Client, id: i64, said: &Rhythm) -> Result<(), Problem> {
    let all = app.store.watches(false).await?;
    let watch: &Watch = all.iter().find(|watch| watch.id == id).ok_or_else(|| Problem::missing("watch"))?;
    let every = if said.every.is_empty() { watch.every } else { rhythm(&said.every)? };
    let done = match said.action.as_str() {
        "remove" => {
            app.audit(client, "remove watch", &watch.site).await?;
            app.store.unwatch(id).await?
        }
        "save" | "now" | "" => {
            app.audit(client, "change watch", &format!("{} every {}", watch.site, written(every))).await?;
            app.store.reschedule(id, every, said.action == "now").await?
        }
        _ => return Err(Problem::wrong("an action is `save`, `now` or `remove`")),
    };
    if done { Ok(()) } else { Err(Problem::missing("watch")) }
}

async fn change(
    State(app): State<Shared>,
    client: Client,
    Path(id): Path<i64>,
    Form(said): Form<Rhythm>,
) -> Result<Redirect, Screen> {
    changed(&app, &client, id, &said).await?;
    Ok(Redirect::to("/changes#watches"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rhythm_is_read_as_it_is_written() {
        for text in ["90m", "12h", "7d"] {
            assert_eq!(written(rhythm(text).unwrap()), text);
        }
        assert_eq!(rhythm(" 3 ").unwrap(), Duration::from_secs(3 * 3600));
        for text in ["", "h", "0h", "10s", "-1h", "1x", "99999999999999999999d", "3 days and"] {
            assert!(rhythm(text).is_err(), "{text}");
        }
    }
}
