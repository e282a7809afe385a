//! Does the work of `discover` grow faster than what a site shows? Sites held in memory whose links lead nowhere; requests and steps are
//! counted, because time depends on the machine. A step of kin goes through all addresses once, so that as many steps for eight times
//! the links is eight times the work.

use futures::executor::block_on;
use pagekin_core::discover::{Method, Settings, discover};
use pagekin_core::pages::{Answer, Pages, RawPage};
use std::collections::BTreeMap;
use std::sync::Mutex;
use url::Url;

const ITEMS: usize = 6;

/// How dead links are written.
#[derive(Debug, Clone, Copy)]
enum Dead {
    InOneFolder,
    EachInItsOwn,
}

struct Site {
    dead: Dead,
    links: usize,
    asked: Mutex<BTreeMap<String, usize>>,
}

impl Site {
    fn page(&self, path: &str) -> Option<String> {
        let own = path.strip_prefix("/items/").and_then(|number| number.parse::<usize>().ok()).unwrap_or(0);
        if path != "/" && !(1..=ITEMS).contains(&own) {
            return None;
        }
        let items: String = (1..=ITEMS).map(|item| format!("<li><a href=/items/{item}>Item {item}</a>")).collect();
        let dead: String =
            (0..self.links).map(|link| format!("<li><a href={}>Dead {link}</a>", self.link(link))).collect();
        Some(format!("<title>Item {own}</title><h1>Item {own}</h1><p>Price: {own}<ul>{items}</ul><ol>{dead}</ol>"))
    }

    fn link(&self, link: usize) -> String {
        match self.dead {
            Dead::InOneFolder => format!("/dead/{link}"),
            Dead::EachInItsOwn => format!("/{}/x", words(link)),
        }
    }
}

/// Another word for each number.
fn words(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).collect()
}

impl Pages for Site {
    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        let answer = |url: &Url| {
            *self.asked.lock().unwrap().entry(url.path().to_owned()).or_default() += 1;
            let body = self.page(url.path());
            Answer::Page(RawPage {
                url: url.clone(),
                redirects: Vec::new(),
                status: if body.is_some() { 200 } else { 404 },
                content_type: Some("text/html; charset=utf-8".to_owned()),
                body: body.unwrap_or_default().into(),
                robots: Default::default(),
            })
        };
        urls.iter().map(answer).collect()
    }
}

/// Requests and steps for a site with so many dead links on every page.
fn cost(method: Method, dead: Dead, links: usize) -> (usize, usize) {
    let site = Site { dead, links, asked: Mutex::default() };
    let sample = Url::parse("http://website/items/1").unwrap();
    let found = block_on(discover(&site, &[sample], &Settings { method, ..Settings::default() })).unwrap();
    assert!(found.addresses >= links, "{method}: {} addresses of {links}", found.addresses);
    let asked = site.asked.into_inner().unwrap();
    let twice: Vec<_> = asked.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{method}: asked again {twice:?}");
    (asked.len(), found.steps.len())
}

#[test]
fn kin_asks_no_more_of_a_site_with_more_links_that_lead_nowhere() {
    for dead in [Dead::InOneFolder, Dead::EachInItsOwn] {
        let (few, many) = (cost(Method::Kin, dead, 250), cost(Method::Kin, dead, 2000));
        assert!(many.0 <= few.0 + 10, "{dead:?}: {} requests at 250 links, {} at 2,000", few.0, many.0);
        assert!(many.1 <= few.1 + 10, "{dead:?}: {} steps at 250 links, {} at 2,000", few.1, many.1);
    }
}

/// The published methods look at every link, as they are written; once.
#[test]
fn published_methods_ask_for_each_link_once() {
    for method in [Method::Ssup2014, Method::Ssup2019, Method::Indesit] {
        let (requests, _) = cost(method, Dead::InOneFolder, 1000);
        assert!(requests <= 1000 + 2 * ITEMS, "{method}: {requests} requests");
    }
}
