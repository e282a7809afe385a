//! `pagekin hidden` as its users see it: the listings of the thesis against a real server in all nine behaviours, and what
//! the command asks for and leaves alone.

mod common;

use common::{DemoSite, pagekin, seen, stderr, stdout};
use pagekin_testkit::gaps::{MISSING, Missing, TEXTS, Text, gaps};
use pagekin_testkit::server::{Reply, Server, Site};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What stands for the site in the fixtures.
const EXAMPLE: &str = "http://example.com";

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hidden").join(name);
    fs::read_to_string(path).expect("a fixture")
}

/// The listing's addresses as those of a running site.
fn listing(folder: &TempDir, site: &Site) -> PathBuf {
    write(folder, &fixture("listing.txt").replace(EXAMPLE, site.url("").as_str()))
}

fn write(folder: &TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("urls.txt");
    fs::write(&path, text).unwrap();
    path
}

fn run(path: &Path, arguments: &[&str]) -> Vec<Value> {
    let mut command = pagekin();
    command.args(["hidden", "--format", "jsonl", "--urls"]).arg(path).args(arguments);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn found(rows: &[Value]) -> Vec<String> {
    rows.iter().flat_map(|row| row["found"].as_array().unwrap()).map(|page| text(page, "url").to_owned()).collect()
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

/// The templates after a step, one a line, as the fixtures have them.
fn stage(path: &Path, site: &Site, stage: &str) -> String {
    let rows = run(path, &["--stage", stage, "--fewest", "1"]);
    let mut told = String::new();
    let mut last = String::new();
    for row in &rows {
        if stage == "group" && text(row, "group") != last {
            last = text(row, "group").to_owned();
            told += &format!("Group {last}\n");
        }
        let indent = if stage == "group" { "  " } else { "" };
        told += &format!("{indent}{}\n", text(row, "template"));
    }
    told.replace(site.url("").as_str(), EXAMPLE)
}

#[test]
fn stages_are_those_of_the_listings() {
    let folder = tempfile::tempdir().unwrap();
    for text in [Text::Redirects, Text::Ignores] {
        for missing in MISSING {
            let site = gaps(text, missing).start();
            let path = listing(&folder, &site);
            for name in ["init", "group", "prefix", "unused", "final"] {
                let expected = fixture(&format!("{name}.txt"));
                assert_eq!(stage(&path, &site, name), expected, "{name}, {text:?}, {missing:?}");
            }
        }
    }
}

/// Listing 1. Where the site insists on the text, only the forum's pages can be guessed.
#[test]
fn the_published_method_finds_what_the_listing_shows() {
    let folder = tempfile::tempdir().unwrap();
    for text in TEXTS {
        for missing in MISSING {
            let site = gaps(text, missing).start();
            let rows = run(&listing(&folder, &site), &["--method", "templates-2016", "--fewest", "1"]);
            let wanted = |line: &&str| text != Text::Insists || line.contains("/forum");
            let expected = fixture("found.txt").replace(EXAMPLE, site.url("").as_str());
            let expected = expected.lines().filter(wanted).map(str::to_owned).collect();
            assert_eq!(sorted(found(&rows)), sorted(expected), "{text:?}, {missing:?}");
        }
    }
}

#[test]
fn our_method_finds_the_same_entities_in_all_nine_behaviours() {
    let folder = tempfile::tempdir().unwrap();
    for behaviour in TEXTS {
        for missing in MISSING {
            let site = gaps(behaviour, missing).start();
            let rows = run(&listing(&folder, &site), &["--fewest", "2"]);
            let ids = |name: &str| -> Vec<u64> {
                let rows = rows.iter().filter(|row| text(row, "template").contains(name));
                let pages = rows.flat_map(|row| row["found"].as_array().unwrap().clone());
                pages.map(|page| page["id"].as_u64().unwrap()).collect()
            };
            let items: &[u64] = if behaviour == Text::Insists { &[] } else { &[3, 5] };
            assert_eq!(ids("/shop/"), items, "{behaviour:?}, {missing:?}: {rows:#?}");
            assert_eq!(ids("/forum"), [2], "{behaviour:?}, {missing:?}: {rows:#?}");
            for page in rows.iter().flat_map(|row| row["found"].as_array().unwrap()) {
                assert_eq!(page["unlinked"], true);
                assert!(text(page, "how").starts_with("in a gap of the ids"), "{page}");
            }
        }
    }
}

#[test]
fn what_a_site_does_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let site = gaps(Text::Redirects, Missing::Empty).start();
    let rows = run(&listing(&folder, &site), &["--fewest", "2"]);
    let shop = rows.iter().find(|row| text(row, "template").contains("/shop/")).unwrap();
    assert_eq!((text(shop, "text"), text(shop, "missing")), ("redirects", "empty-page"));
}

/// Forty items in a series with gaps.
fn series(root: &str) -> String {
    (1..=40).filter(|id| id % 5 != 0).map(|id| format!("{root}/item/{id}\n")).collect()
}

/// Items that exist, those of odd fives among them.
fn shop() -> Server {
    Server::new().rest(|asked| {
        let id = asked.target.strip_prefix("/item/").and_then(|id| id.parse::<u64>().ok());
        match id.filter(|id| *id <= 40 && id % 10 != 0) {
            Some(id) => Reply::html(format!("<h1>Item {id}</h1><dl><dt>Colour<dd>c{id}<dt>Weight<dd>{id} kg</dl>")),
            None => Reply::html("<h1>Not found</h1>").with_status(404),
        }
    })
}

#[test]
fn gaps_are_filled_and_little_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let site = shop().start();
    let path = write(&folder, &series(&site.url("")));
    let rows = run(&path, &[]);
    let expected = [5, 15, 25, 35].map(|id| site.url(&format!("/item/{id}")));
    assert_eq!(found(&rows), expected);
    assert!(site.targets().len() <= 3 * 4 + 50, "{:?}", site.targets());
}

/// A weblog with named permalinks: posts from 41 on, a third of the numbers unused, and every seventh that exists linked nowhere. Below
/// stand a few old ones far apart.
fn is_post(id: u64) -> bool {
    id <= 200 && if id <= 40 { id % 6 == 3 } else { !id.is_multiple_of(3) }
}

fn is_hidden(id: u64) -> bool {
    is_post(id) && id > 40 && id.is_multiple_of(7)
}

/// `/news/57-post-fh/`
fn permalink(id: u64) -> String {
    let word: String = id.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
    format!("/news/{id}-post-{word}/")
}

fn post(id: u64) -> String {
    let next = (id + 1..id + 4).find(|&next| is_post(next) && !is_hidden(next)).unwrap_or(43);
    format!(
        "<link rel=shortlink href='/?p={id}'><h1>Post {id}</h1><p>Words of the author on {id}, and of {}.<p>By a{id}\
         <p>Next: <a href={}>{next}</a>",
        id * 31,
        permalink(next)
    )
}

/// `insists`: a wrong text is not found; else it redirects to the right one. Short addresses always do.
fn weblog(insists: bool) -> Server {
    Server::new().rest(move |asked| {
        let short = asked.target.strip_prefix("/?p=").map(|id| (id, true));
        let named = asked.target.strip_prefix("/news/").and_then(|rest| rest.split_once('-'));
        let Some((id, may_differ)) = short.or(named.map(|(id, _)| (id, !insists))) else { return Reply::status(404) };
        match id.parse().ok().filter(|id| is_post(*id)) {
            Some(id) if asked.target == permalink(id) => Reply::html(post(id)),
            Some(id) if may_differ => Reply::redirect(301, permalink(id)),
            _ => Reply::html("<h1>Not found</h1>").with_status(404),
        }
    })
}

fn linked_posts(root: &str) -> String {
    let linked = (1..=200).filter(|id| is_post(*id) && !is_hidden(*id));
    linked.map(|id| format!("{root}{}\n", permalink(id))).collect()
}

#[test]
fn ids_that_do_not_exist_at_one_end_do_not_end_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let site = weblog(false).start();
    let rows = run(&write(&folder, &linked_posts(&site.url(""))), &[]);
    let hidden = (1..=200).filter(|id| is_hidden(*id)).count();
    let found = found(&rows);
    assert!(found.len() * 10 >= hidden * 9, "{} of {hidden}, {}", found.len(), rows[0]["ended"]);
    assert!(found.iter().all(|url| url.contains("/news/")), "{found:?}");
}

#[test]
fn where_the_text_has_to_be_right_short_addresses_are_asked() {
    let folder = tempfile::tempdir().unwrap();
    let site = weblog(true).start();
    let rows = run(&write(&folder, &linked_posts(&site.url(""))), &[]);
    let hidden = (1..=200).filter(|id| is_hidden(*id)).count();
    // Learning takes twice as many questions, so that it ends sooner.
    assert!(found(&rows).len() * 3 >= hidden * 2, "{} of {hidden}: {}", found(&rows).len(), rows[0]["ended"]);
    assert!(site.targets().iter().any(|target| target.starts_with("/?p=")), "{:?}", site.targets());
    assert_eq!(rows[0]["forms"].as_array().unwrap().last(), Some(&Value::from(site.url("/?p={N}"))));
}

/// The same weblog with permalinks that show no id: `/news/post-fh/`.
fn named_weblog() -> Server {
    let plain = |id: u64| permalink(id).replacen(&format!("{id}-"), "", 1);
    Server::new().rest(move |asked| {
        let ids = || (1..=200).filter(|id| is_post(*id));
        match asked.target.strip_prefix("/?p=") {
            Some(id) => match id.parse().ok().filter(|id| is_post(*id)) {
                Some(id) => Reply::redirect(301, plain(id)),
                None => Reply::html("<h1>Not found</h1>").with_status(404),
            },
            None => match ids().find(|id| plain(*id) == asked.target) {
                Some(id) => Reply::html(post(id)),
                None => Reply::html("<h1>Not found</h1>").with_status(404),
            },
        }
    })
}

#[test]
fn where_addresses_show_no_id_short_addresses_do() {
    let folder = tempfile::tempdir().unwrap();
    let site = named_weblog().start();
    let linked = (1..=200).filter(|id| is_post(*id) && !is_hidden(*id));
    let list: String = linked.map(|id| site.url(&permalink(id).replacen(&format!("{id}-"), "", 1)) + "\n").collect();
    let rows = run(&write(&folder, &list), &[]);
    let hidden = (1..=200).filter(|id| is_hidden(*id)).count();
    assert_eq!(text(&rows[0], "template"), site.url("/?p={N}"));
    let found = found(&rows);
    assert!(found.len() * 10 >= hidden * 9, "{} of {hidden}, {}", found.len(), rows[0]["ended"]);
    assert!(found.iter().all(|url| url.contains("/news/post-")), "{found:?}");
}

/// A page found without a link leads on to others, which only it links to.
#[test]
fn a_search_goes_on_from_what_was_found_without_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let site = Server::new()
        .rest(|asked| {
            let linked = || (1..=40u64).filter(|id| !id.is_multiple_of(5));
            let item = |id: u64, links: &str| {
                Reply::html(format!(
                    "<html><body><h1>Item {id}</h1><p>Colour: c{id}</p><p>Weight: {id} kg</p><a href=/>All</a><ul>{links}</ul></body></html>"
                ))
            };
            let list = |ids: &[u64]| -> String {
                ids.iter().map(|id| format!("<li><a href=/item/{id}>Item {id}</a></li>")).collect()
            };
            let all: Vec<u64> = linked().collect();
            match asked.target.strip_prefix("/item/").and_then(|id| id.parse::<u64>().ok()) {
                Some(15) => item(15, &list(&(9001..=9008).collect::<Vec<_>>())),
                Some(id @ (1..=40 | 9001..=9008)) => item(id, ""),
                None if asked.target == "/" => Reply::html(format!("<html><body><h1>All</h1><ul>{}</ul></body></html>", list(&all))),
                _ => Reply::status(404),
            }
        })
        .start();
    let db = at("p.db");
    let output = pagekin().args(["run", &site.url("/item/1"), "--hidden", "--db", &db]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let query =
        ["query", "SELECT COUNT(*) AS n FROM entities WHERE url LIKE '%/item/900%'", "--db", &db, "--format", "jsonl"];
    let found = pagekin().args(query).output().unwrap();
    assert_eq!(stdout(&found).trim(), "{\"n\":8}", "{}\n{}", stdout(&output), stderr(&output));
}

/// Its list was not whole: the page before links to it.
#[test]
fn a_page_that_a_known_page_links_to_is_not_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let site = Server::new()
        .rest(|asked| match asked.target.strip_prefix("/item/").and_then(|id| id.parse::<u64>().ok()) {
            Some(id) if id <= 40 => {
                Reply::html(format!("<h1>Item {id}</h1><p>c{id}<p>{id} kg<a href=/item/15>best</a>"))
            }
            _ => Reply::status(404),
        })
        .start();
    let rows = run(&write(&folder, &series(&site.url(""))), &[]);
    let pages = rows[0]["found"].as_array().unwrap();
    let linked: Vec<u64> =
        pages.iter().filter(|page| page["unlinked"] == false).map(|page| page["id"].as_u64().unwrap()).collect();
    assert_eq!((pages.len(), linked), (8, vec![15]), "{rows:?}");
}

#[test]
fn templates_only_and_a_dry_run_ask_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let site = shop().start();
    let path = write(&folder, &series(&site.url("")));
    let templates = run(&path, &["--templates-only"]);
    assert_eq!(text(&templates[0], "template"), site.url("/item/{N}"));
    assert_eq!(templates[0]["known"].as_array().unwrap().len(), 32);
    let planned = run(&path, &["--dry-run"]);
    let asked = planned[0]["would_ask"].as_array().unwrap();
    assert!(asked.contains(&Value::from(site.url("/item/5"))), "{planned:?}");
    assert_eq!(site.targets(), [""; 0]);
}

#[test]
fn robots_txt_is_obeyed_and_actions_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let site = shop().robots("User-agent: *\nDisallow: /item/5\nDisallow: /item/15$").start();
    let basket: String = (1..=40).filter(|id| id % 5 != 0).map(|id| site.url(&format!("/basket/add/{id}\n"))).collect();
    let path = write(&folder, &format!("{}{basket}", series(&site.url(""))));
    let rows = run(&path, &[]);
    assert_eq!(found(&rows), [25, 35].map(|id| site.url(&format!("/item/{id}"))));
    let forbidden = |target: &&String| ["/item/5", "/item/15"].contains(&target.as_str()) || target.contains("basket");
    assert_eq!(site.targets().iter().filter(forbidden).count(), 0, "{:?}", site.targets());
}

#[test]
fn a_budget_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let site = shop().start();
    let path = write(&folder, &series(&site.url("")));
    run(&path, &["--budget", "12"]);
    assert!(site.targets().len() <= 12, "{:?}", site.targets());
}

/// Further tries count like first ones, whatever answers.
#[test]
fn a_budget_is_kept_where_every_answer_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let site = Server::new().robots("").rest(|_| Reply::status(500)).start();
    let path = write(&folder, &series(&site.url("")));
    for method in ["kin", "templates-2016"] {
        let before = site.targets().len();
        let output =
            pagekin().args(["hidden", "--budget", "12", "--method", method, "--urls"]).arg(&path).output().unwrap();
        let asked = site.targets().len() - before;
        assert!((1..=12).contains(&asked), "{method}: {asked} requests\n{}", stderr(&output));
    }
}

#[test]
fn a_site_that_answers_everything_alike_is_not_guessed_at() {
    let folder = tempfile::tempdir().unwrap();
    let site = Server::new().rest(|_| Reply::html("<h1>Welcome</h1><p>All our items")).start();
    let path = write(&folder, &series(&site.url("")));
    let rows = run(&path, &[]);
    assert_eq!(found(&rows), [""; 0]);
    assert_eq!(text(&rows[0], "missing"), "unknown");
}

#[test]
fn packed_lists_and_indexes_of_crawls_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let line = |id: u64| {
        format!(
            "org,s)/item/{id} 20150701000000 {{\"url\":\"http://s.org/item/{id}\",\"status\":\"200\",\"mime\":\"text/html\"}}\n"
        )
    };
    let text: String = (1..30).map(line).collect();
    let path = folder.path().join("crawl.cdxj.gz");
    let mut packed = flate2::write::GzEncoder::new(fs::File::create(&path).unwrap(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap();
    let rows = run(&path, &["--templates-only"]);
    assert_eq!(text_of(&rows), ["http://s.org/item/{N}"]);
}

fn text_of(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| text(row, "template")).collect()
}

/// From a sample alone: its kind is discovered first. Drivers are numbered anew each year.
#[test]
fn a_sample_is_enough() {
    let site = DemoSite::start();
    let truth = pagekin_web::demo::Site::new().truth();
    let output = pagekin().args(["hidden", &site.sample(), "--format", "jsonl"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = truth.drivers_hidden.iter().map(|path| format!("{}{path}", site.root)).collect();
    assert_eq!(sorted(found(&rows)), sorted(expected), "{}", stderr(&output));
}

#[test]
fn help() {
    insta::assert_snapshot!(seen(&["hidden", "--help"]));
}

#[test]
fn errors() {
    let cases: [&[&str]; 4] = [
        &["hidden"],
        &["hidden", "--urls", "no-such-list.txt"],
        &["hidden", "--stage", "middle", "--urls", "x"],
        &["hidden", "--method", "guess", "--urls", "x"],
    ];
    let told: Vec<String> = cases.iter().map(|arguments| seen(arguments)).collect();
    for told in &told {
        assert!(told.contains("exit code: 2") && told.contains("\n\nhint: "), "{told}");
    }
    insta::assert_snapshot!(told.join("\n"));
}
