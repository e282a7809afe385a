//! How many instructions does it take to parse a page and find its link-paths? The measure that does not depend on what
//! else a machine does.
//!
//! `cargo bench -p pagekin-core --bench page_instructions`: counts with valgrind through gungraun, on the first page of
//! each site; a message where valgrind, gungraun's runner or the pages are absent.

#[path = "../../html/tests/support/corpus.rs"]
mod corpus;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn main() {
    // The runner starts this program again under valgrind, with an argument of its own.
    let counting = std::env::args().any(|argument| argument == "--gungraun-run");
    match if counting { None } else { missing() } {
        Some(reason) => println!("skipped: {reason}"),
        None => {
            if !counting {
                // Under valgrind, reading the archives would take minutes.
                let pages = corpus::pages("swde", usize::MAX);
                corpus::save(&file(), pages.iter().map(|page| &page[..])).expect("the target folder can be written");
            }
            counted::run();
        }
    }
}

/// Where the pages stand for the counted runs.
fn file() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("instructions.pages")
}

fn missing() -> Option<String> {
    let absent = |program| {
        let mut command = Command::new(program);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err()
    };
    if absent("valgrind") {
        Some("instruction counts need `valgrind`".to_owned())
    } else if absent("gungraun-runner") {
        Some("instruction counts need gungraun's runner; `cargo install gungraun-runner@0.20.0`".to_owned())
    } else if !corpus::folder().join("swde").is_dir() {
        Some(format!("no pages under `{}`; set PAGEKIN_DATA", corpus::folder().join("swde").display()))
    } else {
        None
    }
}

mod counted {
    use gungraun::{library_benchmark, library_benchmark_group, main};
    use pagekin_core::page::links::anchors;
    use pagekin_core::page::paths::PathFinder;
    use pagekin_core::page::{Document, Limits, Notation, PathTable, charset, parser};
    use std::hint::black_box;

    fn pages() -> Vec<Vec<u8>> {
        super::corpus::load(&super::file()).expect("the pages were saved before")
    }

    fn documents() -> Vec<Document> {
        pages().iter().map(|page| read(page)).collect()
    }

    fn read(page: &[u8]) -> Document {
        let text = charset::decode(page, Some("text/html; charset=utf-8"), None);
        parser::parse(&text, &Limits::default()).expect("a real page is within limits")
    }

    #[library_benchmark(setup = pages)]
    fn parse(pages: Vec<Vec<u8>>) -> Vec<Document> {
        pages.iter().map(|page| black_box(read(page))).collect()
    }

    #[library_benchmark(setup = documents)]
    fn link_paths(documents: Vec<Document>) -> usize {
        let mut found = 0;
        for document in &documents {
            let mut table = PathTable::default();
            let mut finder = PathFinder::new(document, Notation::Tag);
            found += anchors(document).map(|node| black_box(finder.path(&mut table, node))).count();
        }
        found
    }

    library_benchmark_group!(name = page, benchmarks = [parse, link_paths]);
    main!(library_benchmark_groups = page);

    pub fn run() {
        main();
    }
}
