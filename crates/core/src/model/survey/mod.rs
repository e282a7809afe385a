//! Our own method: looks where a look would change the model, and stops when none would.
//!
//! Known addresses are put into bags by pattern and by the place of the link that leads to them. A bag promises more the more
//! addresses it has and the less is known of its like (`next_pages`); what is looked at is classified anew with all that was looked
//! at before ([`state`]). At the end every known address is given the class its bag was found to have ([`answer`]).
//!
//! - [`survey`]: all of it. - [`site_state`]: what is known of the site. Answers to what the paper names as open: small classes (a
//!   pattern of addresses may be a class by itself), pages with few links or long text (all structure and labels count, and what
//!   varies within a class does not), the end (section 4.4).

mod answer;
mod kept_apart;
mod next_pages;
mod site_state;
mod state;

use super::{Error, Settings, SiteModel};
use crate::page::address::ScopeKind;
use crate::pages::{Pages, Reason};
use crate::site::Stop;
use next_pages::next_pages;
use site_state::{SiteState, UrlId};
use state::State;
use url::Url;

/// Looks allowed without a budget: 60, or one in 50 of the known addresses if that is more, and never more than [`MOST`]. Of known
/// addresses up to half are other views of the same pages, so that this stays below one page in 20.
const LOOKS: usize = 60;
const SHARE: usize = 50;
const MOST: usize = 1_000;

/// Addresses asked for at most, for each look allowed: where most links lead to no page.
const ASKED: usize = 3;

pub async fn survey<P: Pages>(pages: &P, start: &Url, settings: &Settings) -> Result<SiteModel, Error> {
    let mut site = SiteState::new(pages, settings.site(start));
    let (mut start, mut entrance) = (start.clone(), enter(&mut site, start).await);
    if let Some(elsewhere) = elsewhere(&site, &start, settings) {
        site = SiteState::new(pages, elsewhere.settings.site(&elsewhere.start));
        start = elsewhere.start;
        entrance = enter(&mut site, &start).await;
    }
    if !site.leads_on() && site.add_held() && site.looked.is_empty() {
        let held = site.shortest_unseen();
        let stopped = site.look(held.as_slice()).await.err();
        entrance = (site.looked.last().map(|page| page.id), stopped);
        start = held.map_or(start, |held| site.urls[held as usize].url.clone());
    }
    let (Some(entry), mut stopped) = entrance else {
        let why = site.skipped.first().map_or("no answer".to_owned(), |skipped| skipped.reason.to_string());
        return Err(Error::Start(start, why));
    };
    let mut state = State::of(&site, None);
    let mut settled = false;
    while stopped.is_none() {
        let wanted = next_pages(&site, &state);
        let left = allowed(settings, &site).saturating_sub(site.looked.len());
        if wanted.is_empty() && left > 0 && site.add_held() {
            state = State::of(&site, Some(state));
            continue;
        }
        if wanted.is_empty() || left == 0 || site.asked >= ASKED * allowed(settings, &site) {
            settled = wanted.is_empty();
            stopped = (!settled && settings.budget.is_some()).then_some(Stop::Budget);
            break;
        }
        stopped = site.look(&wanted[..wanted.len().min(left)]).await.err();
        state = State::of(&site, Some(state));
    }
    Ok(answer::answer(&site, &state, &start, entry, settled, stopped))
}

struct Elsewhere {
    start: Url,
    settings: Settings,
}

/// Where to begin again when the entrance led nowhere: the host it sends on to, or all hosts of its domain.
fn elsewhere<P: Pages>(site: &SiteState<'_, P>, start: &Url, settings: &Settings) -> Option<Elsewhere> {
    if site.leads_on() {
        return None;
    }
    let moved = site.skipped.iter().find(|skipped| skipped.reason == Reason::OutOfScope);
    if let Some(moved) = moved {
        return Some(Elsewhere { start: moved.url.clone(), settings: settings.clone() });
    }
    let wider = settings.scope == ScopeKind::Host && !site.looked.is_empty();
    let settings = Settings { scope: ScopeKind::Domain, ..settings.clone() };
    wider.then(|| Elsewhere { start: start.clone(), settings })
}

/// Looks at the entry page and reads the site's own list of pages. Where the entry page is missing or leads nowhere, the address is
/// tried in its other spellings, and at last a page of that list. Gives the page that was entered by, if there is one.
async fn enter<P: Pages>(site: &mut SiteState<'_, P>, start: &Url) -> (Option<UrlId>, Option<Stop>) {
    let entry = site.id(start);
    let mut stopped = site.look(&[entry]).await.err();
    if stopped.is_none() {
        stopped = site.read_sitemaps(start).await.err();
    }
    for other in spellings(start) {
        if stopped.is_some() || site.leads_on() {
            break;
        }
        let id = site.id(&other);
        stopped = site.look(&[id]).await.err();
    }
    if stopped.is_none() && site.looked.is_empty() {
        let listed = site.shortest_unseen();
        stopped = site.look(listed.as_slice()).await.err();
    }
    (site.looked.last().map(|page| page.id), stopped)
}

/// Other addresses the same entrance may have: the other scheme, with or without `www.`, the root of the host.
fn spellings(start: &Url) -> Vec<Url> {
    let mut other_scheme = start.clone();
    let secure = start.scheme() == "https";
    let spelled = other_scheme.set_scheme(if secure { "http" } else { "https" }).is_ok();
    let host = start.host_str().unwrap_or("");
    let other_host = host.strip_prefix("www.").map_or_else(|| format!("www.{host}"), str::to_owned);
    let mut other_www = start.clone();
    let named = start.domain().is_some() && other_www.set_host(Some(&other_host)).is_ok();
    let root = start.join("/").ok().filter(|root| root != start);
    let mut all: Vec<Url> = Vec::new();
    all.extend(root);
    all.extend(Some(other_scheme).filter(|_| spelled && start.port().is_none()));
    all.extend(Some(other_www).filter(|_| named));
    all
}

fn allowed<P: Pages>(settings: &Settings, site: &SiteState<'_, P>) -> usize {
    settings.budget.unwrap_or_else(|| LOOKS.max(site.urls.len() / SHARE).min(MOST))
}
