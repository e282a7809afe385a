//! How often does the interval hold the truth, and how wide is it? Cases → figures, whole searches and those cut short apart.

use super::Case;
use crate::significance::{mean, median};
use pagekin::complete::{Completeness, estimate, fitted::Fitted};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::fmt::Write;

/// Searches of one sort.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    pub searches: &'static str,
    pub cases: usize,
    /// Share of cases whose interval holds the truth.
    pub coverage: f64,
    /// The same, each kind of page with the same weight.
    pub coverage_by_kind: f64,
    /// Width of the interval as a share of the truth.
    pub median_width: f64,
    /// How far the estimate is from the truth, as a share of it.
    pub median_error: f64,
    /// How far the number of pages found is from it.
    pub median_short: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CompletenessReport {
    /// With intervals fitted without the site.
    pub left_out: Vec<Figures>,
    /// With those of this program.
    pub shipped: Vec<Figures>,
    /// Cases whose interval, fitted without the site, does not hold the truth.
    pub missed: Vec<Missed>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Missed {
    pub site: String,
    pub kind: String,
    pub sample: String,
    pub budget: Option<usize>,
    pub truth: usize,
    pub believed: Completeness,
}

/// A case with what was believed.
struct Judged<'c> {
    case: &'c Case,
    believed: Completeness,
    /// Did its signs agree that everything was found?
    safe: bool,
}

impl<'c> Judged<'c> {
    fn of(case: &'c Case, fitted: &Fitted) -> Self {
        let safe = fitted.bounds(&case.evidence).safe;
        Self { case, believed: estimate(&case.evidence, fitted), safe }
    }

    fn holds(&self) -> bool {
        (self.believed.lower..=self.believed.upper).contains(&(self.case.truth as u64))
    }

    fn share(&self, part: f64) -> f64 {
        part / self.case.truth.max(1) as f64
    }
}

pub(super) fn report(cases: &[Case], left_out: &FxHashMap<String, Fitted>, shipped: &Fitted) -> CompletenessReport {
    let without: Vec<Judged> =
        cases.iter().filter_map(|case| Some(Judged::of(case, left_out.get(&case.site)?))).collect();
    let with: Vec<Judged> = cases.iter().map(|case| Judged::of(case, shipped)).collect();
    let missed = without.iter().filter(|one| !one.holds()).map(missed).collect();
    CompletenessReport { left_out: by_sort(&without), shipped: by_sort(&with), missed }
}

fn missed(one: &Judged) -> Missed {
    let Case { site, kind, sample, budget, truth, .. } = one.case.clone();
    Missed { site, kind, sample, budget, truth, believed: one.believed.clone() }
}

fn by_sort(judged: &[Judged]) -> Vec<Figures> {
    let sort = |searches, of: &dyn Fn(&Judged) -> bool| {
        let some: Vec<&Judged> = judged.iter().filter(|one| of(one)).collect();
        (!some.is_empty()).then(|| figures(searches, &some))
    };
    let sorts = [
        sort("to their end", &|one| one.case.budget.is_none()),
        sort("cut short", &|one| one.case.budget.is_some()),
        sort("all", &|_| true),
        sort("safe", &|one| one.safe),
        sort("not safe", &|one| !one.safe),
    ];
    sorts.into_iter().flatten().collect()
}

fn figures(searches: &'static str, judged: &[&Judged]) -> Figures {
    let middle =
        |of: &dyn Fn(&Judged) -> f64| median(&judged.iter().map(|one| of(one)).collect::<Vec<_>>()).unwrap_or_default();
    let mut kinds: FxHashMap<(&str, &str), Vec<f64>> = FxHashMap::default();
    for one in judged {
        kinds
            .entry((one.case.site.as_str(), one.case.kind.as_str()))
            .or_default()
            .push(f64::from(u8::from(one.holds())));
    }
    // In the order of their names: sums of numbers depend on their order.
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(name, _)| *name);
    Figures {
        searches,
        cases: judged.len(),
        coverage: judged.iter().filter(|one| one.holds()).count() as f64 / judged.len() as f64,
        coverage_by_kind: mean(&kinds.iter().map(|(_, held)| mean(held)).collect::<Vec<_>>()),
        median_width: middle(&|one| one.share((one.believed.upper - one.believed.lower) as f64)),
        median_error: middle(&|one| one.share((one.believed.estimate - one.case.truth as f64).abs())),
        median_short: middle(&|one| one.share((one.case.evidence.found as f64 - one.case.truth as f64).abs())),
    }
}

impl CompletenessReport {
    /// By name, for the gate: of all cases, with intervals fitted without the site. What is to be small counts from one down.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        let of = |searches: &str| self.left_out.iter().find(|figures| figures.searches == searches);
        let coverage = |searches: &str| of(searches).map_or(0.0, |figures| figures.coverage);
        let narrow = of("to their end").map_or(0.0, |figures| 1.0 - figures.median_width);
        vec![("coverage", coverage("all")), ("coverage_cut", coverage("cut short")), ("narrow", narrow)]
    }

    pub fn to_markdown(&self) -> String {
        let mut text = String::from(
            "| intervals | searches | cases | coverage | by kind | median width | median error | found is off by |\n\
             |---|---|--:|--:|--:|--:|--:|--:|\n",
        );
        for (name, all) in [("fitted without the site", &self.left_out), ("as shipped", &self.shipped)] {
            for one in all {
                let Figures { searches, cases, coverage, coverage_by_kind, median_width, median_error, median_short } =
                    one;
                // A String takes everything.
                let _ = writeln!(
                    text,
                    "| {name} | {searches} | {cases} | {coverage:.3} | {coverage_by_kind:.3} | {median_width:.3} | {median_error:.3} | {median_short:.3} |"
                );
            }
        }
        text
    }

    /// The intervals that do not hold the truth, a line each.
    pub fn failures(&self, most: usize) -> String {
        let line = |one: &Missed| {
            let cut = one.budget.map_or_else(String::new, |budget| format!(", cut at {budget}"));
            format!("- {} {}{cut}: {} there, {}; {}\n", one.site, one.kind, one.truth, one.believed.told(), one.sample)
        };
        self.missed.iter().take(most).map(line).collect()
    }
}
