//! What becomes of known pages that a run did not find? Asked once, then missing, unlinked or not seen.

use super::One;
use crate::Error;
use crate::run::Event;
use crate::run::absent::{Absences, absences};
use pagekin_core::discover::Discovery;
use pagekin_core::extract::wrapper;
use pagekin_store::{Absence, Class};
use std::collections::HashSet;
use url::Url;

impl One<'_> {
    /// Of a class that was known, the pages that links led to and that this run did not find, and why.
    pub(super) async fn not_found_again(&self, class: &Class, found: &Discovery) -> Result<Absences, Error> {
        if self.pages.source.is_sample() {
            return Ok(Absences::default());
        }
        let here: HashSet<&str> = found.entities.iter().map(|entity| entity.url.as_str()).collect();
        let known = self.store.entities(class.id).await?.into_iter().filter(|entity| !entity.unlinked);
        let absent: Vec<Url> = known.map(|entity| entity.url).filter(|url| !here.contains(url.as_str())).collect();
        // A search that was cut has not looked everywhere.
        if found.stopped.is_some() {
            return Ok(Absences { not_seen: absent, ..Absences::default() });
        }
        self.asked_why(class, &absent).await
    }

    /// Asks pages that no list shows any more.
    pub(super) async fn asked_why(&self, class: &Class, absent: &[Url]) -> Result<Absences, Error> {
        if absent.is_empty() {
            return Ok(Absences::default());
        }
        (self.hear)(Event::Stage("asking pages that no list shows any more"));
        let wrappers = match self.store.wrapper(class.id).await? {
            Some((text, _)) => wrapper::parse(&text)?,
            None => Vec::new(),
        };
        self.storing(absences(&self.pages.source, absent, &wrappers)).await
    }

    pub(super) async fn put_absences(&self, class: &Class, all: Absences) -> Result<(), Error> {
        let Absences { missing, unlinked, not_seen } = all;
        for (urls, why) in [(missing, Absence::Missing), (unlinked, Absence::Unlinked), (not_seen, Absence::NotSeen)] {
            self.store.put_absent(self.run, class.id, &urls, why).await?;
        }
        Ok(())
    }
}
