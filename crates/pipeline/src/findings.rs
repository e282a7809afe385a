//! One check, from start to end: records, rules and what is known → findings.
//!
//! ```text
//! lines of records ─► batches ─► judged on all cores ─► findings, in the order of the records
//! ```
//!
//! - [`check_job`]: all of it. - [`Checked`]: what came of it, beside the findings. - [`CheckStats`]: what it took.
//! - [`record`]: a record from a line, as `extract` writes it or shorter.
//!
//! Memory holds the reference and one batch of records. A line that is no record is counted and told, and the others are checked.

use crate::{Error, cpu_seconds, peak_memory};
use pagekin_core::check::{Finding, Judge, says};
use pagekin_core::extract::{Evidence, Record};
use pagekin_fetch::Stop;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::BufRead;
use std::time::Instant;
use url::Url;

/// Records judged at a time: enough for all cores, and some megabytes.
const BATCH: usize = 4_096;

/// Bytes of a line; longer ones are no records.
const LONGEST_LINE: u64 = 16 << 20;

/// Lines that are told when they are no records; the rest is counted.
const TOLD: usize = 5;

/// What came of a check, beside the findings.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// Records that were checked.
    pub records: usize,
    /// Findings of all of them.
    pub findings: usize,
    /// Of these, the ones where rules contradict each other.
    pub contradictions: usize,
    /// Lines that are no records.
    pub bad_lines: usize,
    /// Line and reason of the first of them.
    pub bad: Vec<(usize, String)>,
    /// Attributes that the rules speak of and that no record has.
    pub absent: Vec<String>,
    /// Stopped before all were checked.
    pub interrupted: bool,
}

impl Checked {
    pub(crate) fn begun(judge: &Judge) -> Self {
        Self { absent: judge.attributes(), ..Self::default() }
    }

    /// Counts records that are about to be checked.
    pub(crate) fn count<'r>(&mut self, records: impl Iterator<Item = &'r Record>) {
        for record in records {
            self.records += 1;
            self.absent.retain(|name| !says(record, name));
        }
    }
}

/// What `--stats` writes.
#[derive(Debug, Clone, Serialize)]
pub struct CheckStats {
    /// None: a check asks nobody.
    pub downloads: usize,
    /// None, too.
    pub requests: usize,
    /// Of the records.
    pub bytes: u64,
    /// Findings.
    pub found: usize,
    /// From start to end.
    pub seconds: f64,
    /// Processor time, where the system tells it.
    pub cpu_seconds: Option<f64>,
    /// Most memory held, in bytes, where the system tells it.
    pub peak_memory: Option<u64>,
    /// Records that were checked.
    pub records: usize,
    /// Findings whose rules contradict each other.
    pub contradictions: usize,
    /// Lines that are no records.
    pub bad_lines: usize,
}

impl CheckStats {
    /// Of a check that is done.
    pub fn of(done: &Checked, found: usize, seconds: f64) -> Self {
        Self {
            downloads: 0,
            requests: 0,
            bytes: 0,
            found,
            seconds,
            cpu_seconds: None,
            peak_memory: peak_memory(),
            records: done.records,
            contradictions: done.contradictions,
            bad_lines: done.bad_lines,
        }
    }
}

/// Hears of the findings of each batch.
pub type Emit<'e> = dyn FnMut(Vec<Finding>) -> Result<(), Error> + 'e;

/// Checks all records, or those read until it is stopped.
pub fn check_job(
    lines: &mut dyn BufRead,
    judge: &Judge,
    stop: &Stop,
    emit: &mut Emit<'_>,
) -> Result<(Checked, CheckStats), Error> {
    let (start, processor) = (Instant::now(), cpu_seconds());
    let (mut done, mut bytes, mut at) = (Checked::begun(judge), 0, 0);
    loop {
        let (batch, ended) = read_batch(lines, &mut at, &mut bytes, &mut done)?;
        done.count(batch.iter());
        let findings = judge.judge_all(&batch);
        done.findings += findings.len();
        done.contradictions += findings.iter().filter(|finding| finding.lower.is_none()).count();
        emit(findings)?;
        done.interrupted = !ended && stop.is_stopped();
        if ended || done.interrupted {
            break;
        }
    }
    let spent = cpu_seconds().zip(processor).map(|(now, before)| now - before);
    let stats =
        CheckStats { bytes, cpu_seconds: spent, ..CheckStats::of(&done, done.findings, start.elapsed().as_secs_f64()) };
    Ok((done, stats))
}

/// The next records, and whether they are the last.
fn read_batch(
    lines: &mut dyn BufRead,
    at: &mut usize,
    bytes: &mut u64,
    done: &mut Checked,
) -> Result<(Vec<Record>, bool), Error> {
    let mut batch = Vec::new();
    let mut line = Vec::new();
    while batch.len() < BATCH {
        line.clear();
        let read =
            std::io::Read::take(&mut *lines, LONGEST_LINE).read_until(b'\n', &mut line).map_err(Error::Records)?;
        if read == 0 {
            return Ok((batch, true));
        }
        *at += 1;
        *bytes += read as u64;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match record(&line) {
            Ok(record) => batch.push(record),
            Err(reason) => {
                done.bad_lines += 1;
                if done.bad.len() < TOLD {
                    done.bad.push((*at, reason));
                }
            }
        }
    }
    Ok((batch, false))
}

/// A line of `extract`; class and evidence may lack, and a single value needs no list.
#[derive(Deserialize)]
struct Line {
    url: Url,
    #[serde(default)]
    class: String,
    #[serde(default)]
    attributes: BTreeMap<String, Values>,
    #[serde(default)]
    evidence: BTreeMap<String, Evidence>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Values {
    One(String),
    Many(Vec<String>),
    Other(serde_json::Value),
}

/// A record from a line, or what is wrong with it.
pub fn record(line: &[u8]) -> Result<Record, String> {
    let line: Line = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let values = |values: Values| match values {
        Values::One(value) => vec![value],
        Values::Many(values) => values,
        Values::Other(serde_json::Value::Null) => Vec::new(),
        Values::Other(other) => vec![other.to_string()],
    };
    let attributes = line.attributes.into_iter().map(|(name, found)| (name, values(found))).collect();
    Ok(Record { url: line.url, class: line.class, attributes, children: Default::default(), evidence: line.evidence })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::check::{Reference, rules};

    const RULES: &str =
        "[[rules]]\nname='R1'\nwhen='not exists S where E.code = S.code'\nthen='Unapproved'\nconfidence=0.9\n";

    fn judge() -> Judge {
        let mut reference = Reference::new(vec!["code".to_owned()]);
        assert!(reference.push(["H1"]));
        Judge::new(&rules::parse(RULES).unwrap(), reference).unwrap_or_else(|_| panic!("a judge"))
    }

    #[test]
    fn lines_are_checked_and_bad_ones_told() {
        let lines = "{\"url\":\"http://s/1\",\"attributes\":{\"code\":[\"H1\"]}}\n\nnonsense\n\
                     {\"url\":\"http://s/2\",\"attributes\":{\"code\":\"H2\",\"price\":3}}\n{\"url\":\"no\"}";
        let mut found = Vec::new();
        let mut emit = |findings: Vec<Finding>| {
            found.extend(findings);
            Ok(())
        };
        let (done, stats) = check_job(&mut lines.as_bytes(), &judge(), &Stop::default(), &mut emit).unwrap();
        assert_eq!((done.records, done.findings, done.bad_lines, stats.found), (2, 1, 2, 1));
        assert_eq!((done.bad[0].0, done.bad[1].0), (3, 5));
        assert!(done.absent.is_empty(), "{:?}", done.absent);
        let (done, _) =
            check_job(&mut &b"{\"url\":\"http://s/1\"}"[..], &judge(), &Stop::default(), &mut |_| Ok(())).unwrap();
        assert_eq!(done.absent, ["code"]);
        assert_eq!((found[0].url.as_str(), found[0].lower), ("http://s/2", Some(0.9)));
    }

    #[test]
    fn a_check_that_is_stopped_ends_after_the_batch_under_way() {
        let (stop, lines) = (Stop::default(), "{\"url\":\"http://s/1\"}\n".repeat(BATCH + 7));
        let (whole, _) = check_job(&mut lines.as_bytes(), &judge(), &stop, &mut |_| Ok(())).unwrap();
        assert_eq!((whole.records, whole.interrupted), (BATCH + 7, false));
        stop.stop();
        let (part, _) = check_job(&mut lines.as_bytes(), &judge(), &stop, &mut |_| Ok(())).unwrap();
        assert_eq!((part.records, part.interrupted), (BATCH, true));
    }
}
