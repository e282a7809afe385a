//! Do the bounds on links leave real pages alone?

#[path = "../../html/tests/support/corpus.rs"]
mod corpus;

use corpus::{pages, skip};
use pagekin_core::page::charset::decode;
use pagekin_core::page::links::{ADDRESSES, ADDRESSES_A_BYTE, links};
use pagekin_core::page::{Limits, parser};

/// The largest share of its bound that the addresses of a page take.
fn largest_share(pages: &[Vec<u8>]) -> f64 {
    let site = "http://www.a-site-of-usual-length.example/folder/page.html".parse().unwrap();
    let share = |page: &Vec<u8>| {
        let document = parser::parse(&decode(page, None, None), &Limits::default()).ok()?;
        let total: usize = links(&document, &site).iter().map(|link| link.url.as_str().len()).sum();
        Some(total as f64 / (ADDRESSES + ADDRESSES_A_BYTE * document.bytes()) as f64)
    };
    let largest = pages.iter().filter_map(share).fold(0.0, f64::max);
    eprintln!("{} pages, the largest share is {largest:.3}", pages.len());
    largest
}

#[test]
fn addresses_of_real_pages_are_kept() {
    let pages = pages("sites", 40);
    if pages.is_empty() {
        return skip("sites/*/site.warc.gz");
    }
    assert!(largest_share(&pages) < 0.5);
}

#[test]
#[ignore = "some minutes: every page there is, with `cargo test -p pagekin-core --test page_links -- --ignored`"]
fn addresses_of_all_real_pages_are_kept() {
    assert!(largest_share(&pages("swde", 1)) < 0.5);
    assert!(largest_share(&pages("sites", 1)) < 0.5);
}
