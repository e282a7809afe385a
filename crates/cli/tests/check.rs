//! Does `pagekin check` do what it says? The shipped example from records to the report, its output forms, its mistakes.

mod common;

use common::{pagekin, seen, stderr, stdout};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn drugs(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/drugs");
    root.join(name).display().to_string()
}

fn arguments() -> Vec<String> {
    [
        "check",
        "--records",
        &drugs("offers.jsonl"),
        "--reference",
        &drugs("approved.csv"),
        "--rules",
        &drugs("rules.toml"),
    ]
    .map(str::to_owned)
    .to_vec()
}

#[test]
fn the_shipped_example_finds_each_practice() {
    let output = pagekin().args(arguments()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let lines: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: BTreeSet<(String, String)> = lines
        .iter()
        .map(|line| {
            (
                line["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned(),
                line["conclusion"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let expected = [
        ("3", "Unapproved"),
        ("4", "Counterfeit"),
        ("5", "NoPrescription"),
        ("6", "Controlled"),
        ("7", "IllegallyImported"),
        ("8", "Incomplete"),
    ];
    assert_eq!(found, expected.map(|(url, conclusion)| (url.to_owned(), conclusion.to_owned())).into());
    let r1 = lines.iter().find(|line| line["rule"] == "R1").unwrap();
    assert_eq!((r1["lower"].as_f64(), r1["upper"].as_f64()), (Some(0.9), Some(0.9)));
    for key in ["url", "rule", "conclusion", "severity", "lower", "upper", "because", "evidence", "nearest"] {
        assert!(r1.get(key).is_some(), "{key}");
    }
    assert!(r1["because"].as_str().unwrap().contains("H20019999"), "{}", r1["because"]);
}

#[test]
fn findings_become_a_report_that_knows_what_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let checked =
        pagekin().args(arguments()).args(["--out", &at("f.jsonl"), "--stats", &at("s.json")]).output().unwrap();
    assert_eq!(checked.status.code(), Some(1), "{}", stderr(&checked));
    let stats: serde_json::Value = serde_json::from_str(&fs::read_to_string(at("s.json")).unwrap()).unwrap();
    assert_eq!(
        (stats["found"].as_u64(), stats["records"].as_u64(), stats["downloads"].as_u64()),
        (Some(6), Some(8), Some(0))
    );

    let all = fs::read_to_string(at("f.jsonl")).unwrap();
    let before: String = all.lines().skip(1).map(|line| format!("{line}\n")).collect();
    fs::write(at("before.jsonl"), before).unwrap();
    let report = |findings: &str, date: &str, more: &[&str]| {
        let output = pagekin()
            .args([
                "report",
                "--offline",
                "--findings",
                &at(findings),
                "--records",
                &drugs("offers.jsonl"),
                "--date",
                date,
            ])
            .args(more)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
    };
    report("before.jsonl", "2026-11-09", &["--out", &at("one.json")]);
    let out = [at("two.html"), at("two.json"), at("two.csv")];
    report(
        "f.jsonl",
        "2026-11-16",
        &["--since", &at("one.json"), "--out", &out[0], "--out", &out[1], "--out", &out[2]],
    );
    let told: serde_json::Value = serde_json::from_str(&fs::read_to_string(&out[1]).unwrap()).unwrap();
    assert_eq!((told["findings"].as_array().unwrap().len(), told["weeks"].as_array().unwrap().len()), (6, 2));
    assert_eq!(told["findings"].as_array().unwrap().iter().filter(|own| own["new"] == true).count(), 1);
    assert_eq!(told["sites"][0]["records"], 8);
    let page = fs::read_to_string(&out[0]).unwrap();
    assert!(page.contains("compared with the report of 2026-11-09") && page.contains("H20019999"));
    assert_eq!(fs::read_to_string(&out[2]).unwrap().lines().count(), 7);
}

#[test]
fn nothing_false_is_exit_code_0_and_stdin_is_read() {
    let genuine: String =
        fs::read_to_string(drugs("offers.jsonl")).unwrap().lines().take(2).map(|line| format!("{line}\n")).collect();
    let output = pagekin()
        .args(["check", "--records", "-", "--reference", &drugs("approved.csv"), "--rules", &drugs("rules.toml")])
        .write_stdin(genuine)
        .output()
        .unwrap();
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), String::new()), "{}", stderr(&output));
}

#[test]
fn a_parquet_reference_gives_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("approved.parquet");
    let text = fs::read_to_string(drugs("approved.csv")).unwrap();
    let mut rows = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let names: Vec<&str> = header.iter().map(String::as_str).collect();
    fs::write(&path, pagekin::export::parquet_of_words(&names, &rows.collect::<Vec<_>>()).unwrap()).unwrap();
    let mut arguments = arguments();
    let by_csv = pagekin().args(&arguments).output().unwrap();
    arguments[4] = path.display().to_string();
    let by_parquet = pagekin().args(&arguments).output().unwrap();
    assert_eq!(stdout(&by_csv), stdout(&by_parquet), "{}", stderr(&by_parquet));
}

/// Without the folder of this run.
fn shown(text: &str, folder: &Path) -> String {
    text.replace(&folder.display().to_string(), "DIR")
}

#[test]
fn all_mistakes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let rules: PathBuf = folder.path().join("rules.toml");
    fs::write(&rules, "[[rules]]\nwhen = \"E.a = \"\nthen = \"X\"\nconfidence = 2\n\n[[rules]]\nwhen = \"E.a = b\"\n")
        .unwrap();
    let told = |rules: &Path| {
        let rules = rules.display().to_string();
        shown(
            &seen(&["check", "--records", "-", "--reference", &drugs("approved.csv"), "--rules", &rules]),
            folder.path(),
        )
    };
    let first = told(&rules);
    fs::write(&rules, "[[rules]]\nwhen = \"E.a = S.code\"\nthen = \"X\"\nconfidence = 1\n").unwrap();
    let second = told(&rules).replace(&drugs(""), "drugs/");
    insta::assert_snapshot!("errors", format!("{first}\n{second}"));
}

#[test]
fn help() {
    insta::assert_snapshot!(
        "help",
        [seen(&["check", "--help"]), seen(&["report", "--help"]), seen(&["eval", "check", "--help"])].join("\n")
    );
}

#[test]
fn the_measurement_can_fail() {
    let output =
        pagekin().args(["eval", "check", "--rows", "300", "--offers", "100", "--least", "1"]).output().unwrap();
    let report = stdout(&output);
    assert!(report.contains("| all |") && report.contains("| links to rows |"), "{report}");
    let json =
        pagekin().args(["eval", "check", "--rows", "300", "--offers", "100", "--format", "json"]).output().unwrap();
    let figures: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(figures["rows"], 300);
    let perfect = figures["all"]["wrong"] == 0 && figures["all"]["missed"] == 0;
    assert_eq!(output.status.code(), Some(if perfect { 0 } else { 1 }));
}
