//! What did the user type? Arguments, as clap reads them; each command's help ends with examples that work.
//!
//! - [`Cli`]: everything. - [`SourceArgs`], [`MethodArgs`]: what several commands share.
//!
//! Optional ones are `None` until [`config`](crate::config) fills in the file's and the built-in values.

use crate::args_browser::BrowserArgs;
use crate::args_hidden::{EvalHiddenArgs, HiddenArgs};
use crate::args_output::{MeasuredArgs, OutputArgs};
pub use crate::args_pages::{FetchArgs, SourceArgs};
use crate::args_rung::RungArgs;
use crate::check::args::{CheckArgs, EvalCheckArgs};
use crate::eval_completeness::EvalCompletenessArgs;
use crate::extract::args::{EvalExtractArgs, EvalTablesArgs, ExtractArgs};
use crate::files::parse_url;
use crate::find_sites::args::FindSitesArgs;
#[cfg(feature = "mcp")]
use crate::mcp::McpArgs;
use crate::model_args::{ClassifyArgs, EvalModelArgs, ModelArgs};
use crate::proof::{ProveArgs, VerifyArgs};
use crate::report::args::ReportArgs;
use crate::run::accept::AcceptArgs;
use crate::run::args::{ExportArgs, QueryArgs, RunArgs, WorkerArgs};
use crate::serve::ServeArgs;
use crate::watch::WatchCommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use pagekin::Url;
use pagekin::discover::{Method, Signal};
use pagekin::page::Notation;
use pagekin::page::address::ScopeKind;
use serde::Deserialize;
use std::path::PathBuf;
use std::str::FromStr;
use strum::VariantNames;

#[derive(Debug, Parser)]
#[command(name = "pagekin", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(about = "One example page of a web site becomes every page of that kind.")]
#[command(after_help = "\
Exit codes: 0 done, 1 done with findings or failed checks, 2 could not run, 130 interrupted.

Examples:
  pagekin demo
  pagekin run https://example.org/drivers/2015/driver_02.htm
  pagekin discover https://example.org/drivers/2015/driver_02.htm
  pagekin discover --archive site.warc.gz https://example.org/drivers/2015/driver_02.htm")]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Args)]
pub struct Global {
    /// Say nothing but errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "General", display_order = 900)]
    pub quiet: bool,
    /// Say more; twice, much more
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "General", display_order = 901)]
    pub verbose: u8,
    /// Settings to use where the command line is silent (see pagekin.example.toml)
    #[arg(long, global = true, value_name = "FILE", help_heading = "General", display_order = 902)]
    pub config: Option<PathBuf>,
    /// Write cells of CSV as they are, also those that a spreadsheet would run as formulas
    #[arg(long, global = true, help_heading = "General", display_order = 903)]
    pub csv_raw: bool,
    /// Begin CSV with a byte order mark, by which Excel knows that it is UTF-8
    #[arg(long, global = true, help_heading = "General", display_order = 904)]
    pub csv_bom: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find all pages of the samples' kind
    Discover(DiscoverArgs),
    /// Find pages that no link reaches, by the ids in addresses
    Hidden(HiddenArgs),
    /// Which classes of pages does a site have, and how do they link?
    Model(ModelArgs),
    /// Which class of a model is this page?
    Classify(ClassifyArgs),
    /// Read records from pages of one kind
    Extract(ExtractArgs),
    /// Hold records against what is known
    Check(CheckArgs),
    /// Findings as one page for the weekly meeting: sites, trend, what is new
    Report(ReportArgs),
    /// Ask a search service for sites, and keep those with data-intensive pages
    FindSites(FindSitesArgs),
    /// The whole job: find pages, read records, keep them in a database
    Run(RunArgs),
    /// Work off runs that were queued, together with other workers
    Worker(WorkerArgs),
    /// Make a run current that was held back, because it was not as expected
    Accept(AcceptArgs),
    /// Ask the database, in SQL
    Query(QueryArgs),
    /// Write the records of the database to a file
    Export(ExportArgs),
    /// Run again what may have changed: add, list, remove, run
    #[command(subcommand)]
    Watch(WatchCommand),
    /// Show somebody what a record or a run is based on: a small web archive
    Prove(ProveArgs),
    /// Is an archive, or a proof, as it was written?
    Verify(VerifyArgs),
    /// Tools for agents: the Model Context Protocol on standard input and output
    #[cfg(feature = "mcp")]
    Mcp(McpArgs),
    /// The whole job in a browser, with an API
    Serve(ServeArgs),
    /// Measure methods on sites whose truth is known
    #[command(subcommand)]
    Eval(Eval),
    /// Take a tour on a built-in site, offline
    Demo(DemoArgs),
}

#[derive(Debug, Subcommand)]
pub enum Eval {
    /// Measure discovery: precision, recall, F1, downloads, time
    Discovery(EvalArgs),
    /// Fit the parameters of kin on sites with truth, and without each fold of them
    Fit(EvalFitArgs),
    /// Measure hidden pages: templates against truth, pages found on applications
    Hidden(EvalHiddenArgs),
    /// Measure the site model: F*, entropy, purity, quality against pages fetched
    Model(EvalModelArgs),
    /// Measure completeness: does the stated interval hold the number of pages there are?
    Completeness(EvalCompletenessArgs),
    /// Measure extraction: page-level precision, recall and F1 of attributes
    Extract(EvalExtractArgs),
    /// Measure tables made with nothing given: coverage, column precision, titles, names
    Tables(EvalTablesArgs),
    /// Measure whole runs: from one sample page to records, against truth, with requests counted
    Run(EvalTablesArgs),
    /// Measure checking, on offers of its own making: precision, recall, time, memory
    Check(EvalCheckArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
A line of output: {\"url\", \"confidence\", \"via\", \"evidence\"}
With --refresh: {\"url\", \"change\": \"new|gone|changed|kept\", \"via\"}

Examples:
  pagekin discover https://example.org/drivers/2015/driver_02.htm
  pagekin discover https://example.org/drivers/driver_02.htm --save-archive site.warc.gz
  pagekin discover https://example.org/drivers/driver_02.htm --archive site.warc.gz --out d.csv
  pagekin discover https://example.org/drivers/driver_02.htm --explain --tree tree.html
  pagekin discover --model model.json --class 2
  cat samples.txt | pagekin discover --urls - --budget 200 --stats stats.json

Go on with a run that was interrupted, and ask again next week:
  pagekin discover https://example.org/driver_02.htm --save-archive s.warc.gz --learned l.json
  pagekin discover https://example.org/driver_02.htm --save-archive s.warc.gz --resume
  pagekin discover --refresh l.json --since s.warc.gz --learned l.json")]
pub struct DiscoverArgs {
    /// Addresses of sample pages, all of one kind
    #[arg(value_name = "URL", value_parser = parse_url, required_unless_present_any = ["urls", "refresh", "class"])]
    pub samples: Vec<Url>,
    /// More samples, one address a line; `-` reads stdin
    #[arg(long, value_name = "FILE")]
    pub urls: Option<PathBuf>,
    /// Which method to use [default: kin]
    #[arg(long, value_parser = method_parser())]
    pub method: Option<Method>,
    /// A page that is of another kind, though it looks alike; may be repeated
    #[arg(long, value_name = "URL", value_parser = parse_url)]
    pub not: Vec<Url>,
    /// A page that is of the kind too, the same as one more sample; may be repeated
    #[arg(long, value_name = "URL", value_parser = parse_url)]
    pub yes: Vec<Url>,
    /// Ask up to N questions about pages in doubt, answered by y, n or return
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub ask: usize,
    #[command(flatten)]
    pub rung: RungArgs,
    /// Find all pages of this class of `--model`, by its samples
    #[arg(long, value_name = "ID", requires = "model")]
    pub class: Option<u32>,
    /// A model that `pagekin model --out FILE.json` wrote
    #[arg(long, value_name = "MODEL", requires = "class")]
    pub model: Option<PathBuf>,
    /// Ask the index pages that an earlier run learned again: what is new, gone or changed?
    #[arg(long, value_name = "LEARNED", conflicts_with_all = REFRESH_NEEDS_NO)]
    pub refresh: Option<PathBuf>,
    #[command(flatten)]
    pub how: MethodArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub output: DiscoverOutput,
}

/// What a refresh does not search for, or knows from the file.
const REFRESH_NEEDS_NO: [&str; 17] = [
    "samples",
    "urls",
    "class",
    "method",
    "not",
    "yes",
    "ask",
    "narrower",
    "wider",
    "rung",
    "scope",
    "height",
    "threshold",
    "notation",
    "rounds",
    "tree",
    "explain",
];

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct DiscoverOutput {
    #[command(flatten)]
    pub found: OutputArgs,
    /// Write the index pages and what they lead to: .json, .dot or .html
    #[arg(long, value_name = "FILE")]
    pub tree: Option<PathBuf>,
    /// Write what was learned of the site, for `--refresh`; with it, what is known now
    #[arg(long, value_name = "FILE")]
    pub learned: Option<PathBuf>,
    /// Tell on stderr, step by step, why pages were taken or left out
    #[arg(long)]
    pub explain: bool,
}

/// What a method may be told: flags of commands, and the section `[discover]` of the config file.
#[derive(Debug, Args, Default, Deserialize)]
#[command(next_help_heading = "Method")]
#[serde(default, deny_unknown_fields)]
pub struct MethodArgs {
    /// Of the file; commands have a flag of their own.
    #[arg(skip)]
    pub method: Option<Method>,
    /// What counts as the site: the host, its registrable domain, or the sample's folder [default: host]
    #[arg(long, value_parser = scope_parser())]
    pub scope: Option<ScopeKind>,
    /// Send so many requests at most, whatever comes of them [default: no limit]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub budget: Option<usize>,
    /// Go on, for kin, until so much of the kind is expected to be found: 99% or 0.99 [default: while a page is worth its download]
    #[arg(long, value_name = "SHARE", value_parser = share_or_percent)]
    pub until: Option<f64>,
    /// Height of the tree of index pages, for ssup-2014 and ssup-2019 [default: 5]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub height: Option<usize>,
    /// Least similarity of pages of a kind, for indesit [default: 0.8]
    #[arg(long, value_name = "T", value_parser = share)]
    pub threshold: Option<f64>,
    /// What a step of a link-path consists of, for indesit [default: TAG+AN]
    #[arg(long, value_parser = notation_parser())]
    pub notation: Option<Notation>,
    /// Paths from the main page to the sample that are grown, for gpp [default: 3]
    #[arg(long, value_name = "K", value_parser = positive)]
    pub rounds: Option<usize>,
    /// Leave signals out, to measure what they contribute to kin
    #[arg(long, value_delimiter = ',', value_name = "SIGNAL,...", value_parser = signal_parser())]
    #[serde(skip)]
    pub without: Vec<Signal>,
    /// Start of everything random: same seed, same run [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
DIR holds a folder for each site: meta.json, site.warc.gz, truth.txt and perhaps neutral.txt.

Examples:
  pagekin eval discovery sites --methods ssup-2014,ssup-2019,indesit
  pagekin eval discovery sites --sites jargon_file --samples 1 --failures
  pagekin eval discovery sites --methods kin --samples 5 --left-out eval/folds.json
  pagekin eval discovery sites --methods gpp --rounds 3 --samples 2 --layouts target/layouts
  pagekin eval discovery sites --gate eval/floors.json")]
pub struct EvalArgs {
    /// Folder of sites
    pub dir: PathBuf,
    /// Which methods [default: those of the gate's file, else all]
    #[arg(long, value_delimiter = ',', value_name = "METHOD,...", value_parser = method_parser())]
    pub methods: Vec<Method>,
    /// So many samples of each kind, drawn by hash from all its pages [default: those of the gate's file, else those that
    /// meta.json names]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub samples: Option<usize>,
    /// Only these sites
    #[arg(long, value_delimiter = ',', value_name = "SITE,...")]
    pub sites: Vec<String>,
    /// Runs side by side [default: one a core]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub report: MeasuredArgs,
    /// List the missed and the wrong pages with the method's reasons, at most N of each a run
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "20")]
    pub failures: Option<usize>,
    /// Measure each site with what `pagekin eval fit --folds FILE` fitted without it
    #[arg(long, value_name = "FILE")]
    pub left_out: Option<PathBuf>,
    /// Answer so many questions of kin from the truth: the figure with a helpful person
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub ask: usize,
    /// Fail when a figure is below its floor in this file
    #[arg(long, value_name = "FILE")]
    pub gate: Option<PathBuf>,
    /// Keep where things stand on drawn pages in this folder, and draw none twice (gpp)
    #[arg(long, value_name = "DIR")]
    pub layouts: Option<PathBuf>,
    #[command(flatten)]
    pub browser: BrowserArgs,
    /// Leave out seconds and memory, so that two reports can be compared byte for byte
    #[arg(long)]
    pub no_times: bool,
    #[command(flatten)]
    pub how: MethodArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Same sites, same files. Two minutes on two cores for 37 sites.

Example:
  pagekin eval fit sites --params params.json --folds folds.json")]
pub struct EvalFitArgs {
    /// Folder of sites
    pub dir: PathBuf,
    /// Write what was fitted on all sites to this file
    #[arg(long, value_name = "FILE")]
    pub params: PathBuf,
    /// Write what was fitted without each fold of sites to this file
    #[arg(long, value_name = "FILE")]
    pub folds: PathBuf,
    /// Folds of sites
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = positive)]
    pub count: usize,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pagekin demo
  pagekin demo --stay --port 8080")]
pub struct DemoArgs {
    /// Which method to use [default: kin]
    #[arg(long, value_parser = method_parser())]
    pub method: Option<Method>,
    /// Keep serving the site after the tour, until Ctrl-C
    #[arg(long)]
    pub stay: bool,
    /// Folder for the database and the pages [default: pagekin-demo in the folder for temporary files]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Port to serve the site on; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
}

pub fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::name)).try_map(|name| name.parse::<Method>())
}

fn signal_parser() -> impl TypedValueParser<Value = Signal> {
    PossibleValuesParser::new(Signal::ALL.map(Signal::name)).try_map(|name| name.parse::<Signal>())
}

pub fn scope_parser() -> impl TypedValueParser<Value = ScopeKind> {
    variant_parser(ScopeKind::VARIANTS)
}

/// The published ones; the last is for the methods' own use.
pub fn notation_parser() -> impl TypedValueParser<Value = Notation> {
    variant_parser(&Notation::VARIANTS[..3])
}

/// One of these names, which are those of the type itself.
pub fn variant_parser<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

/// Clap has checked that the name is in the table.
pub fn named<T: Copy>(table: &[(&str, T)], name: &str) -> T {
    table.iter().find(|(known, _)| *known == name).unwrap_or(&table[0]).1
}

pub fn positive(text: &str) -> Result<usize, String> {
    let number: usize = text.parse().map_err(|_| "it is not a whole number\n\nhint: such as 100".to_owned())?;
    if number == 0 {
        Err("nothing could be done with 0\n\nhint: leave it out for the default".to_owned())
    } else {
        Ok(number)
    }
}

pub fn share(text: &str) -> Result<f64, String> {
    let wrong = || "it is not between 0 and 1\n\nhint: such as 0.8".to_owned();
    text.parse().ok().filter(|value| (0.0..=1.0).contains(value)).ok_or_else(wrong)
}

/// A share as such or in percent.
pub fn share_or_percent(text: &str) -> Result<f64, String> {
    let wrong = || "it is not a share\n\nhint: such as 99% or 0.99".to_owned();
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
        None => text.parse(),
    };
    value.ok().filter(|value| (0.0..=1.0).contains(value)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_hang_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert!(positive("0").is_err() && positive("x").is_err());
        assert_eq!(positive("7"), Ok(7));
        assert!(share("1.2").is_err() && share("NaN").is_err());
    }
}
