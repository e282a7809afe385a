//! Is a finding right? Findings that nobody decided on, one by one, and what the decisions say of each rule.

use super::answer::{Problem, Screen, page};
use super::guard::Client;
use super::{App, Shared};
use askama::Template;
use axum::Router;
use axum::extract::{Form, Query, State};
use axum::response::{Redirect, Response};
use axum::routing::get;
use pagekin::check::Near;
use pagekin::store::reviews::{Key, Precision, Reviewed};
use serde::Deserialize;

/// The longest comment kept.
const LONGEST: usize = 2000;

pub fn routes() -> Router<Shared> {
    Router::new().route("/review", get(next).post(decide))
}

#[derive(Debug, Default, Deserialize)]
struct Place {
    #[serde(default)]
    skip: usize,
}

#[derive(Template)]
#[template(path = "serve/review.html")]
struct Review<'r> {
    csrf: &'r str,
    one: Option<Reviewed>,
    skip: usize,
    rules: Vec<Precision>,
}

impl Review<'_> {
    fn bounds(&self, reviewed: &Reviewed) -> String {
        match (reviewed.finding.lower, reviewed.finding.upper) {
            (Some(lower), Some(upper)) => format!("{:.0} to {:.0} %", lower * 100.0, upper * 100.0),
            _ => "rules contradict each other".to_owned(),
        }
    }

    fn precision(&self, rule: &Precision) -> String {
        let all = rule.confirmed + rule.rejected;
        format!("{:.0} %", rule.confirmed as f64 * 100.0 / all.max(1) as f64)
    }

    fn percent(&self, degree: &f64) -> String {
        format!("{:.0} %", degree * 100.0)
    }

    /// Names of the columns of the nearest rows.
    fn columns(&self, reviewed: &Reviewed) -> Vec<String> {
        let mut names = Vec::new();
        for (name, _) in reviewed.finding.nearest.iter().flat_map(|near| &near.values) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    fn value(&self, near: &Near, column: &str) -> String {
        near.values.iter().find(|(name, _)| name == column).map(|(_, value)| value.clone()).unwrap_or_default()
    }
}

async fn next(State(app): State<Shared>, Query(place): Query<Place>) -> Result<Response, Screen> {
    let one = app.store.to_review(false, 1, place.skip).await?.pop();
    page(&Review { csrf: app.secrets.csrf(), one, skip: place.skip, rules: app.store.precision().await? })
}

/// What a person says of a finding.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
pub struct Decision {
    pub class: i64,
    pub url: String,
    pub nth: i64,
    pub conclusion: String,
    /// `confirmed` or `rejected`.
    pub decision: String,
    #[serde(default)]
    pub comment: String,
}

pub async fn decided(app: &App, client: &Client, said: &Decision) -> Result<(), Problem> {
    if !matches!(said.decision.as_str(), "confirmed" | "rejected") {
        return Err(Problem::wrong("a decision is `confirmed` or `rejected`"));
    }
    let comment: String = said.comment.chars().take(LONGEST).collect();
    let key = Key { class: said.class, url: said.url.clone(), nth: said.nth, conclusion: said.conclusion.clone() };
    app.audit(client, &said.decision, &format!("{} of {}", key.conclusion, key.url)).await?;
    match app.store.decide(&key, &said.decision, &comment).await? {
        true => Ok(()),
        false => Err(Problem::missing("finding")),
    }
}

async fn decide(State(app): State<Shared>, client: Client, Form(said): Form<Decision>) -> Result<Redirect, Screen> {
    decided(&app, &client, &said).await?;
    Ok(Redirect::to("/review"))
}
