//! Does the host's robots.txt let us in? Address → open, or the reason why not.
//!
//! - [`Gate`]: the rules of every host asked so far, fetched once a run for each scheme, host and port.
//!
//! Follows RFC 9309, 2.3.1: a missing file allows everything, one that cannot be read forbids everything.

use super::asking::Asker;
use super::client::{Ask, Failure, Purpose, Verb};
use super::grounds::Grounds;
use super::robots::{self, Rules};
use crate::codec;
use crate::exchange::Exchange;
use crate::follow::redirect;
use http::header::{ACCEPT_ENCODING, HeaderValue};
use pagekin_core::pages::{Reason, Skipped};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use url::Url;

/// Redirects of robots.txt that are followed (2.3.1.2).
const REDIRECTS: usize = 5;

/// A packed robots.txt may unfold to this; the rules in it end at [`robots::SIZE`].
const UNPACKED: usize = 8 << 20;

/// The rules, or why the host is closed.
type Verdict = Result<Rules, (Reason, String)>;

pub struct Gate {
    token: String,
    max_delay: Duration,
    grounds: Grounds,
    hosts: Mutex<FxHashMap<String, Arc<OnceCell<Verdict>>>>,
}

impl Gate {
    pub fn new(token: &str, max_delay: Duration, grounds: Grounds) -> Self {
        Self { token: token.to_owned(), max_delay, grounds, hosts: Mutex::default() }
    }

    pub async fn enter(&self, asker: &Asker, url: &Url) -> Result<(), Skipped> {
        let cell = self.cell(url);
        let known = cell.get_or_try_init(|| self.load(asker, url)).await;
        match known.map_err(|passing| Skipped::new(url, passing.0, passing.1))? {
            Err((reason, detail)) => Err(Skipped::new(url, *reason, detail.clone())),
            Ok(rules) => match rules.forbidding(url) {
                Some(rule) => Err(Skipped::new(url, Reason::Robots, format!("by the rule `{rule}`"))),
                None => Ok(()),
            },
        }
    }

    fn cell(&self, url: &Url) -> Arc<OnceCell<Verdict>> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.entry(url.origin().ascii_serialization()).or_default().clone()
    }

    /// An error is not remembered: the file was not asked for, and may be when the budget is raised.
    async fn load(&self, asker: &Asker, url: &Url) -> Result<Verdict, (Reason, String)> {
        let rules = match self.fetch(asker, url).await {
            Ok(rules) => rules,
            Err((reason @ (Reason::Budget | Reason::Interrupted), detail)) => return Err((reason, detail)),
            Err(closed) => return Ok(Err(closed)),
        };
        if let Some(asked) = rules.crawl_delay() {
            let (host, delay) = (url.host_str().unwrap_or(""), asked.min(self.max_delay));
            if delay < asked {
                tracing::warn!("robots.txt of `{host}` asks for {asked:?} between requests; waiting {delay:?}");
            }
            asker.pace.ask_gap(host, delay);
        }
        Ok(Ok(rules))
    }

    async fn fetch(&self, asker: &Asker, url: &Url) -> Verdict {
        let mut at = robots_of(url);
        for _ in 0..=REDIRECTS {
            let exchange = asker.ask(&at, &ask(), None).await.map_err(|failure| closed(&at, failure))?;
            at = match redirect(&exchange, &at) {
                Some(Ok(next)) if self.may_be_asked(url, &next) => next,
                Some(_) => return Ok(Rules::allow_all()),
                None => return self.read(&at, &exchange),
            };
        }
        // "Crawlers MAY assume that the robots.txt file is unavailable" (2.3.1.2).
        Ok(Rules::allow_all())
    }

    /// A file that is at a stranger's counts as missing: nobody but the site is asked, for rules neither.
    fn may_be_asked(&self, url: &Url, next: &Url) -> bool {
        let own = self.grounds.contains(next) || next.host_str() == url.host_str() && next.port() == url.port();
        matches!(next.scheme(), "http" | "https") && own
    }

    fn read(&self, at: &Url, exchange: &Exchange) -> Verdict {
        match exchange.status {
            200..=299 => match codec::decode(exchange.header("content-encoding"), &exchange.body, UNPACKED) {
                Ok(file) => Ok(Rules::parse(&file, &self.token)),
                Err(error) => Err(unread(at, &error.to_string())),
            },
            // Too many requests: the one client error that is about us and not about the file.
            status @ (429 | 500..) => Err(unread(at, &format!("status {status}"))),
            _ => Ok(Rules::allow_all()),
        }
    }
}

fn robots_of(url: &Url) -> Url {
    let mut at = url.clone();
    at.set_path("/robots.txt");
    at.set_query(None);
    at.set_fragment(None);
    at
}

/// Not packed, so that reading can end at the limit.
fn ask() -> Ask {
    let headers = vec![(ACCEPT_ENCODING, HeaderValue::from_static("identity"))];
    Ask { verb: Verb::Get, headers, limit: robots::SIZE, purpose: Purpose::Robots }
}

fn closed(at: &Url, failure: Failure) -> (Reason, String) {
    if let Failure::NoSuchName(detail) = failure {
        return (Reason::Network, detail);
    }
    match failure.skipped(at) {
        Skipped {
            reason: reason @ (Reason::PrivateAddress | Reason::Interrupted | Reason::Budget), detail, ..
        } => (reason, detail),
        Skipped { detail, .. } => unread(at, &detail),
    }
}

fn unread(at: &Url, detail: &str) -> (Reason, String) {
    (Reason::Robots, format!("`{at}` could not be read ({detail}), so nothing may be asked"))
}
