//! Why was each page taken or left out? Discovery → steps and reasons a person can read.

use pagekin::discover::Discovery;
use std::fmt::Write;

pub fn explain(found: &Discovery) -> String {
    let mut text = String::new();
    for (at, step) in found.steps.iter().enumerate() {
        let _ = writeln!(text, "{}. {}", at + 1, step.title);
        list(&mut text, step.lines.iter().cloned());
    }
    section(&mut text, "Taken", found.entities.iter().map(|entity| format!("{}: {}", entity.url, entity.evidence)));
    section(&mut text, "Left out", found.dropped.iter().map(|dropped| format!("{}: {}", dropped.url, dropped.why)));
    let skipped = found.skipped.iter().map(|skipped| {
        let detail = if skipped.detail.is_empty() { String::new() } else { format!(" ({})", skipped.detail) };
        format!("{}: {}{detail}", skipped.url, skipped.reason)
    });
    section(&mut text, "Not looked at", skipped);
    if let Some(stop) = found.stopped {
        let _ = writeln!(text, "\nThe run ended early: {stop}.");
    }
    text
}

fn section(text: &mut String, title: &str, lines: impl ExactSizeIterator<Item = String>) {
    if lines.len() > 0 {
        let _ = writeln!(text, "\n{title} ({}):", lines.len());
        list(text, lines);
    }
}

fn list(text: &mut String, lines: impl Iterator<Item = String>) {
    for line in lines {
        let _ = writeln!(text, "   {line}");
    }
}
