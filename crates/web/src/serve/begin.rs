//! How does a data set begin? One address → the page as a snapshot, the first rows, names for values that the user picks → a run.
//!
//! - [`Previews`]: the latest looks at sites, kept in memory. - [`Form`]: what the user said so far.

use super::answer::{Problem, Screen, page};
use super::guard::Client;
use super::{App, Shared};
use askama::Template;
use axum::Router;
use axum::extract::{Form as Posted, Path, Query, State};
use axum::http::header;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use pagekin::extract::{Example, Record};
use pagekin::marks::Marks;
use pagekin::page::{self as pages, Limits};
use pagekin::preview::{Preview, Said, preview_job};
use pagekin::run::{RunSpec, plan};
use pagekin::snapshot::{POLICY, snapshot};
use pagekin::{SourceSettings, Url, discover, discover::Which, typed_address};
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Looks that are kept.
const KEPT: usize = 8;

/// Longest time that a look may ask a site.
const LOOK: Duration = Duration::from_secs(45);

/// The longest address taken.
const LONGEST: usize = 2000;

#[derive(Default)]
pub struct Previews {
    last: u64,
    kept: VecDeque<(u64, Arc<Preview>)>,
}

impl Previews {
    fn put(&mut self, preview: Preview) -> (u64, Arc<Preview>) {
        self.last += 1;
        let entry = (self.last, Arc::new(preview));
        self.kept.push_front(entry.clone());
        self.kept.truncate(KEPT);
        entry
    }

    fn get(&self, id: u64) -> Option<Arc<Preview>> {
        self.kept.iter().find(|(own, _)| *own == id).map(|(_, preview)| preview.clone())
    }
}

pub fn routes() -> Router<Shared> {
    Router::new()
        .route("/new", get(empty))
        .route("/new/look", post(look))
        .route("/new/start", post(start))
        .route("/new/snapshot/{id}", get(shown))
}

/// What the user said so far: an address, more pages of the kind, names for values, pages that are not of the kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Form {
    pub url: String,
    pub too: Vec<String>,
    pub examples: Vec<(String, String)>,
    pub not: Vec<String>,
    pub name: String,
    pub hidden: bool,
    /// Which of the nested answers is meant: `narrower`, `wider` or a number; empty is the default.
    pub rung: String,
}

impl Form {
    /// `example` is `column=value`.
    pub fn read(pairs: &[(String, String)]) -> Self {
        let mut form = Self::default();
        for (name, value) in
            pairs.iter().map(|(name, value)| (name.as_str(), value.trim())).filter(|(_, v)| !v.is_empty())
        {
            match name {
                "url" if form.url.is_empty() => form.url = plain(value),
                "url" | "too" => form.too.push(plain(value)),
                "example" => {
                    form.examples.extend(value.split_once('=').map(|(n, v)| (n.trim().to_owned(), v.trim().to_owned())))
                }
                "not" => form.not.push(plain(value)),
                "name" => form.name = value.to_owned(),
                "hidden" => form.hidden = true,
                "rung" => form.rung = value.to_owned(),
                _ => {}
            }
        }
        form
    }

    /// All samples, the first one first.
    fn samples(&self) -> Result<Vec<Url>, Problem> {
        std::iter::once(&self.url).chain(&self.too).map(|text| address(text)).collect()
    }

    fn examples(&self) -> Vec<Example> {
        self.examples.iter().map(|(name, value)| Example { name: name.clone(), value: value.clone() }).collect()
    }

    fn not(&self) -> Result<Vec<Url>, Problem> {
        self.not.iter().map(|text| address(text)).collect()
    }

    fn rung(&self) -> Result<Which, Problem> {
        match self.rung.as_str() {
            "" => Ok(Which::Default),
            "narrower" => Ok(Which::Narrower),
            "wider" => Ok(Which::Wider),
            number => number.parse().map(Which::Number).map_err(|_| Problem::wrong("there is no such kind")),
        }
    }

    /// The command that does the same.
    pub fn command(&self, db: &str) -> String {
        let mut words = vec!["pagekin".to_owned(), "run".to_owned(), quoted(&self.url)];
        words.extend(self.too.iter().map(|url| quoted(url)));
        words.extend(
            self.examples.iter().map(|(name, value)| format!("--example {}", quoted(&format!("{name}={value}")))),
        );
        words.extend(self.not.iter().map(|url| format!("--not {}", quoted(url))));
        words.extend(match self.rung.as_str() {
            "" => None,
            word @ ("narrower" | "wider") => Some(format!("--{word}")),
            number => Some(format!("--rung {}", quoted(number))),
        });
        words.extend((!self.name.is_empty()).then(|| format!("--name {}", quoted(&self.name))));
        words.extend(self.hidden.then(|| "--hidden".to_owned()));
        words.push(format!("--db {}", quoted(db)));
        words.join(" ")
    }
}

/// For a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// As it was typed, but for a password, which is not shown again.
fn plain(text: &str) -> String {
    match address(text) {
        Ok(url) if text.contains('@') => url.into(),
        _ => text.to_owned(),
    }
}

pub fn address(text: &str) -> Result<Url, Problem> {
    let text = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let parsed = typed_address(&text).ok().filter(Url::has_host);
    let short = parsed.filter(|url| url.as_str().len() <= LONGEST);
    short.ok_or_else(|| Problem::wrong("that is no address of a web page").hint("it begins with http:// or https://"))
}

#[derive(Template)]
#[template(path = "serve/new.html")]
struct New<'n> {
    csrf: &'n str,
    form: Form,
    look: Option<Look>,
    problem: Option<Problem>,
}

/// What a look at a site showed.
struct Look {
    id: u64,
    preview: Arc<Preview>,
    columns: Vec<String>,
    command: String,
    /// What the form said of the ladder.
    chosen: String,
}

impl Look {
    fn cell(&self, record: &Record, column: &str) -> String {
        record.attributes.get(column).map(|values| values.join("; ")).unwrap_or_default()
    }

    /// What the form says when this rung is chosen. The neighbours of the default are told by their side of it, because a run that
    /// sees more of the site may know more rungs.
    fn choice(&self, rung: &usize) -> String {
        let rung = *rung;
        match (self.chosen.is_empty(), rung) {
            (true, rung) if rung == self.preview.rung => String::new(),
            (true, rung) if rung + 1 == self.preview.rung => "wider".to_owned(),
            (true, rung) if rung == self.preview.rung + 1 => "narrower".to_owned(),
            (false, rung) if rung == self.preview.rung => self.chosen.clone(),
            _ => rung.to_string(),
        }
    }

    fn path_of(&self, url: &Url) -> String {
        super::data::path(url.as_str())
    }

    /// What the pages seem to be, in a word.
    fn kind(&self) -> &str {
        self.preview.ladder.get(self.preview.rung).map_or("", |rung| rung.name.as_str())
    }

    fn path(&self, record: &Record) -> String {
        super::data::path(record.url.as_str())
    }
}

/// An address may come with the question; nothing is asked of the site until the user says so.
async fn empty(State(app): State<Shared>, Query(pairs): Query<Vec<(String, String)>>) -> Result<Response, Screen> {
    page(&New { csrf: app.secrets.csrf(), form: Form::read(&pairs), look: None, problem: None })
}

async fn look(State(app): State<Shared>, Posted(pairs): Posted<Vec<(String, String)>>) -> Result<Response, Screen> {
    let form = Form::read(&pairs);
    let (look, problem) = match looked(&app, &form).await {
        Ok((id, preview)) => {
            let columns: BTreeSet<String> =
                preview.records.iter().flat_map(|record| record.attributes.keys().cloned()).collect();
            let command = form.command(&app.store.place());
            let (columns, chosen) = (columns.into_iter().collect(), form.rung.clone());
            (Some(Look { id, preview, columns, command, chosen }), None)
        }
        Err(problem) => (None, Some(problem)),
    };
    page(&New { csrf: app.secrets.csrf(), form, look, problem })
}

/// Asks the site, in a thread of its own: thinking takes a processor.
pub async fn looked(app: &App, form: &Form) -> Result<(u64, Arc<Preview>), Problem> {
    let mut too = form.samples()?;
    let sample = too.remove(0);
    let said = Said { examples: form.examples(), too, not: form.not()?, rung: form.rung()? };
    let source = SourceSettings { stop: app.stop.clone(), ..app.source.clone() };
    let here = tokio::runtime::Handle::current();
    let work = move || {
        let job = preview_job(&source, &sample, &said);
        here.block_on(async { tokio::time::timeout(LOOK, job).await })
    };
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| Problem::wrong("the look at the site failed"))?;
    let preview =
        done.map_err(|_| Problem::wrong("the site took too long").hint("start the run; it has more patience"))??;
    Ok(app.previews.lock().unwrap_or_else(PoisonError::into_inner).put(preview))
}

async fn shown(State(app): State<Shared>, Path(id): Path<u64>) -> Result<Response, Problem> {
    let kept = app.previews.lock().unwrap_or_else(PoisonError::into_inner).get(id);
    let preview = kept.ok_or_else(|| Problem::missing("snapshot"))?;
    let document = pages::read(&preview.sample, &Limits::default()).map_err(|why| Problem::wrong(why.to_string()))?;
    Ok(([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(snapshot(&document, &Marks::new()))).into_response())
}

async fn start(
    State(app): State<Shared>,
    client: Client,
    Posted(pairs): Posted<Vec<(String, String)>>,
) -> Result<Redirect, Screen> {
    let run = queued(&app, &client, &Form::read(&pairs)).await?;
    Ok(Redirect::to(&format!("/runs/{run}")))
}

/// Queues the run; the worker of this process does it.
pub async fn queued(app: &App, client: &Client, form: &Form) -> Result<i64, Problem> {
    let settings = discover::Settings { not: form.not()?, rung: form.rung()?, ..discover::Settings::default() };
    let spec = RunSpec {
        name: (!form.name.is_empty()).then(|| form.name.clone()),
        examples: form.examples.clone(),
        hidden: form.hidden,
        privacy: app.privacy.clone(),
        ..RunSpec::of(&settings, &app.source)
    };
    let planned = plan(&form.samples()?, false);
    let [one] = planned.as_slice() else {
        return Err(Problem::wrong("the pages are of several sites").hint("give pages of one site; each site is a run"));
    };
    app.audit(client, "start run", one.samples[0].as_str()).await?;
    Ok(app.store.enqueue(&one.new_run(&spec, None)?).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_says_what_the_command_says() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let form = Form::read(&[
            pair("csrf", "x"),
            pair("url", " http://s.org/a "),
            pair("example", "name = It's a = b"),
            pair("example", ""),
            pair("too", "http://s.org/c"),
            pair("not", "http://s.org/b"),
            pair("hidden", "1"),
            pair("rung", "narrower"),
        ]);
        assert_eq!(form.examples, [("name".to_owned(), "It's a = b".to_owned())]);
        let expected = "pagekin run http://s.org/a http://s.org/c --example 'name=It'\\''s a = b' --not http://s.org/b --narrower --hidden --db p.db";
        assert_eq!(form.command("p.db"), expected);
        let guarded = Form::read(&[pair("url", "http://ann:geheim77@s.org/a"), pair("too", "ann:geheim77@s.org/b")]);
        assert_eq!((guarded.url.as_str(), guarded.too), ("http://s.org/a", vec!["https://s.org/b".to_owned()]));
        let rung = |text: &str| Form { rung: text.to_owned(), ..Form::default() }.rung().ok();
        assert_eq!(
            (rung(""), rung("wider"), rung("2")),
            (Some(Which::Default), Some(Which::Wider), Some(Which::Number(2)))
        );
        assert_eq!(rung("everything"), None);
    }

    #[test]
    fn only_addresses_of_the_web_are_taken() {
        assert_eq!(address("s.org/a").unwrap().as_str(), "https://s.org/a");
        for text in ["", "javascript:alert(1)", "file:///etc/passwd", "http://", "ftp://s/"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
