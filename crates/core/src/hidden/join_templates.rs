//! Which templates show the same entities? Templates, pages → templates, joined where the site says so.
//!
//! Two templates that differ in one part (`/cheap-items/…-4`, `/expensive-items/…-6`) and share no id may be one series
//! with a category in the address (thesis 3.1.4). One request tells: an id of the second in the address of the first. It is
//! the page known by redirect, canonical link or content, or it is not.

use super::probe::{Probe, Prober};
use super::seek::same_page;
use super::{ID, Settings, Template};
use crate::pages::Pages;
use url::Url;

/// Templates asked about on one site: each costs at most three requests.
const MOST: usize = 6;

pub async fn join_templates<P: Pages>(
    asker: &mut Prober<'_, P>,
    templates: Vec<Template>,
    settings: &Settings,
) -> Vec<Template> {
    let mut joined: Vec<Template> = Vec::new();
    let mut asked = 0;
    for template in templates {
        let twin = joined.iter().position(|other| differ_in_a_part(other, &template) && share_no_id(other, &template));
        let over = asked >= MOST || settings.budget.is_some_and(|budget| asker.requests + 3 > budget);
        match twin.filter(|_| !over) {
            Some(at) => {
                asked += 1;
                if is_one(asker, &joined[at], &template).await {
                    take_in(&mut joined[at], template);
                } else {
                    joined.push(template);
                }
            }
            None => joined.push(template),
        }
    }
    joined
}

/// As many parts, all but one alike, and the id in the same one.
pub(super) fn differ_in_a_part(one: &Template, other: &Template) -> bool {
    let parts = |template: &Template| template.template.split(['/', '?', '&']).map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (parts(one), parts(other));
    let different = || one.iter().zip(&other).filter(|(a, b)| a != b);
    // The host is the third part.
    one.len() == other.len()
        && different().count() == 1
        && one[2] == other[2]
        && different().all(|(a, b)| a.contains(ID) == b.contains(ID))
}

fn share_no_id(one: &Template, other: &Template) -> bool {
    other.known.iter().all(|id| one.known.binary_search(id).is_err())
}

/// Asks for a page of the second as it is, and under the address of the first.
async fn is_one<P: Pages>(asker: &mut Prober<'_, P>, one: &Template, other: &Template) -> bool {
    let Some((id, url)) = other.samples.first() else { return false };
    let neighbour = other.samples.get(1).or(one.samples.first());
    let urls = [Url::parse(url).ok(), one.address(*id), neighbour.and_then(|(_, url)| Url::parse(url).ok())];
    let urls: Vec<Url> = urls.into_iter().flatten().collect();
    let looks = asker.ask(&urls).await;
    let [right, mixed, third] = &looks[..] else { return false };
    let known: [Probe; 2] = [right.clone(), third.clone()];
    mixed.page().is_some() && mixed.at == right.at || same_page(mixed, right, &known)
}

fn take_in(into: &mut Template, template: Template) {
    into.known.extend(&template.known);
    into.known.sort_unstable();
    into.addresses += template.addresses;
    into.forms.push(template.template);
    into.forms.extend(template.forms);
    into.urls.extend(template.urls);
    into.samples.extend(template.samples);
}
