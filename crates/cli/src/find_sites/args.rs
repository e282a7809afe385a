//! What did the user type behind `find-sites`? Arguments, as clap reads them.

use crate::args::SourceArgs;
use crate::args_output::ShowArgs;
use crate::config::parse_duration;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = "\
A line of output: {\"host\", \"url\", \"query\", \"attributes\"}

Examples:
  pagekin find-sites --queries queries.txt --engine searxng.toml --domain domains/drugs.toml
  pagekin find-sites --queries queries.txt --engine searxng.toml --domain domains/drugs.toml --db p.db")]
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
    /// Add the sites to the watch list of this database: a SQLite file, or postgres://...
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
    /// How often the sites are watched, such as 12h or 7d
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "7d", requires = "db")]
    pub every: Duration,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub show: ShowArgs,
}
