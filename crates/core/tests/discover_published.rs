//! The published methods on small sites held in memory: the figures of the papers, redirects, dead links, budgets.

#[path = "discover_support/gpp.rs"]
mod gpp;

use futures::executor::block_on;
use pagekin_core::discover::{Discovery, Error, Method, Settings, discover};
use pagekin_core::page::layout::Layout;
use pagekin_core::pages::{Answer, Pages, RawPage, Reason, Skipped, not_drawn};
use pagekin_core::site::Stop;
use std::collections::BTreeMap;
use std::sync::Mutex;
use url::Url;

const HOST: &str = "http://website/";

/// A site that remembers what it was asked for, and refuses to be asked twice.
#[derive(Default)]
struct Memory {
    pages: BTreeMap<String, String>,
    moved: BTreeMap<String, String>,
    interrupted_after: Option<usize>,
    /// Tells where everything stands.
    drawn: bool,
    asked: Mutex<Vec<String>>,
}

impl Memory {
    fn page(&mut self, path: &str, html: impl Into<String>) {
        self.pages.insert(path.to_owned(), html.into());
    }

    fn answer(&self, url: &Url) -> Answer {
        let asked = url.as_str().strip_prefix(HOST).expect("only the site is asked").to_owned();
        let mut log = self.asked.lock().unwrap();
        if self.interrupted_after.is_some_and(|pages| log.len() >= pages) {
            return Answer::Skipped(Skipped::new(url, Reason::Interrupted, ""));
        }
        assert!(!log.contains(&asked), "`{asked}` was asked for twice");
        log.push(asked.clone());
        let path = self.moved.get(&asked).unwrap_or(&asked);
        let redirects = if *path == asked { Vec::new() } else { vec![url.clone()] };
        let (status, body) = self.pages.get(path).map_or((404, ""), |html| (200, html));
        let url = address(path);
        Answer::Page(RawPage {
            url,
            redirects,
            status,
            content_type: None,
            body: body.to_owned().into(),
            robots: Default::default(),
        })
    }

    fn forget(&self) {
        self.asked.lock().unwrap().clear();
    }
}

impl Pages for Memory {
    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        urls.iter().map(|url| self.answer(url)).collect()
    }

    async fn layouts(&self, urls: &[Url]) -> Vec<Result<Layout, Skipped>> {
        if !self.drawn {
            return not_drawn(urls);
        }
        urls.iter().map(|url| Ok(gpp::layout(url, &self.pages[path_of(url)]))).collect()
    }
}

fn address(path: &str) -> Url {
    Url::parse(HOST).unwrap().join(path).unwrap()
}

fn settings(method: Method) -> Settings {
    Settings { method, ..Settings::default() }
}

fn run(site: &Memory, samples: &[&str], settings: &Settings) -> Discovery {
    site.forget();
    let samples: Vec<Url> = samples.iter().map(|path| address(path)).collect();
    block_on(on_any_thread(discover(site, &samples, settings))).unwrap()
}

/// A search may be moved between threads while it waits.
fn on_any_thread<F: Future + Send>(search: F) -> F {
    search
}

fn path_of(url: &Url) -> &str {
    url.as_str().strip_prefix(HOST).unwrap()
}

fn entities(discovery: &Discovery) -> Vec<&str> {
    discovery.entities.iter().map(|entity| path_of(&entity.url)).collect()
}

fn why<'a>(discovery: &'a Discovery, path: &str) -> Option<&'a str> {
    discovery.dropped.iter().find(|dropped| path_of(&dropped.url) == path).map(|dropped| &*dropped.why)
}

fn explained(discovery: &Discovery, words: &str) -> bool {
    discovery.steps.iter().flat_map(|step| &step.lines).any(|line| line.contains(words))
}

/// `<tag><a href=...></a>...</tag>`; the parser closes what is left open inside.
fn links(tag: &str, paths: &[&str]) -> String {
    let anchors: String = paths.iter().map(|path| format!("<a href='/{path}'>x</a>")).collect();
    let outer = tag.split('>').next().unwrap();
    format!("<{tag}>{anchors}</{outer}>")
}

const DRIVERS: [&str; 5] = [
    "drivers/2014/driver_04.htm",
    "drivers/2015/driver_01.htm",
    "drivers/2015/driver_02.htm",
    "drivers/2015/driver_03.htm",
    "drivers/2016/driver_05.htm",
];
const SAMPLE: &str = "drivers/2015/driver_02.htm";

/// SSUP 2019 figure 2: home 0.0; drivers 1.0, teams 1.1; years 2.0 to 2.2, teams of a year 2.3; drivers 3.1 to 3.5, teams
/// 3.6 and 3.7, news 3.0 and 3.8. Driver 3.3 drove in 2015 and 2014, driver 3.4 in 2014 and 2016.
fn championship() -> Memory {
    let mut site = Memory { drawn: true, ..Memory::default() };
    let nav = links("nav", &["", "news/all/races/0.htm", "news/all/races/8.htm"]);
    let [d4, d1, d2, d3, d5] = DRIVERS;
    let (y2015, y2014, y2016, all) = ("drivers/2015", "drivers/2014", "drivers/2016", "teams/2015");
    let (t6, t7) = ("teams/2014/team_06.htm", "teams/2015/team_07.htm");
    site.page("", nav.clone() + &links("div", &["drivers", "teams"]));
    site.page("news/all/races/0.htm", nav.clone() + &links("b", &["rules.htm"]));
    site.page("news/all/races/8.htm", nav.clone() + &links("b", &["rules.htm"]));
    site.page("drivers", nav.clone() + &links("ul><li", &[y2015, y2014, y2016]));
    site.page("teams", nav.clone() + &links("ul><li", &[all]));
    for (path, up, list) in [
        (y2015, "drivers", vec![d1, d2, d3]),
        (y2014, "drivers", vec![d3, d4]),
        (y2016, "drivers", vec![d4, d5]),
        (all, "teams", vec![t6, t7]),
    ] {
        site.page(path, nav.clone() + &links("p", &[up]) + &links("div", &list));
    }
    let facts = links("table><tr><td", &["rules.htm"]);
    let (photo, quote) = (links("h2", &["photo.htm"]), links("i", &["quote.htm"]));
    site.page(d1, nav.clone() + &links("p", &[y2015]) + &facts + &photo);
    site.page(d2, nav.clone() + &links("p", &[y2015]) + &facts + &photo);
    site.page(d3, nav.clone() + &links("p", &[y2015, y2014]) + &facts);
    site.page(d4, nav.clone() + &links("p", &[y2014, y2016]) + &facts + &photo + &quote);
    site.page(d5, nav.clone() + &links("p", &[y2016]) + &facts + &photo + &quote);
    for team in [t6, t7] {
        site.page(team, nav.clone() + &links("p", &[all]) + &links("em", &["car.htm"]));
    }
    for leaf in ["rules.htm", "photo.htm", "quote.htm", "car.htm"] {
        site.page(leaf, links("b", &["rules.htm"]));
    }
    site
}

#[test]
fn ssup_2019_on_figure_2() {
    let discovery = run(&championship(), &[SAMPLE], &settings(Method::Ssup2019));
    assert_eq!(entities(&discovery), DRIVERS, "{:#?}", discovery.steps);
    let path = ["", "drivers", "drivers/2015", SAMPLE].map(|path| address(path).to_string()).join(" -> ");
    assert!(explained(&discovery, &format!("page path: {path}")), "{:#?}", discovery.steps);
    assert!(explained(&discovery, "learned threshold 0.75"), "{:#?}", discovery.steps);
    assert_eq!(discovery.stopped, None);
}

#[test]
fn ssup_2019_says_why() {
    let discovery = run(&championship(), &[SAMPLE], &settings(Method::Ssup2019));
    let team = why(&discovery, "teams/2015/team_07.htm").unwrap();
    assert!(team.contains("HTML similarity 0.40 below the threshold 0.75"), "{team}");
    // 3.6 comes after the group that failed: its HTML says nothing.
    let after = why(&discovery, "teams/2014/team_06.htm").unwrap();
    assert!(after.contains("lower than that of a group below"), "{after}");
    assert_eq!(why(&discovery, "news/all/races/0.htm"), Some("stands under another link-path than the sample"));
    let entity = |path: &str| discovery.entities.iter().find(|entity| path_of(&entity.url) == path).unwrap();
    assert_eq!((&*entity(SAMPLE).evidence, &entity(SAMPLE).via), ("the sample", &Some(address("drivers/2015"))));
    assert!(entity(DRIVERS[0]).evidence.starts_with("group 2 of 4: "), "{:?}", entity(DRIVERS[0]));
    assert_eq!(entity(DRIVERS[0]).via, Some(address("drivers/2014")));
    let indexes: Vec<(usize, &str)> = discovery.indexes.iter().map(|i| (i.level, path_of(&i.url))).collect();
    assert_eq!(indexes, [(0, ""), (1, "drivers"), (2, "drivers/2014"), (2, "drivers/2015"), (2, "drivers/2016")]);
    assert_eq!(discovery.indexes[2].parent, Some(address("drivers")));
    // Like index pages, but of teams: pruned.
    assert!(why(&discovery, "teams").unwrap().contains("leads to no page of the next level"));
}

#[test]
fn height_bounds_the_page_path() {
    let low = Settings { height: 1, ..settings(Method::Ssup2019) };
    let discovery = run(&championship(), &[SAMPLE], &low);
    assert_eq!(entities(&discovery), DRIVERS[1..4]);
    let none = Settings { height: 0, ..settings(Method::Ssup2019) };
    let discovery = run(&championship(), &[SAMPLE], &none);
    assert_eq!((entities(&discovery), discovery.downloads), (vec![SAMPLE], 1));
}

#[test]
fn several_samples_are_united_on_one_site() {
    let low = Settings { height: 1, ..settings(Method::Ssup2019) };
    let discovery = run(&championship(), &[SAMPLE, DRIVERS[4]], &low);
    assert_eq!(entities(&discovery), DRIVERS);
}

/// SSUP 2014 figures 1 and 2: A lists C, D and the noise page Z; the continuation page B is pointed to by C alone.
fn cars() -> Memory {
    let mut site = Memory::default();
    site.page("cars", links("ul><li", &["cars/2013", "cars/2014", "about/us/all.htm"]) + &links("b", &["help.htm"]));
    site.page("about/us/all.htm", links("h1", &["help.htm"]) + &links("h2", &["help.htm"]));
    site.page("help.htm", links("h1", &["cars"]));
    let year = |list: &[&str], next: &[&str]| links("p", &["cars"]) + &links("div", list) + &links("span", next);
    site.page("cars/2012", year(&["car/e_1", "car/f_2"], &["cars/2013"]));
    site.page("cars/2013", year(&["car/g_3", "car/h_4"], &["cars/2012"]));
    site.page("cars/2014", year(&["car/i_5", "car/j_6"], &["help.htm"]));
    for (car, year) in [("e_1", 2012), ("f_2", 2012), ("g_3", 2013), ("h_4", 2013), ("i_5", 2014), ("j_6", 2014)] {
        let up = format!("cars/{year}");
        site.page(&format!("car/{car}"), links("p", &[&up]) + &links("i", &["help.htm"]));
    }
    site
}

#[test]
fn ssup_2014_goes_through_continuation_pages() {
    let two = Settings { height: 2, ..settings(Method::Ssup2014) };
    let discovery = run(&cars(), &["car/g_3"], &two);
    let all = ["car/e_1", "car/f_2", "car/g_3", "car/h_4", "car/i_5", "car/j_6"];
    assert_eq!(entities(&discovery), all, "{:#?}", discovery.steps);
    let next = discovery.indexes.iter().find(|index| path_of(&index.url) == "cars/2012").unwrap();
    assert_eq!((next.level, &next.parent), (1, &Some(address("cars"))));
    assert!(next.evidence.starts_with("goes on with an index page"), "{next:?}");
    assert!(explained(&discovery, "through html/body/span/a"));
    // SSUP-2019 has no such step and misses what only the continuation page lists.
    let newer = run(&cars(), &["car/g_3"], &Settings { height: 2, ..settings(Method::Ssup2019) });
    assert_eq!(entities(&newer), all[2..], "{:#?}", newer.steps);
}

#[test]
fn ssup_2014_looks_one_hop_far() {
    let mut site = cars();
    // The sample no longer points to its index page, only to a page that does.
    site.page("car/g_3", links("p", &["hop.htm"]));
    site.page("hop.htm", links("p", &["cars/2013"]));
    assert_eq!(entities(&run(&site, &["car/g_3"], &settings(Method::Ssup2014))), ["car/g_3"]);
    let newer = run(&site, &["car/g_3"], &Settings { height: 1, ..settings(Method::Ssup2019) });
    assert_eq!(entities(&newer), ["car/g_3", "car/h_4"]);
}

#[test]
fn siblings_are_no_index_pages() {
    let mut site = Memory::default();
    // Every item lists the others as related through one link-path, more of them than the index page does.
    let items: Vec<String> = (0..9).map(|item| format!("items/item_{item}")).collect();
    for item in &items {
        let related: Vec<&str> = items.iter().filter(|other| *other != item).map(String::as_str).collect();
        site.page(item, links("aside", &related) + &links("p", &["list"]));
    }
    for other in ["items/item_20", "items/item_21"] {
        site.page(other, links("p", &["list"]));
    }
    let list = |items: [&str; 3]| links("ul><li", &items) + &links("p", &["list/2"]);
    site.page("list", list(["items/item_0", "items/item_20", "items/item_21"]));
    site.page("list/2", links("p", &["list"]));
    let low = Settings { height: 1, ..settings(Method::Ssup2019) };
    let discovery = run(&site, &["items/item_0"], &low);
    assert!(explained(&discovery, "9 point to it, 8 dropped as siblings"), "{:#?}", discovery.steps);
    assert_eq!(entities(&discovery), ["items/item_0", "items/item_20", "items/item_21"]);
    // A candidate reached in another way too stays.
    site.page("list", list(["items/item_0", "items/item_1", "items/item_2"]));
    let discovery = run(&site, &["items/item_0"], &low);
    assert!(explained(&discovery, "9 point to it, 6 dropped as siblings"), "{:#?}", discovery.steps);
}

#[test]
fn the_fullest_way_to_the_sample_counts() {
    let mut site = Memory::default();
    for item in 1..5 {
        site.page(&format!("items/item_{item}"), links("p", &["list"]));
    }
    let list = ["items/item_1", "items/item_2", "items/item_3", "items/item_4"];
    site.page("list", links("b", &["items/item_1", "about.htm"]) + &links("ul><li", &list));
    site.page("about.htm", links("b", &["list"]));
    let discovery = run(&site, &["items/item_1"], &settings(Method::Ssup2019));
    assert_eq!(entities(&discovery), list);
    assert!(explained(&discovery, "over 4 pages through html/body/ul/li/a"), "{:#?}", discovery.steps);
}

#[test]
fn redirects_lead_to_the_page_and_dead_links_are_skipped() {
    let mut site = Memory::default();
    for item in ["a_1", "b_2", "c_30"] {
        site.page(&format!("items/{item}"), links("p", &["list"]));
    }
    site.moved.insert("items/c_3".into(), "items/c_30".into());
    site.moved.insert("start".into(), "items/a_1".into());
    site.page("list", links("ul><li", &["items/a_1", "items/b_2", "items/c_3", "items/gone_4"]) + &links("b", &["x"]));
    for method in [Method::Ssup2014, Method::Ssup2019, Method::Indesit] {
        let discovery = run(&site, &["start"], &settings(method));
        assert_eq!(entities(&discovery), ["items/a_1", "items/b_2", "items/c_30"], "{method}");
        let skipped: Vec<&str> = discovery.skipped.iter().map(|skipped| path_of(&skipped.url)).collect();
        assert!(skipped.contains(&"items/gone_4"), "{method}: {skipped:?}");
        assert_eq!(discovery.downloads, 4, "{method}");
        // Six addresses were asked for; the two that could not be had spend no budget.
        let tight = run(&site, &["start"], &Settings { budget: Some(5), ..settings(method) });
        assert_eq!((entities(&tight), tight.stopped), (entities(&discovery), None), "{method}");
    }
}

#[test]
fn indesit_goes_from_entity_to_hub_to_entity() {
    let mild = Settings { threshold: 0.7, ..settings(Method::Indesit) };
    let discovery = run(&championship(), &[SAMPLE], &mild);
    assert_eq!(entities(&discovery), DRIVERS, "{:#?}", discovery.steps);
    let hubs: Vec<&str> = discovery.indexes.iter().map(|index| path_of(&index.url)).collect();
    assert_eq!(hubs, ["drivers/2014", "drivers/2015", "drivers/2016"]);
    assert!(why(&discovery, "drivers/2015").is_none() && why(&discovery, "news/all/races/0.htm").is_some());
    // Driver 3.3 is only 0.75 like the sample, and the way to the other years leads through it.
    let strict = run(&championship(), &[SAMPLE], &settings(Method::Indesit));
    assert_eq!(entities(&strict), [DRIVERS[1], SAMPLE]);
}

#[test]
fn indesit_leaves_a_collection_whose_first_pages_are_unlike() {
    let mut site = Memory::default();
    let items: Vec<String> = (1..9).map(|item| format!("items/item_{item}")).collect();
    for item in &items {
        site.page(item, links("p", &["list"]) + &links("em", &["x.htm"]));
    }
    site.page("x.htm", "");
    let others = ["n1.htm", "n2.htm", "n3.htm"];
    others.iter().for_each(|other| site.page(other, links("b", &["x.htm"])));
    let list: Vec<&str> = others.iter().copied().chain(items[1..].iter().map(String::as_str)).collect();
    site.page("list", links("h1", &[&items[0]]) + &links("div", &list));
    let discovery = run(&site, &[&items[0]], &settings(Method::Indesit));
    assert_eq!((entities(&discovery), discovery.downloads), (vec![&*items[0]], 6));
    // One unlike page less: a page like the sample is among the first three, and the whole is followed.
    site.page("list", links("h1", &[&items[0]]) + &links("div", &list[1..]));
    assert_eq!(entities(&run(&site, &[&items[0]], &settings(Method::Indesit))).len(), 8);
}

#[test]
fn two_runs_are_equal() {
    for method in [Method::Ssup2014, Method::Ssup2019, Method::Indesit, Method::Gpp] {
        let settings = Settings { threshold: 0.7, ..settings(method) };
        let answers = [championship(), championship()]
            .map(|site| serde_json::to_string(&run(&site, &[SAMPLE, DRIVERS[4]], &settings)).unwrap());
        assert_eq!(answers[0], answers[1], "{method}");
    }
}

#[test]
fn a_spent_budget_gives_what_is_known() {
    for method in [Method::Ssup2014, Method::Ssup2019, Method::Indesit, Method::Gpp] {
        let whole = run(&championship(), &[SAMPLE], &settings(method)).downloads;
        for budget in 0..=whole {
            let settings = Settings { budget: Some(budget), ..settings(method) };
            let discovery = run(&championship(), &[SAMPLE], &settings);
            assert!(discovery.downloads <= budget, "{method} {budget}");
            assert!(entities(&discovery).contains(&SAMPLE), "{method} {budget}");
            assert_eq!(discovery.stopped, (budget < whole).then_some(Stop::Budget), "{method} {budget}");
        }
    }
}

#[test]
fn an_interrupted_run_gives_what_is_known() {
    let mut site = championship();
    let whole = run(&site, &[SAMPLE], &settings(Method::Ssup2019)).downloads;
    site.interrupted_after = Some(whole - 2);
    let discovery = run(&site, &[SAMPLE], &settings(Method::Ssup2019));
    assert_eq!(discovery.stopped, Some(Stop::Interrupted));
    assert!(entities(&discovery).contains(&SAMPLE));
}

#[test]
fn a_sample_that_is_no_page_is_an_error_unless_another_is() {
    let site = championship();
    let missing = block_on(discover(&site, &[address("no.htm")], &settings(Method::Ssup2019))).unwrap_err();
    assert!(matches!(&missing, Error::Sample(..)) && missing.to_string().contains("error status (404)"), "{missing}");
    let discovery = run(&site, &["no.htm", SAMPLE], &settings(Method::Ssup2019));
    assert_eq!(entities(&discovery), DRIVERS);
    assert_eq!(path_of(&discovery.skipped[0].url), "no.htm");
}
