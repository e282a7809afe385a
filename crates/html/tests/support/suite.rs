//! The cases of html5lib-tests in `fixtures/html5lib`: files of `#data` and its answer, and files of tokens.

#![allow(clippy::disallowed_methods, reason = "the core is pure; what tests it reads files")]

use serde_json::Value;
use std::path::{Path, PathBuf};

/// One case of a `.dat` file: its sections by name.
pub struct Case {
    /// File and number, from 1.
    pub name: String,
    sections: Vec<(String, Vec<u8>)>,
}

impl Case {
    pub fn section(&self, name: &str) -> Option<&[u8]> {
        self.sections.iter().find(|(known, _)| known == name).map(|(_, body)| body.as_slice())
    }
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/html5lib").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// The cases of all `.dat` files of a folder. A case begins with `#data`, and a line before the next is empty.
pub fn cases(folder: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for path in files(folder, "dat") {
        let bytes = std::fs::read(&path).unwrap();
        let mut number = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if line == b"#data\n" {
                number += 1;
                cases.push(Case { name: format!("{} {number}", stem(&path)), sections: Vec::new() });
            }
            let case = cases.last_mut().expect("a file begins with `#data`");
            match line.strip_prefix(b"#").filter(|_| opens_section(line)) {
                Some(name) => {
                    case.sections.push((String::from_utf8_lossy(name).trim_end().to_owned(), Vec::new()));
                }
                None => case.sections.last_mut().expect("a section").1.extend_from_slice(line),
            }
        }
    }
    for (_, body) in cases.iter_mut().flat_map(|case| &mut case.sections) {
        body.pop_if(|last| *last == b'\n');
    }
    cases
}

const SECTIONS: [&[u8]; 8] = [
    b"#data\n",
    b"#errors\n",
    b"#new-errors\n",
    b"#document-fragment\n",
    b"#document\n",
    b"#script-on\n",
    b"#script-off\n",
    b"#encoding\n",
];

fn opens_section(line: &[u8]) -> bool {
    SECTIONS.contains(&line)
}

/// The tests of all `.test` files, each with its name.
pub fn token_tests() -> Vec<(String, Value)> {
    let mut tests = Vec::new();
    for path in files("tokenizer", "test").into_iter().chain(files("tokenizer", "gz")) {
        let bytes = std::fs::read(&path).unwrap();
        let file: Value = match path.extension().is_some_and(|ending| ending == "gz") {
            true => serde_json::from_reader(flate2::read::GzDecoder::new(bytes.as_slice())).unwrap(),
            false => serde_json::from_slice(&bytes).unwrap(),
        };
        let Some(list) = file["tests"].as_array() else { continue };
        let name = |test: &Value| format!("{}: {}", stem(&path), test["description"].as_str().unwrap_or(""));
        tests.extend(list.iter().map(|test| (name(test), test.clone())));
    }
    tests
}
