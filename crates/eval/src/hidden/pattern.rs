//! Does an address match a pattern of the truth? Patterns as Python writes them → matches, with the number in the group.
//!
//! The truth's patterns are regular expressions; some have one `(?!…)`, which the engine here has not. `A(?!B)C` matches what
//! `AC` matches and `AB` does not, as long as `A` can end at one place only, as it does in all of them.

use crate::Error;
use regex::Regex;

#[derive(Debug, Clone)]
pub struct Pattern {
    whole: Regex,
    not: Option<Regex>,
    /// Has it a group, which holds the number meant?
    pub grouped: bool,
}

impl Pattern {
    pub fn parse(text: &str) -> Result<Self, Error> {
        let compile = |text: &str| Regex::new(text).map_err(|error| Error::Pattern { pattern: text.to_owned(), error });
        let (whole, not) = match text.find("(?!") {
            None => (compile(text)?, None),
            Some(at) => {
                let end = at + closing(&text[at..]);
                let (before, inside, after) = (&text[..at], &text[at + 3..end - 1], &text[end..]);
                (compile(&format!("{before}{after}"))?, Some(compile(&format!("{before}(?:{inside})"))?))
            }
        };
        let grouped = whole.captures_len() > 1;
        Ok(Self { whole, not, grouped })
    }

    pub fn matches(&self, url: &str) -> bool {
        self.whole.is_match(url) && !self.not.as_ref().is_some_and(|not| not.is_match(url))
    }

    /// The number in the group.
    pub fn number<'u>(&self, url: &'u str) -> Option<&'u str> {
        if !self.matches(url) {
            return None;
        }
        self.whole.captures(url)?.get(1).map(|group| group.as_str())
    }
}

/// The length of the parenthesised text that `text` starts with.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_look_ahead_is_understood() {
        let pattern = Pattern::parse(r"^http://s/(?!a(?:b)?/|c).*\d.*$").unwrap();
        assert!(pattern.matches("http://s/x/1") && pattern.matches("http://s/abc/1"));
        assert!(!pattern.matches("http://s/ab/1") && !pattern.matches("http://s/c1") && !pattern.matches("http://s/x"));
        assert!(!pattern.grouped);
        assert_eq!(Pattern::parse(r"^/(\d+)$").unwrap().number("/12"), Some("12"));
    }
}
