//! How do findings become a report? Counted by conclusion and by site, compared with the report before, put into weeks.

use super::{Dated, Gone, Kind, Material, Report, Reported, Site, Week};
use jiff::civil::Date;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Weeks of the trend: two years.
const MOST_WEEKS: usize = 104;

/// Without a report before, findings are new when they were first seen today.
pub fn build(material: Material, before: Option<&Report>) -> Report {
    let findings = reported(&material, before);
    let mut report = Report {
        records: material.records.values().sum(),
        conclusions: kinds(&findings),
        sites: sites(&findings, &material, before),
        gone: gone(&findings, &material, before),
        since: before.map(|before| before.made.clone()),
        title: material.title.clone(),
        made: material.today.clone(),
        findings,
        weeks: Vec::new(),
    };
    report.weeks = weeks(&report, &material, before);
    report
}

type Key = (String, String);

fn keys(report: &Report) -> BTreeSet<Key> {
    report.findings.iter().map(|own| (own.finding.url.to_string(), own.finding.conclusion.clone())).collect()
}

fn reported(material: &Material, before: Option<&Report>) -> Vec<Reported> {
    let known = before.map(keys);
    let firsts: BTreeMap<Key, &str> = before
        .iter()
        .flat_map(|before| &before.findings)
        .map(|own| ((own.finding.url.to_string(), own.finding.conclusion.clone()), own.first_seen.as_str()))
        .collect();
    let one = |dated: &Dated| {
        let key = (dated.finding.url.to_string(), dated.finding.conclusion.clone());
        let new = known.as_ref().map_or(dated.first_seen == material.today, |known| !known.contains(&key));
        let first = firsts.get(&key).map_or(dated.first_seen.as_str(), |first| (*first).min(dated.first_seen.as_str()));
        Reported {
            host: dated.finding.url.host_str().unwrap_or("").to_owned(),
            first_seen: first.to_owned(),
            last_seen: dated.last_seen.clone(),
            finding: dated.finding.clone(),
            new,
        }
    };
    let mut all: Vec<Reported> = material.findings.iter().map(one).collect();
    all.sort_by(|a, b| {
        let order = |own: &Reported| (own.host.clone(), Reverse(own.finding.severity), own.finding.url.to_string());
        order(a).cmp(&order(b)).then_with(|| a.finding.conclusion.cmp(&b.finding.conclusion))
    });
    all
}

fn kinds(findings: &[Reported]) -> Vec<Kind> {
    let mut kinds: BTreeMap<&str, (Kind, BTreeSet<&str>)> = BTreeMap::new();
    for own in findings {
        let name = own.finding.conclusion.as_str();
        let (kind, hosts) = kinds.entry(name).or_insert_with(|| {
            let severity = own.finding.severity;
            (Kind { name: name.to_owned(), severity, findings: 0, new: 0, sites: 0 }, BTreeSet::new())
        });
        kind.severity = kind.severity.max(own.finding.severity);
        kind.findings += 1;
        kind.new += usize::from(own.new);
        hosts.insert(&own.host);
    }
    let mut kinds: Vec<Kind> = kinds.into_values().map(|(kind, hosts)| Kind { sites: hosts.len(), ..kind }).collect();
    kinds.sort_by_key(|kind| (Reverse(kind.severity), Reverse(kind.findings), kind.name.clone()));
    kinds
}

/// Sites with findings.
fn sites(findings: &[Reported], material: &Material, before: Option<&Report>) -> Vec<Site> {
    let known: BTreeSet<&str> = before.iter().flat_map(|before| &before.sites).map(|site| site.host.as_str()).collect();
    let mut sites: BTreeMap<&str, Site> = BTreeMap::new();
    for own in findings {
        let site = sites.entry(&own.host).or_insert_with(|| Site {
            host: own.host.clone(),
            ip: material.places.get(&own.host).map(|place| place.ip.clone()),
            country: material.places.get(&own.host).and_then(|place| place.country.clone()),
            records: material.records.get(&own.host).copied().unwrap_or(0),
            findings: 0,
            new: 0,
            severity: own.finding.severity,
            conclusions: BTreeMap::new(),
            newfound: before.is_some() && !known.contains(own.host.as_str()),
        });
        site.findings += 1;
        site.new += usize::from(own.new);
        site.severity = site.severity.max(own.finding.severity);
        *site.conclusions.entry(own.finding.conclusion.clone()).or_default() += 1;
    }
    let mut sites: Vec<Site> = sites.into_values().collect();
    sites.sort_by_key(|site| (Reverse(site.findings), Reverse(site.severity), site.host.clone()));
    sites
}

fn gone(findings: &[Reported], material: &Material, before: Option<&Report>) -> Vec<Gone> {
    let now: BTreeSet<(&str, &str)> =
        findings.iter().map(|own| (own.finding.url.as_str(), own.finding.conclusion.as_str())).collect();
    let Some(before) = before else { return material.gone.clone() };
    let left = before
        .findings
        .iter()
        .filter(|own| !now.contains(&(own.finding.url.as_str(), own.finding.conclusion.as_str())));
    let mut left: Vec<Gone> = left
        .map(|own| Gone {
            url: own.finding.url.to_string(),
            conclusion: own.finding.conclusion.clone(),
            first_seen: own.first_seen.clone(),
        })
        .collect();
    left.sort_by(|a, b| (&a.url, &a.conclusion).cmp(&(&b.url, &b.conclusion)));
    left
}

/// The weeks remembered, and this one as it stands.
fn weeks(report: &Report, material: &Material, before: Option<&Report>) -> Vec<Week> {
    let mut weeks: BTreeMap<String, Week> = BTreeMap::new();
    for week in before.iter().flat_map(|before| &before.weeks).chain(&material.weeks) {
        weeks.insert(week.week.clone(), week.clone());
    }
    let hosts: BTreeSet<&str> = material
        .records
        .keys()
        .map(String::as_str)
        .chain(report.findings.iter().map(|own| own.host.as_str()))
        .collect();
    let week = monday(&material.today);
    let findings = report.conclusions.iter().map(|kind| (kind.name.clone(), kind.findings)).collect();
    weeks.insert(week.clone(), Week { week, sites: hosts.len(), records: report.records, findings });
    let skip = weeks.len().saturating_sub(MOST_WEEKS);
    weeks.into_values().skip(skip).collect()
}

/// Where the machine is.
pub fn today() -> String {
    jiff::Zoned::now().date().to_string()
}

/// Is it a day, as in `2026-11-18`?
pub fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<Date>().is_ok()
}

/// The Monday of a day's week; what is no day stays as it is.
pub fn monday(day: &str) -> String {
    let Ok(date) = day.parse::<Date>() else { return day.to_owned() };
    let back = i64::from(date.weekday().to_monday_zero_offset());
    date.checked_sub(jiff::Span::new().days(back)).map_or_else(|_| day.to_owned(), |date| date.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_core::check::{Finding, Severity};
    use url::Url;

    fn dated(url: &str, conclusion: &str, severity: Severity) -> Dated {
        let finding = Finding {
            url: Url::parse(url).unwrap(),
            rule: "R1".to_owned(),
            conclusion: conclusion.to_owned(),
            severity,
            lower: Some(0.9),
            upper: Some(0.9),
            because: "so".to_owned(),
            evidence: Vec::new(),
            nearest: Vec::new(),
        };
        Dated { finding, first_seen: "2026-11-09".to_owned(), last_seen: "2026-11-09".to_owned() }
    }

    fn material(today: &str, findings: Vec<Dated>) -> Material {
        let records = [("a.example".to_owned(), 10), ("b.example".to_owned(), 5)].into();
        Material { title: "Week".to_owned(), today: today.to_owned(), findings, records, ..Material::default() }
    }

    #[test]
    fn what_is_new_and_what_is_gone_is_told() {
        let first = build(
            material(
                "2026-11-09",
                vec![
                    dated("http://a.example/1", "Unapproved", Severity::High),
                    dated("http://a.example/2", "Copied", Severity::Low),
                ],
            ),
            None,
        );
        assert_eq!((first.records, first.findings.iter().filter(|own| own.new).count(), first.weeks.len()), (15, 2, 1));
        let later = vec![
            dated("http://a.example/1", "Unapproved", Severity::High),
            dated("http://b.example/1", "Unapproved", Severity::High),
        ];
        let second = build(material("2026-11-18", later), Some(&first));
        let new: Vec<&str> = second.findings.iter().filter(|own| own.new).map(|own| own.host.as_str()).collect();
        assert_eq!(new, ["b.example"]);
        assert_eq!(second.gone.len(), 1);
        assert_eq!(second.since.as_deref(), Some("2026-11-09"));
        assert_eq!(
            second.weeks.iter().map(|week| week.week.as_str()).collect::<Vec<_>>(),
            ["2026-11-09", "2026-11-16"]
        );
        assert!(second.sites.iter().any(|site| site.host == "b.example" && site.newfound));
    }

    #[test]
    fn the_worst_comes_first() {
        let all = vec![
            dated("http://a.example/1", "Copied", Severity::Low),
            dated("http://a.example/2", "Copied", Severity::Low),
            dated("http://b.example/1", "Unapproved", Severity::Critical),
        ];
        let report = build(material("2026-11-09", all), None);
        assert_eq!(report.conclusions[0].name, "Unapproved");
        assert_eq!((report.sites[0].host.as_str(), report.sites[0].records), ("a.example", 10));
    }

    #[test]
    fn weeks_begin_on_monday() {
        assert_eq!(
            (monday("2026-11-22"), monday("2026-11-16"), monday("soon")),
            ("2026-11-16".to_owned(), "2026-11-16".to_owned(), "soon".to_owned())
        );
    }
}
