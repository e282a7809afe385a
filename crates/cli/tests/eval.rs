//! `pagekin eval discovery` as its users see it.

mod common;

use common::{DemoSite, pagekin, seen, stderr, stdout};
use std::fs;
use std::path::Path;

#[test]
fn help() {
    insta::assert_snapshot!(seen(&["eval", "discovery", "--help"]));
}

#[test]
fn errors() {
    let cases: [(&str, &[&str]); 5] = [
        ("no folder", &["eval", "discovery"]),
        ("no such folder", &["eval", "discovery", "no-such-folder"]),
        ("unknown method", &["eval", "discovery", ".", "--methods", "kin,magic"]),
        ("no such gate", &["eval", "discovery", ".", "--gate", "no-such.json"]),
        ("unknown stage", &["eval", "everything"]),
    ];
    let told: Vec<String> = cases.iter().map(|(name, arguments)| format!("# {name}\n{}", seen(arguments))).collect();
    for told in &told {
        assert!(told.contains("exit code: 2\n") && told.contains("\n\nhint: "), "{told}");
    }
    insta::assert_snapshot!(told.join("\n"));
}

/// The demo site as a folder to measure on: an archive of it, and the drivers that links lead to.
fn corpus(folder: &Path) {
    let (site, demo) = (DemoSite::start(), pagekin_web::demo::Site::new());
    let place = folder.join("championship");
    fs::create_dir(&place).unwrap();
    // INDESIT looks at nearly everything, so its archive is that of the whole site.
    let crawl = pagekin()
        .args(["discover", "--method", "indesit", "--threshold", "0", "--save-archive"])
        .arg(place.join("site.warc.gz"))
        .arg(site.sample())
        .output()
        .unwrap();
    assert_eq!(crawl.status.code(), Some(0), "{}", stderr(&crawl));
    let truth: Vec<String> = demo.truth().drivers_linked.iter().map(|path| format!("{}{path}\n", site.root)).collect();
    fs::write(place.join("truth.drivers.txt"), truth.concat()).unwrap();
    let meta = serde_json::json!({"types": [
        {"entity_type": "driver", "truth_file": "truth.drivers.txt", "sample_pages": [site.sample()]},
    ]});
    fs::write(place.join("meta.json"), meta.to_string()).unwrap();
}

fn eval(folder: &Path, arguments: &[&str]) -> std::process::Output {
    pagekin().args(["eval", "discovery"]).arg(folder).args(arguments).output().unwrap()
}

#[test]
fn figures_gate_and_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    corpus(folder.path());
    let methods = ["--methods", "ssup-2019,indesit", "--no-times"];
    let first = eval(folder.path(), &methods);
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    assert!(stdout(&first).contains("| championship | driver | ssup-2019 | 168 | 1.000 |"), "{}", stdout(&first));
    assert_eq!(stdout(&eval(folder.path(), &methods)), stdout(&first), "the same bytes again");

    let report = eval(folder.path(), &["--methods", "ssup-2019", "--format", "json", "--failures"]);
    let report: serde_json::Value = serde_json::from_str(&stdout(&report)).unwrap();
    assert!(report["rows"][0]["seconds"].is_number());
    assert!(!report["failures"][0]["missed"].as_array().unwrap().is_empty());
    let f1 = report["methods"][0]["f1"].as_f64().unwrap();

    let gate = folder.path().join("floors.json");
    let with_floor = |corpus: &str, f1: f64| {
        let floor = serde_json::json!({"f1": f1, "precision": 0.5, "recall": 0.1});
        let floors = serde_json::json!({"corpus": corpus, "margin": 0.001, "floors": {"ssup-2019": floor}});
        fs::write(&gate, floors.to_string()).unwrap();
        eval(
            folder.path(),
            &["--gate", &gate.to_string_lossy(), "--out", &folder.path().join("r.md").to_string_lossy()],
        )
    };
    let corpus = report["corpus"].as_str().unwrap();
    assert_eq!(with_floor(corpus, f1).status.code(), Some(0));
    assert!(fs::read_to_string(folder.path().join("r.md")).unwrap().starts_with("# Discovery"));
    let fallen = with_floor(corpus, f1 + 0.1);
    assert_eq!(fallen.status.code(), Some(1));
    assert!(stderr(&fallen).contains("gate: F1 of `ssup-2019`"), "{}", stderr(&fallen));
    let other = with_floor("0123", f1);
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("hint: measure the same sites"), "{}", stderr(&other));
}
