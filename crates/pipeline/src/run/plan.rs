//! Which samples are one run? Addresses → one [`Planned`] run a site.
//!
//! Samples of one site are taken to be of one kind, unless each is to be a kind of its own.

use super::spec::RunSpec;
use crate::Error;
use pagekin_core::page::address::{Scope, ScopeKind};
use pagekin_fetch::keys;
use pagekin_store::NewRun;
use serde::Serialize;
use std::collections::BTreeMap;
use url::Url;

/// One run that samples ask for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Planned {
    /// Its site.
    pub site: String,
    /// Sorted, each once.
    pub samples: Vec<Url>,
}

/// Sorted by site. `each`: every sample is a kind of its own.
pub fn plan(samples: &[Url], each: bool) -> Vec<Planned> {
    let mut sites: BTreeMap<(String, String), Vec<Url>> = BTreeMap::new();
    for sample in samples {
        // A queue holds no password.
        let mut sample = keys::take(sample.clone());
        sample.set_fragment(None);
        let own = if each { sample.to_string() } else { String::new() };
        sites.entry((site_name(&sample), own)).or_default().push(sample);
    }
    let planned = |((site, _), mut samples): ((String, String), Vec<Url>)| {
        samples.sort();
        samples.dedup();
        Planned { site, samples }
    };
    sites.into_iter().map(planned).collect()
}

impl Planned {
    /// The run as a queue takes it.
    pub fn new_run(&self, spec: &RunSpec, batch: Option<&str>) -> Result<NewRun, Error> {
        Ok(NewRun {
            site: self.site.clone(),
            url: origin(&self.samples[0]),
            samples: self.samples.clone(),
            settings: spec.json()?,
            batch: batch.map(str::to_owned),
            private: spec.source.allow_private,
        })
    }
}

/// Host without `www.`, with the port where it is not the usual one.
pub fn site_name(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host).to_owned();
    url.port().map_or(host.clone(), |port| format!("{host}:{port}"))
}

pub(super) fn origin(url: &Url) -> Url {
    let mut origin = url.clone();
    origin.set_path("/");
    origin.set_query(None);
    origin.set_fragment(None);
    origin
}

/// What to call the class: the first word in the sample's path that nearly all of its pages share.
pub(super) fn class_name(sample: &Url, entities: &[&Url]) -> String {
    const SHARED: f64 = 0.9;
    let words = |url: &Url| -> Vec<String> {
        url.path().split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect()
    };
    let telling =
        |word: &String| word.len() > 2 && word.chars().any(char::is_alphabetic) && !GENERAL.contains(&word.as_str());
    let shared = |word: &String| {
        let with = entities.iter().filter(|url| words(url).contains(word)).count();
        with as f64 >= entities.len() as f64 * SHARED
    };
    let scope = Scope::new(ScopeKind::Host, sample);
    let own = words(sample).into_iter().filter(telling);
    own.filter(|_| scope.contains(sample)).find(shared).unwrap_or_else(|| "pages".to_owned())
}

/// Words of addresses that say how a page is made, not what it is about.
const GENERAL: [&str; 14] =
    ["html", "htm", "php", "asp", "aspx", "jsp", "index", "cgi", "bin", "www", "the", "shtml", "default", "view"];

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(texts: &[&str]) -> Vec<Url> {
        texts.iter().map(|text| Url::parse(text).unwrap()).collect()
    }

    #[test]
    fn samples_of_a_site_are_one_run() {
        let samples =
            urls(&["http://b.org/2", "http://www.a.org/1#x", "http://a.org/1", "http://b.org:81/", "http://b.org/2"]);
        let planned: Vec<(String, usize)> =
            plan(&samples, false).into_iter().map(|run| (run.site, run.samples.len())).collect();
        let expected = [("a.org", 2), ("b.org", 1), ("b.org:81", 1)];
        assert_eq!(planned, expected.map(|(site, count)| (site.to_owned(), count)));
        assert_eq!(plan(&samples, true).len(), 4);
    }

    #[test]
    fn classes_are_named_after_what_their_addresses_share() {
        let pages = urls(&["http://s/en/drivers/2015/driver_02.htm", "http://s/en/drivers/2014/driver_7.htm"]);
        assert_eq!(class_name(&pages[0], &pages.iter().collect::<Vec<_>>()), "drivers");
        let bare = urls(&["http://s/?id=5", "http://s/?id=6"]);
        assert_eq!(class_name(&bare[0], &bare.iter().collect::<Vec<_>>()), "pages");
    }
}
