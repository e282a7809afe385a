//! Which pages does a browser open, and what comes of it? Answers as they were sent → the same, some as their scripts leave them.
//!
//! - [`RenderSettings`]: as a user gives them. - [`Rendering`]: the browser, the decisions per site, and what was counted.
//!
//! What is worth it is decided in `core` ([`Decisions`]); the browser is `render`'s, and what it asks for is answered by the
//! [`Origin`], under the same rules as pages.

use crate::Error;
use crate::origin::{Origin, interrupted};
use crate::source::SourceSettings;
use futures::{StreamExt, stream};
use pagekin_core::page::address::key;
use pagekin_core::page::layout::Layout;
use pagekin_core::pages::{Answer, RawPage, Skipped};
use pagekin_core::render::{Decision, Decisions, Gain, Look, Mode, look};
use pagekin_fetch::{Drawn, PartRequest, Stop};
use pagekin_render::{self as render, Failure, Network, Renderer, Request, Response};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use url::Url;

/// When a browser is used, and which.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RenderSettings {
    /// For which pages.
    pub mode: Mode,
    /// None looks where systems keep it.
    #[serde(skip)]
    pub program: Option<PathBuf>,
    /// Start the browser without its sandbox.
    #[serde(skip)]
    pub no_sandbox: bool,
}

/// What a browser did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pages that were opened in it, to compare or to read.
    pub opened: u64,
    /// Pages that are answered as it left them.
    pub taken: u64,
    /// Empty shells that were answered as they came, because there is no browser.
    pub shells: u64,
}

/// A browser beside a source of pages.
pub struct Rendering {
    /// Or why there is none.
    renderer: Result<Renderer, render::Error>,
    mode: Mode,
    /// Are pages read as it leaves them? If not, it only tells where everything stands on them.
    reads: bool,
    /// Keys of addresses that the user gave.
    typed: FxHashSet<String>,
    sites: Mutex<FxHashMap<String, Decisions>>,
    counts: Mutex<Counts>,
    failure: Mutex<Option<render::Error>>,
    stop: Stop,
}

impl Rendering {
    /// None where no browser is wanted. What is archived is read as a browser leaves it only when that is asked for: the run that
    /// made the archive decided, and without a browser the answers must be the same.
    pub fn of(settings: &SourceSettings, typed: &[Url], archived: bool) -> Result<Option<Self>, Error> {
        let RenderSettings { mode, program, no_sandbox } = settings.render.clone();
        if mode == Mode::Never {
            return Ok(None);
        }
        let renderer = Renderer::find(render::Settings {
            program,
            no_sandbox,
            user_agent: settings.user_agent.clone(),
            max_bytes: settings.max_bytes,
            ..render::Settings::default()
        });
        let renderer = match renderer {
            Err(error) if mode == Mode::Always => return Err(Error::Render(error)),
            other => other,
        };
        Ok(Some(Self {
            renderer,
            mode,
            reads: mode == Mode::Always || !archived,
            typed: typed.iter().map(key).collect(),
            sites: Mutex::default(),
            counts: Mutex::default(),
            failure: Mutex::default(),
            stop: settings.stop.clone(),
        }))
    }

    /// What it did so far.
    pub fn counts(&self) -> Counts {
        *lock(&self.counts)
    }

    /// What to say when a browser would have helped.
    pub fn hint(&self) -> Option<String> {
        let (shells, error) = (self.counts().shells, self.renderer.as_ref().err()?);
        let error = error.to_string();
        let (what, advice) = error.split_once("\n\nhint: ").unwrap_or((&error, ""));
        (shells > 0).then(|| format!("{shells} pages show nothing without their scripts, and {what}; {advice}"))
    }

    /// What ended it, once.
    pub fn take_failure(&self) -> Option<Error> {
        lock(&self.failure).take().filter(|_| self.mode == Mode::Always).map(Error::Render)
    }

    /// Values that used to be there are missing. False when no further page will be compared for it.
    pub fn doubt(&self) -> bool {
        self.any_site(Decisions::doubt)
    }

    /// Links that were expected are missing. False when no further page will be compared for it.
    pub fn expect(&self) -> bool {
        self.any_site(Decisions::expect)
    }

    fn any_site(&self, change: fn(&mut Decisions) -> bool) -> bool {
        if !self.reads || self.mode != Mode::Auto || self.renderer.is_err() {
            return false;
        }
        let changed: Vec<bool> = lock(&self.sites).values_mut().map(change).collect();
        changed.contains(&true)
    }

    /// The answers, those of pages that are worth it as their scripts leave them.
    pub async fn rendered(&self, origin: &Origin, mut answers: Vec<Answer>) -> Vec<Answer> {
        if !self.reads {
            return answers;
        }
        let looks: Vec<Option<Look>> = answers.par_iter().map(|answer| shown(origin, answer)).collect();
        let mut waiting: Vec<(usize, String)> = Vec::new();
        for (at, look) in looks.into_iter().enumerate() {
            let (Some(look), Answer::Page(raw)) = (look, &answers[at]) else { continue };
            match self.decide(raw, &look) {
                Decision::Plain => {}
                Decision::Render(why) => waiting.push((at, why)),
                Decision::Compare(why) => {
                    if let Some(better) = self.compared(origin, raw, &look, why).await {
                        answers[at] = Answer::Page(better);
                    }
                }
            }
        }
        let pages = waiting.into_iter().filter_map(|(at, why)| match &answers[at] {
            Answer::Page(raw) => Some((at, why, raw.clone())),
            Answer::Skipped(_) => None,
        });
        let pages: Vec<(usize, String, RawPage)> = pages.collect();
        let tabs = self.renderer.as_ref().map_or(1, Renderer::tabs);
        let rendering =
            stream::iter(pages).map(|(at, why, raw)| async move { (at, self.read(origin, raw, why).await) });
        let done: Vec<(usize, Answer)> = rendering.buffer_unordered(tabs).collect().await;
        done.into_iter().for_each(|(at, answer)| answers[at] = answer);
        answers
    }

    fn decide(&self, raw: &RawPage, look: &Look) -> Decision {
        if self.mode == Mode::Always {
            return Decision::Render("every page is to be rendered".to_owned());
        }
        if self.renderer.is_err() || lock(&self.failure).is_some() {
            lock(&self.counts).shells += u64::from(look.is_shell());
            return Decision::Plain;
        }
        let mut sites = lock(&self.sites);
        let fresh = !sites.contains_key(site_of(&raw.url));
        let entry = raw.url.path() == "/" && raw.url.query().is_none();
        let typed =
            || self.typed.contains(&key(&raw.url)) || raw.redirects.iter().any(|url| self.typed.contains(&key(url)));
        sites.entry(site_of(&raw.url).to_owned()).or_default().decide(look, fresh || entry || typed())
    }

    /// The page as a browser leaves it, when that is worth it; the site's decisions learn from it.
    async fn compared(&self, origin: &Origin, raw: &RawPage, plain: &Look, why: &'static str) -> Option<RawPage> {
        let opened = self.open(origin, raw).await;
        let better = opened.as_ref().ok().map(|rendered| with_document(raw, &rendered.html));
        let rendered = better.as_ref().and_then(look);
        let gain = rendered.map(|rendered| Gain::of(plain, &rendered));
        let worth = {
            let mut sites = lock(&self.sites);
            let decisions = sites.entry(site_of(&raw.url).to_owned()).or_default();
            match &gain {
                Some(gain) => decisions.learn(plain, gain),
                None => {
                    decisions.failed();
                    false
                }
            }
        };
        let gain = gain.inspect(|gain| tracing::info!("{}: compared as {why}: {gain}", raw.url)).filter(|_| worth)?;
        self.keep(origin, &raw.url, opened.ok()?, gain.to_string()).await.ok()?;
        better
    }

    /// The page as a browser leaves it, or why that failed; as it came where there is no browser after all.
    async fn read(&self, origin: &Origin, raw: RawPage, why: String) -> Answer {
        let rendered = match self.open(origin, &raw).await {
            Ok(rendered) => rendered,
            Err(Failure::Browser(_)) => return Answer::Page(raw),
            Err(failure) => return Answer::Skipped(failure.skipped(&raw.url)),
        };
        let better = with_document(&raw, &rendered.html);
        match self.keep(origin, &raw.url, rendered, why).await {
            Ok(()) => Answer::Page(better),
            Err(skipped) => Answer::Skipped(skipped),
        }
    }

    async fn open(&self, origin: &Origin, raw: &RawPage) -> Result<render::Rendered, Failure> {
        self.draw(origin, &raw.url, false).await
    }

    async fn draw(&self, origin: &Origin, url: &Url, boxes: bool) -> Result<render::Rendered, Failure> {
        let renderer = self.renderer.as_ref().map_err(|error| Failure::Browser(error.clone()))?;
        lock(&self.counts).opened += 1;
        let requests = Requests(origin);
        let rendered = tokio::select! {
            biased;
            rendered = renderer.render(url, &requests, boxes) => rendered,
            () = self.stop.stopped() => Err(Failure::NotHad(stopped(url))),
        };
        if let Err(Failure::Browser(error)) = &rendered {
            let mut failure = lock(&self.failure);
            if failure.is_none() {
                tracing::warn!("pages are read as they come: {error}");
                *failure = Some(error.clone());
            }
        }
        rendered
    }

    /// Beside the answer, in the archive of the run.
    async fn keep(
        &self,
        origin: &Origin,
        url: &Url,
        rendered: render::Rendered,
        reason: String,
    ) -> Result<(), Skipped> {
        lock(&self.counts).taken += 1;
        let render::Rendered { html, engine, .. } = rendered;
        origin.keep_drawn(url, Drawn { html: html.into(), engine, reason, at: jiff::Timestamp::now() }).await
    }

    /// Where everything stands on these pages.
    pub async fn layouts(&self, origin: &Origin, urls: &[Url]) -> Vec<Result<Layout, Skipped>> {
        let tabs = self.renderer.as_ref().map_or(1, Renderer::tabs);
        let draw = |url: &Url| {
            let url = url.clone();
            async move {
                let drawn = self.draw(origin, &url, true).await.map_err(|failure| failure.skipped(&url))?;
                Ok(drawn.layout.unwrap_or_default())
            }
        };
        stream::iter(urls.iter().map(draw)).buffered(tabs).collect().await
    }
}

/// A panic elsewhere leaves whole entries.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn site_of(url: &Url) -> &str {
    url.host_str().unwrap_or("")
}

/// What there is to compare of an answer; nothing of one that a browser left so already.
fn shown(origin: &Origin, answer: &Answer) -> Option<Look> {
    match answer {
        Answer::Page(raw) if !origin.has_drawn(&raw.url) => look(raw),
        _ => None,
    }
}

fn stopped(url: &Url) -> Skipped {
    match interrupted(std::slice::from_ref(url)).pop() {
        Some(Answer::Skipped(skipped)) => skipped,
        _ => unreachable!("interrupted pages are skipped"),
    }
}

fn with_document(raw: &RawPage, html: &str) -> RawPage {
    let body = html.as_bytes().to_vec().into();
    RawPage { content_type: Some("text/html; charset=utf-8".to_owned()), body, ..raw.clone() }
}

/// What pages ask for is asked as pages are.
struct Requests<'o>(&'o Origin);

impl Network for Requests<'_> {
    async fn answer(&self, request: Request) -> Result<Response, Skipped> {
        let Request { url, head, document, accept } = request;
        let part = self.0.part(&PartRequest { url, head, document, accept }).await?;
        Ok(Response { status: part.status, headers: part.headers, body: part.body })
    }
}
