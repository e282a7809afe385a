//! How is a stranger's page shown without doing anything? Document → HTML of known elements with numbers, texts and little else.
//!
//! - [`snapshot`]: the page, every element numbered in `data-n`, some marked in `data-mark`. - [`POLICY`]: what the browser is told besides.
//! - [`escaped`]: a text inside a page.
//!
//! Elements and attributes are those of a list; there are no addresses, scripts, frames, forms or handlers in it. Style sheets that the page
//! itself holds are kept, without anything that loads or moves over the frame's border. What is text stays text.

use crate::marks::Marks;
use pagekin_core::page::{Document, NodeId};
use std::fmt::Write;

/// For the answer that holds a snapshot: nothing runs, nothing is loaded, nothing is sent.
pub const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; \
    frame-ancestors 'self'; sandbox allow-same-origin";

/// Elements that are kept; of others their contents are.
const KEPT: [&str; 66] = [
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "b",
    "bdi",
    "bdo",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "ins",
    "kbd",
    "legend",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Elements whose contents are nothing to read.
const DROPPED: [&str; 17] = [
    "script", "noscript", "template", "iframe", "frame", "frameset", "object", "embed", "applet", "svg", "math",
    "video", "audio", "canvas", "select", "textarea", "title",
];

/// Without an end tag.
const VOID: [&str; 3] = ["br", "hr", "col"];

/// Attributes that are kept.
const ATTRIBUTES: [&str; 7] = ["class", "id", "colspan", "rowspan", "dir", "lang", "align"];

/// Bytes of style sheets, and of the whole.
const MOST_STYLE: usize = 256 * 1024;
const MOST: usize = 4 << 20;

/// Marks what the user points at.
const OWN_STYLE: &str = "[data-n]:hover{outline:1px dashed #06c}[data-mark]{outline:2px solid #b45309!important}\
    [data-picked]{outline:3px solid #06c!important;background:#fff3bf!important;color:#000!important}";

/// `marks`: elements that hold something, with a name for it.
pub fn snapshot(document: &Document, marks: &Marks) -> String {
    let mut out = String::from("<!doctype html><html><head><meta charset=utf-8><title>snapshot</title><style>");
    out.push_str(&styles(document));
    let _ = write!(out, "</style><style>{OWN_STYLE}</style></head><body>");
    let mut open: Vec<(NodeId, &str)> = Vec::new();
    let mut at = document.following(Document::ROOT, Document::ROOT);
    while let Some(node) = at.filter(|_| out.len() < MOST) {
        while open.last().is_some_and(|(parent, _)| !is_within(document, node, *parent)) {
            close(&mut out, open.pop());
        }
        let name = document.name(node);
        if let Some(text) = document.text(node) {
            out.push_str(&escaped(text));
        } else if KEPT.contains(&name) {
            start(&mut out, document, node, marks.get(&node));
            if !VOID.contains(&name) {
                open.push((node, name));
            }
        }
        let skipped = DROPPED.contains(&name) || matches!(name, "style" | "head");
        at = if skipped { document.after(node, Document::ROOT) } else { document.following(node, Document::ROOT) };
    }
    while !open.is_empty() {
        close(&mut out, open.pop());
    }
    out + "</body></html>"
}

fn is_within(document: &Document, node: NodeId, parent: NodeId) -> bool {
    std::iter::successors(document.parent(node), |&above| document.parent(above)).any(|above| above == parent)
}

fn close(out: &mut String, open: Option<(NodeId, &str)>) {
    if let Some((_, name)) = open {
        let _ = write!(out, "</{name}>");
    }
}

fn start(out: &mut String, document: &Document, node: NodeId, mark: Option<&String>) {
    let _ = write!(out, "<{} data-n=\"{node}\"", document.name(node));
    for (name, value) in document.attributes(node).filter(|(name, _)| ATTRIBUTES.contains(name)) {
        let _ = write!(out, " {name}=\"{}\"", escaped(value));
    }
    if let Some(mark) = mark {
        let _ = write!(out, " data-mark=\"{0}\" title=\"{0}\"", escaped(mark));
    }
    out.push('>');
}

/// The style sheets that stand in the page.
fn styles(document: &Document) -> String {
    let sheets = document.descendants(Document::ROOT).filter(|&node| document.name(node) == "style");
    let text: String =
        sheets.flat_map(|sheet| document.descendants(sheet)).filter_map(|node| document.text(node)).collect();
    let end = (0..=text.len().min(MOST_STYLE)).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    harmless_style(&text[..end])
}

/// Declarations that load something, run something or end the sheet make the whole sheet plain text to us: it is left out. An escape
/// may hide any of them.
fn harmless_style(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let bad = [
        "<",
        "\\",
        "@import",
        "url(",
        "image(",
        "image-set(",
        "expression(",
        "behavior",
        "-moz-binding",
        "src(",
        "position",
    ];
    let rules = text.split_inclusive('}').zip(lower.split_inclusive('}'));
    rules.filter(|(_, lower)| !bad.iter().any(|word| lower.contains(word))).map(|(rule, _)| rule).collect()
}

/// A text inside HTML, XML or SVG, whatever it holds.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // No XML may hold it, however written.
            other if other.is_control() && other != '\n' && other != '\t' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::page::{Limits, parser};

    fn shown(html: &str) -> String {
        let all = snapshot(&parser::parse(html, &Limits::default()).unwrap(), &Marks::new());
        let body = all.split("<body>").nth(1).unwrap();
        body.replace("</body></html>", "")
    }

    #[test]
    fn elements_are_numbered_and_texts_stay_texts() {
        let html = shown("<h1 class='a b' onclick=x()>1 &lt; 2</h1><p>a<br>b<table><tr><td colspan=2>c</table>");
        assert!(html.contains("class=\"a b\">1 &lt; 2</h1>"), "{html}");
        assert!(html.matches("data-n=").count() >= 5 && !html.contains("onclick"), "{html}");
        assert_eq!(html.matches("</td>").count(), 1);
    }

    #[test]
    fn nothing_that_acts_is_left() {
        let html = shown(
            "<base href=http://e/><script>alert(1)</script><img src=x onerror=alert(1)><a href='javascript:alert(1)'>l</a>\
             <iframe src=http://e/></iframe><form action=http://e/><input value=v><button formaction=http://e/>go</button></form>\
             <meta http-equiv=refresh content='0;url=http://e/'><link rel=stylesheet href=http://e/><svg onload=x><script>y</script></svg>\
             <p style='background:url(http://e/)'>t</p><object data=http://e/></object><title><img src=x onerror=y></title>",
        );
        for word in
            ["script", "alert", "http", "onerror", "href", "src", "form", "iframe", "style=", "input", "meta", "svg"]
        {
            assert!(!html.contains(word), "{word}: {html}");
        }
        assert!(html.contains(">l</a>") && html.contains(">t</p>") && html.contains("go"), "{html}");
    }

    #[test]
    fn style_sheets_keep_what_loads_nothing() {
        let sheet =
            "p{color:red} a{background:url(x)} @import 'x'; b{color:blue} i{background:\\75rl(x)} .x{position:fixed}";
        assert_eq!(harmless_style(sheet).replace(' ', ""), "p{color:red}");
        assert_eq!(harmless_style("p{color:red}</style><script>"), "p{color:red}");
    }
}
