//! What does a developer run? A word → the commands behind it, one after the other.
//!
//! `cargo xtask test` is the one command that proves everything. How steps run is in [`step`], the programs that
//! tests need in [`tools`], the tests that passed without testing in [`skipped`]. Knows nothing of what is tested.

mod python;
mod skipped;
mod step;
mod tools;

use anyhow::{Context, Result, bail};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use step::{Report, Step};

const HELP: &str = "\
Usage: cargo xtask COMMAND

Commands:
  test          install what the tests need, then format check, clippy, all tests, documentation tests
  package       build every crate that can be published from its package alone, the library without its features, and the
                documentation without a warning; `test` only makes the packages
  python        build the wheel, install it into target/py-package, run its tests; part of `test`
  scale         run the tests on Spark and Sail, then measure extract: cores, Python, and what people write by hand
  bench [ARG..] run the benchmarks; arguments go to cargo bench
  fuzz          give broken inputs to everything that reads strangers' bytes, for about an hour
  soak          run workers against hostile sites for an hour, with kills and restarts
  workers       measure how many workers a PostgreSQL holds, at the pace of polite readers
  pictures      make the pictures of docs/guides/03_in_a_browser.md anew, in a real Chromium
  load          measure `pagekin serve` with 200 clients, a million records and a run that writes
  fit           fit the parameters of discovery on the real sites and on documentation from Debian packages:
                crates/core/src/discover/kin/params.json, eval/folds.json;
                and what values of known roles look like: crates/core/src/extract/fitted/roles.json
  gate          measure every stage on the real sites and compare with the floors in eval/
  gate --quick  the same on a few small sites, in minutes; part of `test` where the real sites are at hand
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
        Some("package") if rest.is_empty() => {
            Ok(step::run_all(&root()?, &[without_features(), documentation(), package(true)], Report::default()))
        }
        Some("python") if rest.is_empty() => {
            Ok(step::run_all(&root()?, &python::steps(&root()?, &target(&root()?)), Report::default()))
        }
        Some("scale") if rest.is_empty() => Ok(step::run_all(
            &root()?,
            &python::scale(&root()?, &target(&root()?)),
            with("java", "default-jre-headless"),
        )),
        Some("bench") => Ok(step::run_all(&root()?, &[bench(rest)], Report::default())),
        Some("fuzz") if rest.is_empty() => {
            let nightly = tools::has("cargo-fuzz") && tools::has_nightly();
            Ok(step::run_all(&root()?, &fuzz(nightly), Report::default()))
        }
        Some("soak") if rest.is_empty() => Ok(step::run_all(&root()?, &[soak()], Report::default())),
        Some("workers") if rest.is_empty() => Ok(step::run_all(&root()?, &[workers()], Report::default())),
        Some("pictures") if rest.is_empty() => Ok(step::run_all(&root()?, &[pictures()], with("chromium", "chromium"))),
        Some("load") if rest.is_empty() => Ok(step::run_all(&root()?, &[load()], with("wrk", "wrk"))),
        Some("fit") if rest.is_empty() => {
            let steps = [fit_sites(&root()?), fit(), fit_roles(&root()?)];
            Ok(step::run_all(&root()?, &steps, Report::default()))
        }
        Some("gate") if rest.is_empty() => Ok(step::run_all(&root()?, &gate(&root()?), Report::default())),
        Some("gate") if rest == ["--quick"] => Ok(step::run_all(&root()?, &quick_gate(&root()?), Report::default())),
        Some("help" | "--help" | "-h") | None => {
            print!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        Some(_) => bail!("cannot run `{}`: no such command or argument\n\nhint: cargo xtask help", arguments.join(" ")),
    }
}

/// With a program that the measure starts.
fn with(program: &str, package: &str) -> Report {
    let mut report = Report::default();
    tools::install_one(program, package, &mut report);
    report
}

fn test() -> Result<ExitCode> {
    let root = root()?;
    let (target, nextest) = (target(&root), tools::has("cargo-nextest"));
    let mut report = Report::new(skipped::report(&target));
    // Goes on beside the rest; the step of the Python package waits for it.
    let mut environment = python::environment(&root, &target).background();
    tools::install(&root, &target, &mut report);
    if !nextest {
        report.absent("`cargo-nextest`: skipped tests are not listed here".to_owned());
    }
    if !tools::has("cargo-deny") {
        report.absent("`cargo-deny`: licences and sources are looked at by a test only".to_owned());
    }
    if !data(&root).is_dir() {
        report.absent(format!("real sites in `{}`: tests on them are skipped", data(&root).display()));
    }
    let mut steps = test_steps(nextest);
    steps.extend(python::steps(&root, &target));
    if data(&root).is_dir() {
        steps.extend(quick_gate(&root));
    }
    steps.extend(tools::has("cargo-deny").then(deny));
    let code = step::run_all(&root, &steps, report);
    if let Some(environment) = &mut environment {
        let _ = environment.kill(); // Still there only where a step before it failed.
        let _ = environment.wait();
    }
    Ok(code)
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
        package(false),
    ]
}

/// The library without its heavy parts.
fn without_features() -> Step {
    Step::new("no features", &["cargo", "check", "--package", "pagekin", "--no-default-features"])
}

/// Documentation of all crates, without a warning. First lines of modules name private ones too, for those who read the source.
fn documentation() -> Step {
    let flags = "RUSTDOCFLAGS=-D warnings -A rustdoc::private-intra-doc-links";
    Step::new("documentation", &["env", flags, "cargo", "doc", "--workspace", "--no-deps", "--lib"])
}

/// Can each crate be published? Without a network where nothing is built.
fn package(built: bool) -> Step {
    let command: &[&str] = match built {
        true => &["cargo", "publish", "--workspace", "--dry-run", "--allow-dirty"],
        false => &[
            "cargo",
            "package",
            "--workspace",
            "--no-verify",
            "--exclude-lockfile",
            "--offline",
            "--allow-dirty",
            "--quiet",
        ],
    };
    Step::new("package", command)
}

/// Advisories need a network: `cargo deny check advisories`.
fn deny() -> Step {
    Step::new("deny", &["cargo", "deny", "--offline", "check", "licenses", "sources", "bans"])
}

fn bench(arguments: &[String]) -> Step {
    let arguments = arguments.iter().map(String::as_str);
    Step::new("bench", &["cargo", "bench", "--workspace"].into_iter().chain(arguments).collect::<Vec<_>>())
}

fn pictures() -> Step {
    let test =
        ["cargo", "test", "-p", "pagekin-web", "--test", "screens", "--", "--ignored", "--nocapture", "pictures"];
    Step::new("pictures", &test)
}

fn load() -> Step {
    Step::new("load", &["cargo", "run", "--release", "-p", "pagekin-web", "--example", "load"])
}

/// What `fuzz/targets.rs` holds; a test there compares.
const TARGETS: [&str; 12] = [
    "html",
    "charset",
    "sitemap",
    "robots",
    "warc",
    "address",
    "templates",
    "wrapper",
    "model",
    "rules",
    "domain",
    "config",
];

/// With libFuzzer and its sanitizer where there is a nightly toolchain, else with mutations in the tests. Overflow is checked in both.
fn fuzz(nightly: bool) -> Vec<Step> {
    if !nightly {
        let command = ["env", "PAGEKIN_FUZZ_SECONDS=600", "cargo", "test", "--package", "pagekin-testkit"];
        return vec![Step::new("fuzz", &[&command[..], &["--test", "fuzz", "--", "--nocapture"]].concat())];
    }
    let step = |name| Step::new(name, &["cargo", "+nightly", "fuzz", "run", name, "--", "-max_total_time=330"]);
    TARGETS.into_iter().map(step).collect()
}

fn soak() -> Step {
    let command = ["cargo", "test", "--release", "--package", "pagekin-cli", "--test", "soak"];
    Step::new("soak", &[&command[..], &["--", "--ignored", "--nocapture"]].concat())
}

fn workers() -> Step {
    let test = ["cargo", "test", "-p", "pagekin-cli", "--test", "run_shared", "--", "--ignored", "--nocapture"];
    Step::new("workers", &test)
}

/// The sites that discovery is fitted on: those of the data, and documentation that Debian ships.
const FIT_SITES: &str = "target/fit-sites";

fn fit_sites(root: &Path) -> Step {
    let sites = data(root).join("sites").to_string_lossy().into_owned();
    Step::new("sites to fit on", &["python3", "eval/debian_sites.py", FIT_SITES, "--beside", &sites])
}

fn fit() -> Step {
    let command = ["cargo", "run", "--profile", "quick", "--package", "pagekin-cli", "--", "eval", "fit", FIT_SITES];
    let written = ["--params", "crates/core/src/discover/kin/params.json", "--folds", "eval/folds.json"];
    Step::new("fit", &[&command[..], &written].concat())
}

fn fit_roles(root: &Path) -> Step {
    let sites = data(root).join("swde").to_string_lossy().into_owned();
    let command = ["cargo", "run", "--profile", "quick", "--package", "pagekin-cli", "--", "eval", "extract", &sites];
    Step::new("fit of roles", &[&command[..], &["--fit", "crates/core/src/extract/fitted/roles.json"]].concat())
}

fn gate(root: &Path) -> Vec<Step> {
    let folder = |name: &str| data(root).join(name).to_string_lossy().into_owned();
    let measured = |name: &str, what: &[&str], folder: String, floors: &str| {
        let command = ["cargo", "run", "--release", "--package", "pagekin-cli", "--", "eval"];
        Step::new(name, &[&command[..], what, &[&folder, "--gate", floors]].concat())
    };
    let (extraction, stages) = ("eval/extraction.json", "eval/stages.json");
    let check = ["cargo", "run", "--release", "--package", "pagekin-cli", "--", "eval", "check", "--gate", stages];
    vec![
        Step::new("gate of checks", &check),
        measured("gate of hidden pages", &["hidden"], folder("urls/templates"), stages),
        measured("gate of models", &["model", "--methods", "survey"], folder("sites"), stages),
        measured("gate", &["discovery", "--left-out", "eval/folds.json"], folder("sites"), "eval/floors.json"),
        measured("gate of drawn pages", &drawn_sites(), folder("sites"), "eval/drawn.json"),
        measured("gate of domain files", &["extract"], folder("swde"), extraction),
        measured("gate of examples", &["extract", "--by", "example"], folder("swde"), extraction),
        measured("gate of nothing given", &["extract", "--by", "nothing", "--raw"], folder("swde"), extraction),
        measured("gate of tables", &["tables"], folder("gold"), extraction),
        measured("gate of runs", &["run"], folder("gold"), extraction),
    ]
}

/// Sites of the gate of methods that draw pages: those with the twelve smallest archives.
const DRAWN_SITES: &str = "turecki,durham_civil_rights,climate_art_350,openems_wiki,singochina,dcnj2015,tropixel,soundsoftware,\
                           drupalcamp_wroclaw,marinebon,duraark,platzfuerwien";

/// Each page is drawn once; for root the browser works without its sandbox only.
fn drawn_sites() -> Vec<&'static str> {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let all = ["discovery", "--sites", DRAWN_SITES, "--layouts", "target/layouts"];
    all.into_iter().chain(is_root.then_some("--render-no-sandbox")).collect()
}

/// Sites of the quick gate: small, of three content systems.
const QUICK_SITES: &str = "acmekey,climate_art_350,durham_civil_rights,singochina,turecki";

/// With the binary that the tests built, so that nothing is compiled for it.
fn quick_gate(root: &Path) -> Vec<Step> {
    let binary = target(root).join("debug/pagekin").to_string_lossy().into_owned();
    let measured = |stage: &str, folder: Option<&str>, options: &[&str], floors: &str| {
        let folder = folder.map(|name| data(root).join(name).to_string_lossy().into_owned());
        let command = [binary.as_str(), "eval", stage];
        let what: Vec<&str> = folder.as_deref().into_iter().chain(options.iter().copied()).collect();
        Step::new(&format!("gate {stage}"), &[&command[..], &what, &["--gate", floors]].concat())
    };
    let floors = "eval/quick.json";
    let left_out = ["--left-out", "eval/folds.json", "--sites", QUICK_SITES];
    vec![
        python::build(),
        measured("discovery", Some("sites"), &left_out, "eval/quick_discovery.json"),
        measured("model", Some("sites"), &["--methods", "survey", "--sites", QUICK_SITES], floors),
        measured("hidden", Some("urls/templates"), &[], floors),
        measured("extract", Some("swde"), &["--sites", "auto-kbb,book-abebooks,movie-imdb,nbaplayer-espn"], floors),
        measured("tables", Some("gold"), &["--only", "museum,roman"], floors),
        measured("check", None, &["--rows", "2000", "--offers", "400"], floors),
        measured("run", Some("gold"), &["--only", "museum"], floors),
    ]
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
    fn fuzzing_needs_no_nightly_toolchain() {
        assert!(fuzz(false)[0].shown().contains("cargo test --package pagekin-testkit --test fuzz"));
        assert_eq!(fuzz(true)[0].shown(), "cargo +nightly fuzz run html -- -max_total_time=330");
        let targets = std::fs::read_to_string(root().unwrap().join("fuzz/targets.rs")).unwrap();
        assert!(TARGETS.iter().all(|name| targets.contains(&format!("(\"{name}\", {name})"))));
        assert!(targets.contains(&format!("[(&str, Target); {}]", TARGETS.len())));
    }

    #[test]
    fn bench_hands_its_arguments_on() {
        assert_eq!(bench(&["parse".to_owned()]).shown(), "cargo bench --workspace parse");
    }

    #[test]
    fn the_gate_measures_all_that_has_floors() {
        for steps in [gate(Path::new("/w")), quick_gate(Path::new("/w"))] {
            let steps: Vec<String> = steps.iter().map(Step::shown).collect();
            for stage in ["discovery", "model", "hidden", "extract", "tables", "check", "run"] {
                assert!(steps.iter().any(|step| step.contains(&format!(" eval {stage} "))), "{stage}: {steps:?}");
            }
            for step in steps.iter().filter(|step| step.contains(" eval ")) {
                let floors = step.rsplit(' ').next().unwrap();
                assert!(root().unwrap().join(floors).is_file(), "{step}");
            }
        }
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().unwrap().join("Cargo.lock").is_file());
    }
}
