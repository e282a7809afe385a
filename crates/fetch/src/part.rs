//! What does a page get that its scripts ask for? A request of a browser → the answer of the live site, or of the archive.
//!
//! - [`PartRequest`]: what is asked. - [`Part`]: the answer, decoded from its content coding, redirects not followed.
//!
//! The rules are those for pages: robots.txt, pace, private addresses, the user's site, budget. Only `GET` and `HEAD` exist.

use crate::archive::Archive;
use crate::exchange::{Drawn, Exchange};
use crate::follow::{Limits, decoded};
use crate::live::Live;
use bytes::Bytes;
use http::header::HeaderValue;
use pagekin_core::pages::Skipped;
use url::Url;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRequest {
    pub url: Url,
    /// `HEAD` instead of `GET`.
    pub head: bool,
    /// The page itself: what was fetched before is handed out again.
    pub document: bool,
    /// The header of this name, as the script sets it.
    pub accept: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl Part {
    fn of(exchange: &Exchange, limits: &Limits) -> Result<Self, Skipped> {
        let body = decoded(exchange, limits).map_err(|(reason, detail)| Skipped::new(&exchange.url, reason, detail))?;
        Ok(Self { status: exchange.status, headers: exchange.headers.clone(), body })
    }
}

impl Live {
    pub async fn part(&self, request: &PartRequest) -> Result<Part, Skipped> {
        let (run, url) = (self.run(), &request.url);
        let accept = request.accept.as_deref().and_then(|accept| HeaderValue::from_str(accept).ok());
        let accept = accept.unwrap_or(HeaderValue::from_static("*/*"));
        let exchange = match (request.head, request.document) {
            (true, _) => run.hop_head(url, url).await?,
            (_, true) => run.hop(url, url).await?,
            _ => run.hop_part(url, accept).await?,
        };
        Part::of(&exchange, &run.settings.limits)
    }

    /// Keeps what a browser made of a page that was asked before.
    pub async fn keep_drawn(&self, url: &Url, drawn: Drawn) -> Result<(), Skipped> {
        let run = self.run();
        let exchange = run.hop(url, url).await?;
        run.asker.record_drawn(&exchange, drawn).await.map_err(|failure| failure.skipped(url))
    }
}

impl Archive {
    pub fn part(&self, request: &PartRequest) -> Result<Part, Skipped> {
        Part::of(&self.original(&request.url)?, self.limits())
    }
}
