//! `pagekin eval extract`: sites with truth → how well values are extracted.

use super::args::EvalExtractArgs;
use crate::exit::Exit;
use crate::files;
use crate::gate;
use crate::talk::Talk;
use anyhow::Result;
use pagekin::extract::{Method, sse};
use pagekin_eval::extract::fit::left_out::LeftOut;
use pagekin_eval::extract::{ExtractOptions, Mode, fit_roles, measure};
use std::path::Path;

pub fn run(args: &EvalExtractArgs, talk: &Talk) -> Result<Exit> {
    if let Some(file) = &args.fit {
        return fit(args, file, talk);
    }
    args.report.check()?;
    let floors = gate::read(args.gate.as_deref())?;
    let mode = match (args.method, args.by.as_str()) {
        (Method::DeSse, _) => Mode::DeSse(sse::Settings { rich: args.hd, list: args.hl }),
        (Method::Learned, "example") => Mode::Example,
        (Method::Learned, "nothing") => Mode::Nothing,
        (Method::Learned, _) => Mode::Domain,
    };
    let (domains, sites) = (args.domains.clone(), args.sites.clone());
    let left_out =
        args.left_out.as_deref().map(|what| if what == "strict" { LeftOut::Strict } else { LeftOut::Labels });
    let (learn_from, unfitted) = (args.learn_from, args.unfitted);
    let options = ExtractOptions { mode, domains, learn_from, raw: args.raw, sites, left_out, unfitted };
    let measured = match (args.method, &args.left_out) {
        (Method::DeSse, _) => "extract-de-sse".to_owned(),
        (Method::Learned, Some(what)) => format!("extract-{}-left-out-{what}", args.by),
        (Method::Learned, None) => format!("extract-{}", args.by),
    };
    let report = measure(&args.dir, &options)?;
    let reliability = if args.reliability { report.reliability_markdown() } else { String::new() };
    args.report.give(&report, || report.to_markdown() + &reliability)?;
    talk.say(format_args!(
        "pages a second and core, parsing included: learning {:.0}, applying {:.0}",
        report.learning, report.applying
    ));
    Ok(gate::verdict(talk, floors.as_ref(), &measured, &report.figures()))
}

fn fit(args: &EvalExtractArgs, file: &Path, talk: &Talk) -> Result<Exit> {
    files::check_folder(file)?;
    let fitted = fit_roles(&args.dir, &args.domains)?;
    std::fs::write(file, serde_json::to_string_pretty(&fitted)? + "\n")?;
    talk.say(format_args!("written to `{}`", file.display()));
    Ok(Exit::Done)
}
