//! What does the code reach for? Source text → forbidden words and uses, as sentences.
//!
//! Looks at words, not at meaning: a border that is easy to keep by habit needs no compiler plug-in.

use std::collections::{BTreeMap, BTreeSet};

/// Same input, same output.
const PURE: [&str; 2] = ["crates/core/src/", "crates/html/src/"];

/// What would tie these to a machine.
const IMPURE: [&str; 8] =
    ["std::fs", "std::net", "std::env", "std::process", "SystemTime", "Instant::now", "thread::sleep", "std::os"];

const PRINTING: [&str; 5] = ["println!", "eprintln!", "print!", "eprint!", "dbg!"];

/// Where printing is the purpose.
const MAY_PRINT: [&str; 3] = ["crates/cli/", "xtask/", "testkit/"];

/// Shorter files are taken in at a glance and need no header.
const AT_A_GLANCE: usize = 20;

/// The rules this file breaks. `path` is from the workspace folder.
pub fn broken(path: &str, text: &str) -> Vec<String> {
    let code = without_comments(text);
    let mut found = Vec::new();
    if PURE.iter().any(|start| path.starts_with(start)) {
        found.extend(words(path, &code, &IMPURE, "`core` and `html` are pure"));
    }
    if path.contains("/src/") && !MAY_PRINT.iter().any(|start| path.starts_with(start)) {
        found.extend(words(path, &code, &PRINTING, "printing happens in `cli`"));
    }
    if !text.starts_with("//!") && text.lines().count() >= AT_A_GLANCE {
        found.push(format!("`{path}` does not start with `//!` lines that say which question it answers"));
    }
    found
}

fn without_comments(text: &str) -> String {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| [line, "\n"]).collect()
}

fn words(path: &str, code: &str, forbidden: &[&str], because: &str) -> Vec<String> {
    let found = forbidden.iter().filter(|word| has_word(code, word));
    found.map(|word| format!("`{path}` uses `{word}`: {because}")).collect()
}

/// Not as the end of a longer name: `println!` is not in `eprintln!`.
fn has_word(code: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| !code[..at].ends_with(inside))
}

/// A stage of `core`, and the stages it may use.
pub type Edges = BTreeMap<String, BTreeSet<String>>;

/// The stages of `core` that the code of `path` uses, its own left out; none when the file belongs to no stage.
pub fn stages_used(path: &str, text: &str, edges: &Edges) -> Option<(String, BTreeSet<String>)> {
    let inner = path.strip_prefix("crates/core/src/")?;
    let stage = inner.split(['/', '.']).next().filter(|stage| edges.contains_key(*stage))?;
    let code = without_comments(text);
    // The way to the crate's root without its name, from the stage's own file or from one below it.
    let up = if inner.contains('/') && !inner.ends_with("/mod.rs") { "super::super::" } else { "super::" };
    let used = ["crate::", up].into_iter().flat_map(|start| names_after(&code, start));
    let used = used.filter(|name| *name != stage && edges.contains_key(*name)).map(str::to_owned).collect();
    Some((stage.to_owned(), used))
}

/// Uses of one stage by another that `ARCHITECTURE.md` does not draw.
pub fn broken_stages(path: &str, text: &str, edges: &Edges) -> Vec<String> {
    let Some((stage, used)) = stages_used(path, text, edges) else { return Vec::new() };
    let wrong = used.difference(&edges[&stage]);
    wrong.map(|name| format!("`{path}` uses `{name}`: `{stage}` may not, by the picture in ARCHITECTURE.md")).collect()
}

/// Lines such as `discover  page features site` in the block of a document that begins with `first`.
pub fn edges_in(document: &str, first: &str) -> Edges {
    let block = document.split("```").find(|block| block.trim_start_matches("text").trim_start().starts_with(first));
    let lines = block.unwrap_or("").lines().skip(1).filter(|line| !line.trim().is_empty());
    let edge = |line: &str| {
        let mut names = line.split_whitespace().map(str::to_owned).filter(|name| name != "-");
        Some((names.next()?, names.collect()))
    };
    lines.filter(|line| !line.starts_with(first)).filter_map(edge).collect()
}

/// The first name of each path after `start`; of each path in the braces after it: `crate::{page, features::x}`.
fn names_after<'a>(code: &'a str, start: &str) -> Vec<&'a str> {
    let ends = code.match_indices(start).map(|(at, _)| &code[at + start.len()..]);
    ends.flat_map(|rest| match rest.strip_prefix('{') {
        Some(inner) => names_in_braces(inner),
        None => vec![first_name(rest)],
    })
    .collect()
}

fn first_name(text: &str) -> &str {
    let text = text.trim_start();
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("")
}

fn names_in_braces(inner: &str) -> Vec<&str> {
    let (mut depth, mut names) = (0, vec![first_name(inner)]);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(first_name(&inner[at + 1..])),
            _ => {}
        }
    }
    names
}
