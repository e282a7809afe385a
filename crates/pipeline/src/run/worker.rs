//! Who works the queue off? Claims runs, does several at a time, says that it lives, until nothing is left or it is stopped.
//!
//! - [`Worker`]: one process. Any number of them may share a PostgreSQL database.
//!
//! Each run has a thread of its own, because thinking about a site takes a processor for minutes and others must not wait for it.
//! A failure of one site stays with that site, also when the database does not take its data; a database that fails ends the
//! work, because nothing could be kept.

use super::checking::{self, Due, Judges, Publish};
use super::lease::Lease;
use super::local::Local;
use super::one::{self, End, Workplace};
use super::pages::own_stop;
use super::{Ended, Event, Summary, owner};
use crate::Error;
use futures::stream::{FuturesUnordered, StreamExt};
use pagekin_core::site::share_of_process;
use pagekin_fetch::Stop;
use pagekin_store::{Run, State, Store};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What is heard of runs while they are in threads of their own.
type News = UnboundedSender<(Arc<Run>, Event)>;

fn pass_on(news: &mut UnboundedReceiver<(Arc<Run>, Event)>, hear: &(dyn Fn(&Run, Event) + Sync)) {
    while let Ok((run, event)) = news.try_recv() {
        hear(&run, event);
    }
}

/// Between two looks into a queue that had nothing to do.
const PAUSE: Duration = Duration::from_millis(500);

/// Works off a queue of runs.
pub struct Worker {
    /// The queue, and where everything is kept.
    pub store: Store,
    /// Where archives are written.
    pub pages: PathBuf,
    /// Sites at the same time.
    pub at_once: usize,
    /// After so long without a sign of life others take a run over.
    pub lease: Duration,
    /// Ends what is under way.
    pub stop: Stop,
    /// Writes the reports that runs ask for; without it none is written.
    pub publish: Option<Publish>,
    /// What runs may use of this machine: what the database names is looked for here, and nowhere else.
    pub local: Local,
}

impl Worker {
    /// Works until nothing of the batch is left; without a batch, on everything. `forever`: waits for more.
    pub async fn work(
        &self,
        batch: Option<&str>,
        forever: bool,
        hear: &(dyn Fn(&Run, Event) + Sync),
    ) -> Result<Vec<Summary>, Error> {
        let (common, forwarding) = own_stop(&self.stop);
        let done = self.worked(&common, batch, forever, hear).await;
        // Where the work ends early, those still under way end too.
        common.stop();
        forwarding.abort();
        done
    }

    async fn worked(
        &self,
        stop: &Stop,
        batch: Option<&str>,
        forever: bool,
        hear: &(dyn Fn(&Run, Event) + Sync),
    ) -> Result<Vec<Summary>, Error> {
        let (judges, mut due) = (Arc::new(Judges::default()), BTreeSet::new());
        let (me, mut under_way, mut ended) = (owner::own(), FuturesUnordered::new(), Vec::new());
        let (told, mut news) = unbounded_channel();
        loop {
            let free = self.at_once.max(1) - under_way.len();
            if free > 0 && !stop.is_stopped() {
                self.release_dead().await?;
                for run in self.store.claim(&me, self.lease, batch, free).await? {
                    under_way.push(self.one(Arc::new(run), judges.clone(), stop, told.clone()));
                }
            }
            if under_way.is_empty() {
                self.rest(&judges, &mut due).await?;
            }
            if under_way.is_empty() && (stop.is_stopped() || !forever && !self.more(batch).await?) {
                return Ok(ended);
            }
            tokio::select! {
                biased;
                Some((run, event)) = news.recv() => {
                    let run: Arc<Run> = run;
                    hear(&run, event);
                }
                Some(done) = under_way.next() => {
                    let summary: Summary = done?;
                    pass_on(&mut news, hear);
                    due.extend(summary.reports.iter().cloned());
                    if !forever {
                        ended.push(summary);
                    }
                }
                () = tokio::time::sleep(PAUSE) => {}
                () = stop.stopped(), if under_way.is_empty() => {}
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

    async fn one(&self, run: Arc<Run>, judges: Arc<Judges>, stop: &Stop, told: News) -> Result<Summary, Error> {
        let (began, tell) = (Instant::now(), |event| told.send((run.clone(), event)).unwrap_or_default());
        tell(Event::Started { attempt: run.attempt });
        let (own, forwarding) = own_stop(stop);
        let lease = Lease::hold(&self.store, &run, self.lease, &own)?;
        let (ended, mut summary) = self.in_a_thread(&run, judges, own, told.clone()).await;
        forwarding.abort();
        let ended = lease.lost().map_or(ended, Err);
        drop(lease);
        summary.seconds = began.elapsed().as_secs_f64();
        let ended = self.end(&run, ended, &mut summary).await;
        tell(Event::Ended(Box::new(summary.clone())));
        ended.map(|()| summary)
    }

    async fn in_a_thread(
        &self,
        run: &Arc<Run>,
        judges: Arc<Judges>,
        stop: Stop,
        told: News,
    ) -> (Result<End, Error>, Summary) {
        let (store, pages, own, local) = (self.store.clone(), self.pages.clone(), run.clone(), self.local.clone());
        let (here, address_bytes) = (tokio::runtime::Handle::current(), share_of_process(self.at_once));
        let work = move || {
            let tell = |event| told.send((own.clone(), event)).unwrap_or_default();
            let workplace = Workplace { folder: &pages, local: &local, judges: &judges, address_bytes };
            here.block_on(one::run(&store, &workplace, &own, &stop, &tell))
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done,
            Err(ended) => (Err(Error::Ended(ended)), Summary::of(run)),
        }
    }

    async fn end(&self, run: &Run, ended: Result<End, Error>, summary: &mut Summary) -> Result<(), Error> {
        let error = match ended {
            Ok(End::Interrupted) => {
                summary.state = Ended::Interrupted;
                return Ok(self.store.finish(run, State::Queued, None, None).await?);
            }
            Ok(End::Done) => {
                summary.state = if summary.missed.is_empty() { Ended::Done } else { Ended::Quarantined };
                let stats = serde_json::to_value(&*summary).map_err(Error::NotSpec)?;
                return Ok(self.store.finish(run, State::Done, Some(&stats), None).await?);
            }
            Err(error) => error,
        };
        summary.error = Some(error.to_string());
        match error {
            Error::Store(pagekin_store::Error::TakenOver { .. }) => {
                summary.state = Ended::TakenOver;
                Ok(())
            }
            // What cannot be kept for this site cannot be kept for the next one, unless it is what the site holds.
            Error::Store(cause) if !matches!(cause, pagekin_store::Error::Data { .. }) => Err(cause.into()),
            error => {
                let stats = serde_json::to_value(&*summary).map_err(Error::NotSpec)?;
                Ok(self.store.finish(run, State::Failed, Some(&stats), Some(&error.to_string())).await?)
            }
        }
    }
}
