//! What did a run learn, as text? [`Learned`] ↔ JSON, laid out so that two of them can be compared line by line.
//!
//! Does not know files. The form is documented in `docs/stages/discover.md`.

use crate::Error;
use pagekin_core::discover::refresh::{Learned, VERSION};
use serde::Deserialize;

/// What a discovery learned, from its text.
pub fn parse(text: &str) -> Result<Learned, Error> {
    /// Read first: of another version nothing else may be as expected.
    #[derive(Deserialize)]
    struct Versioned {
        version: u64,
    }
    let versioned: Versioned = serde_json::from_str(text).map_err(Error::NotLearned)?;
    if versioned.version != u64::from(VERSION) {
        return Err(Error::LearnedVersion(versioned.version));
    }
    serde_json::from_str(text).map_err(Error::NotLearned)
}

/// The same knowledge gives the same bytes.
pub fn text(learned: &Learned) -> Result<String, Error> {
    serde_json::to_string_pretty(learned).map(|text| text + "\n").map_err(Error::NotLearned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEARNED: &str = r#"{"version": 1, "site": "http://s", "scope": "host", "method": "kin",
        "samples": ["http://s/item/1"], "complete": true,
        "places": [{"notation": "TAG+CLASS", "path": "html/body/ul.items/li/a"}],
        "indexes": [{"url": "http://s/list", "places": [0]}],
        "entities": [{"url": "http://s/item/1", "via": "http://s/list", "text": "one"}],
        "others": [], "passed": []}"#;

    #[test]
    fn what_is_written_can_be_read_again() {
        let learned = parse(LEARNED).unwrap();
        assert_eq!(parse(&text(&learned).unwrap()).unwrap(), learned);
    }

    #[test]
    fn other_files_are_refused_with_a_reason() {
        let newer = LEARNED.replace("\"version\": 1", "\"version\": 2, \"sites\": []");
        assert!(matches!(parse(&newer), Err(Error::LearnedVersion(2))));
        for wrong in ["", "[]", "{}", &LEARNED.replace("http://s/list", "nowhere"), &LEARNED.replace("kin", "magic")] {
            let error = parse(wrong).unwrap_err().to_string();
            assert!(error.contains("\n\nhint: "), "{error}");
        }
    }
}
