//! How does a report open in a spreadsheet? One line a finding, RFC 4180.

use super::{Report, Reported, Site};
use crate::Error;
use crate::export::harmless;
use std::collections::BTreeMap;

const HEADER: [&str; 13] = [
    "host",
    "ip",
    "country",
    "url",
    "conclusion",
    "severity",
    "lower",
    "upper",
    "rule",
    "new",
    "first_seen",
    "last_seen",
    "because",
];

/// One row a finding.
pub fn to_csv(report: &Report) -> Result<Vec<u8>, Error> {
    let sites: BTreeMap<&str, &Site> = report.sites.iter().map(|site| (site.host.as_str(), site)).collect();
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let told = |error: csv::Error| Error::Write(error.into());
    writer.write_record(HEADER).map_err(told)?;
    for own in &report.findings {
        writer.write_record(cells(own, sites.get(own.host.as_str()).copied())).map_err(told)?;
    }
    writer.into_inner().map_err(|error| Error::Write(error.into_error()))
}

fn cells(own: &Reported, site: Option<&Site>) -> [String; 13] {
    let finding = &own.finding;
    let bound = |bound: Option<f64>| bound.map(|bound| bound.to_string()).unwrap_or_default();
    [
        own.host.clone(),
        site.and_then(|site| site.ip.clone()).unwrap_or_default(),
        site.and_then(|site| site.country.clone()).unwrap_or_default(),
        harmless(finding.url.as_str()),
        harmless(&finding.conclusion),
        finding.severity.name().to_owned(),
        bound(finding.lower),
        bound(finding.upper),
        harmless(&finding.rule),
        own.new.to_string(),
        own.first_seen.clone(),
        own.last_seen.clone(),
        harmless(&finding.because),
    ]
}
