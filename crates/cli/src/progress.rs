//! How far is it? Counters of a run → one line on stderr, rewritten while it lasts, and only on a terminal.

use crate::talk::Talk;
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pagekin::{Source, Stats};
use std::pin::pin;
use std::time::Duration;

/// Runs `job` and shows what `source` was asked meanwhile.
pub async fn beside<F: Future>(source: &Source, talk: &Talk, job: F) -> F::Output {
    let mut job = pin!(job);
    if !talk.shows_progress() {
        return job.await;
    }
    let bar = styled(ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()), "{spinner} {msg}");
    let mut tick = tokio::time::interval(Duration::from_millis(200));
    let result = loop {
        tokio::select! {
            result = &mut job => break result,
            _ = tick.tick() => {
                bar.set_message(counted(&source.stats()));
                bar.tick();
            }
        }
    };
    bar.finish_and_clear();
    result
}

fn counted(stats: &Stats) -> String {
    let skipped: u64 = stats.skipped.values().sum();
    format!("{} pages, {}, {skipped} not looked at", stats.downloads, HumanBytes(stats.bytes))
}

/// A bar for a known number of runs; invisible where nobody looks.
pub fn runs(talk: &Talk) -> ProgressBar {
    let target = if talk.shows_progress() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    styled(ProgressBar::with_draw_target(Some(0), target), "{pos}/{len} {wide_bar} {msg} {eta}")
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
