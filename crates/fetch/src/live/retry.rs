//! Is it worth asking again, and after how long? The pauses between tries.
//!
//! - [`Pauses`]: doubling pauses with jitter. The jitter comes from seed, address and try, not from a generator with
//!   a state, so that it does not depend on the order in which tasks run.
//! - [`retry_after`]: what the server itself says.

use crate::exchange::Exchange;
use jiff::Timestamp;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::time::Duration;
use url::Url;

#[derive(Debug, Clone, Copy)]
pub struct Pauses {
    pub first: Duration,
    pub seed: u64,
}

impl Pauses {
    /// The pause after try number `tries` (from 0): first · 2^tries, times 0.5 to 1.5.
    pub fn after(&self, url: &Url, tries: u32) -> Duration {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.seed);
        hasher.write(url.as_str().as_bytes());
        hasher.write_u32(tries);
        let jitter = (mixed(hasher.finish()) >> 11) as f64 / (1u64 << 53) as f64;
        self.first.mul_f64(f64::from(1u32 << tries.min(16)) * (0.5 + jitter))
    }
}

/// The finishing step of SplitMix64: hashes of nearly equal texts end far apart.
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// Does the status say that the same request may be answered better later?
pub fn is_passing(status: u16) -> bool {
    status == 429 || (500..600).contains(&status)
}

/// Does the status say that we ask too much?
pub fn is_overload(status: u16) -> bool {
    matches!(status, 429 | 503)
}

/// `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3).
pub fn retry_after(exchange: &Exchange, now: Timestamp) -> Option<Duration> {
    let value = exchange.header("retry-after")?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    Some(Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn saying(value: &str) -> Exchange {
        Exchange {
            url: Url::parse("http://s/").unwrap(),
            status: 429,
            headers: vec![("Retry-After".to_owned(), value.to_owned())],
            body: Bytes::new(),
            at: Timestamp::UNIX_EPOCH,
            address: None,
        }
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let seconds = |value: &str| retry_after(&saying(value), now).map(|pause| pause.as_secs());
        assert_eq!(seconds("120"), Some(120));
        assert_eq!(seconds(" 0 "), Some(0));
        assert_eq!(seconds("Sun, 15 Nov 2026 12:01:30 GMT"), Some(90));
        assert_eq!(seconds("Sun, 15 Nov 2026 11:00:00 GMT"), Some(0), "past");
        for nonsense in ["soon", "-5", "", "1.5"] {
            assert_eq!(seconds(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn pauses_double_within_their_jitter_and_repeat_with_the_seed() {
        let pauses = Pauses { first: Duration::from_secs(1), seed: 7 };
        let url = Url::parse("http://s/a").unwrap();
        for tries in 0..4 {
            let (pause, base) = (pauses.after(&url, tries).as_secs_f64(), f64::from(1 << tries));
            assert!((base * 0.5..base * 1.5).contains(&pause), "{tries}: {pause}");
            assert_eq!(pauses.after(&url, tries), pauses.after(&url, tries));
        }
        let other = Pauses { seed: 8, ..pauses };
        assert_ne!(pauses.after(&url, 0), other.after(&url, 0));
        assert_ne!(pauses.after(&url, 0), pauses.after(&Url::parse("http://s/b").unwrap(), 0));
    }

    #[test]
    fn only_passing_statuses_are_asked_again() {
        assert!([429, 500, 502, 503, 504].into_iter().all(is_passing));
        assert!(![200, 301, 304, 400, 403, 404, 410].into_iter().any(is_passing));
        assert!(is_overload(429) && is_overload(503) && !is_overload(500));
    }
}
