//! Did the run go as expected, and how complete is it? What it changed is counted and judged; where something is missed it is held back.

use super::{End, One, stage};
use crate::Error;
use crate::run::expecting::{Seen, what_stands_there};
use crate::run::missed_in;
use pagekin_core::complete::Completeness;
use pagekin_core::discover::refresh::Refresh;
use pagekin_core::expect::{self, Missed};
use pagekin_core::pages::{Pages, Skipped};
use pagekin_store::Class;
use pagekin_store::run_list::RunFilter;

/// Runs that are looked back at for one that searched the whole site.
const LOOK_BACK: usize = 200;

impl One<'_> {
    /// An earlier try came to its end, and was held back: there is nothing left to do.
    pub(super) async fn held_before(&mut self) -> Result<Option<End>, Error> {
        if !self.store.is_held(self.run).await? {
            return Ok(None);
        }
        let stats = self.store.run_line(self.run.id).await?.and_then(|line| line.stats).unwrap_or_default();
        self.summary.missed = missed_in(&stats);
        self.reached(stage::DONE).await?;
        Ok(Some(End::Done))
    }

    /// The index pages show none of the pages known. Where they answered, or are gone but for some, the run is held back: the site was emptied,
    /// or something stands before it. Where they did not the run failed, and may be tried again.
    pub(super) async fn is_blank(&mut self, class: &Class, refresh: &Refresh) -> Result<End, Error> {
        let why = self.why_blank(refresh).await;
        if !refresh.skipped.iter().all(Skipped::is_gone) || refresh.skipped.len() == refresh.learned.indexes.len() {
            return Err(Error::Blank(why));
        }
        let indexes = refresh.learned.indexes.iter().map(|index| index.url.to_string());
        let because = format!("none of the index pages shows a page that is known: {why}");
        self.summary.missed = vec![Missed::new("lists", because, indexes)];
        self.summary.class = class.name.clone();
        self.summary.class_id = Some(class.id);
        self.summary.pages = self.store.entities(class.id).await?.len();
        self.summary.records = self.store.count_records(class.id).await?;
        self.held(class).await?;
        Ok(End::Done)
    }

    /// What kept all index pages from being looked at, or what is most likely.
    async fn why_blank(&self, refresh: &Refresh) -> String {
        let skipped = &refresh.skipped;
        let first =
            refresh.learned.indexes.iter().find(|index| !index.places.is_empty()).map(|index| index.url.clone());
        let answer = match &first {
            Some(url) => self.pages.source.get(std::slice::from_ref(url)).await.pop(),
            None => None,
        };
        match (skipped.first(), answer.and_then(what_stands_there)) {
            (Some(first), _) if skipped.iter().all(|one| one.reason == first.reason) => {
                format!("{} ({})", first.reason, first.detail)
            }
            (_, Some(wall)) => format!("they {}", wall.told()),
            _ => "the site is down or was made anew".to_owned(),
        }
    }

    /// A refresh asks the known lists only: what the last search of the whole site lacked, it lacks too.
    pub(super) async fn carried_over(&self, class: &Class, linked: usize) -> Result<Option<Completeness>, Error> {
        let filter =
            RunFilter { class: Some(class.id), before: Some(self.run.id), limit: LOOK_BACK, ..RunFilter::default() };
        let before = self.store.run_list(&filter).await?.into_iter().find_map(|line| {
            let stats = line.stats.filter(|stats| missed_in(stats).is_empty())?;
            let known: Completeness = serde_json::from_value(stats.get("completeness")?.clone()).ok()?;
            Some((line.id, known))
        });
        Ok(before.map(|(run, known)| carried_over(known, linked, run)))
    }

    pub(super) async fn counted_changes(&mut self, class: &Class) -> Result<(), Error> {
        let [new, changed, missing, no_longer_linked] = self.store.count_changes(class.id, self.run.id).await?;
        let not_seen = self.store.count_not_seen(class.id).await?;
        let summary = &mut self.summary;
        (summary.new, summary.changed, summary.missing) = (new, changed, missing);
        (summary.no_longer_linked, summary.not_seen, summary.gone) =
            (no_longer_linked, not_seen, missing + no_longer_linked);
        let more = summary.unlinked;
        summary.completeness = summary.completeness.take().map(|known| known.with_more(more));
        Ok(())
    }

    /// Is something not as expected? Then the data before the run is current again.
    pub(super) async fn is_held_back(&mut self, class: &Class) -> Result<bool, Error> {
        // Those of other runs: what this one stored before it was killed and taken up again is not among them.
        self.noted.before = self.store.count_records_before(class.id, self.run.id).await?;
        let seen = Seen {
            store: self.store,
            run: self.run,
            class: class.id,
            class_name: &class.name,
            source: &self.pages.source,
            spec: &self.spec,
            drift: &self.summary.drift,
            noted: &self.noted,
        };
        let observed = seen.observed(self.summary.records, self.summary.new).await?;
        self.summary.missed = expect::judge(&self.spec.expect, &observed);
        if self.summary.missed.is_empty() {
            return Ok(false);
        }
        if let Some(learned) = &self.noted.learned {
            self.store.set_learned(self.run, class.id, learned).await?;
        }
        self.held(class).await?;
        Ok(true)
    }

    async fn held(&self, class: &Class) -> Result<(), Error> {
        let stats = serde_json::to_value(&self.summary).map_err(Error::NotSpec)?;
        Ok(self.store.hold(self.run, class.id, &stats).await?)
    }
}

/// Of a later look at the lists that a search knew.
fn carried_over(known: Completeness, found: usize, run: i64) -> Completeness {
    let shift = |bound: u64| (bound + found as u64).saturating_sub(known.found as u64).max(1);
    Completeness {
        lower: shift(known.lower),
        upper: shift(known.upper),
        estimate: (known.estimate + found as f64 - known.found as f64).max(1.0),
        found,
        stated: None,
        because: vec![format!("only known lists were asked; run {run} searched the site")],
        ..known
    }
}
