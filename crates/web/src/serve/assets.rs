//! Which files do the pages need? Style and scripts, compiled in: nothing is asked elsewhere, and nothing is built.
//!
//! htmx is the published file of its version, unchanged (`assets/htmx-LICENSE.txt`).

use super::Shared;
use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

pub fn routes() -> Router<Shared> {
    Router::new()
        .route("/static/app.css", get(|| file(STYLE, include_str!("../../assets/app.css"))))
        .route("/static/app.js", get(|| file(SCRIPT, include_str!("../../assets/app.js"))))
        .route("/static/pick.js", get(|| file(SCRIPT, include_str!("../../assets/pick.js"))))
        .route("/static/record.js", get(|| file(SCRIPT, include_str!("../../assets/record.js"))))
        .route("/static/map.js", get(|| file(SCRIPT, include_str!("../../assets/map.js"))))
        .route("/static/try.js", get(|| file(SCRIPT, include_str!("../../assets/try.js"))))
        .route("/static/htmx.js", get(|| file(SCRIPT, include_str!("../../assets/htmx-2.0.8.min.js"))))
}

async fn file(kind: &'static str, text: &'static str) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], text)
}
