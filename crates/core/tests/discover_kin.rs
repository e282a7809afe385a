//! Our own method on small sites held in memory: paginated lists, sibling types in one layout, short addresses, months and
//! letters, indexes that only other kinds link to, pages the user rules out, budgets.

use futures::executor::block_on;
use pagekin_core::discover::{Discovery, Method, Settings, discover};
use pagekin_core::pages::{Answer, Pages, RawPage, Reason};
use pagekin_core::site::Stop;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use url::Url;

const HOST: &str = "http://website";

#[derive(Default)]
struct Site {
    pages: BTreeMap<String, String>,
}

impl Pages for Site {
    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        let answer = |url: &Url| {
            let body = self.pages.get(url.as_str().strip_prefix(HOST).unwrap_or(""));
            Answer::Page(RawPage {
                url: url.clone(),
                redirects: Vec::new(),
                status: if body.is_some() { 200 } else { 404 },
                content_type: Some("text/html; charset=utf-8".to_owned()),
                body: body.cloned().unwrap_or_default().into(),
                robots: Default::default(),
            })
        };
        urls.iter().map(answer).collect()
    }
}

impl Site {
    /// A page with the site's menu around it.
    fn page(&mut self, path: &str, title: &str, body: &str) {
        let html = format!(
            "<!DOCTYPE html><title>{title}</title><body><nav class=menu><ul><li><a href=/>Home</a><li><a href=/about/>About</a>\
             <li><a href=/contact/>Contact</a></ul></nav><main><h1>{title}</h1>{body}</main><footer><p>All rights</footer>"
        );
        self.pages.insert(path.to_owned(), html);
    }

    fn plain_pages(&mut self) {
        for name in ["about", "contact"] {
            self.page(&format!("/{name}/"), name, "<p>Some words about the site, and nothing else.</p>");
        }
    }

    fn run(&self, sample: &str, change: impl FnOnce(&mut Settings)) -> Discovery {
        let mut settings = Settings::default();
        change(&mut settings);
        block_on(discover(self, &[address(sample)], &settings)).expect("the sample can be read")
    }
}

fn address(path: &str) -> Url {
    Url::parse(&format!("{HOST}{path}")).unwrap()
}

fn found(discovery: &Discovery) -> BTreeSet<String> {
    discovery.entities.iter().map(|entity| entity.url.path().to_owned()).collect()
}

fn attributes(labels: &[&str], seed: usize) -> String {
    labels.iter().enumerate().fold(String::from("<table class=facts>"), |mut table, (i, label)| {
        let _ = write!(table, "<tr><th>{label}</th><td>{}</td></tr>", (seed * 7 + i * 13) % 101);
        table
    })
}

fn list<'a>(links: impl IntoIterator<Item = &'a String>) -> String {
    links.into_iter().fold(String::from("<ul class=list>"), |mut list, link| {
        let _ = write!(list, "<li><a href='{link}'>{}</a>", link.trim_matches('/').replace('/', " "));
        list
    })
}

/// 60 drivers on six list pages, 40 teams in the same layout with other labels, 30 news.
fn championship() -> (Site, BTreeSet<String>) {
    let mut site = Site::default();
    site.plain_pages();
    let drivers: Vec<String> = (0..60).map(|i| format!("/drivers/driver-{i}/")).collect();
    let teams: Vec<String> = (0..40).map(|i| format!("/teams/team-{i}/")).collect();
    let news: Vec<String> = (0..30).map(|i| format!("/news/story-{i}/")).collect();
    for (i, path) in drivers.iter().enumerate() {
        let team = &teams[i % 40];
        let body = attributes(&["Country", "Points", "Podiums", "Date of birth", "Team"], i);
        site.page(
            path,
            &format!("Driver {i}"),
            &format!("{body}</table><p>Drives for <a href='{team}'>{team}</a></p><a href=/drivers/>All drivers</a>"),
        );
    }
    for (i, path) in teams.iter().enumerate() {
        let body = attributes(&["Base", "Chassis", "Power unit", "First entry", "Principal"], i);
        site.page(
            path,
            &format!("Team {i}"),
            &format!("{body}</table><p>Has <a href='{}'>a driver</a></p><a href=/teams/>All teams</a>", drivers[i]),
        );
    }
    for (i, path) in news.iter().enumerate() {
        site.page(
            path,
            &format!("Story {i}"),
            &format!(
                "<p>On a day in spring {i} cars went round and round.</p><p>Nobody knows why.</p><a href='{}'>more</a>",
                news[(i + 1) % 30]
            ),
        );
    }
    for page in 0..6 {
        let path = if page == 0 { "/drivers/".to_owned() } else { format!("/drivers/page/{}/", page + 1) };
        let next =
            if page < 5 { format!("<a rel=next href=/drivers/page/{}/>Next</a>", page + 2) } else { String::new() };
        site.page(&path, "Drivers", &format!("{}</ul>{next}", list(&drivers[page * 10..page * 10 + 10])));
    }
    site.page("/teams/", "Teams", &list(&teams));
    site.page("/", "Home", &format!("<a href=/drivers/>Drivers</a> <a href=/teams/>Teams</a>{}", list(&news)));
    (site, drivers.into_iter().collect())
}

#[test]
fn what_is_expected_to_be_missing_shrinks_as_the_search_goes_on() {
    let (site, _) = championship();
    let missing = |change: fn(&mut Settings)| {
        let found = site.run("/drivers/driver-3/", change);
        let completeness = found.completeness.expect("kin can tell");
        (found.downloads, completeness.estimate - completeness.found as f64)
    };
    let (cut, plain, further) =
        (missing(|to| to.budget = Some(4)), missing(|_| {}), missing(|to| to.until = Some(1.0)));
    assert!(cut.1 > plain.1, "cut short {cut:?}, to its end {plain:?}");
    assert!(further.0 >= plain.0 && further.1 <= plain.1, "to its end {plain:?}, until all is found {further:?}");
}

#[test]
fn a_page_asked_for_when_little_was_known_is_judged_again() {
    let mut site = Site::default();
    let items: String = (1..=12).map(|id| format!("<li><a href=/item/{id}>Thing {id}</a>")).collect();
    site.pages.insert("/".to_owned(), format!("<body><h1>Shop</h1><ul class=items>{items}</ul>"));
    for id in 1..=12 {
        let facts = format!("<table><tr><th>Price<td>{id}00 EUR<tr><th>Weight<td>{} g</table>", id * 7);
        let html = format!("<body><p><a href=/>Shop</a></p><h1>Thing {id}</h1>{facts}");
        site.pages.insert(format!("/item/{id}"), html);
    }
    let found = site.run("/item/5", |_| {});
    assert_eq!(found.entities.len(), 12, "{:?}", found.dropped);
}

#[test]
fn a_paginated_list_is_found_from_a_sample_deep_in_it() {
    let (site, drivers) = championship();
    let discovery = site.run("/drivers/driver-47/", |_| {});
    assert_eq!(found(&discovery), drivers);
    assert!(discovery.downloads <= 30, "{} downloads for 60 pages on six lists", discovery.downloads);
    let indexes: BTreeSet<&str> = discovery.indexes.iter().map(|index| index.url.path()).collect();
    assert!(indexes.contains("/drivers/") && indexes.contains("/drivers/page/6/"), "{indexes:?}");
}

#[test]
fn every_sample_gives_the_same_answer_twice() {
    let (site, drivers) = championship();
    for sample in ["/drivers/driver-0/", "/drivers/driver-13/", "/drivers/driver-59/"] {
        let (first, second) = (site.run(sample, |_| {}), site.run(sample, |_| {}));
        assert_eq!(found(&first), drivers, "from {sample}");
        assert_eq!(serde_json::to_string(&first).unwrap(), serde_json::to_string(&second).unwrap());
    }
}

#[test]
fn labels_tell_types_apart_that_share_layout_and_links() {
    let (site, _) = championship();
    let teams: BTreeSet<String> = (0..40).map(|i| format!("/teams/team-{i}/")).collect();
    assert_eq!(found(&site.run("/teams/team-5/", |_| {})), teams);
}

/// Entities and everything else have addresses of one part.
#[test]
fn two_token_addresses_are_told_apart_by_place_and_structure() {
    let mut site = Site::default();
    site.plain_pages();
    let countries: Vec<String> = (0..50)
        .map(|i| format!("/country{}", "abcdefghij".chars().nth(i % 10).unwrap()) + &"x".repeat(i / 10 + 1) + "/")
        .collect();
    for (i, path) in countries.iter().enumerate() {
        site.page(
            path,
            &format!("Country {i}"),
            &(attributes(&["Capital", "Seats", "Elections", "Legislature"], i) + "</table><a href=/countries/>All</a>"),
        );
    }
    for name in ["help", "press", "jobs", "team", "history", "privacy"] {
        site.page(
            &format!("/{name}/"),
            name,
            &format!("<p>A page about {name}.</p><blockquote>With a quotation</blockquote>"),
        );
    }
    site.page("/countries/", "Countries", &list(&countries));
    let side =
        list(&["/help/", "/press/", "/jobs/", "/team/", "/history/", "/privacy/", "/countries/"].map(str::to_owned));
    site.page("/", "Home", &format!("<div class=side>{side}</div>"));
    assert_eq!(found(&site.run(&countries[7].clone(), |_| {})), countries.into_iter().collect());
}

/// Months: one folder each, and four parallel indexes, of which one a month is enough.
#[test]
fn folders_that_are_months_belong_together() {
    let mut site = Site::default();
    site.plain_pages();
    let mut messages = BTreeSet::new();
    let mut months = Vec::new();
    for month in 0..24 {
        let folder = format!("/{}-{:02}", 2005 + month / 12, month % 12 + 1);
        let paths: Vec<String> = (0..5 + month % 4).map(|i| format!("{folder}/{:06}.html", month * 20 + i)).collect();
        for (i, path) in paths.iter().enumerate() {
            let body = format!(
                "<p class=from>From:</p><p>somebody {i}</p><pre>words</pre><a href='{folder}/thread.html'>thread</a> <a href='{folder}/date.html'>date</a>"
            );
            site.page(path, &format!("Message {i}"), &body);
        }
        for index in ["thread", "date"] {
            site.page(&format!("{folder}/{index}.html"), index, &format!("<b>Sorted</b>{}", list(&paths)));
            months.push(format!("{folder}/{index}.html"));
        }
        messages.extend(paths);
    }
    site.page("/", "Archive", &list(&months));
    let discovery = site.run("/2005-07/000121.html", |_| {});
    assert_eq!(found(&discovery), messages);
    assert!(discovery.downloads <= 50, "{} downloads for 24 months", discovery.downloads);
}

/// Speakers are linked from talks only, and do not link back.
#[test]
fn pages_of_another_kind_can_be_the_index() {
    let mut site = Site::default();
    site.plain_pages();
    let talks: Vec<String> = (0..40).map(|i| format!("/talks/{i}/")).collect();
    let speakers: Vec<String> = (0..40).map(|i| format!("/people/{}/", 100 + i)).collect();
    for (i, path) in talks.iter().enumerate() {
        site.page(
            path,
            &format!("Talk {i}"),
            &format!(
                "<h2>Abstract</h2><p>words {i}</p><div class=by>By <a href='{}'>speaker {i}</a></div>",
                speakers[i]
            ),
        );
        site.page(
            &speakers[i],
            &format!("Speaker {i}"),
            &format!("<h2>Biography</h2><img src=x.png><p>life {i}</p><h2>Affiliation</h2><p>{i}</p>"),
        );
    }
    site.page("/talks/", "Talks", &list(&talks));
    site.page("/", "Home", "<a href=/talks/>Talks</a>");
    assert_eq!(found(&site.run("/people/120/", |_| {})), speakers.into_iter().collect());
}

#[test]
fn what_the_user_rules_out_is_left_out() {
    let (site, drivers) = championship();
    let discovery = site.run("/drivers/driver-3/", |settings| {
        settings.not = vec![address("/teams/team-1/"), address("/news/story-2/")]
    });
    assert_eq!(found(&discovery), drivers);
}

#[test]
fn a_budget_is_kept_and_the_answer_so_far_given() {
    let (site, drivers) = championship();
    for budget in [1, 5, 12] {
        let discovery = site.run("/drivers/driver-47/", |settings| settings.budget = Some(budget));
        assert!(discovery.downloads <= budget);
        assert_eq!(discovery.stopped, Some(Stop::Budget));
        assert!(found(&discovery).contains("/drivers/driver-47/"));
        assert!(found(&discovery).is_subset(&drivers), "with a budget of {budget}");
    }
}

#[test]
fn each_download_is_explained() {
    let (site, _) = championship();
    let discovery = site.run("/drivers/driver-47/", |_| {});
    assert_eq!(discovery.steps.len() + 1, discovery.downloads, "the sample needs no reason, every other page has one");
    assert!(
        discovery.entities.iter().all(|entity| !entity.evidence.is_empty() && (0.5..=1.0).contains(&entity.confidence))
    );
}

#[test]
fn a_sitemap_shows_pages_no_link_reaches() {
    let (mut site, mut drivers) = championship();
    for i in 60..70 {
        let path = format!("/drivers/driver-{i}/");
        site.page(
            &path,
            &format!("Driver {i}"),
            &(attributes(&["Country", "Points", "Podiums", "Date of birth", "Team"], i)
                + "</table><a href=/drivers/>All</a>"),
        );
        drivers.insert(path);
    }
    let urls = drivers.iter().map(|path| format!("<url><loc>{HOST}{path}</loc></url>")).collect::<String>();
    site.pages.insert("/robots.txt".to_owned(), format!("User-agent: *\nDisallow:\nSitemap: {HOST}/map.xml\n"));
    site.pages.insert("/map.xml".to_owned(), format!("<?xml version='1.0'?><urlset>{urls}</urlset>"));
    assert_eq!(found(&site.run("/drivers/driver-3/", |_| {})), drivers);
}

/// `mf1` looks like a code, the other teams' names do not: the folder says that they are alike.
#[test]
fn a_sample_whose_name_looks_unlike_the_others_is_one_of_them() {
    let (mut site, _) = championship();
    site.page(
        "/teams/mf1/",
        "Team MF1",
        &attributes(&["Base", "Chassis", "Power unit", "First entry", "Principal"], 3),
    );
    let mut teams: Vec<String> = (0..40).map(|i| format!("/teams/team-{i}/")).collect();
    teams.push("/teams/mf1/".to_owned());
    site.page("/teams/", "Teams", &list(&teams));
    assert_eq!(found(&site.run("/teams/mf1/", |_| {})), teams.into_iter().collect());
}

/// The sample has none of the attributes of its kind; the pages listed beside it tell what the kind looks like.
#[test]
fn an_odd_sample_is_outvoted_by_the_pages_listed_beside_it() {
    let (mut site, drivers) = championship();
    let rows = "<tr><td>one<td>two<td>three".repeat(3);
    site.page("/drivers/driver-5/", "Driver 5", &format!("<div class=stub><table class=odd>{rows}</table></div>"));
    assert_eq!(found(&site.run("/drivers/driver-5/", |_| {})), drivers);
}

/// Every page shows items that no other shows, so that the addresses known grow with every look.
#[test]
fn links_beyond_the_bytes_for_addresses_are_counted_and_not_kept() {
    let mut site = Site::default();
    let long = "x".repeat(200);
    for item in 0..30 {
        let links: String = (0..200).map(|other| format!("<li><a href=/item/{item}-{other}-{long}>x</a>")).collect();
        let known: String = (0..30).map(|other| format!("<li><a href=/item/{other}>Item {other}</a>")).collect();
        site.page(&format!("/item/{item}"), &format!("Item {item}"), &format!("<ul>{known}</ul><ol>{links}</ol>"));
    }
    for method in Method::ALL.into_iter().filter(|method| !method.draws()) {
        let run = |bytes| {
            let (budget, address_bytes) = (Some(30), bytes);
            site.run("/item/1", |settings| *settings = Settings { method, budget, address_bytes, ..settings.clone() })
        };
        let (bounded, free) = (run(100_000), run(usize::MAX));
        assert!(free.addresses > 1000, "{method}: {}", free.addresses);
        assert!(bounded.addresses < 600, "{method}: {} addresses", bounded.addresses);
        let row = bounded.skipped.iter().find(|row| row.reason == Reason::TooManyAddresses);
        assert!(row.is_some_and(|row| row.detail.contains(" links left out")), "{method}: {:?}", bounded.skipped);
        assert!(free.skipped.iter().all(|row| row.reason != Reason::TooManyAddresses), "{method}");
    }
}
