//! What must hold of any bytes that a stranger or a user gives? One function a target: it panics where something does not hold.
//!
//! - [`TARGETS`]: all of them by name. The corpus of a target is `fuzz/corpus/NAME`.
//!
//! Used twice: by libFuzzer (`fuzz_targets/`, with `cargo fuzz run NAME`) and by the tests, with mutations of the corpus
//! (`testkit/tests/fuzz.rs`). Knows nothing of who makes the bytes.

use pagekin_core::check::rules;
use pagekin_core::extract::{domain, wrapper};
use pagekin_core::hidden::mine::mine;
use pagekin_core::model::SiteModel;
use pagekin_core::model::classify::Classifier;
use pagekin_core::page::address::{Scope, ScopeKind, key, registrable};
use pagekin_core::page::charset::{decode, encoding};
use pagekin_core::page::links::links;
use pagekin_core::page::state_changing::state_changing;
use pagekin_core::page::text::{leaves, title};
use pagekin_core::page::{Document, Limits, parser, sitemap};
use pagekin_core::pages::RawPage;
use pagekin_fetch::live::robots::Rules;
use pagekin_fetch::warc::http::exchange;
use pagekin_fetch::warc::read::Reader;
use std::sync::Arc;
use url::Url;

pub type Target = fn(&[u8]);

pub const TARGETS: [(&str, Target); 12] = [
    ("html", html),
    ("charset", charset),
    ("sitemap", sitemap),
    ("robots", robots),
    ("warc", warc),
    ("address", address),
    ("templates", templates),
    ("wrapper", wrapper),
    ("model", model),
    ("rules", rules),
    ("domain", domain),
    ("config", config),
];

fn site() -> Url {
    Url::parse("http://site.example/folder/page").expect("an address")
}

/// The tree is one: each node stands once, below its parent, and everything that is read from it can be.
pub fn html(bytes: &[u8]) {
    let Ok(document) = parser::parse(&String::from_utf8_lossy(bytes), &Limits::default()) else { return };
    let mut seen = vec![false; document.len()];
    for node in document.descendants(Document::ROOT) {
        assert!(!std::mem::replace(&mut seen[node as usize], true), "node {node} stands twice");
        assert!(document.children(node).all(|child| document.parent(child) == Some(node)));
    }
    for link in links(&document, &site()) {
        assert!(matches!(link.url.scheme(), "http" | "https"));
    }
    title(&document);
    leaves(&document);
}

/// What is UTF-8 without a word on its encoding is read as that, and no byte makes decoding fail.
pub fn charset(bytes: &[u8]) {
    let (header, body) = bytes.split_at(bytes.len().min(16));
    let header = String::from_utf8_lossy(header);
    decode(bytes, Some(&format!("text/html; {header}")), Some("example"));
    let text = decode(body, None, None);
    if encoding(body, None, None).name() == "UTF-8" && !body.starts_with(b"\xEF\xBB\xBF") {
        assert_eq!(text, String::from_utf8_lossy(body));
    }
}

pub fn sitemap(bytes: &[u8]) {
    let map = sitemap::read(bytes, &site());
    assert_eq!(map.pages.iter().count(), map.pages.len(), "what is listed is an address");
    sitemap::in_robots(&String::from_utf8_lossy(bytes), &site());
}

pub fn robots(bytes: &[u8]) {
    let rules = Rules::parse(bytes, "pagekin");
    for path in ["/", "/folder/page?x=1", "/%2A$", "/robots.txt"] {
        rules.forbidding(&site().join(path).expect("an address"));
    }
    rules.crawl_delay();
}

/// Reading ends, and no record is longer than what is there can be unpacked to.
pub fn warc(bytes: &[u8]) {
    let Ok(mut reader) = Reader::new(Arc::new(bytes.to_vec())) else { return };
    while let Ok(Some(head)) = reader.next_head() {
        let _ = (head.url(), head.date(), head.refers_to());
        match reader.block(1 << 20) {
            Ok(block) => drop(exchange(&head, block)),
            Err(trouble) => {
                if reader.give_up(trouble).is_err() {
                    return;
                }
            }
        }
    }
}

/// The key of an address is an address, and its own key.
pub fn address(bytes: &[u8]) {
    for text in String::from_utf8_lossy(bytes).lines() {
        let Some(url) = site().join(text).ok().filter(|url| matches!(url.scheme(), "http" | "https")) else { continue };
        state_changing(&url);
        registrable(url.host_str().unwrap_or(""));
        assert!(Scope::new(ScopeKind::Host, &url).contains(&url));
        let once = key(&url);
        let again = Url::parse(&once).map(|plain| key(&plain));
        assert_eq!(again.as_deref(), Ok(once.as_str()), "of `{url}`");
    }
}

/// A template makes addresses, and those it was learned from are no fewer than its ids.
pub fn templates(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let urls: Vec<&str> = text.lines().collect();
    for template in mine(&urls, 2).templates {
        assert!(template.known.len() <= template.addresses, "{template:?}");
        template.known.iter().for_each(|id| drop(template.address(*id)));
    }
}

/// What could be read is written so that it reads the same.
pub fn wrapper(bytes: &[u8]) {
    if let Ok(wrappers) = wrapper::parse(&String::from_utf8_lossy(bytes)) {
        let text = wrapper::text(&wrappers).expect("what was read can be written");
        assert_eq!(wrapper::parse(&text).expect("and read again"), wrappers);
    }
}

pub fn model(bytes: &[u8]) {
    let Ok(model) = serde_json::from_slice::<SiteModel>(bytes) else { return };
    let body = "<html><body><h1>A</h1><a href=/x>x</a></body></html>".into();
    let page = RawPage {
        url: site(),
        redirects: Vec::new(),
        status: 200,
        content_type: None,
        body,
        robots: Default::default(),
    };
    let _ = Classifier::new(&model, Limits::default()).classify(&page);
}

pub fn rules(bytes: &[u8]) {
    if let Err(troubles) = rules::parse(&String::from_utf8_lossy(bytes)) {
        assert!(!troubles.is_empty(), "what is refused has a reason");
    }
}

pub fn domain(bytes: &[u8]) {
    match domain::parse(&String::from_utf8_lossy(bytes)) {
        Ok(domain) => drop(domain.wanted().count()),
        Err(troubles) => assert!(!troubles.is_empty(), "what is refused has a reason"),
    }
}

/// A config file is used, or what is wrong with it is said.
pub fn config(bytes: &[u8]) {
    let wrong = pagekin_cli::wrong_with_config(&String::from_utf8_lossy(bytes));
    assert_ne!(wrong.as_deref(), Some(""), "what is refused has a reason");
}
