//! One site, from pages to counts: learned from its pages (or not), applied to all of them, compared with the truth.
//!
//! - [`Measured`]: counts of each attribute, and for the published method the counts of its data-rich nodes.

use super::score::{Counts, norm, shown};
use super::truth::Site;
use super::{ExtractOptions, Mode};
use crate::Error;
use pagekin::extract::{self, Domain, Example, Record, batch, sse};
use pagekin::pages::{RawPage, Skipped};
use pagekin::records::{apply_job, wrappers_job};
use pagekin::{ExtractSettings, Source, Stop, Url};
use std::collections::BTreeMap;
use std::time::Instant;

#[derive(Debug, Clone, Default)]
pub struct Measured {
    pub attributes: BTreeMap<String, Counts>,
    /// DE-SSE's first measure: is the data-rich node the one with the record?
    pub nodes: Counts,
    /// Slots learned.
    pub slots: usize,
    pub pages: usize,
    /// Pages learned from.
    pub learned: usize,
    /// The confidence of each value found, and whether it is right.
    pub sure: Vec<(f64, bool)>,
    /// Seconds of learning, and of applying, parsing included.
    pub learning: f64,
    pub applying: f64,
}

pub fn site(site: &Site, domain: Option<&Domain>, options: &ExtractOptions) -> Result<Measured, Error> {
    let pages = if options.mode == Mode::Example { pages(site)? } else { site.pages()? };
    let none = Domain::default();
    let domain = domain.unwrap_or(&none);
    match options.mode {
        Mode::DeSse(settings) => Ok(published(site, &pages, domain, settings)),
        Mode::Domain => learned(
            site,
            &pages,
            ExtractSettings { domain: Some(domain.clone()), ..ExtractSettings::default() },
            options,
            0,
        ),
        Mode::Nothing => learned(site, &pages, ExtractSettings::default(), options, 0),
        Mode::Example => {
            let examples = examples(site, &pages);
            learned(site, &pages, ExtractSettings { examples, ..ExtractSettings::default() }, options, 1)
        }
    }
}

/// The pages of a site, the one that examples are of first: drawn by a hash of its address, whatever it shows.
pub fn pages(site: &Site) -> Result<Vec<RawPage>, Error> {
    let mut pages = site.pages()?;
    let drawn = |page: &RawPage| blake3::hash(page.url.as_str().as_bytes()).to_hex();
    let at = (0..pages.len()).min_by_key(|&at| drawn(&pages[at])).unwrap_or(0);
    if !pages.is_empty() {
        pages.swap(0, at);
    }
    Ok(pages)
}

/// The values of the first page as it shows them, those of the truth that stand on it as texts.
pub fn examples(site: &Site, pages: &[RawPage]) -> Vec<Example> {
    let Some(first) = pages.first() else { return Vec::new() };
    let steps = extract::leaves::Steps::default();
    let page = batch::read_all(&pages[..1]).remove(0).map(|document| extract::leaves::leaves(&document, &steps));
    let texts: Vec<String> =
        page.map_or_else(|_| Vec::new(), |page| page.list.iter().map(|leaf| norm(&leaf.text)).collect());
    let values =
        site.written[&first.url].iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
    let real = values.filter(|(_, value)| texts.contains(&norm(value)));
    real.map(|(name, value)| Example { name: name.clone(), value: shown(value) }).collect()
}

/// The job of the command, with its defaults; `skip`: pages at the start that are not measured on.
fn learned(
    site: &Site,
    pages: &[RawPage],
    wanted: ExtractSettings,
    options: &ExtractOptions,
    skip: usize,
) -> Result<Measured, Error> {
    let urls: Vec<Url> = pages.iter().map(|page| page.url.clone()).collect();
    let source = Source::of_archive(site.archive()?, Stop::default());
    let learn_from = options.learn_from.unwrap_or(wanted.learn_from);
    let mut settings = ExtractSettings { raw: options.raw, learn_from, ..wanted };
    let runtime = crate::runtime()?;
    let start = Instant::now();
    let (wrappers, _) = runtime.block_on(wrappers_job(&source, &urls, &settings))?;
    let mut measured = Measured {
        slots: wrappers.iter().map(|wrapper| wrapper.slots.len()).sum(),
        learned: wrappers.iter().map(|wrapper| wrapper.pages).sum(),
        pages: pages.len(),
        learning: start.elapsed().as_secs_f64(),
        ..Measured::default()
    };
    settings.wrappers = wrappers;
    let mut records: Vec<Record> = Vec::new();
    let mut keep = |one: Result<Record, Skipped>| {
        records.extend(one);
        Ok(())
    };
    let start = Instant::now();
    runtime.block_on(apply_job(&source, &urls[skip..], &settings, &mut keep))?;
    measured.applying = start.elapsed().as_secs_f64();
    let own = || site.attributes().into_iter().map(|name| (name.clone(), name)).collect();
    measured.attributes = match options.mode {
        Mode::Nothing => best_slots(site, &records),
        _ => counted(site, &pages[skip..], &records, &own()),
    };
    if options.mode != Mode::Nothing {
        measured.sure = sure(site, &records);
    }
    Ok(measured)
}

/// The confidence of each value, and whether it is right.
fn sure(site: &Site, records: &[Record]) -> Vec<(f64, bool)> {
    let mut sure = Vec::new();
    for record in records {
        for (name, truth) in &site.truth[&record.url] {
            let Some((values, why)) = record.attributes.get(name).zip(record.evidence.get(name)) else { continue };
            let found: Vec<String> = values.iter().map(|value| norm(value)).collect();
            sure.push((why.confidence, Counts::of(truth, &found).hit > 0));
        }
    }
    sure
}

/// Records of all pages but the first.
pub fn scored(site: &Site, records: &[Record]) -> Result<Measured, Error> {
    let pages = pages(site)?;
    let own = site.attributes().into_iter().map(|name| (name.clone(), name)).collect();
    let attributes = counted(site, pages.get(1..).unwrap_or_default(), records, &own);
    Ok(Measured { attributes, pages: pages.len(), ..Measured::default() })
}

/// Counts of each attribute, read from the column that stands for it.
fn counted(
    site: &Site,
    pages: &[RawPage],
    records: &[Record],
    columns: &BTreeMap<String, String>,
) -> BTreeMap<String, Counts> {
    let mut found: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for record in records {
        let page = found.entry(record.url.as_str()).or_default();
        for (name, values) in &record.attributes {
            page.entry(name).or_default().extend(values.iter().map(|value| norm(value)));
        }
    }
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for page in pages {
        for (name, column) in columns {
            let values =
                found.get(page.url.as_str()).and_then(|page| page.get(column.as_str())).map_or(&[][..], Vec::as_slice);
            *counts.entry(name.clone()).or_default() += Counts::of(&site.truth[&page.url][name], values);
        }
    }
    counts
}

/// With nothing given, names mean nothing to the truth: each attribute is measured on the slot that serves it best.
fn best_slots(site: &Site, records: &[Record]) -> BTreeMap<String, Counts> {
    let mut values: BTreeMap<String, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for record in records {
        for (name, all) in record.flat() {
            values.entry(name).or_default().insert(record.url.as_str(), all.iter().map(|value| norm(value)).collect());
        }
    }
    let of_slot = |name: &str, slot: &BTreeMap<&str, Vec<String>>| {
        let mut counts = Counts::default();
        for (url, truth) in &site.truth {
            counts += Counts::of(&truth[name], slot.get(url.as_str()).map_or(&[][..], Vec::as_slice));
        }
        counts
    };
    let best = |name: String| {
        let all = values.values().map(|slot| of_slot(&name, slot));
        let best = all.max_by(|a, b| a.f1().total_cmp(&b.f1())).unwrap_or_else(|| of_slot(&name, &BTreeMap::new()));
        // An attribute that no page has is not looked for.
        let best = if best.truth == 0 { Counts::default() } else { best };
        (name, best)
    };
    site.attributes().into_iter().map(best).collect()
}

fn published(site: &Site, pages: &[RawPage], domain: &Domain, settings: sse::Settings) -> Measured {
    let start = Instant::now();
    let found = batch::published(pages, domain, settings, true);
    let mut measured = Measured { pages: pages.len(), applying: start.elapsed().as_secs_f64(), ..Measured::default() };
    for (page, records) in pages.iter().zip(&found) {
        let records = records.as_ref().map_or(&[][..], Vec::as_slice);
        let right = records.iter().any(|record| holds_record(site, record));
        measured.nodes += Counts { hit: usize::from(right), found: records.len(), truth: 1 };
        debug_assert!(site.truth.contains_key(&page.url));
    }
    let records: Vec<Record> = found.into_iter().flatten().flatten().collect();
    let own = site.attributes().into_iter().map(|name| (name.clone(), name)).collect();
    measured.attributes = counted(site, pages, &records, &own);
    measured
}

/// Is at least half of what is true in the record?
fn holds_record(site: &Site, record: &Record) -> bool {
    let truth = site.truth[&record.url].iter().filter(|(_, values)| !values.is_empty());
    let (mut all, mut right) = (0, 0);
    for (name, values) in truth {
        all += 1;
        let found = record.attributes.get(name).map_or(&[][..], Vec::as_slice);
        right += usize::from(found.iter().any(|value| values.contains(&norm(value))));
    }
    right * 2 >= all
}
