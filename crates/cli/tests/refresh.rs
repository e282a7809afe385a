//! `pagekin discover --refresh` as its users see it: a real server whose lists change between two runs.

mod common;

use common::championship::Championship;
use common::{pagekin, seen, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;

#[test]
fn errors() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let (other, newer) = (file("other.json", "{\"drivers\": []}"), file("newer.json", "{\"version\": 99}"));
    let cases: [(&str, &[&str]); 6] = [
        ("no such file", &["discover", "--refresh", "no-such.json"]),
        ("another file", &["discover", "--refresh", &other]),
        ("a newer file", &["discover", "--refresh", &newer]),
        ("a sample too", &["discover", "--refresh", "l.json", "http://s/"]),
        ("a tree too", &["discover", "--refresh", "l.json", "--tree", "t.html"]),
        ("nothing to go on with", &["discover", "http://s/", "--resume"]),
    ];
    let told: Vec<String> = cases.iter().map(|(name, arguments)| format!("# {name}\n{}", seen(arguments))).collect();
    for told in &told {
        assert!(told.contains("exit code: 2\n") && told.contains("\n\nhint: "), "{told}");
    }
    let folder = format!("{}/", folder.path().display());
    insta::assert_snapshot!(told.join("\n").replace(&folder, ""));
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let output = pagekin().arg("discover").args(arguments).current_dir(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    output
}

fn learn(site: &Championship, folder: &Path) {
    run(folder, &[&site.sample(), "--save-archive", "s.warc.gz", "--learned", "l.json"]);
}

/// Path and change of every row that is not `kept`.
fn changes(site: &Championship, output: &Output) -> Vec<(String, String)> {
    let root = site.site.url("");
    let rows = stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().replace(&root, "");
    let changed = rows.iter().filter(|row| row["change"] != "kept");
    changed.map(|row| (text(row, "change"), text(row, "url"))).collect()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn learning_asks_for_nothing_and_an_unchanged_site_answers_not_modified() {
    let (site, folder) = (Championship::start(), tempfile::tempdir().unwrap());
    run(folder.path(), &[&site.sample()]);
    let plain = site.site.log().len();
    learn(&site, folder.path());
    let log = site.site.log().len();
    assert_eq!(log, 2 * plain, "learning asked for more");
    let learned = json(&folder.path().join("l.json"));
    assert_eq!((&learned["version"], &learned["method"]), (&Value::from(1), &Value::from("kin")));

    let arguments = ["--refresh", "l.json", "--since", "s.warc.gz", "--learned", "l2.json", "--stats", "stats.json"];
    let again = run(folder.path(), &arguments);
    assert_eq!(changes(&site, &again), []);
    let stats = json(&folder.path().join("stats.json"));
    let indexes = learned["indexes"].as_array().unwrap().len();
    assert_eq!(site.asked_since(log).len(), indexes, "the index pages and nothing else");
    assert_eq!((&stats["not_modified"], &stats["downloads"]), (&Value::from(indexes), &Value::from(indexes)));
    assert_eq!(stats["changes"]["kept"], learned["entities"].as_array().unwrap().len());
    assert_eq!(json(&folder.path().join("l2.json")), learned);
}

/// An entry of a list page as the site writes it.
fn entry(site: &Championship, list: &str, driver: &str) -> String {
    let page = site.page(list);
    let at = page.find(driver).unwrap();
    let (start, end) = (page[..at].rfind("<li").unwrap(), at + page[at..].find("</li>").unwrap() + "</li>".len());
    page[start..end].to_owned()
}

#[test]
fn pages_that_came_went_and_changed_are_told_once() {
    let (site, folder) = (Championship::start(), tempfile::tempdir().unwrap());
    learn(&site, folder.path());
    let (list, second) = ("/drivers/2015/", "/drivers/2015/?page=2");
    let known = entry(&site, list, "driver_02.htm");
    let came = known.replace("driver_02", "driver_77");
    let story = known.replace("/drivers/2015/driver_02", "/news/2016/story_77");
    let words = known.find("\">").unwrap() + 2;
    let renamed = format!("{}Sir {}", &known[..words], &known[words..]);
    site.set(list, site.page(list).replace(&known, &format!("{renamed}{came}{story}")));
    let page = site.page(second);
    let links = page.split("href=\"").filter_map(|rest| rest.split('"').next());
    let gone = links.into_iter().find(|to| to.contains("driver_")).unwrap();
    let last = entry(&site, second, gone);
    // The list gets a further page.
    let third = "/drivers/2015/?page=3";
    site.set(third, page.replace(&last, &last.replace(gone, "/drivers/2015/driver_78.htm")));
    site.set(second, page.replace(&last, "").replace("</main>", &format!("<p><a href=\"{third}\">3</a></p></main>")));

    let log = site.site.log().len();
    let arguments = ["--refresh", "l.json", "--since", "s.warc.gz", "--save-archive", "new.warc.gz"];
    let again = run(folder.path(), &[&arguments[..], &["--learned", "l.json"]].concat());
    assert_eq!(
        changes(&site, &again),
        [
            ("changed", "/drivers/2015/driver_02.htm"),
            ("gone", gone),
            ("new", "/drivers/2015/driver_77.htm"),
            ("new", "/drivers/2015/driver_78.htm"),
        ]
        .map(|(change, url)| (change.to_owned(), url.to_owned()))
    );
    assert!(site.asked_since(log).contains(&third.to_owned()));
    assert!(stderr(&again).contains("2 new, 1 gone, 1 changed"), "{}", stderr(&again));

    // The file was brought up to date in place; what was kept answers without the site.
    let next = run(folder.path(), &["--refresh", "l.json", "--since", "new.warc.gz"]);
    assert_eq!(changes(&site, &next), []);
    let log = site.site.log().len();
    run(folder.path(), &["--refresh", "l.json", "--archive", "new.warc.gz", "--out", "changes.csv"]);
    run(folder.path(), &["--refresh", "l.json", "--archive", "new.warc.gz", "--out", "changes.parquet"]);
    assert_eq!(site.site.log().len(), log);
    let csv = fs::read_to_string(folder.path().join("changes.csv")).unwrap();
    assert!(csv.starts_with("url,change,via\r\n") && csv.contains("driver_77.htm,kept,"), "{csv}");
}

#[test]
fn a_new_list_beside_the_known_ones_is_followed() {
    let (site, folder) = (Championship::start(), tempfile::tempdir().unwrap());
    learn(&site, folder.path());
    let year = entry(&site, "/drivers/", "/drivers/2018/");
    let page = site.page("/drivers/").replace(&year, &format!("{year}{}", year.replace("2018", "2019")));
    site.set("/drivers/", page);
    site.set("/drivers/2019/", site.page("/drivers/2018/").replace("/drivers/2018/driver_", "/drivers/2019/driver_"));
    let again = run(folder.path(), &["--refresh", "l.json"]);
    let changes = changes(&site, &again);
    assert!(changes.len() > 5, "{changes:?}");
    for (change, url) in changes {
        assert!(change == "new" && url.starts_with("/drivers/2019/driver_"), "{change} {url}");
    }
}

#[test]
fn a_site_that_is_down_has_lost_nothing() {
    let (site, folder) = (Championship::start(), tempfile::tempdir().unwrap());
    learn(&site, folder.path());
    let learned = json(&folder.path().join("l.json"));
    let root = site.site.url("");
    for index in learned["indexes"].as_array().unwrap() {
        site.set(&index["url"].as_str().unwrap().replace(&root, ""), "<h1>Back soon</h1>".to_owned());
    }
    let again = run(folder.path(), &["--refresh", "l.json", "--learned", "l2.json"]);
    assert_eq!(changes(&site, &again), []);
    assert!(stderr(&again).contains("hint: no index page shows any known page"), "{}", stderr(&again));
    assert_eq!(json(&folder.path().join("l2.json"))["entities"], learned["entities"]);
}
