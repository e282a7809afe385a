//! What does the database say to a question of the user's own? SQL that only reads, for a limited time → a table.

use super::answer::{Problem, Screen, page};
use super::{App, Shared};
use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use pagekin::store::{Error, Value};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Rows that are shown, and how long a query may take.
const ROWS: usize = 500;
const LIMIT: Duration = Duration::from_secs(10);

/// Bytes of a cell that are shown.
const CELL: usize = 2000;

const EXAMPLE: &str =
    "SELECT site, class, COUNT(*) AS records FROM current_records GROUP BY site, class ORDER BY records DESC";

pub fn routes() -> Router<Shared> {
    Router::new().route("/sql", get(sql))
}

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Asked {
    /// One query that only reads, in the SQL of the database.
    #[serde(default)]
    pub sql: String,
}

#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Answered {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// There are more rows than these.
    pub cut: bool,
}

pub async fn answered(app: &App, sql: &str) -> Result<Answered, Problem> {
    let (columns, mut rows) = app.store.query_within(sql, ROWS + 1, LIMIT).await.map_err(|error| match error {
        Error::TooLong { seconds } => Problem::wrong(format!("the query takes longer than {seconds} s"))
            .hint("ask for less, or use `pagekin query`"),
        Error::Query(_) | Error::ReadOnly => {
            let text = error.to_string();
            Problem::wrong(text.split("\n\n").next().unwrap_or_default())
                .hint("one SELECT; docs/stages/store.md lists the tables")
        }
        other => other.into(),
    })?;
    let cut = rows.len() > ROWS;
    rows.truncate(ROWS);
    let rows = rows.iter().map(|row| (0..columns.len()).map(|at| cell(row.get(at))).collect()).collect();
    Ok(Answered { columns, rows, cut })
}

fn cell(value: &Value) -> String {
    let text = match value.shown() {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    match text.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[derive(Template)]
#[template(path = "serve/sql.html")]
struct Sql {
    sql: String,
    answer: Option<Answered>,
    problem: Option<Problem>,
}

async fn sql(State(app): State<Shared>, Query(asked): Query<Asked>) -> Result<Response, Screen> {
    if asked.sql.trim().is_empty() {
        return page(&Sql { sql: EXAMPLE.to_owned(), answer: None, problem: None });
    }
    let (answer, problem) = match answered(&app, &asked.sql).await {
        Ok(answer) => (Some(answer), None),
        Err(problem) => (None, Some(problem)),
    };
    page(&Sql { sql: asked.sql, answer, problem })
}
