//! What the scripts of a page ask for: asked once, under the rules for pages.

use super::{live, page, url};
use pagekin_core::pages::Reason;
use pagekin_fetch::PartRequest;
use pagekin_testkit::server::{Reply, Server};

fn part(address: &str) -> PartRequest {
    PartRequest { url: url(address), head: false, document: false, accept: Some("application/json".to_owned()) }
}

#[tokio::test]
async fn scripts_styles_and_data_come_whole_and_once() {
    let typed = |kind: &'static str| move |_: &_| Reply::status(200).header("content-type", kind).body("body");
    let site = Server::new()
        .page("/", "<script src=/app.js></script>")
        .route("/app.js", typed("text/javascript"))
        .route("/app.css", typed("text/css"))
        .route("/photo", typed("image/png"))
        .route("/moved", |_| Reply::redirect(302, "/app.js"))
        .route("/api", |asked| {
            Reply::status(200).header("content-type", "text/plain").body(asked.header("accept").to_owned())
        })
        .start();
    let live = live(&site);
    for path in ["/app.js", "/app.css", "/app.js"] {
        assert_eq!(&live.part(&part(&site.url(path))).await.unwrap().body[..], b"body", "{path}");
    }
    assert_eq!(site.count("/app.js"), 1);
    assert_eq!(&live.part(&part(&site.url("/api"))).await.unwrap().body[..], b"application/json");
    assert!(live.part(&part(&site.url("/photo"))).await.unwrap().body.is_empty(), "no pictures");
    assert_eq!(live.part(&part(&site.url("/moved"))).await.unwrap().status, 302, "the browser follows");
    page(&live, &site.url("/")).await;
    let document = PartRequest { document: true, ..part(&site.url("/")) };
    assert!(live.part(&document).await.unwrap().body.starts_with(b"<script"));
    assert_eq!(site.count("/"), 1, "the page itself is at hand");
}

#[tokio::test]
async fn the_rules_for_pages_hold() {
    let (site, other) = (
        Server::new().robots("User-agent: *\nDisallow: /private/\n").page("/", "x").start(),
        Server::new().page("/tracker.js", "x").start(),
    );
    let live = live(&site);
    for (address, expected) in [
        (site.url("/private/data"), Reason::Robots),
        (other.url("/tracker.js"), Reason::OutOfScope),
        (site.url("/add-to-cart?id=5"), Reason::StateChanging),
    ] {
        assert_eq!(live.part(&part(&address)).await.unwrap_err().reason, expected, "{address}");
    }
    assert!(other.log().is_empty());
}
