//! How do programs ask about sites, watches and the database? The twins of the screens Site map, health, watches and SQL.

use super::answer::{Given, Problem};
use super::guard::Client;
use super::{Shared, data, health, site_map, sql, watches};
use axum::Json;
use axum::extract::{Path, Query, State};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

type Answer<T> = Result<Json<T>, Problem>;

pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(get_maps, post_map))
        .routes(routes!(get_map))
        .routes(routes!(get_health))
        .routes(routes!(post_watch))
        .routes(routes!(post_rhythm))
        .routes(routes!(get_sql))
}

#[derive(Serialize, ToSchema)]
struct Maps {
    #[schema(value_type = Vec<Object>)]
    maps: Vec<site_map::MapLine>,
}

/// Maps of sites: drawn, under way, failed.
#[utoipa::path(get, path = "/api/maps", responses((status = 200, body = Maps), (status = 401, body = Problem)))]
async fn get_maps(State(app): State<Shared>) -> Json<Maps> {
    Json(Maps { maps: site_map::lines(&app) })
}

#[derive(Deserialize, ToSchema)]
struct NewMap {
    /// A page of the site.
    url: String,
}

#[derive(Serialize, ToSchema)]
struct Begun {
    site: String,
}

/// Begins to draw the map of a site.
#[utoipa::path(post, path = "/api/maps", request_body = NewMap, responses((status = 200, body = Begun), (status = 400, description = "The body is no JSON"), (status = 401, body = Problem), (status = 413, description = "The body is too large"), (status = 415, description = "The body is not said to be JSON"), (status = 422, body = Problem)))]
async fn post_map(State(app): State<Shared>, client: Client, Given(new): Given<NewMap>) -> Answer<Begun> {
    Ok(Json(Begun { site: site_map::begun(&app, &client, &new.url).await? }))
}

/// The model behind a map: classes of pages and the links between them.
#[utoipa::path(get, path = "/api/maps/{site}", params(("site" = String, Path)), responses((status = 200, body = Object), (status = 400, description = "The site cannot be read"), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get_map(State(app): State<Shared>, Path(site): Path<String>) -> Answer<pagekin::model::SiteModel> {
    Ok(Json(site_map::model(&app, &site).await?))
}

/// The last runs of a data set, and what is worth a look.
#[utoipa::path(get, path = "/api/data/{class}/health", params(("class" = i64, Path)), responses((status = 200, body = Object), (status = 400, description = "No number"), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get_health(State(app): State<Shared>, Path(id): Path<i64>) -> Answer<health::Health> {
    data::class(&app, id).await?;
    Ok(Json(health::of_class(&app, id).await?))
}

#[derive(Serialize, ToSchema)]
struct Watched {
    watch: i64,
}

/// Runs a data set again and again.
#[utoipa::path(post, path = "/api/watches", request_body = watches::NewRhythm, responses((status = 200, body = Watched), (status = 400, description = "The body is no JSON"), (status = 401, body = Problem), (status = 404, body = Problem), (status = 413, description = "The body is too large"), (status = 415, description = "The body is not said to be JSON"), (status = 422, body = Problem)))]
async fn post_watch(
    State(app): State<Shared>,
    client: Client,
    Given(new): Given<watches::NewRhythm>,
) -> Answer<Watched> {
    Ok(Json(Watched { watch: watches::added(&app, &client, &new).await? }))
}

/// Gives a watch another rhythm, makes it due, or removes it.
#[utoipa::path(post, path = "/api/watches/{id}", params(("id" = i64, Path)), request_body = watches::Rhythm, responses((status = 200, body = Watched), (status = 400, description = "The body is no JSON, or no number"), (status = 401, body = Problem), (status = 404, body = Problem), (status = 413, description = "The body is too large"), (status = 415, description = "The body is not said to be JSON"), (status = 422, body = Problem)))]
async fn post_rhythm(
    State(app): State<Shared>,
    client: Client,
    Path(id): Path<i64>,
    Given(said): Given<watches::Rhythm>,
) -> Answer<Watched> {
    watches::changed(&app, &client, id, &said).await?;
    Ok(Json(Watched { watch: id }))
}

/// The first rows of a query that only reads; it has ten seconds.
#[utoipa::path(get, path = "/api/sql", params(sql::Asked), responses((status = 200, body = sql::Answered), (status = 400, description = "The query cannot be read"), (status = 401, body = Problem), (status = 422, body = Problem)))]
async fn get_sql(State(app): State<Shared>, Query(asked): Query<sql::Asked>) -> Answer<sql::Answered> {
    Ok(Json(sql::answered(&app, &asked.sql).await?))
}
