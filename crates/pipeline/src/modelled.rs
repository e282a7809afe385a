//! A site model from start to end: source, entry page or whole archives → model, what it took; model, pages → their classes.
//!
//! - [`model_job`], [`model_all_job`]: make one. - [`classify_job`], [`classify_all_job`]: use one. - [`parse`], [`text`]: [`SiteModel`]
//!   ↔ JSON, documented in `docs/stages/model.md`. A source that broke fails the run.

use crate::cost::{Clock, Outcome, RunStats};
use crate::{Error, Source};
use pagekin_core::model::view::View;
use pagekin_core::model::{self, BatchModel, Classified, Classifier, Settings, SiteModel, VERSION};
use pagekin_core::page::Limits;
use pagekin_core::pages::{Answer, Pages, Reason, Skipped};
use pagekin_core::site::Stop;
use pagekin_fetch::keys;
use rayon::prelude::*;
use serde::Deserialize;
use url::Url;

/// Pages held in memory at a time.
const BATCH: usize = 64;

/// Explores a site from its entry page.
pub async fn model_job(source: &Source, start: &Url, settings: &Settings) -> Result<(SiteModel, RunStats), Error> {
    let (clock, start) = (Clock::start(), &keys::take(start.clone()));
    source.allow(settings.budget);
    let made = model::model(source, start, settings).await;
    source.take_failure().map_or(Ok(()), Err)?;
    let mut made = made?;
    made.stopped = made.stopped.or(source.spent().map(|_| Stop::Budget));
    let stats = clock.read(Outcome::of_model(&made), source);
    source.allow(None);
    Ok((made, stats))
}

/// A model of every page of the archives: nothing is fetched, one page after the other is gone through.
pub fn model_all_job(source: &Source, site: &str, limits: &Limits) -> Result<(SiteModel, RunStats), Error> {
    let clock = Clock::start();
    let (archive, answers) = source.all().ok_or(Error::NoArchive)?;
    let mut whole = BatchModel::new(|| archive.urls());
    let mut read = 0;
    for_each_batch(answers, |batch| {
        read += batch.len();
        let views: Vec<Result<View, Skipped>> =
            batch.into_par_iter().map(|answer| View::of(answer, None, limits)).collect();
        for view in views.into_iter().flatten() {
            whole.add(view);
        }
    });
    let stopped = (read < archive.urls().count()).then_some(Stop::Interrupted);
    let made = whole.finish(site.to_owned(), stopped);
    let stats = clock.read(Outcome::of_model(&made), source);
    Ok((made, stats))
}

fn for_each_batch(mut answers: impl Iterator<Item = Answer>, mut each: impl FnMut(Vec<Answer>)) {
    loop {
        let batch: Vec<Answer> = answers.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return;
        }
        each(batch);
    }
}

/// Classes of pages, in the order asked; pages that cannot be looked at come back with the reason.
pub struct Classes {
    /// Pages with their classes.
    pub pages: Vec<Classified>,
    /// Pages that could not be read.
    pub skipped: Vec<Skipped>,
    /// What it took.
    pub stats: RunStats,
}

/// Which class of the model is each of these pages? Each comes back under the address asked for, wherever it redirects.
pub async fn classify_job(source: &Source, made: &SiteModel, urls: &[Url], limits: Limits) -> Result<Classes, Error> {
    let (clock, classifier) = (Clock::start(), Classifier::new(made, limits));
    let (mut found, urls) = (Vec::new(), keys::taken(urls));
    for batch in urls.chunks(BATCH) {
        let answers = source.get(batch).await;
        let under_asked = |(answer, url): (Answer, &Url)| {
            let class = one(&classifier, answer)?;
            Ok(Classified { url: url.to_string(), ..class })
        };
        found.extend(answers.into_par_iter().zip(batch).map(under_asked).collect::<Vec<_>>());
        if found.last().is_some_and(interrupted) {
            break;
        }
    }
    source.take_failure().map_or(Ok(()), Err)?;
    Ok(told(found, &clock, source))
}

/// The same for every page of the archives.
pub fn classify_all_job(source: &Source, made: &SiteModel, limits: Limits) -> Result<Classes, Error> {
    let (clock, classifier) = (Clock::start(), Classifier::new(made, limits));
    let (_, answers) = source.all().ok_or(Error::NoArchive)?;
    let mut found = Vec::new();
    for_each_batch(answers, |batch| {
        found.extend(batch.into_par_iter().map(|answer| one(&classifier, answer)).collect::<Vec<_>>());
    });
    Ok(told(found, &clock, source))
}

fn one(classifier: &Classifier, answer: Answer) -> Result<Classified, Skipped> {
    match answer {
        Answer::Page(raw) if raw.is_success() => classifier.classify(&raw),
        Answer::Page(raw) => Err(Skipped::new(&raw.url, Reason::Status, raw.status.to_string())),
        Answer::Skipped(skipped) => Err(skipped),
    }
}

fn interrupted(found: &Result<Classified, Skipped>) -> bool {
    found.as_ref().is_err_and(|skipped| skipped.reason == Reason::Interrupted)
}

fn told(found: Vec<Result<Classified, Skipped>>, clock: &Clock, source: &Source) -> Classes {
    let stopped = found.iter().any(interrupted).then_some(Stop::Interrupted);
    let (mut pages, mut skipped) = (Vec::new(), Vec::new());
    for one in found {
        match one {
            Ok(page) => pages.push(page),
            Err(why) => skipped.push(why),
        }
    }
    let stats = clock.read(Outcome::of_classes(&pages, stopped), source);
    Classes { pages, skipped, stats }
}

/// A model from its text.
pub fn parse(text: &str) -> Result<SiteModel, Error> {
    /// Read first: of another version nothing else may be as expected.
    #[derive(Deserialize)]
    struct Versioned {
        version: u64,
    }
    let versioned: Versioned = serde_json::from_str(text).map_err(Error::NotModel)?;
    if versioned.version != u64::from(VERSION) {
        return Err(Error::ModelVersion(versioned.version));
    }
    serde_json::from_str(text).map_err(Error::NotModel)
}

/// The same model gives the same bytes.
pub fn text(made: &SiteModel) -> Result<String, Error> {
    serde_json::to_string(made).map(|text| text + "\n").map_err(Error::NotModel)
}
