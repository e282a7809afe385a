//! `pagekin eval hidden`: address lists with truth, or running applications → how well hidden pages are found.

use crate::args_hidden::EvalHiddenArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::gate;
use crate::talk::Talk;
use anyhow::Result;
use pagekin::Stop;
use pagekin::templates::Settings;
use pagekin_eval::hidden::{application, measure_templates};

pub async fn run(args: &EvalHiddenArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    args.report.check()?;
    let floors = gate::read(args.gate.as_deref())?;
    let mut exit = Exit::Done;
    let built_in = Settings::default();
    let mut parts = Vec::new();
    if let Some(dir) = &args.dir {
        let report = measure_templates(dir, &args.sites, built_in.fewest, args.min_urls)?;
        parts.push(args.report.text(&report, || report.to_markdown(args.failures))?);
        exit = gate::verdict(talk, floors.as_ref(), "hidden", &report.figures());
    }
    if !args.application.is_empty() {
        let settings = Settings { method: args.method.unwrap_or_default(), ..built_in };
        let source = config.source(&args.source, settings.seed, stop);
        let mut scores = Vec::new();
        for path in &args.application {
            scores.push(application::measure(path, &source, &settings).await?);
        }
        parts.push(args.report.text(&scores, || application::to_markdown(&scores, args.failures))?);
    }
    args.report.write(&parts.join("\n"))?;
    talk.say("measured without times: figures hang on addresses and answers alone");
    Ok(exit)
}
