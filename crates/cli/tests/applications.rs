//! How well does discovery do on real applications, and does it keep to what they ask of visitors?

mod common;

use common::{pagekin, stderr, stdout};
use pagekin::Url;
use pagekin::page::address::key;
use pagekin_eval::score::{Score, score};
use pagekin_testkit::applications::{Application, impolite};
use pagekin_testkit::postgres::is_root;
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// What a test needs of an application's `truth.json`.
#[derive(Deserialize)]
struct Truth {
    sample: Vec<String>,
    linked: Vec<String>,
    /// Patterns of paths and queries that a polite visitor never asks for: robots.txt, and what changes something.
    must_not: Vec<String>,
    access_log: PathBuf,
}

struct Run {
    score: Score,
    stats: Value,
    told: String,
}

fn discover(sample: &str, truth: &Truth, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let stats = folder.path().join("stats.json");
    let mut command = pagekin();
    command.args(["discover", sample, "--format", "jsonl", "--explain", "--stats"]).arg(&stats).args(more);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let url = |line: &str| serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap().to_owned();
    let keys = |urls: Vec<String>| urls.iter().map(|url| key(&Url::parse(url).unwrap())).collect();
    let found = keys(stdout(&output).lines().map(url).collect());
    let score = score(&found, &keys(truth.linked.clone()), &Default::default());
    Run { score, stats: serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap(), told: stderr(&output) }
}

/// From each of the application's samples: all and only the linked pages, and nothing asked that should not be. Skips where the
/// application is absent.
fn check(name: &str, arguments: &[&str]) {
    let Some(application) = Application::start(name, arguments) else { return };
    let truth: Truth = serde_json::from_str(&application.truth()).unwrap();
    assert!(!truth.sample.is_empty() && !truth.must_not.is_empty());
    let runs: Vec<Run> = truth.sample.iter().map(|sample| discover(sample, &truth, &[])).collect();
    for (sample, Run { score, stats, .. }) in truth.sample.iter().zip(&runs) {
        let cost = format!("{} downloads, {} requests, {} s", stats["downloads"], stats["requests"], stats["seconds"]);
        eprintln!("{name} from {sample}: {score:?} of {}, {cost}", truth.linked.len());
    }
    let asked = application.asked(&truth.access_log);
    assert!(asked.len() > truth.sample.len(), "the log of `{name}` holds nothing");
    assert_eq!(impolite(&asked, &truth.must_not), [], "{name}");
    // Of the shop 17 to 20 of 237 products are variants that only the page of their parent links to; finding them takes a look at all.
    let mean = runs.iter().map(|run| run.score.f1).sum::<f64>() / runs.len() as f64;
    assert!(mean >= 0.955, "{name}: {mean}");
    for Run { score, stats, told } in &runs {
        assert!(score.f1 >= 0.95, "{name}: {score:?}\n{told}");
        assert!(stats["stopped"].is_null(), "{stats}");
    }
}

/// A shop. Its robots.txt may ask for a second between requests; that is tested where fetching is, so not here.
#[test]
fn oscar() {
    check("oscar", &["--crawl-delay", "0"]);
}

/// A forum. `?post=` addresses are the topics themselves.
#[test]
fn machina() {
    check("machina", &[]);
}

/// A register. Its pages have endless views of themselves behind parameters.
#[test]
fn datasette() {
    check("datasette", &[]);
}

/// How far the published methods come where pages have their style sheets: figures of docs/stages/eval.md.
///
/// `cargo test -p pagekin-cli --test applications -- --ignored --nocapture`
#[test]
#[ignore = "minutes, and needs chromium"]
fn published_methods_on_drawn_applications() {
    for (name, arguments) in [("oscar", &["--crawl-delay", "0"][..]), ("machina", &[]), ("datasette", &[])] {
        let Some(application) = Application::start(name, arguments) else { continue };
        let truth: Truth = serde_json::from_str(&application.truth()).unwrap();
        for method in ["gpp", "ssup-2019", "indesit"] {
            let root: &[&str] = if is_root() { &["--render-no-sandbox"] } else { &[] };
            let Run { score, stats, .. } =
                discover(&truth.sample[0], &truth, &[&["--method", method, "--budget", "5000"], root].concat());
            let Score { precision, recall, f1, .. } = score;
            let cost = format!("{} downloads, {} drawn, {} s", stats["downloads"], stats["rendered"], stats["seconds"]);
            eprintln!("{name} {method}: precision {precision:.3}, recall {recall:.3}, F1 {f1:.3}, {cost}");
            assert!(method != "gpp" || stats["rendered"].as_u64() > Some(0), "{stats}");
        }
    }
}
