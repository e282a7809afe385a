//! `pagekin extract` and `pagekin eval extract`, as a user runs them: the demo site, errors, and (where they are) the pages of SWDE.

mod common;

use common::{DemoSite, pagekin, seen, stderr, stdout};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// Ten drivers of the demo site, found as a user would.
fn drivers(site: &DemoSite) -> Vec<String> {
    let found = pagekin().args(["discover", &site.sample(), "--format", "csv"]).output().expect("it runs");
    stdout(&found).lines().skip(1).take(10).filter_map(|line| line.split(',').next().map(str::to_owned)).collect()
}

#[test]
fn drivers_of_the_demo_become_rows() {
    let site = DemoSite::start();
    let pages = drivers(&site);
    let folder = tempfile::tempdir().expect("a folder");
    let wrapper = folder.path().join("w.json");
    let run = || {
        let output = pagekin().arg("extract").args(&pages).arg("--wrapper").arg(&wrapper).output().expect("it runs");
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let first = run();
    assert_eq!(first.lines().count(), pages.len());
    assert!(first.lines().all(|line| line.contains("\"title\":[\"")), "{first}");
    assert!(wrapper.exists());
    assert_eq!(first, run(), "the wrapper reads what the run that learned it read");
}

/// Classes that share what they are told by, on real sites: what was just learned is no template that has changed.
#[test]
fn what_was_just_learned_has_not_changed() {
    let Some(sites) = pagekin_testkit::data::find("sites") else { return };
    for site in ["acmekey", "museum_stieglitz", "nerdsummit"] {
        let (folder, archive) = (tempfile::tempdir().expect("a folder"), sites.join(site).join("site.warc.gz"));
        let run = || {
            let mut extract = pagekin();
            extract.arg("extract").arg("--archive").arg(&archive).arg("--wrapper").arg(folder.path().join("w.json"));
            let output = extract.output().expect("it runs");
            (stdout(&output), stderr(&output))
        };
        let (first, told) = run();
        let (again, told_again) = run();
        assert!(!told_again.contains("has changed"), "{site}: {told}\n{told_again}");
        assert!(first == again, "{site}: other records");
    }
}

/// Old addresses of this archive send their readers on.
#[test]
fn a_page_that_several_addresses_lead_to_is_one_record() {
    let Some(sites) = pagekin_testkit::data::find("sites") else { return };
    let output = pagekin().arg("extract").arg("--archive").arg(sites.join("attack_mitre/site.warc.gz")).output();
    let lines = stdout(&output.expect("it runs"));
    let urls: BTreeSet<&str> =
        lines.lines().filter_map(|line| line.split("\"url\":\"").nth(1)?.split('"').next()).collect();
    assert!(urls.len() > 1_000 && urls.len() == lines.lines().count(), "{} of {}", urls.len(), lines.lines().count());
}

#[test]
fn what_cannot_run_says_why() {
    assert!(seen(&["extract"]).contains("hint: give addresses"));
    let folder = tempfile::tempdir().expect("a folder");
    let domain = folder.path().join("d.toml");
    std::fs::write(&domain, "[roles.a]\nvalue='('\n[roles.b]\nsynonym=['x']").expect("written");
    let shown = seen(&["extract", "http://127.0.0.1:1/", "--domain", domain.to_str().expect("UTF-8")]);
    for part in ["exit code: 2", "`roles.a.value`", "`roles.b.synonym`", "hint: "] {
        assert!(shown.contains(part), "{shown}");
    }
}

/// The pages of SWDE; says so where they are absent.
fn swde() -> Option<PathBuf> {
    pagekin_testkit::data::find("swde")
}

#[test]
fn the_metric_is_that_of_the_script_beside_the_data() {
    let Some(swde) = swde() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let records = folder.path().join("r.jsonl");
    let domains = swde.join("domains");
    let site = "book-amazon";
    let archive = swde.join(site).join("pages.warc.gz");
    let mut extract = pagekin();
    extract.args(["extract", "--raw", "--method", "de-sse", "--hd", "1", "--domain"]).arg(domains.join("book.toml"));
    let output = extract.arg("--archive").arg(archive).arg("--out").arg(&records).output().expect("it runs");
    assert!(output.status.success(), "{}", stderr(&output));
    let json = folder.path().join("s.json");
    let script = Command::new("python3")
        .arg(swde.join("score.py"))
        .arg("--truth")
        .arg(swde.join(site))
        .arg("--pred")
        .arg(&records)
        .arg("--json")
        .arg(&json)
        .output();
    if !script.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: `score.py` does not run here; hint: install python3 (3.11 or newer)");
        return;
    }
    let theirs: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).expect("read")).expect("JSON");
    let mut eval = pagekin();
    eval.args(["eval", "extract", "--method", "de-sse", "--hd", "1", "--sites", site, "--format", "json", "--domains"]);
    let output = eval.arg(&domains).arg(&swde).output().expect("it runs");
    let ours: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    for (name, figures) in theirs["attr"].as_object().expect("attributes") {
        for (key, own) in [("P", "precision"), ("R", "recall"), ("F1", "f1")] {
            let (a, b) = (figures[key].as_f64(), ours["attributes"][name][own].as_f64());
            assert!(a.zip(b).is_some_and(|(a, b)| (a - b).abs() < 1e-9), "{name} {key}: {a:?} and {b:?}");
        }
    }
}
