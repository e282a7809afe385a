//! What is told while runs go on? Events → a line for each site under way on a terminal, a line for each step elsewhere.

use crate::flags::named;
use crate::talk::{Talk, plain};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pagekin::check::Severity;
use pagekin::run::{Ended, Event, Found, Summary};
use pagekin::store::Run;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub struct Heard<'t> {
    talk: &'t Talk,
    lines: MultiProgress,
    sites: Mutex<BTreeMap<i64, Site>>,
}

struct Site {
    line: ProgressBar,
    stage: String,
    /// When reading began, and at how many pages.
    reading: Option<(Instant, usize)>,
}

impl<'t> Heard<'t> {
    pub fn new(talk: &'t Talk) -> Self {
        let shown = if talk.shows_progress() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { talk, lines: MultiProgress::with_draw_target(shown), sites: Mutex::default() }
    }

    pub fn hear(&self, run: &Run, event: Event) {
        match event {
            Event::Started { attempt } => self.started(run, attempt),
            Event::Stage(stage) => self.step(run, stage),
            Event::Looked(pages) => self.looked(run, pages),
            Event::Reading { done, of } => self.reading(run, done, of),
            Event::Drift(drift) => {
                for one in drift {
                    let shares = (one.learned * 100.0, one.seen * 100.0);
                    self.say(format!(
                        "{}: `{}` was on {:.0} % of the pages and is on {:.0} %: its template changed; learned again",
                        run.site, one.slot, shares.0, shares.1
                    ));
                }
            }
            Event::Ended(summary) => self.ended(run, &summary),
        }
    }

    fn started(&self, run: &Run, attempt: i64) {
        let line = self.lines.add(ProgressBar::new_spinner());
        line.enable_steady_tick(Duration::from_millis(200));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            line.set_style(style);
        }
        self.sites().insert(run.id, Site { line, stage: String::new(), reading: None });
        if attempt > 1 {
            self.say(format!("{}: going on with run {} (try {attempt})", run.site, run.id));
        }
    }

    fn step(&self, run: &Run, stage: &str) {
        if let Some(site) = self.sites().get_mut(&run.id) {
            site.stage = stage.to_owned();
            site.line.set_message(plain(&format!("{}: {stage}", run.site)));
        }
        if !self.talk.shows_progress() {
            self.talk.say(format_args!("{}: {stage}", run.site));
        }
    }

    /// While pages are read, how many of them says more.
    fn looked(&self, run: &Run, pages: u64) {
        if let Some(site) = self.sites().get(&run.id).filter(|site| site.reading.is_none()) {
            site.line.set_message(plain(&format!("{}: {}, {pages} pages looked at", run.site, site.stage)));
        }
    }

    fn reading(&self, run: &Run, done: usize, of: usize) {
        let mut sites = self.sites();
        let Some(site) = sites.get_mut(&run.id) else { return };
        let (since, at) = *site.reading.get_or_insert((Instant::now(), done));
        let spent = since.elapsed().as_secs_f64();
        let left = if done > at {
            format!(", {:.0} s left", spent * (of - done) as f64 / (done - at) as f64)
        } else {
            String::new()
        };
        site.line.set_message(plain(&format!("{}: {done} of {of} pages read{left}", run.site)));
    }

    fn ended(&self, run: &Run, summary: &Summary) {
        if let Some(site) = self.sites().remove(&run.id) {
            site.line.finish_and_clear();
        }
        self.say(told(summary));
    }

    fn say(&self, line: String) {
        self.lines.suspend(|| self.talk.say(line));
    }

    fn sites(&self) -> std::sync::MutexGuard<'_, BTreeMap<i64, Site>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Worst first.
pub fn findings(found: &Found) -> String {
    let count =
        |severity: &Severity| found.severities.get(severity.name()).map(|count| format!("{count} {}", severity.name()));
    let parts: Vec<String> = Severity::ALL.iter().rev().filter_map(count).collect();
    match parts.is_empty() {
        true => "no findings".to_owned(),
        false => format!("{} findings ({})", found.findings, parts.join(", ")),
    }
}

/// `found 2,646; the site states 2,647; estimated 2,633 to 2,712`, and why.
fn complete(run: &Summary) -> Vec<String> {
    let Some(completeness) = &run.completeness else { return Vec::new() };
    vec![format!("  {}: {}", completeness.told(), completeness.because.join("; "))]
}

/// What is missed, with examples, and what became of the data.
fn not_as_expected(run: &Summary) -> Vec<String> {
    if run.missed.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("  run {} is not as expected; the data before it stays current:", run.run)];
    for missed in &run.missed {
        lines.push(format!("  - {}: {}", missed.expectation, missed.because));
        lines.extend(missed.examples.iter().map(|example| format!("      {example}")));
    }
    lines
}

fn told(run: &Summary) -> String {
    let first =
        |error: &Option<String>| error.as_deref().and_then(|text| text.lines().next()).unwrap_or_default().to_owned();
    if !matches!(run.state, Ended::Done | Ended::Quarantined) {
        return format!("{}: {} {}", run.site, run.state, first(&run.error));
    }
    let mut parts = vec![format!("{} pages", run.pages), format!("{} records", run.records)];
    parts.extend(run.spent.as_ref().map(|spent| format!("not everything was asked: {}", named(spent))));
    let changes = [
        (run.new, "new"),
        (run.changed, "changed"),
        (run.missing, "missing"),
        (run.no_longer_linked, "no longer linked"),
        (run.not_seen, "not seen"),
    ];
    parts.extend(changes.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    if run.unlinked > 0 {
        parts.push(format!("{} that no link reaches", run.unlinked));
    }
    if run.skipped > 0 {
        parts.push(format!("{} not read", run.skipped));
    }
    if run.nofollow > 0 {
        parts.push(format!("{} ask that their links are not followed (`--ignore-nofollow`)", run.nofollow));
    }
    if run.noindex > 0 {
        parts.push(format!("{} ask not to be indexed", run.noindex));
    }
    if run.rendered > 0 {
        parts.push(format!("{} opened in a browser", run.rendered));
    }
    parts.extend(run.render_hint.as_deref().map(named));
    parts.extend(run.found.as_ref().map(findings));
    parts.push(format!("{} requests", run.requests));
    if run.not_modified > 0 {
        parts.push(format!("{} not modified", run.not_modified));
    }
    let line = format!("{} ({}): {}, {:.1} s", run.site, run.class, parts.join(", "), run.seconds);
    [vec![line], complete(run), not_as_expected(run)].concat().join("\n")
}
