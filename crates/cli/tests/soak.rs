//! Does a pool of workers keep going for hours? Honest and hostile sites, workers killed at random, the database restarted: nothing is
//! lost, no site is worked on twice at a time, memory does not grow.
//!
//! Not part of the usual tests: `cargo xtask soak` runs it, for an hour or for `PAGEKIN_SOAK_SECONDS`.

mod common;

use common::championship::Championship;
use common::{pagekin, stderr, stdout};
use pagekin_testkit::hostile;
use pagekin_testkit::postgres::Postgres;
use pagekin_testkit::server::{Server, Site};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const WORKERS: usize = 3;

/// Between two kills of a worker: longer than the lease, so that what was left is taken over in between.
const BETWEEN_KILLS: Duration = Duration::from_secs(7);

/// Kills of workers before the database is restarted too.
const BEFORE_RESTART: usize = 8;

struct Pool {
    db: String,
    pages: String,
    urls: String,
}

impl Pool {
    fn worker(&self, until_empty: bool) -> Child {
        let mut command = Command::new(pagekin().get_program());
        command.args(["worker", "--lease", "4s", "--db", &self.db, "--pages", &self.pages]);
        if until_empty {
            command.arg("--until-empty");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn queue(&self) {
        let output = pagekin()
            .args(["run", "--queue", "--anew", "--max-requests", "400", "--urls", &self.urls, "--db", &self.db])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }

    fn query(&self, sql: &str) -> Vec<String> {
        let output = pagekin().args(["query", sql, "--db", &self.db, "--format", "jsonl"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output).lines().map(str::to_owned).collect()
    }

    fn drain(&self) {
        let code = self.worker(true).wait().unwrap().code();
        assert!(matches!(code, Some(0 | 1)), "{code:?}");
    }

    fn records(&self, root: &str) -> Vec<String> {
        let sql = format!("SELECT url, nth, attributes FROM records WHERE url LIKE '{root}%' ORDER BY url, nth");
        self.query(&sql)
    }
}

/// The most memory a process has had, in bytes.
fn peak(process: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// The same victims every time.
fn victims() -> impl Iterator<Item = usize> {
    let step =
        |number: &u64| Some(number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(42), step).map(|number| (number >> 33) as usize % WORKERS)
}

#[test]
#[ignore = "an hour: `cargo xtask soak`"]
fn a_pool_of_workers_survives_hostile_sites_kills_and_restarts() {
    let Some(mut postgres) = Postgres::or_skip() else { return };
    let seconds = std::env::var("PAGEKIN_SOAK_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3600);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (honest, stranger) = (Championship::start(), Server::new().start());
    let hostiles: Vec<Site> = vec![
        hostile::dead_links(6, 2_000),
        hostile::leads_to(stranger.url("").as_str(), 6, 500),
        hostile::heavy(20, 500),
        hostile::fat(10, 2 << 20),
        hostile::guarded("ann", "geheim77", 6),
    ];
    let samples = hostiles.iter().map(|site| site.url("/items/1")).chain([honest.sample()]);
    std::fs::write(at("urls.txt"), samples.collect::<Vec<_>>().join("\n")).unwrap();
    let pool = Pool { db: postgres.url(), pages: at("pages"), urls: at("urls.txt") };
    pool.queue();
    pool.drain();
    let root = honest.site.url("");
    let expected = pool.records(&root);
    assert!(expected.len() > 100, "{} records", expected.len());

    let (began, mut victims, mut peaks) = (Instant::now(), victims(), Vec::new());
    let (mut kills, mut restarts, mut rounds) = (0, 0, 1);
    let mut workers: Vec<Child> = (0..WORKERS).map(|_| pool.worker(false)).collect();
    while began.elapsed() < Duration::from_secs(seconds) {
        if pool.query("SELECT id FROM runs WHERE state IN ('queued', 'running')").is_empty() {
            pool.queue();
            rounds += 1;
        }
        std::thread::sleep(BETWEEN_KILLS);
        let twice = "SELECT site_id FROM runs WHERE state = 'running' GROUP BY site_id HAVING COUNT(*) > 1";
        assert_eq!(pool.query(twice), [""; 0], "a site is worked on twice");
        let victim = victims.next().unwrap_or(0);
        peaks.push(peak(&workers[victim]));
        let _ = workers[victim].kill();
        let _ = workers[victim].wait();
        workers[victim] = pool.worker(false);
        kills += 1;
        if kills % BEFORE_RESTART == 0 {
            postgres.restart(Duration::from_millis(500));
            restarts += 1;
        }
    }
    for mut worker in workers {
        let _ = worker.kill();
        let _ = worker.wait();
    }
    pool.drain();
    // Whatever was given up amid the kills is done once they end.
    pool.queue();
    pool.drain();

    let states = pool.query("SELECT state, COUNT(*) AS n FROM runs GROUP BY state ORDER BY state");
    let (first, last) = peaks.split_at(peaks.len() / 2);
    let most = |peaks: &[u64]| peaks.iter().max().copied().unwrap_or(0);
    eprintln!(
        "{seconds} s, {rounds} rounds of {} sites, {kills} kills, {restarts} restarts, runs {states:?}, most memory of a worker {} MB \
         in the first half, {} MB in the second",
        hostiles.len() + 1,
        most(first) >> 20,
        most(last) >> 20
    );
    assert_eq!(pool.query("SELECT id FROM runs WHERE state IN ('queued', 'running')"), [""; 0]);
    assert_eq!(pool.query("SELECT id FROM runs WHERE state = 'failed' AND error IS NULL"), [""; 0]);
    assert_eq!(pool.records(&root), expected, "records of the honest site");
    assert_eq!(stranger.targets(), [""; 0]);
    assert!(most(last) < most(first) * 3 / 2 + (64 << 20), "memory grows");
}
