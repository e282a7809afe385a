//! Which templates does a site really have? `SITE.truth.json` and `SITE.txt.gz` → patterns, and the addresses they match.
//!
//! - [`Site`]: all of it. - [`Entity`]: one true template. - [`canon`]: an address with its parameters in order.

use super::pattern::Pattern;
use crate::Error;
use pagekin::Listing;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::fs;
use std::path::Path;

#[derive(Debug, Deserialize)]
struct File {
    site: String,
    entity_templates: Vec<EntityRow>,
    traps: Vec<Row>,
    #[serde(default)]
    unsure: Vec<Unsure>,
}

#[derive(Debug, Deserialize)]
struct EntityRow {
    template: String,
    regex: String,
    urls: usize,
    same_entity_as: Option<usize>,
    variants_ok: Option<Variants>,
}

#[derive(Debug, Deserialize)]
struct Row {
    regex: String,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Unsure {
    Text(String),
    Row(Row),
}

/// Predictions that differ in this static part are all right.
#[derive(Debug, Deserialize)]
pub struct Variants {
    pub by: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub regex: String,
}

pub struct Entity {
    pub template: String,
    pub pattern: Pattern,
    pub urls: usize,
    pub same_as: Option<usize>,
    pub variants: Option<Variants>,
    pub matched: FxHashSet<usize>,
    pub ids: FxHashSet<u128>,
}

pub struct Site {
    pub name: String,
    pub urls: Vec<String>,
    pub canon: Vec<String>,
    /// From the canonical spelling to the last address with it.
    pub by_canon: FxHashMap<String, usize>,
    pub by_host: FxHashMap<String, Vec<usize>>,
    pub entities: Vec<Entity>,
    pub traps: Vec<Pattern>,
    pub unsure: Vec<Pattern>,
}

impl Site {
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        let file: File = serde_json::from_str(&text).map_err(|error| Error::Truth { path: path.to_owned(), error })?;
        let name = path.to_string_lossy();
        let list = name.replace(".truth.json", ".txt");
        let list = if Path::new(&list).exists() { list } else { format!("{list}.gz") };
        let listing = Listing::read(Path::new(&list)).map_err(|error| Error::Pipeline(error.into()))?;
        Self::of(file, listing.urls().map(str::to_owned).collect())
    }

    fn of(file: File, urls: Vec<String>) -> Result<Self, Error> {
        let canon: Vec<String> = urls.iter().map(|url| self::canon(url)).collect();
        let mut by_host: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, url) in canon.iter().enumerate() {
            by_host.entry(url.split('/').next().unwrap_or("").to_owned()).or_default().push(at);
        }
        let by_canon = canon.iter().cloned().zip(0..).collect();
        let entities = file.entity_templates.into_iter().map(|row| Entity::of(row, &urls)).collect::<Result<_, _>>()?;
        let unsure = file.unsure.iter().map(|unsure| match unsure {
            Unsure::Text(text) => Pattern::parse(text),
            Unsure::Row(row) => Pattern::parse(&row.regex),
        });
        Ok(Self {
            name: file.site,
            traps: file.traps.iter().map(|trap| Pattern::parse(&trap.regex)).collect::<Result<_, _>>()?,
            unsure: unsure.collect::<Result<_, _>>()?,
            entities,
            by_canon,
            by_host,
            canon,
            urls,
        })
    }
}

impl Entity {
    fn of(row: EntityRow, urls: &[String]) -> Result<Self, Error> {
        let pattern = Pattern::parse(&row.regex)?;
        let mut entity = Self {
            template: row.template,
            pattern,
            urls: row.urls,
            same_as: row.same_entity_as,
            variants: row.variants_ok,
            matched: FxHashSet::default(),
            ids: FxHashSet::default(),
        };
        for (at, url) in urls.iter().enumerate() {
            if let Some(id) = entity.pattern.number(url) {
                entity.matched.insert(at);
                entity.ids.extend(id.parse::<u128>().ok());
            }
        }
        Ok(entity)
    }
}

/// Host in lower case and without scheme, path, query; no fragment.
pub fn split(url: &str) -> (String, String, Option<&str>) {
    let url = url.split('#').next().unwrap_or("");
    let (before, query) = url.split_once('?').map_or((url, None), |(before, query)| (before, Some(query)));
    let lower = before.get(..8).unwrap_or(before).to_ascii_lowercase();
    let start = ["http://", "https://"].iter().find(|start| lower.starts_with(**start)).map(|start| start.len());
    let Some(start) = start else { return (String::new(), before.to_owned(), query) };
    let slash = before[start..].find('/').map_or(before.len(), |at| at + start);
    let path = if slash == before.len() { "/" } else { &before[slash..] };
    (before[start..slash].to_lowercase(), path.to_owned(), query)
}

pub fn canon(url: &str) -> String {
    let (host, path, query) = split(url);
    let Some(query) = query else { return host + &path };
    let mut parts: Vec<&str> = query.split('&').collect();
    parts.sort_by_key(|part| part.split('=').next().unwrap_or(""));
    format!("{host}{path}?{}", parts.join("&"))
}
