//! When may the next request to this host start? Requests to a host → turns, one after another.
//!
//! - [`Pace`]: all hosts of a run. - [`Gaps`]: how far apart requests to a host start out.
//! - [`Turn`]: the right to send one request; given back when dropped.
//! - [`Load`]: how the host took it.
//!
//! A host that says 429 or 503 gets half the requests at once and twice the gap, and earns both back with good
//! answers. Where nobody said how far apart requests are to be, the gap is [`POLITE_GAP`], or as long as the host takes to
//! answer if that is longer: a host that slows down is asked less. A host on this machine has no gap.
//! Does not know HTTP, robots.txt or why a request is sent.

use rustc_hash::FxHashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex as Door, Notify};
use tokio::time::{Instant, sleep_until};

/// The gap of a host on another machine, unless the user says otherwise. What most crawlers that name themselves keep to.
pub const POLITE_GAP: Duration = Duration::from_secs(1);

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

/// How far apart requests to a host start out.
#[derive(Debug, Clone, Default)]
pub struct Gaps {
    /// As the user says, for every host; none is polite.
    pub delay: Option<Duration>,
    /// Names that lead to this machine.
    pub at_home: Vec<String>,
}

impl Gaps {
    fn of(&self, host: &str) -> Duration {
        let polite = || if self.is_at_home(host) { Duration::ZERO } else { POLITE_GAP };
        self.delay.unwrap_or_else(polite)
    }

    /// Follows the host's own pace where the user said nothing.
    fn adapt(&self, host: &str) -> bool {
        self.delay.is_none() && !self.is_at_home(host)
    }

    fn is_at_home(&self, host: &str) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let loopback = bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        loopback || host == "localhost" || host.ends_with(".localhost") || self.at_home.iter().any(|name| name == host)
    }
}

/// Hands out turns, host by host.
pub struct Pace {
    concurrency: usize,
    gaps: Gaps,
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
    /// How long the host takes to answer, smoothed; none when the gap does not follow it.
    answers: Option<Duration>,
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
    pub fn new(concurrency: usize, gaps: Gaps) -> Self {
        Self { concurrency: concurrency.max(1), gaps, hosts: Mutex::default() }
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
        let host = Arc::new(Host::new(self.concurrency, self.gaps.of(name), self.gaps.adapt(name)));
        hosts.insert(name.to_owned(), host.clone());
        host
    }
}

impl Host {
    fn new(limit: usize, gap: Duration, adapt: bool) -> Self {
        let (now, penalty, answers) = (Instant::now(), Duration::ZERO, adapt.then_some(Duration::ZERO));
        let state = State { under_way: 0, limit, gap, penalty, answers, next: now, slowed: now, good: 0 };
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
        let alone = !self.pause().is_zero();
        if self.under_way >= if alone { 1 } else { self.limit } {
            return Err(None);
        }
        if now < self.next {
            return Err(Some(self.next));
        }
        self.under_way += 1;
        self.next = now + self.pause();
        Ok(now)
    }

    /// How far apart requests are now.
    fn pause(&self) -> Duration {
        self.gap.max(self.answers.unwrap_or_default().min(LONGEST_GAP)) + self.penalty
    }

    /// A quarter of what is known is replaced by each answer: a single slow page says little.
    fn answered(&mut self, took: Duration) {
        if let Some(answers) = &mut self.answers {
            *answers = (*answers * 3 + took) / 4;
        }
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
        self.host.state().pause()
    }

    /// Tells how the host took it, and gives the turn back.
    pub fn end(self, load: Load) {
        let mut state = self.host.state();
        state.answered(self.started.elapsed());
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
            let gap = state.pause();
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

    fn fixed(delay: Duration) -> Gaps {
        Gaps { delay: Some(delay), at_home: Vec::new() }
    }

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
        let pace = Pace::new(4, fixed(Duration::from_secs(1)));
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
        let pace = Pace::new(2, fixed(Duration::ZERO));
        let (first, second) = (pace.turn("s").await, pace.turn("s").await);
        let wait = Duration::from_secs(60);
        assert!(tokio::time::timeout(wait, pace.turn("s")).await.is_err());
        drop(first);
        assert!(tokio::time::timeout(wait, pace.turn("s")).await.is_ok());
        drop(second);
    }

    #[tokio::test(start_paused = true)]
    async fn complaints_halve_and_double_and_good_answers_win_it_back() {
        let pace = Pace::new(4, fixed(Duration::ZERO));
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
        let pace = Pace::new(4, fixed(Duration::ZERO));
        let turns = [pace.turn("s").await, pace.turn("s").await, pace.turn("s").await];
        tokio::time::advance(Duration::from_millis(5)).await;
        for turn in turns {
            turn.end(Load::Overloaded(Duration::ZERO));
        }
        assert_eq!(state(&pace), (2, FIRST_GAP));
    }

    #[tokio::test(start_paused = true)]
    async fn a_gap_has_an_end() {
        let pace = Pace::new(1, fixed(Duration::from_secs(40)));
        for _ in 0..9 {
            visit(&pace, Load::Overloaded(Duration::ZERO)).await;
        }
        assert_eq!(state(&pace), (1, LONGEST_GAP));
    }

    #[tokio::test(start_paused = true)]
    async fn other_machines_are_asked_once_a_second_unless_the_user_says_otherwise() {
        let gaps = Gaps { delay: None, at_home: vec!["shop.test".to_owned()] };
        let pace = Pace::new(4, gaps);
        let begin = Instant::now();
        for host in ["127.0.0.1", "[::1]", "localhost", "a.localhost", "shop.test"] {
            pace.turn(host).await.end(Load::Fine);
            pace.turn(host).await.end(Load::Fine);
        }
        assert_eq!(begin.elapsed(), Duration::ZERO, "this machine needs no pause");
        for _ in 0..3 {
            pace.turn("s.org").await.end(Load::Fine);
        }
        assert_eq!(begin.elapsed().as_secs(), 2);
        let unpaused = Pace::new(4, fixed(Duration::ZERO));
        unpaused.turn("s.org").await.end(Load::Fine);
        unpaused.turn("s.org").await.end(Load::Fine);
        assert_eq!(begin.elapsed().as_secs(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_slows_down_is_asked_less() {
        let pace = Pace::new(4, Gaps::default());
        for _ in 0..20 {
            let turn = pace.turn("s.org").await;
            tokio::time::advance(Duration::from_secs(5)).await;
            turn.end(Load::Fine);
        }
        let slow = pace.turn("s.org").await.gap();
        assert!(slow > Duration::from_secs(4) && slow < Duration::from_secs(6), "{slow:?}");
        for _ in 0..20 {
            pace.turn("s.org").await.end(Load::Fine);
        }
        assert_eq!(pace.turn("s.org").await.gap(), POLITE_GAP);
    }
}
