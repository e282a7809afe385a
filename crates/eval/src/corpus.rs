//! Which sites are measured on, and what is true of them? Folder → sites with kinds of pages, samples and truth.
//!
//! - [`Corpus`]: the sites, with a hash that changes when a truth does. - [`SiteFolder`]: one of them, its archives
//!   and its [`Kind`]s. A site is a folder with `meta.json`, `*.warc*`, truth files and perhaps `neutral.txt`.
//!
//! Reads no archive: only its size goes into the hash, which would take minutes otherwise.

use crate::Error;
use pagekin::Url;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct Corpus {
    /// By name.
    pub sites: Vec<SiteFolder>,
    /// blake3 of names and contents of all meta, truth and neutral files, and of names and sizes of the archives.
    pub hash: String,
}

#[derive(Debug, Clone)]
pub struct SiteFolder {
    pub id: String,
    pub archives: Vec<PathBuf>,
    pub kinds: Vec<Kind>,
    /// Pages that count neither way.
    pub neutral: Vec<Url>,
}

/// One kind of page of a site.
#[derive(Debug, Clone)]
pub struct Kind {
    pub name: String,
    pub truth: Vec<Url>,
    pub samples: Vec<Url>,
}

impl Kind {
    /// So many pages of the kind, drawn by the hash of their address: the same ones each time, and not those that suit.
    pub fn drawn(&self, most: usize) -> Vec<Url> {
        let mut pages = self.truth.clone();
        pages.sort_by_cached_key(|url| *blake3::hash(url.as_str().as_bytes()).as_bytes());
        pages.truncate(most);
        pages
    }
}

#[derive(Deserialize)]
struct Meta {
    types: Option<Vec<MetaKind>>,
    entity_type: Option<String>,
    truth_file: Option<String>,
    #[serde(default)]
    sample_pages: Vec<Url>,
}

#[derive(Deserialize)]
struct MetaKind {
    entity_type: String,
    truth_file: Option<String>,
    sample_pages: Vec<Url>,
}

impl Meta {
    /// A site of one kind may name it at the top.
    fn kinds(self) -> Option<Vec<MetaKind>> {
        let Self { types, entity_type, truth_file, sample_pages } = self;
        types.or_else(|| Some(vec![MetaKind { entity_type: entity_type?, truth_file, sample_pages }]))
    }
}

impl Corpus {
    /// All sites below `folder` (or the folder itself, if it is one), or only those named.
    pub fn read(folder: &Path, only: &[String]) -> Result<Self, Error> {
        let mut folders = site_folders(folder)?;
        let id = |folder: &PathBuf| folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(unknown) = only.iter().find(|name| !folders.iter().any(|folder| id(folder) == **name)) {
            let known = folders.iter().map(id).collect::<Vec<_>>().join(", ");
            return Err(Error::UnknownSite { name: unknown.clone(), known });
        }
        folders.retain(|folder| only.is_empty() || only.contains(&id(folder)));
        let mut hasher = blake3::Hasher::new();
        let sites = folders.iter().map(|folder| read_site(folder, id(folder), &mut hasher));
        let sites = sites.collect::<Result<Vec<_>, Error>>()?;
        Ok(Self { sites, hash: hasher.finalize().to_hex().to_string() })
    }
}

fn site_folders(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    if folder.join("meta.json").is_file() {
        return Ok(vec![folder.canonicalize().map_err(|source| Error::read(folder, source))?]);
    }
    let mut folders = entries(folder)?;
    folders.retain(|path| path.join("meta.json").is_file());
    if folders.is_empty() {
        return Err(Error::NoSites(folder.to_owned()));
    }
    Ok(folders)
}

/// Sorted, so that nothing depends on the order of the file system.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let listed = fs::read_dir(folder).map_err(|source| Error::read(folder, source))?;
    let mut paths = listed
        .map(|entry| entry.map(|entry| entry.path()).map_err(|source| Error::read(folder, source)))
        .collect::<Result<Vec<_>, Error>>()?;
    paths.sort();
    Ok(paths)
}

fn read_site(folder: &Path, id: String, hasher: &mut blake3::Hasher) -> Result<SiteFolder, Error> {
    let mut archives = entries(folder)?;
    archives.retain(|path| path.is_file() && is_archive(path));
    if archives.is_empty() {
        return Err(Error::NoArchive(folder.to_owned()));
    }
    for path in &archives {
        let size = fs::metadata(path).map_err(|source| Error::read(path, source))?.len();
        note(hasher, &id, path, &size.to_le_bytes());
    }
    let mut reader = Reader { folder, id: &id, hasher };
    let kinds = reader.kinds()?;
    let neutral = if folder.join("neutral.txt").is_file() { reader.addresses("neutral.txt")? } else { Vec::new() };
    Ok(SiteFolder { id, archives, kinds, neutral })
}

fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [".warc", ".warc.gz", ".warc.zst"].iter().any(|ending| name.ends_with(ending))
}

/// Lengths first, so that no two corpora run together into the same bytes.
fn note(hasher: &mut blake3::Hasher, id: &str, path: &Path, content: &[u8]) {
    let name = format!("{id}/{}", path.file_name().unwrap_or_default().to_string_lossy());
    for part in [name.as_bytes(), content] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
}

/// Reads the files of a site, each into the hash too.
struct Reader<'a> {
    folder: &'a Path,
    id: &'a str,
    hasher: &'a mut blake3::Hasher,
}

impl Reader<'_> {
    fn text(&mut self, name: &str) -> Result<String, Error> {
        let path = self.folder.join(name);
        let text = fs::read_to_string(&path).map_err(|source| Error::read(&path, source))?;
        note(self.hasher, self.id, &path, text.as_bytes());
        Ok(text)
    }

    fn kinds(&mut self) -> Result<Vec<Kind>, Error> {
        let text = self.text("meta.json")?;
        let meta: Meta = serde_json::from_str(&text).map_err(|error| self.wrong(error.to_string()))?;
        let kinds = meta.kinds().ok_or_else(|| self.wrong("it has neither `types` nor `entity_type`".to_owned()))?;
        kinds.into_iter().map(|kind| self.kind(kind)).collect()
    }

    fn wrong(&self, reason: String) -> Error {
        Error::Meta { path: self.folder.join("meta.json"), reason }
    }

    fn kind(&mut self, kind: MetaKind) -> Result<Kind, Error> {
        let file = kind.truth_file.unwrap_or_else(|| "truth.txt".to_owned());
        if Path::new(&file).file_name().is_none_or(|name| *name != *file) {
            return Err(self.wrong(format!("the truth file `{file}` is not in the folder")));
        }
        if kind.sample_pages.is_empty() {
            return Err(self.wrong(format!("the kind `{}` has no sample pages", kind.entity_type)));
        }
        Ok(Kind { name: kind.entity_type, truth: self.addresses(&file)?, samples: kind.sample_pages })
    }

    /// One address a line.
    fn addresses(&mut self, name: &str) -> Result<Vec<Url>, Error> {
        let text = self.text(name)?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines
            .map(|line| {
                let path = self.folder.join(name);
                Url::parse(line).map_err(|error| Error::Address {
                    path,
                    line: line.to_owned(),
                    reason: error.to_string(),
                })
            })
            .collect()
    }
}
