//! A browser that is always there: started when it is first needed, again when it broke, and after so many pages.
//!
//! - [`Renderer`]: what users of the crate hold; bounds the pages that are open at the same time.

use crate::browser::Browser;
use crate::error::{Error, Failure};
use crate::network::Network;
use crate::process;
use crate::settings::Settings;
use crate::tab::{self, Rendered};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::{Mutex, Semaphore};
use url::Url;

pub struct Renderer {
    program: PathBuf,
    settings: Settings,
    running: Mutex<Option<Arc<Browser>>>,
    tabs: Semaphore,
}

impl Renderer {
    /// Looks for the browser; it is started when the first page needs it.
    pub fn find(settings: Settings) -> Result<Self, Error> {
        let program = process::find(&settings)?;
        let tabs = Semaphore::new(settings.tabs.max(1));
        Ok(Self { program, settings, running: Mutex::default(), tabs })
    }

    /// Pages that may be open at the same time.
    pub fn tabs(&self) -> usize {
        self.settings.tabs.max(1)
    }

    /// The page as its scripts leave it. `boxes`: also where everything stands.
    pub async fn render<N: Network>(&self, url: &Url, network: &N, boxes: bool) -> Result<Rendered, Failure> {
        let first = {
            let _tab = self.tabs.acquire().await.map_err(|_| Failure::Gone)?;
            self.once(url, network, boxes).await
        };
        match first {
            // Perhaps it was another page that ended the browser: the next try has it for itself.
            Err(Failure::Gone | Failure::Memory(_)) if self.tabs() > 1 => {
                let all = u32::try_from(self.tabs()).unwrap_or(1);
                let _tabs = self.tabs.acquire_many(all).await.map_err(|_| Failure::Gone)?;
                self.once(url, network, boxes).await
            }
            other => other,
        }
    }

    async fn once<N: Network>(&self, url: &Url, network: &N, boxes: bool) -> Result<Rendered, Failure> {
        let browser = self.browser().await?;
        let rendered = tab::render(&browser, &self.settings, url, network, boxes).await;
        match rendered {
            Err(Failure::Gone | Failure::Protocol(_)) if !browser.is_usable() => {
                Err(browser.why_gone(self.settings.memory))
            }
            other => other,
        }
    }

    /// The one that runs, or a new one. The one before ends with the last of its pages.
    async fn browser(&self) -> Result<Arc<Browser>, Error> {
        let mut running = self.running.lock().await;
        if let Some(browser) = &*running
            && browser.is_usable()
            && browser.pages.fetch_add(1, Ordering::Relaxed) < self.settings.pages
        {
            return Ok(browser.clone());
        }
        *running = None;
        let browser = Browser::start(&self.program, &self.settings).await?;
        browser.pages.fetch_add(1, Ordering::Relaxed);
        Ok(running.insert(browser).clone())
    }
}
