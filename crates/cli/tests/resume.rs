//! Does an interrupted run go on where it stopped? A real server with an access log, a process killed in the middle.

mod common;

use common::championship::Championship;
use common::{pagekin, stderr, stdout};
use pagekin::Archive;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

fn run(site: &Championship, arguments: &[&str]) -> Output {
    let output = pagekin().arg("discover").arg(site.sample()).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    output
}

/// The pages an archive holds, as the access log names them.
fn kept(site: &Championship, archive: &Path) -> BTreeSet<String> {
    let archive = Archive::open(&[archive.to_owned()]).unwrap();
    let root = site.site.url("");
    archive.urls().map(|url| url.as_str().strip_prefix(&root).unwrap().to_owned()).collect()
}

/// Kills the run while it waits for an answer, after so many others.
fn killed(site: &Championship, arguments: &[&str], after: usize) {
    site.silent_after(after);
    let mut child = std::process::Command::new(pagekin().get_program())
        .arg("discover")
        .arg(site.sample())
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    site.wait_for_silence();
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "it ended by itself");
    site.silent_after(usize::MAX);
}

fn stats(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_killed_run_goes_on_and_asks_for_no_page_twice() {
    let site = Championship::start();
    for (method, after) in [("ssup-2019", 90), ("kin", 20)] {
        let folder = tempfile::tempdir().unwrap();
        let [archive, json] = ["s.warc.gz", "s.json"].map(|name| folder.path().join(name));
        let common = ["--method", method, "--save-archive", &archive.to_string_lossy()];
        let whole = run(&site, &["--method", method]);

        killed(&site, &common, after);
        // The last record as a crash of the machine would leave it.
        let bytes = fs::read(&archive).unwrap();
        fs::write(&archive, &bytes[..bytes.len() - 20]).unwrap();
        let before = kept(&site, &archive);
        assert!(before.len() > after / 2, "{method}: {} pages were kept", before.len());

        let log = site.site.log().len();
        let resumed = run(&site, &[&common[..], &["--resume", "--stats", &json.to_string_lossy()]].concat());
        assert_eq!(stdout(&resumed), stdout(&whole), "{method}");
        let asked = site.asked_since(log);
        let twice: Vec<&String> = asked.iter().filter(|target| before.contains(*target)).collect();
        assert!(!asked.is_empty() && twice.is_empty(), "{method}: asked again: {twice:?}");
        let stats = stats(&json);
        // Of what is kept, robots.txt and the sitemap are no pages.
        let of_use = stats["resumed"].as_u64().unwrap() as usize;
        assert!(
            (before.len()..=before.len() + 2).contains(&of_use),
            "{method}: {of_use} of {} were of use",
            before.len()
        );
        assert_eq!(stats["requests"].as_u64().unwrap() as usize, asked.len() + 1, "{method}: and robots.txt");
        assert!(!stderr(&resumed).contains("damaged"), "{}", stderr(&resumed));

        // Now everything is kept: going on asks for no page, and the archive stands alone.
        let log = site.site.log().len();
        assert_eq!(stdout(&run(&site, &[&common[..], &["--resume"]].concat())), stdout(&whole));
        let alone = run(&site, &["--method", method, "--archive", &archive.to_string_lossy()]);
        assert_eq!(stdout(&alone), stdout(&whole));
        assert!(site.asked_since(log).is_empty(), "{method}");
    }
}

#[test]
fn a_spent_budget_can_be_raised() {
    let (site, folder) = (Championship::start(), tempfile::tempdir().unwrap());
    let archive = folder.path().join("s.warc.zst");
    let common = ["--method", "ssup-2019", "--save-archive", &archive.to_string_lossy()];
    // A file that is not there yet is no reason to fail: the same command can be given every time.
    let cut = run(&site, &[&common[..], &["--resume", "--budget", "30"]].concat());
    assert!(stderr(&cut).contains("raise `--budget` and add `--resume`"), "{}", stderr(&cut));
    assert_eq!(kept(&site, &archive).len(), 29, "robots.txt was a request, too");

    let log = site.site.log().len();
    let more = run(&site, &[&common[..], &["--resume", "--budget", "1000"]].concat());
    assert!(site.asked_since(log).iter().all(|target| site.site.count(target) == 1));
    assert_eq!(stdout(&more), stdout(&run(&site, &["--method", "ssup-2019", "--budget", "1000"])));
}

#[cfg(unix)]
#[test]
fn ctrl_c_says_how_to_go_on() {
    let (site, folder) = (Championship::start(), tempfile::tempdir().unwrap());
    let [archive, learned] = ["s.warc", "l.json"].map(|name| folder.path().join(name));
    let common = ["--method", "ssup-2019", "--save-archive", &archive.to_string_lossy()];
    site.silent_after(20);
    let child = std::process::Command::new(pagekin().get_program())
        .arg("discover")
        .arg(site.sample())
        .args(common)
        .arg("--learned")
        .arg(&learned)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    site.wait_for_silence();
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    site.silent_after(usize::MAX);
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("go on with the same command and `--resume`"), "{}", stderr(&output));
    assert!(!learned.exists(), "half of what there is to learn");

    let taken = pagekin().arg("discover").arg(site.sample()).args(common).output().unwrap();
    assert_eq!(taken.status.code(), Some(2));
    assert!(stderr(&taken).contains("is there already\n\nhint: go on with it by `--resume`"), "{}", stderr(&taken));
    let before = kept(&site, &archive);
    let log = site.site.log().len();
    run(&site, &[&common[..], &["--resume"]].concat());
    assert!(site.asked_since(log).iter().all(|target| !before.contains(target)));
}
