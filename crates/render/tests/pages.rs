//! Is a page read when it is complete, and with everything it shows? A real browser, and sites in memory.

mod support;

use pagekin_core::pages::Reason;
use pagekin_render::{Failure, Response, Settings};
use support::{Memory, renderer, url};

const ITEMS: &str = "const list = document.createElement('ul'); document.body.append(list);
  let shown = 0;
  async function more() {
    const items = await (await fetch('/items?from=' + shown, {headers: {accept: 'application/json'}})).json();
    for (const item of items) { list.insertAdjacentHTML('beforeend', `<li><a href=\"/item/${item}\">${item}</a></li>`); shown++; }
  }";

fn items(site: Memory, batches: usize, each: usize) -> Memory {
    (0..=batches).fold(site, |site, batch| {
        let from = batch * each;
        let all: Vec<usize> = if batch < batches { (from..from + each).collect() } else { Vec::new() };
        site.with(&format!("/items?from={from}"), "application/json", format!("{all:?}"))
    })
}

fn links(html: &str) -> usize {
    (0..1000).filter(|item| html.contains(&format!("href=\"/item/{item}\""))).count()
}

#[tokio::test]
async fn what_scripts_and_data_show_is_read() {
    let Some(renderer) = renderer(Settings::default()) else { return };
    let page = "<!doctype html><title>t</title><link rel=stylesheet href=/s.css><img src=/i.png><body><script src=/app.js></script>";
    let site = items(Memory::default().page("/", page), 1, 3)
        .with("/app.js", "text/javascript", format!("{ITEMS}\nsetTimeout(more, 100);"))
        .with("/s.css", "text/css", "li { font-size: 20px }");
    let rendered = renderer.render(&url("/#x"), &site, false).await.unwrap();
    assert!(rendered.html.starts_with("<!DOCTYPE html><html>"), "{}", rendered.html);
    assert_eq!(links(&rendered.html), 3, "{}", rendered.html);
    assert!(rendered.engine.contains("Chrom"), "{}", rendered.engine);
    let mut asked = site.targets();
    asked.sort();
    assert_eq!(asked, ["/", "/app.js", "/items?from=0", "/s.css"], "no pictures");
    assert_eq!((rendered.asked, rendered.layout), (4, None));
}

#[tokio::test]
async fn buttons_for_more_and_endless_scrolling_are_followed_as_far_as_they_go() {
    let Some(renderer) = renderer(Settings { more: 6, ..Settings::default() }) else { return };
    let button = format!(
        "<body><form method=post action=/order><button>Show more money</button></form>
         <button type=button onclick='more()'>Load more</button><script>{ITEMS}\nmore();</script>"
    );
    let site = items(Memory::default().page("/", button), 4, 5);
    let rendered = renderer.render(&url("/"), &site, false).await.unwrap();
    assert_eq!(links(&rendered.html), 20, "{:?}", site.targets());
    assert!(!site.targets().iter().any(|asked| asked.contains("order")), "a form is not sent");
    let scrolled = format!(
        "<body><style>li {{ height: 900px }}</style><script>{ITEMS}\nmore();
         addEventListener('scroll', () => {{ if (innerHeight + scrollY >= document.body.scrollHeight - 50) more(); }});</script>"
    );
    let endless = items(Memory::default().page("/", scrolled), 100, 5);
    let rendered = renderer.render(&url("/"), &endless, false).await.unwrap();
    assert!((25..=60).contains(&links(&rendered.html)), "bounded: {}", links(&rendered.html));
}

#[tokio::test]
async fn pages_know_nothing_of_each_other() {
    let Some(renderer) = renderer(Settings::default()) else { return };
    let script = "<body><script>document.body.textContent = (localStorage.seen || 'first') + document.cookie;
        localStorage.seen = 'again'; document.cookie = 'a=b';</script>";
    let site = Memory::default().page("/1", script).page("/2", script);
    for path in ["/1", "/2"] {
        let rendered = renderer.render(&url(path), &site, false).await.unwrap();
        assert!(rendered.html.contains("<body>first"), "{}", rendered.html);
    }
}

#[tokio::test]
async fn boxes_say_where_everything_stands() {
    let Some(renderer) = renderer(Settings::default()) else { return };
    let page = "<!doctype html><body style='margin:0'><a href=/a style='position:absolute;left:30px;top:40px;width:50px;height:60px'>a</a>";
    let site = Memory::default().page("/", page);
    let layout = renderer.render(&url("/"), &site, true).await.unwrap().layout.expect("boxes");
    let link = layout.elements.iter().find(|element| &*element.name == "a").expect("the link");
    let bounds = link.bounds.expect("it is drawn");
    assert_eq!((bounds.x, bounds.y, bounds.width, bounds.height), (30.0, 40.0, 50.0, 60.0));
    assert_eq!(link.href.as_deref(), Some("/a"));
}

#[tokio::test]
async fn redirects_of_data_are_followed_and_pages_that_go_elsewhere_stay() {
    let Some(renderer) = renderer(Settings::default()) else { return };
    let page = "<body><p id=p>here</p><script>
        fetch('/old').then((answer) => answer.text()).then((text) => { p.textContent = text; location.href = '/login'; });</script>";
    let moved = Response { status: 302, headers: vec![("Location".to_owned(), "/new".to_owned())], body: "".into() };
    let site = Memory::default().page("/", page).answering("/old", moved).with("/new", "text/plain", "moved here");
    let rendered = renderer.render(&url("/"), &site, false).await.unwrap();
    assert!(rendered.html.contains("moved here"), "{}", rendered.html);
    assert!(!site.targets().contains(&"/login".to_owned()));
}

#[tokio::test]
async fn a_failed_request_is_no_evidence() {
    let Some(renderer) = renderer(Settings::default()) else { return };
    let broken = Response { status: 503, headers: Vec::new(), body: "".into() };
    let site = Memory::default().page("/", "<body><script>fetch('/data')</script>").answering("/data", broken);
    let failure = renderer.render(&url("/"), &site, false).await.unwrap_err();
    assert!(matches!(&failure, Failure::NotHad(skipped) if skipped.reason == Reason::Status), "{failure:?}");
    let failure = renderer.render(&url("/elsewhere"), &site, false).await.unwrap_err();
    assert!(matches!(&failure, Failure::NotHad(skipped) if skipped.reason == Reason::OutOfScope), "{failure:?}");
}

#[tokio::test]
async fn many_pages_at_once_and_a_new_browser_now_and_then() {
    let Some(renderer) = renderer(Settings { pages: 5, tabs: 3, ..Settings::default() }) else { return };
    let site = (0..12).fold(Memory::default(), |site, number| {
        site.page(&format!("/{number}"), format!("<body><script>document.body.textContent = 6 * {number}</script>"))
    });
    let pages = (0..12).map(async |number: usize| renderer.render(&url(&format!("/{number}")), &site, false).await);
    for (number, rendered) in futures::future::join_all(pages).await.into_iter().enumerate() {
        assert!(rendered.unwrap().html.contains(&format!("<body>{}</body>", 6 * number)));
    }
}
