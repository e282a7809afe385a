//! `pagekin eval model`: sites with truth, or sites to mix → how well the site model does.

use crate::config::Config;
use crate::exit::Exit;
use crate::files;
use crate::gate;
use crate::model_args::EvalModelArgs;
use crate::talk::Talk;
use anyhow::Result;
use pagekin::Stop;
use pagekin::model::Method;
use pagekin_eval::Error;
use pagekin_eval::model::{ModelOptions, measure};

pub fn run(args: &EvalModelArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    args.report.check()?;
    let floors = gate::read(args.gate.as_deref())?;
    args.plot.as_deref().map(files::check_folder).transpose()?;
    let options = ModelOptions {
        dir: args.dir.clone(),
        sites: args.sites.clone(),
        methods: if args.methods.is_empty() { Method::ALL.to_vec() } else { args.methods.clone() },
        settings: args.how.settings(config, None),
        own_addresses: args.own_addresses,
        stop,
    };
    let report = match measure(&options, &|what| talk.say(what)) {
        Err(Error::Interrupted) => {
            talk.say("interrupted; nothing was measured to the end");
            return Ok(Exit::Interrupted);
        }
        report => report?,
    };
    args.report.give(&report, || report.to_markdown())?;
    if let Some(path) = &args.plot {
        files::write(path, |out| Ok(out.write_all(report.to_svg().as_bytes())?))?;
    }
    Ok(gate::verdict(talk, floors.as_ref(), "model", &report.figures()))
}
