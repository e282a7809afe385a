//! How is the Python package built and tested? The workspace → steps: environment, extension, wheel, tests.
//!
//! The extension is built as the tests of the workspace are, so that nothing is compiled twice; `maturin build` in `python/` makes the wheel that is shipped.

use crate::step::Step;
use std::path::Path;

/// Makes the environment of the tests, or says at once that it is there.
pub fn environment(root: &Path, target: &Path) -> Step {
    environment_with(root, target, &[])
}

/// `further`: files of requirements beside that of the tests.
fn environment_with(root: &Path, target: &Path, further: &[&str]) -> Step {
    let (script, folder) = (text(&root.join("python/environment.py")), text(&target.join("py-package")));
    Step::new("py packages", &[&["python3", &script, &folder][..], further].concat())
}

/// Everything that tests and gates run, in one go: with the same choice of packages and targets cargo builds the same things.
pub fn build() -> Step {
    Step::new("build", &["cargo", "build", "--workspace", "--lib", "--bins", "--tests"])
}

pub fn steps(root: &Path, target: &Path) -> Vec<Step> {
    let python = text(&target.join("py-package/bin/python"));
    let tests = text(&root.join("python/tests"));
    let mut steps = vec![environment(root, target)];
    steps.extend(installed(root, target, "debug", build()));
    steps.push(Step::new("python", &[&python, "-m", "pytest", "-q", "-rs", &tests, "--ignore-glob", "*test_spark.py"]));
    steps
}

/// Figures of docs/reference/scale.md.
pub fn scale(root: &Path, target: &Path) -> Vec<Step> {
    let python = text(&target.join("py-package/bin/python"));
    let build = Step::new("build", &["cargo", "build", "--release", "--package", "pagekin-python"]);
    let mut steps = vec![environment_with(root, target, &["requirements-scale.txt"])];
    steps.extend(installed(root, target, "release", build));
    steps.push(Step::new(
        "spark",
        &[&python, "-m", "pytest", "-q", "-rsP", &text(&root.join("python/tests/test_spark.py"))],
    ));
    steps.push(Step::new("scale", &[&python, &text(&root.join("python/measures/scale.py"))]));
    steps
}

fn installed(root: &Path, target: &Path, profile: &str, build: Step) -> Vec<Step> {
    let python = text(&target.join("py-package/bin/python"));
    let (script, wheels) = (text(&root.join("python/wheel.py")), text(&target.join("wheels")));
    let library = text(&target.join(profile).join("libpagekin_python.so"));
    let pip = [
        &python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--force-reinstall",
        "--no-deps",
        "--no-index",
    ];
    let found = ["--find-links", &wheels, "pagekin"];
    vec![
        build,
        Step::new("wheel", &[&python, &script, &library, &wheels]),
        Step::new("install", &[&pip[..], &found].concat()),
    ]
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
