//! How is the browser started, and how does it end? Settings → a process with two pipes, gone with all its children when dropped.
//!
//! - [`Process`]: the program itself and never a wrapper script, in a process group and with a profile folder of its own.
//!
//! When we are killed the pipes close, and the browser ends by itself; the folder is removed by the next one who starts a browser.

use crate::error::Error;
use crate::settings::Settings;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{self, PipeReader, PipeWriter};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// The programs themselves: a wrapper script that is killed leaves them running.
const PROGRAMS: [&str; 7] = [
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/usr/lib/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/opt/chromium.org/chromium/chrome",
    "/opt/microsoft/msedge/msedge",
];

/// Nothing but what is asked for, and no way to the network beside the requests that are paused: names lead nowhere, and what
/// needs no name goes to a proxy that nobody is.
const ARGUMENTS: [&str; 20] = [
    "--headless",
    "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=socks5://nowhere.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-breakpad",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disk-cache-size=1",
    "--mute-audio",
    "--no-first-run",
    // A script that wants more crashes its tab before others notice.
    "--js-flags=--max-old-space-size=512",
];

/// The browser reads commands from descriptor 3 and answers on 4. The shell puts our pipes there and becomes the browser.
const WITH_PIPES: &str = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null";

pub struct Process {
    child: Child,
    /// Removed with everything in it when dropped.
    _profile: TempDir,
}

/// The program that would be started, if one may be.
pub fn find(settings: &Settings) -> Result<PathBuf, Error> {
    let program = match &settings.program {
        Some(program) if program.is_file() => program.clone(),
        Some(program) => return Err(Error::NotThere(program.clone())),
        None => PROGRAMS.iter().map(PathBuf::from).find(|path| path.is_file()).ok_or(Error::NoBrowser)?,
    };
    if rustix::process::geteuid().is_root() && !settings.no_sandbox {
        return Err(Error::Root);
    }
    Ok(program)
}

impl Process {
    pub fn start(program: &Path, settings: &Settings) -> Result<(Self, PipeWriter, PipeReader), Error> {
        spawn(program, settings)
            .map_err(|error| Error::Start { program: program.to_owned(), reason: error.to_string() })
    }

    /// The process group that its children are in, too.
    pub fn group(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it did.
    pub fn ended(&mut self) -> Option<String> {
        self.child.try_wait().ok().flatten().map(|status| status.to_string())
    }
}

/// Ends all processes of a group.
pub fn kill_group(group: u32) {
    if let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) {
        // An error means that nobody is left.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        kill_group(self.group());
        // So that no zombie stays; it is dead already.
        let _ = self.child.wait();
    }
}

fn spawn(program: &Path, settings: &Settings) -> io::Result<(Process, PipeWriter, PipeReader)> {
    let profile = profile_folder()?;
    let (to_read, to) = io::pipe()?;
    let (from, from_write) = io::pipe()?;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", WITH_PIPES]).arg(program).args(ARGUMENTS);
    command.args(settings.no_sandbox.then_some("--no-sandbox"));
    command.arg(format!("--user-agent={}", settings.user_agent));
    command.arg(format!("--user-data-dir={}", profile.path().display()));
    command.arg("about:blank");
    // What our environment holds, such as keys, is nobody's business.
    command
        .env_clear()
        .env("HOME", profile.path())
        .env("TMPDIR", profile.path())
        .env("TZ", "UTC")
        .env("LANG", "C.UTF-8");
    command.stdin(to_read).stdout(from_write).stderr(Stdio::null()).process_group(0);
    let child = command.spawn()?;
    Ok((Process { child, _profile: profile }, to, from))
}

const PROFILE: &str = "pagekin-browser-";

/// A new one; those of processes that were killed are removed.
fn profile_folder() -> io::Result<TempDir> {
    let place = std::env::temp_dir();
    for entry in std::fs::read_dir(&place)?.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PROFILE)?.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|owner| Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{owner}")).exists())
        {
            // Another user's, or somebody removes it at this moment.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    tempfile::Builder::new().prefix(&format!("{PROFILE}{}-", std::process::id())).tempdir_in(place)
}
