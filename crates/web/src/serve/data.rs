//! What is in the data sets? All of them; one as a table with filter, facets, order and pages; and what is shown as a file.

use super::answer::{Problem, Screen, page};
use super::shown::{Asked, PAGE, Pairs};
use super::{App, Shared};
use askama::Template;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures::stream;
use pagekin::store::screen::{ClassLine, Facet, SeenRecord, View};
use pagekin::view::{Format, Shown, ViewFile, joined};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Records that the names of columns, and facets, are gathered from: of larger data sets these are a part.
const GATHERED: usize = 500;
const FACETED: usize = 20_000;

/// Values of a facet that are shown.
const TOP: usize = 12;

pub fn routes() -> Router<Shared> {
    Router::new()
        .route("/data", get(list))
        .route("/data/{class}", get(table))
        .route("/data/{class}/facet", get(facet))
        .route("/data/{class}/export.{format}", get(export))
}

#[derive(Template)]
#[template(path = "serve/data_sets.html")]
struct DataSets {
    classes: Vec<ClassLine>,
}

async fn list(State(app): State<Shared>) -> Result<Response, Screen> {
    page(&DataSets { classes: app.store.class_list(None).await? })
}

pub async fn class(app: &App, id: i64) -> Result<ClassLine, Problem> {
    app.store.class_list(Some(id)).await?.pop().ok_or_else(|| Problem::missing("data set"))
}

/// Columns of a data set: its own, and the tables within its pages.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    pub own: Vec<String>,
    /// Of these, those with numbers.
    pub numbers: BTreeSet<String>,
    /// Names of tables, with their columns.
    pub children: BTreeMap<String, Vec<String>>,
}

/// Columns of data sets that were looked at lately: reading hundreds of records for each page of a table would cost more than the page.
#[derive(Default)]
pub struct KnownColumns(Mutex<BTreeMap<i64, (Instant, Columns)>>);

/// How long columns are remembered, and of how many data sets.
const FRESH: Duration = Duration::from_secs(5);
const REMEMBERED: usize = 1000;

impl KnownColumns {
    fn get(&self, class: i64) -> Option<Columns> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&class).filter(|(since, _)| since.elapsed() < FRESH).map(|(_, columns)| columns.clone())
    }

    fn put(&self, class: i64, columns: &Columns) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(class, (Instant::now(), columns.clone()));
    }
}

pub async fn columns(app: &App, class: i64) -> Result<Columns, Problem> {
    if let Some(known) = app.columns.get(class) {
        return Ok(known);
    }
    let columns = gathered(app, class).await?;
    app.columns.put(class, &columns);
    Ok(columns)
}

async fn gathered(app: &App, class: i64) -> Result<Columns, Problem> {
    let mut columns = Columns::default();
    for (name, number) in app.store.class_attributes(class, GATHERED).await? {
        match name.split_once('.') {
            Some((table, column)) => columns.children.entry(table.to_owned()).or_default().push(column.to_owned()),
            None => {
                columns.numbers.extend(number.then(|| name.clone()));
                columns.own.push(name);
            }
        }
    }
    Ok(columns)
}

/// From so many records on an order gets an index: below, looking at all of them is quick.
const INDEXED: i64 = 20_000;

/// Makes ready what the view needs to be quick.
pub async fn prepared(app: &App, class: &ClassLine, view: &View) -> Result<(), Problem> {
    if view.order.attribute.is_some() && class.records.is_none_or(|records| records >= INDEXED) {
        app.store.index_order(class.id, &view.order).await?;
    }
    Ok(())
}

#[derive(Template)]
#[template(path = "serve/data.html")]
struct Table {
    class: ClassLine,
    asked: Asked,
    columns: Columns,
    shown: Vec<(String, String)>,
    records: Vec<SeenRecord>,
    next: Option<String>,
    formats: [Format; 4],
}

impl Table {
    fn cell(&self, record: &SeenRecord, attribute: &str) -> String {
        joined(record, attribute)
    }

    /// Rows of a table within the page.
    fn rows(&self, record: &SeenRecord, child: &str) -> usize {
        let own =
            record.attributes.iter().filter(|(name, _)| name.split_once('.').is_some_and(|(own, _)| own == child));
        own.map(|(_, values)| values.len()).max().unwrap_or(0)
    }

    fn sorted(&self, column: &str) -> String {
        self.asked.sorted(column, self.columns.numbers.contains(column)).query()
    }

    fn mark(&self, column: &str) -> &'static str {
        match (self.asked.sort.as_deref() == Some(column), self.asked.descending) {
            (true, false) => " ▲",
            (true, true) => " ▼",
            _ => "",
        }
    }

    fn is_chosen(&self, column: &str) -> bool {
        self.asked.columns.is_empty() || self.asked.columns.iter().any(|own| own == column)
    }

    fn name(&self, column: &str) -> String {
        self.asked.names.get(column).cloned().unwrap_or_default()
    }

    fn path(&self, url: &str) -> String {
        path(url)
    }

    /// Where a map of the site would begin.
    fn site_url(&self) -> String {
        let sample = self.class.samples.first().and_then(|sample| pagekin::Url::parse(sample).ok());
        sample.and_then(|url| url.join("/").ok()).map(String::from).unwrap_or_default()
    }

    fn record_link(&self, record: &SeenRecord) -> String {
        record_link(self.class.id, &record.url, record.nth)
    }
}

/// An address within its site.
pub fn path(url: &str) -> String {
    let Ok(parsed) = pagekin::Url::parse(url) else { return url.to_owned() };
    parsed.query().map_or_else(|| parsed.path().to_owned(), |query| format!("{}?{query}", parsed.path()))
}

pub fn record_link(class: i64, url: &str, nth: i64) -> String {
    let query = pagekin::Url::parse_with_params("http://s/", [("url", url), ("nth", &nth.to_string())]);
    let query = query.ok().and_then(|url| url.query().map(str::to_owned)).unwrap_or_default();
    format!("/data/{class}/record?{query}")
}

async fn table(State(app): State<Shared>, Path(id): Path<i64>, Query(pairs): Query<Pairs>) -> Result<Response, Screen> {
    let (class, mut asked) = (class(&app, id).await?, Asked::read(&pairs)?);
    asked.limit = None;
    let columns = columns(&app, id).await?;
    let view = View { bare: true, ..asked.view(id) };
    prepared(&app, &class, &view).await?;
    let records = app.store.view(&view).await?;
    let last = records.last().filter(|_| records.len() == PAGE).and_then(|record| record.cursor.clone());
    let next = last.map(|cursor| asked.behind(Some(cursor)).query());
    let shown = asked.shown(id, &columns.own).columns;
    page(&Table { class, asked, columns, shown, records, next, formats: Format::ALL })
}

#[derive(Debug, Deserialize)]
pub struct Column {
    pub column: String,
}

#[derive(Template)]
#[template(path = "serve/facet.html")]
struct FacetPart {
    class: i64,
    asked: Asked,
    column: String,
    values: Vec<Facet>,
    most: usize,
}

pub async fn facets(app: &App, id: i64, asked: &Asked, column: &str) -> Result<Vec<Facet>, Problem> {
    let view: View = asked.without_facet(column).view(id);
    Ok(app.store.facet(&view, column, TOP, FACETED).await?)
}

async fn facet(
    State(app): State<Shared>,
    Path(id): Path<i64>,
    Query(Column { column }): Query<Column>,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Screen> {
    class(&app, id).await?;
    let asked = Asked::read(&pairs)?;
    let values = facets(&app, id, &asked, &column).await?;
    page(&FacetPart { class: id, asked, column, values, most: FACETED })
}

pub async fn export(
    State(app): State<Shared>,
    Path((id, format)): Path<(i64, String)>,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Problem> {
    let format = Format::of(&format).ok_or_else(|| Problem::missing("format"))?;
    let (class, asked) = (class(&app, id).await?, Asked::read(&pairs)?);
    let (mut columns, guard) = (columns(&app, id).await?, app.privacy.ready()?);
    columns.own.retain(|name| !guard.leaves_out(name));
    for (table, names) in &mut columns.children {
        names.retain(|name| !guard.leaves_out(&format!("{table}.{name}")));
    }
    let children = columns.children.into_iter().filter(|(_, names)| !names.is_empty()).collect();
    let shown = Shown { children, guard, ..asked.shown(id, &columns.own) };
    if shown.only.as_ref().is_some_and(|only| !shown.children.iter().any(|(table, _)| table == only)) {
        return Err(Problem::missing("table within the pages"));
    }
    prepared(&app, &class, &shown.view).await?;
    let file = ViewFile::new(app.store.clone(), shown, format);
    let bytes = stream::unfold(file, |mut file| async move {
        let next = file.next().await.transpose()?;
        Some((next.map_err(|error| std::io::Error::other(error.to_string())), file))
    });
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = class.name.chars().map(plain).collect();
    let headers = [
        (header::CONTENT_TYPE, format.media_type().to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.{}\"", format.name())),
    ];
    Ok((headers, Body::from_stream(bytes)).into_response())
}
