//! What is a slot called? Aligned pages, the slot's leaves → a name, and what gave it.
//!
//! - [`Names`]: gives names, each once. - [`labels`], [`label_behind`]: what pages write before or behind values.
//!
//! In this order: the label that the page shows; what the page tells machines (`itemprop`, `property`, or the key of JSON-LD and
//! `<meta>` whose values are the slot's); a class or id that says what the element is, not how it looks; the heading above; and
//! failing all, `text_1`. Does not choose slots.

use super::class::{At, Class};
use super::leaves::{Leaf, Steps, each_token, label_of};
use super::{Source, structured, value};
use crate::page::dom::{Document, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// A class that more elements of a page carry does not name a value. Set by hand.
const MOST_BEARERS: usize = 8;

/// Texts between a heading and what is named after it, at most. Set by hand.
const NEAR_HEADING: usize = 3;

/// Longer labels are sentences. Set by hand.
const LONGEST: usize = 40;

/// Pages on which a slot is compared with what they tell machines, and the share of them on which both are the same. Set by hand.
const COMPARED: usize = 20;
const SAME: f64 = 0.6;

/// Words of classes that say how an element looks or where it stands: those of the common frameworks (Tailwind, Bootstrap,
/// Foundation, Bulma), of layout in general, and of the boxes that content systems (WordPress, Drupal) put around everything.
const LOOKS: [&str; 175] = [
    "absolute",
    "active",
    "addons",
    "align",
    "alt",
    "antialiased",
    "area",
    "aspect",
    "auto",
    "background",
    "base",
    "bg",
    "big",
    "black",
    "block",
    "blue",
    "body",
    "bold",
    "border",
    "bottom",
    "box",
    "break",
    "btn",
    "button",
    "card",
    "cell",
    "center",
    "centered",
    "clear",
    "clearfix",
    "col",
    "color",
    "cols",
    "column",
    "columns",
    "component",
    "container",
    "content",
    "cursor",
    "dark",
    "data",
    "default",
    "display",
    "div",
    "divider",
    "editor",
    "elementor",
    "encoded",
    "entry",
    "even",
    "extrabold",
    "fade",
    "field",
    "fields",
    "first",
    "fixed",
    "flex",
    "float",
    "fluid",
    "font",
    "full",
    "gap",
    "gray",
    "green",
    "grey",
    "grid",
    "group",
    "grow",
    "hentry",
    "hfeed",
    "hidden",
    "hide",
    "horizontal",
    "hover",
    "html",
    "info",
    "inline",
    "inner",
    "italic",
    "item",
    "items",
    "js",
    "justify",
    "large",
    "last",
    "layout",
    "lead",
    "leading",
    "left",
    "lg",
    "light",
    "line",
    "list",
    "loose",
    "main",
    "margin",
    "markdown",
    "markup",
    "max",
    "md",
    "medium",
    "meta",
    "middle",
    "min",
    "module",
    "mono",
    "muted",
    "narrow",
    "node",
    "normal",
    "nowrap",
    "odd",
    "outer",
    "overflow",
    "pad",
    "padding",
    "page",
    "panel",
    "para",
    "paragraph",
    "post",
    "primary",
    "prose",
    "pull",
    "red",
    "region",
    "relative",
    "relaxed",
    "right",
    "rounded",
    "row",
    "rows",
    "sans",
    "secondary",
    "section",
    "semibold",
    "serif",
    "shadow",
    "show",
    "side",
    "single",
    "size",
    "small",
    "snug",
    "space",
    "span",
    "sticky",
    "style",
    "tab",
    "table",
    "text",
    "thin",
    "tight",
    "top",
    "tracking",
    "transition",
    "truncate",
    "underline",
    "uppercase",
    "value",
    "vertical",
    "view",
    "views",
    "visible",
    "white",
    "wide",
    "widget",
    "width",
    "wp",
    "wrap",
    "wrapper",
    "wysiwyg",
    "xl",
    "yellow",
    "zoom",
];

pub struct Names<'c> {
    class: &'c Class,
    /// What each page tells machines: hash of the value → its keys.
    said: Vec<FxHashMap<u64, Vec<String>>>,
    times: BTreeMap<String, usize>,
    texts: usize,
}

impl<'c> Names<'c> {
    pub fn new(class: &'c Class) -> Self {
        let of_page = |document: &Document| {
            let mut said: FxHashMap<u64, Vec<String>> = FxHashMap::default();
            for (key, value) in structured::pairs(document) {
                said.entry(folded(&value)).or_default().push(key);
            }
            said
        };
        let said = class.documents.iter().map(of_page).collect();
        Self { class, said, times: BTreeMap::new(), texts: 0 }
    }

    /// A name that was given before gets a number.
    pub fn numbered(&mut self, name: String) -> String {
        let times = self.times.entry(name.clone()).or_default();
        *times += 1;
        if *times == 1 { name } else { format!("{name}_{times}") }
    }

    /// The name of a slot that is not the title, and what gave it.
    pub fn of(&mut self, leaves: &[At]) -> (String, Source) {
        let label = labels(self.class, leaves).into_iter().next();
        let label = label.filter(|label| label.len() <= LONGEST && label.contains(char::is_alphabetic));
        let heading = || heading(self.class, *leaves.first()?);
        let found = label
            .map(|label| (snake(&label), Source::Label))
            .or_else(|| self.told(leaves))
            .or_else(|| Some((self.class_name(*leaves.first()?)?, Source::Class)))
            .or_else(|| Some((snake(&heading()?), Source::Label)));
        found.unwrap_or_else(|| {
            self.texts += 1;
            (format!("text_{}", self.texts), Source::Place)
        })
    }

    /// By `itemprop` or `property`, or by the key of the data that is the same.
    pub fn told(&self, leaves: &[At]) -> Option<(String, Source)> {
        let marked = property(self.class, *leaves.first()?).map(|name| (name, Source::Class));
        let name = || self.repeated(leaves).first().map(|key| (key_name(key), Source::Data));
        marked.or_else(name).filter(|(name, _)| !name.is_empty())
    }

    /// Keys of the data that say the same as these texts, those that do so most often first.
    pub fn repeated(&self, leaves: &[At]) -> Vec<String> {
        let mut same: BTreeMap<&str, FxHashSet<u32>> = BTreeMap::new();
        let compared = leaves.len().min(COMPARED);
        for at in &leaves[..compared] {
            let value = folded(value::clean(&self.class.leaf(*at).text));
            for key in self.said[at.0 as usize].get(&value).into_iter().flatten() {
                same.entry(key).or_default().insert(at.0);
            }
        }
        let often = |pages: &FxHashSet<u32>| pages.len() >= 2 && pages.len() as f64 >= compared as f64 * SAME;
        let mut keys: Vec<(&str, usize)> =
            same.iter().filter(|(_, pages)| often(pages)).map(|(key, pages)| (*key, pages.len())).collect();
        keys.sort_by_key(|(key, pages)| (std::cmp::Reverse(*pages), key.len()));
        keys.into_iter().map(|(key, _)| key.to_owned()).collect()
    }

    /// What the element or the one around it is called.
    pub fn class_name(&self, at: At) -> Option<String> {
        let document = &self.class.documents[at.0 as usize];
        let mut names: Vec<String> = Vec::new();
        for own in above(document, self.class.leaf(at).node).take(2) {
            each_token(document, own, |_, token| {
                let stable = || self.class.template.tokens.iter().any(|known| known[1..] == *token);
                if tells(token) && stable() && bearers(document, token) <= MOST_BEARERS {
                    names.push(told_words(token));
                }
            });
            if !names.is_empty() {
                break;
            }
        }
        names.into_iter().min()
    }
}

/// Of a slot of structured data: `ld:offers.priceCurrency` → `price_currency`; the name of something else is that thing: `ld:location.name` → `location`.
pub fn key_name(key: &str) -> String {
    let mut name = String::new();
    let thing = key.strip_suffix(".name").unwrap_or(key);
    for c in local(thing).chars() {
        if c.is_uppercase() && name.ends_with(char::is_lowercase) {
            name.push('_');
        }
        name.push(c);
    }
    snake(&name)
}

/// The last part of a name: `og:title`, `http://schema.org/name`, `offers.price`.
pub fn local(name: &str) -> &str {
    name.rsplit([':', '/', '#', '.']).find(|part| !part.is_empty()).unwrap_or("")
}

fn above(document: &Document, node: NodeId) -> impl Iterator<Item = NodeId> {
    std::iter::successors(document.parent(node), |&node| document.parent(node))
}

fn folded(value: &str) -> u64 {
    xxh3_64(label_of(value).as_bytes())
}

/// What microdata or RDFa calls the element or one right above; an item with properties of its own names none of them.
fn property(class: &Class, at: At) -> Option<String> {
    let document = &class.documents[at.0 as usize];
    let of = |node: NodeId| {
        let marked = |name: &str| document.attribute(node, name);
        let item = marked("itemscope").or_else(|| marked("typeof")).is_some();
        let name = marked("itemprop").or_else(|| marked("property")).filter(|_| !item)?;
        let named = |name: &String| name.len() <= LONGEST && LOOKS.binary_search(&name.as_str()).is_err();
        Some(key_name(name.split_ascii_whitespace().next()?)).filter(named)
    };
    above(document, class.leaf(at).node).take(3).find_map(of)
}

/// Does a word say what an element is, and not how it looks?
fn says(word: &str) -> bool {
    word.len() > 2 && LOOKS.binary_search(&word.to_lowercase().as_str()).is_err()
}

/// Does a class or id have a word that says what the element is?
fn tells(token: &str) -> bool {
    let mut words = token.split(|c: char| !c.is_alphanumeric());
    !token.contains(|c: char| c.is_ascii_digit() || matches!(c, ':' | '[' | '(')) && words.any(says)
}

/// The words of a class that say what the element is: `description-body` → `description`.
fn told_words(token: &str) -> String {
    let words: Vec<&str> = token.split(|c: char| !c.is_alphanumeric()).filter(|word| says(word)).collect();
    snake(&words.join("_"))
}

/// A class or id of an element that belongs to paths and says what it is.
pub fn telling(document: &Document, steps: &Steps, node: NodeId) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    each_token(document, node, |kind, token| {
        if tells(token) && steps.knows(kind, token) && bearers(document, token) <= MOST_BEARERS {
            names.push(told_words(token));
        }
    });
    names.into_iter().min()
}

/// How many elements of a page carry a class: one of many elements says how they look, not what they are.
fn bearers(document: &Document, wanted: &str) -> usize {
    let carries = |&node: &NodeId| {
        let mut found = false;
        each_token(document, node, |_, token| found |= token == wanted);
        found
    };
    document.descendants(Document::ROOT).filter(carries).take(MOST_BEARERS + 1).count()
}

/// The heading of the template that a text without a label stands under, right behind it; a heading stands under none.
fn heading(class: &Class, at: At) -> Option<String> {
    let (document, list) = (&class.documents[at.0 as usize], &class.pages[at.0 as usize].list);
    let is_heading = |leaf: &Leaf| {
        document.parent(leaf.node).is_some_and(|above| matches!(document.name(above), "h2" | "h3" | "h4" | "h5" | "h6"))
    };
    if is_heading(&list[at.1 as usize]) {
        return None;
    }
    let before = list[..at.1 as usize].iter().rev().filter(|leaf| leaf.word != 0).take(NEAR_HEADING);
    let mut headings = before.filter(|leaf| class.template.anchors.contains(&leaf.word));
    let heading = headings.find(|leaf| is_heading(leaf))?;
    let label = label_of(&heading.text);
    (label.len() <= LONGEST && label.contains(char::is_alphabetic)).then_some(label)
}

pub fn snake(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

/// Labels of at least a tenth of the leaves (and of two of many), the most frequent first; none when most have no label.
pub fn labels(class: &Class, leaves: &[At]) -> Vec<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    leaves.iter().filter_map(|at| class.label(*at)).for_each(|label| *times.entry(label).or_default() += 1);
    if times.values().sum::<usize>() * 2 < leaves.len() {
        return Vec::new();
    }
    let least = (leaves.len() / 10).max(if leaves.len() > 3 { 2 } else { 1 });
    let mut known: Vec<(String, usize)> = times.into_iter().filter(|(_, n)| *n >= least).collect();
    known.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    known.into_iter().map(|(label, _)| label).take(5).collect()
}

/// The label behind most of these values.
pub fn label_behind(class: &Class, leaves: &[At]) -> Option<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    leaves.iter().filter_map(|at| class.label_behind(*at)).for_each(|label| *times.entry(label).or_default() += 1);
    let (label, most) = times.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))?;
    (most * 2 > leaves.len() && label.contains(char::is_alphabetic)).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_say_how_an_element_looks_name_nothing() {
        assert!(LOOKS.is_sorted());
        for token in
            ["leading-relaxed", "text-sm", "md:flex", "mt-4", "px", "font_semibold", "col-left", "w-[12px]", "css-1q2w"]
        {
            assert!(!tells(token), "{token}");
        }
        for token in ["product-price", "author", "text-author", "isbn", "birthDate"] {
            assert!(tells(token), "{token}");
        }
    }

    #[test]
    fn keys_give_names() {
        for (key, name) in [
            ("ld:offers.priceCurrency", "price_currency"),
            ("meta:og:title", "title"),
            ("http://schema.org/name", "name"),
            ("v:itemreviewed", "itemreviewed"),
            ("item:ISBN", "isbn"),
            ("ld:location.name", "location"),
        ] {
            assert_eq!(key_name(key), name);
        }
    }
}
