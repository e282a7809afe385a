//! Our tree, written out a node a line.

use pagekin_html::dom::{Kind, Namespace};
use pagekin_html::{Document, Limits, NodeId, parser};
use std::fmt::Write as _;

pub fn actual(html: &str) -> String {
    written(html, false)
}

/// With attributes by name.
#[allow(dead_code, reason = "a test uses one of the two")]
pub fn actual_sorted(html: &str) -> String {
    written(html, true)
}

fn written(html: &str, sorted: bool) -> String {
    let document = parser::parse(html, &Limits::default()).expect("within limits");
    let mut out = String::new();
    write_actual(&document, Document::ROOT, 0, sorted, &mut out);
    out
}

fn write_actual(document: &Document, node: NodeId, depth: usize, sorted: bool, out: &mut String) {
    match document.kind(node) {
        Kind::Root => line(out, depth, "#root"),
        Kind::Other => line(out, depth, "#other"),
        Kind::Text(_) => line(out, depth, &format!("{:?}", document.text(node).unwrap())),
        Kind::Element(element) => {
            let namespace = match element.namespace {
                Namespace::Html => "",
                Namespace::Svg => "svg ",
                Namespace::MathMl => "math ",
            };
            let mut text = format!("<{namespace}{}", document.name(node));
            let mut attributes: Vec<(&str, &str)> = document.attributes(node).collect();
            if sorted {
                attributes.sort_unstable();
            }
            for (name, value) in attributes {
                write!(text, " {name}={value:?}").unwrap();
            }
            line(out, depth, &text);
        }
    }
    for child in document.children(node) {
        write_actual(document, child, depth + 1, sorted, out);
    }
}

pub fn line(out: &mut String, depth: usize, text: &str) {
    writeln!(out, "{:depth$}{text}", "").unwrap();
}
