//! What a run shares: each address once, earlier runs, recording, stopping, counting.

use super::{live, page, reason, settings, url};
use pagekin_core::pages::{Answer, Pages, Reason};
use pagekin_fetch::{Drawn, Error, Exchange, Known, Live, LiveSettings, Recorder};
use pagekin_testkit::server::{Reply, Server};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use url::Url;

/// Keeps exchanges in memory, and remembers them for the next run.
#[derive(Default)]
struct Memory(Mutex<Vec<(Exchange, bool)>>);

impl Recorder for Memory {
    fn record(&self, exchange: &Exchange, revisit: bool) -> io::Result<()> {
        self.0.lock().unwrap().push((exchange.clone(), revisit));
        Ok(())
    }

    fn record_drawn(&self, _: &Exchange, _: &Drawn) -> io::Result<()> {
        Ok(())
    }
}

impl Known for Memory {
    fn exchange(&self, url: &Url) -> Option<Exchange> {
        self.0
            .lock()
            .unwrap()
            .iter()
            .rev()
            .find(|(exchange, _)| exchange.url == *url)
            .map(|(exchange, _)| exchange.clone())
    }
}

/// A disk with room for a number of exchanges.
struct Full(Mutex<usize>);

impl Recorder for Full {
    fn record(&self, _: &Exchange, _: bool) -> io::Result<()> {
        let mut room = self.0.lock().unwrap();
        *room = room.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
        Ok(())
    }

    fn record_drawn(&self, exchange: &Exchange, _: &Drawn) -> io::Result<()> {
        self.record(exchange, false)
    }
}

#[tokio::test]
async fn every_address_is_asked_once() {
    let site = Server::new()
        .route("/slow", |_| Reply::html("slow").after(Duration::from_millis(50)))
        .route("/old", |_| Reply::redirect(301, "/slow"))
        .route("/image", |_| Reply::status(200).header("content-type", "image/png"))
        .start();
    let live = live(&site);
    let urls = ["/slow", "/old", "/slow#part", "/slow", "/image", "/image"].map(|path| url(&site.url(path)));
    for _ in 0..2 {
        let answers = live.get(&urls).await;
        for answer in &answers[..4] {
            assert!(matches!(answer, Answer::Page(page) if page.body == "slow"), "{answer:?}");
        }
        assert!(matches!(&answers[5], Answer::Skipped(skipped) if skipped.reason == Reason::NotHtml));
    }
    assert_eq!(site.log().len(), 4, "{:?}", site.targets());
    assert_eq!(live.stats().downloads, 3);
}

#[tokio::test]
async fn what_did_not_change_is_answered_from_the_earlier_run() {
    let tagged = |tag: &'static str| {
        Reply::html("first").header("etag", tag).header("last-modified", "Sun, 15 Nov 2026 10:00:00 GMT")
    };
    let site = Server::new()
        .route("/same", move |asked| match asked.header("if-none-match") {
            "\"1\"" => Reply::status(304).header("etag", "\"1\""),
            _ => tagged("\"1\""),
        })
        .route("/new", move |asked| if asked.nth == 0 { tagged("\"1\"") } else { Reply::html("second") })
        .page("/plain", "no tag")
        .start();
    let memory = Arc::new(Memory::default());
    let urls = ["/same", "/new", "/plain"].map(|path| url(&site.url(path)));
    let first = LiveSettings { recorder: Some(memory.clone()), ..settings(&site) };
    Live::new(first).unwrap().get(&urls).await;
    let again = Arc::new(Memory::default());
    let second = LiveSettings { known: Some(memory), recorder: Some(again.clone()), concurrency: 1, ..settings(&site) };
    let live = Live::new(second).unwrap();
    let answers = live.get(&urls).await;
    for (answer, expected) in answers.iter().zip(["first", "second", "no tag"]) {
        assert!(matches!(answer, Answer::Page(page) if page.body == expected && page.status == 200), "{answer:?}");
    }
    assert_eq!(live.stats().not_modified, 1);
    let last = site.log();
    let asked = |target: &str| last.iter().rfind(|visit| visit.target == target).unwrap().headers.clone();
    assert_eq!(asked("/same")["if-none-match"], "\"1\"");
    assert_eq!(asked("/new")["if-modified-since"], "Sun, 15 Nov 2026 10:00:00 GMT");
    assert!(!asked("/plain").contains_key("if-none-match"));
    let revisits: Vec<bool> = again.0.lock().unwrap().iter().map(|(_, revisit)| *revisit).collect();
    assert_eq!(revisits, [false, true, false, false]);
}

#[tokio::test]
async fn everything_that_was_answered_is_recorded() {
    let site = Server::new()
        .route("/old", |_| Reply::redirect(301, "/busy"))
        .route("/busy", |asked| if asked.nth == 0 { Reply::status(503) } else { Reply::html("ok") })
        .route("/image", |_| Reply::status(200).header("content-type", "image/png").body("...."))
        .start();
    let memory = Arc::new(Memory::default());
    let live = Live::new(LiveSettings { recorder: Some(memory.clone()), ..settings(&site) }).unwrap();
    page(&live, &site.url("/old")).await;
    page(&live, &site.url("/missing")).await;
    reason(&live, &site.url("/image")).await;
    live.head(&url(&site.url("/missing"))).await;
    let kept = memory.0.lock().unwrap();
    let rows: Vec<(&str, u16)> = kept.iter().map(|(exchange, _)| (exchange.url.path(), exchange.status)).collect();
    let expected =
        [("/robots.txt", 404), ("/old", 301), ("/busy", 503), ("/busy", 200), ("/missing", 404), ("/image", 200)];
    assert_eq!(rows, expected);
    assert!(kept.iter().all(|(exchange, _)| exchange.address == Some(site.address().ip())));
    assert_eq!(kept[1].0.header("Location"), Some("/busy"));
}

#[tokio::test]
async fn a_full_disk_ends_the_run_with_an_error() {
    let site = Server::new().page("/1", "1").page("/2", "2").page("/3", "3").start();
    let recorder: Arc<dyn Recorder> = Arc::new(Full(Mutex::new(2)));
    let live = Live::new(LiveSettings { recorder: Some(recorder), concurrency: 1, ..settings(&site) }).unwrap();
    let answers = live.get(&["/1", "/2", "/3"].map(|path| url(&site.url(path)))).await;
    assert!(matches!(&answers[0], Answer::Page(_)));
    for answer in &answers[1..] {
        assert!(matches!(answer, Answer::Skipped(skipped) if skipped.reason == Reason::Interrupted), "{answer:?}");
    }
    assert_eq!(site.count("/3"), 0);
    let error = live.take_failure().expect("it says why");
    assert!(matches!(&error, Error::Record { url, .. } if url.ends_with("/2")), "{error}");
    assert!(error.to_string().contains("\n\nhint: "), "{error}");
}

#[tokio::test]
async fn a_stopped_run_gives_what_it_has_at_once() {
    let site = Server::new()
        .page("/quick", "quick")
        .route("/slow", |_| Reply::html("slow").after(Duration::from_secs(300)))
        .start();
    let live = live_with_stop(&site);
    let urls = ["/quick", "/slow", "/later"].map(|path| url(&site.url(path)));
    let stopping = async {
        while site.count("/slow") == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        live.1.stop();
    };
    let (answers, ()) = tokio::join!(live.0.get(&urls), stopping);
    assert!(matches!(&answers[0], Answer::Page(page) if page.body == "quick"));
    for answer in &answers[1..] {
        assert!(matches!(answer, Answer::Skipped(skipped) if skipped.reason == Reason::Interrupted), "{answer:?}");
    }
    assert_eq!(live.0.stats().skipped[&Reason::Interrupted], 2);
    assert_eq!(reason(&live.0, &site.url("/quick")).await, Reason::Interrupted, "and nothing starts again");
    assert_eq!(site.count("/later"), 0);
}

fn live_with_stop(site: &pagekin_testkit::server::Site) -> (Live, pagekin_fetch::Stop) {
    let settings = LiveSettings { concurrency: 1, ..settings(site) };
    let stop = settings.stop.clone();
    (Live::new(settings).unwrap(), stop)
}

#[tokio::test]
async fn the_cost_is_counted() {
    let site = Server::new().robots("User-agent: *\nDisallow: /no\n").page("/", "12345").start();
    let live = live(&site);
    live.get(&["/", "/no", "/no2"].map(|path| url(&site.url(path)))).await;
    let stats = live.stats();
    assert_eq!((stats.downloads, stats.requests, stats.retries), (1, 2, 0));
    assert_eq!(stats.bytes, 5 + "User-agent: *\nDisallow: /no\n".len() as u64);
    assert_eq!(stats.skipped.into_iter().collect::<Vec<_>>(), [(Reason::Robots, 2)]);
}
