//! How is a range of a file read, politely? Name, offset, length → bytes, after as many tries as it is worth.
//!
//! - [`Ranges`]: a folder or a server. At most so many ranges are under way; a server that is busy is left alone for a while by all of them.
//! - [`Asked`]: the bytes, or why there are none, and how often it was asked again.

use super::remote::Base;
use crate::ask::service;
use crate::error::Error;
use crate::live::retry::{Pauses, is_overload, is_passing};
use crate::warc::source::read_exact_at;
use reqwest::StatusCode;
use reqwest::header::{RANGE, RETRY_AFTER};
use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::Url;

/// Tries for one range. With doubling pauses the last comes about half a minute after the first: what does not pass until then is a fault.
const TRIES: u32 = 7;

/// Pause after the first failure; doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(300);

/// Longest pause that a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

pub enum Asked {
    Read { bytes: Vec<u8>, retries: u64 },
    Failed { reason: String, retries: u64 },
}

impl Asked {
    pub fn retries(&self) -> u64 {
        match self {
            Self::Read { retries, .. } | Self::Failed { retries, .. } => *retries,
        }
    }
}

pub struct Ranges {
    base: Base,
    client: reqwest::Client,
    gate: Semaphore,
    at_once: usize,
    /// The server was busy: nobody asks before.
    not_before: Mutex<Instant>,
}

/// Why a try brought nothing.
enum Trouble {
    /// Another try may help, after a pause at least so long. `busy`: for all ranges.
    Passing {
        reason: String,
        pause: Option<Duration>,
        busy: bool,
    },
    Lasting(String),
}

impl Ranges {
    pub fn new(base: Base, at_once: usize) -> Result<Self, Error> {
        let at_once = at_once.max(1);
        Ok(Self {
            base,
            client: service()?,
            gate: Semaphore::new(at_once),
            at_once,
            not_before: Mutex::new(Instant::now()),
        })
    }

    pub fn at_once(&self) -> usize {
        self.at_once
    }

    pub async fn read(&self, name: &str, offset: u64, length: u32) -> Asked {
        let _turn = self.gate.acquire().await;
        match &self.base {
            Base::Folder(folder) => match of_file(&folder.join(name), offset, length) {
                Ok(bytes) => Asked::Read { bytes, retries: 0 },
                Err(error) => Asked::Failed { reason: error.to_string(), retries: 0 },
            },
            Base::Web(base) => match base.join(name) {
                Ok(url) => self.of_server(&url, offset, length).await,
                Err(error) => Asked::Failed { reason: error.to_string(), retries: 0 },
            },
        }
    }

    async fn of_server(&self, url: &Url, offset: u64, length: u32) -> Asked {
        let pauses = Pauses { first: FIRST_PAUSE, seed: offset };
        for tries in 0..TRIES {
            let until = *self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
            tokio::time::sleep_until(until).await;
            let (reason, pause) = match self.once(url, offset, length).await {
                Ok(bytes) => return Asked::Read { bytes, retries: tries.into() },
                Err(Trouble::Lasting(reason)) => return Asked::Failed { reason, retries: tries.into() },
                Err(Trouble::Passing { reason, pause, busy }) => {
                    let pause = pause.unwrap_or_default().min(LONGEST_PAUSE).max(pauses.after(url, tries));
                    if busy {
                        self.leave_alone(pause);
                    }
                    (reason, pause)
                }
            };
            if tries + 1 == TRIES {
                return Asked::Failed { reason: format!("{reason}, {TRIES} times"), retries: tries.into() };
            }
            tokio::time::sleep(pause).await;
        }
        Asked::Failed { reason: "it was not asked".to_owned(), retries: 0 }
    }

    fn leave_alone(&self, pause: Duration) {
        let mut not_before = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        *not_before = (*not_before).max(Instant::now() + pause);
    }

    async fn once(&self, url: &Url, offset: u64, length: u32) -> Result<Vec<u8>, Trouble> {
        let broken = |error: reqwest::Error| Trouble::Passing {
            reason: error.without_url().to_string(),
            pause: None,
            busy: false,
        };
        let last = offset + u64::from(length) - 1;
        let request = self.client.get(url.clone()).header(RANGE, format!("bytes={offset}-{last}"));
        let mut answer = request.send().await.map_err(broken)?;
        let status = answer.status();
        if status != StatusCode::PARTIAL_CONTENT {
            let said = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
            return Err(refused(status, said.map(Duration::from_secs)));
        }
        let mut bytes = Vec::with_capacity(length.min(1 << 20) as usize);
        while let Some(chunk) = answer.chunk().await.map_err(broken)? {
            if bytes.len() + chunk.len() > length as usize {
                return Err(Trouble::Lasting("the server sent more than was asked for".to_owned()));
            }
            bytes.extend_from_slice(&chunk);
        }
        match bytes.len() == length as usize {
            true => Ok(bytes),
            false => {
                Err(Trouble::Lasting(format!("the server sent {} of {length} bytes: the file ends there", bytes.len())))
            }
        }
    }
}

fn refused(status: StatusCode, pause: Option<Duration>) -> Trouble {
    let number = status.as_u16();
    match status {
        StatusCode::OK => Trouble::Lasting("the server does not answer ranges".to_owned()),
        _ if is_passing(number) => {
            Trouble::Passing { reason: format!("status {number}"), pause, busy: is_overload(number) }
        }
        _ => Trouble::Lasting(format!("status {number}")),
    }
}

fn of_file(path: &Path, offset: u64, length: u32) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; length as usize];
    read_exact_at(&File::open(path)?, &mut bytes, offset)?;
    Ok(bytes)
}
