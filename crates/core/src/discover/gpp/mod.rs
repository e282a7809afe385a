//! GPP (Growing Parallel Paths), a baseline of the SSUP papers: from the main page down to pages like the sample, through web lists, which are
//! found by where things stand on the drawn page and by the DOM. A reconstruction from what SSUP 2014 (sections 2, 5.1, 5.2) and
//! SSUP 2019 (sections 2.2, 5.2.3 and 5.3.2) say of it; no text of the method itself was at hand.
//!
//! - [`discover`]: runs it. - `search`: the next path of links from the main page to the sample. - `growth`: the paths that are parallel to it.
//!   - `lists`: the web lists of pages.
//!
//! Each link of a path stands in a web list. A path is parallel to it when each of its links stands in a list of the same place; where
//! parallel paths end are the results, which are not looked at themselves. Each round grows another path. Pages are drawn by whoever
//! implements [`Pages`]; without that there is no GPP.
//!
//! Says yes or no: confidence is 1. `Settings::not` is not read: the method has no place for it.

mod growth;
mod lists;
mod search;

use super::ssup::ledger::{Ledger, Run, look_at_samples};
use super::{Discovery, Error, Settings};
use crate::pages::{Pages, Skipped};
use crate::site::{Site, SiteSettings, Stop, UrlId};
use growth::Growth;
use lists::Lists;
use search::Search;
use url::Url;

pub async fn discover<P: Pages>(
    pages: &P,
    samples: &[Url],
    settings: &Settings,
    site: SiteSettings,
) -> Result<Discovery, Error> {
    let mut site = Site::new(pages, site);
    let (mut ledger, mut lists) = (Ledger::default(), Lists::default());
    let (found, mut stopped) = look_at_samples(&mut site, samples).await?;
    for sample in found {
        ledger.sample(sample, None);
        if stopped.is_none() {
            stopped = rounds(&mut site, &mut lists, &mut ledger, sample, settings.rounds).await.err();
        }
    }
    match lists.why_none() {
        Some(Skipped { url, detail, .. }) => {
            Err(Error::NotDrawn(url.clone(), detail.lines().next().unwrap_or_default().to_owned()))
        }
        None => Ok(ledger.close(&site, Run { method: settings.method, samples, stopped })),
    }
}

async fn rounds<P: Pages>(
    site: &mut Site<'_, P>,
    lists: &mut Lists,
    ledger: &mut Ledger,
    sample: UrlId,
    rounds: usize,
) -> Result<(), Stop> {
    let Some(main) = main_page(site, sample).await? else {
        ledger.step(format!("no main page of `{}` answers", site.url(sample)), Vec::new());
        return Ok(());
    };
    let mut search = Search::new(main, sample);
    for round in 1..=rounds {
        let Some(path) = search.next_path(site, lists).await? else {
            ledger.step(format!("round {round}: no further path"), search.lines(site));
            break;
        };
        let mut growth = Growth { site: &mut *site, lists: &mut *lists, ledger: &mut *ledger, round };
        search.used.extend(growth.run(&path).await?);
    }
    Ok(())
}

/// The root of the sample's host; where that is no page, the first of the folders on the way down to the sample that is one.
async fn main_page<P: Pages>(site: &mut Site<'_, P>, sample: UrlId) -> Result<Option<UrlId>, Stop> {
    let url = site.url(sample);
    let ends = url.path().match_indices('/').map(|(at, _)| at + 1);
    let folders: Vec<Url> = ends.filter_map(|end| url.join(&url.path()[..end]).ok()).collect();
    for folder in folders {
        let page = site.id(&folder);
        site.look(&[page]).await?;
        if site.seen(page).is_some() && site.resolve(page) != sample {
            return Ok(Some(site.resolve(page)));
        }
    }
    Ok(None)
}
