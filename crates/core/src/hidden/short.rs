//! Which ids do pages have whose addresses show none? Addresses of a site without a template → the template of the short
//! addresses (`rel=shortlink`, as `/?p=57`) that its pages name.
//!
//! - [`template`]: looks at known pages, three of them first. What it asks for are pages that the user knows of, so that it does not
//!   count among the tries; how many it reads is a setting.

use super::probe::{Probe, Prober};
use super::{ID, Settings, Template};
use crate::pages::Pages;
use std::collections::BTreeMap;
use url::Url;

/// Pages that have to name a short address before others are asked for theirs.
const FIRST: usize = 3;

/// Pages asked for at once.
const BATCH: usize = 64;

/// Short addresses of pages, by their form with `{N}` for the number, and by the number.
type Forms = BTreeMap<String, BTreeMap<u64, Url>>;

pub async fn template<P: Pages>(asker: &mut Prober<'_, P>, urls: &[&str], settings: &Settings) -> Option<Template> {
    let most = settings.known_pages.min(settings.budget.unwrap_or(usize::MAX));
    let urls = spread(urls, most);
    if urls.len() < settings.fewest {
        return None;
    }
    let (first, rest) = urls.split_at(FIRST.min(urls.len()));
    let mut forms = Forms::new();
    let looks = asker.ask(first).await;
    if looks.iter().filter(|look| keep(&mut forms, look)).count() < FIRST {
        return None;
    }
    for some in rest.chunks(BATCH) {
        for look in asker.ask(some).await {
            keep(&mut forms, &look);
        }
    }
    asker.questions = 0;
    let (fill, pages) = forms.into_iter().max_by_key(|(_, pages)| pages.len())?;
    (pages.len() >= settings.fewest).then(|| of(fill, &pages))
}

/// So many addresses from all over the list.
fn spread(urls: &[&str], most: usize) -> Vec<Url> {
    let step = urls.len().div_ceil(most.max(1)).max(1);
    urls.iter().step_by(step).filter_map(|url| Url::parse(url).ok()).collect()
}

/// False when the page names none with a number in it.
fn keep(forms: &mut Forms, look: &Probe) -> bool {
    let short = look.page().and_then(|page| page.short.as_ref());
    let Some((form, id)) = short.and_then(slotted) else { return false };
    forms.entry(form).or_default().insert(id, look.asked.clone());
    true
}

/// The address with its last number behind the host as `{N}`, and the number.
fn slotted(url: &Url) -> Option<(String, u64)> {
    let text = url.as_str();
    let path = text.len()
        - text.find("://").and_then(|at| text[at + 3..].find('/').map(|slash| text.len() - at - 3 - slash))?;
    let end = path + text[path..].rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = text[..end].rfind(|c: char| !c.is_ascii_digit())? + 1;
    let id = text[start..end].parse().ok()?;
    Some((format!("{}{ID}{}", &text[..start], &text[end..]), id))
}

fn of(fill: String, pages: &BTreeMap<u64, Url>) -> Template {
    let samples: Vec<(u64, String)> = pages.iter().map(|(id, url)| (*id, url.to_string())).collect();
    let step = samples.len().div_ceil(FIRST).max(1);
    Template {
        template: fill.clone(),
        known: pages.keys().copied().collect(),
        addresses: pages.len(),
        width: None,
        base: 10,
        dates: false,
        fill,
        forms: Vec::new(),
        urls: Vec::new(),
        samples: samples.into_iter().step_by(step).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_short_address_is_behind_the_host() {
        let of = |text: &str| slotted(&Url::parse(text).unwrap());
        assert_eq!(of("http://s1.org/?p=57"), Some(("http://s1.org/?p={N}".to_owned(), 57)));
        assert_eq!(of("http://s.org:81/node/7"), Some(("http://s.org:81/node/{N}".to_owned(), 7)));
        assert_eq!(of("http://127.0.0.1:81/about"), None);
    }

    #[test]
    fn addresses_are_taken_from_all_over_the_list() {
        let urls: Vec<String> = (0..100).map(|n| format!("http://s/{n}")).collect();
        let list: Vec<&str> = urls.iter().map(String::as_str).collect();
        let some = spread(&list, 30);
        assert_eq!((some.len(), some[24].as_str()), (25, "http://s/96"));
        assert_eq!(spread(&list, usize::MAX).len(), 100);
        assert_eq!(spread(&[], 0).len(), 0);
    }
}
