//! Which sites might hold what is looked for? Queries, a search service, a domain file → sites with data-intensive pages.
//!
//! ```text
//! queries ─► service (JSON) ─► addresses by host ─► some pages of each ─► is one data-intensive for the domain? ─► sites
//! ```
//!
//! - [`Engine`]: the service, as a file describes it. - [`FoundSite`]: a site that was kept, with the page that shows why.
//! - [`find_sites`]: all of it. - [`Search`]: what is looked for.
//!
//! A page is data-intensive if DE-SSE finds a data-rich region in it (section 2 of that paper).

use crate::{Error, Source};
use pagekin_core::extract::{Domain, sse};
use pagekin_core::page;
use pagekin_core::pages::{Answer, Pages, RawPage};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// Pages of a site that are looked at: when three results are no data-intensive pages, the site has hardly any.
const PAGES_OF_A_SITE: usize = 3;

/// Sites looked at side by side.
const SITES_AT_ONCE: usize = 16;

/// Most pages of results that are asked for a query.
const MOST_PAGES: usize = 50;

/// A search service.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Its address, with `{query}` and perhaps `{page}` in it.
    pub url: String,
    /// JSON pointer to the list of results.
    #[serde(default = "results")]
    pub results: String,
    /// JSON pointer to the address in a result.
    #[serde(default = "address")]
    pub address: String,
    /// Pages of results that are asked for.
    #[serde(default = "one")]
    pub pages: usize,
    /// Number of the first page, and what is added for the next.
    #[serde(default = "one")]
    pub first_page: usize,
    /// How much the number of a page of results grows from page to page.
    #[serde(default = "one")]
    pub page_step: usize,
    /// Values may be `env:NAME`, so that no key stands in the file.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

fn results() -> String {
    "/results".to_owned()
}

fn address() -> String {
    "/url".to_owned()
}

fn one() -> usize {
    1
}

impl Engine {
    /// `environment`: what a variable holds.
    pub fn parse(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let told = |reason: String| Error::Engine { reason };
        let mut engine: Self = toml::from_str(text).map_err(|error| told(error.to_string().trim_end().to_owned()))?;
        if !engine.url.contains("{query}") {
            return Err(told("`url` has no `{query}` in it".to_owned()));
        }
        if engine.pages == 0 || engine.pages > MOST_PAGES {
            return Err(told(format!("`pages` is not between 1 and {MOST_PAGES}")));
        }
        if engine.pages > 1 && !engine.url.contains("{page}") {
            return Err(told("`pages` is above 1, but `url` has no `{page}` in it".to_owned()));
        }
        for (key, pointer) in [("results", &engine.results), ("address", &engine.address)] {
            if !pointer.is_empty() && !pointer.starts_with('/') {
                return Err(told(format!("`{key}` is no JSON pointer: it begins with a slash, such as `/url`")));
            }
        }
        for value in engine.headers.values_mut() {
            if let Some(name) = value.strip_prefix("env:") {
                *value = environment(name).ok_or_else(|| told(format!("the variable `{name}` is not set")))?;
            }
        }
        engine.page_url("x", 0)?;
        Ok(engine)
    }

    fn page_url(&self, query: &str, page: usize) -> Result<Url, Error> {
        let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let number = (self.first_page + page * self.page_step).to_string();
        let text = self.url.replace("{query}", &query).replace("{page}", &number);
        let url = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        url.ok_or_else(|| Error::Engine { reason: format!("`{}` is no http address", self.url) })
    }

    /// Addresses in the order of the results.
    async fn asked(&self, query: &str) -> Result<Vec<Url>, Error> {
        let headers: Vec<(String, String)> =
            self.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut found = Vec::new();
        for page in 0..self.pages {
            let answer = pagekin_fetch::ask::json(&self.page_url(query, page)?, &headers).await?;
            let list = answer.pointer(&self.results).and_then(|list| list.as_array());
            let list =
                list.ok_or_else(|| Error::Engine { reason: format!("the answer has no list at `{}`", self.results) })?;
            let before = found.len();
            found.extend(list.iter().filter_map(|result| result.pointer(&self.address)?.as_str()?.parse::<Url>().ok()));
            if found.len() == before {
                break;
            }
        }
        Ok(found)
    }
}

/// A site that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundSite {
    /// The host.
    pub host: String,
    /// The page that is data-intensive: a sample for `discover` and `run`.
    pub url: Url,
    /// The query that led to it.
    pub query: String,
    /// Of the domain file, on that page.
    pub attributes: Vec<String>,
}

/// A search for sites.
pub struct Search<'s> {
    /// Who is asked.
    pub engine: &'s Engine,
    /// What is asked for.
    pub queries: &'s [String],
    /// What pages of such sites say.
    pub domain: &'s Domain,
}

/// Sites kept, by host, and how many were looked at.
pub async fn find_sites(search: &Search<'_>, source: &Source) -> Result<(Vec<FoundSite>, usize), Error> {
    let mut hosts: BTreeMap<String, Vec<(Url, String)>> = BTreeMap::new();
    for query in search.queries {
        for url in search.engine.asked(query).await?.into_iter().filter(|url| matches!(url.scheme(), "http" | "https"))
        {
            let pages = hosts.entry(url.host_str().unwrap_or("").to_owned()).or_default();
            if pages.len() < PAGES_OF_A_SITE && pages.iter().all(|(known, _)| *known != url) {
                pages.push((url, query.clone()));
            }
        }
    }
    let looked_at = hosts.len();
    let hosts: Vec<(String, Vec<(Url, String)>)> = hosts.into_iter().collect();
    let mut kept = Vec::new();
    for some in hosts.chunks(SITES_AT_ONCE) {
        let urls: Vec<Url> = some.iter().flat_map(|(_, pages)| pages.iter().map(|(url, _)| url.clone())).collect();
        let mut answers = source.get(&urls).await.into_iter();
        source.take_failure().map_or(Ok(()), Err)?;
        for (host, pages) in some {
            let answers: Vec<Answer> = answers.by_ref().take(pages.len()).collect();
            kept.extend(site(host, pages, answers, search.domain));
        }
    }
    Ok((kept, looked_at))
}

/// By the first page that is data-intensive.
fn site(host: &str, pages: &[(Url, String)], answers: Vec<Answer>, domain: &Domain) -> Option<FoundSite> {
    pages.iter().zip(answers).find_map(|((_, query), answer)| {
        let Answer::Page(page) = answer else { return None };
        let attributes = data_intensive(&page, domain)?;
        Some(FoundSite { host: host.to_owned(), url: page.url, query: query.clone(), attributes })
    })
}

/// The attributes of its records; none when there is no data-rich region.
fn data_intensive(page: &RawPage, domain: &Domain) -> Option<Vec<String>> {
    let document = page::read(page, &Default::default()).ok().filter(|_| page.is_success())?;
    let found = sse::extract(&document, domain, sse::Settings::default());
    let roles: BTreeSet<String> =
        found.records.iter().flat_map(|record| record.pairs.iter().map(|pair| pair.role.clone())).collect();
    (!found.records.is_empty()).then(|| roles.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Engine, Error> {
        Engine::parse(text, &|name| (name == "KEY").then(|| "secret".to_owned()))
    }

    #[test]
    fn a_description_is_read() {
        let engine = parsed(
            "url = 'http://s/search?q={query}&p={page}'\npages = 2\npage_step = 10\nfirst_page = 0\n[headers]\nx-key = 'env:KEY'\n",
        );
        let engine = engine.unwrap();
        assert_eq!(engine.page_url("a b&c", 1).unwrap().as_str(), "http://s/search?q=a+b%26c&p=10");
        assert_eq!((engine.headers["x-key"].as_str(), engine.results.as_str()), ("secret", "/results"));
    }

    #[test]
    fn what_cannot_work_is_told() {
        for (text, word) in [
            ("url = 'http://s/'", "{query}"),
            ("url = 'ftp://s/{query}'", "http"),
            ("url = 'http://s/{query}'\npages = 3", "{page}"),
            ("url = 'http://s/{query}'\nresults = 'list'", "pointer"),
            ("url = 'http://s/{query}'\nkey = 1", "key"),
            ("url = 'http://s/{query}'\n[headers]\na = 'env:NO_SUCH'", "NO_SUCH"),
        ] {
            assert!(parsed(text).unwrap_err().to_string().contains(word), "{text}");
        }
    }
}
