//! A real PostgreSQL for tests: a cluster of its own in a temporary folder, on a free port, gone when dropped.
//!
//! - [`Postgres`]: running; [`Postgres::restart`] stops and starts it, as an administrator would.
//!
//! PostgreSQL refuses to run as root, so where the tests do, it runs as `postgres` or `nobody`.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub struct Postgres {
    bin: PathBuf,
    folder: PathBuf,
    port: u16,
    server: Option<Child>,
    encrypted: bool,
}

impl Postgres {
    /// Why not, where there is none to start.
    pub fn start() -> Result<Self, String> {
        let bin = bin().ok_or("no PostgreSQL is installed; hint: `apt-get install postgresql`")?;
        let folder = std::env::temp_dir().join(format!("pagekin-postgres-{}-{}", std::process::id(), unique()));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).map_err(|error| error.to_string())?;
        if let Some((user, group)) = other_user() {
            chown(&folder, Some(user), Some(group)).map_err(|error| error.to_string())?;
        }
        let mut own = Self { bin, folder, port: free_port(), server: None, encrypted: false };
        let data = own.folder.join("data");
        let mut made = own.command("initdb");
        made.arg("-D").arg(&data).args(["-U", "pagekin", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"]);
        crate::python::run(&mut made)?;
        own.launch()?;
        own.made("createuser", &["owner"])?;
        own.made("createdb", &["-O", "owner", "owned"])?;
        Ok(own)
    }

    /// By a program of PostgreSQL's, as the superuser.
    fn made(&self, program: &str, arguments: &[&str]) -> Result<String, String> {
        let mut made = self.command(program);
        made.args(["-h", "127.0.0.1", "-U", "pagekin", "-p", &self.port.to_string()]).args(arguments);
        crate::python::run(&mut made)
    }

    /// Says loudly that a test is skipped where there is none.
    pub fn or_skip() -> Option<Self> {
        Self::start().map_err(|why| eprintln!("SKIPPED: {why}")).ok()
    }

    /// As the owner of a database, who is no superuser.
    pub fn url(&self) -> String {
        format!("postgres://owner@127.0.0.1:{}/owned", self.port)
    }

    /// The same as the role that made the cluster.
    pub fn superuser_url(&self) -> String {
        format!("postgres://pagekin@127.0.0.1:{}/postgres", self.port)
    }

    /// Connections that are open: each is a process of its own.
    pub fn connections(&self) -> usize {
        self.processes().iter().filter(|(_, command)| command.contains("127.0.0.1(")).count()
    }

    /// What the server has used, and what has ended in it.
    pub fn processor_seconds(&self) -> f64 {
        let Some(server) = &self.server else { return 0.0 };
        let own = times(server.id()).iter().sum::<f64>();
        own + self.processes().iter().map(|(id, _)| times(*id)[..2].iter().sum::<f64>()).sum::<f64>()
    }

    /// What the server has started, with the words that it shows.
    fn processes(&self) -> Vec<(u32, String)> {
        let Some(server) = &self.server else { return Vec::new() };
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let own = ids.filter(|id| stat(*id).get(1).is_some_and(|parent| *parent == server.id().to_string()));
        own.map(|id| (id, fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default())).collect()
    }

    /// A database of its own in the same cluster.
    pub fn database(&self, name: &str) -> String {
        self.made("createdb", &["-O", "owner", name]).expect("a new database");
        format!("postgres://owner@127.0.0.1:{}/{name}", self.port)
    }

    /// Runs a file of SQL.
    pub fn load(&self, url: &str, file: &Path) {
        let text = fs::read(file).expect("a file of SQL");
        let copy = self.folder.join("load.sql");
        fs::write(&copy, text).expect("a copy that the server's user may read");
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o644)).expect("a readable copy");
        let mut loaded = self.command("psql");
        loaded.args(["-q", "-v", "ON_ERROR_STOP=1", "-f"]).arg(&copy).arg(url);
        crate::python::run(&mut loaded).expect("SQL that runs");
    }

    /// From now on with a certificate for `localhost`, signed by an authority of its own: the file of that authority.
    pub fn encrypt(&mut self) -> Result<PathBuf, String> {
        let at = |name: &str| self.folder.join(name).to_string_lossy().into_owned();
        let (key, request, own) = (at("own.key"), at("own.csr"), at("own.pem"));
        let (authority, secret, extra) = (at("authority.pem"), at("authority.key"), at("extra.cnf"));
        fs::write(&extra, "subjectAltName=DNS:localhost\n").map_err(|error| error.to_string())?;
        let new = ["req", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
        let steps: [Vec<&str>; 3] = [
            [&new[..], &["-x509", "-subj", "/CN=authority", "-keyout", &secret, "-out", &authority]].concat(),
            [&new[..4], &["-subj", "/CN=localhost", "-keyout", &key, "-out", &request]].concat(),
            vec![
                "x509",
                "-req",
                "-in",
                &request,
                "-CA",
                &authority,
                "-CAkey",
                &secret,
                "-CAcreateserial",
                "-days",
                "2",
            ]
            .into_iter()
            .chain(["-extfile", &extra, "-out", &own])
            .collect(),
        ];
        for step in steps {
            let mut openssl = self.command("openssl");
            openssl.args(step);
            crate::python::run(&mut openssl)?;
        }
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).map_err(|error| error.to_string())?;
        self.encrypted = true;
        self.stop();
        self.launch()?;
        Ok(PathBuf::from(authority))
    }

    /// Ends every connection, as an administrator does for an update.
    pub fn stop(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        let _ = Command::new("kill").args(["-INT", &server.id().to_string()]).status();
        let _ = server.wait();
    }

    pub fn launch(&mut self) -> Result<(), String> {
        let port = self.port.to_string();
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.folder.join("data")).args(["-p", &port, "-k", ""]);
        for setting in ["listen_addresses=127.0.0.1", "fsync=off", "max_connections=100"] {
            command.args(["-c", setting]);
        }
        if self.encrypted {
            let at = |name: &str| self.folder.join(name).display().to_string();
            command.args(["-c", "ssl=on", "-c", &format!("ssl_cert_file={}", at("own.pem"))]);
            command.args(["-c", &format!("ssl_key_file={}", at("own.key"))]);
        }
        let server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(|error| error.to_string())?;
        self.server = Some(server);
        let began = Instant::now();
        while !self.answers() {
            if began.elapsed() > Duration::from_secs(60) {
                return Err("PostgreSQL does not answer after a minute".to_owned());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    pub fn restart(&mut self, pause: Duration) {
        self.stop();
        std::thread::sleep(pause);
        self.launch().expect("it started before");
    }

    fn answers(&self) -> bool {
        let mut ready = self.command("pg_isready");
        ready.args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
        ready.status().is_ok_and(|status| status.success())
    }

    fn command(&self, program: &str) -> Command {
        let own = self.bin.join(program);
        let mut command = if own.is_file() { Command::new(own) } else { Command::new(program) };
        command.current_dir(&self.folder);
        if let Some((user, group)) = other_user() {
            command.uid(user).gid(group);
        }
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.stop();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// State, parent and further fields of a process.
fn stat(process: u32) -> Vec<String> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    line.rsplit(')').next().unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// Seconds of a process: own, in the kernel, and the same of its children that have ended.
fn times(process: u32) -> [f64; 4] {
    let fields = stat(process);
    // A hundred ticks a second, on every Linux that there is.
    [11, 12, 13, 14].map(|at| fields.get(at).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0) / 100.0)
}

/// The newest that is installed, whether or not it is on the path.
fn bin() -> Option<PathBuf> {
    let debian = fs::read_dir("/usr/lib/postgresql").ok().into_iter().flatten().flatten();
    let mut places: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
    places.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all = places.into_iter().rev().chain(std::env::split_paths(&path));
    all.find(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
}

/// Whom to run as, when we are root: user and group.
fn other_user() -> Option<(u32, u32)> {
    if !is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").ok()?;
    ["postgres", "nobody"].iter().find_map(|name| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    })
}

pub fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).map_or(54_321, |address| address.port())
}

fn unique() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}
