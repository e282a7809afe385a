//! One browser that runs: the process, the wire to it, and somebody who looks at its memory.
//!
//! - [`Browser`]: ended with all its tabs when dropped, or by [`Browser::end`] when it takes too much.

use crate::error::{Error, Failure};
use crate::memory;
use crate::process::{Process, kill_group};
use crate::settings::Settings;
use crate::wire::Wire;
use serde_json::json;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// How often memory is looked at: a script fills at most some 100 MB in between.
const LOOK: Duration = Duration::from_millis(50);

/// A loaded machine takes its time; 0.2 to 0.9 s were measured.
const START: Duration = Duration::from_secs(30);

pub struct Browser {
    pub wire: Wire,
    process: Mutex<Process>,
    /// Name and version, as it gives them.
    pub engine: String,
    pub pages: AtomicU64,
    too_much: AtomicBool,
}

impl Browser {
    pub async fn start(program: &Path, settings: &Settings) -> Result<Arc<Self>, Error> {
        let cannot = |reason: String| Error::Start { program: program.to_owned(), reason };
        let (mut process, to, from) = Process::start(program, settings)?;
        let wire = Wire::new(to, from).map_err(|error| cannot(error.to_string()))?;
        let version = tokio::time::timeout(START, wire.call("", "Browser.getVersion", json!({}))).await;
        let version = match version {
            Ok(Ok(version)) => version,
            Ok(Err(_)) => return Err(cannot(process.ended().unwrap_or_else(|| "it closed its pipe".to_owned()))),
            Err(_) => return Err(cannot(format!("it says nothing for {} s", START.as_secs()))),
        };
        let engine = version["product"].as_str().unwrap_or("Chromium").to_owned();
        tracing::debug!("browser {engine} started");
        let group = process.group();
        let (process, pages, too_much) = (Mutex::new(process), AtomicU64::new(0), AtomicBool::new(false));
        let browser = Arc::new(Self { wire, process, engine, pages, too_much });
        watch(&browser, group, settings.memory).map_err(|error| cannot(error.to_string()))?;
        Ok(browser)
    }

    pub fn is_usable(&self) -> bool {
        !self.wire.is_gone() && !self.too_much.load(Ordering::Relaxed)
    }

    /// Why it is gone.
    pub fn why_gone(&self, most: u64) -> Failure {
        if self.too_much.load(Ordering::Relaxed) { Failure::Memory(most) } else { Failure::Gone }
    }

    fn end(&self, group: u32) {
        self.too_much.store(true, Ordering::Relaxed);
        kill_group(group);
        let _ = self.process.lock().unwrap_or_else(PoisonError::into_inner).ended();
    }
}

/// Until the browser is dropped or takes more than it may.
fn watch(browser: &Arc<Browser>, group: u32, most: u64) -> std::io::Result<()> {
    let watched: Weak<Browser> = Arc::downgrade(browser);
    let look = move || {
        while watched.strong_count() > 0 {
            std::thread::sleep(LOOK);
            if memory::of_group(group) > most
                && let Some(browser) = watched.upgrade()
            {
                tracing::warn!("the browser took more than {most} bytes of memory and was ended");
                return browser.end(group);
            }
        }
    };
    std::thread::Builder::new().name("browser-memory".to_owned()).spawn(look).map(drop)
}
