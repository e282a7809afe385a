//! How well does the site model do? Folder of sites with truth, or of sites to mix → F*, entropy, purity, Q.
//!
//! - [`measure`]: all of it. - [`ModelOptions`]: what is measured. - [`ModelReport`]: the figures.
//! - [`score`]: section 4.1 of the paper. - [`quality`], [`plot`]: section 4.3. - [`site`]: one site. - [`mixture`]: sites mixed.

pub mod mixture;
pub mod plot;
pub mod quality;
mod report;
pub mod score;
pub mod site;

pub use report::ModelReport;

use crate::corpus::{Corpus, SiteFolder};
use crate::{Error, runtime};
use pagekin::model::{Method, Settings};
use pagekin::{Stop, Url};
use serde::Deserialize;
use site::Field;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct ModelOptions {
    pub dir: PathBuf,
    /// Only these; empty takes all.
    pub sites: Vec<String>,
    pub methods: Vec<Method>,
    /// For all methods; the method itself is not looked at.
    pub settings: Settings,
    /// Mix pages with their own addresses.
    pub own_addresses: bool,
    pub stop: Stop,
}

/// Fetched pages at which Q is looked up.
const BUDGETS: [usize; 12] = [2, 5, 10, 15, 20, 30, 40, 60, 100, 150, 250, 500];

/// `progress` is told what is being measured.
pub fn measure(options: &ModelOptions, progress: &dyn Fn(&str)) -> Result<ModelReport, Error> {
    let mixtures = mixture::mixtures(&options.dir)?;
    if !mixtures.is_empty() {
        return measure_mixtures(options, &mixtures, progress);
    }
    let corpus = Corpus::read(&options.dir, &options.sites)?;
    let mut report = ModelReport::default();
    for site in &corpus.sites {
        let start = start(&options.dir, site)?;
        let field = runtime()?.block_on(Field::open(site, &start))?;
        for &method in &options.methods {
            progress(&format!("{} {method}", site.id));
            let settings = Settings { method, ..options.settings.clone() };
            report.sites.push(runtime()?.block_on(field.measure(&settings, &BUDGETS))?);
            if options.stop.is_stopped() {
                return Err(Error::Interrupted);
            }
        }
    }
    Ok(report)
}

fn measure_mixtures(
    options: &ModelOptions,
    mixtures: &[mixture::Mixture],
    progress: &dyn Fn(&str),
) -> Result<ModelReport, Error> {
    let mut report = ModelReport::default();
    for mixture in mixtures.iter().filter(|one| options.sites.is_empty() || options.sites.contains(&one.name)) {
        progress(&mixture.name);
        report.mixtures.push(mixture::measure(mixture, options.own_addresses)?);
        if options.stop.is_stopped() {
            return Err(Error::Interrupted);
        }
    }
    Ok(report)
}

/// The main page, as `meta.json` names it.
fn start(dir: &Path, site: &SiteFolder) -> Result<Url, Error> {
    #[derive(Deserialize)]
    struct Meta {
        main_page: Url,
    }
    let nested = dir.join(&site.id).join("meta.json");
    let path = if nested.is_file() { nested } else { dir.join("meta.json") };
    let text = fs::read_to_string(&path).map_err(|source| Error::read(&path, source))?;
    let meta: Meta =
        serde_json::from_str(&text).map_err(|error| Error::Meta { path: path.clone(), reason: error.to_string() })?;
    Ok(meta.main_page)
}
