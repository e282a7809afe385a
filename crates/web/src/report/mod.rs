//! How does a report look? [`Report`] → one HTML page that needs nothing else: no script, no font, no request.
//!
//! - [`html`]: the page, a pure function. - [`chart`]: the trend as SVG.
//!
//! Everything that comes from the web is escaped, addresses become links only when they are http or https, and a content
//! security policy forbids whatever might slip through.

mod chart;

use crate::Error;
use askama::Template;
use pagekin::Url;
use pagekin::check::{Finding, Severity};
use pagekin::report::{Report, Reported, Site};
use std::borrow::Borrow;
use std::collections::BTreeMap;

/// Findings shown of one site; the rest is in the JSON and CSV forms.
const MOST_OF_A_SITE: usize = 2_000;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'r> {
    report: &'r Report,
    sites: Vec<Shown<'r>>,
    new: usize,
    newfound: usize,
    found_chart: String,
    growth_chart: String,
    countries: bool,
    addresses: bool,
}

/// A site with its findings.
struct Shown<'r> {
    site: &'r Site,
    findings: Vec<&'r Reported>,
    left_out: usize,
}

pub fn html(report: &Report) -> Result<String, Error> {
    let mut by_host: BTreeMap<&str, Vec<&Reported>> = BTreeMap::new();
    for own in &report.findings {
        by_host.entry(&own.host).or_default().push(own);
    }
    let shown = |site: &'_ Site| -> (Vec<&Reported>, usize) {
        let all = by_host.get(site.host.as_str()).cloned().unwrap_or_default();
        let left_out = all.len().saturating_sub(MOST_OF_A_SITE);
        (all.into_iter().take(MOST_OF_A_SITE).collect(), left_out)
    };
    let page = Page {
        report,
        sites: report
            .sites
            .iter()
            .map(|site| {
                let (findings, left_out) = shown(site);
                Shown { site, findings, left_out }
            })
            .collect(),
        new: report.findings.iter().filter(|own| own.new).count(),
        newfound: report.sites.iter().filter(|site| site.newfound).count(),
        found_chart: chart::found(&report.weeks),
        growth_chart: chart::growth(&report.weeks),
        countries: report.sites.iter().any(|site| site.country.is_some()),
        addresses: report.sites.iter().any(|site| site.ip.is_some()),
    };
    page.render().map_err(|cause| Error::Report(cause.to_string()))
}

impl Page<'_> {
    fn mark(&self, severity: &Severity) -> &'static str {
        severity.name()
    }

    fn bounds(&self, finding: &Finding) -> String {
        match (finding.lower, finding.upper) {
            (Some(lower), Some(upper)) if upper - lower < 0.005 => format!("{:.0} %", lower * 100.0),
            (Some(lower), Some(upper)) => format!("{:.0} to {:.0} %", lower * 100.0, upper * 100.0),
            _ => "contradiction".to_owned(),
        }
    }

    fn percent(&self, degree: &f64) -> String {
        format!("{:.0} %", degree * 100.0)
    }

    /// `12,345`.
    fn count(&self, number: impl Borrow<usize>) -> String {
        let digits = number.borrow().to_string();
        let groups: Vec<&str> =
            digits.as_bytes().rchunks(3).rev().filter_map(|some| str::from_utf8(some).ok()).collect();
        groups.join(",")
    }

    /// Within its site.
    fn place(&self, url: &Url) -> String {
        url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
    }

    /// Other schemes could run something when they are clicked.
    fn is_link(&self, address: &str) -> bool {
        address.starts_with("http://") || address.starts_with("https://")
    }
}
