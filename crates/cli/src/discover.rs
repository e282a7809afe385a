//! `pagekin discover`: samples → all pages of their kind.

use crate::args::DiscoverArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::flags::named;
use crate::output::Target;
use crate::talk::Talk;
use crate::tree::TreeFile;
use crate::{classify, explain, files, progress, refresh};
use anyhow::{Result, bail};
use pagekin::discover::{Discovery, Questions, Settings};
use pagekin::site;
use pagekin::{RunStats, Source, SourceSettings, Stop, Url, discover_job, learn_job};
use std::path::Path;
use std::sync::Arc;

pub async fn run(args: &DiscoverArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let samples = samples(args)?;
    let target = args.output.found.target()?;
    let tree = args.output.tree.as_deref().map(TreeFile::of).transpose()?;
    args.output.learned.as_deref().map(files::check_folder).transpose()?;

    let mut settings = config.settings(&args.how, args.method);
    settings.not = args.not.clone();
    settings.rung = args.rung.which();
    settings.questions = questions(args);
    let from = SourceSettings { scope: settings.scope, ..config.source(&args.source, settings.seed, stop.clone()) };
    let source = Source::open(&from, &samples)?;
    let (found, stats) = match progress::beside(&source, talk, discover_job(&source, &samples, &settings)).await {
        Ok(both) => both,
        // Stopped before there was anything to show: that is no failure of the run.
        Err(_) if stop.is_stopped() && source.stats().downloads == 0 => return Ok(Exit::Interrupted),
        Err(error) => return Err(error.into()),
    };

    if args.output.explain {
        crate::talk::tell(crate::talk::plain(&explain::explain(&found)));
    }
    if let Some(tree) = tree {
        tree.write(&found)?;
    }
    args.output.found.keep(&stats)?;
    target.write(&found.entities)?;
    if let Some(path) = &args.output.learned {
        learn(path, &source, &found, &settings).await?;
    }
    sum_up(talk, &stats, &target);
    show_ladder(talk, &found);
    if let Some(hint) = source.render_hint() {
        talk.say(format_args!("\nhint: {}", named(&hint)));
    }
    hint(talk, &found, stats.nofollow > 0, args);
    Ok(if found.stopped == Some(site::Stop::Interrupted) { Exit::Interrupted } else { Exit::Done })
}

/// Of a run that was interrupted the pages are no longer at hand; it is to be gone on with first.
async fn learn(path: &Path, source: &Source, found: &Discovery, settings: &Settings) -> Result<()> {
    if found.stopped == Some(site::Stop::Interrupted) {
        return Ok(());
    }
    refresh::write(path, &learn_job(source, found, settings).await?)
}

/// Somebody at the terminal, or answers in a file: a line each.
fn questions(args: &DiscoverArgs) -> Option<Questions> {
    let answer = |url: &Url| {
        eprint!("Is {url} of the same kind? [y/n/return: don't know] ");
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).ok()?;
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Some(true),
            "n" | "no" => Some(false),
            _ => None,
        }
    };
    (args.ask > 0).then(|| Questions { most: args.ask, answer: Arc::new(answer) })
}

/// The answers beside the one given, from wide to narrow.
fn show_ladder(talk: &Talk, found: &Discovery) {
    if found.ladder.len() < 2 {
        return;
    }
    for (number, rung) in found.ladder.iter().enumerate() {
        let sign = if number == found.rung { '*' } else { ' ' };
        let example = rung.examples.last().map_or_else(String::new, |url| format!(", such as {url}"));
        talk.say(format_args!("{sign} {number}: {} pages, {}{example}", rung.pages, rung.name));
    }
    talk.say("hint: `--wider`, `--narrower` or `--rung N` takes another of these");
}

fn samples(args: &DiscoverArgs) -> Result<Vec<Url>> {
    let mut samples = args.samples.clone();
    samples.extend(args.yes.iter().cloned());
    if let Some(path) = &args.urls {
        samples.extend(files::read_urls(path)?);
    }
    if let (Some(class), Some(model)) = (args.class, &args.model) {
        samples.extend(classify::samples(model, class)?);
    }
    if samples.is_empty() {
        bail!("no sample page given\n\nhint: give the address of one page of the kind you want");
    }
    Ok(samples)
}

fn sum_up(talk: &Talk, stats: &RunStats, target: &Target) {
    let megabytes = stats.bytes as f64 / 1e6;
    talk.say(format_args!(
        "found {} pages of the same kind: {} downloads, {} requests, {megabytes:.1} MB, {:.1} s",
        stats.found, stats.downloads, stats.requests, stats.seconds
    ));
    if let Some(missing) = stats.missing {
        talk.say(format_args!("about {missing:.0} more are expected that it did not find"));
    }
    if let Some(path) = target.file() {
        talk.say(format_args!("written to `{}`", path.display()));
    }
    let skipped: Vec<String> = stats.skipped.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    if !skipped.is_empty() {
        talk.say(format_args!("not looked at: {}", skipped.join(", ")));
    }
    if stats.nofollow > 0 {
        talk.say(format_args!("links were not followed on {} pages, which ask for that (nofollow)", stats.nofollow));
    }
    if stats.noindex > 0 {
        talk.say(format_args!("{} pages ask not to be indexed (noindex)", stats.noindex));
    }
    if stats.rendered > 0 {
        talk.say(format_args!("{} pages were opened in a browser", stats.rendered));
    }
    left_out(talk, stats);
    covered(talk, stats);
    if let Some(spent) = &stats.spent {
        talk.say(format_args!("not everything was asked: {}", named(spent)));
    }
    if stats.resumed > 0 {
        talk.say(format_args!("{} pages were kept by the run before, and not asked for again", stats.resumed));
    }
}

/// How much of what was asked for an index of archives held.
pub fn covered(talk: &Talk, stats: &RunStats) {
    if let Some(coverage) = &stats.coverage {
        talk.say(coverage.told());
    }
}

/// A page or a site may fill the memory with addresses only so far; what it had beyond that is said.
pub fn left_out(talk: &Talk, stats: &RunStats) {
    if stats.links_left_out > 0 {
        talk.say(format_args!(
            "{} links were left out: the addresses of a page or of the site fill the memory they may",
            stats.links_left_out
        ));
    }
}

fn hint(talk: &Talk, found: &Discovery, nofollow: bool, args: &DiscoverArgs) {
    let kept = args.source.save_archive.is_some();
    match found.stopped {
        Some(site::Stop::Budget) if kept => {
            talk.say("\nhint: the budget was spent before the method was done; raise `--budget` and add `--resume`");
        }
        Some(site::Stop::Budget) => {
            talk.say("\nhint: the budget was spent before the method was done; raise `--budget` for more");
        }
        Some(site::Stop::Interrupted) if kept => {
            talk.say(
                "\nhint: interrupted; what was found so far was written; go on with the same command and `--resume`",
            );
        }
        Some(site::Stop::Interrupted) => {
            talk.say("\nhint: interrupted; what was found so far was written; `--save-archive` makes a run resumable");
        }
        None if nofollow && found.entities.len() <= found.samples.len() => {
            talk.say("\nhint: the site asks that its links are not followed; if you may, `--ignore-nofollow`");
        }
        None if found.entities.len() <= found.samples.len() => {
            talk.say("\nhint: nothing but the samples was found; try another sample or `--method`, or see `--explain`");
        }
        None => {}
    }
}
