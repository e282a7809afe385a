//! Does `docs/reference/cli.md` tell the truth? Its examples are run, and every flag is named there.

mod common;

use common::{DemoSite, pagekin, stdout};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const REFERENCE: &str = include_str!("../../../docs/reference/cli.md");

/// The lines of the blocks marked `console`.
fn examples() -> Vec<&'static str> {
    let blocks = REFERENCE.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).collect()
}

#[cfg(unix)]
#[test]
fn the_examples_run() {
    let (site, folder) = (DemoSite::start(), tempfile::tempdir().unwrap());
    let command = pagekin();
    let programs = Path::new(command.get_program()).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    assert!(examples().len() >= 6, "{:?}", examples());
    for example in examples() {
        let line = example.replace("http://127.0.0.1:8080", &site.root);
        let output =
            Command::new("sh").args(["-c", &line]).env("PATH", &path).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    for written in
        ["site.warc.gz", "stats.json", "drivers.csv", "tree.html", "learned.json", "changes.csv", "driver.wacz"]
    {
        assert!(folder.path().join(written).is_file(), "{written}");
    }
}

#[test]
fn every_flag_is_named() {
    let flags = |command: &[&str]| -> BTreeSet<String> {
        let help = stdout(&pagekin().args(command).arg("--help").output().unwrap());
        let words = help.split(|c: char| !(c.is_ascii_lowercase() || c == '-')).filter(|word| word.starts_with("--"));
        words.filter(|word| word.len() > 3).map(str::to_owned).collect()
    };
    for command in [
        &["discover"][..],
        &["model"],
        &["classify"],
        &["hidden"],
        &["extract"],
        &["run"],
        &["worker"],
        &["query"],
        &["export"],
        &["mcp"],
        &["prove"],
        &["watch", "add"],
        &["watch", "list"],
        &["watch", "run"],
        &["eval", "discovery"],
        &["eval", "model"],
        &["eval", "hidden"],
        &["eval", "extract"],
        &["serve"],
        &["demo"],
    ] {
        let flags = flags(command);
        assert!(flags.len() > 4, "{flags:?}");
        for flag in flags {
            assert!(REFERENCE.contains(&format!("`{flag}")), "`{flag}` of {command:?} is not in docs/reference/cli.md");
        }
    }
}
