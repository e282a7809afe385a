//! Are pages that need a browser found and read, and no others opened in it? One site as an application, plain and decorated;
//! the archive of a run without a browser; no browser at all; `kill -9`.

mod common;

use common::{pagekin, stderr, stdout};
use pagekin_testkit::garden::{self, Form};
use pagekin_testkit::postgres::is_root;
use pagekin_testkit::server::Site;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Where the tests look for it; the product looks in more places.
const BROWSERS: [&str; 2] = ["/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium"];

fn has_browser() -> bool {
    let found = BROWSERS.iter().any(|path| Path::new(path).is_file());
    if !found {
        eprintln!("SKIPPED: no chromium; hint: apt-get install chromium");
    }
    found
}

/// In a container tests run as root, for whom the sandbox does not work.
fn sandbox() -> &'static [&'static str] {
    if is_root() { &["--render-no-sandbox"] } else { &[] }
}

fn sample(site: &Site) -> String {
    site.url("/plants/golden-sage")
}

struct Found {
    urls: BTreeSet<String>,
    stats: Value,
    told: String,
}

fn discover(arguments: &[&str]) -> Found {
    let folder = tempfile::tempdir().unwrap();
    let stats = folder.path().join("stats.json");
    let mut command = pagekin();
    command.arg("discover").args(arguments).args(["--format", "jsonl", "--stats"]).arg(&stats);
    let output = command.timeout(Duration::from_secs(300)).output().unwrap();
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let url = |line: &str| serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap().to_owned();
    let urls = stdout(&output).lines().map(url).collect();
    Found { urls, stats: serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap(), told }
}

fn f1(found: &BTreeSet<String>, site: &Site) -> f64 {
    let truth: BTreeSet<String> = garden::truth(site).into_iter().collect();
    2.0 * found.intersection(&truth).count() as f64 / (found.len() + truth.len()) as f64
}

#[test]
fn an_application_is_found_and_its_archive_needs_no_browser() {
    if !has_browser() {
        return;
    }
    let (site, folder) = (garden::start(Form::Application), tempfile::tempdir().unwrap());
    let archive = folder.path().join("garden.warc.gz");
    let kept = archive.to_str().unwrap();
    let found = discover(&[&[&*sample(&site), "--save-archive", kept], sandbox()].concat());
    assert!(f1(&found.urls, &site) >= 0.98, "{:?}\n{}\n{:?}", found.urls, found.told, site.targets());
    assert!(found.told.contains("opened in a browser"), "{}", found.told);
    let asked = site.targets().len();
    assert_eq!(site.count("/framework.js"), 1, "asked once a run");
    let gone = "--render-program=/no/such/browser";
    let again = discover(&[&sample(&site), "--archive", kept, gone]);
    assert_eq!((again.urls, again.stats["rendered"].as_u64()), (found.urls, Some(0)));
    assert_eq!(site.targets().len(), asked, "the archive answers");
    let plain = discover(&[&sample(&site), "--archive", kept, "--render", "never"]);
    assert_eq!(plain.urls.len(), 1, "both answers are in the archive: {}", plain.told);
    // Interrupted runs go on with what the browser made before.
    let resumed = discover(&[&[&*sample(&site), "--save-archive", kept, "--resume"], sandbox()].concat());
    assert_eq!((resumed.urls.len(), resumed.stats["rendered"].as_u64()), (60, Some(0)), "{}", resumed.told);
}

#[test]
fn plain_and_decorated_sites_are_opened_for_the_first_comparison_only() {
    if !has_browser() {
        return;
    }
    for (form, most) in [(Form::Plain, 0), (Form::Decorated, 2)] {
        let site = garden::start(form);
        let found = discover(&[&[&*sample(&site)], sandbox()].concat());
        assert_eq!(f1(&found.urls, &site), 1.0, "{form:?}: {}", found.told);
        assert!(found.stats["rendered"].as_u64().unwrap() <= most, "{form:?}: {}", found.stats);
        let never = discover(&[&sample(&site), "--render", "never"]);
        assert_eq!((never.urls, never.stats["downloads"].clone()), (found.urls, found.stats["downloads"].clone()));
    }
}

/// What a run with this site reads, as lines of CSV.
fn table(site: &Site, folder: &Path, more: &[&str]) -> (Vec<String>, String) {
    let db = format!("sqlite:{}", folder.join("run.db").display());
    let pages = folder.join("pages");
    let mut run = pagekin();
    run.args(["run", &sample(site), "--db", &db, "--pages"]).arg(&pages).args(sandbox()).args(more);
    let output = run.timeout(Duration::from_secs(300)).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let export = pagekin().args(["export", "--db", &db, "--format", "csv"]).output().unwrap();
    assert_eq!(export.status.code(), Some(0), "{}", stderr(&export));
    let address = site.address().to_string();
    let plain = |line: &str| line.replace(&site.url(""), "").replace(&address, "garden");
    let mut lines: Vec<String> = stdout(&export).lines().map(plain).collect();
    lines[1..].sort();
    (lines, db)
}

#[test]
fn the_table_of_an_application_is_that_of_the_plain_site() {
    if !has_browser() {
        return;
    }
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (application, db) = table(&garden::start(Form::Application), folders[0].path(), &[]);
    let (plain, _) = table(&garden::start(Form::Plain), folders[1].path(), &[]);
    assert_eq!(plain.len(), 61);
    for plant in garden::plants() {
        let line = plain.iter().find(|line| line.contains(&format!("/plants/{}", plant.slug))).expect("a row");
        assert!(line.contains(plant.family) && line.contains(&plant.price), "{line}");
    }
    assert_eq!(application, plain);
    let sql = "SELECT count(*), min(reason), min(engine) FROM renderings";
    let asked = pagekin().args(["query", sql, "--db", &db, "--format", "csv"]).output().unwrap();
    let told = stdout(&asked);
    assert!(told.contains("scripts add") && told.contains("Chrom"), "{told}\n{}", stderr(&asked));
}

/// Once it failed where twenty processes shared each core: a page that is compared too early there leaves its class plain.
#[test]
#[ignore = "needs a machine that is not overloaded"]
fn values_that_scripts_fill_in_since_the_last_run_are_read_with_the_same_wrapper() {
    if !has_browser() {
        return;
    }
    let (form, folder) = (Arc::new(Mutex::new(Form::Plain)), tempfile::tempdir().unwrap());
    let site = garden::start_changing(form.clone());
    let (before, _) = table(&site, folder.path(), &[]);
    *form.lock().unwrap() = Form::Filled;
    let (after, db) = table(&site, folder.path(), &["--recheck"]);
    assert_eq!(after, before);
    let told =
        pagekin().args(["query", "SELECT count(*) FROM renderings", "--db", &db, "--format", "csv"]).output().unwrap();
    assert!(stdout(&told).contains("60"), "{}", stdout(&told));
}

#[test]
fn without_a_browser_it_is_said_what_would_have_helped() {
    let site = garden::start(Form::Application);
    let found = discover(&[&sample(&site), "--render-program", "/no/such/browser"]);
    assert_eq!(found.urls.len(), 1);
    assert!(found.told.contains("hint: ") && found.told.contains("nothing without their scripts"), "{}", found.told);
    let output = pagekin()
        .args(["discover", &sample(&site), "--render", "always", "--render-program", "/no/such/browser"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("/no/such/browser") && stderr(&output).contains("hint: "), "{}", stderr(&output));
    if is_root() && has_browser() {
        let output = pagekin().args(["discover", &sample(&site), "--render", "always"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("--render-no-sandbox"), "{}", stderr(&output));
    }
}

#[test]
fn gpp_draws_pages_of_a_site_and_of_an_application_and_says_what_it_lacks() {
    if !has_browser() {
        return;
    }
    for form in [Form::Plain, Form::Application] {
        let site = garden::start(form);
        let found =
            discover(&[&["--method", "gpp", "--rounds", "1", "--explain", &*sample(&site)], sandbox()].concat());
        assert_eq!(f1(&found.urls, &site), 1.0, "{form:?}: {}", found.told);
        assert!(found.told.contains("round 1: paths like"), "{}", found.told);
    }
    let site = garden::start(Form::Plain);
    for lacking in [&["--render", "never"][..], &["--render-program", "/no/such/browser"]] {
        let mut command = pagekin();
        let output = command.args(["discover", "--method", "gpp", &sample(&site)]).args(lacking).output().unwrap();
        let told = stderr(&output);
        assert!(output.status.code() == Some(2) && told.contains("drawn") && told.contains("\n\nhint: "), "{told}");
    }
}

/// Processes of this group that run, zombies left out.
fn alive(group: u32) -> usize {
    let stats =
        fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    let of_group = stats.filter(|stat| {
        let mut fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_ascii_whitespace();
        fields.next().is_some_and(|state| state != "Z") && fields.nth(1) == Some(&group.to_string())
    });
    of_group.count()
}

/// The process group of the browser that this process started.
fn browser_of(parent: u32) -> Option<u32> {
    let children = fs::read_dir(format!("/proc/{parent}/task")).ok()?.flatten();
    let children = children.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    children
        .flat_map(|line| line.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .find_map(|child| child.parse().ok())
}

fn within(seconds: u64, mut holds: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(seconds) {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_killed_run_leaves_no_browser_behind() {
    if !has_browser() {
        return;
    }
    let site = garden::start(Form::Application);
    for signal in ["-KILL", "-INT"] {
        let mut command = Command::new(pagekin().get_program());
        command.args(["discover", &sample(&site), "--delay", "500ms"]).args(sandbox());
        let mut run = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(within(60, || browser_of(run.id()).is_some_and(|group| alive(group) >= 5)), "{signal}: a browser runs");
        let group = browser_of(run.id()).unwrap();
        assert!(Command::new("kill").args([signal, &run.id().to_string()]).status().unwrap().success());
        run.wait().unwrap();
        assert!(within(10, || alive(group) == 0), "{signal}: {} processes are left", alive(group));
    }
}
