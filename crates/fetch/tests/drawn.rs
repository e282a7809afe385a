//! Are both answers of a rendered page kept, and does the archive give the one that is wanted?

use bytes::Bytes;
use pagekin_core::pages::{Answer, Pages};
use pagekin_fetch::{Archive, Drawn, Exchange, Known, Listing, PartRequest, WarcWriter};
use std::path::PathBuf;
use url::Url;

fn url(path: &str) -> Url {
    Url::parse("http://s.org").unwrap().join(path).unwrap()
}

fn exchange(path: &str, at: &str, body: &'static str) -> Exchange {
    let headers = [("Content-Type", "text/html"), ("ETag", "\"1\""), ("X-Robots-Tag", "nofollow")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let (at, body) = (at.parse().unwrap(), Bytes::from_static(body.as_bytes()));
    Exchange { url: url(path), status: 200, headers, body, at, address: None }
}

fn drawn(at: &str, html: &'static str) -> Drawn {
    let (html, at) = (Bytes::from_static(html.as_bytes()), at.parse().unwrap());
    Drawn { html, engine: "Chrome/1\r\n.2".to_owned(), reason: "scripts add 2 links".to_owned(), at }
}

const MORNING: &str = "2026-11-18T08:00:00Z";
const NOON: &str = "2026-11-18T12:00:00Z";

/// Two pages with the same empty shell, both rendered.
fn written(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let writer = WarcWriter::create(&path).unwrap();
    for (page, html) in [("/a", "<p>text of a"), ("/b", "<p>text of b")] {
        let shell = exchange(page, MORNING, "<script></script>");
        writer.write(&shell, false).unwrap();
        writer.write_drawn(&shell, &drawn(NOON, html)).unwrap();
    }
    (folder, path)
}

async fn body(archive: &Archive, path: &str) -> String {
    match archive.get(&[url(path)]).await.pop() {
        Some(Answer::Page(page)) => {
            assert!(page.robots.nofollow, "what the server said of the page holds");
            String::from_utf8_lossy(&page.body).into_owned()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_archive_answers_with_what_the_browser_made_or_as_the_server_did() {
    for name in ["site.warc", "site.warc.gz", "site.warc.zst"] {
        let (_folder, path) = written(name);
        let paths = [path.clone()];
        // The second time the index is read that the first one wrote.
        for archive in [Archive::open(&paths), Archive::open_with_index(&paths), Archive::open_with_index(&paths)] {
            let archive = archive.unwrap();
            assert_eq!(
                (body(&archive, "/a").await, body(&archive, "/b").await),
                ("<p>text of a".into(), "<p>text of b".into())
            );
            assert_eq!(archive.urls().count(), 2);
            assert_eq!(archive.listed().count(), 2, "answers of servers");
            assert!(archive.has_drawn(&url("/a")) && !archive.has_drawn(&url("/c")));
            let request = PartRequest { url: url("/a"), head: false, document: true, accept: None };
            assert_eq!(&archive.part(&request).unwrap().body[..], b"<script></script>");
            assert_eq!(&Known::exchange(&archive, &url("/a")).unwrap().body[..], b"<script></script>");
            assert_eq!(body(&archive.without_drawn(), "/a").await, "<script></script>");
        }
        if !name.ends_with(".zst") {
            assert_eq!(Listing::read(&path).unwrap().len(), 2, "{name}");
        }
    }
}

#[tokio::test]
async fn a_newer_answer_is_not_that_of_an_older_browser() {
    let (_folder, path) = written("site.warc.gz");
    let writer = WarcWriter::append(&path).unwrap();
    writer.write(&exchange("/a", "2026-11-19T08:00:00Z", "<p>made anew"), false).unwrap();
    let archive = Archive::open(&[path]).unwrap();
    assert_eq!(
        (body(&archive, "/a").await, body(&archive, "/b").await),
        ("<p>made anew".into(), "<p>text of b".into())
    );
}

#[test]
fn the_record_refers_to_the_answer() {
    let (_folder, path) = written("site.warc");
    let text = std::fs::read_to_string(&path).unwrap();
    let fields = |name: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(name).map(|value| value.trim().to_owned()));
        lines.collect()
    };
    let (ids, kinds) = (fields("WARC-Record-ID:"), fields("WARC-Type:"));
    assert_eq!(kinds, ["warcinfo", "response", "conversion", "revisit", "conversion"]);
    assert_eq!(fields("WARC-Refers-To:"), [ids[1].clone(), ids[3].clone()]);
    assert_eq!(fields("Pagekin-Render-Engine:"), ["Chrome/1  .2"; 2]);
}
