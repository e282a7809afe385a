//! Which pages, and what is true of them? Folder → sites with pages and values.
//!
//! - [`Site`]: `<vertical>-<name>/` with `truth.jsonl` and an archive. - `names`: the attributes a domain's roles stand for (`map.toml`).

use crate::Error;
use crate::extract::score::{norm, shown};
use pagekin::extract::value;
use pagekin::pages::{Answer, RawPage};
use pagekin::{Archive, Url};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub struct Site {
    pub id: String,
    folder: PathBuf,
    /// By address; values in the form they are compared in.
    pub truth: BTreeMap<Url, BTreeMap<String, Vec<String>>>,
    /// The same as written.
    pub written: BTreeMap<Url, BTreeMap<String, Vec<String>>>,
}

#[derive(Deserialize)]
struct Line {
    url: Url,
    attributes: BTreeMap<String, Vec<String>>,
}

/// A true value as the page has it, and as the command gives it: without its label.
fn forms(value: &str) -> Vec<String> {
    let (whole, clean) = (norm(value), norm(value::clean(&shown(value))));
    if whole == clean { vec![whole] } else { vec![whole, clean] }
}

impl Site {
    /// All sites below a folder, by name.
    pub fn read_all(folder: &Path, only: &[String]) -> Result<Vec<Self>, Error> {
        let mut sites = Vec::new();
        for entry in fs::read_dir(folder).map_err(|source| Error::read(folder, source))? {
            let path = entry.map_err(|source| Error::read(folder, source))?.path();
            let id = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.join("truth.jsonl").is_file() && (only.is_empty() || only.contains(&id)) {
                sites.push(Self::read(path, id)?);
            }
        }
        sites.sort_by(|a, b| a.id.cmp(&b.id));
        if sites.is_empty() { Err(Error::NoTruth(folder.to_owned())) } else { Ok(sites) }
    }

    fn read(folder: PathBuf, id: String) -> Result<Self, Error> {
        let path = folder.join("truth.jsonl");
        let text = fs::read_to_string(&path).map_err(|source| Error::read(&path, source))?;
        let (mut truth, mut written) = (BTreeMap::new(), BTreeMap::new());
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let line: Line = serde_json::from_str(line)
                .map_err(|error| Error::Values { path: path.clone(), reason: error.to_string() })?;
            let normal = line
                .attributes
                .iter()
                .map(|(name, values)| (name.clone(), values.iter().flat_map(|value| forms(value)).collect()));
            truth.insert(line.url.clone(), normal.collect());
            written.insert(line.url, line.attributes);
        }
        Ok(Self { id, folder, truth, written })
    }

    pub fn vertical(&self) -> &str {
        self.id.split('-').next().unwrap_or(&self.id)
    }

    /// The names of what is true of the pages, sorted.
    pub fn attributes(&self) -> Vec<String> {
        self.truth.values().next().map_or_else(Vec::new, |values| values.keys().cloned().collect())
    }

    pub fn archive(&self) -> Result<Archive, Error> {
        Archive::open(&[self.folder.join("pages.warc.gz")]).map_err(|error| pagekin::Error::from(error).into())
    }

    /// The pages that have a truth, in the order of the archive.
    pub fn pages(&self) -> Result<Vec<RawPage>, Error> {
        let archive = self.archive()?;
        let pages = archive.pages().filter_map(|answer| match answer {
            Answer::Page(page) => self.truth.contains_key(&page.url).then_some(page),
            Answer::Skipped(_) => None,
        });
        Ok(pages.collect())
    }
}
