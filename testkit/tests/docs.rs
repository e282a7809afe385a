//! Do the documents tell the truth? Markdown and sources → links that resolve, commands that exist, no leftovers.
//!
//! Anchors inside a page and addresses on the web are not looked at: the tests run without a network.

mod tree;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The text of a document outside code fences, or inside them.
fn lines(text: &str, fenced: bool) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !fence && inside == fenced
    })
}

/// The targets of `[text](target)`.
fn links(text: &str) -> Vec<String> {
    let after = lines(text, false).flat_map(|line| line.split("](").skip(1));
    after.filter_map(|rest| rest.split([')', ' ']).next()).map(str::to_owned).collect()
}

/// Links to files of the repository that are not there.
fn dead_links(path: &str, text: &str, root: &Path) -> Vec<String> {
    let folder = root.join(path).parent().expect("a folder").to_path_buf();
    let local = |target: &String| !target.contains("://") && !target.starts_with("mailto:") && !target.starts_with('#');
    let exists = |target: &String| folder.join(target.split('#').next().unwrap_or("")).exists();
    let dead = links(text).into_iter().filter(|target| local(target) && !exists(target));
    dead.map(|target| format!("`{path}` points to `{target}`, which is not there")).collect()
}

#[test]
fn relative_links_lead_to_files() {
    let root = tree::root();
    let dead: Vec<String> = tree::files(&[".md"]).iter().flat_map(|f| dead_links(&f.path, &f.text, &root)).collect();
    assert!(dead.is_empty(), "\n{}", dead.join("\n"));
}

#[test]
fn a_dead_link_is_found() {
    let text = "See [here](Cargo.toml#x), [there](no-such.md) and [the web](https://example.org/).\n```\n[x](y)\n```\n";
    assert_eq!(dead_links("README.md", text, &tree::root()).len(), 1);
    assert_eq!(dead_links("docs/x.md", "[up](../Cargo.toml)", &tree::root()), [""; 0]);
}

/// What a document tells its reader to type: code in a line or in a fence, without the prompt.
fn typed(text: &str) -> impl Iterator<Item = &str> {
    let spans = lines(text, false).flat_map(|line| line.split('`').skip(1).step_by(2));
    spans.chain(lines(text, true)).map(|code| code.trim_start().trim_start_matches("$ "))
}

/// The commands a document tells its reader to type: `pagekin WORD` in code, in a line or in a fence.
fn commands(text: &str) -> BTreeSet<String> {
    let after = typed(text).filter_map(|code| code.strip_prefix("pagekin ")?.split_whitespace().next());
    after.filter(|word| word.bytes().all(|b| b.is_ascii_lowercase())).map(str::to_owned).collect()
}

/// What the command line says of itself. The binary is built into the folder above the tests when the workspace is
/// tested; a test that looked elsewhere, or passed without it, would prove nothing.
fn help(command: &str) -> String {
    let tests = std::env::current_exe().expect("this test's program");
    let binary = tests.ancestors().nth(2).expect("the folder above").join("pagekin");
    let output = Command::new(&binary).args(command.split_whitespace()).arg("--help").output();
    let output = output.unwrap_or_else(|error| panic!("no `{}`: {error}\n\nhint: cargo build", binary.display()));
    String::from_utf8(output.stdout).expect("text")
}

/// The rows under `Commands:`; deeper lines go on with the text of a row.
fn commands_in_help(help: &str) -> Option<BTreeSet<String>> {
    let list = help.split_once("Commands:\n")?.1.lines().take_while(|row| row.is_empty() || row.starts_with(' '));
    let rows = list.filter(|row| row.starts_with("  ") && !row.starts_with("   "));
    Some(rows.filter_map(|row| row.split_whitespace().next()).map(str::to_owned).collect())
}

/// All documents but the contract in ARCHITECTURE.md, which names commands before they are there.
fn documents() -> impl Iterator<Item = tree::File> {
    tree::files(&[".md"]).into_iter().filter(|file| file.path != "ARCHITECTURE.md")
}

#[test]
fn documented_commands_exist() {
    let existing = commands_in_help(&help("")).expect("commands");
    for file in documents() {
        let unknown: Vec<String> = commands(&file.text).difference(&existing).cloned().collect();
        assert!(unknown.is_empty(), "`{}` names commands that do not exist: {unknown:?}", file.path);
    }
}

/// The flags a document types behind a command, each with the command: `discover --out`.
fn flags(text: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for code in typed(text) {
        // What stands before is another program of a pipe.
        let Some((_, words)) = code.split_once("pagekin ") else { continue };
        let words: Vec<&str> = words.split(['#', '|']).next().unwrap_or("").split_whitespace().collect();
        let command = words.first().map_or(String::new(), |&word| match word {
            "eval" => {
                let stages = ["fit", "model", "hidden", "extract", "check", "completeness"];
                format!("eval {}", words.get(1).filter(|word| stages.contains(word)).unwrap_or(&"discovery"))
            }
            "watch" => format!("watch {}", words.get(1).unwrap_or(&"run")),
            word if word.starts_with('-') => String::new(),
            word => word.to_owned(),
        });
        let flags = words.iter().filter(|word| word.starts_with("--") && word.len() > 2);
        found.extend(flags.map(|flag| (command.clone(), flag.split('=').next().unwrap_or(flag).to_owned())));
    }
    found
}

#[test]
fn documented_flags_exist() {
    let mut checked = 0;
    for file in documents() {
        for (command, flag) in flags(&file.text) {
            let help = help(&command);
            let mut words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            assert!(words.any(|word| word == flag), "`{}` types `pagekin {command}` with `{flag}`", file.path);
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} flags found in the documents");
}

#[test]
fn flags_are_read_from_code() {
    let text =
        "Use `pagekin eval discovery x --failures=5`.\n```\n$ echo u | pagekin discover --urls - | head --x\n```\n";
    let pairs = [("discover", "--urls"), ("eval discovery", "--failures")];
    assert_eq!(flags(text), pairs.map(|(command, flag)| (command.to_owned(), flag.to_owned())).into());
}

#[test]
fn commands_are_read_from_code() {
    let text = "Run `pagekin discover URL` or pagekin nothing.\n```\n$ pagekin eval x\npagekin --help\n```\n";
    assert_eq!(commands(text).into_iter().collect::<Vec<_>>(), ["discover", "eval"]);
}

#[test]
fn commands_are_read_from_help() {
    let help = "Usage: x\n\nCommands:\n  demo      A tour\n            on loopback\n\n  discover  All\n\nOptions:\n  -q  Quiet\n";
    assert_eq!(commands_in_help(help), Some(["demo", "discover"].map(str::to_owned).into()));
    assert_eq!(commands_in_help(""), None);
}

/// Put together from halves, so that this file does not hold them itself.
const LEFTOVERS: [&str; 9] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("pypi.org/", "simple"),
    concat!("files.", "pythonhosted.org"),
    concat!("registry.", "npmjs.org"),
];

fn leftovers(text: &str) -> Vec<&'static str> {
    LEFTOVERS.into_iter().filter(|word| text.contains(word)).collect()
}

#[test]
fn no_file_holds_leftovers_of_a_machine() {
    let files = tree::files(&[".md", ".rs", ".toml", ".py", ".sh", ".txt", ".yml", ".ci/run"]);
    for file in files {
        let found = leftovers(&file.text);
        assert!(found.is_empty(), "`{}` holds {found:?}", file.path);
    }
    assert_eq!(leftovers(concat!("see /wo", "rk/x")).len(), 1);
}

#[test]
fn every_stage_page_is_linked() {
    let stages = tree::files(&[".md"]).into_iter().filter(|file| file.path.starts_with("docs/stages/"));
    let (list, pages): (Vec<_>, Vec<_>) = stages.partition(|file| file.path.ends_with("/README.md"));
    let linked = links(&list[0].text);
    let unlinked = pages.iter().filter(|page| !linked.iter().any(|link| page.path.ends_with(&format!("/{link}"))));
    assert_eq!(unlinked.map(|page| &page.path).collect::<Vec<_>>(), [""; 0], "not in docs/stages/README.md");
}

#[test]
fn the_readme_opens_with_the_two_commands() {
    let readme = tree::files(&["README.md"]).into_iter().find(|file| file.path == "README.md").expect("a README");
    for command in ["cargo run --release -- demo", "cargo xtask test"] {
        assert!(lines(&readme.text, true).any(|line| line.starts_with(command)), "README does not show `{command}`");
    }
}
