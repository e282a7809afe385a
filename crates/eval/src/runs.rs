//! How good is the data set that one sample page gives? Gold tables, an archive of each site → pages, tables and requests of whole runs.
//!
//! ```text
//! a page of the kind (drawn by hash) ─► discover ─► wrappers ─► records ─► against the site's truth and the gold table
//! ```
//!
//! - [`measure`]: all of it. - [`RunsReport`]: the figures. - [`WholeRun`]: those of one kind.
//!
//! The jobs are those of `pagekin run`, with its defaults, on an archive. Hidden pages are not looked for: an archive holds linked ones only.

use crate::corpus::Corpus;
use crate::tables::{Gold, TablesOptions, plain_url, score};
use crate::{Error, score as pages};
use pagekin::extract::Record;
use pagekin::pages::Skipped;
use pagekin::records::{apply_job, wrappers_job};
use pagekin::{Archive, ExtractSettings, Source, Stop, Url, discover, discover_job};
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Serialize)]
pub struct WholeRun {
    pub name: String,
    pub sample: Url,
    /// Pages found, against the truth of the site.
    pub precision: f64,
    pub recall: f64,
    pub pages_f1: f64,
    /// The table, against the gold one; gold pages that were not found count as missing.
    pub coverage: f64,
    pub column_precision: f64,
    pub table_f1: f64,
    pub title: f64,
    pub records: usize,
    pub requests: u64,
    pub requests_per_record: f64,
}

#[derive(Debug, Clone, Serialize)]
pub struct RunsReport {
    pub runs: Vec<WholeRun>,
    pub pages_f1: f64,
    pub coverage: f64,
    pub table_f1: f64,
    pub title: f64,
    pub requests_per_record: f64,
}

/// `options.sites`: folders of sites with truth and archives.
pub fn measure(folder: &Path, options: &TablesOptions) -> Result<RunsReport, Error> {
    let gold = Gold::read_all(folder, &options.only)?;
    let runs = gold.iter().map(|gold| whole_run(gold, options)).collect::<Result<Vec<_>, Error>>()?;
    let mean = |of: fn(&WholeRun) -> f64| runs.iter().map(of).sum::<f64>() / runs.len().max(1) as f64;
    Ok(RunsReport {
        pages_f1: mean(|run| run.pages_f1),
        coverage: mean(|run| run.coverage),
        table_f1: mean(|run| run.table_f1),
        title: mean(|run| run.title),
        requests_per_record: mean(|run| run.requests_per_record),
        runs,
    })
}

fn whole_run(gold: &Gold, options: &TablesOptions) -> Result<WholeRun, Error> {
    let folder = site_folder(gold, &options.sites)?;
    let corpus = Corpus::read(&folder, &[])?;
    let truth = truth(gold, &corpus);
    let neutral = set(corpus.sites.iter().flat_map(|site| &site.neutral));
    let sample = sample(gold).clone();
    let archives: Vec<PathBuf> = corpus.sites.iter().flat_map(|site| site.archives.clone()).collect();
    let archive = Archive::open(&archives).map_err(pagekin::Error::from)?;
    let source = Source::of_archive(archive, Stop::default());
    let (found, records) = crate::runtime()?.block_on(run(&source, &sample))?;
    let of_pages = pages::score(&set(&found), &truth, &neutral);
    let table = score(gold, &records);
    let requests = source.stats().requests;
    Ok(WholeRun {
        name: gold.name.clone(),
        sample,
        precision: of_pages.precision,
        recall: of_pages.recall,
        pages_f1: of_pages.f1,
        coverage: table.coverage,
        column_precision: table.precision,
        table_f1: table.f1,
        title: table.title,
        records: records.len(),
        requests,
        requests_per_record: requests as f64 / records.len().max(1) as f64,
    })
}

fn site_folder(gold: &Gold, sites: &[PathBuf]) -> Result<PathBuf, Error> {
    let found = sites.iter().map(|folder| folder.join(&gold.site)).find(|folder| folder.is_dir());
    found.ok_or_else(|| Error::NoArchive(sites.first().map(|folder| folder.join(&gold.site)).unwrap_or_default()))
}

fn set<'u>(urls: impl IntoIterator<Item = &'u Url>) -> FxHashSet<String> {
    urls.into_iter().map(|url| plain_url(url.as_str())).collect()
}

/// The pages of the kind that the gold table is of: the one that most of its pages are in.
fn truth(gold: &Gold, corpus: &Corpus) -> FxHashSet<String> {
    let wanted: FxHashSet<&String> = gold.urls.iter().collect();
    let sets = corpus.sites.iter().flat_map(|site| &site.kinds).map(|kind| set(&kind.truth));
    sets.max_by_key(|set| set.iter().filter(|url| wanted.contains(url)).count()).unwrap_or_default()
}

/// Drawn by the hash of its address, and not the one that suits.
fn sample(gold: &Gold) -> &Url {
    let hash = |url: &&Url| *blake3::hash(url.as_str().as_bytes()).as_bytes();
    gold.addresses.iter().min_by_key(hash).unwrap_or(&gold.addresses[0])
}

/// The stages of a run that an archive can show.
async fn run(source: &Source, sample: &Url) -> Result<(Vec<Url>, Vec<Record>), Error> {
    let settings = discover::Settings::default();
    let (found, _) = discover_job(source, std::slice::from_ref(sample), &settings).await?;
    let mut pages: Vec<Url> = found.entities.into_iter().map(|entity| entity.url).collect();
    if let Some(at) = pages.iter().position(|url| url == sample) {
        pages[..=at].rotate_right(1);
    }
    let mut settings = ExtractSettings::default();
    (settings.wrappers, _) = wrappers_job(source, &pages, &settings).await?;
    let mut records: Vec<Record> = Vec::new();
    let mut keep = |one: Result<Record, Skipped>| {
        records.extend(one);
        Ok(())
    };
    apply_job(source, &pages, &settings, &mut keep).await?;
    Ok((pages, records))
}

impl RunsReport {
    /// By name, for the gate.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("pages_f1", self.pages_f1),
            ("coverage", self.coverage),
            ("table_f1", self.table_f1),
            ("titles", self.title),
        ]
    }

    pub fn to_markdown(&self) -> String {
        let mut text = String::from(
            "| run | pages P | pages R | pages F1 | records | requests a record | coverage | column precision | table F1 | titles |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for run in &self.runs {
            let WholeRun { name, precision, recall, pages_f1, records, requests_per_record, .. } = run;
            let WholeRun { coverage, column_precision, table_f1, title, .. } = run;
            // A String takes everything.
            let _ = writeln!(
                text,
                "| {name} | {precision:.3} | {recall:.3} | {pages_f1:.3} | {records} | {requests_per_record:.2} | {coverage:.3} | {column_precision:.3} | {table_f1:.3} | {title:.3} |"
            );
        }
        let Self { pages_f1, coverage, table_f1, title, requests_per_record, .. } = self;
        let _ = writeln!(
            text,
            "| **macro** | | | {pages_f1:.3} | | {requests_per_record:.2} | {coverage:.3} | | **{table_f1:.3}** | {title:.3} |"
        );
        text
    }
}
