//! `pagekin eval check`: made-up offers with truth → how well false ones are found, and how fast.

use super::args::EvalCheckArgs;
use crate::exit::Exit;
use crate::talk::Talk;
use anyhow::Result;
use pagekin_eval::check::{CheckOptions, keep, measure};
use std::io::Write;

pub fn run(args: &EvalCheckArgs, talk: &Talk) -> Result<Exit> {
    let options = CheckOptions { rows: args.rows, offers: args.offers, seed: args.seed, failures: args.failures };
    if let Some(folder) = &args.keep {
        keep(folder, &options)?;
        talk.say(format_args!("rows, offers, truth and rules are in `{}`", folder.display()));
    }
    let report = measure(&options)?;
    let text = if args.format == "json" { serde_json::to_string_pretty(&report)? + "\n" } else { report.to_markdown() };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    let low = args.least.is_some_and(|least| report.least() < least);
    Ok(if low { Exit::Findings } else { Exit::Done })
}
