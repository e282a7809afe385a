//! How does a screen or the API say that something went wrong? [`Problem`] → JSON for programs, a page for people.
//!
//! - [`Given`]: what a program sent. - [`Problem`]: status, what is wrong, what to try. - [`page`]: a template as an answer. - [`nothing_here`]: no such address.

use askama::Template;
use axum::extract::{FromRequest, OriginalUri, Request};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Problem {
    #[serde(skip)]
    pub status: u16,
    /// What is wrong.
    pub error: String,
    /// What to try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// For people, not for programs.
    #[serde(skip)]
    html: bool,
}

#[derive(Template)]
#[template(path = "serve/problem.html")]
struct ProblemPage<'p> {
    problem: &'p Problem,
}

impl Problem {
    pub fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { status: status.as_u16(), error: error.into(), hint: None, html: false }
    }

    pub fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }

    pub fn missing(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("there is no such {what}"))
    }

    pub fn wrong(what: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, what)
    }

    /// As a page.
    pub fn shown(mut self) -> Self {
        self.html = true;
        self
    }
}

/// An error's text, with its hint behind an empty line.
fn told(status: StatusCode, text: &str) -> Problem {
    let (error, hint) = text.split_once("\n\nhint: ").map_or((text, None), |(error, hint)| (error, Some(hint)));
    Problem { hint: hint.map(str::to_owned), ..Problem::new(status, error) }
}

impl From<pagekin::Error> for Problem {
    fn from(error: pagekin::Error) -> Self {
        let asked =
            matches!(error, pagekin::Error::NoSample(_) | pagekin::Error::Fetch(_) | pagekin::Error::Extract(_));
        let status = if asked { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::INTERNAL_SERVER_ERROR };
        told(status, &error.to_string())
    }
}

impl From<pagekin::store::Error> for Problem {
    fn from(error: pagekin::store::Error) -> Self {
        tracing::error!("{error}");
        told(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let page = ProblemPage { problem: &self };
        match page.render() {
            Ok(html) if self.html => (status, Html(html)).into_response(),
            _ => (status, axum::Json(self)).into_response(),
        }
    }
}

/// A problem on a screen.
pub struct Screen(Problem);

impl<T: Into<Problem>> From<T> for Screen {
    fn from(problem: T) -> Self {
        Self(problem.into().shown())
    }
}

impl IntoResponse for Screen {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

/// A body of JSON; what cannot be read is a [`Problem`].
pub struct Given<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Given<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = axum::Json::<T>::from_request(request, state).await;
        read.map(|axum::Json(given)| Self(given)).map_err(|refused| Problem::new(refused.status(), refused.body_text()))
    }
}

/// A template as an answer.
pub fn page(template: &impl Template) -> Result<Response, Screen> {
    let html = template.render().map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(Html(html).into_response())
}

pub async fn nothing_here(OriginalUri(uri): OriginalUri) -> Problem {
    let problem = Problem::missing("address");
    if uri.path().starts_with("/api/") { problem } else { problem.shown() }
}
