//! robots.txt by RFC 9309.

use super::{assert_spaced, live, page, reason, settings, skipped, url};
use pagekin_core::pages::{Pages, Reason};
use pagekin_fetch::{Live, LiveSettings};
use pagekin_testkit::server::{Reply, Server};
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_missing_file_allows_everything_and_is_asked_once() {
    let site = Server::new().page("/a", "a").page("/b", "b").start();
    let live = live(&site);
    page(&live, &site.url("/a")).await;
    page(&live, &site.url("/b")).await;
    assert_eq!(site.targets(), ["/robots.txt", "/a", "/b"]);
}

#[tokio::test]
async fn a_forbidden_file_allows_and_a_broken_one_closes_the_host() {
    for (status, open) in [(401, true), (403, true), (410, true), (500, false), (503, false), (429, false)] {
        let site = Server::new().route("/robots.txt", move |_| Reply::status(status)).page("/", "home").start();
        let live = live(&site);
        if open {
            page(&live, &site.url("/")).await;
        } else {
            let skipped = skipped(&live, &site.url("/")).await;
            assert_eq!(skipped.reason, Reason::Robots, "{status}");
            assert!(skipped.detail.contains(&format!("status {status}")), "{}", skipped.detail);
            assert_eq!(site.count("/"), 0, "{status}");
        }
    }
}

#[tokio::test]
async fn an_unreachable_file_closes_the_host() {
    let site = Server::new().start();
    let (address, settings) = (site.url("/"), LiveSettings { retries: 1, ..settings(&site) });
    drop(site);
    let live = Live::new(settings).unwrap();
    assert_eq!(reason(&live, &address).await, Reason::Robots);
    assert_eq!((live.stats().requests, live.stats().retries), (2, 1));
    assert_eq!(reason(&live, &address).await, Reason::Robots);
    assert_eq!(live.stats().requests, 2, "the verdict is remembered");
}

#[tokio::test]
async fn rules_for_us_are_obeyed_with_wildcards() {
    let rules = "User-agent: PAGEKIN/1.0\nDisallow: /*?sort=\nDisallow: /private\nAllow: /private/open$\n\nUser-agent: *\nDisallow: /\n";
    let site = Server::new().robots(rules).page("/list", "list").page("/private/open", "open").start();
    let live = live(&site);
    page(&live, &site.url("/list?page=2")).await;
    page(&live, &site.url("/private/open")).await;
    for path in ["/list?sort=up", "/private/x", "/private/open/er"] {
        let skipped = skipped(&live, &site.url(path)).await;
        assert_eq!(skipped.reason, Reason::Robots, "{path}");
        assert!(skipped.detail.contains('`'), "it names the rule: {}", skipped.detail);
        assert_eq!(site.count(path), 0);
    }
}

#[tokio::test]
async fn our_name_follows_the_user_agent() {
    let site = Server::new().robots("User-agent: other-bot\nDisallow: /\n").page("/", "home").start();
    page(&live(&site), &site.url("/")).await;
    let settings = LiveSettings { user_agent: "Other-Bot/2 (+http://example.org)".to_owned(), ..settings(&site) };
    assert_eq!(reason(&Live::new(settings).unwrap(), &site.url("/")).await, Reason::Robots);
    assert_eq!(site.log().last().unwrap().headers["user-agent"], "Other-Bot/2 (+http://example.org)");
}

#[tokio::test]
async fn the_file_is_followed_over_five_redirects_and_not_over_six() {
    for (hops, open) in [(5, false), (6, true)] {
        let mut server = Server::new().page("/", "home").route("/robots.txt", |_| Reply::redirect(301, "/r1"));
        for hop in 1..hops {
            server = server.route(&format!("/r{hop}"), move |_| Reply::redirect(302, format!("/r{}", hop + 1)));
        }
        let rules = Reply::status(200).body("User-agent: *\nDisallow: /\n");
        let site = server.route(&format!("/r{hops}"), move |_| rules.clone()).start();
        let live = live(&site);
        if open {
            page(&live, &site.url("/")).await;
        } else {
            assert_eq!(reason(&live, &site.url("/")).await, Reason::Robots);
        }
    }
}

#[tokio::test]
async fn an_endless_file_is_read_to_its_limit() {
    let rules = Reply::status(200).endless("User-agent: *\nDisallow: /no\n".repeat(500), Duration::ZERO);
    let site = Server::new().route("/robots.txt", move |_| rules.clone()).page("/yes", "yes").start();
    let live = live(&site);
    page(&live, &site.url("/yes")).await;
    assert_eq!(reason(&live, &site.url("/no")).await, Reason::Robots);
    assert!(live.stats().bytes < 2 << 20, "{}", live.stats().bytes);
}

#[tokio::test]
async fn the_crawl_delay_lies_between_all_requests() {
    let site = Server::new().robots("User-agent: *\nCrawl-delay: 0.2\n").start();
    let (live, begin) = (live(&site), Instant::now());
    live.get(&["/a", "/b", "/c"].map(|path| url(&site.url(path)))).await;
    assert_eq!(site.log().len(), 4);
    assert_spaced(&site, begin, Duration::from_millis(200));
}

#[tokio::test]
async fn an_absurd_crawl_delay_is_capped() {
    let site = Server::new().robots("User-agent: *\nCrawl-delay: 5000\n").page("/a", "a").start();
    let settings = LiveSettings { max_crawl_delay: Duration::from_millis(100), ..settings(&site) };
    let begin = Instant::now();
    page(&Live::new(settings).unwrap(), &site.url("/a")).await;
    assert_spaced(&site, begin, Duration::from_millis(100));
}
