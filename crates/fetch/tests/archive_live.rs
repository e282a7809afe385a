//! Does an archive of a live run answer exactly as the live site did? A real server, recorded, then asked again from
//! the file.

use flate2::{Compression, write::GzEncoder};
use pagekin_core::pages::{Answer, Pages, Reason};
use pagekin_fetch::{Archive, Known, Live, LiveSettings, WarcWriter};
use pagekin_testkit::server::{Reply, Server, Site};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

fn site() -> Site {
    Server::new()
        .page("/", "<html><title>home</title>")
        .page("/same", "<html><title>home</title>")
        .route("/packed", |_| Reply::html(gzip("<html>packed")).header("content-encoding", "gzip"))
        .route("/old", |_| Reply::redirect(301, "/older"))
        .route("/older", |_| Reply::redirect(302, "packed"))
        .route("/loop", |_| Reply::redirect(302, "/loop"))
        .route("/picture", |_| Reply::status(200).header("content-type", "image/png").body("x"))
        .route("/broken", |_| Reply::html("<html>sorry").with_status(500))
        .route("/tagged", |asked| match asked.header("if-none-match") {
            "\"v1\"" => Reply::status(304).header("etag", "\"v1\""),
            _ => Reply::html("<html>tagged").header("etag", "\"v1\""),
        })
        .start()
}

const PATHS: [&str; 10] =
    ["/", "/same", "/packed", "/old", "/loop", "/picture", "/broken", "/tagged", "/missing", "/packed?utm_source=x"];

fn record_to(path: &Path, site: &Site, known: Option<Arc<dyn Known>>) -> Live {
    let start = Url::parse(&site.url("/")).unwrap();
    let settings = LiveSettings {
        retry_pause: Duration::from_millis(1),
        recorder: Some(Arc::new(WarcWriter::append(path).unwrap())),
        known,
        ..LiveSettings::starting_at(&[start])
    };
    Live::new(settings).unwrap()
}

/// What a user of the answer can see.
fn seen(answers: Vec<Answer>) -> Vec<String> {
    let line = |answer| match answer {
        Answer::Page(page) => format!("{page:?}"),
        Answer::Skipped(skipped) => format!("{skipped:?}"),
    };
    answers.into_iter().map(line).collect()
}

#[tokio::test]
async fn the_archive_of_a_run_answers_as_the_site_did() {
    let site = site();
    let urls: Vec<Url> = PATHS.iter().map(|path| Url::parse(&site.url(path)).unwrap()).collect();
    for name in ["run.warc", "run.warc.gz", "run.warc.zst"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let live = seen(record_to(&path, &site, None).get(&urls).await);
        let archive = Archive::open(&[path]).unwrap();
        assert!(archive.damage().is_empty(), "{name}");
        assert_eq!(seen(archive.get(&urls).await), live, "{name}");
    }
}

#[tokio::test]
async fn a_second_run_asks_what_changed_and_its_archive_stands_alone() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first.warc.gz"), folder.path().join("second.warc.gz"));
    let tagged = [Url::parse(&site.url("/tagged")).unwrap()];
    let once = seen(record_to(&first, &site, None).get(&tagged).await);
    let known = Archive::open(&[first]).unwrap();
    let again = seen(record_to(&second, &site, Some(Arc::new(known))).get(&tagged).await);
    assert_eq!(again, once);
    assert_eq!(site.log().iter().filter(|visit| visit.headers.contains_key("if-none-match")).count(), 1);
    let alone = Archive::open(&[second]).unwrap();
    assert_eq!(seen(alone.get(&tagged).await), once);
    let absent = alone.get(&[tagged[0].join("/").unwrap()]).await.remove(0);
    assert!(matches!(absent, Answer::Skipped(skipped) if skipped.reason == Reason::NotArchived));
}
