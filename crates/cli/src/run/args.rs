//! What did the user type behind `run`, `worker`, `query` and `export`? Arguments, as clap reads them.
//!
//! - [`DbArgs`]: which database, where pages are kept. - [`HowArgs`]: how a run is done, for all who queue one.

use crate::args::{FetchArgs, method_parser, positive, scope_parser, variant_parser};
use crate::args_output::{OutputArgs, ShowArgs};
use crate::args_rung::RungArgs;
use crate::config::parse_duration;
use crate::extract::args::{example, method_parser as extract_method_parser, rename};
use crate::files::{parse_service, parse_url};
use crate::local::LocalArgs;
use clap::Args;
use pagekin::Url;
use pagekin::discover::Method;
use pagekin::extract::{self, Example};
use pagekin::page::address::ScopeKind;
use pagekin::privacy::KeepPages;
use std::path::PathBuf;
use std::time::Duration;
use strum::VariantNames;

/// Where everything is kept.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Store")]
pub struct DbArgs {
    /// The database: a SQLite file, or postgres://user@host/name [default: $PAGEKIN_DB, else pagekin.db]
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
}

#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Store")]
pub struct PagesArgs {
    /// Folder for archives of fetched pages [default: beside the SQLite file, else pagekin-pages]
    #[arg(long, value_name = "DIR")]
    pub pages: Option<PathBuf>,
}

/// How a run is done.
#[derive(Debug, Args)]
pub struct HowArgs {
    /// Take every sample for a kind of its own, even of one site
    #[arg(long)]
    pub each: bool,
    /// What to call the kind of pages [default: a word of their addresses]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Look for pages that no link reaches too; on by itself with --archive
    #[arg(long)]
    pub hidden: bool,
    /// Only find pages, read no records
    #[arg(long)]
    pub no_extract: bool,
    /// Of a known site ask every page again, on condition that it changed, not only the index pages
    #[arg(long)]
    pub recheck: bool,
    /// Discover a known site again from the start
    #[arg(long)]
    pub anew: bool,
    /// What is looked for: roles with synonyms and patterns (see docs/stages/extract.md)
    #[arg(long, value_name = "FILE")]
    pub domain: Option<PathBuf>,
    /// A value on the sample page, as NAME=VALUE; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = example, conflicts_with = "domain")]
    pub example: Vec<Example>,
    /// Call a column NEW that would be called OLD (`table.old=new` within pages); may be repeated
    #[arg(long, value_name = "OLD=NEW", value_parser = rename)]
    pub rename: Vec<(String, String)>,
    /// How records are read [default: learned]
    #[arg(long, value_name = "METHOD", value_parser = extract_method_parser())]
    pub extract_method: Option<extract::Method>,
    /// Which method finds pages [default: kin]
    #[arg(long, value_parser = method_parser())]
    pub method: Option<Method>,
    /// A page that is of another kind, though it looks alike; may be repeated
    #[arg(long, value_name = "URL", value_parser = parse_url)]
    pub not: Vec<Url>,
    #[command(flatten)]
    pub rung: RungArgs,
    /// What counts as the site: the host, its registrable domain, or the sample's folder [default: host]
    #[arg(long, value_parser = scope_parser())]
    pub scope: Option<ScopeKind>,
    /// Send so many requests at most while discovering, whatever comes of them [default: no limit]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub budget: Option<usize>,
    /// Go on, for kin, until so much of the kind is expected to be found: 99% or 0.99 [default: while a page is worth its download]
    #[arg(long, value_name = "SHARE", value_parser = crate::args::share_or_percent)]
    pub until: Option<f64>,
    /// Start of everything random: same seed, same run [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub check: CheckHow,
    #[command(flatten)]
    pub kept: KeptHow,
}

/// What is kept of what is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Store")]
pub struct KeptHow {
    /// Never store this column (`table.column` within pages, `table` for all of one); may be repeated
    #[arg(long, value_name = "COLUMN", conflicts_with = "no_extract")]
    pub without: Vec<String>,
    /// What becomes of the pages that were fetched: kept, or removed once their records are stored [default: all]
    #[arg(long, value_name = "WHICH", value_parser = variant_parser::<KeepPages>(KeepPages::VARIANTS))]
    pub keep_pages: Option<KeepPages>,
    /// Have this time-stamp authority (RFC 3161) certify the archive of the run
    #[arg(long, value_name = "URL", value_parser = parse_service)]
    pub timestamp: Option<Url>,
}

/// What the records are held against; see `check` and `report`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Check")]
pub struct CheckHow {
    /// Check the records: conditions and conclusions (see docs/stages/check.md)
    #[arg(long, value_name = "FILE", conflicts_with = "no_extract")]
    pub rules: Option<PathBuf>,
    /// What is known: .csv, .tsv or .parquet, sqlite:FILE?TABLE or postgres://...?table=TABLE
    #[arg(long, value_name = "FILE")]
    pub reference: Option<String>,
    /// Write a report of the database's findings at the end: .html, .json or .csv; may be repeated
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A line of output: {\"run\", \"site\", \"class\", \"state\", \"pages\", \"unlinked\", \"records\", \"new\", \"changed\", \"gone\", ...}
The data is in the database; `pagekin query` and `pagekin export` get it out.

Run the same again: an interrupted run goes on, a finished one asks only what may have changed.
With --rules and --reference records are checked too; the line then has \"findings\", \"new_findings\", \"severities\".
Exit code 1: there are findings, or some sites failed; their runs are tried again next time.

Examples:
  pagekin run https://example.org/drivers/2015/driver_02.htm
  pagekin run --urls samples.txt --db postgres://pagekin@db.example.org/pagekin
  pagekin run https://example.org/drivers/driver_02.htm --hidden --domain domains/person.toml
  pagekin run --archive site.warc.gz https://example.org/drivers/2015/driver_02.htm --db drivers.db
  pagekin run https://shop.example/offer/1 --rules rules.toml --reference approved.csv --report week47.html
  pagekin run --urls samples.txt --dry-run
  pagekin run --resume")]
pub struct RunArgs {
    /// Addresses of sample pages; those of one site are taken to be of one kind
    #[arg(value_name = "URL", value_parser = parse_url, required_unless_present_any = ["urls", "resume"])]
    pub samples: Vec<Url>,
    /// More samples, one address a line; `-` reads stdin
    #[arg(long, value_name = "FILE")]
    pub urls: Option<PathBuf>,
    /// Go on with every run of the database that is not done
    #[arg(long, conflicts_with_all = ["samples", "urls", "dry_run", "queue"])]
    pub resume: bool,
    /// Print what would be run, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Only queue the runs, for `pagekin worker`
    #[arg(long)]
    pub queue: bool,
    /// Sites at the same time [default: 8]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub sites: Option<usize>,
    #[command(flatten)]
    pub how: HowArgs,
    #[command(flatten)]
    pub fetch: FetchArgs,
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub kept: PagesArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Any number of workers may share one PostgreSQL database. Each takes runs from the queue, a few sites at
a time; what a killed worker leaves is taken over. Of a site one run is under way at a time, and the
pause between requests to a host holds across workers. Workers should share --pages: then pages that a
killed worker had fetched are not fetched again.

A run in the queue names archives, references, reports and time-stamp authorities, and does not hold them: a worker
uses those that it was given here or in its config file, and a run that needs another one fails before it asks anything.

Examples:
  pagekin run --urls samples.txt --queue --db postgres://pagekin@db.example.org/pagekin
  pagekin worker --db postgres://pagekin@db.example.org/pagekin --pages /srv/pages
  pagekin worker --db postgres://pagekin@db.example.org/pagekin --until-empty")]
pub struct WorkerArgs {
    /// Sites at the same time
    #[arg(long, value_name = "N", value_parser = positive, default_value = "4")]
    pub sites: usize,
    /// End when nothing is left in the queue, instead of waiting for more
    #[arg(long)]
    pub until_empty: bool,
    /// After so long without a sign of life another worker takes a run over
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "30s")]
    pub lease: Duration,
    #[command(flatten)]
    pub local: LocalArgs,
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub kept: PagesArgs,
    #[command(flatten)]
    pub show: ShowArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Only reads. docs/stages/store.md lists tables and views: current_records, record_values, changes, ...

Examples:
  pagekin query \"SELECT site, class, COUNT(*) FROM current_records GROUP BY site, class\"
  pagekin query \"SELECT url, value FROM record_values WHERE attribute = 'name'\" --format csv
  pagekin query \"SELECT url, reason FROM skipped\" --db postgres://pagekin@db.example.org/pagekin")]
pub struct QueryArgs {
    /// One SQL statement, in the database's own dialect; `-` reads it from stdin
    #[arg(value_name = "SQL")]
    pub sql: String,
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub show: ShowArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A line of jsonl: {\"site\", \"class\", \"url\", \"record\", \"attributes\": {\"name\": [\"value\"]}, \"confidence\", \"unlinked\", \"evidence\"}, with \"absence\" where a page was not found the last time
CSV and Parquet have a column for each attribute; several values are joined by `; `.

Examples:
  pagekin export --out drivers.parquet
  pagekin export --site example.org --class drivers --out drivers.csv
  pagekin export --out drivers.xlsx --without email
  pagekin export --out drivers.csv --csv-bom --data-package
  pagekin export --absent --times --format jsonl | head")]
pub struct ExportArgs {
    /// Only records of this site
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
    /// Only records of this kind of pages
    #[arg(long, value_name = "NAME")]
    pub class: Option<String>,
    /// Records of pages that are missing, or that no list shows any more, too; `absence` says which
    #[arg(long, alias = "gone")]
    pub absent: bool,
    /// When each record was first seen and last changed
    #[arg(long)]
    pub times: bool,
    /// Leave this column out (`table.column` within pages, `table` for all of one); may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub without: Vec<String>,
    /// Write datapackage.json beside the file: what it is, its columns, its digest
    #[arg(long, requires = "out")]
    pub data_package: bool,
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub show: ShowArgs,
}
