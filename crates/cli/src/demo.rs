//! `pagekin demo`: a tour on the built-in site, without a network.

use crate::args::{DemoArgs, MethodArgs};
use crate::config::Config;
use crate::exit::Exit;
use crate::output::table;
use crate::progress;
use crate::talk::Talk;
use anyhow::{Result, anyhow};
use pagekin::discover::Discovery;
use pagekin::{RunStats, Source, SourceSettings, Stop, Url, discover_job};
use pagekin_web::demo::{Site, serve};
use std::io::Write;
use tokio::net::TcpListener;

/// Pages shown; the rest is counted.
const SHOWN: usize = 10;

pub async fn run(args: &DemoArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let listener = TcpListener::bind(("127.0.0.1", args.port)).await.map_err(|error| {
        anyhow!("cannot listen on `127.0.0.1:{}`: {error}\n\nhint: leave out `--port` to take a free one", args.port)
    })?;
    let root = Url::parse(&format!("http://{}/", listener.local_addr()?))?;
    let site = Site::new();
    let sample = root.join(&site.sample())?;
    let ended = stop.clone();
    let served = tokio::spawn(serve(listener, async move { ended.stopped().await }));

    let settings = config.settings(&MethodArgs::default(), args.method);
    talk.say(format_args!("A racing championship is now served at {root}, on this machine only."));
    talk.say(format_args!("One page of it is the sample: {sample}, a driver of 2015."));
    talk.say(format_args!("Looking for all pages of that kind with the method `{}`:", settings.method));
    talk.say("up from the sample to the pages that list drivers, then down to every driver.\n");

    let source = Source::open(
        &SourceSettings { stop: stop.clone(), ..SourceSettings::default() },
        std::slice::from_ref(&sample),
    )?;
    let job = discover_job(&source, std::slice::from_ref(&sample), &settings);
    let (found, stats) = progress::beside(&source, talk, job).await?;
    show(talk, &found)?;
    sum_up(talk, &site, &root, &found, &stats);

    let exit = if stop.is_stopped() { Exit::Interrupted } else { Exit::Done };
    by_hand(talk, args.stay, &site, &sample);
    if args.stay {
        served.await??;
    }
    Ok(exit)
}

/// The same without the tour.
fn by_hand(talk: &Talk, stays: bool, site: &Site, sample: &Url) {
    if stays {
        talk.say(format_args!("\nThe site stays until Ctrl-C. In another terminal:\n\n  pagekin discover {sample}"));
        return;
    }
    talk.say("\nTo do the same by hand:\n\n  pagekin demo --stay --port 8080");
    talk.say(format_args!("  pagekin discover http://127.0.0.1:8080{}    (in another terminal)", site.sample()));
}

fn show(talk: &Talk, found: &Discovery) -> Result<()> {
    let first = &found.entities[..found.entities.len().min(SHOWN)];
    writeln!(std::io::stdout().lock(), "{}", table(first))?;
    if found.entities.len() > SHOWN {
        talk.say(format_args!("... and {} more.", found.entities.len() - SHOWN));
    }
    Ok(())
}

fn sum_up(talk: &Talk, site: &Site, root: &Url, found: &Discovery, stats: &RunStats) {
    let truth: Vec<Url> = site.truth().drivers_linked.iter().filter_map(|path| root.join(path).ok()).collect();
    let right = found.entities.iter().filter(|entity| truth.contains(&entity.url)).count();
    talk.say(format_args!(
        "\nFound {right} of the {} driver pages that links lead to, and {} pages of other kinds,",
        truth.len(),
        found.entities.len() - right
    ));
    talk.say(format_args!("with {} downloads in {:.1} s.", stats.downloads, stats.seconds));
}
