//! A folder with a database, commands on it, a site with people, a time-stamp authority, and Python.

use crate::common::{pagekin, stderr, stdout};
use pagekin_testkit::python::{python_tool, run};
use pagekin_testkit::server::{Reply, Server, Site};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

pub struct Place {
    pub folder: tempfile::TempDir,
    db: String,
}

impl Place {
    pub fn new() -> Self {
        Self::on("p.db".to_owned())
    }

    /// With a database somewhere else.
    pub fn on(db: String) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), db }
    }

    pub fn at(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    /// The command in the folder, with its database; whatever comes of it.
    pub fn tried(&self, arguments: &[&str]) -> Output {
        let mut command = pagekin();
        command.current_dir(self.folder.path()).args(arguments);
        if !matches!(arguments[0], "verify" | "extract") {
            command.args(["--db", &self.db]);
        }
        command.output().unwrap()
    }

    pub fn done(&self, arguments: &[&str]) -> String {
        let output = self.tried(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    pub fn rows(&self, sql: &str) -> Vec<Value> {
        self.done(&["query", sql]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn records(&self, arguments: &[&str]) -> Vec<Value> {
        let text = self.done(&[&["export", "--format", "jsonl"][..], arguments].concat());
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Bytes of every file below, so that nothing hides anywhere.
    pub fn holds(&self, text: &str) -> Vec<String> {
        let (mut found, mut folders) = (Vec::new(), vec![self.folder.path().to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                match entry.file_type().unwrap().is_dir() {
                    true => folders.push(entry.path()),
                    false if contains(&entry.path(), text) => found.push(entry.path().to_string_lossy().into_owned()),
                    false => {}
                }
            }
        }
        found
    }
}

fn contains(path: &Path, text: &str) -> bool {
    let bytes = std::fs::read(path).unwrap();
    let mut unpacked = Vec::new();
    // Members of gzip, one behind the other.
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let _ = flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut unpacked);
    }
    [bytes, unpacked].iter().any(|bytes| bytes.windows(text.len()).any(|own| own == text.as_bytes()))
}

/// A staff list, one page a person, whose pages can be changed.
pub struct Staff {
    pub site: Site,
    teams: Arc<Mutex<BTreeMap<usize, String>>>,
}

pub const PEOPLE: usize = 8;

pub fn email(number: usize) -> String {
    format!("person.{number}{number}@mail.example")
}

pub fn phone(number: usize) -> String {
    format!("+49 30 55512{number}{number}")
}

impl Staff {
    pub fn start() -> Self {
        let teams = Arc::new(Mutex::new(BTreeMap::new()));
        let list: String = (1..=PEOPLE).map(|n| format!("<li><a href=/people/{n}>Person {n}{n}</a></li>")).collect();
        let list = format!("<html><body><h1>All people</h1><ul>{list}</ul></body></html>");
        let mut server = Server::new().page("/", list);
        for number in 1..=PEOPLE {
            let own = teams.clone();
            server =
                server.route(&format!("/people/{number}"), move |_| Reply::html(person(number, &own.lock().unwrap())));
        }
        Self { site: server.start(), teams }
    }

    pub fn sample(&self) -> String {
        self.site.url("/people/1")
    }

    pub fn set_team(&self, number: usize, team: &str) {
        self.teams.lock().unwrap().insert(number, team.to_owned());
    }
}

fn person(number: usize, teams: &BTreeMap<usize, String>) -> String {
    let team = teams.get(&number).cloned().unwrap_or_else(|| format!("Team {}", ["Red", "Blue", "Green"][number % 3]));
    let row = |label: &str, value: &str| format!("<tr><th>{label}</th><td>{value}</td></tr>");
    let rows = [
        row("Team", &team),
        row("Email", &email(number)),
        row("Phone", &phone(number)),
        row("Room", &format!("{}", 100 + number * 7)),
    ];
    format!(
        "<html><head><title>Person {number}{number}</title></head><body><p><a href=/>All people</a></p><h1>Person {number}{number}</h1>\
         <table>{}</table></body></html>",
        rows.concat()
    )
}

/// Python with this package, or none, and why is said.
pub fn python(package: &str) -> Option<PathBuf> {
    python_tool(package).map_err(|why| println!("SKIPPED: no `{package}`: {why}")).ok()
}

pub fn python_says(python: &Path, script: &str, arguments: &[&str]) -> String {
    run(Command::new(python).args(["-c", script]).args(arguments)).unwrap()
}

/// `openssl ts` behind a small server.
pub struct Authority {
    folder: tempfile::TempDir,
    pub url: String,
}

const CONFIG: &str = "
[tsa]
default_tsa = own
[own]
serial = serial
crypto_device = builtin
signer_cert = signer.pem
certs = ca.pem
signer_key = signer.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384
accuracy = secs:1
ess_cert_id_alg = sha256
[usage]
extendedKeyUsage = critical,timeStamping
";

impl Authority {
    /// `kind`: of its key, as `openssl genpkey` names it.
    pub fn start(kind: &[&str]) -> Option<Self> {
        if let Err(error) = Command::new("openssl").arg("version").output() {
            println!("SKIPPED: no `openssl`: {error}");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tsa.cnf"), CONFIG).unwrap();
        std::fs::write(folder.path().join("serial"), "01\n").unwrap();
        let openssl = |line: &[&str]| openssl(folder.path(), line);
        openssl(&[
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            "ca.key",
            "-out",
            "ca.pem",
            "-subj",
            "/CN=Test CA",
            "-days",
            "2",
        ]);
        openssl(&[&["genpkey", "-out", "signer.key"][..], kind].concat());
        openssl(&["req", "-new", "-key", "signer.key", "-out", "signer.csr", "-subj", "/O=Test Stamps/CN=Stamp One"]);
        let signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"];
        let usage = ["-extfile", "tsa.cnf", "-extensions", "usage", "-out", "signer.pem"];
        openssl(&[&["x509", "-req", "-in", "signer.csr"][..], &signed[..], &usage[..]].concat());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let place = folder.path().to_owned();
        std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| stamp(&place, stream)));
        Some(Self { folder, url })
    }

    /// What `openssl ts` says of a token and the file that it is of.
    pub fn verifies(&self, token: &str, file: &str) -> bool {
        let line = ["ts", "-verify", "-data", file, "-in", token, "-CAfile", "ca.pem", "-untrusted", "signer.pem"];
        Command::new("openssl").args(line).current_dir(self.folder.path()).output().unwrap().status.success()
    }
}

fn openssl(folder: &Path, line: &[&str]) {
    let output = Command::new("openssl").args(line).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{line:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn stamp(folder: &Path, mut stream: std::net::TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).unwrap_or(0) > 2 {
        if let Some((_, value)) = line.to_ascii_lowercase().split_once("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut query = vec![0; length];
    reader.read_exact(&mut query).unwrap();
    std::fs::write(folder.join("query.tsq"), query).unwrap();
    openssl(folder, &["ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query.tsq", "-out", "reply.tsr"]);
    let reply = std::fs::read(folder.join("reply.tsr")).unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/timestamp-reply\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        reply.len()
    );
    stream.write_all(&[head.as_bytes(), &reply].concat()).unwrap();
}
