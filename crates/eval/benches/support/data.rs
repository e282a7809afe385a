//! Pages with truth for benchmarks, where they are, and the clock they are measured with.

use pagekin::page::{self, Document, Limits};
use pagekin::pages::RawPage;
use pagekin_eval::extract::truth::Site;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// In `PAGEKIN_DATA`, else in the folder beside the repository.
pub fn swde() -> PathBuf {
    let beside = || repository().join("../shared/data");
    std::env::var_os("PAGEKIN_DATA").map_or_else(beside, PathBuf::from).join("swde")
}

/// Says so where there are no pages.
pub fn sites() -> Option<Vec<Site>> {
    match Site::read_all(&swde(), &[]) {
        Ok(sites) => Some(sites),
        Err(error) => {
            println!("skipped: {error}; set PAGEKIN_DATA");
            None
        }
    }
}

pub fn pages(site: &Site) -> Vec<RawPage> {
    pagekin_eval::extract::pages(site).expect("the archive can be read")
}

pub fn read(page: &RawPage) -> Document {
    page::read(page, &Limits::default()).expect("a real page is within limits")
}

pub fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
