//! What is due, what failed and why, how much disk is used? The first screen.

use super::answer::{Problem, Screen, page};
use super::changes::{WatchLine, watches};
use super::guard::Client;
use super::{App, Shared};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use pagekin::store;
use pagekin::store::reviews::Audited;
use pagekin::store::run_list::{RunFilter, RunLine};
use pagekin::store::screen::ClassLine;
use serde::Serialize;
use std::path::Path;

/// Lines of each list.
const LINES: usize = 8;

pub fn routes() -> Router<Shared> {
    Router::new().route("/", get(home))
}

#[derive(Template, Serialize)]
#[template(path = "serve/home.html")]
pub struct Home {
    pub under_way: Vec<RunLine>,
    pub failed: Vec<RunLine>,
    pub due: Vec<WatchLine>,
    pub data: Vec<ClassLine>,
    pub audit: Vec<Audited>,
    pub database: String,
    /// Bytes of the database.
    pub database_size: u64,
    /// Bytes of stored pages and logs.
    pub disk: u64,
}

fn megabytes(bytes: &u64) -> String {
    format!("{:.1} MB", *bytes as f64 / 1e6)
}

/// The first line of an error.
pub fn first_line(error: &Option<String>) -> &str {
    error.as_deref().and_then(|error| error.lines().next()).unwrap_or_default()
}

pub async fn gathered(app: &App) -> Result<Home, Problem> {
    let of = |state| RunFilter { state: Some(state), limit: LINES, ..RunFilter::default() };
    let mut under_way = app.store.run_list(&of(store::State::Running)).await?;
    under_way.extend(app.store.run_list(&of(store::State::Queued)).await?);
    let pages = app.pages.clone();
    let disk = tokio::task::spawn_blocking(move || size(&pages)).await.unwrap_or(0);
    Ok(Home {
        under_way,
        failed: app.store.run_list(&of(store::State::Failed)).await?,
        due: watches(app, true).await?,
        data: app.store.class_list(None).await?,
        audit: app.store.audited(LINES).await?,
        database: app.store.place(),
        database_size: app.store.size().await?.max(0) as u64,
        disk,
    })
}

async fn home(State(app): State<Shared>) -> Result<Response, Screen> {
    page(&gathered(&app).await?)
}

/// Of all files in a folder.
fn size(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .map(|file| match file.file_type() {
            Ok(kind) if kind.is_dir() => size(&file.path()),
            _ => file.metadata().map_or(0, |known| known.len()),
        })
        .sum()
}

impl App {
    /// Writes down who changes what, before it is changed.
    pub async fn audit(&self, client: &Client, action: &str, subject: &str) -> Result<(), Problem> {
        tracing::info!("{action} `{subject}` by {}", client.0);
        Ok(self.store.audit(&client.0.to_string(), action, subject).await?)
    }
}
