//! How fast are pages parsed and their link-paths found, beside selectolax and lxml doing the same?
//!
//! `cargo bench -p pagekin-core --bench page`: criterion's figures by stage, then one table with the peers, which
//! `benches/peers.py` measures on the same pages in the same run. Thread CPU time throughout, one thread.

#![allow(unexpected_cfgs, reason = "`system_allocator` is set by hand")]

#[path = "../../html/tests/support/corpus.rs"]
mod corpus;

use bytes::Bytes;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{Criterion, Throughput};
use pagekin_core::page::links::anchors;
use pagekin_core::page::paths::PathFinder;
use pagekin_core::page::{self, Document, Limits, Notation, PathId, PathTable};
use pagekin_core::pages::RawPage;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// As in the binary. `RUSTFLAGS='--cfg system_allocator'` measures without.
#[cfg(not(system_allocator))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Every fifth page of each site: enough to be like the whole, in a few seconds a run.
const STEP: usize = 5;

/// The best of these counts.
const ROUNDS: usize = 5;

fn main() {
    let pages: Vec<RawPage> = corpus::pages("swde", STEP).into_iter().map(raw).collect();
    if pages.is_empty() {
        println!("skipped: no pages under `{}`; set PAGEKIN_DATA", corpus::folder().join("swde").display());
        return;
    }
    stages(&pages);
    charsets(&pages);
    table(&pages);
}

fn raw(body: Vec<u8>) -> RawPage {
    RawPage {
        url: "http://example.com/".parse().unwrap(),
        redirects: Vec::new(),
        status: 200,
        content_type: Some("text/html; charset=utf-8".to_owned()),
        body: Bytes::from(body),
        robots: Default::default(),
    }
}

fn read(page: &RawPage) -> Document {
    page::read(page, &Limits::default()).expect("a real page is within limits")
}

/// The work that is compared: bytes → the set of tag paths of every `<a href>`.
fn link_paths(page: &RawPage) -> Vec<PathId> {
    let document = read(page);
    let mut table = PathTable::default();
    let mut finder = PathFinder::new(&document, Notation::Tag);
    let mut paths: Vec<PathId> = anchors(&document).map(|node| finder.path(&mut table, node)).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn bytes_of(pages: &[RawPage]) -> usize {
    pages.iter().map(|page| page.body.len()).sum()
}

fn stages(pages: &[RawPage]) {
    let mut criterion = Criterion::default().with_measurement(ThreadTime).configure_from_args();
    let mut group = criterion.benchmark_group("page");
    group.sample_size(10).throughput(Throughput::Bytes(bytes_of(pages) as u64));
    group.bench_function("parse", |bencher| bencher.iter(|| pages.iter().map(|page| read(page).len()).sum::<usize>()));
    group.bench_function("parse + link-paths", |bencher| {
        bencher.iter(|| pages.iter().map(|page| link_paths(page).len()).sum::<usize>());
    });
    group.bench_function("parse + links", |bencher| {
        bencher.iter(|| pages.iter().map(|page| page::links::links(&read(page), &page.url).len()).sum::<usize>());
    });
    group.bench_function("parse + text", |bencher| {
        bencher.iter(|| pages.iter().map(|page| page::text::leaves(&read(page)).len()).sum::<usize>());
    });
    group.finish();
}

/// What it costs that nobody says which charset a page of valid UTF-8 is in: from bytes to link-paths.
fn charsets(pages: &[RawPage]) {
    let plain = |page: &&RawPage| !page.body.is_ascii() && str::from_utf8(&page.body).is_ok();
    let said: Vec<RawPage> = pages.iter().filter(plain).cloned().collect();
    let without = |page: &RawPage| RawPage { content_type: None, ..page.clone() };
    let unsaid: Vec<RawPage> = said.iter().map(without).collect();
    // `<meta charset` is no charset any more, and the page is as long as it was.
    let silent = |page: &RawPage| {
        let body = String::from_utf8_lossy(&page.body).replace("charset", "chorset").replace("CHARSET", "CHORSET");
        RawPage { body: Bytes::from(body), ..without(page) }
    };
    let silent: Vec<RawPage> = said.iter().map(silent).collect();
    let mut criterion = Criterion::default().with_measurement(ThreadTime).configure_from_args();
    let mut group = criterion.benchmark_group("charset");
    group.sample_size(10).throughput(Throughput::Bytes(bytes_of(&said) as u64));
    for (name, pages) in [("in the header", &said), ("in the page", &unsaid), ("nowhere", &silent)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| pages.iter().map(|page| link_paths(page).len()).sum::<usize>());
        });
    }
    group.finish();
}

/// A line of the table.
struct Figure {
    who: String,
    seconds: f64,
    /// Distinct paths, all pages together: a check that the work was the same.
    paths: usize,
}

fn table(pages: &[RawPage]) {
    let mut figures = vec![ours(pages)];
    match peers(pages) {
        Ok(peers) => figures.extend(peers),
        Err(reason) => println!("without the peers: {reason}"),
    }
    let megabytes = bytes_of(pages) as f64 / 1e6;
    println!(
        "\nparse + link-paths of {} pages, {megabytes:.1} MB, one thread, CPU time, best of {ROUNDS}\n",
        pages.len()
    );
    println!("{:<22} {:>8} {:>12} {:>8}", "", "MB/s", "pagekin is", "paths");
    for figure in &figures {
        let ratio = figure.seconds / figures[0].seconds;
        println!("{:<22} {:>8.1} {:>10.2} x {:>8}", figure.who, megabytes / figure.seconds, ratio, figure.paths);
    }
}

fn ours(pages: &[RawPage]) -> Figure {
    let mut best = Figure { who: "pagekin".to_owned(), seconds: f64::MAX, paths: 0 };
    for _ in 0..ROUNDS {
        let start = thread_time();
        best.paths = pages.iter().map(|page| link_paths(page).len()).sum();
        best.seconds = best.seconds.min((thread_time() - start).as_secs_f64());
    }
    best
}

/// Runs `benches/peers.py` on the same pages; installs what it needs the first time.
fn peers(pages: &[RawPage]) -> Result<Vec<Figure>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers.pages");
    corpus::save(&file, pages.iter().map(|page| &page.body[..]))
        .map_err(|error| format!("could not write `{}`: {error}", file.display()))?;
    let output = run(Command::new(python()?).arg(root.join("benches/peers.py")).arg(&file).arg(ROUNDS.to_string()))?;
    Ok(output.lines().filter_map(figure).collect())
}

/// `name<TAB>seconds<TAB>paths`
fn figure(line: &str) -> Option<Figure> {
    let mut fields = line.split('\t');
    let who = fields.next()?.to_owned();
    Some(Figure { who, seconds: fields.next()?.parse().ok()?, paths: fields.next()?.parse().ok()? })
}

/// The Python of `target/py-tools`, which has the peers.
fn python() -> Result<PathBuf, String> {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("py-tools");
    let python = tools.join("bin/python");
    if run(Command::new(&python).args(["-c", "import lxml, selectolax"])).is_err() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&tools))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "selectolax", "lxml"]))?;
    }
    Ok(python)
}

fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("could not run `{name}`: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{name}` failed: {}", said.lines().last().unwrap_or_default()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Lets criterion measure thread CPU time: on a shared machine the clock on the wall says little.
struct ThreadTime;

impl Measurement for ThreadTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        thread_time()
    }

    fn end(&self, start: Duration) -> Duration {
        thread_time() - start
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}
