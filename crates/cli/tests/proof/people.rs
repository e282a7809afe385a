//! What of people is kept and shown: columns left out, hashed and masked, pages dropped.

use crate::common::{stderr, stdout};
use crate::support::{PEOPLE, Place, Staff, email, phone};
use pagekin_testkit::postgres::Postgres;
use serde_json::Value;

fn config(place: &Place, text: &str) -> String {
    std::fs::write(place.at("own.toml"), text).unwrap();
    place.at("own.toml")
}

fn columns(records: &[Value]) -> Vec<String> {
    let all = records.iter().flat_map(|record| record["attributes"].as_object().unwrap().keys().cloned());
    all.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

#[test]
fn a_column_that_is_never_stored_is_nowhere() {
    let (staff, place) = (Staff::start(), Place::new());
    place.done(&["run", &staff.sample(), "--without", "email", "--keep-pages", "none"]);
    let records = place.records(&[]);
    assert_eq!(records.len(), PEOPLE);
    let columns = columns(&records);
    assert!(columns.contains(&"phone".to_owned()) && !columns.contains(&"email".to_owned()), "{columns:?}");
    assert_eq!(place.holds(&email(3)), [""; 0], "in no file, packed or not");
    assert_ne!(place.holds(&phone(3)), [""; 0], "the others are");
    let kept = place.rows("SELECT COUNT(*) AS n FROM pages WHERE archive <> ''");
    assert_eq!(kept[0]["n"], 0);
    place.done(&["export", "--out", "a.csv", "--data-package"]);
    let said = std::fs::read_to_string(place.at("datapackage.json")).unwrap();
    assert!(said.contains("never stored: email") && said.contains("dropped after they were read"), "{said}");
    let proved = place.tried(&["prove", &staff.sample()]);
    assert_eq!(proved.status.code(), Some(2));
    assert!(stderr(&proved).contains("not kept"), "{}", stderr(&proved));
}

#[test]
fn what_an_earlier_run_stored_is_forgotten() {
    forgets(&Place::new());
}

#[test]
fn what_an_earlier_run_stored_is_forgotten_on_postgresql() {
    let Some(postgres) = Postgres::or_skip() else { return };
    forgets(&Place::on(postgres.url()));
}

fn forgets(place: &Place) {
    let staff = Staff::start();
    place.done(&["run", &staff.sample(), "--keep-pages", "none"]);
    staff.set_team(2, "Team Violet");
    place.done(&["run", &staff.sample(), "--recheck", "--keep-pages", "none"]);
    assert_eq!(place.rows("SELECT COUNT(*) AS n FROM record_history")[0]["n"], 1);
    staff.set_team(3, "Team Black");
    place.done(&["run", &staff.sample(), "--recheck", "--keep-pages", "none", "--without", "email"]);
    let kept = |what: &str| {
        let like = format!("WHERE CAST(attributes AS TEXT) || CAST(evidence AS TEXT) LIKE '%{what}%'");
        let sql =
            format!("SELECT (SELECT COUNT(*) FROM records {like}) + (SELECT COUNT(*) FROM record_history {like}) AS n");
        place.rows(&sql)[0]["n"].as_i64().unwrap()
    };
    assert_eq!(kept("@mail.example"), 0);
    assert!(kept("+49 30 555") > 0, "the others are");
    let changed = place.rows("SELECT url FROM changes WHERE run_id = 3 AND change = 'changed'");
    assert_eq!(changed.len(), 1, "to forget is no change: {changed:?}");
}

#[test]
fn hashes_are_equal_for_equal_values_and_need_the_key() {
    let (staff, place) = (Staff::start(), Place::new());
    std::fs::write(place.at("key"), "a key of more than 16 bytes\n").unwrap();
    let own = config(&place, "[privacy]\nhash = [\"email\", \"team\"]\nkey_file = \"key\"\n");
    place.done(&["--config", &own, "run", &staff.sample(), "--keep-pages", "none"]);
    let records = place.records(&[]);
    let value = |number: usize, column: &str| records[number]["attributes"][column][0].as_str().unwrap().to_owned();
    assert!(value(0, "email").starts_with("hash:") && value(0, "email") != value(1, "email"));
    assert_eq!(value(0, "team"), value(3, "team"), "people 1 and 4 are of one team");
    assert_eq!(place.holds(&email(3)), [""; 0]);
    assert_eq!(place.holds("a key of more").len(), 1, "the key stays where it is");
    let without = config(&place, "[privacy]\nhash = [\"email\"]\n");
    let refused = place.tried(&["--config", &without, "run", &staff.sample()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("key_file"), "{}", stderr(&refused));
}

#[test]
fn what_is_masked_stays_in_the_database_and_leaves_in_no_file() {
    let (staff, place) = (Staff::start(), Place::new());
    place.done(&["run", &staff.sample()]);
    let own = config(&place, "[privacy]\nmask_contacts = true\nmask = [\"room\"]\n");
    for name in ["a.csv", "a.jsonl", "a.json", "a.parquet", "a.xlsx"] {
        place.done(&["--config", &own, "export", "--out", name]);
    }
    for text in [email(3), phone(3)] {
        let found: Vec<String> = place.holds(&text).into_iter().filter(|path| path.contains("/a.")).collect();
        assert_eq!(found, [""; 0]);
        assert!(place.holds(&text).iter().any(|path| path.contains("p.db")), "{text}");
    }
    let csv = std::fs::read_to_string(place.at("a.csv")).unwrap();
    assert_eq!(csv.matches("[e-mail]").count(), PEOPLE, "{csv}");
    assert_eq!(csv.matches("[telephone]").count(), PEOPLE);
    assert_eq!(csv.matches("[masked]").count(), PEOPLE);
    assert!(csv.contains("Team Blue") && csv.contains("Person 33"));
}

#[test]
fn exports_leave_columns_out_and_know_a_slip_of_the_pen() {
    let (staff, place) = (Staff::start(), Place::new());
    place.done(&["run", &staff.sample()]);
    let left = columns(&place.records(&["--without", "email", "--without", "phone"]));
    assert!(
        left.contains(&"room".to_owned()) && !left.iter().any(|name| name == "email" || name == "phone"),
        "{left:?}"
    );
    let wrong = place.tried(&["export", "--without", "emial"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("did you mean `email`?"), "{}", stderr(&wrong));
    let pages: Vec<String> = (1..=PEOPLE).map(|number| staff.site.url(&format!("/people/{number}"))).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let read = stdout(&place.tried(&[&["extract", "--without", "email"][..], &pages[..]].concat()));
    assert!(read.contains(&phone(3)) && !read.contains(&email(3)), "{read}");
}

#[test]
fn an_example_of_what_must_not_be_stored_is_refused() {
    let place = Place::new();
    let refused = place.tried(&["run", "http://s.example/1", "--without", "email", "--example", "email=ada@x.example"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("is not to be stored"), "{}", stderr(&refused));
}
