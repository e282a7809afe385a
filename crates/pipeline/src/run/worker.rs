//! Who works the queue off? Claims runs, does several at a time, says that it lives, until nothing is left or it is stopped.
//!
//! - [`Worker`]: one process. Any number of them may share a PostgreSQL database.
//!
//! A failure of one site stays with that site; a database that fails ends the work, because nothing could be kept.

use super::checking::{self, Due, Judges, Publish};
use super::one::{self, End};
use super::{Event, Summary, owner};
use crate::Error;
use futures::stream::{FuturesUnordered, StreamExt};
use pagekin_fetch::Stop;
use pagekin_store::{Run, State, Store};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Between two looks into a queue that had nothing to do.
const PAUSE: Duration = Duration::from_millis(500);

pub struct Worker {
    pub store: Store,
    /// Where archives are written.
    pub pages: PathBuf,
    /// Sites at the same time.
    pub at_once: usize,
    /// After so long without a sign of life others take a run over.
    pub lease: Duration,
    pub stop: Stop,
    /// Writes the reports that runs ask for; without it none is written.
    pub publish: Option<Publish>,
}

impl Worker {
    /// Works until nothing of the batch is left; without a batch, on everything. `forever`: waits for more.
    pub async fn work(
        &self,
        batch: Option<&str>,
        forever: bool,
        hear: &(dyn Fn(&Run, Event) + Sync),
    ) -> Result<Vec<Summary>, Error> {
        let (judges, mut due) = (Judges::default(), BTreeSet::new());
        let (me, mut under_way, mut ended) = (owner::own(), FuturesUnordered::new(), Vec::new());
        loop {
            let free = self.at_once.max(1) - under_way.len();
            if free > 0 && !self.stop.is_stopped() {
                self.release_dead().await?;
                for run in self.store.claim(&me, self.lease, batch, free).await? {
                    under_way.push(self.one(run, &judges, hear));
                }
            }
            if under_way.is_empty() {
                self.rest(&judges, &mut due).await?;
            }
            if under_way.is_empty() && (self.stop.is_stopped() || !forever && !self.more(batch).await?) {
                return Ok(ended);
            }
            tokio::select! {
                Some(done) = under_way.next() => {
                    let summary: Summary = done?;
                    due.extend(summary.reports.iter().cloned());
                    if !forever {
                        ended.push(summary);
                    }
                }
                () = tokio::time::sleep(PAUSE) => {}
                () = self.stop.stopped(), if under_way.is_empty() => {}
            }
        }
    }

    /// While nothing is under way: reports are written, and what was known is forgotten.
    async fn rest(&self, judges: &Judges, due: &mut BTreeSet<Due>) -> Result<(), Error> {
        judges.forget().await;
        match &self.publish {
            Some(publish) if !due.is_empty() => checking::publish(&self.store, publish, std::mem::take(due)).await,
            _ => Ok(()),
        }
    }

    /// Is there something that others work on, or that waits for them?
    async fn more(&self, batch: Option<&str>) -> Result<bool, Error> {
        let (queued, running, _) = self.store.unfinished(batch).await?;
        Ok(queued + running > 0)
    }

    /// Runs of processes of this machine that were killed need not wait for the end of their leases.
    async fn release_dead(&self) -> Result<(), Error> {
        for dead in self.store.owners().await?.iter().filter(|known| owner::has_ended(known)) {
            self.store.release(dead).await?;
        }
        Ok(())
    }

    async fn one(&self, run: Run, judges: &Judges, hear: &(dyn Fn(&Run, Event) + Sync)) -> Result<Summary, Error> {
        let began = Instant::now();
        hear(&run, Event::Started { attempt: run.attempt });
        let own = |event| hear(&run, event);
        let job = one::run(&self.store, (&self.pages, judges), &run, &self.stop, &own);
        let (ended, mut summary) = tokio::select! {
            done = job => done,
            lost = self.alive(&run) => (Err(lost), Summary::of(&run)),
        };
        summary.seconds = began.elapsed().as_secs_f64();
        let ended = self.end(&run, ended, &mut summary).await;
        hear(&run, Event::Ended(Box::new(summary.clone())));
        ended.map(|()| summary)
    }

    /// Renews the lease; returns when it cannot.
    async fn alive(&self, run: &Run) -> Error {
        loop {
            tokio::time::sleep(self.lease / 3).await;
            if let Err(error) = self.store.renew(run, self.lease).await {
                return error.into();
            }
        }
    }

    async fn end(&self, run: &Run, ended: Result<End, Error>, summary: &mut Summary) -> Result<(), Error> {
        let error = match ended {
            Ok(End::Interrupted) => {
                summary.state = "interrupted";
                return Ok(self.store.finish(run, State::Queued, None, None).await?);
            }
            Ok(End::Done) => {
                summary.state = "done";
                let stats = serde_json::to_value(&*summary).map_err(Error::NotSpec)?;
                return Ok(self.store.finish(run, State::Done, Some(&stats), None).await?);
            }
            Err(error) => error,
        };
        summary.error = Some(error.to_string());
        match error {
            Error::Store(pagekin_store::Error::TakenOver { .. }) => {
                summary.state = "taken over";
                Ok(())
            }
            // What cannot be kept for this site cannot be kept for the next one.
            error @ Error::Store(_) => Err(error),
            error => {
                let stats = serde_json::to_value(&*summary).map_err(Error::NotSpec)?;
                Ok(self.store.finish(run, State::Failed, Some(&stats), Some(&error.to_string())).await?)
            }
        }
    }
}
