//! Do sites, their maps, health and watches, and questions in SQL work over plain HTTP?

use super::support::{PATIENCE, Served};
use super::work::encoded;
use std::time::{Duration, Instant};

#[test]
fn a_map_is_drawn_and_leads_to_a_data_set() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    let site = served.map();
    let path = format!("/map/{}", encoded(&site));
    let map = served.get(&path).body;
    assert!(map.contains("<svg id=\"map\"") && map.matches("<circle").count() >= 3, "{map}");
    let model = served.json(&format!("/api/maps/{}", encoded(&site)));
    let largest = &model["classes"][0];
    let class = served.get(&format!("{path}/{}", largest["id"])).body;
    assert!(class.contains("Make a data set of this kind") && class.contains("/new?url=http"), "{class}");
    let link = class.split("id=\"make\" href=\"").nth(1).unwrap().split('"').next().unwrap().replace("&#38;", "&");
    let new = served.get(&link.replace("&amp;", "&")).body;
    assert!(new.contains(largest["samples"][0].as_str().unwrap()), "{new}");
    assert!(new.contains("name=\"too\" value=\"http"), "more samples of the class: {new}");
    assert_eq!(served.get("/map/nowhere.example").status, 404);
    assert_eq!(served.post("/api/maps", "{\"url\": \"ftp://s/\"}").status, 422);
}

#[test]
fn a_data_set_is_watched_run_again_and_its_health_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    let run = served.run(&served.sample);
    let class = served.wait_for(run, "done")["run"]["class_id"].as_i64().unwrap();
    let add =
        |every: &str| served.post("/api/watches", &serde_json::json!({"class": class, "every": every}).to_string());
    assert_eq!(add("sometimes").status, 422);
    assert_eq!(add("12h").status, 200);
    let watch = served.json("/api/changes")["watches"][0].clone();
    assert_eq!((&watch["every"], &watch["last_run"]), (&"12h".into(), &serde_json::Value::Null), "{watch}");
    let change = |body: &str| served.post(&format!("/api/watches/{}", watch["id"]), body).status;
    assert_eq!(
        (change("{\"every\": \"2d\"}"), change("{\"every\": \"x\"}"), change("{\"action\": \"x\"}")),
        (200, 422, 422)
    );
    assert_eq!(served.json("/api/changes")["watches"][0]["every"], "2d");
    let start = Instant::now();
    while served.json("/api/changes")["watches"][0]["last_state"] != "done" {
        assert!(start.elapsed() < PATIENCE, "a new watch is due at once: {}", served.json("/api/changes")["watches"]);
        std::thread::sleep(Duration::from_millis(200));
    }
    let health = served.json(&format!("/api/data/{class}/health"));
    assert_eq!(health["runs"].as_array().unwrap().len(), 2, "{health}");
    assert_eq!(health["troubles"].as_array().unwrap().len(), 0, "{health}");
    assert!(served.get(&format!("/data/{class}/health")).body.contains("All is well"));
    assert!(served.get(&format!("/changes?run={run}&since=1")).body.contains("Nothing is new"));
    assert_eq!(change("{\"action\": \"remove\"}"), 200);
    assert_eq!(change("{\"action\": \"remove\"}"), 404);
}

#[test]
fn a_question_in_sql_only_reads() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    served.wait_for(served.run(&served.sample), "done");
    let ask = |sql: &str| served.get(&format!("/api/sql?sql={}", encoded(sql)));
    let count = ask("SELECT class, COUNT(*) AS n FROM current_records GROUP BY class -- all");
    assert!(count.status == 200 && count.body.contains("\"168\""), "{}", count.body);
    for sql in [
        "DELETE FROM records",
        "ATTACH '/tmp/x.db' AS x",
        "SELECT 1; DELETE FROM records",
        "nonsense",
        "SELECT * FROM nothing",
    ] {
        assert_eq!(ask(sql).status, 422, "{sql}");
    }
    let page = served.get(&format!("/sql?sql={}", encoded("SELECT '<script>' AS \"<b>\"")));
    assert!(page.body.contains("&#60;script&#62;") && !page.body.contains("<b>"), "{}", page.body);
}
