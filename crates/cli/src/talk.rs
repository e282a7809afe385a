//! How much is said beside the data? `-q` and `-v` → what goes to stderr.
//!
//! Data goes to stdout, everything else through here, so that a pipe gets data only.

use std::io::{IsTerminal, Write, stderr};
use tracing_subscriber::EnvFilter;

pub struct Talk {
    quiet: bool,
}

impl Talk {
    /// Also sends warnings (and with `-v` more) of the crates below to stderr; `RUST_LOG` has the last word.
    pub fn new(quiet: bool, verbose: u8) -> Self {
        let level = match (quiet, verbose) {
            (true, _) => "error",
            (false, 0) => "warn",
            (false, 1) => "info",
            (false, 2) => "debug",
            (false, _) => "trace",
        };
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
        let colour = stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        // A second subscriber is refused, and the first one does.
        let _ = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(stderr)
            .with_ansi(colour)
            .without_time()
            .try_init();
        Self { quiet }
    }

    /// A line for the person at the keyboard.
    pub fn say(&self, line: impl std::fmt::Display) {
        if !self.quiet {
            tell(format_args!("{}", plain(&line.to_string())));
        }
    }

    pub fn shows_progress(&self) -> bool {
        !self.quiet && stderr().is_terminal()
    }
}

/// A line on stderr. Where it cannot be written, on a full disk, nobody can be told, and the work goes on.
pub fn tell(line: impl std::fmt::Display) {
    let _ = writeln!(stderr(), "{line}");
}

/// Words of web pages may hold escape sequences that move the cursor or rename the window: they are shown, not obeyed.
pub fn plain(text: &str) -> String {
    let shown = |c: char| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown() {
        assert_eq!(plain("a\u{1b}[2Jb\nc"), "a\u{fffd}[2Jb\nc");
    }
}
