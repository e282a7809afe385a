//! Is the table one that a person would want? Gold tables, an archive of each site → coverage, column precision, table F1, titles, names.
//!
//! ```text
//! gold (what is wanted) + the job of `pagekin extract` (what comes) ─► cell (forms that are compared) ─► score ─► report
//! ```
//!
//! - [`measure`]: all of it. - [`TablesReport`]: the figures. - [`score`]: one table, for outputs of other programs too.
//!
//! The same measures as the `score_table.py` beside the data; a test runs both.

mod assign;
mod cell;
mod gold;
mod score;

pub use gold::{Gold, plain_url};
pub use score::{Scored, score};

use crate::Error;
use pagekin::extract::Record;
use pagekin::{Archive, ExtractSettings, Source, Stop, extract_job};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct TablesOptions {
    /// Folders of sites, each with `<site>/site.warc.gz`.
    pub sites: Vec<PathBuf>,
    /// Only tables whose name holds one of these.
    pub only: Vec<String>,
    pub learn_from: Option<usize>,
}

#[derive(Debug, Clone, Serialize)]
pub struct TablesReport {
    pub tables: Vec<Scored>,
    pub coverage: f64,
    pub precision: f64,
    pub f1: f64,
    pub title: f64,
    pub names: f64,
    pub columns: f64,
}

/// One table after the other: each job uses all cores.
pub fn measure(folder: &Path, options: &TablesOptions) -> Result<TablesReport, Error> {
    let gold = Gold::read_all(folder, &options.only)?;
    let tables: Result<Vec<Scored>, Error> =
        gold.iter().map(|gold| Ok(score(gold, &records(gold, options)?))).collect();
    Ok(report(tables?))
}

/// What the command gives for the pages of the table.
fn records(gold: &Gold, options: &TablesOptions) -> Result<Vec<Record>, Error> {
    let path = |folder: &PathBuf| folder.join(&gold.site).join("site.warc.gz");
    let found = options.sites.iter().map(path).find(|path| path.is_file());
    let path = found.ok_or_else(|| Error::NoArchive(options.sites.first().map(path).unwrap_or_default()))?;
    let archive = Archive::open(&[path]).map_err(pagekin::Error::from)?;
    let source = Source::of_archive(archive, Stop::default());
    let built_in = ExtractSettings::default();
    let settings = ExtractSettings { learn_from: options.learn_from.unwrap_or(built_in.learn_from), ..built_in };
    let mut records = Vec::new();
    let mut keep = |record| {
        records.push(record);
        Ok(())
    };
    crate::runtime()?.block_on(extract_job(&source, &gold.addresses, &settings, &mut keep))?;
    Ok(records)
}

pub fn report(tables: Vec<Scored>) -> TablesReport {
    let mean = |of: fn(&Scored) -> f64| tables.iter().map(of).sum::<f64>() / tables.len().max(1) as f64;
    TablesReport {
        coverage: mean(|one| one.coverage),
        precision: mean(|one| one.precision),
        f1: mean(|one| one.f1),
        title: mean(|one| one.title),
        names: mean(|one| one.names),
        columns: mean(|one| one.columns as f64),
        tables,
    }
}

impl TablesReport {
    /// By name, for the gate.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("coverage", self.coverage),
            ("precision", self.precision),
            ("f1", self.f1),
            ("titles", self.title),
            ("names", self.names),
        ]
    }

    pub fn to_markdown(&self) -> String {
        let mut text = String::from(
            "| table | pages | columns | wanted | found | optional | junk | coverage | precision | F1 | titles | names |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for one in &self.tables {
            let Scored { name, pages, columns, wanted, matched, optional, junk, .. } = one;
            let Scored { coverage, precision, f1, title, names, .. } = one;
            // A String takes everything.
            let _ = writeln!(
                text,
                "| {name} | {pages} | {columns} | {wanted} | {matched} | {optional} | {junk} | {coverage:.3} | {precision:.3} | {f1:.3} | {title:.3} | {names:.3} |"
            );
        }
        let Self { coverage, precision, f1, title, names, columns, .. } = self;
        let _ = writeln!(
            text,
            "| **macro** | | {columns:.0} | | | | | {coverage:.3} | {precision:.3} | **{f1:.3}** | {title:.3} | {names:.3} |"
        );
        for one in &self.tables {
            let listed = |what: &str, names: &[String]| {
                if names.is_empty() { String::new() } else { format!("; {what}: {}", names.join(", ")) }
            };
            let _ =
                write!(text, "\n{}{}{}", one.name, listed("missing", &one.missing), listed("junk", &one.junk_columns));
        }
        text.push('\n');
        text
    }
}
