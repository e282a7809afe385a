//! What does a developer run? A word → the commands behind it, one after the other.
//!
//! `cargo xtask test` is the one command that proves everything. How steps run is in [`step`], the programs that
//! tests need in [`tools`], the tests that passed without testing in [`skipped`]. Knows nothing of what is tested.

mod skipped;
mod step;
mod tools;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use step::{Report, Step};

const HELP: &str = "\
Usage: cargo xtask COMMAND

Commands:
  test          install what the tests need, then format check, clippy, all tests, documentation tests
  bench [ARG..] run the benchmarks; arguments go to cargo bench
  gate          measure discovery on the real sites and compare with eval/floors.json
  help          show this

Environment:
  PAGEKIN_DATA  folder of the real sites with truth (default: ../shared/data beside the workspace);
                tests that need it are skipped, and say so, when it is absent

Example:
  cargo xtask test
";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    match arguments.first().map(String::as_str) {
        Some("test") if rest.is_empty() => test(),
        Some("bench") => Ok(step::run_all(&root()?, &[bench(rest)], Report::default())),
        Some("gate") if rest.is_empty() => Ok(step::run_all(&root()?, &[gate(&root()?)], Report::default())),
        Some("help" | "--help" | "-h") | None => {
            print!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        Some(_) => bail!("cannot run `{}`: no such command or argument\n\nhint: cargo xtask help", arguments.join(" ")),
    }
}

fn test() -> Result<ExitCode> {
    let root = root()?;
    let (target, nextest) = (target(&root), tools::has("cargo-nextest"));
    let mut report = Report::new(skipped::report(&target));
    tools::install(&root, &target, &mut report);
    if !nextest {
        report.absent("`cargo-nextest`: skipped tests are not listed here".to_owned());
    }
    if !data(&root).is_dir() {
        report.absent(format!("real sites in `{}`: tests on them are skipped", data(&root).display()));
    }
    Ok(step::run_all(&root, &test_steps(nextest), report))
}

fn test_steps(nextest: bool) -> Vec<Step> {
    let tests: &[&str] = if nextest {
        &["cargo", "nextest", "run", "--workspace"]
    } else {
        &["cargo", "test", "--workspace", "--lib", "--bins", "--tests", "--", "--nocapture"]
    };
    vec![
        Step::new("format", &["cargo", "fmt", "--all", "--check"]),
        Step::new("clippy", &["cargo", "clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        Step::new("tests", tests),
        Step::new("doc tests", &["cargo", "test", "--doc", "--workspace"]),
    ]
}

fn bench(arguments: &[String]) -> Step {
    let arguments = arguments.iter().map(String::as_str);
    Step::new("bench", &["cargo", "bench", "--workspace"].into_iter().chain(arguments).collect::<Vec<_>>())
}

fn gate(root: &Path) -> Step {
    let sites = data(root).join("sites");
    let sites = sites.to_string_lossy();
    let command = ["cargo", "run", "--release", "--package", "pagekin-cli", "--", "eval", "discovery"];
    Step::new("gate", &[&command[..], &[&sites, "--gate", "eval/floors.json"]].concat())
}

/// Where the real sites are, as the tests look for them.
fn data(root: &Path) -> PathBuf {
    std::env::var_os("PAGEKIN_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from)
}

/// Where cargo builds, as it finds that itself.
fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

fn root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(Path::to_path_buf).context("cannot find the workspace above `xtask`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_steps_are_those_the_help_names() {
        let names = |nextest| test_steps(nextest).iter().map(Step::shown).collect::<Vec<_>>();
        assert_eq!(names(true)[2], "cargo nextest run --workspace");
        assert_eq!(names(false)[2], "cargo test --workspace --lib --bins --tests -- --nocapture");
        assert_eq!(names(true)[1], "cargo clippy --workspace --all-targets -- -D warnings");
    }

    #[test]
    fn bench_hands_its_arguments_on() {
        assert_eq!(bench(&["parse".to_owned()]).shown(), "cargo bench --workspace parse");
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().unwrap().join("Cargo.lock").is_file());
    }
}
