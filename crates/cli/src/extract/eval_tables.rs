//! `pagekin eval tables`, `pagekin eval run`: gold tables → are the tables made with nothing given those that a person would want? And those that
//! one sample page gives?

use super::args::EvalTablesArgs;
use crate::exit::Exit;
use crate::gate;
use crate::talk::Talk;
use anyhow::Result;
use pagekin_eval::tables::TablesOptions;
use pagekin_eval::{runs, tables};

pub fn run(args: &EvalTablesArgs, talk: &Talk) -> Result<Exit> {
    args.report.check()?;
    let floors = gate::read(args.gate.as_deref())?;
    let report = tables::measure(&args.dir, &options(args))?;
    args.report.give(&report, || report.to_markdown())?;
    Ok(gate::verdict(talk, floors.as_ref(), "tables", &report.figures()))
}

pub fn whole_runs(args: &EvalTablesArgs, talk: &Talk) -> Result<Exit> {
    args.report.check()?;
    let floors = gate::read(args.gate.as_deref())?;
    let report = runs::measure(&args.dir, &options(args))?;
    args.report.give(&report, || report.to_markdown())?;
    Ok(gate::verdict(talk, floors.as_ref(), "run", &report.figures()))
}

fn options(args: &EvalTablesArgs) -> TablesOptions {
    let beside = || vec![args.dir.join("../sites")];
    let sites = if args.archives.is_empty() { beside() } else { args.archives.clone() };
    TablesOptions { sites, only: args.only.clone(), learn_from: args.learn_from }
}
