//! What are the records of a run held against? Arguments → what stands in the queue, with every mistake told before anything is asked for.

use super::args::CheckHow;
use crate::files;
use crate::report::ending;
use crate::talk::Talk;
use anyhow::{Result, anyhow};
use pagekin::run::{CheckSpec, Due, Summary};
use pagekin::store::is_postgres;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub async fn spec(how: &CheckHow) -> Result<Option<CheckSpec>> {
    let (Some(rules), Some(reference)) = (&how.rules, &how.reference) else { return Ok(None) };
    how.report.iter().try_for_each(|path| ending(path).map(drop))?;
    how.report.iter().try_for_each(|path| files::check_folder(path))?;
    let spec = CheckSpec {
        rules: files::read(rules)?,
        reference: placed(reference),
        reports: how.report.iter().map(|path| absolute(path)).collect(),
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
