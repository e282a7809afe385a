//! How long do the templates of a million addresses take, and how much memory?
//!
//! `cargo bench -p pagekin-core --bench hidden`: one site with a million addresses of four kinds. Wall-clock time of the
//! best of three rounds, and the most memory the process had (the addresses themselves among it).

#![allow(clippy::disallowed_methods, reason = "a measurement needs a clock and the kernel's figures")]

use pagekin_core::hidden::mine;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ADDRESSES: usize = 1_000_000;
const ROUNDS: usize = 3;

/// Items in categories, topics with page numbers, users, and news by date.
fn address(n: usize) -> String {
    let root = "http://big.example.org";
    match n % 4 {
        0 => format!("{root}/shop/cat-{}/some-nice-product-name-{}-{n}.html", n % 97, n % 5003),
        1 => format!("{root}/forum/topic?page={}&topic={}", n % 7, n / 7),
        2 => format!("{root}/user/{n}/profile"),
        _ => format!("{root}/news/{}/{:02}/headline-number-{}-and-more-{n}", 1990 + n % 30, n % 12 + 1, n % 1999),
    }
}

fn main() {
    let text: Vec<String> = (0..ADDRESSES).map(address).collect();
    let urls: Vec<&str> = text.iter().map(String::as_str).collect();
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mined = mine::mine(&urls, mine::FEWEST);
        best = best.min(start.elapsed().as_secs_f64());
        assert_eq!(mined.templates.len(), 4, "one a kind");
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or(" unknown").trim();
    println!("{ADDRESSES} addresses: {best:.2} s, peak memory {peak}");
}
