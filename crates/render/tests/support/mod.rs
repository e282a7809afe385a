//! A browser for tests, and sites that are answered from memory: what was asked is written down.

#![allow(dead_code, reason = "each test file uses its part")]

use pagekin_core::pages::{Reason, Skipped};
use pagekin_render::{Error, Network, Renderer, Request, Response, Settings};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;
use url::Url;

/// None, and a word of it, where there is no browser.
pub fn renderer(settings: Settings) -> Option<Renderer> {
    match Renderer::find(Settings { no_sandbox: true, ..settings }) {
        Ok(renderer) => Some(renderer),
        Err(Error::NoBrowser) => {
            eprintln!("SKIPPED: no chromium; hint: apt-get install chromium");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Short patience, for pages that use it up.
pub fn hasty() -> Settings {
    Settings { scripts: Duration::from_secs(2), ..Settings::default() }
}

#[derive(Default)]
pub struct Memory {
    answers: HashMap<String, Response>,
    pub asked: Mutex<Vec<String>>,
}

impl Memory {
    pub fn with(mut self, path: &str, content_type: &str, body: impl Into<String>) -> Self {
        let headers = vec![("Content-Type".to_owned(), content_type.to_owned())];
        let response = Response { status: 200, headers, body: body.into().into() };
        self.answers.insert(format!("http://site.test{path}"), response);
        self
    }

    pub fn page(self, path: &str, html: impl Into<String>) -> Self {
        self.with(path, "text/html; charset=utf-8", html)
    }

    pub fn answering(mut self, path: &str, response: Response) -> Self {
        self.answers.insert(format!("http://site.test{path}"), response);
        self
    }

    pub fn targets(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|url| url.replace("http://site.test", "")).collect()
    }
}

impl Network for Memory {
    async fn answer(&self, request: Request) -> Result<Response, Skipped> {
        self.asked.lock().unwrap().push(request.url.to_string());
        let known = self.answers.get(request.url.as_str()).cloned();
        known.ok_or_else(|| Skipped::new(&request.url, Reason::OutOfScope, "not on this site"))
    }
}

pub fn url(path: &str) -> Url {
    Url::parse("http://site.test").unwrap().join(path).unwrap()
}
