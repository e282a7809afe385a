//! `pagekin eval check`: made-up offers with truth → how well false ones are found, and how fast.

use super::args::EvalCheckArgs;
use crate::exit::Exit;
use crate::gate;
use crate::talk::Talk;
use anyhow::Result;
use pagekin_eval::check::{CheckOptions, keep, measure};

pub fn run(args: &EvalCheckArgs, talk: &Talk) -> Result<Exit> {
    args.report.check()?;
    let floors = gate::read(args.gate.as_deref())?;
    let options = CheckOptions { rows: args.rows, offers: args.offers, seed: args.seed, failures: args.failures };
    if let Some(folder) = &args.keep {
        keep(folder, &options)?;
        talk.say(format_args!("rows, offers, truth and rules are in `{}`", folder.display()));
    }
    let report = measure(&options)?;
    args.report.give(&report, || report.to_markdown())?;
    let low = args.least.is_some_and(|least| report.least() < least);
    let exit = gate::verdict(talk, floors.as_ref(), "check", &report.figures());
    Ok(if low { Exit::Findings } else { exit })
}
