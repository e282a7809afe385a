//! How well are templates mined and hidden pages found, on real address lists and on real applications?

mod common;

use common::{pagekin, stderr, stdout};
use pagekin_testkit::applications::{Application, impolite};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Address lists with truth; says so where they are absent.
fn lists() -> Option<PathBuf> {
    let script = pagekin_testkit::data::find("urls/templates/score_templates.py")?;
    script.parent().map(Path::to_owned)
}

fn json(arguments: &[&str], paths: &[&Path]) -> Value {
    let output = pagekin().args(arguments).args(paths).args(["--format", "json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

/// The figures of the script that comes with the truth, for templates as the command prints them.
fn by_script(lists: &Path) -> Value {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(lists).unwrap() {
        let path = entry.unwrap().path();
        let Some(site) = path.file_name().unwrap().to_str().unwrap().strip_suffix(".txt.gz") else { continue };
        let out = folder.path().join(format!("{site}.jsonl"));
        let output =
            pagekin().args(["hidden", "--templates-only", "--urls"]).arg(&path).arg("--out").arg(&out).output();
        assert_eq!(output.unwrap().status.code(), Some(0), "{site}");
    }
    let script = lists.join("score_templates.py");
    let mut command = Command::new("python3");
    let output = command.arg(script).arg("--all").arg(folder.path()).arg("--truth-dir").arg(lists).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn templates_of_real_sites_are_right_and_measured_as_the_truth_is() {
    let Some(lists) = lists() else { return };
    let (ours, script) = (json(&["eval", "hidden"], &[&lists]), by_script(&lists));
    let ours = &ours["summary"];
    for figure in
        ["precision_macro", "precision_strict_macro", "recall_macro", "precision_strict_micro", "recall_micro"]
    {
        let (ours, script) = (ours[figure].as_f64().unwrap(), script[figure].as_f64().unwrap());
        assert!((ours - script).abs() < 1e-9, "{figure}: {ours}, by the script {script}");
    }
    assert!(ours["precision_strict_macro"].as_f64().unwrap() >= 0.85, "{ours}");
    assert!(ours["recall_macro"].as_f64().unwrap() >= 0.85, "{ours}");
    assert_eq!(ours["negative_sites_with_false_templates"], 0, "{ours}");
}

fn check(name: &str, arguments: &[&str]) {
    let Some(application) = Application::start(name, arguments) else { return };
    let truth: Value = serde_json::from_str(&application.truth()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("truth.json");
    fs::write(&path, application.truth()).unwrap();
    let score = &json(&["eval", "hidden", "--application"], &[&path])[0];
    eprintln!("{name}: {score}");
    let (hidden, requests) = (score["hidden"].as_u64().unwrap(), score["requests"].as_u64().unwrap());
    assert!(hidden >= 10, "{score}");
    assert!(score["precision"].as_f64().unwrap() >= 0.98, "{score}");
    assert!(score["recall"].as_f64().unwrap() >= 0.95, "{score}");
    assert!(requests <= 3 * hidden + 50, "{score}");
    let asked = application.asked(Path::new(truth["access_log"].as_str().unwrap()));
    assert!(asked.len() as u64 >= hidden, "the log of `{name}` holds too little");
    let must_not: Vec<String> = serde_json::from_value(truth["must_not"].clone()).unwrap();
    assert!(!must_not.is_empty());
    assert_eq!(impolite(&asked, &must_not), [], "{name}");
}

/// A shop: redirects to the right text, 404 for missing ids.
#[test]
fn oscar() {
    check("oscar", &["--crawl-delay", "0"]);
}

/// A forum: two numbers of which one is unused, any text will do.
#[test]
fn machina() {
    check("machina", &[]);
}

/// A register: status 200 and an empty page for missing ids, a footer that changes at each load.
#[test]
fn datasette() {
    check("datasette", &[]);
}
