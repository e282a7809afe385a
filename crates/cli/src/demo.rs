//! `pagekin demo`: the whole tour on the built-in site, without a network: discover, hidden pages, records, database, findings, report.

use crate::args::DemoArgs;
use crate::config::Config;
use crate::demo_check;
use crate::exit::Exit;
use crate::run::args::DbArgs;
use crate::run::heard::Heard;
use crate::run::{ended, export, opened};
use crate::talk::Talk;
use anyhow::{Result, anyhow};
use pagekin::dataset::{Dataset, Wanted};
use pagekin::discover;
use pagekin::run::{Ended, RunSpec, Summary, Worker, plan};
use pagekin::store::Store;
use pagekin::{SourceSettings, Stop, Url};
use pagekin_web::demo::{Site, serve};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::TcpListener;

pub async fn run(args: &DemoArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let listener = TcpListener::bind(("127.0.0.1", args.port)).await.map_err(|error| {
        anyhow!("cannot listen on `127.0.0.1:{}`: {error}\n\nhint: leave out `--port` to take a free one", args.port)
    })?;
    let root = Url::parse(&format!("http://{}/", listener.local_addr()?))?;
    let site = Site::new();
    let sample = root.join(&site.sample())?;
    let ended_too = stop.clone();
    let served = tokio::spawn(serve(listener, async move { ended_too.stopped().await }));

    let settings = config.settings(&crate::args::MethodArgs::default(), args.method);
    talk.say(format_args!("A racing championship is now served at {root}, on this machine only."));
    talk.say(format_args!("One page of it is the sample: {sample}, a driver of 2015."));
    talk.say(format_args!("Looking for all pages of that kind with the method `{}`,", settings.method));
    talk.say("then for pages that no link leads to, then reading every page into a table:\n");

    let folder = fresh_folder(args.dir.as_deref())?;
    let db = folder.join("demo.db");
    let store = opened(&DbArgs { db: Some(db.to_string_lossy().into_owned()) }, true).await?;
    let summary = toured(&store, &folder, &sample, &settings, (talk, &stop)).await?;
    if summary.state == Ended::Done {
        show(&store, talk).await?;
        sum_up(talk, &store, &site, &root, &summary).await?;
        demo_check::run(&store, &folder, &site, &root, talk).await?;
        by_hand(talk, args.stay, &db, &sample, &site);
    }
    let exit = ended(std::slice::from_ref(&summary), &stop)?;
    if args.stay && exit == Exit::Done {
        served.await??;
    }
    Ok(exit)
}

/// Emptied of an earlier tour; only a folder that this command made is.
fn fresh_folder(given: Option<&Path>) -> Result<PathBuf> {
    let folder = given.map_or_else(|| std::env::temp_dir().join("pagekin-demo"), Path::to_owned);
    let wrong = |error: std::io::Error| {
        anyhow!("cannot use the folder `{}`: {error}\n\nhint: give another one with `--dir`", folder.display())
    };
    if folder.join("demo.db").is_file() {
        std::fs::remove_dir_all(&folder).map_err(wrong)?;
    }
    std::fs::create_dir_all(&folder).map_err(wrong)?;
    Ok(folder)
}

async fn toured(
    store: &Store,
    folder: &Path,
    sample: &Url,
    settings: &discover::Settings,
    (talk, stop): (&Talk, &Stop),
) -> Result<Summary> {
    let planned = plan(std::slice::from_ref(sample), false);
    let spec = RunSpec { hidden: true, ..RunSpec::of(settings, &SourceSettings::default()) };
    store.enqueue(&planned[0].new_run(&spec, None)?).await?;
    let worker = Worker {
        store: store.clone(),
        pages: folder.join("pages"),
        at_once: 1,
        lease: Duration::from_secs(30),
        stop: stop.clone(),
        publish: None,
        local: Default::default(),
    };
    let heard = Heard::new(talk);
    let mut summaries = worker.work(None, false, &|run, event| heard.hear(run, event)).await?;
    drop(heard);
    summaries.pop().ok_or_else(|| anyhow!("the tour ended before it began\n\nhint: run it again"))
}

async fn show(store: &Store, talk: &Talk) -> Result<()> {
    let data = Dataset::open(store, &Wanted::default()).await?;
    talk.say("");
    export::shown(data, &mut std::io::stdout(), export::TOUR, talk).await?;
    Ok(())
}

async fn sum_up(talk: &Talk, store: &Store, site: &Site, root: &Url, summary: &Summary) -> Result<()> {
    let truth = site.truth();
    let full = |paths: &[String]| -> Vec<Url> { paths.iter().filter_map(|path| root.join(path).ok()).collect() };
    let (linked, hidden) = (full(&truth.drivers_linked), full(&truth.drivers_hidden));
    let found = store.entities(summary.class_id.unwrap_or_default()).await?;
    let of = |known: &[Url]| found.iter().filter(|entity| known.contains(&entity.url)).count();
    let (right, unlinked) = (of(&linked), of(&hidden));
    talk.say(format_args!(
        "\nFound {right} of the {} driver pages that links lead to, {unlinked} of the {} that no link leads to,",
        linked.len(),
        hidden.len()
    ));
    talk.say(format_args!(
        "and {} pages of other kinds, with {} requests in {:.1} s.",
        found.len() - right - unlinked,
        summary.requests,
        summary.seconds
    ));
    Ok(())
}

/// The same without the tour.
fn by_hand(talk: &Talk, stays: bool, db: &Path, sample: &Url, site: &Site) {
    talk.say(format_args!("\nEverything is kept in {}:\n", db.display()));
    talk.say(format_args!(
        "  pagekin query \"SELECT url, value FROM record_values WHERE attribute = 'team'\" --db {}",
        db.display()
    ));
    talk.say(format_args!("  pagekin export --out drivers.csv --db {}", db.display()));
    if stays {
        talk.say(format_args!(
            "\nThe site stays until Ctrl-C. In another terminal:\n\n  pagekin run {sample} --hidden"
        ));
        return;
    }
    talk.say("\nTo do the same by hand:\n\n  pagekin demo --stay --port 8080");
    talk.say(format_args!("  pagekin run http://127.0.0.1:8080{} --hidden    (in another terminal)", site.sample()));
}
