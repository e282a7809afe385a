//! Do sites that want to do harm get their way? The whole program against hostile servers on loopback.

mod common;

use common::{pagekin, stderr, stdout};
use pagekin_testkit::hostile;
use pagekin_testkit::server::Server;
use serde_json::Value;

fn queried(db: &str, sql: &str) -> Vec<Value> {
    let output = pagekin().args(["query", sql, "--db", db, "--format", "jsonl"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_budget_bounds_every_request() {
    for method in ["kin", "ssup-2019"] {
        let site = hostile::dead_links(6, 400);
        let output =
            pagekin().args(["discover", &site.url("/items/1"), "--budget", "20", "--method", method]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(site.log().len() <= 20, "{method}: {} requests", site.log().len());
        assert!(stderr(&output).contains("the budget was spent"), "{}", stderr(&output));
    }
}

#[test]
fn strangers_are_left_alone() {
    let stranger = Server::new().start();
    let site = hostile::leads_to(stranger.url("").as_str(), 6, 60);
    // Allowed to be private, or it would be refused for that.
    let output = pagekin().args(["discover", &site.url("/items/1"), "--allow-private"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(hostile::asked_pages(&site).len() > 6, "{:?}", site.targets());
    assert_eq!(stranger.targets(), [""; 0]);
}

#[test]
fn a_run_ends_at_its_ceiling_and_says_so() {
    let site = hostile::dead_links(6, 400);
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("p.db").to_string_lossy().into_owned();
    let output = pagekin().args(["run", &site.url("/items/1"), "--db", &db, "--max-requests", "25"]).output().unwrap();
    assert!(site.log().len() <= 25, "{} requests", site.log().len());
    assert!(stderr(&output).contains("--max-requests"), "{}", stderr(&output));
    assert!(stdout(&output).contains("\"spent\""), "{}", stdout(&output));
}

#[test]
fn a_lease_is_kept_however_long_the_work_takes() {
    let site = hostile::heavy(30, 1500);
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("p.db").to_string_lossy().into_owned();
    let queued = pagekin().args(["run", "--queue", &site.url("/items/1"), "--db", &db]).output().unwrap();
    assert_eq!(queued.status.code(), Some(0), "{}", stderr(&queued));
    let output = pagekin().args(["worker", "--until-empty", "--lease", "600ms", "--db", &db]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let runs = queried(&db, "SELECT state, attempt FROM runs");
    assert_eq!(runs, [serde_json::json!({"state": "done", "attempt": 1})], "{}", stderr(&output));
    let twice: Vec<String> = hostile::asked_pages(&site).into_iter().filter(|target| site.count(target) > 1).collect();
    assert!(twice.is_empty(), "asked again: {twice:?}");
}

#[test]
fn who_writes_to_the_database_runs_no_command() {
    let site = hostile::dead_links(6, 0);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (db, trace) = (at("p.db"), at("trace"));
    let add = ["watch", "add", &site.url("/items/1"), "--db", &db, "--command", &format!("touch '{trace}'")];
    assert_eq!(pagekin().args(add).output().unwrap().status.code(), Some(0));
    let output = pagekin().args(["watch", "run", "--db", &db]).output().unwrap();
    assert!(stderr(&output).contains("this machine knows none of that name"), "{}", stderr(&output));
    assert!(!std::path::Path::new(&trace).exists());
}

#[test]
fn a_password_in_a_sample_is_sent_and_kept_nowhere() {
    let site = hostile::guarded("ann", "geheim77", 6);
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("p.db").to_string_lossy().into_owned();
    let sample = site.url("/items/1").replace("http://", "http://ann:geheim77@");
    let output = pagekin().args(["run", &sample, "--db", &db]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(queried(&db, "SELECT COUNT(*) AS n FROM records")[0]["n"].as_i64() > Some(3), "{}", stderr(&output));
    assert!(site.log().iter().all(|visit| visit.headers.contains_key("authorization")));
    let shown = stdout(&output) + &stderr(&output);
    assert!(!shown.contains("geheim77"), "{shown}");
    let mut files: Vec<_> = vec![folder.path().to_owned()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(&path).unwrap().flatten().map(|file| file.path()));
            continue;
        }
        let mut bytes = std::fs::read(&path).unwrap();
        if path.extension().is_some_and(|ending| ending == "gz") {
            let mut plain = Vec::new();
            let _ = std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(bytes.as_slice()), &mut plain);
            bytes = plain;
        }
        let found = bytes.windows(8).any(|some| some == b"geheim77");
        assert!(!found, "{}", path.display());
    }
}

#[test]
fn a_query_changes_nothing_and_reads_what_may_only_be_read() {
    let site = hostile::dead_links(6, 0);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let foreign = at("foreign.db");
    std::fs::write(&foreign, "").unwrap();
    let output = pagekin().args(["query", "SELECT 1", "--db", &foreign]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no database of pagekin"), "{}", stderr(&output));
    assert_eq!(std::fs::metadata(&foreign).unwrap().len(), 0, "it was not made one");

    let db = at("p.db");
    assert!(pagekin().args(["run", &site.url("/items/1"), "--db", &db]).output().unwrap().status.success());
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&db).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let before = std::fs::read(&db).unwrap();
    assert_eq!(queried(&db, "SELECT COUNT(*) AS n FROM sites")[0]["n"], 1);
    assert_eq!(std::fs::read(&db).unwrap(), before);
}

#[test]
fn fat_pages_are_learned_from_within_bounds() {
    let site = hostile::fat(40, 6 << 20);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let urls: String = (1..=40).map(|number| site.url(&format!("/items/{number}\n"))).collect();
    std::fs::write(at("urls.txt"), urls).unwrap();
    let output = pagekin()
        .args(["extract", "--urls", &at("urls.txt"), "--out", &at("r.jsonl"), "--stats", &at("stats.json")])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let stats: Value = serde_json::from_str(&std::fs::read_to_string(at("stats.json")).unwrap()).unwrap();
    let peak = stats["peak_memory"].as_u64().unwrap_or(0);
    assert!(peak < 1_500_000_000, "{peak} bytes");
}

/// Each short link was 8 kB of address: this site took ssup-2019 809 MB, now 153.
#[test]
fn a_long_base_does_not_fill_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let stats = folder.path().join("stats.json").to_string_lossy().into_owned();
    for method in ["kin", "ssup-2019"] {
        let site = hostile::long_base(300);
        let arguments = ["--budget", "80", "--method", method, "--stats", &stats];
        let output = pagekin().args(["discover", &site.url("/items/1")]).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let stats: Value = serde_json::from_str(&std::fs::read_to_string(&stats).unwrap()).unwrap();
        let peak = stats["peak_memory"].as_u64().unwrap_or(0);
        assert!(peak < 400_000_000, "{method}: {peak} bytes after {} requests", site.log().len());
    }
}

#[test]
fn links_that_do_something_are_asked_by_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("p.db").to_string_lossy().into_owned();
    let commands: [&[&str]; 6] = [
        &["discover", "--method", "kin"],
        &["discover", "--method", "ssup-2019"],
        &["discover", "--method", "indesit"],
        &["model"],
        &["hidden", "--fewest", "3"],
        &["run", "--hidden", "--db", &db],
    ];
    for command in commands {
        let site = hostile::acting(12);
        let output = pagekin().args(command).arg(site.url("/items/1")).args(["--budget", "60"]).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{command:?}: {}", stderr(&output));
        assert!(hostile::asked_pages(&site).len() > 1, "{command:?}: {}", stderr(&output));
        let asked: Vec<String> =
            site.targets().into_iter().filter(|target| hostile::ACTS.contains(&target.as_str())).collect();
        assert_eq!(asked, [""; 0], "{command:?}");
    }
}

#[test]
fn records_do_nothing_where_they_are_shown() {
    let site = hostile::spreadsheet(8);
    let folder = tempfile::tempdir().unwrap();
    let urls = folder.path().join("urls.txt");
    std::fs::write(&urls, (1..=8).map(|number| site.url(&format!("/items/{number}\n"))).collect::<String>()).unwrap();
    let shown = |arguments: &[&str]| {
        let output = pagekin().args(["extract", "--urls"]).arg(&urls).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    for format in ["csv", "jsonl", "json", "table"] {
        let text = shown(&["--format", format]);
        assert!(text.contains("HYPERLINK"), "{format}: {text}");
        let obeyed = |c: char| c.is_control() && !matches!(c, '\n' | '\r');
        assert_eq!(text.find(obeyed), None, "{format}: {text:?}");
    }
    let csv = shown(&["--format", "csv"]);
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    assert_eq!(header.iter().filter(|name| **name == "_url").count(), 1, "{header:?}");
    assert!(!csv.contains(",=HYPERLINK") && !csv.contains("\"=HYPERLINK"), "{csv}");
    assert!(csv.lines().skip(1).all(|line| line.starts_with(&site.url("/items/"))), "{csv}");
    assert!(shown(&["--format", "csv", "--csv-raw"]).contains("\"=HYPERLINK"));
}

#[test]
fn without_room_for_temporary_files_nothing_is_asked_twice() {
    let site = hostile::dead_links(6, 3);
    let output = pagekin().args(["discover", &site.url("/items/1")]).env("TMPDIR", "/no/such/folder").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let twice: Vec<String> = hostile::asked_pages(&site).into_iter().filter(|target| site.count(target) > 1).collect();
    assert!(twice.is_empty(), "asked again: {twice:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stderr_ends_nothing() {
    let site = hostile::dead_links(6, 0);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(pagekin().get_program())
        .args(["discover", &site.url("/items/1"), "--format", "jsonl"])
        .stderr(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).lines().count() >= 6, "{}", stdout(&output));
}
