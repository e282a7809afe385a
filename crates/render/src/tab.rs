//! What do the scripts of one page make of it? One tab, in a context of its own, opened, waited for, read and closed.
//!
//! - [`Rendered`]: the document as it stands then. - [`render`]: all of it.
//!
//! A page is complete when it is loaded, nothing it asked for is outstanding, and its document did not change for a while; or
//! when its time is up. A page that never is quiet is read as it is; one whose scripts do not even let it be read is a failure.

use crate::browser::Browser;
use crate::error::Failure;
use crate::network::Network;
use crate::requests::{self, Paused};
use crate::settings::Settings;
use crate::wire::{Event, Wire};
use crate::{layout, scripts};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use pagekin_core::page::layout::Layout;
use pagekin_core::pages::Skipped;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use url::Url;

/// How often a page is asked whether it is complete.
const POLL: Duration = Duration::from_millis(40);

/// A page is quiet when nothing happened for so many times as long as the browser takes to say so: on a busy machine scripts come late.
const BUSY: u32 = 5;

/// Times that a page may load itself, redirects included; one that sets something and loads again needs two.
const LOADS: usize = 4;

/// The window of a large screen: what is only loaded when it comes into view is loaded.
const WIDTH: u32 = 1280;
const HEIGHT: u32 = 2000;

#[derive(Debug, Clone)]
pub struct Rendered {
    /// The document as HTML, in UTF-8.
    pub html: String,
    /// Name and version of the browser.
    pub engine: String,
    /// Where everything stands, if that was asked for.
    pub layout: Option<Layout>,
    /// Requests that were asked, the page itself included, and those that were refused.
    pub asked: usize,
    pub refused: usize,
}

struct Visit<'v, N> {
    wire: &'v Wire,
    settings: &'v Settings,
    network: &'v N,
    url: &'v Url,
    session: String,
    frame: String,
    events: mpsc::Receiver<Event>,
    outstanding: FuturesUnordered<BoxFuture<'v, Option<Skipped>>>,
    /// When it got the last answer: its scripts have yet to do something with it.
    answered: Instant,
    clock: Clock,
    crashed: bool,
    trouble: Option<Skipped>,
    asked: usize,
    refused: usize,
    /// Times that the page itself was asked.
    loads: usize,
}

/// Time that the page took itself, without what it waited for answers.
struct Clock {
    own: Duration,
    last: Instant,
    started: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { own: Duration::ZERO, last: Instant::now(), started: Instant::now() }
    }

    fn pass(&mut self, waiting: bool) {
        let now = Instant::now();
        if !waiting {
            self.own += now - self.last;
        }
        self.last = now;
    }
}

pub async fn render<N: Network>(
    browser: &Browser,
    settings: &Settings,
    url: &Url,
    network: &N,
    boxes: bool,
) -> Result<Rendered, Failure> {
    let wire = &browser.wire;
    let context = wire.call("", "Target.createBrowserContext", json!({"disposeOnDetach": true})).await?;
    let context = Context { wire, id: context["browserContextId"].clone() };
    let deny = json!({"behavior": "deny", "browserContextId": context.id});
    wire.call("", "Browser.setDownloadBehavior", deny).await?;
    let mut visit = open(&context, settings, url, network).await?;
    let session = Session { wire, id: visit.session.clone() };
    let page = visit.read(boxes).await;
    drop(session);
    let (html, layout) = page?;
    let Visit { asked, refused, .. } = visit;
    Ok(Rendered { html, engine: browser.engine.clone(), layout, asked, refused })
}

async fn pause() -> Result<Value, Failure> {
    tokio::time::sleep(POLL).await;
    Ok(Value::Null)
}

/// Everything of it is closed when dropped, a tab that does not listen any more too.
struct Context<'w> {
    wire: &'w Wire,
    id: Value,
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        self.wire.tell("", "Target.disposeBrowserContext", json!({"browserContextId": self.id}));
    }
}

struct Session<'w> {
    wire: &'w Wire,
    id: String,
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.wire.forget(&self.id);
    }
}

async fn open<'v, N: Network>(
    context: &Context<'v>,
    settings: &'v Settings,
    url: &'v Url,
    network: &'v N,
) -> Result<Visit<'v, N>, Failure> {
    let wire = context.wire;
    let asked = json!({"url": "about:blank", "browserContextId": context.id});
    let target = wire.call("", "Target.createTarget", asked).await?["targetId"].clone();
    let attached = wire.call("", "Target.attachToTarget", json!({"targetId": target, "flatten": true})).await?;
    let session = attached["sessionId"].as_str().unwrap_or_default().to_owned();
    let events = wire.listen(&session);
    let size = json!({"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": false});
    for (method, params) in [
        ("Inspector.enable", json!({})),
        ("Page.enable", json!({})),
        ("Fetch.enable", json!({"patterns": [{"urlPattern": "*"}]})),
        ("Emulation.setDeviceMetricsOverride", size),
        ("Page.addScriptToEvaluateOnNewDocument", json!({"source": "delete Navigator.prototype.serviceWorker"})),
    ] {
        wire.call(&session, method, params).await?;
    }
    Ok(Visit {
        wire,
        settings,
        network,
        url,
        session,
        frame: target.as_str().unwrap_or_default().to_owned(),
        events,
        outstanding: FuturesUnordered::new(),
        answered: Instant::now(),
        clock: Clock::start(),
        crashed: false,
        trouble: None,
        asked: 0,
        refused: 0,
        loads: 0,
    })
}

impl<N: Network> Visit<'_, N> {
    async fn read(&mut self, boxes: bool) -> Result<(String, Option<Layout>), Failure> {
        let mut address = self.url.clone();
        address.set_fragment(None);
        let opened = self.call("Page.navigate", json!({"url": address.as_str()})).await?;
        if let Some(error) = opened["errorText"].as_str() {
            let refused = Failure::Protocol(format!("`{address}` cannot be opened: {error}"));
            return Err(self.trouble.take().map_or(refused, Failure::NotHad));
        }
        let mut elements = self.until_quiet().await?;
        for _ in 0..self.settings.more {
            let done = self.evaluate(scripts::MORE).await?;
            if done.as_str().unwrap_or("").is_empty() || self.is_late() {
                break;
            }
            let before = std::mem::replace(&mut elements, self.until_quiet().await?);
            if done == "clicked" && elements <= before {
                break;
            }
        }
        let most = self.settings.max_bytes;
        let html = self.evaluate(&scripts::document(most)).await?;
        let html = html.as_str().map(str::to_owned).filter(|html| html.len() <= most);
        let layout = if boxes {
            Some(layout::read(&self.call("DOMSnapshot.captureSnapshot", layout::ask()).await?))
        } else {
            None
        };
        match self.trouble.take() {
            Some(trouble) => Err(Failure::NotHad(trouble)),
            None => Ok((html.ok_or(Failure::TooLarge(most))?, layout)),
        }
    }

    /// Waits until the page is complete or late; gives the number of its elements.
    async fn until_quiet(&mut self) -> Result<u64, Failure> {
        loop {
            let asked = Instant::now();
            let state = self.evaluate(scripts::STATE).await?;
            let elements = state[2].as_u64().unwrap_or(0);
            let wanted = self.settings.quiet.max(asked.elapsed() * BUSY);
            let unchanged = state[1].as_f64().unwrap_or(0.0) >= wanted.as_secs_f64() * 1000.0;
            let quiet = unchanged && self.answered.elapsed() >= wanted;
            if state[0] == true && quiet && self.outstanding.is_empty() || self.is_late() {
                return Ok(elements);
            }
            self.attend(pause()).await?;
        }
    }

    fn is_late(&self) -> bool {
        self.clock.own > self.settings.scripts || self.clock.started.elapsed() > self.settings.longest
    }

    /// While a page is loaded again there is nothing to ask.
    async fn evaluate(&mut self, expression: &str) -> Result<Value, Failure> {
        loop {
            match self.evaluate_once(expression).await {
                Err(Failure::Protocol(_)) if !self.is_late() => self.attend(pause()).await.map(drop)?,
                other => return other,
            }
        }
    }

    async fn evaluate_once(&mut self, expression: &str) -> Result<Value, Failure> {
        let world = json!({"frameId": self.frame, "worldName": "pagekin"});
        let world = self.call("Page.createIsolatedWorld", world).await?["executionContextId"].clone();
        let asked = json!({"expression": expression, "contextId": world, "returnByValue": true});
        Ok(self.call("Runtime.evaluate", asked).await?["result"]["value"].take())
    }

    async fn call(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        let (wire, session) = (self.wire, self.session.clone());
        self.attend(async move { wire.call(&session, method, params).await }).await
    }

    /// Answers what the page asks while something is waited for; that takes twice the time that scripts have at most.
    async fn attend(&mut self, waited: impl Future<Output = Result<Value, Failure>>) -> Result<Value, Failure> {
        let mut waited = std::pin::pin!(waited);
        loop {
            self.clock.pass(!self.outstanding.is_empty());
            if self.crashed {
                return Err(Failure::Crashed);
            }
            if self.clock.own > self.settings.scripts * 2 || self.clock.started.elapsed() > self.settings.longest * 2 {
                return Err(Failure::Endless(self.settings.scripts.as_secs()));
            }
            let waiting = !self.outstanding.is_empty();
            tokio::select! {
                event = self.events.recv() => match event {
                    Some(event) => self.on_event(&event),
                    None => return Err(Failure::Gone),
                },
                Some(trouble) = self.outstanding.next(), if waiting => {
                    self.clock.pass(true);
                    self.answered = Instant::now();
                    self.trouble = self.trouble.take().or(trouble);
                }
                done = &mut waited => return done,
                // So that the clock is looked at.
                () = tokio::time::sleep(Duration::from_millis(250)) => {}
            }
        }
    }

    fn on_event(&mut self, event: &Event) {
        match event.method.as_str() {
            "Fetch.requestPaused" => self.on_request(&event.params),
            "Inspector.targetCrashed" => self.crashed = true,
            "Page.javascriptDialogOpening" => {
                self.wire.tell(&self.session, "Page.handleJavaScriptDialog", json!({"accept": false}));
            }
            _ => {}
        }
    }

    fn on_request(&mut self, params: &Value) {
        let Some(paused) = Paused::new(params, &self.frame, self.url) else { return };
        self.loads += usize::from(paused.document);
        let again = paused.document && self.loads > LOADS;
        if paused.request.is_none() || again || self.asked >= self.settings.requests {
            self.refused += 1;
            return paused.refuse(self.wire, &self.session);
        }
        self.asked += 1;
        let (wire, session, network) = (self.wire, self.session.clone(), self.network);
        self.outstanding.push(Box::pin(async move { requests::answer(wire, &session, paused, network).await }));
    }
}
