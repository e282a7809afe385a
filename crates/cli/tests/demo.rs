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
fn the_tour_finds_drivers_and_says_how() {
    let output = pagekin().args(["demo", "--method", "ssup-2019"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output).matches("/driver_").count(), 10, "{}", stdout(&output));
    for said in ["of the 168 driver pages", "0 pages of other kinds", " downloads in ", "pagekin discover http://"] {
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

#[test]
fn a_taken_port_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = pagekin().args(["demo", "--port", &port]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains(&format!("`127.0.0.1:{port}`")) && stderr(&output).contains("\n\nhint: "));
}
