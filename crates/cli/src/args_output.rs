//! Where does what a command gives go? Options that commands share, and what becomes of them.
//!
//! - [`ShowArgs`]: rows, printed or in a file. - [`OutputArgs`]: the same, and what the run took. - [`MeasuredArgs`]: a report of `eval`.

use crate::files;
use crate::output::{Format, Target};
use anyhow::Result;
use clap::Args;
use serde::Serialize;
use std::io::{Write, stdout};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct ShowArgs {
    /// How to print [default: table on a terminal, jsonl in a pipe]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Write to a file instead: .jsonl, .csv, .json or .parquet
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

impl ShowArgs {
    /// Asked for before the run, so that a wrong ending does not cost one.
    pub fn target(&self) -> Result<Target> {
        Target::to(self.out.as_deref(), self.format)
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    #[command(flatten)]
    pub show: ShowArgs,
    /// Write what the run took, as one JSON object
    #[arg(long, value_name = "FILE")]
    pub stats: Option<PathBuf>,
}

impl OutputArgs {
    /// As [`ShowArgs::target`]; there must be room for what the run took, too.
    pub fn target(&self) -> Result<Target> {
        self.stats.as_deref().map(files::check_folder).transpose()?;
        self.show.target()
    }

    /// Writes what the run took, if that is wanted.
    pub fn keep(&self, stats: &impl Serialize) -> Result<()> {
        self.stats.as_deref().map_or(Ok(()), |path| files::write_json(path, stats))
    }
}

#[derive(Debug, Args)]
pub struct MeasuredArgs {
    /// How to write the report
    #[arg(long, value_parser = ["md", "json"], default_value = "md")]
    pub format: String,
    /// Write the report to a file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

impl MeasuredArgs {
    /// Before anything is measured.
    pub fn check(&self) -> Result<()> {
        self.out.as_deref().map_or(Ok(()), files::check_folder)
    }

    /// The report in the form that is wanted.
    pub fn text(&self, report: &impl Serialize, markdown: impl FnOnce() -> String) -> Result<String> {
        let ending = self.out.as_deref().and_then(|path| path.extension());
        let json = self.format == "json" || ending.is_some_and(|ending| ending == "json");
        Ok(if json { serde_json::to_string_pretty(report)? + "\n" } else { markdown() })
    }

    pub fn give(&self, report: &impl Serialize, markdown: impl FnOnce() -> String) -> Result<()> {
        self.write(&self.text(report, markdown)?)
    }

    pub fn write(&self, text: &str) -> Result<()> {
        match &self.out {
            Some(path) => files::write(path, |out| Ok(out.write_all(text.as_bytes())?)),
            None => Ok(stdout().lock().write_all(text.as_bytes())?),
        }
    }
}
