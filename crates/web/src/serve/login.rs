//! Who knows the password, and how often may somebody guess? For servers that other machines reach.
//!
//! - [`Logins`]: sessions of those who knew it, and failures of those who did not.

use super::answer::{Problem, Screen, page};
use super::guard::{self, Client};
use super::secrets::{same, word};
use super::{App, Shared};
use askama::Template;
use axum::Router;
use axum::extract::{Form, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A session ends after so long.
const SESSION: Duration = Duration::from_secs(12 * 3600);

/// Wrong passwords of one client within a window; then it waits for the end of the window. With a password of twelve letters, 480 guesses
/// a day find nothing.
const GUESSES: usize = 5;
const WINDOW: Duration = Duration::from_secs(15 * 60);

/// Clients that are remembered. When more come, nobody is let in until the window is over for some.
const CLIENTS: usize = 20_000;

#[derive(Default)]
pub struct Logins(Mutex<Known>);

#[derive(Default)]
struct Known {
    sessions: BTreeMap<String, Instant>,
    /// Since when, and how often.
    failures: BTreeMap<IpAddr, (Instant, usize)>,
}

impl Logins {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_session(&self, given: &str, now: Instant) -> bool {
        self.known().sessions.get(given).is_some_and(|began| now - *began < SESSION)
    }

    fn end(&self, given: &str) {
        self.known().sessions.remove(given);
    }

    fn begin(&self, now: Instant) -> std::io::Result<String> {
        let (own, mut known) = (word()?, self.known());
        known.sessions.retain(|_, began| now - *began < SESSION);
        known.sessions.insert(own.clone(), now);
        Ok(own)
    }

    /// May this client try? Every try counts until it was right.
    fn may_try(&self, client: IpAddr, now: Instant) -> bool {
        let (client, mut known) = (network(client), self.known());
        known.failures.retain(|_, (since, _)| now - *since < WINDOW);
        if !known.failures.contains_key(&client) && known.failures.len() >= CLIENTS {
            return false;
        }
        let (_, tries) = known.failures.entry(client).or_insert((now, 0));
        *tries += 1;
        *tries <= GUESSES
    }

    fn forgive(&self, client: IpAddr) {
        self.known().failures.remove(&network(client));
    }
}

/// One client has a whole network of version 6 to guess from.
fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(own) => IpAddr::V6((u128::from(own) & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

pub fn routes() -> Router<Shared> {
    Router::new().route("/login", get(form).post(login)).route("/logout", post(logout))
}

#[derive(Template)]
#[template(path = "serve/login.html")]
struct Login {
    problem: Option<Problem>,
}

async fn form(State(app): State<Shared>) -> Result<Response, Screen> {
    app.password.as_ref().ok_or_else(|| Problem::missing("address"))?;
    page(&Login { problem: None })
}

#[derive(Deserialize)]
struct Given {
    password: String,
}

async fn login(State(app): State<Shared>, client: Client, Form(given): Form<Given>) -> Result<Response, Screen> {
    let password = app.password.as_ref().ok_or_else(|| Problem::missing("address"))?;
    let now = Instant::now();
    if !app.logins.may_try(client.0, now) {
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too many wrong passwords")
            .hint("wait a quarter of an hour, and try again");
        return refused(problem);
    }
    if !same(password, &given.password) {
        app.audit(&client, "wrong password", "").await?;
        return refused(Problem::new(StatusCode::FORBIDDEN, "that is not the password"));
    }
    app.logins.forgive(client.0);
    app.audit(&client, "log in", "").await?;
    let session = app.logins.begin(now).map_err(|error| Problem::wrong(error.to_string()))?;
    Ok(([(header::SET_COOKIE, guard::cookie_line(&app, &session))], Redirect::to("/")).into_response())
}

fn refused(problem: Problem) -> Result<Response, Screen> {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::FORBIDDEN);
    Ok((status, page(&Login { problem: Some(problem) })?).into_response())
}

async fn logout(State(app): State<Shared>, headers: HeaderMap) -> Redirect {
    if let Some(session) = guard::cookie(&app, &headers) {
        app.logins.end(session);
    }
    Redirect::to("/login")
}

impl App {
    pub fn is_remote(&self) -> bool {
        self.password.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guessing_ends_soon_for_a_client_and_its_neighbours() {
        let (logins, now) = (Logins::default(), Instant::now());
        let client = |text: &str| text.parse::<IpAddr>().unwrap();
        assert!((0..GUESSES).all(|_| logins.may_try(client("192.0.2.1"), now)));
        assert!(!logins.may_try(client("192.0.2.1"), now) && !logins.may_try(client("::ffff:192.0.2.1"), now));
        assert!(logins.may_try(client("192.0.2.2"), now), "others are not touched");
        assert!(logins.may_try(client("192.0.2.1"), now + WINDOW));
        assert!((0..GUESSES).all(|n| logins.may_try(client(&format!("2001:db8::{n}")), now)));
        assert!(!logins.may_try(client("2001:db8::ffff"), now));
        logins.forgive(client("2001:db8::1"));
        assert!(logins.may_try(client("2001:db8::1"), now));
    }

    #[test]
    fn a_session_ends() {
        let (logins, now) = (Logins::default(), Instant::now());
        let session = logins.begin(now).unwrap();
        assert!(logins.is_session(&session, now) && !logins.is_session("", now));
        assert!(!logins.is_session(&session, now + SESSION));
        logins.end(&session);
        assert!(!logins.is_session(&session, now));
    }
}
