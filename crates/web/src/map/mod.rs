//! How does a site look from above? Site model → classes as circles, links as arrows, in a picture whose names never overlap.
//!
//! - [`Map`]: the picture and what is said of each class; templates draw it, here and in `serve`. - [`html`]: one page that needs nothing else.
//! - [`layout`]: where everything stands.
//!
//! Words of web pages are escaped by the templates, and shown percent-decoded; only addresses of the web become links.

mod layout;

use crate::Error;
use askama::Template;
use pagekin::model::{Class, SiteModel};
use percent_encoding::percent_decode_str;

pub use layout::{Arrow, Circle, Picture};

/// Classes drawn: more is a tangle. The files hold all.
pub const CLASSES: usize = 40;

/// Paths and places listed of a class.
const LISTED: usize = 60;

/// A map, ready to be drawn.
pub struct Map {
    pub site: String,
    pub picture: Picture,
    pub classes: Vec<Shown>,
    /// In words.
    pub summary: String,
    pub left_out: usize,
}

/// What is said of one class.
pub struct Shown {
    pub id: u32,
    pub name: String,
    pub role: &'static str,
    pub size: usize,
    pub share: String,
    pub looked: usize,
    pub samples: Vec<Address>,
    pub patterns: Vec<String>,
    pub leads: Vec<Lead>,
    pub schema: Vec<String>,
}

/// An address as it is read, and where it leads; nowhere, if it is none of the web.
pub struct Address {
    pub text: String,
    pub href: Option<String>,
}

/// Links to another class.
pub struct Lead {
    pub to: u32,
    pub name: String,
    pub count: usize,
    pub path: String,
}

impl Map {
    pub fn of(model: &SiteModel) -> Self {
        let drawn = model.classes.len().min(CLASSES);
        let sure = &model.completeness;
        let summary = format!(
            "{} pages looked at, {} known; about {:.0} classes in all, {:.0} % of the pages are of classes found.",
            model.looked,
            model.addresses,
            sure.classes,
            sure.coverage * 100.0
        );
        Self {
            site: decoded(&model.site),
            picture: layout::picture(model, drawn),
            classes: model.classes.iter().take(drawn).map(|class| shown(class, model)).collect(),
            summary,
            left_out: model.classes.len() - drawn,
        }
    }
}

fn shown(class: &Class, model: &SiteModel) -> Shown {
    let name = |id: u32| model.class(id).map_or(String::new(), |class| decoded(&class.name));
    let leads = model.links.iter().filter(|link| link.from == class.id && !link.menu).take(LISTED);
    Shown {
        id: class.id,
        name: decoded(&class.name),
        role: class.role.name(),
        size: class.size,
        share: format!("{:.1} %", class.share * 100.0),
        looked: class.looked,
        samples: class.samples.iter().map(|url| Address::of(url)).collect(),
        patterns: class.patterns.iter().take(LISTED).map(|pattern| decoded(&pattern.to_string())).collect(),
        leads: leads
            .map(|link| Lead { to: link.to, name: name(link.to), count: link.count, path: link.path.clone() })
            .collect(),
        schema: class.schema.iter().take(LISTED).cloned().collect(),
    }
}

impl Address {
    /// A model may have been written by anybody.
    pub fn of(url: &str) -> Self {
        let web = url.starts_with("http://") || url.starts_with("https://");
        Self { text: decoded(url), href: web.then(|| url.to_owned()) }
    }
}

/// An address as people read it. What is no text when decoded stays as it is, and so does what would not be seen.
pub fn decoded(text: &str) -> String {
    let decoded =
        percent_decode_str(text).decode_utf8().map(|text| text.into_owned()).unwrap_or_else(|_| text.to_owned());
    decoded.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[derive(Template)]
#[template(path = "map/page.html")]
struct Page {
    map: Map,
}

/// The map as one page without scripts; a click on a circle shows what is known of the class.
pub fn html(model: &SiteModel) -> Result<String, Error> {
    Page { map: Map::of(model) }.render().map_err(|error| Error::Map(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin::model::{ClassLink, Completeness, Method, NamedBy, Role, Signature, VERSION};
    use pagekin::page::Notation;

    pub fn model(names: &[&str]) -> SiteModel {
        let class = |(at, name): (usize, &&str)| Class {
            id: at as u32 + 1,
            name: (*name).to_owned(),
            named_by: NamedBy::Title,
            role: if at == 0 { Role::Index } else { Role::Entity },
            size: 10 + at,
            estimate: None,
            share: 0.5,
            looked: 3,
            patterns: vec!["/x/{name}".parse().unwrap()],
            samples: vec!["http://s/<b>".to_owned(), "javascript:alert(1)".to_owned()],
            schema: vec!["div.\"x\">a".to_owned()],
            pages: Vec::new(),
            signature: Signature::default(),
        };
        let link = |to: u32| ClassLink { from: 1, to, path: "ul<li".to_owned(), count: 9, menu: false };
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
            classes: names.iter().enumerate().map(class).collect(),
            links: (2..=names.len() as u32).map(link).collect(),
        }
    }

    #[test]
    fn words_of_pages_are_text_and_classes_are_shown_with_what_they_lead_to() {
        let html = html(&model(&["<script>alert(1)</script>\u{0}", "a\"b", "/%C3%84pfel/"])).unwrap();
        assert!(!html.contains("<script") && !html.contains('\u{0}') && !html.contains("ul<li"), "{html}");
        assert!(!html.contains("href=\"javascript") && html.contains("/Äpfel/") && !html.contains("%C3"), "{html}");
        assert_eq!((html.matches("<circle").count(), html.matches("<section").count()), (3, 3));
        assert!(html.contains("<a href=\"#c2\">"), "{html}");
    }

    #[test]
    fn names_never_overlap() {
        for count in [1, 2, 5, 17, 40, 90] {
            let names: Vec<String> =
                (0..count).map(|n| format!("a class with a rather long name, number {n}")).collect();
            let model = model(&names.iter().map(String::as_str).collect::<Vec<_>>());
            let picture = Map::of(&model).picture;
            let boxes: Vec<_> = picture.circles.iter().map(Circle::label_box).collect();
            for (at, one) in boxes.iter().enumerate() {
                assert!(one.0 >= 0.0 && one.2 <= picture.width && one.3 <= picture.height, "{one:?}");
                for other in &boxes[at + 1..] {
                    let apart = one.2 <= other.0 || other.2 <= one.0 || one.3 <= other.1 || other.3 <= one.1;
                    assert!(apart, "{one:?} {other:?}");
                }
            }
        }
    }
}
