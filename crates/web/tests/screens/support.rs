//! A server with a database of its own and the demo site beside it, and a client that sends what it is told.

use pagekin::privacy::Privacy;
use pagekin::run::Local;
use pagekin::store::Store;
use pagekin::{SourceSettings, Stop};
use pagekin_web::demo;
use pagekin_web::serve::remote::Remote;
use pagekin_web::serve::secrets::Secrets;
use pagekin_web::serve::{Settings, serve};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

/// A loaded machine takes its time.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Served {
    pub address: SocketAddr,
    pub token: String,
    /// Of the demo site.
    pub sample: String,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Served {
    pub fn start(folder: &Path) -> Self {
        Self::with(folder, Duration::ZERO)
    }

    /// `delay`: between requests to a site.
    pub fn with(folder: &Path, delay: Duration) -> Self {
        Self::reached_by(folder, delay, None)
    }

    /// `remote`: how other machines reach it.
    pub fn reached_by(folder: &Path, delay: Duration, remote: Option<Remote>) -> Self {
        Self::of(folder, delay, remote, Privacy::default())
    }

    /// What `[privacy]` says is hidden in what it writes.
    pub fn hiding(folder: &Path, privacy: Privacy) -> Self {
        Self::of(folder, Duration::ZERO, None, privacy)
    }

    fn of(folder: &Path, delay: Duration, remote: Option<Remote>, privacy: Privacy) -> Self {
        let (ready, started) = std::sync::mpsc::channel();
        let (stop, folder) = (Stop::default(), folder.to_owned());
        let own = stop.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let site = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let sample = format!("http://{}{}", site.local_addr().unwrap(), demo::Site::new().sample());
                tokio::spawn(demo::serve(site, std::future::pending()));
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let secrets = Secrets::new().unwrap();
                let told = (listener.local_addr().unwrap(), secrets.token().to_owned(), sample);
                let settings = Settings {
                    store: Store::open(&folder.join("p.db").to_string_lossy()).await.unwrap(),
                    pages: folder.join("pages"),
                    secrets,
                    privacy,
                    source: SourceSettings { delay: Some(delay), ..SourceSettings::default() },
                    publish: None,
                    stop: own,
                    at_once: 2,
                    remote,
                    local: Local::default(),
                };
                ready.send(told).unwrap();
                serve(listener, settings).await.unwrap();
            });
            runtime.shutdown_background();
        });
        let (address, token, sample) = started.recv().unwrap();
        Self { address, token, sample, stop, thread: Some(thread) }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The address that logs in.
    pub fn first(&self) -> String {
        self.url(&format!("/?token={}", self.token))
    }

    /// Sends a request with these headers, as they are.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let host = self.address.to_string();
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text += &format!("Host: {host}\r\n");
        }
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let answer = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// As a program asks.
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[("Authorization", &self.bearer())], "")
    }

    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{path}: {error}: {}", answer.body))
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        let headers = [("Authorization", self.bearer()), ("Content-Type", "application/json".to_owned())];
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.send("POST", path, &headers, body)
    }

    /// Queues a run of a sample.
    pub fn run(&self, sample: &str) -> i64 {
        let answer = self.post("/api/runs", &serde_json::json!({"url": sample}).to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        serde_json::from_str::<Value>(&answer.body).unwrap()["run"].as_i64().unwrap()
    }

    /// Draws the map of the demo site; its name.
    pub fn map(&self) -> String {
        let root = self.sample.split("/drivers").next().unwrap_or_default();
        let begun = self.post("/api/maps", &serde_json::json!({"url": format!("{root}/")}).to_string());
        assert_eq!(begun.status, 200, "{}", begun.body);
        let start = Instant::now();
        while self.json("/api/maps")["maps"][0]["state"] != "drawn" {
            assert!(start.elapsed() < PATIENCE, "{}", self.json("/api/maps"));
            std::thread::sleep(Duration::from_millis(100));
        }
        root.trim_start_matches("http://").to_owned()
    }

    /// Waits until a run is in this state.
    pub fn wait_for(&self, run: i64, state: &str) -> Value {
        let start = Instant::now();
        loop {
            let now = self.json(&format!("/api/runs/{run}"));
            if now["run"]["state"] == state {
                return now;
            }
            assert!(start.elapsed() < PATIENCE, "never {state}: {now}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
