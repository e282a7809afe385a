//! How do programs ask? Every screen as JSON under `/api`, described by OpenAPI 3.1 at `/api/openapi.json`.
//!
//! Routes are registered together with their description, so that there is none without.

use super::answer::{Given, Problem};
use super::guard::Client;
use super::shown::{Asked, MOST, Pairs};
use super::{Shared, api_page, api_site, begin, changes, data, home, record, review, runs, tree};
use axum::extract::{Path, Query, State};
use axum::response::Response;
use axum::{Json, Router};
use pagekin::store::Change;
use pagekin::store::reviews::{Precision, Reviewed};
use pagekin::store::run_list::RunLine;
use pagekin::store::screen::{ClassLine, Earlier, Facet, IndexLine, SeenRecord};
use serde::{Deserialize, Serialize};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{IntoParams, OpenApi, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

type Answer<T> = Result<Json<T>, Problem>;

#[derive(OpenApi)]
#[openapi(
    info(title = "pagekin", description = "One example page becomes a whole data set."),
    security(("token" = []))
)]
struct Described;

pub fn routes() -> Router<Shared> {
    let (router, mut described) = OpenApiRouter::with_openapi(Described::openapi())
        .routes(routes!(get_home))
        .routes(routes!(get_runs, post_run))
        .routes(routes!(get_run))
        .routes(routes!(post_stop))
        .routes(routes!(post_resume))
        .routes(routes!(get_log))
        .routes(routes!(get_data_sets))
        .routes(routes!(get_records))
        .routes(routes!(get_facet))
        .routes(routes!(get_record))
        .routes(routes!(get_export))
        .routes(routes!(get_tree))
        .routes(routes!(get_changes))
        .routes(routes!(get_findings, post_decision))
        .merge(api_site::routes())
        .split_for_parts();
    let token = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    described.components.get_or_insert_default().add_security_scheme("token", token);
    let mut text = serde_json::to_value(&described).unwrap_or_default();
    describe_answers(&mut text);
    router
        .merge(api_page::routes(&text))
        .route("/api/openapi.json", axum::routing::get(move || async move { Json(text) }))
}

/// Every answer needs a description; most are told by their status.
fn describe_answers(described: &mut serde_json::Value) {
    let paths = described["paths"].as_object_mut().into_iter().flatten();
    let ways = paths.filter_map(|(_, path)| path.as_object_mut()).flatten();
    let answers = ways.filter_map(|(_, way)| way["responses"].as_object_mut()).flatten();
    for (status, answer) in answers.filter(|(_, answer)| answer["description"].as_str().is_none_or(str::is_empty)) {
        answer["description"] = match status.as_str() {
            "200" => "What was asked for",
            "401" => "Nobody is logged in",
            "404" => "There is no such thing",
            _ => "It is refused, with the reason",
        }
        .into();
    }
}

/// What is due, what failed, what is there.
#[utoipa::path(get, path = "/api/home", responses((status = 200, body = Object), (status = 401, body = Problem)))]
async fn get_home(State(app): State<Shared>) -> Answer<home::Home> {
    Ok(Json(home::gathered(&app).await?))
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct RunsWanted {
    /// Part of the name of the site, the class or a sample.
    #[serde(default)]
    q: String,
    /// `queued`, `running`, `done`, `failed` or `stopped`.
    #[serde(default)]
    state: String,
    /// Only runs with smaller numbers.
    before: Option<i64>,
}

#[derive(Serialize, ToSchema)]
struct Runs {
    #[schema(value_type = Vec<Object>)]
    runs: Vec<RunLine>,
    /// For `before` of the next page.
    next: Option<i64>,
}

/// Runs, the newest first.
#[utoipa::path(get, path = "/api/runs", params(RunsWanted), responses((status = 200, body = Runs), (status = 400, description = "The query cannot be read"), (status = 401, body = Problem)))]
async fn get_runs(State(app): State<Shared>, Query(wanted): Query<RunsWanted>) -> Answer<Runs> {
    let wanted = runs::Wanted { q: wanted.q, state: wanted.state, before: wanted.before };
    let runs = app.store.run_list(&wanted.filter(runs::PAGE)?).await?;
    let next = (runs.len() == runs::PAGE).then(|| runs[runs::PAGE - 1].id);
    Ok(Json(Runs { runs, next }))
}

#[derive(Debug, Deserialize, ToSchema)]
struct NewRun {
    /// A page of the kind that is wanted.
    url: String,
    /// More pages of the kind.
    #[serde(default)]
    too: Vec<String>,
    /// Names for values on that page.
    #[serde(default)]
    examples: Vec<NewExample>,
    /// Pages that are not of the kind.
    #[serde(default)]
    not: Vec<String>,
    /// What the data set is called.
    #[serde(default)]
    name: String,
    /// Look for pages that no link reaches.
    #[serde(default)]
    hidden: bool,
    /// Which of the nested answers is meant: `narrower`, `wider` or a number, 0 is the widest; empty is the default.
    #[serde(default)]
    rung: String,
}

#[derive(Debug, Deserialize, ToSchema)]
struct NewExample {
    column: String,
    value: String,
}

#[derive(Serialize, ToSchema)]
struct Queued {
    run: i64,
}

/// Starts a run.
#[utoipa::path(post, path = "/api/runs", request_body = NewRun, responses((status = 200, body = Queued), (status = 400, description = "The body is no JSON"), (status = 401, body = Problem), (status = 413, description = "The body is too large"), (status = 415, description = "The body is not said to be JSON"), (status = 422, body = Problem)))]
async fn post_run(State(app): State<Shared>, client: Client, Given(new): Given<NewRun>) -> Answer<Queued> {
    let examples = new.examples.into_iter().map(|one| (one.column, one.value)).collect();
    let NewRun { url, too, not, name, hidden, rung, .. } = new;
    let form = begin::Form { url, too, examples, not, name, hidden, rung };
    Ok(Json(Queued { run: begin::queued(&app, &client, &form).await? }))
}

#[derive(Serialize, ToSchema)]
struct OneRun {
    #[schema(value_type = Object)]
    run: RunLine,
    #[schema(value_type = Object)]
    now: runs::Now,
}

/// A run and how far it is.
#[utoipa::path(get, path = "/api/runs/{id}", params(("id" = i64, Path)), responses((status = 200, body = OneRun), (status = 400, description = "No number"), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get_run(State(app): State<Shared>, Path(id): Path<i64>) -> Answer<OneRun> {
    let run = app.store.run_line(id).await?.ok_or_else(|| Problem::missing("run"))?;
    Ok(Json(OneRun { now: runs::now(&app, &run).await?, run }))
}

/// Stops a run; what it has kept stays.
#[utoipa::path(post, path = "/api/runs/{id}/stop", params(("id" = i64, Path)), responses((status = 200, body = Queued), (status = 400, description = "No number"), (status = 401, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn post_stop(State(app): State<Shared>, client: Client, Path(id): Path<i64>) -> Answer<Queued> {
    runs::stopped(&app, &client, id).await?;
    Ok(Json(Queued { run: id }))
}

/// Takes up a run that stopped or failed.
#[utoipa::path(post, path = "/api/runs/{id}/resume", params(("id" = i64, Path)), responses((status = 200, body = Queued), (status = 400, description = "No number"), (status = 401, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn post_resume(State(app): State<Shared>, client: Client, Path(id): Path<i64>) -> Answer<Queued> {
    runs::resumed(&app, &client, id).await?;
    Ok(Json(Queued { run: id }))
}

#[derive(Serialize, ToSchema)]
struct Log {
    log: String,
}

/// The end of a run's log.
#[utoipa::path(get, path = "/api/runs/{id}/log", params(("id" = i64, Path)), responses((status = 200, body = Log), (status = 400, description = "No number"), (status = 401, body = Problem)))]
async fn get_log(State(app): State<Shared>, Path(id): Path<i64>) -> Answer<Log> {
    Ok(Json(Log { log: app.watching.log(id) }))
}

#[derive(Serialize, ToSchema)]
struct DataSets {
    #[schema(value_type = Vec<Object>)]
    data_sets: Vec<ClassLine>,
}

/// All data sets.
#[utoipa::path(get, path = "/api/data", responses((status = 200, body = DataSets), (status = 401, body = Problem)))]
async fn get_data_sets(State(app): State<Shared>) -> Answer<DataSets> {
    Ok(Json(DataSets { data_sets: app.store.class_list(None).await? }))
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "describes what `Asked` reads")]
struct ViewWanted {
    /// Words that the values of a record hold.
    q: Option<String>,
    /// `column:value`, several times.
    f: Option<Vec<String>>,
    /// The column that orders the records; without it their addresses do.
    sort: Option<String>,
    /// `1`: from the end.
    desc: Option<String>,
    /// `1`: as numbers.
    number: Option<String>,
    /// Where the page begins, as `next` of the page before says.
    after: Option<String>,
    /// Records of a page, up to 1000.
    limit: Option<usize>,
}

#[derive(Serialize, ToSchema)]
struct Records {
    columns: Vec<String>,
    #[schema(value_type = Vec<Object>)]
    records: Vec<SeenRecord>,
    /// For `after` of the next page.
    next: Option<String>,
}

/// Records of a data set, a page at a time.
#[utoipa::path(get, path = "/api/data/{class}", params(("class" = i64, Path), ViewWanted), responses((status = 200, body = Records), (status = 400, description = "The query cannot be read"), (status = 401, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn get_records(State(app): State<Shared>, Path(id): Path<i64>, Query(pairs): Query<Pairs>) -> Answer<Records> {
    let (class, asked) = (data::class(&app, id).await?, Asked::read(&pairs)?);
    let view = asked.view(id);
    data::prepared(&app, &class, &view).await?;
    let records = app.store.view(&view).await?;
    let last = records.last().filter(|_| records.len() == view.limit).and_then(|record| record.cursor.as_ref());
    let next = last.and_then(|cursor| serde_json::to_string(cursor).ok());
    Ok(Json(Records { columns: data::columns(&app, id).await?.own, records, next }))
}

#[derive(Serialize, ToSchema)]
struct Facets {
    #[schema(value_type = Vec<Object>)]
    values: Vec<Facet>,
}

/// The most frequent values of a column.
#[utoipa::path(get, path = "/api/data/{class}/facet", params(("class" = i64, Path), ("column" = String, Query), ViewWanted), responses((status = 200, body = Facets), (status = 400, description = "The query cannot be read"), (status = 401, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn get_facet(
    State(app): State<Shared>,
    Path(id): Path<i64>,
    Query(data::Column { column }): Query<data::Column>,
    Query(pairs): Query<Pairs>,
) -> Answer<Facets> {
    data::class(&app, id).await?;
    Ok(Json(Facets { values: data::facets(&app, id, &Asked::read(&pairs)?, &column).await? }))
}

#[derive(Serialize, ToSchema)]
struct OneRecord {
    #[schema(value_type = Object)]
    record: SeenRecord,
    #[schema(value_type = Vec<Object>)]
    earlier: Vec<Earlier>,
}

/// A record with its evidence, and what it said before.
#[utoipa::path(get, path = "/api/data/{class}/record", params(("class" = i64, Path), ("url" = String, Query), ("nth" = Option<i64>, Query)), responses((status = 200, body = OneRecord), (status = 400, description = "The query cannot be read"), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get_record(
    State(app): State<Shared>,
    Path(id): Path<i64>,
    Query(which): Query<record::Which>,
) -> Answer<OneRecord> {
    let record = record::found(&app, id, &which).await?;
    Ok(Json(OneRecord { record, earlier: app.store.earlier(id, &which.url, which.nth).await? }))
}

/// What a view shows, as a file.
#[utoipa::path(get, path = "/api/data/{class}/export/{format}", params(("class" = i64, Path), ("format" = String, Path, description = "csv, jsonl, parquet or xlsx"), ("child" = Option<String>, Query, description = "The rows of this table within the pages, instead of the records"), ViewWanted), responses((status = 200, description = "The file"), (status = 400, description = "The query cannot be read"), (status = 401, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn get_export(state: State<Shared>, path: Path<(i64, String)>, query: Query<Pairs>) -> Result<Response, Problem> {
    data::export(state, path, query).await
}

#[derive(Serialize, ToSchema)]
struct Indexes {
    #[schema(value_type = Vec<Object>)]
    indexes: Vec<IndexLine>,
}

/// The index pages that a data set was found through.
#[utoipa::path(get, path = "/api/data/{class}/tree", params(("class" = i64, Path)), responses((status = 200, body = Indexes), (status = 400, description = "No number"), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get_tree(State(app): State<Shared>, Path(id): Path<i64>) -> Answer<Indexes> {
    data::class(&app, id).await?;
    Ok(Json(Indexes { indexes: tree::indexes(&app, id).await? }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ChangesWanted {
    /// Of this run; without it, of the last one that is done.
    run: Option<i64>,
    /// `1`: everything since that run, not only what it changed itself.
    since: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct Changes {
    run: Option<i64>,
    #[schema(value_type = Vec<Object>)]
    changes: Vec<Change>,
    #[schema(value_type = Vec<Object>)]
    watches: Vec<changes::WatchLine>,
}

/// Changes that a program gets at most.
const MOST_CHANGES: usize = 100_000;

/// What a run found new, changed or gone, or what did since.
#[utoipa::path(get, path = "/api/changes", params(ChangesWanted), responses((status = 200, body = Changes), (status = 400, description = "The query cannot be read"), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get_changes(State(app): State<Shared>, Query(wanted): Query<ChangesWanted>) -> Answer<Changes> {
    let wanted = changes::Wanted { run: wanted.run, since: wanted.since };
    let (run, changes) = changes::of_run(&app, &wanted, MOST_CHANGES).await?;
    Ok(Json(Changes { run: run.map(|run| run.id), changes, watches: changes::watches(&app, false).await? }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FindingsWanted {
    /// Those that were decided on, too.
    #[serde(default)]
    decided: bool,
    /// How many to leave out.
    #[serde(default)]
    skip: u32,
}

#[derive(Serialize, ToSchema)]
struct Findings {
    #[schema(value_type = Vec<Object>)]
    findings: Vec<Reviewed>,
    #[schema(value_type = Vec<Object>)]
    rules: Vec<Precision>,
}

/// Findings to be decided on, and how often each rule was right.
#[utoipa::path(get, path = "/api/review", params(FindingsWanted), responses((status = 200, body = Findings), (status = 400, description = "The query cannot be read"), (status = 401, body = Problem)))]
async fn get_findings(State(app): State<Shared>, Query(wanted): Query<FindingsWanted>) -> Answer<Findings> {
    let findings = app.store.to_review(wanted.decided, MOST, wanted.skip as usize).await?;
    Ok(Json(Findings { findings, rules: app.store.precision().await? }))
}

#[derive(Serialize, ToSchema)]
struct Decided {
    decision: String,
}

/// Confirms or rejects a finding.
#[utoipa::path(post, path = "/api/review", request_body = review::Decision, responses((status = 200, body = Decided), (status = 400, description = "The body is no JSON"), (status = 401, body = Problem), (status = 404, body = Problem), (status = 413, description = "The body is too large"), (status = 415, description = "The body is not said to be JSON"), (status = 422, body = Problem)))]
async fn post_decision(
    State(app): State<Shared>,
    client: Client,
    Given(said): Given<review::Decision>,
) -> Answer<Decided> {
    review::decided(&app, &client, &said).await?;
    Ok(Json(Decided { decision: said.decision }))
}
