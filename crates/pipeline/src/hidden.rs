//! Pages that no link reaches, from start to end: addresses of one site or many → templates, pages found, what it took.
//!
//! - [`sites`]: which addresses are of one site. - [`templates`]: of all sites, without a request. - [`hidden_job`]: asks.
//! - [`stage_job`]: the published method up to one of its steps. - [`Planned`], [`Staged`]: rows of a dry run and of a step.
//!
//! Sites are worked on side by side; a site's own addresses are asked as politely as ever. Does not know files.

use crate::cost::{Clock, Outcome, RunStats};
use crate::job::cut;
use crate::{Error, Source};
use futures::{StreamExt, stream};
use pagekin_core::hidden::mine::Refused;
use pagekin_core::hidden::thesis::compare::Visitor;
use pagekin_core::hidden::thesis::{self, Stage, finish};
use pagekin_core::hidden::{self, Report, Settings, StageCount, Template, mine, seek};
use pagekin_core::page::address::registrable;
use pagekin_fetch::Listing;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;
use url::Url;

/// Sites asked at the same time.
const SITES_AT_ONCE: usize = 16;

/// Addresses that a dry run shows of one template.
const PLANNED: usize = 100;

/// The addresses of one site.
pub struct Site<'l> {
    /// Host and port.
    pub name: String,
    /// Its addresses.
    pub urls: Vec<&'l str>,
}

/// By registrable domain, or by address and port where there is none; in the order they first appear.
pub fn sites(listing: &Listing) -> Vec<Site<'_>> {
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut sites: Vec<Site> = Vec::new();
    let mut last: Option<(&str, usize)> = None;
    for url in listing.urls() {
        let host = host(url);
        let at = match last {
            Some((known, at)) if known == host => at,
            _ => *places.entry(site_of(host)).or_insert_with_key(|name| {
                sites.push(Site { name: name.clone(), urls: Vec::new() });
                sites.len() - 1
            }),
        };
        last = Some((host, at));
        sites[at].urls.push(url);
    }
    sites
}

fn host(url: &str) -> &str {
    let after = url.find("://").map_or(0, |at| at + 3);
    url[after..].split(['/', '?', '#']).next().unwrap_or("")
}

fn site_of(host: &str) -> String {
    let host = host.to_ascii_lowercase();
    let named = host.split(':').next().unwrap_or("");
    let is_name = named.rsplit('.').next().is_some_and(|last| last.bytes().any(|b| b.is_ascii_alphabetic()));
    if is_name { registrable(named).to_owned() } else { host }
}

/// The origins of the addresses: a user who gives a list chose its hosts.
pub fn origins(listing: &Listing) -> Vec<Url> {
    let mut origins: Vec<String> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for url in listing.urls() {
        let origin = &url[..url.find("://").map_or(0, |at| at + 3) + host(url).len()];
        if seen.insert(origin) {
            origins.push(origin.to_owned());
        }
    }
    origins.iter().filter_map(|origin| Url::parse(origin).ok()).collect()
}

/// What the addresses of all sites show without a request.
pub struct MinedSites {
    /// What its addresses have in common.
    pub templates: Vec<Template>,
    /// Templates that were left alone, and why.
    pub refused: Vec<Refused>,
    /// How many there were after each step.
    pub stages: Vec<StageCount>,
}

/// The templates of each site of a list; asks nobody.
pub fn templates(listing: &Listing, fewest: usize) -> MinedSites {
    let sites = sites(listing);
    let mined: Vec<mine::Mined> = sites.par_iter().map(|site| mine::mine(&site.urls, fewest)).collect();
    let count = |stage: &str, of: fn(&mine::Mined) -> usize| StageCount {
        stage: stage.to_owned(),
        count: mined.iter().map(of).sum(),
    };
    let stages = vec![
        count("addresses", |mined| mined.addresses),
        count("forms", |mined| mined.forms),
        count("routes", |mined| mined.leaves),
        count("templates", |mined| mined.templates.len()),
    ];
    let mut all = MinedSites { templates: Vec::new(), refused: Vec::new(), stages };
    for site in mined {
        all.templates.extend(site.templates);
        all.refused.extend(site.refused);
    }
    all
}

/// What a run would ask for.
#[derive(Debug, Serialize)]
pub struct Planned {
    /// As a person reads it: `{N}` is the id.
    pub template: String,
    /// Ids of the list.
    pub known: usize,
    /// What would be asked first.
    pub would_ask: Vec<Url>,
}

/// What a search would ask, without asking.
pub fn plan(listing: &Listing, settings: &Settings) -> Vec<Planned> {
    let most = settings.budget.unwrap_or(PLANNED);
    let templates = templates(listing, settings.fewest).templates;
    let planned = |template: &Template| Planned {
        template: template.template.clone(),
        known: template.known.len(),
        would_ask: seek::plan(template, most),
    };
    templates.iter().map(planned).collect()
}

/// Finds the pages of all sites of the list. The requests counted are those of this stage; the budget is one of each site, and all of them
/// together send no more requests than all of their budgets, whatever comes of them.
pub async fn hidden_job(source: &Source, listing: &Listing, settings: &Settings) -> Result<(Report, RunStats), Error> {
    let (clock, before) = (Clock::start(), source.stats());
    let sites = sites(listing);
    source.allow(settings.budget.map(|budget| budget.saturating_mul(sites.len())));
    let reports = sites.iter().map(|site| hidden::hidden(source, &site.urls, settings));
    let reports: Vec<Report> = stream::iter(reports).buffered(SITES_AT_ONCE).collect().await;
    if let Some(failure) = source.take_failure() {
        return Err(failure);
    }
    let mut report = reports.into_iter().fold(Report::default(), joined);
    report.stopped = report.stopped.or(cut(source));
    let mut stats = clock.read(Outcome::of_hidden(&report), source);
    stats.downloads = source.stats().downloads.saturating_sub(before.downloads) as usize;
    stats.requests = stats.requests.saturating_sub(before.requests);
    stats.bytes = stats.bytes.saturating_sub(before.bytes);
    source.allow(None);
    Ok((report, stats))
}

fn joined(mut all: Report, one: Report) -> Report {
    for StageCount { stage, count } in one.stages {
        match all.stages.iter_mut().find(|known| known.stage == stage) {
            Some(known) => known.count += count,
            None => all.stages.push(StageCount { stage, count }),
        }
    }
    all.templates.extend(one.templates);
    all.refused.extend(one.refused);
    all.requests += one.requests;
    all.stopped = all.stopped.or(one.stopped);
    all
}

/// A template after a step of the published method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Staged {
    /// Templates of one group may be merged.
    pub group: String,
    /// As a person reads it: `{N}` is the id.
    pub template: String,
    /// Addresses of the list that follow it.
    pub addresses: usize,
    /// After the last step only: before it a template may have several numbers.
    pub known: Vec<u64>,
}

/// The published method up to a step, site by site.
pub async fn stage_job(
    source: &Source,
    listing: &Listing,
    settings: &Settings,
    stage: Stage,
) -> Result<(Vec<Staged>, Vec<StageCount>), Error> {
    let (mut rows, mut counts) = (Vec::new(), Report::default());
    for site in sites(listing) {
        source.allow(settings.budget);
        let mut visitor = Visitor::new(source, settings.limits, settings.budget);
        let staged = thesis::stages(&mut visitor, &site.urls, settings.fewest, stage).await;
        for group in &staged.groups {
            rows.extend(group.templates.iter().map(|template| Staged {
                group: group.key.clone(),
                template: template.key(),
                addresses: template.count,
                known: if stage == Stage::Final { finish::known(template) } else { Vec::new() },
            }));
        }
        counts = joined(counts, Report { stages: staged.counts, ..Report::default() });
    }
    source.take_failure().map_or(Ok((rows, counts.stages)), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_one_domain_are_one_site() {
        let urls = [
            "http://www.a.org/1",
            "http://b.org/1",
            "http://x.a.org/2",
            "http://127.0.0.1:81/3",
            "http://127.0.0.1:82/",
        ];
        let listing = Listing::of(urls);
        let found: Vec<(String, usize)> =
            sites(&listing).into_iter().map(|site| (site.name, site.urls.len())).collect();
        let expected = [("a.org", 2), ("b.org", 1), ("127.0.0.1:81", 1), ("127.0.0.1:82", 1)];
        assert_eq!(found, expected.map(|(name, count)| (name.to_owned(), count)));
        assert_eq!(origins(&listing).len(), 5);
    }
}
