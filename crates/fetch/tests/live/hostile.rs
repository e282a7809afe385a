//! Servers that want to do harm: to our network, to strangers, to the budget.

use super::{live, page, reason, settings, skipped, url};
use pagekin_core::page::address::ScopeKind;
use pagekin_core::pages::{Answer, Pages, Reason};
use pagekin_fetch::{Ceilings, Live, LiveSettings, Spent};
use pagekin_testkit::server::{Reply, Server};
use std::net::{Ipv6Addr, ToSocketAddrs};
use std::time::Duration;

/// A name that the system's file of hosts has for this machine, besides `localhost`.
const NAMED: &str = "ip6-loopback";

#[tokio::test]
async fn a_name_may_lead_into_the_users_network_only_if_the_user_said_so() {
    if (NAMED, 80).to_socket_addrs().is_err() {
        return eprintln!("SKIPPED: the system does not know the name `{NAMED}`");
    }
    let inside = Server::new().on(Ipv6Addr::LOCALHOST.into()).page("/", "secret").start();
    let sample = format!("http://{NAMED}:{}/", inside.address().port());
    // Whether it led elsewhere in an earlier run nobody knows: each run looks anew, and refuses.
    let careful = Live::new(LiveSettings::starting_at(&[url(&sample)])).unwrap();
    assert_eq!(reason(&careful, &sample).await, Reason::PrivateAddress);
    assert_eq!(inside.log().len(), 0);
    let allowed = LiveSettings { allow_private: true, ..LiveSettings::starting_at(&[url(&sample)]) };
    assert_eq!(page(&Live::new(allowed).unwrap(), &sample).await.body, "secret");
}

#[tokio::test]
async fn a_redirect_to_a_stranger_is_not_followed() {
    let stranger = Server::new().page("/victim", "busy").start();
    let to = stranger.url("/victim");
    let site = Server::new().rest(move |_| Reply::redirect(302, to.clone())).robots("").start();
    let settings = LiveSettings { allow_private: true, ..settings(&site) };
    let live = Live::new(settings.clone()).unwrap();
    let skipped = skipped(&live, &site.url("/out")).await;
    assert_eq!(skipped.reason, Reason::OutOfScope, "{skipped:?}");
    assert!(skipped.detail.contains(&stranger.url("/victim")), "{}", skipped.detail);
    assert_eq!(reason(&live, &stranger.url("/sitemap.xml")).await, Reason::OutOfScope, "nor what a page names");
    assert_eq!(stranger.log().len(), 0);
    let wide = Live::new(LiveSettings { scope: ScopeKind::Domain, ..settings }).unwrap();
    assert_eq!(page(&wide, &site.url("/out")).await.body, "busy", "two ports of one address are one domain");
}

#[tokio::test]
async fn what_the_user_typed_may_have_moved() {
    let new_home = Server::new().page("/here", "moved").start();
    let to = new_home.url("/here");
    let site = Server::new().route("/", move |_| Reply::redirect(301, to.clone())).start();
    let live = Live::new(LiveSettings { allow_private: true, ..settings(&site) }).unwrap();
    assert_eq!(page(&live, &site.url("/")).await.body, "moved");
}

#[tokio::test]
async fn every_request_counts_whatever_comes_of_it() {
    let site = Server::new()
        .route("/1", |_| Reply::redirect(302, "/2"))
        .route("/2", |_| Reply::redirect(302, "/3"))
        .route("/busy", |_| Reply::status(500))
        .start();
    let live = live(&site);
    live.allow(Some(9));
    let wanted: Vec<_> = ["/1", "/busy", "/gone", "/gone-too"].into_iter().map(|path| url(&site.url(path))).collect();
    let answers = live.get(&wanted).await;
    // robots.txt, three hops, four tries, one dead link.
    assert_eq!((site.log().len(), live.stats().requests), (9, 9), "{:?}", site.targets());
    assert!(matches!(&answers[2], Answer::Page(page) if page.status == 404));
    assert!(matches!(&answers[3], Answer::Skipped(skipped) if skipped.reason == Reason::Budget), "{:?}", answers[3]);
    assert_eq!(live.spent(), Some(Spent::Budget(9)));
    live.allow(None);
    assert!(matches!(&live.get(&wanted[3..]).await[0], Answer::Page(_)), "a spent budget is not remembered");
}

#[tokio::test]
async fn a_budget_spent_on_robots_txt_does_not_close_the_site() {
    let site = Server::new().page("/", "home").start();
    let live = live(&site);
    live.allow(Some(0));
    assert_eq!(reason(&live, &site.url("/")).await, Reason::Budget);
    assert_eq!(site.log().len(), 0);
    live.allow(None);
    assert_eq!(page(&live, &site.url("/")).await.body, "home");
}

#[tokio::test]
async fn a_run_ends_at_its_ceilings() {
    let site = Server::new().rest(|_| Reply::html("x".repeat(1000))).start();
    let wanted: Vec<_> = (0..50).map(|number| url(&site.url(&format!("/calendar/{number}")))).collect();
    for (ceilings, most) in [
        (Ceilings { requests: 7, ..Ceilings::default() }, 7),
        (Ceilings { bytes: 5000, ..Ceilings::default() }, 5 + 4 + 1),
        (Ceilings { disk: 5000, ..Ceilings::default() }, 5 + 4 + 1),
        (Ceilings { time: Duration::ZERO, ..Ceilings::default() }, 0),
    ] {
        let before = site.log().len();
        let live = Live::new(LiveSettings { ceilings, ..settings(&site) }).unwrap();
        let answers = live.get(&wanted).await;
        assert!(site.log().len() - before <= most, "{ceilings:?}: {}", site.log().len() - before);
        assert!(matches!(answers.last(), Some(Answer::Skipped(skipped)) if skipped.reason == Reason::Budget));
        assert!(live.spent().is_some());
    }
}

#[tokio::test]
async fn pictures_and_papers_are_not_asked_for() {
    let site = Server::new().rest(|_| Reply::html("a page after all")).start();
    let live = live(&site);
    for path in ["/photo.jpg", "/paper.PDF?page=2", "/film.mp4"] {
        assert_eq!(reason(&live, &site.url(path)).await, Reason::NotHtml, "{path}");
    }
    assert_eq!(site.log().len(), 0);
    page(&live, &site.url("/wiki/File:Photo.jpg")).await;
    let typed = url(&site.url("/photo.jpg"));
    page(&Live::new(LiveSettings::starting_at(std::slice::from_ref(&typed))).unwrap(), typed.as_str()).await;
}

#[tokio::test]
async fn a_name_that_nobody_has_is_told_as_that() {
    let sample = "http://no-such-host.invalid/";
    let live = Live::new(LiveSettings { retries: 0, ..LiveSettings::starting_at(&[url(sample)]) }).unwrap();
    let skipped = skipped(&live, sample).await;
    assert_eq!(skipped.reason, Reason::Network, "{skipped:?}");
    assert!(skipped.detail.contains("`no-such-host.invalid` was not found"), "{}", skipped.detail);
}

#[tokio::test]
async fn the_token_of_a_webhook_is_not_shown() {
    let site = Server::new().rest(|_| Reply::status(404)).start();
    let hook = url(&site.url("/hook/secret-token"));
    let error = pagekin_fetch::notify::post(&hook, "{}").await.unwrap_err().to_string();
    assert!(!error.contains("secret-token") && error.contains("404"), "{error}");
}

/// Nobody else's robots.txt says what may be asked here.
#[tokio::test]
async fn the_robots_txt_of_a_stranger_is_not_asked_for() {
    let stranger = Server::new().robots("User-agent: *\nDisallow: /").start();
    let to = stranger.url("/robots.txt");
    let site = Server::new()
        .route("/robots.txt", move |_| Reply::redirect(302, to.clone()))
        .rest(|_| Reply::html("<p>home"))
        .start();
    let live = Live::new(LiveSettings { allow_private: true, ..settings(&site) }).unwrap();
    page(&live, &site.url("/a")).await;
    assert_eq!(stranger.targets(), [""; 0]);
    let own = Server::new()
        .route("/robots.txt", |_| Reply::redirect(301, "/rules.txt"))
        .page("/rules.txt", "User-agent: *\nDisallow: /a")
        .start();
    let live = Live::new(settings(&own)).unwrap();
    assert_eq!(reason(&live, &own.url("/a")).await, Reason::Robots, "its own is read wherever it lies");
}

/// Name and password of a link are the site's idea: they are neither sent nor kept.
#[tokio::test]
async fn credentials_of_links_reach_neither_the_site_nor_the_page() {
    let site = Server::new().page("/a", "<p>a").start();
    let live = live(&site);
    let link = site.url("/a").replace("http://", "http://eve:geheim77@");
    let page = page(&live, &link).await;
    assert_eq!(page.url.as_str(), site.url("/a"));
    assert!(site.log().iter().all(|visit| !visit.headers.contains_key("authorization")), "{:?}", site.log());
    let skipped = skipped(&live, &link.replace("/a", "/logout")).await;
    assert!(!format!("{skipped:?}").contains("geheim77"), "{skipped:?}");
}

/// Those of the user's are sent, and kept nowhere.
#[tokio::test]
async fn credentials_that_the_user_typed_are_sent_and_kept_nowhere() {
    let site = Server::new().page("/a", "<p>a").start();
    let typed = url(&site.url("/a").replace("http://", "http://ann:geheim78@"));
    let live = Live::new(LiveSettings::starting_at(std::slice::from_ref(&typed))).unwrap();
    let page = page(&live, typed.as_str()).await;
    assert_eq!(page.url.as_str(), site.url("/a"));
    assert!(site.log().iter().all(|visit| visit.headers.contains_key("authorization")), "{:?}", site.log());
}
