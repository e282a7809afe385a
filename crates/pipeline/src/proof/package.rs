//! How is a proof written so that every replay tool opens it? WARC records and what belongs to them → WACZ 1.1.1, as one file or as a folder.
//!
//! - [`Parts`]: all that goes in. - [`Page`]: a line of the list of pages. - [`Parts::files`]: every file with its bytes. - [`write()`]: on disk.
//!
//! Nothing in it is of the time of writing, and files of the archive are stored as they are: the same parts give the same bytes.

use crate::Error;
use crate::digest::Sha256;
use jiff::Timestamp;
use pagekin_fetch::{Archive, Excerpt};
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::path::Path;
use url::Url;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

const VERSION: &str = "1.1.1";
const DATA: &str = "data.warc.gz";

/// A page that the archive shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Its address.
    pub url: String,
    /// When it was fetched.
    pub at: Timestamp,
    /// What it calls itself.
    pub title: String,
}

/// What a package is made of.
pub struct Parts {
    /// What it is called.
    pub title: String,
    /// Files of the folder `archive`.
    pub archives: Vec<(String, Vec<u8>)>,
    /// Pages to begin with.
    pub pages: Vec<Page>,
    /// Files of the folder `proof`.
    pub proof: Vec<(String, Vec<u8>)>,
    /// Lines of the index, not yet sorted.
    index: Vec<String>,
    last: Timestamp,
}

impl Parts {
    /// Of single records: together they are a file of the archive.
    pub fn of(title: String, records: &[Excerpt], pages: Vec<Page>) -> Self {
        let (mut data, mut index) = (Vec::new(), Vec::new());
        for own in records {
            // An index knows answers; what a browser made of them is found behind these.
            if let Some(status) = own.status {
                let place = (data.len() as u64, own.packed.len());
                index.push(line(&own.url, own.at, (status, &own.media_type, &own.digest), place, DATA));
            }
            data.extend_from_slice(&own.packed);
        }
        let last = records.iter().map(|own| own.at).max().unwrap_or_default();
        Self { title, archives: vec![(DATA.to_owned(), data)], pages, proof: Vec::new(), index, last }
    }

    /// Of whole files, which runs wrote: a record that is packed again has as many bytes as it has there.
    pub fn of_files(
        title: String,
        files: Vec<(String, Vec<u8>)>,
        archive: &Archive,
        pages: Vec<Page>,
    ) -> Result<Self, Error> {
        let mut index = Vec::new();
        for own in archive.listed() {
            let Some(excerpt) = archive.record(&own) else { continue };
            let name = own.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let told = (excerpt.status.unwrap_or_default(), excerpt.media_type.as_str(), excerpt.digest.as_str());
            index.push(line(&excerpt.url, excerpt.at, told, (own.position, excerpt.packed.len()), &name));
        }
        let last = pages.iter().map(|own| own.at).max().unwrap_or_default();
        Ok(Self { title, archives: files, pages, proof: Vec::new(), index, last })
    }

    /// Paths and bytes, sorted as they are written; the description of all comes last.
    pub fn files(&self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let mut index = self.index.clone();
        index.sort();
        let mut files = vec![("indexes/index.cdx".to_owned(), (index.join("\n") + "\n").into_bytes())];
        files.push(("pages/pages.jsonl".to_owned(), self.page_lines().into_bytes()));
        files.extend(self.archives.iter().map(|(name, bytes)| (format!("archive/{name}"), bytes.clone())));
        files.extend(self.proof.iter().map(|(name, bytes)| (format!("proof/{name}"), bytes.clone())));
        files.sort();
        let described =
            crate::export::json_pretty(&self.description(&files)).map_err(|error| Error::Write(error.into()))?;
        let digest =
            json!({"path": "datapackage.json", "hash": format!("sha256:{}", Sha256::of(described.as_bytes()))});
        files.push(("datapackage.json".to_owned(), described.into_bytes()));
        files.push(("datapackage-digest.json".to_owned(), digest.to_string().into_bytes()));
        Ok(files)
    }

    fn page_lines(&self) -> String {
        let head = json!({"format": "json-pages-1.0", "id": "pages", "title": self.title}).to_string();
        let line = |(at, own): (usize, &Page)| {
            json!({"id": format!("page-{}", at + 1), "url": own.url, "ts": seconds(own.at), "title": own.title})
                .to_string()
        };
        let lines = self.pages.iter().enumerate().map(line);
        std::iter::once(head).chain(lines).map(|line| line + "\n").collect()
    }

    fn description(&self, files: &[(String, Vec<u8>)]) -> Value {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let resource = |(path, bytes): &(String, Vec<u8>)| json!({"name": name(path), "path": path, "hash": format!("sha256:{}", Sha256::of(bytes)), "bytes": bytes.len()});
        let mut own = json!({
            "profile": "data-package",
            "wacz_version": VERSION,
            "title": self.title,
            "software": super::MADE_WITH,
            "created": seconds(self.last),
            "resources": files.iter().map(resource).collect::<Vec<_>>(),
        });
        if let Some(first) = self.pages.first() {
            own["mainPageUrl"] = json!(first.url);
            own["mainPageDate"] = json!(seconds(first.at));
        }
        own
    }

    /// As one file.
    pub fn wacz(&self) -> Result<Vec<u8>, Error> {
        let wrong = |error: zip::result::ZipError| Error::Write(std::io::Error::other(error));
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        // Replay tools read parts of it in place, so that nothing is packed.
        let stored = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(0o644);
        for (path, bytes) in self.files()? {
            let large = bytes.len() as u64 >= u64::from(u32::MAX);
            zip.start_file(path, stored.large_file(large)).map_err(wrong)?;
            zip.write_all(&bytes).map_err(Error::Write)?;
        }
        Ok(zip.finish().map_err(wrong)?.into_inner())
    }
}

/// As a file, where the name ends in `.wacz`, else as a folder. None that is there is written over.
pub fn write(parts: &Parts, path: &Path) -> Result<(), Error> {
    if path.exists() {
        return Err(Error::ProofExists { path: path.to_owned() });
    }
    if is_file(path) {
        return std::fs::write(path, parts.wacz()?).map_err(Error::Write);
    }
    for (name, bytes) in parts.files()? {
        let own = path.join(name);
        std::fs::create_dir_all(own.parent().unwrap_or(path)).map_err(Error::Write)?;
        std::fs::write(own, bytes).map_err(Error::Write)?;
    }
    Ok(())
}

/// Is it a package in one file?
pub fn is_file(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wacz"))
}

/// To the second, as the tools write it.
fn seconds(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A line of CDXJ. Its address is the one by which replay tools look for it.
fn line(
    url: &Url,
    at: Timestamp,
    (status, media, digest): (u16, &str, &str),
    (offset, length): (u64, usize),
    file: &str,
) -> String {
    let told = json!({
        "url": url.as_str(), "mime": media, "status": status.to_string(), "digest": digest,
        "length": length.to_string(), "offset": offset.to_string(), "filename": file,
    });
    format!("{} {} {told}", searched(url), at.strftime("%Y%m%d%H%M%S"))
}

/// `http://www.Example.org/A?b=2&a=1` → `org,example)/a?a=1&b=2`.
fn searched(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
    let numbered = host.strip_prefix("www").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let host = numbered.and_then(|rest| rest.strip_prefix('.')).unwrap_or(&host);
    // The parts of a number are no parts of a name.
    let name = match url.host() {
        Some(url::Host::Domain(_)) => host.split('.').rev().collect::<Vec<_>>().join(","),
        _ => host.to_owned(),
    };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let query = url.query().filter(|query| !query.is_empty()).map(|query| {
        let mut pairs: Vec<&str> = query.split('&').collect();
        pairs.sort_unstable();
        format!("?{}", pairs.join("&"))
    });
    format!("{name}{port}){}{}", url.path(), query.unwrap_or_default()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_as_replay_tools_look_for_them() {
        for (url, found) in [
            ("http://www.Example.org/A?b=2&a=1", "org,example)/a?a=1&b=2"),
            ("https://www2.example.org:8443/", "org,example:8443)/"),
            ("http://127.0.0.1:8080/x", "127.0.0.1:8080)/x"),
            ("http://wwwhat.org/", "org,wwwhat)/"),
        ] {
            assert_eq!(searched(&url.parse().unwrap()), found);
        }
    }

    #[test]
    fn every_file_is_described() {
        let parts = Parts::of(
            "t".to_owned(),
            &[],
            vec![Page { url: "http://s/".to_owned(), at: Timestamp::UNIX_EPOCH, title: "s".to_owned() }],
        );
        let files = parts.files().unwrap();
        let package: Value = serde_json::from_slice(&files[files.len() - 2].1).unwrap();
        let described: Vec<&str> =
            package["resources"].as_array().unwrap().iter().filter_map(|own| own["path"].as_str()).collect();
        assert_eq!(described, ["archive/data.warc.gz", "indexes/index.cdx", "pages/pages.jsonl"]);
        assert_eq!(parts.wacz().unwrap(), parts.wacz().unwrap());
    }
}
