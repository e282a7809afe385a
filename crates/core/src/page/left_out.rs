//! How many links did this process leave out, because the addresses of a page or a site fill the memory they may?
//!
//! A number of the process, as its memory and processor time are: whoever wants that of a job takes the difference.

use std::sync::atomic::{AtomicU64, Ordering};

static LEFT_OUT: AtomicU64 = AtomicU64::new(0);

/// Links left out so far.
pub fn links_left_out() -> u64 {
    LEFT_OUT.load(Ordering::Relaxed)
}

pub(crate) fn count_left_out(links: u64) {
    LEFT_OUT.fetch_add(links, Ordering::Relaxed);
}
