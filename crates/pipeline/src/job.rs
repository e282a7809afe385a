//! One discovery from start to end: source, samples, settings → what was found, and what it took.
//!
//! Does not know where pages come from, nor who reads the result.

use crate::cost::{Clock, RunStats};
use crate::{Error, Source};
use pagekin_core::discover::{self, Discovery, Settings};
use url::Url;

/// Finds all pages of the samples' kind. A source that broke fails the run: half a result must not look whole.
pub async fn discover_job(
    source: &Source,
    samples: &[Url],
    settings: &Settings,
) -> Result<(Discovery, RunStats), Error> {
    let clock = Clock::start();
    let found = discover::discover(source, samples, settings).await;
    if let Some(failure) = source.take_failure() {
        return Err(failure);
    }
    let found = found?;
    let stats = clock.read(&found, source.stats());
    Ok((found, stats))
}
