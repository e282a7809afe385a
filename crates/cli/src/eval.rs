//! `pagekin eval`: sites with truth → how well the methods do.

use crate::args::EvalArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::progress;
use crate::talk::Talk;
use anyhow::Result;
use pagekin::Stop;
use pagekin::discover::Method;
use pagekin_eval::{Corpus, Error, Floors, Options, Report};

pub fn run(args: &EvalArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    args.report.check()?;
    let floors = args.gate.as_deref().map(Floors::read).transpose()?;
    let corpus = Corpus::read(&args.dir, &args.sites)?;
    if let Some(floors) = &floors {
        floors.check_corpus(&corpus.hash)?;
    }
    let report = match measure(args, talk, &corpus, &options(args, config, floors.as_ref(), stop)) {
        Err(Error::Interrupted) => {
            talk.say("interrupted; nothing was measured to the end");
            return Ok(Exit::Interrupted);
        }
        report => report?,
    };
    args.report.give(&report, || report.to_markdown())?;
    verdict(talk, &report, floors.as_ref())
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
