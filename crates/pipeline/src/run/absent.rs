//! Why does no list show this page any more? Known pages that were not found → asked once: missing, unlinked, or not seen.
//!
//! - [`Absences`]: the pages, by why. - [`absences`]: asks them. - [`is_missing`]: does an answer say that the page is not there?
//!
//! A page that is sent elsewhere, and one that answers without what pages of its kind have (a soft 404), are missing too.

use crate::Source;
use pagekin_core::extract::apply::Applied;
use pagekin_core::extract::batch;
use pagekin_core::extract::wrapper::Wrapper;
use pagekin_core::page::address::key;
use pagekin_core::pages::{Answer, Pages, RawPage, Reason, Skipped};
use url::Url;

/// Pages asked for in one go.
const AT_ONCE: usize = 64;

/// Pages that are not among those found, by why.
#[derive(Debug, Default)]
pub(super) struct Absences {
    pub missing: Vec<Url>,
    pub unlinked: Vec<Url>,
    /// Nobody looked, or no answer came.
    pub not_seen: Vec<Url>,
}

/// Asks each of them, and reads it by the wrappers of its kind, where there are any.
pub(super) async fn absences(source: &Source, urls: &[Url], wrappers: &[Wrapper]) -> Absences {
    let applied: Vec<Applied> = wrappers.iter().cloned().filter_map(|one| Applied::new(one).ok()).collect();
    let mut all = Absences::default();
    for some in urls.chunks(AT_ONCE) {
        for (url, answer) in some.iter().zip(source.get(some).await) {
            let list = match answer {
                Answer::Page(page) if is_there(url, &page, &applied) => &mut all.unlinked,
                Answer::Page(page) if page.is_success() || is_gone(page.status) => &mut all.missing,
                Answer::Page(_) => &mut all.not_seen,
                Answer::Skipped(why) if is_missing(&why) => &mut all.missing,
                Answer::Skipped(_) => &mut all.not_seen,
            };
            list.push(url.clone());
        }
    }
    all
}

fn is_there(url: &Url, page: &RawPage, applied: &[Applied]) -> bool {
    let is_of_kind = || batch::records(std::slice::from_ref(page), applied, false).iter().any(Result::is_ok);
    page.is_success() && key(&page.url) == key(url) && (applied.is_empty() || is_of_kind())
}

fn is_gone(status: u16) -> bool {
    matches!(status, 404 | 410)
}

/// Of a page that gave no record. What an archive does not hold is not there.
pub(super) fn is_missing(why: &Skipped) -> bool {
    let gone = why.reason == Reason::Status && why.detail.parse().is_ok_and(is_gone);
    gone || why.reason == Reason::NotArchived
}
