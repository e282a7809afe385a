//! How does the demo site answer over HTTP? Listener → answers until told to stop.
//!
//! Content-Type, ETag with 304 for what the client has already, 404 with a page, GET and HEAD only.

use super::draw::fnv;
use super::{Response, Site};
use crate::Error;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::routing::get;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Serves the demo site until `stop` is ready; requests under way are answered first.
pub async fn serve(listener: TcpListener, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), Error> {
    let address = listener.local_addr().map_or_else(|_| "?".to_owned(), |address| address.to_string());
    let app = Router::new().fallback_service(get(answer).with_state(Arc::new(Site::new())));
    let served = axum::serve(listener, app).with_graceful_shutdown(stop).await;
    served.map_err(|cause| Error::Serve { address, cause })
}

async fn answer(State(site): State<Arc<Site>>, uri: Uri, asked: HeaderMap) -> axum::response::Response {
    let path_and_query = uri.path_and_query().map_or("/", |both| both.as_str());
    let response = site.page(path_and_query).unwrap_or_else(|| site.not_found());
    let etag = format!("\"{:016x}\"", fnv(response.body.as_bytes()));
    if response.status == 200 && has_already(&asked, &etag) {
        return headed(StatusCode::NOT_MODIFIED, &response, &etag, Body::empty());
    }
    let status = StatusCode::from_u16(response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = Body::from(response.body.clone());
    headed(status, &response, &etag, body)
}

/// RFC 9110, 13.1.2: a list of tags, compared weakly, or `*`.
fn has_already(asked: &HeaderMap, etag: &str) -> bool {
    let tags = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    tags.flat_map(|value| value.split(',')).map(str::trim).any(|tag| tag == "*" || tag.trim_start_matches("W/") == etag)
}

fn headed(status: StatusCode, response: &Response, etag: &str, body: Body) -> axum::response::Response {
    let mut out = axum::response::Response::new(body);
    *out.status_mut() = status;
    let headers = out.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(response.content_type));
    if let Ok(tag) = header::HeaderValue::from_str(etag) {
        headers.insert(header::ETAG, tag);
    }
    out
}
