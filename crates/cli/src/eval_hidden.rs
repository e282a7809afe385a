//! `pagekin eval hidden`: address lists with truth, or running applications → how well hidden pages are found.

use crate::args_hidden::EvalHiddenArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::files;
use crate::talk::Talk;
use anyhow::Result;
use pagekin::Stop;
use pagekin::templates::Settings;
use pagekin_eval::hidden::{application, measure_templates};
use std::io::Write;

pub async fn run(args: &EvalHiddenArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    args.out.as_deref().map(files::check_folder).transpose()?;
    let ending = args.out.as_deref().and_then(|path| path.extension());
    let json = args.format == "json" || ending.is_some_and(|ending| ending == "json");
    let built_in = Settings::default();
    let mut parts = Vec::new();
    if let Some(dir) = &args.dir {
        let report = measure_templates(dir, &args.sites, built_in.fewest, args.min_urls)?;
        parts.push(if json {
            serde_json::to_string_pretty(&report)? + "\n"
        } else {
            report.to_markdown(args.failures)
        });
    }
    if !args.application.is_empty() {
        let settings = Settings { method: args.method.unwrap_or_default(), ..built_in };
        let source = config.source(&args.source, settings.seed, stop);
        let mut scores = Vec::new();
        for path in &args.application {
            scores.push(application::measure(path, &source, &settings).await?);
        }
        let text = application::to_markdown(&scores, args.failures);
        parts.push(if json { serde_json::to_string_pretty(&scores)? + "\n" } else { text });
    }
    let text = parts.join("\n");
    match &args.out {
        Some(path) => files::write(path, |out| Ok(out.write_all(text.as_bytes())?))?,
        None => std::io::stdout().lock().write_all(text.as_bytes())?,
    }
    talk.say("measured without times: figures hang on addresses and answers alone");
    Ok(Exit::Done)
}
