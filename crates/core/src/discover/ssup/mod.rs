//! SSUP as published: one sample page → its path up through index pages → down again, level by level, to all pages of
//! its kind. `ssup-2014` follows Manica, Galante, Dorneles, ICWE 2014 (algorithms 1 to 4), `ssup-2019` follows Manica,
//! Dorneles, Galante, ACM Trans. Web 13(4), 2019 (algorithms 1 and 2): SSUP 2014 and SSUP 2019 in all comments.
//!
//! - [`discover`]: runs either. - `index`: the index page of a page. - `page_path`: the way up. - `traversal`: the
//!   way down. - `filter`: who is of a kind. - `pagination`: who goes on with an index page (2014).
//!   - `collections`: link-paths and what they lead to. - `notes`, `ledger`: what was seen, and the answer.
//!
//! Kept literal as a yardstick, known failures included (SSUP 2019 section 6). Several samples are searched for one by one
//! on one [`Site`], so no page is looked at twice, and the results are united. `Settings::not` has no place in the
//! published methods and is not read.

pub(super) mod collections;
mod filter;
mod index;
pub(super) mod ledger;
mod notes;
mod page_path;
mod pagination;
mod traversal;

use super::{Discovery, Error, Method, Settings};
use crate::pages::Pages;
use crate::site::{Site, SiteSettings, Stop, UrlId};
use index::Reach;
use ledger::{Ledger, Run, look_at_samples};
use traversal::Traversal;
use url::Url;

/// Runs the SSUP of `settings.method`: that of 2014 when asked for, else that of 2019.
pub async fn discover<P: Pages>(
    pages: &P,
    samples: &[Url],
    settings: &Settings,
    site: SiteSettings,
) -> Result<Discovery, Error> {
    let mut site = Site::new(pages, site);
    let mut ledger = Ledger::default();
    let (found, mut stopped) = look_at_samples(&mut site, samples).await?;
    for sample in found {
        ledger.sample(sample, None);
        if stopped.is_none() {
            stopped = search(&mut site, &mut ledger, sample, settings).await;
        }
    }
    Ok(ledger.close(&site, Run { method: settings.method, samples, stopped }))
}

/// The two stages for one sample. A run that is stopped on the way up still goes down as far as what it knows leads.
async fn search<P: Pages>(
    site: &mut Site<'_, P>,
    ledger: &mut Ledger,
    sample: UrlId,
    settings: &Settings,
) -> Option<Stop> {
    let old = settings.method == Method::Ssup2014;
    let reach = if old { Reach::OneHop } else { Reach::TwoHops };
    let (path, stopped) = page_path::climb(site, ledger, sample, settings.height, reach).await;
    let mut traversal = Traversal { site, ledger, path: &path, paginate: old, stopped };
    traversal.run().await;
    traversal.stopped
}
