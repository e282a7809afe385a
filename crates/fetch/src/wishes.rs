//! What do the pages of a site ask of robots, and is it honoured? Answers → counts, each page once.
//!
//! - [`Wishes`]: pages that ask for `noindex` are counted. Links of pages that ask for `nofollow` are not read, unless the wish is
//!   not to be honoured: it was overruled by the user, or pages come from an archive and nobody is asked.

use pagekin_core::pages::Answer;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

#[derive(Debug, Default)]
pub struct Wishes(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    /// Hashes of addresses that were counted.
    seen: FxHashSet<u64>,
    noindex: u64,
    nofollow: u64,
}

impl Wishes {
    pub fn heed(&self, answer: &mut Answer, honoured: bool) {
        let Answer::Page(page) = answer else { return };
        let asked = page.robots;
        page.robots.nofollow &= honoured;
        if !(asked.nofollow || asked.noindex) || !page.is_success() {
            return;
        }
        let mut hasher = FxHasher::default();
        page.url.hash(&mut hasher);
        // A panic elsewhere leaves plain numbers, which are still right.
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.seen.insert(hasher.finish()) {
            counted.noindex += u64::from(asked.noindex);
            counted.nofollow += u64::from(page.robots.nofollow);
        }
    }

    /// Pages that ask not to be indexed, and pages whose links were not read.
    pub fn counts(&self) -> (u64, u64) {
        let counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (counted.noindex, counted.nofollow)
    }
}
