//! Which static texts do not matter? Groups → groups with templates merged over them (thesis 3.1.4, listing 11; once more
//! for parameters at the end, 3.1).

use super::compare::Visitor;
use super::elements::{Kind, UrlTemplate};
use super::{Group, MERGE_VERIFY_DEPTH};
use crate::pages::Pages;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Share of different numbers, and of templates of one address, from which the thesis speaks of all.
const ALL: f64 = 0.95;

/// `get`: look at parameters, else at the path.
pub async fn merge<P: Pages>(visitor: &mut Visitor<'_, P>, groups: &mut [Group], get: bool) {
    for group in groups {
        let indices = group.templates.first().map(|template| template.indices(get)).unwrap_or_default();
        for index in indices {
            element(visitor, group, index).await;
        }
    }
}

async fn element<P: Pages>(visitor: &mut Visitor<'_, P>, group: &mut Group, index: usize) {
    let mut merges: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, template) in group.templates.iter().enumerate() {
        if template.elements[index].kind != Kind::Static {
            return;
        }
        merges.entry(template.merge_key(index)).or_default().push(at);
    }
    let mut gone: FxHashSet<usize> = FxHashSet::default();
    for members in merges.into_values().filter(|members| members.len() > 1) {
        let mut list: Vec<(usize, UrlTemplate)> = members.iter().map(|&at| (at, group.templates[at].clone())).collect();
        list.sort_by_key(|(at, template)| (std::cmp::Reverse(template.count), *at));
        let templates: Vec<UrlTemplate> = list.into_iter().map(|(_, template)| template).collect();
        if unique_ratio(&templates) >= ALL && verified(visitor, &templates, index).await {
            group.templates[members[0]] = applied(&templates, index);
            gone.extend(&members[1..]);
        }
    }
    let mut at = 0;
    group.templates.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
}

/// The best share of different values that a number has over all addresses.
fn unique_ratio(templates: &[UrlTemplate]) -> f64 {
    let total: usize = templates.iter().map(|template| template.count).sum();
    let ratio = |index: usize| {
        let mut values: Vec<&str> =
            templates.iter().flat_map(|t| t.elements[index].values.iter().map(String::as_str)).collect();
        values.sort_unstable();
        values.dedup();
        values.len() as f64 / total as f64
    };
    let numbers = (0..templates[0].elements.len()).filter(|&index| templates[0].elements[index].kind == Kind::Number);
    numbers.map(ratio).fold(0.0, f64::max)
}

/// A text that is another one in every address is a name, else a category; the listing's branches say it the other way
/// round than its text, which is followed.
async fn verified<P: Pages>(visitor: &mut Visitor<'_, P>, templates: &[UrlTemplate], index: usize) -> bool {
    let total: usize = templates.iter().map(|template| template.count).sum();
    let names = templates.len() as f64 >= ALL * total as f64;
    let first = &templates[0];
    for other in templates.iter().skip(1).take(MERGE_VERIFY_DEPTH - 1) {
        let alternative = first.url_with(0, index, other.elements[index].value(0));
        let same = if names || first.count < 2 {
            visitor.is_same(&first.url(0), &alternative).await
        } else {
            visitor.is_same_category(&first.url(0), &first.url(1), &alternative).await
        };
        if !same {
            return false;
        }
    }
    true
}

fn applied(templates: &[UrlTemplate], index: usize) -> UrlTemplate {
    let open = |template: &UrlTemplate| {
        let mut template = template.clone();
        let element = &mut template.elements[index];
        element.kind = Kind::Text;
        element.values = vec![element.values[0].clone(); template.count];
        template
    };
    let mut merged = open(&templates[0]);
    templates[1..].iter().for_each(|template| merged.take_in(&open(template)));
    merged
}
