//! How well are templates mined, and hidden pages found? Address lists with truth, applications with truth → figures.
//!
//! - [`pattern`]: the patterns of the truth. - [`truth`]: of one site. - [`judge`]: is this template right? - [`score`]: of a
//!   site. - [`application`]: of pages found.
//!
//! The figures of templates are those of the script that comes with the truth, to the last digit.

pub mod application;
pub mod judge;
pub mod pattern;
pub mod score;
pub mod truth;

use crate::Error;
use pagekin::Listing;
use pagekin::hidden::templates;
use rayon::prelude::*;
use score::{SiteScore, Summary};
use serde::Serialize;
use std::path::{Path, PathBuf};
use truth::Site;

#[derive(Debug, Serialize)]
pub struct TemplateReport {
    pub summary: Summary,
    pub sites: Vec<SiteScore>,
}

/// Mines every site of the folder that is named (all, when none is) and compares with its truth.
pub fn measure_templates(
    dir: &Path,
    names: &[String],
    fewest: usize,
    min_urls: usize,
) -> Result<TemplateReport, Error> {
    let files = truth_files(dir, names)?;
    let measured = files.par_iter().map(|path| {
        let site = Site::read(path)?;
        let listing = Listing::of(site.urls.iter().map(String::as_str));
        let mined = templates(&listing, fewest).templates;
        Ok(score::score(&site, &mined, min_urls))
    });
    let sites = measured.collect::<Result<Vec<SiteScore>, Error>>()?;
    Ok(TemplateReport { summary: Summary::of(&sites), sites })
}

fn truth_files(dir: &Path, names: &[String]) -> Result<Vec<PathBuf>, Error> {
    let cannot = |source| Error::Read { path: dir.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".truth.json"));
        if name.is_some_and(|name| names.is_empty() || names.iter().any(|wanted| wanted == name)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

impl TemplateReport {
    /// By name, for the gate.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        let all = &self.summary;
        let clean = all.negative - all.negative_sites_with_false_templates;
        vec![
            ("precision_strict", all.precision_strict_micro.unwrap_or(0.0)),
            ("recall", all.recall_micro.unwrap_or(0.0)),
            ("sites_without_ids", clean as f64 / all.negative.max(1) as f64),
        ]
    }

    pub fn to_markdown(&self, failures: bool) -> String {
        let mut text = String::from(
            "| site | predicted | judged | relevant | traps | precision | strict | truth | hit | recall |\n\
             |---|---|---|---|---|---|---|---|---|---|\n",
        );
        for site in &self.sites {
            text += &format!(
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                site.site,
                site.predicted,
                site.judged,
                site.relevant,
                site.traps,
                share(site.precision),
                share(site.precision_strict),
                site.truth,
                site.truth_hit,
                share(site.recall)
            );
        }
        let all = &self.summary;
        text += &format!(
            "\nmacro: precision {:.4}, strict {:.4}, recall {:.4}; sites without ids but with templates: {} of {}\n",
            all.precision_macro,
            all.precision_strict_macro,
            all.recall_macro,
            all.negative_sites_with_false_templates,
            all.negative
        );
        if failures {
            self.sites.iter().flat_map(|site| &site.failures).for_each(|line| text += &format!("\n- {line}"));
            text.push('\n');
        }
        text
    }
}

pub fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"))
}
