//! Real pages for tests and benchmarks, read from archives of the data folder where there is one.

#![allow(dead_code, reason = "a test or benchmark uses a part of it")]
#![allow(clippy::disallowed_methods, reason = "the core is pure; what tests it reads files")]

use std::io::{BufWriter, Read as _, Result, Write as _};
use std::path::{Path, PathBuf};

/// `PAGEKIN_DATA`, else the folder beside the repository.
pub fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("PAGEKIN_DATA").map_or_else(beside, PathBuf::from)
}

/// Says that there are no pages to test with.
///
/// # Panics
/// Under `CI`, when there is data: then the pages were looked for in the wrong place.
pub fn skip(pages: &str) {
    assert!(!(std::env::var_os("CI").is_some() && folder().is_dir()), "there is data, and no `{pages}` in it");
    eprintln!("SKIPPED: no pages; hint: set PAGEKIN_DATA to a folder with `{pages}`");
}

/// Every `step`-th response of each archive under `folder` of the data; empty when there is none.
pub fn pages(folder: &str, step: usize) -> Vec<Vec<u8>> {
    let Ok(folders) = std::fs::read_dir(self::folder().join(folder)) else { return Vec::new() };
    let mut archives: Vec<PathBuf> = folders
        .flatten()
        .flat_map(|entry| ["pages.warc.gz", "site.warc.gz"].map(|name| entry.path().join(name)))
        .filter(|path| path.is_file())
        .collect();
    archives.sort();
    archives.iter().flat_map(|path| bodies(path, step)).collect()
}

fn bodies(path: &Path, step: usize) -> Vec<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).unwrap();
    flate2::read::MultiGzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    let mut rest = &bytes[..];
    let mut found = Vec::new();
    while let Some(end) = memchr::memmem::find(rest, b"\r\n\r\n") {
        let head = String::from_utf8_lossy(&rest[..end]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap();
        let block = &rest[end + 4..][..length.trim().parse().unwrap()];
        if head.contains("warc-type: response") {
            let body = memchr::memmem::find(block, b"\r\n\r\n").map_or(&b""[..], |end| &block[end + 4..]);
            found.push(body.to_vec());
        }
        rest = rest.get(end + 4 + block.len() + 4..).unwrap_or_default();
    }
    found.into_iter().step_by(step).collect()
}

/// Writes pages down for another program: each behind its length, eight bytes, little end first.
pub fn save<'a>(file: &Path, pages: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(file)?);
    for page in pages {
        out.write_all(&(page.len() as u64).to_le_bytes())?;
        out.write_all(page)?;
    }
    out.flush()
}

/// Reads what [`save`] wrote.
pub fn load(file: &Path) -> Result<Vec<Vec<u8>>> {
    let bytes = std::fs::read(file)?;
    let mut rest = &bytes[..];
    let mut pages = Vec::new();
    while let Some((head, after)) = rest.split_first_chunk() {
        let (page, after) = after.split_at(u64::from_le_bytes(*head) as usize);
        pages.push(page.to_vec());
        rest = after;
    }
    Ok(pages)
}
