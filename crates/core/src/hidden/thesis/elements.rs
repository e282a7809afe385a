//! Of which elements does an address consist? Addresses → initial templates (thesis 3.1.1, listings 4 and 5).
//!
//! - [`Element`]: domain, separator, key, number or text. - [`UrlTemplate`]: elements with the values of all its addresses.

use super::super::{ID, TEXT_PART};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Domain,
    Separator,
    Key,
    /// The same text in all addresses of the template.
    Static,
    /// A number, another one in each address.
    Number,
    /// A text that does not matter, another one in each address.
    Text,
}

#[derive(Debug, Clone)]
pub struct Element {
    pub kind: Kind,
    /// In the query.
    pub get: bool,
    /// One for each address; of static ones just one.
    pub values: Vec<String>,
}

impl Element {
    pub fn new(kind: Kind, get: bool, value: &str) -> Self {
        Self { kind, get, values: vec![value.to_owned()] }
    }

    pub fn varies(&self) -> bool {
        matches!(self.kind, Kind::Number | Kind::Text)
    }

    /// Its value in the address of that number.
    pub fn value(&self, nth: usize) -> &str {
        if self.varies() { &self.values[nth] } else { &self.values[0] }
    }

    fn key_part(&self) -> &str {
        match self.kind {
            Kind::Number => ID,
            Kind::Text => TEXT_PART,
            _ => &self.values[0],
        }
    }
}

#[derive(Debug, Clone)]
pub struct UrlTemplate {
    pub elements: Vec<Element>,
    pub count: usize,
}

impl UrlTemplate {
    pub fn key(&self) -> String {
        self.elements.iter().map(Element::key_part).collect()
    }

    /// Static text as `{Y}`: templates with the same one may be merged (listing 7).
    pub fn group_key(&self) -> String {
        let part = |element: &Element| match element.kind {
            Kind::Static => "{Y}".to_owned(),
            _ => element.key_part().to_owned(),
        };
        self.elements.iter().map(part).collect()
    }

    /// The key with one element as text (listing 11).
    pub fn merge_key(&self, index: usize) -> String {
        let part =
            |(at, element): (usize, &Element)| if at == index { TEXT_PART } else { element.key_part() }.to_owned();
        self.elements.iter().enumerate().map(part).collect()
    }

    /// The address of that number.
    pub fn url(&self, nth: usize) -> String {
        self.elements.iter().map(|element| element.value(nth)).collect()
    }

    /// The same with another value for one element.
    pub fn url_with(&self, nth: usize, index: usize, value: &str) -> String {
        let part = |(at, element): (usize, &Element)| {
            if at == index { value.to_owned() } else { element.value(nth).to_owned() }
        };
        self.elements.iter().enumerate().map(part).collect()
    }

    /// Takes in the addresses of another with the same varying elements.
    pub fn take_in(&mut self, other: &Self) {
        for (own, new) in self.elements.iter_mut().zip(&other.elements) {
            if own.varies() {
                let values = (0..other.count).map(|nth| new.value(nth).to_owned());
                own.values.extend(values);
            }
        }
        self.count += other.count;
    }

    /// The elements of the path, from the last to the second (the listings' `range(count - 1, 1, -1)`).
    pub fn indices(&self, get: bool) -> Vec<usize> {
        (2..self.elements.len()).rev().filter(|&at| self.elements[at].get == get).collect()
    }
}

/// `createInitialTemplates`, in the order of the first address of each.
pub fn initial(urls: &[&str]) -> Vec<UrlTemplate> {
    let mut templates: Vec<UrlTemplate> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for elements in urls.iter().filter_map(|url| elements(url)) {
        let template = UrlTemplate { elements, count: 1 };
        match places.get(&template.key()) {
            Some(&at) => templates[at].take_in(&template),
            None => {
                places.insert(template.key(), templates.len());
                templates.push(template);
            }
        }
    }
    templates
}

/// `buildElements`; none when no element could hold a number.
fn elements(url: &str) -> Option<Vec<Element>> {
    let url = url.split('#').next()?;
    let (location, parameters) = url.split_once('?').unwrap_or((url, ""));
    let after = location.find("://")? + 3;
    let slash = location[after..].find('/').map_or(location.len(), |at| at + after);
    let mut elements = vec![Element::new(Kind::Domain, false, &location[..slash])];
    let mut possible = false;
    for part in location[slash..].split('/').skip(1) {
        elements.push(Element::new(Kind::Separator, false, "/"));
        elements.push(value(part, false));
        possible |= digit_at_an_end(part);
    }
    let mut parameters: Vec<&str> = parameters.split('&').filter(|part| !part.is_empty()).collect();
    parameters.sort_unstable();
    for (nth, parameter) in parameters.iter().enumerate() {
        elements.push(Element::new(Kind::Separator, true, if nth == 0 { "?" } else { "&" }));
        let (key, given) = parameter.split_once('=').map_or((*parameter, None), |(key, value)| (key, Some(value)));
        elements.push(Element::new(Kind::Key, true, key));
        if let Some(given) = given {
            elements.push(Element::new(Kind::Separator, true, "="));
            elements.push(value(given, true));
            possible |= digit_at_an_end(given);
        }
    }
    possible.then_some(elements)
}

fn value(text: &str, get: bool) -> Element {
    let number = !text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit());
    Element::new(if number { Kind::Number } else { Kind::Static }, get, text)
}

fn digit_at_an_end(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) || text.ends_with(|c: char| c.is_ascii_digit())
}
