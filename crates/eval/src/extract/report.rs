//! The figures, put together: per attribute pooled over the sites of a vertical, per vertical the mean of its attributes, overall the mean of
//! the verticals. Counts → [`ExtractReport`] → Markdown.

use super::run::Measured;
use super::score::Counts;
use super::truth::Site;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Debug, Clone, Serialize)]
pub struct ExtractReport {
    pub macro_f1: f64,
    pub micro: Figures,
    pub verticals: BTreeMap<String, f64>,
    /// `book/author`
    pub attributes: BTreeMap<String, Figures>,
    /// `book-amazon/author`
    pub sites: BTreeMap<String, Figures>,
    /// Share of the site/attributes with F1 of at least 0.95.
    pub good: f64,
    /// Slots a site, on average.
    pub slots: f64,
    /// DE-SSE's data-rich nodes.
    pub nodes: Figures,
    /// By tenth of the confidence.
    pub reliability: Vec<Reliability>,
    /// Pages a second on one core, parsing included: learning, applying.
    pub learning: f64,
    pub applying: f64,
}

/// Values of one tenth of the confidence.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Reliability {
    pub values: usize,
    /// On average.
    pub confidence: f64,
    /// Share of the values.
    pub right: f64,
}

#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Figures {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
    pub hit: usize,
    pub found: usize,
    pub truth: usize,
}

impl From<Counts> for Figures {
    fn from(counts: Counts) -> Self {
        let Counts { hit, found, truth } = counts;
        Self { precision: counts.precision(), recall: counts.recall(), f1: counts.f1(), hit, found, truth }
    }
}

pub fn report(sites: &[Site], measured: Vec<Measured>) -> ExtractReport {
    let mut attributes: BTreeMap<String, Counts> = BTreeMap::new();
    let (mut of_sites, mut all, mut nodes) = (BTreeMap::new(), Counts::default(), Counts::default());
    for (site, one) in sites.iter().zip(&measured) {
        for (name, counts) in &one.attributes {
            *attributes.entry(format!("{}/{name}", site.vertical())).or_default() += *counts;
            of_sites.insert(format!("{}/{name}", site.id), *counts);
            all += *counts;
        }
        nodes += one.nodes;
    }
    let verticals = verticals(&attributes);
    let true_ones: Vec<f64> = of_sites.values().filter(|counts| counts.truth > 0).map(Counts::f1).collect();
    let good = true_ones.iter().filter(|f1| **f1 >= 0.95).count() as f64 / true_ones.len().max(1) as f64;
    let sum = |of: &dyn Fn(&Measured) -> f64| measured.iter().map(of).sum::<f64>();
    let pages = sum(&|one| one.pages as f64);
    ExtractReport {
        macro_f1: verticals.values().sum::<f64>() / verticals.len().max(1) as f64,
        micro: all.into(),
        verticals,
        attributes: attributes.into_iter().map(|(name, counts)| (name, counts.into())).collect(),
        sites: of_sites.into_iter().map(|(name, counts)| (name, counts.into())).collect(),
        good,
        slots: sum(&|one| one.slots as f64) / measured.len().max(1) as f64,
        nodes: nodes.into(),
        reliability: reliability(&measured.iter().flat_map(|one| one.sure.iter().copied()).collect::<Vec<_>>()),
        learning: sum(&|one| one.learned as f64) / sum(&|one| one.learning).max(1e-9),
        applying: pages / sum(&|one| one.applying).max(1e-9),
    }
}

fn reliability(values: &[(f64, bool)]) -> Vec<Reliability> {
    let of_tenth = |tenth: usize| {
        let own: Vec<&(f64, bool)> =
            values.iter().filter(|(confidence, _)| ((confidence * 10.0) as usize).min(9) == tenth).collect();
        let n = own.len().max(1) as f64;
        let right = own.iter().filter(|(_, right)| *right).count() as f64 / n;
        Reliability { values: own.len(), confidence: own.iter().map(|(sure, _)| sure).sum::<f64>() / n, right }
    };
    (0..10).map(of_tenth).collect()
}

fn verticals(attributes: &BTreeMap<String, Counts>) -> BTreeMap<String, f64> {
    let mut of: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (name, counts) in attributes {
        let vertical = name.split('/').next().unwrap_or(name);
        of.entry(vertical.to_owned()).or_default().push(counts.f1());
    }
    of.into_iter().map(|(name, all)| (name, all.iter().sum::<f64>() / all.len() as f64)).collect()
}

impl ExtractReport {
    /// By name, for the gate.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("macro_f1", self.macro_f1), ("good", self.good)]
    }

    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        let mut line = |words: String| {
            let _ = writeln!(text, "{words}"); // A String takes everything.
        };
        line("| vertical | F1 |\n|---|---|".to_owned());
        self.verticals.iter().for_each(|(name, f1)| line(format!("| {name} | {f1:.3} |")));
        line(format!("| **macro** | **{:.3}** |\n| micro | {:.3} |\n", self.macro_f1, self.micro.f1));
        line("| attribute | P | R | F1 | hits | found | truth |\n|---|---|---|---|---|---|---|".to_owned());
        self.attributes.iter().for_each(|(name, figures)| line(row(name, figures)));
        line(
            "\n| site/attribute below 0.95 | P | R | F1 | hits | found | truth |\n|---|---|---|---|---|---|---|"
                .to_owned(),
        );
        let weak = self.sites.iter().filter(|(_, figures)| figures.truth > 0 && figures.f1 < 0.95);
        weak.for_each(|(name, figures)| line(row(name, figures)));
        line(format!(
            "\nsite/attributes with F1 of at least 0.95: {:.1} %; slots a site: {:.1}",
            self.good * 100.0,
            self.slots
        ));
        if self.nodes.truth > 0 {
            let Figures { precision, recall, f1, .. } = self.nodes;
            line(format!("data-rich nodes: P {precision:.3}, R {recall:.3}, F1 {f1:.3}"));
        }
        text
    }
}

impl ExtractReport {
    /// Does a confidence of 0.9 mean nine in ten? With the mean distance between the two.
    pub fn reliability_markdown(&self) -> String {
        let mut text = "\n| confidence | values | mean confidence | right |\n|---|--:|--:|--:|\n".to_owned();
        for (tenth, one) in self.reliability.iter().enumerate().filter(|(_, one)| one.values > 0) {
            let (from, to) = (tenth as f64 / 10.0, (tenth + 1) as f64 / 10.0);
            let Reliability { values, confidence, right } = one;
            let _ = writeln!(text, "| {from:.1} to {to:.1} | {values} | {confidence:.2} | {right:.2} |");
        }
        let all: usize = self.reliability.iter().map(|one| one.values).sum();
        let apart = |one: &Reliability| (one.confidence - one.right).abs() * one.values as f64;
        let error = self.reliability.iter().map(apart).sum::<f64>() / all.max(1) as f64;
        let _ = writeln!(text, "\ncalibration error: {error:.3}");
        text
    }
}

fn row(name: &str, figures: &Figures) -> String {
    let Figures { precision, recall, f1, hit, found, truth } = figures;
    format!("| {name} | {precision:.3} | {recall:.3} | {f1:.3} | {hit} | {found} | {truth} |")
}
