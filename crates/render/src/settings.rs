//! Which browser, and how far it may go. Every default with its reason.

use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Settings {
    /// None looks where systems keep it.
    pub program: Option<PathBuf>,
    /// Start it without its sandbox: for root, and where the system forbids it.
    pub no_sandbox: bool,
    pub user_agent: String,
    /// Pages open at the same time. 4: as many requests as the fetcher has under way at one host.
    pub tabs: usize,
    /// Pages after which a new process takes over, so that leaks of a browser stay small. Set by hand.
    pub pages: u64,
    /// Memory of all its processes that is theirs alone. 1.5 GiB: set by hand, not measured.
    pub memory: u64,
    /// Time that scripts of a page may take, not counting what they wait for answers. 10 s: a visitor has gone by then.
    pub scripts: Duration,
    /// Longest time for a page with all its requests, at whatever pace.
    pub longest: Duration,
    /// How long a document must not change to be taken as complete. 300 ms: longer than timers that show a page in steps.
    pub quiet: Duration,
    /// Requests of one page; further ones fail. 200: set by hand.
    pub requests: usize,
    /// Times that a page is scrolled or asked for more.
    pub more: usize,
    /// Largest document.
    pub max_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            program: None,
            no_sandbox: false,
            user_agent: concat!("pagekin/", env!("CARGO_PKG_VERSION")).to_owned(),
            tabs: 4,
            pages: 200,
            memory: 1536 << 20,
            scripts: Duration::from_secs(10),
            longest: Duration::from_secs(180),
            quiet: Duration::from_millis(300),
            requests: 200,
            more: 20,
            max_bytes: 16 << 20,
        }
    }
}
