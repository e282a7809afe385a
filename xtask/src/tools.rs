//! Do the tests find the programs they compare with? Nothing → wget, chromium, and Python packages in `target/py-tools`.
//!
//! Installs what is absent and says so; what cannot be installed is reported, and the tests that need it skip.
//! Knows nothing of the tests.

use crate::step::Report;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Programs the tests start, with the Debian package that holds them.
const PACKAGES: [(&str, &str); 4] =
    [("wget", "wget"), ("initdb", "postgresql"), ("chromium", "chromium"), ("openssl", "openssl")];

pub fn install(root: &Path, target: &Path, report: &mut Report) {
    let began = Instant::now();
    for (program, package) in PACKAGES {
        if let Err(why) = install_program(program, package) {
            report.absent(format!("`{program}`, {why}: tests that need it are skipped"));
        }
    }
    if let Err(why) = install_python(root, target) {
        report.absent(format!("Python packages, {why}: tests that need them are skipped"));
    }
    report.done("tools", began, "see above");
}

/// Of a measure that is not part of the tests.
pub fn install_one(program: &str, package: &str, report: &mut Report) {
    if let Err(why) = install_program(program, package) {
        report.absent(format!("`{program}`, {why}"));
    }
}

/// Is there such a program on the path?
pub fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Is there a nightly toolchain?
pub fn has_nightly() -> bool {
    let asked =
        Command::new("cargo").args(["+nightly", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Debian keeps the programs of PostgreSQL's servers off the path.
fn has_server(program: &str) -> bool {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    versions.map(|version| version.path().join("bin").join(program)).any(|path| path.is_file())
}

fn install_program(program: &str, package: &str) -> Result<(), String> {
    if has(program) || has_server(program) {
        eprintln!("xtask: `{program}` is there");
        return Ok(());
    }
    if !has("apt-get") {
        return Err("and no apt-get to install it".to_owned());
    }
    // Without update, a fresh container knows no packages.
    run(&["apt-get", "update", "-qq"])?;
    run(&["apt-get", "install", "-y", "-qq", "--no-install-recommends", package])
}

/// A virtual environment for this workspace alone. A copy of the requirements inside it tells whether it is current.
fn install_python(root: &Path, target: &Path) -> Result<(), String> {
    let folder = target.join("py-tools");
    let (wanted, mark) = (root.join("xtask/requirements.txt"), folder.join("installed.txt"));
    let wanted_text = fs::read_to_string(&wanted).map_err(|error| format!("no `{}`: {error}", wanted.display()))?;
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted_text) {
        eprintln!("xtask: Python packages are in `{}`", folder.display());
        return Ok(());
    }
    let (folder, wanted) = (folder.to_string_lossy(), wanted.to_string_lossy());
    let python = format!("{folder}/bin/python");
    if !Path::new(&python).is_file() {
        run(&["python3", "-m", "venv", &folder])?;
    }
    run(&[&python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", &wanted])?;
    fs::write(&mark, wanted_text).map_err(|error| format!("cannot write `{}`: {error}", mark.display()))
}

fn run(command: &[&str]) -> Result<(), String> {
    eprintln!("xtask: {}", command.join(" "));
    let status = Command::new(command[0]).args(&command[1..]).stdin(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` gave {status}", command.join(" "))),
        Err(error) => Err(format!("`{}` cannot start: {error}", command[0])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_looks_on_the_path() {
        assert!(has("cargo"));
        assert!(!has("no-such-program-anywhere"));
    }

    #[test]
    fn a_failing_command_says_which() {
        assert!(run(&["false"]).unwrap_err().contains("`false`"));
        assert!(run(&["no-such-program-anywhere"]).unwrap_err().contains("cannot start"));
    }

    #[test]
    fn a_folder_without_requirements_is_an_error() {
        assert!(
            install_python(Path::new("/nonexistent"), Path::new("/nonexistent"))
                .unwrap_err()
                .contains("requirements.txt")
        );
    }
}
