//! One discovery, or one refresh, from start to end: source, samples or what was learned → result, and what it took.
//!
//! Does not know where pages come from, nor who reads the result. A source that broke fails the run: half a result must
//! not look whole.

use crate::cost::{Clock, Outcome, RunStats};
use crate::{Error, Source};
use pagekin_core::discover::refresh::{self, Learned, Refresh};
use pagekin_core::discover::{self, Discovery, Settings};
use pagekin_core::site::Stop;
use pagekin_fetch::keys;
use url::Url;

/// Finds all pages of the samples' kind.
pub async fn discover_job(
    source: &Source,
    samples: &[Url],
    settings: &Settings,
) -> Result<(Discovery, RunStats), Error> {
    let clock = Clock::start();
    let samples = &keys::taken(samples);
    source.allow(settings.budget);
    let found = discover::discover(source, samples, settings).await;
    check(source)?;
    let mut found = found?;
    // What was asked is at hand: only what scripts may show is new.
    if found.stopped.is_none() && found.entities.len() <= samples.len() && source.expect() {
        found = discover::discover(source, samples, settings).await?;
        check(source)?;
    }
    found.stopped = found.stopped.or(cut(source));
    let stats = clock.read(Outcome::of_discovery(&found), source);
    source.allow(None);
    Ok((found, stats))
}

/// What the discovery learned of the site. The source still has the pages: the site is asked for nothing.
pub async fn learn_job(source: &Source, found: &Discovery, settings: &Settings) -> Result<Learned, Error> {
    let learned = refresh::learn(source, found, settings).await;
    check(source)?;
    Ok(learned)
}

/// Asks the index pages again: what is new, gone or changed?
pub async fn refresh_job(
    source: &Source,
    learned: &Learned,
    settings: &Settings,
) -> Result<(Refresh, RunStats), Error> {
    let clock = Clock::start();
    source.allow(settings.budget);
    let settings = &Settings { sampled: source.is_sample(), ..settings.clone() };
    let mut refresh = refresh::refresh(source, learned, settings).await;
    check(source)?;
    refresh.stopped = refresh.stopped.or(cut(source));
    let stats = clock.read(Outcome::of_refresh(&refresh), source);
    source.allow(None);
    Ok((refresh, stats))
}

/// A method does not see requests that brought no page; what they used up ends it all the same.
pub(crate) fn cut(source: &Source) -> Option<Stop> {
    source.spent().map(|_| Stop::Budget)
}

fn check(source: &Source) -> Result<(), Error> {
    source.take_failure().map_or(Ok(()), Err)
}
