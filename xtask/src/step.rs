//! How is a list of commands run? Steps → their output, a summary with seconds, an exit code.
//!
//! - [`Step`]: a name and a command. [`Report`]: what was done, what was absent, which tests skipped.
//!
//! The first step that fails ends the run, with the command that repeats it.

use crate::skipped;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;

pub struct Step {
    name: String,
    command: Vec<String>,
}

impl Step {
    pub fn new(name: &str, command: &[&str]) -> Self {
        Self { name: name.to_owned(), command: command.iter().map(|&word| word.to_owned()).collect() }
    }

    /// The command as one types it.
    pub fn shown(&self) -> String {
        let quoted = |word: &String| match word.contains([' ', '\'', '"', '$', '*']) {
            true => format!("'{}'", word.replace('\'', r"'\''")),
            false => word.clone(),
        };
        self.command.iter().map(quoted).collect::<Vec<_>>().join(" ")
    }

    /// Starts it and does not wait; none when it cannot start, which it will tell when it is run as a step.
    pub fn background(&self) -> Option<Child> {
        Command::new(&self.command[0]).args(&self.command[1..]).stdin(Stdio::null()).spawn().ok()
    }

    fn run(&self, root: &Path) -> Result<(), String> {
        let status = Command::new(&self.command[0]).args(&self.command[1..]).current_dir(root).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(status.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// What the summary tells.
#[derive(Default)]
pub struct Report {
    lines: Vec<String>,
    absent: Vec<String>,
    /// Where the tests leave their word.
    tests: Option<PathBuf>,
}

impl Report {
    /// Forgets the tests of an earlier run, so that a run that ends before its tests does not tell of those.
    pub fn new(tests: PathBuf) -> Self {
        let _ = fs::remove_file(&tests);
        Self { tests: Some(tests), ..Self::default() }
    }

    /// Something tests would have used; they skip without it.
    pub fn absent(&mut self, what: String) {
        eprintln!("xtask: ABSENT: {what}");
        self.absent.push(what);
    }

    pub fn done(&mut self, name: &str, began: Instant, how: &str) {
        self.lines.push(format!("{name:<12}{:>8.1} s  {how}", began.elapsed().as_secs_f64()));
    }

    fn print(&self) {
        eprintln!("\nxtask: summary");
        self.lines.iter().for_each(|line| eprintln!("  {line}"));
        self.absent.iter().for_each(|what| eprintln!("  ABSENT: {what}"));
        let skipped = self.tests.as_deref().map(skipped::read).unwrap_or_default();
        skipped.iter().for_each(|test| eprintln!("  SKIPPED: {test}"));
    }
}

pub fn run_all(root: &Path, steps: &[Step], mut report: Report) -> ExitCode {
    for step in steps {
        eprintln!("\nxtask: {}: {}", step.name, step.shown());
        let began = Instant::now();
        let outcome = step.run(root);
        report.done(&step.name, began, if outcome.is_ok() { "ok" } else { "FAILED" });
        if let Err(why) = outcome {
            report.print();
            eprintln!("\nxtask: `{}` failed ({why})\n\nhint: repeat it with\n  {}", step.name, step.shown());
            return ExitCode::FAILURE;
        }
    }
    report.print();
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(steps: &[Step]) -> ExitCode {
        run_all(Path::new(env!("CARGO_MANIFEST_DIR")), steps, Report::default())
    }

    #[test]
    fn the_first_failing_step_ends_the_run() {
        let mark = std::env::temp_dir().join(format!("xtask-mark-{}", std::process::id()));
        let touch = Step::new("touch", &["touch", &mark.to_string_lossy()]);
        assert_eq!(run(&[Step::new("no", &["false"]), touch]), ExitCode::FAILURE);
        assert!(!mark.exists(), "a step ran after one had failed");
        assert_eq!(run(&[Step::new("absent", &["no-such-program-anywhere"])]), ExitCode::FAILURE);
        assert_eq!(run(&[Step::new("yes", &["true"])]), ExitCode::SUCCESS);
    }

    #[test]
    fn a_command_is_shown_as_one_types_it() {
        assert_eq!(Step::new("x", &["a", "b c", "it's"]).shown(), r"a 'b c' 'it'\''s'");
    }
}
