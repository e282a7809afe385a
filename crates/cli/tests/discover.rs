//! `pagekin discover` as its users see it: a real server on loopback, a real archive of it, real exit codes.

mod common;

use common::{DemoSite, pagekin, seen, stderr, stdout};
use pagekin_testkit::server::{Reply, Server};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const METHOD: [&str; 2] = ["--method", "ssup-2019"];

#[test]
fn help() {
    insta::assert_snapshot!(seen(&["discover", "--help"]));
}

#[test]
fn help_of_all() {
    insta::assert_snapshot!(seen(&["--help"]));
}

#[test]
fn errors() {
    let cases: [(&str, &[&str]); 11] = [
        ("no sample", &["discover"]),
        ("no scheme", &["discover", "example.org/a"]),
        ("unknown flag", &["discover", "--bugdet", "5", "http://s/"]),
        ("unknown method", &["discover", "--method", "ssup-2020", "http://s/"]),
        ("not a number", &["discover", "--budget", "many", "http://s/"]),
        ("no such archive", &["discover", "--archive", "no-such.warc.gz", "http://s/"]),
        ("two sources", &["discover", "--archive", "a.warc.gz", "--save-archive", "b.warc.gz", "http://s/"]),
        ("unknown ending", &["discover", "--out", "pages.xls", "http://s/"]),
        ("no such folder", &["discover", "--stats", "no-such-folder/s.json", "http://s/"]),
        ("no such config", &["discover", "--config", "no-such.toml", "http://s/"]),
        ("unknown command", &["discovr"]),
    ];
    let told: Vec<String> = cases.iter().map(|(name, arguments)| format!("# {name}\n{}", seen(arguments))).collect();
    for told in &told {
        assert!(told.contains("exit code: 2\n----- stdout -----\n----- stderr -----\nerror: "), "{told}");
        assert!(told.contains("\n\nhint: "), "{told}");
    }
    insta::assert_snapshot!(told.join("\n"));
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
}

#[test]
fn a_pipe_gets_json_lines_and_nothing_else() {
    let site = DemoSite::start();
    let output = pagekin().arg("discover").args(METHOD).arg(site.sample()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let found = lines(&stdout(&output));
    assert!(found.len() > 100, "{}", found.len());
    for line in &found {
        let keys: Vec<&String> = line.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["confidence", "evidence", "url", "via"]);
    }
    assert!(found.iter().any(|line| line["url"] == site.sample()));
    assert!(stderr(&output).contains("found ") && stderr(&output).contains(" downloads"));
}

/// What a run on the demo site writes with these arguments; `{}` stands for a folder of its own.
fn run_in(folder: &Path, site: &DemoSite, arguments: &[&str]) -> std::process::Output {
    let filled = arguments.iter().map(|argument| argument.replace("{}", &folder.to_string_lossy()));
    pagekin().arg("discover").args(METHOD).args(filled).arg(site.sample()).output().unwrap()
}

#[test]
fn an_archive_answers_as_the_site_did() {
    let (site, folder) = (DemoSite::start(), tempfile::tempdir().unwrap());
    let live = run_in(folder.path(), &site, &["--save-archive", "{}/site.warc.gz", "--stats", "{}/live.json"]);
    assert_eq!(live.status.code(), Some(0), "{}", stderr(&live));
    for method in ["ssup-2019", "ssup-2014", "indesit"] {
        let path = folder.path().join(format!("{method}.warc.gz"));
        let live = pagekin()
            .args(["discover", "--method", method, "--save-archive"])
            .arg(&path)
            .arg(site.sample())
            .output()
            .unwrap();
        let stored = pagekin()
            .args(["discover", "--method", method, "--archive"])
            .arg(&path)
            .arg(site.sample())
            .output()
            .unwrap();
        assert_eq!(stored.status.code(), Some(0), "{}", stderr(&stored));
        assert!(!live.stdout.is_empty() && live.stdout == stored.stdout, "{method}");
    }
    let stored = run_in(folder.path(), &site, &["--archive", "{}/site.warc.gz", "--stats", "{}/stored.json"]);
    assert_eq!(stdout(&stored), stdout(&live));
    let stats =
        |name: &str| -> Value { serde_json::from_str(&fs::read_to_string(folder.path().join(name)).unwrap()).unwrap() };
    for key in ["downloads", "requests", "bytes", "found", "seconds"] {
        assert!(stats("live.json")[key].is_number() && stats("stored.json")[key].is_number(), "{key}");
    }
    for key in ["downloads", "found"] {
        assert_eq!(stats("live.json")[key], stats("stored.json")[key], "{key}");
    }
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let (site, folder) = (DemoSite::start(), tempfile::tempdir().unwrap());
    let first = run_in(folder.path(), &site, &["--save-archive", "{}/site.warc.gz"]);
    let again = run_in(folder.path(), &site, &["--since", "{}/site.warc.gz", "--stats", "{}/stats.json"]);
    assert_eq!(stdout(&again), stdout(&first));
    let stats: Value = serde_json::from_str(&fs::read_to_string(folder.path().join("stats.json")).unwrap()).unwrap();
    assert!(stats["not_modified"].as_u64().unwrap() > 100, "{stats}");
    // A file that is there is not written over.
    let taken = run_in(folder.path(), &site, &["--save-archive", "{}/site.warc.gz"]);
    assert_eq!(taken.status.code(), Some(2), "{}", stderr(&taken));
    // Unless it is gone on with.
    let both = run_in(folder.path(), &site, &["--since", "{}/site.warc.gz", "--save-archive", "{}/site.warc.gz"]);
    assert_eq!(both.status.code(), Some(0), "{}", stderr(&both));
    let stored = run_in(folder.path(), &site, &["--archive", "{}/site.warc.gz"]);
    assert_eq!(stdout(&stored), stdout(&first));
}

#[test]
fn formats_and_files_hold_the_same_pages() {
    let (site, folder) = (DemoSite::start(), tempfile::tempdir().unwrap());
    let saved = run_in(folder.path(), &site, &["--save-archive", "{}/s.warc"]);
    let urls: Vec<Value> = lines(&stdout(&saved)).iter().map(|line| line["url"].clone()).collect();
    let stored = |arguments: &[&str]| run_in(folder.path(), &site, &[&["--archive", "{}/s.warc"], arguments].concat());

    let json: Vec<Value> = serde_json::from_str(&stdout(&stored(&["--format", "json"]))).unwrap();
    assert_eq!(json.iter().map(|row| row["url"].clone()).collect::<Vec<_>>(), urls);
    let csv = stdout(&stored(&["--format", "csv"]));
    assert!(csv.starts_with("url,confidence,via,evidence\r\n"));
    assert_eq!(csv.lines().count(), urls.len() + 1);
    assert!(stdout(&stored(&["--format", "table"])).contains("confidence"));

    let written = stored(&["--out", "{}/pages.jsonl", "--tree", "{}/tree.html", "--explain"]);
    assert!(written.stdout.is_empty(), "the file has it");
    assert_eq!(fs::read_to_string(folder.path().join("pages.jsonl")).unwrap(), stdout(&saved));
    assert!(stderr(&written).contains("Taken ("), "{}", stderr(&written));
    let tree = fs::read_to_string(folder.path().join("tree.html")).unwrap();
    assert!(urls.iter().all(|url| tree.contains(url.as_str().unwrap())));
    stored(&["--out", "{}/pages.parquet"]);
    let parquet = fs::read(folder.path().join("pages.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    for name in ["tree.json", "tree.dot"] {
        stored(&["--tree", &format!("{{}}/{name}"), "-q"]);
        assert!(fs::read_to_string(folder.path().join(name)).unwrap().contains("driver_02.htm"), "{name}");
    }
    assert_eq!(stderr(&stored(&["-q"])), "");
}

#[test]
fn samples_come_from_stdin_and_settings_from_a_file() {
    let (site, folder) = (DemoSite::start(), tempfile::tempdir().unwrap());
    let config = folder.path().join("my.toml");
    fs::write(&config, "[discover]\nmethod = \"ssup-2019\"\nbudget = 20\n").unwrap();
    let run = |more: &[&str]| {
        let mut command = pagekin();
        command.args(["discover", "--urls", "-", "--config"]).arg(&config).args(more);
        command.write_stdin(format!("# samples\n\n{}\n", site.sample())).output().unwrap()
    };
    let cut = run(&[]);
    assert_eq!(cut.status.code(), Some(0));
    assert!(stderr(&cut).contains("hint: the budget was spent"), "{}", stderr(&cut));
    let whole = run(&["--budget", "1000"]);
    assert!(stdout(&whole).lines().count() > stdout(&cut).lines().count());
    let wrong = pagekin().args(["discover", "--urls", "-"]).write_stdin("http://s/\nnowhere\n").output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("line 2 of `-` holds `nowhere`"), "{}", stderr(&wrong));
}

#[test]
fn a_sample_that_is_not_there_is_told() {
    let site = DemoSite::start();
    let missing = format!("{}/nothing/here.htm", site.root);
    let output = pagekin().arg("discover").args(METHOD).arg(&missing).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(stderr(&output).contains(&format!("`{missing}`")) && stderr(&output).contains("\n\nhint: "));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let (site, folder) = (DemoSite::start(), tempfile::tempdir().unwrap());
    run_in(folder.path(), &site, &["--save-archive", "{}/s.warc.gz"]);
    let mut child = std::process::Command::new(pagekin().get_program())
        .arg("discover")
        .args(METHOD)
        .arg("--archive")
        .arg(folder.path().join("s.warc.gz"))
        .arg(site.sample())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A site whose sample answers at once, and everything else after a minute.
fn slow_site() -> pagekin_testkit::server::Site {
    let sample = "<ul><li><a href=/list.html>list</a></li><li><a href=/>home</a></li></ul>";
    let slow = |_: &_| Reply::html("late").after(Duration::from_secs(60));
    Server::new().page("/item/1.html", sample).route("/list.html", slow).route("/", slow).start()
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_what_was_found() {
    let site = slow_site();
    let child = std::process::Command::new(pagekin().get_program())
        .arg("discover")
        .args(METHOD)
        .arg(site.url("/item/1.html"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while site.count("/list.html") == 0 {
        assert!(start.elapsed() < Duration::from_secs(50), "the list was never asked for");
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(start.elapsed() < Duration::from_secs(50), "it waited for the slow pages");
    assert_eq!(lines(&stdout(&output))[0]["url"], site.url("/item/1.html"));
    assert!(stderr(&output).contains("stopping"), "{}", stderr(&output));
}
