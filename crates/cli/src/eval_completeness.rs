//! `pagekin eval completeness`: sites with truth → how often the interval that a search states holds it, and how wide it is.

use crate::args::MethodArgs;
use crate::args_output::MeasuredArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::talk::Talk;
use crate::{files, gate, progress};
use anyhow::{Result, bail};
use clap::Args;
use pagekin::Stop;
use pagekin_eval::completeness::{Case, CompletenessOptions, cases, fitted_text, judge, read};
use pagekin_eval::{Corpus, Error, LeftOut};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Each kind of page is searched to the end, and again with budgets drawn at random. An interval is judged on a site with what was
fitted without it.

Examples:
  pagekin eval completeness sites
  pagekin eval completeness sites --samples 5 --cuts 3 --left-out eval/folds.json --failures=10
  pagekin eval completeness sites --gate eval/stages.json
  pagekin eval completeness --cases cases.jsonl --fit fitted.json")]
pub struct EvalCompletenessArgs {
    /// Folder of sites
    #[arg(required_unless_present = "cases")]
    pub dir: Option<PathBuf>,
    /// Judge the searches in this file, which `--keep` wrote, instead of searching
    #[arg(long, value_name = "FILE", conflicts_with = "dir")]
    pub cases: Option<PathBuf>,
    /// Only these sites
    #[arg(long, value_delimiter = ',', value_name = "SITE,...")]
    pub sites: Vec<String>,
    /// Samples of each kind, drawn by hash from all its pages
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub samples: usize,
    /// Times that each search is done again with a budget drawn at random
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub cuts: usize,
    /// Searches side by side [default: one a core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Search each site with what `pagekin eval fit --folds FILE` fitted without it
    #[arg(long, value_name = "FILE")]
    pub left_out: Option<PathBuf>,
    /// Write the searches to this file, a line each
    #[arg(long, value_name = "FILE")]
    pub keep: Option<PathBuf>,
    /// Write the intervals fitted on all cases to this file
    #[arg(long, value_name = "FILE")]
    pub fit: Option<PathBuf>,
    /// List intervals that do not hold the truth, at most N
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "20")]
    pub failures: Option<usize>,
    /// Compare with the floors in this file; exit 1 when a figure fell below its own
    #[arg(long, value_name = "FILE")]
    pub gate: Option<PathBuf>,
    #[command(flatten)]
    pub report: MeasuredArgs,
    #[command(flatten)]
    pub how: MethodArgs,
}

pub fn run(args: &EvalCompletenessArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    args.report.check()?;
    let floors = gate::read(args.gate.as_deref())?;
    for path in [&args.keep, &args.fit].into_iter().flatten() {
        files::check_folder(path)?;
    }
    let cases = match measured(args, config, talk, stop) {
        Err(Error::Interrupted) => {
            talk.say("interrupted; nothing was measured to the end");
            return Ok(Exit::Interrupted);
        }
        cases => cases?,
    };
    if let Some(path) = &args.keep {
        files::write(path, |out| {
            cases.iter().try_for_each(|case| Ok(writeln!(out, "{}", serde_json::to_string(case)?)?))
        })?;
    }
    if let Some(path) = &args.fit {
        let Some(text) = fitted_text(&cases) else {
            bail!("{} searches are too few to fit intervals on\n\nhint: take more sites or samples", cases.len());
        };
        files::write(path, |out| Ok(out.write_all(text.as_bytes())?))?;
    }
    let report = judge(&cases);
    let failures = args.failures.map_or_else(String::new, |most| format!("\n{}", report.failures(most)));
    args.report.give(&report, || report.to_markdown() + &failures)?;
    Ok(gate::verdict(talk, floors.as_ref(), "completeness", &report.figures()))
}

fn measured(args: &EvalCompletenessArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Vec<Case>, Error> {
    if let Some(path) = &args.cases {
        return read(path);
    }
    let corpus = Corpus::read(&args.dir.clone().unwrap_or_default(), &args.sites)?;
    let settings = config.settings(&args.how, None);
    let options = CompletenessOptions {
        samples: args.samples,
        cuts: args.cuts,
        seed: settings.seed,
        jobs: args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        settings,
        left_out: args.left_out.as_deref().map(LeftOut::read).transpose()?,
        stop,
    };
    let bar = progress::runs(talk);
    bar.set_length(corpus.sites.len() as u64);
    let cases = cases(&corpus, &options, &|site| {
        bar.set_message(site.to_owned());
        bar.inc(1);
    })?;
    bar.finish_and_clear();
    Ok(cases)
}
