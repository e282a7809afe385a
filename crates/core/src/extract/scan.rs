//! Which texts of a page can the rules of a wrapper mean? Document, what is asked → the places found, and as much of the
//! page around them as an answer needs.
//!
//! - [`Asked`]: the places, anchors and labels of a wrapper, as hashes. - [`Scan`]: a page read for them. - [`Seen`]: a text of it.
//!
//! The quick twin of [`leaves`](super::leaves::leaves) and [`places::each`](super::places::each): it gives the same places (a
//! test compares them), but a text is folded only when it is an answer, and only paths that a rule names are counted.

use super::leaves::{MOST, Paths, Steps, shortened, word_of};
use super::places::{FARTHEST, Kind, Place};
use super::template::inner_label;
use crate::page::dom::{Document, NodeId};
use crate::page::text::{folded, visible};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

/// No number.
const NONE: u32 = u32::MAX;

/// The first byte of the colon that Chinese and Japanese write.
const WIDE_COLON: u8 = 0xEF;

/// The word of a text that is longer than everything that is asked for.
const OTHER: u64 = u64::MAX;

/// Bytes of a text that are looked at without folding it first. Set by hand.
const SHORT: usize = 128;

/// Values of a list that are read.
const LONGEST_RUN: usize = super::slot::LONGEST_RUN;

#[derive(Debug, Clone, Default)]
pub struct Asked {
    steps: Steps,
    /// Texts of the template, and texts that a value is looked for behind.
    words: FxHashMap<u64, Use>,
    /// Paths that rules name, numbered, and as they are written.
    paths: FxHashMap<u64, u32>,
    written: Vec<String>,
    places: FxHashMap<Place, u32>,
    /// Bytes of the longest anchor or label.
    longest: usize,
    within: bool,
    before: bool,
}

/// What a text is to a wrapper.
#[derive(Debug, Clone, Copy, Default)]
struct Use {
    anchor: bool,
    label: bool,
}

impl Asked {
    pub fn new(steps: Steps, anchors: &[String]) -> Self {
        let mut asked = Self { steps, ..Self::default() };
        anchors.iter().for_each(|text| asked.word(text).1.anchor = true);
        asked
    }

    pub fn label(&mut self, text: &str) -> u64 {
        let (word, used) = self.word(text);
        used.label = true;
        word
    }

    fn word(&mut self, text: &str) -> (u64, &mut Use) {
        let word = word_of(text);
        self.longest = self.longest.max(text.len());
        (word, self.words.entry(word).or_default())
    }

    /// The number of a place; `written` is its path.
    pub fn place(&mut self, place: Place, written: &str) -> u32 {
        self.within |= place.kind == Kind::Within;
        self.before |= place.kind == Kind::Before;
        if place.path != 0 {
            let next = self.paths.len() as u32;
            if *self.paths.entry(place.path).or_insert(next) == next {
                self.written.push(written.to_owned());
            }
        }
        let next = self.places.len() as u32;
        *self.places.entry(place).or_insert(next)
    }
}

/// A text with a letter or digit in it.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    node: NodeId,
    path: u64,
    /// Number of its path, if a rule names it.
    number: u32,
    /// As [`word_of`] the text, where that can be asked for.
    pub word: u64,
    /// Is it a text of the template?
    pub anchor: bool,
    label: bool,
}

pub struct Scan<'d> {
    asked: &'d Asked,
    document: &'d Document,
    pub paths: Paths<'d>,
    list: Vec<Seen>,
    /// The first text of each place.
    first: Vec<u32>,
    /// Texts right behind a label.
    labelled: Vec<u32>,
}

impl<'d> Scan<'d> {
    pub fn of(document: &'d Document, asked: &'d Asked) -> Self {
        let mut scan = Self {
            asked,
            document,
            paths: Paths::new(document, &asked.steps),
            list: Vec::with_capacity(document.len() / 4),
            first: vec![NONE; asked.places.len()],
            labelled: Vec::new(),
        };
        scan.read();
        scan.forward();
        if asked.before {
            scan.backward();
        }
        scan
    }

    fn read(&mut self) {
        let mut left = MOST;
        for (node, raw) in visible(self.document) {
            let Some(word) = word(raw, self.asked.longest) else { continue };
            if left == 0 {
                break;
            }
            left -= 1;
            if word == 0 {
                continue;
            }
            let path = self.paths.of(node);
            let number = self.asked.paths.get(&path).copied().unwrap_or(NONE);
            if self.list.last().is_some_and(|before| before.label) {
                self.labelled.push(self.list.len() as u32);
            }
            let Use { anchor, label } = self.asked.words.get(&word).copied().unwrap_or_default();
            self.list.push(Seen { node, path, number, word, anchor, label });
        }
    }

    fn forward(&mut self) {
        let mut since = Counts::new(self.asked.paths.len());
        let mut ever = Counts::new(self.asked.paths.len());
        let (mut anchor, mut near) = (0, false);
        for at in 0..self.list.len() {
            let seen = self.list[at];
            if seen.number != NONE {
                self.hold(at, Place { kind: Kind::Nth, path: seen.path, anchor: 0, nth: ever.next(seen.number) });
                self.hold(at, Place { kind: Kind::After, path: seen.path, anchor, nth: since.next(seen.number) });
            }
            if near {
                self.hold(at, Place { kind: Kind::Next, path: 0, anchor, nth: 0 });
            }
            if self.asked.within {
                self.within(at);
            }
            near = seen.anchor;
            if seen.anchor {
                anchor = seen.word;
                since.restart();
            }
        }
    }

    fn backward(&mut self) {
        let mut since = Counts::new(self.asked.paths.len());
        let mut anchor = 0;
        for at in (0..self.list.len()).rev() {
            let seen = self.list[at];
            if seen.number != NONE {
                self.hold(at, Place { kind: Kind::Before, path: seen.path, anchor, nth: since.next(seen.number) });
            }
            if seen.anchor {
                anchor = seen.word;
                since.restart();
            }
        }
    }

    /// The label that a text begins with.
    pub fn inner_label(&self, at: u32) -> Option<String> {
        memchr::memchr2(b':', WIDE_COLON, self.raw(at).as_bytes()).and_then(|_| inner_label(&self.text(at)))
    }

    fn within(&mut self, at: usize) {
        if let Some(label) = self.inner_label(at as u32) {
            self.hold(at, Place { kind: Kind::Within, path: 0, anchor: xxh3_64(label.as_bytes()), nth: 0 });
        }
    }

    fn hold(&mut self, at: usize, place: Place) {
        if place.nth < FARTHEST
            && let Some(&number) = self.asked.places.get(&place)
        {
            let first = &mut self.first[number as usize];
            *first = (*first).min(at as u32);
        }
    }

    fn raw(&self, at: u32) -> &'d str {
        self.document.text(self.list[at as usize].node).unwrap_or("")
    }

    /// The whole text node, white space folded.
    pub fn text(&self, at: u32) -> String {
        let mut text = folded(self.raw(at));
        text.truncate(shortened(&text).len());
        text
    }

    pub fn seen(&self, at: u32) -> &Seen {
        &self.list[at as usize]
    }

    /// The text before it.
    pub fn before(&self, at: u32) -> Option<u32> {
        at.checked_sub(1)
    }

    /// Is the text before it one of these?
    pub fn is_behind(&self, at: u32, labels: &FxHashSet<u64>) -> bool {
        self.before(at).is_some_and(|before| labels.contains(&self.seen(before).word))
    }

    /// All texts behind a label of the wrapper.
    pub fn labelled(&self) -> impl Iterator<Item = u32> {
        self.labelled.iter().copied()
    }

    /// The path of a text, as a person reads it.
    pub fn written(&self, at: u32) -> String {
        let seen = self.seen(at);
        match self.asked.written.get(seen.number as usize) {
            Some(written) => written.clone(),
            None => self.asked.steps.written(self.document, seen.node),
        }
    }

    /// The text with the most votes (a place's number and its weight), and its share of all votes that could have been given.
    pub fn elect(&self, voters: &[(u32, f64)], accept: impl Fn(u32) -> bool) -> Option<(u32, f64)> {
        let mut votes: Vec<(u32, f64)> = Vec::new();
        let mut all = 0.0;
        for (place, weight) in voters {
            all += weight;
            let leaf = self.first[*place as usize];
            if leaf != NONE && accept(leaf) {
                match votes.iter_mut().find(|(known, _)| *known == leaf) {
                    Some((_, votes)) => *votes += weight,
                    None => votes.push((leaf, *weight)),
                }
            }
        }
        let best = votes.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        Some((best.0, best.1 / all))
    }

    /// As [`slot::run`](super::slot::run).
    pub fn run(&self, at: u32) -> impl Iterator<Item = u32> {
        let path = self.seen(at).path;
        let behind = at + 1..self.list.len() as u32;
        behind.take_while(move |&at| self.seen(at).path == path && !self.seen(at).anchor).take(LONGEST_RUN)
    }
}

/// How often each path was met since the last restart.
struct Counts {
    /// Round and count.
    of: Vec<(u32, u16)>,
    round: u32,
}

impl Counts {
    fn new(paths: usize) -> Self {
        Self { of: vec![(0, 0); paths], round: 0 }
    }

    fn restart(&mut self) {
        self.round += 1;
    }

    /// The count before this one.
    fn next(&mut self, path: u32) -> u16 {
        let (round, count) = &mut self.of[path as usize];
        if *round != self.round {
            (*round, *count) = (self.round, 0);
        }
        let before = *count;
        *count = count.saturating_add(1);
        before
    }
}

/// [`word_of`] the text as it would be folded, none when nothing would be left of it. A text that is longer than `longest`
/// is [`OTHER`].
fn word(raw: &str, longest: usize) -> Option<u64> {
    let bytes = unindented(raw.as_bytes());
    if bytes.is_empty() {
        return None;
    }
    let mut lower = [0u8; SHORT];
    let (mut length, mut end, mut blank, mut any) = (0, 0, false, false);
    for &byte in bytes {
        if end > longest {
            return Some(OTHER);
        }
        if !byte.is_ascii() || length + 2 > SHORT {
            return long_word(raw, longest);
        }
        if matches!(byte, b'\t'..=b'\r' | b' ') {
            blank = true;
            continue;
        }
        any = true;
        let counts = byte.is_ascii_alphanumeric();
        if length > 0 || counts {
            if blank && length > 0 {
                lower[length] = b' ';
                length += 1;
            }
            blank = false;
            lower[length] = byte.to_ascii_lowercase();
            length += 1;
            end = if counts { length } else { end };
        }
    }
    any.then(|| if end == 0 { 0 } else { xxh3_64(&lower[..end]) })
}

/// Without the white space that sources are indented with, eight bytes at a time.
fn unindented(bytes: &[u8]) -> &[u8] {
    let blank = |chunk: &&[u8; 8]| chunk.iter().all(|byte| matches!(byte, b' ' | b'\n' | b'\t'));
    let blanks = bytes.as_chunks::<8>().0.iter().take_while(blank).count() * 8;
    bytes[blanks..].trim_ascii_start()
}

/// Lower case has at most three times fewer bytes.
fn long_word(raw: &str, longest: usize) -> Option<u64> {
    let text = folded(raw);
    let text = shortened(&text);
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    let word = if bare.len() > 3 * longest.max(1) { OTHER } else { word_of(text) };
    (!text.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::super::leaves::leaves;
    use super::super::places::each;
    use super::super::template::Template;
    use super::*;
    use crate::page::parser::{Limits, parse};

    const PAGES: [&str; 4] = [
        "<title>x</title><div class='a  b' id=p-7><p>Name:\n\n   Ann </p><p> – </p><p>Team</p><b>Reds</b><b>Blues</b>\
         <p class=a>Größe: 1,80 m</p><p>\u{b}</p><p>\u{a0}</p><script>Team</script><p>TEAM</p><i>Greens</i></div>",
        "<table><tr><td>Team</td><td>A: b</td></tr><tr><td>::</td><td>c</td></tr></table><p itemprop=name>Team</p><p>d",
        "<p>Team<p>¿Team?<p>İstanbul Team<p>          eight or more blanks before<p>Ünïcode of which the label is too long for it",
        "<p>http://a.b/c<p>1: 2: 3<p>a:<p>Team name: Ann",
    ];

    fn template(document: &Document) -> Template {
        let tokens = ["@name", "#main", ".a", ".b"];
        let anchors = ["Team", "name", "größe: 1,80 m", "¿Team?", "a:", "İstanbul Team"].map(word_of);
        let steps = Steps::new(tokens);
        assert!(!leaves(document, &steps).list.is_empty());
        Template { steps, tokens: Vec::new(), anchors: anchors.into_iter().collect() }
    }

    /// Every place of the slow way is asked for.
    #[test]
    fn places_are_those_of_the_slow_way() {
        for page in PAGES.iter().map(|page| page.to_string()).chain([PAGES.concat(), PAGES.concat().repeat(40)]) {
            let document = parse(&page, &Limits::default()).unwrap();
            let template = template(&document);
            let page = leaves(&document, &template.steps);
            let mut slow: FxHashMap<Place, u32> = FxHashMap::default();
            each(&page, &template, |held| {
                slow.entry(held.place).and_modify(|leaf| *leaf = (*leaf).min(held.leaf)).or_insert(held.leaf);
            });
            let texts = ["team", "name", "größe: 1,80 m", "a", "i\u{307}stanbul team"].map(str::to_owned);
            let mut asked = Asked::new(template.steps.clone(), &texts);
            let numbers: Vec<(u32, u32)> = slow.iter().map(|(place, leaf)| (asked.place(*place, ""), *leaf)).collect();
            let scan = Scan::of(&document, &asked);
            for (number, leaf) in numbers {
                let (text, at) = (&page.list[leaf as usize].text, scan.first[number as usize]);
                assert_ne!(at, NONE, "`{text}` is not found");
                assert_eq!((&scan.text(at), scan.seen(at).node), (&text.to_string(), page.list[leaf as usize].node));
            }
        }
    }

    #[test]
    fn words_are_those_of_folded_texts() {
        let texts = [
            "",
            " ",
            "\u{a0}",
            "\u{b}",
            "--",
            "A  b",
            "\n\t         Ab: ",
            "(Ä ö)",
            "ÀÉ  -",
            "a\u{1}b",
            "12 %",
            "ſtop",
        ];
        for raw in texts {
            let text = folded(raw);
            assert_eq!(word(raw, 200), (!text.is_empty()).then(|| word_of(&text)), "`{raw}`");
        }
        assert_eq!(word(&"long text ".repeat(30), 20), Some(OTHER));
        assert_eq!(word(&"äöü ".repeat(300), 20), Some(OTHER));
        assert_eq!(word(&format!("{}a", "-".repeat(500)), 1), Some(word_of("a")));
    }
}
