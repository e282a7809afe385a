//! Which new addresses exist? Final templates → pages found (thesis 3.3, listing 15).
//!
//! X ids from each end of a gap and every Y-th between; as long as enough of them exist, X is doubled and Y halved. The
//! thesis gives no values: these let a gap of up to a few ids be tried whole in the first round.

use super::super::seek::impossible;
use super::super::{Found, Sought, Undecided};
use super::VERY_HIGH_VALUE;
use super::compare::Visitor;
use super::elements::{Kind, UrlTemplate};
use crate::page::address::state_changing;
use crate::pages::Pages;
use std::collections::BTreeSet;
use url::Url;

const INITIAL_X: u64 = 2;
const MAXIMUM_X: u64 = 64;
const INITIAL_Y: u64 = 32;
const MINIMUM_Y: u64 = 1;

/// Share of ids that must exist for another round.
const ROUND_RATIO: f64 = 0.1;

/// Ids tried on a site from which on a share below the ratio ends everything.
const FAILED_MINIMUM: usize = 200;
const FAILED_RATIO: f64 = 0.05;

/// Ids visited of one template: as the thesis evaluated it (4.3).
const MOST: usize = 200;

pub async fn generate<P: Pages>(
    visitor: &mut Visitor<'_, P>,
    templates: &[UrlTemplate],
    results: &mut [Sought],
    seed: u64,
) {
    let (mut tried, mut found) = (0, 0);
    for (template, sought) in templates.iter().zip(results) {
        from_template(visitor, template, sought, seed).await;
        tried += sought.tried;
        found += sought.found.len();
        if visitor.stopped.is_some() || tried >= FAILED_MINIMUM && (found as f64) < FAILED_RATIO * tried as f64 {
            sought.ended = "too few of the ids tried exist on this site".to_owned();
            return;
        }
    }
}

async fn from_template<P: Pages>(visitor: &mut Visitor<'_, P>, template: &UrlTemplate, sought: &mut Sought, seed: u64) {
    let Some(original) = sought.template.known.first().and_then(|&id| sought.template.address(id)) else { return };
    if state_changing(&original) {
        sought.ended = "it looks like an action: nothing was asked".to_owned();
        return;
    }
    let newest = sought.template.known.last().copied().unwrap_or(0);
    let high = if newest < VERY_HIGH_VALUE { VERY_HIGH_VALUE } else { impossible(&sought.template)[0] };
    let Some(empty) = sought.template.address(high) else { return };
    let (mut x, mut y, mut done) = (INITIAL_X, INITIAL_Y, BTreeSet::new());
    while y >= MINIMUM_Y && x <= MAXIMUM_X && sought.tried < MOST {
        let mut ids: Vec<u64> = gap_ids(&sought.template.known, x, y).difference(&done).copied().collect();
        shuffle(&mut ids, seed);
        ids.truncate(MOST - sought.tried);
        let (before, tried) = (sought.found.len(), ids.len());
        for id in &ids {
            check(visitor, template, sought, *id, (&original, &empty)).await;
        }
        done.extend(ids);
        let ratio = (sought.found.len() - before) as f64 / tried.max(1) as f64;
        if visitor.stopped.is_some() || tried > 0 && ratio < ROUND_RATIO {
            break;
        }
        (x, y) = (x * 2, y / 2);
    }
    sought.found.sort_by_key(|found| found.id);
}

async fn check<P: Pages>(
    visitor: &mut Visitor<'_, P>,
    template: &UrlTemplate,
    sought: &mut Sought,
    id: u64,
    (original, empty): (&Url, &Url),
) {
    let Some(url) = sought.template.address(id) else { return };
    sought.tried += 1;
    let exists = visitor
        .is_other_entity(original.as_str(), empty.as_str(), url.as_str(), |at| fits(template, at.as_str()))
        .await;
    if visitor.stopped.is_some() {
        sought.undecided.push(Undecided { url, why: "the run was stopped".to_owned() });
    } else if exists {
        let how = "in a gap of the ids; not empty by status, redirect or tree".to_owned();
        sought.found.push(Found { url, id, confidence: 0.5, how, unlinked: true });
    }
}

/// Is it an address of the template? Texts may be any, numbers must be numbers.
fn fits(template: &UrlTemplate, url: &str) -> bool {
    let mut rest = url;
    let mut open = false;
    for element in &template.elements {
        match element.kind {
            Kind::Text => open = true,
            Kind::Number => {
                let Some(start) = rest.find(|c: char| c.is_ascii_digit()).filter(|&at| open || at == 0) else {
                    return false;
                };
                rest = rest[start..].trim_start_matches(|c: char| c.is_ascii_digit());
                open = false;
            }
            _ => {
                let Some(at) = rest.find(element.value(0)).filter(|&at| open || at == 0) else { return false };
                rest = &rest[at + element.value(0).len()..];
                open = false;
            }
        }
    }
    open || rest.is_empty()
}

fn gap_ids(known: &[u64], x: u64, y: u64) -> BTreeSet<u64> {
    let mut ids = BTreeSet::new();
    for two in known.windows(2).filter(|two| two[1] - two[0] > 1) {
        let (first, last) = (two[0] + 1, two[1] - 1);
        for step in 0..x.min(last - first + 1) {
            ids.extend([first + step, last - step]);
        }
        let mut at = first.saturating_add(x);
        // No more than can be visited anyway.
        while at.saturating_add(x) <= last && ids.len() < 100 * MOST {
            ids.insert(at);
            at = at.saturating_add(y);
        }
    }
    ids
}

/// The thesis visits ids in random order; the same seed gives the same order.
fn shuffle(ids: &mut [u64], seed: u64) {
    ids.sort_by_key(|id| xxhash_rust::xxh3::xxh3_64_with_seed(&id.to_le_bytes(), seed));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_gaps_and_every_nth_between() {
        assert_eq!(gap_ids(&[1, 3, 4], 2, 8), [2].into());
        assert_eq!(gap_ids(&[1, 22], 2, 8), [2, 3, 4, 12, 20, 21].into());
    }

    #[test]
    fn redirects_within_the_template_fit() {
        let urls = ["http://s/shop/a-1", "http://s/shop/b-2"];
        let mut template = super::super::elements::initial(&urls[..1]).remove(0);
        template.elements.truncate(4);
        template.elements.push(super::super::elements::Element::new(Kind::Text, false, "a-"));
        template.elements.push(super::super::elements::Element::new(Kind::Number, false, "1"));
        assert!(fits(&template, "http://s/shop/other-7") && !fits(&template, "http://s/error"));
    }
}
