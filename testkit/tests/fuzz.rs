//! Do all readers of strangers' bytes hold against broken ones? The targets of `fuzz/`, with mutations of its corpus.
//!
//! Some seconds each; `cargo xtask fuzz` takes an hour. `PAGEKIN_FUZZ_SECONDS` says how long for a target.

#[path = "../../fuzz/targets.rs"]
mod targets;
#[allow(dead_code, reason = "a test uses a part of it")]
mod tree;

use pagekin_testkit::mutate::{hold, seeds};
use std::time::Duration;

/// Enough for thousands of inputs, and little beside all other tests.
const SECONDS: u64 = 5;

fn fuzz(name: &str) {
    let (_, target) = targets::TARGETS.into_iter().find(|(known, _)| *known == name).expect("a target");
    let seconds = std::env::var("PAGEKIN_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(SECONDS);
    let seeds = seeds(&tree::root().join("fuzz/corpus").join(name));
    let count = hold(&seeds, Duration::from_secs(seconds), target);
    eprintln!("{name}: {count} inputs in {seconds} s");
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test] fn $name() { fuzz(stringify!($name)); })*

        #[test]
        fn every_target_is_run_here_and_by_libfuzzer() {
            let names: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
            let manifest = std::fs::read_to_string(tree::root().join("fuzz/Cargo.toml")).unwrap();
            for name in names {
                assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
                assert!(tree::root().join(format!("fuzz/fuzz_targets/{name}.rs")).is_file(), "{name}");
            }
        }
    };
}

targets!(html charset sitemap robots warc address templates wrapper model rules domain config);
