//! Where is the real data? `PAGEKIN_DATA`, else `../shared/data` beside the workspace → its folders.
//!
//! A test that needs what is absent skips, and says so. Under `CI` it fails when only a part is absent: then the data is at hand, and a test
//! that looks for it in the wrong place would never run again.

use std::env;
use std::path::{Path, PathBuf};

pub fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    env::var_os("PAGEKIN_DATA").map_or_else(beside, PathBuf::from)
}

/// What stands under this name; says so where it is absent.
///
/// # Panics
/// Under `CI`, when there is data but not this.
pub fn find(name: &str) -> Option<PathBuf> {
    let (folder, ci) = (folder(), env::var_os("CI").is_some());
    find_in(&folder, name, ci)
}

fn find_in(folder: &Path, name: &str, ci: bool) -> Option<PathBuf> {
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(!(ci && folder.is_dir()), "there is data, and no `{}` in it", path.display());
    eprintln!("SKIPPED: no `{}`; hint: set PAGEKIN_DATA", path.display());
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_skips() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(find_in(here, "Cargo.toml", true), Some(here.join("Cargo.toml")));
        assert_eq!(find_in(here, "no-such-file", false), None);
        assert_eq!(find_in(&here.join("no-such-folder"), "sites", true), None);
    }

    #[test]
    #[should_panic(expected = "there is data")]
    fn under_ci_a_part_that_is_absent_fails() {
        find_in(Path::new(env!("CARGO_MANIFEST_DIR")), "no-such-file", true);
    }
}
