//! `pagekin watch`: what is run again, when, and what has changed since.

use crate::args::FetchArgs;
use crate::args_output::ShowArgs;
use crate::config::{Config, parse_duration};
use crate::exit::Exit;
use crate::files::parse_url;
use crate::local::{self, LocalArgs};
use crate::output::Row;
use crate::report::published;
use crate::run::args::{DbArgs, HowArgs, PagesArgs};
use crate::run::heard::Heard;
use crate::run::{ended, opened, samples, spec};
use crate::talk::Talk;
use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use pagekin::run::{Summary, Worker, plan};
use pagekin::store::{Store, Watch};
use pagekin::watch::{ChangeRow, Watched, new_watch, watch_job};
use pagekin::{Error, Stop, Url, export};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Subcommand)]
pub enum WatchCommand {
    /// Watch the site of a sample page
    Add(Box<AddArgs>),
    /// Show what is watched
    List(ListArgs),
    /// Watch no longer; what was found is kept
    Remove(RemoveArgs),
    /// Run what is due, and show what has changed
    Run(Box<WatchRunArgs>),
}

#[derive(Debug, Args)]
#[command(after_help = "\
On a change the webhook gets a POST of JSON, and the command the same on its standard input.

Examples:
  pagekin watch add https://example.org/drivers/2015/driver_02.htm --every 7d
  pagekin watch add --urls samples.txt --every 12h --webhook team
  pagekin watch add https://example.org/drivers/driver_02.htm --every 1d --command mail
  pagekin watch add https://shop.example/offer/1 --rules rules.toml --reference approved.csv --report week.html")]
pub struct AddArgs {
    /// Addresses of sample pages; those of one site are taken to be of one kind
    #[arg(value_name = "URL", value_parser = parse_url, required_unless_present = "urls")]
    pub samples: Vec<Url>,
    /// More samples, one address a line; `-` reads stdin
    #[arg(long, value_name = "FILE")]
    pub urls: Option<PathBuf>,
    /// How often, such as 12h or 7d
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "7d")]
    pub every: Duration,
    /// Send changes to this address: its name under [webhooks] in the config file of whoever runs the watch
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub webhook: Option<String>,
    /// Hand changes to this command: its name under [commands] in the config file of whoever runs the watch
    #[arg(long, value_name = "NAME")]
    pub command: Option<String>,
    #[command(flatten)]
    pub how: HowArgs,
    #[command(flatten)]
    pub fetch: FetchArgs,
    #[command(flatten)]
    pub db: DbArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pagekin watch list
  pagekin watch list --format csv")]
pub struct ListArgs {
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub show: ShowArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pagekin watch remove 3")]
pub struct RemoveArgs {
    /// Its number in `watch list`
    #[arg(value_name = "ID")]
    pub id: i64,
    #[command(flatten)]
    pub db: DbArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A line of output: {\"site\", \"class\", \"url\", \"change\": \"new|changed|missing|unlinked\", \"attribute\", \"before\", \"after\"}
One at a time: where another `watch run` is under way, this one says so and does nothing.

Examples:
  pagekin watch run
  pagekin watch run --all --out changes.csv
  */15 * * * * pagekin watch run --db /srv/pagekin.db >> /var/log/pagekin.jsonl    (in a crontab)")]
pub struct WatchRunArgs {
    /// Run everything that is watched, due or not
    #[arg(long)]
    pub all: bool,
    /// Sites at the same time
    #[arg(long, value_name = "N", value_parser = crate::args::positive, default_value = "8")]
    pub sites: usize,
    #[command(flatten)]
    pub local: LocalArgs,
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub kept: PagesArgs,
    #[command(flatten)]
    pub show: ShowArgs,
}

pub async fn run(command: WatchCommand, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    match command {
        WatchCommand::Add(args) => add(&args, config, talk).await,
        WatchCommand::List(args) => {
            let target = args.show.target()?;
            target.write(&opened(&args.db, false).await?.watches(false).await?)?;
            Ok(Exit::Done)
        }
        WatchCommand::Remove(args) => remove(&opened(&args.db, false).await?, args.id, talk).await,
        WatchCommand::Run(args) => again(&args, config, talk, stop).await,
    }
}

async fn add(args: &AddArgs, config: &Config, talk: &Talk) -> Result<Exit> {
    let planned = plan(&samples(&args.samples, args.urls.as_deref())?, args.how.each);
    if args.every < Duration::from_secs(1) {
        bail!("`--every` is too short\n\nhint: such as 12h or 7d");
    }
    let spec = spec(&args.how, config, &args.fetch).await?;
    let store = opened(&args.db, true).await?;
    for one in &planned {
        let new = new_watch(one, &spec, args.every, args.webhook.as_deref(), args.command.as_deref())?;
        let id = store.watch(&new).await?;
        talk.say(format_args!("watch {id}: {} every {}", one.site, shown_duration(args.every)));
    }
    talk.say("\nhint: `pagekin watch run` runs what is due; call it from cron or a systemd timer");
    local::told(talk, &spec, &local::of_run(&args.how, config, &args.fetch), (planned.as_slice(), config));
    Ok(Exit::Done)
}

async fn remove(store: &Store, id: i64, talk: &Talk) -> Result<Exit> {
    if !store.unwatch(id).await? {
        bail!("there is no watch {id}\n\nhint: `pagekin watch list` shows them");
    }
    talk.say(format_args!("watch {id} is removed; its records are kept"));
    Ok(Exit::Done)
}

async fn again(args: &WatchRunArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let target = args.show.target()?;
    let store = opened(&args.db, false).await?;
    let pages = args.kept.folder(&args.db);
    let lease = Duration::from_secs(30);
    let worker = Worker {
        store,
        pages,
        at_once: args.sites,
        lease,
        stop: stop.clone(),
        publish: Some(published(config.privacy.ready()?)),
        local: args.local.local(config),
    };
    let heard = Heard::new(talk);
    let watched = match watch_job(&worker, args.all, &|run, event| heard.hear(run, event)).await? {
        Ok(watched) => watched,
        Err(holder) => {
            talk.say(format_args!("another `watch run` is under way ({holder}); nothing was done"));
            return Ok(Exit::Done);
        }
    };
    drop(heard);
    let rows: Vec<ChangeRow> = watched.iter().flat_map(Watched::rows).collect();
    target.write(&rows)?;
    for why in watched.iter().flat_map(|one| &one.untold) {
        talk.say(format_args!("error: {why}"));
    }
    talk.say(format_args!("{} watches were due, {} changes", watched.len(), rows.len()));
    let untold = watched.iter().any(|one| !one.untold.is_empty());
    let summaries: Vec<Summary> = watched.into_iter().map(|one| one.summary).collect();
    let exit = ended(&summaries, &stop)?;
    Ok(if untold && exit == Exit::Done { Exit::Findings } else { exit })
}

/// A database holds no address that somebody is told at.
fn name(text: &str) -> Result<String, String> {
    if text.contains("://") {
        return Err("it is an address, and a watch holds a name\n\n\
             hint: `--webhook team`, and `team = \"https://…\"` under [webhooks] of the config file of whoever runs the watch"
            .to_owned());
    }
    Ok(text.to_owned())
}

fn shown_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        _ if seconds.is_multiple_of(86_400) => format!("{}d", seconds / 86_400),
        _ if seconds.is_multiple_of(3600) => format!("{}h", seconds / 3600),
        _ if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    }
}

impl Row for Watch {
    const HEADER: &'static [&'static str] =
        &["id", "site", "samples", "every", "next", "last_run", "webhook", "command"];

    fn cells(&self) -> Vec<String> {
        let samples: Vec<&str> = self.samples.iter().map(|sample| sample.as_str()).collect();
        vec![
            self.id.to_string(),
            self.site.clone(),
            samples.join("\n"),
            shown_duration(self.every),
            pagekin::store::value::written(self.next),
            self.last_run.map_or(String::new(), |run| run.to_string()),
            self.webhook.clone().unwrap_or_default(),
            self.command.clone().unwrap_or_default(),
        ]
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        export::parquet_of_words(Self::HEADER, &rows.iter().map(Row::cells).collect::<Vec<_>>())
    }
}

impl Row for ChangeRow {
    const HEADER: &'static [&'static str] = &["site", "class", "url", "change", "attribute", "before", "after"];

    fn cells(&self) -> Vec<String> {
        let optional = |value: &Option<String>| value.clone().unwrap_or_default();
        vec![
            self.site.clone(),
            self.class.clone(),
            self.url.to_string(),
            self.change.to_string(),
            optional(&self.attribute),
            optional(&self.before),
            optional(&self.after),
        ]
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        export::parquet_of_words(Self::HEADER, &rows.iter().map(Row::cells).collect::<Vec<_>>())
    }
}
