//! Does the work go on as the screens say? Runs that are stopped, resumed, and outlive the server; pages, facets and files of a data set.

use super::support::Served;
use pagekin::privacy::Privacy;
use pagekin::store::{NewRun, RecordRow, State, Store};
use pagekin_testkit::server::{Server, Site};
use std::collections::BTreeSet;
use std::time::Duration;

#[test]
fn a_run_is_stopped_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::with(folder.path(), Duration::from_millis(40));
    let run = served.run(&served.sample);
    served.wait_for(run, "running");
    assert_eq!(served.post(&format!("/api/runs/{run}/stop"), "").status, 200);
    let stopped = served.wait_for(run, "stopped");
    assert!(stopped["run"]["error"].as_str().unwrap().starts_with("stopped by hand"), "{stopped}");
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(served.json(&format!("/api/runs/{run}"))["run"]["state"], "stopped", "nobody takes it up by himself");
    assert_eq!(served.post(&format!("/api/runs/{run}/stop"), "").status, 422);
    assert_eq!(served.post(&format!("/api/runs/{run}/resume"), "").status, 200);
    let done = served.wait_for(run, "done");
    assert_eq!(done["run"]["stats"]["records"], 168, "{done}");
    assert_eq!(served.json("/api/runs?state=done")["runs"].as_array().unwrap().len(), 1);
    assert_eq!(served.json("/api/runs?q=no-such-site")["runs"].as_array().unwrap().len(), 0);
    assert!(served.json(&format!("/api/runs/{run}/log"))["log"].as_str().unwrap().contains("reading pages"));
}

/// A shop with two folders of things.
fn shop() -> Site {
    let paths =
        || ["red", "blue"].iter().flat_map(|folder| ('a'..='l').map(move |id| format!("/shop/{folder}/thing-{id}")));
    let links: String = paths().map(|path| format!("<li><a href={path}>{path}</a>")).collect();
    let thing = |path: &str| {
        let size = path.len() + path.bytes().map(usize::from).sum::<usize>();
        format!(
            "<a href=/>Home</a><h1>Thing {path}</h1><table><tr><th>Price<td>{size} EUR<tr><th>Weight<td>{size} g</table>"
        )
    };
    let home = Server::new().page("/", format!("<h1>Shop</h1><ul>{links}</ul>"));
    paths().fold(home, |server, path| server.page(&path, thing(&path))).start()
}

/// All things are the widest answer, those of the sample's folder a narrower one.
#[test]
fn a_narrower_kind_is_offered_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let (served, site) = (Served::start(folder.path()), shop());
    let sample = site.url("/shop/red/thing-c");
    let bearer = format!("Bearer {}", served.token);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/x-www-form-urlencoded")];
    let look = |rung: &str| {
        let form = format!("url={}&rung={rung}", encoded(&sample));
        let answer = served.send("POST", "/new/look", &headers, &form);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    };
    let first = look("");
    assert!(first.contains("id=\"ladder\"") && first.contains("value=\"narrower\""), "{first}");
    assert!(first.contains("24 pages</label>") && first.contains("12 pages</label>"), "{first}");
    assert!(first.contains("such as /shop/") && first.contains("These too"), "{first}");
    let narrower = look("narrower");
    assert!(narrower.contains("value=\"narrower\" checked") && narrower.contains("--narrower"), "{narrower}");
    let start = |rung: &str| served.post("/api/runs", &serde_json::json!({"url": sample, "rung": rung}).to_string());
    assert_eq!(start("all").status, 422);
    let queued: serde_json::Value = serde_json::from_str(&start("narrower").body).unwrap();
    let done = served.wait_for(queued["run"].as_i64().unwrap(), "done");
    assert_eq!(done["run"]["stats"]["records"], 12, "{done}");
}

/// Typed into the form or sent to the API, a password is sent to the site, and neither shown again nor kept.
#[test]
fn a_password_in_an_address_is_kept_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let (served, site) = (Served::start(folder.path()), pagekin_testkit::hostile::guarded("ann", "geheim77", 6));
    let sample = site.url("/items/1").replace("http://", "http://ann:geheim77@");
    let bearer = format!("Bearer {}", served.token);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/x-www-form-urlencoded")];
    let look = served.send("POST", "/new/look", &headers, &format!("url={}", encoded(&sample)));
    assert!(look.status == 200 && look.body.contains("Item 1"), "{}", look.body);
    assert!(!look.body.contains("geheim77"), "{}", look.body);
    let run = served.run(&sample);
    let done = served.wait_for(run, "done");
    assert_eq!(done["run"]["stats"]["records"], 6, "{done}");
    assert!(!done.to_string().contains("geheim77"), "{done}");
    assert!(site.log().iter().all(|visit| visit.headers.contains_key("authorization")));
    for name in ["p.db", "p.db-wal"] {
        let bytes = std::fs::read(folder.path().join(name)).unwrap_or_default();
        assert!(!bytes.windows(8).any(|some| some == b"geheim77"), "{name}");
    }
}

#[test]
fn a_run_outlives_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let site = Served::start(tempfile::tempdir().unwrap().path());
    let first = Served::with(folder.path(), Duration::from_millis(40));
    let run = first.run(&site.sample);
    first.wait_for(run, "running");
    drop(first);
    let second = Served::start(folder.path());
    let done = second.wait_for(run, "done");
    assert_eq!(done["run"]["stats"]["records"], 168, "{done}");
}

#[test]
fn a_data_set_is_paged_filtered_and_written_as_it_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    let run = served.run(&served.sample);
    let class = served.wait_for(run, "done")["run"]["class_id"].as_i64().unwrap();
    for order in ["", "&sort=team", "&sort=team&desc=1", "&sort=points&number=1", "&sort=points&number=1&desc=1"] {
        let (mut seen, mut after, mut keys) = (BTreeSet::new(), String::new(), Vec::new());
        loop {
            let page = served.json(&format!("/api/data/{class}?limit=50{order}{after}"));
            for record in page["records"].as_array().unwrap() {
                assert!(seen.insert(record["url"].as_str().unwrap().to_owned()), "twice: {record}");
                let value = |name: &str| record["attributes"][name][0].as_str().unwrap_or_default().to_owned();
                keys.push((value("team"), value("points").parse::<f64>().unwrap_or(f64::MIN)));
            }
            match page["next"].as_str() {
                Some(next) => after = format!("&after={}", encoded(next)),
                None => break,
            }
        }
        assert_eq!(seen.len(), 168, "{order}");
        if order.contains("desc") {
            keys.reverse();
        }
        assert!(!order.contains("team") || keys.is_sorted_by_key(|key| &key.0), "{order}");
        assert!(!order.contains("points") || keys.is_sorted_by(|one, other| one.1 <= other.1), "{order}");
    }
    let facet = served.json(&format!("/api/data/{class}/facet?column=team"))["values"][0].clone();
    let (team, count) = (facet["value"].as_str().unwrap(), facet["records"].as_u64().unwrap());
    let view = format!("f={}&col=team&as=team%3AStall&sort=title", encoded(&format!("team:{team}")));
    let shown = served.json(&format!("/api/data/{class}?{view}"));
    assert_eq!(shown["records"].as_array().unwrap().len() as u64, count);
    let csv = served.get(&format!("/data/{class}/export.csv?{view}"));
    let body: Vec<&str> = csv.body.lines().filter(|line| line.contains(',')).collect();
    assert_eq!((body[0], body.len() as u64), ("_url,_record,Stall", count + 1), "{}", csv.body);
    assert!(served.get(&format!("/data/{class}/export.jsonl?{view}")).body.contains("\"Stall\":["));
    assert!(served.get(&format!("/data/{class}/export.parquet?{view}")).body.contains("PAR1"));
    let sheet = served.get(&format!("/data/{class}/export.xlsx?{view}"));
    assert!(sheet.status == 200 && sheet.body.contains("PK\u{3}\u{4}"), "{}", sheet.head);
    assert!(sheet.head.contains("spreadsheetml"), "{}", sheet.head);
    assert_eq!(served.get(&format!("/data/{class}/export.exe?{view}")).status, 404);
    let tree = served.json(&format!("/api/data/{class}/tree"))["indexes"].clone();
    let shown: i64 = tree.as_array().unwrap().iter().filter_map(|index| index["shows"].as_i64()).sum();
    assert!(shown > 100, "most pages were found through an index page: {tree}");
    let words = served.json(&format!("/api/data/{class}?q={}&limit=1000", encoded(&team.to_uppercase())));
    assert!(words["records"].as_array().unwrap().len() as u64 >= count);
}

/// Columns that are never stored, hashed and masked, in every file that the server writes.
#[test]
fn files_hide_what_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    std::fs::write(folder.path().join("key"), "a key of more than 16 bytes\n").unwrap();
    let privacy = Privacy {
        without: own(&["points"]),
        hash: own(&["country"]),
        key_file: Some(folder.path().join("key")),
        mask: own(&["team"]),
        ..Privacy::default()
    };
    let served = Served::hiding(folder.path(), privacy);
    let run = served.run(&served.sample);
    let class = served.wait_for(run, "done")["run"]["class_id"].as_i64().unwrap();
    let lines = served.get(&format!("/data/{class}/export.jsonl")).body;
    let records: Vec<serde_json::Value> =
        lines.lines().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 168, "{lines}");
    let mut hidden = 0;
    for record in &records {
        let attributes = record["attributes"].as_object().unwrap_or_else(|| record.as_object().unwrap());
        assert!(!attributes.contains_key("points"), "{record}");
        let first = |name: &str| attributes.get(name).and_then(|values| values[0].as_str());
        assert!(first("team").is_none_or(|team| team == "[masked]"), "{record}");
        assert!(first("country").is_none_or(|country| country.starts_with("hash:")), "{record}");
        hidden += usize::from(first("team").is_some() && first("country").is_some());
    }
    assert!(hidden > 100, "{hidden} of 168");
    let stored = served.json(&format!("/api/data/{class}?limit=1000"))["records"].clone();
    let team = stored[0]["attributes"]["team"][0].as_str().unwrap().to_owned();
    assert!(!stored.to_string().contains("\"points\"") && team != "[masked]", "masked in files, not in the database");
    for format in ["csv", "jsonl", "json", "parquet", "xlsx"] {
        let file = served.get(&format!("/data/{class}/export.{format}"));
        assert!(file.status == 404 || !file.body.contains(&team), "{format}");
    }
}

pub fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// A class of two pages that hold a table each; the server finds it in its database.
async fn with_tables(folder: &std::path::Path) -> i64 {
    let store = Store::open(&folder.join("p.db").to_string_lossy()).await.unwrap();
    let url = |path: &str| pagekin::Url::parse(&format!("http://s.example/{path}")).unwrap();
    let (site, settings) = ("s.example".to_owned(), serde_json::json!({}));
    let new = NewRun { site, url: url(""), samples: vec![url("1")], settings, batch: None, private: false };
    store.enqueue(&new).await.unwrap();
    let run = store.claim("test", Duration::from_secs(60), None, 1).await.unwrap().remove(0);
    let class = store.new_class(run.site_id, "things", &[url("1")]).await.unwrap().id;
    store.set_class(&run, class).await.unwrap();
    let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let record = |path: &str, years: &[&str], places: &[&str]| RecordRow {
        url: url(path),
        nth: 0,
        attributes: [("title", texts(&[path])), ("seasons.year", texts(years)), ("seasons.place", texts(places))]
            .map(|(name, values)| (name.to_owned(), values))
            .into(),
        evidence: serde_json::json!({}),
        confidence: 1.0,
    };
    let records = [record("1", &["1969", "1970"], &["", "8"]), record("2", &["1971"], &["=3"])];
    store.put_records(&run, class, &records).await.unwrap();
    store.finish(&run, State::Done, Some(&serde_json::json!({"records": 2})), None).await.unwrap();
    class
}

#[test]
fn tables_within_pages_are_written_with_the_view() {
    let folder = tempfile::tempdir().unwrap();
    let class = tokio::runtime::Runtime::new().unwrap().block_on(with_tables(folder.path()));
    let served = Served::start(folder.path());
    let get = |query: &str| served.get(&format!("/data/{class}/export.{query}"));
    let csv = get("csv?child=seasons").body;
    for line in [
        "_url,_record,_position,place,year",
        "http://s.example/1,0,1,,1969",
        "http://s.example/1,0,2,8,1970",
        ",0,1,'=3,1971",
    ] {
        assert!(csv.contains(line), "{line}: {csv}");
    }
    assert!(!get("csv?child=seasons&q=1971").body.contains("1969"), "of what is shown");
    let lines = get("jsonl").body;
    assert!(lines.contains(r#""seasons":[{"year":"1969"},{"place":"8","year":"1970"}]"#), "{lines}");
    assert!(get("jsonl?child=seasons").body.contains(r#""_position":"2""#));
    assert!(get("parquet?child=seasons").body.contains("PAR1"));
    assert!(get("xlsx").status == 200 && get("xlsx?child=seasons").status == 200);
    assert_eq!(get("csv?child=none").status, 404);
    assert!(served.get(&format!("/data/{class}")).body.contains("child=seasons"));
}
