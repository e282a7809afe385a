//! What does the server finally answer, asked at its pace and again when it stumbles? Ask → final exchange.
//!
//! - [`Asker`]: pace, tries, conditional requests and recording around the [`Client`].
//!
//! Does not know robots.txt, redirects, or what was asked before.

use super::ceiling::Ceiling;
use super::client::{Ask, Client, Failure, Verb};
use super::pace::{Load, Pace};
use super::retry::{self, Pauses};
use super::settings::LiveSettings;
use super::stats::Counters;
use crate::error::Error;
use crate::exchange::{Drawn, Exchange, Known, Recorder, Turns};
use http::header::{HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use jiff::Timestamp;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::{JoinError, spawn_blocking};
use url::Url;

use super::stop::Stop;

pub struct Asker {
    client: Client,
    pub pace: Pace,
    pauses: Pauses,
    retries: u32,
    max_retry_after: Duration,
    known: Option<Arc<dyn Known>>,
    recorder: Option<Arc<dyn Recorder>>,
    turns: Option<Arc<dyn Turns>>,
    counters: Arc<Counters>,
    stop: Stop,
    broken: Mutex<Option<Error>>,
}

impl Asker {
    pub fn new(settings: &LiveSettings, counters: Arc<Counters>, ceiling: Arc<Ceiling>) -> Result<Self, Error> {
        Ok(Self {
            client: Client::new(settings, counters.clone(), ceiling)?,
            pace: Pace::new(settings.concurrency, settings.gaps()),
            pauses: Pauses { first: settings.retry_pause, seed: settings.seed },
            retries: settings.retries,
            max_retry_after: settings.max_retry_after,
            known: settings.known.clone(),
            recorder: settings.recorder.clone(),
            turns: settings.turns.clone(),
            counters,
            stop: settings.stop.clone(),
            broken: Mutex::default(),
        })
    }

    /// Asks on condition that it changed since the earlier run; if not, the earlier answer is the answer.
    pub async fn ask_changed(&self, url: &Url, mut ask: Ask) -> Result<Arc<Exchange>, Failure> {
        let known = self.known(url).await;
        if let Some(known) = &known {
            ask.headers.extend(conditions(known));
        }
        self.ask(url, &ask, known.as_ref()).await
    }

    /// Asks until the answer is not a passing trouble, or the tries are used up: then the trouble is the answer.
    pub async fn ask(&self, url: &Url, ask: &Ask, known: Option<&Exchange>) -> Result<Arc<Exchange>, Failure> {
        let mut tries = 0;
        loop {
            let pause = match self.once(url, ask, known, tries).await {
                Ok((exchange, None)) => return Ok(exchange),
                Ok((exchange, Some(_))) if tries >= self.retries => return Ok(exchange),
                Ok((_, Some(pause))) => pause,
                Err(Failure::Network(_) | Failure::NoSuchName(_)) if tries < self.retries => {
                    self.pauses.after(url, tries)
                }
                Err(failure) => return Err(failure),
            };
            tokio::time::sleep(pause).await;
            tries += 1;
            self.counters.add(|stats| stats.retries += 1);
        }
    }

    /// One try; with a pause when another may bring more.
    async fn once(
        &self,
        url: &Url,
        ask: &Ask,
        known: Option<&Exchange>,
        tries: u32,
    ) -> Result<(Arc<Exchange>, Option<Duration>), Failure> {
        let host = url.host_str().unwrap_or("");
        let turn = self.pace.turn(host).await;
        // Last, so that nothing comes between the turn that others know of and the request.
        if let Some(turns) = self.turns.as_ref().filter(|_| !turn.gap().is_zero()) {
            turns.turn(host, turn.gap()).await;
        }
        let exchange = self.client.send(url, ask).await?;
        let pause = retry::is_passing(exchange.status).then(|| self.pause(&exchange, tries));
        turn.end(match pause {
            Some(pause) if retry::is_overload(exchange.status) => Load::Overloaded(pause),
            _ => Load::Fine,
        });
        let (exchange, revisit) = self.unchanged(exchange, known);
        let exchange = Arc::new(exchange);
        if ask.verb == Verb::Get {
            self.record(&exchange, revisit).await?;
        }
        Ok((exchange, pause))
    }

    fn pause(&self, exchange: &Exchange, tries: u32) -> Duration {
        match retry::retry_after(exchange, Timestamp::now()) {
            Some(asked) => asked.min(self.max_retry_after),
            None => self.pauses.after(&exchange.url, tries),
        }
    }

    /// The earlier answer in place of "not modified", and whether it is that.
    fn unchanged(&self, exchange: Exchange, known: Option<&Exchange>) -> (Exchange, bool) {
        match known {
            Some(known) if exchange.status == 304 => {
                self.counters.add(|stats| stats.not_modified += 1);
                let Exchange { url, at, address, .. } = exchange;
                (Exchange { url, at, address, ..known.clone() }, true)
            }
            _ => (exchange, false),
        }
    }

    async fn known(&self, url: &Url) -> Option<Exchange> {
        let (known, url) = (self.known.clone()?, url.clone());
        let found = spawn_blocking(move || known.exchange(&url)).await.ok()??;
        (found.status == 200).then_some(found)
    }

    /// What cannot be kept ends the run: going on would lose pages that the user was promised.
    async fn record(&self, exchange: &Arc<Exchange>, revisit: bool) -> Result<(), Failure> {
        let Some(recorder) = self.recorder.clone() else { return Ok(()) };
        let kept = exchange.clone();
        let result = spawn_blocking(move || recorder.record(&kept, revisit)).await;
        self.kept(exchange, result)
    }

    /// What a browser made of the answer.
    pub async fn record_drawn(&self, exchange: &Arc<Exchange>, drawn: Drawn) -> Result<(), Failure> {
        let Some(recorder) = self.recorder.clone() else { return Ok(()) };
        let kept = exchange.clone();
        let result = spawn_blocking(move || recorder.record_drawn(&kept, &drawn)).await;
        self.kept(exchange, result)
    }

    fn kept(&self, exchange: &Exchange, result: Result<io::Result<()>, JoinError>) -> Result<(), Failure> {
        let Err(source) = result.unwrap_or_else(|panic| Err(io::Error::other(panic))) else { return Ok(()) };
        let error = Error::Record { url: exchange.url.to_string(), source };
        let detail = error.to_string();
        tracing::error!("{detail}");
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.stop.stop();
        Err(Failure::NotKept(detail))
    }

    pub fn take_failure(&self) -> Option<Error> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The headers that make a request conditional (RFC 9110, 13.1).
fn conditions(known: &Exchange) -> Vec<(HeaderName, HeaderValue)> {
    let pair = |from: &str, to: HeaderName| Some((to, HeaderValue::from_str(known.header(from)?).ok()?));
    [pair("etag", IF_NONE_MATCH), pair("last-modified", IF_MODIFIED_SINCE)].into_iter().flatten().collect()
}
