//! What did the user type for `model`, `classify` and `eval model`? Arguments, as clap reads them.

use crate::args::{SourceArgs, named, notation_parser, positive, scope_parser, share};
use crate::args_output::{MeasuredArgs, OutputArgs};
use crate::config::Config;
use crate::files::parse_url;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pagekin::Url;
use pagekin::model::mdl::Order;
use pagekin::model::{Method, Settings};
use pagekin::page::Notation;
use pagekin::page::address::ScopeKind;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Output: {\"classes\": [{\"id\", \"name\", \"size\", \"schema\", \"pages\", ...}], \"links\": [{\"from\", \"to\", \"path\", \"count\"}], ...}

Examples:
  pagekin model https://example.org/
  pagekin model https://example.org/ --out model.json --out map.html --stats stats.json
  pagekin model --archive crawl.warc.gz --all --out model.json
  pagekin discover --model model.json --class 2 --archive crawl.warc.gz")]
pub struct ModelArgs {
    /// The entry page of the site
    #[arg(value_name = "URL", value_parser = parse_url, required_unless_present = "all")]
    pub start: Option<Url>,
    /// Model every page of the archives; nothing is fetched
    #[arg(long, requires = "archive", conflicts_with_all = ["start", "method", "budget", "scope"])]
    pub all: bool,
    /// Which method to use [default: survey]
    #[arg(long, value_parser = method_parser())]
    pub method: Option<Method>,
    #[command(flatten)]
    pub how: ModelMethodArgs,
    #[command(flatten)]
    pub source: SourceArgs,
    /// How to print the model [default: table on a terminal, json in a pipe]
    #[arg(long, value_enum, help_heading = "Output")]
    pub format: Option<Shape>,
    /// Write the model to a file instead: .json, .graphml, .dot or .html; may be repeated
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Vec<PathBuf>,
    /// Write what the run took, as one JSON object
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub stats: Option<PathBuf>,
}

/// The forms of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Shape {
    Table,
    Json,
    Graphml,
    Dot,
    Html,
}

#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Method")]
pub struct ModelMethodArgs {
    /// What counts as the site: the host, its registrable domain, or the entry page's folder [default: host]
    #[arg(long, value_parser = scope_parser())]
    pub scope: Option<ScopeKind>,
    /// Look at so many pages at most [default: the method decides]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub budget: Option<usize>,
    /// Pages fetched of a link collection, for mdl-2005 [default: 3]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub n: Option<usize>,
    /// Distance below which groups of pages are one, for mdl-2005 [default: 0.2]
    #[arg(long, value_name = "D", value_parser = share)]
    pub dt: Option<f64>,
    /// Which link collections go first, for mdl-2005 [default: densest]
    #[arg(long, value_parser = order_parser())]
    pub order: Option<Order>,
    /// What a step of a link-path consists of, for mdl-2005 [default: names and classes]
    #[arg(long, value_parser = notation_parser())]
    pub notation: Option<Notation>,
}

impl ModelMethodArgs {
    /// Scope is also what the config file sets for discovery; a budget there is one for discovery.
    pub fn settings(&self, config: &Config, method: Option<Method>) -> Settings {
        let built_in = Settings::default();
        Settings {
            method: method.unwrap_or_default(),
            scope: self.scope.or(config.discover.scope).unwrap_or(built_in.scope),
            budget: self.budget,
            n: self.n.unwrap_or(built_in.n),
            dt: self.dt.unwrap_or(built_in.dt),
            order: self.order.unwrap_or(built_in.order),
            notation: self.notation.unwrap_or(built_in.notation),
            limits: built_in.limits,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
A line of output: {\"url\", \"class\", \"cost\"}; the class of a page like none of the model's is null

Examples:
  pagekin classify --model model.json https://example.org/drivers/alonso
  pagekin classify --model model.json --archive crawl.warc.gz --all --out classes.csv
  cat pages.txt | pagekin classify --model model.json --urls -")]
pub struct ClassifyArgs {
    /// A model that `pagekin model --out FILE.json` wrote
    #[arg(long, value_name = "MODEL")]
    pub model: PathBuf,
    /// Addresses of pages
    #[arg(value_name = "URL", value_parser = parse_url, required_unless_present_any = ["urls", "all"])]
    pub pages: Vec<Url>,
    /// More pages, one address a line; `-` reads stdin
    #[arg(long, value_name = "FILE")]
    pub urls: Option<PathBuf>,
    /// Every page of the archives
    #[arg(long, requires = "archive", conflicts_with_all = ["pages", "urls"])]
    pub all: bool,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
DIR holds a folder for each site: meta.json with its main_page, site.warc.gz, truth.txt; or a folder
for each site of one type, named VERTICAL-SITE, with pages.warc.gz: those of a vertical are mixed.

Examples:
  pagekin eval model sites --plot quality.svg
  pagekin eval model sites --methods survey --sites jargon_file,news_ucf
  pagekin eval model sites --methods survey --gate eval/stages.json
  pagekin eval model swde")]
pub struct EvalModelArgs {
    /// Folder of sites
    pub dir: PathBuf,
    /// Which methods [default: all]
    #[arg(long, value_delimiter = ',', value_name = "METHOD,...", value_parser = method_parser())]
    pub methods: Vec<Method>,
    /// Only these sites, or mixtures
    #[arg(long, value_delimiter = ',', value_name = "SITE,...")]
    pub sites: Vec<String>,
    /// Mix pages with their own addresses instead of ones that say nothing
    #[arg(long)]
    pub own_addresses: bool,
    /// Compare with the floors in this file; exit 1 when a figure fell below its own
    #[arg(long, value_name = "FILE")]
    pub gate: Option<PathBuf>,
    #[command(flatten)]
    pub report: MeasuredArgs,
    /// Draw quality Q against pages fetched, as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub how: ModelMethodArgs,
}

fn method_parser() -> impl TypedValueParser<Value = Method> {
    let names = Method::ALL.map(Method::name);
    PossibleValuesParser::new(names).map(|name| name.parse().unwrap_or_default())
}

const ORDERS: [(&str, Order); 2] = [("densest", Order::Densest), ("sparsest", Order::Sparsest)];

fn order_parser() -> impl TypedValueParser<Value = Order> {
    PossibleValuesParser::new(ORDERS.map(|(name, _)| name)).map(|name| named(&ORDERS, &name))
}
