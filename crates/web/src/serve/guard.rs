//! Who may ask? Request → the next one in line, or a refusal.
//!
//! - [`place`]: `Host` names this machine, and `Origin` of a write is this server: no page elsewhere can ask in the user's name, by any
//!   name it may have.
//! - [`session`]: the cookie, or the token. Writes by cookie need the CSRF token, in a header or in the form.
//! - [`Client`]: who asks. - [`headers`]: what every answer forbids the browser.

use super::answer::Problem;
use super::remote::Peer;
use super::{App, Shared};
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use std::net::IpAddr;
use std::time::Instant;

/// The longer name is refused by browsers unless the cookie came over TLS, for this host and all its paths.
const COOKIE: &str = "pagekin_session";
const REMOTE_COOKIE: &str = "__Host-pagekin_session";

/// Scripts and style of our own alone; the one frame is that of a snapshot.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub async fn place(State(app): State<Shared>, request: Request, next: Next) -> Response {
    match misplaced(&app, request.method(), request.headers()) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    }
}

fn misplaced(app: &App, method: &Method, headers: &HeaderMap) -> Option<Problem> {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text("host").unwrap_or_default();
    if !app.hosts.iter().any(|known| known.eq_ignore_ascii_case(host)) {
        return Some(Problem::new(StatusCode::MISDIRECTED_REQUEST, "this server has another name"));
    }
    let scheme = if app.is_remote() { "https" } else { "http" };
    let foreign = text("origin").is_some_and(|origin| origin != format!("{scheme}://{host}"));
    let elsewhere = text("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let refused = is_write(method) && (foreign || elsewhere);
    refused.then(|| Problem::new(StatusCode::FORBIDDEN, "another site may not change anything here"))
}

pub async fn session(State(app): State<Shared>, request: Request, next: Next) -> Response {
    if let Some(token) = given_token(&request).filter(|_| !app.is_remote()) {
        return began(&app, &token, request.uri().path());
    }
    if bearer(request.headers()).is_some_and(|token| app.secrets.is_token(token)) {
        return next.run(request).await;
    }
    if !cookie(&app, request.headers()).is_some_and(|given| is_session(&app, given)) {
        if app.is_remote() && !request.uri().path().starts_with("/api/") {
            return Redirect::to("/login").into_response();
        }
        return Problem::new(StatusCode::UNAUTHORIZED, "nobody is logged in")
            .hint("open the address that `pagekin serve` printed; programs send its token as `Authorization: Bearer`")
            .into_response();
    }
    if !is_write(request.method()) {
        return next.run(request).await;
    }
    match with_csrf(&app, request).await {
        Ok(request) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

fn is_write(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// The first address opened holds the token; the one shown afterwards does not.
fn given_token(request: &Request) -> Option<String> {
    let query = request.uri().query().filter(|_| request.method() == Method::GET)?;
    query.split('&').find_map(|pair| pair.strip_prefix("token=")).map(str::to_owned)
}

fn began(app: &App, token: &str, path: &str) -> Response {
    if !app.secrets.is_token(token) {
        return Problem::new(StatusCode::FORBIDDEN, "that is not the token of this server")
            .hint("each start of `pagekin serve` has its own")
            .into_response();
    }
    let cookie = cookie_line(app, app.secrets.session());
    // A path of two slashes would be another host.
    let path = format!("/{}", path.trim_start_matches('/'));
    ([(header::SET_COOKIE, cookie)], Redirect::to(&path)).into_response()
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// The session that a request names.
pub fn cookie<'h>(app: &App, headers: &'h HeaderMap) -> Option<&'h str> {
    let name = if app.is_remote() { REMOTE_COOKIE } else { COOKIE };
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';')).find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

pub fn cookie_line(app: &App, session: &str) -> String {
    let (name, more) = if app.is_remote() { (REMOTE_COOKIE, "; Secure") } else { (COOKIE, "") };
    format!("{name}={session}; HttpOnly; SameSite=Strict; Path=/{more}")
}

fn is_session(app: &App, given: &str) -> bool {
    match app.is_remote() {
        true => app.logins.is_session(given, Instant::now()),
        false => app.secrets.is_session(given),
    }
}

/// Who asks. Behind a proxy, the one that the proxy names last: what stands before may be anybody's words.
#[derive(Debug, Clone, Copy)]
pub struct Client(pub IpAddr);

impl FromRequestParts<Shared> for Client {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        let peer = parts.extensions.get::<ConnectInfo<Peer>>().map(|ConnectInfo(Peer(address))| address.ip());
        let peer = peer.ok_or_else(|| Problem::new(StatusCode::BAD_REQUEST, "nobody knows who asks"))?;
        let named = parts.headers.get_all("x-forwarded-for").iter().next_back().and_then(|value| value.to_str().ok());
        let named = named.and_then(|value| value.rsplit(',').next()?.trim().parse().ok());
        Ok(Self(named.filter(|_| app.behind_proxy).unwrap_or(peer)))
    }
}

/// The request, if it carries the CSRF token. A form is read for it and put back.
async fn with_csrf(app: &App, request: Request) -> Result<Request, Problem> {
    let refused = || Problem::new(StatusCode::FORBIDDEN, "the CSRF token is missing or wrong").hint("reload the page");
    let given = request.headers().get("x-csrf-token").and_then(|value| value.to_str().ok());
    if let Some(given) = given {
        return if app.secrets.is_csrf(given) { Ok(request) } else { Err(refused()) };
    }
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, super::LARGEST_BODY)
        .await
        .map_err(|_| Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "the form is too large"))?;
    let found = bytes.split(|byte| *byte == b'&').filter_map(|pair| pair.strip_prefix(b"csrf="));
    let right = found.filter_map(|value| str::from_utf8(value).ok()).any(|value| app.secrets.is_csrf(value));
    if right { Ok(Request::from_parts(parts, Body::from(bytes))) } else { Err(refused()) }
}

/// A handler that needs another policy has set it already.
pub async fn headers(mut response: Response) -> Response {
    let all = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Without any, browsers send `Origin: null` with our own forms.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        all.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
