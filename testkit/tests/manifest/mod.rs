//! Which crate may use which? Manifests → forbidden edges, as sentences.
//!
//! - [`Manifest`]: a package and what it depends on. [`Dependency`]: one edge, with the table it stands in.
//! - [`Rule`]: external crates with the packages that may have them.
//!
//! The rules are those of `ARCHITECTURE.md`; a new edge is a line in [`EDGES`] and a reason in the commit.

use toml::{Table, Value};

/// What each package may use of this workspace.
const EDGES: [(&str, &[&str]); 14] = [
    ("pagekin-html", &[]),
    ("pagekin-warc", &[]),
    ("pagekin-core", &["pagekin-html"]),
    ("pagekin-fetch", &["pagekin-core", "pagekin-warc"]),
    ("pagekin-render", &["pagekin-core"]),
    ("pagekin-store", &["pagekin-core"]),
    ("pagekin", &["pagekin-core", "pagekin-fetch", "pagekin-render", "pagekin-store"]),
    ("pagekin-web", &["pagekin"]),
    ("pagekin-eval", &["pagekin"]),
    ("pagekin-python", &["pagekin", "pagekin-cli"]),
    ("pagekin-cli", &["pagekin", "pagekin-web", "pagekin-eval"]),
    ("pagekin-testkit", &[]),
    ("pagekin-fuzz", &["pagekin-cli", "pagekin-core", "pagekin-fetch"]),
    ("xtask", &[]),
];

const TESTKIT: &str = "pagekin-testkit";

/// External crates that only some packages may have.
struct Rule {
    crates: &'static [&'static str],
    only: &'static [&'static str],
    because: &'static str,
}

const RULES: [Rule; 5] = [
    Rule {
        crates: &["rusqlite", "sqlx", "diesel", "tokio-postgres", "postgres", "deadpool-postgres", "refinery"],
        only: &["pagekin-store"],
        because: "no SQL outside `store`",
    },
    Rule {
        crates: &["reqwest", "hyper", "hyper-util", "ureq", "isahc", "curl", "attohttpc"],
        only: &["pagekin-fetch"],
        because: "no HTTP client outside `fetch`",
    },
    Rule {
        crates: &["clap", "indicatif", "comfy-table"],
        only: &["pagekin-cli"],
        because: "the command line is `cli`'s",
    },
    Rule { crates: &["pyo3", "pyo3-arrow"], only: &["pagekin-python"], because: "Python is `python`'s" },
    Rule { crates: &["anyhow"], only: &["pagekin-cli", "xtask"], because: "libraries have an error type of their own" },
];

/// Same input, same output.
const PURE: [&str; 2] = ["pagekin-core", "pagekin-html"];

/// A runtime, randomness or a clock would let the same input give another output.
const IMPURE: [&str; 14] = [
    "tokio",
    "async-std",
    "smol",
    "axum",
    "rand",
    "fastrand",
    "getrandom",
    "jiff",
    "chrono",
    "time",
    "tempfile",
    "memmap2",
    "walkdir",
    "tracing-subscriber",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// In the product: normal and build dependencies.
    Product,
    Development,
}

pub struct Dependency {
    pub name: String,
    pub kind: Kind,
}

pub struct Manifest {
    pub package: String,
    pub dependencies: Vec<Dependency>,
}

/// Reads a manifest; `shared` is `workspace.dependencies`, where a dependency may have got another name.
pub fn read(text: &str, shared: &Table) -> Result<Manifest, String> {
    let table: Table = text.parse().map_err(|error| format!("not TOML: {error}"))?;
    let package = table.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
    let mut dependencies = dependencies_in(&table, shared);
    let targets = table.get("target").and_then(Value::as_table);
    for target in targets.into_iter().flat_map(|targets| targets.values()).filter_map(Value::as_table) {
        dependencies.extend(dependencies_in(target, shared));
    }
    Ok(Manifest { package: package.ok_or("no package.name")?.to_owned(), dependencies })
}

fn dependencies_in(table: &Table, shared: &Table) -> Vec<Dependency> {
    let kinds = [
        ("dependencies", Kind::Product),
        ("build-dependencies", Kind::Product),
        ("dev-dependencies", Kind::Development),
    ];
    let entries = kinds.iter().filter_map(|(key, kind)| Some((table.get(*key)?.as_table()?, *kind)));
    let named = |(entries, kind): (&Table, Kind)| {
        let names: Vec<String> = entries.iter().map(|(key, entry)| real_name(key, entry, shared)).collect();
        names.into_iter().map(move |name| Dependency { name, kind })
    };
    entries.flat_map(named).collect()
}

/// `web = { package = "reqwest" }` is reqwest, here or in the workspace.
fn real_name(key: &str, entry: &Value, shared: &Table) -> String {
    let renamed = |entry: &Value| entry.get("package").and_then(Value::as_str).map(str::to_owned);
    renamed(entry).or_else(|| renamed(shared.get(key)?)).unwrap_or_else(|| key.to_owned())
}

/// The rules this manifest breaks.
pub fn broken(manifest: &Manifest) -> Vec<String> {
    let package = manifest.package.as_str();
    let Some((_, allowed)) = EDGES.iter().find(|(name, _)| *name == package) else {
        return vec![format!("`{package}` is not in the table of crate edges: say there what it may use")];
    };
    manifest.dependencies.iter().filter_map(|dependency| broken_by(package, allowed, dependency)).collect()
}

fn broken_by(package: &str, allowed: &[&str], dependency: &Dependency) -> Option<String> {
    let name = dependency.name.as_str();
    let because = if EDGES.iter().any(|(workspace, _)| *workspace == name) {
        wrong_edge(package, allowed, dependency)?
    } else {
        wrong_crate(package, dependency)?
    };
    Some(format!("`{package}` must not depend on `{name}`: {because}"))
}

fn wrong_edge(package: &str, allowed: &[&str], dependency: &Dependency) -> Option<&'static str> {
    let name = dependency.name.as_str();
    match dependency.kind {
        Kind::Product if name == TESTKIT => Some("testkit is for development only"),
        Kind::Product if !allowed.contains(&name) => Some("the edge is not in ARCHITECTURE.md"),
        // Tests of testkit look at the whole house.
        Kind::Development if !allowed.contains(&name) && name != TESTKIT && package != TESTKIT => {
            Some("the edge is not in ARCHITECTURE.md, for tests neither")
        }
        _ => None,
    }
}

fn wrong_crate(package: &str, dependency: &Dependency) -> Option<&'static str> {
    let name = dependency.name.as_str();
    if PURE.contains(&package) && dependency.kind == Kind::Product && IMPURE.contains(&name) {
        return Some("`core` and `html` are pure: no runtime, clock, randomness or disk");
    }
    let rule = RULES.iter().find(|rule| rule.crates.contains(&name))?;
    (!rule.only.contains(&package) && package != TESTKIT).then_some(rule.because)
}
