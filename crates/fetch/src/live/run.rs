//! May it be asked, and was it asked before? One hop: address → exchange, asked at most once a run.
//!
//! - [`Run`]: what all requests of a run share.
//!
//! Does not know redirects: [`follow`](crate::follow) brings every hop here, so that each is checked anew.

use super::asking::Asker;
use super::client::{Ask, Purpose, Verb};
use super::gate::Gate;
use super::kept::{Kept, Place};
use super::robots;
use super::settings::LiveSettings;
use super::stats::Counters;
use crate::error::Error;
use crate::exchange::Exchange;
use pagekin_core::page::address::state_changing;
use pagekin_core::pages::{Reason, Skipped};
use rustc_hash::{FxHashMap, FxHashSet};
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
    typed: FxHashSet<String>,
    slots: Mutex<FxHashMap<Url, Arc<Slot>>>,
    kept: Arc<Kept>,
}

/// Locked while the address is being asked; those who want it too wait here.
type Slot = tokio::sync::Mutex<Option<Done>>;

enum Done {
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
        Ok(Self {
            asker: Asker::new(&settings, counters.clone())?,
            gate: Gate::new(token, settings.max_crawl_delay),
            typed: settings.typed.iter().map(|typed| sent(typed).to_owned()).collect(),
            slots: Mutex::default(),
            kept: Arc::default(),
            counters,
            settings,
        })
    }

    pub async fn hop(&self, url: &Url) -> Result<Arc<Exchange>, Skipped> {
        let url = self.admitted(url).await?;
        let slot = self.slot(&url);
        let mut slot = slot.lock().await;
        match &*slot {
            Some(Done::Skipped(skipped)) => return Err(skipped.clone()),
            Some(Done::Exchange { place, in_use }) => {
                if let Some(exchange) = self.again(*place, in_use).await {
                    return Ok(exchange);
                }
            }
            None => {}
        }
        let result = self.asker.ask_changed(&url, self.ask(Verb::Get)).await.map_err(|failure| failure.skipped(&url));
        *slot = self.done(&result).await;
        result
    }

    pub async fn hop_head(&self, url: &Url) -> Result<Arc<Exchange>, Skipped> {
        let url = self.admitted(url).await?;
        self.asker.ask(&url, &self.ask(Verb::Head), None).await.map_err(|failure| failure.skipped(&url))
    }

    fn ask(&self, verb: Verb) -> Ask {
        Ask { verb, headers: Vec::new(), limit: self.settings.max_bytes, purpose: Purpose::Page }
    }

    /// May it be asked at all? Gives the address as it will be sent.
    async fn admitted(&self, url: &Url) -> Result<Url, Skipped> {
        let mut url = url.clone();
        let typed = self.typed.contains(sent(&url));
        if !typed {
            // Names and passwords in links are the site's idea, not the user's.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            if state_changing(&url) {
                return Err(Skipped::new(
                    &url,
                    Reason::StateChanging,
                    "its words say that asking for it does something",
                ));
            }
        }
        if url.as_str().len() > LONGEST_URL {
            let detail = format!("its address is {} bytes long", url.as_str().len());
            return Err(Skipped::new(&url, Reason::OutOfScope, detail));
        }
        self.gate.enter(&self.asker, &url).await?;
        Ok(url)
    }

    fn slot(&self, url: &Url) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.entry(url.clone()).or_default().clone()
    }

    /// Lets the address be asked again, as if it had not been.
    pub fn forget(&self, url: &Url) {
        let mut url = url.clone();
        url.set_fragment(None);
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).remove(&url);
    }

    /// What was fetched before: from whoever still holds it, else from where it was put.
    async fn again(&self, place: Place, in_use: &Weak<Exchange>) -> Option<Arc<Exchange>> {
        if let Some(exchange) = in_use.upgrade() {
            return Some(exchange);
        }
        let kept = self.kept.clone();
        spawn_blocking(move || kept.get(place)).await.ok()?.ok().map(Arc::new)
    }

    /// What to remember of it. Interruptions are not remembered, and what cannot be put away is asked again.
    async fn done(&self, result: &Result<Arc<Exchange>, Skipped>) -> Option<Done> {
        let exchange = match result {
            Ok(exchange) => exchange.clone(),
            Err(skipped) if skipped.reason == Reason::Interrupted => return None,
            Err(skipped) => return Some(Done::Skipped(skipped.clone())),
        };
        self.counters.add(|stats| stats.downloads += 1);
        let (kept, in_use) = (self.kept.clone(), Arc::downgrade(&exchange));
        match spawn_blocking(move || kept.put(&exchange)).await.ok()? {
            Ok(place) => Some(Done::Exchange { place, in_use }),
            Err(error) => {
                tracing::warn!("a page could not be put into a temporary file ({error}); it is asked again if needed");
                None
            }
        }
    }
}

/// The part of an address that is sent: all but the fragment.
fn sent(url: &Url) -> &str {
    &url[..Position::AfterQuery]
}
