//! Is our tree the standard's? Compared with html5ever's, on random tag soup and on real pages.

#[path = "support/corpus.rs"]
mod corpus;
#[path = "support/oracle.rs"]
mod oracle;
#[path = "support/tree.rs"]
mod tree;

use corpus::{pages, skip};
use oracle::expected;
use pagekin_html::charset::decode;
use proptest::prelude::*;
use tree::actual;

/// The element names rules of the standard speak of, and some they do not. Left out is what html5ever treats otherwise
/// than the standard: `search` and `keygen` are special, `<thead>` in a template ends at `<tfoot>`.
const NAMES: &str = "a address applet area article aside b base basefont bgsound big blockquote body br button caption \
    center code col colgroup dd details dialog dir div dl dt em embed fieldset figure font footer form frame frameset \
    h1 h2 h6 head header hr html i iframe image img input li link listing main marquee menu meta nav nobr noembed \
    noframes noscript object ol optgroup option p param plaintext pre rb rp rt rtc ruby s script section select small \
    source span strike strong style sub summary sup svg table tbody td template textarea tfoot th title tr track \
    tt u ul var wbr xmp math mi mo mn ms mtext annotation-xml mglyph malignmark desc foreignobject circle \
    lineargradient wobble x-y";

/// Names that make trouble, again, so that they meet each other more often.
const TROUBLE: &str = "a a a b b b i font nobr p p p div div li dd button table table table tbody tr tr td td th caption \
    colgroup col select option optgroup form template svg math foreignobject desc mi annotation-xml body html head \
    frameset h1 h2 applet object ruby rt rtc em span ul";

const ATTRIBUTES: &[&str] = &[
    "",
    "",
    "",
    " id=1",
    " id=2",
    " class='a b'",
    " href=x",
    " href=\"a&amp;b&copy=1\"",
    " type=hidden",
    " type=text",
    " a b c",
    " A=1 a=2",
    " =x",
    " x='>'",
    " /",
    " x=y/",
    " color=red",
    " encoding=text/html",
    " viewbox=1 xlink:href=z",
    " definitionurl=q",
    " \0=\0",
    " é=ü",
    " \n\t x\n=\n'v'\n",
    " \"'<=",
    " x=",
    " x",
    " very-long-attribute-name-here=1",
];

const OTHER: &[&str] = &[
    " ",
    "\n",
    "\t \x0C",
    "text",
    "x y",
    "\n lines \r\n and \r more",
    "&amp;",
    "&notit;",
    "&#x41;&#0;",
    "&",
    "&#",
    "\0",
    "a\0b",
    "<",
    "< ",
    "</",
    "</ x>",
    "<?pi?>",
    "<!x>",
    "<!",
    "<!-->",
    "<!--->",
    "<!-- c -->",
    "<!-- <a> --!>",
    "<!--a--b>-->",
    "<!--",
    "-->",
    "]]>",
    "<![CDATA[x<y\0]]>",
    "<![CDATA[",
    "<a",
    "<a b='",
    "</p",
    "<p/>",
    "<br/>",
    "<svg/>",
    "</SCRIPT >",
    "</title x>",
    "</textarea",
    "<!--<script>",
    "é",
    "\u{FFFD}",
    "\u{1F600}",
];

/// Where HTML stands inside SVG and MathML. The standard calls these elements special, html5ever does not, so they are
/// kept from the names whose rules ask for that; `tests/page.rs` has cases for what the standard says.
const POINTS: &str = "title desc foreignobject mi mo mn ms mtext annotation-xml";

/// Names whose rules do not ask what is special.
const INDIFFERENT: &str = "p div table tbody tr td th ul h1 button select br img title svg math";

/// Names whose end tags do.
const OPENED: &[&str] = &[
    "<desc>",
    "<foreignobject>",
    "<mi>",
    "<mtext>",
    "<mglyph>",
    "<malignmark>",
    "<circle>",
    "<circle/>",
    "<mi/>",
    "<font>",
    "<font size=1>",
];

/// Only at the beginning: a later one ends the text of a table, which html5ever overlooks.
const DOCTYPES: &[&str] = &[
    "",
    "<!doctype html>",
    "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN'>",
    "<!doctype x system \"y\">",
    "<!doctype",
    "<!doctype html public \"html\" >",
    "<!doctype html public '-//W3C//DTD HTML 4.01 Transitional//EN'>",
    "<!doctype>",
    "<!doctype html public '-//W3C//DTD HTML 4.01 Transitional//EN' 'x'>",
    "<!doctype html public 'a>",
    " <!doctype html x>",
    "<!doctype html system>",
    "<!doctype html system 'x' y>",
    "<!doctypehtml>",
    "<!doctype html public\"x\"\"y\">",
];

fn without(left_out: &'static str) -> Vec<&'static str> {
    let names = NAMES.split_whitespace().chain(TROUBLE.split_whitespace());
    names.filter(|name| !left_out.split_whitespace().any(|out| out == *name)).collect()
}

fn tag(names: Vec<&'static str>) -> impl Strategy<Value = String> {
    let name = prop::sample::select(names);
    (name, 0..5_u8, prop::sample::select(ATTRIBUTES), any::<bool>()).prop_map(|(name, kind, attributes, upper)| {
        let name = if upper && kind == 1 { name.to_uppercase() } else { name.to_owned() };
        if kind < 3 { format!("<{name}{attributes}>") } else { format!("</{name}>") }
    })
}

fn pieces(piece: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (prop::sample::select(DOCTYPES), prop::collection::vec(piece, 0..40))
        .prop_map(|(doctype, pieces)| doctype.to_owned() + &pieces.concat())
}

fn soup_of_points() -> impl Strategy<Value = String> {
    let closed = ["</svg>", "</math>", "</p>", "</div>", "</table>", "</td>", "</h1>", "</br>"];
    let opened = INDIFFERENT.split_whitespace().map(|name| format!("<{name}>"));
    let all = OPENED.iter().chain(&closed).chain(OTHER).map(|&piece| piece.to_owned()).chain(opened);
    let piece = prop::sample::select(all.collect::<Vec<String>>());
    pieces(piece)
}

fn soup(names: Vec<&'static str>) -> impl Strategy<Value = String> {
    let piece = prop_oneof![6 => tag(names), 2 => prop::sample::select(OTHER).prop_map(str::to_owned)];
    pieces(piece)
}

/// A dozen times what `PROPTEST_CASES` says: a case is a few microseconds.
fn config() -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig { cases: 12 * config.cases, failure_persistence: None, ..config }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn soup_without_svg(html in soup(without("svg mi mo mn ms mtext annotation-xml"))) {
        prop_assert_eq!(actual(&html), expected(&html), "of {:?}", html);
    }

    #[test]
    fn soup_with_foreign_elements(html in soup(without(POINTS))) {
        prop_assert_eq!(actual(&html), expected(&html), "of {:?}", html);
    }

    #[test]
    fn soup_with_html_inside_foreign_elements(html in soup_of_points()) {
        prop_assert_eq!(actual(&html), expected(&html), "of {:?}", html);
    }
}

#[test]
fn real_pages_give_the_standard_tree() {
    compare(&pages("swde", 80));
}

#[test]
#[ignore = "some minutes: every page there is, with `cargo test -p pagekin-html --test standard -- --ignored`"]
fn all_real_pages_give_the_standard_tree() {
    compare(&pages("swde", 1));
    compare(&pages("sites", 1));
}

fn compare(pages: &[Vec<u8>]) {
    if pages.is_empty() {
        skip("swde/*/pages.warc.gz");
    }
    for page in pages {
        let html = decode(page, None, None);
        assert!(actual(&html) == expected(&html), "another tree for the page that begins {html:.300}");
    }
    eprintln!("compared {} pages", pages.len());
}
