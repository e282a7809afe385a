//! Which files does the repository have? Workspace folder → paths with text, sorted.
//!
//! Leaves out what is built, downloaded or kept as test data.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose content is not written by hand.
const LEFT_OUT: [&str; 5] = ["target", ".git", "node_modules", "fixtures", "snapshots"];

pub struct File {
    /// From the workspace folder, with `/`.
    pub path: String,
    pub text: String,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace folder")
}

/// All files with one of these endings.
pub fn files(endings: &[&str]) -> Vec<File> {
    let root = root();
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    let mut files: Vec<File> = paths.iter().filter_map(|path| read(&root, path, endings)).collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

fn read(root: &Path, path: &Path, endings: &[&str]) -> Option<File> {
    let short = path.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/");
    if !endings.iter().any(|ending| short.ends_with(ending)) {
        return None;
    }
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read `{short}`: {error}"));
    Some(File { path: short, text })
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().expect("a file type");
        if kind.is_dir() && !LEFT_OUT.iter().any(|left_out| name == *left_out) {
            collect(&path, paths);
        } else if kind.is_file() {
            paths.push(path);
        }
    }
}
