//! Is everything we depend on from where it should be, under a licence that we may use? `deny.toml`, `cargo metadata` → yes or what is not.
//!
//! The part of `cargo deny` that needs neither its program nor a network; advisories need both.

#[allow(dead_code, reason = "a test uses a part of it")]
mod tree;

use serde_json::Value;
use std::process::Command;

/// Is the expression true when each licence is replaced by whether it is allowed? `/` is an old spelling of `OR`.
struct Expression<'e> {
    words: std::iter::Peekable<std::vec::IntoIter<&'e str>>,
    allowed: &'e [String],
}

impl<'e> Expression<'e> {
    fn holds(text: &'e str, allowed: &'e [String]) -> bool {
        let mut words = Vec::new();
        for word in text.split_inclusive(['(', ')', '/', ' ']) {
            let (word, mark) = word.split_at(word.trim_end_matches(['(', ')', '/', ' ']).len());
            words.extend([word, mark.trim()].into_iter().filter(|word| !word.is_empty()));
        }
        let mut expression = Expression { words: words.into_iter().peekable(), allowed };
        expression.any() && expression.words.next().is_none()
    }

    fn is_next(&mut self, names: &[&str]) -> bool {
        self.words.next_if(|word| names.contains(word)).is_some()
    }

    fn any(&mut self) -> bool {
        let mut holds = self.all();
        while self.is_next(&["OR", "or", "/"]) {
            holds |= self.all();
        }
        holds
    }

    fn all(&mut self) -> bool {
        let mut holds = self.one();
        while self.is_next(&["AND"]) {
            holds &= self.one();
        }
        holds
    }

    fn one(&mut self) -> bool {
        if self.is_next(&["("]) {
            let holds = self.any();
            return self.is_next(&[")"]) && holds;
        }
        let Some(name) = self.words.next() else { return false };
        let exception = if self.is_next(&["WITH"]) { self.words.next() } else { None };
        let name = exception.map_or(name.to_owned(), |exception| format!("{name} WITH {exception}"));
        self.allowed.contains(&name)
    }
}

fn listed(table: &toml::Table, section: &str, key: &str) -> Vec<String> {
    let list = table[section][key].as_array().expect("a list");
    list.iter().map(|entry| entry.as_str().expect("a text").to_owned()).collect()
}

/// As far as cargo knows them without a network.
fn packages() -> Option<Vec<Value>> {
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let arguments = ["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", &host];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(tree::root()).output().expect("cargo");
    if !output.status.success() {
        eprintln!("SKIPPED: cargo cannot say what we depend on: {}", String::from_utf8_lossy(&output.stderr).trim());
        return None;
    }
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    answer["packages"].as_array().cloned()
}

#[test]
fn all_we_depend_on_may_be_used_and_comes_from_the_registry() {
    let table: toml::Table =
        std::fs::read_to_string(tree::root().join("deny.toml")).expect("deny.toml").parse().expect("TOML");
    let (licences, registries) = (listed(&table, "licenses", "allow"), listed(&table, "sources", "allow-registry"));
    let Some(packages) = packages() else { return };
    assert!(packages.len() > 100, "only {} packages", packages.len());
    let mut wrong = Vec::new();
    for package in &packages {
        let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or(""));
        if !Expression::holds(licence, &licences) {
            wrong.push(format!("{name} has the licence `{licence}`"));
        }
        let from = package["source"].as_str();
        if from.is_some_and(|from| !registries.iter().any(|known| from == format!("registry+{known}"))) {
            wrong.push(format!("{name} comes from `{}`", from.unwrap_or("")));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n\nhint: deny.toml lists what is allowed", wrong.join("\n"));
}

#[test]
fn expressions_of_licences_are_read() {
    let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for (text, expected) in [
        ("MIT", true),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("GPL-3.0 / MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("ISC AND (GPL-3.0 OR MIT)", true),
        ("(GPL-3.0 OR MIT) AND LGPL-2.1", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
        ("Apache-2.0", false),
        ("MIT MIT", false),
        ("", false),
    ] {
        assert_eq!(Expression::holds(text, &allowed), expected, "{text}");
    }
}
