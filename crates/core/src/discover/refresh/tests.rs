//! A small site whose pages are given as text, asked twice with changes in between.

use super::super::{Dropped, Entity, Index};
use super::*;
use crate::pages::{Answer, RawPage, Reason};
use futures::executor::block_on;
use std::collections::BTreeMap;
use std::sync::Mutex;

#[derive(Default)]
struct Table {
    pages: BTreeMap<String, String>,
    asked: Mutex<Vec<String>>,
    broken: Vec<String>,
}

impl Table {
    fn set(&mut self, path: &str, html: impl Into<String>) {
        self.pages.insert(path.to_owned(), html.into());
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn answer(&self, url: &Url) -> Answer {
        let target = url[url::Position::BeforePath..].to_owned();
        self.asked.lock().unwrap().push(target.clone());
        if self.broken.contains(&target) {
            return Answer::Skipped(Skipped::new(url, Reason::Network, "down"));
        }
        let page = self.pages.get(&target);
        Answer::Page(RawPage {
            url: url.clone(),
            redirects: Vec::new(),
            status: if page.is_some() { 200 } else { 404 },
            content_type: Some("text/html".to_owned()),
            body: page.cloned().unwrap_or_default().into(),
            robots: Default::default(),
        })
    }
}

impl Pages for Table {
    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        urls.iter().map(|url| self.answer(url)).collect()
    }
}

fn url(path: &str) -> Url {
    Url::parse("http://s/").unwrap().join(path).unwrap()
}

/// A menu, entries of a list, and a pager.
fn list(entries: &[&str], pager: &str) -> String {
    let entry = |path: &&str| format!("<li><a href={path}>{}</a></li>", path.rsplit('/').next().unwrap());
    let entries: String = entries.iter().map(entry).collect();
    format!("<nav><a href=/help/me>help</a></nav><ul class=items>{entries}</ul><p>{pager}</p>")
}

fn site() -> Table {
    let mut site = Table::default();
    site.set("/list", list(&["/item/a", "/item/b", "/ad/x1"], "<a href=/list?page=2>2</a>"));
    site.set("/list?page=2", list(&["/item/c", "/item/d"], "<a href=/list?page=1>1</a>"));
    site
}

fn found(entities: &[(&str, &str)]) -> Discovery {
    let entity = |&(path, via): &(&str, &str)| Entity {
        url: url(path),
        confidence: 1.0,
        via: Some(url(via)),
        evidence: String::new(),
    };
    let index = Index { url: url("/list"), level: 0, parent: None, evidence: String::new() };
    Discovery {
        method: Method::Kin,
        samples: vec![url("/item/a")],
        entities: entities.iter().map(entity).collect(),
        indexes: vec![index],
        dropped: vec![Dropped { url: url("/ad/x1"), why: String::new() }],
        skipped: Vec::new(),
        steps: Vec::new(),
        downloads: 3,
        addresses: 9,
        ladder: Vec::new(),
        rung: 0,
        completeness: None,
        evidence: None,
        stopped: None,
    }
}

fn found_all() -> Discovery {
    found(&[
        ("/item/a", "/list"),
        ("/item/b", "/list"),
        ("/item/c", "/list?page=2"),
        ("/item/d", "/list?page=2"),
        // Linked from another of its kind alone.
        ("/item/e", "/item/a"),
    ])
}

fn learned(site: &Table, found: &Discovery) -> Learned {
    let learned = block_on(learn(site, found, &Settings::default()));
    site.asked();
    learned
}

fn again(site: &Table, learned: &Learned) -> Refresh {
    block_on(refresh(site, learned, &Settings::default()))
}

fn paths(entities: &[KnownEntity]) -> Vec<&str> {
    entities.iter().map(|entity| entity.url.path()).collect()
}

#[test]
fn learned_are_lists_places_words_and_what_stands_beside() {
    let mut site = site();
    site.set("/item/a", "<p><a href=/item/e>more</a> <a href=/item/b>b</a>");
    let learned = learned(&site, &found_all());
    let indexes: Vec<String> = learned.indexes.iter().map(|index| index.url.to_string()).collect();
    assert_eq!(indexes, ["http://s/item/a", "http://s/list", "http://s/list?page=2"]);
    let place = |path: &str| Place { notation: Notation::TagClass, path: path.to_owned() };
    assert_eq!(learned.places, [place("html/body/p/a"), place("html/body/ul.items/li/a")]);
    assert_eq!(learned.indexes[1].places, [1]);
    assert_eq!(learned.others, [url("/ad/x1")]);
    assert_eq!(learned.passed, [url("/list?page=1")]);
    assert_eq!(learned.entities[1].text.as_deref(), Some("b"));
    assert_eq!(learned.entities[4].via, Some(url("/item/a")));
    assert!(learned.complete && learned.site == "http://s");
    let text = serde_json::to_string(&learned).unwrap();
    assert_eq!(serde_json::from_str::<Learned>(&text).unwrap(), learned);
}

#[test]
fn an_unchanged_site_is_asked_for_its_index_pages_alone() {
    let site = site();
    let learned = learned(&site, &found_all());
    let refresh = again(&site, &learned);
    assert_eq!(site.asked(), ["/list", "/list?page=2"]);
    assert_eq!((refresh.new.len(), refresh.gone.len(), refresh.changed.len()), (0, 0, 0));
    // The page that no index page shows cannot be said to be gone.
    assert_eq!((refresh.kept.len(), refresh.unsure, refresh.downloads), (5, 0, 2));
    assert_eq!(refresh.learned, learned);
}

#[test]
fn new_gone_and_changed_pages_are_told() {
    let mut site = site();
    let learned = learned(&site, &found_all());
    let pager = "<a href=/list?page=2>2</a> <a href=/list?page=3>3</a>";
    site.set("/list", list(&["/item/f", "/item/a", "/ad/x1", "/ad/x2", "/item/deep/g"], pager));
    site.set("/list?page=2", list(&["/item/c"], "<a href=/list?page=1>1</a>").replace(">c<", ">C!<"));
    site.set("/list?page=3", list(&["/item/h"], "<a href=/list?page=4>4</a>"));
    site.set("/list?page=4", list(&["/item/h"], "<a href=/list?page=5>5</a>"));
    let refresh = again(&site, &learned);
    assert_eq!(site.asked(), ["/list", "/list?page=2", "/list?page=3", "/list?page=4"]);
    assert_eq!(paths(&refresh.new), ["/item/f", "/item/h"]);
    assert_eq!(refresh.new[1].via, Some(url("/list?page=3")));
    assert_eq!(paths(&refresh.gone), ["/item/b", "/item/d"]);
    assert_eq!(paths(&refresh.changed), ["/item/c"]);
    assert_eq!(paths(&refresh.kept), ["/item/a", "/item/e"]);
    assert_eq!(refresh.further, [url("/list?page=3")]);

    // What is known now changes no more.
    let next = again(&site, &refresh.learned);
    assert_eq!(site.asked(), ["/list", "/list?page=2", "/list?page=3"]);
    assert_eq!((next.new.len(), next.gone.len(), next.changed.len(), next.kept.len()), (0, 0, 0, 5));
    assert_eq!(next.learned, refresh.learned);
}

#[test]
fn pages_that_only_moved_within_the_list_are_kept() {
    let mut site = site();
    let learned = learned(&site, &found_all());
    site.set("/list", list(&["/item/z", "/item/a", "/ad/x1"], "<a href=/list?page=2>2</a>"));
    site.set("/list?page=2", list(&["/item/b", "/item/c", "/item/d"], ""));
    let refresh = again(&site, &learned);
    assert_eq!((paths(&refresh.new), refresh.gone.len(), refresh.changed.len()), (vec!["/item/z"], 0, 0));
    let moved = refresh.kept.iter().find(|kept| kept.url == url("/item/b")).unwrap();
    assert_eq!(moved.via, Some(url("/list?page=2")));
}

#[test]
fn absence_is_believed_only_when_all_index_pages_were_seen() {
    let mut site = site();
    let learned = learned(&site, &found_all());
    site.set("/list", list(&["/item/a"], ""));
    site.broken.push("/list?page=2".to_owned());
    let refresh = again(&site, &learned);
    assert_eq!((refresh.gone.len(), refresh.unsure, refresh.skipped.len()), (0, 3, 1));
    assert_eq!(refresh.learned.indexes, learned.indexes);

    // An index page that is gone has nothing to show.
    site.broken.clear();
    site.pages.remove("/list?page=2");
    let refresh = again(&site, &learned);
    assert_eq!(paths(&refresh.gone), ["/item/b", "/item/c", "/item/d"]);
    assert_eq!(refresh.learned.indexes.len(), 1);

    // A site that shows nothing of the kind any more was made anew, or is down.
    site.set("/list", "<h1>Back soon");
    site.set("/list?page=2", "<h1>Back soon");
    let refresh = again(&site, &learned);
    assert!(refresh.blank && refresh.gone.is_empty() && refresh.unsure == 4);
}

#[test]
fn a_spent_budget_leaves_the_rest_as_it_was() {
    let site = site();
    let learned = learned(&site, &found_all());
    let settings = Settings { budget: Some(1), ..Settings::default() };
    let refresh = block_on(refresh(&site, &learned, &settings));
    assert_eq!((site.asked().len(), refresh.stopped, refresh.gone.len()), (1, Some(Stop::Budget), 0));
    assert_eq!((refresh.unsure, refresh.learned), (2, learned));
}

#[test]
fn an_endless_list_ends() {
    let mut site = site();
    let learned = learned(&site, &found_all());
    for page in 2..1000 {
        let next = format!("<a rel=next href=/list?page={}>next</a>", page + 1);
        site.set(&format!("/list?page={page}"), list(&["/item/c", "/item/d", &format!("/item/n{page}")], &next));
    }
    let refresh = again(&site, &learned);
    // One page for each known index page, and a hundred.
    assert_eq!((site.asked().len(), refresh.unfollowed, refresh.further.len()), (2 + 102, 1, 102));
    assert!(refresh.new.len() == 103 && refresh.gone.is_empty());
}

#[test]
fn classes_that_name_the_entry_are_no_place() {
    let mut site = Table::default();
    let row = |name: &str| format!("<div class=post-{name}><a href=/item/{name}>{name}</a></div>");
    site.set("/list", ["a", "b", "c", "d"].map(row).concat());
    let of_list = ["/item/a", "/item/b", "/item/c", "/item/d"].map(|path| (path, "/list"));
    let learned = learned(&site, &found(&of_list));
    assert_eq!(learned.places, [Place { notation: Notation::Tag, path: "html/body/div/a".to_owned() }]);
    site.set("/list", ["e", "d"].map(row).concat() + "<p><a href=/item/about>about</a>");
    assert_eq!(paths(&again(&site, &learned).new), ["/item/e"]);
}

#[test]
fn a_new_letter_beside_known_ones_is_a_list_and_a_menu_is_none() {
    let mut site = Table::default();
    let letters = |names: &[&str]| {
        let link = |name: &&str| format!("<li><a href=/letter/{name}>{name}</a></li>");
        let menu: String = ["x", "y", "z"].iter().map(link).collect();
        format!(
            "<ul class=menu><li><a href=/letter/a>a</a></li>{menu}</ul><ol>{}</ol>",
            names.iter().map(link).collect::<String>()
        )
    };
    site.set("/letters", letters(&["a", "b", "c"]));
    for name in ["a", "b", "c", "d"] {
        site.set(&format!("/letter/{name}"), list(&[&format!("/item/{name}1")], ""));
    }
    let mut found = found(&[("/item/a1", "/letter/a"), ("/item/b1", "/letter/b"), ("/item/c1", "/letter/c")]);
    let index = Index { url: url("/letters"), level: 0, parent: None, evidence: String::new() };
    found.indexes = vec![index];
    let learned = learned(&site, &found);
    site.set("/letters", letters(&["a", "b", "c", "d"]).replace(">x<", ">y<"));
    let refresh = again(&site, &learned);
    assert_eq!(paths(&refresh.new), ["/item/d1"]);
    assert_eq!(site.asked(), ["/letter/a", "/letter/b", "/letter/c", "/letters", "/letter/d"]);
}

#[test]
fn a_run_cut_short_takes_what_it_had_not_judged_for_new() {
    let site = site();
    let mut cut = found(&[("/item/a", "/list")]);
    cut.stopped = Some(Stop::Budget);
    let learned = learned(&site, &cut);
    assert!(!learned.complete && learned.passed.is_empty());
    assert_eq!(learned.others, [url("/ad/x1")]);
    assert_eq!(paths(&again(&site, &learned).new), ["/item/b", "/item/c", "/item/d"]);
}

#[test]
fn numbers_out_of_range_in_a_file_are_ignored() {
    let site = site();
    let mut learned = learned(&site, &found_all());
    learned.indexes[0].places = vec![99];
    assert_eq!(again(&site, &learned).kept.len(), 5);
    learned.samples.clear();
    assert_eq!(again(&site, &learned).kept.len(), 5);
}

#[test]
fn a_list_that_fills_the_memory_is_skipped_and_says_nothing_about_its_pages() {
    let mut site = site();
    let learned = learned(&site, &found_all());
    let many: Vec<String> = (0..2000).map(|number| format!("/ad/{number}-{}", "x".repeat(200))).collect();
    site.set("/list", list(&many.iter().map(String::as_str).collect::<Vec<_>>(), ""));
    let narrow = Settings { address_bytes: 100_000, ..Settings::default() };
    let refresh = block_on(refresh(&site, &learned, &narrow));
    let skipped: Vec<Reason> = refresh.skipped.iter().map(|skipped| skipped.reason).collect();
    assert_eq!((skipped, paths(&refresh.gone)), (vec![Reason::TooManyAddresses], vec![]), "{:?}", refresh.skipped);
    let wide = again(&site, &learned);
    assert!(wide.skipped.is_empty(), "{:?}", wide.skipped);
}
