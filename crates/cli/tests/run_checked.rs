//! Is a run told what is not true? `run`, `worker` and `watch` with rules and a reference, on both databases.

mod common;

use common::championship::Championship;
use common::{pagekin, stderr, stdout};
use pagekin_testkit::postgres::Postgres;
use pagekin_web::demo::{REGISTER_COLUMNS, Site};
use serde_json::{Value, json};
use std::process::Output;

const RULES: &str = include_str!("../src/demo_rules.toml");

/// A database, with the register, the rules and the report beside it.
struct Place {
    folder: tempfile::TempDir,
    db: String,
    _postgres: Option<Postgres>,
}

impl Place {
    fn new(postgres: Option<Postgres>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.db").to_string_lossy().into_owned();
        let db = postgres.as_ref().map_or(file, Postgres::url);
        let place = Self { folder, db, _postgres: postgres };
        let rows: Vec<String> = Site::new().register().iter().map(|row| row.join(",")).collect();
        place.write("register.csv", &format!("{}\n{}\n", REGISTER_COLUMNS.join(","), rows.join("\n")));
        place.write("rules.toml", RULES);
        place
    }

    fn both() -> Vec<Self> {
        let postgres = Postgres::or_skip().map(|postgres| Self::new(Some(postgres)));
        [Some(Self::new(None)), postgres].into_iter().flatten().collect()
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// In the folder, so that paths as they are typed are not what others find.
    fn pagekin(&self, arguments: &[&str]) -> Output {
        let mut command = pagekin();
        command.current_dir(self.folder.path()).args(arguments).args(["--db", &self.db]);
        command.output().unwrap()
    }

    fn checked(&self, command: &[&str], more: &[&str]) -> Output {
        let check = ["--rules", "rules.toml", "--reference", "register.csv", "--report", "week.html"];
        self.pagekin(&[command, &check, more].concat())
    }

    fn held(&self) -> Vec<String> {
        let sql = "SELECT conclusion FROM findings WHERE gone_at IS NULL ORDER BY conclusion";
        stdout(&self.pagekin(&["query", sql])).lines().map(str::to_owned).collect()
    }

    fn reported(&self) -> usize {
        std::fs::read_to_string(self.path("week.html")).unwrap().matches("<details class=\"f\"").count()
    }
}

fn summary(output: &Output) -> Value {
    serde_json::from_str(stdout(output).lines().next().unwrap_or_default())
        .unwrap_or_else(|_| panic!("{}", stderr(output)))
}

/// Two of the three false pages are linked.
const HELD: [&str; 2] = ["{\"conclusion\":\"Inflated\"}", "{\"conclusion\":\"NotRegistered\"}"];

#[test]
fn a_run_says_what_is_not_true_and_reports_it() {
    for place in Place::both() {
        let site = Championship::start();
        let sample = site.sample();
        let first = place.checked(&["run", &sample], &["--recheck"]);
        assert_eq!(first.status.code(), Some(1), "{}", stderr(&first));
        let row = summary(&first);
        assert_eq!((&row["state"], &row["findings"], &row["new_findings"]), (&json!("done"), &json!(2), &json!(2)));
        assert_eq!(row["severities"], json!({"high": 1, "medium": 1}));
        let said = stderr(&first);
        assert!(said.contains("2 findings (1 high, 1 medium)") && said.contains("week.html`"), "{said}");
        assert_eq!((place.held(), place.reported()), (HELD.map(str::to_owned).to_vec(), 2));

        let (inflated, _) = Site::new().planted().swap_remove(1);
        let claimed: usize =
            site.page(&inflated).split("Podiums</th><td>").nth(1).unwrap().split('<').next().unwrap().parse().unwrap();
        let claim = |podiums: usize| format!("Podiums</th><td>{podiums}<");
        site.set(&inflated, site.page(&inflated).replace(&claim(claimed), &claim(claimed / 2)));
        let second = place.checked(&["run", &sample], &["--recheck"]);
        let row = summary(&second);
        assert_eq!(
            (&row["findings"], &row["new_findings"], &row["changed"]),
            (&json!(1), &json!(0), &json!(1)),
            "{row}"
        );
        assert_eq!((second.status.code(), place.reported()), (Some(1), 1));

        let unchecked = place.pagekin(&["run", &sample]);
        assert_eq!(unchecked.status.code(), Some(0), "{}", stderr(&unchecked));
        assert_eq!(summary(&unchecked).get("findings"), None);
    }
}

#[test]
fn workers_and_watches_check_as_runs_do() {
    for place in Place::both() {
        let site = Championship::start();
        let sample = site.sample();
        let queued = place.checked(&["run", &sample, "--queue"], &[]);
        assert_eq!((queued.status.code(), place.held().len()), (Some(0), 0), "{}", stderr(&queued));
        let elsewhere = tempfile::tempdir().unwrap();
        let mut worker = pagekin();
        worker.current_dir(elsewhere.path()).args(["worker", "--until-empty", "--db", &place.db]);
        worker.args(["--reference", &place.path("register.csv"), "--report", &place.path("week.html")]);
        let worked = worker.args(["--pages", &place.path("pages")]).output().unwrap();
        assert_eq!(summary(&worked)["findings"], 2, "{}", stderr(&worked));
        assert_eq!((place.held().len(), place.reported()), (2, 2));

        std::fs::remove_file(place.path("week.html")).unwrap();
        let note = place.path("note.json");
        let config = place.path("commands.toml");
        let (register, week) = (place.path("register.csv"), place.path("week.html"));
        let here = format!("[references]\n\"register.csv\" = \"{register}\"\n[reports]\n\"week.html\" = \"{week}\"\n");
        place.write("commands.toml", &format!("[commands]\nnote = \"cat > '{note}'\"\n{here}"));
        let watch = ["watch", "run", "--all", "--config", &config, "--pages", &place.path("pages")];
        let added = place.checked(&["watch", "add", &sample, "--command", "note"], &[]);
        assert_eq!(added.status.code(), Some(0), "{}", stderr(&added));
        place.pagekin(&watch);
        assert!(!std::path::Path::new(&note).exists(), "nothing is new");
        assert_eq!(place.reported(), 2);
        // What is known changes, and no page: somebody else is no longer registered.
        let register = std::fs::read_to_string(place.path("register.csv")).unwrap();
        let sample_name =
            site.page(&Site::new().sample()).split("<h1>").nth(1).unwrap().split('<').next().unwrap().to_owned();
        let fewer: Vec<&str> = register.lines().filter(|line| !line.starts_with(&sample_name)).collect();
        place.write("register.csv", &fewer.join("\n"));
        let again = place.pagekin(&watch);
        assert_eq!(again.status.code(), Some(1), "{}", stderr(&again));
        let told: Value = serde_json::from_str(&std::fs::read_to_string(&note).unwrap()).unwrap();
        assert_eq!((&told["findings"], &told["new_findings"]), (&json!(3), &json!(1)), "{told}");
        assert_eq!(place.reported(), 3);
    }
}

#[test]
fn mistakes_are_told_before_anything_is_asked_for() {
    let (place, site) = (Place::new(None), Championship::start());
    let sample = site.sample();
    let bad = "[[rules]]\nname='a'\nwhen='E.title = S.nam'\nthen='X'\nconfidence=0.9\n\
               [[rules]]\nname='b'\nwhen='E.born = S.bor'\nthen='Y'\nconfidence=0.9\n";
    place.write("bad.toml", bad);
    let refused = |arguments: &[&str], expected: &[&str]| {
        let output = place.pagekin(&[&["run", &sample], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let said = stderr(&output);
        assert!(expected.iter().all(|part| said.contains(part)), "{said}");
    };
    let register = ["--reference", "register.csv"];
    refused(
        &[&["--rules", "bad.toml"], &register[..]].concat(),
        &["`bad.toml`", "column `nam`", "column `bor`", "hint: "],
    );
    refused(&["--rules", "rules.toml", "--reference", "none.csv"], &["none.csv", "hint: "]);
    refused(
        &[&["--rules", "rules.toml", "--report", "week.pdf"], &register[..]].concat(),
        &["week.pdf", ".html, .json or .csv"],
    );
    refused(&["--rules", "rules.toml"], &["--reference"]);
    assert_eq!(site.site.log().len(), 0);
    assert!(!std::path::Path::new(&place.db).exists());
}
