//! Does discovery stop by itself, with the right pages, on a site that never ends?

mod common;

use common::{pagekin, stderr, stdout};
use pagekin::Url;
use pagekin::page::address::key;
use pagekin_eval::score::{Score, score};
use pagekin_testkit::traps::{self, Trap};
use serde_json::Value;
use std::fs;
use std::time::Duration;

/// Requests within which a site of 60 to 120 pages must be known: about as many as it has pages.
const REQUESTS: u64 = 150;

/// A run takes seconds; one that is still going after this goes on for ever.
const FOR_EVER: Duration = Duration::from_secs(180);

struct Run {
    score: Score,
    stats: Value,
    /// Requests the server saw.
    asked: usize,
    /// What to say when a figure is too low.
    told: String,
}

fn run(trap: &Trap) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let stats = folder.path().join("stats.json");
    let mut command = pagekin();
    command.args(["discover", &trap.sample(), "--format", "jsonl", "--explain", "--stats"]).arg(&stats);
    let output = command.timeout(FOR_EVER).output().unwrap();
    let told = format!("{}\nasked, in order:\n{}", stderr(&output), trap.targets().join("\n"));
    assert_eq!(output.status.code(), Some(0), "it did not end by itself\n{told}");
    let url = |line: &str| serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap().to_owned();
    let keys = |urls: Vec<String>| urls.iter().map(|url| key(&Url::parse(url).unwrap())).collect();
    let found = keys(stdout(&output).lines().map(url).collect());
    let score = score(&found, &keys(trap.truth()), &Default::default());
    let stats = serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap();
    Run { score, stats, asked: trap.targets().len(), told }
}

impl Run {
    /// It ended because it was done, and took in no page of another kind.
    fn ends(&self) -> &Self {
        eprintln!("{:?}, {} downloads, {} requests", self.score, self.stats["downloads"], self.stats["requests"]);
        assert!(self.stats["stopped"].is_null(), "{}", self.stats);
        assert!(self.score.precision >= 0.97, "{:?}\n{}", self.score, self.told);
        self
    }

    fn finds_all(&self) -> &Self {
        assert!(self.score.recall >= 0.97, "{:?}\n{}", self.score, self.told);
        self
    }

    /// By the visitor's word and the server's.
    fn asks_little(&self) -> &Self {
        let asked = self.stats["requests"].as_u64().unwrap().max(self.asked as u64);
        assert!(asked <= REQUESTS, "{}\n{}", self.stats, self.told);
        self
    }
}

#[test]
fn a_calendar_that_goes_on_for_ever() {
    run(&traps::calendar()).ends().finds_all().asks_little();
}

#[test]
fn a_million_combinations_of_filters() {
    run(&traps::facets()).ends().finds_all().asks_little();
}

#[test]
fn session_ids_in_every_link() {
    run(&traps::sessions()).ends().finds_all().asks_little();
}
