//! How many templates are right, and how many were found? Verdicts of a site → figures, as the truth's own script has them.
//!
//! *Strict* precision counts repeats against the method, which is the thesis' "relevant"; recall counts true templates with
//! enough addresses that a right prediction is of, or whose addresses are covered by half.

use super::judge::{Judged, Verdict, judge};
use super::truth::{Entity, Site, Variants};
use pagekin::templates::Template;
use regex::Regex;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

#[derive(Debug, Clone, Serialize)]
pub struct SiteScore {
    pub site: String,
    pub negative: bool,
    pub predicted: usize,
    pub judged: usize,
    pub matched: usize,
    pub relevant: usize,
    pub traps: usize,
    pub precision: Option<f64>,
    pub precision_strict: Option<f64>,
    pub truth: usize,
    pub truth_hit: usize,
    pub recall: Option<f64>,
    /// What was wrong, repeated or missed, in words.
    pub failures: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    pub sites: usize,
    pub negative: usize,
    pub precision_macro: f64,
    pub precision_strict_macro: f64,
    pub recall_macro: f64,
    pub precision_strict_micro: Option<f64>,
    pub recall_micro: Option<f64>,
    pub negative_sites_with_false_templates: usize,
}

pub fn score(site: &Site, templates: &[Template], min_urls: usize) -> SiteScore {
    // A template whose pattern cannot be made has no address that follows it.
    let mut judged: Vec<Judged> = templates.iter().filter_map(|template| judge(site, template).ok()).collect();
    let repeated = mark_repeats(site, &mut judged);
    let counted: Vec<usize> = (0..site.entities.len()).filter(|&at| site.entities[at].urls >= min_urls).collect();
    let hit: Vec<usize> = counted.iter().copied().filter(|&at| is_hit(site, &judged, at)).collect();
    let count = |verdict: Verdict| judged.iter().filter(|one| one.verdict == verdict).count();
    let (matched, all) = (count(Verdict::Entity), judged.len() - count(Verdict::Unsure));
    let ratio = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
    SiteScore {
        site: site.name.clone(),
        negative: site.entities.is_empty(),
        predicted: judged.len(),
        judged: all,
        matched,
        relevant: matched - repeated,
        traps: count(Verdict::Trap),
        precision: ratio(matched, all),
        precision_strict: ratio(matched - repeated, all),
        truth: counted.len(),
        truth_hit: hit.len(),
        recall: ratio(hit.len(), counted.len()),
        failures: failures(site, &judged, &counted, &hit),
    }
}

fn root(site: &Site, at: usize) -> usize {
    std::iter::successors(Some(at), |&at| site.entities[at].same_as).last().unwrap_or(at)
}

/// Marks predictions that repeat another: the same true template without an allowed variant, or its entities under another
/// address. Gives their number.
fn mark_repeats(site: &Site, judged: &mut [Judged]) -> usize {
    let mut by_truth: Vec<(usize, Vec<usize>)> = Vec::new();
    for (nth, one) in judged.iter().enumerate() {
        let Some(truth) = one.truth else { continue };
        match by_truth.iter_mut().find(|(known, _)| *known == truth) {
            Some((_, list)) => list.push(nth),
            None => by_truth.push((truth, vec![nth])),
        }
    }
    for (_, list) in &mut by_truth {
        list.sort_by_key(|&nth| std::cmp::Reverse(judged[nth].votes));
    }
    by_truth.sort_by_key(|(_, list)| std::cmp::Reverse(judged[list[0]].votes));
    let (mut roots, mut repeats) = (FxHashSet::default(), 0);
    for (truth, list) in by_truth {
        let mut keys: Vec<Option<String>> = Vec::new();
        for (place, &nth) in list.iter().enumerate() {
            let key = variant_key(site.entities[truth].variants.as_ref(), &judged[nth].template);
            let allowed = key.is_some() && !keys.contains(&key);
            judged[nth].dup = if place > 0 { !allowed } else { roots.contains(&root(site, truth)) };
            repeats += usize::from(judged[nth].dup);
            keys.push(key);
        }
        roots.insert(root(site, truth));
    }
    repeats
}

/// What two predictions of one true template may differ in.
fn variant_key(variants: Option<&Variants>, template: &str) -> Option<String> {
    let variants = variants?;
    let first = |pattern: &str| {
        let found = Regex::new(pattern).ok()?.captures(template)?.get(1)?.as_str().to_owned();
        Some(found)
    };
    Some(match variants.by.as_str() {
        "path depth" => template.split('?').next().unwrap_or("").matches('/').count().to_string(),
        "query" => template.split_once('?').map_or("", |(_, query)| query).to_owned(),
        "regex" => first(&variants.regex).unwrap_or_default(),
        _ => first(&format!("[?&]{}=([^&]*)", regex::escape(&variants.name))).unwrap_or_default(),
    })
}

fn is_hit(site: &Site, judged: &[Judged], at: usize) -> bool {
    if judged.iter().any(|one| one.truth == Some(at)) {
        return true;
    }
    let entity: &Entity = &site.entities[at];
    let places: FxHashMap<&str, usize> = entity.matched.iter().map(|&url| (site.urls[url].as_str(), url)).collect();
    let right = judged.iter().filter(|one| one.verdict == Verdict::Entity);
    let covered: FxHashSet<&str> =
        right.filter_map(|one| one.covered.get(&at)).flat_map(|(urls, _)| urls.iter().map(String::as_str)).collect();
    let known = covered.iter().filter(|url| places.contains_key(*url)).count();
    // The list may hold an address twice.
    !covered.is_empty() && known * 2 >= places.len().max(1)
}

fn failures(site: &Site, judged: &[Judged], counted: &[usize], hit: &[usize]) -> Vec<String> {
    let told = |one: &Judged| match one.verdict {
        Verdict::Entity if one.dup => Some("repeated"),
        Verdict::Entity | Verdict::Unsure => None,
        Verdict::Trap => Some("trap"),
        Verdict::WrongNumber => Some("wrong number"),
        Verdict::Other => Some("no entity"),
        Verdict::NoSupport => Some("no address follows it"),
    };
    let wrong = judged.iter().filter_map(|one| Some(format!("{}: {} `{}`", site.name, told(one)?, one.template)));
    let missed = counted.iter().filter(|at| !hit.contains(at));
    let missed = missed.map(|&at| format!("{}: missed `{}`", site.name, site.entities[at].template));
    wrong.chain(missed).collect()
}

impl Summary {
    pub fn of(sites: &[SiteScore]) -> Self {
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let sum = |of: fn(&SiteScore) -> usize| sites.iter().map(of).sum::<usize>();
        let ratio = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        let negative = || sites.iter().filter(|site| site.negative);
        Self {
            sites: sites.len(),
            negative: negative().count(),
            precision_macro: mean(sites.iter().filter_map(|site| site.precision).collect()),
            precision_strict_macro: mean(sites.iter().filter_map(|site| site.precision_strict).collect()),
            recall_macro: mean(sites.iter().filter(|site| !site.negative).filter_map(|site| site.recall).collect()),
            precision_strict_micro: ratio(sum(|site| site.relevant), sum(|site| site.judged)),
            recall_micro: ratio(sum(|site| site.truth_hit), sum(|site| site.truth)),
            negative_sites_with_false_templates: negative().filter(|site| site.judged > 0).count(),
        }
    }
}
