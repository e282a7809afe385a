//! Is it as it was written? A `.wacz`, a folder, or a WARC file → what was checked, part by part.
//!
//! - [`verify`]: all of it. - [`Checked`]: one part, and what came of it.
//!
//! Of a package: the digest of its description, of every file in it, and that nothing else lies in it. Of every WARC file: the digests of every
//! record. Of a token beside a file: that it is of this file, and signed. Of a record: that its values stand on the page as it was answered.

use super::{package, statement, timestamp};
use crate::Error;
use crate::digest::Sha256;
use crate::marks::squeezed;
use pagekin_core::page::{self, Limits};
use pagekin_core::pages::{Answer, Pages};
use pagekin_fetch::Archive;
use pagekin_fetch::warc::check::{Verdict, check};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Files of a package, and bytes of all of them together: what is no bomb.
const MOST_FILES: usize = 100_000;
const MOST_BYTES: u64 = 64 << 30;

/// Records that are told one by one; a large archive has millions.
const TOLD: usize = 100;

/// Bytes of a description, a statement or a token.
const LARGEST_TEXT: u64 = 64 << 20;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// `archive/data.warc.gz`, or with the address of a record behind it.
    pub part: String,
    /// `digest`, `records`, `timestamp`, `values` or `files`.
    pub check: &'static str,
    /// Is it as it should be?
    pub ok: bool,
    /// What was found.
    pub detail: String,
}

impl Checked {
    fn of(part: &str, check: &'static str, found: Result<String, String>) -> Self {
        let ok = found.is_ok();
        Self { part: part.to_owned(), check, ok, detail: found.unwrap_or_else(|why| why) }
    }
}

/// What was checked; `Err` when there is nothing that could be.
pub async fn verify(path: &Path) -> Result<Vec<Checked>, Error> {
    let unusable = |reason: String| Error::Unverifiable { path: path.to_owned(), reason };
    if path.is_dir() {
        return of_package(path).await.map_err(unusable);
    }
    if package::is_file(path) {
        let place = tempfile::tempdir().map_err(Error::Write)?;
        let (from, to) = (path.to_owned(), place.path().to_owned());
        let unpack = move || unpacked(&from, &to);
        tokio::task::spawn_blocking(unpack).await.map_err(Error::Ended)?.map_err(unusable)?;
        return of_package(place.path()).await.map_err(unusable);
    }
    if !path.is_file() {
        return Err(unusable("there is no such file or folder".to_owned()));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut all = of_archive(path, &name).map_err(unusable)?;
    let token = statement::token_beside(path);
    all.extend(token.is_file().then(|| of_token(&token, path, &format!("{name}.tsr"))));
    all.extend(of_statement(path));
    Ok(all)
}

/// A name in a package stays in the package.
fn inside(root: &Path, name: &str) -> Option<PathBuf> {
    let own = Path::new(name);
    let plain = !name.is_empty() && own.components().all(|part| matches!(part, Component::Normal(_)));
    plain.then(|| root.join(own))
}

fn unpacked(from: &Path, to: &Path) -> Result<(), String> {
    let told = |error: io::Error| error.to_string();
    let file = std::fs::File::open(from).map_err(told)?;
    let mut zip = zip::ZipArchive::new(file).map_err(|error| format!("it is no zip file: {error}"))?;
    if zip.len() > MOST_FILES {
        return Err(format!("it has {} files, more than {MOST_FILES}", zip.len()));
    }
    let mut left = MOST_BYTES;
    for at in 0..zip.len() {
        let entry = zip.by_index(at).map_err(|error| error.to_string())?;
        if entry.is_dir() {
            continue;
        }
        let name = entry.name().map_err(|error| error.to_string())?.into_owned();
        let path = inside(to, &name).ok_or_else(|| format!("it holds `{name}`, a name that leads out of it"))?;
        std::fs::create_dir_all(path.parent().unwrap_or(to)).map_err(told)?;
        let mut out = std::fs::File::create_new(&path).map_err(told)?;
        let written = io::copy(&mut entry.take(left), &mut out).map_err(told)?;
        left -= written;
        if left == 0 {
            return Err(format!("it unpacks to more than {MOST_BYTES} bytes"));
        }
    }
    Ok(())
}

fn text(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    file.take(LARGEST_TEXT).read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn json(path: &Path) -> Result<Value, String> {
    serde_json::from_str(&text(path)?).map_err(|error| error.to_string())
}

async fn of_package(root: &Path) -> Result<Vec<Checked>, String> {
    let described =
        json(&root.join("datapackage.json")).map_err(|why| format!("its datapackage.json cannot be read: {why}"))?;
    let mut all = vec![Checked::of("datapackage.json", "digest", of_description(root))];
    let mut known = BTreeSet::from(["datapackage.json".to_owned(), "datapackage-digest.json".to_owned()]);
    for resource in described["resources"].as_array().into_iter().flatten().take(MOST_FILES) {
        let name = resource["path"].as_str().unwrap_or_default();
        known.insert(name.to_owned());
        all.push(Checked::of(name, "digest", of_resource(root, name, resource)));
    }
    let files = listed(root).map_err(|error| error.to_string())?;
    all.extend(
        files
            .difference(&known)
            .map(|name| Checked::of(name, "files", Err("its description does not name it".to_owned()))),
    );
    let archives: Vec<(String, PathBuf)> =
        files.iter().filter(|name| name.starts_with("archive/")).map(|name| (name.clone(), root.join(name))).collect();
    for (name, path) in &archives {
        all.extend(of_archive(path, name)?);
        let token = format!("proof/{}.tsr", name.trim_start_matches("archive/"));
        all.extend(files.contains(&token).then(|| of_token(&root.join(&token), path, &token)));
    }
    if files.contains("proof/record.json") {
        let archives: Vec<PathBuf> = archives.into_iter().map(|(_, path)| path).collect();
        all.push(Checked::of("proof/record.json", "values", of_values(root, &archives).await));
    }
    if files.contains("proof/run.json") {
        let said = json(&root.join("proof/run.json")).and_then(|said| of_archives(&said, &root.join("archive")));
        all.push(Checked::of("proof/run.json", "digest", said));
    }
    Ok(all)
}

/// Every file below, by its path from there.
fn listed(root: &Path) -> io::Result<BTreeSet<String>> {
    let (mut files, mut folders) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if let Ok(own) = path.strip_prefix(root) {
                files.insert(own.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    Ok(files)
}

fn of_description(root: &Path) -> Result<String, String> {
    let said = json(&root.join("datapackage-digest.json"))
        .map_err(|why| format!("datapackage-digest.json cannot be read: {why}"))?;
    let (digest, _) = Sha256::of_file(&root.join("datapackage.json")).map_err(|error| error.to_string())?;
    same(said["hash"].as_str().unwrap_or_default(), &digest)
}

fn same(said: &str, digest: &str) -> Result<String, String> {
    match said.strip_prefix("sha256:") {
        None => Err(format!("its digest is not one of SHA-256: `{}`", said.chars().take(80).collect::<String>())),
        Some(said) if said.eq_ignore_ascii_case(digest) => Ok(format!("sha256:{digest}")),
        Some(_) => Err(format!("it was changed: its digest is sha256:{digest}")),
    }
}

fn of_resource(root: &Path, name: &str, resource: &Value) -> Result<String, String> {
    let path = inside(root, name).ok_or("its name leads out of the package")?;
    let (digest, bytes) = Sha256::of_file(&path).map_err(|error| error.to_string())?;
    if resource["bytes"].as_u64().is_some_and(|said| said != bytes) {
        return Err(format!("it has {bytes} bytes, and its description says {}", resource["bytes"]));
    }
    same(resource["hash"].as_str().unwrap_or_default(), &digest)
}

/// Every record; those that are not as they were are told one by one.
fn of_archive(path: &Path, name: &str) -> Result<Vec<Checked>, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let (mut all, mut same, mut silent, mut different) = (Vec::new(), 0usize, 0usize, 0usize);
    let damage = check(Arc::new(file), |own| match own.verdict {
        Verdict::Same => same += 1,
        Verdict::NoDigest => silent += 1,
        Verdict::Different(why) => {
            different += 1;
            if different <= TOLD {
                all.push(Checked::of(&format!("{name} {}", own.url), "records", Err(why)));
            }
        }
    });
    let damage = damage.map_err(|error| error.to_string())?;
    let counted = format!("{same} records are as they were written, {silent} say no digest");
    let told = match (damage, same + silent + different) {
        (Some(damage), _) => Err(format!("{counted}, and something else stands in it: {damage}")),
        (None, 0) => Err("it holds no WARC record".to_owned()),
        (None, _) if different > 0 => Err(format!("{counted}, {different} were changed")),
        (None, _) => Ok(counted),
    };
    all.insert(0, Checked::of(name, "records", told));
    Ok(all)
}

fn of_token(token: &Path, of: &Path, name: &str) -> Checked {
    let found = || {
        let bytes = std::fs::read(token).map_err(|error| error.to_string())?;
        let stamp = timestamp::read(&bytes)?;
        let (digest, _) = Sha256::of_file(of).map_err(|error| error.to_string())?;
        if stamp.digest != digest {
            return Err("it is of something else, or what it is of was changed".to_owned());
        }
        Ok(format!("there at {} by the word of `{}`; whether to trust it is yours to say", stamp.at, stamp.authority))
    };
    Checked::of(name, "timestamp", found())
}

/// What a run said beside its first archive.
fn of_statement(archive: &Path) -> Option<Checked> {
    let path = statement::beside(archive);
    let name = path.file_name()?.to_string_lossy().into_owned();
    let folder = archive.parent().unwrap_or(Path::new("."));
    path.is_file().then(|| Checked::of(&name, "digest", json(&path).and_then(|said| of_archives(&said, folder))))
}

fn of_archives(said: &Value, folder: &Path) -> Result<String, String> {
    let mut all = 0;
    for own in said["archives"].as_array().into_iter().flatten() {
        let name = own["file"].as_str().unwrap_or_default();
        let path = inside(folder, name).ok_or("it names a file that is elsewhere")?;
        let (digest, _) = Sha256::of_file(&path).map_err(|error| format!("`{name}`: {error}"))?;
        same(&format!("sha256:{}", own["sha256"].as_str().unwrap_or_default()), &digest)
            .map_err(|why| format!("`{name}`: {why}"))?;
        all += 1;
    }
    let unchanged = said["nothing_changed"].as_bool().unwrap_or(false);
    let what = if unchanged { "; nothing had changed" } else { "" };
    Ok(format!(
        "run {} saw these {all} archives, until {}{what}",
        said["run"],
        said["ended_at"].as_str().unwrap_or("?")
    ))
}

/// Do the texts that values were read from stand on the page that is in the archive?
async fn of_values(root: &Path, archives: &[PathBuf]) -> Result<String, String> {
    let said = json(&root.join("proof/record.json"))?;
    let url = said["url"].as_str().and_then(|url| url.parse().ok()).ok_or("it names no page")?;
    let archive = Archive::open(archives).map_err(|error| error.to_string())?;
    let raw = match archive.get(std::slice::from_ref(&url)).await.pop() {
        Some(Answer::Page(page)) => page,
        _ => return Err("the archive does not hold the page of the record".to_owned()),
    };
    let texts: BTreeMap<String, String> = raws(&said);
    let work = move || {
        let document = page::read(&raw, &Limits::default()).map_err(|why| why.to_string())?;
        let all = document.descendants(page::Document::ROOT).filter_map(|node| document.text(node));
        let whole = squeezed(&all.collect::<Vec<_>>().join(" "));
        let source = squeezed(&String::from_utf8_lossy(&raw.body));
        let missing: Vec<&String> = texts
            .iter()
            .filter(|(_, raw)| !whole.contains(raw.as_str()) && !source.contains(raw.as_str()))
            .map(|(name, _)| name)
            .collect();
        match missing.is_empty() {
            true => Ok(format!("{} values stand on the page", texts.len())),
            false => Err(format!("the page does not say {missing:?}")),
        }
    };
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?
}

/// Of what stands on the page as a text; data within scripts is written there in another way.
fn raws(said: &Value) -> BTreeMap<String, String> {
    let all = said["evidence"].as_object().into_iter().flatten();
    let text = |(name, own): (&String, &Value)| {
        let raw = squeezed(own["raw"].as_str()?);
        (own["source"] != "data" && !raw.is_empty()).then(|| (name.clone(), raw))
    };
    all.filter_map(text).collect()
}
