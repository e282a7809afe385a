//! Which addresses are the same page, which belong to the site, and which must never be followed.
//!
//! - [`key`]: one spelling for the many a page's address has.
//! - [`Scope`]: same host (`www.` ignored), registrable domain, or path prefix.
//! - [`state_changing`]: addresses whose words say that asking for them does something.

pub use super::state_changing::state_changing;

use serde::{Deserialize, Serialize};
use url::Url;

/// Query parameters that name a visit, not a page.
const SESSION_PARAMETERS: [&str; 9] =
    ["sid", "phpsessid", "jsessionid", "sessionid", "session_id", "aspsessionid", "cfid", "cftoken", "osCsid"];

/// Query parameters that say where a visitor came from.
const TRACKING_PARAMETERS: [&str; 10] =
    ["gclid", "fbclid", "msclkid", "dclid", "yclid", "mc_cid", "mc_eid", "igshid", "_ga", "_gl"];

/// The one spelling under which an address is known: no fragment, user or default port, host in lower case
/// (all by the URL standard), session and tracking parameters dropped, no trailing slash.
///
/// Golden: `HTTP://Example.org:80/a/b/;jsessionid=1F?utm_source=x&id=5&PHPSESSID=abc#top` →
/// `http://example.org/a/b?id=5`.
pub fn key(url: &Url) -> String {
    let mut out = String::with_capacity(url.as_str().len());
    out.push_str(url.scheme());
    out.push_str("://");
    out.push_str(url.host_str().unwrap_or(""));
    if let Some(port) = url.port() {
        out.push(':');
        out.push_str(&port.to_string());
    }
    push_path(&mut out, url);
    push_query(&mut out, url.query());
    out
}

fn push_path(out: &mut String, url: &Url) {
    let path = url.path();
    let Some(at) = find_ignore_case(path, ";jsessionid=") else { return out.push_str(path.trim_end_matches('/')) };
    // What is left may be another path: `/a/%2e` is `/a/`.
    let mut plain = url.clone();
    plain.set_path(&path[..at]);
    out.push_str(plain.path().trim_end_matches('/'));
}

fn push_query(out: &mut String, query: Option<&str>) {
    let mut separator = '?';
    for part in query.unwrap_or("").split('&').filter(|part| !part.is_empty()) {
        let name = part.split('=').next().unwrap_or("");
        if !names_visit(name) {
            out.push(separator);
            out.push_str(part);
            separator = '&';
        }
    }
}

/// Does this query parameter name a visit or where it came from, and no page?
pub fn names_visit(name: &str) -> bool {
    let listed = |list: &[&str]| list.iter().any(|known| name.eq_ignore_ascii_case(known));
    listed(&SESSION_PARAMETERS)
        || listed(&TRACKING_PARAMETERS)
        || name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("utm_"))
}

fn find_ignore_case(text: &str, needle: &str) -> Option<usize> {
    text.as_bytes().windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle.as_bytes()))
}

/// What counts as the site.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    Serialize,
    Deserialize,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ScopeKind {
    /// Same host, `www.` ignored.
    #[default]
    Host,
    /// Same registrable domain (`example.co.uk` and all below it).
    Domain,
    /// Same host, and the path starts with the folder of the start page.
    Prefix,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    kind: ScopeKind,
    host: String,
    port: Option<u16>,
    folder: String,
}

impl Scope {
    pub fn new(kind: ScopeKind, start: &Url) -> Self {
        let path = start.path();
        let folder = path[..=path.rfind('/').unwrap_or(0)].to_owned();
        Self { kind, host: plain_host(start).to_owned(), port: start.port_or_known_default(), folder }
    }

    pub fn contains(&self, url: &Url) -> bool {
        if !matches!(url.scheme(), "http" | "https") {
            return false;
        }
        match self.kind {
            ScopeKind::Host => self.same_host(url),
            ScopeKind::Domain => registrable(plain_host(url)) == registrable(&self.host),
            ScopeKind::Prefix => self.same_host(url) && url.path().starts_with(&self.folder),
        }
    }

    /// A site answers on one port; http and https with their default ports are one site.
    fn same_host(&self, url: &Url) -> bool {
        let default = |port: Option<u16>| matches!(port, Some(80 | 443));
        let port = url.port_or_known_default();
        plain_host(url) == self.host && (port == self.port || default(port) && default(self.port))
    }
}

fn plain_host(url: &Url) -> &str {
    let host = url.host_str().unwrap_or("");
    host.strip_prefix("www.").unwrap_or(host)
}

/// The part of a host's name that one owner registered (`example.co.uk`).
pub fn registrable(host: &str) -> &str {
    psl::domain_str(host).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn key_folds_the_spellings_of_one_address() {
        let golden = url("HTTP://Example.org:80/a/b/;jsessionid=1F?utm_source=x&id=5&PHPSESSID=abc#top");
        assert_eq!(key(&golden), "http://example.org/a/b?id=5");
        assert_eq!(key(&url("http://example.org")), "http://example.org");
        assert_eq!(key(&url("http://example.org/?a=1&&b=2")), "http://example.org?a=1&b=2");
        assert_eq!(key(&url("http://example.org:8080/x/")), "http://example.org:8080/x");
        assert_eq!(key(&url("http://example.org/a/%2e;jsessionid=1")), "http://example.org/a", "its own key");
    }

    #[test]
    fn scope_by_host_domain_and_prefix() {
        let start = url("https://www.example.co.uk/docs/15/a.html");
        let host = Scope::new(ScopeKind::Host, &start);
        assert!(host.contains(&url("http://example.co.uk/x")));
        assert!(!host.contains(&url("https://shop.example.co.uk/")));
        assert!(!host.contains(&url("https://example.co.uk:8443/")));
        assert!(!host.contains(&url("mailto:a@example.co.uk")));
        let domain = Scope::new(ScopeKind::Domain, &start);
        assert!(domain.contains(&url("https://shop.example.co.uk/")));
        assert!(!domain.contains(&url("https://other.co.uk/")));
        let prefix = Scope::new(ScopeKind::Prefix, &start);
        assert!(prefix.contains(&url("https://example.co.uk/docs/15/b.html")));
        assert!(!prefix.contains(&url("https://example.co.uk/docs/14/b.html")));
    }
}
