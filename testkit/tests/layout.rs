//! Does the house stand as `ARCHITECTURE.md` draws it? Manifests and sources → no broken rule.
//!
//! The checks are in `manifest` and `source`; here they run on the repository, and on made-up offenders to show
//! that they can fail.

mod manifest;
mod source;
mod tree;

use toml::Table;

fn shared() -> Table {
    let files = tree::files(&["Cargo.toml"]);
    let root = files.iter().find(|file| file.path == "Cargo.toml").expect("a root manifest");
    let table: Table = root.text.parse().expect("TOML");
    table["workspace"]["dependencies"].as_table().expect("a table").clone()
}

fn broken_manifest(text: &str) -> Vec<String> {
    manifest::broken(&manifest::read(text, &shared()).expect("a manifest"))
}

#[test]
fn every_crate_uses_only_what_it_may() {
    let manifests = tree::files(&["/Cargo.toml"]);
    assert!(manifests.len() >= 8, "only {} manifests found", manifests.len());
    let broken: Vec<String> = manifests.iter().flat_map(|file| broken_manifest(&file.text)).collect();
    assert!(broken.is_empty(), "\n{}\n\nhint: see the rules in ARCHITECTURE.md", broken.join("\n"));
}

#[test]
fn sources_keep_to_their_side_of_the_border() {
    let sources = tree::files(&[".rs"]);
    assert!(sources.len() >= 10, "only {} sources found", sources.len());
    let broken: Vec<String> = sources.iter().flat_map(|file| source::broken(&file.path, &file.text)).collect();
    assert!(broken.is_empty(), "\n{}\n\nhint: see the rules in ARCHITECTURE.md", broken.join("\n"));
}

fn drawn(first: &str) -> source::Edges {
    let files = tree::files(&["ARCHITECTURE.md"]);
    let edges = source::edges_in(&files[0].text, first);
    assert!(edges.len() >= 5, "ARCHITECTURE.md has no block that begins with `{first}`");
    edges
}

#[test]
fn stages_use_one_another_exactly_as_drawn() {
    let (edges, mut used) = (drawn("stage "), source::Edges::new());
    let mut broken = Vec::new();
    for file in tree::files(&[".rs"]) {
        broken.extend(source::broken_stages(&file.path, &file.text, &edges));
        if let Some((stage, uses)) = source::stages_used(&file.path, &file.text, &edges) {
            used.entry(stage).or_default().extend(uses);
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
    assert_eq!(used, edges, "the picture shows an edge that no code needs");
}

#[test]
fn crates_use_one_another_exactly_as_drawn() {
    let edges = drawn("crate ");
    let manifests = tree::files(&["/Cargo.toml"]);
    let read = manifests.iter().map(|file| manifest::read(&file.text, &shared()).expect("a manifest"));
    let mut used = source::Edges::new();
    for manifest in read.filter(|manifest| edges.contains_key(&manifest.package)) {
        let product = manifest.dependencies.iter().filter(|edge| edge.kind == manifest::Kind::Product);
        let names = product.map(|edge| edge.name.clone()).filter(|name| edges.contains_key(name));
        used.insert(manifest.package, names.collect());
    }
    assert_eq!(used, edges);
}

#[test]
fn a_stage_that_uses_another_one_than_drawn_is_found() {
    let edges = source::edges_in("```text\nstage uses\npage -\nfeatures page\nmodel page\n```", "stage ");
    for code in ["use crate::features::Terms;", "use crate::{page::Link, features};", "use super::super::features::x;"]
    {
        assert_eq!(source::broken_stages("crates/core/src/model/view.rs", code, &edges).len(), 1, "{code}");
    }
    let own = "use crate::page::Link;\n// crate::features is not used\n";
    assert_eq!(source::broken_stages("crates/core/src/model/view.rs", own, &edges), [""; 0]);
}

/// A manifest of this package with these lines.
fn made_up(package: &str, lines: &str) -> Vec<String> {
    broken_manifest(&format!("[package]\nname = \"{package}\"\n{lines}\n"))
}

#[test]
fn forbidden_edges_are_found() {
    for (package, lines) in [
        ("pagekin-core", "[dependencies]\npagekin-fetch.workspace = true"),
        ("pagekin-fetch", "[dependencies]\npagekin-store = { path = \"../store\" }"),
        ("pagekin-fetch", "[build-dependencies]\npagekin.workspace = true"),
        ("pagekin-web", "[dependencies]\npagekin-core.workspace = true"),
        ("pagekin-eval", "[target.'cfg(unix)'.dependencies]\npagekin-fetch.workspace = true"),
        ("pagekin-cli", "[dependencies]\npagekin-testkit.workspace = true"),
        ("pagekin-cli", "[dependencies]\nkit = { package = \"pagekin-testkit\", path = \"x\" }"),
        ("pagekin-core", "[dev-dependencies]\npagekin-fetch.workspace = true"),
        ("pagekin-new", ""),
    ] {
        assert_eq!(made_up(package, lines).len(), 1, "{package}: {lines}");
    }
}

#[test]
fn allowed_edges_are_not() {
    for (package, lines) in [
        ("pagekin", "[dependencies]\npagekin-core.workspace = true\npagekin-fetch.workspace = true"),
        ("pagekin-cli", "[dependencies]\npagekin-eval.workspace = true\nclap.workspace = true"),
        ("pagekin-fetch", "[dev-dependencies]\npagekin-testkit.workspace = true"),
        ("pagekin-testkit", "[dev-dependencies]\npagekin-web.workspace = true"),
        ("pagekin-core", "[dev-dependencies]\nproptest.workspace = true"),
    ] {
        assert_eq!(made_up(package, lines), [""; 0], "{package}: {lines}");
    }
}

#[test]
fn forbidden_crates_are_found() {
    for (package, line) in [
        ("pagekin-core", "tokio.workspace = true"),
        ("pagekin-core", "clap = \"4\""),
        ("pagekin", "rusqlite = \"0.41\""),
        ("pagekin-cli", "reqwest.workspace = true"),
        ("pagekin-web", "http-client = { package = \"reqwest\", version = \"0.13\" }"),
        ("pagekin-eval", "anyhow.workspace = true"),
    ] {
        assert_eq!(made_up(package, &format!("[dependencies]\n{line}")).len(), 1, "{package}: {line}");
    }
}

#[test]
fn impure_code_in_core_is_found() {
    for code in ["use std::fs;", "let now = std::time::SystemTime::now();", "fn f() { println!(\"x\") }"] {
        let text = format!("//! Header.\n{code}\n");
        assert_eq!(source::broken("crates/core/src/features/terms.rs", &text).len(), 1, "{code}");
    }
    let headless = "use crate::pages::Pages;\n".repeat(20);
    assert_eq!(source::broken("crates/core/src/page/mod.rs", &headless).len(), 1);
}

#[test]
fn pure_code_and_comments_are_not() {
    let text =
        "//! Unlike std::fs, pure.\nuse crate::page::address;\nuse crate::{pages::Pages, features};\n// println!\n";
    assert_eq!(source::broken("crates/core/src/discover/tree.rs", text), [""; 0]);
    assert_eq!(source::broken("crates/cli/src/main.rs", "//! H.\nfn main() { println!() }\n"), [""; 0]);
    assert_eq!(source::broken("crates/web/tests/serve.rs", "//! H.\nfn f() { eprintln!() }\n"), [""; 0]);
}
