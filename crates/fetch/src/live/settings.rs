//! How politely, how far, and as whom the live fetcher asks. Every default with its reason.

use super::address::is_at_home;
use super::ceiling::Ceilings;
use super::pace::Gaps;
use super::stop::Stop;
use crate::exchange::{Known, Recorder, Turns};
use crate::follow::Limits;
use crate::keys;
use pagekin_core::page::address::ScopeKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Says who asks and where to read about it, as webmasters expect of a crawler.
pub const USER_AGENT: &str = concat!("pagekin/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")");

#[derive(Clone)]
pub struct LiveSettings {
    /// Its first word, up to the slash, is the name looked for in robots.txt.
    pub user_agent: String,
    /// Requests under way at one host. 4: below the six connections a browser opens, so that a run weighs less
    /// than one visitor.
    pub concurrency: usize,
    /// Least time between the answer to one request and the next request to a host, beyond what robots.txt asks for. None: one
    /// second, or as long as the host takes to answer, and nothing on this machine ([`super::pace`]).
    pub delay: Option<Duration>,
    /// A longer `Crawl-delay` counts as this, with a warning. 30 s: at that pace 1,000 pages already take a working
    /// day.
    pub max_crawl_delay: Duration,
    /// 10 s: three lost SYN packets and their repetitions (1 + 2 + 4 s) fit.
    pub connect_timeout: Duration,
    /// Longest silence while an answer comes. 20 s: longer than a visitor would wait, a third of the whole.
    pub read_timeout: Duration,
    /// Longest time for one request, however steadily it drips. 60 s: 16 MiB at 270 kB/s.
    pub timeout: Duration,
    /// Largest body as sent. 16 MiB, as [`Limits::decoded`].
    pub max_bytes: usize,
    pub limits: Limits,
    /// Further tries after a network error, 429 or 5xx. 3: with the pauses below they span about four seconds,
    /// enough for a restarting server.
    pub retries: u32,
    /// The pause before the first further try; doubled each time, times 0.5 to 1.5.
    pub retry_pause: Duration,
    /// A longer `Retry-After` counts as this. 60 s: one page must not hold up a run for an hour.
    pub max_retry_after: Duration,
    /// Where the jitter of the pauses comes from: same seed, same pauses.
    pub seed: u64,
    /// Ask private, loopback and link-local addresses too.
    pub allow_private: bool,
    /// `host:port` of start addresses that are private by what they are called: the user named that very place. Other
    /// names may be private only where `allow_private` says so, or their owner could point them into the user's network.
    pub own_hosts: Vec<String>,
    /// The user's sites: everybody else is never asked. None leaves every host open.
    pub sites: Vec<Url>,
    /// How far a site goes beyond its host.
    pub scope: ScopeKind,
    /// What the run may take in all.
    pub ceilings: Ceilings,
    /// Read the links of pages that ask that they are not followed.
    pub ignore_nofollow: bool,
    /// Addresses the user typed: asked even when they look state-changing.
    pub typed: Vec<Url>,
    /// Hosts whose address the user gives, in place of the name server. A port there counts where the URL has none.
    pub resolve: Vec<(String, SocketAddr)>,
    /// What an earlier run got, for conditional requests.
    pub known: Option<Arc<dyn Known>>,
    /// Who keeps the exchanges.
    pub recorder: Option<Arc<dyn Recorder>>,
    /// The pace kept together with other programs, beside our own.
    pub turns: Option<Arc<dyn Turns>>,
    /// Set it to end the run: what is unanswered comes back as interrupted.
    pub stop: Stop,
}

impl Default for LiveSettings {
    fn default() -> Self {
        Self {
            user_agent: USER_AGENT.to_owned(),
            concurrency: 4,
            delay: None,
            max_crawl_delay: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_secs(20),
            timeout: Duration::from_secs(60),
            max_bytes: 16 << 20,
            limits: Limits::default(),
            retries: 3,
            retry_pause: Duration::from_millis(500),
            max_retry_after: Duration::from_secs(60),
            seed: 0,
            allow_private: false,
            own_hosts: Vec::new(),
            sites: Vec::new(),
            scope: ScopeKind::default(),
            ceilings: Ceilings::default(),
            ignore_nofollow: false,
            typed: Vec::new(),
            resolve: Vec::new(),
            known: None,
            recorder: None,
            turns: None,
            stop: Stop::default(),
        }
    }
}

impl LiveSettings {
    pub(super) fn gaps(&self) -> Gaps {
        let at_home = self.resolve.iter().filter(|(_, address)| address.ip().is_loopback());
        Gaps { delay: self.delay, at_home: at_home.map(|(host, _)| host.clone()).collect() }
    }

    /// The defaults for a run that starts at these addresses: the user typed them, and their hosts are the user's
    /// own choice.
    pub fn starting_at(typed: &[Url]) -> Self {
        let mut own_hosts: Vec<String> = typed.iter().filter(|url| is_at_home(url)).flat_map(own_hosts_of).collect();
        own_hosts.sort_unstable();
        own_hosts.dedup();
        // The one place through which all live sites are opened: a password ends here.
        let typed = keys::taken(typed);
        Self { sites: typed.clone(), typed, own_hosts, ..Self::default() }
    }
}

/// A site on a default port may send its visitors from http to https: that is the same host.
fn own_hosts_of(url: &Url) -> Vec<String> {
    match (url.host_str(), url.port_or_known_default()) {
        (Some(host), Some(80 | 443)) => vec![format!("{host}:80"), format!("{host}:443")],
        (Some(host), Some(port)) => vec![format!("{host}:{port}")],
        _ => Vec::new(),
    }
}
