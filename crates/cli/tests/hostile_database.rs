//! What can somebody do who writes to the database, without a right on this machine? The whole program on databases that were tampered with.

mod common;

use common::{pagekin, stderr, stdout};
use pagekin_testkit::hostile;
use pagekin_testkit::server::{Reply, Server, Site};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// A database with one watch of a small site.
struct Place {
    folder: TempDir,
    site: Site,
}

impl Place {
    fn watched() -> Self {
        let own = Self { folder: tempfile::tempdir().unwrap(), site: hostile::dead_links(6, 0) };
        let added = own.pagekin(&["watch", "add", &own.site.url("/items/1")]);
        assert_eq!(added.status.code(), Some(0), "{}", stderr(&added));
        own
    }

    fn at(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    fn pagekin(&self, arguments: &[&str]) -> Output {
        pagekin().args(arguments).args(["--db", &self.at("p.db")]).output().unwrap()
    }

    /// As another program would write it.
    fn tampered(&self, sql: &str) {
        let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()";
        let mut python = std::process::Command::new("python3");
        pagekin_testkit::python::run(python.args(["-c", script, &self.at("p.db"), sql])).unwrap();
    }

    /// Sets a part of what the watch says of its runs, as JSON.
    fn said(&self, path: &str, json: &str) {
        let json = json.replace('\'', "''");
        self.tampered(&format!("UPDATE watches SET settings = json_set(settings, '$.{path}', json('{json}'))"));
    }

    fn run_again(&self) -> String {
        let output = self.pagekin(&["watch", "run", "--all"]);
        stdout(&output) + &stderr(&output)
    }
}

#[test]
fn a_database_names_no_program() {
    let place = Place::watched();
    let (program, trace) = (place.at("program"), place.at("trace"));
    std::fs::write(&program, format!("#!/bin/sh\ntouch '{trace}'\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    place.said("render", &format!("{{\"mode\":\"always\",\"program\":\"{program}\",\"no_sandbox\":true}}"));
    let told = place.run_again();
    assert!(!Path::new(&trace).exists(), "{told}");
    place.said("render.mode", "\"auto\"");
    let told = place.run_again();
    assert!(place.site.log().len() > 1, "old keys are no reason not to run: {told}");
}

#[test]
fn a_database_names_no_file() {
    let place = Place::watched();
    let (known, report) = (place.at("known.csv"), place.at("report.html"));
    std::fs::write(&known, "name\nItem 1\n").unwrap();
    let rules = "[[rules]]\\nwhen='E.name = S.name'\\nthen='Known'\\nconfidence=0.9";
    place.said("check", &format!("{{\"rules\":\"{rules}\",\"reference\":\"{known}\",\"reports\":[\"{report}\"]}}"));
    let told = place.run_again();
    assert!(!Path::new(&report).exists(), "{told}");
    assert!(told.contains("known.csv") && told.contains("was not given") && told.contains("hint: "), "{told}");
    assert_eq!(place.site.targets(), [""; 0], "it is said before anything is asked for");

    place.tampered("UPDATE watches SET settings = json_remove(settings, '$.check')");
    place.said("archives", "[\"/etc/passwd\"]");
    let told = place.run_again();
    assert!(told.contains("`passwd`") && told.contains("was not given"), "{told}");

    place.said("archives", "[]");
    place.said("privacy.hash", "[\"price\"]");
    place.said("privacy.key_file", "\"/etc/passwd\"");
    let told = place.run_again();
    assert!(told.contains("there is no `key_file`"), "{told}");
    assert_eq!(place.site.targets(), [""; 0], "{told}");
}

#[test]
fn a_database_names_nobody_to_post_to() {
    let place = Place::watched();
    let stranger = Server::new().rest(|_| Reply::html("ok")).start();
    place.tampered(&format!("UPDATE watches SET webhook = '{}'", stranger.url("/secret-token")));
    let told = place.run_again();
    assert_eq!(stranger.targets(), [""; 0], "{told}");
    assert!(told.contains("[webhooks]") && !told.contains("secret-token"), "{told}");

    place.said("timestamp", &format!("\"{}\"", stranger.url("/tsa")));
    place.said("anew", "true");
    let told = place.run_again();
    assert_eq!(stranger.targets(), [""; 0], "{told}");
}

#[test]
fn a_database_does_not_move_hosts() {
    let place = Place::watched();
    let inside = Server::new().rest(|_| Reply::html("<h1>Inside</h1>")).start();
    let port = inside.address().port();
    place.tampered(&format!("UPDATE watches SET samples = '[\"http://shop.invalid:{port}/1\"]'"));
    place.said("resolve", &format!("[[\"shop.invalid\",\"127.0.0.1:{port}\"]]"));
    place.said("allow_private", "true");
    let told = place.run_again();
    assert_eq!(inside.targets(), [""; 0], "{told}");
}

/// What a run needs of the machine that does it is said when it is queued, and again where it is missing.
#[test]
fn what_the_worker_needs_is_said_when_a_run_is_queued() {
    let place = Place::watched();
    let site = hostile::guarded("ann", "geheim77", 6);
    let sample = site.url("/items/1").replace("http://", "http://ann:geheim77@");
    for command in [&["run", "--queue", &sample][..], &["watch", "add", &sample]] {
        let output = place.pagekin(command);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stderr(&output).contains("[passwords]"), "{command:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("geheim77"), "{}", stderr(&output));
    }
    let config = place.at("own.toml");
    let host = site.address().to_string();
    std::fs::write(&config, format!("[passwords]\n\"{host}\" = \"ann:geheim77\"\n")).unwrap();
    let done = place.pagekin(&["worker", "--until-empty", "--config", &config]);
    assert!(stdout(&done).contains("\"state\":\"done\""), "{}{}", stdout(&done), stderr(&done));
    assert!(site.log().iter().all(|visit| visit.headers.contains_key("authorization")));
    assert!(!String::from_utf8_lossy(&std::fs::read(place.at("p.db")).unwrap()).contains("geheim77"));
}

/// A reference is named: its place, with a password perhaps, is known to whoever works.
#[test]
fn a_reference_is_kept_by_its_name() {
    let place = Place::watched();
    let rule = "[[rules]]\nname='a'\nwhen='E.price = S.price'\nthen='Known'\nconfidence=0.9\n";
    std::fs::write(place.at("rules.toml"), rule).unwrap();
    std::fs::write(place.at("known.csv"), "price\n1.00\n").unwrap();
    let (rules, known) = (place.at("rules.toml"), place.at("known.csv"));
    let sample = place.site.url("/items/2");
    let queued = place.pagekin(&["run", "--queue", &sample, "--rules", &rules, "--reference", &known]);
    assert_eq!(queued.status.code(), Some(0), "{}", stderr(&queued));
    assert!(stderr(&queued).contains("--reference"), "{}", stderr(&queued));
    let bytes = std::fs::read(place.at("p.db")).unwrap();
    let folder = place.folder.path().to_string_lossy().into_owned();
    assert!(!String::from_utf8_lossy(&bytes).contains(&folder), "no path is kept");
    let done = place.pagekin(&["worker", "--until-empty", "--reference", &known]);
    assert!(stdout(&done).contains("\"findings\""), "{}{}", stdout(&done), stderr(&done));
}
