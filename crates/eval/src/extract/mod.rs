//! How well are values extracted? Folder of sites with truth → precision, recall, F1 by attribute, site and vertical.
//!
//! ```text
//! truth ─► run (learn, apply, on each site) ─► score ─► report, as Markdown or JSON
//! ```
//!
//! - [`measure`]: all of it. - [`scored`]: the last two steps, for other programs. - [`ExtractOptions`]: how values are looked for. - [`ExtractReport`]: the figures.

pub mod fit;
pub mod report;
mod run;
pub mod score;
pub mod truth;

pub use report::ExtractReport;
pub use run::{examples, pages};

use crate::Error;
use fit::Observed;
use fit::left_out::LeftOut;
use pagekin::extract::fitted::FittedRoles;
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
    /// Domain files without what serves the site alone, and what was fitted without it.
    pub left_out: Option<LeftOut>,
    /// Domain files alone, without what was fitted.
    pub unfitted: bool,
}

pub fn measure(folder: &Path, options: &ExtractOptions) -> Result<ExtractReport, Error> {
    let sites = Site::read_all(folder, &options.sites)?;
    let domains = of_sites(folder, &sites, options)?;
    // One after the other: each job uses all cores.
    let measured: Result<Vec<_>, Error> =
        sites.iter().map(|site| run::site(site, domains.get(&site.id), options)).collect();
    Ok(report::report(&sites, measured?))
}

/// What roles look like, fitted on all sites of a folder.
pub fn fit_roles(folder: &Path, domains: &Path) -> Result<FittedRoles, Error> {
    let sites = Site::read_all(folder, &[])?;
    let domains = self::domains(&sites, domains)?;
    Observed::new(&sites, &domains)?.fit_all()
}

/// The domain that each site is measured with, by site.
fn of_sites(folder: &Path, sites: &[Site], options: &ExtractOptions) -> Result<BTreeMap<String, Domain>, Error> {
    if matches!(options.mode, Mode::Example | Mode::Nothing) {
        return Ok(BTreeMap::new());
    }
    let mut of_sites: BTreeMap<String, Domain> = match options.left_out {
        None => {
            let domains = domains(sites, &options.domains)?;
            sites.iter().map(|site| (site.id.clone(), domains[site.vertical()].clone())).collect()
        }
        Some(how) => left_out_domains(folder, sites, options, how)?,
    };
    if options.unfitted {
        of_sites.values_mut().for_each(|domain| *domain = domain.clone().with_fitted(&FittedRoles::default()));
    }
    Ok(of_sites)
}

/// Without what serves the site alone, and with what was fitted without it.
fn left_out_domains(
    folder: &Path,
    sites: &[Site],
    options: &ExtractOptions,
    how: LeftOut,
) -> Result<BTreeMap<String, Domain>, Error> {
    let all = Site::read_all(folder, &[])?;
    let domains = domains(&all, &options.domains)?;
    let observed = Observed::new(&all, &domains)?;
    let fitted = if options.unfitted { Vec::new() } else { observed.fit_folds()? };
    let of_site = |site: &Site| {
        let domain = observed.domain(site, how);
        let own = observed.fold_of(&site.id).and_then(|fold| fitted.get(fold));
        (site.id.clone(), own.map_or(domain.clone(), |own| domain.with_fitted(own)))
    };
    Ok(sites.iter().map(of_site).collect())
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
