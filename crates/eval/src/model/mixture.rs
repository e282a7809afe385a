//! Are pages of several sites, mixed as if they were one site, told apart again? Folders of single-type sites → figures.
//!
//! - [`Mixture`]: the sites of one vertical, or all. - [`measure`]: clusters it, nothing fetched.
//!
//! A folder holds one for each site, named `<vertical>-<site>`, with an archive of pages of one type. The pages are given addresses
//! that say nothing, and an order that has nothing to do with the sites, unless their own addresses are asked for.

use super::score::{Figures, Page, figures};
use crate::Error;
use pagekin::model::BatchModel;
use pagekin::model::view::View;
use pagekin::page::Limits;
use pagekin::pages::{Answer, RawPage};
use pagekin::{Archive, Url};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Pages of each site in the mixture of a vertical, and in that of all sites.
const OF_VERTICAL: usize = 30;
const OF_ALL: usize = 8;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MixtureFigures {
    pub name: String,
    pub sites: usize,
    /// Classes found; right when there is one for each site.
    pub classes: usize,
    pub figures: Figures,
}

pub struct Mixture {
    pub name: String,
    pub sites: Vec<(PathBuf, usize)>,
}

/// None when the folder holds no sites of this form.
pub fn mixtures(folder: &Path) -> Result<Vec<Mixture>, Error> {
    let listed = fs::read_dir(folder).map_err(|source| Error::read(folder, source))?;
    let mut archives: Vec<PathBuf> =
        listed.filter_map(|entry| Some(entry.ok()?.path().join("pages.warc.gz"))).collect();
    archives.retain(|path| path.is_file());
    archives.sort();
    let mut verticals: BTreeMap<String, Vec<(PathBuf, usize)>> = BTreeMap::new();
    for path in &archives {
        let site = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let vertical = site.split('-').next().unwrap_or_default().to_owned();
        verticals.entry(vertical).or_default().push((path.clone(), OF_VERTICAL));
    }
    let mut mixtures: Vec<Mixture> = verticals.into_iter().map(|(name, sites)| Mixture { name, sites }).collect();
    if mixtures.len() > 1 {
        mixtures
            .push(Mixture { name: "all".to_owned(), sites: archives.into_iter().map(|path| (path, OF_ALL)).collect() });
    }
    Ok(mixtures)
}

pub fn measure(mixture: &Mixture, own_addresses: bool) -> Result<MixtureFigures, Error> {
    let mut pages: Vec<(usize, RawPage)> = Vec::new();
    for (site, (path, wanted)) in mixture.sites.iter().enumerate() {
        let archive = Archive::open(std::slice::from_ref(path)).map_err(pagekin::Error::from)?;
        let answered = archive.pages().filter_map(|answer| match answer {
            Answer::Page(raw) => Some((site, raw)),
            Answer::Skipped(_) => None,
        });
        pages.extend(answered.take(*wanted));
    }
    // By a hash of the body: an order that is always the same and has nothing to do with the sites.
    pages.sort_by_cached_key(|(_, raw)| *blake3::hash(&raw.body).as_bytes());
    if !own_addresses {
        for (number, (_, raw)) in pages.iter_mut().enumerate() {
            let neutral = Url::parse(&format!("http://mixture.example/{number}.html"));
            raw.url = neutral.unwrap_or_else(|_| raw.url.clone());
        }
    }
    Ok(clustered(mixture, &pages))
}

fn clustered(mixture: &Mixture, pages: &[(usize, RawPage)]) -> MixtureFigures {
    let mut whole = BatchModel::new(|| pages.iter().map(|(_, raw)| raw.url.clone()));
    let views: Vec<_> =
        pages.par_iter().map(|(site, raw)| (*site, View::read(raw, None, &Limits::default()))).collect();
    let groups: Vec<(usize, Option<u32>)> =
        views.into_iter().map(|(site, view)| (site, view.ok().map(|view| whole.add(view)))).collect();
    let class_of = whole.classes();
    let page = |&(site, group): &(usize, Option<u32>)| Page {
        truth: Some(site),
        class: group.map(|group| class_of[group as usize]),
    };
    let classes = class_of.iter().max().copied().unwrap_or(0) as usize;
    let figures = figures(&groups.iter().map(page).collect::<Vec<_>>());
    MixtureFigures { name: mixture.name.clone(), sites: mixture.sites.len(), classes, figures }
}
