//! What would a run give? One sample page → the page, some pages of its kind, and their records, within seconds.
//!
//! - [`Preview`]: what is shown before a run. - [`Said`]: what the person said so far. - [`preview_job`]: makes it, with a small budget of
//!   requests.
//!
//! Keeps nothing: a run that follows asks again.

use crate::{Error, ExtractSettings, Source, SourceSettings, discover_job, extract_job};
use pagekin_core::discover::{self, Rung, Which};
use pagekin_core::extract::{Example, Record};
use pagekin_core::page::{self, Document, Limits};
use pagekin_core::pages::{Answer, Pages, RawPage};
use pagekin_fetch::keys;
use url::Url;

/// Requests that a look may take: enough for the sample, a way up and a list, and as many as a person clicks in a minute.
const REQUESTS: usize = 40;

/// Pages whose records are shown.
const PAGES: usize = 8;

/// A look at a site before a run.
#[derive(Debug, Clone)]
pub struct Preview {
    /// The sample page.
    pub sample: RawPage,
    /// Its title.
    pub title: String,
    /// Pages of the kind found so far; there may be more.
    pub found: Vec<Url>,
    /// Of the sample first, then of others from all over the pages found.
    pub records: Vec<Record>,
    /// Requests that the preview took.
    pub requests: u64,
    /// The budget ended the search.
    pub cut: bool,
    /// The answer and its neighbours, from wide to narrow, and which of them was taken.
    pub ladder: Vec<Rung>,
    /// The rung of the ladder that is the answer.
    pub rung: usize,
}

/// What a person says of the pages that are wanted.
#[derive(Debug, Clone, Default)]
pub struct Said {
    /// Names for values on the sample.
    pub examples: Vec<Example>,
    /// More pages of the kind.
    pub too: Vec<Url>,
    /// Pages that are not of the kind.
    pub not: Vec<Url>,
    /// Which of the nested answers is meant.
    pub rung: Which,
}

/// Looks at a small part of the site.
pub async fn preview_job(settings: &SourceSettings, sample: &Url, said: &Said) -> Result<Preview, Error> {
    let sample = &keys::take(sample.clone());
    let source = Source::open(settings, std::slice::from_ref(sample))?;
    let raw = match source.get(std::slice::from_ref(sample)).await.pop() {
        Some(Answer::Page(page)) if page.is_success() => page,
        Some(Answer::Page(page)) => {
            return Err(Error::NoSample(format!("`{sample}` answered with status {}", page.status)));
        }
        Some(Answer::Skipped(skipped)) => return Err(Error::NoSample(format!("`{sample}`: {}", skipped.detail))),
        None => return Err(Error::NoSample(format!("`{sample}` did not answer"))),
    };
    let search =
        discover::Settings { budget: Some(REQUESTS), not: said.not.clone(), rung: said.rung, ..Default::default() };
    let samples: Vec<Url> = std::iter::once(&raw.url).chain(&said.too).cloned().collect();
    let (discovery, _) = discover_job(&source, &samples, &search).await?;
    let (ladder, rung, cut) = (discovery.ladder, discovery.rung, discovery.stopped.is_some());
    let found: Vec<Url> = discovery.entities.into_iter().map(|entity| entity.url).collect();
    let settings = ExtractSettings { examples: said.examples.clone(), ..ExtractSettings::default() };
    let mut records = Vec::new();
    let mut keep = |record: Record| {
        records.push(record);
        Ok(())
    };
    extract_job(&source, &chosen(&raw.url, &found), &settings, &mut keep).await?;
    let requests = source.stats().requests;
    Ok(Preview { title: title(&raw), sample: raw, found, records, requests, cut, ladder, rung })
}

/// The sample, and others from all over the list.
fn chosen(sample: &Url, found: &[Url]) -> Vec<Url> {
    let others: Vec<&Url> = found.iter().filter(|url| *url != sample).collect();
    let step = others.len().div_ceil(PAGES - 1).max(1);
    std::iter::once(sample).chain(others.into_iter().step_by(step)).cloned().collect()
}

fn title(raw: &RawPage) -> String {
    let Ok(document) = page::read(raw, &Limits::default()) else { return String::new() };
    let named = document.descendants(Document::ROOT).find(|&node| document.name(node) == "title");
    let text = named.map(|node| document.descendants(node).filter_map(|node| document.text(node)).collect::<String>());
    text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_comes_first_and_few_others_follow() {
        let url = |n: usize| Url::parse(&format!("http://s/{n:03}")).unwrap();
        let found: Vec<Url> = (0..100).map(url).collect();
        let some = chosen(&url(50), &found);
        assert!(some.len() <= PAGES && some[0] == url(50) && some.iter().filter(|own| **own == url(50)).count() == 1);
        assert_eq!(chosen(&url(0), &[]), [url(0)]);
    }
}
