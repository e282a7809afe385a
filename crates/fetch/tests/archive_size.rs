//! Does an archive stay out of memory? A generated catalogue, small in the test run; `PAGEKIN_BIG_PAGES=100000
//! cargo test -p pagekin-fetch --test archive_size -- --nocapture` measures it at full size, and
//! `PAGEKIN_BIG_ARCHIVE=site.warc.gz` any other archive.

use pagekin_core::pages::Answer;
use pagekin_fetch::Archive;
use pagekin_testkit::bigsite::BigSite;
use std::env;
use std::path::PathBuf;
use std::time::Instant;

/// The most memory the process has had, in kB; `None` where the system does not tell.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().split(' ').next()?.parse().ok()
}

#[test]
fn memory_is_an_index_and_not_the_pages() {
    let folder = tempfile::tempdir().unwrap();
    let pages: usize = env::var("PAGEKIN_BIG_PAGES").map_or(3_000, |text| text.parse().unwrap());
    let (path, expected) = match env::var("PAGEKIN_BIG_ARCHIVE") {
        Ok(path) => (PathBuf::from(path), None),
        Err(_) => {
            let path = folder.path().join("big.warc.gz");
            let count = BigSite::new(pages).write(&path).unwrap();
            (path, Some(count))
        }
    };
    eprintln!("{}: {} bytes, peak before {:?} kB", path.display(), path.metadata().unwrap().len(), peak());
    let start = Instant::now();
    let archive = Archive::open(&[path]).unwrap();
    let addresses: usize = archive.urls().map(|url| url.as_str().len()).sum();
    eprintln!(
        "opened {} records: {:?}, index {} bytes (addresses {addresses}), peak {:?} kB",
        archive.len(),
        start.elapsed(),
        archive.memory(),
        peak()
    );
    let start = Instant::now();
    let (mut read, mut bytes) = (0, 0);
    for answer in archive.pages() {
        let Answer::Page(page) = answer else { panic!("{answer:?}") };
        read += 1;
        bytes += page.body.len();
    }
    eprintln!("read {read} pages, {bytes} bytes: {:?}, peak {:?} kB", start.elapsed(), peak());
    assert!(expected.is_none_or(|expected| expected == read && expected == archive.len()));
    assert!(archive.memory() < addresses + 100 * archive.len() + 4096);
    assert!(peak().is_none_or(|peak| peak < 1_000_000), "more than 1 GB");
}
