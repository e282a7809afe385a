//! What does one request bring, within its limits? A request → exchange, or how it failed.
//!
//! - [`Client`]: two HTTP clients, one that reaches public addresses only and one for the user's own addresses.
//! - [`Ask`]: what is sent; only `GET` and `HEAD` exist.
//! - [`Failure`]: why nothing usable came.
//!
//! Sends exactly one request: redirects, retries, robots.txt and pace are for others.

use super::address::{self, Anywhere, NoSuchName, PublicOnly, Refused};
use super::ceiling::Ceiling;
use super::settings::LiveSettings;
use super::stats::Counters;
use crate::ask::client_builder;
use crate::error::Error;
use crate::exchange::Exchange;
use crate::follow::names_packed_sitemap;
use crate::keys;
use crate::sniff::{self, Kind};
use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use pagekin_core::pages::{Reason, Skipped};
use reqwest::{ClientBuilder, Response, redirect};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use url::Url;

/// Reserved at most before a byte came, whatever size the server announces.
const RESERVED: u64 = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Get,
    Head,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Documents only, and whole: refused beyond the limit.
    Page,
    /// What the scripts of a page ask for: no pictures, films, sounds and fonts, and whole.
    Part,
    /// Whatever its type, cut at the limit: it is to be obeyed as far as it was read.
    Robots,
}

#[derive(Debug, Clone)]
pub struct Ask {
    pub verb: Verb,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub limit: usize,
    pub purpose: Purpose,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    Private(String),
    TooLarge(String),
    /// Took too long after the connection stood: asking again would take as long.
    Timeout(String),
    /// Could not connect, or the connection broke: asking again may help.
    Network(String),
    /// Nobody is called so; asking again may help.
    NoSuchName(String),
    /// It came, but could not be kept.
    NotKept(String),
    /// Not sent: the run has taken what it may.
    Spent(String),
}

impl Failure {
    pub fn skipped(self, url: &Url) -> Skipped {
        let (reason, detail) = match self {
            Self::Private(detail) => (Reason::PrivateAddress, detail),
            Self::TooLarge(detail) => (Reason::TooLarge, detail),
            Self::Timeout(detail) => (Reason::Timeout, detail),
            Self::Network(detail) | Self::NoSuchName(detail) => (Reason::Network, detail),
            Self::NotKept(detail) => (Reason::Interrupted, detail),
            Self::Spent(detail) => (Reason::Budget, detail),
        };
        Skipped::new(url, reason, detail)
    }
}

pub struct Client {
    guarded: reqwest::Client,
    own: reqwest::Client,
    own_hosts: FxHashSet<String>,
    allow_private: bool,
    counters: Arc<Counters>,
    ceiling: Arc<Ceiling>,
}

impl Client {
    pub fn new(settings: &LiveSettings, counters: Arc<Counters>, ceiling: Arc<Ceiling>) -> Result<Self, Error> {
        let guarded = builder(settings)?.dns_resolver(PublicOnly).build().map_err(Error::Client)?;
        Ok(Self {
            guarded,
            own: builder(settings)?.dns_resolver(Anywhere).build().map_err(Error::Client)?,
            own_hosts: settings.own_hosts.iter().map(|place| place.to_ascii_lowercase()).collect(),
            allow_private: settings.allow_private,
            counters,
            ceiling,
        })
    }

    pub async fn send(&self, url: &Url, ask: &Ask) -> Result<Exchange, Failure> {
        let mut request = match ask.verb {
            Verb::Get => self.reaching(url)?.get(url.clone()),
            Verb::Head => self.reaching(url)?.head(url.clone()),
        };
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        if let Some((name, word)) = keys::of(url) {
            request = request.basic_auth(name, Some(word));
        }
        self.ceiling.count_request().map_err(|spent| Failure::Spent(spent.to_string()))?;
        let response = request.send().await.map_err(|error| failure(&error))?;
        self.receive(url, ask, response).await
    }

    /// The client that may connect to this address.
    fn reaching(&self, url: &Url) -> Result<&reqwest::Client, Failure> {
        let place = format!("{}:{}", url.host_str().unwrap_or(""), url.port_or_known_default().unwrap_or(0));
        if self.allow_private || self.own_hosts.contains(&place) {
            return Ok(&self.own);
        }
        match address::literal(url) {
            Some(refused) => Err(Failure::Private(refused.to_string())),
            None => Ok(&self.guarded),
        }
    }

    async fn receive(&self, url: &Url, ask: &Ask, response: Response) -> Result<Exchange, Failure> {
        let head = Exchange {
            url: keys::stripped(url.clone()),
            status: response.status().as_u16(),
            headers: headers(response.headers()),
            body: Bytes::new(),
            at: jiff::Timestamp::now(),
            address: response.remote_addr().map(|address| address.ip()),
        };
        // A film is refused by its type later; there is no use in loading it first.
        if is_unwanted(url, ask.purpose, head.header("content-type")) {
            return Ok(head);
        }
        let body = self.body(ask, response).await?;
        Ok(Exchange { body, ..head })
    }

    async fn body(&self, ask: &Ask, mut response: Response) -> Result<Bytes, Failure> {
        let too_large = || Failure::TooLarge(format!("more than {} bytes sent", ask.limit));
        let announced = response.content_length().unwrap_or(0);
        let refuse = ask.purpose != Purpose::Robots;
        if ask.verb == Verb::Get && refuse && announced > ask.limit as u64 {
            return Err(too_large());
        }
        let mut body = BytesMut::with_capacity(announced.min(RESERVED) as usize);
        while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
            self.counters.add(|stats| stats.bytes += chunk.len() as u64);
            if body.len() + chunk.len() <= ask.limit {
                body.extend_from_slice(&chunk);
            } else if refuse {
                return Err(too_large());
            } else {
                body.extend_from_slice(&chunk[..ask.limit - body.len()]);
                break;
            }
        }
        Ok(body.freeze())
    }
}

fn is_unwanted(url: &Url, purpose: Purpose, content_type: Option<&str>) -> bool {
    match purpose {
        Purpose::Page => matches!(sniff::by_header(content_type), Some(Kind::Other(_))) && !names_packed_sitemap(url),
        Purpose::Part => sniff::is_for_eyes_and_ears(content_type),
        Purpose::Robots => false,
    }
}

fn builder(settings: &LiveSettings) -> Result<ClientBuilder, Error> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, br, zstd"));
    let agent = HeaderValue::from_str(&settings.user_agent).map_err(|_| Error::UserAgent {
        value: settings.user_agent.clone(),
        reason: "it has characters that a header cannot carry",
    })?;
    let client = settings.resolve.iter().fold(client_builder(), |client, (host, at)| client.resolve(host, *at));
    Ok(client
        .user_agent(agent)
        .default_headers(headers)
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        // A proxy would resolve names itself, past the check of addresses.
        .no_proxy()
        // Old servers send these; browsers accept them.
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .connect_timeout(settings.connect_timeout)
        .read_timeout(settings.read_timeout)
        .timeout(settings.timeout))
}

/// As sent, but for the transfer coding, which is already undone.
fn headers(map: &HeaderMap) -> Vec<(String, String)> {
    map.iter()
        .filter(|(name, _)| **name != http::header::TRANSFER_ENCODING)
        .map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes())))
        .collect()
}

/// UTF-8 where it is, as in many `Location`s, else Latin-1, which is what the standard once said.
fn text(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().copied().map(char::from).collect(),
    }
}

fn failure(error: &reqwest::Error) -> Failure {
    let mut cause: &dyn std::error::Error = error;
    loop {
        if let Some(refused) = cause.downcast_ref::<Refused>() {
            return Failure::Private(refused.to_string());
        }
        if let Some(unknown) = cause.downcast_ref::<NoSuchName>() {
            return Failure::NoSuchName(unknown.to_string());
        }
        match cause.source() {
            Some(next) => cause = next,
            None => break,
        }
    }
    match (error.is_timeout(), error.is_connect()) {
        (true, false) => Failure::Timeout("the answer took too long".to_owned()),
        (true, true) => Failure::Network("connecting took too long".to_owned()),
        _ => Failure::Network(cause.to_string()),
    }
}
