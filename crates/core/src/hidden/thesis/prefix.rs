//! Which numbers stand beside text that does not matter? Groups → groups with such elements split (thesis 3.1.3, listing 9).

use super::compare::Visitor;
use super::elements::{Element, Kind, UrlTemplate};
use super::{Group, MERGE_MINIMUM_VALUES, MERGE_VERIFY_DEPTH, VERY_HIGH_VALUE, grouped};
use crate::pages::Pages;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Does the number stand before the text or behind it?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Prefix,
    Suffix,
}

/// Templates that would be one if the text of an element did not matter.
#[derive(Default)]
struct Merge {
    /// Template, text, number.
    parts: Vec<(usize, String, String)>,
}

impl Merge {
    fn numbers(&self) -> usize {
        let mut numbers: Vec<&str> = self.parts.iter().map(|(_, _, number)| number.as_str()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.len()
    }
}

/// Each group once; what was split goes into a group of its own, which is looked at again.
pub async fn split<P: Pages>(visitor: &mut Visitor<'_, P>, groups: Vec<Group>) -> Vec<Group> {
    let (mut waiting, mut done): (Vec<Group>, Vec<Group>) = (groups, Vec::new());
    waiting.reverse();
    while let Some(mut group) = waiting.pop() {
        let indices = group.templates.first().map(|template| template.indices(false)).unwrap_or_default();
        let mut new = Vec::new();
        for index in indices {
            new.extend(element(visitor, &mut group, index).await);
        }
        waiting.extend(grouped(new).into_iter().rev());
        if !group.templates.is_empty() {
            done.push(group);
        }
    }
    grouped(done.into_iter().flat_map(|group| group.templates).collect())
}

async fn element<P: Pages>(visitor: &mut Visitor<'_, P>, group: &mut Group, index: usize) -> Vec<UrlTemplate> {
    let mut pairs: BTreeMap<String, [Merge; 2]> = BTreeMap::new();
    for (at, template) in group.templates.iter().enumerate() {
        let element = &template.elements[index];
        if element.kind != Kind::Static || element.get {
            return Vec::new();
        }
        for side in [Side::Prefix, Side::Suffix] {
            if let Some((text, number)) = parted(&element.values[0], side) {
                let pair = pairs.entry(template.merge_key(index)).or_default();
                pair[side as usize].parts.push((at, text, number));
            }
        }
    }
    let (mut new, mut gone) = (Vec::new(), FxHashSet::default());
    for [prefix, suffix] in pairs.into_values() {
        let (side, merge) =
            if prefix.numbers() >= suffix.numbers() { (Side::Prefix, prefix) } else { (Side::Suffix, suffix) };
        if merge.numbers() < merge.parts.len() || merge.numbers() < MERGE_MINIMUM_VALUES {
            continue;
        }
        gone.extend(merge.parts.iter().map(|part| part.0));
        new.extend(apply(visitor, group, index, side, merge).await);
    }
    let mut at = 0;
    group.templates.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
    new
}

/// One template of all, if the texts do not matter; else one for each text.
async fn apply<P: Pages>(
    visitor: &mut Visitor<'_, P>,
    group: &Group,
    index: usize,
    side: Side,
    merge: Merge,
) -> Vec<UrlTemplate> {
    let mut texts: Vec<(&str, Vec<UrlTemplate>)> = Vec::new();
    for (at, text, number) in &merge.parts {
        let split = split_template(&group.templates[*at], index, side, text, number);
        match texts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, list)) => list.push(split),
            None => texts.push((text, vec![split])),
        }
    }
    let mut all = true;
    for other in texts.iter().skip(1).take(MERGE_VERIFY_DEPTH - 1) {
        all &= can_merge(visitor, &texts[0].1[0], &other.1[0], index, side).await;
    }
    let joined = |list: Vec<UrlTemplate>| {
        let mut list = list.into_iter();
        let first = list.next()?;
        Some(list.fold(first, |mut all, template| {
            all.take_in(&template);
            all
        }))
    };
    if all {
        return joined(texts.into_iter().flat_map(|(_, list)| list).collect()).into_iter().collect();
    }
    let fixed = texts.into_iter().filter_map(|(_, list)| joined(list)).map(|template| fix(template, index, side));
    fixed.collect()
}

/// Does the first entity show under the text of the second?
async fn can_merge<P: Pages>(
    visitor: &mut Visitor<'_, P>,
    one: &UrlTemplate,
    other: &UrlTemplate,
    index: usize,
    side: Side,
) -> bool {
    let (text_at, number_at) = places(index, side);
    let original = one.url(0);
    let alternative = one.url_with(0, text_at, other.elements[text_at].value(0));
    let empty = one.url_with(0, number_at, &VERY_HIGH_VALUE.to_string());
    visitor.is_alternative(&original, &empty, &alternative).await
}

fn places(index: usize, side: Side) -> (usize, usize) {
    match side {
        Side::Prefix => (index + 1, index),
        Side::Suffix => (index, index + 1),
    }
}

/// The element as text and number.
fn split_template(template: &UrlTemplate, index: usize, side: Side, text: &str, number: &str) -> UrlTemplate {
    let repeated = |kind, value: &str| Element { kind, get: false, values: vec![value.to_owned(); template.count] };
    let (text, number) = (repeated(Kind::Text, text), repeated(Kind::Number, number));
    let parts = if side == Side::Prefix { [number, text] } else { [text, number] };
    let mut elements = template.elements.clone();
    elements.splice(index..=index, parts);
    UrlTemplate { elements, count: template.count }
}

/// The text is needed: it stays as it is.
fn fix(mut template: UrlTemplate, index: usize, side: Side) -> UrlTemplate {
    let element = &mut template.elements[places(index, side).0];
    element.kind = Kind::Static;
    element.values.truncate(1);
    template
}

/// Text and number of an element that begins or ends with a number, and is not all number.
fn parted(text: &str, side: Side) -> Option<(String, String)> {
    let digits = |part: &str| part.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = match side {
        Side::Prefix => text.split_at(digits(text)),
        Side::Suffix => {
            let from = text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
            let (rest, number) = text.split_at(from);
            (number, rest)
        }
    };
    (!number.is_empty() && number.len() <= 18 && !rest.is_empty()).then(|| (rest.to_owned(), number.to_owned()))
}
