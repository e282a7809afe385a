//! What is in these bytes? Cases with the answer beside: link-paths in all notations, links, text, title, trees.

#[path = "../../html/tests/support/tree.rs"]
mod tree;

use pagekin_core::page::links::{anchors, base, links};
use pagekin_core::page::paths::PathFinder;
use pagekin_core::page::text::{leaves, title};
use pagekin_core::page::{Document, Limits, Notation, Origin, PathTable, parser, read};
use pagekin_core::pages::RawPage;
use tree::actual;
use url::Url;

fn document(html: &str) -> Document {
    parser::parse(html, &Limits::default()).unwrap()
}

fn site() -> Url {
    "http://site.example/dir/page.htm".parse().unwrap()
}

fn paths(html: &str, notation: Notation) -> Vec<String> {
    let document = document(html);
    let mut table = PathTable::default();
    let mut finder = PathFinder::new(&document, notation);
    anchors(&document)
        .map(|node| {
            let path = finder.path(&mut table, node);
            table.show(path)
        })
        .collect()
}

fn tag_paths(html: &str) -> Vec<String> {
    paths(html, Notation::Tag)
}

/// Links as `address text`, of one origin.
fn addresses(html: &str, origin: Origin) -> Vec<String> {
    let links = links(&document(html), &site());
    links.into_iter().filter(|link| link.origin == origin).map(|link| format!("{} {}", link.url, link.text)).collect()
}

const LIST: &str = "<ul id=n class='b a'><li><a class=x href=/1>one</a><li style><a href=/2 title='t > u'>two</a></ul>";

#[test]
fn link_paths_in_every_notation() {
    assert_eq!(paths(LIST, Notation::Tag), ["html/body/ul/li/a", "html/body/ul/li/a"]);
    assert_eq!(
        paths(LIST, Notation::TagAn),
        ["html/body/ul@class@id/li/a@class@href", "html/body/ul@class@id/li@style/a@href@title"]
    );
    assert_eq!(
        paths(LIST, Notation::TagAnAv),
        [
            "html/body/ul@class=b a@id=n/li/a@class=x@href=/1",
            "html/body/ul@class=b a@id=n/li@style=/a@href=/2@title=t > u"
        ]
    );
    assert_eq!(paths(LIST, Notation::TagClass), ["html/body/ul.a.b/li/a.x", "html/body/ul.a.b/li/a"]);
}

#[test]
fn equal_paths_have_equal_numbers_and_merge_into_a_site() {
    let (one, other) = (document(LIST), document("<p><a href=x></a></p><ul><li><a href=y></a></ul>"));
    let mut site_table = PathTable::default();
    let mut schema = |document: &Document| {
        let mut table = PathTable::default();
        let mut finder = PathFinder::new(document, Notation::Tag);
        let paths: Vec<_> = anchors(document).map(|node| finder.path(&mut table, node)).collect();
        let ids = site_table.merge(&table);
        paths.into_iter().map(|path| ids[path as usize]).collect::<Vec<_>>()
    };
    let (first, second) = (schema(&one), schema(&other));
    assert_eq!(first[0], first[1]);
    assert_ne!(second[0], first[0]);
    assert_eq!(second[1], first[0]);
    assert_eq!(site_table.show(second[0]), "html/body/p/a");
}

#[test]
fn implied_elements_are_in_the_path() {
    assert_eq!(tag_paths("<table><tr><td><a href=x>y"), ["html/body/table/tbody/tr/td/a"]);
    assert_eq!(tag_paths("<table><td><a href=x>y"), ["html/body/table/tbody/tr/td/a"]);
    assert_eq!(tag_paths("<a href=x>y"), ["html/body/a"]);
    assert_eq!(tag_paths("<dl><dt><a href=x>y</a><dd><a href=x>y</a>"), ["html/body/dl/dt/a", "html/body/dl/dd/a"]);
}

#[test]
fn noscript_links_exist() {
    assert_eq!(tag_paths("<body><noscript><p><a href=x>y</a></p></noscript>"), ["html/body/noscript/p/a"]);
    // In the head, the first thing that is not a head's ends noscript and head.
    assert_eq!(tag_paths("<head><noscript><a href=x>y</a></noscript>"), ["html/body/a"]);
}

#[test]
fn nested_formatting_is_opened_again_in_the_next_block() {
    assert_eq!(tag_paths("<p><b><i><a href=1>x</a></p><p><a href=2>y</a>"), ["html/body/p/b/i/a", "html/body/p/b/i/a"]);
    assert_eq!(tag_paths("<a href=1>x<p>y</a>z"), ["html/body/a", "html/body/p/a"]);
    assert_eq!(tag_paths("<a href=1><a href=2>"), ["html/body/a", "html/body/a"]);
}

#[test]
fn what_does_not_belong_into_a_table_stands_before_it() {
    assert_eq!(
        tag_paths("<table><a href=1>x</a><tr><td><a href=2>y</a></table>"),
        ["html/body/a", "html/body/table/tbody/tr/td/a"]
    );
    assert_eq!(tag_paths("<table><tr><div><a href=1>x</a></div><td>y</table>"), ["html/body/div/a"]);
}

#[test]
fn templates_and_foreign_elements_have_paths_too() {
    assert_eq!(tag_paths("<body><template><p><a href=1>x</a></template>"), ["html/body/template/p/a"]);
    assert_eq!(
        tag_paths("<svg><a xlink:href=1></a><foreignObject><p><a href=2></a>"),
        ["html/body/svg/a", "html/body/svg/foreignObject/p/a"]
    );
}

#[test]
fn base_is_the_first_with_an_address() {
    let of = |html: &str| base(&document(html), &site()).to_string();
    assert_eq!(of("<a href=x>"), "http://site.example/dir/page.htm");
    assert_eq!(of("<base target=_top><base href=/b/><base href=/c/>"), "http://site.example/b/");
    assert_eq!(of("<body><p><base href=//other.example/>"), "http://other.example/");
    assert_eq!(of("<template><base href=/t/></template><base href=' /b/ '>"), "http://site.example/b/");
    assert_eq!(of("<base href='data:text/html,x'>"), "http://site.example/dir/page.htm");
    assert_eq!(addresses("<base href=/b/><a href=x#f>t</a>", Origin::Anchor), ["http://site.example/b/x t"]);
}

#[test]
fn rel_says_what_a_link_is() {
    let html = "<link rel=Canonical href=/c><link rel=stylesheet href=/s><link rel='alternate next' href=/n>\
        <a rel='nofollow PREV' href=/p>p</a><a rel=up href=/u>u</a><a href=/q>q</a>";
    let links = links(&document(html), &site());
    let found: Vec<_> = links.iter().map(|link| (link.url.path(), link.origin)).collect();
    use Origin::{Anchor, Head};
    assert_eq!(found, [("/c", Head), ("/n", Head), ("/p", Anchor), ("/u", Anchor), ("/q", Anchor)]);
    assert!(links[0].rel.canonical && !links[0].rel.next);
    assert!(links[1].rel.alternate && links[1].rel.next);
    assert!(links[2].rel.nofollow && links[2].rel.prev && !links[2].rel.up);
    assert!(links[3].rel.up);
    assert_eq!(links[4].rel, pagekin_core::page::Rel::default());
}

#[test]
fn anchor_text_is_folded_and_short() {
    let html =
        "<a href=1> a\n <b>b</b>c </a><a href=2><img alt=' An  image '></a><a href=3><img alt=x>t</a><a href=4></a>";
    let at = |n: u8| format!("http://site.example/dir/{n}");
    assert_eq!(addresses(html, Origin::Anchor), [at(1) + " a b c", at(2) + " An image", at(3) + " t", at(4) + " "]);
    let long = links(&document(&format!("<a href=x>{}</a>", "wörd ".repeat(50))), &site());
    assert!((100..=120).contains(&long[0].text.len()));
}

#[test]
fn links_of_other_origins() {
    assert_eq!(
        addresses("<div data-href='/a b'>x</div><i data-url=u data-link=l>y</i>", Origin::Scripted),
        ["http://site.example/a%20b x", "http://site.example/dir/u y"]
    );
    assert_eq!(
        addresses("<td onclick=\"window.location.href = '/w?x=1&amp;y=2'\">x<td onclick='go(1)'>y", Origin::Scripted),
        Vec::<String>::new(),
        "cells outside a table are dropped"
    );
    assert_eq!(
        addresses("<p onclick=\"window.location.href = '/w?x=1&amp;y=2'\">x<p onclick='go(1)'>y", Origin::Scripted),
        ["http://site.example/w?x=1&y=2 x"]
    );
    assert_eq!(
        addresses("<map><area href=a></map><iframe src=f></iframe>", Origin::Embedded),
        ["http://site.example/dir/a ", "http://site.example/dir/f "]
    );
    assert_eq!(
        addresses(
            "<select><option value=''>Go to<option value=/m>May<option value=june.html>June<option value=7>July",
            Origin::Scripted
        ),
        ["http://site.example/m May", "http://site.example/dir/june.html June"]
    );
    assert_eq!(
        addresses("<a href=\"javascript:window.open('/w')\">x</a><a href='javascript:void(0)'>y</a>", Origin::Scripted),
        ["http://site.example/w x"]
    );
    assert_eq!(
        addresses("<meta http-equiv=Refresh content='5; URL=/later'>", Origin::Embedded),
        ["http://site.example/later "]
    );
}

#[test]
fn a_page_without_links_may_send_on_by_script() {
    let script = "<script>if (top) { window.location.replace('/in/'); }</script>";
    assert_eq!(addresses(script, Origin::Scripted), ["http://site.example/in/ "]);
    assert_eq!(addresses(&format!("<a href=/a>a</a>{script}"), Origin::Scripted), Vec::<String>::new());
}

#[test]
fn only_addresses_of_pages_are_links() {
    let html = "<a href='mailto:a@b.example'>m</a><a href='javascript:x()'>j</a><a href='http://[bad'>b</a>\
        <a href=' https://other.example/ \n'>o</a><a href=''>self</a><a>no</a>";
    assert_eq!(addresses(html, Origin::Anchor), ["https://other.example/ o", "http://site.example/dir/page.htm self"]);
}

#[test]
fn text_leaves_stand_in_document_order() {
    let html = "<title>T</title><style>s</style><p>one <b> two\n three</b><!-- c --> four<script>x</script>\
        <table>five<tr><td>six</table><noscript>seven</noscript><template>t</template> \n <textarea>\neight</textarea>";
    let document = document(html);
    let found: Vec<_> = leaves(&document).into_iter().map(|leaf| leaf.text).collect();
    assert_eq!(
        found.iter().map(|text| &**text).collect::<Vec<_>>(),
        ["one", "two three", "four", "five", "six", "seven", "eight"]
    );
}

#[test]
fn title_is_the_documents_own() {
    assert_eq!(title(&document("<title> A &amp;\n B </title><title>C</title>")), "A & B");
    assert_eq!(title(&document("<svg><title>drawing</title></svg><p><title>page</title>")), "page");
    assert_eq!(title(&document("<p>none")), "");
}

#[test]
fn bytes_are_decoded_before_they_are_parsed() {
    let raw = |body: &'static [u8], content_type: Option<&str>| RawPage {
        url: site(),
        redirects: Vec::new(),
        status: 200,
        content_type: content_type.map(str::to_owned),
        body: body.into(),
        robots: Default::default(),
    };
    let of = |page: &RawPage| title(&read(page, &Limits::default()).unwrap());
    assert_eq!(of(&raw(b"<title>caf\xE9</title>", Some("text/html; charset=latin1"))), "café");
    assert_eq!(of(&raw(b"<meta charset=utf-8><title>caf\xC3\xA9</title>", None)), "café");
    assert_eq!(of(&raw(b"<title>\xED\xA0\x80</title>", Some("text/html; charset=utf-8"))), "\u{FFFD}\u{FFFD}\u{FFFD}");
}

/// Where the second opinion of `page_standard.rs` is not the standard's.
#[test]
fn trees_as_the_standard_has_them() {
    let body = |html: &str| actual(&format!("<!doctype html>{html}")).replace("#root\n <html\n  <head\n  <body\n", "");
    // foreignObject is special: a <dd> inside it does not end the one outside.
    assert_eq!(body("<dd><svg><foreignobject><dd>"), "   <dd\n    <svg svg\n     <svg foreignObject\n      <dd\n");
    // An annotation of HTML takes an end tag that finds nothing to end.
    assert_eq!(
        body("<math><annotation-xml encoding='Text/HTML'></p>"),
        "   <math math\n    <math annotation-xml encoding=\"Text/HTML\"\n     <p\n"
    );
    // Any annotation-xml bounds a scope.
    assert_eq!(
        body("<div><math><annotation-xml></div><x>"),
        "   <div\n    <math math\n     <math annotation-xml\n      <math x\n"
    );
    // A doctype is a token, and ends the text of a table; `</>` is none.
    assert_eq!(body("<table> <!doctype>x"), "   \"x\"\n   <table\n    \" \"\n");
    assert_eq!(body("<pre></>\nx"), "   <pre\n    \"x\"\n");
    // A head of a table in a template ends where its body begins.
    assert_eq!(body("<p><template><thead><tfoot>"), "   <p\n    <template\n     #root\n      <thead\n      <tfoot\n");
    assert_eq!(body("<b><search></b>x"), "   <b\n   <search\n    <b\n    \"x\"\n");
    assert_eq!(body("<isindex>x"), "   <isindex\n    \"x\"\n");
    assert_eq!(body("<p><script></script>\u{FEFF}x"), "   <p\n    <script\n    \"\\u{feff}x\"\n");
    assert_eq!(body("<pre>&#xa y"), "   <pre\n    \" y\"\n");
}
