//! Is anything lost or done twice when a run is killed? `kill -9` at random moments on both databases, PostgreSQL restarted
//! in the middle, a full disk.

mod common;

use common::championship::Championship;
use common::{pagekin, stderr, stdout};
use pagekin::Archive;
use pagekin::store::Store;
use pagekin_testkit::postgres::{Postgres, is_root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Kills of each test, over several runs.
const KILLS: usize = 50;

struct Run<'r> {
    db: String,
    pages: PathBuf,
    site: &'r Championship,
}

impl Run<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(pagekin().get_program());
        let pages = self.pages.to_string_lossy().into_owned();
        command.args([
            "run",
            &self.site.sample(),
            "--hidden",
            "--db",
            &self.db,
            "--pages",
            &pages,
            "--concurrency",
            "2",
        ]);
        command.stdin(Stdio::null());
        command
    }

    fn start(&self) -> Child {
        self.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn to_the_end(&self) {
        let output = self.command().output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }

    /// Everything that must be the same, sorted: records with evidence, pages, entities, templates.
    fn result(&self) -> String {
        let root = self.site.site.url("");
        let mut all = String::new();
        for sql in [
            "SELECT url, nth, attributes, evidence, confidence, hash FROM records ORDER BY url, nth",
            "SELECT DISTINCT url, status, hash, content_type, bytes FROM pages ORDER BY url",
            "SELECT url, confidence, via, evidence, unlinked FROM entities ORDER BY url",
            "SELECT url, level, parent, evidence FROM indexes ORDER BY url",
            "SELECT template, known, tried, found, ended FROM templates ORDER BY template",
            "SELECT url, reason, detail FROM skipped ORDER BY url",
            "SELECT url FROM record_history ORDER BY url",
            "SELECT content FROM wrappers",
            "SELECT learned FROM classes",
        ] {
            let output = pagekin().args(["query", sql, "--db", &self.db]).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            all.push_str(&stdout(&output));
        }
        all.replace(&root, "")
    }

    /// The pages that are whole in archives, as the access log names them.
    fn stored(&self) -> BTreeSet<String> {
        let root = self.site.site.url("");
        let folders = std::fs::read_dir(&self.pages).into_iter().flatten().flatten();
        let files: Vec<PathBuf> = folders
            .flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten())
            .map(|file| file.path())
            .filter(|path| path.to_string_lossy().ends_with(".warc.gz"))
            .collect();
        let archive = Archive::open(&files).unwrap();
        let listed: BTreeSet<String> = archive.listed().map(|one| one.url.replace(&root, "")).collect();
        listed.into_iter().filter(|target| target != "/robots.txt").collect()
    }
}

/// The same moments every time the test runs.
struct Moments(u64);

impl Moments {
    fn next(&mut self, within: Duration) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        within.mul_f64((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }
}

fn killed_at_random_moments(site: &Championship, new: impl Fn(usize) -> (String, PathBuf)) {
    let (db, pages) = new(usize::MAX);
    let whole = Run { db, pages, site };
    let began = Instant::now();
    whole.to_the_end();
    let (takes, expected) = (began.elapsed(), whole.result());
    assert!(expected.lines().count() > 300, "a whole run finds more");

    let (mut moments, mut kills, mut number) = (Moments(42), 0, 0);
    while kills < KILLS {
        let (db, pages) = new(number);
        let run = Run { db, pages, site };
        // What is kept is not done again, so each try comes further; in the end one is faster than its killer.
        while killed_in_time(&run, moments.next(takes / 2)) {
            kills += 1;
        }
        run.to_the_end();
        assert_eq!(run.result(), expected, "run {number}");
        number += 1;
    }
}

/// Starts or goes on with a run and kills it after this time; false when it had already ended.
fn killed_in_time(run: &Run, after: Duration) -> bool {
    let (site, before, log) = (run.site, run.stored(), run.site.site.log().len());
    let mut child = run.start();
    std::thread::sleep(after);
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    // A run killed after it had come to its end is followed by a refresh, which asks on condition.
    let asked = site.site.log().split_off(log);
    let twice = asked.iter().filter(|visit| before.contains(&visit.target));
    let twice: Vec<&str> =
        twice.filter(|visit| !visit.headers.contains_key("if-none-match")).map(|visit| visit.target.as_str()).collect();
    assert!(twice.is_empty(), "asked again: {twice:?}");
    running
}

#[test]
fn a_run_killed_at_any_moment_goes_on_sqlite() {
    let site = Championship::start();
    let folder = tempfile::tempdir().unwrap();
    killed_at_random_moments(&site, |number| {
        let own = folder.path().join(format!("{number}"));
        std::fs::create_dir_all(&own).unwrap();
        (own.join("p.db").to_string_lossy().into_owned(), own.join("pages"))
    });
}

#[test]
fn a_run_killed_at_any_moment_goes_on_postgres() {
    let Some(postgres) = Postgres::or_skip() else { return };
    let site = Championship::start();
    let folder = tempfile::tempdir().unwrap();
    killed_at_random_moments(&site, |number| {
        (postgres.database(&format!("n{number}")), folder.path().join(format!("{number}")))
    });
}

/// What a process that is killed between the last stage and the end of its run leaves behind.
async fn killed_before_the_end(db: &str) {
    let store = Store::open(db).await.unwrap();
    let claimed = store.claim("elsewhere/1/2/3", Duration::from_millis(1), None, 1).await.unwrap();
    let run = claimed.first().expect("a queued run");
    let class = store.class_of(run.site_id, &run.samples).await.unwrap().expect("the class of the first run");
    store.set_class(run, class.id).await.unwrap();
    store.reached(run, "done").await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
}

#[test]
fn a_refresh_killed_after_its_last_stage_asks_nothing_again() {
    let folder = tempfile::tempdir().unwrap();
    let postgres = Postgres::or_skip();
    let sqlite = folder.path().join("p.db").to_string_lossy().into_owned();
    for db in [Some(sqlite), postgres.as_ref().map(Postgres::url)].into_iter().flatten() {
        let site = Championship::start();
        let run = Run { db: db.clone(), pages: folder.path().join("pages"), site: &site };
        run.to_the_end();
        let queued = run.command().arg("--queue").output().unwrap();
        assert_eq!(queued.status.code(), Some(0), "{}", stderr(&queued));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(killed_before_the_end(&db));
        let (log, before) = (site.site.log().len(), run.result());
        run.to_the_end();
        let asked = site.asked_since(log);
        assert!(asked.is_empty(), "asked again: {asked:?}");
        assert_eq!(run.result(), before);
        let runs = pagekin().args(["query", "SELECT state FROM runs ORDER BY id", "--db", &db]).output().unwrap();
        assert_eq!(stdout(&runs).matches("\"done\"").count(), 2, "{}", stdout(&runs));
    }
}

#[test]
fn a_run_waits_for_a_postgres_that_restarts() {
    let Some(mut postgres) = Postgres::or_skip() else { return };
    let site = Championship::start();
    let folder = tempfile::tempdir().unwrap();
    let whole = Run { db: postgres.database("whole"), pages: folder.path().join("whole"), site: &site };
    whole.to_the_end();
    let run = Run { db: postgres.database("restarted"), pages: folder.path().join("restarted"), site: &site };
    let log = site.site.log().len();
    let child = run.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while site.site.log().len() < log + 60 {
        std::thread::sleep(Duration::from_millis(1));
    }
    postgres.stop();
    std::thread::sleep(Duration::from_secs(2));
    postgres.launch().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("waiting for it"), "{}", stderr(&output));
    assert_eq!(run.result(), whole.result());
}

#[test]
fn a_full_disk_is_told_and_nothing_is_lost() {
    if !is_root() || !cfg!(target_os = "linux") {
        eprintln!("SKIPPED: a small disk can only be made as root on Linux");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let small = Small::mount(folder.path(), "700k");
    let Some(small) = small else {
        eprintln!("SKIPPED: a small disk cannot be mounted here");
        return;
    };
    let site = Championship::start();
    let kept = tempfile::tempdir().unwrap();
    let run =
        Run { db: small.0.join("p.db").to_string_lossy().into_owned(), pages: kept.path().to_owned(), site: &site };
    let output = run.command().output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("disk is full") && stderr(&output).contains("hint: "), "{}", stderr(&output));
    let check = pagekin().args(["query", "PRAGMA integrity_check", "--db", &run.db]).output().unwrap();
    assert!(stdout(&check).contains("\"ok\""), "{}{}", stdout(&check), stderr(&check));
    let log = site.site.log().len();
    let before = run.stored();
    small.grow("64m");
    run.to_the_end();
    let twice: Vec<String> = site.asked_since(log).into_iter().filter(|target| before.contains(target)).collect();
    assert!(twice.is_empty(), "asked again: {twice:?}");
}

/// A disk in memory that is soon full.
struct Small(PathBuf);

impl Small {
    fn mount(at: &Path, size: &str) -> Option<Self> {
        let own = at.join("small");
        std::fs::create_dir(&own).unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(&own).status();
        mounted.is_ok_and(|status| status.success()).then_some(Self(own))
    }

    fn grow(&self, size: &str) {
        let options = format!("remount,size={size}");
        assert!(Command::new("mount").args(["-o", &options]).arg(&self.0).status().unwrap().success());
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
