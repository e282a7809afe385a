//! How do other programs get a site model? Site model → GraphML or Graphviz DOT. Words of web pages are escaped in both; the map for people
//! is [`pagekin_web::map`].

use pagekin::model::{ClassLink, Role, SiteModel};
use pagekin_web::escaped;
use std::collections::BTreeMap;
use std::fmt::Write;

/// For each pair of classes all links together, and whether all are menus.
fn ties(links: &[ClassLink]) -> BTreeMap<(u32, u32), (usize, bool)> {
    let mut ties: BTreeMap<(u32, u32), (usize, bool)> = BTreeMap::new();
    for link in links {
        let tie = ties.entry((link.from, link.to)).or_insert((0, true));
        *tie = (tie.0 + link.count, tie.1 && link.menu);
    }
    ties
}

pub fn dot(model: &SiteModel) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
    let mut out = String::from("digraph model {\n  node [shape=ellipse];\n");
    for class in &model.classes {
        let shape = if class.role == Role::Index { "box" } else { "ellipse" };
        let _ =
            writeln!(out, "  c{} [label=\"{}\\n{} pages\", shape={shape}];", class.id, quoted(&class.name), class.size);
    }
    for ((from, to), (count, menu)) in ties(&model.links) {
        let style = if menu { ", style=dashed" } else { "" };
        let _ = writeln!(out, "  c{from} -> c{to} [label=\"{count}\"{style}];");
    }
    out + "}\n"
}

pub fn graphml(model: &SiteModel) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n\
         <key id=\"role\" for=\"node\" attr.name=\"role\" attr.type=\"string\"/>\n\
         <key id=\"size\" for=\"node\" attr.name=\"size\" attr.type=\"int\"/>\n\
         <key id=\"path\" for=\"edge\" attr.name=\"path\" attr.type=\"string\"/>\n\
         <key id=\"count\" for=\"edge\" attr.name=\"count\" attr.type=\"int\"/>\n\
         <key id=\"menu\" for=\"edge\" attr.name=\"menu\" attr.type=\"boolean\"/>\n\
         <graph edgedefault=\"directed\">\n",
    );
    for class in &model.classes {
        let _ = writeln!(
            out,
            "<node id=\"c{}\"><data key=\"name\">{}</data><data key=\"role\">{}</data><data key=\"size\">{}</data></node>",
            class.id,
            escaped(&class.name),
            class.role.name(),
            class.size
        );
    }
    for link in &model.links {
        let _ = writeln!(
            out,
            "<edge source=\"c{}\" target=\"c{}\"><data key=\"path\">{}</data><data key=\"count\">{}</data>\
             <data key=\"menu\">{}</data></edge>",
            link.from,
            link.to,
            escaped(&link.path),
            link.count,
            link.menu
        );
    }
    out + "</graph>\n</graphml>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin::model::{Class, Completeness, Method, NamedBy, Role, Signature, VERSION};
    use pagekin::page::Notation;

    fn model() -> SiteModel {
        let class = |id: u32, name: &str, role| Class {
            id,
            name: name.to_owned(),
            named_by: NamedBy::Title,
            role,
            size: 10,
            estimate: None,
            share: 0.5,
            looked: 3,
            patterns: vec!["/x/{name}".parse().unwrap()],
            samples: vec!["http://s/<b>".to_owned(), "javascript:alert(1)".to_owned()],
            schema: vec!["div.\"x\">a".to_owned()],
            pages: Vec::new(),
            signature: Signature::default(),
        };
        SiteModel {
            version: VERSION,
            site: "http://s/".to_owned(),
            method: Method::Survey,
            notation: Notation::TagClass,
            looked: 6,
            addresses: 20,
            unassigned: 0,
            completeness: Completeness { settled: true, classes: 2.0, coverage: 1.0, assigned: 1.0, stable: 3 },
            stopped: None,
            classes: vec![class(1, "<script>alert(1)</script>\u{0}", Role::Index), class(2, "a\"b", Role::Entity)],
            links: vec![ClassLink { from: 1, to: 2, path: "ul<li".to_owned(), count: 9, menu: false }],
        }
    }

    #[test]
    fn words_of_pages_are_escaped_in_every_form() {
        let (graphml, dot) = (graphml(&model()), dot(&model()));
        assert!(!graphml.contains("<script") && !graphml.contains('\u{0}') && !graphml.contains("ul<li"), "{graphml}");
        assert!(graphml.contains("&lt;script&gt;"));
        assert!(dot.contains("label=\"a\\\"b\\n10 pages\"") && dot.contains("c1 -> c2"));
    }
}
