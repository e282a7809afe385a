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
fn a_taken_port_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = pagekin().args(["demo", "--port", &port]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains(&format!("`127.0.0.1:{port}`")) && stderr(&output).contains("\n\nhint: "));
}
