//! How many hidden pages of a running application are found? Its `truth.json` → precision, recall, requests.
//!
//! Found pages are compared by id: which address an application settles on for an entity is its own business. The linked
//! pages are given; what is found beside them and is linked after all counts neither way.

use super::pattern::Pattern;
use crate::Error;
use pagekin::hidden::hidden_job;
use pagekin::templates::Settings;
use pagekin::{Listing, Source, SourceSettings, Url};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[derive(Debug, Deserialize)]
struct Truth {
    app: String,
    base: String,
    linked: Vec<String>,
    hidden: Vec<String>,
    entity_regex: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct ApplicationScore {
    pub application: String,
    pub linked: usize,
    pub hidden: usize,
    pub found: usize,
    pub right: usize,
    pub undecided: usize,
    pub precision: Option<f64>,
    pub recall: Option<f64>,
    pub requests: u64,
    /// Ids found that do not exist, and ids not found.
    pub wrong: Vec<String>,
    pub missed: Vec<String>,
}

pub async fn measure(path: &Path, source: &SourceSettings, settings: &Settings) -> Result<ApplicationScore, Error> {
    let text = fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    let truth: Truth = serde_json::from_str(&text).map_err(|error| Error::Truth { path: path.to_owned(), error })?;
    let pattern = Pattern::parse(&truth.entity_regex)?;
    let listing = Listing::of(truth.linked.iter().map(String::as_str));
    let base: Vec<Url> = Url::parse(&truth.base).into_iter().collect();
    let source = Source::open(source, &base)?;
    let (report, stats) = hidden_job(&source, &listing, settings).await?;
    let found: Vec<&str> =
        report.templates.iter().flat_map(|sought| &sought.found).map(|found| found.url.as_str()).collect();
    let ids = |urls: &[&str]| urls.iter().map(|url| id(&pattern, url)).collect::<BTreeSet<String>>();
    let texts = |urls: &[String]| ids(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    let (linked, hidden) = (texts(&truth.linked), texts(&truth.hidden));
    let found: BTreeSet<String> = ids(&found).difference(&linked).cloned().collect();
    let right = found.intersection(&hidden).count();
    let ratio = |whole: usize| (whole > 0).then(|| right as f64 / whole as f64);
    Ok(ApplicationScore {
        application: truth.app,
        linked: linked.len(),
        hidden: hidden.len(),
        found: found.len(),
        right,
        undecided: report.templates.iter().map(|sought| sought.undecided.len()).sum(),
        precision: ratio(found.len()),
        recall: ratio(hidden.len()),
        requests: stats.requests,
        wrong: found.difference(&hidden).cloned().collect(),
        missed: hidden.difference(&found).cloned().collect(),
    })
}

/// The id in an address; the address itself when it is not of the entities' form.
fn id(pattern: &Pattern, url: &str) -> String {
    pattern.number(url).unwrap_or(url).to_owned()
}

/// A table of applications, with what a found page cost.
pub fn to_markdown(scores: &[ApplicationScore], failures: bool) -> String {
    let mut text = String::from(
        "| application | linked | hidden | found | precision | recall | undecided | requests | a hidden page |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for score in scores {
        text += &format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {:.1} |\n",
            score.application,
            score.linked,
            score.hidden,
            score.found,
            super::share(score.precision),
            super::share(score.recall),
            score.undecided,
            score.requests,
            score.requests as f64 / score.hidden.max(1) as f64
        );
        if failures {
            score.wrong.iter().for_each(|id| text += &format!("\n- {}: wrong `{id}`", score.application));
            score.missed.iter().for_each(|id| text += &format!("\n- {}: missed `{id}`", score.application));
        }
    }
    text
}
