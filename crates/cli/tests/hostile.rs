//! Do sites that want to do harm get their way? The whole program against hostile servers on loopback.

mod common;

use common::{pagekin, stderr, stdout};
use pagekin_testkit::hostile::{self, Asks};
use pagekin_testkit::server::Server;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

fn queried(db: &str, sql: &str) -> Vec<Value> {
    let output = pagekin().args(["query", sql, "--db", db, "--format", "jsonl"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_budget_bounds_every_request() {
    let model = hostile::dead_links(6, 400);
    let output = pagekin().args(["model", &model.url("/"), "--budget", "20"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(model.log().len() <= 20, "model: {} requests", model.log().len());
    for method in ["kin", "ssup-2019", "ssup-2014", "indesit"] {
        let site = hostile::dead_links(6, 400);
        let output =
            pagekin().args(["discover", &site.url("/items/1"), "--budget", "20", "--method", method]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(site.log().len() <= 20, "{method}: {} requests", site.log().len());
        if site.log().len() == 20 {
            assert!(stderr(&output).contains("the budget was spent"), "{}", stderr(&output));
        }
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

/// robots.txt leads to a stranger: that is no reason to ask him.
#[test]
fn strangers_are_left_alone_by_robots_txt() {
    let stranger = Server::new().start();
    let site = hostile::robots_elsewhere(stranger.url("/robots.txt").as_str(), 6);
    let output = pagekin().args(["discover", &site.url("/items/1"), "--allow-private"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(hostile::asked_pages(&site).len() > 5, "{:?}", site.targets());
    assert_eq!(stranger.targets(), [""; 0]);
}

/// A server that fails at everything, and a calendar without end, are left at the ceiling, whichever it is.
#[test]
fn each_ceiling_ends_what_does_not_end_by_itself() {
    type Site = pagekin_testkit::server::Site;
    let failing: fn() -> Site = || hostile::failing(200);
    let months: fn() -> Site = hostile::months;
    for (site, flag, most, said, requests) in [
        (failing, "--max-requests", "30", "requests were sent", 30),
        (failing, "--max-time", "2s", "the run took", 100_000),
        (months, "--max-requests", "60", "requests were sent", 60),
        (months, "--max-traffic", "100000", "bytes came", 400),
        (months, "--max-disk", "100000", "bytes were written to disk", 400),
    ] {
        let site = site();
        let folder = tempfile::tempdir().unwrap();
        let db = folder.path().join("p.db").to_string_lossy().into_owned();
        let urls = folder.path().join("urls.txt");
        let all: String = (1..=400).map(|number| site.url(&format!("/items/{number}\n"))).collect();
        std::fs::write(&urls, all).unwrap();
        let began = std::time::Instant::now();
        // Without a budget, so that nothing else ends it.
        let output = pagekin()
            .args(["run", &site.url("/items/1"), "--until", "1", "--db", &db, flag, most])
            .timeout(std::time::Duration::from_secs(240))
            .output()
            .unwrap();
        let told = stdout(&output) + &stderr(&output);
        let asked = site.log().len();
        assert!(asked <= requests, "{flag} {most}: {asked} requests\n{told}");
        if flag == "--max-time" {
            assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
        }
        assert!(told.contains(said), "{flag} {most}: {asked} requests, {told}");
    }
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
    // The second takes over whatever lease has run out.
    let workers = std::thread::scope(|scope| {
        let work = || pagekin().args(["worker", "--until-empty", "--lease", "600ms", "--db", &db]).output().unwrap();
        [scope.spawn(work), scope.spawn(work)].map(|worker| worker.join().unwrap())
    });
    let said: String = workers.iter().map(stderr).collect();
    assert!(workers.iter().all(|worker| worker.status.code() == Some(0)), "{said}");
    let runs = queried(&db, "SELECT state, attempt FROM runs");
    assert_eq!(runs, [serde_json::json!({"state": "done", "attempt": 1})], "{said}");
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
    let mode = std::fs::metadata(&db).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let before = std::fs::read(&db).unwrap();
    assert_eq!(queried(&db, "SELECT COUNT(*) AS n FROM sites")[0]["n"], 1);
    assert_eq!(std::fs::read(&db).unwrap(), before);
    for own in ["p.db-wal", "p.db-shm"] {
        let mode = std::fs::metadata(at(own)).map(|file| file.permissions().mode() & 0o777);
        assert!(mode.is_err() || mode.as_ref().is_ok_and(|mode| *mode == 0o600), "{own}: {mode:?}");
    }
}

/// Neither file nor folder may be written: by their rights, and as somebody to whom those apply.
#[test]
fn a_file_that_may_only_be_read_is_queried() {
    let site = hostile::dead_links(6, 0);
    let folder = tempfile::tempdir().unwrap();
    let shelf = folder.path().join("shelf");
    std::fs::create_dir(&shelf).unwrap();
    let db = shelf.join("p.db").to_string_lossy().into_owned();
    assert!(pagekin().args(["run", &site.url("/items/1"), "--db", &db]).output().unwrap().status.success());
    let may = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let files = || std::fs::read_dir(&shelf).unwrap().flatten().map(|file| file.path()).filter(|path| path.is_file());
    files().for_each(|path| may(&path, 0o444));
    may(folder.path(), 0o755);
    may(&shelf, 0o555);
    let before: Vec<_> = files().collect();
    let mut query = std::process::Command::new(pagekin().get_program());
    query.args(["query", "SELECT COUNT(*) AS n FROM sites", "--db", &db, "--format", "jsonl"]);
    if pagekin_testkit::postgres::is_root() {
        // Nothing is forbidden to root.
        std::os::unix::process::CommandExt::uid(&mut query, 65_534);
    }
    let output = query.current_dir("/").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output).trim(), "{\"n\":1}");
    assert_eq!(files().collect::<Vec<_>>(), before);
    may(&shelf, 0o755);
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
        .args(["--save-archive", &at("a.warc.gz")])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let peak = |stats: &str| {
        let stats: Value = serde_json::from_str(&std::fs::read_to_string(stats).unwrap()).unwrap();
        stats["peak_memory"].as_u64().unwrap_or(0)
    };
    assert!(peak(&at("stats.json")) < 1_500_000_000, "{} bytes", peak(&at("stats.json")));
    // The same packed: a small file that unfolds to a large one.
    assert!(std::fs::metadata(at("a.warc.gz")).unwrap().len() < 2_000_000);
    let output = pagekin()
        .args(["extract", "--archive", &at("a.warc.gz"), "--out", &at("r.jsonl"), "--stats", &at("packed.json")])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(peak(&at("packed.json")) < 1_500_000_000, "{} bytes", peak(&at("packed.json")));
}

/// What goes out of a database does nothing where it is shown, either.
#[test]
fn exports_and_queries_do_nothing_where_they_are_shown() {
    let site = hostile::spreadsheet(8);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let samples: Vec<String> = (1..=8).map(|number| site.url(&format!("/items/{number}"))).collect();
    let run = pagekin().arg("run").args(&samples).args(["--db", &at("p.db")]).output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let output = pagekin().args(["export", "--db", &at("p.db"), "--out", &at("r.csv")]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let sql = "SELECT value FROM record_values ORDER BY value";
    let query = pagekin().args(["query", sql, "--db", &at("p.db"), "--format", "csv"]).output().unwrap();
    let exported = std::fs::read_to_string(at("r.csv")).unwrap();
    for csv in [&exported, &stdout(&query)] {
        assert!(csv.contains("HYPERLINK"), "{csv}");
        let formula = |cell: &str| cell.trim_start_matches('"').starts_with(['=', '+', '-', '@']);
        assert!(!csv.lines().any(|line| line.split(',').any(formula)), "{csv}");
        assert_eq!(csv.find(|c: char| c.is_control() && !matches!(c, '\n' | '\r')), None, "{csv:?}");
    }
    let header: Vec<&str> = exported.lines().next().unwrap().split(',').collect();
    let reserved = header.iter().filter(|name| name.starts_with('_')).count();
    assert!(reserved >= 2 && header.iter().filter(|name| **name == "_url").count() == 1, "{header:?}");
}

/// Each short link was 8 kB of address: this site took ssup-2019 809 MB, now 153.
#[test]
fn a_long_base_does_not_fill_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let stats = folder.path().join("stats.json").to_string_lossy().into_owned();
    let commands: [&[&str]; 3] = [&["discover", "--method", "kin"], &["discover", "--method", "ssup-2019"], &["model"]];
    for command in commands {
        let site = hostile::long_base(300);
        let arguments = ["--budget", "80", "--stats", &stats];
        let output = pagekin().args(command).arg(site.url("/items/1")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let stats: Value = serde_json::from_str(&std::fs::read_to_string(&stats).unwrap()).unwrap();
        let peak = stats["peak_memory"].as_u64().unwrap_or(0);
        assert!(peak < 400_000_000, "{command:?}: {peak} bytes after {} requests", site.log().len());
        assert!(stats["links_left_out"].as_u64() > Some(0), "{command:?}: {stats}");
        assert!(stderr(&output).contains("links were left out"), "{command:?}: {}", stderr(&output));
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

/// What `zipfile` of Python, which nobody here wrote, finds in the file.
const SHEETS: &str = "
import re, sys, zipfile
book = zipfile.ZipFile(sys.argv[1])
assert book.testzip() is None
text = {name: book.read(name).decode() for name in book.namelist()}
sheet = text['xl/worksheets/sheet1.xml']
print(sheet.count('<row '), len(re.findall(r'<f[ >]', sheet)), 'HYPERLINK' in ''.join(text.values()),
      len(re.findall('<hyperlink ', sheet)), len(re.findall(r'<c [^>]*><v>', sheet)) > 0)
";

#[test]
fn a_spreadsheet_holds_values_and_no_formulas() {
    let site = hostile::spreadsheet(8);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let samples: Vec<String> = (1..=8).map(|number| site.url(&format!("/items/{number}"))).collect();
    let run = pagekin().arg("run").args(&samples).args(["--db", &at("p.db")]).output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    for name in ["a.xlsx", "b.xlsx"] {
        let output = pagekin().args(["export", "--db", &at("p.db"), "--out", &at(name)]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read(at("a.xlsx")).unwrap(), std::fs::read(at("b.xlsx")).unwrap(), "the same bytes");
    let mut python = std::process::Command::new("python3");
    let said = pagekin_testkit::python::run(python.args(["-c", SHEETS, &at("a.xlsx")])).unwrap();
    let records = queried(&at("p.db"), "SELECT COUNT(*) AS n FROM current_records")[0]["n"].as_i64().unwrap();
    assert_eq!(said.trim(), format!("{} 0 True {records} True", records + 1));
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

#[test]
fn links_marked_as_acts_are_asked_by_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("p.db").to_string_lossy().into_owned();
    let commands: [&[&str]; 6] = [
        &["discover", "--method=kin"],
        &["discover", "--method=ssup-2019"],
        &["discover", "--method=indesit"],
        &["model"],
        &["hidden", "--fewest", "3"],
        &["run", "--hidden", "--db", &db],
    ];
    for command in commands {
        let site = hostile::marked(12);
        let output = pagekin().args(command).arg(site.url("/items/1")).args(["--budget", "60"]).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{command:?}: {}", stderr(&output));
        let asked = site.targets();
        let read = (1..=12).filter(|number| asked.contains(&format!("/items/{number}"))).count();
        assert!(read >= 3, "links with nofollow that are needed were not read: {command:?} {asked:?}");
        let acts: Vec<&String> = asked.iter().filter(|target| hostile::MARKED.contains(&target.as_str())).collect();
        assert!(acts.is_empty(), "{command:?}: {acts:?}");
    }
}

#[test]
fn links_of_pages_that_forbid_it_are_not_followed() {
    for (asks, options, followed) in [
        (Asks::ByMeta, &[][..], false),
        (Asks::ByHeader, &[][..], false),
        (Asks::Another, &[][..], true),
        (Asks::ByHeader, &["--ignore-nofollow"][..], true),
    ] {
        let site = hostile::unfollowed(8, asks);
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let output = pagekin()
            .args(["discover", &site.url("/items/1"), "--stats", &at("stats.json"), "--save-archive", &at("a.warc.gz")])
            .args(options)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let items = site.targets().iter().filter(|target| target.starts_with("/items/")).count();
        assert_eq!(items > 4, followed, "{asks:?} {options:?}: {:?}", site.targets());
        let stats: Value = serde_json::from_str(&std::fs::read_to_string(at("stats.json")).unwrap()).unwrap();
        assert_eq!(stats["noindex"].as_u64() > Some(0), asks != Asks::Another, "{stats}");
        assert_eq!(stats["nofollow"].as_u64() > Some(0), !followed, "{stats}");
        assert_eq!(stderr(&output).contains("--ignore-nofollow"), !followed, "{}", stderr(&output));
        // Nobody is asked by reading an archive, so links in it are read.
        let archived = ["discover", &site.url("/items/1"), "--archive", &at("a.warc.gz"), "--stats", &at("stats.json")];
        assert_eq!(pagekin().args(archived).output().unwrap().status.code(), Some(0));
        let stats: Value = serde_json::from_str(&std::fs::read_to_string(at("stats.json")).unwrap()).unwrap();
        assert_eq!(stats["nofollow"], 0);
    }
}

/// A name that the system takes for a private address, and that address.
fn private_name() -> Option<(String, std::net::IpAddr)> {
    let own = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned();
    let address = |name: &String| {
        let found = std::net::ToSocketAddrs::to_socket_addrs(&(name.as_str(), 0)).ok()?.next()?.ip();
        let private = matches!(found, std::net::IpAddr::V4(v4) if v4.is_loopback() || v4.is_private());
        private.then_some((name.clone(), found))
    };
    [own, "ip6-localhost".to_owned()].iter().filter(|name| *name != "localhost").find_map(address)
}

/// The user said where the name leads in one run. In the next ones its owner says so, and says: into your network.
#[test]
fn a_name_that_moves_into_the_private_network_between_runs_is_not_asked() {
    let Some((name, address)) = private_name() else {
        let missing = "no name of this machine leads to a private IPv4 address";
        assert!(std::env::var_os("CI").is_none(), "{missing}: add one to /etc/hosts");
        return eprintln!("SKIPPED: {missing}");
    };
    let home: String = (1..=8).map(|number| format!("<li><a href=/items/{number}>Item {number}</a>")).collect();
    let item = |number: usize| format!("<h1>Item {number}</h1><p>Price: {number}.00</p><a href=/>Home</a>");
    let server = (1..=8).fold(Server::new().on(address).page("/", home), |server, number| {
        server.page(&format!("/items/{number}"), item(number))
    });
    let site = server.start();
    let port = site.address().port();
    let (sample, said) = (format!("http://{name}:{port}/items/1"), format!("{name}:{port}:{address}"));
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("p.db").to_string_lossy().into_owned();
    let output = pagekin().args(["run", &sample, "--db", &db, "--resolve", &said]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(queried(&db, "SELECT COUNT(*) AS n FROM records")[0]["n"], 8);
    let asked = site.log().len();
    assert_eq!(pagekin().args(["watch", "add", &sample, "--db", &db]).output().unwrap().status.code(), Some(0));
    for again in [&["run", &sample][..], &["run", "--anew", &sample], &["run", "--recheck", &sample], &["watch", "run"]]
    {
        let output = pagekin().args(again).args(["--db", &db]).output().unwrap();
        let talk = stdout(&output) + &stderr(&output);
        assert!(talk.contains("private address") || talk.contains("loopback address"), "{again:?}: {talk}");
        assert_eq!(site.log().len(), asked, "{again:?} asked {:?}", &site.targets()[asked..]);
    }
    assert_eq!(queried(&db, "SELECT COUNT(*) AS n FROM current_records")[0]["n"], 8, "nothing is taken for gone");
    let allowed = pagekin().args(["run", "--anew", "--allow-private", &sample, "--db", &db]).output().unwrap();
    assert_eq!(allowed.status.code(), Some(0), "{}", stderr(&allowed));
    assert!(site.log().len() > asked);
}
