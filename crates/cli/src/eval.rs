//! `pagekin eval`: sites with truth → how well the methods do.

use crate::args::{EvalArgs, EvalFitArgs};
use crate::config::Config;
use crate::exit::Exit;
use crate::files;
use crate::progress;
use crate::talk::Talk;
use anyhow::Result;
use pagekin::Stop;
use pagekin::discover::Method;
use pagekin_eval::{Corpus, Error, Floors, LeftOut, Options, Report, fit};

pub fn run(args: &EvalArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    args.report.check()?;
    let floors = args.gate.as_deref().map(Floors::read).transpose()?;
    let corpus = Corpus::read(&args.dir, &args.sites)?;
    if let Some(floors) = &floors {
        floors.check_corpus(&corpus.hash)?;
    }
    let mut options = options(args, config, floors.as_ref(), stop);
    options.left_out = args.left_out.as_deref().map(LeftOut::read).transpose()?;
    let report = match measure(args, talk, &corpus, &options) {
        Err(Error::Interrupted) => {
            talk.say("interrupted; nothing was measured to the end");
            return Ok(Exit::Interrupted);
        }
        report => report?,
    };
    args.report.give(&report, || report.to_markdown())?;
    verdict(talk, &report, floors.as_ref())
}

/// Fits on all sites, and on all but each fold.
pub fn fit(args: &EvalFitArgs, talk: &Talk) -> Result<Exit> {
    for path in [&args.params, &args.folds] {
        files::check_folder(path)?;
    }
    let corpus = Corpus::read(&args.dir, &[])?;
    let bar = progress::runs(talk);
    bar.set_length((corpus.sites.len() + args.count + 1) as u64);
    let (params, left_out) = fit::fit_all(&corpus, args.count, &|what| {
        bar.inc(1);
        bar.set_message(what.to_owned());
    })?;
    bar.finish_and_clear();
    std::fs::write(&args.params, serde_json::to_string_pretty(&params)? + "\n")?;
    std::fs::write(&args.folds, serde_json::to_string_pretty(&left_out)? + "\n")?;
    talk.say(format_args!("written to `{}` and `{}`", args.params.display(), args.folds.display()));
    Ok(Exit::Done)
}

fn options(args: &EvalArgs, config: &Config, floors: Option<&Floors>, stop: Stop) -> Options {
    let methods = match floors {
        _ if !args.methods.is_empty() => args.methods.clone(),
        Some(floors) => floors.methods().collect(),
        None => Method::ALL.to_vec(),
    };
    Options {
        methods,
        samples: args.samples.or(floors.and_then(|floors| floors.samples)),
        jobs: args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        settings: config.settings(&args.how, None),
        left_out: None,
        ask: args.ask,
        render: config.render(&args.browser),
        layouts: args.layouts.clone(),
        failures: args.failures,
        stop,
    }
}

fn measure(args: &EvalArgs, talk: &Talk, corpus: &Corpus, options: &Options) -> Result<Report, Error> {
    let bar = progress::runs(talk);
    let report = pagekin_eval::measure(corpus, options, &|progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
        let method = progress.method.map_or("opening", Method::name);
        bar.set_message(format!("{} {method}", progress.site));
    })?;
    bar.finish_and_clear();
    Ok(if args.no_times { report.without_times() } else { report })
}

/// Runs that could not be done and figures below their floors are findings.
fn verdict(talk: &Talk, report: &Report, floors: Option<&Floors>) -> Result<Exit> {
    let mut exit = Exit::Done;
    if report.errors() > 0 {
        talk.say(format_args!("{} runs could not be done; the report says which", report.errors()));
        exit = Exit::Findings;
    }
    let Some(floors) = floors else { return Ok(exit) };
    let falls = floors.check(report)?;
    for fall in &falls {
        eprintln!("gate: {fall}");
    }
    if falls.is_empty() {
        talk.say("gate: no figure fell below its floor");
    } else {
        eprintln!("\nhint: `--failures` lists what was missed; floors only go up");
        exit = Exit::Findings;
    }
    Ok(exit)
}
