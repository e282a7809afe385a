//! A real Chromium for tests, driven over its debugging pipe: pages opened, scripts evaluated, clicks, what was requested.
//!
//! - [`Browser`]: one headless process with one tab, ended when dropped.
//!
//! Speaks the DevTools protocol through two named pipes: messages of JSON, each ended by a NUL.

use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// The program itself where Debian has it: a wrapper that is killed leaves it running.
const PROGRAMS: [&str; 3] = ["/usr/lib/chromium/chromium", "/usr/bin/chromium", "/usr/bin/chromium-headless-shell"];

/// A loaded machine takes its time.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Browser {
    child: Child,
    to: File,
    from: Receiver<Value>,
    next: u64,
    session: String,
    /// Addresses that pages asked for, in order.
    pub requested: Vec<String>,
    folder: PathBuf,
}

impl Browser {
    /// None, and a word of it, where there is no Chromium. `folder`: an empty one for its profile and pipes.
    pub fn or_skip(folder: &Path) -> Option<Self> {
        let Some(program) = PROGRAMS.iter().find(|program| Path::new(program).is_file()) else {
            eprintln!("SKIPPED: no chromium; hint: apt-get install chromium");
            return None;
        };
        Some(Self::start(program, folder).expect("chromium starts"))
    }

    fn start(program: &str, folder: &Path) -> std::io::Result<Self> {
        let (down, up) = (folder.join("down"), folder.join("up"));
        for pipe in [&down, &up] {
            assert!(Command::new("mkfifo").arg(pipe).status()?.success(), "mkfifo {}", pipe.display());
        }
        let arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
        let quiet = ["--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"];
        let child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<\"$DOWN\" 4>\"$UP\"", program])
            .args(arguments)
            .args(quiet)
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .arg("about:blank")
            .envs([("DOWN", &down), ("UP", &up)])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let to = OpenOptions::new().write(true).open(&down)?;
        let from = listen(File::open(&up)?);
        let (session, requested) = (String::new(), Vec::new());
        let mut browser = Self { child, to, from, next: 0, session, requested, folder: folder.to_owned() };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", &json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page.enable", "Runtime.enable", "Network.enable"] {
            browser.call(domain, &json!({}));
        }
        Ok(browser)
    }

    /// Sends a command and waits for its result; events that come meanwhile are looked at.
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.try_call(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_call(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(message.to_string().as_bytes()).expect("chromium listens");
        self.to.write_all(b"\0").expect("chromium listens");
        loop {
            let heard = self.from.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            if heard["method"] == "Network.requestWillBeSent" {
                self.requested.extend(heard["params"]["request"]["url"].as_str().map(str::to_owned));
            }
            if heard["id"] == self.next {
                return heard.get("error").map_or_else(|| Ok(heard["result"].clone()), |error| Err(error.clone()));
            }
        }
    }

    /// Opens an address and waits until it is loaded.
    pub fn open(&mut self, url: &str) {
        self.call("Page.navigate", &json!({"url": url}));
        self.wait("document.readyState === 'complete'");
    }

    /// The value of an expression on the page.
    pub fn eval(&mut self, script: &str) -> Value {
        let asked = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        self.call("Runtime.evaluate", &asked)["result"]["value"].clone()
    }

    pub fn text(&mut self, selector: &str) -> String {
        let value = self.eval(&format!("document.querySelector({selector:?})?.textContent ?? ''"));
        value.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true. While a page is left it has no value.
    pub fn wait(&mut self, script: &str) {
        let start = Instant::now();
        let asked = json!({"expression": format!("Boolean({script})"), "returnByValue": true, "awaitPromise": true});
        // A page that is left in the middle of an expression answers with an error.
        while !self.try_call("Runtime.evaluate", &asked).is_ok_and(|told| told["result"]["value"] == true) {
            assert!(start.elapsed() < PATIENCE, "never true: {script}; the page: {}", self.text("body"));
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    pub fn fill(&mut self, selector: &str, value: &str) {
        self.eval(&format!("document.querySelector({selector:?}).value = {value:?}"));
    }

    pub fn click(&mut self, selector: &str) {
        self.wait(&format!("document.querySelector({selector:?})"));
        self.eval(&format!("document.querySelector({selector:?}).click()"));
    }

    /// A press of the mouse at a place of the window.
    pub fn press(&mut self, x: f64, y: f64) {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// The window as a PNG file.
    pub fn save_picture(&mut self, path: &Path) {
        let data = self.call("Page.captureScreenshot", &json!({"format": "png"}))["data"].clone();
        let bytes = data_encoding::BASE64.decode(data.as_str().unwrap_or_default().as_bytes()).expect("base64");
        std::fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session.clear();
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let ended = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            self.child.try_wait().is_ok_and(|status| status.is_some())
        });
        if !ended {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// What comes, message by message, until the pipe ends.
fn listen(pipe: File) -> Receiver<Value> {
    let (heard, from) = mpsc::channel();
    std::thread::spawn(move || {
        for message in BufReader::new(pipe).split(0).map_while(Result::ok) {
            let sent = serde_json::from_slice(&message).map(|value| heard.send(value));
            if !matches!(sent, Ok(Ok(()))) {
                return;
            }
        }
    });
    from
}
