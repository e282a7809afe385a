//! What did the user type behind `check`? Arguments, as clap reads them.

use crate::args::positive;
use crate::args_output::{MeasuredArgs, OutputArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
A line of output: {\"url\", \"rule\", \"conclusion\", \"severity\", \"lower\", \"upper\", \"because\", \"evidence\", \"nearest\"}
Exit code 1 means that there are findings.

Examples:
  pagekin extract --archive shop.warc.gz --domain domains/drugs.toml --out offers.jsonl
  pagekin check --records offers.jsonl --reference approved.csv --rules rules.toml
  pagekin check --records offers.jsonl --reference approved.parquet --rules rules.toml --out f.csv
  pagekin check --rules rules.toml --reference approved.csv --explain

Of a database, only what is new or changed since the last time:
  pagekin check --db pagekin.db --reference sqlite:known.db?approved --rules rules.toml")]
pub struct CheckArgs {
    /// Records, as `pagekin extract` writes them (.jsonl); `-` reads stdin
    #[arg(long, value_name = "FILE", required_unless_present_any = ["explain", "db"], conflicts_with = "db")]
    pub records: Option<PathBuf>,
    /// Check the records of this database that are new or changed, and keep what is found: a SQLite file, or postgres://...
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
    /// Only records of this site of the database
    #[arg(long, value_name = "SITE", requires = "db")]
    pub site: Option<String>,
    /// What is known: .csv, .tsv or .parquet, sqlite:FILE?TABLE or postgres://...?table=TABLE
    #[arg(long, value_name = "FILE")]
    pub reference: Option<String>,
    /// Conditions and conclusions (see docs/stages/check.md)
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Tell how each rule is looked up, instead of checking
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Reference rows and offers are made up, the same for the same seed: offers have typos, missing fields, words in another
order, and decoys that are nearly right.

Examples:
  pagekin eval check
  pagekin eval check --seed 7 --format json
  pagekin eval check --gate eval/stages.json
  pagekin eval check --rows 1000000 --offers 100000")]
pub struct EvalCheckArgs {
    /// Rows of the reference
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = positive)]
    pub rows: usize,
    /// Offers that are checked
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = positive)]
    pub offers: usize,
    /// Start of everything random: same seed, same offers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// List the offers that were missed or wrongly found, at most N
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "20")]
    pub failures: Option<usize>,
    /// Fail when precision or recall is below this
    #[arg(long, value_name = "P", value_parser = crate::args::share)]
    pub least: Option<f64>,
    /// Compare with the floors in this file; exit 1 when a figure fell below its own
    #[arg(long, value_name = "FILE")]
    pub gate: Option<PathBuf>,
    #[command(flatten)]
    pub report: MeasuredArgs,
    /// Write rows, offers and truth into this folder too
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}
