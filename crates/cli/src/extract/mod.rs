//! `pagekin extract`: pages → records. [`args`]: what was typed. [`write`]: how records are shown. [`eval`], [`eval_tables`]: how good they are.
//!
//! JSON lines are written as they come, whatever their number; the other formats need all records first, for their columns.

pub mod args;
pub mod children;
pub mod eval;
pub mod eval_tables;
mod write;

use crate::config::Config;
use crate::discover::covered;
use crate::exit::Exit;
use crate::talk::Talk;
use crate::{files, progress};
use anyhow::{Result, anyhow, bail};
use args::ExtractArgs;
use pagekin::extract::{Domain, Wrapper, domain, sse, wrapper};
use pagekin::{ExtractSettings, Extracted, RunStats, Source, Stop, Url, extract_job};
use std::path::Path;
use write::Writer;

pub async fn run(args: &ExtractArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let pages = pages(args)?;
    let settings = settings(args, config)?;
    let guard = config.privacy.and_without(&args.without).ready()?;
    let writer = Writer { target: args.output.target()?, schema: args.schema, guard };
    args.wrapper.as_deref().map(files::check_folder).transpose()?;
    let source = Source::open(&config.source(&args.source, args.seed, stop.clone()), &pages)?;
    let mut writer = writer.start()?;
    let mut emit = |record| writer.record(record);
    let (done, stats) = progress::beside(&source, talk, extract_job(&source, &pages, &settings, &mut emit)).await?;
    writer.finish(&done.wrappers)?;
    keep(args, &settings, &done)?;
    args.output.keep(&stats)?;
    sum_up(talk, args, &done, &stats);
    Ok(if stop.is_stopped() { Exit::Interrupted } else { Exit::Done })
}

fn pages(args: &ExtractArgs) -> Result<Vec<Url>> {
    let mut pages = args.pages.clone();
    if let Some(path) = &args.urls {
        pages.extend(files::read_urls(path)?);
    }
    if pages.is_empty() && args.source.fetch.archive.is_empty() {
        bail!("no page given\n\nhint: give addresses, or `--archive FILE` for every page in it");
    }
    Ok(pages)
}

fn settings(args: &ExtractArgs, config: &Config) -> Result<ExtractSettings> {
    let built_in = ExtractSettings::default();
    let known = args.wrapper.as_deref().filter(|path| path.exists());
    Ok(ExtractSettings {
        method: args.method.or(config.extract.method).unwrap_or_default(),
        domain: args.domain.as_deref().map(read_domain).transpose()?,
        examples: args.example.clone(),
        wrappers: known.map(read_wrappers).transpose()?.unwrap_or_default(),
        raw: args.raw || config.extract.raw.unwrap_or_default(),
        sse: sse::Settings { rich: args.hd, list: args.hl },
        learn_from: args.learn_from.or(config.extract.learn_from).unwrap_or(built_in.learn_from),
        seed: args.seed,
        rename: config.columns(&args.rename),
    })
}

/// All that is wrong with the file is told at once.
pub fn read_domain(path: &Path) -> Result<Domain> {
    domain::parse(&files::read(path)?).map_err(|troubles| {
        let list: Vec<String> = troubles.iter().map(|trouble| format!("  {trouble}")).collect();
        anyhow!(
            "cannot use the domain file `{}`:\n{}\n\nhint: docs/stages/extract.md says what it may hold",
            path.display(),
            list.join("\n")
        )
    })
}

fn read_wrappers(path: &Path) -> Result<Vec<Wrapper>> {
    wrapper::parse(&files::read(path)?).map_err(|error| anyhow!("cannot use `{}`: {error}", path.display()))
}

/// What was learned, for the next run: when there was no file yet, or the site has changed.
fn keep(args: &ExtractArgs, settings: &ExtractSettings, done: &Extracted) -> Result<()> {
    let Some(path) = &args.wrapper else { return Ok(()) };
    if settings.wrappers.is_empty() || !done.drift.is_empty() || !settings.rename.is_empty() {
        let text = wrapper::text(&done.wrappers)?;
        files::write(path, |out| Ok(out.write_all(text.as_bytes())?))?;
    }
    Ok(())
}

/// What changed, class by class, and what became of it.
fn say_drift(talk: &Talk, done: &Extracted) {
    for wrapper in &done.wrappers {
        let own: Vec<_> =
            done.drift.iter().filter(|(class, _)| *class == wrapper.class).map(|(_, drift)| drift).collect();
        if own.is_empty() {
            continue;
        }
        talk.say(format_args!("{}: the template has changed, and was learned again", wrapper.class));
        for drift in own {
            let now = match wrapper.slots.iter().find(|slot| slot.name == drift.slot) {
                Some(slot) => format!("found again on {:.0} %", slot.fill * 100.0),
                None => "not found again".to_owned(),
            };
            let (learned, seen) = (drift.learned * 100.0, drift.seen * 100.0);
            talk.say(format_args!(
                "  `{}` was on {learned:.0} % of the pages and is on {seen:.0} % where it was; {now}",
                drift.slot
            ));
        }
    }
}

fn sum_up(talk: &Talk, args: &ExtractArgs, done: &Extracted, stats: &RunStats) {
    say_drift(talk, done);
    talk.say(format_args!("{} records of {} pages, {:.1} s", done.records, done.pages, stats.seconds));
    for wrapper in done.wrappers.iter().filter(|_| done.wrappers.len() > 1) {
        talk.say(format_args!(
            "{}: {} slots, learned from {} pages",
            wrapper.class,
            wrapper.slots.len(),
            wrapper.pages
        ));
    }
    let skipped: Vec<String> = done.skipped.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    if !skipped.is_empty() {
        talk.say(format_args!("not read: {}", skipped.join(", ")));
    }
    covered(talk, stats);
    if let Some(path) = &args.output.show.out {
        talk.say(format_args!("written to `{}`", path.display()));
    }
    if done.records == 0 {
        talk.say("\nhint: no page could be read; check the addresses, or try `--domain` or `--example`");
    } else if done.pages < 3 && args.wrapper.is_none() {
        talk.say("\nhint: values are told from template by comparing pages; give three or more of the kind");
    }
}
