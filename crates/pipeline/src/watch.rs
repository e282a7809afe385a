//! What changed since the last time, and who is told? Watches that are due → runs → changes → webhooks and commands.
//!
//! - [`watch_job`]: runs what is due. - [`Watched`]: what became of one watch. - [`ChangeRow`]: one change, for people.
//!
//! One at a time, whoever starts it: a lock in the database, taken over when its holder is dead. A watch that was not finished
//! is still due.

use crate::Error;
use crate::run::local::label;
use crate::run::{Ended, Event, Local, Planned, RunSpec, Summary, Worker, owner};
use pagekin_store::watches::NewWatch;
use pagekin_store::{Change, ChangeKind, Run, Store, Watch};
use serde::Serialize;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use url::Url;

const LOCK: &str = "watch";

/// How long the lock outlives a holder on another machine.
const HELD: Duration = Duration::from_secs(60);

/// Changes that are told one by one; more are counted.
const TOLD: usize = 10_000;

/// What became of one watch.
#[derive(Debug, Clone, Serialize)]
pub struct Watched {
    /// The number of the watch.
    pub watch: i64,
    /// What came of its run.
    #[serde(flatten)]
    pub summary: Summary,
    /// What the run changed, the first of them.
    pub changes: Vec<Change>,
    /// More than are told one by one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Why somebody could not be told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untold: Vec<String>,
}

/// One change of one attribute; of what is new or gone, one row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangeRow {
    /// Its site.
    pub site: String,
    /// Its kind of pages.
    pub class: String,
    /// Its page.
    pub url: Url,
    /// What became of the record.
    pub change: ChangeKind,
    /// The attribute that changed.
    pub attribute: Option<String>,
    /// What it said.
    pub before: Option<String>,
    /// What it says.
    pub after: Option<String>,
}

/// As the watch list has it. `webhook`, `command`: names, which [`Local`] of whoever runs the watch knows.
pub fn new_watch(
    planned: &Planned,
    spec: &RunSpec,
    every: Duration,
    webhook: Option<&str>,
    command: Option<&str>,
) -> Result<NewWatch, Error> {
    let run = planned.new_run(spec, None)?;
    Ok(NewWatch {
        site: run.site,
        url: run.url,
        samples: run.samples,
        settings: run.settings,
        private: run.private,
        every,
        webhook: webhook.map(str::to_owned),
        command: command.map(str::to_owned),
    })
}

/// Runs what is due, or all; `Err(holder)` when another does so already.
pub async fn watch_job(
    worker: &Worker,
    all: bool,
    hear: &(dyn Fn(&Run, Event) + Sync),
) -> Result<Result<Vec<Watched>, String>, Error> {
    let (store, me) = (&worker.store, owner::own());
    if let Some(holder) = locked(store, &me).await? {
        return Ok(Err(holder));
    }
    let done = tokio::select! {
        done = due(worker, all, &me, hear) => done,
        lost = held(store, &me) => Err(lost),
    };
    store.unlock(LOCK, &me).await?;
    done.map(Ok)
}

/// Who else has the lock; that of a dead process of this machine is taken.
async fn locked(store: &Store, me: &str) -> Result<Option<String>, Error> {
    match store.lock(LOCK, me, HELD).await? {
        Some(holder) if owner::has_ended(&holder) => {
            store.unlock(LOCK, &holder).await?;
            Ok(store.lock(LOCK, me, HELD).await?)
        }
        holder => Ok(holder),
    }
}

/// Keeps the lock; returns when it cannot.
async fn held(store: &Store, me: &str) -> Error {
    loop {
        tokio::time::sleep(HELD / 3).await;
        match store.lock(LOCK, me, HELD).await {
            Ok(None) => {}
            Ok(Some(holder)) => return Error::LostLock(holder),
            Err(error) => return error.into(),
        }
    }
}

async fn due(
    worker: &Worker,
    all: bool,
    batch: &str,
    hear: &(dyn Fn(&Run, Event) + Sync),
) -> Result<Vec<Watched>, Error> {
    let mut queued: Vec<(i64, Watch)> = Vec::new();
    for watch in worker.store.watches(!all).await? {
        let planned = Planned { site: watch.site.clone(), samples: watch.samples.clone() };
        let new = planned.new_run(&RunSpec::parse(&watch.settings)?, Some(batch))?;
        queued.push((worker.store.enqueue(&new).await?, watch));
    }
    let summaries = if queued.is_empty() { Vec::new() } else { worker.work(Some(batch), false, hear).await? };
    let mut watched = Vec::new();
    for (run, watch) in queued {
        let own = summaries.iter().find(|summary| summary.run == run).cloned();
        let summary = match own {
            Some(summary) => Some(summary),
            None => worker.store.run_line(run).await?.and_then(|line| Summary::of_another(&line)),
        };
        let Some(summary) = summary.filter(|summary| summary.state != Ended::Interrupted) else { continue };
        watched.push(told(&worker.store, &watch, &summary, &worker.local).await?);
        worker.store.watched(watch.id, run).await?;
    }
    Ok(watched)
}

async fn told(store: &Store, watch: &Watch, summary: &Summary, local: &Local) -> Result<Watched, Error> {
    let mut changes = match summary.class_id {
        Some(class) => store.changes(class, summary.run, TOLD + 1).await?,
        None => Vec::new(),
    };
    let cut = changes.len() > TOLD;
    changes.truncate(TOLD);
    let mut watched = Watched { watch: watch.id, summary: summary.clone(), changes, cut, untold: Vec::new() };
    let new_findings = summary.found.as_ref().is_some_and(|found| found.new_findings > 0);
    let worth_telling = !watched.changes.is_empty()
        || new_findings
        || !summary.drift.is_empty()
        || !summary.missed.is_empty()
        || summary.error.is_some();
    if worth_telling {
        watched.untold = tell(watch, &watched, local).await?;
    }
    Ok(watched)
}

/// A failure to tell is told, and fails nothing else.
async fn tell(watch: &Watch, watched: &Watched, local: &Local) -> Result<Vec<String>, Error> {
    let json = serde_json::to_string(watched).map_err(Error::NotSpec)?;
    let mut untold = Vec::new();
    let unknown = |what: &str, name: &str, section: &str| {
        Err(format!(
            "the {what} `{name}` was not {section}: this machine knows none of that name\n\n\
             hint: put it under [{what}s] of the config file"
        ))
    };
    if let Some(name) = &watch.webhook {
        let sent = match local.webhooks.get(name) {
            Some(url) => pagekin_fetch::notify::post(url, &json).await.map_err(|error| error.to_string()),
            // Earlier versions kept the address, of which the rest is often what lets one in.
            None => unknown("webhook", &label(name), "told"),
        };
        untold.extend(sent.err());
    }
    if let Some(name) = &watch.command {
        let done = match local.commands.get(name) {
            Some(command) => run_command(command, &json).await,
            None => unknown("command", name, "run"),
        };
        untold.extend(done.err());
    }
    Ok(untold)
}

async fn run_command(command: &str, json: &str) -> Result<(), String> {
    let wrong = |reason: String| format!("the command `{command}` failed: {reason}");
    let mut started = tokio::process::Command::new("sh");
    let mut child = started
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| wrong(error.to_string()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read what it is given is none of our concern.
        let _ = stdin.write_all(json.as_bytes()).await;
    }
    match child.wait().await {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(wrong(status.to_string())),
        Err(error) => Err(wrong(error.to_string())),
    }
}

impl Watched {
    /// One row an attribute that changed; one a record that is new or gone.
    pub fn rows(&self) -> Vec<ChangeRow> {
        let row = |change: &Change, attribute: Option<&String>| {
            let values = |of: &std::collections::BTreeMap<String, Vec<String>>| {
                attribute.and_then(|name| of.get(name)).map(|values| values.join("; "))
            };
            ChangeRow {
                site: self.summary.site.clone(),
                class: self.summary.class.clone(),
                url: change.url.clone(),
                change: change.change,
                attribute: attribute.cloned(),
                before: values(&change.before),
                after: values(&change.after),
            }
        };
        let rows = |change: &Change| {
            if change.change != ChangeKind::Changed {
                return vec![row(change, None)];
            }
            let names: std::collections::BTreeSet<&String> = change.before.keys().chain(change.after.keys()).collect();
            names.into_iter().map(|name| row(change, Some(name))).collect()
        };
        self.changes.iter().flat_map(rows).collect()
    }
}
