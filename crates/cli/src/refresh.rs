//! `pagekin discover --refresh`: what an earlier run learned → what is new, gone or changed.

use crate::args::DiscoverArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::talk::Talk;
use crate::{files, progress};
use anyhow::{Result, anyhow};
use pagekin::discover::refresh::{Learned, Refresh};
use pagekin::{RunStats, Source, SourceSettings, Stop, change, refresh_job, site};
use std::path::Path;

pub async fn run(args: &DiscoverArgs, path: &Path, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let learned = read(path)?;
    let target = args.output.found.target()?;
    args.output.learned.as_deref().map(files::check_folder).transpose()?;

    let settings = config.settings(&args.how, None);
    let from = SourceSettings { scope: learned.scope, ..config.source(&args.source, settings.seed, stop) };
    let source = Source::open(&from, &learned.samples)?;
    let (refresh, stats) = progress::beside(&source, talk, refresh_job(&source, &learned, &settings)).await?;

    args.output.found.keep(&stats)?;
    target.write(&change::rows(&refresh))?;
    let interrupted = refresh.stopped == Some(site::Stop::Interrupted);
    if let Some(path) = args.output.learned.as_ref().filter(|_| !interrupted) {
        write(path, &refresh.learned)?;
    }
    sum_up(talk, &refresh, &stats);
    Ok(if interrupted { Exit::Interrupted } else { Exit::Done })
}

fn read(path: &Path) -> Result<Learned> {
    pagekin::learned::parse(&files::read(path)?).map_err(|error| anyhow!("cannot use `{}`: {error}", path.display()))
}

/// As `--learned` has it.
pub fn write(path: &Path, learned: &Learned) -> Result<()> {
    let text = pagekin::learned::text(learned)?;
    files::write(path, |out| Ok(out.write_all(text.as_bytes())?))
}

fn sum_up(talk: &Talk, refresh: &Refresh, stats: &RunStats) {
    let Refresh { new, gone, changed, kept, .. } = refresh;
    talk.say(format_args!(
        "{} new, {} gone, {} changed, {} kept: {} downloads, {} requests, {} not modified, {:.1} MB, {:.1} s",
        new.len(),
        gone.len(),
        changed.len(),
        kept.len(),
        stats.downloads,
        stats.requests,
        stats.not_modified,
        stats.bytes as f64 / 1e6,
        stats.seconds
    ));
    if !refresh.further.is_empty() {
        talk.say(format_args!("{} index pages were not known before", refresh.further.len()));
    }
    for skipped in &refresh.skipped {
        talk.say(format_args!("not looked at: index page `{}`: {} ({})", skipped.url, skipped.reason, skipped.detail));
    }
    hint(talk, refresh);
}

fn hint(talk: &Talk, refresh: &Refresh) {
    let unsure = refresh.unsure;
    if refresh.stopped == Some(site::Stop::Interrupted) {
        talk.say("\nhint: interrupted; pages that were not seen count as kept, and `--learned` was not written");
    } else if refresh.blank {
        talk.say("\nhint: no index page shows any known page: the site is down or was made anew; discover it again");
    } else if refresh.unfollowed > 0 {
        talk.say("\nhint: lists have grown by more pages than a refresh follows; discover the site again");
    } else if refresh.stopped == Some(site::Stop::Budget) {
        talk.say("\nhint: the budget was spent before all index pages were asked for; raise `--budget`");
    } else if unsure > 0 {
        talk.say(format_args!(
            "\nhint: {unsure} pages count as kept because an index page could not be looked at; refresh again later"
        ));
    } else if !refresh.learned.complete {
        talk.say("\nhint: this was learned by a run that was cut short, so new pages may be old ones it had not found");
    }
}
