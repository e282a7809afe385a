//! How is the browser spoken to? Commands and events of the DevTools protocol over two pipes: JSON, each ended by a NUL.
//!
//! - [`Wire`]: sends commands and waits for their results. - [`Event`]: what the browser says unasked, by session.
//!
//! A thread reads and a thread writes, so that a browser that stops reading blocks nobody. Messages and events that wait are bounded.

use crate::error::Failure;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc as blocking};
use tokio::sync::{mpsc, oneshot};

/// Largest message read. A document of 16 MiB may take four times as much with its escapes.
const MESSAGE: u64 = 96 << 20;

/// Events of one session that wait to be looked at; a page that makes more loses them.
const WAITING: usize = 4096;

#[derive(Debug)]
pub struct Event {
    pub method: String,
    pub params: Value,
}

type Result<T> = std::result::Result<T, Failure>;

pub struct Wire {
    outgoing: blocking::Sender<Vec<u8>>,
    shared: Arc<Mutex<Shared>>,
    next: AtomicU64,
}

#[derive(Default)]
struct Shared {
    waiting: FxHashMap<u64, oneshot::Sender<Result<Value>>>,
    sessions: FxHashMap<String, mpsc::Sender<Event>>,
    gone: bool,
}

impl Wire {
    pub fn new(to: PipeWriter, from: PipeReader) -> std::io::Result<Self> {
        let (outgoing, messages) = blocking::channel();
        let shared = Arc::new(Mutex::new(Shared::default()));
        let heard = shared.clone();
        std::thread::Builder::new().name("browser-writer".to_owned()).spawn(move || write_all(to, &messages))?;
        std::thread::Builder::new().name("browser-reader".to_owned()).spawn(move || read_all(from, &heard))?;
        Ok(Self { outgoing, shared, next: AtomicU64::new(1) })
    }

    /// Events of a session from now on; those of the browser itself have the name "".
    pub fn listen(&self, session: &str) -> mpsc::Receiver<Event> {
        let (sender, receiver) = mpsc::channel(WAITING);
        lock(&self.shared).sessions.insert(session.to_owned(), sender);
        receiver
    }

    pub fn forget(&self, session: &str) {
        lock(&self.shared).sessions.remove(session);
    }

    pub fn is_gone(&self) -> bool {
        lock(&self.shared).gone
    }

    /// Sends a command and waits for its result. `session`: of a tab, or "" for the browser itself.
    pub async fn call(&self, session: &str, method: &str, params: Value) -> Result<Value> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        {
            let mut shared = lock(&self.shared);
            if shared.gone {
                return Err(Failure::Gone);
            }
            shared.waiting.insert(id, sender);
        }
        // Whoever stops waiting must not leave something behind.
        let _forgets = Forgets { shared: &self.shared, id };
        self.outgoing.send(message(id, session, method, params)).map_err(|_| Failure::Gone)?;
        receiver.await.map_err(|_| Failure::Gone)?
    }

    /// Sends a command whose result nobody needs.
    pub fn tell(&self, session: &str, method: &str, params: Value) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        // When the browser is gone there is nobody to tell.
        let _ = self.outgoing.send(message(id, session, method, params));
    }
}

struct Forgets<'w> {
    shared: &'w Mutex<Shared>,
    id: u64,
}

impl Drop for Forgets<'_> {
    fn drop(&mut self) {
        lock(self.shared).waiting.remove(&self.id);
    }
}

/// A panic elsewhere leaves whole entries.
fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn message(id: u64, session: &str, method: &str, params: Value) -> Vec<u8> {
    let mut message = json!({"id": id, "method": method, "params": params});
    if !session.is_empty() {
        message["sessionId"] = json!(session);
    }
    let mut bytes = message.to_string().into_bytes();
    bytes.push(0);
    bytes
}

fn write_all(mut to: PipeWriter, messages: &blocking::Receiver<Vec<u8>>) {
    while let Ok(message) = messages.recv() {
        if to.write_all(&message).is_err() {
            return;
        }
    }
}

fn read_all(from: PipeReader, shared: &Mutex<Shared>) {
    let mut from = BufReader::with_capacity(1 << 16, from);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = from.by_ref().take(MESSAGE).read_until(0, &mut bytes);
        if !matches!(read, Ok(length) if length > 0) || bytes.pop() != Some(0) {
            break;
        }
        if let Ok(heard) = serde_json::from_slice(&bytes) {
            take(&mut lock(shared), heard);
        }
        bytes.shrink_to(1 << 20);
    }
    let mut shared = lock(shared);
    shared.gone = true;
    // Whoever waits learns of it by the end of his channel.
    shared.waiting.clear();
    shared.sessions.clear();
}

fn take(shared: &mut Shared, mut heard: Value) {
    if let Some(id) = heard["id"].as_u64() {
        let Some(waiting) = shared.waiting.remove(&id) else { return };
        let result = match heard["error"]["message"].as_str() {
            Some(error) => Err(Failure::Protocol(error.to_owned())),
            None => Ok(heard["result"].take()),
        };
        // Who asked may have stopped waiting.
        let _ = waiting.send(result);
        return;
    }
    let session = heard["sessionId"].as_str().unwrap_or("");
    if let (Some(listener), Some(method)) = (shared.sessions.get(session), heard["method"].as_str()) {
        let event = Event { method: method.to_owned(), params: heard["params"].clone() };
        let _ = listener.try_send(event);
    }
}
