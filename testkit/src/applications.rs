//! Which real application can be asked? A name → the application on loopback, filled, with the truth about it.
//!
//! The applications are set up by `NAME/up.py` in a folder beside the workspace, or where `PAGEKIN_LIVE` says, with
//! their packages and data under `target/live/NAME`: slow the first time, seconds after that. One runs at a time, also
//! between test binaries.
//!
//! - [`Application`]: runs until dropped. - [`Line`]: one request in its access log. - [`impolite`]: those no polite visitor sends.
//!
//! Knows nothing of what the truth holds: it is JSON, for the test to read.

use crate::python::{run, workspace};
use regex::Regex;
use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// An application being served.
pub struct Application {
    child: Child,
    folder: PathBuf,
    /// Let go when the application has ended.
    _turn: File,
}

/// A request, as the application wrote it down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub method: String,
    /// Path and query.
    pub target: String,
}

/// What was asked and should not have been: other methods than GET and HEAD, and targets that match one of the patterns.
///
/// # Panics
/// When a pattern is none.
pub fn impolite(asked: &[Line], must_not: &[String]) -> Vec<Line> {
    let must_not: Vec<Regex> = must_not.iter().map(|pattern| Regex::new(pattern).expect("a pattern")).collect();
    let forbidden = |line: &&Line| {
        !matches!(line.method.as_str(), "GET" | "HEAD") || must_not.iter().any(|pattern| pattern.is_match(&line.target))
    };
    asked.iter().filter(forbidden).cloned().collect()
}

impl Application {
    /// Starts the application. Where it is absent or cannot be set up, as without a network, says so and gives none.
    ///
    /// # Panics
    /// When it was set up and does not start.
    pub fn start(name: &str, arguments: &[&str]) -> Option<Self> {
        let beside = workspace().join("../shared/live");
        let script = env::var_os("PAGEKIN_LIVE").map_or(beside, PathBuf::from).join(name).join("up.py");
        if !script.is_file() {
            eprintln!("SKIPPED: no application in `{}`; hint: set PAGEKIN_LIVE", script.display());
            return None;
        }
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from);
        let folder = target.join("live").join(name);
        fs::create_dir_all(&folder).expect("a folder under target");
        let turn = File::create(target.join("live/turn.lock")).expect("a file under target");
        turn.lock().expect("a lock on a file under target");
        let command = |more: &[&str]| {
            let mut command = Command::new("python3");
            command.arg(&script).arg("--dir").arg(&folder).args(arguments).args(more);
            command
        };
        if let Err(why) = run(&mut command(&["--setup-only"])) {
            eprintln!("SKIPPED: `{name}` cannot be set up: {why}; hint: see the logs in `{}`", folder.display());
            return None;
        }
        let child = serve(&mut command(&["--port", &free_port().to_string()]), &folder);
        Some(Self { child, folder, _turn: turn })
    }

    /// The truth about its pages, as JSON.
    pub fn truth(&self) -> String {
        fs::read_to_string(self.folder.join("truth.json")).expect("the truth is written before it is ready")
    }

    /// What was asked of it since it started, from the log that the truth names.
    pub fn asked(&self, log: &Path) -> Vec<Line> {
        let text = fs::read(log).expect("an access log");
        String::from_utf8_lossy(&text).lines().filter_map(line).collect()
    }
}

/// A port nobody listens on now.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("a bound address").port()
}

/// Starts it and waits until it says that it is ready.
fn serve(command: &mut Command, folder: &Path) -> Child {
    for old in ["access.log", "server.log"] {
        // The first time there is none.
        let _ = fs::remove_file(folder.join(old));
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("python3");
    let mut said = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let ready = said.any(|line| line.is_ok_and(|line| line.starts_with("READY")));
    assert!(ready, "`{command:?}` ended before it was ready; hint: see the logs in `{}`", folder.display());
    child
}

/// `TIME GET /target STATUS ...`, or `INFO: ... "GET /target HTTP/1.1" STATUS`; none for other lines.
fn line(text: &str) -> Option<Line> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let method = |word: &str| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_uppercase());
    let request = |two: &&[&str]| method(two[0].trim_start_matches('"')) && two[1].starts_with('/');
    let found = words.windows(2).find(request)?;
    Some(Line { method: found[0].trim_start_matches('"').to_owned(), target: found[1].to_owned() })
}

impl Drop for Application {
    fn drop(&mut self) {
        // A request to end, not a kill: its server processes would stay behind.
        let asked = Command::new("kill").arg(self.child.id().to_string()).status();
        if asked.is_ok_and(|status| status.success()) {
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_impolite_is_seen() {
        let line = |method: &str, target: &str| Line { method: method.to_owned(), target: target.to_owned() };
        let asked =
            [line("GET", "/a/"), line("GET", "/basket/"), line("POST", "/a/"), line("GET", "/a/?selected_facets=x")];
        let must_not = ["^/basket/", "selected_facets="].map(str::to_owned);
        assert_eq!(impolite(&asked, &must_not), asked[1..]);
    }

    #[test]
    fn both_kinds_of_log_are_read() {
        let asked = |method: &str, target: &str| Some(Line { method: method.to_owned(), target: target.to_owned() });
        assert_eq!(line("1794783117.1 GET /a/?page=2 200 pagekin/0.1 (+x)"), asked("GET", "/a/?page=2"));
        let uvicorn = "INFO:     127.0.0.1:4242 - \"POST /b?id=3 HTTP/1.1\" 200 OK";
        assert_eq!(line(uvicorn), asked("POST", "/b?id=3"));
        assert_eq!(line("INFO:     Uvicorn running on http://127.0.0.1:1 (Press CTRL+C to quit)"), None);
    }
}
