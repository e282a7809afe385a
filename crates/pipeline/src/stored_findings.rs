//! One check of a database: records that are new or changed, rules and what is known → findings, kept with their history.
//!
//! - [`check_stored`]: all of it. - [`against`]: what records are checked against, as one hash: another one means that all are checked again.
//! - [`material`]: what a report of a database is made of.
//!
//! Memory holds the reference and one batch of records; an interrupted check goes on where it stopped.

use crate::report::{Dated, Gone, Material, Week, monday};
use crate::{Checked, Error};
use jiff::Timestamp;
use pagekin_core::check::{Finding, Judge, Reference};
use pagekin_core::extract::Record;
use pagekin_fetch::Stop;
use pagekin_store::findings::{CheckedRecord, Part, Unchecked, sighting, unchecked};
use pagekin_store::{Run, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use url::Url;
use xxhash_rust::xxh3::Xxh3;

/// Records of one transaction.
const BATCH: usize = 2_000;

/// Rules and reference, as they are now.
pub fn against(rules: &str, reference: &Reference) -> String {
    let mut hash = Xxh3::new();
    hash.update(rules.as_bytes());
    reference.columns.iter().for_each(|name| hash.update(name.as_bytes()));
    for row in 0..reference.rows() {
        for column in 0..reference.columns.len() {
            hash.update(reference.cell(row, column).as_bytes());
            hash.update(&[0]);
        }
    }
    format!("{:032x}", hash.digest128())
}

/// Checks what has not been checked against this, until it is stopped, or until the run that it is done for is somebody else's. What is
/// found now is told.
pub async fn check_stored(
    store: &Store,
    judge: &Arc<Judge>,
    against: &str,
    part: Part<'_>,
    (run, stop): (Option<&Run>, &Stop),
) -> Result<(Checked, Vec<Finding>), Error> {
    let now = Timestamp::now();
    let (mut done, mut all) = (Checked::begun(judge), Vec::new());
    loop {
        if stop.is_stopped() {
            done.interrupted = true;
            return Ok((done, all));
        }
        let batch = next_batch(store, against, part).await?;
        if batch.is_empty() {
            break;
        }
        done.count(batch.iter().map(|unchecked| &unchecked.record));
        let judge = judge.clone();
        let checked = tokio::task::spawn_blocking(move || judged(&judge, batch)).await.map_err(Error::Ended)?;
        for finding in checked.iter().flat_map(|record| &record.findings) {
            done.findings += 1;
            done.contradictions += usize::from(finding.lower.is_none());
            all.push(finding.clone());
        }
        store.put_checked(run, (against, now), &checked).await?;
    }
    store.settle_findings(run, now).await?;
    Ok((done, all))
}

/// Those that are checked are no longer among the unchecked, so the first ones are always the next.
async fn next_batch(store: &Store, against: &str, part: Part<'_>) -> Result<Vec<Unchecked>, Error> {
    let mut rows = store.unchecked_records(against, part).await?;
    let mut batch = Vec::new();
    while batch.len() < BATCH {
        let Some(some) = rows.next().await? else { break };
        for row in &some {
            batch.push(unchecked(row)?);
        }
    }
    Ok(batch)
}

fn judged(judge: &Judge, batch: Vec<Unchecked>) -> Vec<CheckedRecord> {
    let records: Vec<&Record> = batch.iter().map(|unchecked| &unchecked.record).collect();
    let findings = judge.judge_each(&records);
    batch.into_iter().zip(findings).map(|(unchecked, findings)| CheckedRecord { unchecked, findings }).collect()
}

/// Findings with their history, records by host, and the weeks since the first of them.
pub async fn material(store: &Store, title: &str, today: &str, site: Option<&str>) -> Result<Material, Error> {
    let mut trend = Trend::default();
    let (mut findings, mut gone) = (Vec::new(), Vec::new());
    for row in store.findings(site).await? {
        trend.finding(&row.finding.conclusion, &row.first_seen, row.gone.as_deref());
        match row.gone {
            None => findings.push(Dated { finding: row.finding, first_seen: row.first_seen, last_seen: row.last_seen }),
            // Of what went before this week, earlier reports have told.
            Some(day) if monday(&day) == monday(today) => gone.push(Gone {
                url: row.finding.url.to_string(),
                conclusion: row.finding.conclusion,
                first_seen: row.first_seen,
            }),
            Some(_) => {}
        }
    }
    let mut records: BTreeMap<String, usize> = BTreeMap::new();
    let mut rows = store.sightings(site).await?;
    while let Some(some) = rows.next().await? {
        for seen in some.iter().map(sighting) {
            let host = Url::parse(&seen.url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
            trend.record(&host, &seen.first_seen, seen.gone.as_deref());
            if seen.gone.is_none() {
                *records.entry(host).or_default() += 1;
            }
        }
    }
    let weeks = trend.weeks(today);
    Ok(Material {
        title: title.to_owned(),
        today: today.to_owned(),
        findings,
        records,
        weeks,
        gone,
        ..Material::default()
    })
}

/// What came and went, by week.
#[derive(Default)]
struct Trend {
    /// Plus and minus.
    findings: BTreeMap<String, BTreeMap<String, i64>>,
    records: BTreeMap<String, i64>,
    /// First and last week of each host; no last while it is there.
    hosts: BTreeMap<String, (String, Option<String>)>,
}

impl Trend {
    fn finding(&mut self, conclusion: &str, first: &str, gone: Option<&str>) {
        let mut add = |day: &str, by: i64| {
            *self.findings.entry(monday(day)).or_default().entry(conclusion.to_owned()).or_default() += by;
        };
        add(first, 1);
        gone.into_iter().for_each(|day| add(day, -1));
    }

    fn record(&mut self, host: &str, first: &str, gone: Option<&str>) {
        *self.records.entry(monday(first)).or_default() += 1;
        if let Some(day) = gone {
            *self.records.entry(monday(day)).or_default() -= 1;
        }
        let (first, gone) = (monday(first), gone.map(monday));
        let known = self.hosts.entry(host.to_owned()).or_insert_with(|| (first.clone(), gone.clone()));
        known.0 = known.0.clone().min(first);
        known.1 = known.1.clone().zip(gone).map(|(a, b)| a.max(b));
    }

    /// One for every week in which something changed.
    fn weeks(&self, today: &str) -> Vec<Week> {
        let last = monday(today);
        let days: BTreeSet<&String> =
            self.findings.keys().chain(self.records.keys()).filter(|day| **day <= last).collect();
        let (mut records, mut findings) = (0, BTreeMap::<String, i64>::new());
        let mut weeks = Vec::new();
        for day in days {
            records += self.records.get(day).copied().unwrap_or(0);
            for (conclusion, by) in self.findings.get(day).into_iter().flatten() {
                *findings.entry(conclusion.clone()).or_default() += by;
            }
            let here =
                |(first, gone): &&(String, Option<String>)| first <= day && gone.as_ref().is_none_or(|gone| gone > day);
            let counted = findings.iter().filter(|(_, count)| **count > 0);
            weeks.push(Week {
                week: day.clone(),
                sites: self.hosts.values().filter(here).count(),
                records: records.max(0) as usize,
                findings: counted.map(|(name, count)| (name.clone(), *count as usize)).collect(),
            });
        }
        weeks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::check::rules;

    #[tokio::test]
    async fn a_check_that_is_stopped_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("p.db").to_string_lossy()).await.unwrap();
        let rules = rules::parse("[[rules]]\nwhen='missing E.x'\nthen='X'\nconfidence=0.9\n").unwrap();
        let judge = Arc::new(Judge::new(&rules, Reference::default()).unwrap_or_else(|_| panic!("a judge")));
        let stop = Stop::default();
        let (done, _) = check_stored(&store, &judge, "", Part::All, (None, &stop)).await.unwrap();
        assert!(!done.interrupted);
        stop.stop();
        let (done, _) = check_stored(&store, &judge, "", Part::All, (None, &stop)).await.unwrap();
        assert!(done.interrupted);
    }
}
