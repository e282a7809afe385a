//! What did the run take? Clocks and counters around a run → one flat record.
//!
//! - [`RunStats`]: what `--stats` writes. - [`Clock`]: started before a run, read after it. - [`Outcome`]: what of a result
//!   is counted.
//!
//! Memory and processor time come from the kernel's `/proc` and are left out where there is none.

use crate::Source;
use crate::change::Changes;
use crate::source::Coverage;
use pagekin_core::discover::Discovery;
use pagekin_core::discover::refresh::Refresh;
use pagekin_core::hidden::Report;
use pagekin_core::model::{Classified, SiteModel};
use pagekin_core::page::left_out::links_left_out;
use pagekin_core::pages::Reason;
use pagekin_core::site::Stop;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

/// What a run took and gave, as `--stats` writes it.
#[derive(Debug, Clone, Serialize)]
pub struct RunStats {
    /// Distinct pages whose content the method looked at.
    pub downloads: usize,
    /// Everything asked: pages, redirects, robots.txt, further tries.
    pub requests: u64,
    /// Of bodies: as sent by a live site, decoded from an archive.
    pub bytes: u64,
    /// Pages of the samples' kind, the samples among them; of a model its classes, of a classification pages of known class.
    pub found: usize,
    /// From start to end.
    pub seconds: f64,
    /// Processor time of all threads.
    pub cpu_seconds: Option<f64>,
    /// Bytes; the most the process had in memory at a time.
    pub peak_memory: Option<u64>,
    /// Requests that were sent again.
    pub retries: u64,
    /// Pages unchanged since the archive given.
    pub not_modified: u64,
    /// Pages that an interrupted run had kept, and that were not asked for again.
    pub resumed: u64,
    /// Pages that ask not to be indexed.
    pub noindex: u64,
    /// Pages whose links were not read, because they ask for it.
    pub nofollow: u64,
    /// Pages that a browser opened, to compare or to read.
    pub rendered: u64,
    /// Links that were not kept, because the addresses of a page or the site fill the memory they may.
    pub links_left_out: u64,
    /// Pages of the kind that are expected to be missing, where the method can tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<f64>,
    /// Pages that were not looked at, by reason.
    pub skipped: BTreeMap<Reason, u64>,
    /// Set when the run ended before the method was done.
    pub stopped: Option<Stop>,
    /// What was used up, in words: a budget or a ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<String>,
    /// What an index of archives held of what was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Of a refresh only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
}

/// What a stage gave, for the figures of its run.
pub struct Outcome {
    downloads: usize,
    found: usize,
    missing: Option<f64>,
    stopped: Option<Stop>,
    changes: Option<Changes>,
}

impl Outcome {
    /// Of a discovery.
    pub fn of_discovery(found: &Discovery) -> Self {
        let Discovery { downloads, missing, stopped, .. } = *found;
        Self { downloads, found: found.entities.len(), missing, stopped, changes: None }
    }

    /// Of a search for hidden pages.
    pub fn of_hidden(report: &Report) -> Self {
        Self {
            downloads: report.requests,
            found: report.found(),
            missing: None,
            stopped: report.stopped,
            changes: None,
        }
    }

    /// What is found are classes.
    pub fn of_model(model: &SiteModel) -> Self {
        Self {
            downloads: model.looked,
            found: model.classes.len(),
            missing: None,
            stopped: model.stopped,
            changes: None,
        }
    }

    /// What is found are pages whose class is known.
    pub fn of_classes(pages: &[Classified], stopped: Option<Stop>) -> Self {
        let found = pages.iter().filter(|page| page.class.is_some()).count();
        Self { downloads: pages.len(), found, missing: None, stopped, changes: None }
    }

    /// Pages looked at, records given.
    pub fn of_extraction(pages: usize, records: usize) -> Self {
        Self { downloads: pages, found: records, missing: None, stopped: None, changes: None }
    }

    /// Of a refresh.
    pub fn of_refresh(refresh: &Refresh) -> Self {
        let Refresh { downloads, stopped, .. } = *refresh;
        Self {
            downloads,
            found: refresh.learned.entities.len(),
            missing: None,
            stopped,
            changes: Some(Changes::of(refresh)),
        }
    }
}

/// The time since a run began.
pub struct Clock {
    start: Instant,
    cpu: Option<f64>,
    links_left_out: u64,
}

impl Clock {
    /// Begins now.
    pub fn start() -> Self {
        Self { start: Instant::now(), cpu: cpu_seconds(), links_left_out: links_left_out() }
    }

    /// What was taken until now.
    pub fn read(&self, outcome: Outcome, source: &Source) -> RunStats {
        let asked = source.stats();
        RunStats {
            downloads: outcome.downloads,
            requests: asked.requests,
            bytes: asked.bytes,
            found: outcome.found,
            seconds: self.start.elapsed().as_secs_f64(),
            cpu_seconds: self.cpu.and_then(|start| Some(cpu_seconds()? - start)),
            peak_memory: peak_memory(),
            retries: asked.retries,
            not_modified: asked.not_modified,
            resumed: source.resumed(),
            noindex: asked.noindex,
            nofollow: asked.nofollow,
            rendered: source.rendered().opened,
            links_left_out: links_left_out() - self.links_left_out,
            missing: outcome.missing,
            skipped: asked.skipped,
            stopped: outcome.stopped,
            spent: source.spent().map(|spent| spent.to_string()),
            coverage: source.coverage(),
            changes: outcome.changes,
        }
    }
}

/// Bytes; `VmHWM`, the high-water mark of resident memory.
pub fn peak_memory() -> Option<u64> {
    peak_in(&fs::read_to_string("/proc/self/status").ok()?)
}

fn peak_in(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Lets the high-water mark start again from the memory held now. Where that is not allowed it goes on.
pub fn reset_peak_memory() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// User and system time of all threads.
pub fn cpu_seconds() -> Option<f64> {
    cpu_in(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// The fields after the command's name, which may itself hold blanks and parentheses (proc(5), fields 14 and 15).
fn cpu_in(stat: &str) -> Option<f64> {
    /// What Linux shows to programs on every common processor, whatever its own clock does.
    const TICKS: f64 = 100.0;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((user + system) as f64 / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_kernel_writes() {
        assert_eq!(peak_in("Name:\tx\nVmPeak:\t  99 kB\nVmHWM:\t  1234 kB\n"), Some(1234 * 1024));
        assert_eq!(peak_in("Name:\tx\n"), None);
        let stat = "42 (a) b) R 1 42 42 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 1 0 100 1000 10";
        assert_eq!(cpu_in(stat), Some(2.0));
        assert_eq!(cpu_in("nonsense"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_memory_and_time() {
        assert!(peak_memory().is_some_and(|bytes| bytes > 100_000));
        assert!(cpu_seconds().is_some());
    }
}
