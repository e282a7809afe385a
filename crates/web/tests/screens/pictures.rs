//! The pictures of `docs/guides/03_in_a_browser.md`, made by `cargo xtask pictures`: the way of the guide on the built-in site.

use super::browser::pick;
use super::support::Served;
use pagekin_testkit::browser::Browser;
use pagekin_testkit::python::workspace;
use std::path::PathBuf;

fn save(browser: &mut Browser, name: &str) {
    let folder: PathBuf = workspace().join("docs/guides/pictures");
    std::fs::create_dir_all(&folder).unwrap();
    browser.save_picture(&folder.join(format!("{name}.png")));
    let paint = browser.eval("performance.getEntriesByName('first-contentful-paint')[0]?.startTime");
    eprintln!("{name}: first paint after {paint} ms");
}

#[test]
#[ignore = "writes the pictures of the guide: cargo xtask pictures"]
fn pictures_of_the_guide() {
    let (folder, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut browser = Browser::or_skip(own.path()).expect("chromium");
    let served = Served::start(folder.path());
    browser.resize(1100, 720);
    browser.open(&served.first());
    save(&mut browser, "home");
    browser.open(&served.url("/new"));
    browser.fill("#url", &served.sample);
    browser.click("#look-button");
    browser.wait("document.querySelector('#first-rows tbody tr:nth-child(5)')");
    browser.eval("document.querySelector('#rows').scrollIntoView()");
    save(&mut browser, "first-rows");
    pick(&mut browser, "Juno & Sons");
    browser.wait("!document.querySelector('#picked').hidden");
    browser.fill("#picked-name", "stall");
    browser.eval("document.querySelector('#pick').scrollIntoView()");
    save(&mut browser, "pick");
    browser.click("#picked button");
    browser.click("#look-button");
    browser.wait("[...document.querySelectorAll('#first-rows th')].some((cell) => cell.textContent === 'stall')");
    browser.click("#start-button");
    browser.wait("document.querySelector('#now-state')?.textContent === 'done'");
    save(&mut browser, "run");
    browser.click("#to-data");
    browser.wait("document.querySelectorAll('#records tbody tr').length === 50");
    save(&mut browser, "data");
    browser.click("#records tbody a");
    browser.wait("document.querySelector('#snapshot')?.contentDocument?.querySelector('[data-mark]')");
    browser.click("button.show[data-attribute=stall]");
    browser.eval("document.querySelector('#evidence').scrollIntoView()");
    save(&mut browser, "record");
    let site = served.map();
    browser.open(&served.url(&format!("/map/{site}")));
    save(&mut browser, "map");
    browser.open(&served.url("/changes"));
    save(&mut browser, "changes");
}
