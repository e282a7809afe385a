//! `pagekin eval extract`: sites with truth → how well values are extracted.

use super::args::EvalExtractArgs;
use crate::exit::Exit;
use crate::gate;
use crate::talk::Talk;
use anyhow::Result;
use pagekin::extract::{Method, sse};
use pagekin_eval::extract::{ExtractOptions, Mode, measure};

pub fn run(args: &EvalExtractArgs, talk: &Talk) -> Result<Exit> {
    args.report.check()?;
    let floors = gate::read(args.gate.as_deref())?;
    let mode = match (args.method, args.by.as_str()) {
        (Method::DeSse, _) => Mode::DeSse(sse::Settings { rich: args.hd, list: args.hl }),
        (Method::Learned, "example") => Mode::Example,
        (Method::Learned, "nothing") => Mode::Nothing,
        (Method::Learned, _) => Mode::Domain,
    };
    let (domains, sites) = (args.domains.clone(), args.sites.clone());
    let options = ExtractOptions { mode, domains, learn_from: args.learn_from, raw: args.raw, sites };
    let measured = match args.method {
        Method::DeSse => "extract-de-sse".to_owned(),
        Method::Learned => format!("extract-{}", args.by),
    };
    let report = measure(&args.dir, &options)?;
    args.report.give(&report, || report.to_markdown())?;
    talk.say(format_args!(
        "pages a second and core, parsing included: learning {:.0}, applying {:.0}",
        report.learning, report.applying
    ));
    Ok(gate::verdict(talk, floors.as_ref(), &measured, &report.figures()))
}
