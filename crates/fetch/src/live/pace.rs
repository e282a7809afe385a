//! When may the next request to this host start? Requests to a host → turns, one after another.
//!
//! - [`Pace`]: all hosts of a run.
//! - [`Turn`]: the right to send one request; given back when dropped.
//! - [`Load`]: how the host took it.
//!
//! A host that says 429 or 503 gets half the requests at once and twice the gap, and earns both back with good
//! answers. Does not know HTTP, robots.txt or why a request is sent.

use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex as Door, Notify};
use tokio::time::{Instant, sleep_until};

/// The gap a host without one gets when it first asks us to slow down.
const FIRST_GAP: Duration = Duration::from_millis(250);

/// Slowing down ends here; beyond it `Retry-After` speaks.
const LONGEST_GAP: Duration = Duration::from_secs(60);

/// Good answers in a row that earn a host one step back to full pace.
const GOOD_FOR_A_STEP: u32 = 10;

/// How the host took a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    Fine,
    /// It asked for less; nothing starts for this long.
    Overloaded(Duration),
}

/// Hands out turns, host by host.
pub struct Pace {
    concurrency: usize,
    delay: Duration,
    hosts: Mutex<FxHashMap<String, Arc<Host>>>,
}

struct Host {
    /// One request waits here for its turn, the others queue behind it in the order they came.
    door: Door<()>,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    under_way: usize,
    limit: usize,
    /// What the user and robots.txt ask for.
    gap: Duration,
    /// What the host's complaints add.
    penalty: Duration,
    next: Instant,
    slowed: Instant,
    good: u32,
}

/// The right to have one request under way at a host.
pub struct Turn {
    host: Arc<Host>,
    full: usize,
    started: Instant,
}

impl Pace {
    pub fn new(concurrency: usize, delay: Duration) -> Self {
        Self { concurrency: concurrency.max(1), delay, hosts: Mutex::default() }
    }

    /// Waits until a request to this host may start.
    pub async fn turn(&self, host: &str) -> Turn {
        let host = self.host(host);
        let _door = host.door.lock().await;
        let started = loop {
            let wake = host.changed.notified();
            let step = host.state().try_start();
            match step {
                Ok(started) => break started,
                Err(Some(next)) => sleep_until(next).await,
                Err(None) => wake.await,
            }
        };
        Turn { host: host.clone(), full: self.concurrency, started }
    }

    /// The least gap that the host's robots.txt asks for.
    pub fn ask_gap(&self, host: &str, gap: Duration) {
        let host = self.host(host);
        let mut state = host.state();
        let more = gap.saturating_sub(state.gap);
        state.gap += more;
        state.next += more;
    }

    fn host(&self, name: &str) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = hosts.get(name) {
            return host.clone();
        }
        let host = Arc::new(Host::new(self.concurrency, self.delay));
        hosts.insert(name.to_owned(), host.clone());
        host
    }
}

impl Host {
    fn new(limit: usize, gap: Duration) -> Self {
        let now = Instant::now();
        let state = State { under_way: 0, limit, gap, penalty: Duration::ZERO, next: now, slowed: now, good: 0 };
        Self { door: Door::new(()), state: Mutex::new(state), changed: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Starts now, or says until when to wait; `None`: until a request ends.
    fn try_start(&mut self) -> Result<Instant, Option<Instant>> {
        let now = Instant::now();
        // Where requests are to be apart, one waits for the answer to the other: on a slow way they would meet at the host.
        let alone = !(self.gap + self.penalty).is_zero();
        if self.under_way >= if alone { 1 } else { self.limit } {
            return Err(None);
        }
        if now < self.next {
            return Err(Some(self.next));
        }
        self.under_way += 1;
        self.next = now + self.gap + self.penalty;
        Ok(now)
    }

    fn slow_down(&mut self, started: Instant, pause: Duration) {
        let now = Instant::now();
        self.good = 0;
        self.next = self.next.max(now + pause);
        // Requests that were under way together complain together: that is one complaint.
        if started < self.slowed {
            return;
        }
        self.slowed = now;
        self.limit = (self.limit / 2).max(1);
        let doubled = (self.gap + self.penalty) * 2;
        self.penalty = doubled.clamp(FIRST_GAP, LONGEST_GAP).saturating_sub(self.gap);
    }

    fn recover(&mut self, full: usize) {
        self.good += 1;
        if self.good < GOOD_FOR_A_STEP {
            return;
        }
        self.good = 0;
        self.limit = (self.limit + 1).min(full);
        self.penalty = if self.penalty <= FIRST_GAP { Duration::ZERO } else { self.penalty / 2 };
    }
}

impl Turn {
    /// How far apart turns at this host are now.
    pub fn gap(&self) -> Duration {
        let state = self.host.state();
        state.gap + state.penalty
    }

    /// Tells how the host took it, and gives the turn back.
    pub fn end(self, load: Load) {
        let mut state = self.host.state();
        match load {
            Load::Fine => state.recover(self.full),
            Load::Overloaded(pause) => state.slow_down(self.started, pause),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        {
            let mut state = self.host.state();
            state.under_way -= 1;
            let gap = state.gap + state.penalty;
            if !gap.is_zero() {
                state.next = state.next.max(Instant::now() + gap);
            }
        }
        self.host.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(pace: &Pace) -> (usize, Duration) {
        let host = pace.host("s");
        let state = host.state();
        (state.limit, state.gap + state.penalty)
    }

    async fn visit(pace: &Pace, load: Load) {
        pace.turn("s").await.end(load);
    }

    #[tokio::test(start_paused = true)]
    async fn starts_keep_the_gap_and_a_larger_one_counts_from_the_last_start() {
        let pace = Pace::new(4, Duration::from_secs(1));
        let begin = Instant::now();
        visit(&pace, Load::Fine).await;
        visit(&pace, Load::Fine).await;
        assert_eq!(begin.elapsed().as_secs(), 1);
        pace.ask_gap("s", Duration::from_secs(5));
        pace.ask_gap("s", Duration::from_secs(2));
        visit(&pace, Load::Fine).await;
        assert_eq!(begin.elapsed().as_secs(), 6);
        pace.turn("another host").await.end(Load::Fine);
        assert_eq!(begin.elapsed().as_secs(), 6);
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_the_limit_at_once_and_in_the_order_asked() {
        let pace = Pace::new(2, Duration::ZERO);
        let (first, second) = (pace.turn("s").await, pace.turn("s").await);
        let wait = Duration::from_secs(60);
        assert!(tokio::time::timeout(wait, pace.turn("s")).await.is_err());
        drop(first);
        assert!(tokio::time::timeout(wait, pace.turn("s")).await.is_ok());
        drop(second);
    }

    #[tokio::test(start_paused = true)]
    async fn complaints_halve_and_double_and_good_answers_win_it_back() {
        let pace = Pace::new(4, Duration::ZERO);
        let begin = Instant::now();
        visit(&pace, Load::Overloaded(Duration::from_secs(7))).await;
        assert_eq!(state(&pace), (2, FIRST_GAP));
        visit(&pace, Load::Overloaded(Duration::ZERO)).await;
        assert_eq!(begin.elapsed().as_secs(), 7);
        assert_eq!(state(&pace), (1, FIRST_GAP * 2));
        for _ in 0..GOOD_FOR_A_STEP {
            visit(&pace, Load::Fine).await;
        }
        assert_eq!(state(&pace), (2, FIRST_GAP));
        for _ in 0..GOOD_FOR_A_STEP * 2 {
            visit(&pace, Load::Fine).await;
        }
        assert_eq!(state(&pace), (4, Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn requests_under_way_together_complain_once() {
        let pace = Pace::new(4, Duration::ZERO);
        let turns = [pace.turn("s").await, pace.turn("s").await, pace.turn("s").await];
        tokio::time::advance(Duration::from_millis(5)).await;
        for turn in turns {
            turn.end(Load::Overloaded(Duration::ZERO));
        }
        assert_eq!(state(&pace), (2, FIRST_GAP));
    }

    #[tokio::test(start_paused = true)]
    async fn a_gap_has_an_end() {
        let pace = Pace::new(1, Duration::from_secs(40));
        for _ in 0..9 {
            visit(&pace, Load::Overloaded(Duration::ZERO)).await;
        }
        assert_eq!(state(&pace), (1, LONGEST_GAP));
    }
}
