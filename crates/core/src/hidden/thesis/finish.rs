//! Which number is the id? Templates with several numbers → templates with one (thesis 3.1.5, listing 13).

use super::super::{ID, Template};
use super::elements::{Element, Kind, UrlTemplate};
use std::collections::BTreeMap;

/// One template for each combination of the other numbers. Of numbers with as many values the later one is the id: listing
/// 12 takes `topic` of `page` and `topic`, though its code would take the first.
pub fn finish(template: &UrlTemplate) -> Vec<UrlTemplate> {
    let Some(id) = id(template) else { return Vec::new() };
    let mut finals: BTreeMap<String, UrlTemplate> = BTreeMap::new();
    let mut order = Vec::new();
    for nth in 0..template.count {
        let one = single(template, nth, id);
        let key = one.key();
        match finals.get_mut(&key) {
            Some(known) => known.take_in(&one),
            None => {
                order.push(key.clone());
                finals.insert(key, one);
            }
        }
    }
    order.into_iter().filter_map(|key| finals.remove(&key)).collect()
}

fn id(template: &UrlTemplate) -> Option<usize> {
    let unique = |element: &Element| {
        let mut values = element.values.clone();
        values.sort_unstable();
        values.dedup();
        values.len()
    };
    let numbers = template.elements.iter().enumerate().filter(|(_, element)| element.kind == Kind::Number);
    numbers.max_by_key(|(at, element)| (unique(element), *at)).map(|(at, _)| at)
}

/// One address, its other numbers as text.
fn single(template: &UrlTemplate, nth: usize, id: usize) -> UrlTemplate {
    let part = |(at, element): (usize, &Element)| {
        let kind = if element.kind == Kind::Number && at != id { Kind::Static } else { element.kind };
        Element { kind, get: element.get, values: vec![element.value(nth).to_owned()] }
    };
    UrlTemplate { elements: template.elements.iter().enumerate().map(part).collect(), count: 1 }
}

/// The ids, sorted.
pub fn known(template: &UrlTemplate) -> Vec<u64> {
    let values = template.elements.iter().filter(|element| element.kind == Kind::Number).flat_map(|e| &e.values);
    let mut known: Vec<u64> = values.filter_map(|value| value.parse().ok()).collect();
    known.sort_unstable();
    known.dedup();
    known
}

/// `urlWithPlaceholder`: the first address with the id as placeholder.
pub fn fill(template: &UrlTemplate) -> String {
    let part =
        |element: &Element| if element.kind == Kind::Number { ID.to_owned() } else { element.value(0).to_owned() };
    template.elements.iter().map(part).collect()
}

pub fn template(template: &UrlTemplate) -> Template {
    Template {
        template: template.key(),
        known: known(template),
        addresses: template.count,
        width: None,
        base: 10,
        dates: false,
        fill: fill(template),
        forms: Vec::new(),
        urls: Vec::new(),
        samples: Vec::new(),
    }
}
