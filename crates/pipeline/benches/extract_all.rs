//! What do all records of a large archive cost? Catalogues of 10,000 and 100,000 pages → seconds and peak memory of each.
//!
//! `cargo bench --workspace --bench=extract_all`, or with other sizes behind `--`. The classes are told apart, learned, and every page
//! is read on all processors. Each size runs in a process of its own, so that its peak is its own.

use pagekin::extract::Record;
use pagekin::{Error, ExtractSettings, Source, SourceSettings, cpu_seconds, extract_job, peak_memory};
use pagekin_testkit::bigsite::BigSite;
use std::path::PathBuf;
use std::process::Command;

/// As in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SIZES: [usize; 2] = [10_000, 100_000];

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    match words.next().as_deref() {
        Some("--of") => one(words.next().expect("an archive").into()),
        Some(size) => {
            all(std::iter::once(size.to_owned()).chain(words).map(|word| word.parse().expect("a number")).collect())
        }
        None => all(SIZES.to_vec()),
    }
}

fn all(sizes: Vec<usize>) {
    println!(
        "| pages | archive, MB | seconds | CPU seconds | pages a second | peak memory, MB |\n|--:|--:|--:|--:|--:|--:|"
    );
    let folder = tempfile::tempdir().expect("a folder");
    for size in sizes {
        let path = folder.path().join(format!("{size}.warc.gz"));
        BigSite::new(size).write(&path).expect("room for the archive");
        let program = std::env::current_exe().expect("this program");
        let status = Command::new(program).arg("--of").arg(&path).status().expect("it runs");
        assert!(status.success());
        std::fs::remove_file(&path).expect("it was written");
    }
}

fn one(path: PathBuf) {
    let megabytes = std::fs::metadata(&path).expect("an archive").len() as f64 / 1e6;
    let settings = SourceSettings { archives: vec![path], ..SourceSettings::default() };
    let source = Source::open(&settings, &[]).expect("an archive");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let mut values = 0;
    let mut emit = |record: Record| -> Result<(), Error> {
        values += record.attributes.len();
        Ok(())
    };
    let wanted = ExtractSettings::default();
    let (done, stats) = runtime.block_on(extract_job(&source, &[], &wanted, &mut emit)).expect("records");
    assert!(values > done.records, "records hold values");
    let memory = peak_memory().map_or(0.0, |bytes| bytes as f64 / 1e6);
    let cpu = cpu_seconds().unwrap_or(0.0);
    println!(
        "| {} | {megabytes:.0} | {:.1} | {cpu:.1} | {:.0} | {memory:.0} |",
        done.pages,
        stats.seconds,
        done.pages as f64 / stats.seconds
    );
}
