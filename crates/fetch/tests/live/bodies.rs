//! Content codings and content types.

use super::{live, page, reason, settings, skipped};
use pagekin_core::pages::Reason;
use pagekin_fetch::{Limits, Live, LiveSettings};
use pagekin_testkit::server::{Reply, Server};
use std::io::Write;
use std::time::Duration;

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(data).unwrap();
    writer.finish().unwrap()
}

fn br(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut &data[..], &mut out, &Default::default()).unwrap();
    out
}

#[tokio::test]
async fn codings_are_undone() {
    let html = b"<!doctype html><title>t</title>".repeat(100);
    let mut server = Server::new();
    for (coding, body) in [("gzip", gzip(&html)), ("br", br(&html)), ("zstd", zstd::encode_all(&html[..], 0).unwrap())]
    {
        let reply = Reply::html(body).header("content-encoding", coding);
        server = server.route(&format!("/{coding}"), move |_| reply.clone());
    }
    let plain = Reply::html(html.clone()).header("content-encoding", "gzip");
    let site = server.route("/lie", move |_| plain.clone()).start();
    let live = live(&site);
    for path in ["/gzip", "/br", "/zstd", "/lie"] {
        assert_eq!(page(&live, &site.url(path)).await.body, html, "{path}");
    }
}

#[tokio::test]
async fn a_bomb_is_refused() {
    let bomb = Reply::html(gzip(&vec![b' '; 20 << 20])).header("content-encoding", "gzip");
    let site = Server::new().route("/", move |_| bomb.clone()).start();
    let live = live(&site);
    let skipped = skipped(&live, &site.url("/")).await;
    assert_eq!(skipped.reason, Reason::TooLarge);
    assert!(skipped.detail.contains("decoded"), "{}", skipped.detail);
    assert!(live.stats().bytes < 100_000, "it was small on the wire");
    let limits = Limits { decoded: 32 << 20, ..Limits::default() };
    let patient = Live::new(LiveSettings { limits, ..settings(&site) }).unwrap();
    assert_eq!(page(&patient, &site.url("/")).await.body.len(), 20 << 20);
}

#[tokio::test]
async fn what_is_no_document_is_not_even_loaded() {
    let film =
        |kind: &str| Reply::status(200).header("content-type", kind).endless(vec![0; 1000], Duration::from_millis(1));
    let (image, video) = (film("image/png"), film("video/mp4"));
    let site = Server::new().route("/image", move |_| image.clone()).route("/film", move |_| video.clone()).start();
    let live = live(&site);
    assert_eq!(skipped(&live, &site.url("/image")).await.detail, "it is `image/png`");
    assert_eq!(reason(&live, &site.url("/film")).await, Reason::NotHtml);
    assert!(live.stats().bytes < 1000, "only the pages of robots.txt: {}", live.stats().bytes);
}

#[tokio::test]
async fn wrong_and_missing_types_are_seen_through() {
    let typed = |kind: &str, body: &'static str| Reply::status(200).header("content-type", kind).body(body);
    let pdf = typed("text/html", "%PDF-1.7 and so on");
    let octets = typed("application/octet-stream", "<html><p>a page");
    let json = typed("application/json", "{}");
    let feed = typed("application/rss+xml", "<?xml version='1.0'?><rss/>");
    let site = Server::new()
        .route("/pdf", move |_| pdf.clone())
        .route("/octets", move |_| octets.clone())
        .route("/json", move |_| json.clone())
        .route("/feed", move |_| feed.clone())
        .route("/none", |_| Reply::status(200).body("<p>no type at all"))
        .route("/noise", |_| Reply::status(200).body("\u{1}\u{2}\u{3}"))
        .start();
    let live = live(&site);
    for path in ["/octets", "/json", "/feed", "/none"] {
        assert_eq!(page(&live, &site.url(path)).await.status, 200, "{path}");
    }
    assert_eq!(page(&live, &site.url("/none")).await.content_type, None);
    for path in ["/pdf", "/noise"] {
        assert_eq!(reason(&live, &site.url(path)).await, Reason::NotHtml, "{path}");
    }
}

#[tokio::test]
async fn a_packed_sitemap_is_loaded_and_unpacked() {
    let map = b"<?xml version='1.0'?><urlset/>";
    let reply = Reply::status(200).header("content-type", "application/x-gzip").body(gzip(map));
    let site = Server::new().route("/sitemap.xml.gz", move |_| reply.clone()).start();
    assert_eq!(page(&live(&site), &site.url("/sitemap.xml.gz")).await.body, map.as_slice());
}
