//! `pagekin model` and `pagekin classify` as their users see them: a real server on loopback, archives, exit codes.

mod common;

use common::{DemoSite, pagekin, seen, sites, stderr, stdout};
use pagekin_testkit::bigsite::BigSite;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;

#[test]
fn help() {
    insta::assert_snapshot!(seen(&["model", "--help"]));
}

#[test]
fn help_of_classify() {
    insta::assert_snapshot!(seen(&["classify", "--help"]));
}

#[test]
fn errors() {
    let cases: [(&str, &[&str]); 9] = [
        ("no entry page", &["model"]),
        ("no archive to model", &["model", "--all"]),
        ("unknown method", &["model", "--method", "mdl-2006", "http://s/"]),
        ("unknown order", &["model", "--order", "thickest", "http://s/"]),
        ("not a share", &["model", "--dt", "2", "http://s/"]),
        ("unknown ending", &["model", "--out", "model.yaml", "http://s/"]),
        ("no model", &["classify", "http://s/"]),
        ("no such model", &["classify", "--model", "no-such.json", "http://s/"]),
        ("a class without a model", &["discover", "--class", "2"]),
    ];
    for (name, arguments) in cases {
        let told = seen(arguments);
        assert!(told.contains("exit code: 2\n----- stdout -----\n----- stderr -----\nerror: "), "{name}: {told}");
        assert!(told.contains("\n\nhint: "), "{name}: {told}");
    }
}

fn run(arguments: &[&str]) -> Output {
    pagekin().args(arguments).output().unwrap()
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// A model of the demo site in `folder`, with an archive of what it looked at.
fn model_of(site: &DemoSite, folder: &Path) -> Value {
    let (model, archive) = (folder.join("model.json"), folder.join("site.warc.gz"));
    let (model, archive) = (model.to_string_lossy(), archive.to_string_lossy());
    let output = run(&["model", &site.root, "--out", &model, "--save-archive", &archive]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(output.stdout.is_empty(), "the file has it");
    read(Path::new(&*model))
}

fn class_with<'m>(model: &'m Value, part: &str) -> &'m Value {
    let has = |class: &&Value| class["patterns"][0].as_str().is_some_and(|pattern| pattern.contains(part));
    model["classes"].as_array().unwrap().iter().find(has).unwrap_or_else(|| panic!("no class of {part}: {model}"))
}

#[test]
fn drivers_are_a_class_of_their_own() {
    let (site, folder) = (DemoSite::start(), tempfile::tempdir().unwrap());
    let model = model_of(&site, folder.path());
    assert_eq!(model["version"], 1);
    assert!(model["looked"].as_u64().unwrap() <= 60, "{}", model["looked"]);
    let drivers = class_with(&model, "/drivers/");
    for page in drivers["pages"].as_array().unwrap() {
        assert!(page.as_str().unwrap().contains("/drivers/"), "{page}");
    }
    for key in ["id", "name", "size", "schema", "pages", "role", "share", "samples", "signature"] {
        assert!(!drivers[key].is_null(), "{key}");
    }
    for link in model["links"].as_array().unwrap() {
        assert!(
            link["from"].is_number() && link["to"].is_number() && link["count"].is_number() && link["path"].is_string()
        );
    }
}

#[test]
fn the_same_site_gives_the_same_bytes_and_an_archive_the_same_model() {
    let (site, folder) = (DemoSite::start(), tempfile::tempdir().unwrap());
    let live = model_of(&site, folder.path());
    let archive = folder.path().join("site.warc.gz");
    let stored = || run(&["model", &site.root, "--archive", &archive.to_string_lossy()]);
    let first = stored();
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    assert_eq!(stdout(&first), stdout(&stored()));
    let again: Value = serde_json::from_str(&stdout(&first)).unwrap();
    assert_eq!(again["classes"], live["classes"]);
}

#[test]
fn a_class_stands_in_for_samples_and_pages_are_classified() {
    let (site, folder) = (DemoSite::start(), tempfile::tempdir().unwrap());
    let made = model_of(&site, folder.path());
    let id = class_with(&made, "/drivers/")["id"].to_string();
    let model = folder.path().join("model.json");
    let model = model.to_string_lossy();
    let found = run(&["discover", "--model", &model, "--class", &id]);
    assert_eq!(found.status.code(), Some(0), "{}", stderr(&found));
    assert!(stdout(&found).lines().count() > 100 && stdout(&found).lines().all(|line| line.contains("/drivers/")));

    let classified = run(&["classify", "--model", &model, &site.sample()]);
    assert_eq!(classified.status.code(), Some(0), "{}", stderr(&classified));
    let line: Value = serde_json::from_str(&stdout(&classified)).unwrap();
    assert_eq!((line["url"].as_str(), line["class"].to_string()), (Some(site.sample().as_str()), id));
    assert!(line["cost"].is_number());

    let missing = run(&["classify", "--model", &model, &format!("{}/nothing", site.root)]);
    assert_eq!(missing.status.code(), Some(1), "{}", stderr(&missing));
    let none = run(&["discover", "--model", &model, "--class", "99"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(stderr(&none).contains("`99`") && stderr(&none).contains("hint: "));
}

#[test]
fn a_page_like_none_is_unknown() {
    let (site, folder) = (DemoSite::start(), tempfile::tempdir().unwrap());
    model_of(&site, folder.path());
    let other = pagekin_testkit::server::Server::new()
        .page("/odd.xyz", "<table><tr><td><form><input><select><option>x</select></form><video></video></table>")
        .start();
    let model = folder.path().join("model.json");
    let output = run(&["classify", "--model", &model.to_string_lossy(), &other.url("/odd.xyz")]);
    let line: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(line["class"].is_null(), "{line}");
}

#[test]
fn files_by_ending_and_the_published_method() {
    let (site, folder) = (DemoSite::start(), tempfile::tempdir().unwrap());
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let mut arguments = vec!["model".to_owned(), site.root.clone(), "--stats".to_owned(), path("stats.json")];
    for name in ["m.json", "m.graphml", "m.dot", "m.html"] {
        arguments.extend(["--out".to_owned(), path(name)]);
    }
    let output = pagekin().args(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(text("m.graphml").contains("<node id=\"c1\">") && text("m.graphml").ends_with("</graphml>\n"));
    assert!(text("m.dot").starts_with("digraph model {") && text("m.html").contains("<circle"));
    assert!(!text("m.html").contains("<script") && !text("m.html").contains("src="));
    assert_eq!(
        read(&folder.path().join("stats.json"))["found"],
        read(&folder.path().join("m.json"))["classes"].as_array().unwrap().len()
    );

    let published =
        run(&["model", &site.root, "--method", "mdl-2005", "--n", "2", "--order", "sparsest", "--budget", "40"]);
    assert_eq!(published.status.code(), Some(0), "{}", stderr(&published));
    let made: Value = serde_json::from_str(&stdout(&published)).unwrap();
    assert_eq!((made["method"].as_str(), made["stopped"].as_str()), (Some("mdl-2005"), Some("budget")));
    assert!(!made["classes"][0]["schema"].as_array().unwrap().is_empty());
}

#[test]
fn an_archive_is_modelled_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("big.warc.gz");
    let site = BigSite::new(1000);
    site.write(&archive).unwrap();
    let output = run(&["model", "--archive", &archive.to_string_lossy(), "--all"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let made: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let items = class_with(&made, "/item/");
    assert_eq!(items["size"].as_u64().unwrap() as usize, site.items());
    assert_eq!(items["role"], "entity");
    let all = run(&["model", "--all", "http://s/"]);
    assert_eq!(all.status.code(), Some(2));
}

/// The figures of docs/stages/model.md, on two of the sites.
#[test]
fn real_sites_are_modelled_from_few_pages() {
    let Some(sites) = sites() else { return };
    let sites = sites.to_string_lossy();
    let output = run(&[
        "eval",
        "model",
        &sites,
        "--methods",
        "survey",
        "--sites",
        "attack_mitre,museum_stieglitz",
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    for site in report["sites"].as_array().unwrap() {
        assert!(site["fetched"].as_u64().unwrap() <= 60, "{site}");
        assert!(site["classified"]["f"].as_f64().unwrap() >= 0.95, "{site}");
        assert!(site["classified"]["purity"].as_f64().unwrap() >= 0.98, "{site}");
    }
}

/// The sites of two verticals, mixed.
#[test]
fn mixed_sites_are_told_apart() {
    let Some(sites) = sites() else { return };
    let swde = sites.parent().unwrap().join("swde");
    let output = run(&["eval", "model", &swde.to_string_lossy(), "--sites", "book,nbaplayer", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["mixtures"].as_array().unwrap().len(), 2);
    for mixture in report["mixtures"].as_array().unwrap() {
        assert!(mixture["figures"]["f"].as_f64().unwrap() >= 0.99, "{mixture}");
    }
}
