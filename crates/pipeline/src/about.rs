//! What has a reader of an export to know of it? A database, which records → what, when, from where, how complete.
//!
//! - [`About`]: of an export. - [`Kind`]: of one kind of pages in it. - [`Completeness`]: how much of it there is, told in one place
//!   ([`completeness`]). - [`About::lines`]: all of it as rows for people.
//!
//! Everything comes from the database: the same database gives the same words.

use crate::Error;
use crate::privacy::{KeepPages, Privacy};
use pagekin_core::complete::Completeness as Estimate;
use pagekin_store::Store;
use pagekin_store::dataset::{Choice, ClassFacts};
use serde::Serialize;
use serde_json::Value;

/// What an export is.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct About {
    /// The program and its version.
    pub made_with: String,
    /// By kind of pages.
    pub kinds: Vec<Kind>,
}

/// What is known of one kind of pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kind {
    /// Its host.
    pub site: String,
    /// What the kind is called.
    pub class: String,
    /// Where the site begins.
    pub url: String,
    /// The pages that it was shown by.
    pub samples: Vec<String>,
    /// When its first record was stored.
    pub first_seen: String,
    /// The last run of it that was done.
    pub run: Option<i64>,
    /// When that run began.
    pub started_at: Option<String>,
    /// When it ended.
    pub ended_at: Option<String>,
    /// How much of the kind there is.
    pub completeness: Completeness,
    /// What was left out, hashed or dropped for the sake of people, in words.
    pub privacy: Vec<String>,
}

/// How much of a kind there is.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Completeness {
    /// Records of pages that are there.
    pub records: i64,
    /// Pages of the kind that are known, and those of them that a record was read from.
    pub pages: i64,
    /// Of these, those with a record.
    pub pages_read: i64,
    /// Pages that the last run could not read.
    pub not_readable: i64,
    /// How complete its run believed to be, where it could tell.
    pub estimate: Option<Estimate>,
    /// What the run had used up when it ended.
    pub cut_short: Option<String>,
}

impl About {
    /// Of what is chosen from a database.
    pub async fn of(store: &Store, choice: &Choice) -> Result<Self, Error> {
        let kinds = store.chosen_classes(choice).await?.iter().map(kind).collect();
        Ok(Self { made_with: concat!("pagekin ", env!("CARGO_PKG_VERSION")).to_owned(), kinds })
    }

    /// A name for each line, and what it says.
    pub fn lines(&self) -> Vec<(String, String)> {
        let mut lines = vec![("made with".to_owned(), self.made_with.clone())];
        for kind in &self.kinds {
            lines.push((String::new(), String::new()));
            lines.extend(kind.lines().into_iter().map(|(name, text)| (name.to_owned(), text)));
        }
        lines
    }
}

impl Kind {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![("kind of pages", format!("{} of {}", self.class, self.site)), ("site", self.url.clone())];
        lines.extend(self.samples.iter().map(|sample| ("shown by", sample.clone())));
        lines.push(("first seen", self.first_seen.clone()));
        let dates = [("last run began", &self.started_at), ("last run ended", &self.ended_at)];
        lines.extend(dates.into_iter().filter_map(|(name, date)| Some((name, date.clone()?))));
        lines.extend(self.completeness.lines());
        lines.extend(self.privacy.iter().map(|line| ("personal data", line.clone())));
        lines
    }
}

impl Completeness {
    /// In a sentence.
    pub fn told(&self) -> String {
        let estimate = self.estimate.as_ref().map_or("how many there are was not estimated".to_owned(), Estimate::told);
        format!("{} of the {} known pages were read; {estimate}", self.pages_read, self.pages)
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("records", self.records.to_string()),
            ("pages known", self.pages.to_string()),
            ("how complete", self.told()),
        ];
        if self.not_readable > 0 {
            lines.push(("not readable", format!("{} pages in the last run", self.not_readable)));
        }
        lines.extend(self.cut_short.iter().map(|spent| ("cut short", spent.clone())));
        lines
    }
}

/// How much of the kind there is: what is known of it, and what its last run said.
pub fn completeness(facts: &ClassFacts) -> Completeness {
    Completeness {
        records: facts.records,
        pages: facts.pages,
        pages_read: facts.read,
        not_readable: facts.skipped,
        estimate: facts.stats.get("completeness").and_then(|own| serde_json::from_value(own.clone()).ok()),
        cut_short: facts.stats["spent"].as_str().map(str::to_owned),
    }
}

fn kind(facts: &ClassFacts) -> Kind {
    Kind {
        site: facts.site.clone(),
        class: facts.class.clone(),
        url: facts.url.clone(),
        samples: facts.samples.clone(),
        first_seen: facts.first_seen.clone(),
        run: facts.run,
        started_at: facts.started_at.clone(),
        ended_at: facts.ended_at.clone(),
        completeness: completeness(facts),
        privacy: privacy(&facts.settings),
    }
}

/// As the last run was told.
fn privacy(settings: &Value) -> Vec<String> {
    let own: Privacy = serde_json::from_value(settings["privacy"].clone()).unwrap_or_default();
    let mut lines = Vec::new();
    if !own.without.is_empty() {
        lines.push(format!("never stored: {}", own.without.join(", ")));
    }
    if !own.hash.is_empty() {
        lines.push(format!("stored as keyed hashes: {}", own.hash.join(", ")));
    }
    if own.keep_pages == KeepPages::None {
        lines.push("the pages were dropped after they were read".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_was_told_of_people_is_said() {
        let settings = serde_json::json!({"privacy": {"without": ["phone"], "hash": ["email"], "keep_pages": "none"}});
        assert_eq!(privacy(&settings).len(), 3);
        assert_eq!(privacy(&serde_json::json!({"queued": "by an earlier version"})), [""; 0]);
    }

    #[test]
    fn how_complete_is_told_with_what_is_known() {
        let mut own = Completeness { pages: 10, pages_read: 9, ..Completeness::default() };
        assert_eq!(own.told(), "9 of the 10 known pages were read; how many there are was not estimated");
        let because = Vec::new();
        own.estimate =
            Some(Estimate { found: 10, estimate: 12.0, lower: 10, upper: 14, sure: 0.9, stated: None, because });
        assert!(own.told().ends_with("found 10; estimated 10 to 14"));
    }
}
