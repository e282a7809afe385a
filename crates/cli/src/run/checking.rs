//! What are the records of a run held against? Arguments → what stands in the queue, by name, with every mistake told before anything is asked for.

use super::args::CheckHow;
use crate::config::Config;
use crate::files;
use crate::report::ending;
use crate::talk::Talk;
use anyhow::{Result, anyhow, bail};
use pagekin::run::local::{label, path_labels};
use pagekin::run::{CheckSpec, Due, Summary};
use std::collections::BTreeSet;

/// What was typed, else what the config file says.
pub async fn spec(how: &CheckHow, whole: &Config) -> Result<Option<CheckSpec>> {
    let config = &whole.check;
    let typed = how.rules.is_some() || how.reference.is_some() || !how.report.is_empty();
    let (rules, reference) =
        (how.rules.as_ref().or(config.rules.as_ref()), how.reference.as_ref().or(config.reference.as_ref()));
    let (Some(rules), Some(reference)) = (rules, reference) else {
        if typed || rules.is_some() || reference.is_some() {
            bail!(
                "records are checked by rules against a reference, and one of them is missing\n\nhint: give `--rules` and `--reference`, or set them under [check] in the config file"
            );
        }
        return Ok(None);
    };
    let reports = if how.report.is_empty() { &config.report } else { &how.report };
    reports.iter().try_for_each(|path| ending(path).map(drop))?;
    reports.iter().try_for_each(|path| files::check_folder(path))?;
    let place = whole.references.get(reference).unwrap_or(reference);
    let spec = CheckSpec { rules: files::read(rules)?, reference: label(reference), reports: path_labels(reports) };
    spec.tried(place).await.map_err(|error| {
        let error = error.to_string().replacen("the rules:", &format!("the rules in `{}`:", rules.display()), 1);
        anyhow!(error)
    })?;
    Ok(Some(spec))
}

/// Which reports were written.
pub fn told(talk: &Talk, runs: &[Summary]) {
    let written: BTreeSet<&Due> = runs.iter().flat_map(|run| &run.reports).collect();
    for report in written {
        talk.say(format_args!("the report is in `{}`", report.path.display()));
    }
}
