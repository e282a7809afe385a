//! Is this page empty? Pages known to exist, pages that cannot exist, two loads of one page → a judge of further answers.
//!
//! Sites answer for a missing entity in three ways (thesis 3.2): an error status, a redirect to somewhere else, or status
//! 200 with a page that holds nothing. Which one is learned from ids that cannot exist. The last needs the page itself:
//! *marks* (how it is built, names of attributes) that all known pages have and no empty one has, and texts that no empty
//! page has. What differs between two loads of one page counts for neither.
//!
//! - [`Judge`]: learned for one template. - [`Verdict`]: with a confidence; `CannotTell` instead of a guess.
//! - [`Missing`]: how the site answers for ids that do not exist.
//!
//! Knows nothing of which ids are worth asking for.

use super::probe::{Answered, Content, Probe, common, difference, union, without};
use crate::pages::Reason;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// `says` is a hash of what it says.
    Exists {
        confidence: f64,
        because: String,
        says: u64,
    },
    Empty(String),
    /// It says the same as a page found before, by this hash: both are notices, not entities.
    Twin(u64),
    CannotTell(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// An error status.
    Status,
    /// Sent elsewhere.
    Redirect,
    /// Status 200, and a page with nothing on it.
    EmptyPage,
    /// Ids that cannot exist have pages like all others, or no two of them were answered alike.
    Unknown,
}

/// Share of the marks of known pages that a page must have to be one, and may have at most to be empty. Pages of one kind
/// have nearly all (attributes may be missing), empty ones nearly none: anything between is not decided.
const PAGE: f64 = 0.6;
const EMPTY: f64 = 0.2;

/// A page with less than a fifth of the texts of the shortest known page is not believed. None of the 90 hidden pages of three
/// applications is lost by it.
const FAR_LESS: usize = 5;

/// Fewest marks that decide; below it the texts do.
const MARKS: usize = 3;

#[derive(Debug)]
pub struct Judge {
    pub missing: Missing,
    /// Where ids that cannot exist are sent, with the id taken out.
    dead_ends: FxHashSet<String>,
    /// On all known pages, on no empty one.
    marks: Vec<u64>,
    /// On all empty pages, on no known one.
    empty_marks: Vec<u64>,
    /// Texts of empty pages, and those that change from load to load.
    shell: Vec<u64>,
    /// The same with numbers folded, and what all known pages say.
    furniture: Vec<u64>,
    /// Texts of its own that each known page has at least.
    own: usize,
    /// Do known pages name their own address as the canonical one?
    canonical: bool,
    /// The pages known and those found, by what they say; the same again is no new page.
    known: FxHashSet<u64>,
    found: FxHashSet<u64>,
}

impl Judge {
    /// `known`: pages that exist. `probes`: ids that cannot exist, and the answers. `twice`: two loads of one page.
    /// None when no known page answered: then nothing can be told.
    pub fn learn(known: &[Probe], probes: &[(String, Probe)], twice: Option<(&Probe, &Probe)>) -> Option<Self> {
        let impossible: Vec<&Probe> = probes.iter().map(|(_, look)| look).collect();
        let pages: Vec<&Content> = known.iter().filter_map(Probe::page).collect();
        let first = *pages.first()?;
        let changing = |of: fn(&Content) -> &Vec<u64>| match twice.map(|(a, b)| (a.page(), b.page())) {
            Some((Some(a), Some(b))) => difference(of(a), of(b)),
            _ => Vec::new(),
        };
        let (changing_marks, changing_texts) = (changing(|content| &content.marks), changing(|content| &content.texts));
        let changing_folded = changing(|content| &content.folded);
        let empty: Vec<&Content> = impossible.iter().filter_map(|look| look.content()).collect();
        let everywhere = |of: &[&Content]| {
            let all = of.iter().map(|content| content.marks.clone()).reduce(|a, b| common(&a, &b)).unwrap_or_default();
            without(&all, &changing_marks)
        };
        let anywhere = |of: &[&Content]| of.iter().fold(Vec::new(), |all, content| union(&all, &content.marks));
        let shell = empty.iter().fold(changing_texts, |all, content| union(&all, &content.texts));
        let shell_folded = empty.iter().fold(changing_folded, |all, content| union(&all, &content.folded));
        // With one known page nothing can be told from what all say.
        let said = pages.iter().map(|content| content.folded.clone()).reduce(|a, b| common(&a, &b));
        let furniture = union(&shell_folded, &said.filter(|_| pages.len() > 1).unwrap_or_default());
        let dead = probes.iter().filter(|(_, look)| look.moved).map(|(id, look)| without_id(&look.at, id));
        let mut judge = Self {
            missing: missing(&impossible),
            dead_ends: dead.collect(),
            marks: without(&everywhere(&pages), &anywhere(&empty)),
            empty_marks: without(&everywhere(&empty), &anywhere(&pages)),
            own: pages.iter().map(|content| without(&content.folded, &furniture).len()).min().unwrap_or(0),
            canonical: known.iter().all(names_itself),
            shell,
            furniture,
            known: FxHashSet::default(),
            found: FxHashSet::default(),
        };
        for content in pages {
            judge.known.insert(judge.says(content));
        }
        if judge.missing == Missing::EmptyPage && !judge.can_tell(first) {
            judge.missing = Missing::Unknown;
        }
        Some(judge)
    }

    /// Is there anything that known pages have and empty ones have not?
    fn can_tell(&self, known: &Content) -> bool {
        self.marks.len() >= MARKS || !without(&known.folded, &self.furniture).is_empty()
    }

    /// A hash of the texts of its own that a page has.
    fn says(&self, content: &Content) -> u64 {
        let own = without(&content.texts, &self.shell);
        xxh3_64(&own.iter().flat_map(|hash| hash.to_le_bytes()).collect::<Vec<u8>>())
    }

    /// `is_own`: does this address belong to the id asked for?
    pub fn judge(&mut self, id: &str, look: &Probe, is_own: impl Fn(&Url) -> bool) -> Verdict {
        match &look.answer {
            Answered::Nothing(Reason::NotHtml, detail) => Verdict::Empty(detail.clone()),
            Answered::Nothing(reason, detail) => Verdict::CannotTell(format!("{reason}: {detail}")),
            Answered::Error(status @ (408 | 425 | 429 | 500..), _) => Verdict::CannotTell(format!("status {status}")),
            Answered::Error(status, _) => Verdict::Empty(format!("status {status}")),
            Answered::Page(_) if look.moved && self.dead_ends.contains(&without_id(&look.at, id)) => {
                Verdict::Empty(format!("sent to `{}`, as ids that cannot exist are", look.at))
            }
            Answered::Page(_) if look.moved && !is_own(&look.at) => Verdict::Empty(format!("sent to `{}`", look.at)),
            Answered::Page(content) => self.judge_page(content, is_own),
        }
    }

    fn judge_page(&mut self, content: &Content, is_own: impl Fn(&Url) -> bool) -> Verdict {
        if self.missing == Missing::Unknown {
            return Verdict::CannotTell("ids that cannot exist are answered like all others".to_owned());
        }
        let other = content.canonical.as_ref().filter(|canonical| self.canonical && !is_own(canonical));
        if let Some(canonical) = other {
            return Verdict::Empty(format!("it says that its address is `{canonical}`"));
        }
        match self.by_content(content) {
            Verdict::Exists { says, .. } if self.known.contains(&says) => {
                Verdict::Empty("it says the same as a page known".to_owned())
            }
            Verdict::Exists { says, .. } if !self.found.insert(says) => Verdict::Twin(says),
            verdict => verdict,
        }
    }

    /// By marks where there are enough, else by texts. A page that says far less than the known ones may be a notice that
    /// something was deleted.
    fn by_content(&self, content: &Content) -> Verdict {
        let share = |of: &[u64]| common(of, &content.marks).len() as f64 / of.len().max(1) as f64;
        let own = without(&content.folded, &self.furniture).len();
        if self.marks.len() >= MARKS {
            let (page, empty) = (share(&self.marks), share(&self.empty_marks));
            return match (page, empty) {
                _ if page <= EMPTY => Verdict::Empty(format!("has {:.0} % of the marks of known pages", page * 100.0)),
                _ if own * FAR_LESS < self.own => {
                    Verdict::CannotTell(format!("says {own} things, known pages {}", self.own))
                }
                _ if page >= PAGE && (self.empty_marks.len() < MARKS || empty < PAGE) => Verdict::Exists {
                    confidence: 0.9 + 0.1 * page.min(0.99),
                    because: format!("has {:.0} % of the marks of known pages", page * 100.0),
                    says: self.says(content),
                },
                _ => Verdict::CannotTell(format!("has {:.0} % of the marks of known pages", page * 100.0)),
            };
        }
        match own {
            0 => Verdict::Empty("says nothing that empty pages do not say".to_owned()),
            _ if own * 2 >= self.own => {
                let because = format!("says {own} things that empty pages do not");
                Verdict::Exists { confidence: 0.9, because, says: self.says(content) }
            }
            _ => Verdict::CannotTell(format!("says {own} things that empty pages do not, known pages {}", self.own)),
        }
    }
}

/// Does the page say that its address is the one it has?
fn names_itself(look: &Probe) -> bool {
    let canonical = look.page().and_then(|content| content.canonical.as_ref());
    canonical.is_none_or(|canonical| canonical.path() == look.at.path())
}

/// An error page may name the id it was asked for.
fn without_id(url: &Url, id: &str) -> String {
    url.as_str().replace(id, super::ID)
}

fn missing(impossible: &[&Probe]) -> Missing {
    let status = impossible.iter().filter(|look| matches!(look.answer, Answered::Error(..))).count();
    let moved = impossible.iter().filter(|look| look.page().is_some() && look.moved).count();
    let pages = impossible.iter().filter(|look| look.page().is_some() && !look.moved).count();
    let all = status + moved + pages;
    match all {
        0 => Missing::Unknown,
        _ if status == all => Missing::Status,
        _ if moved + status == all => Missing::Redirect,
        _ if pages == all => Missing::EmptyPage,
        _ => Missing::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(path: &str, at: &str, answer: Answered) -> Probe {
        let url = |path: &str| Url::parse(&format!("http://s{path}")).unwrap();
        Probe { asked: url(path), at: url(at), moved: path != at, answer }
    }

    fn content(marks: &[u64], texts: &[u64]) -> Content {
        Content { marks: marks.to_vec(), texts: texts.to_vec(), folded: texts.to_vec(), canonical: None, short: None }
    }

    fn page(id: u64, marks: &[u64], texts: &[u64]) -> Probe {
        let path = format!("/{id}");
        look(&path, &path, Answered::Page(content(marks, texts)))
    }

    fn known() -> [Probe; 2] {
        [page(1, &[1, 2, 5, 6, 7], &[10, 21]), page(2, &[1, 2, 5, 6, 7], &[10, 22])]
    }

    fn told(judge: &mut Judge, look: &Probe) -> char {
        match judge.judge("7", look, |url| url.path().contains('7')) {
            Verdict::Exists { .. } => 'e',
            Verdict::Empty(_) => '0',
            Verdict::Twin(_) => '2',
            Verdict::CannotTell(_) => '?',
        }
    }

    #[test]
    fn an_error_status_tells() {
        let gone = |id: u64| (id.to_string(), look("/x", "/x", Answered::Error(404, content(&[1, 2], &[10]))));
        let mut judge = Judge::learn(&known(), &[gone(900), gone(901)], None).unwrap();
        assert_eq!(judge.missing, Missing::Status);
        assert_eq!(told(&mut judge, &page(7, &[1, 2, 5, 6, 7], &[10, 23])), 'e');
        assert_eq!(told(&mut judge, &page(7, &[1, 2, 5, 6, 7], &[10, 21])), '0', "a known page again");
        assert_eq!(told(&mut judge, &page(7, &[1, 2, 5, 6, 7], &[10, 23])), '2', "what was found before again");
        assert_eq!(told(&mut judge, &look("/7", "/7", Answered::Error(410, Content::default()))), '0');
        assert_eq!(told(&mut judge, &look("/7", "/7", Answered::Error(503, Content::default()))), '?');
        assert_eq!(told(&mut judge, &page(7, &[1, 2, 5], &[10, 24])), '?', "half a page");
    }

    #[test]
    fn a_redirect_to_an_error_page_tells() {
        let gone = |id: u64| {
            (id.to_string(), look(&format!("/{id}"), &format!("/error/{id}"), Answered::Page(content(&[1], &[10]))))
        };
        let mut judge = Judge::learn(&known(), &[gone(900), gone(901)], None).unwrap();
        assert_eq!(judge.missing, Missing::Redirect);
        let full = || Answered::Page(content(&[1, 2, 5, 6, 7], &[10, 23]));
        assert_eq!(told(&mut judge, &look("/7", "/error/7", full())), '0');
        assert_eq!(told(&mut judge, &look("/7", "/home", full())), '0');
        assert_eq!(told(&mut judge, &look("/7", "/name-7", full())), 'e');
    }

    #[test]
    fn an_empty_page_tells_and_what_changes_at_each_load_does_not() {
        let gone = |id: u64| (id.to_string(), page(id, &[1, 2, 3], &[10, 11, id]));
        let loads = (page(1, &[1, 2, 5, 6, 7], &[10, 21, 70]), page(1, &[1, 2, 5, 6, 7], &[10, 21, 71]));
        let mut judge = Judge::learn(&known(), &[gone(900), gone(901)], Some((&loads.0, &loads.1))).unwrap();
        assert_eq!(judge.missing, Missing::EmptyPage);
        assert_eq!(told(&mut judge, &page(7, &[1, 2, 3], &[10, 11])), '0');
        assert_eq!(told(&mut judge, &page(7, &[1, 2, 5, 6, 7], &[10, 23])), 'e');
    }

    #[test]
    fn what_cannot_be_told_is_said() {
        let same = |id: u64| (id.to_string(), page(id, &[1, 2, 5, 6, 7], &[10, 21, 22]));
        let mut judge = Judge::learn(&known(), &[same(900), same(901)], None).unwrap();
        assert_eq!(judge.missing, Missing::Unknown);
        assert_eq!(told(&mut judge, &page(7, &[1, 2, 5, 6, 7], &[10, 23])), '?');
        assert!(Judge::learn(&[], &[same(900)], None).is_none());
    }
}
