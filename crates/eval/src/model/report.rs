//! The figures together: [`ModelReport`] → Markdown, JSON, the mean Q curve.

use super::mixture::MixtureFigures;
use super::plot::{self, Curve};
use super::site::SiteFigures;
use crate::significance::mean;
use pagekin::model::Method;
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ModelReport {
    pub sites: Vec<SiteFigures>,
    pub mixtures: Vec<MixtureFigures>,
}

impl ModelReport {
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        if !self.sites.is_empty() {
            self.write_sites(&mut out);
        }
        if !self.mixtures.is_empty() {
            self.write_mixtures(&mut out);
        }
        out
    }

    /// By name, for the gate: means of our own method over the sites.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        let own: Vec<&SiteFigures> = self.sites.iter().filter(|one| one.method == Method::Survey).collect();
        let of = |figure: fn(&SiteFigures) -> f64| mean(&own.iter().map(|one| figure(one)).collect::<Vec<_>>());
        vec![
            ("f", of(|one| one.classified.f)),
            ("f_strict", of(|one| one.classified.strict)),
            ("purity", of(|one| one.classified.purity)),
            ("by_links_f", of(|one| one.by_links.f)),
        ]
    }

    fn write_sites(&self, out: &mut String) {
        out.push_str(
            "| site | method | pages | fetched | classes | F* | entropy | purity | F* strict | by links: F* | assigned |\n\
             |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for one in &self.sites {
            let (all, links) = (&one.classified, &one.by_links);
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} |",
                one.site,
                one.method,
                one.pages,
                one.fetched,
                one.classes,
                all.f,
                all.entropy,
                all.purity,
                all.strict,
                links.f,
                links.assigned as f64 / links.pages.max(1) as f64
            );
        }
        for method in self.methods() {
            let of: Vec<&SiteFigures> = self.sites.iter().filter(|one| one.method == method).collect();
            let mean = |figure: fn(&SiteFigures) -> f64| mean(&of.iter().map(|one| figure(one)).collect::<Vec<_>>());
            let _ = writeln!(
                out,
                "| **mean** | {method} | {:.0} | {:.0} | {:.0} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} |",
                mean(|one| one.pages as f64),
                mean(|one| one.fetched as f64),
                mean(|one| one.classes as f64),
                mean(|one| one.classified.f),
                mean(|one| one.classified.entropy),
                mean(|one| one.classified.purity),
                mean(|one| one.classified.strict),
                mean(|one| one.by_links.f),
                mean(|one| one.by_links.assigned as f64 / one.by_links.pages.max(1) as f64),
            );
        }
    }

    fn write_mixtures(&self, out: &mut String) {
        out.push_str("| mixture | sites | pages | classes | F* | entropy | purity |\n|---|--:|--:|--:|--:|--:|--:|\n");
        for one in &self.mixtures {
            let figures = &one.figures;
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {:.3} | {:.3} | {:.3} |",
                one.name, one.sites, figures.pages, one.classes, figures.f, figures.entropy, figures.purity
            );
        }
    }

    fn methods(&self) -> Vec<Method> {
        Method::ALL.into_iter().filter(|method| self.sites.iter().any(|one| one.method == *method)).collect()
    }

    /// The mean over the sites: a finished model stays as good as it is.
    pub fn curves(&self) -> Vec<Curve> {
        let of = |method: Method| {
            let curves: Vec<&Curve> =
                self.sites.iter().filter(|one| one.method == method).map(|one| &one.curve).collect();
            let mut pages: Vec<usize> =
                curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0)).collect();
            pages.sort_unstable();
            pages.dedup();
            let at = |curve: &Curve, fetched: usize| {
                curve.points.iter().rev().find(|point| point.0 <= fetched).map_or(0.0, |point| point.1)
            };
            let point =
                |fetched: usize| (fetched, mean(&curves.iter().map(|curve| at(curve, fetched)).collect::<Vec<_>>()));
            Curve { name: method.name().to_owned(), points: pages.into_iter().map(point).collect() }
        };
        self.methods().into_iter().map(of).collect()
    }

    pub fn to_svg(&self) -> String {
        plot::svg("Quality Q of the model against pages fetched, mean over the sites", &self.curves())
    }
}
