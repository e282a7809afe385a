//! The live fetcher against real servers on loopback, one file per kind of behaviour.

mod bodies;
mod hostile;
mod limits;
mod parts;
mod politeness;
mod redirects;
mod robots;
mod run;

use pagekin_core::pages::{Answer, Pages, RawPage, Reason, Skipped};
use pagekin_fetch::{Live, LiveSettings};
use pagekin_testkit::server::Site;
use std::time::{Duration, Instant};
use url::Url;

fn url(text: &str) -> Url {
    Url::parse(text).expect("an address")
}

/// As for a run that the user started at this site, with short pauses.
fn settings(site: &Site) -> LiveSettings {
    LiveSettings { retry_pause: Duration::from_millis(10), ..LiveSettings::starting_at(&[url(&site.url("/"))]) }
}

fn live(site: &Site) -> Live {
    Live::new(settings(site)).expect("a client")
}

/// Visits are no closer than this. The server sees a request no sooner than it was started, so each has an earliest
/// moment, however busy the machine is.
fn assert_spaced(site: &Site, begin: Instant, gap: Duration) {
    for (nth, visit) in (0u32..).zip(site.log()) {
        let after = visit.at - begin;
        assert!(after >= gap * nth, "visit {nth} to `{}` came after {after:?}", visit.target);
    }
}

async fn one(live: &Live, address: &str) -> Answer {
    live.get(&[url(address)]).await.pop().expect("an answer for each address")
}

async fn page(live: &Live, address: &str) -> RawPage {
    match one(live, address).await {
        Answer::Page(page) => page,
        Answer::Skipped(skipped) => panic!("{skipped:?}"),
    }
}

async fn skipped(live: &Live, address: &str) -> Skipped {
    match one(live, address).await {
        Answer::Skipped(skipped) => skipped,
        Answer::Page(page) => panic!("a page of status {} from `{}`", page.status, page.url),
    }
}

async fn reason(live: &Live, address: &str) -> Reason {
    skipped(live, address).await.reason
}
