//! What did the user type behind `extract`? Arguments, as clap reads them.

use crate::args::{SourceArgs, positive};
use crate::args_output::{MeasuredArgs, OutputArgs};
use crate::files::parse_url;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pagekin::Url;
use pagekin::extract::{Example, Method};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
A line of output: {\"url\", \"class\", \"attributes\": {\"name\": [\"value\"]}, \"evidence\"}

Examples:
  pagekin extract --archive site.warc.gz --urls drivers.txt
  pagekin extract --archive books.warc.gz --domain domains/book.toml --out books.csv
  pagekin extract https://example.org/driver/1 --urls drivers.txt --example team=McLaren
  pagekin extract --archive site.warc.gz --schema
  pagekin extract --archive site.warc.gz --wrapper drivers.json")]
pub struct ExtractArgs {
    /// Addresses of pages of one kind; with --archive and none, every page in it, classes told apart
    #[arg(value_name = "URL", value_parser = parse_url)]
    pub pages: Vec<Url>,
    /// More pages, one address a line; `-` reads stdin
    #[arg(long, value_name = "FILE")]
    pub urls: Option<PathBuf>,
    /// What is looked for: roles with synonyms and patterns (see docs/stages/extract.md)
    #[arg(long, value_name = "FILE")]
    pub domain: Option<PathBuf>,
    /// A value on the first page, as NAME=VALUE; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = example, conflicts_with_all = ["domain", "method"])]
    pub example: Vec<Example>,
    /// Read pages as this file says; if it is not there, it is written with what was learned
    #[arg(long, value_name = "FILE")]
    pub wrapper: Option<PathBuf>,
    /// Which method to use [default: learned]
    #[arg(long, value_parser = method_parser())]
    pub method: Option<Method>,
    /// Entropy from which a node is data-rich, for de-sse
    #[arg(long, value_name = "H", default_value_t = 2.0)]
    pub hd: f64,
    /// Entropy from which a node is a list, for de-sse
    #[arg(long, value_name = "H", default_value_t = 0.9)]
    pub hl: f64,
    /// Give whole text nodes, with the labels that stand in them
    #[arg(long)]
    pub raw: bool,
    /// Print the columns instead of the records: name, type, fill, label
    #[arg(long)]
    pub schema: bool,
    /// Call a column NEW that would be called OLD (`table.old=new` within pages); may be repeated
    #[arg(long, value_name = "OLD=NEW", value_parser = rename)]
    pub rename: Vec<(String, String)>,
    /// Leave this column out (`table.column` within pages, `table` for all of one); may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub without: Vec<String>,
    /// Learn from so many pages of a class at most [default: 60]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub learn_from: Option<usize>,
    /// Start of everything random: same seed, same run
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
DIR holds a folder for each site, <vertical>-<name>, with truth.jsonl and pages.warc.gz.

Examples:
  pagekin eval extract swde
  pagekin eval extract swde --method de-sse --hd 1 --domains swde/domains
  pagekin eval extract swde --by example
  pagekin eval extract swde --by nothing --learn-from 10
  pagekin eval extract swde --left-out strict
  pagekin eval extract swde --fit crates/core/src/extract/fitted/roles.json")]
pub struct EvalExtractArgs {
    /// Folder of sites
    pub dir: PathBuf,
    /// Which method
    #[arg(long, value_parser = method_parser(), default_value = "learned")]
    pub method: Method,
    /// What is given: domain files, the values of one page, or nothing
    #[arg(long, value_parser = ["domain", "example", "nothing"], default_value = "domain")]
    pub by: String,
    /// Folder of domain files, <vertical>.toml
    #[arg(long, value_name = "DIR", default_value = "domains")]
    pub domains: PathBuf,
    /// Entropy from which a node is data-rich, for de-sse
    #[arg(long, value_name = "H", default_value_t = 2.0)]
    pub hd: f64,
    /// Entropy from which a node is a list, for de-sse
    #[arg(long, value_name = "H", default_value_t = 0.9)]
    pub hl: f64,
    /// Values are whole text nodes, as the truth of SWDE has them
    #[arg(long)]
    pub raw: bool,
    /// Learn from so many pages of each site [default: as extract]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub learn_from: Option<usize>,
    /// Only these sites
    #[arg(long, value_delimiter = ',', value_name = "SITE,...")]
    pub sites: Vec<String>,
    /// Measure each site as one that nobody has seen: what is fitted leaves it out, and so do the domain files. `labels`: they lose
    /// the labels that serve no other site; `strict`: all but the names of the roles
    #[arg(long, value_parser = ["labels", "strict"], value_name = "WHAT")]
    pub left_out: Option<String>,
    /// Domain files alone, without what was fitted on other sites
    #[arg(long)]
    pub unfitted: bool,
    /// Show how often values of each confidence are right
    #[arg(long)]
    pub reliability: bool,
    /// Measure nothing: fit what values of the roles look like on all sites, and write it to this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["left_out", "unfitted", "sites", "gate"])]
    pub fit: Option<PathBuf>,
    /// Compare with the floors in this file; exit 1 when a figure fell below its own
    #[arg(long, value_name = "FILE")]
    pub gate: Option<PathBuf>,
    #[command(flatten)]
    pub report: MeasuredArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The folder holds gold tables, <site>-<kind>.jsonl and <site>-<kind>.meta.json: what a careful person would
want as columns. Each is compared with what `pagekin extract` gives for its pages, with its defaults.

Examples:
  pagekin eval tables gold
  pagekin eval tables gold --sites-in sites --only shop,forum --format json
  pagekin eval run gold --gate eval/extraction.json")]
pub struct EvalTablesArgs {
    /// Folder of gold tables
    pub dir: PathBuf,
    /// Folders of sites, each with <site>/site.warc.gz [default: `sites` beside the folder]
    #[arg(long = "sites-in", value_name = "DIR")]
    pub archives: Vec<PathBuf>,
    /// Only tables whose name holds one of these
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub only: Vec<String>,
    /// Learn from so many pages of each site [default: as extract]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub learn_from: Option<usize>,
    /// Compare with the floors in this file; exit 1 when a figure fell below its own
    #[arg(long, value_name = "FILE")]
    pub gate: Option<PathBuf>,
    #[command(flatten)]
    pub report: MeasuredArgs,
}

pub fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::name)).try_map(|name| name.parse::<Method>())
}

pub fn example(text: &str) -> Result<Example, String> {
    let wrong = || "it is not NAME=VALUE\n\nhint: such as team=McLaren".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
    if name.is_empty() || value.is_empty() { Err(wrong()) } else { Ok(Example { name, value }) }
}

pub fn rename(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(old, new)| (old.trim(), new.trim()));
    match pair.filter(|(old, new)| !old.is_empty() && !new.is_empty()) {
        Some((old, new)) => Ok((old.to_owned(), new.to_owned())),
        None => Err("it is not OLD=NEW".to_owned()),
    }
}
