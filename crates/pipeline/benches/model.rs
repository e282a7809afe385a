//! What does a model of a whole archive cost? Catalogues of 10,000, 30,000 and 100,000 pages → seconds and peak memory of each.
//!
//! `cargo bench --bench=model`, or with other sizes behind `--`. Each size runs in a process of its own, so that its
//! peak is its own. The archives are written to a temporary folder first.

use pagekin::page::Limits;
use pagekin::{Source, SourceSettings, modelled, peak_memory};
use pagekin_testkit::bigsite::BigSite;
use std::path::PathBuf;
use std::process::Command;

const SIZES: [usize; 3] = [10_000, 30_000, 100_000];

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
    println!("| pages | seconds | pages a second | peak memory, MB | classes |\n|--:|--:|--:|--:|--:|");
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
    let settings = SourceSettings { archives: vec![path], ..SourceSettings::default() };
    let source = Source::open(&settings, &[]).expect("an archive");
    let (made, stats) = modelled::model_all_job(&source, "big", &Limits::default()).expect("a model");
    let memory = peak_memory().map_or(0.0, |bytes| bytes as f64 / 1e6);
    println!(
        "| {} | {:.1} | {:.0} | {memory:.0} | {} |",
        made.looked,
        stats.seconds,
        made.looked as f64 / stats.seconds,
        made.classes.len()
    );
}
