//! May it be asked, and was it asked before? One hop: address → exchange, asked at most once a run.
//!
//! - [`Run`]: what all requests of a run share.
//!
//! Does not know redirects: [`follow`](crate::follow) brings every hop here, so that each is checked anew.

use super::asking::Asker;
use super::ceiling::Ceiling;
use super::client::{Ask, Purpose, Verb};
use super::gate::Gate;
use super::grounds::Grounds;
use super::response_cache::{Place, ResponseCache};
use super::robots;
use super::settings::LiveSettings;
use super::stats::Counters;
use crate::error::Error;
use crate::exchange::Exchange;
use crate::keys;
use crate::sniff;
use crate::wishes::Wishes;
use http::header::{ACCEPT, HeaderValue};
use pagekin_core::page::address::state_changing;
use pagekin_core::pages::{Reason, Skipped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::task::spawn_blocking;
use url::{Position, Url};

/// Longest address asked. Servers need accept no more than 8,000 bytes (RFC 9110, 4.1), and matching endless ones
/// against endless rules takes endless time.
const LONGEST_URL: usize = 8192;

pub struct Run {
    pub settings: LiveSettings,
    pub asker: Asker,
    pub gate: Gate,
    pub counters: Arc<Counters>,
    pub ceiling: Arc<Ceiling>,
    pub wishes: Wishes,
    grounds: Grounds,
    typed: FxHashSet<String>,
    slots: Mutex<FxHashMap<(Purpose, Url), Arc<Slot>>>,
    kept: Arc<ResponseCache>,
    held: AtomicUsize,
}

/// Locked while the address is being asked; those who want it too wait here.
type Slot = tokio::sync::Mutex<Option<Done>>;

/// Bytes of exchanges that stay in memory where they cannot be put away; beyond it they are asked for again when wanted.
const HELD: usize = 256 << 20;

enum Done {
    Held(Arc<Exchange>),
    Exchange { place: Place, in_use: Weak<Exchange> },
    Skipped(Skipped),
}

impl Run {
    pub fn new(settings: LiveSettings) -> Result<Self, Error> {
        let token = robots::product_token(&settings.user_agent);
        if token.is_empty() {
            let value = settings.user_agent.clone();
            return Err(Error::UserAgent { value, reason: "it does not begin with a name for robots.txt" });
        }
        let counters = Arc::new(Counters::default());
        let ceiling = Arc::new(Ceiling::new(settings.ceilings, counters.clone()));
        let grounds = Grounds::new(settings.scope, &settings.sites);
        Ok(Self {
            asker: Asker::new(&settings, counters.clone(), ceiling.clone())?,
            gate: Gate::new(token, settings.max_crawl_delay, grounds.clone()),
            typed: settings.typed.iter().map(|typed| sent(typed).to_owned()).collect(),
            grounds,
            slots: Mutex::default(),
            kept: Arc::default(),
            held: AtomicUsize::new(0),
            wishes: Wishes::default(),
            counters,
            ceiling,
            settings,
        })
    }

    /// `asked`: the address that led here.
    pub async fn hop(&self, asked: &Url, url: &Url) -> Result<Arc<Exchange>, Skipped> {
        let url = self.admitted(asked, url, Purpose::Page).await?;
        self.once(url, self.ask(Verb::Get)).await
    }

    /// What the scripts of a page ask for. `accept`: the forms they take.
    pub async fn hop_part(&self, url: &Url, accept: HeaderValue) -> Result<Arc<Exchange>, Skipped> {
        let url = self.admitted(url, url, Purpose::Part).await?;
        let ask = Ask { headers: vec![(ACCEPT, accept)], purpose: Purpose::Part, ..self.ask(Verb::Get) };
        self.once(url, ask).await
    }

    /// Asks once a run, however often it is wanted.
    async fn once(&self, url: Url, ask: Ask) -> Result<Arc<Exchange>, Skipped> {
        let slot = self.slot(&url, ask.purpose);
        let mut slot = slot.lock().await;
        match &*slot {
            Some(Done::Skipped(skipped)) => return Err(skipped.clone()),
            Some(Done::Held(exchange)) => return Ok(exchange.clone()),
            Some(Done::Exchange { place, in_use }) => {
                if let Some(exchange) = self.again(*place, in_use).await {
                    return Ok(exchange);
                }
            }
            None => {}
        }
        let result = self.asker.ask_changed(&url, ask).await.map_err(|failure| failure.skipped(&url));
        *slot = self.done(&result).await;
        result
    }

    pub async fn hop_head(&self, asked: &Url, url: &Url) -> Result<Arc<Exchange>, Skipped> {
        let url = self.admitted(asked, url, Purpose::Page).await?;
        self.asker.ask(&url, &self.ask(Verb::Head), None).await.map_err(|failure| failure.skipped(&url))
    }

    fn ask(&self, verb: Verb) -> Ask {
        Ask { verb, headers: Vec::new(), limit: self.settings.max_bytes, purpose: Purpose::Page }
    }

    /// May it be asked at all? Gives the address as it will be sent.
    async fn admitted(&self, asked: &Url, url: &Url, purpose: Purpose) -> Result<Url, Skipped> {
        // Names and passwords in links are the site's idea; the user's are known by their host.
        let url = keys::stripped(url.clone());
        let typed = self.typed.contains(sent(&url));
        self.on_grounds(asked, &url)?;
        if !typed {
            if state_changing(&url) {
                return Err(Skipped::new(
                    &url,
                    Reason::StateChanging,
                    "its words say that asking for it does something",
                ));
            }
            if let Some(ending) = sniff::by_name(&url).filter(|_| purpose == Purpose::Page) {
                return Err(Skipped::new(&url, Reason::NotHtml, format!("its name ends in `.{ending}`")));
            }
        }
        if url.as_str().len() > LONGEST_URL {
            let detail = format!("its address is {} bytes long", url.as_str().len());
            return Err(Skipped::new(&url, Reason::OutOfScope, detail));
        }
        self.gate.enter(&self.asker, &url).await?;
        Ok(url)
    }

    /// Only what the user typed may lead elsewhere: a site that moved is found, and a site cannot send us to others.
    fn on_grounds(&self, asked: &Url, url: &Url) -> Result<(), Skipped> {
        if self.grounds.contains(url) || self.typed.contains(sent(asked)) {
            return Ok(());
        }
        Err(Skipped::new(url, Reason::OutOfScope, "it is of another site, which is not asked"))
    }

    fn slot(&self, url: &Url, purpose: Purpose) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.entry((purpose, url.clone())).or_default().clone()
    }

    /// Lets the address be asked again, as if it had not been.
    pub fn forget(&self, url: &Url) {
        let mut url = keys::stripped(url.clone());
        url.set_fragment(None);
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).remove(&(Purpose::Page, url));
    }

    /// What was fetched before: from whoever still holds it, else from where it was put.
    async fn again(&self, place: Place, in_use: &Weak<Exchange>) -> Option<Arc<Exchange>> {
        if let Some(exchange) = in_use.upgrade() {
            return Some(exchange);
        }
        let kept = self.kept.clone();
        spawn_blocking(move || kept.get(place)).await.ok()?.ok().map(Arc::new)
    }

    /// What to remember of it. Interruptions and a spent budget are not remembered, and what cannot be put away is asked again.
    async fn done(&self, result: &Result<Arc<Exchange>, Skipped>) -> Option<Done> {
        let exchange = match result {
            Ok(exchange) => exchange.clone(),
            Err(skipped) if matches!(skipped.reason, Reason::Interrupted | Reason::Budget) => return None,
            Err(skipped) => return Some(Done::Skipped(skipped.clone())),
        };
        self.counters.add(|stats| stats.downloads += 1);
        let (kept, in_use) = (self.kept.clone(), Arc::downgrade(&exchange));
        let copies = 1 + u64::from(self.settings.recorder.is_some());
        self.ceiling.count_disk(exchange.body.len() as u64 * copies);
        let put = exchange.clone();
        match spawn_blocking(move || kept.put(&put)).await.ok()? {
            Ok(place) => Some(Done::Exchange { place, in_use }),
            Err(error) => {
                let held = self.held.fetch_add(exchange.body.len(), Ordering::Relaxed);
                if held == 0 {
                    tracing::warn!("pages cannot be put into a temporary file ({error}); they are kept in memory");
                }
                (held < HELD).then_some(Done::Held(exchange))
            }
        }
    }
}

/// The part of an address that is sent: all but the fragment.
fn sent(url: &Url) -> &str {
    &url[..Position::AfterQuery]
}
