//! Does `pagekin find-sites` keep the right sites? A search service and two shops, all real servers on loopback.

mod common;

use common::{pagekin, stderr, stdout};
use pagekin_testkit::server::{Reply, Server};
use std::path::Path;

const OFFER: &str = "<html><body><h1>Shop</h1><div id=menu><a href=/>Home</a></div><div id=offer><h2>Zenadol</h2><table>\
    <tr><td>Manufacturer</td><td>Brennmark</td></tr><tr><td>Price</td><td>$3.77</td></tr>\
    <tr><td>Generic name</td><td>paracetin</td></tr><tr><td>Ingredients</td><td>paracetin, starch</td></tr>\
    <tr><td>Dosage</td><td>one a day</td></tr><tr><td>Warnings</td><td>ask your doctor</td></tr>\
    <tr><td>Package</td><td>20 tablets</td></tr></table></div></body></html>";

const STORY: &str =
    "<html><body><h1>On drugs</h1><p>A long story about the price of fame.</p><p>And its end.</p></body></html>";

#[test]
fn sites_with_data_intensive_pages_are_kept() {
    let shop = Server::new().page("/offer/1", OFFER).start();
    let paper = Server::new().page("/story", STORY).start();
    // Two names of one machine are two hosts.
    let story = paper.url("/story").replace("127.0.0.1", "localhost");
    let results = format!(
        "{{\"results\":[{{\"url\":\"{story}\"}},{{\"url\":\"javascript:alert(1)\"}},{{\"url\":\"{}\"}}]}}",
        shop.url("/offer/1")
    );
    let service = Server::new()
        .rest(move |asked| {
            let right = asked.header("x-key") == "secret";
            if right {
                Reply::html(results.clone()).header("content-type", "application/json")
            } else {
                Reply::status(403)
            }
        })
        .start();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("queries.txt"), "# what to look for\nbuy zenadol & co\n").unwrap();
    let engine =
        format!("url = \"{}\"\n[headers]\nx-key = \"env:SEARCH_KEY\"\n", service.url("/search?q={query}&format=json"));
    std::fs::write(at("engine.toml"), engine).unwrap();
    let domain = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../domains/drugs.toml").display().to_string();
    let run = |key: &str| {
        pagekin()
            .args(["find-sites", "--queries", &at("queries.txt"), "--engine", &at("engine.toml"), "--domain", &domain])
            .args(["--allow-private", "--db", &at("p.db")])
            .env("SEARCH_KEY", key)
            .output()
            .unwrap()
    };
    let output = run("secret");
    assert!(output.status.success(), "{}", stderr(&output));
    let lines: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 1, "{}\n{}", stdout(&output), stderr(&output));
    assert_eq!((lines[0]["host"].as_str(), lines[0]["query"].as_str()), (Some("127.0.0.1"), Some("buy zenadol & co")));
    assert!(lines[0]["attributes"].as_array().unwrap().iter().any(|name| name == "manufacturer"));
    assert!(stderr(&output).contains("1 of 2 sites"), "{}", stderr(&output));
    assert!(service.targets().iter().any(|target| target.contains("q=buy+zenadol+%26+co")), "{:?}", service.targets());

    let watched = pagekin().args(["watch", "list", "--db", &at("p.db")]).output().unwrap();
    assert!(stdout(&watched).contains(&shop.url("/offer/1")), "{}", stdout(&watched));

    let refused = run("wrong");
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("status 403"), "{}", stderr(&refused));
}

/// A search service is a stranger: what it answers leads to nobody's own network.
#[test]
fn hits_inside_the_users_network_are_not_asked() {
    let inside = Server::new().page("/offer/1", OFFER).start();
    let (hit, named) = (inside.url("/offer/1"), inside.url("/offer/1").replace("127.0.0.1", "localhost"));
    let results = format!("{{\"results\":[{{\"url\":\"{hit}\"}},{{\"url\":\"{named}\"}}]}}");
    let service =
        Server::new().rest(move |_| Reply::html(results.clone()).header("content-type", "application/json")).start();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("queries.txt"), "zenadol\n").unwrap();
    std::fs::write(at("engine.toml"), format!("url = \"{}\"\n", service.url("/search?q={query}"))).unwrap();
    let domain = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../domains/drugs.toml").display().to_string();
    let output = pagekin()
        .args(["find-sites", "--queries", &at("queries.txt"), "--engine", &at("engine.toml"), "--domain", &domain])
        .args(["--db", &at("p.db")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(service.log().len(), 1, "the service itself is the user's choice");
    assert_eq!(inside.targets(), [""; 0], "{}", stderr(&output));
    let again = pagekin().args(["watch", "run", "--all", "--db", &at("p.db")]).output().unwrap();
    assert_eq!(inside.targets(), [""; 0], "{}", stderr(&again));
}
