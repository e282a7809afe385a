//! How is it told how well checking does? Counts → figures → Markdown.
//!
//! - [`CheckReport`]: the figures by conclusion, of all conclusions, and of links. - [`Figures`]: right, wrong, missed.

use super::CheckOptions;
use super::make::Offer;
use pagekin::check::Finding;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Figures {
    pub right: usize,
    pub wrong: usize,
    pub missed: usize,
}

impl Figures {
    pub fn precision(&self) -> f64 {
        ratio(self.right, self.right + self.wrong)
    }

    pub fn recall(&self) -> f64 {
        ratio(self.right, self.right + self.missed)
    }

    pub fn f1(&self) -> f64 {
        ratio(2 * self.right, 2 * self.right + self.wrong + self.missed)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[derive(Debug, Clone, Serialize)]
pub struct CheckReport {
    pub rows: usize,
    pub offers: usize,
    pub seed: u64,
    pub conclusions: BTreeMap<String, Figures>,
    pub all: Figures,
    pub links: Figures,
    /// Seconds to make rules and reference ready, and with all offers checked.
    pub preparing: f64,
    pub seconds: f64,
    pub peak_memory: Option<u64>,
    pub failures: Vec<String>,
    #[serde(skip)]
    most_failures: usize,
}

impl CheckReport {
    pub(super) fn new(options: &CheckOptions) -> Self {
        Self {
            rows: options.rows,
            offers: options.offers,
            seed: options.seed,
            conclusions: BTreeMap::new(),
            all: Figures::default(),
            links: Figures::default(),
            preparing: 0.0,
            seconds: 0.0,
            peak_memory: None,
            failures: Vec::new(),
            most_failures: options.failures.unwrap_or(0),
        }
    }

    pub(super) fn link(&mut self, truth: Option<usize>, found: Option<usize>) {
        self.links.right += usize::from(truth.is_some() && truth == found);
        self.links.wrong += usize::from(found.is_some() && truth != found);
        self.links.missed += usize::from(truth.is_some() && truth != found);
    }

    pub(super) fn conclude(&mut self, offer: &Offer, found: &[&Finding]) {
        let right = found.iter().any(|finding| offer.truth == Some(finding.conclusion.as_str()));
        if let Some(truth) = offer.truth {
            let figures = self.conclusions.entry(truth.to_owned()).or_default();
            let count = |figures: &mut Figures| if right { figures.right += 1 } else { figures.missed += 1 };
            count(figures);
            count(&mut self.all);
            if !right {
                self.failure(&format!("missed ({}, {})", truth, offer.how), offer, "");
            }
        }
        for finding in found.iter().filter(|finding| offer.truth != Some(finding.conclusion.as_str())) {
            self.conclusions.entry(finding.conclusion.clone()).or_default().wrong += 1;
            self.all.wrong += 1;
            self.failure(&format!("wrong ({}, {})", finding.conclusion, offer.how), offer, &finding.because);
        }
    }

    fn failure(&mut self, what: &str, offer: &Offer, because: &str) {
        if self.failures.len() < self.most_failures {
            let values: Vec<String> = offer
                .record
                .attributes
                .iter()
                .map(|(name, values)| format!("{name} {:?}", values.join("; ")))
                .collect();
            self.failures.push(format!("{what}: {}. {because}", values.join(", ")).trim_end().to_owned());
        }
    }

    /// By name, for the gate.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![("precision", self.all.precision()), ("recall", self.all.recall()), ("links_f1", self.links.f1())]
    }

    /// The worst of precision and recall of all conclusions.
    pub fn least(&self) -> f64 {
        self.all.precision().min(self.all.recall())
    }

    pub fn to_markdown(&self) -> String {
        let mut text = format!("{} offers, {} rows of reference, seed {}\n\n", self.offers, self.rows, self.seed);
        text += "| conclusion | right | wrong | missed | precision | recall | F1 |\n|---|---|---|---|---|---|---|\n";
        let named = self.conclusions.iter().map(|(name, figures)| (name.as_str(), figures));
        for (name, figures) in named.chain([("all", &self.all), ("links to rows", &self.links)]) {
            let Figures { right, wrong, missed } = figures;
            let shares = (figures.precision(), figures.recall(), figures.f1());
            text += &format!(
                "| {name} | {right} | {wrong} | {missed} | {:.4} | {:.4} | {:.4} |\n",
                shares.0, shares.1, shares.2
            );
        }
        let memory = self.peak_memory.map(|bytes| format!(", {:.0} MB", bytes as f64 / 1e6)).unwrap_or_default();
        text += &format!("\n{:.2} s, {:.2} s of them to make ready{memory}\n", self.seconds, self.preparing);
        for failure in &self.failures {
            text += &format!("\n- {failure}");
        }
        if self.failures.is_empty() { text } else { text + "\n" }
    }
}
