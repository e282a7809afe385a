//! Pace, retries, and what is never asked.

use super::{assert_spaced, live, one, page, reason, settings, skipped, url};
use pagekin_core::pages::{Answer, Pages, Reason};
use pagekin_fetch::live::USER_AGENT;
use pagekin_fetch::{Live, LiveSettings};
use pagekin_testkit::server::{Asked, Reply, Server};
use std::time::{Duration, Instant};
use url::Url;

/// Trouble `times` times, then a page.
fn stumbling(times: usize, trouble: Reply) -> impl Fn(&Asked) -> Reply {
    move |asked| if asked.nth < times { trouble.clone() } else { Reply::html("at last") }
}

#[tokio::test]
async fn too_many_requests_are_repeated_after_the_time_asked_for() {
    let site = Server::new().route("/a", stumbling(1, Reply::status(429).header("retry-after", "1"))).start();
    let live = live(&site);
    assert_eq!(page(&live, &site.url("/a")).await.body, "at last");
    let visits: Vec<_> = site.log().into_iter().filter(|visit| visit.target == "/a").collect();
    assert_eq!(visits.len(), 2);
    assert!(visits[1].at - visits[0].at >= Duration::from_secs(1));
    assert_eq!(live.stats().retries, 1);
}

#[tokio::test]
async fn retry_after_holds_for_the_whole_host_and_is_capped() {
    let trouble = Reply::status(503).header("retry-after", "86400");
    // Longer than a busy machine takes to answer the first page.
    let slow = Reply::html("b").after(Duration::from_millis(1500));
    let site =
        Server::new().route("/a", stumbling(1, trouble)).route("/b", move |_| slow.clone()).page("/c", "c").start();
    let cap = Duration::from_millis(900);
    let live = Live::new(LiveSettings { max_retry_after: cap, concurrency: 2, ..settings(&site) }).unwrap();
    live.get(&["/a", "/b", "/c"].map(|path| url(&site.url(path)))).await;
    let log = site.log();
    let at = |target: &str| log.iter().find(|visit| visit.target == target).unwrap().at;
    assert!(at("/c") >= at("/a") + cap, "it waits although it is another page");
    assert_eq!(site.count("/a"), 2);
}

#[tokio::test]
async fn passing_trouble_is_overcome_and_lasting_trouble_is_the_answer() {
    let site = Server::new()
        .route("/503", stumbling(2, Reply::status(503)))
        .route("/500", stumbling(1, Reply::status(500)))
        .route("/always", |_| Reply::status(502).body("bad gateway"))
        .start();
    let live = live(&site);
    assert_eq!(page(&live, &site.url("/503")).await.status, 200);
    assert_eq!(page(&live, &site.url("/500")).await.status, 200);
    let always = page(&live, &site.url("/always")).await;
    assert_eq!((always.status, always.body.as_ref()), (502, b"bad gateway".as_slice()));
    assert_eq!(site.count("/always"), 4);
    assert_eq!(page(&live, &site.url("/missing")).await.status, 404);
    assert_eq!(site.count("/missing"), 1, "a missing page is not asked again");
    assert_eq!(live.stats().retries, 2 + 1 + 3);
}

#[tokio::test]
async fn no_more_requests_at_once_than_allowed() {
    let mut server = Server::new();
    let paths: Vec<String> = (0..12).map(|n| format!("/{n}")).collect();
    for path in &paths {
        server = server.route(path, |_| Reply::html("slow").after(Duration::from_millis(200)));
    }
    let site = server.start();
    let live = Live::new(LiveSettings { concurrency: 3, ..settings(&site) }).unwrap();
    let urls: Vec<Url> = paths.iter().map(|path| url(&site.url(path))).collect();
    // Two batches at once share the host's limit.
    let (first, second) = tokio::join!(live.get(&urls[..6]), live.get(&urls[6..]));
    assert!(first.iter().chain(&second).all(|answer| matches!(answer, Answer::Page(_))));
    assert!((2..=3).contains(&site.peak()), "{} at once", site.peak());
}

#[tokio::test]
async fn the_delay_lies_between_starts() {
    let site = Server::new().start();
    let delay = Duration::from_millis(150);
    let live = Live::new(LiveSettings { delay: Some(delay), ..settings(&site) }).unwrap();
    let begin = Instant::now();
    live.get(&["/a", "/b", "/c"].map(|path| url(&site.url(path)))).await;
    assert_eq!(site.log().len(), 4);
    assert_spaced(&site, begin, delay);
}

#[tokio::test]
async fn hosts_are_asked_side_by_side() {
    let stuck = Server::new().route("/", |_| Reply::html("late").after(Duration::from_secs(300))).start();
    let quick = Server::new().on([127, 0, 0, 2].into()).page("/", "quick").start();
    let urls = [url(&stuck.url("/")), url(&quick.url("/"))];
    let settings = LiveSettings { concurrency: 1, ..LiveSettings::starting_at(&urls) };
    let (stop, live) = (settings.stop.clone(), Live::new(settings).unwrap());
    let when_both_are_asked = async {
        while stuck.count("/") + quick.count("/") < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.stop();
    };
    let both = async { tokio::join!(live.get(&urls), when_both_are_asked).0 };
    tokio::time::timeout(Duration::from_secs(60), both).await.expect("not one host after the other");
}

#[tokio::test]
async fn answers_stand_in_the_order_asked() {
    let slow = Server::new().route("/", |_| Reply::html("slow").after(Duration::from_millis(200))).start();
    let quick = Server::new().on([127, 0, 0, 2].into()).page("/", "quick").page("/2", "second").start();
    let urls = [url(&quick.url("/")), url(&slow.url("/")), url(&quick.url("/2"))];
    let answers = Live::new(LiveSettings::starting_at(&urls)).unwrap().get(&urls).await;
    for (answer, expected) in answers.iter().zip(["quick", "slow", "second"]) {
        assert!(matches!(answer, Answer::Page(page) if page.body == expected), "{answer:?}");
    }
}

#[tokio::test]
async fn only_get_and_head_are_sent_and_we_say_who_we_are() {
    let site = Server::new().page("/", "home").route("/old", |_| Reply::redirect(303, "/")).start();
    let live = live(&site);
    page(&live, &site.url("/old")).await;
    match live.head(&url(&site.url("/old"))).await {
        Answer::Page(page) => assert_eq!((page.url.path(), page.status, page.body.len()), ("/", 200, 0)),
        Answer::Skipped(skipped) => panic!("{skipped:?}"),
    }
    let log = site.log();
    let methods: Vec<&str> = log.iter().map(|visit| visit.method.as_str()).collect();
    assert_eq!(methods, ["GET", "GET", "GET", "HEAD", "HEAD"]);
    assert!(log.iter().all(|visit| visit.headers["user-agent"] == USER_AGENT));
    assert!(log.iter().all(|visit| !visit.headers.contains_key("referer") && !visit.headers.contains_key("cookie")));
    assert_eq!(log[1].headers["accept-encoding"], "gzip, br, zstd");
}

#[tokio::test]
async fn what_looks_state_changing_is_asked_only_when_typed() {
    let site =
        Server::new().page("/logout", "bye").page("/delete", "x").route("/go", |_| Reply::redirect(302, "/delete"));
    let site = site.start();
    let typed = LiveSettings { typed: vec![url(&site.url("/logout#top"))], ..settings(&site) };
    let (careful, typed) = (live(&site), Live::new(typed).unwrap());
    assert_eq!(reason(&careful, &site.url("/logout")).await, Reason::StateChanging);
    assert_eq!(reason(&careful, &site.url("/go")).await, Reason::StateChanging);
    assert_eq!((site.count("/logout"), site.count("/delete")), (0, 0));
    page(&typed, &site.url("/logout")).await;
    assert_eq!(reason(&typed, &site.url("/delete")).await, Reason::StateChanging);
    assert_eq!((site.count("/logout"), site.count("/delete")), (1, 0));
}

#[tokio::test]
async fn passwords_in_links_are_not_sent_and_those_typed_are() {
    let site = Server::new().page("/", "home").page("/mine", "mine").start();
    let with_name = |path: &str| site.url(path).replace("http://", "http://me:secret@");
    let sent = || site.log().last().map(|visit| visit.headers.get("authorization").is_some());
    page(&live(&site), &with_name("/")).await;
    assert_eq!(sent(), Some(false));
    let live = Live::new(LiveSettings::starting_at(&[url(&with_name("/mine"))])).unwrap();
    page(&live, &site.url("/mine")).await;
    assert_eq!(sent(), Some(true));
}

#[tokio::test]
async fn private_addresses_are_refused_unless_they_are_the_users_own() {
    let site = Server::new().page("/", "home").start();
    let port = site.address().port();
    let stranger = Live::new(LiveSettings::default()).unwrap();
    for host in ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0"] {
        let address = format!("http://{host}:{port}/");
        let skipped = skipped(&stranger, &address).await;
        assert_eq!(skipped.reason, Reason::PrivateAddress, "{address}: {}", skipped.detail);
    }
    assert_eq!(site.log().len(), 0);
    let allowing = Live::new(LiveSettings { allow_private: true, ..LiveSettings::default() }).unwrap();
    page(&allowing, &site.url("/")).await;
    page(&allowing, &format!("http://localhost:{port}/")).await;
    let by_name = format!("http://localhost:{port}/");
    let own = LiveSettings { sites: Vec::new(), ..LiveSettings::starting_at(&[url(&by_name)]) };
    let own = Live::new(own).unwrap();
    page(&own, &by_name).await;
    assert_eq!(reason(&own, &site.url("/")).await, Reason::PrivateAddress, "another name of the same place");
}

#[tokio::test]
async fn strange_addresses_get_a_reason() {
    let site = Server::new().start();
    let live = live(&site);
    assert_eq!(reason(&live, &site.url(&format!("/{}", "x".repeat(9000)))).await, Reason::OutOfScope);
    assert_eq!(reason(&live, "ftp://example.org/").await, Reason::OutOfScope);
    assert_eq!(reason(&live, "data:text/html,hello").await, Reason::OutOfScope);
    assert!(matches!(one(&live, &site.url("/#only-a-fragment")).await, Answer::Page(_)));
}

#[tokio::test]
async fn a_user_agent_must_carry_a_name() {
    for agent in ["", "42", "(x)", "bot\u{7}"] {
        let error = Live::new(LiveSettings { user_agent: agent.to_owned(), ..LiveSettings::default() }).err().unwrap();
        assert!(error.to_string().contains("\n\nhint: "), "{error}");
    }
}
