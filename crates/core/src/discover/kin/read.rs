//! What does an answer say? Answer → [`Read`]: the page's profile, and its links with their places, read once and kept as little as is
//! needed.

use super::place::place;
use crate::discover::Signal;
use crate::features::profile::{CLASSES, HEADINGS, LABELS, PATHS, Profile};
use crate::page::address::state_changing;
use crate::page::file_names::file_ending;
use crate::page::{self, Document, Origin};
use crate::pages::{Answer, Reason, Skipped};
use crate::site::SiteSettings;
use url::Url;

/// What is taken from a page that answered.
pub struct Read {
    pub url: Url,
    pub profile: Profile,
    pub links: Vec<ReadLink>,
    pub stub: bool,
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
    let number = !text.is_empty() && text.len() <= 5 && text.bytes().all(|b| b.is_ascii_digit());
    number || NEXT.contains(&text.to_lowercase().as_str())
}

/// The reason instead, for a page that did not answer, that leads off the site, or that cannot be parsed.
pub fn read(answer: Answer, settings: &SiteSettings, without: &[Signal]) -> Result<Read, Skipped> {
    let uses = |signal: Signal| !without.contains(&signal);
    let raw = match answer {
        Answer::Page(raw) => raw,
        Answer::Skipped(skipped) => return Err(skipped),
    };
    if !raw.is_success() {
        return Err(Skipped::new(&raw.url, Reason::Status, raw.status.to_string()));
    }
    if !settings.scope.contains(&raw.url) {
        return Err(Skipped::new(&raw.url, Reason::OutOfScope, "a redirect leads off the site"));
    }
    let document = page::read(&raw, &settings.limits)
        .map_err(|refused| Skipped::new(&raw.url, Reason::Unparsable, refused.to_string()))?;
    let links: Vec<ReadLink> = page::links::links(&document, &raw.url)
        .into_iter()
        .filter(|link| !link.rel.canonical && !link.rel.alternate)
        .filter(|link| link.origin != Origin::Data || uses(Signal::Data))
        .filter(|link| settings.scope.contains(&link.url) && !state_changing(&link.url) && !is_file(&link.url))
        .map(|link| {
            let place = match link.origin {
                Origin::Head => "head".to_owned(),
                Origin::Data => link.data_path.as_deref().unwrap_or("data").to_owned(),
                _ => place(&document, link.node),
            };
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
    let mut profile = Profile::of(&document, &raw.url, links.len());
    if !uses(Signal::Labels) {
        profile.families[LABELS] = Box::default();
        profile.families[HEADINGS] = Box::default();
    }
    if !uses(Signal::Structure) {
        profile.families[PATHS] = Box::default();
        profile.families[CLASSES] = Box::default();
    }
    Ok(Read { profile, links, stub: is_stub(&document), url: raw.url })
}

/// A page that refreshes itself to another at once.
fn is_stub(document: &Document) -> bool {
    document.descendants(Document::ROOT).take_while(|&node| document.name(node) != "body").any(|node| {
        document.name(node) == "meta"
            && document.attribute(node, "http-equiv").is_some_and(|value| value.eq_ignore_ascii_case("refresh"))
            && document.attribute(node, "content").is_some_and(|content| content.to_ascii_lowercase().contains("url="))
    })
}

/// With a query, the ending is that of a script's argument.
fn is_file(url: &Url) -> bool {
    url.query().is_none() && file_ending(url.path()).is_some()
}
