//! Does the whole job come out whole? `run`, `query`, `export`, `watch` and `worker` on a real site, on both databases.

mod common;

use common::championship::Championship;
use common::{pagekin, stderr, stdout};
use pagekin_testkit::postgres::Postgres;
use pagekin_testkit::server::{Reply, Server};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

/// The database of a test, and a folder for its pages.
struct Place {
    folder: tempfile::TempDir,
    db: String,
    _postgres: Option<Postgres>,
}

impl Place {
    fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let db = folder.path().join("p.db").to_string_lossy().into_owned();
        Self { folder, db, _postgres: None }
    }

    fn postgres() -> Option<Self> {
        let postgres = Postgres::or_skip()?;
        Some(Self { folder: tempfile::tempdir().unwrap(), db: postgres.url(), _postgres: Some(postgres) })
    }

    fn both() -> Vec<Self> {
        [Some(Self::sqlite()), Self::postgres()].into_iter().flatten().collect()
    }

    fn pages(&self) -> String {
        self.folder.path().join("pages").to_string_lossy().into_owned()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        pagekin().arg("run").args(arguments).args(["--db", &self.db, "--pages", &self.pages()]).output().unwrap()
    }

    fn summary(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_str(stdout(&output).lines().next().unwrap()).unwrap()
    }

    fn query(&self, sql: &str) -> Vec<String> {
        let output = pagekin().args(["query", sql, "--db", &self.db]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output).lines().map(str::to_owned).collect()
    }

    fn export(&self, arguments: &[&str]) -> Output {
        let output = pagekin().arg("export").args(arguments).args(["--db", &self.db]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        output
    }

    fn watch(&self, arguments: &[&str]) -> Output {
        let output = pagekin().arg("watch").args(arguments).args(["--db", &self.db]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        output
    }
}

/// Known pages that a refresh reads again (`docs/stages/expect.md`).
const SPOT_CHECKS: usize = 8;

fn drivers() -> BTreeSet<String> {
    pagekin_web::demo::Site::new().truth().drivers_linked.into_iter().collect()
}

#[test]
fn one_command_fills_the_database_and_the_next_asks_index_pages_and_a_few_others() {
    for place in Place::both() {
        let site = Championship::start();
        let first = place.summary(&[&site.sample()]);
        let drivers = drivers();
        assert_eq!(first["records"], drivers.len(), "{first}");
        assert_eq!(
            (&first["new"], &first["state"], &first["class"]),
            (&drivers.len().into(), &"done".into(), &"drivers".into())
        );
        let kept = place.query("SELECT url FROM current_records ORDER BY url");
        let root = site.site.url("");
        let found: BTreeSet<String> = kept
            .iter()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap().replace(&root, ""))
            .collect();
        assert_eq!(found, drivers);
        let pages = place.query("SELECT COUNT(*) AS n FROM pages WHERE status = 200");
        assert!(pages[0].contains(':') && !pages[0].contains(":0"), "{pages:?}");

        let log = site.site.log().len();
        let before = stdout(&place.export(&["--format", "jsonl"]));
        let second = place.summary(&[&site.sample()]);
        let asked = site.asked_since(log);
        let entities: Vec<&String> = asked.iter().filter(|target| drivers.contains(*target)).collect();
        assert_eq!(entities.len(), SPOT_CHECKS, "asked again: {entities:?}");
        assert_eq!(second["not_modified"], asked.len(), "{second}");
        assert_eq!((&second["new"], &second["changed"], &second["gone"]), (&0.into(), &0.into(), &0.into()));
        assert_eq!(stdout(&place.export(&["--format", "jsonl"])), before);
        let runs = place.query("SELECT id, state, stage FROM runs ORDER BY id");
        assert_eq!(runs.len(), 2);
        assert!(runs.iter().all(|run| run.contains("\"done\"")), "{runs:?}");
    }
}

/// What another driver's page looks like.
fn renamed(page: &str, from: &str, to: &str) -> String {
    assert!(page.contains(from), "no {from} in {page}");
    page.replace(from, to)
}

#[test]
fn a_watch_tells_what_is_new_changed_and_gone() {
    for place in Place::both() {
        let site = Championship::start();
        let hook = Server::new().route("/hook", |_| Reply::status(204)).start();
        let note = place.folder.path().join("note.json").to_string_lossy().into_owned();
        let webhook = hook.url("/hook");
        let config = place.folder.path().join("commands.toml").to_string_lossy().into_owned();
        let config_text = format!("[commands]\nnote = \"cat > '{note}'\"\n[webhooks]\nteam = \"{webhook}\"\n");
        std::fs::write(&config, config_text).unwrap();
        let pages = place.pages();
        place.watch(&["add", &site.sample(), "--every", "7d", "--recheck", "--webhook", "team", "--command", "note"]);
        let first = place.watch(&["run", "--pages", &pages, "--config", &config]);
        assert_eq!(stdout(&first).lines().count(), drivers().len(), "all are new");
        assert_eq!(hook.count("/hook"), 1);
        let list: Value = serde_json::from_str(stdout(&place.watch(&["list"])).trim()).unwrap();
        assert_eq!((&list["every"], &list["last_run"]), (&(7 * 86_400).into(), &1.into()));
        let idle = place.watch(&["run", "--pages", &pages]);
        assert_eq!(stdout(&idle), "", "nothing is due");

        let target = pagekin_web::demo::Site::new().sample();
        let page = site.page(&target);
        let title = page.split("<h1>").nth(1).and_then(|rest| rest.split("</h1>").next()).unwrap().to_owned();
        site.set(&target, renamed(&page, &title, "Somebody Else"));
        let second = place.watch(&["run", "--all", "--pages", &pages, "--config", &config]);
        let rows: Vec<Value> = stdout(&second).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(!rows.is_empty() && rows.iter().all(|row| row["change"] == "changed"), "{rows:?}");
        assert!(rows.iter().all(|row| row["url"] == site.site.url(&target)), "{rows:?}");
        assert!(rows.iter().any(|row| row["before"] == title && row["after"] == "Somebody Else"), "{rows:?}");
        assert_eq!(hook.count("/hook"), 2);
        let told: Value = serde_json::from_str(&std::fs::read_to_string(&note).unwrap()).unwrap();
        assert_eq!((&told["changed"], &told["new"]), (&1.into(), &0.into()));
        let history = place.query("SELECT url, from_run, until_run FROM record_history");
        assert_eq!(history.len(), 1, "{history:?}");

        let calm = place.watch(&["run", "--all", "--pages", &pages]);
        assert_eq!((stdout(&calm).as_str(), hook.count("/hook")), ("", 2), "nothing changed, nobody is told");
        place.watch(&["remove", "1"]);
        assert_eq!(stdout(&place.watch(&["list"])), "");
    }
}

#[test]
fn a_site_that_fails_does_not_fail_the_others() {
    let (place, site) = (Place::sqlite(), Championship::start());
    let other = Server::new().start();
    let output = place.run(&[&site.sample(), &other.url("/none.html")]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let rows: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |state: &str| rows.iter().filter(|row| row["state"] == state).count();
    assert_eq!((of("done"), of("failed")), (1, 1), "{rows:?}");
    let alone = place.run(&[&other.url("/none.html")]);
    assert_eq!(alone.status.code(), Some(2));
    assert!(stderr(&alone).contains("cannot be looked at"), "{}", stderr(&alone));
}

#[test]
fn a_plan_does_nothing() {
    let place = Place::sqlite();
    let output = place.run(&["http://a.org/1", "http://www.a.org/2", "http://b.org/1", "--dry-run"]);
    assert_eq!(stdout(&output).lines().count(), 2, "{}", stdout(&output));
    assert!(!Path::new(&place.db).exists());
}

#[test]
fn archives_are_read_as_the_site_was() {
    let (place, site) = (Place::sqlite(), Championship::start());
    let live = place.summary(&[&site.sample(), "--no-extract"]);
    assert_eq!((&live["records"], &live["pages"]), (&0.into(), &drivers().len().into()));
    let other = Place::sqlite();
    let live = other.summary(&[&site.sample()]);
    let archive = std::fs::read_dir(Path::new(&other.pages())).unwrap().next().unwrap().unwrap().path();
    let kept = std::fs::read_dir(archive).unwrap().map(|file| file.unwrap().path());
    let archive = kept.into_iter().find(|file| file.to_string_lossy().contains(".warc")).unwrap();
    let third = Place::sqlite();
    let stored = third.summary(&[&site.sample(), "--archive", &archive.to_string_lossy()]);
    assert_eq!(stored["records"], live["records"]);
    let lines = |place: &Place| stdout(&place.export(&["--format", "jsonl"]));
    assert_eq!(lines(&third), lines(&other), "archive equals live");
    let kept =
        |place: &Place| place.query("SELECT url, status, hash, position FROM pages WHERE status = 200 ORDER BY url");
    let (live, stored) = (kept(&other), kept(&third));
    assert!(stored.len() >= drivers().len() && stored.iter().all(|row| live.contains(row)), "{stored:?}");
}

#[test]
fn queries_and_exports_have_their_formats() {
    let (place, site) = (Place::sqlite(), Championship::start());
    place.summary(&[&site.sample()]);
    let refused = pagekin().args(["query", "DELETE FROM records", "--db", &place.db]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("only reads"), "{}", stderr(&refused));
    let csv =
        pagekin().args(["query", "SELECT 1 AS a, 'x,y' AS b", "--format", "csv", "--db", &place.db]).output().unwrap();
    assert_eq!(stdout(&csv), "a,b\r\n1,\"x,y\"\r\n");
    let absent = pagekin().args(["query", "SELECT 1", "--db", "/nonexistent/p.db"]).output().unwrap();
    assert!(stderr(&absent).contains("there is no database"), "{}", stderr(&absent));

    let count = drivers().len();
    let path = |name: &str| place.folder.path().join(name).to_string_lossy().into_owned();
    for name in ["r.jsonl", "r.csv", "r.json", "r.parquet"] {
        place.export(&["--out", &path(name)]);
    }
    let csv = std::fs::read_to_string(path("r.csv")).unwrap();
    assert_eq!(csv.lines().count(), count + 1);
    assert!(csv.starts_with("_site,_class,_url,_record,_confidence,_unlinked,"), "{}", csv.lines().next().unwrap());
    let json: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path("r.json")).unwrap()).unwrap();
    assert_eq!(json.len(), count);
    assert_eq!(stdout(&place.export(&["--site", "nowhere", "--format", "json"])), "[]\n");

    match pagekin_testkit::python::python_tool("pyarrow") {
        Ok(python) => {
            let script = "import sys, pyarrow.parquet as p\nt = p.read_table(sys.argv[1])\n\
                          print(t.num_rows, t.column_names[:3], t.column('_url').null_count)";
            let mut read = std::process::Command::new(python);
            let said = pagekin_testkit::python::run(read.args(["-c", script, &path("r.parquet")])).unwrap();
            assert_eq!(said.trim(), format!("{count} ['_site', '_class', '_url'] 0"));
        }
        Err(why) => eprintln!("SKIPPED: no pyarrow: {why}"),
    }
}
