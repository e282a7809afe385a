//! Which addresses stand in the data of a page? Cases with the answer beside, and data made to hurt.

use pagekin_core::page::embedded::embedded_links;
use pagekin_core::page::links::links;
use pagekin_core::page::{Document, Limits, Origin, parser};
use proptest::prelude::*;
use url::Url;

fn document(html: &str) -> Document {
    parser::parse(html, &Limits::default()).unwrap()
}

fn page() -> Url {
    "http://www.site.example/dir/page.htm".parse().unwrap()
}

/// Links as `place address`, of the page's own host from the root.
fn found(html: &str) -> Vec<String> {
    let links = embedded_links(&document(html), &page());
    let show = |url: &Url| url.as_str().trim_start_matches("http://www.site.example").to_owned();
    links.iter().map(|link| format!("{} {}", link.data_path.as_ref().unwrap(), show(&link.url))).collect()
}

fn in_json(json: &str) -> Vec<String> {
    found(&format!("<script type=application/json>{json}</script>"))
}

fn in_script(script: &str) -> Vec<String> {
    found(&format!("<script>{script}</script>"))
}

const NONE: [&str; 0] = [];

#[test]
fn json_ld_names_its_pages() {
    let html = r##"<script type="application/ld+json">{"@context": "https://schema.org", "@type": "ItemList",
        "@id": "http://www.site.example/list#main", "image": "/picture",
        "mainEntityOfPage": {"@id": "https://www.site.example/list"}, "itemListElement": [
            {"@type": "ListItem", "position": 1, "item": "http://www.site.example/a"},
            {"@type": "ListItem", "position": 2, "item": {"url": "/b?x=1&amp;y=2"}}],
        "sameAs": ["https://elsewhere.example/site"], "logo": {"url": "/logo.svg"}}</script>"##;
    assert_eq!(
        found(html),
        [
            "ld:@id /list",
            "ld:mainEntityOfPage.@id https://www.site.example/list",
            "ld:itemListElement[].item /a",
            "ld:itemListElement[].item.url /b?x=1&y=2",
        ]
    );
}

#[test]
fn json_gives_places_with_indexes_folded() {
    let next =
        r#"{"props": {"items": [{"href": "/a"}, {"href": "\/b"}, {"href": "\u002Fc"}, {"href": "/a"}]}, "n": 1e3}"#;
    assert_eq!(
        in_json(next),
        ["json:props.items[].href /a", "json:props.items[].href /b", "json:props.items[].href /c"]
    );
    assert_eq!(in_json(r#"[["/x"], {"a": {"b": ["/y"]}}]"#), ["json:[][] /x", "json:[].a.b[] /y"]);
}

#[test]
fn keys_that_count_things_are_folded() {
    let cache = r#"{"Product:217": {"url": "/p/217"}, "Product:3": {"url": "/p/3"}, "/about": {"title": "/t"},
        "0f9d-4a7b-11e2-9c": {"url": "/u"}}"#;
    assert_eq!(
        in_json(cache),
        [
            "json:Product:#.url /p/217",
            "json:Product:#.url /p/3",
            "json:{} /about",
            "json:{}.title /t",
            "json:{}.url /u"
        ]
    );
}

#[test]
fn broken_json_is_read_on() {
    // As a real site writes it: commas too many and too few, line ends in strings.
    let broken = "{\"author\": {\"name\": \"\",}, \"headline\": \"two\nlines\"\n \"url\": \"/a\",\n \"more\": [\"/b\",,{\"c\": \"/c\"],}";
    assert_eq!(in_json(broken), ["json:url /a", "json:more[] /b", "json:more[].c /c"]);
    assert_eq!(in_json(r#"{"name": "the "best" one", "url": "/a"}"#), ["json:url /a"]);
    assert_eq!(in_json(r#"{"url": "/a", "cut": {"url": "/b", "x": "/c"#), ["json:url /a", "json:cut.url /b"]);
    assert_eq!(in_json("<!-- //<x\n {\"url\": \"/a\"} -->"), ["json:url /a"]);
}

#[test]
fn literals_of_scripts_are_data_until_code_begins() {
    assert_eq!(
        in_script(r#"window.__DATA__ = {items: [{"url": '/a'}, {url: "/b", n: -1.5, ok: !0}]}; var list=["/c"];"#),
        ["js:window.__DATA__.items[].url /a", "js:window.__DATA__.items[].url /b", "js:list[] /c"]
    );
    assert_eq!(in_script(r#"var x = {a: "/a", b: "/item/" + id, c: "/c"}"#), ["js:x.a /a"]);
    assert_eq!(
        in_script(r#"var x = {a: "/a", go: function() { f("/b"); y = {z: "/z"}; }}"#),
        ["js:x.a /a", "js:y.z /z"]
    );
    assert_eq!(in_script(r#"$.ajax({url: "/data"}); f(["/x"]); if (a == {b: "/b"}) {}"#), NONE);
    assert_eq!(in_script("x = {/* '\" */ a: '/a', // it's\n b: '/b'}"), ["js:x.a /a", "js:x.b /b"]);
}

#[test]
fn data_in_strings_is_data() {
    assert_eq!(in_script(r#"s = JSON.parse('{"list": [{"url": "\/a"}]}')"#), ["js:s.list[].url /a"]);
    assert_eq!(in_script(r#"f(JSON.parse("{\"list\": [{\"url\": \"/a\"}]}"))"#), ["js:JSON.parse.list[].url /a"]);
    assert_eq!(
        in_script(r#"self.__f.push([1, "5:[\"$\", \"a\", null, {\"href\": \"/a\"}]\n6:[{\"href\": \"/b\"}]"])"#),
        ["js:self.__f.push[][].href /a", "js:self.__f.push[][].href /b"]
    );
}

#[test]
fn only_scripts_with_data_of_the_page_are_read() {
    let data = "x = {a: '/a'}";
    let scripts = |attributes: &str| found(&format!("<script {attributes}>{data}</script>")).len();
    for read in ["", "type=''", "type=text/javascript", "type='Application/JavaScript; charset=utf-8'", "type=module"] {
        assert_eq!(scripts(read), 1, "{read}");
    }
    for left in ["src=x.js", "type=text/template", "type=importmap", "type=text/vbscript", "type=é"] {
        assert_eq!(scripts(left), 0, "{left}");
    }
    assert_eq!(found("<script type='application/vnd.x+json'>{\"a\": \"/a\"}</script>"), ["json:a /a"]);
}

#[test]
fn what_is_no_page_of_the_site_is_left_out() {
    for no in [
        "/a.png",
        "/a.JPG?w=1",
        "/app.js",
        "/x.css#y",
        "/f.woff2",
        "/v.mp4",
        "/data.json",
        "/feed.xml",
        "/api/items/1",
        "/blog/wp-json/x",
        "/",
        "/ and more",
        "/user/{id}",
        "/user/:id",
        "/^a$",
        "/a<b",
        "//cdn.example/x",
        "http://other.example/",
        "http:",
        "https://",
        "mailto:a@site.example",
        "relative/path",
        "javascript:x()",
        "/*",
        "ftp://www.site.example/x",
    ] {
        assert_eq!(in_json(&format!(r#"{{"u": "{no}"}}"#)), NONE, "{no}");
    }
    for yes in ["/a", "/ü", "/a.html", "/?p=1", "/v1.2/x", "/~me", "/a.png/view", "/docs/api/x"] {
        assert_eq!(in_json(&format!(r#"{{"u": "{yes}"}}"#)).len(), 1, "{yes}");
    }
    for yes in ["//www.site.example/x", "https://shop.site.example/x", " HTTP://SITE.example/x "] {
        assert_eq!(in_json(&format!(r#"{{"u": "{yes}"}}"#)).len(), 1, "{yes}");
    }
    assert_eq!(in_json(r#"{"src": "/a", "image": ["/b"], "thumbnailUrl": "/c"}"#), NONE);
    let api = "http://site.example/api/java/Map".parse().unwrap();
    let html = r#"<script type=application/json>["/api/java/List"]</script>"#;
    assert_eq!(embedded_links(&document(html), &api).len(), 1, "this page is below /api/ itself");
}

#[test]
fn data_comes_after_the_links_of_elements() {
    let html =
        "<base href='http://www.site.example/b/'><script>x = {u: '/1'}</script><a href=2>two</a><p data-href=/3>three";
    let links = links(&document(html), &page());
    let found: Vec<_> = links.iter().map(|link| (link.url.path(), link.origin, link.data_path.is_some())).collect();
    assert_eq!(found, [("/b/2", Origin::Anchor, false), ("/3", Origin::Scripted, false), ("/1", Origin::Data, true)]);
    let all = embedded_links(&document(html), &page());
    assert_eq!((all.len(), &all[0].url, all[0].node), (1, &links[2].url, links[2].node));
}

#[test]
fn the_base_of_the_page_is_that_of_its_data() {
    let html = "<base href='http://shop.site.example/b/'><script>x = {u: '/1'}</script>";
    assert_eq!(found(html), ["js:x.u http://shop.site.example/1"]);
    assert_eq!(links(&document(html), &page())[0].url.as_str(), "http://shop.site.example/1");
}

#[test]
fn deep_many_and_long_are_bounded() {
    let deep = |levels: usize| format!(r#"{}"/deep"{}, "/top""#, "[".repeat(levels), "]".repeat(levels));
    assert_eq!(in_json(&deep(64)).len(), 2);
    assert_eq!(in_json(&deep(65)), ["json: /top"]);
    assert_eq!(in_json(&deep(500_000)), ["json: /top"]);
    let many: String = (0..20_000).map(|n| format!("\"/{n}\",")).collect();
    assert_eq!(in_json(&many).len(), 5_000);
    let beyond = format!("[\"{}\", \"/late\"]", "x".repeat(2 * 1024 * 1024));
    assert_eq!(in_json(&beyond), NONE);
    assert_eq!(in_json(&format!("\"/{}\"", "x".repeat(3000))), NONE);
    // Each piece begins a literal that runs to the end, or a string that does.
    for piece in
        ["x={", "x=[", "x={a:", "JSON.parse('", "JSON.parse(\"[", "x.push([", "/*", "\\", "=[\"", " ", "[\\\"", "x=[/"]
    {
        in_script(&format!("'/'{}", piece.repeat(2_000_000 / piece.len())));
        in_json(&piece.repeat(2_000_000 / piece.len()));
    }
}

proptest! {
    #[test]
    fn any_data_is_survived(pieces in prop::collection::vec(
        prop::sample::select(vec!["{", "}", "[", "]", "\"", "'", "`", "\\", "\\u00", "\\x2", "/", "//", "/*", "*/", ":", ",", "=", "x=",
            ".push(", "JSON.parse(", "http://", "/a", "é", "\u{10FFFF}", "\n", "1e9", "+", "key", "\"u\":\"/a\"", "5:[", "&amp;", "<!--"]), 0..60)) {
        let text: String = pieces.concat();
        for link in embedded_links(&document(&format!("<script>{text}</script><script type=application/json>{text}</script>")), &page()) {
            prop_assert!(link.origin == Origin::Data && link.data_path.is_some());
            prop_assert!(link.url.domain().is_some_and(|host| host.ends_with("site.example")));
        }
    }

    #[test]
    fn well_formed_json_is_read_whole(paths in prop::collection::vec("/[a-z0-9]{1,8}", 0..20), keys in prop::collection::vec("[a-z\"\\\\é]{0,6}", 1..4)) {
        let value = keys.iter().fold(serde_json::json!(paths), |inner, key| serde_json::json!({ key: inner, "other": 1 }));
        let mut expected: Vec<_> = paths.clone();
        let mut seen = std::collections::HashSet::new();
        expected.retain(|path| seen.insert(path.clone()) && path != "/api" && path != "/ajax");
        let html = format!("<script type=application/json>{value}</script>");
        let found: Vec<_> = embedded_links(&document(&html), &page()).iter().map(|link| link.url.path().to_owned()).collect();
        prop_assert_eq!(found, expected);
    }
}
