//! `pagekin hidden`: addresses, or samples → templates, and the pages that no link reaches.

use crate::args_hidden::HiddenArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::output::{Row, Target};
use crate::run::args::DbArgs;
use crate::run::opened;
use crate::talk::Talk;
use crate::{args, progress};
use anyhow::{Result, bail};
use pagekin::hidden::{Planned, Staged, hidden_job, origins, plan, stage_job, templates};
use pagekin::page::address::ScopeKind;
use pagekin::run::HiddenSettings;
use pagekin::templates::mine::Refused;
use pagekin::templates::thesis::Stage;
use pagekin::templates::{Method, Report, Settings, Sought, StageCount};
use pagekin::{Error, Listing, RunStats, Source, SourceSettings, Stop, discover_job, export, site};

pub async fn run(args: &HiddenArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let target = args.output.target()?;
    let settings = settings(args, config);
    let mut listing = listing(args, talk)?;
    if let Some(db) = &args.db {
        listing.extend(&stored(db, args.site.as_deref()).await?);
    }
    if args.templates_only {
        let mined = templates(&listing, settings.fewest);
        tell_counts(talk, &mined.stages);
        let rows: Vec<Sought> = mined.templates.into_iter().map(Sought::of).collect();
        write(args, &target, talk, (&rows, &mined.refused))?;
        return Ok(Exit::Done);
    }
    if args.dry_run {
        target.write(&plan(&listing, &settings))?;
        talk.say("nothing was asked; further addresses hang on the answers");
        return Ok(Exit::Done);
    }
    let mut typed = args.samples.clone();
    typed.extend(origins(&listing));
    // Addresses of one registrable domain are one site here.
    let from = SourceSettings { scope: ScopeKind::Domain, ..config.source(&args.source, settings.seed, stop) };
    let source = Source::open(&from, &typed)?;
    if let Some(stage) = args.stage {
        return staged(args, &source, &listing, &settings, (stage, &target, talk)).await;
    }
    if !args.samples.is_empty() {
        listing.extend(&discovered(args, config, talk, &source).await?);
    }
    let (report, stats) = progress::beside(&source, talk, hidden_job(&source, &listing, &settings)).await?;
    args.output.keep(&stats)?;
    tell_counts(talk, &report.stages);
    write(args, &target, talk, (&report.templates, &report.refused))?;
    sum_up(talk, &report, &stats);
    Ok(if report.stopped == Some(site::Stop::Interrupted) { Exit::Interrupted } else { Exit::Done })
}

/// The templates, or with `--refused` those that were left alone.
fn write(args: &HiddenArgs, target: &Target, talk: &Talk, rows: (&[Sought], &[Refused])) -> Result<()> {
    let (templates, refused) = rows;
    if args.refused {
        return target.write(refused);
    }
    if !refused.is_empty() {
        talk.say(format_args!("left {} templates alone; `--refused` lists them with the reasons", refused.len()));
    }
    target.write(templates)
}

fn settings(args: &HiddenArgs, config: &Config) -> Settings {
    let typed = HiddenSettings {
        method: args.stage.map(|_| Method::Templates2016).or(args.method),
        fewest: args.fewest,
        budget: args.budget,
        price: args.price,
        allowance: args.allowance,
    };
    Settings { seed: args.seed.or(config.discover.seed).unwrap_or_default(), ..typed.or(&config.hidden).settings() }
}

fn listing(args: &HiddenArgs, talk: &Talk) -> Result<Listing> {
    let mut all = Listing::default();
    for path in &args.urls {
        all.extend(&Listing::read(path)?);
    }
    if all.left_out > 0 {
        talk.say(format_args!("{} lines or records are no addresses of HTML pages, and were left out", all.left_out));
    }
    if all.is_empty() && !args.urls.is_empty() {
        bail!("there is no address in what `--urls` gives\n\nhint: one address a line, or a CDX, CDXJ or WARC file");
    }
    Ok(all)
}

/// The addresses that runs kept.
async fn stored(db: &str, site: Option<&str>) -> Result<Listing> {
    let mut rows = opened(&DbArgs { db: Some(db.to_owned()) }, false).await?.addresses(site).await?;
    let mut listing = Listing::default();
    while let Some(some) = rows.next().await? {
        let urls: Vec<String> = some.iter().map(|row| row.text(0)).collect();
        listing.extend(&Listing::of(urls.iter().map(String::as_str)));
    }
    if listing.is_empty() {
        bail!(
            "there is no address in `{db}`\n\nhint: `pagekin run URL` fills it; `--site` takes names as in the table `sites`"
        );
    }
    Ok(listing)
}

/// The pages of the samples' kind, by the way they are linked.
async fn discovered(args: &HiddenArgs, config: &Config, talk: &Talk, source: &Source) -> Result<Listing> {
    let settings = config.settings(&args::MethodArgs { seed: args.seed, ..Default::default() }, None);
    let (found, stats) = progress::beside(source, talk, discover_job(source, &args.samples, &settings)).await?;
    talk.say(format_args!("discovered {} pages of the same kind: {} requests", stats.found, stats.requests));
    Ok(Listing::of(found.entities.iter().map(|entity| entity.url.as_str())))
}

async fn staged(
    args: &HiddenArgs,
    source: &Source,
    listing: &Listing,
    settings: &Settings,
    (stage, target, talk): (Stage, &Target, &Talk),
) -> Result<Exit> {
    let (rows, counts) = progress::beside(source, talk, stage_job(source, listing, settings, stage)).await?;
    args.output.keep(&counts)?;
    target.write(&rows)?;
    tell_counts(talk, &counts);
    Ok(Exit::Done)
}

fn tell_counts(talk: &Talk, counts: &[StageCount]) {
    let counts: Vec<String> = counts.iter().map(|StageCount { stage, count }| format!("{stage} {count}")).collect();
    talk.say(format_args!("after each step: {}", counts.join(", ")));
}

fn sum_up(talk: &Talk, report: &Report, stats: &RunStats) {
    let undecided: usize = report.templates.iter().map(|sought| sought.undecided.len()).sum();
    talk.say(format_args!(
        "found {} pages that no link reaches: {} templates, {} ids tried, {} requests, {:.1} s",
        report.found(),
        report.templates.len(),
        report.templates.iter().map(|sought| sought.tried).sum::<usize>(),
        stats.requests,
        stats.seconds
    ));
    if undecided > 0 {
        talk.say(format_args!("of {undecided} it cannot be told whether they exist; `undecided` says why"));
    }
    if report.templates.is_empty() {
        talk.say("\nhint: no template has ids enough; `--fewest` lowers how many are needed");
    }
}

impl Row for Sought {
    const HEADER: &'static [&'static str] = &["template", "known", "tried", "found", "ended"];

    fn cells(&self) -> Vec<String> {
        let found = export::found_lines(self);
        vec![
            self.template.template.clone(),
            self.template.known.len().to_string(),
            self.tried.to_string(),
            found,
            self.ended.clone(),
        ]
    }

    fn shown(&self) -> Vec<String> {
        let mut cells = self.cells();
        let found = self.found.len();
        let first: Vec<&str> = self.found.iter().take(3).map(|found| found.url.as_str()).collect();
        cells[3] = if found > 3 { format!("{}\n… {found} in all", first.join("\n")) } else { first.join("\n") };
        cells
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        export::parquet_of_templates(rows)
    }
}

impl Row for Refused {
    const HEADER: &'static [&'static str] = &["template", "known", "reason"];

    fn cells(&self) -> Vec<String> {
        vec![self.template.clone(), self.known.to_string(), self.reason.to_string()]
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        export::parquet_of_words(Self::HEADER, &rows.iter().map(Row::cells).collect::<Vec<_>>())
    }
}

impl Row for Planned {
    const HEADER: &'static [&'static str] = &["template", "known", "would_ask"];

    fn cells(&self) -> Vec<String> {
        let urls: Vec<&str> = self.would_ask.iter().map(|url| url.as_str()).collect();
        vec![self.template.clone(), self.known.to_string(), urls.join("\n")]
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        export::parquet_of_words(Self::HEADER, &rows.iter().map(Row::cells).collect::<Vec<_>>())
    }
}

impl Row for Staged {
    const HEADER: &'static [&'static str] = &["group", "template", "addresses", "known"];

    fn cells(&self) -> Vec<String> {
        let known: Vec<String> = self.known.iter().map(u64::to_string).collect();
        vec![self.group.clone(), self.template.clone(), self.addresses.to_string(), known.join(" ")]
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        export::parquet_of_words(Self::HEADER, &rows.iter().map(Row::cells).collect::<Vec<_>>())
    }
}
