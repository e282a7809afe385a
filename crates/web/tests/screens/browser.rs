//! Does it work for a person? A real Chromium goes the whole way, meets a hostile page, and looks at every screen in two widths.

use super::support::Served;
use pagekin_testkit::browser::Browser;
use pagekin_testkit::server::{Reply, Server};

#[test]
fn from_an_address_to_a_file_with_a_picked_column() {
    let (folder, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(mut browser) = Browser::or_skip(own.path()) else { return };
    let served = Served::start(folder.path());
    browser.open(&served.first());
    assert!(
        !browser.eval("location.href").as_str().unwrap().contains("token"),
        "the token does not stay in the address"
    );
    browser.open(&served.url("/new"));
    browser.fill("#url", &served.sample);
    browser.click("#look-button");
    browser.wait("document.querySelector('#first-rows tbody tr:nth-child(5)')");
    pick(&mut browser, "Juno & Sons");
    browser.wait("!document.querySelector('#picked').hidden");
    assert_eq!(browser.text("#picked-value"), "Juno & Sons");
    browser.fill("#picked-name", "stall");
    browser.click("#picked button");
    browser.wait("document.querySelector('#examples input')?.value === 'stall=Juno & Sons'");
    browser.click("#look-button");
    browser.wait("[...document.querySelectorAll('#first-rows th')].some((cell) => cell.textContent === 'stall')");
    assert!(browser.text("#command").contains("--example 'stall=Juno & Sons'"), "{}", browser.text("#command"));
    browser.click("#start-button");
    browser.wait("document.querySelector('#now-state')?.textContent === 'done'");
    browser.click("#to-data");
    browser.wait("document.querySelectorAll('#records tbody tr').length === 50");
    let table = browser.eval("location.href").as_str().unwrap().to_owned();
    browser.click("#records tbody a");
    browser.wait("document.querySelector('#snapshot')?.contentDocument?.querySelector('[data-mark]')");
    browser.click("button.show[data-attribute=stall]");
    let place = "document.querySelector('#snapshot').contentDocument.querySelector('[data-picked]')?.textContent";
    let value = "[...document.querySelectorAll('#evidence tr')].find((row) => row.cells[0].textContent === 'stall').cells[1].textContent";
    assert_eq!(browser.eval(place), browser.eval(value), "the place of a value is marked");
    browser.open(&table);
    let csv = browser.eval("fetch(document.querySelector('a[download]').href).then((answer) => answer.text())");
    let csv = csv.as_str().unwrap();
    assert_eq!(csv.lines().count(), 169, "{csv}");
    assert!(csv.lines().next().unwrap().contains("stall") && csv.contains("Juno & Sons"), "{csv}");
    let foreign: Vec<&String> = browser.requested.iter().filter(|url| !url.starts_with(&served.url("/"))).collect();
    assert!(foreign.iter().all(|url| url.starts_with("data:") || url.starts_with("about:")), "{foreign:?}");
}

/// Presses on a text in the snapshot, as a person does.
pub fn pick(browser: &mut Browser, text: &str) {
    browser.wait("document.querySelector('#snapshot')?.contentDocument?.querySelector('[data-n]')");
    let place = format!(
        "(() => {{ const frame = document.querySelector('#snapshot'); frame.scrollIntoView({{block: 'center'}});
           const found = [...frame.contentDocument.querySelectorAll('[data-n]')].filter((own) => own.textContent === {text:?}).pop();
           found.scrollIntoView({{block: 'center'}});
           const [outer, inner] = [frame.getBoundingClientRect(), found.getBoundingClientRect()];
           return [outer.x + inner.x + inner.width / 2, outer.y + inner.y + inner.height / 2]; }})()"
    );
    browser.wait("document.querySelector('#snapshot').contentDocument.readyState === 'complete'");
    // On a busy machine the frame may still move, or not listen yet; a person would press again.
    for _ in 0..20 {
        let place = browser.eval(&place);
        browser.press(place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
        std::thread::sleep(std::time::Duration::from_millis(150));
        if browser.eval("!document.querySelector('#picked').hidden") == true {
            return;
        }
    }
}

const HOSTILE: &str = "<html><head><title><img src=CANARY/title onerror='top.hacked=1'></title>\
    <meta http-equiv=refresh content='0;url=CANARY/refresh'><link rel=stylesheet href=CANARY/sheet>\
    <style>@import 'CANARY/import'; body{background:url(CANARY/background)}</style><base href=CANARY/></head>\
    <body onload='top.hacked=2'><script>top.hacked=3;fetch('CANARY/script')</script>\
    <img src=CANARY/image onerror='top.hacked=4'><iframe src=CANARY/frame></iframe>\
    <a id=bad href='javascript:top.hacked=5'>a bad link</a><form action=CANARY/form><button>send it</button></form>\
    <svg onload='top.hacked=6'></svg><h1>Item 1 &lt;script>top.hacked=7&lt;/script></h1><p>Price: <b>1.00</b></p>\
    <ul><li><a href=/items/2>Item 2</a><li><a href=/items/3>Item 3</a></ul></body></html>";

#[test]
fn a_hostile_page_runs_nothing_and_sends_nothing() {
    let (folder, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(mut browser) = Browser::or_skip(own.path()) else { return };
    let canary = Server::new().rest(|_| Reply::html("<script>top.hacked=8</script>")).start();
    let page = HOSTILE.replace("CANARY", &canary.url(""));
    let site = Server::new()
        .rest(move |asked| match asked.target.as_str() {
            "/robots.txt" => Reply::status(404),
            target => Reply::html(page.replace("Item 1", &format!("Item {}", target.len()))),
        })
        .start();
    let served = Served::start(folder.path());
    browser.open(&served.first());
    browser.open(&served.url("/new"));
    browser.fill("#url", &site.url("/items/1"));
    browser.click("#look-button");
    for text in ["a bad link", "send it"] {
        pick(&mut browser, if text == "send it" { "1.00" } else { text });
    }
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert_eq!(browser.eval("String(window.hacked)"), "undefined");
    assert_eq!(canary.targets(), [""; 0]);
    let foreign: Vec<&String> = browser.requested.iter().filter(|url| url.starts_with(&canary.url(""))).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    assert!(browser.eval("location.pathname").as_str().unwrap().starts_with("/new"));
    let title = browser.eval("document.querySelector('#snapshot').title");
    assert!(title.as_str().unwrap().contains("<img"), "markup in a title is text: {title}");
}

/// The most that a screen may weigh, in bytes, with style and scripts.
const HEAVIEST: f64 = 150_000.0;

#[test]
fn every_screen_fits_a_phone_and_weighs_little() {
    let (folder, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(mut browser) = Browser::or_skip(own.path()) else { return };
    let served = Served::start(folder.path());
    let run = served.run(&served.sample);
    let class = served.wait_for(run, "done")["run"]["class_id"].clone();
    let record = served.json(&format!("/api/data/{class}"))["records"][0]["url"].as_str().unwrap().to_owned();
    let site = served.map();
    browser.open(&served.first());
    for width in [390, 1280] {
        browser.resize(width, 900);
        let screens = ["/", "/new", "/runs", "/data", "/changes", "/review", "/map", "/sql", "/api", "/nowhere"];
        let screens = screens.map(str::to_owned);
        let others = [
            format!("/map/{site}"),
            format!("/data/{class}/health"),
            format!("/runs/{run}"),
            format!("/data/{class}"),
            format!("/data/{class}/record?url={record}"),
            format!("/data/{class}/tree"),
        ];
        for path in screens.iter().chain(&others) {
            browser.open(&served.url(path));
            let wide = browser.eval("document.documentElement.scrollWidth - innerWidth");
            assert!(wide.as_f64() <= Some(0.0), "{path} is {wide} px too wide at {width}");
            let script = "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
                .reduce((sum, own) => sum + own.decodedBodySize, 0)";
            let weight = browser.eval(script).as_f64().unwrap();
            assert!(weight < HEAVIEST, "{path} weighs {weight} bytes");
            let nameless = "[...document.querySelectorAll('input:not([type=hidden]),select,textarea')]
                .filter((field) => !field.labels?.length).length";
            assert_eq!(browser.eval(nameless), 0, "{path} has fields without a label");
            if let Some(shots) = std::env::var_os("PAGEKIN_SCREENS") {
                let name = format!("{}-{width}.png", path.split('?').next().unwrap().replace(['/', ':'], "_"));
                browser.save_picture(&std::path::Path::new(&shots).join(name));
            }
        }
    }
}
