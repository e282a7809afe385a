//! Did the run go as expected? What it did, beside what the database held before → what is missed; then the run is held back.
//!
//! - [`Noted`]: what is noted while a run goes on. - [`Seen`]: → [`Observed`], as [`expect::judge`] takes it.
//!
//! Decides nothing of what is expected: that is [`pagekin_core::expect`].

use super::absent::is_missing;
use super::spec::RunSpec;
use crate::{Error, Source};
use pagekin_core::expect::learned::{has_lost, is_replaced};
use pagekin_core::expect::wall::{Wall, wall};
use pagekin_core::expect::{Column, Expectations, Failure, Observed, Pair, Values};
use pagekin_core::extract::drift::Drift;
use pagekin_core::page::{self, Limits};
use pagekin_core::pages::{Answer, Pages, Reason, Skipped};
use pagekin_store::dataset::Choice;
use pagekin_store::quarantine::Paired;
use pagekin_store::{Run, Store};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Known pages that a refresh reads again, though nothing speaks for a change: enough to notice that something is wrong with all of them.
const SPOT_CHECKS: usize = 8;

/// Pages that are compared with what they said before.
const PAIRS: usize = 2000;

/// Pages without their values that are asked why, and pages whose history is looked at.
const ASKED: usize = 60;

/// What is noted while a run goes on.
#[derive(Debug, Default)]
pub(super) struct Noted {
    /// Records that were current before the run.
    pub before: usize,
    /// Index pages asked for, and those that gave nothing.
    pub lists: usize,
    pub failed_lists: Vec<Skipped>,
    /// Pages that gave no record.
    pub failed: Vec<Skipped>,
    /// Known pages that are read again to see whether something is wrong with all of them.
    pub spots: Vec<Url>,
    /// What a refresh learned, as text.
    pub learned: Option<String>,
}

/// Some of the known pages, others in each run.
pub(super) fn spot_checks<'u>(run: &Run, known: impl Iterator<Item = &'u Url>) -> Vec<Url> {
    let mut drawn: Vec<&Url> = known.collect();
    drawn.sort_by_cached_key(|url| xxh3_64_with_seed(url.as_str().as_bytes(), run.id as u64));
    drawn.into_iter().take(SPOT_CHECKS).cloned().collect()
}

/// Everything that what a run did is gathered from.
pub(super) struct Seen<'s> {
    pub store: &'s Store,
    pub run: &'s Run,
    pub class: i64,
    pub class_name: &'s str,
    pub source: &'s Source,
    pub spec: &'s RunSpec,
    pub drift: &'s [Drift],
    pub noted: &'s Noted,
}

impl Seen<'_> {
    /// `records` and `new`: after the run.
    pub async fn observed(&self, records: usize, new: usize) -> Result<Observed, Error> {
        let noted = self.noted;
        let pairs = self.pairs().await?;
        let failures: Vec<Failure> = noted.failed.iter().map(failure).collect();
        Ok(Observed {
            first: noted.before == 0,
            before: noted.before,
            records,
            lists: noted.lists,
            failed_lists: noted.failed_lists.iter().map(failure).collect(),
            walls: self.walls(&pairs).await,
            pairs,
            failures,
            new,
            drift: self.drift.to_vec(),
            columns: self.columns(&self.spec.expect).await?,
            today: today(),
        })
    }

    async fn pairs(&self) -> Result<Vec<Pair>, Error> {
        let mut pairs = Vec::new();
        let mut asked = 0;
        for paired in self.store.paired(self.run, self.class, PAIRS).await? {
            let look_back = paired.before != paired.after && asked < ASKED;
            asked += usize::from(look_back);
            let earlier = if look_back { self.earlier(&paired).await? } else { Vec::new() };
            let Paired { url, before, after, .. } = paired;
            pairs.push(Pair { url, before, after, earlier });
        }
        Ok(pairs)
    }

    /// What the page said before what it said before this run.
    async fn earlier(&self, paired: &Paired) -> Result<Vec<Values>, Error> {
        let all = self.store.earlier(self.class, &paired.url, paired.nth).await?;
        Ok(all.into_iter().filter(|one| one.until_run < self.run.id).map(|one| one.attributes).collect())
    }

    /// What stands in the way on pages that lost what they said. They were asked for in this run: the source has them still.
    async fn walls(&self, pairs: &[Pair]) -> Vec<(String, Wall)> {
        let unlike = self
            .noted
            .failed
            .iter()
            .filter(|why| why.reason == Reason::UnlikeClasses)
            .map(|why| (why.url.clone(), true));
        let changed = pairs.iter().filter(|pair| has_lost(pair) || is_replaced(pair));
        let changed = changed.filter_map(|pair| Some((pair.url.parse::<Url>().ok()?, has_lost(pair))));
        let (urls, lost): (Vec<Url>, Vec<bool>) = unlike.chain(changed).take(ASKED).unzip();
        let answers = self.source.get(&urls).await;
        let told = urls.into_iter().zip(lost).zip(answers).filter_map(|((url, lost), answer)| {
            let wall = what_stands_there(answer)?;
            (lost || wall != Wall::Notice).then(|| (url.to_string(), wall))
        });
        told.collect()
    }

    /// All records, where something is said of their columns.
    async fn columns(&self, expect: &Expectations) -> Result<BTreeMap<String, Column>, Error> {
        let mut columns: BTreeMap<String, Column> = BTreeMap::new();
        if expect.columns.is_empty() {
            return Ok(columns);
        }
        let (site, class) = (Some(self.run.site.clone()), Some(self.class_name.to_owned()));
        let mut rows = self.store.chosen_records(&Choice { site, class, ..Choice::default() }).await?;
        while let Some(rows) = rows.next().await? {
            for row in &rows {
                let values: Values = row.parsed(4, "attributes")?;
                for (name, texts) in values.iter().filter(|(name, _)| expect.columns.contains_key(*name)) {
                    if let Some(text) = texts.iter().find(|text| !text.is_empty()) {
                        columns.entry(name.clone()).or_default().see(&row.text(2), text);
                    }
                }
            }
        }
        Ok(columns)
    }
}

fn failure(why: &Skipped) -> Failure {
    Failure { url: why.url.to_string(), why: format!("{} ({})", why.reason, why.detail), missing: is_missing(why) }
}

/// None where a page answers with nothing that stands in the way, or does not answer.
pub(super) fn what_stands_there(answer: Answer) -> Option<Wall> {
    let Answer::Page(raw) = answer else { return None };
    wall(&page::read(&raw, &Limits::default()).ok()?)
}

/// Days since 1970.
fn today() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (since.as_secs() / 86_400) as i64
}
