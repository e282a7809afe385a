//! `pagekin demo` as its users see it.

mod common;

use common::{pagekin, seen, stderr, stdout};

#[test]
fn help() {
    insta::assert_snapshot!(seen(&["demo", "--help"]));
}

#[test]
fn errors() {
    insta::assert_snapshot!(seen(&["demo", "--method", "magic"]));
    insta::assert_snapshot!(seen(&["demo", "--port", "99999"]));
}

#[test]
fn the_tour_ends_with_the_table_on_screen_and_in_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("tour").to_string_lossy().into_owned();
    let output = pagekin().args(["demo", "--dir", &own]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output).matches("/driver_").count(), 10, "{}", stdout(&output));
    for said in ["168 of the 168 driver pages", "and 0 pages of other kinds", "pagekin run http://", "pagekin export"] {
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
    let db = format!("{own}/demo.db");
    let kept = pagekin().args(["query", "SELECT COUNT(*) AS n FROM current_records", "--db", &db]).output().unwrap();
    let truth = pagekin_web::demo::Site::new().truth();
    let all = truth.drivers_linked.len() + truth.drivers_hidden.len();
    assert_eq!(stdout(&kept), format!("{{\"n\":{all}}}\n"), "{}", stderr(&output));
    let again = pagekin().args(["demo", "--dir", &own]).output().unwrap();
    assert_eq!(again.status.code(), Some(0), "a second tour starts afresh: {}", stderr(&again));
}

#[test]
fn the_report_shows_exactly_the_planted_entries() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("tour").to_string_lossy().into_owned();
    let output = pagekin().args(["demo", "--dir", &own]).output().unwrap();
    let said = stderr(&output);
    assert!(said.contains("Found 3 of the 3 false entries that were planted, and 0 that were not."), "{said}");
    let page = std::fs::read_to_string(format!("{own}/report.html")).unwrap();
    let planted = pagekin_web::demo::Site::new().planted();
    assert_eq!((planted.len(), page.matches("<details class=\"f\"").count()), (3, 3));
    for (path, conclusion) in planted {
        assert!(page.contains(&path) && page.contains(conclusion), "{path} {conclusion}");
    }
    // Nothing has changed, so nothing is checked again, and the findings still hold.
    let (db, list, rules) = (format!("{own}/demo.db"), format!("{own}/register.csv"), format!("{own}/rules.toml"));
    let again = pagekin().args(["check", "--db", &db, "--reference", &list, "--rules", &rules]).output().unwrap();
    assert_eq!((again.status.code(), stdout(&again).lines().count()), (Some(1), 3), "{}", stderr(&again));
    assert!(stderr(&again).contains("; 0 records checked"), "{}", stderr(&again));
}

#[test]
fn a_taken_port_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = pagekin().args(["demo", "--port", &port]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains(&format!("`127.0.0.1:{port}`")) && stderr(&output).contains("\n\nhint: "));
}
