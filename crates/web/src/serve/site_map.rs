//! Which classes of pages does a site have, and which of them should be a data set? Maps that are drawn on request and kept as files.
//!
//! - [`Maps`]: what is being drawn, and what could not be. - [`MapLine`]: a map, as a list shows it.
//!
//! A map is the model that `pagekin model` makes, with a small budget; it is kept in `maps/` of the folder for pages.

use super::answer::{Problem, Screen, page};
use super::begin::address;
use super::guard::Client;
use super::{App, Shared};
use crate::map::{Address, Map};
use askama::Template;
use axum::Router;
use axum::extract::{Form as Posted, Path, Query, State};
use axum::response::{Redirect, Response};
use axum::routing::get;
use pagekin::model::{Settings, SiteModel};
use pagekin::run::plan::site_name;
use pagekin::{Source, SourceSettings, Url, modelled};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Pages that are looked at for a map: on the sites it was tried on, enough for all classes of some size.
const BUDGET: usize = 250;

/// Maps drawn at the same time.
const AT_ONCE: usize = 2;

/// Pages of a class on a screen.
const PAGE: usize = 200;

pub fn routes() -> Router<Shared> {
    Router::new()
        .route("/map", get(list).post(draw))
        .route("/map/{site}", get(one))
        .route("/map/{site}/{class}", get(class))
}

/// What became of drawing a map; what is done is a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drawing {
    UnderWay,
    Failed(String),
}

#[derive(Default)]
pub struct Maps(Mutex<BTreeMap<String, Drawing>>);

impl Maps {
    fn get(&self, site: &str) -> Option<Drawing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(site).cloned()
    }

    /// Is there room for one more?
    fn begin(&self, site: &str) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let busy = all.values().filter(|own| **own == Drawing::UnderWay).count();
        let free = busy < AT_ONCE && all.get(site) != Some(&Drawing::UnderWay);
        if free {
            all.insert(site.to_owned(), Drawing::UnderWay);
        }
        free
    }

    fn end(&self, site: &str, failed: Option<String>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match failed {
            Some(why) => drop(all.insert(site.to_owned(), Drawing::Failed(why))),
            None => drop(all.remove(site)),
        }
    }
}

/// A map, as a list shows it.
#[derive(Debug, Clone, Serialize)]
pub struct MapLine {
    pub site: String,
    /// `drawn`, `under way` or `failed`.
    pub state: &'static str,
    pub error: Option<String>,
}

fn file(app: &App, site: &str) -> PathBuf {
    app.pages.join("maps").join(format!("map-{}.json", file_name(site)))
}

/// Letters, digits, `.` and `-` as they are, other bytes as `_` and their number.
fn file_name(site: &str) -> String {
    let byte = |byte: u8| match byte {
        b'.' | b'-' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("_{byte:02x}"),
    };
    site.bytes().map(byte).collect()
}

/// The site of a file.
fn site_of(name: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), name);
    while let Some(first) = rest.chars().next() {
        let end = if first == '_' { 3 } else { first.len_utf8() };
        let part = rest.get(..end)?;
        match part.strip_prefix('_') {
            Some(number) => bytes.push(u8::from_str_radix(number, 16).ok()?),
            None => bytes.extend(part.bytes()),
        }
        rest = &rest[end..];
    }
    String::from_utf8(bytes).ok()
}

/// The maps that were drawn and those under way.
pub fn lines(app: &App) -> Vec<MapLine> {
    let files = std::fs::read_dir(app.pages.join("maps")).into_iter().flatten().flatten();
    let named = |file: std::fs::DirEntry| {
        let name = file.file_name().to_string_lossy().into_owned();
        site_of(name.strip_prefix("map-")?.strip_suffix(".json")?)
    };
    let drawn = |site| MapLine { site, state: "drawn", error: None };
    let mut lines: BTreeMap<String, MapLine> =
        files.filter_map(named).map(|site| (site.clone(), drawn(site))).collect();
    for (site, drawing) in app.maps.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let (state, error) = match drawing {
            Drawing::UnderWay => ("under way", None),
            Drawing::Failed(why) => ("failed", Some(why.clone())),
        };
        lines.insert(site.clone(), MapLine { site: site.clone(), state, error });
    }
    lines.into_values().collect()
}

/// The model behind a map.
pub async fn model(app: &App, site: &str) -> Result<SiteModel, Problem> {
    let path = file(app, site);
    let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(path)).await;
    match read {
        Ok(Ok(text)) => Ok(modelled::parse(&text)?),
        _ => Err(Problem::missing("map").hint("draw it on the screen `Site map`")),
    }
}

/// Begins to draw; the name of the site.
pub async fn begun(app: &Shared, client: &Client, url: &str) -> Result<String, Problem> {
    let start = address(url)?;
    let site = site_name(&start);
    app.audit(client, "draw map", start.as_str()).await?;
    if !app.maps.begin(&site) {
        return Err(Problem::wrong("that map, or two others, are being drawn").hint("wait until they are done"));
    }
    let (app, own, here) = (app.clone(), site.clone(), tokio::runtime::Handle::current());
    tokio::task::spawn_blocking(move || {
        let drawn = here.block_on(drawn(&app, &start, &own));
        app.maps.end(&own, drawn.err().map(|problem| problem.error));
    });
    Ok(site)
}

async fn drawn(app: &App, start: &Url, site: &str) -> Result<(), Problem> {
    let settings = Settings { budget: Some(BUDGET), ..Settings::default() };
    let from = SourceSettings { scope: settings.scope, stop: app.stop.clone(), ..app.source.clone() };
    let source = Source::open(&from, std::slice::from_ref(start))?;
    let (made, _) = modelled::model_job(&source, start, &settings).await?;
    let (path, text) = (file(app, site), modelled::text(&made)?);
    let write = || {
        std::fs::create_dir_all(app.pages.join("maps"))?;
        std::fs::write(&path, &text)
    };
    write().map_err(|error| Problem::wrong(format!("cannot write `{}`: {error}", path.display())))
}

#[derive(Template)]
#[template(path = "serve/maps.html")]
struct List<'r> {
    csrf: &'r str,
    maps: Vec<MapLine>,
    url: String,
}

#[derive(Debug, Default, Deserialize)]
struct Asked {
    #[serde(default)]
    url: String,
}

async fn list(State(app): State<Shared>, Query(asked): Query<Asked>) -> Result<Response, Screen> {
    page(&List { csrf: app.secrets.csrf(), maps: lines(&app), url: asked.url })
}

async fn draw(State(app): State<Shared>, client: Client, Posted(asked): Posted<Asked>) -> Result<Redirect, Screen> {
    let site = begun(&app, &client, &asked.url).await?;
    Ok(Redirect::to(&format!("/map/{site}")))
}

#[derive(Template)]
#[template(path = "serve/map.html")]
struct OneMap {
    site: String,
    drawing: Option<Drawing>,
    map: Option<Map>,
}

impl OneMap {
    fn is_under_way(&self) -> bool {
        self.drawing == Some(Drawing::UnderWay)
    }

    fn failed(&self) -> Option<&str> {
        match &self.drawing {
            Some(Drawing::Failed(why)) => Some(why),
            _ => None,
        }
    }
}

async fn one(State(app): State<Shared>, Path(site): Path<String>) -> Result<Response, Screen> {
    let drawing = app.maps.get(&site);
    let map = match model(&app, &site).await {
        Ok(model) => Some(Map::of(&model)),
        Err(problem) if drawing.is_none() => return Err(problem.into()),
        Err(_) => None,
    };
    page(&OneMap { site, drawing, map })
}

#[derive(Template)]
#[template(path = "serve/map_class.html")]
struct OneClass {
    site: String,
    name: String,
    id: u32,
    role: &'static str,
    size: usize,
    samples: Vec<String>,
    pages: Vec<Address>,
    from: usize,
}

#[derive(Debug, Default, Deserialize)]
struct Begin {
    #[serde(default)]
    from: usize,
}

impl OneClass {
    /// The screen New with samples of this class.
    fn begin(&self) -> String {
        let pairs = self.samples.iter().take(3).map(|sample| ("url", sample.as_str()));
        let query = Url::parse_with_params("http://s/", pairs).ok();
        format!("/new?{}", query.and_then(|url| url.query().map(str::to_owned)).unwrap_or_default())
    }

    fn next(&self) -> Option<usize> {
        (self.from + self.pages.len() < self.size && !self.pages.is_empty()).then_some(self.from + self.pages.len())
    }
}

async fn class(
    State(app): State<Shared>,
    Path((site, id)): Path<(String, u32)>,
    Query(Begin { from }): Query<Begin>,
) -> Result<Response, Screen> {
    let model = model(&app, &site).await?;
    let class = model.class(id).map_err(|_| Problem::missing("class"))?;
    page(&OneClass {
        site,
        name: crate::map::decoded(&class.name),
        id,
        role: class.role.name(),
        size: class.pages.len(),
        samples: class.samples.clone(),
        pages: class.pages.iter().skip(from).take(PAGE).map(|url| Address::of(url)).collect(),
        from,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_found_again_by_its_file() {
        for site in ["example.org", "127.0.0.1:8000", "[::1]:80", "a_b.example", "../x", "dömain"] {
            let name = file_name(site);
            assert!(!name.contains('/') && name.is_ascii(), "{name}");
            assert_eq!(site_of(&name).as_deref(), Some(site));
        }
        assert_eq!(site_of("a_z"), None);
    }
}
