//! What are the records of a run held against? Arguments → what stands in the queue, with every mistake told before anything is asked for.

use super::args::CheckHow;
use crate::config::CheckConfig;
use crate::files;
use crate::report::ending;
use crate::talk::Talk;
use anyhow::{Result, anyhow, bail};
use pagekin::run::{CheckSpec, Due, Summary};
use pagekin::store::is_postgres;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What was typed, else what the config file says.
pub async fn spec(how: &CheckHow, config: &CheckConfig) -> Result<Option<CheckSpec>> {
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
    let spec = CheckSpec {
        rules: files::read(rules)?,
        reference: placed(reference),
        reports: reports.iter().map(|path| absolute(path)).collect(),
    };
    spec.tried().await.map_err(|error| {
        let error = error.to_string().replacen("the rules:", &format!("the rules in `{}`:", rules.display()), 1);
        anyhow!(error)
    })?;
    Ok(Some(spec))
}

/// Whoever does the run may stand in another folder.
fn placed(reference: &str) -> String {
    if is_postgres(reference) {
        return reference.to_owned();
    }
    let (kind, path) = match reference.strip_prefix("sqlite:") {
        Some(path) => ("sqlite:", path),
        None => ("", reference),
    };
    format!("{kind}{}", absolute(Path::new(path)).display())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Which reports were written.
pub fn told(talk: &Talk, runs: &[Summary]) {
    let written: BTreeSet<&Due> = runs.iter().flat_map(|run| &run.reports).collect();
    for report in written {
        talk.say(format_args!("the report is in `{}`", report.path.display()));
    }
}
