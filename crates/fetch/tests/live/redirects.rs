//! Redirects: every hop is checked as if it were asked for itself.

use super::{live, page, reason, skipped, url};
use pagekin_core::pages::Reason;
use pagekin_fetch::{Live, LiveSettings};
use pagekin_testkit::server::{Reply, Server};

#[tokio::test]
async fn a_chain_is_followed_and_remembered() {
    let site = Server::new()
        .route("/1", |_| Reply::redirect(301, "2?x=1"))
        .route("/2", |_| Reply::redirect(307, "/3#part"))
        .page("/3", "end")
        .start();
    let live = live(&site);
    let page = page(&live, &site.url("/1")).await;
    assert_eq!(page.url, url(&site.url("/3")));
    assert_eq!(page.redirects, [url(&site.url("/1")), url(&site.url("/2?x=1"))]);
    assert_eq!(page.body, "end");
    assert_eq!((live.stats().downloads, live.stats().requests), (3, 4));
}

#[tokio::test]
async fn loops_and_long_chains_end() {
    let mut server =
        Server::new().route("/a", |_| Reply::redirect(302, "/b")).route("/b", |_| Reply::redirect(302, "/a"));
    for n in 0..12 {
        server = server.route(&format!("/{n}"), move |_| Reply::redirect(302, format!("/{}", n + 1)));
    }
    let site = server.page("/12", "end").start();
    let live = live(&site);
    assert_eq!(reason(&live, &site.url("/a")).await, Reason::Redirects);
    assert_eq!((site.count("/a"), site.count("/b")), (1, 1));
    assert_eq!(reason(&live, &site.url("/0")).await, Reason::Redirects);
    assert_eq!(site.count("/11"), 0);
    assert_eq!(page(&live, &site.url("/2")).await.body, "end", "ten redirects are followed");
    assert_eq!(site.count("/5"), 1, "and what was asked before is not asked again");
}

#[tokio::test]
async fn a_redirect_to_a_private_place_is_refused() {
    let inside = Server::new().page("/secret", "secret").start();
    let other_address = Server::new().on([127, 0, 0, 2].into()).page("/secret", "secret").start();
    let port = inside.address().port();
    let targets = [
        inside.url("/secret"),
        other_address.url("/secret"),
        format!("http://localhost:{port}/secret"),
        format!("http://[::ffff:127.0.0.1]:{port}/secret"),
    ];
    for target in targets {
        let to = target.clone();
        let site = Server::new().route("/", move |_| Reply::redirect(302, to.clone())).start();
        let skipped = skipped(&live(&site), &site.url("/")).await;
        assert_eq!(skipped.reason, Reason::PrivateAddress, "{target}");
        assert!(skipped.detail.contains("redirected to"), "{}", skipped.detail);
    }
    assert_eq!(inside.log().len() + other_address.log().len(), 0);
}

#[tokio::test]
async fn a_robots_file_that_leads_to_a_private_place_counts_as_missing() {
    let inside = Server::new().page("/secret", "secret").start();
    let to = inside.url("/secret");
    let site = Server::new().route("/robots.txt", move |_| Reply::redirect(302, to.clone())).page("/", "home").start();
    page(&live(&site), &site.url("/")).await;
    assert_eq!(inside.log().len(), 0);
}

#[tokio::test]
async fn a_redirect_to_another_host_obeys_its_rules() {
    let other = Server::new().robots("User-agent: *\nDisallow: /no\n").page("/yes", "yes").page("/no", "no").start();
    let (yes, no) = (other.url("/yes"), other.url("/no"));
    let site = Server::new()
        .route("/yes", move |_| Reply::redirect(301, yes.clone()))
        .route("/no", move |_| Reply::redirect(301, no.clone()))
        .start();
    let starts = [url(&site.url("/")), url(&other.url("/"))];
    let live = Live::new(LiveSettings::starting_at(&starts)).unwrap();
    assert_eq!(page(&live, &site.url("/yes")).await.url, url(&other.url("/yes")));
    assert_eq!(reason(&live, &site.url("/no")).await, Reason::Robots);
    assert_eq!(other.targets(), ["/robots.txt", "/yes"]);
}

#[tokio::test]
async fn a_location_in_raw_utf8_is_read() {
    let site = Server::new().route("/", |_| Reply::redirect(301, "/caf\u{e9}")).page("/caf%C3%A9", "coffee").start();
    assert_eq!(page(&live(&site), &site.url("/")).await.body, "coffee");
}
