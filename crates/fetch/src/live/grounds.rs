//! Is this address on the user's site? Start addresses → the hosts that may be asked; everybody else is a third party.
//!
//! - [`Grounds`]: hosts with their ports, or registrable domains.
//!
//! Looked at for every hop before it is asked, so that no link, redirect or sitemap of a site can make us ask strangers.

use pagekin_core::page::address::{ScopeKind, registrable};
use rustc_hash::FxHashSet;
use url::Url;

/// Without a start address everything is on it.
#[derive(Debug, Clone, Default)]
pub struct Grounds {
    domains: bool,
    known: FxHashSet<String>,
}

impl Grounds {
    /// A scope by prefix is one of hosts here: robots.txt and sitemaps stand above every folder.
    pub fn new(kind: ScopeKind, starts: &[Url]) -> Self {
        let domains = kind == ScopeKind::Domain;
        Self { domains, known: starts.iter().map(|start| place(start, domains)).collect() }
    }

    pub fn contains(&self, url: &Url) -> bool {
        self.known.is_empty() || self.known.contains(&place(url, self.domains))
    }
}

/// A site on a default port may send its visitors from http to https: that is the same place.
fn place(url: &Url, domains: bool) -> String {
    let host = url.host_str().unwrap_or("");
    let host = host.strip_prefix("www.").unwrap_or(host);
    match url.port_or_known_default() {
        _ if domains => registrable(host).to_owned(),
        Some(port) if !matches!(port, 80 | 443) => format!("{host}:{port}"),
        _ => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_its_hosts_or_its_domain() {
        let url = |text: &str| Url::parse(text).unwrap();
        let starts = [url("http://www.a.org/x"), url("http://127.0.0.1:81/")];
        let hosts = Grounds::new(ScopeKind::Prefix, &starts);
        for (text, expected) in [
            ("https://a.org/", true),
            ("http://127.0.0.1:81/y", true),
            ("http://127.0.0.1:82/y", false),
            ("http://shop.a.org/", false),
            ("http://a.org:81/", false),
        ] {
            assert_eq!(hosts.contains(&url(text)), expected, "{text}");
        }
        let domains = Grounds::new(ScopeKind::Domain, &starts);
        assert!(domains.contains(&url("http://shop.a.org/")) && !domains.contains(&url("http://b.org/")));
        assert!(Grounds::default().contains(&url("http://b.org/")));
    }
}
