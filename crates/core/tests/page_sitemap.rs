//! What do sitemaps, feeds, lists and robots.txt name? Cases with the answer beside, and files made to hurt.

use flate2::Compression;
use flate2::write::GzEncoder;
use pagekin_core::page::sitemap::{MAPS, PAGES, SIZE, Sitemap, in_robots, read};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;
use url::Url;

fn site() -> Url {
    "https://site.example/maps/sitemap.xml".parse().unwrap()
}

fn of(text: &str) -> Sitemap {
    read(text.as_bytes(), &site())
}

/// Addresses, of the site from the root.
fn pages(found: &Sitemap) -> Vec<String> {
    found.pages.texts().map(|text| text.trim_start_matches("https://site.example").to_owned()).collect()
}

fn maps(found: &Sitemap) -> Vec<&str> {
    found.maps.iter().map(|url| url.as_str().trim_start_matches("https://site.example")).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const NONE: [&str; 0] = [];

const URLSET: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> https://site.example/a?x=1&amp;y=2#top </loc><lastmod>2024-01-01</lastmod>
    <image:image><image:loc>https://site.example/picture</image:loc></image:image></url>
  <url><loc><![CDATA[https://site.example/b?x&y]]></loc></url>
  <url><loc>/c?x=1&y=2</loc><xhtml:link rel="alternate" href="https://site.example/de/c"/></url>
  <url><loc>mailto:x@site.example</loc><loc></loc></url>
  <url><loc>https://site.example/d&#233;&#x2F;e</loc></url>
</urlset>"#;

#[test]
fn a_sitemap_names_pages() {
    let found = of(URLSET);
    assert_eq!(pages(&found), ["/a?x=1&y=2", "/b?x&y", "/c?x=1&y=2", "/d%C3%A9/e"]);
    assert_eq!((found.maps.len(), found.pages.len(), found.pages.is_empty()), (0, 4, false));
    assert_eq!(found.pages.iter().nth(1).unwrap().query(), Some("x&y"));
}

#[test]
fn an_index_names_maps_once() {
    let index = "<s:sitemapindex xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9'>\
        <s:sitemap><s:loc>https://site.example/1.xml.gz</s:loc></s:sitemap>\
        <s:sitemap><s:loc>/2.xml</s:loc><s:lastmod>x</s:lastmod></s:sitemap><s:sitemap><s:loc>/2.xml</s:loc></s:sitemap>";
    assert_eq!(maps(&of(index)), ["/1.xml.gz", "/2.xml"]);
    assert!(of(index).pages.is_empty());
}

#[test]
fn rss_names_the_pages_of_its_items() {
    let rss = r#"<rss version="2.0"><channel><title>News</title><link>https://site.example/</link>
        <atom:link rel="self" href="https://site.example/feed"/><atom:link rel="next" href="/feed?page=2&amp;x"/>
        <image><link>https://site.example/logo</link></image>
        <item><title>1</title><link>https://site.example/1</link><guid>https://site.example/?p=1</guid></item>
        <item><guid isPermaLink="true">https://site.example/2</guid></item>
        <item><guid isPermaLink="false">https://site.example/id/3</guid><link>https://site.example/3</link></item>
        <item><guid>tag:site.example,2024:4</guid></item>
        <item><guid isPermaLink="false">https://site.example/id/4</guid></item>
        <item><enclosure url="https://site.example/5.mp3"/><atom:link rel="self" href="/x"/></item>
    </channel></rss>"#;
    assert_eq!(pages(&of(rss)), ["/1", "/2", "/3"]);
    assert_eq!(maps(&of(rss)), ["/feed?page=2&x"]);
    let rdf = r#"<rdf:RDF><channel rdf:about="x"><link>/</link></channel><item rdf:about="/1"><link>https://site.example/1</link></item></rdf:RDF>"#;
    assert_eq!(pages(&of(rdf)), ["/1"]);
}

#[test]
fn atom_names_the_pages_of_its_entries() {
    let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/atom"/><link href="https://site.example/"/>
        <entry><link rel="alternate" type="text/html" href="https://site.example/1?a&amp;b"/><link rel="edit" href="/edit/1"/></entry>
        <entry><link href="/2?a=1&b=2"/><source><link href="/source"/></source><id>https://site.example/id</id></entry></feed>"#;
    assert_eq!(pages(&of(atom)), ["/1?a&b", "/2?a=1&b=2"]);
    assert_eq!(maps(&of(atom)), NONE);
}

#[test]
fn a_list_has_an_address_a_line() {
    let list = "\u{FEFF}https://site.example/1\r\n  HTTP://site.example/2 \n\n# comment\n/3\nsome words\nhttps://\nhttps://site.example/4";
    assert_eq!(pages(&of(list)), ["/1", "http://site.example/2", "/4"]);
    assert_eq!(pages(&of("")), NONE);
}

#[test]
fn gzip_is_known_by_its_first_bytes() {
    let packed = gzip(URLSET.as_bytes());
    assert_eq!(pages(&read(&packed, &site())).len(), 4);
    assert_eq!(pages(&read(&gzip(&packed), &site())).len(), 4, "packed twice, by a server that packs everything");
    let many: String = (0..50_000).map(|n| format!("https://site.example/{n:x}\n")).collect();
    let packed = gzip(many.as_bytes());
    let cut = read(&packed[..packed.len() / 2], &site()).pages.len();
    assert!((10_000..49_000).contains(&cut), "a file cut in half gives {cut}");
    let two_members = [gzip(b"https://site.example/1\n"), gzip(b"https://site.example/2\n")].concat();
    assert_eq!(pages(&read(&two_members, &site())), ["/1", "/2"]);
    assert!(read(&[0x1F, 0x8B], &site()).pages.is_empty());
}

#[test]
fn encodings_as_declared_and_as_they_are() {
    let declared = |label: &str, path: &[u8]| {
        let mut bytes =
            format!("<?xml version='1.0' encoding='{label}'?><urlset><url><loc>https://site.example/").into_bytes();
        bytes.extend_from_slice(path);
        bytes.extend_from_slice(b"</loc></url></urlset>");
        pages(&read(&bytes, &site()))
    };
    assert_eq!(declared("windows-1251", b"\xE4"), ["/%D0%B4"]);
    assert_eq!(declared("ISO-8859-1", b"\xE4"), ["/%C3%A4"]);
    assert_eq!(declared("UTF-16", "ä".as_bytes()), ["/%C3%A4"], "UTF-16 is said and UTF-8 is meant");
    assert_eq!(declared("UTF-8", b"a\xFFb"), ["/a%EF%BF%BDb"]);
    assert_eq!(declared("nonsense;charset=x", b"a"), ["/a"]);
    let text = "<urlset><url><loc>https://site.example/ä</loc></url></urlset>";
    let wide = |swap: bool| -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if swap { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    assert_eq!(pages(&read(&wide(false), &site())), ["/%C3%A4"]);
    assert_eq!(pages(&read(&wide(true), &site())), ["/%C3%A4"]);
    assert_eq!(pages(&read(&[b"\xFE\xFF", &wide(true)[..]].concat(), &site())), ["/%C3%A4"]);
}

#[test]
fn broken_files_give_what_can_be_read() {
    assert_eq!(pages(&of(&URLSET[..URLSET.find("/c?x").unwrap() + 2])), ["/a?x=1&y=2", "/b?x&y"], "cut off");
    assert_eq!(pages(&of("Warning: x on line 3\n<?xml version='1.0'?><urlset><url><loc>/a</loc></url>")), ["/a"]);
    let unclosed = "<urlset><url><loc>/a</url><url><loc>/b</url><lastmod><url><x><loc>/no</x><loc>/c</loc></url></wrong>\
        <url><loc>/d</loc></url>";
    assert_eq!(pages(&of(unclosed)), ["/a", "/b", "/c", "/d"]);
    assert_eq!(pages(&of("<urlset><url><loc>/a</loc></url><url <<>><loc>/b</loc>")).first().unwrap(), "/a");
    let html = "<!DOCTYPE html><html><head><link rel=next href=/2><body><p>Not found<br><a href=/x>home</a>";
    assert_eq!((pages(&of(html)).len(), of(html).maps.len()), (0, 0));
}

#[test]
fn entities_are_not_expanded() {
    let mut bomb = String::from(
        "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a0 'https://site.example/'><!ENTITY f SYSTEM 'file:///etc/passwd'>",
    );
    for n in 1..30 {
        write!(bomb, "<!ENTITY a{n} '&a{0};&a{0};&a{0};&a{0};'>", n - 1).unwrap();
    }
    bomb += "]><urlset><url><loc>&a29;</loc></url><url><loc>&f;</loc></url><url><loc>https://site.example/?x&y;z</loc></url></urlset>";
    assert_eq!(pages(&of(&bomb)), ["/?x&y;z"]);
}

#[test]
fn depth_number_and_size_are_bounded() {
    assert_eq!(pages(&of(&format!("<urlset>{}<url><loc>/a</loc></url>", "<x>".repeat(60)))), ["/a"]);
    assert_eq!(pages(&of(&format!("<urlset>{}<url><loc>/a</loc></url>", "<x>".repeat(64)))), NONE);
    assert!(of(&"<url>".repeat(2_000_000)).pages.is_empty());
    let maps: String = (0..MAPS + 10).map(|n| format!("<sitemap><loc>/{n}</loc></sitemap>")).collect();
    assert_eq!(of(&maps).maps.len(), MAPS);
    let long = format!("<url><loc>/{}</loc></url><url><loc>/b</loc></url>", "a".repeat(5_000_000));
    assert_eq!(pages(&of(&long)), ["/b"]);
    let attributes = format!("<feed><entry><link {}href='/a'/></entry></feed>", "x='' ".repeat(1_000_000));
    assert_eq!(pages(&of(&attributes)), ["/a"]);
    let zeros = gzip(&vec![b' '; 2 * SIZE]);
    assert!(read(&[zeros, gzip(b"https://site.example/late")].concat(), &site()).pages.is_empty());
    // Escaping makes each byte of an address three.
    let wide = format!("https://site.example/{}\n", "\u{7F}".repeat(2_000));
    let text: usize = of(&wide.repeat(SIZE / wide.len())).pages.texts().map(str::len).sum();
    assert!((1..=SIZE / 16).contains(&text), "addresses that are all so long are few: {text}");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the time is printed, not judged")]
fn a_million_addresses() {
    let mut xml = String::from("<urlset>");
    (0..PAGES + 100).for_each(|n| write!(xml, "<url><loc>https://site.example/p/{n}</loc></url>").unwrap());
    assert!(xml.len() < SIZE);
    let start = Instant::now();
    let found = of(&xml);
    println!("{} addresses of {} MB in {:?}", found.pages.len(), xml.len() / 1_000_000, start.elapsed());
    assert_eq!(found.pages.len(), PAGES);
    assert_eq!(found.pages.texts().last(), Some("https://site.example/p/999999"));
}

#[test]
fn robots_names_maps() {
    let robots = "\u{FEFF}User-agent: *\nDisallow: /x\nSitemap: https://site.example/a.xml # main\r\nsitemap : /b.xml\r\
        SITEMAP:https://other.example/c.xml\n#Sitemap: /no.xml\nSitemap:\nSitemaps: /no.xml\nSitemap: /b.xml\nSite-map: /d.xml";
    let base = "https://site.example/robots.txt".parse().unwrap();
    let found: Vec<_> = in_robots(robots, &base).iter().map(Url::to_string).collect();
    assert_eq!(
        found,
        [
            "https://site.example/a.xml",
            "https://site.example/b.xml",
            "https://other.example/c.xml",
            "https://site.example/d.xml"
        ]
    );
    assert!(in_robots("<html>Sitemap of http://x</html>", &base).is_empty());
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300), packed in any::<bool>()) {
        let bytes = if packed { [&[0x1F, 0x8B][..], &bytes].concat() } else { bytes };
        read(&bytes, &site());
        read(&gzip(&bytes), &site());
        in_robots(&String::from_utf8_lossy(&bytes), &site());
    }

    #[test]
    fn any_markup_is_survived(pieces in prop::collection::vec(
        prop::sample::select(vec!["<url>", "</url>", "<loc>", "</loc>", "<item>", "</item>", "<entry>", "<link href='/a'/>", "<link href=", "<link>",
            "</link>", "<guid>", "</guid>", "<feed>", "<x/>", "<![CDATA[", "]]>", "<!--", "-->", "&", "&amp;", "&#x110000;", "&#0;", ";", "<?xml", "?>",
            "<!DOCTYPE", "[", "<", ">", "\"", "https://site.example/a", "/b", "é", "\n", "Sitemap:"]), 0..40)) {
        let text: String = pieces.concat();
        for found in [of(&text), of(&format!("<urlset>{text}"))] {
            prop_assert_eq!(found.pages.iter().count(), found.pages.len());
            prop_assert!(found.pages.iter().all(|url| url.scheme().starts_with("http") && url.fragment().is_none()));
        }
        in_robots(&text, &site());
    }
}
