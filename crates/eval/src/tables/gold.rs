//! What would a person want? Folder → gold tables: pages, attributes, and the cells of each.

use super::cell::{Cell, Kind};
use crate::Error;
use pagekin::Url;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct Gold {
    pub name: String,
    pub site: String,
    pub attributes: Vec<Attribute>,
    /// As they are compared: percent signs undone.
    pub urls: Vec<String>,
    pub addresses: Vec<Url>,
    /// By attribute, by page: the right contents of the cell.
    pub cells: Vec<BTreeMap<String, Vec<Cell>>>,
}

#[derive(Debug, Clone)]
pub struct Attribute {
    pub name: String,
    pub kind: Kind,
    pub required: bool,
    pub synonyms: Vec<String>,
}

#[derive(Deserialize)]
struct Meta {
    site: String,
    kind: String,
    attributes: Vec<MetaAttribute>,
}

#[derive(Deserialize)]
struct MetaAttribute {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    required: bool,
    #[serde(default)]
    synonyms: Vec<String>,
}

#[derive(Deserialize)]
struct Line {
    url: Url,
    attributes: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    children: BTreeMap<String, Vec<BTreeMap<String, Option<String>>>>,
    #[serde(default)]
    also: BTreeMap<String, Vec<Vec<String>>>,
}

impl Gold {
    /// All tables of a folder, by name.
    pub fn read_all(folder: &Path, only: &[String]) -> Result<Vec<Self>, Error> {
        let mut tables = Vec::new();
        for entry in fs::read_dir(folder).map_err(|source| Error::read(folder, source))? {
            let path = entry.map_err(|source| Error::read(folder, source))?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(name) = file.strip_suffix(".meta.json") else { continue };
            if only.is_empty() || only.iter().any(|part| name.contains(part.as_str())) {
                tables.push(Self::read(&path, &folder.join(format!("{name}.jsonl")))?);
            }
        }
        tables.sort_by(|a, b| a.name.cmp(&b.name));
        if tables.is_empty() { Err(Error::NoGold(folder.to_owned())) } else { Ok(tables) }
    }

    fn read(meta: &Path, lines: &Path) -> Result<Self, Error> {
        let read = |path: &Path| fs::read_to_string(path).map_err(|source| Error::read(path, source));
        let wrong = |path: &Path, error: serde_json::Error| Error::Gold {
            path: PathBuf::from(path),
            reason: error.to_string(),
        };
        let Meta { site, kind, attributes } = serde_json::from_str(&read(meta)?).map_err(|error| wrong(meta, error))?;
        let parsed: Result<Vec<Line>, _> =
            read(lines)?.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str).collect();
        let parsed = parsed.map_err(|error| wrong(lines, error))?;
        let attributes: Vec<Attribute> = attributes.into_iter().map(Attribute::from).collect();
        let cells = attributes.iter().map(|attribute| cells(attribute, &parsed)).collect();
        let urls = parsed.iter().map(|line| plain_url(line.url.as_str())).collect();
        let addresses = parsed.into_iter().map(|line| line.url).collect();
        Ok(Self { name: format!("{site}-{kind}"), site, attributes, urls, addresses, cells })
    }
}

impl From<MetaAttribute> for Attribute {
    fn from(meta: MetaAttribute) -> Self {
        let kind = match meta.kind.as_str() {
            "prose" => Kind::Prose,
            "date" => Kind::Date,
            _ => Kind::Text,
        };
        Self { name: meta.name, kind, required: meta.required, synonyms: meta.synonyms }
    }
}

fn cells(attribute: &Attribute, lines: &[Line]) -> BTreeMap<String, Vec<Cell>> {
    let mut cells = BTreeMap::new();
    for line in lines {
        let values: Vec<String> = match attribute.name.rsplit_once('.') {
            Some((table, column)) => {
                let rows = line.children.get(table).into_iter().flatten();
                rows.filter_map(|row| row.get(column).cloned().flatten()).filter(|value| !value.is_empty()).collect()
            }
            None => line.attributes.get(&attribute.name).cloned().unwrap_or_default(),
        };
        if !values.is_empty() {
            let also = line.also.get(&attribute.name).into_iter().flatten().cloned();
            let right =
                std::iter::once(values).chain(also).filter(|values| values.iter().any(|value| !value.is_empty()));
            cells.insert(plain_url(line.url.as_str()), right.map(Cell::new).collect());
        }
    }
    cells
}

/// An address with its percent signs undone: pages are told by what their addresses say.
pub fn plain_url(url: &str) -> String {
    let (mut bytes, raw) = (Vec::with_capacity(url.len()), url.as_bytes());
    let mut at = 0;
    while at < raw.len() {
        let code = raw.get(at + 1..at + 3).filter(|_| raw[at] == b'%');
        let byte = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(raw[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
