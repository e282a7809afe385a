//! How well are values extracted? Folder of sites with truth → precision, recall, F1 by attribute, site and vertical.
//!
//! ```text
//! truth ─► run (learn, apply, on each site) ─► score ─► report, as Markdown or JSON
//! ```
//!
//! - [`measure`]: all of it. - [`scored`]: the last two steps, for other programs. - [`ExtractOptions`]: how values are looked for. - [`ExtractReport`]: the figures.

pub mod report;
mod run;
pub mod score;
pub mod truth;

pub use report::ExtractReport;
pub use run::{examples, pages};

use crate::Error;
use pagekin::extract::{Domain, Record, domain, sse};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use truth::Site;

/// How values are looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mode {
    /// The published method, with a domain file.
    DeSse(sse::Settings),
    /// Learned from the class, with a domain file.
    Domain,
    /// Learned, with the values of one page, drawn by a hash; measured on the others.
    Example,
    /// Learned, with nothing: the best slot for each attribute is what is measured.
    Nothing,
}

#[derive(Debug, Clone)]
pub struct ExtractOptions {
    pub mode: Mode,
    /// Domain files, `<vertical>.toml`.
    pub domains: PathBuf,
    /// Learn from so many pages, none: as many as the command; all are measured on.
    pub learn_from: Option<usize>,
    /// Values are whole text nodes, as the truth has them; else as the command gives them.
    pub raw: bool,
    pub sites: Vec<String>,
}

pub fn measure(folder: &Path, options: &ExtractOptions) -> Result<ExtractReport, Error> {
    let sites = Site::read_all(folder, &options.sites)?;
    let domains = match options.mode {
        Mode::Example | Mode::Nothing => BTreeMap::new(),
        Mode::DeSse(_) | Mode::Domain => domains(&sites, &options.domains)?,
    };
    // One after the other: each job uses all cores.
    let measured: Result<Vec<_>, Error> =
        sites.iter().map(|site| run::site(site, domains.get(site.vertical()), options)).collect();
    Ok(report::report(&sites, measured?))
}

/// The figures of records that another program gave by example, on the pages of each site but the first ([`pages`]).
pub fn scored(sites: &[Site], records: &BTreeMap<String, Vec<Record>>) -> Result<ExtractReport, Error> {
    let of_site = |site: &Site| run::scored(site, records.get(&site.id).map_or(&[][..], Vec::as_slice));
    Ok(report::report(sites, sites.iter().map(of_site).collect::<Result<_, Error>>()?))
}

/// The domain file of each vertical, `<vertical>.toml`.
pub fn domains(sites: &[Site], folder: &Path) -> Result<BTreeMap<String, Domain>, Error> {
    let mut domains = BTreeMap::new();
    for site in sites {
        if !domains.contains_key(site.vertical()) {
            let path = folder.join(format!("{}.toml", site.vertical()));
            let text = fs::read_to_string(&path).map_err(|source| Error::read(&path, source))?;
            let wrong = |troubles: Vec<domain::Trouble>| Error::Domain {
                path,
                reason: troubles.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
            };
            domains.insert(site.vertical().to_owned(), domain::parse(&text).map_err(wrong)?);
        }
    }
    Ok(domains)
}
