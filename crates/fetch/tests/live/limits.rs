//! Size and time: nothing without an end.

use super::{live, page, reason, settings, skipped};
use pagekin_core::pages::Reason;
use pagekin_fetch::{Live, LiveSettings};
use pagekin_testkit::server::{Reply, Server};
use std::net::TcpListener;
use std::time::Duration;

#[tokio::test]
async fn an_endless_body_ends_at_the_limit() {
    let endless = Reply::html("").endless(vec![b'x'; 10_000], Duration::ZERO);
    let site = Server::new().route("/", move |_| endless.clone()).start();
    let live = Live::new(LiveSettings { max_bytes: 100_000, ..settings(&site) }).unwrap();
    let skipped = skipped(&live, &site.url("/")).await;
    assert_eq!((skipped.reason, skipped.detail.as_str()), (Reason::TooLarge, "more than 100000 bytes sent"));
    assert!(live.stats().bytes < 300_000, "{}", live.stats().bytes);
    assert_eq!(site.count("/"), 1, "a large page is not asked again");
}

#[tokio::test]
async fn an_announced_size_is_refused_before_it_is_sent_and_the_limit_itself_fits() {
    let site = Server::new().page("/over", vec![b'x'; 1001]).page("/fits", vec![b'x'; 1000]).start();
    let live = Live::new(LiveSettings { max_bytes: 1000, ..settings(&site) }).unwrap();
    let before = live.stats().bytes;
    assert_eq!(reason(&live, &site.url("/over")).await, Reason::TooLarge);
    assert!(live.stats().bytes - before < 1000, "only robots.txt");
    assert_eq!(page(&live, &site.url("/fits")).await.body.len(), 1000);
}

#[tokio::test]
async fn a_dripping_body_and_a_silent_server_time_out() {
    let drip = Reply::html("").endless("x", Duration::from_millis(20));
    let site = Server::new()
        .route("/drip", move |_| drip.clone())
        .route("/silent", |_| Reply::html("late").after(Duration::from_secs(30)))
        .start();
    let second = Duration::from_secs(1);
    let total = Live::new(LiveSettings { timeout: second, ..settings(&site) }).unwrap();
    let silence = Live::new(LiveSettings { read_timeout: second, ..settings(&site) }).unwrap();
    let (drip, silent) = (site.url("/drip"), site.url("/silent"));
    let reasons = tokio::join!(reason(&total, &drip), reason(&total, &silent), reason(&silence, &silent));
    assert_eq!(reasons, (Reason::Timeout, Reason::Timeout, Reason::Timeout));
    assert_eq!(site.count("/drip"), 1, "what is slow is not asked again");
}

#[tokio::test]
async fn a_server_that_speaks_nonsense_is_a_network_error() {
    use std::io::{Read, Write};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap_or(0);
            let reply: &[u8] = match request[..read].starts_with(b"GET /robots.txt") {
                true => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
                false => b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\nconnection: close\r\n\r\nonly this",
            };
            let _ = stream.write_all(reply);
        }
    });
    let settings =
        LiveSettings { retry_pause: Duration::from_millis(1), ..LiveSettings::starting_at(&[super::url(&address)]) };
    let live = Live::new(settings).unwrap();
    assert_eq!(reason(&live, &address).await, Reason::Network);
    assert_eq!(live.stats().retries, 3);
}

#[tokio::test]
async fn https_speaks_tls_and_says_what_went_wrong() {
    let site = Server::new().page("/", "home").start();
    let address = site.url("/").replace("http:", "https:");
    let start = LiveSettings { retries: 0, ..LiveSettings::starting_at(&[super::url(&address)]) };
    let skipped = skipped(&Live::new(start).unwrap(), &address).await;
    assert_eq!(skipped.reason, Reason::Robots);
    assert!(skipped.detail.contains("InvalidContentType"), "a greeting in clear text: {}", skipped.detail);
}

#[tokio::test]
async fn an_empty_page_is_a_page() {
    let site = Server::new().page("/", "").start();
    assert_eq!(page(&live(&site), &site.url("/")).await.body, "");
}
