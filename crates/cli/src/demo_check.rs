//! The end of the tour: what the pages say, held against the federation's register; findings and report.
//!
//! Writes the register, the rules and the report beside the database, so that each step can be done again by hand.

use crate::files;
use crate::talk::Talk;
use anyhow::{Result, anyhow};
use pagekin::check::{Finding, Judge, listed, rules};
use pagekin::report::{build, today};
use pagekin::store::Store;
use pagekin::store::findings::Part;
use pagekin::stored_findings::{against, check_stored, material};
use pagekin::{Stop, Url, reference};
use pagekin_web::demo::{REGISTER_COLUMNS, Site};
use std::path::Path;
use std::sync::Arc;

const RULES: &str = include_str!("demo_rules.toml");

/// Checks the records of the tour, and tells.
pub async fn run(store: &Store, folder: &Path, site: &Site, root: &Url, talk: &Talk) -> Result<()> {
    let (register, rules_file) = (folder.join("register.csv"), folder.join("rules.toml"));
    let rows: Vec<String> = site.register().iter().map(|row| row.join(",")).collect();
    let text = format!("{}\n{}\n", REGISTER_COLUMNS.join(","), rows.join("\n"));
    files::write(&register, |out| Ok(out.write_all(text.as_bytes())?))?;
    files::write(&rules_file, |out| Ok(out.write_all(RULES.as_bytes())?))?;

    talk.say(format_args!(
        "\nThe federation keeps a register of {} drivers. Is what the pages say true?\n",
        rows.len()
    ));
    let known = reference::open(&register.display().to_string()).await?;
    let told = |troubles: Vec<rules::Trouble>| {
        anyhow!("cannot use the rules:\n{}\n\nhint: this is a fault of pagekin", listed(&troubles))
    };
    let parsed = rules::parse(RULES).map_err(told)?;
    let against = against(RULES, &known);
    let judge = Arc::new(Judge::new(&parsed, known).map_err(told)?);
    let (_, findings) = check_stored(store, &judge, &against, Part::All, (None, &Stop::default())).await?;
    findings.iter().for_each(|finding| show(talk, finding));
    compare(talk, site, root, &findings);
    report(store, folder, talk).await?;
    talk.say("\nThe same by hand:\n");
    let (db, register, rules) = (folder.join("demo.db"), register.display(), rules_file.display());
    talk.say(format_args!("  pagekin check --db {} --reference {register} --rules {rules}", db.display()));
    talk.say(format_args!("  pagekin report --db {} --out report.html", db.display()));
    Ok(())
}

fn show(talk: &Talk, finding: &Finding) {
    talk.say(format_args!("{} {}: {}", finding.url.path(), finding.conclusion, finding.because));
}

fn compare(talk: &Talk, site: &Site, root: &Url, findings: &[Finding]) {
    let planted = site.planted();
    let is_planted = |finding: &&Finding| {
        planted
            .iter()
            .any(|(path, wrong)| root.join(path).is_ok_and(|url| url == finding.url) && *wrong == finding.conclusion)
    };
    let right = findings.iter().filter(is_planted).count();
    talk.say(format_args!(
        "\nFound {right} of the {} false entries that were planted, and {} that were not.",
        planted.len(),
        findings.len() - right
    ));
}

async fn report(store: &Store, folder: &Path, talk: &Talk) -> Result<()> {
    let path = folder.join("report.html");
    let material = material(store, "The championship, held against the register", &today(), None).await?;
    let page = pagekin_web::report::html(&build(material, None))?;
    files::write(&path, |out| Ok(out.write_all(page.as_bytes())?))?;
    talk.say(format_args!("The report is in {}", path.display()));
    Ok(())
}
