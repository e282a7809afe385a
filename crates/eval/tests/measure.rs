//! Are the figures right? A tiny site with two lists, a redirect and a neutral page, measured whole.

use pagekin::discover::{Method, Settings};
use pagekin::{RenderSettings, Stop};
use pagekin_eval::{Corpus, Error, Floors, Options, Report, measure};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = "http://tiny.example";

fn record(url: &str, head: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 {head}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{:012x}>\r\n\
         WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: {ROOT}{url}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        url.len() * 7919 + url.bytes().map(usize::from).sum::<usize>(),
        block.len()
    )
}

fn page(path: &str, list: &[String]) -> String {
    let mut items = String::new();
    for target in list {
        let _ = write!(items, "<li><a href=\"{target}\">{target}</a></li>");
    }
    let menu = "<nav><a href=\"/\">home</a> <a href=\"/about.html\">about</a></nav>";
    record(path, "200 OK", &format!("<html><body>{menu}<ul>{items}</ul></body></html>"))
}

/// Five items below each of two lists; the third item is linked by an old address that redirects.
fn site(folder: &Path) {
    let item = |n: usize| if n == 3 { "/old/3".to_owned() } else { format!("/item/item_{n}.html") };
    let list = |name: &str| format!("/lists/list_{name}.html");
    let mut warc = page("/", &[list("a"), list("b")]) + &page("/about.html", &[]);
    for (name, first) in [("a", 1), ("b", 6)] {
        warc += &page(&list(name), &(first..first + 5).map(item).collect::<Vec<_>>());
        for n in first..first + 5 {
            let back = format!("<p><a href=\"{}\">list</a></p><p><a href=\"/\">home</a></p>", list(name));
            let text = format!("<html><body><div class=item>{back}<b>item {n}</b></div></body></html>");
            warc += &record(&format!("/item/item_{n}.html"), "200 OK", &text);
        }
    }
    warc += &record("/old/3", "301 Moved Permanently\r\nLocation: /item/item_3.html", "");
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("site.warc"), warc).unwrap();
    // The truth names the third item by its old address, and the tenth counts neither way.
    let truth: Vec<String> = (1..10).map(|n| format!("{ROOT}{}", item(n))).collect();
    fs::write(folder.join("truth.txt"), truth.join("\n") + "\n").unwrap();
    fs::write(folder.join("neutral.txt"), format!("{ROOT}/item/item_10.html\n")).unwrap();
    let samples = [1, 7].map(|n| format!("{ROOT}/item/item_{n}.html"));
    let meta = serde_json::json!({"entity_type": "item", "sample_pages": samples});
    fs::write(folder.join("meta.json"), meta.to_string()).unwrap();
}

fn corpus() -> (tempfile::TempDir, Corpus) {
    let folder = tempfile::tempdir().unwrap();
    site(&folder.path().join("tiny"));
    let corpus = Corpus::read(folder.path(), &[]).unwrap();
    (folder, corpus)
}

fn options(methods: &[Method]) -> Options {
    Options {
        methods: methods.to_vec(),
        samples: None,
        jobs: 2,
        settings: Settings::default(),
        left_out: None,
        ask: 0,
        render: RenderSettings::default(),
        layouts: None,
        failures: Some(5),
        stop: Stop::default(),
    }
}

fn measured(corpus: &Corpus, options: &Options) -> Report {
    measure(corpus, options, &|_| ()).unwrap()
}

#[test]
fn figures_of_a_site_that_every_method_understands() {
    let (_folder, corpus) = corpus();
    let report = measured(&corpus, &options(&[Method::Ssup2019, Method::Indesit]));
    let row = &report.rows[0];
    assert_eq!((row.site.as_str(), row.kind.as_str(), row.truth, row.samples), ("tiny", "item", 9, 2));
    assert_eq!((row.precision, row.recall, row.f1, row.f1_deviation), (1.0, 1.0, 1.0, 0.0), "{row:?}");
    assert_eq!(row.found, 9.0, "the neutral page is not counted");
    assert_eq!((row.oracle.pages, row.oracle.unlinked), (2, 0));
    assert!((row.oracle.per_entity - 2.0 / 9.0).abs() < 1e-12);
    assert!((row.downloads_per_page.unwrap() - row.downloads / 9.0).abs() < 1e-12);
    assert!(row.near_oracle, "14 pages are less than 4 × 2 + 25");
    assert_eq!(report.comparisons.len(), 1);
    assert_eq!(report.methods[0].f1, 1.0);
}

#[test]
fn missed_and_wrong_pages_come_with_reasons() {
    let (folder, _) = corpus();
    // Another truth: the lists' pages are wanted too, and the first item is not.
    let truth: Vec<String> = (2..10).map(|n| format!("{ROOT}/item/item_{n}.html")).collect();
    let truth = truth.join("\n") + &format!("\n{ROOT}/lists/list_a.html\n{ROOT}/nowhere.html\n");
    fs::write(folder.path().join("tiny/truth.txt"), truth).unwrap();
    let corpus = Corpus::read(folder.path(), &[]).unwrap();
    let report = measured(&corpus, &options(&[Method::Ssup2019]));
    let failures = &report.failures[0];
    assert_eq!((failures.missed_count, failures.wrong_count), (2, 1));
    assert_eq!(failures.wrong[0].url, format!("{ROOT}/item/item_1.html"));
    assert!(!failures.wrong[0].reason.is_empty());
    assert!(failures.missed.iter().all(|missed| !missed.reason.is_empty()));
    assert_eq!(report.rows[0].oracle.unlinked, 1, "nothing links to nowhere.html");
    assert!(report.to_markdown().contains("1 wrong:"));
}

#[test]
fn two_reports_without_times_are_the_same_bytes() {
    let (_folder, corpus) = corpus();
    let json = |jobs| {
        let options = Options { jobs, ..options(&[Method::Ssup2014, Method::Ssup2019, Method::Indesit]) };
        serde_json::to_string(&measured(&corpus, &options).without_times()).unwrap()
    };
    assert_eq!(json(1), json(4));
    assert!(!json(1).contains("seconds") && !json(1).contains("peak_memory"));
}

#[test]
fn samples_can_be_cut_and_runs_stopped() {
    let (_folder, corpus) = corpus();
    let options = Options { samples: Some(1), ..options(&[Method::Ssup2019]) };
    assert_eq!(measured(&corpus, &options).rows[0].samples, 1);
    options.stop.stop();
    assert!(matches!(measure(&corpus, &options, &|_| ()), Err(Error::Interrupted)));
}

fn floors(folder: &Path, hash: &str, f1: f64) -> PathBuf {
    let path = folder.join("floors.json");
    let floors = serde_json::json!({
        "corpus": hash, "margin": 0.01, "floors": {"ssup-2019": {"f1": f1, "precision": 0.5, "recall": 0.5}},
    });
    fs::write(&path, floors.to_string()).unwrap();
    path
}

#[test]
fn the_gate_opens_and_shuts() {
    let (folder, corpus) = corpus();
    let report = measured(&corpus, &options(&[Method::Ssup2019]));
    let gate = |hash: &str, f1| Floors::read(&floors(folder.path(), hash, f1)).unwrap().check(&report);
    assert!(gate(&corpus.hash, 1.0).unwrap().is_empty());
    assert!(gate(&corpus.hash, 1.005).unwrap().is_empty(), "within the margin");
    let falls = gate(&corpus.hash, 1.02).unwrap();
    assert_eq!(falls.len(), 1);
    assert_eq!(falls[0].to_string(), "F1 of `ssup-2019` is 1.0000, below its floor 1.0200");
    assert!(matches!(gate("another", 1.0), Err(Error::CorpusChanged { .. })));
}

#[test]
fn the_hash_changes_with_truth_and_archive_and_not_with_place() {
    let (folder, first) = corpus();
    let (_other, second) = corpus();
    assert_eq!(first.hash, second.hash);
    let hash = || Corpus::read(folder.path(), &[]).unwrap().hash;
    let truth = folder.path().join("tiny/truth.txt");
    let text = fs::read_to_string(&truth).unwrap();
    fs::write(&truth, format!("{text}{ROOT}/more.html\n")).unwrap();
    assert_ne!(hash(), first.hash);
    fs::write(&truth, text).unwrap();
    assert_eq!(hash(), first.hash);
    let archive = folder.path().join("tiny/site.warc");
    fs::write(&archive, fs::read_to_string(&archive).unwrap() + "\r\n").unwrap();
    assert_ne!(hash(), first.hash);
}

#[test]
fn wrong_folders_are_told_what_is_wrong() {
    let (folder, _) = corpus();
    let told = |only: &[String]| Corpus::read(folder.path(), only).unwrap_err().to_string();
    assert!(told(&["other".to_owned()]).contains("`other`") && told(&["other".to_owned()]).contains("tiny"));
    let meta = folder.path().join("tiny/meta.json");
    for (text, said) in [
        ("{", "meta.json"),
        ("{\"sample_pages\": []}", "neither `types` nor `entity_type`"),
        ("{\"entity_type\": \"x\"}", "no sample pages"),
        (r#"{"entity_type": "x", "truth_file": "../x", "sample_pages": ["http://s/"]}"#, "not in the folder"),
    ] {
        fs::write(&meta, text).unwrap();
        assert!(told(&[]).contains(said) && told(&[]).contains("\n\nhint: "), "{}", told(&[]));
    }
    fs::remove_file(&meta).unwrap();
    assert!(told(&[]).contains("there is no site"));
}
