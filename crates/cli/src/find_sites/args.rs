//! What did the user type behind `find-sites`? Arguments, as clap reads them.

use crate::args::SourceArgs;
use crate::output::Format;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
A line of output: {\"host\", \"url\", \"query\", \"attributes\"}

Examples:
  pagekin find-sites --queries queries.txt --engine searxng.toml --domain domains/drugs.toml
  pagekin find-sites --queries queries.txt --engine searxng.toml --domain domains/drugs.toml --out s.csv")]
pub struct FindSitesArgs {
    /// What to search for, one query a line
    #[arg(long, value_name = "FILE")]
    pub queries: PathBuf,
    /// The search service (see docs/stages/find_sites.md)
    #[arg(long, value_name = "FILE")]
    pub engine: PathBuf,
    /// What a page must hold to count as data-intensive
    #[arg(long, value_name = "FILE")]
    pub domain: PathBuf,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub output: FindSitesOutput,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct FindSitesOutput {
    /// How to print the sites [default: table on a terminal, jsonl in a pipe]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Write the sites to a file instead: .jsonl, .csv, .json or .parquet
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
