//! What did the user type behind `report`? Arguments, as clap reads them.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
The page needs no network and runs no script. Keep the .json form: the next report is compared with it.

Examples:
  pagekin report --findings findings.jsonl --records offers.jsonl --out report.html
  pagekin report --findings findings.jsonl --out week47.html --out week47.json --since week46.json
  pagekin report --db pagekin.db --out week47.html --out week47.json
  pagekin report --findings findings.jsonl --geoip country.mmdb --out report.csv")]
pub struct ReportArgs {
    /// Findings, as `pagekin check` writes them (.jsonl)
    #[arg(long, value_name = "FILE", conflicts_with = "db")]
    pub findings: Option<PathBuf>,
    /// Findings of this database, with their history: a SQLite file, or postgres://... [default: $PAGEKIN_DB, else pagekin.db]
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
    /// Only this site of the database
    #[arg(long, value_name = "SITE", requires = "db")]
    pub site: Option<String>,
    /// The records that were checked (.jsonl), to count them by site
    #[arg(long, value_name = "FILE", conflicts_with = "db")]
    pub records: Option<PathBuf>,
    /// The report before (.json): what is new since then, what is gone, and the trend
    #[arg(long, value_name = "FILE")]
    pub since: Option<PathBuf>,
    /// Countries of addresses: a database in MaxMind's format (.mmdb)
    #[arg(long, value_name = "FILE")]
    pub geoip: Option<PathBuf>,
    /// Do not ask for the addresses of hosts
    #[arg(long)]
    pub offline: bool,
    /// What stands above it
    #[arg(long, value_name = "TEXT", default_value = pagekin::run::checking::TITLE)]
    pub title: String,
    /// The day it is of [default: today]
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub date: Option<String>,
    /// Write it here: .html, .json or .csv; may be repeated
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub out: Vec<PathBuf>,
}

fn day(text: &str) -> Result<String, String> {
    let real = pagekin::report::is_day(text);
    if real { Ok(text.to_owned()) } else { Err("it is no day\n\nhint: such as 2026-11-16".to_owned()) }
}
