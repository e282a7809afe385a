//! `pagekin run` and `pagekin worker`: samples → a data set in a database. [`args`]: what was typed. [`heard`]: what is told
//! meanwhile. [`checking`]: what records are held against. [`query`], [`export`]: how the data is got out.
//! [`accept`]: a run that was held back.

pub mod accept;
pub mod args;
mod checking;
mod child_files;
pub mod export;
pub mod heard;
pub mod query;

use crate::config::Config;
use crate::exit::Exit;
use crate::extract::read_domain;
use crate::output::{Row, Target};
use crate::report::published;
use crate::talk::Talk;
use crate::{files, local, output};
use anyhow::{Result, bail};
use args::{DbArgs, HowArgs, PagesArgs, RunArgs, WorkerArgs};
use heard::Heard;
use pagekin::privacy::Privacy;
use pagekin::run::local::label;
use pagekin::run::{Ended, Planned, RunSpec, Summary, Worker, plan, total};
use pagekin::store::{Store, is_postgres, sqlite_path};
use pagekin::{Error, Stop, Url, export as columns};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What `run` holds of its own runs; long enough for a machine that is slow for a while.
const LEASE: Duration = Duration::from_secs(30);

/// Sites that `run` works on at the same time.
const SITES_AT_ONCE: usize = 8;

const DEFAULT_DB: &str = "pagekin.db";

pub async fn run(args: &RunArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let target = args.output.target()?;
    let planned = plan(&samples(&args.samples, args.urls.as_deref())?, args.how.each);
    if planned.is_empty() && !args.resume {
        bail!("no sample page given\n\nhint: give the address of one page of the kind you want");
    }
    let spec = spec(&args.how, config, &args.fetch).await?;
    if args.dry_run {
        return dry(&planned, &spec, &target, talk);
    }
    let store = opened(&args.db, true).await?;
    let batch = batch();
    if args.resume {
        let taken = store.take_up(&batch).await?;
        talk.say(format_args!("{taken} runs are not done"));
    }
    for one in &planned {
        store.enqueue(&one.new_run(&spec, (!args.queue).then_some(&batch))?).await?;
    }
    if args.queue {
        talk.say(format_args!("{} runs are queued; `pagekin worker` does them", planned.len()));
        local::told(talk, &spec, &local::of_run(&args.how, config, &args.fetch), (planned.as_slice(), config));
        return Ok(Exit::Done);
    }
    let pages = args.kept.folder(&args.db);
    let publish = Some(published(config.privacy.ready()?));
    let worker = Worker {
        store,
        pages,
        at_once: args.sites.or(config.run.sites).unwrap_or(SITES_AT_ONCE),
        lease: LEASE,
        stop: stop.clone(),
        publish,
        local: local::of_run(&args.how, config, &args.fetch),
    };
    let (heard, began) = (Heard::new(talk), Instant::now());
    let summaries = worker.work(Some(&batch), false, &|run, event| heard.hear(run, event)).await?;
    drop(heard);
    args.output.keep(&total(&summaries, began.elapsed().as_secs_f64()))?;
    target.write(&summaries)?;
    checking::told(talk, &summaries);
    hint(talk, &summaries, args);
    ended(&summaries, &stop)
}

pub async fn worker(args: &WorkerArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let target = args.show.target()?;
    let store = opened(&args.db, true).await?;
    talk.say(format_args!("working off the queue of `{}`; Ctrl-C ends", store.place()));
    let pages = args.kept.folder(&args.db);
    let publish = Some(published(config.privacy.ready()?));
    let local = args.local.local(config);
    let worker = Worker { store, pages, at_once: args.sites, lease: args.lease, stop: stop.clone(), publish, local };
    let heard = Heard::new(talk);
    let summaries = worker.work(None, !args.until_empty, &|run, event| heard.hear(run, event)).await?;
    drop(heard);
    target.write(&summaries)?;
    if stop.is_stopped() && args.until_empty { Ok(Exit::Interrupted) } else { Ok(Exit::Done) }
}

/// The database that was typed, or that of the environment, or the default one. `made`: made where it is missing.
pub async fn opened(args: &DbArgs, made: bool) -> Result<Store> {
    let url = args.url();
    if !made && !is_postgres(&url) && !sqlite_path(&url).is_file() {
        bail!("there is no database `{url}`\n\nhint: `pagekin run URL` makes one; give another with `--db`");
    }
    Ok(Store::open(&url).await?)
}

/// The same, to read only: nothing in it is changed.
pub async fn opened_to_read(args: &DbArgs) -> Result<Store> {
    let url = args.url();
    if !is_postgres(&url) && !sqlite_path(&url).is_file() {
        bail!("there is no database `{url}`\n\nhint: `pagekin run URL` makes one; give another with `--db`");
    }
    Ok(Store::open_to_read(&url).await?)
}

impl DbArgs {
    pub fn url(&self) -> String {
        let environment = || std::env::var("PAGEKIN_DB").ok().filter(|url| !url.is_empty());
        self.db.clone().or_else(environment).unwrap_or_else(|| DEFAULT_DB.to_owned())
    }
}

impl PagesArgs {
    /// Beside a SQLite file, so that moving both moves everything. As a full path: other programs read it from the database.
    pub fn folder(&self, db: &DbArgs) -> PathBuf {
        let url = db.url();
        let beside =
            if is_postgres(&url) { PathBuf::from("pagekin-pages") } else { sqlite_path(&url).with_extension("pages") };
        let folder = self.pages.clone().unwrap_or(beside);
        std::path::absolute(&folder).unwrap_or(folder)
    }
}

pub fn samples(typed: &[Url], file: Option<&Path>) -> Result<Vec<Url>> {
    let mut samples = typed.to_vec();
    if let Some(path) = file {
        samples.extend(files::read_urls(path)?);
    }
    Ok(samples)
}

/// As the command line and the config file say.
pub async fn spec(how: &HowArgs, config: &Config, fetch: &crate::args::FetchArgs) -> Result<RunSpec> {
    let (scope, budget, until, seed) = (how.scope, how.budget, how.until, how.seed);
    let method = crate::args::MethodArgs { scope, budget, until, seed, ..Default::default() };
    let mut discover = config.settings(&method, how.method);
    discover.not = how.not.clone();
    discover.rung = how.rung.which();
    let source = config.fetch(fetch, discover.seed, Stop::default());
    let of = RunSpec::of(&discover, &source);
    Ok(RunSpec {
        name: how.name.clone(),
        hidden: how.hidden || config.run.hidden.unwrap_or(false) || of.hidden,
        hidden_settings: config.hidden.clone(),
        extract: !how.no_extract,
        recheck: how.recheck || config.run.recheck.unwrap_or(false),
        anew: how.anew,
        domain: how.domain.as_deref().map(domain_text).transpose()?,
        examples: how.example.iter().map(|one| (one.name.clone(), one.value.clone())).collect(),
        extract_method: how.extract_method.or(config.extract.method).unwrap_or_default(),
        learn_from: config.extract.learn_from,
        rename: config.columns(&how.rename),
        expect: config.expect.clone(),
        privacy: privacy(how, config)?,
        timestamp: how.kept.timestamp.as_ref().map(|url| label(url.as_str())),
        check: if how.no_extract { None } else { checking::spec(&how.check, config).await? },
        ..of
    })
}

/// What is typed, else what the file says. Examples are kept with the run, so that none may show what must not be kept.
fn privacy(how: &HowArgs, config: &Config) -> Result<Privacy> {
    let mut own = config.privacy.and_without(&how.kept.without);
    own.keep_pages = how.kept.keep_pages.unwrap_or(own.keep_pages);
    let guard = own.ready()?;
    if let Some(example) = how.example.iter().find(|example| guard.guarded().any(|name| *name == example.name)) {
        bail!(
            "`--example {0}=...` would be stored with the run, and `{0}` is not to be stored\n\n\
             hint: leave the example out; the column is found without it, or `pagekin extract --schema` says what it is called",
            example.name
        );
    }
    Ok(own)
}

/// Checked now, so that a mistake does not cost a run.
fn domain_text(path: &Path) -> Result<String> {
    read_domain(path)?;
    files::read(path)
}

/// Marks the runs of this command.
pub fn batch() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}", std::process::id(), since.as_nanos())
}

fn dry(planned: &[Planned], spec: &RunSpec, target: &Target, talk: &Talk) -> Result<Exit> {
    target.write(planned)?;
    let hidden = if spec.hidden { ", look for hidden pages" } else { "" };
    let extract = if spec.extract { ", read records" } else { "" };
    let check = if spec.check.is_some() { ", check them" } else { "" };
    talk.say(format_args!(
        "{} sites: discover by `{}`{hidden}{extract}{check}, keep in the database; nothing was done",
        planned.len(),
        spec.discover.method
    ));
    Ok(Exit::Done)
}

fn hint(talk: &Talk, runs: &[Summary], args: &RunArgs) {
    let of = |state: Ended| runs.iter().filter(|run| run.state == state).count();
    let place = args.db.url();
    let db = if place == DEFAULT_DB { String::new() } else { format!(" --db {}", shown_db(&place)) };
    if of(Ended::Interrupted) > 0 {
        talk.say("\nhint: interrupted; the same command goes on where it stopped");
    } else if of(Ended::Failed) > 0 {
        talk.say(format_args!("\nhint: {} of {} sites failed; `error` says why", of(Ended::Failed), runs.len()));
    } else if let Some(held) = runs.iter().find(|run| !run.missed.is_empty()) {
        let run = held.run;
        talk.say(format_args!(
            "\nhint: look at the examples; if the site is right, `pagekin accept {run}{db}` makes run {run} current"
        ));
    } else if runs.iter().any(|run| run.reports.is_empty() && run.has_findings()) {
        talk.say(format_args!("\nhint: `pagekin report --db {}` tells what is not true, and why", shown_db(&place)));
    } else if runs.iter().any(|run| run.records > 0) {
        talk.say(format_args!("\nhint: `pagekin export --out records.csv{db}` writes the records to a file"));
    }
}

/// Without the password.
fn shown_db(url: &str) -> String {
    if is_postgres(url) { "…".to_owned() } else { url.to_owned() }
}

/// One site that fails is told as an error; of several the others count. Findings are told by the code, too.
pub fn ended(runs: &[Summary], stop: &Stop) -> Result<Exit> {
    let failed: Vec<&Summary> = runs.iter().filter(|run| run.state == Ended::Failed).collect();
    if stop.is_stopped() {
        return Ok(Exit::Interrupted);
    }
    match failed.first() {
        Some(first) if failed.len() == runs.len() => bail!("{}", first.error.clone().unwrap_or_default()),
        Some(_) => Ok(Exit::Findings),
        None if runs.iter().any(|run| run.has_findings() || !run.missed.is_empty()) => Ok(Exit::Findings),
        None => Ok(Exit::Done),
    }
}

impl Row for Planned {
    const HEADER: &'static [&'static str] = &["site", "samples"];

    fn cells(&self) -> Vec<String> {
        let samples: Vec<&str> = self.samples.iter().map(|sample| sample.as_str()).collect();
        vec![self.site.clone(), samples.join("\n")]
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        columns::parquet_of_words(Self::HEADER, &rows.iter().map(output::Row::cells).collect::<Vec<_>>())
    }
}

impl Row for Summary {
    const HEADER: &'static [&'static str] = &[
        "run",
        "site",
        "class",
        "state",
        "pages",
        "unlinked",
        "records",
        "new",
        "changed",
        "missing",
        "no_longer_linked",
        "not_as_expected",
        "findings",
        "downloads",
        "requests",
        "seconds",
        "error",
    ];

    fn cells(&self) -> Vec<String> {
        let absent = [self.missing, self.no_longer_linked, self.missed.len()];
        let counts =
            [[self.pages, self.unlinked, self.records].as_slice(), &[self.new, self.changed], &absent].concat();
        let mut cells = vec![self.run.to_string(), self.site.clone(), self.class.clone(), self.state.to_string()];
        cells.extend(counts.iter().map(usize::to_string));
        cells.push(self.found.as_ref().map(|found| found.findings.to_string()).unwrap_or_default());
        cells.extend([self.downloads.to_string(), self.requests.to_string(), format!("{:.1}", self.seconds)]);
        cells.push(self.error.as_deref().and_then(|error| error.lines().next()).unwrap_or_default().to_owned());
        cells
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        columns::parquet_of_words(Self::HEADER, &rows.iter().map(output::Row::cells).collect::<Vec<_>>())
    }
}
