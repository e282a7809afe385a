//! Our own method: looks where a look would change the model, and stops when none would.
//!
//! Known addresses are put into bags by pattern and by the place of the link that leads to them. A bag promises more the more
//! addresses it has and the less is known of its like ([`choose`]); what is looked at is classified anew with all that was looked
//! at before ([`state`]). At the end every known address is given the class its bag was found to have ([`answer`]).
//!
//! - [`survey`]: all of it. - [`memory`]: what is known of the site. Answers to what the paper names as open: small classes (a
//!   pattern of addresses may be a class by itself), pages with few links or long text (all structure and labels count, and what
//!   varies within a class does not), the end (section 4.4).

mod answer;
mod choose;
mod memory;
mod state;

use super::{Error, Settings, SiteModel};
use crate::pages::Pages;
use crate::site::Stop;
use choose::next;
use memory::Memory;
use state::State;
use url::Url;

/// Looks allowed without a budget: 60, or one in 50 of the known addresses if that is more, and never more than [`MOST`]. Of known
/// addresses up to half are other views of the same pages, so that this stays below one page in 20.
const LOOKS: usize = 60;
const SHARE: usize = 50;
const MOST: usize = 1_000;

/// Addresses asked for at most, for each look allowed: where most links lead to no page.
const ASKED: usize = 3;

pub async fn survey<P: Pages>(pages: &P, start: &Url, settings: &Settings) -> Result<SiteModel, Error> {
    let mut memory = Memory::new(pages, settings.site(start));
    let entry = memory.id(start);
    let mut stopped = memory.look(&[entry]).await.err();
    if memory.looked.is_empty() {
        let why = memory.skipped.first().map_or("no answer".to_owned(), |skipped| skipped.reason.to_string());
        return Err(Error::Start(start.clone(), why));
    }
    let mut state = State::of(&memory, None);
    let mut settled = false;
    while stopped.is_none() {
        let wanted = next(&memory, &state);
        let left = allowed(settings, &memory).saturating_sub(memory.looked.len());
        if wanted.is_empty() || left == 0 || memory.asked >= ASKED * allowed(settings, &memory) {
            settled = wanted.is_empty();
            stopped = (!settled && settings.budget.is_some()).then_some(Stop::Budget);
            break;
        }
        stopped = memory.look(&wanted[..wanted.len().min(left)]).await.err();
        state = State::of(&memory, Some(state));
    }
    Ok(answer::answer(&memory, &state, start, entry, settled, stopped))
}

fn allowed<P: Pages>(settings: &Settings, memory: &Memory<'_, P>) -> usize {
    settings.budget.unwrap_or_else(|| LOOKS.max(memory.urls.len() / SHARE).min(MOST))
}
