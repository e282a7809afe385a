//! Real pages for tests and benchmarks, read from archives of the data folder where there is one.

use std::io::Read as _;
use std::path::{Path, PathBuf};

/// `PAGEKIN_DATA`, else the folder beside the repository.
pub fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("PAGEKIN_DATA").map_or_else(beside, PathBuf::from)
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
