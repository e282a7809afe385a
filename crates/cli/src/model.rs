//! `pagekin model`: entry page, or whole archives → the classes of pages of a site and how they link.

use crate::config::Config;
use crate::discover::{covered, left_out};
use crate::exit::Exit;
use crate::model_args::{ModelArgs, Shape};
use crate::talk::{Talk, plain};
use crate::{files, map, progress};
use anyhow::{Result, bail};
use comfy_table::{ContentArrangement, Table, presets};
use pagekin::model::{Settings, SiteModel};
use pagekin::{RunStats, Source, SourceSettings, Stop, modelled, site};
use std::io::{IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

pub async fn run(args: &ModelArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let files = args.out.iter().map(|path| by_ending(path)).collect::<Result<Vec<_>>>()?;
    args.stats.as_deref().map(files::check_folder).transpose()?;
    let settings = args.how.settings(config, args.method);
    let typed: Vec<_> = args.start.iter().cloned().collect();
    let from = SourceSettings { scope: settings.scope, ..config.source(&args.source, 0, stop.clone()) };
    let source = Source::open(&from, &typed)?;
    let (made, stats) = match made(args, &settings, &source, talk).await {
        Ok(both) => both,
        Err(_) if stop.is_stopped() && source.stats().downloads == 0 => return Ok(Exit::Interrupted),
        Err(error) => return Err(error.into()),
    };
    for (path, shape) in &files {
        files::write(path, |out| written(out, &made, *shape))?;
    }
    if files.is_empty() {
        let usual = if stdout().is_terminal() { Shape::Table } else { Shape::Json };
        let mut out = std::io::BufWriter::new(stdout().lock());
        written(&mut out, &made, args.format.unwrap_or(usual))?;
        out.flush()?;
    }
    if let Some(path) = &args.stats {
        files::write_json(path, &stats)?;
    }
    if let Some(start) = args.start.as_ref().filter(|start| start.as_str() != made.site) {
        talk.say(format_args!("`{start}` led nowhere; the site was entered by `{}`", made.site));
    }
    sum_up(talk, &made, &stats);
    Ok(if made.stopped == Some(site::Stop::Interrupted) { Exit::Interrupted } else { Exit::Done })
}

async fn made(
    args: &ModelArgs,
    settings: &Settings,
    source: &Source,
    talk: &Talk,
) -> Result<(SiteModel, RunStats), pagekin::Error> {
    match &args.start {
        Some(start) => progress::beside(source, talk, modelled::model_job(source, start, settings)).await,
        None => {
            let names: Vec<String> = args.source.fetch.archive.iter().map(|path| path.display().to_string()).collect();
            let site = names.join(" ");
            // It reads and parses without waiting for anybody, so it must not hold up the thread that shows progress.
            let job =
                async { tokio::task::block_in_place(|| modelled::model_all_job(source, &site, &settings.limits)) };
            progress::beside(source, talk, job).await
        }
    }
}

fn by_ending(path: &Path) -> Result<(PathBuf, Shape)> {
    files::check_folder(path)?;
    let shape = match path.extension().and_then(|ending| ending.to_str()) {
        Some("json") => Shape::Json,
        Some("graphml") => Shape::Graphml,
        Some("dot") => Shape::Dot,
        Some("html") => Shape::Html,
        _ => {
            bail!("cannot tell how to write `{}`\n\nhint: let it end in .json, .graphml, .dot or .html", path.display())
        }
    };
    Ok((path.to_owned(), shape))
}

fn written(out: &mut dyn Write, made: &SiteModel, shape: Shape) -> Result<()> {
    let text = match shape {
        Shape::Table => table(made),
        Shape::Json => modelled::text(made)?,
        Shape::Graphml => map::graphml(made),
        Shape::Dot => map::dot(made),
        Shape::Html => pagekin_web::map::html(made)?,
    };
    Ok(out.write_all(text.as_bytes())?)
}

/// Classes shown in a table.
const SHOWN: usize = 40;

fn table(made: &SiteModel) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["id", "name", "role", "pages", "share", "addresses", "sample"]);
    for class in made.classes.iter().take(SHOWN) {
        let pages = match class.estimate {
            Some(likely) if likely > class.size => format!("{} of about {likely}", class.size),
            Some(_) => class.size.to_string(),
            None => format!("{} or more", class.size),
        };
        table.add_row([
            class.id.to_string(),
            plain(&class.name),
            class.role.name().to_owned(),
            pages,
            format!("{:.1} %", class.share * 100.0),
            plain(&class.patterns.first().map_or(String::new(), ToString::to_string)),
            plain(class.samples.first().map_or("", String::as_str)),
        ]);
    }
    let more = made.classes.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!("and {more} smaller classes\n") } else { String::new() };
    format!("{table}\n{rest}")
}

fn sum_up(talk: &Talk, made: &SiteModel, stats: &RunStats) {
    let sure = &made.completeness;
    talk.say(format_args!(
        "{} classes of {} known pages: {} looked at, {} requests, {:.1} MB, {:.1} s",
        made.classes.len(),
        made.addresses,
        made.looked,
        stats.requests,
        stats.bytes as f64 / 1e6,
        stats.seconds
    ));
    talk.say(format_args!(
        "{}; about {:.0} classes in all, {:.0} % of the pages are of classes found",
        if sure.settled {
            "nothing known promises to change the model"
        } else {
            "more looks could still change the model"
        },
        sure.classes,
        sure.coverage * 100.0
    ));
    left_out(talk, stats);
    covered(talk, stats);
    match made.stopped {
        Some(site::Stop::Budget) => {
            talk.say("\nhint: the budget was spent before the model was settled; raise `--budget`")
        }
        Some(site::Stop::Interrupted) => talk.say("\nhint: interrupted; what was found so far was written"),
        None => {}
    }
}
