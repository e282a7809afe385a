//! What does an answer say? Answer → [`Read`]: the page's profile, and its links with their places, read once and kept as little as is
//! needed.

use crate::complete::stated::{Numbers, numbers};
use crate::discover::Signal;
use crate::features::profile::{CLASSES, HEADINGS, LABELS, PATHS, Profile};
use crate::page::Origin;
use crate::page::file_names::file_ending;
use crate::pages::{Answer, Skipped};
use crate::site::{PageView, SiteSettings};
use url::Url;

/// What is taken from a page that answered.
pub struct Read {
    pub url: Url,
    pub profile: Profile,
    pub links: Vec<ReadLink>,
    pub stub: bool,
    /// What may state a total, and the highest number of a link to a further page.
    pub numbers: Box<[Numbers]>,
    pub last_page: u64,
}

pub struct ReadLink {
    pub url: Url,
    pub place: String,
    /// Named by the page as the next, previous or upper one.
    pub guided: bool,
    pub up: bool,
    /// A further page of the same list.
    pub pager: bool,
    pub numbered: bool,
}

/// Words and signs for "the next page of this list" in the languages of the sites at hand; numbers need no language.
const NEXT: [&str; 24] = [
    "next",
    "next page",
    "next »",
    "next ›",
    "next →",
    "older",
    "older posts",
    "more",
    "»",
    "›",
    ">",
    ">>",
    "→",
    "weiter",
    "nächste",
    "nächste seite",
    "suivant",
    "suivante",
    "siguiente",
    "próxima",
    "próximo",
    "volgende",
    "avanti",
    "次へ",
];

/// Is this the text of a link to a further page of the same list?
fn is_pager(text: &str) -> bool {
    let text = text.trim();
    page_number(text).is_some() || NEXT.contains(&text.to_lowercase().as_str())
}

/// The number that is all the text of a link.
fn page_number(text: &str) -> Option<u64> {
    let text = text.trim();
    let number = text.len() <= 5 && text.bytes().all(|b| b.is_ascii_digit());
    number.then(|| text.parse().ok())?
}

/// The reason instead, for a page that did not answer, that leads off the site, or that cannot be parsed.
pub fn read(answer: Answer, settings: &SiteSettings, without: &[Signal]) -> Result<Read, Skipped> {
    let uses = |signal: Signal| !without.contains(&signal);
    let view = PageView::of(answer, Some(&settings.scope), &settings.limits)?;
    let mut last_page = 0;
    let links: Vec<ReadLink> = view
        .links(Some(&settings.scope))
        .filter(|link| link.origin != Origin::Data || uses(Signal::Data))
        .filter(|link| !is_file(&link.url))
        .map(|link| {
            let place = view.place(&link);
            last_page = last_page.max(page_number(&link.text).unwrap_or(0));
            let pagers = uses(Signal::Pagers);
            let up = pagers && (link.rel.up || link.text.eq_ignore_ascii_case("up"));
            ReadLink {
                guided: pagers && (link.rel.next || link.rel.prev) || up,
                up,
                pager: pagers && (link.rel.next || is_pager(&link.text)),
                numbered: is_pager(&link.text),
                url: link.url,
                place,
            }
        })
        .collect();
    let mut profile = Profile::of(&view.document, &view.raw.url, links.len());
    if !uses(Signal::Labels) {
        profile.families[LABELS] = Box::default();
        profile.families[HEADINGS] = Box::default();
    }
    if !uses(Signal::Structure) {
        profile.families[PATHS] = Box::default();
        profile.families[CLASSES] = Box::default();
    }
    let numbers = numbers(&view.document).into();
    Ok(Read { profile, links, stub: view.is_stub(), numbers, last_page, url: view.raw.url })
}

/// With a query, the ending is that of a script's argument.
fn is_file(url: &Url) -> bool {
    url.query().is_none() && file_ending(url.path()).is_some()
}
