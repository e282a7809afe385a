//! How is a report read by people? Report → Markdown tables.
//!
//! Columns of seconds and memory are there only when the report has them. Knows no figures of its own.

use crate::report::{Comparison, Failures, Report, Row, Summary};
use crate::run::Failure;
use crate::significance::PairedTest;
use std::fmt::Write;

pub fn write(report: &Report) -> String {
    let mut text = String::from("# Discovery, measured\n\n");
    let _ = writeln!(text, "Corpus `{}`.\n", report.corpus);
    text.push_str("## Methods\n\nMeans over kinds of pages, each kind weighing the same.\n\n");
    let timed = report.rows.iter().any(|row| row.seconds.is_some());
    table(&mut text, &summary_head(timed), report.methods.iter().map(|summary| summary_cells(summary, timed)));
    if !report.comparisons.is_empty() {
        text.push_str("\n## Comparisons\n\nPaired t-test over kinds of pages, two-sided.\n\n");
        table(&mut text, &COMPARISON, report.comparisons.iter().map(comparison_cells));
    }
    text.push_str("\n## Sites\n\nMeans over samples. Oracle: the fewest pages whose links cover the truth.\n\n");
    table(&mut text, &row_head(timed), report.rows.iter().map(|row| row_cells(row, timed)));
    errors(&mut text, &report.rows);
    if !report.failures.is_empty() {
        text.push_str("\n## Failures\n");
        report.failures.iter().for_each(|failures| write_failures(&mut text, failures));
    }
    text
}

fn table(text: &mut String, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let _ = writeln!(text, "| {} |", head.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
}

/// Names and addresses come from files: none may open a cell, a line or an element of its own.
fn escaped(cell: &str) -> String {
    let one_line = cell.replace(['\n', '\r'], " ");
    one_line.replace('|', "\\|").replace('<', "&lt;")
}

fn with_times<'a>(head: &[&'a str], timed: bool) -> Vec<&'a str> {
    let times: &[&str] = if timed { &["seconds", "peak MB"] } else { &[] };
    head.iter().chain(times).copied().collect()
}

fn times(seconds: Option<f64>, peak: Option<u64>, timed: bool) -> Vec<String> {
    if !timed {
        return Vec::new();
    }
    let megabytes = peak.map(|bytes| format!("{}", bytes / 1_000_000));
    vec![figure(seconds, 2), megabytes.unwrap_or_else(|| "-".to_owned())]
}

fn summary_head(timed: bool) -> Vec<&'static str> {
    let head = [
        "method",
        "precision",
        "recall",
        "F1",
        "spread between samples",
        "kinds below 0.5",
        "worst kind",
        "calibration error",
        "downloads a page (median)",
        "near oracle",
        "errors",
    ];
    with_times(&head, timed)
}

fn summary_cells(summary: &Summary, timed: bool) -> Vec<String> {
    let mut cells = vec![
        summary.method.to_string(),
        format!("{:.3}", summary.precision),
        format!("{:.3}", summary.recall),
        format!("{:.3}", summary.f1),
        format!("{:.3}", summary.f1_spread),
        format!("{:.1} %", summary.below_half * 100.0),
        summary.worst.as_ref().map_or_else(String::new, |(site, kind, f1)| format!("{site} {kind} {f1:.3}")),
        format!("{:.3}", summary.calibration_error),
        figure(summary.median_downloads_per_page, 2),
        format!("{:.0} %", summary.near_oracle * 100.0),
        summary.errors.to_string(),
    ];
    cells.extend(times(summary.seconds, summary.peak_memory, timed));
    cells
}

const COMPARISON: [&str; 7] =
    ["first", "second", "F1 difference", "t", "p", "ln downloads a page, difference", "p of that"];

fn comparison_cells(comparison: &Comparison) -> Vec<String> {
    let (f1, costs) = (&comparison.f1, &comparison.ln_downloads_per_page);
    vec![
        comparison.first.to_string(),
        comparison.second.to_string(),
        format!("{:+.3}", f1.difference),
        figure(f1.t, 2),
        chance(f1),
        format!("{:+.3}", costs.difference),
        chance(costs),
    ]
}

fn chance(test: &PairedTest) -> String {
    match test.p {
        Some(p) if p < 0.0001 => "< 0.0001".to_owned(),
        p => figure(p, 4),
    }
}

fn row_head(timed: bool) -> Vec<&'static str> {
    let head = [
        "site",
        "kind",
        "method",
        "truth",
        "precision",
        "recall",
        "F1",
        "± F1",
        "downloads",
        "a page",
        "oracle",
        "oracle a page",
        "near oracle",
    ];
    with_times(&head, timed)
}

fn row_cells(row: &Row, timed: bool) -> Vec<String> {
    let mut cells = vec![
        row.site.clone(),
        row.kind.clone(),
        row.method.to_string(),
        row.truth.to_string(),
        format!("{:.3}", row.precision),
        format!("{:.3}", row.recall),
        format!("{:.3}", row.f1),
        format!("{:.3}", row.f1_deviation),
        format!("{:.1}", row.downloads),
        figure(row.downloads_per_page, 2),
        row.oracle.pages.to_string(),
        format!("{:.3}", row.oracle.per_entity),
        if row.near_oracle { "yes" } else { "no" }.to_owned(),
    ];
    cells.extend(times(row.seconds, row.peak_memory, timed));
    cells
}

fn figure(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

fn errors(text: &mut String, rows: &[Row]) {
    let failed = rows.iter().filter(|row| !row.errors.is_empty());
    for (at, row) in failed.enumerate() {
        if at == 0 {
            text.push_str("\n## Runs that could not be done\n\n");
        }
        for error in &row.errors {
            let _ = writeln!(text, "- {}, {}, {}: {}", row.site, row.kind, row.method, escaped(error));
        }
    }
}

fn write_failures(text: &mut String, failures: &Failures) {
    let Failures { site, kind, method, sample, .. } = failures;
    let _ = writeln!(text, "\n### {}, {}, {method}, from `{sample}`", escaped(site), escaped(kind));
    for (what, count, list) in
        [("missed", failures.missed_count, &failures.missed), ("wrong", failures.wrong_count, &failures.wrong)]
    {
        if count > 0 {
            let shown = if list.len() < count { format!(", the first {}", list.len()) } else { String::new() };
            let _ = writeln!(text, "\n{count} {what}{shown}:\n");
            list.iter().for_each(|failure| write_failure(text, failure));
        }
    }
}

fn write_failure(text: &mut String, failure: &Failure) {
    let _ = writeln!(text, "- `{}`: {}", failure.url.replace('`', "%60"), escaped(&failure.reason));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_in_their_cells() {
        let mut text = String::new();
        table(&mut text, &["a", "b"], [vec!["x|y".to_owned(), "1\n2 <b>".to_owned()]].into_iter());
        assert_eq!(text, "| a | b |\n|---|---|\n| x\\|y | 1 2 &lt;b> |\n");
    }
}
