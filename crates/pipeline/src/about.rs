//! What has a reader of an export to know of it? A database, which records → what, when, from where, how complete.
//!
//! - [`About`]: of an export. - [`Kind`]: of one kind of pages in it. - [`Completeness`]: how much of it there is, told in one place
//!   ([`completeness`]). - [`About::lines`]: all of it as rows for people.
//!
//! Everything comes from the database: the same database gives the same words.

use crate::Error;
use crate::privacy::{KeepPages, Privacy};
use pagekin_store::Store;
use pagekin_store::dataset::{Choice, ClassFacts};
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct About {
    pub made_with: String,
    pub kinds: Vec<Kind>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kind {
    pub site: String,
    pub class: String,
    pub url: String,
    /// The pages that it was shown by.
    pub samples: Vec<String>,
    pub first_seen: String,
    /// The last run of it that was done.
    pub run: Option<i64>,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    pub completeness: Completeness,
    /// What was left out, hashed or dropped for the sake of people, in words.
    pub privacy: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Completeness {
    pub records: i64,
    /// Pages of the kind that are known, and those of them that a record was read from.
    pub pages: i64,
    pub pages_read: i64,
    pub not_readable: i64,
    /// Pages of the kind that the run expected to be missing, where it could tell.
    pub missing: Option<f64>,
    /// What the run had used up when it ended.
    pub cut_short: Option<String>,
}

impl About {
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
        let missing = match self.missing {
            Some(missing) => format!("{missing:.0} more are expected to be missing"),
            None => "how many are missing was not estimated".to_owned(),
        };
        format!("{} of the {} known pages were read; {missing}", self.pages_read, self.pages)
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
        missing: facts.stats["missing"].as_f64(),
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
        assert_eq!(own.told(), "9 of the 10 known pages were read; how many are missing was not estimated");
        own.missing = Some(2.4);
        assert!(own.told().ends_with("2 more are expected to be missing"));
    }
}
