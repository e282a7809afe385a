//! Which pages does the site itself list? robots.txt and sitemaps → one [`Sitemap`] after the other.
//!
//! - [`Maps`]: the maps robots.txt names, else the usual one, and the further maps these name. A site without pays two requests.

use super::Stop;
use crate::page::address::Scope;
use crate::page::sitemap::{self, Sitemap};
use crate::pages::{Answer, Pages, RawPage, Reason};
use url::Url;

/// Sitemap files read at most.
const MOST: usize = 100;

pub struct Maps {
    waiting: Vec<Url>,
    read: usize,
}

impl Maps {
    pub async fn of<P: Pages>(pages: &P, start: &Url) -> Result<Self, Stop> {
        let Ok(robots) = start.join("/robots.txt") else { return Ok(Self { waiting: Vec::new(), read: 0 }) };
        let answer = ask(pages, &robots).await?;
        let named = answer.map(|raw| sitemap::in_robots(&String::from_utf8_lossy(&raw.body), &robots));
        let usual = || start.join("/sitemap.xml").into_iter().collect();
        Ok(Self { waiting: named.filter(|named| !named.is_empty()).unwrap_or_else(usual), read: 0 })
    }

    /// The next map there is, and its address; maps beyond the scope are left out.
    pub async fn next<P: Pages>(&mut self, pages: &P, scope: &Scope) -> Result<Option<(Url, Sitemap)>, Stop> {
        while let Some(url) = self.waiting.pop().filter(|_| self.read < MOST) {
            self.read += 1;
            let Some(raw) = ask(pages, &url).await? else { continue };
            let mut map = sitemap::read(&raw.body, &url);
            self.waiting.extend(std::mem::take(&mut map.maps).into_iter().filter(|map| scope.contains(map)));
            return Ok(Some((url, map)));
        }
        Ok(None)
    }
}

/// A file that is not a page; none when the site has none.
async fn ask<P: Pages>(pages: &P, url: &Url) -> Result<Option<RawPage>, Stop> {
    match pages.get(std::slice::from_ref(url)).await.pop() {
        Some(Answer::Page(raw)) if raw.is_success() => Ok(Some(raw)),
        Some(Answer::Skipped(skipped)) if skipped.reason == Reason::Interrupted => Err(Stop::Interrupted),
        _ => Ok(None),
    }
}
