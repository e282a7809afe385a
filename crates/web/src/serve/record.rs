//! Where does a record come from, and what did it say before? Its values with their evidence, beside the page they were read from, each
//! value's place marked.

use super::answer::{Problem, Screen, page};
use super::data::{class, record_link};
use super::{App, Shared};
use askama::Template;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use pagekin::Url;
use pagekin::marks::marks;
use pagekin::page::{self as pages, Limits};
use pagekin::snapshot::{POLICY, snapshot};
use pagekin::store::screen::{ClassLine, Earlier, SeenRecord};
use pagekin::stored_page::stored_page;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

pub fn routes() -> Router<Shared> {
    Router::new().route("/data/{class}/record", get(record)).route("/data/{class}/snapshot", get(shown))
}

#[derive(Debug, Deserialize)]
pub struct Which {
    pub url: String,
    #[serde(default)]
    pub nth: i64,
}

/// A value with where it was found.
pub struct Line {
    pub attribute: String,
    pub values: String,
    pub place: String,
    pub raw: String,
    pub source: String,
    pub confidence: String,
}

/// Rows of a table within the page, under the names of its columns.
pub struct Child {
    pub name: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

#[derive(Template)]
#[template(path = "serve/record.html")]
struct OneRecord {
    /// The page as it was read, where it is still kept.
    snapshot: Option<String>,
    class: ClassLine,
    record: SeenRecord,
    lines: Vec<Line>,
    children: Vec<Child>,
    earlier: Vec<Earlier>,
}

impl OneRecord {
    fn is_link(&self) -> bool {
        self.record.url.starts_with("http://") || self.record.url.starts_with("https://")
    }

    /// What a value was, where it differs from what it is.
    fn differing(&self, earlier: &Earlier) -> Vec<(String, String, String)> {
        let now = &self.record.attributes;
        let names: BTreeSet<&String> = earlier.attributes.keys().chain(now.keys()).collect();
        let text = |of: &BTreeMap<String, Vec<String>>, name: &String| {
            of.get(name).map(|all| all.join("; ")).unwrap_or_default()
        };
        let pair = |name: &String| (name.clone(), text(&earlier.attributes, name), text(now, name));
        names.into_iter().map(pair).filter(|(_, before, after)| before != after).collect()
    }
}

async fn record(
    State(app): State<Shared>,
    Path(id): Path<i64>,
    Query(which): Query<Which>,
) -> Result<Response, Screen> {
    let class = class(&app, id).await?;
    let record = found(&app, id, &which).await?;
    let earlier = app.store.earlier(id, &which.url, which.nth).await?;
    let (lines, children) = (lines(&record), children(&record));
    let kept = app.store.archive_of(id, &record.url).await?.is_some_and(|path| std::path::Path::new(&path).is_file());
    let snapshot = kept.then(|| record_link(id, &record.url, record.nth).replace("/record?", "/snapshot?"));
    page(&OneRecord { snapshot, class, record, lines, children, earlier })
}

fn lines(record: &SeenRecord) -> Vec<Line> {
    let line = |(name, values): (&String, &Vec<String>)| {
        let evidence = &record.evidence[name];
        let text = |key: &str| evidence[key].as_str().unwrap_or_default().to_owned();
        Line {
            attribute: name.clone(),
            values: values.join("; "),
            place: text("path"),
            raw: text("raw"),
            source: text("source"),
            confidence: evidence["confidence"].as_f64().map(|own| format!("{:.0} %", own * 100.0)).unwrap_or_default(),
        }
    };
    record.attributes.iter().filter(|(name, _)| !name.contains('.')).map(line).collect()
}

fn children(record: &SeenRecord) -> Vec<Child> {
    let mut tables: BTreeMap<&str, Vec<(&str, &Vec<String>)>> = BTreeMap::new();
    for (name, values) in &record.attributes {
        if let Some((table, column)) = name.split_once('.') {
            tables.entry(table).or_default().push((column, values));
        }
    }
    let child = |(name, columns): (&str, Vec<(&str, &Vec<String>)>)| {
        let rows = columns.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
        let row = |at: usize| columns.iter().map(|(_, values)| values.get(at).cloned().unwrap_or_default()).collect();
        let named = columns.iter().map(|(column, _)| (*column).to_owned()).collect();
        Child { name: name.to_owned(), columns: named, rows: (0..rows).map(row).collect() }
    };
    tables.into_iter().map(child).collect()
}

/// The page of a record as it was read, every value marked.
async fn shown(
    State(app): State<Shared>,
    Path(id): Path<i64>,
    Query(which): Query<Which>,
) -> Result<Response, Problem> {
    let record = found(&app, id, &which).await?;
    let url = Url::parse(&record.url).map_err(|_| Problem::missing("page"))?;
    let raw = stored_page(&app.store, id, &url).await?.ok_or_else(|| Problem::missing("page"))?;
    let work = move || {
        let document = pages::read(&raw, &Limits::default()).map_err(|why| Problem::wrong(why.to_string()))?;
        Ok::<String, Problem>(snapshot(&document, &marks(&document, &record.evidence)))
    };
    let html = tokio::task::spawn_blocking(work).await.map_err(|_| Problem::wrong("the page cannot be shown"))??;
    Ok(([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(html)).into_response())
}

pub async fn found(app: &App, class: i64, which: &Which) -> Result<SeenRecord, Problem> {
    app.store.seen_record(class, &which.url, which.nth).await?.ok_or_else(|| Problem::missing("record"))
}
