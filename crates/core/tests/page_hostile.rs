//! Documents made to hurt: each is parsed in bounded time and memory, or refused with a reason, and so is what is read
//! from it: links, paths in every notation, text.
//!
//! The bound on time is generous; it tells linear from quadratic, not fast from slow.

#![allow(clippy::disallowed_methods, reason = "the core is pure; what tests it looks at the clock and at memory")]

use pagekin_core::page::charset::decode;
use pagekin_core::page::links::{anchors, links};
use pagekin_core::page::paths::PathFinder;
use pagekin_core::page::text::{leaves, title};
use pagekin_core::page::{Document, Limits, Link, NodeId, Notation, PathTable, Refused, parser};
use proptest::prelude::*;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const SIZE: usize = 10_000_000;

/// One at a time: the bounds are for one document.
static ALONE: Mutex<()> = Mutex::new(());

/// What was made of a document.
struct Made {
    nodes: usize,
    links: Vec<Link>,
    text: usize,
}

/// Parses and reads everything, within bounds.
fn survive(html: &str) -> Result<Made, Refused> {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let start = Instant::now();
    let made = parser::parse(html, &Limits::default()).map(|document| {
        well_formed(&document);
        for notation in [Notation::Tag, Notation::TagAn, Notation::TagAnAv, Notation::TagClass] {
            let mut table = PathTable::default();
            let mut finder = PathFinder::new(&document, notation);
            anchors(&document).for_each(|node| assert_ne!(finder.path(&mut table, node), 0));
        }
        title(&document);
        let text = leaves(&document).iter().map(|leaf| leaf.text.len()).sum();
        let links = links(&document, &"http://site.example/".parse().unwrap());
        Made { nodes: document.len(), links, text }
    });
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
    assert!(peak_memory() < 1_000_000_000, "{} bytes of memory", peak_memory());
    made
}

#[test]
fn end_tags_under_a_thousand_foreign_elements_are_cheap() {
    let open: String = (0..1000).map(|number| format!("<x{number}>")).collect();
    let html = format!("<svg>{open}{}", "</q>".repeat(SIZE / 4));
    assert!(survive(&html).is_ok());
}

#[test]
fn elements_to_be_opened_again_without_end_are_refused() {
    let open: String = (0..900).map(|number| format!("<b id={number}>")).collect();
    let html = format!("{open}{}", "<object><p></object></p>".repeat(2000));
    assert!(survive(&html).is_ok(), "a marker keeps them from being opened");
    let html = format!("<p>{open}{}", "</p><p>x".repeat(5000));
    assert!(matches!(survive(&html), Err(Refused::Formatting(_))));
}

#[test]
fn attributes_that_come_late_are_looked_up() {
    let names: String = (0..3000).map(|number| format!(" a{number}")).collect();
    let html = format!("<html><body><html{names}>{}", "<html a1 a2 a3 a2999>".repeat(SIZE / 22));
    assert!(survive(&html).is_ok());
}

/// What a shape of a few kilobytes costs, to be parsed or refused: 55 kB of formatting elements under `<object>` took 2.7 s and 317 MB once.
fn is_cheap(html: &str) {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    assert!(html.len() < 64_000, "{} bytes", html.len());
    let (time, memory) = (processor_seconds(), peak_memory());
    if let Ok(document) = parser::parse(html, &Limits::default()) {
        links(&document, &"http://site.example/".parse().unwrap());
        leaves(&document);
    }
    let (time, memory) = (processor_seconds() - time, peak_memory() - memory);
    assert!(time < 0.5, "{time} s of the processor");
    assert!(memory < 100_000_000, "{memory} bytes");
}

#[test]
fn small_documents_of_slow_shapes_are_cheap() {
    let formatting: String = (0..900).map(|number| format!("<b id={number}>")).collect();
    let foreign: String = (0..1015).map(|number| format!("<x{number}>")).collect();
    let late: String = (0..3000).map(|number| format!(" a{number}")).collect();
    is_cheap(&format!("<object>{formatting}{}", "<object><p></object></p>".repeat(1700)));
    is_cheap(&format!("{formatting}{}", "<object><p>x</p></object>".repeat(1600)));
    is_cheap(&format!("<p>{formatting}{}", "</p><p>x".repeat(5000)));
    is_cheap(&format!("<svg>{foreign}{}", "</q>".repeat(12_000)));
    is_cheap(&format!("<html><body><html{late}>{}", "<html a1 a2 a3 a2999>".repeat(1600)));
}

/// Of this thread, so that a busy machine does not count; 0 where the system does not say.
fn processor_seconds() -> f64 {
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    said.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// The most memory this process has had; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Parents and children agree, and each node under the root is there once.
fn well_formed(document: &Document) {
    let mut seen = vec![false; document.len()];
    for node in document.descendants(Document::ROOT) {
        assert!(!std::mem::replace(&mut seen[node as usize], true), "node {node} stands twice");
    }
    for node in (0..document.len() as NodeId).filter(|&node| seen[node as usize]) {
        assert_eq!(document.parent(node).is_none(), node == Document::ROOT);
        if let Some(parent) = document.parent(node) {
            assert!(seen[parent as usize]);
        }
        assert!(document.children(node).all(|child| document.parent(child) == Some(node)));
    }
}

fn filled(piece: &str) -> String {
    piece.repeat(SIZE / piece.len())
}

fn depth() -> Option<Refused> {
    Some(Refused::Depth(Limits::default().depth))
}

fn attributes() -> Option<Refused> {
    Some(Refused::Attributes(Limits::default().attributes))
}

#[test]
fn deep_nesting_is_refused() {
    assert_eq!(survive(&filled("<div>")).err(), depth());
    assert_eq!(survive(&"<div>".repeat(100_000)).err(), depth());
    let bold: String = (0..100_000).map(|n| format!("<b id={n}>")).collect();
    assert_eq!(survive(&bold).err(), depth());
    assert_eq!(survive(&"<table><tr><td>".repeat(100_000)).err(), depth());
    assert_eq!(survive(&"<svg>".repeat(100_000)).err(), depth());
    assert_eq!(survive(&"<template>".repeat(100_000)).err(), depth());
    assert_eq!(survive(&"<ul><li>".repeat(100_000)).err(), depth());
    assert_eq!(survive(&"<object><b><p>".repeat(100_000)).err(), depth());
}

#[test]
fn nesting_below_the_limit_is_parsed() {
    let limit = Limits::default().depth - 2;
    assert!(survive(&"<div>".repeat(limit)).is_ok());
    assert_eq!(survive(&"<div>".repeat(limit + 1)).err(), depth());
}

#[test]
fn formatting_that_is_opened_again_is_bounded() {
    let unclosed = |tag: &str| -> String { (0..100_000).map(|n| format!("<p><{tag} id={n}></p>")).collect() };
    assert_eq!(survive(&unclosed("b")).err(), depth());
    assert_eq!(survive(&unclosed("font")).err(), depth());
    let anchors: String = (0..100_000).map(|n| format!("<a href={n}></p><p>")).collect();
    assert!(survive(&anchors).is_ok(), "an anchor ends the one before");
    // Formatting elements in plenty, opened again in each of many paragraphs: nodes by the million.
    let some: String = (0..900).map(|n| format!("<b id={n}>")).collect();
    assert_eq!(
        survive(&format!("<p>{some}</p>{}", filled("<p>x</p>"))).err(),
        Some(Refused::Nodes(Limits::default().nodes))
    );
    // Waiting in each of many cells, where they are neither open nor forgotten.
    let cell: String = (0..100).map(|n| format!("<b id={n}>")).collect();
    let cells = format!("<p>{cell}</p><table><td>").repeat(200);
    assert_eq!(survive(&cells).err(), Some(Refused::Formatting(Limits::default().depth)));
    // A long value, opened again and again, is not copied.
    let value = format!("<p><b x='{}'></p>", "v".repeat(1_000_000));
    assert!(survive(&(value + &"<p><a href=x>t</a></p>".repeat(100_000))).is_ok());
}

#[test]
fn misnesting_is_bounded() {
    assert!(survive(&filled("<b><p></b></p>")).is_ok());
    assert!(survive(&filled("<a><p></a>").replace("</a>", "</a></p>")).is_ok());
    assert!(survive(&format!("{}{}", "<b><i><u><s>".repeat(200), filled("</b></i></u></s>"))).is_ok());
    let spans = "<span>".repeat(1000);
    assert!(survive(&format!("{spans}{}", filled("</b></p>"))).is_ok());
    assert!(survive(&format!("<p>{spans}{}", filled("</address></wobble>"))).is_ok());
    assert_eq!(survive(&filled("<form></form><li><dd>")).err(), depth());
    assert!(survive(&filled("<select><option><input>")).is_ok());
}

#[test]
fn attribute_bombs_are_refused() {
    let names = |count: usize| (0..count).map(|n| format!(" a{n}")).collect::<String>();
    assert_eq!(survive(&format!("<p{}>", names(500_000))).err(), attributes());
    let quoted: String = (0..500_000).map(|n| format!(" a{n}='>'")).collect();
    assert_eq!(survive(&format!("<p{quoted}>")).err(), attributes());
    let small = format!("<p{}>", names(20_000));
    assert!(small.len() < 256 * 1024);
    assert_eq!(survive(&small).err(), attributes());
    assert_eq!(survive(&format!("</p{}>", names(500_000))).err(), attributes());
    // One name again and again is one attribute.
    assert!(survive(&format!("<p{}>", " same".repeat(2_000_000))).is_ok());
    // As many as allowed on every tag.
    let full = format!("<b{}>", names(4000));
    assert!(survive(&full.repeat(3_000_000 / full.len())).is_ok());
}

#[test]
fn repeated_html_and_body_tags_are_bounded() {
    let many: String = (0..100_000).map(|n| format!("<html a{n}><body b{n}>")).collect();
    assert_eq!(survive(&many).err(), attributes());
    assert!(survive(&filled("<html a b c><body d e f>")).is_ok());
}

#[test]
fn too_many_names_are_refused() {
    let names: String = (0..100_000).map(|n| format!("<x{n}></x{n}>")).collect();
    assert!(matches!(survive(&names).err(), Some(Refused::Names(_))));
    let long: String = (0..100_000).map(|n| format!("<a-name-that-is-long-{n}/ b>")).collect();
    assert!(survive(&long).is_err());
}

#[test]
fn text_in_bulk() {
    assert_eq!(survive(&filled("word ")).unwrap().text, SIZE - 1);
    assert_eq!(survive(&filled(" ")).unwrap().text, 0);
    assert!(survive(&filled("&amp;&eacute;&notit;&#38;")).is_ok());
    assert!(survive(&filled("&")).is_ok());
    assert!(survive(&format!("&{}", filled("a"))).is_ok());
    assert!(survive(&format!("&#{};", filled("9"))).is_ok());
    assert!(survive(&filled("\0")).is_ok());
    assert!(survive(&filled("a\0")).is_ok());
    assert!(survive(&filled("<svg>\0</svg>")).is_ok());
    assert!(survive(&filled("<")).is_ok());
    assert!(survive(&filled("a<")).is_ok());
    assert!(survive(&filled("x</bogus>y")).is_ok());
}

#[test]
fn text_that_grows_in_two_places_is_not_copied_over_and_over() {
    // Text before a table, and in its cells, in turns.
    assert!(survive(&format!("<table>{}", filled("a<tr><td>b</td></tr>"))).is_ok());
    assert!(survive(&format!("<table>{}", filled("a<tr>"))).is_ok());
}

#[test]
fn markup_that_does_not_end() {
    for open in [
        "<!--",
        "<!",
        "<!doctype ",
        "<p a='",
        "<p ",
        "<",
        "</",
        "<title>",
        "<script>",
        "<script><!--",
        "<plaintext>",
        "<svg><![CDATA[",
        "<style>",
        "<p a",
        "<!doctype html public '",
    ] {
        assert!(survive(&format!("{open}{}", filled("x-<!"))).is_ok(), "{open}");
        assert!(survive(&format!("{open}{}", filled("x"))).is_ok(), "{open}");
    }
    assert!(survive(&filled("<!--")).is_ok());
    assert!(survive(&filled("<!-- -- ")).is_ok());
    assert!(survive(&format!("<script>{}", filled("<!--<script>"))).is_ok());
    assert!(survive(&format!("<title>{}", filled("</titl"))).is_ok());
    assert!(survive(&format!("<svg>{}", filled("<![CDATA[]]>"))).is_ok());
    assert!(survive(&filled("<!-->")).is_ok());
}

fn addresses(made: &Made) -> usize {
    made.links.iter().map(|link| link.url.as_str().len()).sum()
}

#[test]
fn links_in_bulk() {
    assert_eq!(survive(&filled("<a href=x>")).unwrap().links.len(), SIZE / 10);
    // A long base makes every link long.
    let base = format!("<base href='http://site.example/{}/'>", "b".repeat(8000));
    let made = survive(&(base + &filled("<a href=x>"))).unwrap();
    assert!((1..=64 << 20).contains(&addresses(&made)));
    // And a short page of them stays cheap, because a site has many.
    let base = format!("<base href='http://site.example/{}/'>", "b".repeat(8000));
    let short: String = (0..1000).map(|n| format!("<a href={n}>")).collect();
    assert!((1..=400_000).contains(&addresses(&survive(&(base + &short)).unwrap())));
    assert!(survive(&format!("<base href='/{}'>{}", "b".repeat(1_000_000), "<a href=x>".repeat(100_000))).is_ok());
    assert!(survive(&filled("<base href=/x>")).is_ok());
    assert!(survive(&filled("<base>")).is_ok());
    let distinct: String = (0..500_000).map(|n| format!("<a href={n}>")).collect();
    assert_eq!(survive(&distinct).unwrap().links.len(), 500_000);
    assert!(survive(&format!("<a href='{}'>", filled("x"))).unwrap().links.is_empty());
    // Anchors and their like inside one another, around much: each has a text.
    let nested = "<div data-href=/x>".repeat(1000);
    assert!(survive(&format!("{nested}{}", filled("<i></i>"))).is_ok());
    assert!(survive(&format!("{nested}{}", filled(" "))).is_ok());
    assert!(survive(&format!("<a href=x rel='{}'>", filled("next "))).is_ok());
    assert!(survive(&format!("<p onclick='{}'>", filled("location"))).is_ok());
}

#[test]
fn the_longest_document_is_refused_above_its_limit() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let long = "x".repeat((256 << 20) + 1);
    assert_eq!(parser::parse(&long, &Limits::default()).err(), Some(Refused::Bytes(256 << 20)));
}

#[test]
fn nodes_are_counted_whatever_they_are() {
    let few = Limits { nodes: 1000, ..Limits::default() };
    for piece in ["<br>", "<!-- -->", "x<br>", "<b><p>x</b></p>", "<table>x"] {
        assert_eq!(parser::parse(&piece.repeat(2000), &few).err(), Some(Refused::Nodes(1000)), "{piece}");
    }
    assert!(parser::parse(&"<br>".repeat(900), &few).is_ok());
}

#[test]
fn a_page_cut_anywhere_is_parsed() {
    let page = "<!DOCTYPE html PUBLIC '-//x' \"y\"><html lang=en><!-- c --><title>A &amp; b</title><script><!-- <script> \
        </script> --></script><body class='x y'><table><tr><td>é&eacute;<a href=\"?a&amp;b\">l</a></table><svg viewBox=1>\
        <![CDATA[x]]></svg><textarea>\n&lt;</textarea><p/><br />&#x41;\0</body></html>";
    for end in 0..=page.len() {
        let cut = decode(&page.as_bytes()[..end], Some("text/html; charset=utf-8"), None);
        assert!(survive(&cut).is_ok(), "cut at {end}");
    }
}

#[test]
fn bytes_of_no_charset_are_parsed() {
    let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(100_000).collect();
    let surrogates = b"\xED\xA0\x80\xED\xB0\x80<a href='\xED\xA0\x80'>".repeat(1000);
    for charset in
        ["utf-8", "utf-16le", "shift_jis", "gb18030", "windows-1251", "iso-2022-jp", "no-such", "replacement"]
    {
        let header = format!("text/html; charset={charset}");
        for body in [&bytes, &surrogates] {
            let made = survive(&decode(body, Some(&header), None));
            assert!(made.is_ok_and(|made| made.nodes > 3), "{charset}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_a_well_formed_tree(html in "(<|>|/|!|-|\\[|=|'|\"|&|#|;|[a-z]|table|td|svg|a |b|p|\\PC|\0| ){0,200}") {
        prop_assert!(survive(&html).is_ok());
    }

    #[test]
    fn any_bytes_give_a_well_formed_tree(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        prop_assert!(survive(&decode(&bytes, None, None)).is_ok());
    }
}
