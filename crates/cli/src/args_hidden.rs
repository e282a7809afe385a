//! What did the user type for `pagekin hidden` and `pagekin eval hidden`? Arguments, as clap reads them.

use crate::args::{SourceArgs, positive, variant_parser};
use crate::args_output::{MeasuredArgs, OutputArgs};
use crate::files::parse_url;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pagekin::Url;
use pagekin::templates::Method;
use pagekin::templates::thesis::Stage;
use std::path::PathBuf;
use strum::VariantNames;

#[derive(Debug, Args)]
#[command(after_help = "\
A line of output: {\"template\", \"known\", \"tried\", \"found\": [{\"url\", \"id\", \"confidence\", \"how\", \"unlinked\"}]}
In a template {N} is the id, {T} text inside a path element, {*} any text.

Examples:
  pagekin hidden --urls crawled.txt --templates-only
  pagekin hidden --urls crawled.txt --dry-run
  pagekin hidden --urls crawl.cdxj.gz --budget 500 --out hidden.jsonl
  pagekin hidden https://example.org/item/17
  pagekin hidden --db pagekin.db --site example.org --dry-run
  pagekin hidden --urls crawled.txt --method templates-2016 --stage prefix")]
pub struct HiddenArgs {
    /// Sample pages: all pages of their kind are discovered first
    #[arg(value_name = "URL", value_parser = parse_url, required_unless_present_any = ["urls", "db"])]
    pub samples: Vec<Url>,
    /// Addresses known: a list, a CDX, CDXJ or WARC file, gzip'd or not; `-` reads stdin; may be repeated
    #[arg(long, value_name = "FILE")]
    pub urls: Vec<PathBuf>,
    /// Addresses known: those that runs kept in this database, a SQLite file or postgres://user@host/name
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
    /// Of the database only this site
    #[arg(long, value_name = "NAME", requires = "db")]
    pub site: Option<String>,
    /// Print the templates and ask the site for nothing
    #[arg(long, conflicts_with_all = ["samples", "stage", "dry_run"])]
    pub templates_only: bool,
    /// Print the templates that were left alone, and why, instead of the others
    #[arg(long, conflicts_with_all = ["stage", "dry_run"])]
    pub refused: bool,
    /// Print what would be asked, and ask for nothing
    #[arg(long, conflicts_with_all = ["samples", "stage"])]
    pub dry_run: bool,
    /// Which method to use [default: kin]
    #[arg(long, value_parser = method_parser())]
    pub method: Option<Method>,
    /// Print the templates of templates-2016 after a step: init, group, prefix, unused or final
    #[arg(long, value_parser = stage_parser(), conflicts_with = "samples")]
    pub stage: Option<Stage>,
    /// Fewest ids of a template [default: 10]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub fewest: Option<usize>,
    /// Ask for so many pages of a site at most [default: what pays]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub budget: Option<usize>,
    /// Requests that a page found may cost [default: 3]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub price: Option<usize>,
    /// Requests that may be spent on a site beside those [default: 50]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub allowance: Option<usize>,
    /// Start of everything random: same seed, same run [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
DIR holds SITE.txt.gz (addresses) and SITE.truth.json (templates) for each site. An application is given by the
truth.json it wrote, and must be running.

Examples:
  pagekin eval hidden urls/templates
  pagekin eval hidden urls/templates --sites book-abebooks --failures
  pagekin eval hidden urls/templates --gate eval/stages.json
  pagekin eval hidden --application shop/truth.json")]
pub struct EvalHiddenArgs {
    /// Folder of address lists with truth
    #[arg(required_unless_present = "application")]
    pub dir: Option<PathBuf>,
    /// The truth of a running application: seeks its hidden pages from the linked ones; may be repeated
    #[arg(long, value_name = "FILE")]
    pub application: Vec<PathBuf>,
    /// Which method to use on applications [default: kin]
    #[arg(long, value_parser = method_parser())]
    pub method: Option<Method>,
    /// Only these sites
    #[arg(long, value_delimiter = ',', value_name = "SITE,...")]
    pub sites: Vec<String>,
    /// Fewest addresses that a template of the truth must have to be counted
    #[arg(long, value_name = "N", value_parser = positive, default_value_t = 10)]
    pub min_urls: usize,
    /// List the templates that are wrong, repeated or missed
    #[arg(long)]
    pub failures: bool,
    /// Compare with the floors in this file; exit 1 when a figure fell below its own
    #[arg(long, requires = "dir", value_name = "FILE")]
    pub gate: Option<PathBuf>,
    #[command(flatten)]
    pub report: MeasuredArgs,
    #[command(flatten)]
    pub source: SourceArgs,
}

fn method_parser() -> impl TypedValueParser<Value = Method> {
    variant_parser(Method::VARIANTS)
}

fn stage_parser() -> impl TypedValueParser<Value = Stage> {
    PossibleValuesParser::new(Stage::ALL.map(|(name, _)| name)).try_map(|name| name.parse::<Stage>())
}
