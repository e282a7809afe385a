//! Where is the Python with this package? A package name → an interpreter that can import it.
//!
//! The packages live in one environment under `target/py-tools`, made on first use; a lock file keeps test
//! binaries that run at the same time from making it twice.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's folder.
pub fn workspace() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("testkit lies in the workspace").to_owned()
}

/// A Python interpreter that can import `package`; the reason when there is none (no Python, no pip, no network).
pub fn python_tool(package: &str) -> Result<PathBuf, String> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from);
    fs::create_dir_all(&target).map_err(|error| error.to_string())?;
    let lock = File::create(target.join("py-tools.lock")).map_err(|error| error.to_string())?;
    lock.lock().map_err(|error| error.to_string())?;
    let tools = target.join("py-tools");
    let python = tools.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&tools))?;
    }
    if run(Command::new(&python).args(["-c", &format!("import {package}")])).is_err() {
        run(install(&python).arg(package))?;
    }
    Ok(python)
}

/// `pip install`, in the versions the workspace has pinned.
fn install(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    let pinned = workspace().join("xtask/requirements.txt");
    if pinned.exists() {
        command.arg("--constraint").arg(pinned);
    }
    command
}

/// Runs a command; its error output when it fails.
pub fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))
}
