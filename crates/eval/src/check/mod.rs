//! How well are false offers found? Made-up rows and offers with truth → precision, recall, time and memory.
//!
//! ```text
//! seed ─► make (rows, offers, truth) ─► checked ─► counts ─► report, as Markdown or JSON
//! ```
//!
//! - [`measure`]: all of it. - [`CheckOptions`]: how much is made up. - [`CheckReport`]: the figures. - [`keep`]: the same as files.
//!
//! Two things are measured: conclusions (is the offer false, and in which way), and links (is an offer that is of a row linked to
//! that row), the task of record linkage tools.

mod draw;
mod make;
mod report;

pub use report::{CheckReport, Figures};

use crate::Error;
use make::{Made, Offer, make};
use pagekin::check::{Finding, Judge, Rules, rules};
use pagekin::extract::Record;
use pagekin::{peak_memory, reset_peak_memory};
use std::fs;
use std::path::Path;
use std::time::Instant;

pub const RULES: &str = include_str!("rules.toml");

/// The conclusion that says which row an offer is of.
const LINK: &str = "Listed";

#[derive(Debug, Clone)]
pub struct CheckOptions {
    pub rows: usize,
    pub offers: usize,
    pub seed: u64,
    /// List at most so many offers that were judged wrongly.
    pub failures: Option<usize>,
}

pub fn measure(options: &CheckOptions) -> Result<CheckReport, Error> {
    let made = make(options.rows, options.offers, options.seed);
    let records: Vec<Record> = made.offers.iter().map(|offer| offer.record.clone()).collect();
    let reference = made.reference();
    // What was made up is not the cost of checking it.
    let offers = made.offers;
    drop(made.products);
    reset_peak_memory();
    let start = Instant::now();
    let judge = Judge::new(&shipped()?, reference).map_err(|troubles| told(&troubles))?;
    let prepared = start.elapsed().as_secs_f64();
    let findings = judge.judge_all(&records);
    let seconds = start.elapsed().as_secs_f64();
    let mut report = counted(options, &offers, &findings);
    (report.preparing, report.seconds, report.peak_memory) = (prepared, seconds, peak_memory());
    Ok(report)
}

fn shipped() -> Result<Rules, Error> {
    rules::parse(RULES).map_err(|troubles| told(&troubles))
}

fn told(troubles: &[rules::Trouble]) -> Error {
    Error::Rules(pagekin::check::listed(troubles))
}

fn counted(options: &CheckOptions, offers: &[Offer], findings: &[Finding]) -> CheckReport {
    let mut report = CheckReport::new(options);
    let mut next = findings.iter().peekable();
    for offer in offers {
        let mut concluded: Vec<&Finding> = Vec::new();
        while let Some(finding) = next.next_if(|finding| finding.url == offer.record.url) {
            concluded.push(finding);
        }
        let link = concluded.iter().find(|finding| finding.conclusion == LINK);
        report.link(offer.row, link.and_then(|finding| finding.nearest.first()).map(|near| near.row));
        concluded.retain(|finding| finding.conclusion != LINK);
        report.conclude(offer, &concluded);
    }
    report
}

/// Rows, records, truth and rules, for `pagekin check` and other tools.
pub fn keep(folder: &Path, options: &CheckOptions) -> Result<(), Error> {
    let Made { products, offers } = make(options.rows, options.offers, options.seed);
    let mut rows = make::COLUMNS.join(",") + "\n";
    for product in &products {
        let make::Product { code, name, generic, maker, package } = product;
        rows += &format!("{code},{name},{generic},{maker},{package}\n");
    }
    let (mut records, mut truth) = (String::new(), "url,conclusion,row,how\n".to_owned());
    for offer in &offers {
        records += &(serde_json::to_string(&offer.record).unwrap_or_default() + "\n");
        let row = offer.row.map(|row| row.to_string()).unwrap_or_default();
        truth += &format!("{},{},{row},\"{}\"\n", offer.record.url, offer.truth.unwrap_or(""), offer.how);
    }
    fs::create_dir_all(folder).map_err(|error| Error::read(folder, error))?;
    for (name, text) in
        [("reference.csv", rows.as_str()), ("offers.jsonl", &records), ("truth.csv", &truth), ("rules.toml", RULES)]
    {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| Error::read(&path, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn false_offers_are_found_and_genuine_ones_are_not() {
        for seed in [1, 2] {
            let report = measure(&CheckOptions { rows: 5_000, offers: 1_000, seed, failures: Some(10) }).unwrap();
            assert!(report.least() >= 0.98, "{}", report.to_markdown());
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_offers() {
        let of = |seed| make(200, 50, seed).offers.into_iter().map(|offer| offer.record).collect::<Vec<_>>();
        assert_eq!(of(3), of(3));
        assert_ne!(of(3), of(4));
    }
}
