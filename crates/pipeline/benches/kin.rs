//! What does kin cost beyond parsing? Two figures: CPU for each page looked at on sites of 3,000, 100,000 and 1,000,000 items behind lists, and time and
//! memory on a site whose sitemaps name 1,000,000 addresses.
//!
//! `cargo bench --workspace --bench=kin [-- looks|addresses]`

use pagekin::discover::{Settings, discover};
use pagekin::{Url, cpu_seconds, peak_memory, reset_peak_memory};
use pagekin_core::page::{self, Limits};
use pagekin_core::pages::{Answer, Pages, RawPage, Reason, Skipped};
use std::fmt::Write;
use std::sync::Mutex;
use std::time::Instant;

const HOST: &str = "http://shop.test";
const MENU: usize = 40;
const A_LIST: usize = 50;
const A_MAP: usize = 50_000;

/// A shop of so many items, with or without sitemaps; keeps the pages it gave out.
struct Shop {
    items: usize,
    mapped: bool,
    given: Mutex<Vec<RawPage>>,
}

impl Shop {
    fn new(items: usize, mapped: bool) -> Self {
        Self { items, mapped, given: Mutex::default() }
    }

    fn body(&self, path: &str) -> Option<(&'static str, String)> {
        let number = |text: &str| text.parse::<usize>().ok();
        if let Some(item) = path.strip_prefix("/item/").and_then(number).filter(|item| *item < self.items) {
            return Some(("text/html", self.item(item)));
        }
        if let Some(list) = path.strip_prefix("/list/").and_then(number).filter(|list| *list < self.lists()) {
            return Some(("text/html", self.list(list)));
        }
        if let Some(map) = path.strip_prefix("/map-").and_then(|map| map.strip_suffix(".xml")).and_then(number) {
            return self.mapped.then(|| ("application/xml", self.map(map)));
        }
        match path {
            "/" => Some(("text/html", self.list(0))),
            "/robots.txt" if self.mapped => Some(("text/plain", self.robots())),
            _ => None,
        }
    }

    fn lists(&self) -> usize {
        self.items.div_ceil(A_LIST)
    }

    fn robots(&self) -> String {
        (0..self.items.div_ceil(A_MAP)).map(|map| format!("Sitemap: {HOST}/map-{map}.xml\n")).collect()
    }

    fn map(&self, map: usize) -> String {
        let mut xml = String::from("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>");
        for item in map * A_MAP..((map + 1) * A_MAP).min(self.items) {
            let _ = write!(xml, "<url><loc>{HOST}/item/{item}</loc></url>");
        }
        xml + "</urlset>"
    }

    fn item(&self, item: usize) -> String {
        let facts = ["Price", "Weight", "Colour", "Maker", "Stock", "Rating"];
        let rows: String =
            facts.iter().map(|fact| format!("<tr><th>{fact}</th><td>{}</td></tr>", item * 7 % 1009)).collect();
        let related: String =
            (1..13).map(|n| format!("<li><a href=/item/{}>more</a>", (item + n * n) % self.items)).collect();
        self.framed(&format!("<h1>Item {item}</h1><table class=facts>{rows}</table><ul class=related>{related}</ul>"))
    }

    fn list(&self, list: usize) -> String {
        let items: String = (list * A_LIST..((list + 1) * A_LIST).min(self.items))
            .map(|item| format!("<li class=card><a href=/item/{item}>Item {item}</a><span>new</span>"))
            .collect();
        self.framed(&format!("<ol class=cards>{items}</ol><a rel=next href=/list/{}>Next</a>", list + 1))
    }

    fn framed(&self, main: &str) -> String {
        let step = (self.lists() / MENU).max(1);
        let menu: String = (0..MENU).map(|n| format!("<li><a href=/list/{}>Part {n}</a>", n * step)).collect();
        let words = "<p>Some words that every shop has about itself.".repeat(60);
        format!(
            "<!DOCTYPE html><title>Shop</title><nav><ul>{menu}</ul></nav><main>{main}</main><footer>{words}</footer>"
        )
    }
}

impl Pages for Shop {
    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        let answer = |url: &Url| {
            let Some((kind, body)) = self.body(url.path()) else {
                return Answer::Skipped(Skipped::new(url, Reason::NotArchived, ""));
            };
            let page = RawPage {
                url: url.clone(),
                redirects: Vec::new(),
                status: 200,
                content_type: Some(kind.to_owned()),
                body: body.into(),
                robots: Default::default(),
            };
            if kind == "text/html" {
                self.given.lock().expect("one thread").push(page.clone());
            }
            Answer::Page(page)
        };
        urls.iter().map(answer).collect()
    }
}

fn main() {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    if wanted("looks") {
        looks(3_000);
        looks(100_000);
        looks(1_000_000);
    }
    if wanted("addresses") {
        addresses();
    }
}

/// CPU a looked-at page, less what reading the same pages takes by itself.
fn looks(items: usize) {
    let shop = Shop::new(items, false);
    let before = cpu();
    let found = run(&shop);
    let all = cpu() - before;
    let pages = shop.given.lock().expect("one thread");
    let before = cpu();
    for raw in pages.iter() {
        let document = page::read(raw, &Limits::default()).expect("our own page");
        std::hint::black_box(page::links::links(&document, &raw.url));
    }
    let parsing = cpu() - before;
    println!(
        "{} items found with {} looks: {:.2} ms CPU a look beyond {:.2} ms for parsing",
        found,
        pages.len(),
        (all - parsing) * 1000.0 / pages.len() as f64,
        parsing * 1000.0 / pages.len() as f64,
    );
}

fn cpu() -> f64 {
    cpu_seconds().unwrap_or_default()
}

fn addresses() {
    let shop = Shop::new(1_000_000, true);
    reset_peak_memory();
    let start = Instant::now();
    let found = run(&shop);
    let memory = peak_memory().map_or(0, |bytes| bytes / 1_000_000);
    let (looks, seconds) = (shop.given.lock().expect("one thread").len(), start.elapsed().as_secs_f64());
    println!("{found} of 1000000 mapped items found with {looks} looks in {seconds:.1} s, {memory} MB at most");
}

fn run(shop: &Shop) -> usize {
    let sample = Url::parse(&format!("{HOST}/item/1711")).expect("an address");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let found = runtime.block_on(discover(shop, &[sample], &Settings::default())).expect("the shop answers");
    found.entities.len()
}
