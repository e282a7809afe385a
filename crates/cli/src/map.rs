//! How does a site look from above? Site model → GraphML, Graphviz DOT, or one HTML page that needs nothing else.
//!
//! The HTML map draws classes as circles and class links as lines; a click on a circle shows samples, addresses and schema. It runs no
//! script and loads nothing. Words of web pages are escaped in every form.

use pagekin::model::{Class, ClassLink, SiteModel};
use pagekin_web::escaped;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt::Write;

/// Classes and lines drawn: more is a tangle. The files hold all.
const CLASSES: usize = 40;
const LINES: usize = 150;

/// Paths and places listed of a class.
const LISTED: usize = 60;

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
        let shape = if class.role.name() == "index" { "box" } else { "ellipse" };
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

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem}main{display:flex;gap:2rem;flex-wrap:wrap}\
    svg{width:46rem;max-width:100%;height:auto}svg text{font-size:13px;text-anchor:middle}circle{stroke:#333}\
    .entity{fill:#9ad1b3}.index{fill:#f2c572}.other{fill:#ccd3dc}section{display:none;max-width:44rem}\
    section:target{display:block}code{overflow-wrap:anywhere}a{color:#0645ad}li{overflow-wrap:anywhere}small{color:#555}";

pub fn html(model: &SiteModel) -> String {
    let mut out = String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    out.push_str(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
    );
    let sure = &model.completeness;
    let _ = write!(
        out,
        "<title>Site model by pagekin</title><style>{STYLE}</style></head><body>\n<h1>{} classes of pages</h1>\n\
         <p>{}: {} pages looked at, {} known; about {:.0} classes in all, {:.0} % of the pages are of classes found. \
         <small>Circles: green entities, yellow indexes, grey others; dashed lines are menus. Click a circle.</small></p>\n<main>\n",
        model.classes.len(),
        escaped(&model.site),
        model.looked,
        model.addresses,
        sure.classes,
        sure.coverage * 100.0
    );
    draw(&mut out, model);
    out.push_str("<div>\n");
    for class in model.classes.iter().take(CLASSES) {
        section(&mut out, class, model);
    }
    out + "</div>\n</main></body></html>\n"
}

fn draw(out: &mut String, model: &SiteModel) {
    let drawn = model.classes.len().min(CLASSES);
    let place = |id: u32| {
        let angle = TAU * f64::from(id - 1) / drawn.max(1) as f64 - TAU / 4.0;
        (400.0 + 290.0 * angle.cos(), 360.0 + 270.0 * angle.sin())
    };
    out.push_str("<svg viewBox=\"0 0 800 720\" role=\"img\" aria-label=\"classes and links\">\n");
    let mut lines: Vec<((u32, u32), (usize, bool))> = ties(&model.links)
        .into_iter()
        .filter(|((from, to), _)| from != to && (*from.max(to) as usize) <= drawn)
        .collect();
    lines.sort_by_key(|(pair, (count, menu))| (*menu, std::cmp::Reverse(*count), *pair));
    for ((from, to), (count, menu)) in lines.into_iter().take(LINES) {
        let ((x1, y1), (x2, y2)) = (place(from), place(to));
        let width = 0.5 + (count as f64).ln_1p() / 2.0;
        let style = if menu { " stroke-dasharray=\"4 4\" stroke=\"#ccc\"" } else { " stroke=\"#789\"" };
        let _ = writeln!(
            out,
            "<line x1=\"{x1:.0}\" y1=\"{y1:.0}\" x2=\"{x2:.0}\" y2=\"{y2:.0}\" stroke-width=\"{width:.1}\"{style}>\
             <title>{from} to {to}: {count} links</title></line>"
        );
    }
    for class in model.classes.iter().take(CLASSES) {
        let ((x, y), radius) = (place(class.id), 8.0 + 3.0 * (class.size as f64).ln_1p());
        let _ = writeln!(
            out,
            "<a href=\"#c{}\"><circle cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{radius:.0}\" class=\"{}\"/>\
             <text x=\"{x:.0}\" y=\"{:.0}\">{} {}</text></a>",
            class.id,
            class.role.name(),
            y + radius + 14.0,
            class.id,
            escaped(&class.name)
        );
    }
    out.push_str("</svg>\n");
}

fn section(out: &mut String, class: &Class, model: &SiteModel) {
    let name = |id: u32| model.class(id).map_or(String::new(), |class| escaped(&class.name));
    let _ = writeln!(
        out,
        "<section id=\"c{}\"><h2>{} {}</h2><p>{}, {} pages known, {:.1} % of the site, {} looked at</p>",
        class.id,
        class.id,
        escaped(&class.name),
        class.role.name(),
        class.size,
        class.share * 100.0,
        class.looked
    );
    let list = |out: &mut String, title: &str, items: Vec<String>| {
        if !items.is_empty() {
            let _ = writeln!(out, "<h3>{title}</h3><ul><li>{}</li></ul>", items.join("</li><li>"));
        }
    };
    let link = |url: &String| {
        let shown = escaped(url);
        // Only addresses of pages become links: a model may have been written by anybody.
        let safe = url.starts_with("http://") || url.starts_with("https://");
        if safe { format!("<a href=\"{shown}\" rel=\"noreferrer\">{shown}</a>") } else { shown }
    };
    let code = |text: &str| format!("<code>{}</code>", escaped(text));
    list(out, "Samples", class.samples.iter().map(link).collect());
    list(out, "Addresses", class.patterns.iter().take(LISTED).map(|pattern| code(&pattern.to_string())).collect());
    let leads = model.links.iter().filter(|link| link.from == class.id && !link.menu).take(LISTED);
    let leads = leads
        .map(|link| format!("<a href=\"#c{}\">{}</a>: {} by {}", link.to, name(link.to), link.count, code(&link.path)));
    list(out, "Links to", leads.collect());
    list(out, "Schema", class.schema.iter().take(LISTED).map(|path| code(path)).collect());
    out.push_str("</section>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin::model::{Completeness, Method, NamedBy, Role, Signature, VERSION};
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
        let (html, graphml, dot) = (html(&model()), graphml(&model()), dot(&model()));
        for text in [&html, &graphml] {
            assert!(!text.contains("<script") && !text.contains('\u{0}') && !text.contains("ul<li"), "{text}");
            assert!(text.contains("&lt;script&gt;"));
        }
        assert!(!html.contains("href=\"javascript"));
        assert!(dot.contains("label=\"a\\\"b\\n10 pages\"") && dot.contains("c1 -> c2"));
    }

    #[test]
    fn the_map_shows_every_class_and_what_it_leads_to() {
        let html = html(&model());
        assert_eq!(html.matches("<circle").count(), 2);
        assert_eq!(html.matches("<section").count(), 2);
        assert!(html.contains("<a href=\"#c2\">a&quot;b</a>: 9 by"));
    }
}
